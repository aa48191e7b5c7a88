"""What the original's runs ask of its graph, noted on TF 1.15, beside what migrator takes them to ask."""

from __future__ import annotations

import ast
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.wild import harness
from migrator import verify
from migrator.analysis.names import NameTable
from migrator.analysis.run_sites import sites
from migrator.analysis.tree_walk import last_name, walk
from migrator.analysis.value_kinds import Parents, Values
from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import FileResult, Plan
from migrator.transforms.run_outcomes import run_outcomes
from migrator.verify.children import Side
from migrator.verify.workspace import WorkingCopy

ORACLE = Path(__file__).resolve().parent / "oracle"
SILENT = ", and nothing is said"
_GIVES = frozenset({"values", "items", "get", "copy", "pop"})
_HOLDS = frozenset({"list", "tuple", "dict", "set", "sorted", "zip", "reversed", "enumerate"})
_CHANGED = ("append", "extend", "insert", "update", "setdefault")
Span = tuple[str, int, int]  # path, first and last line


@dataclass(frozen=True)
class Known:
    """A run that migrator knows of: the lines of its call, what it fetches and feeds as written, and
    the function that it becomes ("" where the graph is run)."""

    path: str
    first: int
    last: int
    fetches: tuple[str, ...]
    feeds: tuple[str, ...]
    function: str = ""


@dataclass
class Answer:
    """How the runs of one repository compare; each list has file:line and what there is to say."""

    sites: int = 0
    agree: int = 0
    elsewhere: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def noted(driver: harness.Driver, root: Path, python: str, chosen: Sequence[str] = ()
          ) -> tuple[dict[str, Any], list[str]]:
    """({file:line: {runs, fetches, feeds}} of a driver's paths on TF 1.15, paths that failed)."""
    found: dict[str, Any] = {}
    failed = []
    with tempfile.TemporaryDirectory(prefix="migrator-asked-") as folder:
        notes = Path(folder, "notes")
        notes.mkdir()
        env = {"PYTHONPATH": str(ORACLE), "MIGRATOR_ORACLE": str(notes)}
        copy = WorkingCopy(Side(root, "tf1", python), Path(folder, "original"), env)
        for workload in harness.workloads(driver, chosen):
            ran = copy.run(workload)
            if ran.error:
                failed.append(f"{workload.name}: {ran.error.splitlines()[0]}")
        for file in sorted(notes.glob("*.json")):
            for place, site in json.loads(file.read_text(encoding="utf-8")).items():
                kept = found.setdefault(place, {"runs": 0, "fetches": {}, "feeds": {}})
                kept["runs"] += site["runs"]
                for kind in ("fetches", "feeds"):
                    kept[kind].update(site[kind])
    return found, failed


def known(result: FileResult) -> list[Known]:
    """The runs that migrator sees in one planned file."""
    try:
        tree = ast.parse(result.old_text)
    except (SyntaxError, ValueError):
        return []
    parents = Parents(tree)
    values = Values(tree, NameTable.of(tree), parents)
    ends = {n.lineno: n.end_lineno or n.lineno for n in walk(tree) if isinstance(n, ast.Call)}
    found = [
        Known(result.path, r.line, ends.get(r.line, r.line), (r.fetches,), r.feeds, r.function)
        for r in run_outcomes(result)
    ]
    lines = {k.first for k in found}
    for site in sites(tree, values):
        if site.call.lineno not in lines:
            feeds = [key for key, _ in site.feeds] + ([site.feed] if site.feed is not None else [])
            found.append(Known(
                result.path, site.call.lineno, site.call.end_lineno or site.call.lineno,
                (ast.unparse(site.fetches),), tuple(map(ast.unparse, feeds))))
    return found


