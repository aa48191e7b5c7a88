"""References that a table or a snapshot decides: renamed, supported, compat, manual, unknown."""

from __future__ import annotations

import ast
from dataclasses import replace

from migrator.engine.callsite import Unreadable, accepts, read_call
from migrator.engine.edits import Edit, Lines
from migrator.engine.gone import kept
from migrator.engine.keywords import Misfit
from migrator.engine.lookup import VERSION_2
from migrator.engine.work import FileWork, Site, code_of, rung_of, shown, stand_in
from migrator.model import Change, Confidence, Rung

# Support functions that make objects of a class of TF 2, which remains the type of them.
_FUNCTIONS_FOR_CLASSES = frozenset({"tensorflow.Variable"})


class TableSites:
    """Rewrites one reference at a time by its disposition."""

    def __init__(self, work: FileWork) -> None:
        self.work = work
        self._dynamic_reported: set[int] = set()

    def site(self, site: Site) -> None:
        """Edit or report a reference whose disposition is no rule."""
        kind = site.disposition.kind
        if kind == "none":
            self._dynamic(site)
        elif site.reference.role != "load":
            self._assigned(site)
        elif self._patched(site):
            return
        elif kind == "module":
            self._module(site)
        elif kind in ("rename", "support"):
            self._table(site)
        elif kind == "same":
            self.same(site)
        elif kind == "compat":
            self.compat(site, "")
        elif kind == "manual":
            self._manual(site)
        else:
            self.unknown(site)

    def _table(self, site: Site) -> None:
        found = site.disposition
        entry = found.entry
        code = code_of(found)
        target = found.target + found.rest
        support = found.kind == "support"
        if support and found.key in _FUNCTIONS_FOR_CLASSES and self._as_type(site):
            self.same(replace(site, disposition=replace(found, target="")))
            return
        reason = f"{shown(found.key)} is {shown(found.target)}" + (
            " of the support package" if support else " in TensorFlow 2"
        )
        if not found.key.startswith("tensorflow"):
            reason = f"{shown(found.key)} is now {shown(found.target)}"
        if entry is not None and entry.message:
            reason = entry.message
        if not support and not self._arguments(site, target):
            return
        if not support and self._taken_for_another(site, target):
            target = VERSION_2 + target[len("tensorflow") :]
        self.work.replace(
            site,
            target,
            code,
            reason,
            rung_of(found),
            entry.confidence if entry else Confidence.PROVEN,
        )
        if entry is not None and entry.extra.get("finding"):  # it runs, but somebody must act
            self.work.report(
                code, site.reference.node, str(entry.extra["finding"]), entry.advice,
                shown(found.key),
            )  # fmt: skip

    def reported_as_dynamic(self, node: ast.AST | None) -> bool:
        """Whether a finding already says that this call reads names at run time."""
        return id(node) in self._dynamic_reported

    def _patched(self, site: Site) -> bool:
        """``patch.object(tf.contrib.layers, "member")``: the module that has the member now."""
        call = site.reference.parent
        if not (
            isinstance(call, ast.Call)
            and len(call.args) > 1
            and call.args[0] is site.reference.node
            and isinstance(call.args[1], ast.Constant)
            and isinstance(call.args[1].value, str)
            and ast.unparse(call.func).endswith("patch.object")
        ):
            return False
        member = call.args[1].value
        found = self.work.rules.disposition(f"{site.resolved.name}.{member}")
        if found.kind not in ("rename", "support") or found.rest:
            return False
        module, _, name = found.target.rpartition(".")
        reason = f"{shown(found.key)} is patched where it is now"
        if self.work.replace(site, module, code_of(found), reason, rung_of(found)) and name != member:
            self.work.edits.append(Edit(*self.work.span(call.args[1]), (repr(name),)))
        return True

    def _as_type(self, site: Site) -> bool:
        """Whether a reference is a type to test for, alone or in a tuple of types."""
        node, holder = site.reference.node, site.reference.parent
        if isinstance(holder, ast.Tuple):
            node, holder = holder, self.work.parent(holder)
        return (
            isinstance(holder, ast.Call)
            and _callee(holder) in ("isinstance", "issubclass")
            and node in holder.args[1:]
        ) or isinstance(holder, ast.ExceptHandler)

    def same(self, site: Site) -> None:
        found = site.disposition
        name = (found.target or found.key) + found.rest
        if not self._arguments(site, name):
            return
        self.work.replace(site, name, "TF101", f"{shown(name)} is part of TensorFlow 2")

    def _arguments(self, site: Site, target: str) -> bool:
        """Fit the call's arguments to the signature of `target`; False when they do not and the
        site has been dealt with otherwise."""
        call, key, skip = site.reference.call, site.resolved.name, 0
        if call is None:
            call, skip = self._partial_call(site), 1
        if not target.startswith(("tensorflow.", "keras.")):
            return True
        if call is None:
            self._other_defaults(site, target)
            return True
        fit = self.work.rules.fit(key, target)
        if fit.new is None or self.work.off("TF104", call):
            return True
        try:
            layout = read_call(self.work.text, self.work.lines, call)
        except (Unreadable, IndexError):
            return True
        pieces = fit.apply(layout, skip)
        symbol = shown(key)
        hidden = [ast.unparse(slot.node) for slot in layout.slots if slot.stars == 2]
        if hidden and fit.written and not isinstance(pieces, Misfit):
            self._other_defaults(site, target)
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
                self.compat(site, f"{pieces.reason}.", known)
                return False
            self.work.report(
                "TF104",
                call,
                f"{shown(target)} cannot be called like this: {pieces.reason}",
                "Change the arguments by hand to what TensorFlow 2 documents.",
                symbol,
            )
            return True
        last = call.end_lineno or call.lineno
        for piece in pieces:
            change = Change("TF104", call.lineno, last, piece.reason, symbol)
            text: tuple[str, ...] = (piece.text,) if piece.text else ()
            if piece.name:
                text += (self.work.local(piece.name, site.reference.scope),)
            self.work.edits.append(Edit(piece.start, piece.end, text, change))
        return True

    def _other_defaults(self, site: Site, target: str) -> None:
        """Report a function or class that is passed on or inherited from, whose defaults changed."""
        reference = site.reference
        fit = self.work.rules.fit(site.resolved.name, target)
        if not fit.written or reference.role != "load" or self._as_type(site):
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

    def _taken_for_another(self, site: Site, target: str) -> bool:
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

    def _partial_call(self, site: Site) -> ast.Call | None:
        """The ``functools.partial(f, ...)`` that a reference to `f` is the first argument of."""
        node, parent = site.reference.node, site.reference.parent
        if not isinstance(parent, ast.Call) or not parent.args or parent.args[0] is not node:
            return None
        name = parent.func.attr if isinstance(parent.func, ast.Attribute) else _callee(parent)
        return parent if name == "partial" else None

    def fits(self, site: Site, call: ast.Call) -> bool:
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

    def compat(self, site: Site, advice: str, key: str = "") -> None:
        """Leave a site on tf.compat.v1, where it may be known as another `key`."""
        found = site.disposition
        key = key or found.key
        target = self.work.rules.compat_target(key)
        symbol = shown(key)
        if target is None:
            self.unknown(site)
            return
        finding = self.work.finding(
            "TF005",
            site.reference.node,
            f"{symbol} has no native rewrite here; tf.compat.v1 keeps it running",
            advice or kept(key),
            symbol,
            Rung.COMPAT,
        )
        self.work.findings.append(finding)
        if site.resolved.compat and not self.work.leaves_compat(site):
            self.work.keep(site)
            return
        self.work.replace(
            site,
            target + found.rest,
            "TF005",
            f"{symbol} exists in TensorFlow 2 only as {shown(target)}",
            Rung.COMPAT,
            Confidence.LIKELY,
        )

    def _manual(self, site: Site) -> None:
        found = site.disposition
        entry = found.entry
        advice = (entry.advice or entry.target) if entry else ""
        code = (entry.code if entry else "") or "TF003"
        symbol = shown(found.key)
        if self.work.rules.compat_target(found.key) is not None and not found.exists:
            self.compat(site, advice)
            return
        if not self._stood_in(site, code):
            self.keep_or_leave_compat(site)
        message = (entry.message if entry else "") or f"{symbol} has no automatic rewrite"
        self.work.report(code, site.reference.node, message, advice, symbol)

    def keep_or_leave_compat(self, site: Site) -> None:
        """Leave the site alone, but say compat.v1 where its import no longer does."""
        found = site.disposition
        target = self.work.rules.compat_target(found.key) if found.key else None
        if site.resolved.compat and target is not None and self.work.leaves_compat(site):
            self.work.replace(
                site,
                target + found.rest,
                "TF005",
                f"{shown(found.key)} stays in tf.compat.v1",
                Rung.COMPAT,
            )
        else:
            self.work.keep(site)

    def _stood_in(self, site: Site, code: str) -> bool:
        """Whether a name that is gone and read while the module is imported (a base class, a
        default value) was given a stand-in, so that the rest of the module still works."""
        reference = site.reference
        name, binding = site.resolved.name, site.resolved.binding
        holder = reference.parent
        if binding is not None and (
            binding.node not in self.work.tree.body
            or len(binding.scope.bindings[binding.name]) > 1
        ):
            return False  # what there is instead may be something else
        if (
            reference.scope.kind not in ("module", "class")
            or isinstance(holder, ast.Call) and holder.func is reference.node
            or "(" in name
            or not self.work.is_gone(name)
        ):
            return False
        reason = f"{shown(name)} fails where it is used, not where it is named"
        return self.work.replace(site, stand_in(name), code, reason, Rung.MANUAL)

    def unknown(self, site: Site) -> None:
        if not self._stood_in(site, "TF003"):
            self.keep_or_leave_compat(site)
        symbol = shown(site.resolved.name)
        self.work.report(
            "TF003",
            site.reference.node,
            f"{symbol} is not known to TensorFlow 2, and no rule covers it",
            "Look for its successor in the TensorFlow 2 documentation, or write a rule pack "
            "(--rules) for it.",
            symbol,
        )

    def _module(self, site: Site) -> None:
        """A module used as a value: fine where it exists, dynamic access where it is passed."""
        reference, name = site.reference, site.resolved.name
        if not site.disposition.exists:
            binding = site.resolved.binding
            new = self.work.plan.target(binding) if binding is not None else None
            if new is not None and not reference.attrs:
                self.work.keep(site)
            else:
                self.unknown(site)
            return
        if name == "tensorflow" and not reference.attrs:
            self.work.keep(site)
        else:
            self.same(site)
        holder = reference.parent
        if isinstance(holder, (ast.Call, ast.keyword)) and reference.call is None:
            if id(holder) in self._dynamic_reported or _callee(holder) in ("getattr", "hasattr"):
                return
            self.work.report(
                "TF004",
                reference.node,
                f"the module {shown(name)} is passed on as a value; what is read from it is "
                "not checked",
                "Check the names that the receiver reads from it against TensorFlow 2.",
                shown(name),
            )

    def _assigned(self, site: Site) -> None:
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

    def _dynamic(self, site: Site) -> None:
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
            if target is not None and target.split(".")[0] == "tensorflow":
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
            self._dynamic_reported.add(id(call))
            self.work.report(
                "TF004",
                call,
                what,
                "Check by hand that the names it reaches exist in TensorFlow 2.",
            )


def _callee(node: ast.AST) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id
    return ""
