"""Iterators that a run initialises: the data set is made and iterated over where that happened."""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import backward_slice, statement_flow
from migrator.analysis.program_items import Item, Obstacle, RunSite
from migrator.analysis.tree_walk import walk
from migrator.analysis.values import Value
from migrator.transforms.sessions.helpers import parameter_name
from migrator.transforms.sessions.plan_base import PlanBase
from migrator.transforms.sessions.records import Leaf, Note, Site

Feed = tuple[str, ast.expr]
_BY_HANDLE = "Iterator.from_string_handle"
#: What makes an iterator without a data set.
_SHARED = ("Iterator.from_structure", _BY_HANDLE)


class IteratorPlanner(PlanBase):
    """Turns runs of initializers into ``iterator = iter(dataset)``."""

    def _initialise_iterator(self, run: RunSite, leaves: list[Leaf], whole: bool) -> None:
        leaf = next(leaf for leaf in leaves if leaf.value.kind == k.ITERATOR_INIT)
        base = leaf.value.base
        if not whole or run.passes_feed or base is None or base.call is None:
            raise Obstacle(run.call, "an iterator is initialised with fed values",
                           "make the data set from the arrays, then iterate over it")
        assert run.item is not None
        lines = self._fed_data_set(run, base) if run.feeds else None
        if lines is None:
            dataset = self._given_data_set(leaf.value) or self._iterated(base)
            if dataset is None or not base.source:
                raise Obstacle(run.call, "the data set behind an iterator is not known",
                               "loop over the data set")
            lines = [f"{base.source} = iter({dataset})"]
        self.decisions.replaced[id(run.item.stmt)] = lines
        self.notes.append(Note("TF501", run.item.stmt, "data sets are iterated over directly"))

    def _iterated(self, value: Value) -> str | None:
        """The text of the data set that an iterator value iterates over."""
        call = value.call
        if call is None:
            return None
        symbol = self.program.expressions.tf_symbol(call.func) or ""
        if isinstance(call.func, ast.Attribute) and call.func.attr in (
            "make_one_shot_iterator", "make_initializable_iterator",
        ) and not symbol.startswith(("tensorflow.data.make", "tensorflow.contrib.data.make")):
            return self.source.segment(call.func.value)
        if symbol.rpartition(".")[2] in ("make_one_shot_iterator", "make_initializable_iterator"):
            return self.source.segment(call.args[0]) if call.args else None
        return None

    def _structure(self, value: Value) -> str | None:
        """The data set whose structure an iterator has that is reinitialised, or fed by its handle;
        "" if that is not known, None for other iterators."""
        call = value.call
        symbol = "" if call is None else self.program.expressions.tf_symbol(call.func) or ""
        if call is None or not symbol.endswith(_SHARED):
            return None
        first = symbol.endswith(_BY_HANDLE)
        given = [*call.args[first:2 + first], *(a.value for a in call.keywords
                                                if a.arg != "string_handle")]
        owners = {ast.unparse(node.value) if isinstance(node, ast.Attribute) else ""
                  for node in given}
        names = {"output_types", "output_shapes"}
        if len(owners) == 1 and all(
            isinstance(node, ast.Attribute) and node.attr in names for node in given
        ):
            return owners.pop()
        return ""

    def _read_from(self, site: Site, feeds: list[Feed]) -> list[Feed]:
        """The feeds without the handle that says which iterator a run reads from."""
        handles = [
            (expr, value) for _, expr in feeds
            if (value := self.program.expressions.value(expr)).kind == k.HANDLE
        ]
        if not handles:
            return feeds
        expr, value = handles[0]
        name = self.program._name(expr)
        bound = [item for item in self.items if name in item.flow.defines]
        if len(handles) > 1 or site.run.passes_feed or value.base is None or not value.base.source or (
            len(bound) != 1
        ):
            raise Obstacle(site.run.call, "which iterator this run reads from is not known",
                           "iterate over the data set where the step is called")
        site.iterator = value.base.source
        return [(name, given) for name, given in feeds if given is not expr]

    def _refuse_unfed_handle(self, site: Site, element: Item) -> None:
        """What an iterator gives that is chosen by a handle needs a run to feed one."""
        base = element.value.base
        call = base.call if base is not None else None
        symbol = "" if call is None else self.program.expressions.tf_symbol(call.func) or ""
        if symbol.endswith(_BY_HANDLE) != bool(site.iterator):
            raise Obstacle(site.run.call, "which iterator this run reads from is not known",
                           "iterate over the data set where the step is called")

    def _given_data_set(self, value: Value) -> str | None:
        """The data set that ``iterator.make_initializer(dataset)`` gives to the iterator."""
        call = value.call
        if call is None or not isinstance(call.func, ast.Attribute) or not call.args:
            return None
        if call.func.attr != "make_initializer":
            return None
        return self.source.segment(call.args[0])

    def _fed_data_set(self, run: RunSite, iterator: Value) -> list[str]:
        """Statements that make the data set of fed arrays, and iterate over it."""
        dataset = self._iterated(iterator)
        item = run.item
        if dataset is None or not dataset.isidentifier() or not iterator.source or item is None:
            raise Obstacle(run.call, "an iterator is initialised with fed values",
                           "make the data set from the arrays, then iterate over it")
        others = [
            other for other in self.program.run_sites()
            if other is not run and other.feeds and other.style == "run"
            and self.program.expressions.value(other.fetch).base is iterator
        ]
        made = [i for i in self.items if i.kind == k.DATASET and i.value.needs_graph]
        chosen, _ = backward_slice(made, {dataset})
        if not chosen or any(i.parents_matter or i not in self.program.items for i in chosen):
            raise Obstacle(run.call, "the data set of fed arrays is made on some ways only",
                           "make the data set from the arrays, then iterate over it")
        fed = {name: self.source.segment(node) for name, node in run.feeds}
        self.fed_iterators.add(iterator.source)
        self.decisions.dropped |= {id(i.stmt) for i in chosen}
        if not others:
            return [*self._data_set_lines(chosen, fed), f"{iterator.source} = iter({dataset})"]
        maker = self.data_set_makers.get(iterator.source)
        names = [name for i in self.items if i.kind == k.PLACEHOLDER for name in i.flow.defines
                 if name in fed]
        if maker is None:
            maker = self.names.fresh(f"make_{dataset}", "make_dataset")
            self.data_set_makers[iterator.source] = maker
            self._place_maker(maker, chosen, names, dataset)
        arguments = ", ".join(fed[name] for name in names)
        return [f"{iterator.source} = iter({maker}({arguments}))"]

    def _place_maker(
        self, maker: str, chosen: list[Item], names: list[str], dataset: str
    ) -> None:
        """A function that makes the data set takes the place of the statements that did."""
        parameters = {name: parameter_name(name) for name in names}
        body = [*self._data_set_lines(chosen, parameters), f"return {dataset}"]
        self.decisions.dropped.discard(id(chosen[-1].stmt))
        self.decisions.replaced[id(chosen[-1].stmt)] = [
            f"def {maker}({', '.join(parameters.values())}):",
            *(self.source.unit + line if line.strip() else "" for line in body), "",
        ]

    def _data_set_lines(self, chosen: list[Item], values: dict[str, str]) -> list[str]:
        lines: list[str] = []
        for item in chosen:
            used = statement_flow(item.stmt, self.program.owner).uses
            for name in used:
                found = self.program._lookup(name)
                if found is not None and found.kind == k.PLACEHOLDER and name not in values:
                    raise Obstacle(item.stmt, f"the data set needs {name}, which is not fed",
                                   "make the data set from the arrays")
            edits = [
                (*self.source.span(node), values[node.id]) for node in walk(item.stmt)
                if isinstance(node, ast.Name) and node.id in values
            ]
            lines += [line.rstrip("\n") for line in self.source.statement(item.stmt, edits, "")]
        return lines
