"""Fits a recommender whose session belongs to another module, and looks at its graph from here."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

import sessions
from factors import Factors
from tf1_support import graphs

graphs.build()

ratings = np.arange(12.0).reshape(3, 4) % 5 - 2.0

model = Factors(3, 4)
losses = model.fit(ratings, 5)
fitted = model.predict()
best = graphs.run(tf.argmax(model.predicted, 1))

with tempfile.TemporaryDirectory() as folder:
    prefix = model.save(os.path.join(folder, 'factors'))
    sessions.forget()
    again = Factors(3, 4)
    again.restore(prefix)
    restored = again.predict()
    names = [name for name, _ in tf.train.list_variables(prefix)]

np.savez(sys.argv[1], losses=losses, fitted=fitted, best=best, restored=restored,
         names=np.array(names))
