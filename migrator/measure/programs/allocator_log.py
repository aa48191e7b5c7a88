"""Reads from this process's own log how much of a device TensorFlow's allocators have reserved.

BFC tells the size of its regions only in its log (`VLOG(1)` of Extend in
xla/tsl/framework/bfc_allocator.cc, switched on by TF_CPP_VMODULE): "Extending allocation by … for
GPU_0_bfc." and then "Total allocated bytes: 514.00MiB". Figures have three digits after the point.
Keeps to Python 3.7: it also runs under TF 1.15, which reports nothing.
"""

from __future__ import annotations

import re
from typing import Any

# What the parent puts into the environment of a child whose log can be read back.
ENVIRONMENT = {"TF_CPP_VMODULE": "bfc_allocator=1", "TF_CPP_MIN_LOG_LEVEL": "0"}
_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_EXTENDING = re.compile(rb"Extending allocation by \S+ (?:bytes )?for (\S+?)\.\s")
_TOTAL = re.compile(rb"Total allocated bytes: ([\d.]+)([KMGT]?i?B)")


class Reader:
    """Follows the log that file descriptor 2 goes to, where that is a file."""

    def __init__(self, path: str = "/proc/self/fd/2") -> None:
        self.totals: dict[str, int] = {}
        self._name = ""
        self._file: Any = None
        try:
            # A pipe or a terminal must not be read: its lines would be taken from somebody.
            with open(path, "rb") as probe:
                if probe.seekable():
                    self._file = open(path, "rb")  # stays open with the process
        except OSError:
            pass

    def _follow(self) -> None:
        if self._file is None:
            return
        for line in self._file.read().splitlines(keepends=True):
            extending = _EXTENDING.search(line)
            if extending:
                self._name = extending.group(1).decode()
            total = _TOTAL.search(line)
            if total and self._name:
                unit = total.group(2).decode()
                self.totals[self._name] = int(float(total.group(1)) * _UNITS.get(unit, 1))

    def reserved(self, device: str) -> int | None:
        """Bytes that the device's allocator ("CPU:0", "GPU:0") has taken, or None if unknown."""
        self._follow()
        kind, _, number = device.partition(":")
        wanted = "cpu" if kind == "CPU" else f"{kind}_{number}_bfc"
        found = [v for k, v in self.totals.items() if wanted.lower() in k.lower()]
        return sum(found) if found else None
