"""Traces one step with TensorFlow's profiler and says who held memory at the peak.

The profiler's host trace carries one MemoryAllocation or MemoryDeallocation event for every call of
the allocator, with address, requested and allocated bytes, the op, and "temp" for scratch
(tensorflow/core/common_runtime/bfc_allocator.cc, AddTraceMe). Replaying them gives the live set at
every moment. Needs TF 2; works for sessions, eager code, tf.function and XLA alike.
"""

from __future__ import annotations

import collections
import contextlib
import glob
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from migrator.measure.programs import xla_buffers

ROUND = 256  # bytes: the BFC allocator's smallest unit (kMinAllocationSize)
POINTS = 500
_BACKWARD = re.compile(r"(^|/)gradient_tape/|(^|/)gradients?(_\d+)?/")
_UPDATE = re.compile(r"ResourceApply|Assign|(^|/)(Momentum|sgd|RMSProp|Adam)[^/]*/", re.I)


@dataclass(frozen=True)
class Event:
    """One call of the allocator: picoseconds, whether it allocates, and the event's own figures."""

    time: int
    allocates: bool
    stats: dict[str, Any]


def events(folder: str) -> list[Event]:
    """The allocator's events of a profile, in the order in which they happened."""
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    found: list[Event] = []
    for path in sorted(glob.glob(f"{folder}/**/*.xplane.pb", recursive=True)):
        space = xplane_pb2.XSpace()
        with open(path, "rb") as fh:
            space.ParseFromString(fh.read())
        for plane in space.planes:
            names = {k: m.name for k, m in plane.event_metadata.items()}
            wanted = {
                k for k, n in names.items() if n in ("MemoryAllocation", "MemoryDeallocation")
            }
            stat = {k: m.name for k, m in plane.stat_metadata.items()}
            for line in plane.lines:
                for event in line.events:
                    if event.metadata_id in wanted:
                        values = {}
                        for s in event.stats:
                            kind = s.WhichOneof("value")
                            value = getattr(s, kind)
                            values[stat[s.metadata_id]] = (
                                stat[value] if kind == "ref_value" else value
                            )
                        found.append(Event(
                            line.timestamp_ns * 1000 + event.offset_ps,
                            names[event.metadata_id] == "MemoryAllocation", values,
                        ))  # fmt: skip
    found.sort(key=lambda e: e.time)
    return found


def of_device(found: list[Event], device: str) -> list[Event]:
    """The events of a device's allocator ("CPU:0", "GPU:0"). A GPU's pinned memory for transfers has
    an allocator of its own (GPU_host_bfc), whose bytes are the machine's and not the card's."""
    kind, _, number = device.lower().partition(":")
    of_gpu = re.compile(r"gpu_\d+_")

    def theirs(event: Event) -> bool:
        name = str(event.stats.get("allocator_name", "")).lower()
        if kind == "cpu":
            return not of_gpu.match(name) and not name.startswith("gpu_host")
        return name.startswith(f"{kind}_{number}_")

    return [event for event in found if theirs(event)]


def category(op: str, temporary: bool) -> str:
    """What kind of memory an allocation made by `op` during a step is."""
    if temporary:
        return "workspace"
    if _UPDATE.search(op):
        return "update temporaries"
    if _BACKWARD.search(op):
        return "gradients"
    return "activations"


def _scopes(name: str) -> list[str]:
    """An op's path without those of functions that it was inlined from."""
    wrappers = ("StatefulPartitionedCall", "PartitionedCall", "__")
    return [p for p in name.split("/") if p and not p.startswith(wrappers)]


def layer_of(op: str) -> str:
    """The layer scope of an op name: its path without the op itself and wrapper scopes."""
    parts = _scopes(_BACKWARD.sub("/", op.split(":")[0]))
    layer = [p for p in parts[:-1] if not p.endswith("_grad")] or parts[:1]
    return "/".join(layer) or "(unnamed)"


