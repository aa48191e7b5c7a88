"""What can be verified of a repository that describes nothing: modules, scripts, tests, model files.

And what cannot without being told, which is said, too.
"""

from __future__ import annotations

import ast
import glob
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from migrator.analysis.tree_walk import last_name
from migrator.project.discover import NEVER, discover
from migrator.project.source import SourceError
from migrator.project.tree import read
from migrator.verify.children import Side
from migrator.verify.records import Check, Status
from migrator.workload.models import GUESS, kind_of
from migrator.workload.revisions import is_pointer
from migrator.workload.spec import Input, Workload

_MOST = 20  # model files of a kind
_SHOWN = 30
_TESTS = ("test_", "_test.py")
_PARSERS = ("argparse", "optparse", "click", "fire", "docopt", "absl", "plac", "typer")
_RUNS = ("main", "run", "parse_args", "parse_known_args", "Fire", "Session", "managed_session")


@dataclass(frozen=True, slots=True)
class Script:
    """A file that is run. options: whether it reads a command line. guarded: whether importing it
    runs nothing."""

    path: str
    options: bool
    guarded: bool


@dataclass(frozen=True, slots=True)
class Found:
    """workloads: what to run. missing: what is left out, and why."""

    workloads: tuple[Workload, ...]
    missing: tuple[Check, ...]


def find(before: Path, after: Side) -> Found:
    """The workloads that a repository has by itself.

    after: the migrated side, whose TensorFlow reads model files. Runs none of the user's code.
    """
    modules, scripts, tests, unreadable = sources(before)
    workloads: list[Workload] = []
    missing: list[Check] = []
    if modules:
        limit = max(900.0, 30.0 * len(modules))
        workloads.append(Workload("imports", "imports", paths=tuple(modules), timeout=limit))
    helping = [s.path for s in scripts if s.options]
    if helping:
        limit = max(900.0, 60.0 * len(helping))
        workloads.append(Workload("--help", "help", paths=tuple(helping), timeout=limit))
    if tests:
        patterns = tuple(glob.escape(t) for t in tests)
        workloads.append(Workload("unit tests", "tests", paths=patterns, timeout=3600.0))
    else:
        missing.append(_missing("unit tests", "there are none (test_*.py, *_test.py)"))
    described, left = models(before, after)
    workloads += described
    missing += left
    if scripts:
        lines = ["what a program computes; compare it with --run, with arguments that make it short"]
        lines += [f"  --run 'python {s.path}'" for s in scripts[:_SHOWN]]
        missing.append(_missing("programs", "\n".join(lines)))
    running = [s.path for s in scripts if not s.guarded]
    if running:
        lines = ["run when they are imported, so they are not", *(f"  {p}" for p in running[:_SHOWN])]
        missing.append(_missing("scripts without a main", "\n".join(lines)))
    if unreadable:
        lines = ["are not Python 3, so the original does not run; the migrated files are not compared"]
        lines += [f"  {p}" for p in unreadable[:_SHOWN]]
        missing.append(_missing("Python 2 modules", "\n".join(lines)))
    return Found(tuple(workloads), tuple(missing))


def _missing(name: str, detail: str) -> Check:
    return Check("not compared", name, Status.NOT_RUN, detail=detail)


def sources(root: Path) -> tuple[list[str], list[Script], list[str], list[str]]:
    """(modules to import, scripts, test files, files that do not parse), by path."""
    modules, scripts, tests, unreadable = [], [], [], []
    for path in discover(root.resolve(), suffixes=(".py",)):
        name = path.relative_to(root.resolve()).as_posix()
        try:
            tree = ast.parse(read(root, name)[0])
        except SourceError:
            continue
        except (SyntaxError, ValueError, RecursionError):
            unreadable.append(name)
            continue
        if path.name.startswith(_TESTS[0]) or path.name.endswith(_TESTS[1]):
            if any(isinstance(n, (ast.ClassDef, ast.FunctionDef)) for n in tree.body):
                tests.append(name)
                continue
        script = script_of(name, tree)
        if script is not None:
            scripts.append(script)
        if (script is None or script.guarded) and path.name not in ("setup.py", "conftest.py"):
            modules.append(name)
    return modules, scripts, tests, unreadable


