"""What the operating system says about this process: when it began, how much of it is resident.

Keeps to Python 3.7: it also runs under TF 1.15.
"""

from __future__ import annotations

import json
import os
import resource
import time
from typing import Any

IMPORTED = "MIGRATOR_IMPORTED"  # in the environment of a fork of programs/warm.py


def started() -> float:
    """When this process began, as time.time() counts (from /proc; else now)."""
    try:
        with open("/proc/self/stat") as fh:
            ticks = int(fh.read().rpartition(")")[2].split()[19])  # field 22, starttime
        with open("/proc/uptime") as fh:
            uptime = float(fh.read().split()[0])
        return time.time() - uptime + ticks / float(os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError):
        return time.time()


def resident_bytes() -> int:
    """This process's resident set in bytes, from /proc where there is one.

    A fork has its pages of libraries only from when it touches them: those that were resident where
    they were imported count for it, as they would if it had imported them itself.
    """
    try:
        with open("/proc/self/statm") as fh:
            _, resident, shared = (int(v) for v in fh.read().split()[:3])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    page = resource.getpagesize()
    return (resident - shared) * page + max(shared * page, imported().get("file_rss", 0))


def file_bytes() -> int:
    """How many of the resident bytes are pages of files and shared memory."""
    try:
        with open("/proc/self/statm") as fh:
            return int(fh.read().split()[2]) * resource.getpagesize()
    except OSError:
        return 0


def imported() -> dict[str, Any]:
    """What importing TensorFlow took where this process was forked: {} in one that imports it."""
    return json.loads(os.environ.get(IMPORTED, "{}"))  # type: ignore[no-any-return]
