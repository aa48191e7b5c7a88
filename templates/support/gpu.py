"""GPU memory, visibility and threads: what TF 1's ConfigProto said, set once for the process."""
from __future__ import annotations

import logging
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

_log = logging.getLogger(__name__)
# Messages of a ConfigProto that only tuned TF 1's runtime; TF 2's defaults serve.
_IDLE = frozenset({
    "gpu_options.allocator_type", "gpu_options.polling_active_delay_usecs",
    "gpu_options.polling_inactive_delay_msecs", "gpu_options.force_gpu_compatible",
    "gpu_options.deferred_deletion_bytes", "isolate_session_state", "use_per_session_threads",
    "placement_period", "share_cluster_devices_in_session",
    "graph_options.optimizer_options.opt_level", "graph_options.optimizer_options.do_constant_folding",
    "graph_options.optimizer_options.do_function_inlining",
    "graph_options.optimizer_options.do_common_subexpression_elimination",
    "graph_options.infer_shapes", "graph_options.place_pruned_graph",
})


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
    if indices != sorted(indices):
        _log.warning("GPUs %s keep their own order: /gpu:0 is the first of this machine", indices)
    return [gpus[i] for i in indices if 0 <= i < len(gpus)]


def _choose_gpus(visible: str | Sequence[int] | None, most: int | None) -> list[Any]:
    """The GPUs that will be used; hides the others."""
    if visible is None and most is None:
        return tf.config.get_visible_devices("GPU")
    gpus = tf.config.list_physical_devices("GPU")
    if visible is not None and not (isinstance(visible, str) and not visible.strip()):
        gpus = _selected(gpus, visible)
    gpus = gpus if most is None else gpus[:most]
    _early("the choice of GPUs", gpus, lambda: tf.config.get_visible_devices("GPU"),
           lambda: tf.config.set_visible_devices(gpus, "GPU"))
    return gpus


def _split_cpu(count: int) -> None:
    """As many CPU devices as TF 1's `device_count` asked for, if it is more than one."""
    cpus = tf.config.list_physical_devices("CPU")
    wanted = [tf.config.LogicalDeviceConfiguration() for _ in range(count)]
    if count > 1 and cpus:
        _early("device_count", count,
               lambda: len(tf.config.get_logical_device_configuration(cpus[0]) or ()),
               lambda: tf.config.set_logical_device_configuration(cpus[0], wanted))


def configure_gpus(
    memory: str | int | None = None,
    visible: str | Sequence[int] | None = None,
    *,
    fraction: float | None = None,
    device_count: Mapping[str, int] | None = None,
    soft_placement: bool | None = None,
    log_placement: bool | None = None,
    inter_op_threads: int | None = None,
    intra_op_threads: int | None = None,
    allocator: str | None = None,
) -> list[Any]:
    """Sets up the GPUs of this process; harmless without a GPU and when called again.

    To be called before anything else uses TensorFlow's devices, and after CUDA_VISIBLE_DEVICES is
    set: devices can only be set up once.  What comes too late is logged and ignored.

    Args:
        memory: "growth" takes memory as needed (TF 1: `allow_growth`); an int is a limit in bytes
            for each GPU.  None: TensorFlow takes nearly all.
        visible: Indices of the GPUs to use, as a list or as in "0,2" (TF 1:
            `visible_device_list`); "" means all of them, an empty list none.
        fraction: A limit for each GPU as a share of the smallest GPU's memory (TF 1:
            `per_process_gpu_memory_fraction`); with "growth", memory grows up to it.  0 says
            nothing, as in TF 1, and memory grows.
        device_count: The most devices by kind, "GPU" and "CPU", as in TF 1.
        soft_placement: Run an operation elsewhere if its device cannot (TF 2's default: yes).
        log_placement: Log the device of every operation.
        inter_op_threads, intra_op_threads: Sizes of the thread pools; 0: TensorFlow decides.
        allocator: Value for TF_GPU_ALLOCATOR, such as "cuda_malloc_async".

    Returns:
        The GPUs that will be used.

    Raises:
        ValueError: `memory` or `fraction` is none of the above.
    """
    if isinstance(memory, (str, float)) and memory != "growth":
        raise ValueError(f'memory is "growth" or a number of bytes (int), not {memory!r}')
    if isinstance(memory, int) and memory <= 0:
        raise ValueError(f"memory is a positive number of bytes: {memory}")
    if fraction is not None and fraction < 0:
        raise ValueError(f"fraction is a share of the memory from 0 to 1: {fraction}")
    if allocator is not None:
        os.environ["TF_GPU_ALLOCATOR"] = allocator
    counts = device_count or {}
    gpus = _choose_gpus(visible, counts.get("GPU"))
    if "CPU" in counts:
        _split_cpu(counts["CPU"])
    if fraction is not None and not fraction:
        memory = memory or "growth"
    elif fraction is not None and gpus:
        memory = _limited(fraction, memory)
    for gpu in gpus:
        if memory == "growth":
            _grow_memory(gpu)
        elif isinstance(memory, int):
            _limit_memory(gpu, memory)
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


