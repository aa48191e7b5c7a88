"""References that a rule decides: calls bound by pattern, names, functions passed as values."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable

from migrator.analysis.names import Scope
from migrator.engine import clock
from migrator.engine.callsite import CallSite, Unreadable, read_call
from migrator.engine.edits import Edit, Piece
from migrator.engine.packs import Rule
from migrator.engine.pattern import CallPattern, Match, Mismatch, NamePattern
from migrator.engine.precedence import hole_context
from migrator.engine.rendering import RenderError
from migrator.engine.ruleset import CompiledRule
from migrator.engine.shapes import has_rank_of_any
from migrator.engine.table_sites import TableSites
from migrator.engine.value_sites import UNSEEN, visible
from migrator.engine.work import FileWork, Site, shown
from migrator.model import Change

_BUILTINS = frozenset(dir(builtins))


class RuleSites:
    """Applies the rules of a reference's symbol, the first whose pattern fits."""

    def __init__(self, work: FileWork, tables: TableSites) -> None:
        self.work = work
        self.tables = tables

    def site(self, site: Site) -> None:
        """Edit or report a reference that rules are about."""
        if not clock.running():
            self._site(site)
            return
        with clock.timed(f"rule {self.work.rules.rules[site.disposition.key][0].rule.code}"):
            self._site(site)

    def _site(self, site: Site) -> None:
        found = site.disposition
        reference = site.reference
        compiled = self.work.rules.rules[found.key]
        active = [c for c in compiled if not self.work.off(c.rule.code, reference.call or reference.node)]
        if not active:
            self.work.keep(site)
            return
        sure = [c for c in active if c.template is None or self.work.options.sure(c.rule.confidence)]
        if not sure:
            rule = active[0].rule
            self.tables.keep_or_leave_compat(site)
            self.work.held_back(
                rule.code, reference.call or reference.node, rule.title, rule.confidence,
                shown(site.resolved.name),
            )  # fmt: skip
            return
        active = sure
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
            layout = read_call(self.work.text, self.work.lines, call)
        except (Unreadable, IndexError):
            self.work.keep(site)
            self.work.in_fstring(site, active[0].rule.code, "its successor")
            return True
        for item in active:
            if not isinstance(item.pattern, CallPattern):
                continue
            match = item.pattern.bind(layout.slots)
            if isinstance(match, Mismatch):
                if not match.given.isdisjoint(item.rule.extra.get("right_with", ())):
                    self.work.keep(site)  # means the same as before
                    return True
                why.append((item, match.reason))
                if match.hidden:
                    self._hidden(site, item, match.reason)
                    return True
                continue
            other = self._other_value(item.rule, match, site)
            if other is None:
                self.work.keep(site)  # written for TF 2
                return True
            if other:
                why.append((item, other))
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

    def _other_value(self, rule: Rule, match: Match, site: Site) -> str | None:
        """Why a rule is about other values than those of this call, None for one that it wrote.

        `lists` names parameters that must be given several tensors; `begins` gives for parameters
        what the text must look like with which their value begins; `written_out` names those whose
        value must not be known to be a tensor; `unless_read` members that only what TF 2 gives has;
        `unless_ranked` a condition and branches of no higher rank, which the rule is not about.
        """
        call = site.reference.call
        parent = self.work.parent(call) if call is not None else None
        if isinstance(parent, ast.Attribute) and parent.attr in rule.extra.get("unless_read", ()):
            return None
        if self._ranked(rule, match, site.reference.scope):
            return None
        for name in rule.extra.get("lists", ()):
            slot = match.holes.get(name)
            if slot is None or not self._several(slot.node, site.reference.scope):
                return f"{name} is not known to be a list"
        for name, form in rule.extra.get("begins", {}).items():
            slot = match.holes.get(name)
            if slot is None or not self._begins(slot.node, re.compile(form), site.reference.scope):
                return f"{name} is not known to begin like {form}"
        for name in rule.extra.get("written_out", ()):
            slot = match.holes.get(name)
            if slot is not None and self._tensor(slot.node, site.reference.scope):
                return f"{name} is a tensor"
        return ""

    def _ranked(self, rule: Rule, match: Match, scope: Scope) -> bool:
        slots = [match.holes.get(name) for name in rule.extra.get("unless_ranked", ())]
        nodes = [slot.node for slot in slots if slot is not None]
        return len(nodes) > 1 and has_rank_of_any(
            nodes[0], nodes[1:], lambda node: self.work.names.resolve_node(node, scope)
        )

    def _begins(self, node: ast.expr, form: re.Pattern[str], scope: Scope) -> bool:
        """Whether a string, or all that its name is bound to, begins with a text of that form."""
        if isinstance(node, ast.Name):
            found = self.work.names.find(node.id, scope)
            values = [getattr(b.node, "value", None) for b in found[1]] if found else []
            return bool(values) and all(
                isinstance(value, ast.Constant) and self._begins(value, form, scope)
                for value in values
            )
        while not isinstance(node, ast.Constant):
            if isinstance(node, ast.BinOp):  # "/gpu:%d" % i, "/gpu:" + n
                node = node.left
            elif isinstance(node, ast.JoinedStr) and node.values:
                node = node.values[0]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                node = node.func.value  # "/gpu:{}".format(i)
            else:
                return False
        return isinstance(node.value, str) and form.match(node.value) is not None

    def _tensor(self, node: ast.expr, scope: Scope) -> bool:
        """Whether an expression, or the first item of one that is written out, is what a function of
        TensorFlow gives."""
        if isinstance(node, (ast.List, ast.Tuple)) and node.elts:
            return self._tensor(node.elts[0], scope)
        if isinstance(node, ast.Subscript):
            return self._tensor(node.value, scope)
        made = self.work.names.resolve_node(node, scope)
        return made is not None and made.startswith("tensorflow.") and made.endswith("()")

    def _several(self, node: ast.expr, scope: Scope) -> bool:
        """Whether an expression, or all that its name is bound to, is a list of several things."""
        if isinstance(node, (ast.List, ast.Tuple)):
            return len(node.elts) > 1
        if isinstance(node, ast.Name):
            found = self.work.names.find(node.id, scope)
            values = [getattr(b.node, "value", None) for b in found[1]] if found else []
            return bool(values) and all(
                isinstance(value, (ast.List, ast.Tuple, ast.ListComp))
                and self._several(value, scope)
                for value in values
            )
        return isinstance(node, ast.ListComp)

    def _apply(
        self, site: Site, item: CompiledRule, match: Match, layout: CallSite
    ) -> None:
        call = site.reference.call
        template = item.template
        assert call is not None and template is not None
        scope = site.reference.scope
        before = set(self.work.used), dict(self.work.required)
        try:
            pieces = template.render(
                self.work.text, layout, match, self._printer(scope, site)
            )
        except RenderError:
            self.work.used, self.work.required = before
            raise
        raw = "".join(p if isinstance(p, str) else self.work.text[p[0] : p[1]] for p in pieces)
        if raw == self.work.text[layout.start : layout.end]:
            self.work.keep(site)
            return
        rule = item.rule
        parent = self.work.parent(call)
        if not template.is_call and (
            template.level < hole_context(call, parent)
            or ("\n" in raw and not _stands_alone(raw))
        ):
            pieces = ["(", *pieces, ")"]
        if site.reference.in_fstring and any(
            isinstance(p, str) and any(c in p for c in "\"'\\") for p in pieces
        ):
            self.work.used, self.work.required = before
            self.work.keep(site)
            self.work.in_fstring(site, rule.code, raw)
            return
        self.work.edits.append(
            Edit(layout.start, layout.end, tuple(pieces), self._change(rule, call, site))
        )
        if rule.finding:  # right as far as can be seen
            self.work.report(rule.code, call, rule.finding, rule.advice, shown(site.resolved.name))

    def _printer(self, scope: Scope, site: Site) -> Callable[[str], str]:
        return lambda name: self._ref(name, scope, site)

    def _ref(self, name: str, scope: Scope, site: Site) -> str:
        head = name.split(".")[0]
        if "." not in name and head in _BUILTINS:
            return name
        if name == site.resolved.name or name.startswith(site.resolved.name + "."):
            return self.work.text_for(site, name)
        return self.work.local(name, scope)

    def _change(self, rule: Rule, node: ast.AST, site: Site) -> Change:
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
        statement = self.work.parent(call)
        if not isinstance(statement, ast.Expr):
            return False
        self.work.deletions.add(statement, self._change(item.rule, call, site))
        return True

    def _only_finding(self, site: Site, item: CompiledRule) -> None:
        self.tables.keep_or_leave_compat(site)
        rule = item.rule
        self.work.report(
            rule.code,
            site.reference.call or site.reference.node,
            rule.finding,
            rule.advice or rule.why,
            shown(site.resolved.name),
            rule.rung,
        )

    def _hidden(self, site: Site, item: CompiledRule, reason: str) -> None:
        self.tables.keep_or_leave_compat(site)
        symbol = shown(site.resolved.name)
        self.work.report(
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
        if not self.work.readable(site):
            self.work.keep(site)
            self.work.in_fstring(site, item.rule.code, item.rule.rewrite)
            return
        node = reference.node
        for _ in range(found.rest.count(".")):
            assert isinstance(node, ast.Attribute)
            node = node.value
        start, end = self.work.span(node)
        scope = reference.scope
        pieces: list[Piece] = item.template.render(
            self.work.text, None, Match(), self._printer(scope, site)
        )
        raw = "".join(str(p) for p in pieces)
        if raw == self.work.text[start:end]:
            self.work.keep(site)
            return
        outer = reference.call if node is reference.node and reference.call else None
        context = 16 if found.rest or outer is not None else hole_context(node, self.work.parent(node))
        if item.template.level < context:
            pieces = ["(", *pieces, ")"]
        self.work.edits.append(Edit(start, end, tuple(pieces), self._change(item.rule, node, site)))

    def _without_rule(
        self, site: Site, active: list[CompiledRule], why: list[tuple[CompiledRule, str]]
    ) -> None:
        """No pattern fits: a reference that is not a call, or arguments nobody foresaw."""
        reference, found = site.reference, site.disposition
        call = reference.call
        if call is not None and not found.rest:
            if found.exists and self.tables.arguments.accepts(site, call):
                self.tables.same(site)
                return
        elif not found.rest and self._as_value(site, active):
            return
        elif found.exists:
            self.tables.same(site)
            return
        symbol = shown(site.resolved.name)
        reason = "; ".join(dict.fromkeys(text for _, text in why)) or "it is not called here"
        rule = active[0].rule
        entry = found.entry
        advice = (entry.advice or entry.target if entry else "") or rule.advice or rule.why
        if not found.exists and self.work.rules.compat_target(found.key) is not None:
            self.tables.compat(site, f"{rule.title}. Not done here: {reason}.")
            return
        self.tables.keep_or_leave_compat(site)
        self.work.report(
            rule.code,
            call or reference.node,
            f"{symbol} is not rewritten: {reason}",
            advice,
            symbol,
        )

    def _as_value(self, site: Site, active: list[CompiledRule]) -> bool:
        """Rewrite a function that is passed on rather than called."""
        reference, found = site.reference, site.disposition
        if isinstance(reference.parent, ast.ClassDef) or not self.work.readable(site):
            return False
        if found.exists and visible(self.work, site):
            self.tables.same(site)  # its calls, which are seen, are those of TF 2's
            return True
        if self.tables.values.by_rule(site, active, self._printer(reference.scope, site)):
            return True
        if self.work.rules.compat_target(found.key) is not None:
            self.tables.compat(site, f"{active[0].rule.title}. Not done here: {UNSEEN}.")
            return True
        return False


def _stands_alone(text: str) -> bool:
    """Whether an expression's line breaks are all inside brackets."""
    try:
        return len(ast.parse(text).body) == 1
    except SyntaxError:
        return False