def chrome_trace(run: Replay, standing: dict[str, int]) -> dict[str, Any]:
    """Live bytes over one step in the Trace Event Format, for chrome://tracing and Perfetto.

    standing: {category: bytes} of what lives between steps. One counter with a series for each
    category, and one instant event where the live bytes are most.
    """
    # https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (counters)
    shown: list[dict[str, Any]] = [
        {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "live bytes of one step"}}
    ]
    live: dict[Any, tuple[str, int]] = {}
    totals: collections.Counter[str] = collections.Counter(standing)
    start = run.events[0].time if run.events else 0
    top, top_at = -1, 0.0
    for event in run.events:
        s = event.stats
        if event.allocates:
            kind = category(str(s.get("tf_op", "")), s.get("region_type") == "temp")
            live[s["addr"]] = (kind, s["requested_bytes"])
            totals[kind] += s["requested_bytes"]
        else:
            kind, size = live.pop(s["addr"], ("freed from before the step", s["requested_bytes"]))
            totals[kind] -= size
        at = (event.time - start) / 1e6  # picoseconds -> microseconds
        if sum(totals.values()) > top:
            top, top_at = sum(totals.values()), at
        shown.append({"ph": "C", "pid": 1, "name": "live bytes", "ts": at, "args": dict(totals)})
    shown.append({
        "ph": "i", "pid": 1, "tid": 1, "s": "p", "ts": top_at, "name": f"peak: {run.peak_op}",
        "args": {"bytes": top},
    })  # fmt: skip
    return {"traceEvents": shown, "displayTimeUnit": "ms"}


@dataclass
class Replay:
    """The live set over one step. Sizes are bytes on top of what was live before it."""

    requested_peak: int = 0
    allocated_peak: int = 0
    at_peak: tuple[tuple[int, str, bool], ...] = ()
    peak_op: str = ""
    timeline: tuple[tuple[int, int], ...] = ()
    events: tuple[Event, ...] = ()


def replay(found: list[Event]) -> Replay:
    """Replays allocations and deallocations; blocks from before the trace are freed as negatives."""
    live: dict[Any, tuple[int, int, str, bool]] = {}
    requested = allocated = 0
    result, timeline, peak_index = Replay(), [], -1
    for index, event in enumerate(found):
        s = event.stats
        if event.allocates:
            op = str(s.get("tf_op", ""))
            live[s["addr"]] = (
                s["requested_bytes"], s["allocation_bytes"], op, s.get("region_type") == "temp",
            )  # fmt: skip
            requested += s["requested_bytes"]
            allocated += s["allocation_bytes"]
        else:
            block = live.pop(s["addr"], None)
            requested -= block[0] if block else s["requested_bytes"]
            allocated -= block[1] if block else s["allocation_bytes"]
        result.allocated_peak = max(result.allocated_peak, allocated)
        if requested > result.requested_peak:
            result.requested_peak, peak_index = requested, index
            result.peak_op = str(s.get("tf_op", ""))
        timeline.append((event.time, requested))
    live.clear()
    for event in found[: peak_index + 1]:  # a second pass only to the peak: no copies on the way
        if event.allocates:
            s = event.stats
            live[s["addr"]] = (
                s["requested_bytes"], s["allocation_bytes"], str(s.get("tf_op", "")),
                s.get("region_type") == "temp",
            )  # fmt: skip
        else:
            live.pop(event.stats["addr"], None)
    result.at_peak = tuple((b[0], b[2], b[3]) for b in live.values())
    result.timeline = tuple(timeline)
    result.events = tuple(found)
    return result


def opened(
    held: Sequence[tuple[int, str, bool]], blocks: Sequence[xla_buffers.Block]
) -> list[tuple[int, str, bool]]:
    """What was held, with what lies in XLA's blocks in the place of the blocks."""
    found: list[tuple[int, str, bool]] = []
    waiting = list(blocks)
    for size, op, temporary in held:
        block = next((b for b in waiting if b.size == size), None)
        if block is None:
            found.append((size, op, temporary))
        else:
            waiting.remove(block)
            found += [(part, name, name == xla_buffers.BETWEEN) for part, name in block.at_peak()]
    return found