def script_of(name: str, tree: ast.Module) -> Script | None:
    """What the file is as a script; None for one that only defines things."""
    guarded = any(_is_guard(n) for n in tree.body)
    runs = any(_runs(n) for n in tree.body if not _is_guard(n))
    if not guarded and not runs:
        return None
    return Script(name, _reads_options(tree), not runs)


def _is_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.dump(node.test)


def _runs(node: ast.stmt) -> bool:
    """Whether a statement at the top of a module does what a program does."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
        return False
    if isinstance(node, (ast.While, ast.With)):
        return True
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            if last_name(inner.func) in _RUNS:
                return True
    return False


def _reads_options(tree: ast.Module) -> bool:
    """Whether a module reads the command line, so that it knows --help."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(a.name.split(".")[0] in _PARSERS for a in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in _PARSERS:
            return True
        if isinstance(node, ast.Attribute) and node.attr in ("flags", "FLAGS", "app"):
            return True
    return False


def models(
    root: Path, after: Side, batch: int | str = 2
) -> tuple[list[Workload], list[Check]]:
    """Frozen graphs, SavedModels and checkpoints that lie in the repository.

    batch: the first size of an input where the file leaves it open.
    """
    files = sorted(_model_files(root))
    missing = []
    chosen: list[tuple[str, str]] = []
    for kind in ("frozen_graph", "saved_model", "checkpoint", "keras_file"):
        named = [p for k, p in files if k == kind]
        if kind == "keras_file" and named:
            lines = ["Keras models are loaded by the code that made them; name it in migrator.toml"]
            missing.append(_missing("Keras files", "\n".join([*lines, *(f"  {p}" for p in named)])))
            continue
        chosen += [(kind, p) for p in named[:_MOST]]
        if len(named) > _MOST:
            lines = [f"only the first {_MOST} of {len(named)} are compared"]
            missing.append(_missing(f"{kind.replace('_', ' ')}s", lines[0]))
    graphs = [(k, p) for k, p in chosen if k != "checkpoint"]
    workloads = [Workload(p, k, path=p) for k, p in chosen if k == "checkpoint"]
    if graphs:
        asked = {"models": [{"kind": k, "path": p} for k, p in graphs], "batch": batch,
                 "size": GUESS}
        side = Side(root, "after", after.python)
        answer = side.run("verify_describe", Workload("models", "frozen_graph"), asked)
        told = answer.facts.get("models") or [{"error": answer.error}] * len(graphs)
        for (kind, path), how in zip(graphs, told, strict=True):
            if "error" in how:
                missing.append(_missing(path, f"{how['error']}; say in migrator.toml how it is run"))
                continue
            inputs = tuple(Input(**{**i, "shape": tuple(i["shape"])}) for i in how["inputs"])
            name = f"{path} (sizes guessed)" if how["guessed"] else path
            workloads.append(
                Workload(name, kind, path=path, inputs=inputs, fetches=tuple(how["fetches"]))
            )
    return workloads, missing


def _model_files(root: Path) -> Iterator[tuple[str, str]]:
    """(kind, path) of each model file or folder; a checkpoint goes by its prefix."""
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        folders[:] = [
            n for n in sorted(folders) if n not in NEVER and not n.startswith(".")
            and not (here / n / "pyvenv.cfg").exists()
        ]  # fmt: skip
        if kind_of(here):
            yield kind_of(here), here.relative_to(root).as_posix()
            folders.clear()
            continue
        for name in names:
            path = here / name
            if name.endswith(".index") and list(here.glob(glob.escape(name[:-6]) + ".data-*")):
                yield "checkpoint", path.relative_to(root).as_posix()[: -len(".index")]
            elif kind_of(path) and not is_pointer(path):
                yield kind_of(path), path.relative_to(root).as_posix()
