"""Queues made by hand and batches that several readers fill, as the `tf.train.batch` of one reader.

Threads took turns in TF 1, in an order that nobody knew; one reader gives one of these orders.
"""

from __future__ import annotations

import ast

from migrator.analysis.names import NameTable
from migrator.analysis.source import Edit, SourceText
from migrator.analysis.tree_walk import walk

_JOINS = {
    "tensorflow.train.batch_join": ("batch", (
        "tensors_list", "batch_size", "capacity", "enqueue_many", "shapes", "dynamic_pad",
        "allow_smaller_final_batch")),
    "tensorflow.train.shuffle_batch_join": ("shuffle_batch", (
        "tensors_list", "batch_size", "capacity", "min_after_dequeue", "seed", "enqueue_many",
        "shapes", "allow_smaller_final_batch")),
}


_QUEUES = {
    "FIFOQueue": ("batch", ("capacity", "dtypes", "shapes")),
    "RandomShuffleQueue": (
        "shuffle_batch", ("capacity", "min_after_dequeue", "dtypes", "shapes", "names", "seed")),
}


def unjoined(text: str, tree: ast.Module, names: NameTable) -> str:
    """The text with every join, and every queue that a QueueRunner fills, that is understood as a
    batch of one reader's tensors."""
    if "batch_join" not in text and "QueueRunner(" not in text:
        return text
    source = SourceText(text, tree)
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    edits: list[Edit] = []
    for scope in walk(tree):
        if isinstance(scope, (ast.Module, ast.FunctionDef)):
            for position, stmt in enumerate(scope.body):
                edits += _join(stmt, scope, position, names, functions, source)
                edits += _hand_made(stmt, scope, names, source)
    return source.splice(0, len(text), edits) if edits else text


def _join(
    stmt: ast.stmt, scope: ast.Module | ast.FunctionDef, position: int, names: NameTable,
    functions: dict[str, ast.FunctionDef], source: SourceText,
) -> list[Edit]:
    call = stmt.value if isinstance(stmt, ast.Assign) else None
    if not isinstance(stmt, ast.Assign) or not isinstance(call, ast.Call):
        return []
    new, order = _JOINS.get(names.resolve_node(call.func, values=False) or "", ("", ()))
    given = dict(zip(order, call.args, strict=False))
    given |= {a.arg: a.value for a in call.keywords if a.arg is not None}
    joined = given.pop("tensors_list", None)
    if not new or joined is None or not isinstance(call.func, ast.Attribute) or (
        len(given) + 1 != len(call.args) + len(call.keywords)
    ):
        return []
    edits: list[Edit] = []
    if isinstance(joined, ast.List) and len(joined.elts) == 1:
        tensors = source.segment(joined.elts[0])
    else:
        made = _list_of(joined, scope.body[:position])
        reader = made.value if made is not None else joined
        if not isinstance(reader, ast.ListComp) or not _repeats(reader):
            return []
        parts = _parts(reader.elt, functions, len(_flat(stmt.targets[0])))
        own = [s for s in scope.body if not isinstance(s, (ast.FunctionDef, ast.ClassDef))]
        taken = set().union(*map(_mentioned, own))
        if not parts or taken & set(parts) or made is None or not isinstance(joined, ast.Name) or (
            sum(isinstance(n, ast.Name) and n.id == joined.id for n in walk(scope)) != 2
        ):
            return []
        edits.append((*source.span(made.targets[0]), ", ".join(parts)))
        edits.append((*source.span(reader), source.segment(reader.elt)))
        tensors = f"[{', '.join(parts)}]"
    rest = "".join(f", {name}={source.segment(node)}" for name, node in given.items())
    lines = "\n" * source.segment(call).count("\n")
    text = f"{source.segment(call.func.value)}.{new}({tensors}{rest}{lines})"
    return [*edits, (*source.span(call), text)]


