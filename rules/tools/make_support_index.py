"""Writes templates/support.json: where the statements of the support package lie, and what they need;
and templates/support_classes.json: the members of its classes, and which TensorFlow or Keras may call.

    PYTHONPATH=. python rules/tools/make_support_index.py

Imports TensorFlow, to see what the classes inherit.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import sys
import tempfile
from pathlib import Path

from migrator import resources
from migrator.support_source import CLASSES, INDEX, cut


def main() -> None:
    """Cut every module; one line for each, so that a change of one is a change of one line."""
    folder = resources.templates_dir() / "support"
    paths = sorted(path for path in folder.glob("*.py") if path.stem != "__init__")
    names = frozenset(path.stem for path in paths)
    lines = []
    for path in paths:
        data = path.read_bytes()
        module = cut(path.stem, data.decode("utf-8"), names)
        entry = [hashlib.sha256(data).hexdigest(), module.as_index()]
        lines.append(f"{json.dumps(path.stem)}: {json.dumps(entry, separators=(',', ':'))}")
    (folder.parent / INDEX).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    rows = [f"{json.dumps(name)}: {json.dumps(found)}" for name, found in sorted(classes(folder).items())]
    (folder.parent / CLASSES).write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


def classes(folder: Path) -> dict[str, dict[str, bool]]:
    """`module.Class` -> its members, and whether a class from elsewhere that it, or a class of the
    package that inherits it, is derived from has the member too: then others may call it."""
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "tf1_support").symlink_to(folder)
        sys.path.insert(0, scratch)
        try:
            modules = [
                importlib.import_module(f"tf1_support.{path.stem}")
                for path in sorted(folder.glob("*.py")) if path.stem != "__init__"
            ]
        finally:
            sys.path.remove(scratch)
    own = [
        value for module in modules for value in vars(module).values()
        if inspect.isclass(value) and value.__module__ == module.__name__
    ]
    found: dict[str, dict[str, bool]] = {}
    for each in own:
        heirs = [heir for heir in own if issubclass(heir, each)]
        outside = {
            base for heir in heirs for base in heir.__mro__
            if not base.__module__.startswith("tf1_support.") and base is not object
        }
        name = f"{each.__module__.partition('.')[2]}.{each.__qualname__}"
        found[name] = {
            member: any(hasattr(base, member) for base in outside)
            for member in vars(each) if not member.startswith("__")
        }
    return found


if __name__ == "__main__":
    main()
