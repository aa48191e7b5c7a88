"""What the operating system says about this process: when it began, how much of it is resident.

Keeps to Python 3.7: it also runs under TF 1.15.
"""

from __future__ import annotations

import os
import resource
import time


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
    """This process's resident set in bytes, from /proc where there is one."""
    try:
        with open("/proc/self/statm") as fh:
            return int(fh.read().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
