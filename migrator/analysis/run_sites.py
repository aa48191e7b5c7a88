"""Where a file runs parts of a graph: ``sess.run``, ``tensor.eval`` and ``operation.run``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from migrator.analysis import graph_kinds as k
from migrator.analysis.arguments import unpacks
from migrator.analysis.tree_walk import last_name, self_attribute, walk
from migrator.analysis.value_kinds import Function, Values, parameters

Pair = tuple[ast.expr, ast.expr]


@dataclass(frozen=True)
class Site:
    """One run.

    `fetches` is what is fetched. `feeds` are (input, value) where the run says them itself;
    `feed` is the expression of a dict that is put together elsewhere. `session` runs it (None: the
    default one). `lost` are arguments that have no successor. With `guess`, the text does not tell
    whether it is one at all. With `own`, it may be a call of the object's own method, where the project
    has one of the name that takes a session.
    """

    call: ast.Call
    fetches: ast.expr
    feeds: tuple[Pair, ...]
    feed: ast.expr | None
    session: ast.expr | None
    lost: tuple[str, ...] = ()
    guess: bool = False
    own: bool = False


#: Parameters of the three calls, by TF 1's names.
_RUN = ("fetches", "feed_dict", "options", "run_metadata")
_EVAL = ("feed_dict", "session")
_WITH_VALUE = (k.OP, k.TENSOR, k.VARIABLE, k.EFFECT, k.MERGED, k.SUMMARY, k.ELEMENT, k.PLACEHOLDER,
               k.SCHEDULE, k.HANDLE)  # fmt: skip
_OPERATIONS = re.compile(r"init|train|step|op(s|t)?$|optim|update|assign|copy|enqueue|reset")


def sites(tree: ast.Module, values: Values) -> Iterator[Site]:
    """The runs of a file, outer ones first."""
    for node in walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found = _site(node, node.func, values)
            if found is not None:
                yield found


def _site(call: ast.Call, func: ast.Attribute, values: Values) -> Site | None:
    if unpacks(call):
        return None
    given: dict[str, ast.expr] = {w.arg: w.value for w in call.keywords if w.arg}
    if func.attr == "run" and values.kind(func.value) == k.SESSION:
        if len(call.args) > len(_RUN) or not set(given) <= set(_RUN):
            return None
        given |= dict(zip(_RUN, call.args, strict=False))
        if "fetches" not in given:
            return None
        lost = tuple(name for name in ("options", "run_metadata") if _says(given.get(name)))
        return _made(call, given["fetches"], given.get("feed_dict"), func.value, lost)
    if func.attr not in ("eval", "run") or len(call.args) > 2 or not set(given) <= set(_EVAL) or (
            not given.keys().isdisjoint(_EVAL[: len(call.args)])):
        return None
    if call.args and set(_EVAL[: len(call.args)]) & set(given):
        return None  # a ``run`` of another kind, which takes something else first
    guess = own = False
    if len(call.args) == 1 and not given and values.kind(call.args[0]) == k.SESSION:
        own = not values.kind(func.value)
        if own and (func.attr == "run" or _is_made_here(func.value, values)):
            return None
        given["session"] = call.args[0]  # the first argument of a variable's
    else:
        if not (given or _evaluates(call, func, values)):
            if not _may_evaluate(func, values) or len(call.args) > 1:
                return None
            guess = True
        given |= dict(zip(_EVAL, call.args, strict=False))
    session = given.get("session")
    if session is not None and values.kind(session) != k.SESSION:
        return None
    return replace(_made(call, func.value, given.get("feed_dict"), session, ()), guess=guess, own=own)


def _is_made_here(node: ast.expr, values: Values) -> bool:
    """Whether an expression is an object of one of the project's classes: no variable."""
    made = values.assigned(node) or []
    return isinstance(node, ast.Name) and node.id == "self" or bool(made) and all(
        isinstance(value, ast.Call) and last_name(value.func)[:1].isupper()
        and not (values.names.resolve_node(value.func) or "").startswith("tensorflow.") for value in made)


def _evaluates(call: ast.Call, func: ast.Attribute, values: Values) -> bool:
    """Whether ``x.eval()`` or ``x.run()`` is that of a tensor or an operation."""
    kind = values.kind(func.value)
    if func.attr == "run":
        return kind in (k.INIT, k.TRAIN, k.EFFECT, k.ITERATOR_INIT, k.OP) and (
            not call.args or isinstance(call.args[0], ast.Dict))
    return kind in _WITH_VALUE or (
        bool(call.args) and isinstance(call.args[0], ast.Dict))


