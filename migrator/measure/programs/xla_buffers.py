"""What lies in the blocks that a step compiled by XLA holds: XLA's own buffer assignment, by op.

XLA takes all temporaries of a compiled step as one allocation, and one for each result; the profiler
shows them without a name. Where each value lies in them, and from when to when, stands in the buffer
assignment that XLA writes to the folder that XLA_FLAGS names (hlo/buffer_assignment.cc,
ToVerboseString).
"""

from __future__ import annotations

import glob
import os
import re
from dataclasses import dataclass

FLAGS = "--xla_dump_to={folder} --xla_dump_hlo_as_text"
FOLDER = "MIGRATOR_XLA_DUMP"  # in the environment of a child: the folder that its XLA_FLAGS name
_ALLOCATION = re.compile(r"^allocation \d+: size (\d+),(.*)$")
_VALUE = re.compile(r"^ value: <\d+ (\S+) @\d+> \(size=(\d+),offset=(\d+)\)")
_MADE_BY = re.compile(r"^ from instruction: (?:ROOT )?%?(\S+) = .*$")
_RANGE = re.compile(r"^    (\S+):(\d+)-(\d+)$")
_OP_NAME = re.compile(r'op_name="([^"]*)"')
_OP_TYPE = re.compile(r'op_type="([^"]*)"')
_OPERAND = re.compile(r"%([\w.-]+)")
_ARGUMENT = "XLA_Args"  # the op_name of parameters
BETWEEN = "XLA/between buffers"  # what the block has and no value uses at its fullest moment
ARGUMENTS = "XLA/arguments"  # inputs and variables, which XLA may copy into other layouts


@dataclass(frozen=True)
class Value:
    """A value in the block: its op's name in the graph with the type, bytes, place, first and last
    instruction that it lives for."""

    op: str
    size: int
    offset: int
    start: int
    end: int


@dataclass(frozen=True)
class Block:
    """The allocation of a compiled step's temporaries, or of a result: `size` bytes."""

    size: int
    values: tuple[Value, ...]

    def at_peak(self) -> list[tuple[int, str]]:
        """(bytes, op) of what the block holds when most of it is in use; they add up to its size.

        Values that share their place (an op that works in place) are counted once.
        """
        moments = {v.start for v in self.values}
        fullest = max(moments, key=lambda t: sum(v.size for v in self.values if v.start <= t <= v.end),
                      default=0)  # fmt: skip
        found, covered = [], 0
        for value in sorted(self.values, key=lambda v: (v.offset, -v.size)):
            if value.start <= fullest <= value.end:
                new = value.offset + value.size - max(covered, value.offset)
                if new > 0:
                    found.append((new, value.op))
                    covered = value.offset + value.size
        rest = self.size - sum(size for size, _ in found)
        return [*found, (rest, BETWEEN)] if rest else found


def parse(text: str) -> list[Block]:
    """The blocks of temporaries and of results in a buffer assignment."""
    ranges: dict[str, tuple[int, int]] = {}
    made_by: dict[str, str] = {}
    blocks: list[tuple[int, list[tuple[str, int, int]]]] = []
    inside = False
    for line in text.splitlines():
        if match := _ALLOCATION.match(line):
            # a result that takes an argument's place is no allocation
            result = "maybe-live-out" in match[2] and "parameter" not in match[2]
            inside = "preallocated-temp" in match[2] or result
            if inside:
                blocks.append((int(match[1]), []))
        elif inside and (match := _VALUE.match(line)):
            blocks[-1][1].append((match[1], int(match[2]), int(match[3])))
        elif match := _MADE_BY.match(line):
            made_by[match[1]] = line
        elif match := _RANGE.match(line):
            ranges[match[1].partition("{")[0]] = int(match[2]), int(match[3])
    found = []
    for size, values in blocks:
        placed = [
            Value(op_of(name.partition("{")[0], made_by), length, offset, *ranges[name.partition("{")[0]])
            for name, length, offset in values if name.partition("{")[0] in ranges
        ]  # fmt: skip
        found.append(Block(size, tuple(placed)))
    return found


def op_of(instruction: str, made_by: dict[str, str], depth: int = 6) -> str:
    """The graph's op behind an instruction, as "name:type". What XLA made by itself (copies, other
    layouts) has the name of the nearest op whose value it reads, as "name/XLA:kind"."""
    own = instruction.rstrip("0123456789.")
    line = made_by.get(instruction, "")
    name = _OP_NAME.search(line)
    if name and name[1] != _ARGUMENT:
        kind = _OP_TYPE.search(line)
        return f"{name[1]}:{kind[1] if kind else 'XLA'}"
    reads_arguments = name is not None
    near, seen = [instruction], {instruction}
    for _ in range(depth):
        near = [o for i in near for o in _operands(made_by.get(i, "")) if o not in seen]
        seen.update(near)
        names = [n[1] for o in near if (n := _OP_NAME.search(made_by.get(o, "")))]
        found = next((n for n in names if n != _ARGUMENT), "")
        if found:
            return f"{found}/XLA:{own}"
        reads_arguments |= bool(names)
    return f"{ARGUMENTS}:{own}" if reads_arguments else f"XLA:{own}"


def _operands(line: str) -> list[str]:
    """What an instruction reads."""
    _, _, call = line.partition("(")
    return _OPERAND.findall(call.partition(")")[0])


def blocks(folder: str) -> list[Block]:
    """Every such block that XLA told of in a folder, the largest first."""
    found: list[Block] = []
    for path in glob.glob(os.path.join(folder, "*buffer-assignment.txt")):
        with open(path, encoding="utf-8", errors="replace") as fh:
            found += parse(fh.read())
    return sorted(found, key=lambda b: -b.size)
