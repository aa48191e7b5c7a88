"""Which function of the graph each run becomes: what it is called, and where it is made."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from migrator.analysis import graph_kinds as k
from migrator.analysis.fresh_names import fresh_name
from migrator.analysis.run_sites import Site
from migrator.analysis.tree_walk import LOOPS, elements, last_name, walk
from migrator.analysis.value_kinds import Function, Parents, Values
from migrator.transforms.graphs.bound import Others, surely_bound

_SIMPLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.List, ast.Tuple, ast.Dict,
           ast.Load, ast.UnaryOp, ast.USub)
_NOISE = re.compile(r"^_+|_+$|_(op|ops|optim|optimizer|step|apply)$")
# What is called after training and gives a value: `train_loss`, `update_rate`.
_VALUE = re.compile(r"(loss|cost|err|error|acc|accuracy|summary|summaries|logits?|predictions?|images?"
                    r"|labels?|data|batch|lr|rate|mode|phase)$")
_LONGEST = 40


@dataclass(eq=False)
class GraphFunction:
    """A function that a scope makes of its graph in front of the statement `before`."""

    name: str
    site: Site
    before: ast.stmt
    runs: list[Site] = field(default_factory=list)


def planned(found: Iterable[Site], values: Values, parents: Parents, taken: set[str], others: Others
            ) -> list[GraphFunction]:
    """The functions for those runs that say themselves what they fetch and feed; none is called as
    anything in `taken`, nor as another one that its scope sees. others: modules whose objects they read."""
    made: list[GraphFunction] = []
    alike: dict[str, list[GraphFunction]] = defaultdict(list)  # by what they take and give
    for site in found:
        before = _place(site, parents, others)
        if before is None:
            continue
        same = alike[_signature(site)]
        function = next((f for f in same if f.before is before or _reaches(f, before, parents)), None)
        if function is None:
            name, known = _name(site, values), taken | _seen(before, made, parents)
            name = fresh_name(f"run_{name}" if name in known else name, known)
            function = GraphFunction(name, site, before)
            made.append(function)
            same.append(function)
        function.runs.append(site)
    return made


def _seen(place: ast.stmt, made: Iterable[GraphFunction], parents: Parents) -> set[str]:
    """The names of functions that were made in the scope of a statement, around or inside it."""
    def scopes(statement: ast.stmt) -> list[ast.AST]:
        return [n for n in parents.around(statement) if isinstance(n, (Function, ast.Module))]

    own = scopes(place)
    return {function.name for function in made
            if (other := scopes(function.before))[0] in own or own[0] in other}


def _reaches(function: GraphFunction, place: ast.stmt, parents: Parents) -> bool:
    """Whether a function that was made before is there, and the same one, where `place` begins."""
    holder = parents.of(function.before)
    around = {id(place), *(id(node) for node in parents.around(place))}
    for block in ("body", "orelse", "finalbody"):
        statements = getattr(holder, block, None)
        if not isinstance(statements, list) or function.before not in statements:
            continue
        later = statements[statements.index(function.before):]
        until = next((n for n, statement in enumerate(later) if id(statement) in around), None)
        if until is None or parents.function(place) is not parents.function(function.before):
            return False
        used = _used(function.site)
        return not any(_changed(statement, used) for statement in later[: until + 1])
    return False


def _signature(site: Site) -> str:
    inputs = ", ".join(ast.unparse(key) for key, _ in site.feeds)
    return f"{inputs} -> {ast.unparse(site.fetches)}"


def _place(site: Site, parents: Parents, others: Others) -> ast.stmt | None:
    """The statement in front of which the function is made: the outermost loop that changes nothing
    of what it computes, and before which all of it is there, else the run's own; None where the run
    is no place for a statement."""
    parts = [site.fetches, *(key for key, _ in site.feeds)]
    if site.guess or site.feed is not None or not all(_is_simple(part) for part in parts):
        return None
    if not site.feeds and not any(isinstance(n, LOOPS) for n in parents.around(site.call)):
        return None  # it may as well be run in place
    used = _used(site)
    place = parents.statement(site.call)
    asked = False  # whether a condition stands between the run and what is around it
    for around in parents.around(site.call):
        if isinstance(around, ast.Lambda):
            return None
        asked = asked or isinstance(around, (ast.If, ast.Try, ast.ExceptHandler))
        if isinstance(around, LOOPS) and not isinstance(around, (ast.For, ast.While)):
            if _changed(around, used):
                return None
        if isinstance(around, (Function, ast.Module, ast.ClassDef)):
            break
        if isinstance(around, (ast.For, ast.While)):
            if _changed(around, used) or asked and not surely_bound(used, around, parents, others):
                break
            place = around
    holder = parents.of(place)
    if isinstance(holder, ast.If) and holder.orelse == [place] and isinstance(place, ast.If):
        return None  # an elif
    return place


def _used(site: Site) -> set[str]:
    """The names and attributes that say what is fetched and fed."""
    return {text for part in (site.fetches, *(key for key, _ in site.feeds)) for text in _paths(part)}


def _is_simple(node: ast.expr) -> bool:
    return all(isinstance(inner, _SIMPLE) for inner in walk(node))


def _paths(node: ast.expr) -> set[str]:
    """The names that an expression reads, and their attributes: ``model``, ``model.loss``."""
    return {ast.unparse(inner) for inner in walk(node) if isinstance(inner, (ast.Name, ast.Attribute))}


def _changed(loop: ast.AST, used: set[str]) -> bool:
    """Whether a loop binds a name or attribute that is used."""
    return any(
        isinstance(inner, (ast.Name, ast.Attribute)) and not isinstance(inner.ctx, ast.Load)
        and ast.unparse(inner) in used
        for inner in walk(loop)
    )


def _name(site: Site, values: Values) -> str:
    """``train_step`` for one training operation, else what is computed: ``compute_loss``."""
    fetched = elements(site.fetches)
    operations = [e for e in fetched if values.kind(e) in (k.TRAIN, k.EFFECT, k.INIT) or _sounds_so(e)]
    if operations:
        stems = [_stem(e) for e in operations]
        stem = "_and_".join(dict.fromkeys(stem for stem in stems if stem))[:_LONGEST]
        if not stem or "train" in stems:
            return "train_step"
        return f"run_{stem}" if stem.endswith("step") else f"{stem}_step"
    stems = list(dict.fromkeys(stem for e in fetched if (stem := _stem(e))))
    if not stems:
        return "compute"
    text = "compute_" + "_and_".join(stems[:3])
    return text if len(text) <= _LONGEST and len(stems) <= 3 else f"compute_{stems[0]}_and_more"


def _sounds_so(node: ast.expr) -> bool:
    name = _last(node).lower()
    return bool(re.search(r"(train|optim|update|apply|minimize)|_ops?$", name)) and not _VALUE.search(name)


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            return node.slice.value
        return _last(node.value)
    return last_name(node)


def _stem(node: ast.expr) -> str:
    text = re.sub(r"\W+", "_", _last(node)).lower()
    return _NOISE.sub("", _NOISE.sub("", text)).strip("_")
