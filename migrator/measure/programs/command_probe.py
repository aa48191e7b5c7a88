"""Watches an unmodified program from inside its process: allocator, resident memory, phases, calls.

`site_hook/sitecustomize.py` loads it by path at the start of every Python process of a measured
command. It reads statistics and never resets them; what it knows goes to one JSON file a process,
now and then and at the end, so that a program that is killed leaves something, too.
MIGRATOR_PROBE_OUT: the folder for these files. MIGRATOR_PROBE_COMPAT: the compat runtime's path if
TF1 code is to run on TF 2. Keeps to Python 3.7: it also runs under TF 1.15.
"""

from __future__ import annotations

import atexit
import functools
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys
import threading
import time
from typing import Any

EVERY = 0.05  # seconds between looks; doubled whenever POINTS of them are there
POINTS = 1000
FLUSH = 1.0  # seconds between files
CALLS = 200  # functions whose calls are counted one by one
_HERE = os.path.dirname(os.path.abspath(__file__))


def _sibling(name: str) -> Any:
    """A module beside this one, under a name that no program imports."""
    path = os.path.join(_HERE, name + ".py")
    spec = importlib.util.spec_from_file_location("_migrator_" + name, path)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    sys.modules[spec.name] = module  # type: ignore[union-attr]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    return module


class Probe:
    """The state of one process's observation."""

    def __init__(self, out: str) -> None:
        self.out = out
        self.forked = False
        self.device = ""
        self.nvml = _sibling("nvml")
        self.stats = _sibling("process_stats")
        self._reset()

    def _reset(self) -> None:
        self.started = time.time() if self.forked else self.stats.started()
        self.phases: list[dict[str, Any]] = []
        self.points: list[tuple[float, int | None, int]] = []
        self.calls: dict[str, dict[str, Any]] = {}
        self.functions: dict[str, Any] = {}
        self.every = EVERY
        self.peak: int | None = None
        self.in_use: int | None = None
        self.rss_peak = 0
        self.overhead = 0.0
        self.ready = False
        self.phase_started = self.started
        self.last_look = 0.0
        self.local = threading.local()
        self.stop = threading.Event()
        self.lock = threading.Lock()

    # -- life

    def start(self) -> None:
        self.thread = threading.Thread(target=self._sample, name="migrator-probe", daemon=True)
        self.thread.start()

    def after_fork(self) -> None:
        """A forked child is a process of its own; threads do not survive a fork."""
        self.forked = True
        ready = self.ready
        self._reset()
        self.ready = ready
        self.start()

    def finish(self) -> None:
        """At exit: the last phase, and the file; the sampler must not run into the shutdown."""
        self.stop.set()
        self.thread.join(1.0)
        self.look()
        if self.calls:
            self.end_phase("steady")
        self.flush(True)

    def _sample(self) -> None:
        flushed = time.monotonic()
        while not self.stop.wait(self.every):
            cpu = time.thread_time()
            self.look()
            if time.monotonic() - flushed > FLUSH:
                self.flush(False)
                flushed = time.monotonic()
            self.overhead += time.thread_time() - cpu

    # -- looking

    def _memory(self) -> tuple[int | None, int | None]:
        """(in use, peak) of the allocator, once the program itself has made its devices."""
        if not self.ready:
            context = sys.modules.get("tensorflow.python.eager.context")
            current = getattr(context, "_context", None)
            if current is None or not getattr(current, "_initialized", False):
                return None, None
            self.ready = True
        config = sys.modules.get("tensorflow.python.framework.config")
        if not hasattr(config, "get_memory_info"):
            return None, None  # TF 1.15 keeps no such statistics
        try:
            info = config.get_memory_info(self._device(config))  # type: ignore[union-attr]
        except (ValueError, RuntimeError):
            return None, None
        return int(info["current"]), int(info["peak"])

    def _device(self, config: Any) -> str:
        if not self.device:
            self.device = "GPU:0" if config.list_physical_devices("GPU") else "CPU:0"
        return self.device

    def look(self) -> None:
        """One point of the timeline."""
        was_ready = self.ready
        in_use, peak = self._memory()
        rss = self.stats.resident_bytes()
        with self.lock:
            self.last_look = time.monotonic()
            self.rss_peak = max(self.rss_peak, rss)
            if in_use is not None:
                self.in_use = in_use
                self.peak = max(self.peak or 0, peak or 0)
            self.points.append((time.time() - self.started, in_use, rss))
            if len(self.points) >= POINTS:
                self.points = self._thinned()
                self.every *= 2
        if self.ready and not was_ready and not self.calls:
            self.end_phase("device")

    def _thinned(self) -> list[tuple[float, int | None, int]]:
        """Half of the points: of two neighbours the one with more in use."""
        pairs = zip(self.points[::2], self.points[1::2])  # noqa: B905
        return [max(a, b, key=lambda p: (p[1] or 0, p[2])) for a, b in pairs]

    def end_phase(self, name: str) -> None:
        in_use, peak = self._memory()
        device, now = self.nvml.used(), time.time()
        self.phases.append(
            {
                "name": name, "seconds": now - self.phase_started, "in_use": in_use, "peak": peak,
                "rss": self.stats.resident_bytes(), "device_used": device["used"],
                "device_process": device["process"],
            }
        )  # fmt: skip
        self.phase_started = now

    # -- calls

    def wrap(self, owner: Any, name: str, label: Any, makes_devices: bool) -> None:
        """Counts the outermost calls of a method, or of an operation whose argument `f` is a function.
        label(its object) -> what to call it."""
        original = getattr(owner, name)
        probe = self

        @functools.wraps(original)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if getattr(probe.local, "inside", False):
                return original(*args, **kwargs)
            probe.local.inside = True
            began = time.perf_counter()
            first = not probe.calls
            if first:
                probe.end_phase("initialisation")
            called = time.perf_counter()
            try:
                return original(*args, **kwargs)
            finally:
                ended = time.perf_counter()
                probe.local.inside = False
                this = args[0] if args else kwargs.get("f")
                probe.called(label(this), ended - called, makes_devices, this)
                if first:
                    probe.end_phase("first step")
                probe.overhead += (time.perf_counter() - ended) + (called - began)

        wrapper.__wrapped_by_migrator__ = original  # type: ignore[attr-defined]
        setattr(owner, name, wrapper)

    def called(self, label: str, seconds: float, makes_devices: bool, function: Any) -> None:
        if makes_devices and not self.ready:
            # A session has made the devices; the statistics are asked for through the context.
            context = sys.modules.get("tensorflow.python.eager.context")
            if context is not None and hasattr(context, "context"):
                try:
                    context.context().ensure_initialized()
                except Exception:  # a session's options may exclude it: then there are no figures
                    return
        entry = self.calls.get(label)
        if entry is None:
            if len(self.calls) >= CALLS:
                return
            entry = {"count": 0, "seconds": 0.0, "first": seconds, "peak": None, "in_use": None}
            self.calls[label] = entry
            if hasattr(function, "experimental_get_tracing_count"):
                self.functions[label] = function
        entry["count"] += 1
        entry["seconds"] += seconds
        if time.monotonic() - self.last_look > 0.01:  # the peak is kept by the allocator meanwhile
            self.look()
            entry["peak"], entry["in_use"] = self.peak, self.in_use

    # -- telling

    def flush(self, final: bool) -> None:
        """Writes what is known, whole or not at all."""
        with self.lock:
            points = list(self.points)
        path = os.path.join(self.out, f"{os.getpid()}-{int(self.started * 100)}.json")
        state = {
            "pid": os.getpid(), "parent": os.getppid(), "argv": sys.argv[:20], "final": final,
            "forked": self.forked, "seconds": time.time() - self.started,
            "cpu": time.process_time(), "phases": list(self.phases), "timeline": points,
            "calls": {k: dict(v, traces=self._traces(k)) for k, v in list(self.calls.items())},
            "peak": self.peak, "in_use": self.in_use, "rss_peak": self.rss_peak,
            "tensorflow": getattr(sys.modules.get("tensorflow"), "__version__", None),
            "overhead": self.overhead,
        }  # fmt: skip
        try:
            with open(path + ".part", "w") as fh:
                json.dump(state, fh)
            os.replace(path + ".part", path)
        except (OSError, ValueError, TypeError):
            pass  # a full disk, strange arguments: the program's own affair comes first

    def _traces(self, label: str) -> int | None:
        function = self.functions.get(label)
        try:
            return int(function.experimental_get_tracing_count()) if function else None
        except Exception:
            return None

    def tensorflow_imported(self) -> None:
        """Watches sessions and tf.functions; their modules are there by now."""
        session = sys.modules.get("tensorflow.python.client.session")
        if session is not None:
            self.wrap(session.BaseSession, "run", lambda s: "Session.run", True)
        functions = sys.modules.get(
            "tensorflow.python.eager.polymorphic_function.polymorphic_function"
        )
        if functions is not None:
            self.wrap(functions.Function, "__call__", lambda f: getattr(f, "_name", "?"), False)
        # functions of a graph, as migrated programs call them: as this operation
        raw = getattr(sys.modules.get("tensorflow"), "raw_ops", None)
        if hasattr(raw, "StatefulPartitionedCall"):
            self.wrap(raw, "StatefulPartitionedCall", lambda f: "graph function", False)
        self.end_phase("import")


