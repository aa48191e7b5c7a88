"""What measuring yields: cells (one configuration each), their samples, and where they came from.

All sizes are bytes, all times seconds. `measure.json` is `to_jsonable(Measurement)`; its shape is
versioned by SCHEMA.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import re
import statistics
import types
import typing
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

SCHEMA = 1

EXECUTIONS = ("graph_session", "eager", "function", "xla", "tflite", "command")
PRECISIONS = ("float32", "mixed_float16", "mixed_bfloat16")


@dataclass(frozen=True, slots=True)
class Cell:
    """One configuration of the matrix.

    side: "before" (the TF1 program in a graph session) or "after" (the migrated one).
    execution: one of EXECUTIONS; "command" is a program of the repository under the probe.
    allocator: "default", "growth", "limit:BYTES" or "cuda_malloc_async".
    strategy: "" for the program as it is, else what was done to it (`measure.strategies`).
    """

    workload: str
    side: str
    execution: str
    precision: str
    mode: str
    batch: int
    allocator: str = "default"
    strategy: str = ""

    @property
    def id(self) -> str:
        """A file name that tells the cell from all others."""
        text = "-".join(str(v) for v in dataclasses.astuple(self))
        safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in text)
        return f"{safe[:120]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    @property
    def title(self) -> str:
        how = {
            "graph_session": "graph session", "eager": "eager",
            "function": "tf.function", "xla": "tf.function + XLA", "tflite": "TFLite",
            "command": "whole program",
        }.get(self.execution, self.execution)  # fmt: skip
        parts = [how] if self.execution == "command" else [how, self.precision]
        parts += [v for v in (self.strategy,) if v]
        parts += [v for v in (self.allocator,) if v != "default"]
        return f"{self.side}: {', '.join(parts)}"


@dataclass(frozen=True, slots=True)
class Phase:
    """Memory at the end of one phase of a child's life (bytes; None where unknown).

    in_use, peak: of the allocator. reserved: what the allocator holds of the device, used or not.
    fragmentation: 1 - largest free block / all free bytes of it, between 0 and 1. rss: the process.
    device_used: the whole GPU as the driver sees it; device_process: this process's part of it.
    """

    name: str
    seconds: float
    in_use: int | None
    peak: int | None
    rss: int
    device_used: int | None = None
    device_process: int | None = None
    reserved: int | None = None
    fragmentation: float | None = None


@dataclass(frozen=True, slots=True)
class Holder:
    """One thing that held memory at the peak. source: "file:line" of the program that made the op."""

    category: str
    layer: str
    op: str
    bytes: int
    source: str = ""


@dataclass(frozen=True, slots=True)
class Live:
    """The larger tensors of a traced step, largest first, and what lives between steps.

    tensors: (begin, end, bytes, category, layer, op, shape, type, line of the user's program), times in
      microseconds from the first event (begin -1: before the step; end -1: outlives it), the last six
      indices into `words`. left_out: how many smaller ones there were.
    """

    words: tuple[str, ...]
    tensors: tuple[tuple[float, float, int, int, int, int, int, int, int], ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Attribution:
    """Where the memory of one traced step went.

    requested_peak: weights + slots + inputs + bytes requested by the step at their peak.
    replay_peak: allocator peak replayed from the trace; `missing` is what it differs by from the
      allocator's own figure of the same step.
    categories: bytes at the requested-bytes peak by kind. holders: the largest ones.
    timeline: (seconds into the step, live requested bytes), thinned to at most 500 points, the peak
      always among them. live: which tensors these are, of the process that needed most.
    """

    requested_peak: int
    replay_peak: int
    allocator_peak: int
    missing: int
    categories: dict[str, int]
    holders: tuple[Holder, ...]
    timeline: tuple[tuple[float, int], ...]
    peak_op: str = ""
    live: Live | None = None

    @property
    def reconciles(self) -> bool:
        """Whether the trace accounts for what the allocator counted in the same step: replayed, it gives
        the allocator's peak within 1 %, and no more was requested than was there."""
        off = abs(self.allocator_peak - self.replay_peak)
        return off <= 0.01 * self.allocator_peak and self.requested_peak <= 1.02 * self.allocator_peak


@dataclass(frozen=True, slots=True)
class Sample:
    """What one child process measured.

    wall: seconds of each step until its device was done. delivered: seconds of steps with the way of
      their results to where Python reads them; empty where that is no way (on a CPU results are read
      where they lie), and in older files, whose wall is of both.
    size, compressed: bytes of the stored model, and of it packed with gzip, where one was written.
    """

    phases: tuple[Phase, ...]
    weights: int
    slots: int
    inputs: int
    steady_peaks: tuple[int, ...]
    steady_in_use: int | None
    wall: tuple[float, ...]
    cpu: tuple[float, ...]
    traces: int | None
    attribution: Attribution | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    size: int | None = None
    compressed: int | None = None
    delivered: tuple[float, ...] = ()


REASON = 300  # characters of a line of a log that are shown
# what the runner adds below a log about the way in which its process ended
_HOW = re.compile(r"exit code -?\d+|stopped after .* s|killed by signal \d+|out of memory")


def _readable(line: str) -> str:
    """A line of a log, shortened; what was not text (U+FFFD) is only named."""
    if line.count("\ufffd") > len(line) / 10:
        return "(binary output)"
    return line.strip()[:REASON]


@dataclass(frozen=True, slots=True)
class CellResult:
    """A cell and what its processes found.

    status: "ok", "oom", "timeout", "failed", "killed" or "unsupported"; detail is the last lines of
    the log of the process that ended so.
    """

    cell: Cell
    status: str
    samples: tuple[Sample, ...] = ()
    detail: str = ""
    machine: str = ""
    difference: float | None = None

    @property
    def ok(self) -> bool:
        return self.status == "ok" and bool(self.samples)

    @property
    def reason(self) -> str:
        """Why there are no figures, on one line: how the process ended, and what it said last."""
        lines = [_readable(line) for line in self.detail.splitlines() if line.strip()]
        if not lines:
            return "no output"
        if len(lines) > 1 and _HOW.fullmatch(lines[-1]):
            return f"{lines[-1]}: {lines[-2]}"
        return lines[-1]

    @property
    def requested_peak(self) -> int | None:
        """Largest peak of requested bytes of any process: the figure that repeats."""
        return max((s.attribution.requested_peak for s in self.samples if s.attribution), default=None)

    @property
    def allocator_peak(self) -> int | None:
        """Largest peak of the allocator in any steady step of any process, in bytes."""
        return max((p for s in self.samples for p in s.steady_peaks), default=None)

    @property
    def reconciles(self) -> bool:
        """Whether every traced step accounts for what the allocator counted in it."""
        traced = [s.attribution for s in self.samples if s.attribution]
        return bool(traced) and all(a.reconciles for a in traced)

    @property
    def peak(self) -> int | None:
        """The requested bytes where they reconcile with the allocator, else the allocator's own."""
        if self.reconciles or self.allocator_peak is None:
            return self.requested_peak
        return self.allocator_peak

    @property
    def step_seconds(self) -> float | None:
        """Median wall time of a step."""
        found = [statistics.median(s.wall) for s in self.samples if s.wall]
        return statistics.median(found) if found else None

    @property
    def delivered_seconds(self) -> float | None:
        """Median wall time of a step and the way of its results, where these have one."""
        found = [statistics.median(s.delivered) for s in self.samples if s.delivered]
        return statistics.median(found) if found else None

    @property
    def cpu_seconds(self) -> float | None:
        """Median processor time of a step, all threads."""
        found = [statistics.median(s.cpu) for s in self.samples if s.cpu]
        return statistics.median(found) if found else None

    @property
    def requested_range(self) -> tuple[int, int] | None:
        """Smallest and largest requested peak over the processes, in bytes."""
        found = [s.attribution.requested_peak for s in self.samples if s.attribution]
        return (min(found), max(found)) if found else None

    @property
    def step_range(self) -> tuple[float, float] | None:
        """Quickest and slowest step, in seconds: all steps of all processes but the outer eighths."""
        times = sorted(t for s in self.samples for t in s.wall)
        if not times:
            return None
        cut = len(times) // 8
        return times[cut], times[len(times) - 1 - cut]

    @property
    def spread(self) -> float | None:
        """Half of `step_range` over the median step; None where less than four steps were timed."""
        found, middle = self.step_range, self.step_seconds
        if sum(len(s.wall) for s in self.samples) < 4 or not found or not middle:
            return None
        return (found[1] - found[0]) / 2 / middle


@dataclass(frozen=True, slots=True)
class Measurement:
    """A whole run of the matrix, with the environment it came from.

    machines: {label: environment} where the cells come from more than one machine or GPU.
    """

    environment: dict[str, Any]
    cells: tuple[CellResult, ...]
    settings: dict[str, Any] = field(default_factory=dict)
    schema: int = SCHEMA
    machines: dict[str, dict[str, Any]] = field(default_factory=dict)


class SchemaError(ValueError):
    """A measurement file that this version cannot read; the message names file and field."""


# what JSON has for a kind: a whole number may stand for a float
_JSON: dict[Any, tuple[type, ...]] = {int: (int,), float: (int, float), str: (str,)}


def _checked(value: Any, expected: Any, at: str) -> Any:
    """The value of a field, lists as tuples, if it and all in it are of the annotated kinds."""
    kinds = typing.get_args(expected)
    origin = typing.get_origin(expected)
    if origin is tuple and isinstance(value, list):
        if kinds[-1] is ...:
            return tuple(_checked(v, kinds[0], f"{at}[{i}]") for i, v in enumerate(value))
        if len(value) == len(kinds):
            pairs = enumerate(zip(value, kinds, strict=True))
            return tuple(_checked(v, k, f"{at}[{i}]") for i, (v, k) in pairs)
    elif origin is dict and isinstance(value, dict):
        return {k: _checked(v, kinds[1], f"{at}.{k}") for k, v in value.items()}
    elif origin is types.UnionType:
        if value is None:
            return None
        return _checked(value, next(k for k in kinds if k is not type(None)), at)
    elif expected is Any or isinstance(value, _JSON.get(expected, ())):
        if expected is Any or not isinstance(value, bool):
            return value
    raise SchemaError(f"{at}: expected {_named(expected)}, found {json.dumps(value)[:60]}")


def _named(expected: Any) -> str:
    if typing.get_origin(expected) is tuple:
        return "a list"
    if typing.get_origin(expected) is dict:
        return "an object"
    return str(getattr(expected, "__name__", expected))


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _build(kind: type, raw: Any, where: str) -> Any:
    """A record of dataclass `kind` from parsed JSON, nested records included."""
    if not isinstance(raw, dict):
        raise SchemaError(f"{where}: expected an object")
    nested: dict[str, Any] = {
        "cell": Cell, "phases": [Phase], "samples": [Sample], "cells": [CellResult],
        "attribution": Attribution, "holders": [Holder], "live": Live,
    }  # fmt: skip
    hints = _hints(kind)
    values: dict[str, Any] = {}
    for f in dataclasses.fields(kind):
        if f.name not in raw:
            if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
                raise SchemaError(f"{where}: field {f.name!r} is missing")
            continue
        value, at = raw[f.name], f"{where}.{f.name}"
        inner = nested.get(f.name)
        if isinstance(inner, list):
            if not isinstance(value, list):
                raise SchemaError(f"{at}: expected a list")
            value = tuple(_build(inner[0], v, f"{at}[{i}]") for i, v in enumerate(value))
        elif inner is not None and value is not None:
            value = _build(inner, value, at)
        values[f.name] = _checked(value, hints[f.name], at) if inner is None else value
    return kind(**values)


def with_one_list(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """The samples of a cell, with the list of tensors of the one that needed most only."""
    traced = [s for s in samples if s.attribution is not None]
    most = max(traced, key=lambda s: s.attribution.requested_peak, default=None)  # type: ignore[union-attr]
    return tuple(
        s if s is most or s.attribution is None
        else dataclasses.replace(s, attribution=dataclasses.replace(s.attribution, live=None))
        for s in samples
    )  # fmt: skip


def sample_from_json(raw: Any, where: str = "sample") -> Sample:
    """A Sample from a child's result."""
    sample: Sample = _build(Sample, raw, where)
    return sample


def load(text: str, source: str = "measure.json") -> Measurement:
    """A Measurement from its JSON text; fields that later versions added may be absent.

    Raises:
      SchemaError: not JSON, a newer schema, or a required field that is missing or of another kind.
    """
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"{source}: not JSON ({error})") from error
    if isinstance(raw, dict) and isinstance(raw.get("schema"), int) and raw["schema"] > SCHEMA:
        raise SchemaError(
            f"{source}: schema {raw['schema']} is newer than {SCHEMA}; update migrator"
        )
    measurement: Measurement = _build(Measurement, raw, source)
    return measurement
