"""Which rung every run site of a tree gets, and whether a single one goes missing on the way.

    python benchmarks/run_sites.py TREE [TREE ...] [--json FILE] [--sites] [--linear] [--exclude PATTERN]

A run site is a call that runs a session, found in the text before migration by its own walk of
the `ast` (`sites`), not by asking the planner. After a migration in memory each one must be

* native: gone from the text, and a change is recorded on its lines: what it asks for is a call of a step,
  a value, or a frozen graph's;
* graph: gone in the same way, but the support package runs a graph there, as a session did;
* compat: still there, and a finding in its function says what is in the way;
* lost: gone, but nothing says why;
* unclassified: still there, and nothing says why.

`--linear` times the analysis of the tree's largest module once, twice and four times over in one
file; the time for a line must not grow by more than half. Exits with 1 if a site is lost or
unclassified, or the time is not linear.
"""

from __future__ import annotations

import argparse
import ast
import gc
import json
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from migrator.analysis.names import NameTable  # noqa: E402
from migrator.engine.context import FileContext  # noqa: E402
from migrator.engine.linemap import LineMap  # noqa: E402
from migrator.engine.options import Options  # noqa: E402
from migrator.engine.plan import build_plan  # noqa: E402
from migrator.model import FileResult  # noqa: E402
from migrator.transforms.graph_programs import GraphPrograms  # noqa: E402

NATIVE, GRAPH, COMPAT, LOST, UNCLASSIFIED = "native", "graph", "compat", "lost", "unclassified"
_SESSIONS = ("sess", "session", "session()", "get_default_session()", "supervisor")
_IMPORT = re.compile(r"^\s*(import|from) (tensorflow|tf_slim)\b", re.M)
_GRAPH_IS_RUN = "the graph is run without a session"  # of TF302
_TESTS = ("test_session", "cached_session", "session")


@dataclass(frozen=True)
class Outcome:
    """What became of one run site: `line` is 1-based, `why` the finding's or change's text."""

    path: str
    line: int
    rung: str
    test: bool
    why: str


def _is_run(call: ast.Call) -> bool:
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr not in ("run", "partial_run"):
        return False
    return ast.unparse(func.value).lower().endswith(_SESSIONS)


def sites(tree: ast.Module) -> Iterator[tuple[ast.Call, ast.AST]]:
    """Calls that run a session, each with the innermost function (or the module) around it."""
    stack: list[tuple[ast.AST, ast.AST]] = [(tree, tree)]
    while stack:
        node, scope = stack.pop()
        if isinstance(node, ast.Call) and _is_run(node):
            yield node, scope
        inner = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for child in ast.iter_child_nodes(node):
            stack.append((child, node if inner else scope))


def _span(node: ast.AST, whole: ast.Module) -> range:
    if node is whole:
        return range(1, 10**9)
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)  # type: ignore[attr-defined]


def outcomes(result: FileResult) -> Iterator[Outcome]:
    """The outcome of every run site of one file."""
    if ".run(" not in result.old_text and ".partial_run(" not in result.old_text:
        return
    try:
        old = ast.parse(result.old_text)
    except SyntaxError:
        return  # Python 2: the engine translates it first
    text = result.new_text or result.old_text
    lines = LineMap(result.old_text, text)
    left = Counter(lines.original(call.lineno) for call, _ in sites(ast.parse(text)))
    left.update(_untouched(old, ast.parse(text)) - left)
    for change in result.changes:
        if change.code == "TF321":  # its `sess` is a loaded graph now, which has `run`, too
            left.pop(change.line, None)
    test = "test" in result.path.rpartition("/")[2]
    changed = {
        line: change.reason for change in result.changes if change.code.startswith(("TF3", "TF5", "TF7"))
        for line in range(change.line, change.end_line + 1)
    }
    found = sorted(sites(old), key=lambda pair: pair[0].lineno)
    marks = {  # what is said about sessions comes before what is said about single symbols
        f.line: f.message for code in ("TF390", "TF391", "TF005")
        for f in result.findings if f.code == code
    }
    for call, scope in found:
        own = range(call.lineno, (call.end_lineno or call.lineno) + 1)
        kept = next((line for line in own if left[line]), None)
        if kept is not None:
            left[kept] -= 1  # another run may stand among its arguments
            inside = _enclosing(old, call, scope)
            reason = next((marks[line] for line in marks if line in inside), "")
            if not reason and not _IMPORT.search(result.old_text):
                reason = "the file runs what it is given and knows nothing of TensorFlow"
            rung = COMPAT if reason else UNCLASSIFIED
        else:
            around = range(own.start - 3, own.stop + 1)
            near = [changed[line] for line in (*own, *around) if line in changed]
            scoped = [reason for line, reason in changed.items() if line in _span(scope, old)]
            reason = (near or scoped or [""])[0]
            rung = LOST if not reason else GRAPH if reason == _GRAPH_IS_RUN else NATIVE
        yield Outcome(result.path, call.lineno, rung, test, reason)


