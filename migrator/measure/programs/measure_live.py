"""Every larger tensor of a traced step: from when to when it lived, how large it was, and who made it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from migrator.measure.programs.measure_trace import Event, category, layer_of

KEPT = 1200  # tensors of a step, the largest by bytes; the smaller ones are what is missing to the line
# data_type of an allocation event: tensorflow/core/framework/types.proto
_TYPES = {
    1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 7: "string",
    8: "complex64", 9: "int64", 10: "bool", 14: "bfloat16", 17: "uint16", 19: "float16",
    20: "resource", 21: "variant", 22: "uint32", 23: "uint64",
}  # fmt: skip


def table(
    events: Iterable[Event], resident: dict[str, dict[str, int]], line: Callable[[str], str]
) -> dict[str, Any]:
    """`records.Live` as a dict.

    resident: {category: {name: bytes}} of what lives between steps. line: the user's line of an op.
    """
    found: list[tuple[float, float, int, str, str, str, str, str, str]] = []
    start: int | None = None
    living: dict[Any, int] = {}
    for event in events:
        start = event.time if start is None else start
        at = (event.time - start) / 1e6  # picoseconds -> microseconds
        s = event.stats
        if event.allocates:
            op = str(s.get("tf_op", ""))
            name = op.split(":")[0]
            living[s["addr"]] = len(found)
            kind = category(op, s.get("region_type") == "temp")
            shape = str(s.get("shape") or "").strip("[]").replace(",", "×")
            dtype = _TYPES.get(int(s.get("data_type") or 0), "")
            found.append((at, -1.0, s["requested_bytes"], kind, layer_of(op), name, shape, dtype, line(op)))
        else:
            index = living.pop(s["addr"], None)
            if index is not None:
                found[index] = (found[index][0], at, *found[index][2:])
    for kind, parts in resident.items():
        found += [
            (-1.0, -1.0, size, kind, name.rpartition("/")[0] or name, name, "", "", "")
            for name, size in parts.items()
        ]
    kept = sorted((f for f in found if f[2] and (f[0] < 0 or f[1] != f[0])), key=lambda f: -f[2])[:KEPT]
    words: dict[str, int] = {}
    rows = [
        [round(f[0], 1), round(f[1], 1), f[2], *(words.setdefault(w, len(words)) for w in f[3:])]
        for f in kept
    ]
    return {"words": list(words), "tensors": rows, "left_out": len(found) - len(kept)}
