"""Functions that are passed on rather than called: `def f(x, drop=tf.nn.dropout)`, `[tf.argmax]`.

Who calls them, and how, is not seen. What takes the place of such a function must therefore take every
call that TensorFlow 1's took, and mean the same by it: the function of TF 2 if nothing about it changed,
a lambda with all of TF 1's parameters, or TF 1's own function in tf.compat.v1.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from migrator import support
from migrator.analysis.api import Parameter, parse_signature
from migrator.engine.argument_sites import ArgumentSites, is_type, partial_call
from migrator.engine.edits import Edit
from migrator.engine.pattern import CallPattern
from migrator.engine.precedence import hole_context
from migrator.engine.rendering import RenderError
from migrator.engine.ruleset import SUPPORT
from migrator.engine.template import Template
from migrator.engine.work import FileWork, Site, shown
from migrator.model import Change, Confidence

if TYPE_CHECKING:
    from migrator.engine.ruleset import CompiledRule

UNSEEN = "it is passed on as a value, so its calls are not seen here"
# Parameters whose functions are called with a tensor alone.
_ACTIVATIONS = ("activation", "activation_fn", "nonlinearity")

Printer = Callable[[str], str]


def visible(work: FileWork, site: Site) -> bool:
    """Whether a reference is the value of an alias whose uses are all followed (``drop =
    tf.nn.dropout``): its calls are rewritten where they are."""
    statement = site.reference.parent
    if not isinstance(statement, ast.Assign) or statement.value is not site.reference.node:
        return False
    for target in statement.targets:
        if not isinstance(target, ast.Name) or site.reference.scope.kind == "class":
            return False  # an attribute: others reach it through the object
        root = work.names.root(target.id, site.reference.scope)
        if root is None or root.binding is None or root.binding.node is not statement:
            return False  # bound to other things as well
    return True


class ValueSites:
    """Decides about one reference at a time."""

    def __init__(self, work: FileWork, arguments: ArgumentSites) -> None:
        self.work = work
        self.arguments = arguments

    # -- what a table or the snapshots decide

    def unfit(self, site: Site, target: str) -> str:
        """Why `target`, a name of TensorFlow 2, must not take the place of a function that is passed
        on; ``""`` where it may. Differences that only some calls meet, which then fail, are reported."""
        fit = self.work.rules.fit(site.resolved.name, target)
        reference = site.reference
        if fit.new is None or reference.role != "load" or is_type(self.work, site):
            return ""
        if isinstance(reference.parent, ast.ClassDef) or self.work.rules.tf1.kind(
            site.resolved.name
        ) == "class":
            self.arguments.other_defaults(site, target)
            return ""
        if visible(self.work, site) or reference.node in getattr(reference.parent, "decorator_list", ()):
            return ""
        compat = self.work.rules.compat_target(site.disposition.key) is not None
        if compat and (fit.moved or fit.written):
            return UNSEEN
        if not compat:
            self.arguments.other_defaults(site, target)
        call = partial_call(site)
        given = {fit.target(k.arg) for k in call.keywords if k.arg} if call is not None else set()
        changed = [name for name in fit.changed if fit.target(name) not in given]
        if changed and not self._activation(site) and not self._called_without(site, changed):
            self.work.report(
                "TF104", reference.node,
                f"{shown(target)} is called otherwise than in TensorFlow 1, and the calls of what is "
                f"passed on here are not seen: {', '.join(changed)}",
                "Look at its calls: " + ", ".join(self._now(fit.target(name), name) for name in changed)
                + ".",
                shown(site.resolved.name),
            )  # fmt: skip
        return ""

    def _called_without(self, site: Site, changed: list[str]) -> bool:
        """Whether a function is the default of a parameter that its function only calls, with one positional
        argument at most and without what has changed: then these are all calls of it."""
        node = site.reference.node
        for holder in ast.walk(self.work.tree):
            if not isinstance(holder, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            given, places = holder.args, [*holder.args.posonlyargs, *holder.args.args]
            pairs = [*zip(reversed(places), reversed(given.defaults), strict=False),
                     *zip(given.kwonlyargs, given.kw_defaults, strict=True)]  # fmt: skip
            name = next((p.arg for p, default in pairs if default is node), None)
            if name is None:
                continue
            inner = [n for statement in holder.body for n in ast.walk(statement)]
            calls = [n for n in inner if isinstance(n, ast.Call) and getattr(n.func, "id", "") == name]
            uses = [n for n in inner if isinstance(n, ast.Name) and n.id == name]
            if {id(c.func) for c in calls} != {id(n) for n in uses} or "locals" in {
                n.id for n in inner if isinstance(n, ast.Name)
            }:
                return False
            return all(
                len(c.args) <= 1 and not any(isinstance(a, ast.Starred) for a in c.args)
                and not any(k.arg is None or k.arg in changed for k in c.keywords)
                for c in calls
            )
        return False

    @staticmethod
    def _now(known: object, name: str) -> str:
        to = getattr(known, "to", "")
        return f"{name} is {to} now" if to and to != name else f"{name} is gone"

    def _activation(self, site: Site) -> bool:
        node, holder = site.reference.node, site.reference.parent
        if isinstance(holder, ast.Call) and node in holder.args:  # ``tf.layers.dense(x, 3, tf.nn.softmax)``
            called = self.work.names.resolve_node(holder.func, site.reference.scope) or ""
            taken = self.work.rules.tf1.signature(called) or ()
            place = holder.args.index(node)
            starred = any(isinstance(argument, ast.Starred) for argument in holder.args[:place])
            return not starred and place < len(taken) and taken[place].name.endswith(_ACTIVATIONS)
        return isinstance(holder, ast.keyword) and (holder.arg or "").endswith(_ACTIVATIONS)

    # -- what rules decide

    def by_rule(self, site: Site, active: list[CompiledRule], printer: Printer) -> bool:
        """Put a function with the parameters of TensorFlow 1's in its place, if a rule's rewrite takes
        all of them as they come: the one that the rewrite calls, or a lambda."""
        for item in active:
            pattern, template = item.pattern, item.template
            if not isinstance(pattern, CallPattern) or template is None or pattern.literals:
                continue
            if pattern.rest or pattern.keyword_rest or not self.work.options.sure(Confidence.LIKELY):
                continue
            if item.rule.extra.keys() & {"needs", "lists", "unless_read"}:
                continue  # a rule for some calls only
            parameters = [(p.name, p.default) for p in pattern.params]
            if not all(self._passed(template, pattern.holes.get(n), n, d) for n, d in parameters):
                continue
            same = self._same_call(template, pattern)
            before = set(self.work.used), dict(self.work.required)
            modules: set[str] = set()
            try:
                text = (
                    printer(same) if same
                    else template.as_lambda(parameters, pattern.holes, _noting(printer, modules))
                )  # fmt: skip
            except RenderError:
                self.work.used, self.work.required = before
                continue
            if modules & pattern.holes.keys():  # a parameter would hide it
                self.work.used, self.work.required = before
                continue
            self._write(site, item, text, 0 if same else 1)
            return True
        return False

    def _passed(self, template: Template, hole: str | None, name: str, default: str | None) -> bool:
        """Whether a parameter may be left to its default: the rewrite hands it on as it is to
        something that has the same default, or it only names an operation."""
        if hole is None:
            return False
        taken = template.taken_by(hole)
        if default is None:
            return bool(taken)
        for use in taken:
            parameter = None if use is None else self._parameter(*use)
            if parameter is None or name != "name" and parameter.default != default:
                return False
        return bool(taken)

    def _parameter(self, function: str, where: str | int) -> Parameter | None:
        """The parameter of a function of TensorFlow 2 or the support package that an argument is for."""
        if function.startswith(f"{SUPPORT}."):
            text = support.signature(function.partition(".")[2])
            signature = parse_signature(text) if text else None
        else:
            signature = self.work.rules.tf2.signature(function)
        for place, parameter in enumerate(signature or ()):
            if where in (place, parameter.name):
                return parameter
        return None

    def _same_call(self, template: Template, pattern: CallPattern) -> str | None:
        """The function that a rewrite calls, if it takes all arguments as the old one did."""
        function = None
        for place, parameter in enumerate(pattern.params):
            taken = template.taken_by(pattern.holes[parameter.name])
            use = taken[0] if len(taken) == 1 else None
            found = self._parameter(*use) if use is not None else None
            there = self._parameter(use[0], place) if use is not None else None
            if use is None or found is None or found != there or found.name != parameter.name:
                return None
            function = use[0]
        return function if template.is_call and function in template.refs else None

    def _write(self, site: Site, item: CompiledRule, text: str, level: int) -> None:
        reference = site.reference
        if level and hole_context(reference.node, self.work.parent(reference.node)) > level:
            text = f"({text})"
        start, end = self.work.span(reference.node)
        first = reference.node.lineno
        change = Change(
            item.rule.code, first, reference.node.end_lineno or first, item.rule.title,
            shown(site.resolved.name), item.rule.rung, item.rule.confidence,
        )  # fmt: skip
        change = replace(change, confidence=Confidence.LIKELY)
        self.work.edits.append(Edit(start, end, (text,), change))


def _noting(printer: Printer, modules: set[str]) -> Printer:
    """`printer`, which also notes by which local names it prints."""

    def noting(name: str) -> str:
        text = printer(name)
        modules.add(text.partition(".")[0])
        return text

    return noting
