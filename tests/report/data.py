"""A small but complete set of result files, and one made to break out of the page."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from migrator.measure import records
from migrator.model import Change, FileResult, Finding, Plan, Rung, Status, to_json

HOSTILE = "</script><script>alert('x')</script><img src=x onerror=alert(1)>"


def plan(name: str = "net/model.py", message: str = "slim became support layers") -> Plan:
    old = "import tensorflow as tf\n\n\ndef f(x):\n  return tf.to_float(x)\n"
    changed = FileResult(
        name, Status.CHANGED, "00", old, old.replace("tf.to_float(x)", "tf.cast(x, tf.float32)"),
        (Change("TF110", 5, 5, message, "tensorflow.to_float"),),
        (Finding("TF003", name, 3, 0, message, "Use something else.", rung=Rung.MANUAL),),
    )  # fmt: skip
    failed = FileResult("bad.py", Status.FAILED, error="bad.py:1: invalid syntax")
    return Plan("/repo", (changed, failed, FileResult("same.py", Status.UNCHANGED)))


def _sample(peak: int, step: float, layer: str) -> records.Sample:
    found = records.Attribution(
        peak, peak, peak, 0,
        {"activations": peak * 7 // 10, "gradients": peak // 10, "weights": peak // 5},
        (
            records.Holder("activations", layer, "Conv2D", peak * 7 // 10),
            records.Holder("gradients", "Conv_2", "Conv2DBackpropInput", peak // 10),
            records.Holder("weights", "Conv_1", "Conv_1/weights", peak // 5),
        ),
        tuple((i / 1000, peak * (10 - abs(i - 10)) // 10) for i in range(21)),
        "model/" + "a_layer_with_a_long_name/" * 6 + "Conv2D",  # no place to break on a phone
    )  # fmt: skip
    phases = (
        records.Phase("import", 3.0, None, None, 600 << 20),
        records.Phase("steady", 1.0, peak // 5, peak, 800 << 20),
    )
    return records.Sample(
        phases, peak // 5, 0, 4096, (peak,) * 3, peak // 5, (step, step * 1.1, step, step),
        (step,) * 4, 1, found,
    )  # fmt: skip


def measurement(layer: str = "Conv_1") -> records.Measurement:
    cells = []
    for batch in (1, 8):
        for execution, precision, scale, pace in (
            ("graph_session", "float32", 1.0, 1.0), ("eager", "float32", 7.0, 1.8),
            ("function", "float32", 0.97, 0.95), ("xla", "float32", 0.96, 0.7),
            ("function", "mixed_float16", 0.6, 1.3),
        ):  # fmt: skip
            side = "before" if execution == "graph_session" else "after"
            cell = records.Cell("ssd inference", side, execution, precision, "inference", batch)
            sample = _sample(int(batch * 9e6 * scale), batch * 0.01 * pace, layer)
            cells.append(records.CellResult(cell, "ok", (sample,)))
    dead = records.Cell("ssd inference", "after", "xla", "float32", "inference", 64)
    cells.append(records.CellResult(dead, "oom", detail=f"ResourceExhaustedError {layer}"))
    environment = {"python": "3.11", "cpu": "a processor", "gpus": [], "packages": {"numpy": "2"}}
    return records.Measurement(environment, tuple(cells))


def with_tensors() -> records.Measurement:
    """The measurement with a list of tensors in every cell: one that lives to the middle, one to the end."""
    made = measurement()
    words = ("activations", "net/block", "net/block/big", "net/block/small", "8×300×300×3", "float32",
             "net/ssd.py:41", "net/ssd.py:43")  # fmt: skip
    cells = []
    for cell in made.cells:
        samples = []
        for sample in cell.samples:
            assert sample.attribution is not None
            peak = sample.attribution.requested_peak
            live = records.Live(words, (
                (0.0, 12_000.0, peak // 2, 0, 1, 2, 4, 5, 6), (1_000.0, -1.0, peak // 8, 0, 1, 3, 4, 5, 7),
            ))  # fmt: skip
            traced = dataclasses.replace(sample.attribution, live=live)
            samples.append(dataclasses.replace(sample, attribution=traced))
        cells.append(dataclasses.replace(cell, samples=tuple(samples)))
    return dataclasses.replace(made, cells=tuple(cells))


def verify(name: str = "logits") -> dict[str, object]:
    return {
        "reference": "TensorFlow 1.15.5 (Python 3.7)", "real_tf1": True,
        "checks": [
            {"workload": "forward", "name": name, "status": "equal", "difference": 4.7e-7,
             "tolerance": 1e-5, "detail": ""},
        ],
    }  # fmt: skip


def write(folder: Path, text: str = "") -> Path:
    """Result files in `folder`; `text` is put wherever a name or message goes."""
    folder.mkdir(parents=True, exist_ok=True)
    some = (text,) if text else ()
    (folder / "plan.json").write_text(to_json(plan(*some * 2)))
    (folder / "measure.json").write_text(to_json(measurement(*some)))
    (folder / "verify.json").write_text(json.dumps(verify(*some)))
    return folder
