"""Rooms import in one direction, and modules not each other: whoever reads one knows what it stands on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
#: From what all stand on to what nobody imports; rooms of one line do not know of each other.
LAYERS = (
    ("migrator", "model", "lines", "resources"),
    ("project",),
    ("support_source",),
    ("support", "support_wheel"),
    ("analysis",),
    ("check",),
    ("engine",),
    ("transforms",),
    ("survey",),
    ("workload",),
    ("verify", "measure"),
    ("report",),
    ("cli",),
    ("__main__",),
)
#: Imports within a function, where two modules need each other: (who, whom).
EACH_OTHER = {
    ("analysis.index", "analysis.reexports"),
    ("engine.plan", "engine.checking"),
    ("measure.programs.measure_trace", "measure.programs.measure_live"),
}  # fmt: skip


def modules(root: Path) -> dict[str, Path]:
    """Every module by its dotted name below the package, which is "" itself."""
    found = {}
    for path in sorted((root / "migrator").rglob("*.py")):
        parts = path.relative_to(root / "migrator").with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path, known: dict[str, Path]) -> Iterator[tuple[str, int, bool]]:
    """(module, line, whether at the top) of what a module imports of the package, for types left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            inside.update(map(id, ast.walk(node)))
    for_types = {
        id(part) for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for part in ast.walk(node)
    }  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            head, _, rest = name.partition(".")
            if head != "migrator" or id(node) in for_types:
                continue
            while rest and rest not in known:
                rest = rest.rpartition(".")[0]
            yield rest, node.lineno, id(node) not in inside


def upward(root: Path) -> list[str]:
    """Imports of a room that stands higher, or beside."""
    known = modules(root)
    level = {room: number for number, rooms in enumerate(LAYERS) for room in rooms}
    found = []
    for name, path in known.items():
        room = name.partition(".")[0] or "migrator"
        for other, line, _ in imported(path, known):
            of = other.partition(".")[0] or "migrator"
            if of != room and level[of] >= level[room] > 0:
                found.append(f"{path.relative_to(root)}:{line}: {room} imports {of}")
    return found


def circles(root: Path) -> list[str]:
    """Modules that, by imports at the top or in functions, reach themselves."""
    known = modules(root)
    edges = {
        name: {
            other for other, _, _ in imported(path, known)
            if other != name and (name, other) not in EACH_OTHER
        }
        for name, path in known.items()
    }  # fmt: skip
    while edges:  # leave out what imports nothing that is left: a circle stays
        done = {name for name, others in edges.items() if not others & edges.keys()}
        if not done:
            break
        edges = {name: others for name, others in edges.items() if name not in done}
    while edges:  # and what nobody that is left imports
        wanted = set().union(*edges.values())
        if edges.keys() <= wanted:
            break
        edges = {name: others for name, others in edges.items() if name in wanted}
    return sorted(edges)


def test_rooms_import_in_one_direction() -> None:
    assert upward(ROOT) == []


def test_modules_do_not_import_each_other() -> None:
    assert circles(ROOT) == []
    known = modules(ROOT)
    for name, other in EACH_OTHER:
        assert other in {to for to, _, top in imported(known[name], known) if not top}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("analysis/a.py", "from migrator.engine import plan"), ("project/a.py", "import migrator.survey"),
        ("engine/a.py", "def f():\n    from migrator.transforms.layers import x"),
        ("verify/a.py", "from migrator import measure"), ("check/a.py", "from migrator.engine.plan import x"),
        ("report/a.py", "from migrator.cli.console import x"),
    ],
)  # fmt: skip
def test_an_import_that_leads_up_is_found(tmp_path: Path, name: str, text: str) -> None:
    for folder in ("analysis", "engine", "project", "verify", "measure", "check", "report", "cli"):
        (tmp_path / "migrator" / folder).mkdir(parents=True)
        (tmp_path / "migrator" / folder / "__init__.py").write_text("")
    for module in ("survey.py", "engine/plan.py", "transforms.py", "cli/console.py"):
        (tmp_path / "migrator" / module).write_text("")
    (tmp_path / "migrator" / name).write_text(text)
    (found,) = upward(tmp_path)
    assert found.startswith(f"migrator/{name}:")


def test_a_circle_is_found(tmp_path: Path) -> None:
    (tmp_path / "migrator").mkdir()
    for name, text in {"a": "import migrator.b", "b": "import migrator.c", "c": "import migrator.a"}.items():
        (tmp_path / f"migrator/{name}.py").write_text(text)
    (tmp_path / "migrator/d.py").write_text("import migrator.a")
    assert circles(tmp_path) == ["a", "b", "c"]
