"""Turns the references of one file into edits and findings, each by its disposition."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import dataclass

from migrator.analysis.names import Binding, NameTable, Reference, Resolved, Scope
from migrator.engine import bindings as binding_plan
from migrator.engine.bindings import BindingPlan, split_import
from migrator.engine.callsite import CallSite, Unreadable, read_call
from migrator.engine.edits import Edit, Lines, Piece
from migrator.engine.imports import import_edits, local_name_for, missing
from migrator.engine.options import Options
from migrator.engine.pattern import CallPattern, Match, Mismatch, NamePattern
from migrator.engine.precedence import hole_context
from migrator.engine.ruleset import CompiledRule, Disposition, RuleSet
from migrator.engine.statements import Deletions
from migrator.engine.suppress import Suppressions
from migrator.engine.template import RenderError
from migrator.model import Change, Confidence, Finding, Rung

_BUILTINS = frozenset(dir(builtins))


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


def _default_code(kind: str, name: str) -> str:
    if not name.startswith("tensorflow"):
        return "PY201"
    return {"support": "TF201", "compat": "TF005", "manual": "TF003"}.get(kind, "TF101")


class SiteRewriter:
    """All edits of one file. `edits` and `findings` are complete after `run`."""

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
        self._parents: dict[int, ast.AST] | None = None
        self._dynamic_reported: set[int] = set()

    def run(self, sites: list[Site]) -> None:
        """Decide every site, then the bindings, then add the imports that are needed."""
        frozen = frozenset(
            line for line, codes in self.suppressions.lines.items() if not codes
        )
        self.plan = BindingPlan(self.names, self.rules, sites, frozen)
        alias_nodes = {
            id(b.node): b
            for b in self.names.bindings()
            if b.kind == "alias" and isinstance(b.node, ast.Assign)
        }
        later: list[tuple[Site, Binding]] = []
        for site in sites:
            alias = alias_nodes.get(id(site.reference.parent))
            if alias is not None and site.reference.node is alias.value:
                later.append((site, alias))
            else:
                self._site(site)
        for site, alias in reversed(later):
            self._alias(site, alias)
        self._star_imports()
        dropped = self._import_statements()
        needed = missing(
            self.names, [(module, name, local) for (module, name), local in self.required.items()]
        )
        needed = [item for item in needed if item not in self._written_imports]
        self.edits += import_edits(self.text, self.tree, self.lines, needed, dropped)
        self.edits += self.deletions.edits()

    # -- places

    def _span(self, node: ast.expr) -> tuple[int, int]:
        return (
            self.lines.offset(node.lineno, node.col_offset),
            self.lines.offset(node.end_lineno or 0, node.end_col_offset or 0),
        )

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The syntax node that holds `node`."""
        if self._parents is None:
            self._parents = {
                id(child): holder
                for holder in ast.walk(self.tree)
                for child in ast.iter_child_nodes(holder)
            }
        return self._parents.get(id(node))

    def _readable(self, site: Site) -> bool:
        """Whether the text at the site's position is the site (not so in some f-strings)."""
        start, end = self._span(site.reference.node)
        own = "".join(self.text[start:end].split())
        expected = ".".join((site.reference.root, *site.reference.attrs))
        if own == expected:
            return True
        return not site.reference.in_fstring and own.startswith(site.reference.root)

    # -- reporting

    def _off(self, code: str, node: ast.AST) -> bool:
        if not self.options.allows(code):
            return True
        if not self.suppressions:
            return False
        first = getattr(node, "lineno", 1)
        return self.suppressions.covers(code, first, getattr(node, "end_lineno", first))

    def _finding(
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

    def _report(self, *args: object, **kwargs: object) -> None:
        self.findings.append(self._finding(*args, **kwargs))  # type: ignore[arg-type]

    # -- names in the new text

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
                self.names, module, name, asname, taken
            )
        return self.required[module, name] + suffix

    def _text_for(self, site: Site, target: str) -> str:
        """How the site writes `target`, through its own binding where that leads there."""
        binding = site.resolved.binding
        if binding is not None and not site.resolved.star:
            new = self.plan.target(binding)
            if new is not None and (target == new or target.startswith(new + ".")):
                self.used.add(id(binding))
                return site.reference.root + target[len(new) :]
        return self.local(target, site.reference.scope)

    def _keep(self, site: Site) -> None:
        """The site stays as it is, and with it the name that it came through."""
        if site.resolved.binding is not None:
            self.used.add(id(site.resolved.binding))

    # -- sites

    def _site(self, site: Site) -> None:
        reference = site.reference
        kind = site.disposition.kind
        if kind == "none":
            self._dynamic(site)
            return
        if reference.role != "load":
            self._assigned(site)
            return
        if kind == "module":
            self._module(site)
        elif kind == "rule":
            self._rule(site)
        elif kind in ("rename", "support"):
            self._table(site)
        elif kind == "same":
            self._same(site)
        elif kind == "compat":
            self._compat(site, "")
        elif kind == "manual":
            self._manual(site)
        else:
            self._unknown(site)

    def _replace(
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
        start, end = self._span(reference.node)
        if self._off(code, reference.node):
            self._keep(site)
            return False
        new = self._text_for(site, target)
        old = ".".join((reference.root, *reference.attrs))
        if new == old:
            self._keep(site)
            return False
        if not self._readable(site):
            self._keep(site)
            self._in_fstring(site, code, new)
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

    def _in_fstring(self, site: Site, code: str, new: str) -> None:
        symbol = shown(site.resolved.name)
        self._report(
            code,
            site.reference.node,
            f"{symbol} inside an f-string whose position Python does not tell",
            f"Write {new} there by hand.",
            symbol,
        )

    def _table(self, site: Site) -> None:
        found = site.disposition
        entry = found.entry
        code = (entry.code if entry else "") or _default_code(found.kind, found.key)
        target = found.target + found.rest
        support = found.kind == "support"
        reason = f"{shown(found.key)} is {shown(found.target)}" + (
            " of the support package" if support else " in TensorFlow 2"
        )
        if not found.key.startswith("tensorflow"):
            reason = f"{shown(found.key)} is now {shown(found.target)}"
        if entry is not None and entry.message:
            reason = entry.message
        self._replace(
            site,
            target,
            code,
            reason,
            Rung.SUPPORT if support else Rung.NATIVE,
            entry.confidence if entry else Confidence.PROVEN,
        )

    def _same(self, site: Site) -> None:
        name = site.resolved.name
        self._replace(site, name, "TF101", f"{shown(name)} is part of TensorFlow 2")

    def _compat(self, site: Site, advice: str) -> None:
        found = site.disposition
        target = self.rules.compat_target(found.key)
        symbol = shown(found.key)
        if target is None:
            self._unknown(site)
            return
        finding = self._finding(
            "TF005",
            site.reference.node,
            f"{symbol} has no native rewrite here; tf.compat.v1 keeps it running",
            advice or "Rewrite it for TensorFlow 2 when you touch this code.",
            symbol,
            Rung.COMPAT,
        )
        self.findings.append(finding)
        if site.resolved.compat and not self._leaves_compat(site):
            self._keep(site)
            return
        self._replace(
            site,
            target + found.rest,
            "TF005",
            f"{symbol} exists in TensorFlow 2 only as {shown(target)}",
            Rung.COMPAT,
            Confidence.LIKELY,
        )

    def _leaves_compat(self, site: Site) -> bool:
        """Whether the site's own binding (``import tensorflow.compat.v1 as tf``) is rewritten."""
        binding = site.resolved.binding
        if binding is None:
            return False
        old = self.plan.old(binding)
        return old is not None and old[1] and self.plan.target(binding) == old[0]

    def _manual(self, site: Site) -> None:
        found = site.disposition
        entry = found.entry
        advice = (entry.advice or entry.target) if entry else ""
        code = (entry.code if entry else "") or "TF003"
        symbol = shown(found.key)
        if self.rules.compat_target(found.key) is not None and not found.exists:
            self._compat(site, advice)
            return
        self._keep_or_leave_compat(site)
        message = (entry.message if entry else "") or f"{symbol} has no automatic rewrite"
        self._report(code, site.reference.node, message, advice, symbol)

    def _keep_or_leave_compat(self, site: Site) -> None:
        """Leave the site alone, but say compat.v1 where its import no longer does."""
        found = site.disposition
        target = self.rules.compat_target(found.key) if found.key else None
        if site.resolved.compat and target is not None and self._leaves_compat(site):
            self._replace(
                site,
                target + found.rest,
                "TF005",
                f"{shown(found.key)} stays in tf.compat.v1",
                Rung.COMPAT,
            )
        else:
            self._keep(site)

    def _unknown(self, site: Site) -> None:
        self._keep_or_leave_compat(site)
        symbol = shown(site.resolved.name)
        self._report(
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
            new = self.plan.target(binding) if binding is not None else None
            if new is not None and not reference.attrs:
                self._keep(site)
            else:
                self._unknown(site)
            return
        if name == "tensorflow" and not reference.attrs:
            self._keep(site)
        else:
            self._same(site)
        holder = reference.parent
        if isinstance(holder, (ast.Call, ast.keyword)) and reference.call is None:
            if id(holder) in self._dynamic_reported or _callee(holder) in ("getattr", "hasattr"):
                return
            self._report(
                "TF004",
                reference.node,
                f"the module {shown(name)} is passed on as a value; what is read from it is "
                "not checked",
                "Check the names that the receiver reads from it against TensorFlow 2.",
                shown(name),
            )

    def _assigned(self, site: Site) -> None:
        self._keep(site)
        reference = site.reference
        if not reference.attrs:
            return
        symbol = shown(site.resolved.name)
        self._report(
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
            target = self.names.resolve(dotted, site.reference.scope) if dotted else None
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
                   for b in self.names.bindings()):  # fmt: skip
                what = f"{name[len('builtins.'):]} runs code that is not checked"
        if what:
            self._dynamic_reported.add(id(call))
            self._report(
                "TF004",
                call,
                what,
                "Check by hand that the names it reaches exist in TensorFlow 2.",
            )

    # -- rules

    def _rule(self, site: Site) -> None:
        found = site.disposition
        reference = site.reference
        compiled = self.rules.rules[found.key]
        active = [c for c in compiled if not self._off(c.rule.code, reference.call or reference.node)]
        if not active:
            self._keep(site)
            return
        why: list[tuple[CompiledRule, str]] = []
        if reference.call is not None and not found.rest:
            outcome = self._call_rules(site, active, why)
            if outcome:
                return
        for item in active:
            if isinstance(item.pattern, NamePattern):
                self._name_rule(site, item)
                return
        self._without_rule(site, active, why)

    def _call_rules(
        self, site: Site, active: list[CompiledRule], why: list[tuple[CompiledRule, str]]
    ) -> bool:
        call = site.reference.call
        assert call is not None
        try:
            layout = read_call(self.text, self.lines, call)
        except (Unreadable, IndexError):
            self._keep(site)
            self._in_fstring(site, active[0].rule.code, "its successor")
            return True
        for item in active:
            if not isinstance(item.pattern, CallPattern):
                continue
            match = item.pattern.bind(layout.slots)
            if isinstance(match, Mismatch):
                why.append((item, match.reason))
                if match.hidden:
                    self._hidden(site, item, match.reason)
                    return True
                continue
            if item.rule.delete:
                if self._delete(site, item, call):
                    return True
                why.append((item, "its value is used"))
                continue
            if item.template is None:
                self._only_finding(site, item)
                return True
            try:
                self._apply(site, item, match, layout)
            except RenderError as error:
                why.append((item, str(error)))
                continue
            return True
        return False

    def _apply(
        self, site: Site, item: CompiledRule, match: Match, layout: CallSite
    ) -> None:
        call = site.reference.call
        template = item.template
        assert call is not None and template is not None
        scope = site.reference.scope
        before = set(self.used), dict(self.required)
        try:
            pieces = template.render(
                self.text, layout, match, self._printer(scope, site)
            )
        except RenderError:
            self.used, self.required = before
            raise
        raw = "".join(p if isinstance(p, str) else self.text[p[0] : p[1]] for p in pieces)
        if raw == self.text[layout.start : layout.end]:
            self._keep(site)
            return
        rule = item.rule
        parent = self.parent(call)
        if not template.is_call and (
            template.level < hole_context(call, parent)
            or ("\n" in raw and not raw.startswith("("))
        ):
            pieces = ["(", *pieces, ")"]
        if site.reference.in_fstring and any(
            isinstance(p, str) and any(c in p for c in "\"'\\") for p in pieces
        ):
            self.used, self.required = before
            self._keep(site)
            self._in_fstring(site, rule.code, raw)
            return
        self.edits.append(
            Edit(layout.start, layout.end, tuple(pieces), self._change(rule, call, site))
        )

    def _printer(self, scope: Scope, site: Site) -> Callable[[str], str]:
        return lambda name: self._ref(name, scope, site)

    def _ref(self, name: str, scope: Scope, site: Site) -> str:
        head = name.split(".")[0]
        if "." not in name and head in _BUILTINS:
            return name
        if name == site.resolved.name or name.startswith(site.resolved.name + "."):
            return self._text_for(site, name)
        return self.local(name, scope)

    def _change(self, rule: object, node: ast.AST, site: Site) -> Change:
        from migrator.engine.packs import Rule

        assert isinstance(rule, Rule)
        first = getattr(node, "lineno", 1)
        return Change(
            rule.code,
            first,
            getattr(node, "end_lineno", first) or first,
            rule.title,
            shown(site.resolved.name),
            rule.rung,
            rule.confidence,
        )

    def _delete(self, site: Site, item: CompiledRule, call: ast.Call) -> bool:
        statement = self.parent(call)
        if not isinstance(statement, ast.Expr):
            return False
        self.deletions.add(statement, self._change(item.rule, call, site))
        return True

    def _only_finding(self, site: Site, item: CompiledRule) -> None:
        self._keep_or_leave_compat(site)
        rule = item.rule
        self._report(
            rule.code,
            site.reference.call or site.reference.node,
            rule.finding,
            rule.advice or rule.why,
            shown(site.resolved.name),
            rule.rung,
        )

    def _hidden(self, site: Site, item: CompiledRule, reason: str) -> None:
        self._keep_or_leave_compat(site)
        symbol = shown(site.resolved.name)
        self._report(
            item.rule.code,
            site.reference.call or site.reference.node,
            f"{symbol} is not rewritten: {reason}",
            f"Spell the arguments out, or write this call for TensorFlow 2 by hand: "
            f"{item.rule.title}.",
            symbol,
        )

    def _name_rule(self, site: Site, item: CompiledRule) -> None:
        reference, found = site.reference, site.disposition
        if item.template is None:
            self._only_finding(site, item)
            return
        if not self._readable(site):
            self._keep(site)
            self._in_fstring(site, item.rule.code, item.rule.rewrite)
            return
        node = reference.node
        for _ in range(found.rest.count(".")):
            assert isinstance(node, ast.Attribute)
            node = node.value
        start, end = self._span(node)
        scope = reference.scope
        pieces: list[Piece] = item.template.render(
            self.text, None, Match(), self._printer(scope, site)
        )
        raw = "".join(str(p) for p in pieces)
        if raw == self.text[start:end]:
            self._keep(site)
            return
        outer = reference.call if node is reference.node and reference.call else None
        context = 16 if found.rest or outer is not None else hole_context(node, self.parent(node))
        if item.template.level < context:
            pieces = ["(", *pieces, ")"]
        self.edits.append(Edit(start, end, tuple(pieces), self._change(item.rule, node, site)))

    def _without_rule(
        self, site: Site, active: list[CompiledRule], why: list[tuple[CompiledRule, str]]
    ) -> None:
        """No pattern fits: a reference that is not a call, or arguments nobody foresaw."""
        reference, found = site.reference, site.disposition
        call = reference.call
        if call is not None and not found.rest:
            if found.exists and self._accepted(site, call):
                self._same(site)
                return
        elif not found.rest and self._as_value(site, active):
            return
        elif found.exists:
            self._same(site)
            return
        symbol = shown(site.resolved.name)
        reason = "; ".join(dict.fromkeys(text for _, text in why)) or "it is not called here"
        rule = active[0].rule
        entry = found.entry
        advice = (entry.advice or entry.target if entry else "") or rule.advice or rule.why
        if not found.exists and self.rules.compat_target(found.key) is not None:
            self._compat(site, f"{rule.title}. Not done here: {reason}.")
            return
        self._keep_or_leave_compat(site)
        self._report(
            rule.code,
            call or reference.node,
            f"{symbol} is not rewritten: {reason}",
            advice,
            symbol,
        )

    def _accepted(self, site: Site, call: ast.Call) -> bool:
        """Whether TF 2's function of the same name takes these arguments with their meaning."""
        new = self.rules.tf2.signature(site.disposition.key)
        old = self.rules.tf1.signature(site.disposition.key)
        if new is None:
            return False
        keywords = [k.arg for k in call.keywords]
        if None in keywords or any(isinstance(a, ast.Starred) for a in call.args):
            return False
        names = [p.name for p in new if p.kind == "positional"]
        every = {p.name for p in new}
        open_ended = any(p.kind == "**" for p in new)
        if not open_ended and not all(k in every for k in keywords):
            return False
        old_names = [p.name for p in old if p.kind == "positional"] if old else names
        for position in range(len(call.args)):
            if position >= len(names) or names[position : position + 1] != old_names[
                position : position + 1
            ]:
                return False
        return True

    def _as_value(self, site: Site, active: list[CompiledRule]) -> bool:
        """Rewrite a function that is passed on rather than called."""
        reference = site.reference
        if isinstance(reference.parent, ast.ClassDef) or not self._readable(site):
            return False
        for item in active:
            pattern, template = item.pattern, item.template
            if not isinstance(pattern, CallPattern) or template is None or pattern.literals:
                continue
            if site.resolved.name in template.refs and template.is_call:
                self._keep(site)  # the function itself stays; only some of its keywords changed
                return True
            if pattern.rest or pattern.keyword_rest:
                continue
            names = [pattern.holes[p.name] for p in pattern.params if p.name in pattern.required]
            if not names or any(name in self.names.used_names and name == reference.root
                                for name in names):  # fmt: skip
                continue
            scope = reference.scope
            before = set(self.used), dict(self.required)
            try:
                text = template.as_lambda(names, self._printer(scope, site))
            except RenderError:
                self.used, self.required = before
                continue
            if hole_context(reference.node, self.parent(reference.node)) > 1:
                text = f"({text})"
            start, end = self._span(reference.node)
            change = self._change(item.rule, reference.node, site)
            change = Change(
                change.code,
                change.line,
                change.end_line,
                change.reason,
                change.symbol,
                change.rung,
                Confidence.LIKELY,
            )
            self.edits.append(Edit(start, end, (text,), change))
            return True
        return False

    # -- bindings

    def _alias(self, site: Site, alias: Binding) -> None:
        """``slim = tf.contrib.slim``: becomes an import, goes, or has its value rewritten."""
        statement = alias.node
        assert isinstance(statement, ast.Assign)
        if alias in self.plan.converted:
            target = str(self.plan.target(alias))
            module, name, _, _ = split_import(target)
            if not self._off(self._code_of(site), statement):
                self.required[module, name] = alias.name
                self.deletions.add(
                    statement,
                    Change(
                        self._code_of(site),
                        statement.lineno,
                        statement.end_lineno or statement.lineno,
                        f"{shown(site.resolved.name)} is imported as {target}",
                        shown(site.resolved.name),
                        Rung.SUPPORT if site.disposition.kind == "support" else Rung.NATIVE,
                    ),
                )
                return
        uses = self.plan.sites.get(id(alias), [])
        gone = (
            bool(uses)
            and id(alias) not in self.used
            and len(statement.targets) == 1
            and not site.disposition.exists
            and len(alias.scope.bindings[alias.name]) == 1
        )
        if gone:
            self.deletions.add(
                statement,
                Change(
                    self._code_of(site),
                    statement.lineno,
                    statement.end_lineno or statement.lineno,
                    f"nothing uses {alias.name} any more",
                    shown(site.resolved.name),
                ),
            )
            return
        self._site(site)

    def _code_of(self, site: Site) -> str:
        entry = site.disposition.entry
        if entry is not None and entry.code:
            return entry.code
        kind = site.disposition.kind
        if kind == "module":
            kind = "support"
        return _default_code(kind, site.resolved.name)

    def _star_imports(self) -> None:
        for star in self.names.module_scope.stars:
            top = star.target.split(".")[0]
            if top in ("tensorflow", "tf_slim", "tensorflow_core"):
                self._report(
                    "TF004",
                    star.node,
                    f"names come from `from {star.target} import *`; only those that the TF 1 "
                    "documentation lists are followed",
                    "Import the module and write its name before each use.",
                )

    def _import_statements(self) -> frozenset[int]:
        """Rewrite or drop imports whose target changed; ids of statements that went."""
        dropped: set[int] = set()
        self._written_imports: set[tuple[str, str | None, str]] = set()
        seen: set[str] = set()
        for group in binding_plan.statements(self.names).values():
            node = group[0].node
            assert isinstance(node, (ast.Import, ast.ImportFrom))
            kept: list[ast.alias] = []
            new: list[str] = []
            changes: list[Change] = []
            for binding in group:
                alias = node.names[binding.alias_index]
                outcome = self._import_outcome(binding, node, alias)
                if outcome is None:
                    kept.append(alias)
                    continue
                statement, change = outcome
                changes.append(change)
                if statement and not (statement in seen and binding.scope.kind == "module"
                                      and node in self.tree.body):  # fmt: skip
                    new.append(statement)
                    if node in self.tree.body:
                        seen.add(statement)
            if not changes:
                continue
            if not kept and not new:
                dropped.add(id(node))
                for change in changes[:1]:
                    self.deletions.add(node, change)
                continue
            self._write_import(node, kept, new, changes)
        return frozenset(dropped)

    def _write_import(
        self,
        node: ast.Import | ast.ImportFrom,
        kept: list[ast.alias],
        new: list[str],
        changes: list[Change],
    ) -> None:
        start = self.lines.offset(node.lineno, node.col_offset)
        end = self.lines.offset(node.end_lineno or 0, node.end_col_offset or 0)
        line_start = self.lines.starts[node.lineno - 1]
        indent = self.text[line_start:start]
        newline = "\r\n" if "\r\n" in self.text else "\n"
        if indent.strip():  # a semicolon or colon before it
            joint, indent = "; ", ""
        else:
            joint = newline + indent
        lines = [binding_plan.rebuilt(node, kept, indent)] if kept else []
        lines += new
        text = joint.join(dict.fromkeys(lines))
        self.edits.append(Edit(start, end, (text,), changes[0]))
        self.edits += [Edit(end, end, (), change) for change in changes[1:]]

    def _import_outcome(
        self, binding: Binding, node: ast.Import | ast.ImportFrom, alias: ast.alias
    ) -> tuple[str, Change] | None:
        """None to keep the name; else (its new statement or ``""``, what to report)."""
        old = self.plan.old(binding)
        if old is None or not self.rules.concerns(old[0].split(".")[0]):
            return None
        name, _ = old
        whole = isinstance(node, ast.Import) and alias.asname is None and "." in alias.name
        target = self.plan.target(binding)
        uses = self.plan.sites.get(id(binding), [])
        used = id(binding) in self.used
        written = binding.target
        found = self.rules.disposition(name)
        code = _default_code(found.kind if found.kind != "module" else "support", name)
        if found.entry is not None and found.entry.code:
            code = found.entry.code
        if found.kind in ("same",) or name == "tensorflow":
            code = "TF101"
        if self._off(code, node):
            return None

        def change(reason: str) -> Change:
            return Change(
                code,
                node.lineno,
                node.end_lineno or node.lineno,
                reason,
                shown(name),
                Rung.SUPPORT if (target or "").startswith("tf1_support") else Rung.NATIVE,
            )

        if whole:
            return self._submodule(alias, uses, used, change(f"{alias.name} is not in TensorFlow 2"))
        if target is None:
            if used:
                return None
            if uses or found.kind in ("module", "unknown", "manual"):
                if not uses:
                    self._report(
                        "TF003",
                        node,
                        f"{written} is imported but TensorFlow 2 does not have it",
                        "The import was taken out, as nothing in this file uses the name; look "
                        "for files that import it from here.",
                        shown(name),
                    )
                return "", change(f"nothing uses {alias.asname or alias.name} any more")
            return None
        if uses and not used and (target != written or not self.rules.module_exists(written)):
            return "", change(f"nothing uses {binding.name} any more")
        if uses and not used and name != "tensorflow" and not found.exists:
            return "", change(f"nothing uses {binding.name} any more")
        if target == written:
            return None
        if target.startswith("builtins."):
            return None if used else ("", change(f"{shown(name)} is built in"))
        statement = binding_plan.statement_of(target, binding.name, node)
        module, part, _, rest = split_import(target)
        if not rest:
            self._written_imports.add((module, part, binding.name))
        return statement, change(f"{written} is now {target}")

    def _submodule(
        self, alias: ast.alias, uses: list[Site], used: bool, change: Change
    ) -> tuple[str, Change] | None:
        """``import tensorflow.contrib.slim`` binds `tensorflow` and loads a submodule."""
        from migrator.analysis.names import canonical

        name, compat = canonical(alias.name)
        if not compat and self.rules.module_exists(name):
            return None
        if compat and not used:
            return "", change
        if used:
            return "import tensorflow", change
        return "", change


def _callee(node: ast.AST) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id
    return ""
