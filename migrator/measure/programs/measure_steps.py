"""The step that a child repeats: forward or training, by execution, precision and strategy."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from migrator.measure.programs import measure_probe as probe
from migrator.measure.programs.measure_subjects import LEARNING_RATE, MOMENTUM, Subject

WARM_CALLS, CALLS = 5, 50  # of a function that computes nothing


class Stepper:
    """Builds the step of one cell around a subject, and knows its optimizer and its traces."""

    def __init__(
        self, tf: Any, config: dict[str, Any], subject: Subject, device: str = "CPU:0"
    ) -> None:
        self.tf, self.config, self.subject, self.device = tf, config, subject, device
        self.training = config["mode"] == "training" and subject.slots is None
        self.compiled = config["execution"] == "xla"
        self.optimizer: Any = None
        self.micro = _microbatches(config)
        self.accumulated: list[Any] = []
        self.traces = 0
        self.forward = subject.forward
        self.call: Callable[[dict[str, Any]], Any] = self._body
        self.held: dict[str, Any] = {}

    def make_variables(self, arrays: dict[str, Any]) -> None:
        """One trace, which computes nothing, makes the variables that calls make."""
        tf = self.tf
        specs = {k: tf.TensorSpec(v.shape, v.dtype) for k, v in arrays.items()}
        build = tf.function(lambda x: self.subject.forward(x, self.training), autograph=False)
        with tf.init_scope():
            build.get_concrete_function(specs)

    def make_slots(self) -> None:
        """Optimizer slots, and the gradients' accumulators where there are any."""
        if not self.training:
            return
        tf, trained = self.tf, self.subject.trainable()
        if not trained:
            raise probe.Unusable("there are no trainable variables")
        make = self.subject.optimizer or (
            lambda: tf.keras.optimizers.SGD(LEARNING_RATE, momentum=MOMENTUM)
        )
        optimizer = make()
        if self.config["precision"] == "mixed_float16":
            optimizer = tf.keras.mixed_precision.LossScaleOptimizer(optimizer)
        optimizer.build(trained)
        self.optimizer = optimizer
        if self.micro > 1:
            self.accumulated = [
                tf.Variable(tf.zeros(v.shape, v.dtype), trainable=False) for v in trained
            ]

    def make_step(self, arrays: dict[str, Any]) -> None:
        """The callable, and its inputs in the allocator that is measured."""
        tf, execution = self.tf, self.config["execution"]
        if execution in ("function", "xla"):
            self.call = tf.function(
                self._body, autograph=False, jit_compile=True if self.compiled else None
            )
        # DeepCopy: numpy's own buffer would live outside the allocator that is being measured
        self.held = {k: tf.raw_ops.DeepCopy(x=tf.constant(v)) for k, v in arrays.items()}

    def step(self) -> Any:
        """One step; returns when its device is done: a GPU that all calls only queue work for, a CPU
        with results that can be read where they lie (`numpy()` would copy them)."""
        results = self.call(self.held)
        if self.device.startswith("CPU"):
            return self.read(results)
        with self.tf.device(self.device):
            self.tf.raw_ops.SyncDevice()
        return results

    def read(self, results: Any) -> Any:
        """Results of a step where Python reads them; those of a GPU come over the bus."""
        return self.tf.nest.map_structure(
            lambda t: np.asarray(t) if self.tf.is_tensor(t) else t, results
        )

    def handles(self) -> list[Any]:
        """The handles of all variables that there are."""
        kept = [*self.subject.variables().values(), *self.accumulated]
        kept += self.optimizer.variables if self.optimizer is not None else []
        kept += self.subject.slots().values() if self.subject.slots is not None else []
        return [getattr(v, "value", v).handle if hasattr(v, "path") else v.handle for v in kept]

    # -- inside the step

    def _loss(self, inputs: dict[str, Any]) -> Any:
        outputs = self.forward(inputs, True)
        name = self.config["workload"].get("loss") or ""
        if ":" in name:
            return probe.target(name)(outputs)
        if self.subject.scalar:
            return probe.scalar_loss(outputs, name)
        tf = self.tf
        parts = [
            tf.reduce_mean(tf.square(tf.cast(t, tf.float32)))
            for t in tf.nest.flatten(outputs)
            if tf.as_dtype(t.dtype).is_floating
        ]
        if not parts:
            raise probe.Unusable("no output is a float: there is no loss to train with")
        return tf.add_n(parts)

    def _gradients(self, inputs: dict[str, Any]) -> tuple[Any, list[Any]]:
        trained, optimizer = self.subject.trainable(), self.optimizer
        variables = [getattr(v, "value", v) if hasattr(v, "path") else v for v in trained]
        with self.tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(variables)
            loss = self._loss(inputs)
            scaled = optimizer.scale_loss(loss) if hasattr(optimizer, "scale_loss") else loss
        return loss, tape.gradient(scaled, variables)

    def _body(self, inputs: dict[str, Any]) -> Any:
        self.traces += 1
        if not self.training:
            return self.forward(inputs, False)
        if self.micro > 1:
            return self._accumulating(inputs)
        loss, gradients = self._gradients(inputs)
        self.optimizer.apply(gradients, self.subject.trainable())
        return loss

    def _accumulating(self, inputs: dict[str, Any]) -> Any:
        """Darknet's batch/subdivisions: gradients of parts of the batch, one after the other, then
        one update with their mean. A loop of the graph, so that parts cannot overlap."""
        tf, size = self.tf, self.config["batch"] // self.micro
        for total in self.accumulated:
            total.assign(tf.zeros_like(total))

        def part(index: Any, losses: Any) -> Any:
            # an input without the batch as its first size is the same for every part
            cut = {
                k: v[index * size : (index + 1) * size]
                if v.shape.rank and v.shape[0] == self.config["batch"] else v
                for k, v in inputs.items()
            }  # fmt: skip
            for k, v in cut.items():
                if v.shape.rank and inputs[k].shape[0] == self.config["batch"]:
                    v.set_shape([size, *inputs[k].shape[1:]])
            loss, gradients = self._gradients(cut)
            for total, gradient in zip(self.accumulated, gradients, strict=True):
                if gradient is not None:
                    total.assign_add(tf.convert_to_tensor(gradient) / self.micro)
            return index + 1, losses + tf.cast(loss, tf.float32) / self.micro

        if tf.executing_eagerly():
            index, losses = tf.constant(0), tf.constant(0.0)
            for _ in range(self.micro):
                index, losses = part(index, losses)
        else:
            _, losses = tf.while_loop(
                lambda i, _: i < self.micro, part, (tf.constant(0), tf.constant(0.0)),
                parallel_iterations=1,
            )  # fmt: skip
        gradients = [v.read_value() for v in self.accumulated]
        self.optimizer.apply(gradients, self.subject.trainable())
        return losses

    def graph(self) -> Any:
        """The graph of the step; None where it is computed eagerly."""
        return self._concrete().graph if self.config["execution"] in ("function", "xla") else None

    def _concrete(self) -> Any:
        """What the step (a tf.function) is for its inputs; asking for it is no trace of the program."""
        traces = self.traces
        concrete = self.call.get_concrete_function(self.held)  # type: ignore[attr-defined]
        self.traces = traces
        return concrete

    def call_cost(self) -> dict[str, Any]:
        """{"seconds", "variables"}: what one call of the step (a tf.function) takes by itself.

        That is a call of a function with the same inputs and variables that computes nothing.
        """
        tf, concrete = self.tf, self._concrete()

        @tf.function(autograph=False)  # type: ignore[untyped-decorator]
        def nothing(inputs: dict[str, Any]) -> Any:
            for handle in concrete.captured_inputs:
                tf.compat.v1.get_default_graph().capture(handle)
            return tf.constant(0.0)

        taken = []
        for _ in range(WARM_CALLS + CALLS):
            started = time.perf_counter()
            nothing(self.held).numpy()
            taken.append(time.perf_counter() - started)
        seconds = statistics.median(taken[WARM_CALLS:])
        return {"seconds": seconds, "variables": len(concrete.captured_inputs)}

    def predicted(self, resident: int, made: Any = None) -> dict[str, Any]:
        """Peak of the step (a tf.function) on top of what is resident, predicted from its graph alone,
        and the allocator's with the `resident` bytes, which came to lie as `made` (a Making) tells."""
        from migrator.measure.predict import runs

        on_gpu = self.device.startswith("GPU")
        order, kernels = ("gpu", "gpu") if on_gpu else ("cpu", None)
        forced = os.environ.get("TF_FORCE_GPU_ALLOW_GROWTH") == "true"
        grows = on_gpu and (forced or self.config["allocator"] == "growth")
        found = runs.of(
            self._concrete(), order, kernels, before=runs.Before(resident, made, grows=grows),
            calls=self.config["warmups"] + self.config["steps"] + 1,
        )  # fmt: skip
        low, high = found.interval
        return {
            "bytes": found.likely.bytes, "low": low, "high": high, "unknown": found.likely.unknown,
            "allocator": found.allocator,
        }  # fmt: skip


def _microbatches(config: dict[str, Any]) -> int:
    name, _, count = config["strategy"].partition(":")
    if name != "accumulate":
        return 1
    parts = int(count)
    if config["mode"] != "training":
        raise probe.Unusable("gradients are accumulated in training only")
    if config["batch"] % parts:
        raise probe.Unusable(f"a batch of {config['batch']} has no {parts} equal parts")
    return parts
