"""What every measuring child does: phases, allocator and process memory, timed steps, inputs.

Keeps to Python 3.7: it also runs under TF 1.15.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np


def read_config(path: str) -> dict[str, Any]:
    """The child's configuration, and the repository's roots put on sys.path."""
    with open(path) as fh:
        config = json.load(fh)
    for root in reversed(config["roots"]):
        sys.path.insert(0, os.path.normpath(os.path.join(config["root"], root)))
    return config


def resident_bytes() -> int:
    """This process's resident set in bytes, from /proc where there is one."""
    try:
        with open("/proc/self/statm") as fh:
            return int(fh.read().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def target(path: str) -> Any:
    """The function behind "package.module:function"."""
    module, _, name = path.partition(":")
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def make_inputs(specs: list[dict[str, Any]], batch: int, root: str) -> dict[str, Any]:
    """{name: numpy array} drawn or read as the workload says; the same on both sides."""
    arrays: dict[str, Any] = {}
    for spec in specs:
        if spec.get("array"):
            path, _, key = spec["array"].partition(":")
            value = np.load(os.path.join(root, path))[key]
            if spec.get("shape") and spec["shape"][0] == "batch":
                value = np.resize(value, (batch,) + value.shape[1:])
        else:
            shape = tuple(batch if d == "batch" else d for d in spec.get("shape", ()))
            rng = np.random.RandomState(spec.get("seed", 0))
            dtype = np.dtype(spec.get("dtype", "float32"))
            low, high = spec.get("low", 0.0), spec.get("high", 1.0)
            if dtype.kind in "iu":
                value = rng.randint(int(low), max(int(high), int(low) + 1), size=shape).astype(
                    dtype
                )
            else:
                value = rng.uniform(low, high, size=shape).astype(dtype)
        arrays[spec["name"]] = value
    return arrays


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


def process_started() -> float:
    """When this process began, as time.time() counts (from /proc; else now)."""
    try:
        with open("/proc/self/stat") as fh:
            ticks = int(fh.read().rpartition(")")[2].split()[19])  # field 22, starttime
        with open("/proc/uptime") as fh:
            uptime = float(fh.read().split()[0])
        return time.time() - uptime + ticks / float(os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError):
        return time.time()


class Phases:
    """Records the state of memory at the end of each phase; the first begins with the process."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.allocator: Allocator | None = None
        self.started = process_started()

    def end(self, name: str) -> None:
        in_use, peak = self.allocator.info() if self.allocator else (None, None)
        now = time.time()
        self.records.append(
            {
                "name": name,
                "seconds": now - self.started,
                "in_use": in_use,
                "peak": peak,
                "rss": resident_bytes(),
                "device_used": device_used(),
            }
        )
        self.started = now


def device_used() -> int | None:
    """Bytes in use on the first NVIDIA GPU as the driver sees it, or None."""
    try:
        import pynvml

        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByIndex(0)
        return int(pynvml.nvmlDeviceGetMemoryInfo(handle).used)
    except Exception:  # no package, no driver, no permission: all mean "not known"
        return None


def timed_steps(
    step: Callable[[], Any], allocator: Allocator, warmups: int, steps: int
) -> tuple[list[int], int | None, list[float], list[float]]:
    """Runs `step` (synchronous: returns when its results are readable) and measures each call.

    Returns (peaks in bytes, bytes in use after the last step, wall seconds, CPU seconds).
    """
    for _ in range(warmups):
        step()
    peaks, wall, cpu = [], [], []
    for _ in range(steps):
        allocator.reset()
        started, cpu_started = time.perf_counter(), time.process_time()
        step()
        wall.append(time.perf_counter() - started)
        cpu.append(time.process_time() - cpu_started)
        peak = allocator.info()[1]
        if peak is not None:
            peaks.append(peak)
    return peaks, allocator.info()[0], wall, cpu


def write_result(config: dict[str, Any], result: dict[str, Any]) -> None:
    """Writes the result where the parent waits for it, whole or not at all."""
    part = config["out"] + ".part"
    with open(part, "w") as fh:
        json.dump(result, fh)
    os.rename(part, config["out"])


def scalar_loss(outputs: Any, name: str | None) -> Any:
    """The scalar that a training workload minimises: its result, or the entry called `name`."""
    if isinstance(outputs, dict):
        return outputs[name or "loss"]
    if isinstance(outputs, (list, tuple)) and not hasattr(outputs, "dtype"):
        return getattr(outputs, name) if name and hasattr(outputs, name) else outputs[0]
    return outputs
