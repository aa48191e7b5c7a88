"""Explains what the driver counts for a process on a GPU by what the allocator says at that moment."""

from __future__ import annotations

from dataclasses import dataclass

from migrator.measure.records import Phase, Sample


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """Parts of `process`, the driver's bytes for the process: they add up to it.

    in_use: tensors. slack: reserved by the allocator and not in use. outside: CUDA context, cuDNN
    and cuBLAS with their workspaces, and what other libraries took. All in bytes.
    """

    phase: str
    process: int
    in_use: int
    slack: int
    outside: int


def explain(phase: Phase, before_context: int | None = None) -> DeviceMemory | None:
    """The parts at the end of a phase; None without a GPU, or where a figure is not known.

    before_context: bytes in use on the card before the process had a context, which stand for its
    share where the driver hides processes (containers): then nothing else may run on the card.
    """
    process = phase.device_process
    if process is None and phase.device_used is not None and before_context is not None:
        process = phase.device_used - before_context
    if process is None or phase.in_use is None or phase.reserved is None:
        return None
    return DeviceMemory(
        phase.name, process, phase.in_use, phase.reserved - phase.in_use, process - phase.reserved
    )


def most(sample: Sample) -> DeviceMemory | None:
    """The phase in which the process has most of the card, with its parts; None without a GPU."""
    return max(of_sample(sample), key=lambda found: found.process, default=None)


def of_sample(sample: Sample) -> tuple[DeviceMemory, ...]:
    """Every phase that can be explained. The phase "import" ends before there is a context."""
    first = next((p.device_used for p in sample.phases if p.name == "import"), None)
    found = (explain(p, first) for p in sample.phases)
    return tuple(f for f in found if f is not None)