class Makers:
    """Which statements of a project bind each name: those of a file by name, attributes by theirs."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self.bound: dict[tuple[str, str], list[tuple[Span, ast.AST | None]]] = defaultdict(list)
        taken: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)  # by function or class
        for path, tree in trees.items():
            for node in walk(tree):
                for called, function in _defined(node):
                    taken[called].append((path, [a.arg for a in (
                        *function.args.posonlyargs, *function.args.args)]))
        for path, tree in trees.items():
            for node in walk(tree):
                if isinstance(node, ast.Call):
                    self._given(path, node, taken[last_name(node.func)])
                for name, value in _bindings(node):
                    span = path, node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
                    self.bound["" if name.startswith(".") else path, name].append((span, value))

    def _given(self, path: str, call: ast.Call, taken: list[tuple[str, list[str]]]) -> None:
        """What a call gives for the parameters of the functions that it may be one of."""
        span = path, call.lineno, call.end_lineno or call.lineno
        for home, names in taken:
            for name, value in zip(names[names[:1] == ["self"]:], call.args, strict=False):
                self.bound[home, name].append((span, value))
            for word in call.keywords:
                if word.arg in names:
                    self.bound[home, word.arg].append((span, word.value))

    def of(self, path: str, text: str) -> tuple[list[Span], set[str]]:
        """(spans, texts in them) of what an expression of a file stands for, through lists, dicts and
        other names; the texts may be names of operations."""
        pending: list[tuple[str, ast.AST]] = [(path, ast.parse(text, mode="eval").body)]
        seen: set[tuple[str, str]] = set()
        spans, said = [], set()
        while pending:
            home, node = pending.pop()
            said |= {n.value.partition(":")[0] for n in walk(node)
                     if isinstance(n, ast.Constant) and isinstance(n.value, str)}
            for name in _stood_for(node):
                key = "" if name.startswith(".") else home, name
                if key in seen:
                    continue
                seen.add(key)
                for span, value in self.bound.get(key, ()):
                    spans.append(span)
                    if value is not None:
                        pending.append((span[0], value))
        return spans, said


def _defined(node: ast.AST) -> Iterator[tuple[str, ast.FunctionDef]]:
    """(what is called, the function that then runs) of a definition."""
    if isinstance(node, ast.FunctionDef):
        yield node.name, node
    elif isinstance(node, ast.ClassDef):
        yield from ((node.name, inner) for inner in node.body
                    if isinstance(inner, ast.FunctionDef) and inner.name == "__init__")


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.AST | None]]:
    """(name or .attribute, the value it is bound to) of one statement."""
    targets: list[ast.expr] = []
    value: ast.AST | None = None
    if isinstance(node, ast.Assign):
        targets, value = node.targets, node.value
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)):
        targets, value = [node.target], node.iter if isinstance(node, ast.For) else node.value
    elif isinstance(node, ast.With):
        targets = [item.optional_vars for item in node.items if item.optional_vars]
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield f".{node.name}", ast.Tuple(elts=[
            n.value for n in walk(node) if isinstance(n, ast.Return) and n.value is not None])
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(
            node.value.func, ast.Attribute) and node.value.func.attr in _CHANGED:
        targets, value = [node.value.func.value], ast.Tuple(elts=[
            *node.value.args, *(word.value for word in node.value.keywords)])
    for target in targets:
        if isinstance(target, ast.Subscript) and value is not None:  # the key is in it as well
            value, target = ast.Tuple(elts=[value, target.slice]), target.value  # type: ignore[list-item]
        for name in _stood_for(target):
            yield name, value


def _stood_for(node: ast.AST) -> Iterator[str]:
    """The names and attributes that an expression is made of; what calls compute from is left out."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield f".{node.attr}"
    elif isinstance(node, ast.Call):  # what the function returns; a collection is what it holds
        called = node.func
        if isinstance(called, ast.Attribute):
            yield f".{called.attr}"
            if called.attr in _GIVES:
                yield from _stood_for(called.value)
        elif isinstance(called, ast.Name):
            yield f".{called.id}"
            for argument in node.args if called.id in _HOLDS else ():
                yield from _stood_for(argument)
    elif isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare)):
        if isinstance(getattr(node, "op", None), ast.Add):  # of lists
            yield from _stood_for(node.left)  # type: ignore[union-attr]
            yield from _stood_for(node.right)  # type: ignore[union-attr]
    else:
        for child in ast.iter_child_nodes(node):
            yield from _stood_for(child)


def compared(found: Mapping[str, Any], plan: Plan) -> Answer:
    """What was noted beside what a plan knows."""
    trees = {}
    for result in plan.files:
        if result.path.endswith(".py"):
            try:
                trees[result.path] = ast.parse(result.old_text)
            except (SyntaxError, ValueError):
                continue
    results = {result.path: result for result in plan.files}
    makers = Makers(trees)
    answer = Answer(sites=len(found))
    for place, site in sorted(found.items()):
        path, _, number = place.rpartition(":")
        line = int(number)
        planned = results.get(path)
        runs = [k for k in known(planned) if k.first <= line <= k.last] if planned else []
        if not runs:
            said = [f"{f.code} {path}:{f.line}" for f in planned.findings
                    if _near(f.line, line, trees.get(path))] if planned else []
            answer.unseen.append(place + (f" under {said[0]}" if said else SILENT))
            continue
        strange = [*_strange(site["fetches"], runs, [t for k in runs for t in k.fetches], makers),
                   *_strange(site["feeds"], runs, [t for k in runs for t in k.feeds], makers)]
        if strange:
            answer.elsewhere.append(f"{place}: {'; '.join(strange[:3])}")
        else:
            answer.agree += 1
    return answer


def _strange(
    made: Mapping[str, Sequence[str]], runs: Sequence[Known], texts: Iterable[str], makers: Makers
) -> Iterator[str]:
    """The operations that no line made which what is written stands for."""
    path = runs[0].path
    said: set[str] = set()
    spans = [(path, k.first, k.last) for k in runs]
    for text in filter(None, texts):
        more, named = makers.of(path, text)
        spans, said = spans + more, said | named
    for name, lines in made.items():
        if lines and name not in said and not any(
            place.rpartition(":")[0] == home and first <= int(place.rpartition(":")[2]) <= last
            for place in lines for home, first, last in spans
        ):
            yield f"{name} is made at {lines[-1]}"


def _near(finding: int, line: int, tree: ast.Module | None) -> bool:
    """Whether a finding stands in the outermost function or class of a line, or at the line."""
    around = [n for n in (tree.body if tree else ())
              if n.lineno <= line <= (n.end_lineno or n.lineno)]
    return finding == line or any(
        n.lineno <= finding <= (n.end_lineno or n.lineno)
        and isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) for n in around)


def run(driver: harness.Driver, sources: Path, reference: verify.Reference,
        chosen: Sequence[str] = ()) -> Answer:
    """Runs the paths of a driver on the original, and compares. Raises WildError."""
    root = harness.original(driver, sources)
    if driver.python2:
        raise harness.WildError(f"{driver.name} is Python 2: its lines move when it is translated")
    found, failed = noted(driver, root, reference.python, chosen)
    answer = compared(found, build_plan(root.resolve(), Options()))
    answer.failed = failed
    return answer


def page(name: str, answer: Answer) -> str:
    """An answer as text."""
    lines = [f"{name}: {answer.sites} sites run, {answer.agree} agree, {len(answer.elsewhere)} elsewhere, "
             f"{len(answer.unseen)} unseen"]
    for title in ("elsewhere", "unseen", "failed"):
        lines += [f"  {title}: {entry}" for entry in getattr(answer, title)]
    return "\n".join(lines)
