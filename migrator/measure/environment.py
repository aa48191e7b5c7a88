"""Where numbers come from: machine, Python, packages and settings, as plain JSON values."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import time
from typing import Any

PACKAGES = ("tensorflow", "tensorflow-cpu", "keras", "tf-keras", "tf-slim", "numpy", "libcst")


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _cpu_model() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as fh:
            for line in fh:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None


def gpus() -> list[dict[str, Any]]:
    """NVIDIA GPUs by nvidia-smi: name, memory in bytes, driver. Empty where there is none."""
    query = "name,memory.total,driver_version,compute_cap"
    try:
        done = subprocess.run(
            ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader,nounits"],
            capture_output=True, text=True, timeout=20, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return []
    found = []
    for line in done.stdout.splitlines():
        name, memory, driver, capability = (v.strip() for v in line.split(","))
        found.append({
            "name": name, "memory": int(memory) * 2**20, "driver": driver,
            "compute_capability": capability,
        })  # fmt: skip
    return found


def describe() -> dict[str, Any]:
    """This machine and this process's TensorFlow-relevant settings."""
    return {
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "host": platform.node(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "memory": _memory_bytes(),
        "gpus": gpus(),
        "packages": {p: v for p in PACKAGES if (v := _version(p))},
        "settings": {
            k: v for k, v in sorted(os.environ.items()) if k.startswith(("TF_", "XLA_", "CUDA_"))
            and not k.startswith(("TF_CLI_", "TF_VAR_"))  # those are Terraform's
        },
    }
