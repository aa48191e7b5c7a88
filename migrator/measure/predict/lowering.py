"""Loops as the ops that the executor has for them: Enter, Merge, Switch, Exit, NextIteration.

The runtime does this to a function before it is optimised (tensorflow/core/common_runtime,
lower_while_op.cc and inline_function_utils.cc). The optimiser that can be asked from Python would do
it, too, but makes every iteration wait for all of the one before; so it is done here, on GraphDefs.
What is made comes last in the graph, in the runtime's order: loops in order of their nodes, then the
functions that they call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from migrator.measure.predict import bodies, ops

LOOPS = frozenset({"While", "StatelessWhile"})
_CALL = "migrator_call"  # stands for a loop's function until that is written out
_MOST = 200_000  # nodes: functions that loop into themselves are left


def lower(definition: Any, library: Mapping[str, Any]) -> None:
    """Replaces the loops of a GraphDef whose functions are in the library, also those inside of them."""
    lowering = _Lowering(definition, library)
    place = 0
    while place < len(lowering.nodes) < _MOST:
        node = lowering.nodes[place]
        if node.op in LOOPS and lowering.known(node):
            lowering.loop(place)
        elif node.op == _CALL or node.op in ops.CALLS and lowering.looped(node):
            lowering.call(place)
        place += 1
    lowering.finish()


class _Lowering:
    def __init__(self, definition: Any, library: Mapping[str, Any]) -> None:
        self.definition, self.library = definition, library
        self.nodes = list(definition.node)
        self.gone: set[int] = set()
        self.moved: dict[tuple[str, int], str] = {}  # (node that is gone, output): where it is now
        self.after: dict[str, str] = {}  # call that is written out: what has run once it has
        self.bodies: dict[str, tuple[Any, dict[str, str]] | None] = {}
        self.written: set[str] = set()  # the nodes of functions that are written out
        self.number = 0

    def known(self, node: Any) -> bool:
        """Whether both functions of a loop can be written out."""
        return all(self._body(node.attr[part].func.name) is not None for part in ("cond", "body"))

    def looped(self, call: Any) -> bool:
        """Whether a function is called in a loop or has some: others the optimiser writes out as well."""
        if "_XlaMustCompile" in call.attr and call.attr["_XlaMustCompile"].b:
            return False
        if call.name in self.written:
            return self._body(call.attr["f"].func.name) is not None
        stack, seen = [call.attr["f"].func.name], set()
        while stack:
            name = stack.pop()
            body = self._body(name)
            if name in seen or body is None:
                continue
            seen.add(name)
            for node in body[0].node:
                if node.op in LOOPS:
                    return True
                if node.op in ops.CALLS:
                    stack.append(node.attr["f"].func.name)
        return False

    def _body(self, name: str) -> tuple[Any, dict[str, str]] | None:
        if name not in self.bodies:
            definition = self.library.get(name)
            try:
                self.bodies[name] = None if definition is None else bodies.nodes(definition)
            except KeyError:  # it calls a function by its own name
                self.bodies[name] = None
        return self.bodies[name]

    def _add(self, name: str, op: str, inputs: list[str], **types: int) -> Any:
        """Appends a node. types: attributes that are a type."""
        self.number += 1
        node = type(self.definition)().node.add(name=f"{name}/_{self.number}", op=op, input=inputs)
        for key, value in types.items():
            node.attr[key].type = value
        self.nodes.append(node)
        return node

    def loop(self, place: int) -> None:
        """Puts a loop's own ops in the place of a While."""
        from tensorflow.core.framework import types_pb2

        loop = self.nodes[place]
        data = [i for i in loop.input if not i.startswith("^")]
        controls = [i for i in loop.input if i.startswith("^")]
        types = list(loop.attr["T"].list.type)
        shared = [t == types_pb2.DT_RESOURCE for t in types]  # the same in all iterations
        at_once = loop.attr["parallel_iterations"].i or 10
        if controls:
            controls = ["^" + self._add(f"{loop.name}/LoopControlInputs", "NoOp", controls).name]
        enters, merges, switches = [], [], []
        for tensor, kind, constant in zip(data, types, shared, strict=True):
            enter = self._add(f"{loop.name}/enter", "Enter", [tensor, *controls], T=kind)
            enter.attr["frame_name"].s = loop.name.encode()
            enter.attr["parallel_iterations"].i = at_once
            enter.attr["is_constant"].b = constant
            enters.append(enter)
        for enter, kind, constant in zip(enters, types, shared, strict=True):
            merge = (
                None if constant else self._add(f"{loop.name}/merge", "Merge", [enter.name], T=kind)
            )
            merges.append(merge)
        state = [(m or e).name for m, e in zip(merges, enters, strict=True)]
        pivot = next((m.name for m in merges if m is not None), "")
        condition = self._call(loop, "cond", state, pivot)
        holds = self._add(f"{loop.name}/LoopCond", "LoopCond", [condition.name])
        for tensor, merge, kind in zip(data, merges, types, strict=True):
            name = f"{loop.name}/{self._now(tensor).partition(':')[0]}_switch"
            switches.append(
                merge and self._add(name, "Switch", [merge.name, holds.name], T=kind)
            )  # fmt: skip
        inside = [
            e.name if s is None else f"{s.name}:1" for s, e in zip(switches, enters, strict=True)
        ]
        first = next((k for k, s in enumerate(switches) if s is not None), None)
        control = ""
        if first is not None:
            control = self._add(
                f"{loop.name}/loop_body_control", "Identity", [inside[first]], T=types[first]
            ).name  # fmt: skip
        body = self._call(loop, "body", inside, control)
        exits = []
        for number, (tensor, switch, kind) in enumerate(zip(data, switches, types, strict=True)):
            self.moved[loop.name, number] = tensor
            if switch is not None:
                leaving = self._add(f"{loop.name}/exit", "Exit", [switch.name], T=kind)
                exits.append(f"^{leaving.name}")
                self.moved[loop.name, number] = leaving.name
        done = self._add(f"{loop.name}/LoopExecuted", "NoOp", exits)
        self._add("", "NoOp", [f"^{done.name}"]).name = loop.name
        for number, (merge, kind) in enumerate(zip(merges, types, strict=True)):
            if merge is not None:
                again = self._add(
                    f"{loop.name}/next_iteration", "NextIteration",
                    [f"{body.name}:{number}", f"^{body.name}"], T=kind,
                )  # fmt: skip
                merge.input.append(again.name)
                merge.attr["N"].i = 2
        self.gone.add(place)

    def _call(self, loop: Any, part: str, given: list[str], control: str) -> Any:
        node = self._add(
            f"{loop.name}/{part}", _CALL, [*given, *([f"^{control}"] if control else [])]
        )
        node.attr["f"].func.name = loop.attr[part].func.name
        return node

    def call(self, place: int) -> None:
        """Writes a function out where a loop calls it."""
        call = self.nodes[place]
        name = call.attr["f"].func.name
        found = self._body(name)
        assert found is not None  # `known` has seen it
        graph, flat = found
        signature = self.library[name].signature
        controls = [i for i in call.input if i.startswith("^")]
        if controls:
            controls = ["^" + self._add(f"{call.name}/input_control_node", "NoOp", controls).name]
        data = [i for i in call.input if not i.startswith("^")]
        given = {}
        for argument, tensor in zip(signature.input_arg, data, strict=True):
            node = self._add(f"{call.name}/input", "Identity", [tensor, *controls], T=argument.type)
            given[argument.name] = node.name
        for node in graph.node:
            made = type(node)()
            made.CopyFrom(node)
            made.name = f"{call.name}/{node.name}"
            del made.input[:]
            made.input.extend(_inside(i, call.name, given) for i in node.input)
            waits = any(i.startswith("^") for i in made.input)
            if not made.input or made.op in ops.CALLS and not waits:  # runs where the call would have
                made.input.extend(controls)
            self.nodes.append(made)
            self.written.add(made.name)
        for number, output in enumerate(signature.output_arg):
            tensor = _inside(flat[self.library[name].ret[output.name]], call.name, given)
            node = self._add(f"{call.name}/output", "Identity", [tensor], T=output.type)
            self.moved[call.name, number] = node.name
        effects = [f"^{call.name}/{n}" for n in self.library[name].control_ret.values()]
        done = self._add(f"{call.name}/output_control_node", "NoOp", effects or controls)
        self.after[call.name] = done.name
        if call.op != _CALL:  # it may be asked for by its name
            self._add("", "NoOp", [f"^{done.name}"]).name = call.name
        self.gone.add(place)

    def finish(self) -> None:
        """Writes the nodes back, reading what is gone where it is now."""
        kept = [node for place, node in enumerate(self.nodes) if place not in self.gone]
        for node in kept:
            node.input[:] = [self._now(i) for i in node.input]
        made = type(self.definition)(node=kept)
        del self.definition.node[:]
        self.definition.node.extend(made.node)

    def _now(self, tensor: str) -> str:
        if tensor.startswith("^"):
            return "^" + self.after.get(tensor[1:], tensor[1:])
        while True:
            name, _, number = tensor.partition(":")
            moved = self.moved.get((name, int(number or 0)))
            if moved is None:
                return tensor
            tensor = moved


def _inside(tensor: str, call: str, given: Mapping[str, str]) -> str:
    """A tensor of a function's body, in the graph."""
    if tensor.startswith("^"):
        return f"^{call}/{tensor[1:]}"
    name = tensor.partition(":")[0]
    return given.get(name, f"{call}/{tensor}")
