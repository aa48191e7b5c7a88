"""Workloads before and after the migration: which cells are compared, and what may be said of them."""

from __future__ import annotations

import collections
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from migrator.measure import device_memory
from migrator.measure.device_memory import DeviceMemory
from migrator.measure.records import CellResult, Measurement
from migrator.report import text
from migrator.report.model import NO, UNKNOWN, YES

# Shares of memory that count as no change (docs/measuring.md). The allocator's chunks move with the
# layout of memory, so that more of them is noise.
NOISE = {"inference": 0.02, "training": 0.05}
CHUNK_NOISE = {"inference": 0.05, "training": 0.10}
SLOWER = 1.05  # step times up to this are called the same
UNTIMED = 1.25  # the same where fewer than four steps were timed, and nothing is known of their spread


@dataclass(frozen=True, slots=True)
class Verdict:
    """One comparison. verdict: "yes" (no worse), "no" or "unknown"; before and after as text."""

    verdict: str
    line: str
    before: str = ""
    after: str = ""
    change: str = ""
    ratio: float = 1.0


@dataclass(frozen=True, slots=True)
class Pair:
    """One workload at one batch: the TF1 program, and what the migration made of it."""

    before: CellResult
    after: CellResult

    @property
    def name(self) -> str:
        cell = self.after.cell
        return cell.workload if program(self.after) else text.titled(cell.workload, cell.mode)

    @property
    def title(self) -> str:
        return self.name if program(self.after) else f"{self.name}, batch {self.after.cell.batch}"

    @property
    def figure(self) -> str:
        """The figure of memory that both sides have: the one that repeats, where it can be trusted."""
        sides = (self.before, self.after)
        if all(r.reconciles for r in sides):
            return "requested bytes"
        if all(r.allocator_peak for r in sides):
            return "the allocator's bytes"
        return "resident bytes" if all(resident(r) for r in sides) else ""

    @property
    def peaks(self) -> tuple[int, int] | None:
        """(before, after) in bytes, the same figure of both."""
        figure = self.figure
        found = [
            r.requested_peak if figure == "requested bytes"
            else r.allocator_peak if figure == "the allocator's bytes" else resident(r)
            for r in (self.before, self.after)
        ]  # fmt: skip
        return (found[0], found[1]) if found[0] and found[1] else None

    @property
    def weight(self) -> int:
        """What it is ordered by: the workload that needs most memory matters most."""
        return max(self.peaks or (0,))

    def memory(self) -> Verdict:
        """Whether the migrated program needs no more than the original."""
        failed = self._failed()
        if failed:
            return failed
        peaks = self.peaks
        if peaks is None:
            old_one = any(str(s.extra.get("tensorflow", "")).startswith("1.") for s in self.before.samples)
            asked = ": TensorFlow 1.15 keeps none; measured without --tf1-python, both have it" * old_one
            return Verdict(UNKNOWN, "no figure of memory that both sides have" + asked)
        old, new = peaks
        noise = CHUNK_NOISE if self.figure == "the allocator's bytes" else NOISE
        limit = noise.get(self.after.cell.mode, 0.05)
        resident_only = self.figure == "resident bytes"
        much = new / old - 1
        same = abs(much) <= limit
        # the library is most of what a whole process has resident, and it is another one now
        verdict = UNKNOWN if resident_only else YES if much <= limit else NO
        said = f"no change beyond noise ({limit:.0%})" if same else text.change(new, old)
        if resident_only:
            said += " in resident bytes, the TensorFlow library included"
        wholes = [on_card(r) for r in (self.before, self.after)]
        if wholes[0] and wholes[1]:
            had, has = text.size(wholes[0].process), text.size(wholes[1].process)
            said += f"; of the whole card the process has {has} instead of {had}" if had != has else (
                f"; of the whole card the process has {has}, as before"
            )
        return Verdict(
            verdict, said, text.size(old), text.size(new),
            "same" if same else f"{much:+.0%}", new / old,
        )  # fmt: skip

    def speed(self) -> Verdict:
        """Whether it is as fast; not known where the difference is within the spread of the steps."""
        failed = self._failed()
        if failed:
            return failed
        old, new = self.before.step_seconds, self.after.step_seconds
        if not old or not new:
            return Verdict(UNKNOWN, "no times that both sides have")
        shown = text.duration(old), text.duration(new), text.ratio(new, old), new / old
        if self.carries_results():
            return Verdict(
                UNKNOWN, "these times have the way of the results over the bus in them, which a Session "
                "takes through pinned memory; measured anew, it is timed apart", *shown,
            )  # fmt: skip
        timed = all(r.spread is not None for r in (self.before, self.after))
        if new <= SLOWER * old:
            faster = "faster" if new < old / SLOWER else "as fast"
            return Verdict(YES, faster + self._delivered(), *shown)
        ranges = self.before.step_range, self.after.step_range
        assert ranges[0] and ranges[1]
        clear = ranges[1][0] > ranges[0][1] if timed else new > UNTIMED * old
        if clear and not self._worked_alike():
            return Verdict(NO, "slower" + self._call() + self._delivered(), *shown)
        why = (
            "not in processor time: the machine was busy" if clear
            else "the steps of both overlap" if timed else "timed once, which says little"
        )  # fmt: skip
        return Verdict(UNKNOWN, f"slower by the clock, but {why}", *shown)

    def _worked_alike(self) -> bool:
        """Whether, on a processor, both took the same processor time, which neighbours do not change."""
        old, new = self.before.cpu_seconds, self.after.cpu_seconds
        return bool(old and new and not on_gpu(self.after) and new <= SLOWER * old)

    def carries_results(self) -> bool:
        """Whether these are times of a GPU, of steps that return more than a loss, from before the way of
        results was timed apart."""
        sides = (self.before, self.after)
        return (
            self.after.cell.mode == "inference" and not program(self.after)
            and all(on_gpu(r) for r in sides) and not any(r.delivered_seconds for r in sides)
        )  # fmt: skip

    def _delivered(self) -> str:
        """What a step and the way of its results take together, where that is a way."""
        old, new = self.before.delivered_seconds, self.after.delivered_seconds
        if not old or not new:
            return ""
        return f"; with its results in Python {text.duration(old)} before, {text.duration(new)} after"

    def _failed(self) -> Verdict | None:
        for r in (self.after, self.before):
            if not r.ok:
                verdict = NO if r is self.after and self.before.ok else UNKNOWN
                return Verdict(verdict, f"{r.cell.side} {text.ended(r.status)}: {r.reason}", ratio=9e9)
        return None

    def _call(self) -> str:
        """What of the step time is the call's and not the step's: the same at every batch."""
        told = [c for s in self.after.samples if (c := s.extra.get("call"))]
        if not told:
            return ""
        seconds = statistics.median(c["seconds"] for c in told)
        variables = f"{told[0]['variables']:,} variables"
        return f"; calling a tf.function over {variables} takes {text.duration(seconds)} of it"