def thin(timeline: tuple[tuple[int, int], ...], points: int = POINTS) -> list[tuple[float, int]]:
    """(seconds from the first event, bytes): at most `points`, each stretch kept by its maximum."""
    if not timeline:
        return []
    start, width = timeline[0][0], max(1, -(-len(timeline) // points))
    kept = [
        max(timeline[i : i + width], key=lambda p: p[1]) for i in range(0, len(timeline), width)
    ]
    return [((t - start) / 1e12, b) for t, b in kept]


def fragmentation() -> float | None:
    """1 - largest free block / all free bytes of the allocator, as its next allocation reports it."""
    import tensorflow as tf

    with tempfile.TemporaryDirectory() as folder:
        with profile(folder, device=False):
            tf.raw_ops.Empty(shape=[1], dtype=tf.float32, init=False)
        told = [e.stats["fragmentation"] for e in events(folder) if "fragmentation" in e.stats]
    return float(told[-1]) if told else None


@contextlib.contextmanager
def profile(folder: str, device: bool) -> Iterator[None]:
    """TensorFlow's profiler around something; `device` also traces kernels on a GPU."""
    import tensorflow as tf

    profiler = tf.compat.v2.profiler.experimental
    options = profiler.ProfilerOptions(host_tracer_level=2, device_tracer_level=int(device))
    profiler.start(folder, options=options)
    try:
        yield
    finally:
        profiler.stop()


def trace(
    step: Callable[[], Any],
    allocator: Any,
    resident: dict[str, dict[str, int]],
    keep: str = "",
    blocks: Sequence[xla_buffers.Block] = (),
    source: Callable[[str], str] | None = None,
) -> dict[str, Any]:
    """Traces one call of `step`; the attribution record (migrator.measure.records) as a dict.

    resident: {category: {variable or input name: bytes}} of what is live on the device between steps.
    keep: a folder that the profile stays in, for TensorBoard and XProf, with a Chrome trace of live
    bytes. blocks: what XLA told of the blocks that it takes. source: the line that made an op; without
    it, tensors are not listed.
    """
    allocator.reset()
    before = allocator.info()[0] or 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = keep or scratch
        with profile(folder, device=bool(keep)):
            step()
        measured = allocator.info()[1] or 0
        run = replay(of_device(events(folder), allocator.device))
    if keep:
        standing = {k: sum(v.values()) for k, v in resident.items()}
        with open(os.path.join(keep, "live_bytes.trace.json"), "w", encoding="utf-8") as fh:
            json.dump(chrome_trace(run, standing), fh)
    held: collections.Counter[tuple[str, str, str]] = collections.Counter()
    lines: dict[tuple[str, str, str], str] = {}
    for size, op, temporary in opened(run.at_peak, blocks):
        key = category(op, temporary), layer_of(op), op.split(":")[-1]
        held[key] += size
        lines[key] = lines.get(key) or (source(op) if source else "")
    categories: collections.Counter[str] = collections.Counter()
    for (kind, _, _), size in held.items():
        categories[kind] += size
    freed = run.requested_peak - sum(held.values())
    if freed:  # blocks that lived before the step and died before the peak
        categories["freed before the peak"] += freed
    for kind, parts in resident.items():
        if parts:
            categories[kind] += sum(parts.values())
            for name, size in parts.items():
                held[kind, name.rpartition("/")[0] or name, name] += size
    largest = held.most_common(60)
    total = sum(categories.values())
    live = None
    if source is not None:
        from migrator.measure.programs import measure_live

        live = measure_live.table(run.events, resident, source)
    return {
        "requested_peak": total,
        "replay_peak": before + run.allocated_peak,
        "allocator_peak": measured,
        "missing": measured - (before + run.allocated_peak),
        "categories": dict(categories.most_common()),
        "holders": [
            {"category": k[0], "layer": k[1], "op": k[2], "bytes": size, "source": lines.get(k, "")}
            for k, size in largest
        ],
        "timeline": thin(run.timeline),
        "peak_op": "/".join(_scopes(run.peak_op)) or run.peak_op,
        "live": live,
    }
