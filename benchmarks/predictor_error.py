"""Error of the peak predictor against measured peaks, model by model.

    python benchmarks/predictor_error.py run --models MobileNet,ResNet50 --batches 1,8
    python benchmarks/predictor_error.py predict
    python benchmarks/predictor_error.py cells --name SSD REPO/.migrator/measure.json
    python benchmarks/predictor_error.py table

`run` adds cases to benchmarks/predictor_error.json, each measured in child processes of its own
(`--processes`, the median counts: the runtime's order of ops differs each time that it makes a graph;
`--graphs` has each process make several);
`predict` predicts all of them anew and measures nothing; `table` writes docs/predictor_error.md from
them. `cells` adds the cells of a measurement, each of which `migrator measure` predicted and measured
in the same process. Models are those of tf.keras.applications with random weights, or `package.module:build`
(samples/memory_lab is on the path) with `--shape`.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "benchmarks" / "predictor_error.json"
TABLE = ROOT / "docs" / "predictor_error.md"
WARMUPS = 2  # runs before the traced one
APART = 0.08  # the aim for the largest error in training; graphs further apart have no one peak
ARENA = 1 << 31  # float32 values: 8 GiB, never touched
WAY = 2  # of following the allocator: raised where that changes, so that older rows are told apart


def _model(tf: Any, name: str, shape: tuple[int, ...]) -> Any:
    if ":" not in name:
        return getattr(tf.keras.applications, name)(weights=None, input_shape=shape)
    sys.path.insert(0, str(ROOT / "samples" / "memory_lab"))
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)()


def _step(tf: Any, model: Any, training: bool) -> tuple[Callable[[Any], Any], list[Any]]:
    """(forward or training step, its optimizers); the loss is the outputs' mean square, unless the
    model has a step of its own (`train` beside `optimizers`, as in lab/more.py)."""
    if not training:
        if isinstance(model, tf.keras.Model):
            return lambda x: model(x, training=False), []
        return model, []
    if hasattr(model, "optimizers"):
        return model.train, model.optimizers
    optimizer = tf.keras.optimizers.SGD(0.01, momentum=0.9)
    optimizer.build(model.trainable_variables)

    def train(x: Any) -> Any:
        with tf.GradientTape() as tape:
            outputs = tf.nest.flatten(model(x, training=True))
            loss = tf.add_n([tf.reduce_mean(tf.square(tf.cast(o, tf.float32))) for o in outputs])
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    return train, [optimizer]


def case(
    name: str, batch: int, training: bool, shape: tuple[int, ...], do: str, graphs: int
) -> Any:
    """One model traced; predicted, run under the allocator's trace, or both.

    graphs: how many the runtime makes of the function, one after the other; all of them are measured.
    """
    import numpy as np
    import tensorflow as tf

    from migrator.measure.predict import making, runs, workspace
    from migrator.measure.programs import measure_probe, measure_trace

    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    made = making.Making()
    with made.recording():
        tf.raw_ops.Empty(shape=[16, ARENA // 16], dtype=tf.float32, init=False)
        model = _model(tf, name, shape)
        full = (batch, *shape)
        images = tf.raw_ops.DeepCopy(x=tf.random.stateless_normal(full, (1, 2)))
        step, optimizers = _step(tf, model, training)

    def sizes(variables: Any) -> dict[str, int]:
        return {
            getattr(v, "path", v.name): int(np.prod(v.shape)) * tf.as_dtype(v.dtype).size
            for v in variables
        }  # fmt: skip

    resident = {
        "weights": sizes(model.variables), "inputs": {"images": 4 * int(np.prod(full))},
        "optimizer slots": sizes([v for o in optimizers for v in o.variables]),
    }  # fmt: skip
    held = sum(sum(v.values()) for v in resident.values())
    function = tf.function(step, autograph=False)
    result: dict[str, Any] = {"kernels": workspace.kernels_here()}
    if "predict" in do:
        with made.recording():
            concrete = function.get_concrete_function(tf.TensorSpec(images.shape, images.dtype))
        made.note(handle for handle, _ in concrete.graph.captures)
        predicted = runs.of(concrete, before=runs.Before(held, made), calls=WARMUPS)
        low, high = predicted.interval
        result |= {
            "predicted": predicted.likely.bytes + held, "low": low + held, "high": high + held,
            "unknown": predicted.likely.unknown, "chunks": predicted.allocator,
            "loops": predicted.loops, "way": WAY,
        }  # fmt: skip
    if "measure" not in do:
        return result

    allocator = measure_probe.Allocator(tf.config.experimental, "CPU:0")
    found = []
    kept = []  # else the next graph would lie where the last one was
    for _ in range(graphs):
        kept.append(function)

        def run() -> None:
            for value in tf.nest.flatten(kept[-1](images)):
                value.numpy()

        for _ in range(WARMUPS):
            run()
        found.append(measure_trace.trace(run, allocator, resident))
        # a lambda, for functions of the same Python function share what was traced
        function = tf.function(lambda x: step(x), autograph=False)
    return result | {
        "measured": [f["requested_peak"] for f in found],
        # a graph keeps its constants, so the allocator of later ones holds more than theirs
        "allocator": [found[0]["allocator_peak"]], "missing": [f["missing"] for f in found],
    }  # fmt: skip


def child(args: list[str], onednn: str) -> Any:
    env = {
        **os.environ, "TF_CPU_ALLOCATOR_USE_BFC": "true", "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "-1", "TF_ENABLE_ONEDNN_OPTS": onednn, "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, __file__, "case", *args], env=env, capture_output=True, text=True
    )
    if done.returncode:
        print(done.stderr[-800:], file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def run(args: argparse.Namespace) -> None:
    """Measures the cases that are not in the data yet, and adds each as soon as it is done."""
    for name in args.models.split(","):
        for batch in args.batches.split(","):
            for mode in args.modes.split(","):
                key = [name, int(batch), mode, args.shape, args.onednn]
                known = next((r for r in _rows() if r["key"] == key), None)
                if known and len(known["measured"]) >= args.processes * args.graphs:
                    continue
                row = known or {"key": key, "measured": [], "allocator": [], "missing": []}
                while len(row["measured"]) < args.processes * args.graphs:
                    do = "measure" if row["measured"] else "predict,measure"
                    got = child([name, batch, mode, args.shape, do, str(args.graphs)], args.onednn)
                    if got is None:
                        break
                    for kind in ("measured", "allocator", "missing"):
                        row[kind] = row.get(kind, []) + got.pop(kind)
                    row |= got
                if not row["measured"]:
                    print(f"{name} {batch} {mode}: failed", file=sys.stderr)
                    continue
                _keep(row)


def _rows() -> list[Any]:
    found: list[Any] = json.loads(DATA.read_text()) if DATA.exists() else []
    return found


def _keep(row: dict[str, Any]) -> None:
    """Puts a case into the data as they are now: others may have added to them meanwhile."""
    rows = [r for r in _rows() if r["key"] != row["key"]] + [row]
    rows.sort(key=lambda r: json.dumps(r["key"]))
    DATA.write_text("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")
    print(_line(row), flush=True)


def predict(args: argparse.Namespace) -> None:
    """Predicts the cases of the data anew; what was measured stays. Several may share the work."""
    for key in [r["key"] for r in _rows()]:
        row = next(r for r in _rows() if r["key"] == key)
        name, batch, mode, shape, onednn = key
        if ": " in name:  # of a measurement: predicted where it was measured
            continue
        if args.models and name not in args.models.split(","):
            continue
        if args.missing and not _older(row):
            continue
        got = child([name, str(batch), mode, shape, "predict", "1"], onednn)
        if got is None:
            print(f"{name} {batch} {mode}: failed", file=sys.stderr)
            continue
        _keep(row | got)


def cells(args: argparse.Namespace) -> None:
    """Adds what `migrator measure` predicted and measured in the same processes."""
    sys.path.insert(0, str(ROOT))
    from migrator.measure import records

    for path in args.files:
        for result in records.load(path.read_text(encoding="utf-8"), str(path)).cells:
            cell, told = result.cell, [s.extra.get("predicted_step") for s in result.samples]
            traced = [s.attribution for s in result.samples if s.attribution]
            if not result.ok or not told or not told[0] or cell.strategy or not traced:
                continue
            first = result.samples[0]
            held = first.weights + first.slots + first.inputs
            shape = next(iter(first.extra["input_shapes"].values()))[1:]
            precision = "" if cell.precision == "float32" else f", {cell.precision}"
            name = f"{args.name}: {cell.workload}{precision}"
            key = [name, cell.batch, cell.mode, "x".join(map(str, shape)), "1"]
            row = {
                "key": key, "measured": [a.requested_peak for a in traced],
                "allocator": [a.allocator_peak for a in traced],
                "kernels": "onednn", "predicted": told[0]["bytes"] + held,
                "low": told[0]["low"] + held, "high": told[0]["high"] + held,
                "unknown": told[0]["unknown"], "chunks": told[0]["allocator"], "way": WAY,
            }  # fmt: skip
            _keep(row)


def _error(row: dict[str, Any]) -> float:
    return float(row["predicted"] / statistics.median(row["measured"]) - 1)


def _spread(row: dict[str, Any]) -> float:
    """How far graphs of the same function were apart, relative to their median."""
    return float((max(row["measured"]) - min(row["measured"])) / statistics.median(row["measured"]))


def _beyond(row: dict[str, Any]) -> float:
    """How far the prediction lies outside of what was measured, relative to the median; 0 inside."""
    low, high = min(row["measured"]), max(row["measured"])
    outside = max(low - row["predicted"], row["predicted"] - high, 0)
    return float(outside / statistics.median(row["measured"]))


def _chunks(row: dict[str, Any]) -> float | None:
    """Error of the allocator's peak; None where the case was predicted before it was followed."""
    if "chunks" not in row:
        return None
    return float(row["chunks"] / statistics.median(row["allocator"]) - 1)


