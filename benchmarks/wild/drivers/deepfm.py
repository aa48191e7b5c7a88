"""ChenglongChen/tensorflow-DeepFM: fits its model to numbers, with each of its parts and optimizers."""

from __future__ import annotations

import numpy as np

REPOSITORY = "https://github.com/ChenglongChen/tensorflow-DeepFM"
COMMIT = "a43dd5ff1f61a275c8a6e0fd659e200af64093cc"


def _fit(w, **options):
    import sys
    import types

    given = types.ModuleType("yellowfin")  # a copy of another project, which no path takes
    given.YFOptimizer = None
    sys.modules["yellowfin"] = given
    from DeepFM import DeepFM

    random = np.random.RandomState(0)
    fields = [[int(n) for n in row] for row in random.randint(0, 20, (40, 5))]
    values = random.rand(40, 5).round(3).tolist()
    labels = random.randint(0, 2, 40).tolist()
    model = DeepFM(feature_size=20, field_size=5, epoch=2, batch_size=16, verbose=True, **options)
    model.fit(fields, values, labels, fields[:10], values[:10], labels[:10])
    w.dump(predicted=model.predict(fields, values), score=model.evaluate(fields, values, labels))


def fit(w):
    _fit(w)


def other_parts(w):
    _fit(w, use_fm=False, batch_norm=1, optimizer_type="adagrad", loss_type="mse", l2_reg=0.1)


def another_optimizer(w):
    _fit(w, use_deep=False, optimizer_type="momentum", dropout_fm=[0.8, 0.8])