def on_gpu(result: CellResult) -> bool:
    """Whether a cell was measured on a GPU."""
    return any(p.device_used for s in result.samples for p in s.phases)


def on_card(result: CellResult) -> DeviceMemory | None:
    """What the driver counts for the process that has most of the card, by parts."""
    found = [parts for s in result.samples if (parts := device_memory.most(s)) is not None]
    return max(found, key=lambda parts: parts.process, default=None)


def program(result: CellResult) -> bool:
    """Whether a whole program was measured, and no step of it."""
    return result.cell.execution == "command"


def resident(result: CellResult) -> int | None:
    """Most bytes that the processes of a program had resident together."""
    return max((s.extra.get("rss_peak") or 0 for s in result.samples), default=0) or None


def plain(result: CellResult) -> bool:
    """Whether a cell is what the migration wrote, with nothing added: what verdicts are about."""
    c = result.cell
    return (
        c.side == "after" and c.execution in ("function", "command") and c.precision == "float32"
        and not c.strategy and c.allocator == "default"
    )  # fmt: skip


def pairs(measured: Measurement) -> list[Pair]:
    """Each workload at the largest batch that ran before, the one that matters most first."""
    before = {
        (r.machine, r.cell.workload, r.cell.mode, r.cell.batch): r
        for r in measured.cells if r.cell.side == "before" and r.cell.allocator == "default"
    }  # fmt: skip
    groups: dict[tuple[str, str, str], list[Pair]] = collections.defaultdict(list)
    for r in measured.cells:
        other = before.get((r.machine, r.cell.workload, r.cell.mode, r.cell.batch))
        if plain(r) and other is not None:
            groups[r.machine, r.cell.workload, r.cell.mode].append(Pair(other, r))
    found = [
        max(group, key=lambda p: (p.before.ok, p.after.cell.batch)) for group in groups.values()
    ]
    return sorted(found, key=lambda p: (program(p.after), -p.weight))


def worst(found: Iterable[tuple[Pair, Verdict]]) -> tuple[Pair, Verdict]:
    """What an answer about several workloads is about: the worst of them, else the first."""
    order = {NO: 0, UNKNOWN: 1, YES: 2}
    return min(
        found, key=lambda f: (order[f[1].verdict], -f[1].ratio if f[1].verdict != YES else 0)
    )
