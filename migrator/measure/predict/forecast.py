"""Peaks of workloads for devices that are not here: traced in a child process, never run.

`predict.json` is `to_jsonable(Forecasts)`; sizes are bytes.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from migrator.measure import environment, matrix, records
from migrator.model import to_json, to_jsonable
from migrator.project.tree import write_named
from migrator.workload import child
from migrator.workload.spec import Workload

SCHEMA = 1
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Point:
    """One batch size: bytes of the inputs and of the step on top of weights, slots and inputs.

    low and high bound the step; unknown counts tensors whose size the graph does not tell. allocator:
    the peak of the allocator's chunks with weights, slots and inputs (0: not followed).
    """

    batch: int
    inputs: int
    step: int
    low: int
    high: int
    unknown: int = 0
    allocator: int = 0


@dataclass(frozen=True, slots=True)
class Forecast:
    """One workload in one mode and precision. status is "ok", or what `detail` explains.

    holders: what fills the peak of the largest batch, largest first.
    """

    workload: str
    mode: str
    precision: str
    weights: int = 0
    slots: int = 0
    points: tuple[Point, ...] = ()
    holders: tuple[records.Holder, ...] = ()
    status: str = "ok"
    detail: str = ""

    def peak(self, point: Point) -> int:
        return self.weights + self.slots + point.inputs + point.step

    @property
    def peaks(self) -> list[tuple[int, int]]:
        """(batch, requested bytes at the peak)."""
        return [(p.batch, self.peak(p)) for p in self.points]

    @property
    def chunks(self) -> list[tuple[int, int]] | None:
        """(batch, the allocator's bytes at the peak), where the allocator was followed."""
        if not all(p.allocator for p in self.points):
            return None
        return [(p.batch, p.allocator) for p in self.points]


@dataclass(frozen=True, slots=True)
class Forecasts:
    """A whole prediction, with the environment whose TensorFlow traced the graphs."""

    environment: dict[str, Any]
    forecasts: tuple[Forecast, ...]
    settings: dict[str, Any] = field(default_factory=dict)
    schema: int = SCHEMA


def _environment(workload: Workload) -> dict[str, str]:
    env = child.quiet_environment(workload.env)
    env["CUDA_VISIBLE_DEVICES"] = "-1"  # nothing is computed: the host's memory is enough
    env["TF_CPU_ALLOCATOR_USE_BFC"] = "true"  # which tells what making the weights asked of it
    env["PYTHONPATH"] = child.own_python_path()
    return env


def one(
    workload: Workload, root: Path, precision: str, batches: Sequence[int], timeout: float = 900.0,
    grows: bool = False,
) -> Forecast:  # fmt: skip
    """The forecast of one workload in its own mode; every way of failing is a forecast, too.

    grows: of a card whose memory is taken as it is needed, and not at once.
    """
    name = (workload.name, workload.mode, precision)
    with tempfile.TemporaryDirectory(prefix="migrator-predict-") as folder:
        out, cwd = Path(folder) / "result.json", Path(folder) / "cwd"
        cwd.mkdir()
        config = {
            "root": str(root.resolve()), "roots": list(workload.roots), "out": str(out),
            "workload": to_jsonable(workload), "mode": workload.mode, "precision": precision,
            "execution": "function", "allocator": "default", "strategy": "", "threads": 1,
            "batch": max(batches), "batches": sorted(batches), "grows": grows,
        }  # fmt: skip
        path = Path(folder) / "config.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        ended = child.run(
            [sys.executable, "-m", "migrator.measure.predict.program", str(path)], cwd,
            _environment(workload), timeout,
        )  # fmt: skip
        if not out.exists():
            lines = [line for line in ended.tail.splitlines() if line.strip()]
            status = ended.status if not ended.ok else "failed"
            return Forecast(*name, status=status, detail="\n".join(lines[-12:]))
        raw = json.loads(out.read_text(encoding="utf-8"))
    if "unusable" in raw:
        return Forecast(*name, status="unsupported", detail=raw["unusable"])
    return _forecast({**raw, "workload": name[0], "mode": name[1], "precision": name[2]}, "result")


def run(
    root: Path, workloads: Sequence[Workload], out: Path, batches: Sequence[int],
    precisions: Sequence[str], progress: Progress | None = None,
) -> Forecasts:  # fmt: skip
    """Predicts every workload that can be measured, and writes `out`/predict.json."""
    jobs = [(w, p) for w in workloads if w.kind in matrix.MEASURED for p in precisions]
    found = []
    for number, (workload, precision) in enumerate(jobs):
        if progress is not None:
            progress(f"{workload.name}, {precision}", number, len(jobs))
        found.append(one(workload, root, precision, batches))
    made = Forecasts(environment.describe(), tuple(found), {"batches": list(batches)})
    write_named(out / "predict.json", to_json(made))
    return made


def _fields(raw: Any, kind: type, where: str) -> dict[str, Any]:
    known = {f.name: f for f in kind.__dataclass_fields__.values()}  # type: ignore[attr-defined]
    if not isinstance(raw, dict):
        raise records.SchemaError(f"{where}: expected an object")
    for name in (
        ("batch", "inputs", "step", "low", "high") if kind is Point else ("workload", "mode")
    ):
        if name not in raw:
            raise records.SchemaError(f"{where}: field {name!r} is missing")
    return {k: v for k, v in raw.items() if k in known}


def _forecast(raw: Any, where: str) -> Forecast:
    values = _fields(raw, Forecast, where)
    points = values.get("points", [])
    if not isinstance(points, list):
        raise records.SchemaError(f"{where}.points: expected a list")
    values["points"] = tuple(
        Point(**_fields(p, Point, f"{where}.points[{i}]")) for i, p in enumerate(points)
    )
    values["holders"] = tuple(records.Holder(**h) for h in values.get("holders", []))
    values.setdefault("precision", "float32")
    return Forecast(**values)


def load(text: str, source: str = "predict.json") -> Forecasts:
    """Forecasts from their JSON text.

    Raises:
      SchemaError: not JSON, a newer schema, or a field that is missing; names file and field.
    """
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise records.SchemaError(f"{source}: not JSON ({error})") from error
    if not isinstance(raw, dict) or not isinstance(raw.get("forecasts"), list):
        raise records.SchemaError(f"{source}: field 'forecasts' is missing")
    if isinstance(raw.get("schema"), int) and raw["schema"] > SCHEMA:
        raise records.SchemaError(
            f"{source}: schema {raw['schema']} is newer than {SCHEMA}; update migrator"
        )
    found = tuple(_forecast(f, f"{source}.forecasts[{i}]") for i, f in enumerate(raw["forecasts"]))
    return Forecasts(raw.get("environment", {}), found, raw.get("settings", {}))
