"""Whoever goes around the doors is found: files of a tree by `project.tree`, git by `project.git`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.attacks import ROOT

# Rooms that copy a tree and run its code when asked to (`verify`, `measure`), which docs/security.md says.
# What they read of the tree before that, and git, they reach by the doors, too.
RUNNING = ("verify", "measure", "workload")
#: Calls that read or change a file, or start a program, by the names that they go by.
CALLS = {
    "os": {
        "open", "fdopen", "rename", "renames", "replace", "unlink", "remove", "removedirs", "mkdir",
        "makedirs", "rmdir", "link", "symlink", "truncate", "chmod", "chown", "utime", "listdir",
        "scandir", "walk", "fwalk", "readlink", "system", "popen", "posix_spawn", "posix_spawnp",
        "startfile", "fork", "mkfifo",
    },
    "shutil": {"copy", "copy2", "copyfile", "copytree", "copymode", "copystat", "move", "rmtree",
               "make_archive", "unpack_archive", "chown"},
    "subprocess": {"run", "Popen", "call", "check_call", "check_output", "getoutput", "getstatusoutput"},
    "io": {"open", "FileIO", "open_code"}, "codecs": {"open"}, "tokenize": {"open"},
    "tarfile": {"open", "TarFile"}, "zipfile": {"ZipFile", "Path"}, "gzip": {"open"}, "bz2": {"open"},
    "lzma": {"open"}, "mmap": {"mmap"}, "shelve": {"open"}, "dbm": {"open"}, "sqlite3": {"connect"},
    "pickle": {"load", "loads", "Unpickler"}, "marshal": {"load", "loads"},
    "runpy": {"run_path", "run_module"}, "importlib": {"import_module", "__import__"},
    "linecache": {"getline", "getlines"}, "numpy": {"load", "loadtxt", "fromfile"},
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell"},
}  # fmt: skip
BUILTINS = {"open", "exec", "eval", "__import__"}
#: Of whatever object: nothing but paths has methods of these names.
METHODS = {"read_text", "read_bytes", "write_text", "write_bytes", "symlink_to", "hardlink_to", "unlink",
           "rmdir", "mkdir", "touch", "chmod", "exec_module", "load_module"}  # fmt: skip

OWN = "reads what is installed with migrator"
DOOR = "is the door"
SCRATCH = "in a folder of its own that it made a moment ago"
#: Who may, and why; a line that is no longer needed fails the test, too.
MAY = {
    "analysis/api.py": {"read_text": OWN},
    "analysis/facts.py": {"importlib.import_module": "modules of this room, by their names"},
    "analysis/keras2.py": {"read_text": OWN},
    "analysis/libraries.py": {"read_text": OWN},
    "analysis/packed.py": {"pickle.loads": "what this process packed itself"},
    "analysis/private_paths.py": {"read_text": OWN},
    "analysis/support_names.py": {"read_text": OWN},
    "cli/groups.py": {"importlib.import_module": "migrator's own commands, by their names"},
    "cli/language_messages.py": {"open": "standard input", "os.fdopen": "standard output"},
    "cli/rulepacks.py": {
        "read_text": OWN, "write_text": "a new rule pack, in a folder that is new", "mkdir": "likewise",
        "symlink_to": SCRATCH, "subprocess.run": "`rules test --run` runs the cases of a pack when asked",
    },
    "engine/cache.py": {
        "importlib.import_module": "the module of a record, of those that are listed there",
        **dict.fromkeys(
            ("read_bytes", "mkdir", "touch", "unlink", "os.replace", "os.fdopen", "pickle.Unpickler"),
            "the user's own cache, of which nothing but records is made",
        ),
    },
    "engine/codes.py": {"read_text": OWN},
    "engine/gone.py": {"read_text": OWN},
    "engine/otherwise/__init__.py": {"importlib.import_module": "modules of this room, by their names"},
    "engine/registry.py": {"importlib.import_module": "migrator's own transforms, by their place"},
    "engine/standalone_keras.py": {"read_text": OWN},
    "project/copytree.py": {
        "mkdir": "the folder that a person named with --out", "os.readlink": "a link is copied as a link",
        "os.symlink": "into the new copy, and only where it stays in the tree",
    },
    "project/git.py": dict.fromkeys(
        ("subprocess.run", "open", "write_text", "mkdir", "symlink_to", "os.listdir"), DOOR
    ),
    "project/gitstate.py": {"os.readlink": "to compare a link, by its folder's descriptor"},
    "project/lock.py": {"os.open": "by the descriptor of the state folder, and no link"},
    "project/paths.py": {"os.readlink": "part of the door: where a link leads"},
    "project/spill.py": {"pickle.loads": "what this process wrote to a file without a name"},
    "cli/schemas.py": {"mkdir": "a script of migrator's own", "write_text": "likewise"},
    "project/tree.py": dict.fromkeys(
        ("os.open", "os.fdopen", "os.mkdir", "os.link", "os.rmdir", "os.utime", "os.listdir", "os.scandir",
         "os.replace", "os.unlink", "open", "mkdir"), DOOR,
    ),
    "report/page.py": {"read_text": OWN},
    "report/tf1_did.py": {"read_text": OWN},
    "support.py": {"read_text": OWN},
    "support_source.py": {"read_text": OWN, "read_bytes": OWN},
    "support_wheel.py": {
        "read_text": OWN, "mkdir": "the folder that a person named", "zipfile.ZipFile": "a new file in there",
    },
    "transforms/sessions/xla.py": {"read_text": OWN},
    "transforms/tf1_libraries.py": {"read_text": OWN},
}  # fmt: skip


def uses(path: Path) -> Iterator[tuple[str, int]]:
    """(name, line) of what a module reaches files and programs by, imported under whatever name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules: dict[str, str] = {}
    members: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                modules[alias.asname or alias.name.partition(".")[0]] = alias.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if alias.name in CALLS.get(node.module, ()):
                    members[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            home = modules.get(node.value.id, "") if isinstance(node.value, ast.Name) else ""
            if node.attr in CALLS.get(home, ()):
                yield f"{home}.{node.attr}", node.lineno
            elif node.attr in METHODS and home not in ("shutil", "os"):
                yield node.attr, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id in members:
                yield members[node.id], node.lineno
            elif node.id in BUILTINS:
                yield node.id, node.lineno


def around(package: Path) -> list[str]:
    """Lines that go around the doors, and permissions that nobody needs."""
    found = []
    unused = {(name, what) for name, allowed in MAY.items() for what in allowed}
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if name.startswith(tuple(f"{room}/" for room in RUNNING)):
            continue
        for what, line in uses(path):
            if what in MAY.get(name, ()):
                unused.discard((name, what))
            else:
                found.append(f"{name}:{line}: {what}")
    return found + [f"{name}: does not need {what}" for name, what in sorted(unused)]


def test_everything_goes_by_the_doors() -> None:
    assert around(ROOT / "migrator") == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("open('x')", "open"), ("import os as o\no.rename(a, b)", "os.rename"),
        ("from os import replace as r\nr(a, b)", "os.replace"), ("p.read_text()", "read_text"),
        ("f = p.write_bytes", "write_bytes"), ("import subprocess\nsubprocess.run(a)", "subprocess.run"),
        ("from subprocess import Popen\nPopen(a)", "subprocess.Popen"), ("eval(x)", "eval"),
        ("import importlib\nimportlib.import_module(x)", "importlib.import_module"),
        ("import numpy as np\nnp.load(x)", "numpy.load"), ("import pickle\npickle.load(x)", "pickle.load"),
        ("map(open, paths)", "open"),
    ],
)  # fmt: skip
def test_who_goes_around_is_found(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "m.py").write_text(text)
    assert [name for name, _ in uses(tmp_path / "m.py")] == [what]


def test_rooms_that_run_code_ask_git_by_the_door() -> None:
    """Their programs are Pythons; git, and a shell, they never start."""
    for room in RUNNING:
        for path in sorted((ROOT / "migrator" / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    assert node.value not in ("git", "/usr/bin/git"), f"{path}:{node.lineno}"
                if isinstance(node, ast.keyword) and node.arg == "shell":
                    assert isinstance(node.value, ast.Constant) and not node.value.value, path