def _older(row: dict[str, Any]) -> bool:
    """Whether the allocator was followed in another way than today, or not at all."""
    return bool(row.get("way") != WAY)


def _inside(row: dict[str, Any]) -> bool:
    return bool(row["low"] <= statistics.median(row["measured"]) <= row["high"])


def _line(row: dict[str, Any]) -> str:
    name, batch, mode, shape, onednn = row["key"]
    measured = statistics.median(row["measured"])
    spread = _spread(row)
    kernels = "oneDNN" if row["kernels"] == "onednn" else "Eigen"
    chunks = _chunks(row)
    return (
        f"| {name} | {shape} | {batch} | {mode} | {kernels} | {measured / 2**20:.1f} | "
        f"{spread:.1%} of {len(row['measured'])} | {row['predicted'] / 2**20:.1f} | "
        f"{_error(row):+.2%} | {row['low'] / measured - 1:+.1%} … {row['high'] / measured - 1:+.1%}"
        f"{'' if _inside(row) else ' (outside)'} | "
        f"{'–' if chunks is None else f'{chunks:+.1%}'}{' °' if _older(row) else ''} |"
    )


def table(_: argparse.Namespace) -> None:
    """Writes the Markdown table with its summary."""
    rows = _rows()
    usual = [r for r in rows if not r["unknown"]]
    lines = [
        "# How far predicted peaks are from measured ones", "",
        "Generated by `python benchmarks/predictor_error.py table` from "
        "`benchmarks/predictor_error.json`; edit neither by hand.", "",
        "Random weights; SGD with momentum; one thread; TensorFlow's BFC allocator on a CPU. Measured: "
        "the requested-bytes peak in MiB, median of so many graphs made of the same function, and how "
        "far these were apart. "
        "The interval is that of the prediction, relative to the measured median. Allocator: its "
        "predicted peak, chunks and their arrangement included, against its own in the first graph of "
        "each process; ° where it was followed in an older way, – where not at all "
        "(`python benchmarks/predictor_error.py predict --missing`). "
        "Where more than eight ops wait for one, the order in which they begin follows the addresses of "
        "edges in a hash set, which differ each time that the runtime makes a graph; in a loop it "
        "decides how far iterations run into each other, whatever the number of threads. The prediction "
        "draws several orders and is their median; its interval spans them. Where graphs of the same "
        f"function are further apart than {APART:.0%}, no single figure can be right for all of them: "
        "these cases are counted by themselves, against the median and against the range of what was "
        "measured.", "",
    ]  # fmt: skip
    for mode in ("inference", "training"):
        mine = [r for r in usual if r["key"][2] == mode]
        if mine:
            apart = [r for r in mine if _spread(r) > APART]
            alike = [r for r in mine if r not in apart]
            chunks = [abs(c) for r in alike if not _older(r) and (c := _chunks(r)) is not None]
            older = [abs(c) for r in alike if _older(r) and (c := _chunks(r)) is not None]
            errors = [abs(_error(r)) for r in alike]
            inside = sum(map(_inside, mine))
            lines.append(
                f"- **{mode}** ({len(errors)} cases): median error {statistics.median(errors):.2%}, "
                f"largest {max(errors):.2%}; measured inside the interval in {inside} of "
                f"{len(mine)} ({inside / len(mine):.0%}); allocator peak ({len(chunks)} cases): median "
                f"{statistics.median(chunks):.1%}, largest {max(chunks):.1%}"
                + (f" (° {len(older)} cases: {statistics.median(older):.1%}, {max(older):.1%})."
                   if older else ".")
            )  # fmt: skip
            if apart:
                ranges = sum(not _beyond(r) for r in apart)
                wrong = [abs(_error(r)) for r in apart]
                held = [abs(c) for r in apart if (c := _chunks(r)) is not None]
                lines[-1] += (
                    f" {len(apart)} more whose graphs are {min(map(_spread, apart)):.0%} to "
                    f"{max(map(_spread, apart)):.0%} apart: within what was measured in {ranges} of "
                    f"{len(apart)}, at most {max(map(_beyond, apart)):.1%} outside of it; against its median "
                    f"{statistics.median(wrong):.1%}, at most {max(wrong):.1%}, the allocator's peak at most "
                    f"{max(held):.1%}."
                )
    odd = [r for r in rows if r["unknown"]]
    if odd:
        lines.append(
            f"- Not counted above: {len(odd)} cases with tensors whose size the graph does not tell, at "
            "the end of the table: of TF 1 loops and of shapes computed from values (mostly small). The "
            "prediction says so itself (`unknown`) and counts them as nothing: median error "
            f"{statistics.median(abs(_error(r)) for r in odd):.2%}, largest "
            f"{max(abs(_error(r)) for r in odd):.2%}."
        )
    head = (
        "model", "input", "batch", "mode", "kernels", "measured", "apart", "predicted", "error",
        "interval", "allocator",
    )  # fmt: skip
    lines += [
        "",
        f"| {' | '.join(head)} |",
        "| --- | --- | ---: | --- | --- " + "| ---: " * 6 + "|",
    ]
    lines += [_line(r) for r in [*usual, *odd]]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines[6:10]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run")
    runs.add_argument("--models", required=True)
    runs.add_argument("--batches", default="1,8")
    runs.add_argument("--modes", default="inference,training")
    runs.add_argument("--shape", default="224x224x3")
    runs.add_argument("--onednn", default="1", choices=("0", "1"))
    runs.add_argument("--processes", type=int, default=1)
    runs.add_argument("--graphs", type=int, default=1, help="that each process makes and measures")
    runs.set_defaults(do=run)
    again = commands.add_parser("predict")
    again.add_argument("--models", default="", help="only these")
    again.add_argument(
        "--missing", action="store_true", help="only those that the table marks ° or –"
    )
    again.set_defaults(do=predict)
    measured = commands.add_parser("cells")
    measured.add_argument("files", nargs="+", type=Path, metavar="measure.json")
    measured.add_argument("--name", required=True, help="of the program, in the table")
    measured.set_defaults(do=cells)
    commands.add_parser("table").set_defaults(do=table)
    if sys.argv[1:2] == ["case"]:
        name, batch, mode, shape, do, graphs = sys.argv[2:]
        sizes = tuple(int(d) for d in shape.split("x"))
        print(json.dumps(case(name, int(batch), mode == "training", sizes, do, int(graphs))))
        return
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
