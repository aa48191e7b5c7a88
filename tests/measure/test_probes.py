"""NVML, the allocator's log and the Chrome trace, on inputs made for the purpose."""

from __future__ import annotations

import ast
import os
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from migrator.measure import device_memory
from migrator.measure.jobs import PROGRAMS
from migrator.measure.programs import (
    allocator_log,
    measure_probe,
    measure_trace,
    nvml,
)
from migrator.measure.records import Phase, Sample


class Driver(types.ModuleType):
    """Stands for pynvml: two cards, the second one with this process on it."""

    def __init__(self, hides_processes: bool = False) -> None:
        super().__init__("pynvml")
        self.hides_processes, self.asked = hides_processes, []  # type: ignore[var-annotated]

    def nvmlInit(self) -> None: ...

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        self.asked.append(index)
        return index

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> int:
        self.asked.append(uuid)
        return 1

    def nvmlDeviceGetMemoryInfo(self, handle: int) -> Any:
        return types.SimpleNamespace(used=(handle + 1) * 1000, total=16 * 2**30)

    def nvmlDeviceGetComputeRunningProcesses(self, handle: int) -> list[Any]:
        if self.hides_processes:
            raise RuntimeError("not supported in this container")
        own = types.SimpleNamespace(pid=os.getpid(), usedGpuMemory=700)
        other = types.SimpleNamespace(pid=1, usedGpuMemory=300)
        return [other, own] if handle else [other]

    def nvmlSystemGetCudaDriverVersion(self) -> int:
        return 12040

    def nvmlSystemGetDriverVersion(self) -> bytes:
        return b"550.1"

    def nvmlDeviceGetName(self, handle: int) -> bytes:
        return b"Tesla T4"


@pytest.mark.parametrize(
    ("visible", "asked", "found"),
    [
        ("1", 1, {"used": 2000, "process": 700}),
        (None, 0, {"used": 1000, "process": None}),
        ("GPU-1234,0", "GPU-1234", {"used": 2000, "process": 700}),
    ],
)
def test_nvml_asks_for_the_card_that_cuda_sees(
    monkeypatch: pytest.MonkeyPatch, visible: str | None, asked: Any, found: dict[str, Any]
) -> None:
    driver = Driver()
    monkeypatch.setitem(sys.modules, "pynvml", driver)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert nvml.used() == found and driver.asked == [asked]
    assert nvml.card() == {
        "name": "Tesla T4", "memory": 16 * 2**30, "driver": "550.1", "cuda": "12.4"
    }  # fmt: skip


def test_nvml_where_processes_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", Driver(hides_processes=True))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert nvml.used() == {"used": 2000, "process": None}


@pytest.mark.parametrize("visible", ["-1", "", "none"])
def test_nvml_without_a_card(monkeypatch: pytest.MonkeyPatch, visible: str) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", Driver())
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert nvml.used() == {"used": None, "process": None}
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert nvml.used() == {"used": None, "process": None} and nvml.card() == {}


MIB = 2**20


def phase(
    name: str, used: int, process: int | None, in_use: int | None, reserved: int | None
) -> Phase:
    return Phase(name, 1.0, in_use, in_use, 5, used, process, reserved)


@pytest.mark.parametrize("hidden", [False, True])
def test_the_drivers_figure_is_explained(hidden: bool) -> None:
    """Also in a container, where the driver does not say which process holds what."""
    mine = [None if hidden else v * MIB for v in (450, 1500)]
    sample = Sample(
        (
            phase("import", 100 * MIB, None, None, None),
            phase("device", 550 * MIB, mine[0], 0, 0),
            phase("steady", 1600 * MIB, mine[1], 700 * MIB, 1024 * MIB),
        ),
        0, 0, 0, (), None, (), (), None,
    )  # fmt: skip
    device, steady = device_memory.of_sample(sample)
    assert (device.in_use, device.slack, device.outside) == (0, 0, 450 * MIB)
    assert (steady.in_use, steady.slack, steady.outside) == (700 * MIB, 324 * MIB, 476 * MIB)
    assert steady.in_use + steady.slack + steady.outside == steady.process
    assert device_memory.explain(phase("steady", 5, None, 1, 1)) is None


LOG = b"""I0000 bfc_allocator.cc:176] Extending allocation by 2.00MiB bytes for bfc_cpu_allocator_for_gpu.
I0000 bfc_allocator.cc:183] Total allocated bytes: 2.00MiB
I0000 bfc_allocator.cc:176] Extending allocation by 1.50GiB bytes for GPU_0_bfc.
I0000 bfc_allocator.cc:183] Total allocated bytes: 1.50GiB
"""


