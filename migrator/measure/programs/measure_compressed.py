"""Makes a model smaller and measures what that gives: TFLite, quantization, pruning, clustering.

`measure_compressed.py CONFIG.json`. The model is measured as TFLite runs it; its outputs are
compared with the uncompressed model's on the same weights and inputs. tfmot works on tf_keras only
and switches the whole process to it, so its strategies get a process with TF_USE_LEGACY_KERAS=1.
"""

from __future__ import annotations

import gzip
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from migrator.measure import compare
from migrator.measure.programs import measure_probe as probe
from migrator.measure.programs import measure_subjects as subjects
from migrator.measure.programs.measure_migrated import kept

EXAMPLES = 8  # batches that calibrate int8
FINE_TUNING = 12  # steps towards the uncompressed model's own outputs
SPARSITY, CLUSTERS = 0.5, 16


def main(config: dict[str, Any]) -> dict[str, Any]:
    """Measures one cell; the sample as the parent reads it."""
    phases = probe.Phases()
    legacy = os.environ.get("TF_USE_LEGACY_KERAS") == "1"
    import tensorflow as tf

    if legacy:
        _one_keras()
    phases.end("import")
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.threading.set_intra_op_parallelism_threads(config["threads"])
    tf.keras.utils.set_random_seed(1)
    phases.allocator = probe.Allocator(tf.config.experimental, "CPU:0")
    phases.end("device")
    subject = subjects.load(tf, config)
    arrays = subject.inputs(config)
    make = tf.function(lambda x: subject.forward(x, False), autograph=False)
    make.get_concrete_function({k: tf.TensorSpec(v.shape, v.dtype) for k, v in arrays.items()})
    if config["workload"].get("checkpoint") and subject.restore is not None:
        subject.restore(os.path.join(config["root"], config["workload"]["checkpoint"]))
    phases.end("initialisation")
    held = {k: tf.constant(v) for k, v in arrays.items()}
    reference = kept(tf, make(held))
    phases.end("first step")
    float_weights = sum(subjects.sizes(subject.variables()).values())  # tfmot takes layers apart
    kind, _, how = config["strategy"].partition(":")
    started = time.perf_counter()
    if kind == "tflite":
        stored = _convert(tf, config, subject, arrays, how)
        facts: dict[str, Any] = {}
    else:
        stored, facts = _optimized(tf, config, subject, arrays, kind)
    facts["seconds_to_make"] = time.perf_counter() - started
    phases.end("conversion")
    with open(os.path.join(config["scratch"], "model.tflite"), "wb") as fh:
        fh.write(stored)
    runner = _Interpreter(tf, stored, arrays, config["threads"])
    outputs = kept(tf, runner.step())
    phases.end("TFLite first step")
    timed = probe.timed_steps(
        runner.step, probe.Allocator(None, ""), config["warmups"], config["steps"]
    )
    phases.end("steady")
    return {
        "phases": phases.records, "weights": len(stored), "slots": 0,
        "inputs": sum(int(v.nbytes) for v in arrays.values()),
        **timed, "steady_peaks": [], "traces": None,
        "size": len(stored), "compressed": len(gzip.compress(stored, 9, mtime=0)),
        "difference": _difference(outputs, reference),
        "extra": {
            "tensorflow": tf.__version__, "keras": "tf_keras" if legacy else tf.keras.__version__, **facts,
            "process_growth": runner.growth(), "float_weights": float_weights,
            "input_shapes": {k: list(v.shape) for k, v in arrays.items()},
        },
    }  # fmt: skip


def _one_keras() -> None:
    """`import keras` gives tf_keras, too: the models of both kinds do not mix."""
    import tf_keras

    sys.modules["keras"] = tf_keras
    for name, module in list(sys.modules.items()):
        if name.startswith("tf_keras.") and not name.startswith("tf_keras.src"):
            sys.modules["keras" + name[len("tf_keras") :]] = module