def _limited(fraction: float, memory: str | int | None) -> str | int:
    """The limit in bytes; where the GPU's memory is not known, "growth"."""
    total = _total_memory()
    if total is None:
        _log.warning("nvidia-smi does not tell how much memory there is: memory grows as "
                     "needed instead of being limited to %.0f %%", 100 * fraction)
        return "growth"
    if fraction > 1:
        _log.warning("%.0f %% of the GPU's memory was asked for: TF 2 has no unified memory, the "
                     "limit is all of it", 100 * fraction)
    if memory == "growth":
        # set_memory_growth excludes a limit; TensorFlow's allocator also reads this
        os.environ["TF_FORCE_GPU_ALLOW_GROWTH"] = "true"
    return int(min(fraction, 1.0) * total)


def configure_from(config: Any, memory: str | None = None) -> list[Any]:
    """`configure_gpus` with what a ConfigProto says; None says nothing.

    What has no counterpart in TensorFlow 2 is logged.  A field that is 0, False or empty says
    nothing, as ConfigProtos do not tell these apart.

    Args:
        config: A `ConfigProto` (`from tensorflow.core.protobuf import config_pb2`).
        memory: "growth" or "limit" outweighs what the config says about growth.
    """
    if config is None:
        return configure_gpus("growth")
    options = config.gpu_options
    share = options.per_process_gpu_memory_fraction
    grows = not share or memory == "growth" or (memory is None and options.allow_growth)
    jit = config.graph_options.optimizer_options.global_jit_level
    if jit > 0:
        tf.config.optimizer.set_jit("autoclustering")
    left = _rewrites(config.graph_options.rewrite_options)
    known = {"gpu_options.per_process_gpu_memory_fraction", "gpu_options.allow_growth",
             "gpu_options.visible_device_list", "device_count", "allow_soft_placement",
             "log_device_placement", "inter_op_parallelism_threads", "intra_op_parallelism_threads",
             "graph_options.optimizer_options.global_jit_level", "graph_options.rewrite_options"}
    left += [path for path in _said(config) if path not in known | _IDLE]
    if left:
        _log.warning("TensorFlow 2 has nothing for these settings of a session: %s", ", ".join(left))
    return configure_gpus(
        "growth" if grows else None, options.visible_device_list or None,
        fraction=share if share and memory != "growth" else None,
        device_count=dict(config.device_count) or None,
        soft_placement=config.allow_soft_placement or None,
        log_placement=config.log_device_placement or None,
        inter_op_threads=config.inter_op_parallelism_threads or None,
        intra_op_threads=config.intra_op_parallelism_threads or None)


def _said(message: Any, prefix: str = "") -> list[str]:
    """The paths of what a message says, down to what `configure_from` and `_IDLE` name."""
    found = []
    for field, value in message.ListFields():
        path = prefix + field.name
        if path in ("gpu_options", "graph_options", "graph_options.optimizer_options"):
            found += _said(value, path + ".")
        else:
            found.append(path)
    return found


def _rewrites(options: Any) -> list[str]:
    """Switches Grappler's passes as a RewriterConfig says; the paths of what TF 2 does not have."""
    known = {**tf.config.optimizer.get_experimental_options()}
    passes = {"layout_optimizer", "constant_folding", "shape_optimization", "remapping",
              "arithmetic_optimization", "dependency_optimization", "loop_optimization",
              "function_optimization", "debug_stripper", "scoped_allocator_optimization",
              "pin_to_host_optimization", "implementation_selector", "auto_mixed_precision",
              "disable_meta_optimizer", "disable_model_pruning", "min_graph_nodes"}
    wanted, left = {}, []
    for field, value in options.ListFields():
        if field.name not in passes:
            left.append(f"graph_options.rewrite_options.{field.name}")
        elif field.enum_type is None:
            wanted[field.name] = value
        elif value:  # 0 is the default
            wanted[field.name] = field.enum_type.values_by_number[value].name != "OFF"
    if wanted:
        tf.config.optimizer.set_experimental_options({**known, **wanted})
    return left
