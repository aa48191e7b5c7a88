"""What ops do to lists of tensors (TensorList, behind TensorArrays and recurrent layers).

A list that nobody else reads is changed where it lies; an element that is read is not copied
(tensorflow/core/kernels/list_kernels.cc, tensor_list.h).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from migrator.measure.predict.buffers import Buffers
from migrator.measure.predict.frames import Token

Given = Sequence[Token | None]
Tokens = list[Token | None]


class Sized(Protocol):
    """An output, as `liveness.Output`."""

    @property
    def bytes(self) -> int | None: ...


class Op(Protocol):
    """What is asked of a node, as `liveness.Node`."""

    @property
    def name(self) -> str: ...
    @property
    def op(self) -> str: ...
    @property
    def outputs(self) -> Sequence[Sized]: ...


def run(node: Op, given: Given, held: Buffers) -> Tokens | None:
    """The outputs, each held once, of an op that works on a list; None for ops that do not."""
    if node.op in _SUMS or node.op in _ZEROS:
        if not any(t is not None and t.buffer in held.members for t in given):
            return None
    change = _CHANGES.get(node.op)
    return None if change is None else change(node, given, held)


def elements(given: Given, held: Buffers) -> Sequence[Token | None]:
    """The elements of the list that is an op's first input."""
    source = _source(given)
    return held.members.get(source, []) if source is not None else []


def _source(given: Given) -> int | None:
    return given[0].buffer if given and given[0] is not None else None


def _number(given: Given, place: int) -> int | None:
    """An index or a length among the inputs, if its value is known."""
    token = given[place] if place < len(given) else None
    return token.value if token is not None and isinstance(token.value, int) else None


def _zeros(node: Op, output: int, held: Buffers) -> Token:
    """What stands for an element that was never set."""
    size = node.outputs[output].bytes
    return Token(held.new(size, node.name, 1) if size else None)


def _length(node: Op, given: Given, held: Buffers) -> Tokens:
    size = node.outputs[0].bytes
    buffer = held.new(size, node.name, 1) if size else None
    return [Token(buffer, len(elements(given, held)))]


def _from_tensor(node: Op, given: Given, held: Buffers) -> Tokens:
    made: Tokens = [Token(held.new(out.bytes, node.name, 1)) for out in node.outputs if out.bytes]
    return [Token(held.filled(made, node.name))]


def _reserve(node: Op, given: Given, held: Buffers) -> Tokens:
    return [Token(held.filled([None] * (_number(given, 1) or 0), node.name))]


def _push(node: Op, given: Given, held: Buffers) -> Tokens:
    made = held.listed(_source(given), node.name)
    held.members[made].append(held.keep(given[1] or Token()))
    return [Token(made)]


def _set(node: Op, given: Given, held: Buffers) -> Tokens:
    made = held.listed(_source(given), node.name)
    members, index = held.members[made], _number(given, 1)
    if index is None or index < 0:
        index = members.index(None) if None in members else len(members)
    members += [None] * (index + 1 - len(members))
    before, members[index] = members[index], held.keep(given[2] or Token())
    held.let_go(before)
    return [Token(made)]


def _pop(node: Op, given: Given, held: Buffers) -> Tokens:
    made = held.listed(_source(given), node.name)
    members = held.members[made]
    return [Token(made), (members.pop() if members else None) or _zeros(node, 1, held)]


def _get(node: Op, given: Given, held: Buffers) -> Tokens | None:
    source = _source(given)
    members = held.members.get(source) if source is not None else None
    if not members:
        return None  # made of zeros
    index = _number(given, 1)
    if index is not None and 0 <= index < len(members):
        return [held.keep(members[index]) or _zeros(node, 0, held)]
    # which one it is makes no difference while the list lives; its last readers read different ones
    members.append(members.pop(0))
    return [held.keep(members[-1]) or _zeros(node, 0, held)]


def _resize(node: Op, given: Given, held: Buffers) -> Tokens:
    made, length = held.listed(_source(given), node.name), _number(given, 1)
    members = held.members[made]
    if length is not None:
        members += [None] * (length - len(members))
        while len(members) > max(length, 0):
            held.let_go(members.pop())
    return [Token(made)]


def _zeros_like(node: Op, given: Given, held: Buffers) -> Tokens:
    made: Tokens = [
        None if e is None or e.buffer is None
        else Token(held.new(held.size[e.buffer], node.name, 1))
        for e in elements(given, held)
    ]  # fmt: skip
    return [Token(held.filled(made, node.name))]


def _sum(node: Op, given: Given, held: Buffers) -> Tokens:
    """Adds lists element by element; what only one of them has is not copied."""
    sums: Tokens = []
    for token in given:
        members = held.members.get(token.buffer, []) if token and token.buffer is not None else []
        for place, member in enumerate(members):
            if place == len(sums):
                sums.append(held.keep(member))
            elif member is not None and sums[place] is None:
                sums[place] = held.keep(member)
            elif member is not None and member.buffer is not None:
                before = sums[place]
                sums[place] = Token(held.new(held.size[member.buffer], node.name, 1))
                held.let_go(before)
    return [Token(held.filled(sums, node.name))]


_SUMS = frozenset({"AddN", "Add", "AddV2"})
_ZEROS = frozenset({"ZerosLike"})
_CHANGES: dict[str, Callable[[Op, Given, Buffers], Tokens | None]] = {
    "TensorListLength": _length, "TensorListFromTensor": _from_tensor,
    "TensorListReserve": _reserve, "TensorListPushBack": _push, "TensorListSetItem": _set,
    "TensorListPopBack": _pop, "TensorListGetItem": _get, "TensorListResize": _resize,
    "ZerosLike": _zeros_like, **dict.fromkeys(_SUMS, _sum),
}  # fmt: skip
