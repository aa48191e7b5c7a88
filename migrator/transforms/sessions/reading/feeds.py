"""Reads what runs are fed: dict literals, dict variables, and flags that are constants."""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import backward_slice, dotted_self
from migrator.analysis.feed_methods import Entry, FeedMethod
from migrator.analysis.program_items import KEEP, LAZY, TRACE, Item, Obstacle
from migrator.analysis.source import Edit
from migrator.analysis.tree_walk import calls_in, walk
from migrator.analysis.values import argument, defined_flags
from migrator.transforms.sessions.helpers import cut, parameter_name
from migrator.transforms.sessions.reading.feed_functions import made_feed
from migrator.transforms.sessions.reading.monitored import MonitorReader
from migrator.transforms.sessions.records import Site
from migrator.transforms.sessions.step import Parameter

#: How operations begin whose results have another dtype than what they are given.
_OTHER_DTYPES = (
    "cast", "to_", "arg", "shape", "size", "rank", "equal", "not_equal", "less", "greater",
    "logical", "is_", "where", "range", "py_func", "string", "decode", "quantize", "bitcast",
    "top_k", "unique", "count", "in_top_k", "sequence_mask", "complex", "fft", "map_fn", "tf_",
)

#: Names of dtypes that a string may give, and that TensorFlow's module does not have.
_SHORT_NAMES = {"float": "float32", "double": "float64", "half": "float16"}
_PLAIN = frozenset({"hasattr", "len", "int", "float", "list", "dict", "tuple", "zip", "enumerate"})


