"""Code that handles the files of an estimator's checkpoint one by one, and names one that is gone."""

from __future__ import annotations

import ast

from migrator.analysis.tree_walk import walk
from migrator.engine.context import FileContext
from migrator.engine.registry import transform

CODE = "TF342"


@transform
class EstimatorCheckpoints:
    """TF342, for a person: estimators write no ``.meta`` file, whose copy or removal would fail."""

    name = "estimator_checkpoints"
    triggers = frozenset({"tensorflow.estimator.Estimator", "tensorflow.contrib.tpu.TPUEstimator",
                          "tensorflow.estimator.tpu.TPUEstimator"})  # fmt: skip
    order = 4

    def run(self, ctx: FileContext) -> None:
        for node in walk(ctx.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and (
                    node.value == "meta" or node.value.endswith(".meta")):
                ctx.finding(CODE, node, "checkpoints of estimators have no .meta file by now",
                            "leave it out of the files that are copied, renamed or removed")