def _may_evaluate(func: ast.Attribute, values: Values) -> bool:
    """Whether the object of ``x.eval()`` or ``x.run()`` may be a tensor or an operation."""
    if values.kind(func.value) or values.imported(func.value) or isinstance(func.value, ast.Constant):
        return False
    if func.attr == "eval":
        return True
    return bool(_OPERATIONS.search(ast.unparse(func.value).rpartition(".")[2].lower()))


def _says(node: ast.expr | None) -> bool:
    return node is not None and not (isinstance(node, ast.Constant) and node.value is None)


def _made(call: ast.Call, fetches: ast.expr, feed: ast.expr | None, session: ast.expr | None,
          lost: tuple[str, ...]) -> Site:
    if not _says(feed):
        return Site(call, fetches, (), None, session, lost)
    if isinstance(feed, ast.Dict) and None not in feed.keys:
        pairs = tuple((key, value) for key, value in zip(feed.keys, feed.values, strict=True)
                      if key is not None)
        return Site(call, fetches, pairs, None, session, lost)
    return Site(call, fetches, (), feed, session, lost)


def is_plain(site: Site, values: Values) -> bool:
    """Whether nothing but the graph is behind a run: sessions with hooks do more, and one that runs names
    where no graph need be around says which graph has them."""
    if _names_graph(site, values):
        return False
    for value in values.assigned(site.session) or [] if site.session is not None else []:
        symbol = isinstance(value, ast.Call) and values.names.resolve_node(value.func) or ""
        if k.calls_hooks(symbol) or (
                symbol.endswith("Session") and not symbol.startswith("tensorflow.")):
            return False
    return True


def _names_graph(site: Site, values: Values) -> bool:
    """Whether names alone are run, and no graph need be around that has them: by a function inside of the
    session's own, or by any other where the module makes graphs."""
    if site.session is None or site.feed is not None:
        return False
    fetched = site.fetches.elts if isinstance(site.fetches, (ast.List, ast.Tuple)) else [site.fetches]
    if not all(_is_text(node, values) for node in (*fetched, *(key for key, _ in site.feeds))):
        return False
    around = list(values.parents.around(site.call))
    inner = next((n for n in around if isinstance(n, Function | ast.Lambda)), None)
    if inner is None:
        return False
    if isinstance(site.session, ast.Name):
        home = values.home(site.session)
        if home is inner or site.session.id in parameters(inner):
            return False
        if not isinstance(home, ast.Module):
            return True
    return any(isinstance(node, ast.Call) and values.names.resolve_node(node.func) == "tensorflow.Graph"
               for node in walk(around[-1]))


def _is_text(node: ast.expr, values: Values, depth: int = 4) -> bool:
    """Whether an expression is shown to be a string: written out, put together from one, or what a name, or
    an attribute of the object or of its class, is given and nothing else."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
        return _is_text(node.left, values, depth) or (
            isinstance(node.op, ast.Add) and _is_text(node.right, values, depth))
    if isinstance(node, ast.Call):
        func = node.func
        return isinstance(func, ast.Name) and func.id == "str" or (
            isinstance(func, ast.Attribute) and func.attr == "format" and _is_text(func.value, values, depth))
    if not depth or not isinstance(node, (ast.Name, ast.Attribute)):
        return isinstance(node, ast.JoinedStr)
    given = values.assigned(node) or _of_class(node, values)
    return bool(given) and all(_is_text(value, values, depth - 1) for value in given)


def _of_class(node: ast.expr, values: Values) -> list[ast.expr]:
    """What the body of the class gives an attribute of its object."""
    name = self_attribute(node)
    owner = values.parents.owner(node)
    if name is None or owner is None:
        return []
    return [statement.value for statement in owner.body if isinstance(statement, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)]


def savers_session(call: ast.Call, values: Values) -> ast.expr | None:
    """The session that a saver, or a function that restores, is given, None elsewhere."""
    given = next((w.value for w in call.keywords if w.arg == "sess"), call.args[0] if call.args else None)
    if given is None or values.kind(given) != k.SESSION:
        return None
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("save", "restore"):
        saver = call.func.value
        called = ast.unparse(saver).lower()
        known = values.kind(saver) == k.SAVER or "saver" in called or "restorer" in called
        return given if known and len(call.args) + len(call.keywords) > 1 else None
    return given if values.kind(call.func) == k.SAVER and len(call.args) == 1 else None
