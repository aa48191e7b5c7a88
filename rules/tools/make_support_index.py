"""Writes templates/support.json: where the statements of the support package lie, and what they need.

    PYTHONPATH=. python rules/tools/make_support_index.py
"""

from __future__ import annotations

import hashlib
import json

from migrator import resources
from migrator.support_source import INDEX, cut


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


if __name__ == "__main__":
    main()
