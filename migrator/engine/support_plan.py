"""Which files of the support package a plan writes or takes away, or whether it is a distribution."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from migrator.analysis.index import ProjectIndex
from migrator.analysis.support_places import support_places
from migrator.engine.options import Options
from migrator.engine.scanned import SUPPORT_PACKAGE
from migrator.project.marker import GENERATED_MARKER
from migrator.project.tree import text_of

# The support package of a folder on sys.path that is not the one which holds it.
_POINTER = '''{marker} - leads to the package itself, for programs that have this folder on sys.path.
"""The support package of this repository; it lies in {up}."""

from os.path import abspath, dirname, join, normpath

__path__ = [normpath(join(dirname(abspath(__file__)), "{up}"))]
'''


def packaged(
    options: Options, pinned: Callable[[], bool], vendored: Sequence[str]
) -> bool:
    """Whether the support code is the distribution tf1-support: as it is asked for, else as the
    repository has it."""
    if options.support:
        return options.support == "package"
    return not vendored and pinned()


def vendored_files(generated: Iterable[str]) -> list[str]:
    """Those of the generated files of a tree that are modules of a support package."""
    return sorted(path for path in generated if path.split("/")[-2:-1] == [SUPPORT_PACKAGE])

def support_files(
    root: Path,
    users: Iterable[str],
    index: ProjectIndex,
    rendered: Mapping[str, str],
    vendored: Iterable[str] = (),
) -> tuple[tuple[str, str], ...]:
    """(path relative to the root, text) of support modules that differ from what is on disk.

    The one package, `rendered` for all the symbols that its `users` take, and packages that lead to it
    in other folders from which modules are imported (`analysis.support_places`). `vendored`: the modules
    of packages that are there already.
    """
    if not rendered:
        return ()
    inits = (path.rpartition("/")[0] for path in vendored if path.endswith("/__init__.py"))
    existing = {folder.removesuffix(SUPPORT_PACKAGE).rstrip("/") for folder in inits}
    places = support_places(index, users, existing)
    texts = {_joined(places.home, SUPPORT_PACKAGE, name): text for name, text in rendered.items()}
    for folder in places.pointers:
        up = os.path.relpath(places.home or ".", _joined(folder, SUPPORT_PACKAGE)).replace(os.sep, "/")
        texts[_joined(folder, SUPPORT_PACKAGE, "__init__.py")] = _POINTER.format(
            marker=GENERATED_MARKER, up=_joined(up, SUPPORT_PACKAGE)
        )
    return tuple((path, text) for path, text in sorted(texts.items()) if text_of(root, path) != text)


def _joined(*parts: str) -> str:
    return "/".join(part for part in parts if part)


def names_of(users: Mapping[str, frozenset[str]]) -> set[str]:
    """The symbols that files use of the support package, and the modules that these are in."""
    symbols = {symbol for used in users.values() for symbol in used}
    return symbols | {symbol.partition(".")[0] for symbol in symbols}


def needed_symbols(
    users: Mapping[str, frozenset[str]], supported: frozenset[str]
) -> frozenset[str]:
    """The supported symbols that files use, and the modules of the others: what is not there fails
    where it is used, not where its module is imported."""
    symbols = frozenset[str]().union(*users.values()) if users else frozenset()
    lacking = {symbol.partition(".")[0] for symbol in symbols - supported}
    return (symbols & supported) | {f"{name}." for name in lacking & supported}
