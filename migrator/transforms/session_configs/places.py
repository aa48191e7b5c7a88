"""Where devices may be set up: before anything uses them, behind what the settings depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from migrator.engine.context import FileContext
from migrator.transforms import _flow as flow
from migrator.transforms.session_configs import fields as f
from migrator.transforms.session_configs.takers import Scope

# TensorFlow's own functions that use no device
_HARMLESS = tuple(
    f"tensorflow.{name}" for name in (
        "app.", "flags.", "logging.", "gfile.", "io.gfile.", "compat.as_", "OptimizerOptions",
        "GraphOptions", "RewriterConfig", "VERSION", "__version__", "train.ClusterSpec",
        "reset_default_graph", "get_logger", "train.latest_checkpoint",
    )
) + (f.CONFIG, f.OPTIONS)  # fmt: skip
_VISIBLE = ("environ", "putenv")  # what sets CUDA_VISIBLE_DEVICES must have happened


@dataclass(frozen=True)
class Place:
    """Before a statement, or behind the last one of a block.

    free: nothing that the settings depend on comes before, and no condition stands around it.
    """

    statement: cst.BaseStatement
    behind: bool = False
    free: bool = False


def in_scope(
    ctx: FileContext, scope: Scope, target: cst.CSTNode, names: set[str], gone: set[int]
) -> Place | None:
    """The place in a scope ahead of the use of devices that leads to `target`; None on a line that
    has several statements. names: what the settings read. gone: statements that are taken out."""
    body = scope.body if isinstance(scope, cst.Module) else _lines(scope.body)
    free = True
    while body is not None:
        index = next(i for i, s in enumerate(body) if any(n is target for n in flow.walk(s)))
        inner = next(
            (b for b in flow.sub_bodies(body[index]) if any(n is target for n in flow.walk(b))), None
        )
        scoped = isinstance(body[index], cst.With)
        if inner is None or (scoped and not _depends(inner, names, gone, target)):
            found = _before_devices(ctx, body, index, names, gone)
            return Place(body[found], False, free and not _tied(body[:index], names, gone))
        free = free and scoped and not _tied(body[:index], names, gone)
        body = _lines(inner)
    return None


def at_entry(
    ctx: FileContext, entry: cst.FunctionDef | cst.If, names: set[str]
) -> Place | None:
    """The place in the block with which a script begins."""
    body = _lines(entry.body)
    if not body:
        return None
    index = _before_devices(ctx, body, len(body), names, set())
    if index == len(body):  # what uses them is not seen: a server, a callback; so before all that may
        small = flow.simple(body[0])
        docstring = isinstance(small, cst.Expr) and isinstance(small.value, cst.SimpleString)
        tied = [i + 1 for i, statement in enumerate(body) if _ties(statement, names, set())]
        index = max([int(docstring), *tied])
    return Place(body[index]) if index < len(body) else Place(body[-1], True)


def sets_environment(node: cst.CSTNode) -> bool:
    """Whether something in a node may set which GPUs CUDA shows."""
    text = flow.code_of(node)
    return any(word in text for word in _VISIBLE)


def _lines(suite: cst.BaseSuite) -> Sequence[cst.BaseStatement] | None:
    return suite.body if isinstance(suite, cst.IndentedBlock) else None


def _before_devices(
    ctx: FileContext, body: Sequence[cst.BaseStatement], end: int, names: set[str], gone: set[int]
) -> int:
    """The index of the first statement that uses devices, or of what follows the last dependence."""
    names = names | _aliases(body[:end], names)
    tied = max((i for i in range(end) if _ties(body[i], names, gone)), default=-1)
    first = next((i for i in range(end) if _uses_devices(ctx, body[i])), end)
    small = flow.simple(body[0])
    docstring = isinstance(small, cst.Expr) and isinstance(small.value, cst.SimpleString)
    return max(tied + 1, first, int(docstring) if end else 0) if tied < first else tied + 1


def _aliases(body: Sequence[cst.BaseStatement], names: set[str]) -> set[str]:
    """Other names by which a configuration is filled: ``options = config.gpu_options``."""
    pairs = [p for s in body for n in flow.walk(s) if (p := flow.assigned(n)) is not None]
    filled = {flow.root_of(t.value) for t, _ in pairs if isinstance(t, cst.Attribute)}
    return {t.value for t, value in pairs
            if isinstance(t, cst.Name) and t.value in filled and _first_name(value) in names}


def _first_name(node: cst.BaseExpression) -> str:
    """``x`` of ``x.y[0].z``, empty where no name is at the root."""
    return (flow.root_of(node) or "").split(".")[0]


def _tied(body: Sequence[cst.BaseStatement], names: set[str], gone: set[int]) -> bool:
    return any(_ties(statement, names, gone) for statement in body)


def _depends(
    suite: cst.BaseSuite, names: set[str], gone: set[int], target: cst.CSTNode
) -> bool:
    """Whether something ahead of `target` in a block must have happened."""
    for statement in flow.statements(suite):
        if any(n is target for n in flow.walk(statement)):
            return any(_depends(b, names, gone, target) for b in flow.sub_bodies(statement)
                       if any(n is target for n in flow.walk(b)))
        if _ties(statement, names, gone):
            return True
    return False


def _ties(statement: cst.BaseStatement, names: set[str], gone: set[int]) -> bool:
    """Whether a statement binds, changes or calls what the settings read, hands it to what may change
    it, or sets the environment."""
    if id(statement) in gone:
        return False
    if flow.writes(statement) & names or sets_environment(statement):
        return True
    for node in flow.walk(statement):
        if isinstance(node, (cst.Import, cst.ImportFrom)) and not isinstance(
            node.names, cst.ImportStar
        ):
            bound = {flow.code_of(a.asname.name if a.asname else a.name) for a in node.names}
            if {name.split(".")[0] for name in bound} & names:
                return True
        if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
            if _first_name(node.value.func) in names:
                return True
            if any(isinstance(a.value, cst.Name) and a.value.value in names for a in node.value.args):
                return True  # fill(config), setattr(config, name, value)
        pair = flow.assigned(node)  # obj = config, options = config.gpu_options: and what follows it
        if pair is not None and _first_name(pair[1]) in names:
            return True
    return False


def _uses_devices(ctx: FileContext, statement: cst.BaseStatement) -> bool:
    """Whether a statement may make TensorFlow start its devices: once there they stay as they are."""
    if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
        return False
    own = {n.name.value for n in ctx.module.body if isinstance(n, (cst.FunctionDef, cst.ClassDef))}
    for node in _executed(statement):
        if not isinstance(node, cst.Call):
            continue
        name = ctx.resolve(node.func) or ""
        if name.startswith("tensorflow."):
            if not name.startswith(_HARMLESS):
                return True
        elif _first_name(node.func) in own | {"self", "cls"}:
            return True
        elif name and _in_project(ctx, name):
            return True
    return False


def _executed(statement: cst.CSTNode) -> list[cst.CSTNode]:
    found, stack = [], [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
            continue
        found.append(node)
        stack.extend(node.children)
    return found


def _in_project(ctx: FileContext, name: str) -> bool:
    """Whether a dotted name is of a module of the project that has to do with TensorFlow."""
    found = ctx.index.resolve(name, ctx.path)
    if found is None:
        return False
    key = ("uses TensorFlow", found[0].path)
    if key not in ctx.index.answers:
        seen, waiting = set(), [found[0].path]
        while waiting:
            path = waiting.pop()
            if path not in seen:
                seen.add(path)
                waiting += ctx.index.imported(path)
        ctx.index.answers[key] = any(
            imported.split(".")[0] in ("tensorflow", "tf_slim", "keras")
            for path in seen for imported in ctx.index.modules[path].summary.imports
        )
    return bool(ctx.index.answers[key])
