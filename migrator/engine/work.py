"""The state of one file's rewrite, and what every kind of rewrite needs: places, names, reports."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from migrator.analysis.names import Binding, NameTable, Reference, Resolved, Scope, canonical
from migrator.analysis.tree_walk import children, walk
from migrator.engine.bindings import hidden, split_import
from migrator.engine.edits import Edit, Lines
from migrator.engine.imports import local_name_for
from migrator.engine.lookup import VERSION_2, Disposition
from migrator.engine.options import Options
from migrator.engine.ruleset import SUPPORT, RuleSet
from migrator.engine.statements import Deletions
from migrator.engine.suppress import Suppressions
from migrator.model import Change, Confidence, Finding, Rung

if TYPE_CHECKING:
    from migrator.engine.bindings import BindingPlan


HELD_BACK = "TF006"
HELD_BACK_ADVICE = "Review it, then allow it with a lower --confidence or write it by hand."


def held_back_message(code: str, reason: str, confidence: Confidence) -> str:
    """What a finding says about an edit that was not made for lack of confidence."""
    return f"{code} was held back, its confidence being '{confidence.value}': {reason}"


def held_back_changes(path: str, changes: Iterable[Change]) -> list[Finding]:
    """A finding for each change that was not made for lack of confidence."""
    return [
        Finding(
            HELD_BACK, path, change.line, 0,
            held_back_message(change.code, change.reason, change.confidence), HELD_BACK_ADVICE,
            change.symbol,
        )
        for change in changes
    ]  # fmt: skip


@dataclass
class Site:
    """One reference, what it stands for, and what becomes of that."""

    reference: Reference
    resolved: Resolved
    disposition: Disposition


def shown(name: str) -> str:
    """A canonical name as people write it: ``tf.nn.relu``, ``np.float``, ``xrange``."""
    for long, short in (("tensorflow.", "tf."), ("numpy.", "np."), ("builtins.", "")):
        if name.startswith(long):
            return short + name[len(long) :]
    return name


def table_code(table: str) -> str:
    """The code of what entries of a table do that name none."""
    return {"support": "TF201", "compat": "TF005", "manual": "TF003"}.get(table, "TF101")


def default_code(kind: str, name: str) -> str:
    """The code of a disposition whose entry names none."""
    return table_code(kind) if name.startswith("tensorflow") else "PY201"


def code_of(found: Disposition) -> str:
    """The code of what a table decides: its entry's, or that of its kind."""
    return (found.entry.code if found.entry else "") or default_code(found.kind, found.key)


def rung_of(found: Disposition) -> Rung:
    """How native what a table decides is."""
    return Rung.SUPPORT if found.kind == "support" else Rung.NATIVE


def stand_in(name: str) -> str:
    """The name in the support package that takes the place of one without successor."""
    return f"{SUPPORT}.missing.{name.rpartition('.')[2]}"


