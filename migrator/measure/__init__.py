"""Memory and speed, before and after: child-process runner, probes, matrix, attribution, prediction.

`run` is the one entry that other rooms call; it never imports TensorFlow in this process.
"""

from migrator.measure.records import Cell, CellResult, Measurement
from migrator.measure.runner import run

__all__ = ["Cell", "CellResult", "Measurement", "run"]
