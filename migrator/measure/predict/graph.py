"""A TensorFlow graph as liveness nodes: constants folded, what grappler removes skipped.

Needs TensorFlow; runs in measuring children and wherever a ConcreteFunction is at hand.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from migrator.measure.predict import (
    flatten,
    gpu_kernels,
    grappler,
    layout,
    liveness,
    lowering,
    ops,
    shapes,
    values,
    workspace,
    xla,
)  # fmt: skip
from migrator.measure.predict.flatten import Item, Ref
from migrator.measure.predict.liveness import Node, Output, Peak

FOLDED_BYTES = 100 * 1024  # grappler's kMaxConstantSize


@dataclass(frozen=True, slots=True)
class Program:
    """What `liveness.replay` needs: nodes, fetched outputs, and the bytes of variables.

    arguments: the nodes that stand for what the function is called with, in its order. constants:
    bytes of each constant, and of each copy of one, that a kernel holds from the first call on.
    """

    nodes: tuple[Node, ...]
    fetched: tuple[tuple[int, int], ...]
    variables: dict[str, int]
    kernels: str
    arguments: tuple[int, ...] = ()
    constants: tuple[int, ...] = ()

    def with_scratch(self, most: bool) -> Program:
        """The same where kernels whose scratch is not known take the least of it, or the most."""
        nodes = [
            n if n.bounds is None else dataclasses.replace(n, extra=n.bounds[most]) for n in self.nodes
        ]
        return dataclasses.replace(self, nodes=tuple(nodes))

    def peak(
        self, order: str = "cpu", seed: int = 0, cheap: int = 0, heap: liveness.Heap | None = None,
        calls: int = 1,
    ) -> Peak:  # fmt: skip
        replaced = layout.REPLACED if self.kernels == "onednn" else frozenset[str]()
        return liveness.replay(
            self.nodes, self.fetched, order, self.variables, seed, replaced, cheap, heap,
            calls, self.arguments,
        )  # fmt: skip


class _Builder:
    """Turns flat items into nodes. handles: of captured variables, by their names in the graph."""

    def __init__(
        self, flat: flatten.Flat, kernels: str, handles: Mapping[str, Any] | None = None
    ) -> None:
        self.flat, self.kernels, self.handles = flat, kernels, handles or {}
        self.constant: dict[Item, bool] = {}
        self.passed: dict[Item, int | None] = {}
        self.waits: dict[Item, list[Item]] = {}
        self.masks: dict[Item, int] = {}  # bytes of a MaxPool's mask
        self.biases: dict[Item, int | None] = {}  # of a filter's gradient: bytes of its bias's
        self.bias_places: dict[Item, int] = {}  # and before which node that stood
        self.looped = _looped(flat.items)
        for item in flat.items:  # producers come first
            self.constant[item] = self._is_constant(item)

    def _is_constant(self, item: Item) -> bool:
        """Whether grappler's constant folding replaces the op by a constant."""
        op = item.op
        if op.type == "Const":
            return True
        if item in self.looped:  # every op of a loop runs, once an iteration
            return False
        if op.type in ops.SHAPES:
            return all(t.shape.is_fully_defined() for t in op.inputs)
        if not item.inputs or op.type in ops.NOT_FOLDED or op.op_def.is_stateful:
            return False
        if not all(self.constant.get(i, False) for i, _ in item.inputs):
            return False
        sizes = [shapes.bytes_of(t) for t in op.outputs]
        return all(s is not None and s <= FOLDED_BYTES for s in sizes)

    def passes(self, item: Item) -> int | None:
        """The input position that an item only passes on (-1: by output number), None if it works."""
        if item not in self.passed:
            self.passed[item] = self._passes(item)
        return self.passed[item]

    def _passes(self, item: Item) -> int | None:
        op = item.op
        if self.constant.get(item) or item in self.looped:
            return None
        if op.type in ops.SKIPPED and item.inputs:
            return -1
        if op.type in ops.NEUTRAL and len(op.inputs) == 2:
            for i in (0, 1) if op.type in ops.COMMUTES else (1,):
                kept = op.inputs[1 - i]
                if kept.shape.is_fully_defined() and op.outputs[0].shape == kept.shape:
                    if shapes.single(op.inputs[i]) == ops.NEUTRAL[op.type]:
                        return 1 - i
        return None

    def source(self, ref: Ref) -> Ref:
        """The output behind ops that only pass it on."""
        item, number = ref
        while (k := self.passes(item)) is not None:
            item, number = item.inputs[number if k == -1 else k]
        return item, number

    def _handle(self, ref: Ref) -> Item:
        """What a resource comes from, also into a loop."""
        item, _ = self.source(ref)
        while item.gate or item.type in ops.SKIPPED and item.inputs:
            item, _ = self.source(item.inputs[0])
        return item

    def _awaited(self, item: Item) -> list[Item]:
        """What the constants behind a constant wait for: in a loop, the iteration's beginning."""
        if not self.constant.get(item):
            return []
        if item not in self.waits:
            found = dict.fromkeys(item.controls)
            for inner, _ in item.inputs:
                found |= dict.fromkeys(self._awaited(inner))
            self.waits[item] = list(found)
        return self.waits[item]

    def controls(self, item: Item) -> list[Item]:
        """The working items that must have run before `item` besides its inputs' producers."""
        found: dict[Item, None] = {}
        stack = list(item.controls)
        for ref in item.inputs:
            passing, number = ref
            while (k := self.passes(passing)) is not None:
                stack += passing.controls
                passing, number = passing.inputs[number if k == -1 else k]
            if passing.type != "Const":  # which is a node of its own, that waits itself
                stack += self._awaited(passing)
        seen: set[Item] = set()
        while stack:
            c = stack.pop()
            if c in seen or self.constant.get(c) and c.type != "Const":
                continue
            seen.add(c)
            if self.passes(c) is None:
                found[c] = None
            else:
                stack += [i for i, _ in c.inputs] + c.controls
        return list(found)

    def program(self, arguments: Sequence[str] = ()) -> Program:
        """arguments: the names of what the function is called with, in its order."""
        fetched = [self.source(r) for r in self.flat.fetched]
        inputs = {
            i: [] if self.constant.get(i) else [self.source(r) for r in i.inputs]
            for i in self.flat.items
        }
        controls = {
            i: self.controls(i) if i.type == "Const" or not self.constant.get(i) else []
            for i in self.flat.items
        }  # fmt: skip
        needed: set[Item] = set()
        stack = [i for i, _ in fetched]
        for effect in self.flat.effects:
            stack += [effect] if self.passes(effect) is None else self.controls(effect)
        if not stack:
            stack = [i for i in self.flat.items if self.passes(i) is None]
        while stack:
            item = stack.pop()
            if item not in needed:
                needed.add(item)
                stack += [i for i, _ in inputs.get(item, [])] + controls.get(item, [])
        # what a branch reads from outside of it is there already
        working = [
            *(i for i in needed if i not in inputs), *(i for i in self.flat.items if i in needed),
        ]  # fmt: skip
        self._pooling_masks(working, inputs)
        merged = self._bias_gradients(working, inputs)
        if merged:
            fetched = [_merged(r, merged) for r in fetched]
            inputs = {i: [_merged(r, merged) for r in refs] for i, refs in inputs.items()}
            controls = {i: [merged.get(c, c) for c in after] for i, after in controls.items()}
            kept = [item for item in working if item not in merged]
            so_far = itertools.accumulate(item not in merged for item in working)
            places = dict(zip(working, so_far, strict=True))
            self.bias_places = {f: places[b] for b, f in merged.items()}
            working = kept
        index = {item: n for n, item in enumerate(working)}
        variables: dict[str, int] = {}
        nodes = [
            self._node(
                item, tuple((index[i], k) for i, k in inputs.get(item, [])),
                tuple(index[c] for c in controls.get(item, [])), variables,
                item not in inputs,
            )
            for item in working
        ]  # fmt: skip
        place = {node.name: n for n, node in enumerate(nodes)}
        if self.looped:
            nodes = _counted(nodes, [(index[i], k) for i, k in fetched])
        return Program(
            tuple(nodes), tuple((index[i], k) for i, k in fetched), variables, self.kernels,
            tuple(place[name] for name in arguments if name in place),
            tuple(size for item in working for size in self._kept(item) if size),
        )  # fmt: skip

    def _kept(self, item: Item) -> list[int | None]:
        """Bytes that an item's kernel holds from its first run on."""
        if self.constant.get(item):
            return [shapes.bytes_of(t) for t in item.op.outputs]
        return [workspace.cached_bytes(item.op, self.kernels)] if self._frozen(item) else []

    def _frozen(self, item: Item) -> bool:
        """Whether the weights that an item works with, if it does, are constants."""
        return len(item.inputs) > 1 and self.constant.get(self.source(item.inputs[1])[0], False)

    def _pooling_masks(self, working: list[Item], inputs: dict[Item, list[Ref]]) -> None:
        """Gives MaxPool a further output where its gradient reads the mask that oneDNN makes."""
        for item in working:
            if item.type != "MaxPoolGrad" or len(inputs[item]) < 2:
                continue
            pool = inputs[item][1][0]
            size = workspace.pooling_mask_bytes(pool.op, self.kernels)
            if size:
                self.masks[pool] = size
                inputs[item].append((pool, len(pool.op.outputs)))

    def _bias_gradients(
        self, working: list[Item], inputs: dict[Item, list[Ref]]
    ) -> dict[Item, Item]:
        """{BiasAddGrad: the gradient of the filter of the same convolution}: oneDNN makes them one op."""
        if self.kernels != "onednn":
            return {}
        filters = {
            inputs[item][2]: item for item in reversed(working)
            if item.type == "Conv2DBackpropFilter" and len(inputs[item]) > 2
        }  # fmt: skip
        found = {}
        for item in working:
            if item.type == "BiasAddGrad" and inputs[item] and inputs[item][0] in filters:
                merged = filters.pop(inputs[item][0])
                found[item] = merged
                self.biases[merged] = shapes.bytes_of(item.op.outputs[0])
        return found

    def _node(
        self, item: Item, inputs: tuple[tuple[int, int], ...], controls: tuple[int, ...],
        variables: dict[str, int], outside: bool,
    ) -> Node:  # fmt: skip
        op = item.op
        if outside or self.constant.get(item):
            outputs = tuple(Output(0, t.dtype.name, True) for t in op.outputs)
            value = values.scalar(op.outputs[0]) if op.outputs else None
            return Node(item.name, "Const", (), controls, outputs, value=value)
        if item.gate:
            outputs = (_output(op.outputs[0], False),) * (2 if item.gate == "Switch" else 1)
            return Node(
                item.name, item.gate, inputs, controls, outputs, {0: 0}, gate=item.enters
            )  # fmt: skip
        alias = {}
        if op.type == "TensorListFromTensor":  # a copy of each element
            size, elements = (
                shapes.bytes_of(op.inputs[0]),
                op.inputs[0].shape[:1].num_elements() or 1,
            )
            element = Output(size // elements if size else size)
            return Node(item.name, op.type, inputs, controls, (element,) * elements)
        if op.type in ops.ALIAS and op.type not in ops.FREE and inputs:
            alias = {i: (i if op.type == "IdentityN" else 0) for i in range(len(op.outputs))}
        if op.type in ops.SLICES and inputs and shapes.leading_rows(op):
            alias = {0: 0}
        if op.type in ops.PARTS and inputs and shapes.in_rows(op):
            alias = dict.fromkeys(range(len(op.outputs)), ops.PARTS[op.type][0])
        forwards = tuple(range(len(inputs))) if op.type in ops.FORWARDS else ()
        resident = op.type in ops.FREE
        outputs = tuple(_output(t, resident) for t in op.outputs)
        extra: int | None = workspace.scratch_bytes(op, self.kernels, self._frozen(item))
        bounds = None
        if self.kernels == "gpu":
            scratch = gpu_kernels.scratch(op)
            extra, bounds = scratch.likely, (scratch.least, scratch.most)
        if flatten.compiled(op):  # for a GPU, XLA would compile something else
            extra = None if self.kernels == "gpu" else xla.scratch_bytes(op, self._handles(item))
        if extra is None or op.type in lowering.LOOPS:
            outputs += (Output(None),)  # stands for bytes that the graph does not tell
        if item in self.masks:
            outputs += (Output(self.masks[item], "uint8"),)
        name = op.type
        if item in self.biases:
            name = layout.WITH_BIAS
            outputs += (Output(self.biases[item]),)
        reads = assigns = ""
        updates: list[str] = []
        for k, source in enumerate(map(self._handle, item.inputs)):
            if (
                op.inputs[k].dtype.name != "resource"
                or source.op.outputs[0].dtype.name != "resource"
            ):
                continue
            if op.type == "ReadVariableOp":
                reads = source.name
                size = shapes.bytes_of(op.outputs[0])
            elif op.type == "AssignVariableOp":
                assigns = source.name
                size = shapes.bytes_of(op.inputs[1])
            elif op.type in ops.UPDATES or op.type.startswith("ResourceApply"):
                updates.append(source.name)
                size = shapes.bytes_of(op.inputs[-1])
                if op.type.startswith("ResourceApply"):
                    size = None  # scalars may come last: reads tell the size
            else:
                continue
            if size:
                variables.setdefault(source.name, size)
        return Node(
            item.name, name, inputs, controls, outputs, alias, forwards, extra or 0, reads,
            tuple(updates), assigns, 1, self.bias_places.get(item, 0), bounds=bounds,
        )  # fmt: skip

    def _handles(self, item: Item) -> dict[str, Any]:
        """The handles of the variables that an item reads, by the names of its op's inputs."""
        return {
            tensor.op.name: self.handles.get(self._handle(ref).name)
            for tensor, ref in zip(item.op.inputs, item.inputs, strict=True)
        }  # fmt: skip


def _looped(items: Sequence[Item]) -> set[Item]:
    """The items that are inside of a loop; producers come before their readers, but for ways back."""
    depth: dict[Item, int] = {}
    for item in items:
        before = [depth.get(i, 0) for i, _ in item.inputs] + [
            depth.get(c, 0) for c in item.controls
        ]
        change = {"Enter": 1, "Exit": -1}.get(item.type, 0)
        depth[item] = max(before, default=0) + change
    return {item for item, inside in depth.items() if inside > 0 or item.gate}


def _counted(nodes: list[Node], fetched: list[tuple[int, int]]) -> list[Node]:
    """The nodes with how often each runs."""
    times = collections.Counter(name for name, _ in liveness.replay(nodes, fetched).timeline)
    return [dataclasses.replace(node, times=max(times[node.name], 1)) for node in nodes]


def _merged(ref: Ref, merged: dict[Item, Item]) -> Ref:
    return (merged[ref[0]], 1) if ref[0] in merged else ref


def _output(tensor: Any, resident: bool) -> Output:
    if resident or tensor.dtype.name in ("resource", "variant", "string"):
        return Output(0, tensor.dtype.name, True)
    return Output(shapes.bytes_of(tensor), tensor.dtype.name)


def program(graph: Any, fetched: Sequence[Any], kernels: str | None = None) -> Program:
    """The nodes of a FuncGraph. kernels: "eigen", "onednn" or "gpu" (default: this process's own)."""
    chosen = kernels or workspace.kernels_here()
    arguments = [t.op.name for t in graph.inputs]
    handles = {inside.op.name: handle for handle, inside in graph.captures}
    on_gpu = chosen == "gpu"
    better = grappler.optimised(graph, fetched, graph.inputs, on_gpu)
    if better is not None:
        graph, fetched = better

    def heavier(branches: list[flatten.Flat]) -> int:
        peaks = [_Builder(b, chosen).program().peak().bytes for b in branches]
        return peaks.index(max(peaks))

    flat = flatten.flatten(graph, fetched, heavier, on_gpu)
    return _Builder(flat, chosen, handles).program(arguments)
