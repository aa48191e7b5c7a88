"""How many parameters a model has and how many floating point operations it takes."""
from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

import tensorflow as tf

from .store import current_store

# As in tf.contrib.tfprof.model_analyzer: dicts that callers may change (`trim_name_regexes`).
TRAINABLE_VARS_PARAMS_STAT_OPTIONS: dict[str, Any] = {"select": ["params"],
                                                      "trim_name_regexes": []}
FLOAT_OPS_OPTIONS: dict[str, Any] = {"select": ["float_ops"], "trim_name_regexes": []}

_PER_ELEMENT = {"Add", "AddV2", "Sub", "Mul", "RealDiv", "BiasAdd", "Maximum", "Minimum",
                "Relu", "Relu6", "Sigmoid", "Tanh", "Rsqrt", "Neg", "Square", "Pow"}


def _size(shape: tf.TensorShape) -> int:
    """The number of elements; unknown sizes (the batch) count as 1."""
    return math.prod(size or 1 for size in shape.as_list()) if shape.rank is not None else 0


def float_operations(graph: Any) -> dict[str, int]:
    """Floating point operations of a graph (of a `ConcreteFunction`) by operation name.

    A multiplication and an addition count as two. Unknown sizes, such as the batch, count as 1.
    Operations other than convolutions, matrix products and those on single elements are left out.
    """
    found: dict[str, int] = {}
    for op in getattr(graph, "graph", graph).get_operations():
        if not op.outputs:
            continue
        elements = _size(op.outputs[0].shape)
        if op.type in ("Conv2D", "Conv3D"):
            kernel = op.inputs[1].shape
            found[op.name] = 2 * elements * _size(kernel[:-1])
        elif op.type == "DepthwiseConv2dNative":
            found[op.name] = 2 * elements * _size(op.inputs[1].shape[:2])
        elif op.type in ("MatMul", "BatchMatMul", "BatchMatMulV2"):
            transposed = op.get_attr("transpose_a" if op.type == "MatMul" else "adj_x")
            found[op.name] = 2 * elements * _size(op.inputs[0].shape[-2 if transposed else -1:][:1])
        elif op.type in _PER_ELEMENT:
            found[op.name] = elements
    return found


def parameters(variables: Iterable[Any] | Mapping[str, Any] | None = None) -> dict[str, int]:
    """Numbers of elements by name; default: of the store's trainable variables."""
    if variables is None:
        store = current_store()
        trainable = {id(variable) for variable in store.trainable_variables}
        variables = {name: variable for name, variable in store.variables_by_name.items()
                     if id(variable) in trainable}
    if not isinstance(variables, Mapping):
        variables = {variable.name.split(":")[0]: variable for variable in variables}
    return {name: _size(variable.shape) for name, variable in variables.items()}


class Counts(dict[str, int]):
    """Numbers by name; their sum under the names that TF 1's report had for it."""

    @property
    def total_parameters(self) -> int:
        """The sum, of parameters."""
        return sum(self.values())

    total_float_ops = total_parameters


def print_model_analysis(graph: Any = None, run_meta: Any = None, op_log: Any = None,
                         tfprof_cmd: str = "scope",
                         tfprof_options: Mapping[str, Any] = TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
                         ) -> Counts:
    """Prints and returns the parameters, or the floating point operations, by name.

    Args:
        graph: What `float_operations` takes; needed for these only.
        tfprof_options: `select` says which; names that match `trim_name_regexes` are left out.

    Raises:
        ValueError: floating point operations are wanted of no graph.
    """
    if "float_ops" in tfprof_options.get("select", ()):
        if graph is None:
            raise ValueError("give the ConcreteFunction whose operations are to be counted")
        found, what = float_operations(graph), "flops"
    else:
        found, what = parameters(), "params"
    trimmed = [re.compile(pattern) for pattern in tfprof_options.get("trim_name_regexes", ())]
    counts = Counts((name, count) for name, count in found.items()
                    if not any(pattern.match(name) for pattern in trimmed))
    for name, count in counts.items():
        print(f"{name} ({count:,} {what})")
    print(f"total: {sum(counts.values()):,} {what}")
    return counts


def tensor_description(var: Any) -> str:
    sizes = "x".join("?" if size is None else str(size) for size in var.shape.as_list())
    return f"({tf.as_dtype(var.dtype).name} {sizes})"


def _headed(line: str, print_info: bool) -> None:
    if print_info:
        print("---------", line, "---------", sep="\n")


def analyze_vars(variables: Iterable[Any], print_info: bool = False) -> tuple[int, int]:
    """The number of elements of variables, and their bytes; printed as TF 1 did."""
    _headed("Variables: name (type shape) [size]", print_info)
    elements = size = 0
    for variable in variables:
        count = variable.shape.num_elements() or 0
        bytes_ = count * tf.as_dtype(variable.dtype).size
        elements, size = elements + count, size + bytes_
        if print_info:
            print(variable.name, tensor_description(variable), f"[{count}, bytes: {bytes_}]")
    if print_info:
        print(f"Total size of variables: {elements}\nTotal bytes of variables: {size}")
    return elements, size


def analyze_ops(graph: Any, print_info: bool = False) -> int:
    """The number of elements that a graph's (or a ConcreteFunction's) operations put out; those of an
    unknown shape count none."""
    _headed("Operations: name -> (type shapes) [size]", print_info)
    elements = 0
    for op in getattr(graph, "graph", graph).get_operations():
        counts = [output.shape.num_elements() or 0 for output in op.outputs]
        elements += sum(counts)
        if print_info:
            shapes = ", ".join(tensor_description(output) for output in op.outputs if output.shape)
            print(op.name, "\t->", shapes, f"[{sum(counts)}]")
    return elements