def _untouched(old: ast.Module, new: ast.Module) -> Counter[int]:
    """Lines of the runs of functions that have as many of them as before."""
    counts: list[dict[str, list[int]]] = []
    for tree in (old, new):
        counts.append({})
        for call, scope in sites(tree):
            counts[-1].setdefault(getattr(scope, "name", ""), []).append(call.lineno)
    return Counter(
        line for name, own in counts[0].items() if len(counts[1].get(name, ())) == len(own)
        for line in own
    )


def _enclosing(tree: ast.Module, call: ast.Call, scope: ast.AST) -> range:
    """The lines in which a finding speaks of a call: those of its outermost function or class."""
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and call.lineno in _span(node, tree):
            return _span(node, tree)
    return _span(scope, tree)


def analysis_seconds(text: str, copies: int) -> float:
    """CPU seconds to analyse a file that holds `text` so many times."""
    gc.collect()
    gc.disable()  # as the engine does while it plans
    whole = text * copies
    context = FileContext.of("module.py", whole)
    NameTable.of(context.tree)
    started = time.process_time()
    GraphPrograms().run(context)
    seconds = time.process_time() - started
    gc.enable()
    return seconds


def linear(root: Path) -> tuple[str, list[float]]:
    """(path of the largest module that runs sessions, seconds for 1, 2 and 4 copies of it)."""
    texts = [(p.stat().st_size, p) for p in root.rglob("*.py") if ".run(" in p.read_text("utf8", "replace")]
    _, path = max(texts)
    text = path.read_text("utf8").replace("from __future__", "# from __future__") + "\n"
    return str(path.relative_to(root)), [
        min(analysis_seconds(text, n) for _ in range(2)) for n in (1, 2, 4)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trees", type=Path, nargs="+")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--sites", action="store_true", help="print every site that is not native")
    parser.add_argument("--linear", action="store_true")
    parser.add_argument("--exclude", action="append", default=[], help="a pattern of files to skip")
    arguments = parser.parse_args()
    failed = False
    record = {}
    print(f"{'tree':<28}{'sites':>7}{NATIVE:>8}{GRAPH:>7}{COMPAT:>8}{LOST:>6}{UNCLASSIFIED:>14}{'tests':>12}")
    for tree in arguments.trees:
        counted = tree
        with tempfile.TemporaryDirectory() as folder:
            if arguments.exclude:
                left_out = shutil.ignore_patterns(*arguments.exclude)
                counted = Path(shutil.copytree(tree, Path(folder) / tree.name, ignore=left_out))
            plan = build_plan(counted, Options(jobs=1))
        every = [outcome for result in plan.files for outcome in outcomes(result)]
        code = [o for o in every if not o.test]
        counts = Counter(o.rung for o in code)
        tests = Counter(o.rung for o in every if o.test)
        print(f"{tree.name:<28}{len(code):>7}" + "".join(
            f"{counts[rung]:>{width}}" for rung, width in
            ((NATIVE, 8), (GRAPH, 7), (COMPAT, 8), (LOST, 6), (UNCLASSIFIED, 14))
        ) + f"{tests[NATIVE]:>6}/{sum(tests.values())}")
        failed |= any(o.rung in (LOST, UNCLASSIFIED) for o in every)
        for outcome in every:
            if outcome.rung in (LOST, UNCLASSIFIED) or (arguments.sites and outcome.rung == COMPAT):
                print(f"  {outcome.path}:{outcome.line}: {outcome.rung}: {outcome.why}")
        record[tree.name] = [asdict(o) for o in every]
        if arguments.linear:
            path, seconds = linear(tree)
            growth = seconds[2] / max(seconds[0] * 4, 1e-9)
            failed |= growth > 1.5
            print(f"  {path}: {', '.join(f'{s:.3f}' for s in seconds)} s for 1, 2, 4 copies: "
                  f"{growth:.2f} x linear")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(record, indent=1))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
