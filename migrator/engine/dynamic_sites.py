"""References that are not followed: names read at run time, and symbols that a program assigns to."""

from __future__ import annotations

import ast

from migrator import support
from migrator.analysis.tree_walk import last_name
from migrator.engine.work import FileWork, Site, shown

# What is handed a module for other things than reading any name of it.
_OTHER_USES = frozenset({"hasattr", "setattr", "delattr", "object", "reload", "dir", "vars"})


def is_looked_up(node: ast.AST, holder: ast.AST | None) -> bool:
    """Whether a module stands where names are read from it at run time: an argument of ``getattr``
    with a name that is not written out, or of another function, or one of several modules."""
    if isinstance(holder, ast.Call):
        name = last_name(holder.func)
        if name == "getattr":
            return len(holder.args) > 1 and not isinstance(holder.args[1], ast.Constant)
        return node in holder.args and name not in _OTHER_USES
    return isinstance(holder, (ast.keyword, ast.List, ast.Tuple))


def is_flag(name: str) -> bool:
    """Whether a name is a program's flag, ``tf.flags.FLAGS.steps``, and none of TensorFlow's."""
    return ".FLAGS." in name


class DynamicSites:
    """Reports one reference at a time."""

    def __init__(self, work: FileWork) -> None:
        self.work = work
        self._reported: set[int] = set()
        self._own: frozenset[str] | None = None  # what the file assigns to

    def reported(self, node: ast.AST | None) -> bool:
        """Whether a finding already says that this call reads names at run time."""
        return id(node) in self._reported

    def is_own(self, name: str) -> bool:
        """Whether the program itself puts this name, or what it is read from, on TensorFlow:
        ``tf.model = ...``. A finding is where it does."""
        if self._own is None:
            targets = (
                self.work.names.reference_target(reference)
                for reference in self.work.names.references
                if reference.role == "store" and reference.attrs
            )
            self._own = frozenset(target.name for target in targets if target is not None)
        return any(name == own or name.startswith(f"{own}.") for own in self._own)

    def assigned(self, site: Site) -> None:
        self.work.keep(site)
        reference = site.reference
        if not reference.attrs:
            return
        symbol = shown(site.resolved.name)
        self.work.report(
            "TF004",
            reference.node,
            f"the program {'deletes' if reference.role == 'del' else 'assigns to'} {symbol}",
            "Patched TensorFlow symbols are not followed; check this by hand.",
            symbol,
        )

    def read(self, site: Site) -> None:
        """``getattr(tf, name)``, ``eval``, ``importlib.import_module("tensorflow...")``."""
        call = site.reference.call
        if call is None or not call.args:
            return
        name = site.resolved.name
        first = call.args[0]
        what = ""
        if name == "builtins.getattr":
            dotted = ast.unparse(first) if isinstance(first, (ast.Name, ast.Attribute)) else ""
            target = self.work.names.resolve(dotted, site.reference.scope) if dotted else None
            if target is not None and target.split(".")[0] == "tensorflow" and not (
                target.endswith(".FLAGS")
                or support.named_module(target) and is_looked_up(first, call)
            ):
                what = f"getattr reads a name from {shown(target)} at run time"
        elif name in ("builtins.__import__", "importlib.import_module"):
            if isinstance(first, ast.Constant) and str(first.value).startswith(
                ("tensorflow", "tf_slim")
            ):
                what = f"{first.value!s} is imported at run time"
        elif name in ("builtins.eval", "builtins.exec"):
            literal = isinstance(first, ast.Constant)
            if literal and "tf." not in str(getattr(first, "value", "")):
                return
            if any(b.kind == "import" and b.target.startswith("tensorflow")
                   for b in self.work.names.bindings()):  # fmt: skip
                what = f"{name[len('builtins.'):]} runs code that is not checked"
        if what:
            self._reported.add(id(call))
            self.work.report(
                "TF004",
                call,
                what,
                "Check by hand that the names it reaches exist in TensorFlow 2.",
            )
