"""Where contrib.quantize was: its graph rewrites have no counterpart on functions and layers."""
from __future__ import annotations

from typing import Any, NoReturn


def _unavailable(name: str) -> NoReturn:
    raise NotImplementedError(
        f"{name} rewrote a TF 1 graph and cannot work on TF 2 functions. Quantization-aware "
        "training is tfmot.quantization.keras.quantize_model(model) of "
        "tensorflow_model_optimization; quantization after training is "
        "tf.lite.TFLiteConverter with optimizations=[tf.lite.Optimize.DEFAULT].")


def create_training_graph(input_graph: Any = None, quant_delay: int = 0) -> None:
    """Raises NotImplementedError, with what to do instead."""
    _unavailable("create_training_graph")


def create_eval_graph(input_graph: Any = None) -> None:
    """Raises NotImplementedError, with what to do instead."""
    _unavailable("create_eval_graph")


def experimental_create_training_graph(
        input_graph: Any = None, weight_bits: int = 8, activation_bits: int = 8,
        symmetric: bool = False, quant_delay: int = 0, freeze_bn_delay: int | None = None,
        scope: str | None = None) -> None:
    """Raises NotImplementedError, with what to do instead."""
    _unavailable("experimental_create_training_graph")


def experimental_create_eval_graph(
        input_graph: Any = None, weight_bits: int = 8, activation_bits: int = 8,
        symmetric: bool = False, quant_delay: int | None = None,
        scope: str | None = None) -> None:
    """Raises NotImplementedError, with what to do instead."""
    _unavailable("experimental_create_eval_graph")
