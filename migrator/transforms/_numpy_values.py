"""How the value of fetched tensors is written outside of tests: ``.numpy()`` where it is due."""

from __future__ import annotations

import libcst as cst

from migrator.engine.context import FileContext
from migrator.transforms.eager.units import Run


def numpy_value(ctx: FileContext, fetches: cst.BaseExpression, run: Run) -> cst.BaseExpression:
    """NumPy arrays in the structure of `fetches`.

    A literal list, tuple or dict is written out item by item; for what may be a structure
    (the result of a function of the program) the structure is mapped.
    """
    if isinstance(fetches, (cst.List, cst.Tuple)):
        return fetches.with_changes(
            elements=[
                element.with_changes(value=numpy_value(ctx, element.value, run))
                for element in fetches.elements
            ]
        )
    if isinstance(fetches, cst.Dict):
        return fetches.with_changes(
            elements=[
                element.with_changes(value=numpy_value(ctx, element.value, run))
                for element in fetches.elements
            ]
        )
    if _single_tensor(ctx, fetches, run):
        if not isinstance(fetches, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)):
            fetches = fetches.with_changes(
                lpar=[cst.LeftParen(), *fetches.lpar], rpar=[*fetches.rpar, cst.RightParen()]
            )
        return cst.Call(cst.Attribute(fetches, cst.Name("numpy")))
    tf = ctx.require_import("tensorflow", None, "tf")
    mapped = cst.parse_expression(f"{tf}.nest.map_structure(lambda tensor: tensor.numpy(), x)")
    assert isinstance(mapped, cst.Call)
    return mapped.with_changes(args=[mapped.args[0], cst.Arg(fetches)])


def _single_tensor(ctx: FileContext, node: cst.BaseExpression, run: Run) -> bool:
    """Whether an expression is one tensor: made by TensorFlow or by an operator."""
    if isinstance(node, (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.Subscript)):
        return True
    if isinstance(node, cst.Call):
        name = ctx.resolve(node.func)
        return name is not None and name.startswith("tensorflow.")
    if isinstance(node, cst.Name):
        name = ctx.resolve(node)
        return name is not None and name.startswith("tensorflow.") and name.endswith("()")
    return isinstance(node, cst.Attribute)
