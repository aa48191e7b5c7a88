"""What every measuring child does: phases, allocator and process memory, timed steps.

Keeps to Python 3.7: it also runs under TF 1.15.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))
_SHARED = os.path.normpath(os.path.join(_HERE, "..", "..", "workload", "programs"))

sys.path[:0] = [_SHARED, _HERE]
import allocator_log  # type: ignore[import-not-found]  # noqa: E402  # beside this module
import child_setup  # type: ignore[import-not-found]  # noqa: E402  # found through _SHARED
import measure_graphs  # type: ignore[import-not-found]  # noqa: E402, F401  # beside this module
import nvml  # type: ignore[import-not-found]  # noqa: E402  # beside this module
import process_stats  # type: ignore[import-not-found]  # noqa: E402  # beside this module
from child_setup import (  # noqa: E402, F401  # handed on to the programs
    Unusable,
    existing_checkpoint,
    flatten,
    load_by_path,
    make_inputs,
    scalar_loss,
    target,
)

del sys.path[:2]

GUESS = 64  # a size that nothing says
ENOUGH_STEPS, ENOUGH = 3, 5.0  # seconds: what a figure of slow steps may cost


def read_config() -> dict[str, Any]:
    """The child's configuration, and the repository's roots put on sys.path."""
    config: dict[str, Any] = child_setup.read_config()
    child_setup.leave_directory(_HERE)
    child_setup.add_roots(config["root"], config["roots"])
    return config


def run_main(main: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Writes what `main(config)` measured; what it finds unusable is a result, too."""
    child_setup.end_with_parent()
    config = read_config()
    try:
        result = main(config)
    except Unusable as error:
        result = {"unusable": str(error)}
    child_setup.write_json(config["out"], result)


class Allocator:
    """The device allocator's own figures (TF 2 only: `experimental` is tf.config.experimental)."""

    def __init__(self, experimental: Any, device: str) -> None:
        self.api, self.device = experimental, device

    def info(self) -> tuple[int | None, int | None]:
        """(bytes in use, peak bytes) since the last reset, or (None, None)."""
        if self.api is None:
            return None, None
        try:
            got = self.api.get_memory_info(self.device)
        except (ValueError, AttributeError):
            return None, None
        return int(got["current"]), int(got["peak"])

    def reset(self) -> None:
        if self.api is not None:
            with contextlib.suppress(ValueError, AttributeError):
                self.api.reset_memory_stats(self.device)


class Phases:
    """Records the state of memory at the end of each phase; the first begins with the process."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.allocator: Allocator | None = None
        self.log = allocator_log.Reader()
        self.fragmentation: Callable[[], float | None] | None = None
        self.started = process_stats.started()

    def end(self, name: str) -> None:
        in_use, peak = self.allocator.info() if self.allocator else (None, None)
        now = time.time()
        # a fork has its imports from elsewhere, where they were measured
        taken = process_stats.imported() if name == "import" else {}
        device = nvml.used()
        self.records.append(
            {
                "name": name,
                "seconds": taken.get("seconds", now - self.started),
                "in_use": in_use,
                "peak": peak,
                "rss": taken.get("rss", process_stats.resident_bytes()),
                "device_used": device["used"],
                "device_process": device["process"],
                "reserved": self.log.reserved(self.allocator.device if self.allocator else ""),
                "fragmentation": self.fragmentation() if self.fragmentation else None,
            }
        )
        self.started = time.time()


def timed_steps(
    step: Callable[[], Any],
    allocator: Allocator,
    warmups: int,
    steps: int,
    read: Callable[[Any], Any] | None = None,
    whole: bool = False,
) -> dict[str, Any]:
    """Runs `step` (synchronous: returns when its device is done) and measures each call.

    Where steps take long there are fewer: ENOUGH_STEPS at least, no more once they took ENOUGH seconds.
    read: brings a step's results to where Python reads them; `whole`: is another step that does.

    Returns the fields of a sample: steady_peaks and steady_in_use in bytes; wall, cpu and delivered in
    seconds, the last for a step and the way of its results together (empty without `read`).
    """
    for _ in range(warmups):
        result = step()
        if read is not None:
            read(result)
        del result  # it lies in the allocator that is measured next
    peaks: list[int] = []
    wall: list[float] = []
    cpu: list[float] = []
    delivered: list[float] = []
    for _ in range(steps):
        if len(wall) >= ENOUGH_STEPS and sum(wall) >= ENOUGH:
            break
        allocator.reset()
        started, cpu_started = time.perf_counter(), time.process_time()
        result = step()
        wall.append(time.perf_counter() - started)
        cpu.append(time.process_time() - cpu_started)
        peak = allocator.info()[1]
        if peak is not None:
            peaks.append(peak)
        if read is not None and (not whole or len(delivered) < ENOUGH_STEPS):
            began = time.perf_counter() if whole else started
            read(result)
            delivered.append(time.perf_counter() - began)
        del result
    return {
        "steady_peaks": peaks, "steady_in_use": allocator.info()[0], "wall": wall, "cpu": cpu,
        "delivered": delivered,
    }  # fmt: skip
