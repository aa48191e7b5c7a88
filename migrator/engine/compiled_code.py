"""Extension modules of a tree that were compiled for another Python, and who imports them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from migrator.engine.options import Options
from migrator.model import FileResult, Finding
from migrator.project.discover import discover
from migrator.project.source import SourceError
from migrator.project.tree import read

CODE = "DEP108"
_MOST_BYTES = 64_000_000
_TAG = re.compile(r"\.(cpython-|cp)(\d+)")
_OF_PYTHON_2 = (b"Py_InitModule4", b"PyString_FromString", b"libpython2.")
_IMPORT = r"^[ \t]*(?:from[ \t][^\n]*import[ \t][^\n]*|from[ \t]+[\w.]*|import[ \t][^\n]*)\b{0}\b"


def compiled_before(results: Iterable[FileResult], root: Path, options: Options) -> Iterator[FileResult]:
    """The results of modules that import what does not load in Python 3.11, with findings."""
    if not options.allows(CODE):
        return
    modules = {path.name.partition(".")[0]: path.relative_to(root).as_posix()
               for path in discover(root, suffixes=(".so", ".pyd"), max_bytes=_MOST_BYTES)
               if _is_old(root, path.relative_to(root).as_posix())}  # fmt: skip
    if not modules:
        return
    asked = {name: re.compile(_IMPORT.format(re.escape(name)), re.MULTILINE) for name in modules}
    for result in results:
        found = [_finding(result, modules[name], hit.start()) for name, said in asked.items()
                 if result.path.endswith(".py") and (hit := said.search(result.old_text)) is not None]
        if found:
            yield replace(result, findings=(*result.findings, *found))


def _is_old(root: Path, path: str) -> bool:
    name = path.rpartition("/")[2]
    tag = _TAG.search(name)
    if tag is not None or "abi3" in name:
        return tag is not None and tag[2] != "311"
    try:
        return any(word in read(root, path, _MOST_BYTES)[0] for word in _OF_PYTHON_2)
    except SourceError:
        return False


def _finding(result: FileResult, library: str, start: int) -> Finding:
    line = result.old_text.count("\n", 0, start) + 1
    return Finding(
        CODE, result.path, line, 0, f"{library} was compiled for another Python",
        "Compile it anew with Python 3.11 (as a rule, python setup.py build_ext --inplace where its sources "
        "lie), or take the function in Python that comes with it.",
    )  # fmt: skip