class FeedReader(MonitorReader):
    """Finds the fed values of each run."""

    def _fed(self, site: Site) -> list[tuple[str, ast.expr]]:
        run = site.run
        if run.feed_call is not None:
            return self._feed_function(site, run.feed_call)
        if not run.feed_name:
            return run.feeds
        return self._feed_variable(site)

    def _feed_function(self, site: Site, call: ast.Call) -> list[tuple[str, ast.expr]]:
        """The feed that a function beside the graph makes, or a method."""
        method = self._feed_method(call)
        if method is not None:
            site.feed_entries = method.entries
            return self._named(method.fed_by(call))
        function, literal = made_feed(call, self.items, self.program)
        site.feed_entries = self._entries(function, literal)
        return self._named(site.feed_entries)

    def _feed_method(self, call: ast.Call) -> FeedMethod | None:
        """The method of the object that a call makes a feed with, None if it is none of them."""
        if self.whole is None or dotted_self(call.func, self.whole.owner) is None:
            return None
        assert isinstance(call.func, ast.Attribute)
        return self.whole.feeds.get(call.func.attr)

    def _named(self, entries: list[Entry]) -> list[tuple[str, ast.expr]]:
        return [(self._key_name(key) or "", value) for _, key, value in entries]

    def _entries(self, stmt: ast.stmt, literal: ast.Dict) -> list[Entry]:
        """What a dict literal feeds, with the statement that it stands in."""
        entries: list[Entry] = []
        for key, value in zip(literal.keys, literal.values, strict=True):
            if key is None or self._key_name(key) is None:
                raise Obstacle(literal, "a key of the feed is not a name",
                               "feed placeholders by their names")
            entries.append((stmt, key, value))
        return entries

    def _feed_variable(self, site: Site) -> list[tuple[str, ast.expr]]:
        """The feed of a dict variable: its literal, plus single-key additions to it."""
        name = site.run.feed_name
        binding = self._feed_binding(name, site)
        pairs = self._bound_feed(site, binding)
        for item in self.program.items:
            if name in item.flow.mutates and item.stmt.lineno >= binding.stmt.lineno:
                self._add_key(site, item, pairs)
        return list(pairs.items())

    def _bound_feed(self, site: Site, binding: Item) -> dict[str, ast.expr]:
        """What a feed dict has where it is bound: of a literal, or made by a function or method."""
        home = binding.stmt
        assert isinstance(home, ast.Assign)
        literal = home.value
        method = self._feed_method(literal) if isinstance(literal, ast.Call) else None
        if method is not None:
            assert isinstance(literal, ast.Call)
            site.feed_entries = list(method.entries)
            return dict(self._named(method.fed_by(literal)))
        if isinstance(literal, ast.Call):
            function, literal = made_feed(literal, self.items, self.program)
            site.feed_entries = self._entries(function, literal)
        else:
            assert isinstance(literal, ast.Dict)
            site.feed_entries = self._entries(home, literal)
        return dict(self._named(site.feed_entries))

    def _add_key(self, site: Site, item: Item, pairs: dict[str, ast.expr]) -> None:
        """``feed[key] = value`` adds to the feed of a run. Raises Obstacle for other changes of it."""
        name, run, stmt = site.run.feed_name, site.run.item, item.stmt
        assert run is not None
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        if not isinstance(target, ast.Subscript) or self.program._name(target.value) != name:
            raise Obstacle(stmt, f"the feed {name} is changed in a way that is not known",
                           "assign the keys of the feed one by one")
        assert isinstance(stmt, ast.Assign)
        if stmt.lineno > run.stmt.lineno and self._rebound(name, run, item):
            return
        key_name = self._key_name(target.slice)
        if key_name is None or item.parents != run.parents[: len(item.parents)]:
            raise Obstacle(stmt, f"a key of the feed {name} is set on some ways only",
                           "feed the same placeholders on every way")
        later = stmt.lineno > site.run.call.lineno
        if (later or key_name in pairs) and self._constants([(key_name, stmt.value)]):
            raise Obstacle(stmt, f"a flag in the feed {name} changes between runs",
                           "use a feed of its own for each mode")
        if later and key_name not in pairs:
            raise Obstacle(stmt, f"the feed {name} grows after a run",
                           "use a feed of its own for each run")
        pairs[key_name] = stmt.value
        site.feed_entries.append((stmt, target.slice, stmt.value))

    def _key_name(self, key: ast.expr) -> str | None:
        name = self.program._name(key)
        return ast.unparse(key) if name is None and isinstance(key, ast.Attribute) else name

    def _bindings(self, name: str) -> list[Item]:
        return [
            item for item in self.program.items
            if isinstance(item.stmt, ast.Assign) and any(
                isinstance(t, ast.Name) and t.id == name for t in _targets(item.stmt)
            )
        ]

    def _rebound(self, name: str, first: Item, second: Item) -> bool:
        """Whether `name` is surely bound anew between two statements."""
        return any(
            first.stmt.lineno < item.stmt.lineno < second.stmt.lineno
            and item.parents == second.parents[: len(item.parents)]
            for item in self._bindings(name)
        )

    def _feed_binding(self, name: str, site: Site) -> Item:
        """The one assignment of a feed dict that reaches a run."""
        run = site.run.item
        assert run is not None
        bindings = self._bindings(name)
        reaching = [
            item for item in bindings
            if item.stmt.lineno < run.stmt.lineno and item.parents == run.parents[: len(item.parents)]
        ]
        if len(bindings) == 1 and bindings[0].stmt.lineno < run.stmt.lineno:
            reaching = bindings  # there is no other way
        if not bindings:
            raise Obstacle(site.run.call, f"the feed {name} comes from elsewhere",
                           "feed a dict literal whose keys are placeholders")
        if not reaching:
            raise Obstacle(site.run.call, f"the feed {name} is made on some ways only",
                           "make the feed where it is used")
        binding = reaching[-1]
        for other in bindings:
            between = binding.stmt.lineno < other.stmt.lineno < run.stmt.lineno
            loops = [p for p in run.parents if isinstance(p, (ast.For, ast.While))
                     and p not in binding.parents]
            again = other.stmt.lineno > run.stmt.lineno and any(p in other.parents for p in loops)
            if between or again:
                raise Obstacle(other.stmt, f"the feed {name} is assigned more than once",
                               "use one name for each feed")
        assert isinstance(binding.stmt, ast.Assign)
        value = binding.stmt.value
        made = isinstance(value, ast.Dict) or isinstance(value, ast.Call) and (
            isinstance(value.func, ast.Name) or self._feed_method(value) is not None)
        if not made or len(binding.stmt.targets) != 1:
            raise Obstacle(binding.stmt, f"the feed {name} is not a dict literal",
                           "feed a dict literal whose keys are placeholders")
        return binding

    def _inline_feed(self, site: Site, constants: dict[str, str]) -> None:
        """A feed dict becomes the dict of the function's arguments: its keys become strings."""
        for stmt, key, value in site.feed_entries:
            if id(key) in self.shared.feed_keys:
                continue
            self.shared.feed_keys.add(id(key))
            start, end = self.source.span(key)
            if self._key_name(key) not in constants:
                self.decisions.edits.append((start, end, repr(parameter_name(ast.unparse(key)))))
                self.kept_statements.add(id(stmt))
                self.decisions.edits += self._fed_edits(self._key_name(key) or "", value)
            elif isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Subscript):
                self.decisions.dropped.add(id(stmt))
            else:
                self.decisions.edits.append(cut(self.source, start, self.source.span(value)[1]))
        for item in self.items:  # a function that makes the feed may be one of the scope around
            if id(item.stmt) in self.kept_statements:
                item.role = KEEP

    def _fed_edits(self, name: str, given: ast.expr) -> list[Edit]:
        """What to write around a fed value: a sparse placeholder took three arrays, others numbers of
        another kind."""
        call = self._placeholder(name)
        symbol = self.program.expressions.tf_symbol
        if call is None:
            return []
        if symbol(call.func) != "tensorflow.sparse_placeholder":
            return self._cast_edits(self._dtype_text(call), given)
        dtype = self._dtype_text(call)
        if not dtype:
            raise Obstacle(call, "a sparse placeholder is fed", "pass a tf.sparse.SparseTensor")
        start, end = self.source.span(given)
        if isinstance(given, ast.Call) and (symbol(given.func) or "").endswith(".SparseTensorValue"):
            # its arguments in their brackets are a tuple
            return [(*self.source.span(given.func), f"{self.support.sparse_tensor()}("),
                    (end, end, f", {dtype})")]
        return [(start, start, f"{self.support.sparse_tensor()}("), (end, end, f", {dtype})")]

    def _cast_edits(self, dtype: str, given: ast.expr) -> list[Edit]:
        """What to write around Python numbers that TensorFlow 2 does not take for this dtype."""
        kinds = self._numbers(given, set())
        short = dtype.rpartition(".")[2]
        tf = self.style.tf
        start, end = self.source.span(given)
        if short == "bool" and kinds and kinds != {bool}:
            return [(start, start, f"{tf}.cast("), (end, end, f", {dtype})")]
        if "int" in short and float in kinds:  # what is behind the point goes, as in NumPy
            return [(start, start, f"{tf}.cast({tf}.constant("),
                    (end, end, f", {tf}.float64), {dtype})")]
        return []

    def _numbers(self, node: ast.expr, seen: set[str]) -> set[type]:
        """The types of the Python numbers that an expression is made of; none if that is not known."""
        if isinstance(node, ast.Constant):
            return {type(node.value)} & {bool, int, float}
        if isinstance(node, (ast.List, ast.Tuple)):
            parts = [self._numbers(part, seen) for part in node.elts]
            return set().union(*parts) if all(parts) else set()
        if isinstance(node, ast.ListComp):
            return self._numbers(node.elt, seen)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            return self._numbers(node.operand, seen)
        if isinstance(node, ast.BinOp):
            sides = self._numbers(node.left, seen), self._numbers(node.right, seen)
            if not all(sides):
                return set()
            return {float} if isinstance(node.op, ast.Div) or float in sides[0] | sides[1] else {int}
        if isinstance(node, ast.Attribute):  # of the flags of the file
            flag = defined_flags(self.program.names.tree).get(node.attr)
            return set() if flag is None else {flag}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            made = {"int": int, "range": int, "float": float, "bool": bool}.get(node.func.id)
            return {made} if made is not None else set()
        if isinstance(node, ast.Name) and node.id not in seen:
            bound = [i.stmt for i in self.items if node.id in i.flow.defines | i.flow.mutates]
            values = [s.value for s in bound if isinstance(s, ast.Assign) and len(s.targets) == 1
                      and isinstance(s.targets[0], ast.Name)]
            values += [s.iter for s in bound if isinstance(s, ast.For) and isinstance(s.target, ast.Name)
                       and s.target.id == node.id]
            found = [self._numbers(value, seen | {node.id}) for value in values]
            return set().union(*found) if len(values) == len(bound) and all(found) else set()
        return set()

    def _placeholder(self, name: str) -> ast.Call | None:
        """The call that makes the placeholder `name`."""
        return next((i.value.call for i in reversed(self.items)
                     if i.kind == k.PLACEHOLDER and name in i.flow.defines), None)

    def _constants(self, feeds: list[tuple[str, ast.expr]]) -> dict[str, str]:
        """Python values for boolean placeholders fed with a constant."""
        found: dict[str, str] = {}
        for name, expr in feeds:
            call = self._placeholder(name)
            if call is None or not isinstance(expr, ast.Constant):
                continue
            number = isinstance(expr.value, (bool, int, float)) and expr.value in (0, 1)
            if number and self._dtype_text(call).endswith("bool"):
                found[name] = repr(bool(expr.value))
        return found

    def _dtype_text(self, call: ast.Call) -> str:
        symbol = self.program.expressions.tf_symbol(call.func) or ""
        if symbol.endswith("placeholder_with_default"):
            default = argument(call, 0, "input")
            if isinstance(default, ast.Constant) and isinstance(default.value, bool):
                return "tf.bool"
            if isinstance(default, ast.Constant) and isinstance(default.value, float):
                return f"{self.style.tf}.float32"
            return ""
        dtype = argument(call, 0, "dtype")
        if dtype is None:
            return ""
        if isinstance(dtype, ast.Constant) and isinstance(dtype.value, str):
            return f"{self.style.tf}.{_SHORT_NAMES.get(dtype.value, dtype.value)}"
        text = self.source.segment(dtype)
        return {"float": f"{self.style.tf}.float32", "int": f"{self.style.tf}.int32",
                "bool": f"{self.style.tf}.bool"}.get(text, text)

    def _parameter(self, name: str) -> Parameter:
        parameter = parameter_name(name)
        call = self._placeholder(name)
        told = "".join(f"; {text}" for text in self._told(name))
        if call is None:
            dtype = self._fed_dtype(name)
            spec = f"{self.style.tf}.TensorSpec(None, {dtype})" if dtype else ""
            doc = f"{dtype.rpartition('.')[2]} of any shape" if dtype else ""
            return Parameter(parameter, spec, doc, computed=True)
        symbol = self.program.expressions.tf_symbol(call.func) or ""
        dtype = self._dtype_text(call)
        shape = argument(call, 1, "shape")
        if dtype == "" or any(isinstance(a, ast.Starred) for a in call.args):
            return Parameter(parameter)
        shape_text = "None" if shape is None else " ".join(self.source.segment(shape).split())
        sparse = "Sparse" if symbol.endswith("sparse_placeholder") else ""
        spec = f"{self.style.tf}.{sparse}TensorSpec({shape_text}, {dtype})"
        short = f"{sparse.lower()} {dtype.rpartition('.')[2]}".strip()
        if shape is None or shape_text == "None":
            doc = f"{short} of any shape"
        elif shape_text in ("[]", "()"):
            doc = f"{short} scalar"
        else:
            doc = f"{short} {shape_text}"
        return Parameter(parameter, spec, doc + told)

    def _told(self, name: str) -> list[str]:
        """What comments say of a placeholder, whose statement goes; not what is said of several."""
        inputs = [i for i in self.items if i.kind == k.PLACEHOLDER]
        item = next((i for i in inputs if i.flow.defines == {name}), None)
        if item is None:
            return []
        lines = [] if self.source.leads(item.stmt) else self.source.comments_above(item.stmt)
        lines = [*lines, self.source.comment_behind(item.stmt)]
        text = " ".join(line.lstrip("# ").rstrip(". ") for line in lines).strip()
        if not any(letter.isalpha() for letter in text) or '"""' in text or "\\" in text:
            return []
        return [text]

    def _fed_dtype(self, name: str) -> str:
        """The dtype of a tensor that is fed in place of being computed, "" if it is not known: that
        of the placeholders behind it, where all have one float dtype and nothing changes it."""
        items, _ = backward_slice([i for i in self.items if i.role in (TRACE, LAZY)], {name})
        found = {
            self._dtype_text(item.value.call) for item in items
            if item.kind == k.PLACEHOLDER and item.value.call is not None
        }
        if len(found) != 1 or not (dtype := found.pop()).rpartition(".")[2].startswith("float"):
            return ""
        own = {n.name: n for n in walk(self.program.names.tree)
               if isinstance(n, ast.FunctionDef)}
        pending: list[ast.AST] = [i.stmt for i in items if i.kind != k.PLACEHOLDER]
        seen = set[str]()
        while pending:
            for call in calls_in(pending.pop()):
                called = ast.unparse(call.func).rpartition(".")[2]
                if self.program.expressions.tf_symbol(call.func) is None:
                    if called in own and called not in seen:
                        seen.add(called)
                        pending.append(own[called])
                    elif called not in own and called not in _PLAIN and not (
                        self._attribute_of_object(call.func)
                        or (self.program.expressions.symbol(call.func) or "").startswith("numpy.")
                    ):
                        return ""
                if called.startswith(_OTHER_DTYPES) or any(a.arg == "dtype" and ast.unparse(
                        a.value) != dtype for a in call.keywords):
                    return ""
        return dtype

    def _attribute_of_object(self, node: ast.expr) -> bool:
        """Whether a function is kept by the object, as activations are."""
        return isinstance(node, ast.Attribute) and ast.unparse(node.value) == self.shared.owner

    def _conditional(self, items: list[Item]) -> bool:
        """Whether `tf.cond` decides in a slice or in a function that it calls."""
        expressions = self.program.expressions
        for item in items:
            for call in calls_in(item.stmt):
                fact = expressions.call_fact(call)
                if fact is None:  # of a method, or a function behind others, its name has to do
                    symbol = expressions.symbol(call.func)
                    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
                    fact = expressions.function(f".{symbol if symbol and '()' not in symbol else name}")
                if expressions.tf_symbol(call.func) == "tensorflow.cond" or (
                    fact is not None and "cond" in fact.flags
                ):
                    return True
                method = None if self.whole is None or not isinstance(call.func, ast.Attribute) else (
                    self.whole.defined.get(call.func.attr))
                if method is not None and any(
                    expressions.names.resolve_node(c.func, values=False) == "tensorflow.cond"
                    for c in calls_in(method)
                ):
                    return True
        return False


def _targets(stmt: ast.Assign) -> list[ast.expr]:
    """What an assignment binds, the parts of a tuple as well."""
    return [part for target in stmt.targets
            for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
