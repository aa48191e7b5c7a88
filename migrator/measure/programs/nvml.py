"""What the NVIDIA driver says about the GPU's memory, for the whole card and for this process.

Keeps to Python 3.7: it also runs under TF 1.15. Without NVIDIA's library, driver or permission
every figure is None. CUDA numbers the visible cards from 0, NVML numbers all of them.
"""

from __future__ import annotations

import os
from typing import Any

_UNKNOWN = {"used": None, "process": None}


def _handle(pynvml: Any) -> Any:
    """The first card that CUDA sees: CUDA_VISIBLE_DEVICES lists indices or identifiers."""
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0].strip() or "0"
    if first.startswith(("GPU-", "MIG-")):
        return pynvml.nvmlDeviceGetHandleByUUID(first)
    if int(first) < 0:
        raise ValueError("no card is visible")
    return pynvml.nvmlDeviceGetHandleByIndex(int(first))


def used() -> dict[str, int | None]:
    """{"used": bytes in use on the card, "process": bytes of this process on it}, or None each.

    The driver may hide processes (containers with a PID namespace of their own); a process that
    has no context yet is not listed and holds nothing.
    """
    if os.environ.get("CUDA_VISIBLE_DEVICES") == "":
        return dict(_UNKNOWN)
    try:
        import pynvml

        pynvml.nvmlInit()
        handle = _handle(pynvml)
        whole = int(pynvml.nvmlDeviceGetMemoryInfo(handle).used)
    except Exception:  # no package, no driver, no permission: all mean "not known"
        return dict(_UNKNOWN)
    try:
        processes = pynvml.nvmlDeviceGetComputeRunningProcesses(handle)
        mine = [p.usedGpuMemory for p in processes if p.pid == os.getpid()]
    except Exception:
        return {"used": whole, "process": None}
    return {"used": whole, "process": int(mine[0]) if mine and mine[0] is not None else None}


def card() -> dict[str, Any]:
    """Name, memory in bytes, driver and CUDA version of the first visible card; {} without one."""
    try:
        import pynvml

        pynvml.nvmlInit()
        handle = _handle(pynvml)
        cuda = int(pynvml.nvmlSystemGetCudaDriverVersion())
        found = {
            "name": pynvml.nvmlDeviceGetName(handle),
            "memory": int(pynvml.nvmlDeviceGetMemoryInfo(handle).total),
            "driver": pynvml.nvmlSystemGetDriverVersion(),
            "cuda": f"{cuda // 1000}.{cuda % 1000 // 10}",
        }
    except Exception:
        return {}
    return {k: v.decode() if isinstance(v, bytes) else v for k, v in found.items()}