def _difference(outputs: Any, reference: Any) -> float | None:
    """TFLite may give several outputs in another order: the order in which they fit best."""
    if len(outputs) <= 1 or [len(o) for o in outputs] == [len(r) for r in reference]:
        return compare.difference(outputs, reference)
    ordered = []
    rest = list(outputs)
    for wanted in reference:
        fitting = [o for o in rest if len(o) == len(wanted)]
        if not fitting:
            return None
        best = min(fitting, key=lambda o: compare.difference([o], [wanted]) or 0.0)
        rest.remove(best)
        ordered.append(best)
    return compare.difference(ordered, reference)


# -- TFLite


def _module(tf: Any, subject: subjects.Subject, specs: dict[str, Any]) -> tuple[Any, Any]:
    """(concrete function, the object that owns its variables).

    The owner must hold the tf.Variables themselves: with Keras 3's wrappers the converter writes
    a small file whose outputs are NaN, and says nothing.
    """
    owner = tf.Module()
    variables = subject.variables().values()
    owner.held = [v.value if hasattr(v, "path") and not callable(v.value) else v for v in variables]
    names = list(specs)

    def serve(*values: Any) -> Any:
        return subject.forward(dict(zip(names, values, strict=True)), False)

    function = tf.function(serve, autograph=False)
    owner.serve = function
    return function.get_concrete_function(*specs.values()), owner


def _examples(config: dict[str, Any], subject: subjects.Subject) -> Callable[[], Iterator[Any]]:
    """Inputs like the workload's, each time with another seed, to calibrate with."""

    def generate() -> Iterator[Any]:
        for number in range(EXAMPLES):
            specs = [{**s, "seed": 1000 + number} for s in subject.specs]
            made = probe.make_inputs(specs, config["batch"], config["root"], resize=True)
            yield [np.asarray(v) for v in made.values()]

    return generate


def _convert(
    tf: Any, config: dict[str, Any], subject: subjects.Subject, arrays: dict[str, Any], how: str
) -> bytes:
    """The model as a TFLite file's bytes. Raises Unusable where the converter refuses."""
    specs = {
        k: tf.TensorSpec(v.shape, v.dtype, name=f"input_{i}")
        for i, (k, v) in enumerate(arrays.items())
    }
    concrete, owner = _module(tf, subject, specs)
    converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete], owner)
    return _run(tf, converter, how, _examples(config, subject))


def _run(tf: Any, converter: Any, how: str, examples: Callable[[], Iterator[Any]] | None) -> bytes:
    if how != "float32":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if how == "float16":
        converter.target_spec.supported_types = [tf.float16]
    if how == "int8" and examples is not None:
        converter.representative_dataset = examples
    try:
        return bytes(converter.convert())
    except Exception as error:  # ConverterError, ValueError, RuntimeError of the calibrator
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise probe.Unusable(f"TFLite cannot convert the model: {lines[0][:300]}") from error


class _Interpreter:
    """Runs a TFLite model on the workload's inputs."""

    def __init__(self, tf: Any, stored: bytes, arrays: dict[str, Any], threads: int) -> None:
        self.before = probe.process_stats.resident_bytes()
        self.interpreter = tf.lite.Interpreter(model_content=stored, num_threads=threads)
        details = sorted(self.interpreter.get_input_details(), key=lambda d: d["name"])
        if len(details) != len(arrays):
            raise probe.Unusable("the converted model lost an input: it does not use it")
        self.feeds = [
            (d["index"], np.asarray(v)) for d, v in zip(details, arrays.values(), strict=True)
        ]
        try:
            for index, value in self.feeds:
                self.interpreter.resize_tensor_input(index, value.shape)
            self.interpreter.allocate_tensors()
        except (RuntimeError, ValueError) as error:
            raise probe.Unusable(f"TFLite cannot run the model: {error}") from error
        self.outputs = [d["index"] for d in self.interpreter.get_output_details()]

    def step(self) -> list[Any]:
        for index, value in self.feeds:
            self.interpreter.set_tensor(index, value)
        self.interpreter.invoke()
        return [self.interpreter.get_tensor(i) for i in self.outputs]

    def growth(self) -> int:
        """Bytes by which the process grew: the model and the interpreter's arena."""
        return max(0, probe.process_stats.resident_bytes() - self.before)


# -- tfmot