class _Finder(importlib.abc.MetaPathFinder):
    """Notices the first import of tensorflow, and makes it TF1-like where that is asked for."""

    def __init__(self, probe: Probe, compat: str) -> None:
        self.probe, self.compat = probe, compat

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "tensorflow":
            return None
        sys.meta_path.remove(self)
        if self.compat:
            spec = importlib.util.spec_from_file_location("_migrator_compat", self.compat)
            module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
            spec.loader.exec_module(module)  # type: ignore[union-attr]
            module.install()
            self.probe.tensorflow_imported()
            shim = sys.modules["tensorflow"]
            ready = importlib.machinery.ModuleSpec(name, _Ready(shim), is_package=True)
            shim.__spec__ = ready  # importlib goes by the spec of what is there by now
            return ready
        found = importlib.util.find_spec(name)
        if found is not None and found.loader is not None:
            found.loader = _Loader(found.loader, self.probe)
        return found


class _Ready(importlib.abc.Loader):
    """Gives a module that is there already."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def create_module(self, spec: Any) -> Any:
        return self.module

    def exec_module(self, module: Any) -> None:
        return None


class _Loader(importlib.abc.Loader):
    """Runs a module as its own loader does, and tells the probe afterwards."""

    def __init__(self, loader: Any, probe: Probe) -> None:
        self.loader, self.probe = loader, probe

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)

    def create_module(self, spec: Any) -> Any:
        return self.loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        module.__loader__ = self.loader
        module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        self.probe.tensorflow_imported()


def install() -> None:
    """Starts observing this process."""
    probe = Probe(os.environ["MIGRATOR_PROBE_OUT"])
    sys.meta_path.insert(0, _Finder(probe, os.environ.get("MIGRATOR_PROBE_COMPAT", "")))
    os.register_at_fork(after_in_child=probe.after_fork)
    probe.start()
    atexit.register(probe.finish)
