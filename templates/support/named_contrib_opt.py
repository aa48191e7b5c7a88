"""What tf.contrib.opt had in TF 1, by the names there, for code that looks names up."""
from __future__ import annotations

from .contrib_optimizers import (
    AdaMaxOptimizer,
    AdamWOptimizer,
    AddSignOptimizer,
    DecoupledWeightDecayExtension,
    LARSOptimizer,
    LazyAdamOptimizer,
    MomentumWOptimizer,
    NadamOptimizer,
    PowerSignOptimizer,
    extend_with_decoupled_weight_decay,
)
from .moving_average_optimizer import MovingAverageOptimizer

__all__ = [
    "AdaMaxOptimizer",
    "AdamWOptimizer",
    "AddSignOptimizer",
    "DecoupledWeightDecayExtension",
    "LARSOptimizer",
    "LazyAdamOptimizer",
    "MomentumWOptimizer",
    "MovingAverageOptimizer",
    "NadamOptimizer",
    "PowerSignOptimizer",
    "extend_with_decoupled_weight_decay",
]
