"""Where transforms register themselves and the engine finds them together with the rule packs."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    import libcst as cst

    from migrator.engine.context import FileContext


class Transform(Protocol):
    """A structural rewrite: one class in a module of `migrator.transforms`.

    `name` is unique; `triggers` are canonical names of which at least one must be referenced
    or imported by the file (``tensorflow.contrib.slim.*`` means that module and everything
    below, ``numpy.float`` just that); transforms run by ascending `order`, then by name.
    A transform may have `words` too: identifiers that make it run on a file that has none of
    the triggers, because they mean TensorFlow without naming it (``assert_has_rank``). One may name
    its `successor`: the transform that brings to TensorFlow 2 what it leaves, so that nothing is to
    be said where it is taken back and that one edits the file. `together` names the transforms whose
    edits of modules that import one another stand or fall as one, for they change what is handed
    between them.

    `run` returns the new module or the new text, or None when it has nothing to do.
    It may raise: the file then goes on without this transform, and a TF000 finding says so.
    Cheap checks first: `ctx.tree` and `ctx.names` are there already, `ctx.module` is parsed by
    LibCST at its first use.
    """

    name: str
    triggers: frozenset[str]
    order: int

    def run(self, ctx: FileContext) -> cst.Module | str | None: ...


T = TypeVar("T", bound=type)

_TRANSFORMS: dict[str, Transform] = {}


def transform(cls: T) -> T:
    """Class decorator that registers a transform (made without arguments).

        @transform
        class FrozenGraphs:
            name = "frozen_graph"
            triggers = frozenset({"tensorflow.import_graph_def"})
            order = 20

            def run(self, ctx): ...
    """
    instance = cls()
    _TRANSFORMS[instance.name] = instance
    return cls


@dataclass(frozen=True)
class LoadError:
    """A module of transforms that could not be imported; reported, never fatal."""

    module: str
    error: str


_LOADED = False
_ERRORS: list[LoadError] = []


def successor(name: str) -> str:
    """The transform that takes the place of one that was taken back, "" where none does."""
    return getattr(_TRANSFORMS.get(name), "successor", "")


def together(name: str) -> frozenset[str]:
    """The transforms to take back from related modules where this one is taken back from a module."""
    return getattr(_TRANSFORMS.get(name), "together", frozenset())


def load_transforms() -> tuple[list[Transform], list[LoadError]]:
    """Import every module of `migrator.transforms`; the transforms in running order."""
    global _LOADED
    if not _LOADED:
        _LOADED = True
        package = importlib.import_module("migrator.transforms")
        for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda item: item.name):
            if info.name.startswith("_") or info.ispkg:  # parts of transforms
                continue
            try:
                importlib.import_module(f"migrator.transforms.{info.name}")
            except Exception as error:  # one broken module must not stop the others
                _ERRORS.append(LoadError(info.name, f"{type(error).__name__}: {error}"))
    ordered = sorted(_TRANSFORMS.values(), key=lambda item: (item.order, item.name))
    return ordered, list(_ERRORS)