class FileWork:
    """One file being rewritten.

    `edits` and `findings` grow; `required` maps (module, name) of imports to add to the local
    name, `used` holds ids of the bindings whose local name the new text still has, `plan` says
    what each binding will stand for.
    """

    def __init__(
        self,
        path: str,
        text: str,
        lines: Lines,
        names: NameTable,
        rules: RuleSet,
        options: Options,
        suppressions: Suppressions,
    ) -> None:
        self.path = path
        self.text = text
        self.tree = names.tree
        self.lines = lines
        self.names = names
        self.rules = rules
        self.options = options
        self.suppressions = suppressions
        self.edits: list[Edit] = []
        self.findings: list[Finding] = []
        self.required: dict[tuple[str, str | None], str] = {}
        self.used: set[int] = set()  # bindings whose local name the new text still has
        self.deletions = Deletions(text, names.tree, lines)
        self.left: frozenset[str] = frozenset()  # top-level modules that are none of our business
        self.of_keras_2 = True  # `import keras` is the Keras of TensorFlow 1's time
        self.plan: BindingPlan  # set once the sites are known
        self._parents: dict[int, ast.AST] | None = None

    def span(self, node: ast.expr) -> tuple[int, int]:
        return self.lines.span(node)

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The syntax node that holds `node`."""
        if self._parents is None:
            self._parents = {
                id(child): holder
                for holder in walk(self.tree)
                for child in children(holder)
            }
        return self._parents.get(id(node))

    def readable(self, site: Site) -> bool:
        """Whether the text at the site's position is the site (not so in some f-strings)."""
        start, end = self.span(site.reference.node)
        own = "".join(self.text[start:end].split())
        expected = ".".join((site.reference.root, *site.reference.attrs))
        if own == expected:
            return True
        return not site.reference.in_fstring and own.startswith(site.reference.root)

    def off(self, code: str, node: ast.AST) -> bool:
        if not self.options.allows(code):
            return True
        if not self.suppressions:
            return False
        first = getattr(node, "lineno", 1)
        return self.suppressions.covers(code, first, getattr(node, "end_lineno", first))

    def finding(
        self,
        code: str,
        node: ast.AST,
        message: str,
        advice: str,
        symbol: str = "",
        rung: Rung = Rung.MANUAL,
    ) -> Finding:
        return Finding(
            code,
            self.path,
            getattr(node, "lineno", 1),
            getattr(node, "col_offset", 0),
            message,
            advice,
            symbol,
            rung,
        )

    def report(self, *args: object, **kwargs: object) -> None:
        self.findings.append(self.finding(*args, **kwargs))  # type: ignore[arg-type]

    def held_back(
        self, code: str, node: ast.AST, reason: str, confidence: Confidence, symbol: str
    ) -> None:
        """Report an edit that is less sure than the options ask for, and is therefore not made."""
        self.report(
            HELD_BACK, node, held_back_message(code, reason, confidence), HELD_BACK_ADVICE, symbol,
        )  # fmt: skip

    def local(self, path: str, scope: Scope) -> str:
        """How code in `scope` writes the canonical `path`; adds the import that it needs."""
        if path.startswith("builtins."):
            return path[len("builtins.") :]
        module, name, asname, rest = split_import(path)
        suffix = f".{rest}" if rest else ""
        key = f"{module}.{name}" if name else module
        for binding in self.plan.by_target.get(key, ()):
            root = self.names.root(binding.name, scope)
            if root is None or root.binding is None:
                continue
            if root.binding is binding or self.plan.target(root.binding) == key:
                self.used.add(id(root.binding))
                return binding.name + suffix
        if (module, name) not in self.required:
            taken = set(self.required.values())
            self.required[module, name] = local_name_for(
                self.names, module, name, asname, taken, self.plan.of_star
            )
        return self.required[module, name] + suffix

    def text_for(self, site: Site, target: str) -> str:
        """How the site writes `target`, through its own binding where that leads there."""
        binding = site.resolved.binding
        if target == site.resolved.name and self._of_project(binding):
            return ".".join((site.reference.root, *site.reference.attrs))
        if site.resolved.star:
            if binding is not None and target == f"{binding.target}.{site.reference.root}" and (
                    target.startswith("keras.")):
                return site.reference.root  # Keras 3's module brings it as well
            root = self.names.root(site.reference.root, site.reference.scope)
            if root is not None and target.startswith(f"{root.name}.") and not hidden(target):
                return site.reference.root + target[len(root.name) :]
        elif binding is not None:
            new = self.plan.target(binding)
            if new == VERSION_2:  # it holds the same names as TensorFlow 2 itself
                new = "tensorflow"
                if target.startswith(VERSION_2):
                    target = new + target[len(VERSION_2) :]
            elif (new or "").startswith("tensorflow.keras.") and f"tensorflow.{target}".startswith(f"{new}."):
                target = f"tensorflow.{target}"  # its copy of a module of Keras
            reached = target == new or target.startswith(f"{new}.")
            if new is not None and reached and (new != "tensorflow" or not hidden(target)):
                self.used.add(id(binding))
                return site.reference.root + target[len(new) :]
        return self.local(target, site.reference.scope)

    def _of_project(self, binding: Binding | None) -> bool:
        """Whether a name is imported from another module of the project, which keeps it."""
        if binding is None or binding.kind != "import" or not self.names.follows:
            return False
        return not self.rules.concerns(canonical(binding.target)[0].partition(".")[0])

    def is_gone(self, name: str) -> bool:
        """Whether TensorFlow 2 has a canonical name nowhere, and no rule knows better."""
        found = self.rules.disposition(name)
        return (
            found.kind in ("manual", "module", "unknown")
            and not found.exists
            and name.startswith("tensorflow.")
            and not self.rules.module_exists(name)
            and self.rules.compat_target(name) is None
        )

    def keep(self, site: Site) -> None:
        """The site stays as it is, and with it the name that it came through."""
        if site.resolved.binding is not None:
            self.used.add(id(site.resolved.binding))

    def replace(
        self,
        site: Site,
        target: str,
        code: str,
        reason: str,
        rung: Rung = Rung.NATIVE,
        confidence: Confidence = Confidence.PROVEN,
        findings: tuple[Finding, ...] = (),
    ) -> bool:
        """Write the site as `target`; True when the text changed."""
        reference = site.reference
        start, end = self.span(reference.node)
        if self.off(code, reference.node):
            self.keep(site)
            return False
        if not self.options.sure(confidence):
            self.keep(site)
            self.held_back(code, reference.node, reason, confidence, shown(site.resolved.name))
            return False
        new = self.text_for(site, target)
        old = ".".join((reference.root, *reference.attrs))
        if new == old:
            self.keep(site)
            return False
        if not self.readable(site):
            self.keep(site)
            self.in_fstring(site, code, new)
            return False
        symbol = shown(site.resolved.name)
        change = Change(
            code,
            reference.node.lineno,
            reference.node.end_lineno or reference.node.lineno,
            reason,
            symbol,
            rung,
            confidence,
        )
        self.edits.append(Edit(start, end, (new,), change, findings))
        return True

    def in_fstring(self, site: Site, code: str, new: str) -> None:
        symbol = shown(site.resolved.name)
        self.report(
            code,
            site.reference.node,
            f"{symbol} inside an f-string whose position Python does not tell",
            f"Write {new} there by hand.",
            symbol,
        )

    def leaves_compat(self, site: Site) -> bool:
        """Whether the site's own binding (``import tensorflow.compat.v1 as tf``) is rewritten."""
        binding = site.resolved.binding
        if binding is None:
            return False
        old = self.plan.old(binding)
        return old is not None and old[1] and self.plan.target(binding) == old[0]
