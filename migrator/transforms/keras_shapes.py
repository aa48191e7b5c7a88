"""`build(input_shape)` of a Keras layer gets tuples from Keras 3, where TF1 gave a TensorShape.

Where a body needs more than a tuple can do (methods of TensorShape, or functions of the project that
are handed the shape), it converts what it was given first.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF133"
_METHODS = frozenset({"build", "compute_output_shape"})
# What a TensorShape has and a tuple has not.
_OF_SHAPES = frozenset(
    {"as_list", "as_proto", "assert_has_rank", "assert_is_compatible_with", "assert_same_rank",
     "assert_is_fully_defined", "concatenate", "dims", "is_compatible_with", "is_fully_defined",
     "merge_with", "ndims", "num_elements", "rank", "with_rank", "with_rank_at_least",
     "with_rank_at_most"}
)  # fmt: skip
_LIBRARIES = ("builtins.", "tensorflow.", "keras.", "numpy.", "math.", "itertools.", "copy.")


def shape_methods(tree: ast.Module) -> list[tuple[ast.FunctionDef, str]]:
    """``def build(self, input_shape)`` and its like in classes with a base; the parameter's name."""
    found = []
    for node in walk(tree):
        if not (isinstance(node, ast.ClassDef) and node.bases):
            continue
        for method in node.body:
            if not (isinstance(method, ast.FunctionDef) and method.name in _METHODS):
                continue
            parameters = [a.arg for a in method.args.args]
            if len(parameters) == 2 and "shape" in parameters[1]:
                found.append((method, parameters[1]))
    return found


def _shapes(method: ast.FunctionDef, parameter: str) -> set[str]:
    """The parameter and the names that its items are bound to by loops over it."""
    names = {parameter}
    for node in walk(method):
        if not isinstance(node, (ast.For, ast.comprehension)):
            continue
        source, target = node.iter, node.target
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Name):
            if source.func.id == "enumerate" and isinstance(target, ast.Tuple) and source.args:
                source, target = source.args[0], target.elts[-1]
        if isinstance(source, ast.Name) and source.id in names and isinstance(target, ast.Name):
            names.add(target.id)
    return names


def _made_of(method: ast.FunctionDef, names: set[str]) -> set[str]:
    """The names, and those that what is made of them is bound to, by assignments and loops."""
    found, before = set(names), 0
    while len(found) > before:
        before = len(found)
        for node in walk(method):
            if isinstance(node, ast.Assign):
                source, targets = node.value, node.targets
            elif isinstance(node, (ast.For, ast.comprehension)):
                source, targets = node.iter, [node.target]
            else:
                continue
            if any(isinstance(part, ast.Name) and part.id in found for part in walk(source)):
                found |= {
                    part.id for target in targets for part in walk(target) if isinstance(part, ast.Name)}
    return found - {"self"}


def needs_tensor_shapes(ctx: FileContext, method: ast.FunctionDef, parameter: str) -> bool:
    """Whether a body asks the shape for what a tuple has not, or hands it on to the project."""
    names = _shapes(method, parameter)
    made = _made_of(method, names)

    def is_shape(node: ast.expr) -> bool:
        if isinstance(node, ast.Subscript):
            return isinstance(node.value, ast.Name) and node.value.id == parameter
        return isinstance(node, ast.Name) and node.id in names

    for node in walk(method):
        if isinstance(node, ast.Attribute) and node.attr in _OF_SHAPES and (
                is_shape(node.value) or isinstance(node.value, ast.Name) and node.value.id in made):
            return True
        if isinstance(node, ast.Call) and any(
            isinstance(argument, ast.Name) and is_shape(argument) for argument in node.args
        ):
            name = ctx.names.resolve_node(node.func)
            if name is not None and not name.startswith(_LIBRARIES):
                return True
    return False


@transform
class KerasShapes:
    """TF133: shapes that Keras hands to a layer."""

    name = "keras_shapes"
    triggers = frozenset({"tensorflow.*"})
    order = 62

    def run(self, ctx: FileContext) -> str | None:
        if "def build(" not in ctx.text and "def compute_output_shape(" not in ctx.text:
            return None
        lines, edits = Lines(ctx.text), []
        for method, parameter in shape_methods(ctx.tree):
            body = method.body[1:] if ast.get_docstring(method) is not None else method.body
            if not body or body[0].lineno == method.lineno or ctx.suppressed(CODE, method):
                continue
            if _converts(body[0], parameter) or not needs_tensor_shapes(ctx, method, parameter):
                continue
            at = lines.offset(body[0].lineno, body[0].col_offset)
            indent = " " * body[0].col_offset
            converted = f"{parameter} = {ctx.support('keras_layers.tensor_shapes')}({parameter})"
            edits.append(Edit(at, at, (f"{converted}\n{indent}",)))
            ctx.change(CODE, method, "Keras 3 gives shapes as tuples", Rung.SUPPORT)
        return apply(ctx.text, edits)[0] if edits else None


def _converts(statement: ast.stmt, parameter: str) -> bool:
    """Whether a statement binds the parameter anew already."""
    return isinstance(statement, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == parameter for target in statement.targets
    )
