"""Fits the arguments of calls whose function a table or a snapshot decides to TF 2's signature."""

from __future__ import annotations

import ast

from migrator.engine.callsite import Unreadable, accepts, read_call
from migrator.engine.edits import Edit, Lines
from migrator.engine.keywords import Misfit
from migrator.engine.work import FileWork, Site, shown
from migrator.model import Change


class ArgumentSites:
    """Edits or reports the arguments of one call at a time."""

    def __init__(self, work: FileWork) -> None:
        self.work = work

    def fit(self, site: Site, target: str) -> tuple[str, str] | None:
        """Fit the call's arguments to the signature of `target`; where that cannot be and TF 1's
        function still exists, (why, the name under which it is known) instead."""
        call, key, skip = site.reference.call, site.resolved.name, 0
        if call is None:
            call, skip = partial_call(site), 1
        if call is None or not target.startswith(("tensorflow.", "keras.", "absl.")):
            return None
        fit = self.work.rules.fit(key, target, self.work.of_keras_2)
        if fit.new is None or self.work.off("TF104", call):
            return None
        try:
            layout = read_call(self.work.text, self.work.lines, call)
        except (Unreadable, IndexError):
            return None
        pieces = fit.apply(layout, skip)
        symbol = shown(key)
        hidden = [ast.unparse(slot.node) for slot in layout.slots if slot.stars == 2]
        if hidden and fit.written and not isinstance(pieces, Misfit):
            self.other_defaults(site, target)
        if hidden and fit.changed and not isinstance(pieces, Misfit):
            self.work.report(
                "TF104",
                call,
                f"**{hidden[0]} may hold what {shown(target)} calls otherwise or does not take: "
                + ", ".join(fit.changed),
                "Give those arguments by their new names where the dict is made.",
                symbol,
            )
        if isinstance(pieces, Misfit):
            found = site.disposition
            old = self.work.rules.tf1.signature(key)
            valid = old is None or accepts(old, layout, skip)  # else compat.v1 refuses it as well
            known, aliases = found.key, self.work.rules.tf1.aliases
            if aliases.get(key, key) == aliases.get(target, target):
                known = target  # the same thing under the name that a second run would find
            in_keras = "keras." in target  # of which TF 2 has no second, older version
            if (
                valid and not found.rest and not in_keras
                and self.work.rules.compat_target(known) is not None
            ):
                return f"{pieces.reason}.", known
            self.work.report(
                "TF104",
                call,
                f"{shown(target)} cannot be called like this: {pieces.reason}",
                "Change the arguments by hand to what TensorFlow 2 documents.",
                symbol,
            )
            return None
        last = call.end_lineno or call.lineno
        for piece in pieces:
            change = Change("TF104", call.lineno, last, piece.reason, symbol)
            text: tuple[str, ...] = (piece.text,) if piece.text else ()
            if piece.name:
                text += (self.work.local(piece.name, site.reference.scope),)
            self.work.edits.append(Edit(piece.start, piece.end, text, change))
        return None

    def other_defaults(self, site: Site, target: str) -> None:
        """Report a function or class that is passed on or inherited from, or whose arguments are
        hidden, where its defaults changed."""
        reference = site.reference
        fit = self.work.rules.fit(site.resolved.name, target, self.work.of_keras_2)
        if not fit.written or reference.role != "load" or is_type(self.work, site):
            return
        names = ", ".join(fit.written)
        self.work.report(
            "TF104",
            reference.node,
            f"{shown(target)} has other defaults than in TensorFlow 1, and its calls are not seen "
            f"here: {names}",
            "Give those arguments where it is called: "
            + ", ".join(f"{k.to}={k.written}" for k in fit.written.values()) + ".",
            shown(site.resolved.name),
        )

    def taken_for_another(self, site: Site, target: str) -> bool:
        """Whether the call of `target` that a site becomes could be one of TF 1's function of that
        name, which a second run would change again: ``tf.saved_model.load_v2(*args)``."""
        call, rules = site.reference.call, self.work.rules
        old = rules.tf1.signature(target)
        if call is None or old is None or site.resolved.name == target:
            return False
        try:
            layout = read_call(self.work.text, self.work.lines, call)
            pieces = rules.fit(site.resolved.name, target).apply(layout)
            text = self.work.text[layout.open : layout.end - 1]
            for piece in sorted(() if isinstance(pieces, Misfit) else pieces, key=lambda p: -p.start):
                first, last = piece.start - layout.open, piece.end - layout.open
                text = text[:first] + piece.text + text[last:]
            text = f"_({text})"
            made = ast.parse(text, mode="eval").body
            assert isinstance(made, ast.Call)
            layout = read_call(text, Lines(text), made)
        except (Unreadable, IndexError, SyntaxError):
            return False
        again = rules.fit(target, target).apply(layout)
        if isinstance(again, Misfit):
            return accepts(old, layout) and rules.compat_target(target) is not None
        return bool(again)

    def accepts(self, site: Site, call: ast.Call) -> bool:
        """Whether TF 2's function of the same name can take the call, its keywords adapted."""
        key = site.disposition.key
        if any(k.arg is None for k in call.keywords):
            return False
        try:
            layout = read_call(self.work.text, self.work.lines, call)
        except (Unreadable, IndexError):
            return False
        fit = self.work.rules.fit(key, key)
        return fit.new is not None and not isinstance(fit.apply(layout), Misfit)


def is_type(work: FileWork, site: Site) -> bool:
    """Whether a reference is a type to test for, alone or in a tuple of types."""
    node, holder = site.reference.node, site.reference.parent
    if isinstance(holder, ast.Tuple):
        node, holder = holder, work.parent(holder)
    return (
        isinstance(holder, ast.Call)
        and callee(holder) in ("isinstance", "issubclass")
        and node in holder.args[1:]
    ) or isinstance(holder, ast.ExceptHandler)


def callee(node: ast.AST) -> str:
    """The name that is called, if it is a plain one."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id
    return ""


def partial_call(site: Site) -> ast.Call | None:
    """The ``functools.partial(f, ...)`` that a reference to `f` is the first argument of."""
    node, parent = site.reference.node, site.reference.parent
    if not isinstance(parent, ast.Call) or not parent.args or parent.args[0] is not node:
        return None
    name = parent.func.attr if isinstance(parent.func, ast.Attribute) else callee(parent)
    return parent if name == "partial" else None