def _optimized(
    tf: Any, config: dict[str, Any], subject: subjects.Subject, arrays: dict[str, Any], kind: str
) -> tuple[bytes, dict[str, Any]]:
    """(TFLite bytes of the optimized model, facts). Raises Unusable where tfmot refuses."""
    model = subject.model
    if model is None:
        raise probe.Unusable("tfmot optimizes Keras models only")
    if len(arrays) != 1:
        raise probe.Unusable("the model has more than one input")
    try:
        import tensorflow_model_optimization as tfmot
    except ImportError as error:
        raise probe.Unusable(
            f"tensorflow-model-optimization cannot be imported ({error}); "
            "install migrator with the extra [tf]"
        ) from error
    (images,) = arrays.values()
    teacher = tf.keras.models.clone_model(model)
    teacher.set_weights(model.get_weights())
    targets = teacher.predict(images, verbose=0)
    try:
        changed, finish = _wrapped(tf, tfmot, model, kind)
        losses = _fine_tune(tf, changed, images, targets, kind, tfmot)
    except (ValueError, RuntimeError, AttributeError, TypeError) as error:
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise probe.Unusable(f"tfmot refuses the model: {first[:300]}") from error
    final = finish(changed)
    facts: dict[str, Any] = {
        "fine_tuning_steps": FINE_TUNING, "fine_tuning_loss": [losses[0], losses[-1]]
    }
    if kind == "prune":
        facts["zeros"] = _zeros(final)
    if kind == "cluster":
        facts["clusters"] = CLUSTERS
    converter = tf.lite.TFLiteConverter.from_keras_model(final)
    return _run(tf, converter, "int8" if kind == "qat" else "float32", None), facts


def _wrapped(tf: Any, tfmot: Any, model: Any, kind: str) -> tuple[Any, Callable[[Any], Any]]:
    """(the model to fine-tune, what makes the final model of it)."""
    if kind == "qat":
        return tfmot.quantization.keras.quantize_model(model), lambda m: m
    if kind == "prune":
        sparsity = tfmot.sparsity.keras
        schedule = sparsity.ConstantSparsity(SPARSITY, begin_step=0, frequency=1)
        pruned = sparsity.prune_low_magnitude(model, pruning_schedule=schedule)
        return pruned, sparsity.strip_pruning
    cluster = tfmot.clustering.keras
    start = cluster.CentroidInitialization.KMEANS_PLUS_PLUS

    def choose(layer: Any) -> Any:
        # a kernel with fewer values than clusters has nothing to share
        kernels = [w for w in layer.get_weights() if w.ndim > 1]
        allowed = isinstance(layer, (tf.keras.layers.Conv2D, tf.keras.layers.Dense))
        depthwise = isinstance(layer, tf.keras.layers.DepthwiseConv2D)
        if allowed and not depthwise and kernels and kernels[0].size > 4 * CLUSTERS:
            return cluster.cluster_weights(
                layer, number_of_clusters=CLUSTERS, cluster_centroids_init=start
            )
        return layer

    clustered = tf.keras.models.clone_model(model, clone_function=choose)
    return clustered, cluster.strip_clustering


def _fine_tune(
    tf: Any, model: Any, images: Any, targets: Any, kind: str, tfmot: Any
) -> list[float]:
    """Some steps towards the uncompressed model's outputs on the workload's inputs: no labels are
    needed, and the compressed model learns to do the same."""
    model.compile(optimizer=tf.keras.optimizers.Adam(1e-5), loss="mse")
    callbacks = [tfmot.sparsity.keras.UpdatePruningStep()] if kind == "prune" else []
    history = model.fit(
        images, targets, batch_size=len(images), epochs=FINE_TUNING, verbose=0, callbacks=callbacks
    )
    return [float(v) for v in history.history["loss"]]


def _zeros(model: Any) -> float:
    """Share of zeros among the kernels."""
    kernels = [w for w in model.get_weights() if w.ndim > 1]
    total = sum(w.size for w in kernels)
    return sum(int((w == 0).sum()) for w in kernels) / total if total else 0.0


if __name__ == "__main__":
    probe.run_main(main)