def _hand_made(
    stmt: ast.stmt, scope: ast.Module | ast.FunctionDef, names: NameTable, source: SourceText
) -> list[Edit]:
    """``queue.dequeue_many(n)`` of a queue that a QueueRunner fills is a batch."""
    call = stmt.value if isinstance(stmt, ast.Assign) else None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
            and call.func.attr == "dequeue_many" and isinstance(call.func.value, ast.Name)
            and len(call.args) == 1):
        return []
    queue = call.func.value.id
    made = _assigned(scope, queue)
    maker = made.value if made is not None else None
    symbol = (names.resolve_node(maker.func, values=False) or "" if isinstance(maker, ast.Call)
              else "")
    name = symbol.rpartition(".")[2]
    if made is None or not isinstance(maker, ast.Call) or name not in _QUEUES or (
        not isinstance(maker.func, ast.Attribute) or symbol.split(".")[0] != "tensorflow"
    ):
        return []
    filled = next((s for s in scope.body if isinstance(s, ast.Assign) and isinstance(
        s.value, ast.Call) and ast.unparse(s.value.func) in (
        f"{queue}.enqueue", f"{queue}.enqueue_many")), None)
    if filled is None or not isinstance(filled.targets[0], ast.Name):
        return []
    gone: list[ast.stmt] = [made, filled]
    known = {queue, filled.targets[0].id}
    for other in scope.body:
        inner = other.value if isinstance(other, (ast.Assign, ast.Expr)) else None
        function = names.resolve_node(inner.func, values=False) if isinstance(
            inner, ast.Call) else None
        if function == "tensorflow.train.QueueRunner" or function == (
            "tensorflow.train.add_queue_runner"
        ):
            if not _mentioned(other) & known:
                continue
            gone.append(other)
            if isinstance(other, ast.Assign) and isinstance(other.targets[0], ast.Name):
                known.add(other.targets[0].id)
    if len(gone) < 3 or any(_mentioned(s) & known for s in scope.body if s not in (*gone, stmt)):
        return []
    assert isinstance(filled.value, ast.Call)
    batch, order = _QUEUES[name]
    given = dict(zip(order, maker.args, strict=False))
    given |= {a.arg: a.value for a in maker.keywords if a.arg is not None}
    tensors = filled.value.args[0] if len(filled.value.args) == 1 else None
    if tensors is None or set(given) - {*order, "name", "shared_name"} or "names" in given:
        return []
    rest = "".join(f", {key}={source.segment(given[key])}"
                   for key in ("capacity", "min_after_dequeue", "seed") if key in given)
    if ast.unparse(filled.value.func).endswith("_many"):
        rest += ", enqueue_many=True"
    root = source.segment(maker.func).partition(".")[0]
    text = f"{root}.train.{batch}({source.segment(tensors)}, {source.segment(call.args[0])}{rest})"
    edits: list[Edit] = [(*source.span(call), text)]
    for old in gone:
        first = source.offset(source.first_line(old), 0)
        last = source.offset(old.end_lineno or old.lineno, 0)
        edits.append((first, last + len(source.lines[(old.end_lineno or old.lineno) - 1]), ""))
    return edits


def _assigned(scope: ast.Module | ast.FunctionDef, name: str) -> ast.Assign | None:
    """The one assignment to a name in a scope's own block."""
    found = [s for s in scope.body if isinstance(s, ast.Assign) and any(
        isinstance(t, ast.Name) and t.id == name for t in s.targets)]
    return found[0] if len(found) == 1 else None


def _mentioned(node: ast.AST) -> set[str]:
    return {n.id for n in walk(node) if isinstance(n, ast.Name)}


def _list_of(node: ast.expr, before: list[ast.stmt]) -> ast.Assign | None:
    """The assignment that made the list which a name holds."""
    for stmt in reversed(before):
        if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and (
            ast.unparse(stmt.targets[0]) == ast.unparse(node)
        ):
            return stmt
    return None


def _repeats(node: ast.ListComp) -> bool:
    """``[f(queue) for _ in range(n)]``: whether every round is the same."""
    generator = node.generators[0]
    return (
        len(node.generators) == 1 and not generator.ifs
        and isinstance(generator.target, ast.Name) and isinstance(generator.iter, ast.Call)
        and ast.unparse(generator.iter.func) in ("range", "xrange")
        and not any(isinstance(n, ast.Name) and n.id == generator.target.id for n in walk(node.elt))
    )


def _parts(node: ast.expr, functions: dict[str, ast.FunctionDef], count: int) -> list[str]:
    """Names for what one reader gives: those that its function returns."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return []
    function = functions.get(node.func.id)
    returned = function.body[-1] if function is not None else None
    value = returned.value if isinstance(returned, ast.Return) else None
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == count:
        names = [e.id if isinstance(e, ast.Name) else _inner(e) for e in value.elts]
        if all(names) and len(set(names)) == count:
            return names
        return [f"part_{i}" for i in range(count)]
    return []


def _inner(node: ast.expr) -> str:
    """``tf.cast(parsed['x'], ...)`` is called ``x``."""
    keys = [n.value for n in walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return keys[0] if len(keys) == 1 and keys[0].isidentifier() else ""


def _flat(target: ast.expr) -> list[ast.expr]:
    return list(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else [target]
