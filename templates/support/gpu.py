"""GPU memory, visibility and threads: what TF 1's ConfigProto said, set once for the process."""
from __future__ import annotations

import logging
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

_log = logging.getLogger(__name__)


def _total_memory() -> int | None:
    """Bytes of the smallest GPU according to nvidia-smi; None where that does not tell."""
    if shutil.which("nvidia-smi") is None:
        return None
    answer = subprocess.run(
        ["nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits"],
        capture_output=True, text=True, check=False)
    sizes = [int(line) for line in answer.stdout.split() if line.isdigit()]
    return min(sizes) * 2**20 if answer.returncode == 0 and sizes else None


def _early(setting: str, wanted: Any, current: Callable[[], Any],
           change: Callable[[], None]) -> None:
    """Makes a change that TensorFlow admits only before it first uses its devices."""
    if current() == wanted:
        return
    try:
        change()
    except RuntimeError:
        _log.warning("%s was asked for after TensorFlow had started its devices and is ignored; "
                     "call configure_gpus() before anything else uses TensorFlow", setting)


def _grow_memory(gpu: Any) -> None:
    _early("memory growth", True, lambda: tf.config.experimental.get_memory_growth(gpu),
           lambda: tf.config.experimental.set_memory_growth(gpu, True))


def _limit_memory(gpu: Any, limit: int) -> None:
    def current() -> list[int | None]:
        return [d.memory_limit for d in tf.config.get_logical_device_configuration(gpu) or ()]

    megabytes = max(1, limit // 2**20)
    _early("a memory limit", [megabytes], current,
           lambda: tf.config.set_logical_device_configuration(
               gpu, [tf.config.LogicalDeviceConfiguration(memory_limit=megabytes)]))


def _selected(gpus: Sequence[Any], visible: str | Sequence[int]) -> list[Any]:
    indices = ([int(part) for part in visible.split(",") if part.strip()]
               if isinstance(visible, str) else list(visible))
    if unknown := [i for i in indices if not 0 <= i < len(gpus)]:
        _log.warning("there are no GPUs %s; this machine shows %d", unknown, len(gpus))
    return [gpus[i] for i in indices if 0 <= i < len(gpus)]


def configure_gpus(
    memory: str | int | float | None = None,
    visible: str | Sequence[int] | None = None,
    *,
    soft_placement: bool | None = None,
    log_placement: bool | None = None,
    inter_op_threads: int | None = None,
    intra_op_threads: int | None = None,
    allocator: str | None = None,
) -> list[Any]:
    """Sets up the GPUs of this process; harmless without a GPU and when called again.

    To be called first thing in a program's entry point: devices can only be set up before
    TensorFlow uses them.  What comes too late is logged and ignored.

    Args:
        memory: "growth" takes memory as needed (TF 1: `allow_growth`); an int is a limit in bytes
            for each GPU, a float in (0, 1] a limit as a fraction of the smallest GPU's memory
            (TF 1: `per_process_gpu_memory_fraction`).  None: TensorFlow takes nearly all.
        visible: Indices of the GPUs to use, as a list or as in "0,2" (TF 1:
            `visible_device_list`); an empty one hides all GPUs (TF 1: `device_count={"GPU": 0}`).
        soft_placement: Run an operation elsewhere if its device cannot (TF 2's default: yes).
        log_placement: Log the device of every operation.
        inter_op_threads, intra_op_threads: Sizes of the thread pools; 0: TensorFlow decides.
        allocator: Value for TF_GPU_ALLOCATOR, such as "cuda_malloc_async".

    Returns:
        The GPUs that will be used.

    Raises:
        ValueError: `memory` is none of the above.
    """
    if isinstance(memory, str) and memory != "growth":
        raise ValueError(f'memory is "growth", bytes (int) or a fraction (float), not {memory!r}')
    if isinstance(memory, (int, float)) and (memory <= 0 or isinstance(memory, float)
                                             and memory > 1):
        raise ValueError(f"memory is a positive number of bytes or a fraction up to 1.0: {memory}")
    if allocator is not None:
        os.environ["TF_GPU_ALLOCATOR"] = allocator
    gpus = tf.config.list_physical_devices("GPU")
    if visible is not None:
        gpus = _selected(gpus, visible)
        _early("the choice of GPUs", gpus, lambda: tf.config.get_visible_devices("GPU"),
               lambda: tf.config.set_visible_devices(gpus, "GPU"))
    if isinstance(memory, float):
        total = _total_memory() if gpus else None
        if total is None and gpus:
            _log.warning("nvidia-smi does not tell how much memory there is: memory grows as "
                         "needed instead of being limited to %.0f %%", 100 * memory)
        memory = "growth" if total is None else int(memory * total)
    for gpu in gpus:
        if memory == "growth":
            _grow_memory(gpu)
        elif memory is not None:
            _limit_memory(gpu, int(memory))
    threads = tf.config.threading
    if inter_op_threads is not None:
        _early("inter_op_threads", inter_op_threads, threads.get_inter_op_parallelism_threads,
               lambda: threads.set_inter_op_parallelism_threads(inter_op_threads))
    if intra_op_threads is not None:
        _early("intra_op_threads", intra_op_threads, threads.get_intra_op_parallelism_threads,
               lambda: threads.set_intra_op_parallelism_threads(intra_op_threads))
    if soft_placement is not None:
        tf.config.set_soft_device_placement(soft_placement)
    if log_placement is not None:
        tf.debugging.set_log_device_placement(log_placement)
    return gpus