def test_the_log_says_what_is_reserved(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(LOG)
    reader = allocator_log.Reader(str(path))
    assert reader.reserved("CPU:0") == 2 * 2**20
    assert reader.reserved("GPU:0") == 3 * 2**29
    assert reader.reserved("GPU:1") is None
    with path.open("ab") as fh:
        fh.write(b"Extending allocation by 1.00GiB bytes for GPU_0_bfc.\n")
        fh.write(b"Total allocated bytes: 2.50GiB\n")
    assert reader.reserved("GPU:0") == 5 * 2**29
    assert allocator_log.Reader(str(tmp_path / "none")).reserved("CPU:0") is None


def event(time: int, allocates: bool, addr: int, size: int, op: str = "") -> measure_trace.Event:
    stats = {"addr": addr, "requested_bytes": size, "allocation_bytes": size, "tf_op": op}
    return measure_trace.Event(time * 10**6, allocates, stats)


def test_chrome_trace_adds_up_to_the_peak() -> None:
    found = [
        event(1, True, 1, 100, "net/Conv:Conv2D"), event(2, True, 2, 50, "gradient_tape/net/C:D"),
        event(3, False, 1, 100), event(4, True, 3, 20, "net/Relu:Relu"), event(5, False, 9, 7),
    ]  # fmt: skip
    run = measure_trace.replay(found)
    made = measure_trace.chrome_trace(run, {"weights": 1000})
    counters = [e for e in made["traceEvents"] if e["ph"] == "C"]
    assert [e["ts"] for e in counters] == [0, 1, 2, 3, 4]
    sums = [sum(e["args"].values()) for e in counters]
    assert sums == [1100, 1150, 1050, 1070, 1063]
    assert max(sums) == 1000 + run.requested_peak
    (peak,) = [e for e in made["traceEvents"] if e["ph"] == "i"]
    assert peak["args"]["bytes"] == 1150 and peak["ts"] == 1


@pytest.mark.parametrize(
    "name",
    ["measure_probe", "measure_graph_session", "nvml", "allocator_log", "command_probe",
     "site_hook/sitecustomize", "../../workload/programs/child_setup"],
)  # fmt: skip
def test_programs_for_tf1_are_python_3_7(name: str) -> None:
    ast.parse((PROGRAMS / f"{name}.py").read_text(encoding="utf-8"), feature_version=(3, 7))


@pytest.mark.parametrize(("enough", "measured"), [(3600.0, 10), (0.0, measure_probe.ENOUGH_STEPS)])
def test_slow_steps_are_measured_less_often(
    monkeypatch: pytest.MonkeyPatch, enough: float, measured: int
) -> None:
    monkeypatch.setattr(measure_probe, "ENOUGH", enough)
    calls: list[int] = []
    timed = measure_probe.timed_steps(
        lambda: calls.append(1), measure_probe.Allocator(None, ""), 2, 10
    )
    assert len(timed["wall"]) == len(timed["cpu"]) == measured and len(calls) == measured + 2
    assert timed["delivered"] == []


def test_the_way_of_results_is_timed_apart() -> None:
    """On a GPU a step ends when the device is done; bringing its results to Python is told beside."""
    order: list[str] = []

    def step() -> str:
        order.append("step")
        return "result"

    timed = measure_probe.timed_steps(
        step, measure_probe.Allocator(None, ""), 1, 4, lambda result: order.append(f"read {result}")
    )
    assert order == ["step", "read result"] * 5
    assert len(timed["delivered"]) == len(timed["wall"]) == 4
    assert all(d >= w for d, w in zip(timed["delivered"], timed["wall"], strict=True))
    order.clear()  # a session's fetch is another step: three of them tell enough
    timed = measure_probe.timed_steps(
        step, measure_probe.Allocator(None, ""), 0, 6, lambda _: order.append("fetch"), whole=True
    )
    assert order.count("step") == 6 and order.count("fetch") == len(timed["delivered"]) == 3


def test_a_step_is_measured_without_the_results_of_the_one_before() -> None:
    held: list[int] = []

    class Result:
        def __init__(self) -> None:
            held.append(1)

        def __del__(self) -> None:
            held.pop()

    class Live(measure_probe.Allocator):
        """Counts the results that are alive."""

        def reset(self) -> None: ...

        def info(self) -> tuple[int | None, int | None]:
            return len(held), len(held)

    timed = measure_probe.timed_steps(Result, Live(None, ""), 2, 4)
    assert timed["steady_peaks"] == [1] * 4 and timed["steady_in_use"] == 0


def test_a_graph_s_results_are_held_until_all_are_there() -> None:
    """What a session fetches on a GPU: one operation that takes all results, after what only happens."""
    import tensorflow as tf

    with tf.Graph().as_default() as graph:
        one, two, word = tf.constant(1.0), tf.constant(2), tf.constant("word")
        happens = tf.no_op()
        held = measure_probe.measure_graphs.computed(tf.compat.v1, {"a": [one, happens], "b": (two, word)})
        assert list(held.inputs) == [one, two] and held.outputs
        assert set(held.control_inputs) == {happens, word.op}
        assert not measure_probe.measure_graphs.computed(tf.compat.v1, [happens]).outputs
        with tf.compat.v1.Session(graph=graph) as sess:
            assert sess.run(held) is None
