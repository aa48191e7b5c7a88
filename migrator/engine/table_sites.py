"""References that a table or a snapshot decides: renamed, supported, compat, manual, unknown."""

from __future__ import annotations

import ast
from dataclasses import replace

from migrator import support
from migrator.engine.argument_sites import ArgumentSites, callee, is_type
from migrator.engine.dynamic_sites import DynamicSites, is_flag, is_looked_up
from migrator.engine.edits import Edit
from migrator.engine.gone import kept
from migrator.engine.lookup import VERSION_2
from migrator.engine.tried import is_tried
from migrator.engine.value_sites import ValueSites
from migrator.engine.work import FileWork, Site, code_of, rung_of, shown, stand_in
from migrator.model import Confidence, Rung

# Support functions that make objects of a class of TF 2, which remains the type of them.
_FUNCTIONS_FOR_CLASSES = frozenset({"tensorflow.Variable"})


class TableSites:
    """Rewrites one reference at a time by its disposition."""

    def __init__(self, work: FileWork) -> None:
        self.work = work
        self.arguments = ArgumentSites(work)
        self.dynamic = DynamicSites(work)
        self.values = ValueSites(work, self.arguments)

    def site(self, site: Site) -> None:
        """Edit or report a reference whose disposition is no rule."""
        kind = site.disposition.kind
        if kind == "none":
            self.dynamic.read(site)
        elif site.reference.role != "load" and not is_flag(site.resolved.name):
            if site.reference.role == "store" and kind == "support" and site.disposition.rest:
                self._table(site)  # tf.GraphKeys.OWN = "own": put where its readers look now
            else:
                self.dynamic.assigned(site)
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
        if support and found.key in _FUNCTIONS_FOR_CLASSES and is_type(self.work, site):
            self.same(replace(site, disposition=replace(found, target="")))
            return
        reason = f"{shown(found.key)} is {shown(found.target)}" + (
            " of the support package" if support else " in TensorFlow 2"
        )
        if not found.key.startswith("tensorflow"):
            reason = f"{shown(found.key)} is now {shown(found.target)}"
        if entry is not None and entry.message:
            reason = entry.message
        if not support and not self._fit(site, target):
            return
        if not support and self.arguments.taken_for_another(site, target):
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

    def _fit(self, site: Site, target: str) -> bool:
        """Whether the call could be fitted to `target`; else it stays on tf.compat.v1."""
        unfit = None
        if site.reference.call is None and target.startswith(("tensorflow.", "keras.")):
            reason = self.values.unfit(site, target)
            unfit = (f"Rewrite it where it is called: {reason}.", "") if reason else None
        unfit = unfit or self.arguments.fit(site, target)
        if unfit is not None:
            self.compat(site, *unfit)
        return unfit is None

    def same(self, site: Site) -> None:
        found = site.disposition
        name = (found.target or found.key) + found.rest
        if not self._fit(site, name):
            return
        self.work.replace(site, name, "TF101", f"{shown(name)} is part of TensorFlow 2")

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
            or len(binding.scope.bindings.get(binding.name, ())) > 1
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
        if is_tried(self.work, site) or self.dynamic.is_own(site.resolved.name):
            self.work.keep(site)
            return
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

    def _looked_up(self, site: Site) -> bool:
        """A module in which names are looked up becomes the one that has TF 1's names."""
        reference, name = site.reference, site.resolved.name
        holder = reference.parent
        module = support.named_module(name)
        if module is None or reference.call is not None or not is_looked_up(reference.node, holder):
            return False
        reason = f"names of {shown(name)} are looked up when the program runs"
        return self.work.replace(site, module, "TF201", reason, Rung.SUPPORT, Confidence.LIKELY)

    def _module(self, site: Site) -> None:
        """A module used as a value: fine where it exists, dynamic access where it is passed."""
        reference, name = site.reference, site.resolved.name
        if self._looked_up(site):
            return
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
            if self.dynamic.reported(holder) or callee(holder) in ("getattr", "hasattr"):
                return
            self.work.report(
                "TF004",
                reference.node,
                f"the module {shown(name)} is passed on as a value; what is read from it is "
                "not checked",
                "Check the names that the receiver reads from it against TensorFlow 2.",
                shown(name),
            )
