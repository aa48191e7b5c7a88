"""Turns run sites into calls of the functions made for them."""

from __future__ import annotations

import ast
import re

from migrator.analysis import graph_kinds as k
from migrator.analysis.program_items import Item, Obstacle, RunSite
from migrator.analysis.tree_walk import calls_in, walk
from migrator.analysis.values import argument
from migrator.transforms.sessions.helpers import parameter_name, wrapped
from migrator.transforms.sessions.planning.statements import StatementPlanner
from migrator.transforms.sessions.records import Leaf, Note, Site
from migrator.transforms.sessions.step import StepFunction

# What gives sparse tensors, of which a session gave three arrays.
_SPARSE = re.compile(
    r"ctc_\w+_decoder|SparseTensor\b|string_split|VarLenFeature|\bsparse\.|sparse_softmax\b|"
    r"sparse_(?:concat|slice|split|reorder|retain|transpose|reshape|add|mask|merge|maximum|minimum)"
)
_NO_VALUE = ("the result of an op without value is used", "do not assign it")


class CallWriter(StatementPlanner):
    """Writes the calls, and NumPy values where the program had them."""

    def _rewrite_site(self, site: Site) -> None:
        run = site.run
        assert run.item is not None
        stmt = run.item.stmt
        outputs = [leaf for leaf in site.leaves if leaf.used and leaf.has_value]
        if site.function is None:
            if run.style in ("loop", "evaluate"):
                raise Obstacle(run.call, "no input is seen of what it runs again and again",
                               "iterate over the data set, and call a tf.function of its batches")
            self._rewrite_direct(site, stmt)
            return
        function = site.function
        called = f"{self.shared.owner}._{function.name}" if self.shared.owner else function.name
        call = f"{called}({', '.join(self._call_arguments(site, function))})"
        if run.style == "loop":
            self._looped_call(site, called, self._call_arguments(site, function))
            return
        if run.style == "evaluate":
            self._evaluated_call(site, called, self._call_arguments(site, function))
            return
        if self.monitor:
            call = self._monitored_call(called, self._call_arguments(site, function), outputs)
        self.notes.append(Note("TF302", run.call, f"the run becomes a call of {function.name}",
                               "tensorflow.Session.run"))
        if function.element is not None:
            self._stop_iteration(run.item)
        whole = isinstance(stmt, ast.Expr) and stmt.value is run.call and not site.shown
        if whole or (isinstance(stmt, ast.Assign) and stmt.value is run.call and not outputs):
            if isinstance(stmt, ast.Assign) and any(leaf.used for leaf in site.leaves):
                raise Obstacle(stmt, *_NO_VALUE)
            self._replace_statement(stmt, call)
            return
        if site.unpacked:
            targets = [leaf.target or "_" for leaf in outputs]
            self._replace_statement(
                stmt, f"{', '.join(targets)} = {self._converted(call, site, outputs)}"
            )
            return
        if not outputs:
            raise Obstacle(stmt, *_NO_VALUE)
        text = self._converted(call, site, outputs, positions=True)
        start, end = self.source.span(site.whole or run.call)
        before = start - self.source.offset(run.call.lineno, 0)
        last = run.call.end_lineno or run.call.lineno
        behind = len(self.source.lines[last - 1].rstrip()) + self.source.offset(last, 0) - end
        width = before + len(text) + behind
        if width > self.source.width and self._movable(run):
            name = self.names.fresh("outputs", "fetched")
            text = self._converted(name, site, outputs, positions=True)
            indent = len(self.source.indent(stmt))
            self.decisions.before.setdefault(id(stmt), []).extend(
                wrapped(f"{name} = {call}", self.source.width - indent, self.source.unit)
            )
        self.decisions.edits.append((start, end, text))

    def _movable(self, run: RunSite) -> bool:
        """Whether the run may as well happen in a statement of its own before this one."""
        assert run.item is not None
        stmt = run.item.stmt
        if not isinstance(stmt, (ast.Expr, ast.Assign, ast.Return, ast.AugAssign)):
            return False
        conditional = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.ListComp, ast.GeneratorExp,
                       ast.DictComp, ast.SetComp)
        return not any(
            isinstance(node, conditional) and any(run.call is inner for inner in walk(node))
            for node in walk(stmt)
        )

    def _replace_statement(self, stmt: ast.stmt, text: str) -> None:
        indent = len(self.source.indent(stmt))
        self.decisions.replaced[id(stmt)] = wrapped(
            text, self.source.width - indent, self.source.unit
        )

    def _converted(
        self, call: str, site: Site, outputs: list[Leaf], positions: bool = False
    ) -> str:
        """The call with its tensors turned into NumPy values, in the form of the fetch."""
        if site.form == "dict":
            if any(self._may_be_several(site, leaf) for leaf in outputs):
                return self._nest(call)
            return f"{{name: value.numpy() for name, value in {call}.items()}}"
        if site.form == "single" or (site.unpacked and len(outputs) == 1):
            form = self._form(outputs[0])
            if form == "tuple":
                if isinstance(site.run.item.stmt, ast.Assign) and isinstance(  # type: ignore[union-attr]
                    site.run.item.stmt.targets[0], ast.Tuple  # type: ignore[union-attr]
                ):
                    return f"(value.numpy() for value in {call})"
                return f"tuple(value.numpy() for value in {call})"
            if form == "dict":
                return f"{{name: value.numpy() for name, value in {call}.items()}}"
            if self._may_be_several(site, outputs[0]):
                return self._nest(call)
            return f"{call}.numpy()"
        structured = any(self._may_be_several(site, leaf) for leaf in outputs)
        if positions and len(outputs) < len(site.leaves):
            slots = [leaf in outputs for leaf in site.leaves]
            if len(outputs) == 1 and not structured:
                return "[" + ", ".join(
                    f"{call}.numpy()" if slot else "None" for slot in slots) + "]"
            first = slots.index(True)
            if slots[first:] == [True] * len(outputs) and not structured:
                nones = "None, " * first
                return f"[{nones}*(value.numpy() for value in {call})]"
            raise Obstacle(site.run.call, "ops without value stand between fetched values",
                           "fetch the training op first and assign each value to a name")
        if structured:
            return self._listed(site, self._nest(call), len(outputs)) if positions else self._nest(call)
        if positions:
            if len(outputs) == 1:
                return f"[{call}.numpy()]"
            return f"[value.numpy() for value in {call}]"
        return f"(value.numpy() for value in {call})"

    @staticmethod
    def _listed(site: Site, nest: str, count: int) -> str:
        """What a run gives for several fetches: a list, or a tuple for those of a tuple."""
        if isinstance(site.run.fetch, ast.Tuple):
            return f"({nest},)" if count == 1 else nest
        return f"[{nest}]" if count == 1 else f"list({nest})"

    def _may_be_several(self, site: Site, leaf: Leaf) -> bool:
        """Whether a fetched value may be a list or dict of tensors, and nothing takes it for an array."""
        return self._structured(leaf) and not self._sliced(site, leaf)

    def _sliced(self, site: Site, leaf: Leaf) -> bool:
        """Whether a run's value is sliced in several dimensions, as only an array can be."""
        stmt = site.run.item.stmt if site.run.item is not None else None
        name = leaf.target
        if site.form == "single" and isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Name):
            name = stmt.targets[0].id
        return any(
            isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple)
            and (node.value is site.run.call or isinstance(node.value, ast.Name) and node.value.id == name)
            and any(isinstance(part, ast.Slice) for part in node.slice.elts)
            for item in self.items for node in walk(item.stmt)
        )

    def _nest(self, call: str) -> str:
        if _SPARSE.search(self.source.text):
            return f"{self.support.fetched()}({call})"
        return f"{self.style.tf}.nest.map_structure(lambda t: t.numpy(), {call})"

    def _form(self, leaf: Leaf) -> str:
        """"tuple" or "dict" where a fetched value is known to be a flat one of tensors."""
        value = leaf.value
        flat = {k.TENSOR, k.OP, k.PLACEHOLDER}
        if value.parts is not None and isinstance(value.literal, (ast.Tuple, ast.Dict)):
            if all(p.kind in flat and p.parts is None and p.call is not None
                   and self.program.expressions.tf_symbol(p.call.func) for p in value.parts):
                return "dict" if isinstance(value.literal, ast.Dict) else "tuple"
            return ""
        fact = self.program.expressions.call_fact(value.call) if value.call is not None else None
        if fact is not None and value.base is None and not value.single:
            return next((form for form in ("tuple", "dict") if form in fact.flags), "")
        return ""

    def _losses(self) -> set[str]:
        """Names that an optimizer minimizes: each is one tensor."""
        found = set()
        for item in self.items:
            if item.kind in (k.TRAIN, k.GRADIENTS) and item.value.call is not None:
                loss = argument(item.value.call, 0, "loss")
                if isinstance(loss, (ast.Name, ast.Attribute)):
                    found.add(ast.unparse(loss))
        return found

    def _is_listed(self, node: ast.expr) -> bool:
        """Whether an expression, or what its name was given, is a list made by a comprehension."""
        comprehensions = (ast.ListComp, ast.DictComp)
        return isinstance(node, comprehensions) or isinstance(node, ast.Name) and any(
            item.target == node.id and isinstance(item.stmt, ast.Assign)
            and isinstance(item.stmt.value, comprehensions) for item in self.program.items)

    def _may_be_sparse(self, leaf: Leaf) -> bool:
        """Whether what is fetched comes from what gives sparse tensors."""
        made = leaf.value.call or (leaf.value.base.call if leaf.value.base is not None else None)
        symbol = self.program.expressions.tf_symbol(made.func) if made is not None else None
        return symbol is not None and bool(_SPARSE.search(symbol))

    def _structured(self, leaf: Leaf) -> bool:
        """Whether a fetched value may be a list or dict of tensors."""
        value = leaf.value
        if value.parts is not None or self.program.expressions.is_container(value) or (
                self._is_listed(leaf.expr)):
            return True
        if self._may_be_sparse(leaf):
            return True
        if value.single or ast.unparse(leaf.expr) in self._losses():
            return False
        if isinstance(leaf.expr, (ast.BinOp, ast.Compare, ast.UnaryOp)):
            return False
        if value.call is not None:
            symbol = self.program.expressions.tf_symbol(value.call.func)
            if symbol is not None:
                return self.program.expressions.gives_several(value.call)
            fact = self.program.expressions.call_fact(value.call)
            if fact is not None and "single" in fact.flags:
                return False
            if isinstance(value.call.func, ast.Attribute):
                base = self.program.expressions.value(value.call.func.value)
                return not (base.traced or base.kind in (k.OP, k.VARIABLE))
            return True
        made = value.base.call if value.base is not None and value.base.parts is None else None
        if value.kind != k.TENSOR or made is None:
            return False
        fact = self.program.expressions.call_fact(made)
        attribute = leaf.expr.attr if isinstance(leaf.expr, ast.Attribute) else ""
        return fact is None or f"tensor {attribute}" not in fact.flags

    def _rewrite_direct(self, site: Site, stmt: ast.stmt) -> None:
        texts = []
        for leaf in site.leaves:
            text = self.source.segment(leaf.expr)
            if leaf.value.kind in k.WITHOUT_VALUE and leaf.used is False:
                texts.append(text)
            elif leaf.value.parts is not None and isinstance(leaf.value.literal, ast.Dict):
                texts.append(f"{{name: value.numpy() for name, value in {text}.items()}}")
            elif leaf.value.parts is not None:
                texts.append(f"[value.numpy() for value in {text}]")
            elif self._structured(leaf):
                texts.append(self._nest(text))
            else:
                if not isinstance(leaf.expr, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
                    text = f"({text})"
                texts.append(f"{text}.numpy()")
        self.notes.append(Note("TF303", site.run.call, "TF2 computes eagerly",
                               "tensorflow.Session.run"))
        whole = isinstance(stmt, ast.Expr) and stmt.value is site.run.call and not site.shown
        if whole and site.form == "single":
            expr = site.leaves[0].expr
            if isinstance(expr, ast.ListComp) and len(expr.generators) == 1 and not expr.generators[0].ifs:
                each = expr.generators[0]
                self._replace_statement(stmt, f"for {self.source.segment(each.target)} in "
                                              f"{self.source.segment(each.iter)}:")
                self.decisions.replaced[id(stmt)].append(self.source.unit + self.source.segment(expr.elt))
            elif any(calls_in(expr)):
                self.decisions.edits.append((*self.source.span(site.run.call), self.source.segment(expr)))
            else:
                self.decisions.dropped.add(id(stmt))
                self._unname(site.leaves[0], stmt)
            return
        if site.form == "single":
            text = texts[0]
        elif site.form == "dict":
            text = "{" + ", ".join(
                f"{leaf.key}: {t}" for leaf, t in zip(site.leaves, texts, strict=True)) + "}"
        else:
            text = ", ".join(texts) if site.unpacked else f"[{', '.join(texts)}]"
        self.decisions.edits.append((*self.source.span(site.whole or site.run.call), text))

    def _unname(self, leaf: Leaf, run: ast.stmt) -> None:
        """``write = op(...)`` whose name only the dropped run used is just ``op(...)``."""
        name = self.program._name(leaf.expr)
        inside = {id(node) for node in walk(run)}
        for item in self.program.items:
            if item.target != name or not isinstance(item.stmt, ast.Assign):
                continue
            reads = [
                node for stmt in self.program.body for node in walk(stmt)
                if isinstance(node, ast.Name) and node.id == name
                and isinstance(node.ctx, ast.Load) and id(node) not in inside
            ]
            if not reads:
                lines = self.source.edited(item.stmt.value, self.decisions.edits).split("\n")
                self.decisions.replaced[id(item.stmt)] = lines

    def _call_arguments(self, site: Site, function: StepFunction) -> list[str]:
        result: list[str] = []
        if function.element is not None:
            target = function.element.stmt.targets[0]  # type: ignore[attr-defined]
            star = "" if isinstance(target, ast.Name) else "*"
            result.append(f"{star}next({site.iterator or function.iterator})")
        if site.run.passes_feed:
            made = site.run.feed_call
            result.append(f"**{site.run.feed_name if made is None else self.source.segment(made)}")
        else:
            by_name = {parameter_name(n): text for n, text in site.arguments.items()}
            for parameter in function.parameters:
                if parameter.name in by_name:
                    result.append(by_name[parameter.name])
        if site.summaries is not None and function.summaries is not None:
            pairs = []
            if site.summaries.counted is None:
                pairs.append((function.summaries.step_name, site.summaries.step))
            if function.summaries.condition and not site.summaries.tested:
                pairs.append((function.summaries.condition_name, site.summaries.condition))
            for name, text in pairs:
                result.append(f"{name}={text}" if site.run.passes_feed or "=" in text else text)
        return [" ".join(text.split()) if "#" not in text else text for text in result]

    def _stop_iteration(self, item: Item) -> None:
        """The end of the data is Python's StopIteration."""
        for parent in item.parents:
            if not isinstance(parent, ast.Try):
                continue
            for handler in parent.handlers:
                for node in walk(handler.type) if handler.type is not None else ():
                    if isinstance(node, ast.Attribute) and node.attr == "OutOfRangeError":
                        self.decisions.edits.append((*self.source.span(node), "StopIteration"))
