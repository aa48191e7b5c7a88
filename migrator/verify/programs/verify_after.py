"""Runs a migrated function or frozen graph and records its numbers: `verify_after.py CONFIG.json`.

Takes the weights that the original ran with, by TF1 name, from the file that it left.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

import numpy as np
import verify_common as common  # type: ignore[import-not-found]  # beside this script


def _is_leaf(tf: Any) -> Any:
    kinds = (tf.Tensor, tf.Variable, tf.SparseTensor, np.ndarray, np.generic, float, int)
    return lambda value: isinstance(value, kinds) and not isinstance(value, bool)


def _dense(tf: Any, value: Any) -> Any:
    return tf.sparse.to_dense(value) if isinstance(value, tf.SparseTensor) else tf.convert_to_tensor(value)


def _numpy(values: dict[str, Any]) -> dict[str, Any]:
    return {k: v.numpy() for k, v in values.items()}


def _checkpoint(store: Any, path: str, reference: dict[str, Any]) -> dict[str, Any]:
    """Loads the TF1 checkpoint by name, and compares with what TF1 loaded."""
    missing = store.restore(path)
    worst, where = 0.0, ""
    for name, variable in store.by_name.items():
        if name in missing or name not in reference:
            continue
        difference = np.abs(np.asarray(variable.numpy(), np.float64) - reference[name])
        largest = float(np.max(difference, initial=0.0))
        if not largest <= worst:
            worst, where = largest, name
    return {"missing": sorted(missing), "difference": worst, "where": where,
            "loaded": len(store.by_name) - len(missing)}  # fmt: skip


def run_function(tf: Any, config: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Outputs; in training also the loss, all gradients, and the variables after some steps."""
    workload, root = config["workload"], config["root"]
    training = workload["mode"] == "training"
    store = common.migrated_variables.MigratedVariables()
    function = common.target(workload["call"])
    arrays = common.make_inputs(
        workload["inputs"], workload["batch"], root, workload["float64"]
    )
    with np.load(config["reference"]) as stored:
        weights = {
            k.partition("/")[2]: stored[k] for k in stored.files if k.startswith("variable/")
        }

    def call(inputs: dict[str, Any], apply_updates: bool = False) -> Any:
        with store.run(apply_updates):
            return function(**inputs, **workload["kwargs"])

    specs = {k: tf.TensorSpec(v.shape, v.dtype) for k, v in arrays.items()}
    tf.function(call, autograph=False).get_concrete_function(specs)  # makes the variables
    facts: dict[str, Any] = {
        "variables": list(store.by_name), "trainable": list(store.trainable),
        "tensorflow": tf.__version__,
    }  # fmt: skip
    if workload["checkpoint"] and store.by_name:
        path = common.existing_checkpoint(root, workload["checkpoint"])
        facts["checkpoint"] = _checkpoint(store, path, weights)
    for name, variable in store.by_name.items():
        if name in weights:
            if tuple(variable.shape) != weights[name].shape:
                raise common.Unusable(
                    f"variable {name} has shape {list(variable.shape)}, in the original "
                    f"{list(weights[name].shape)}"
                )
            variable.assign(weights[name])
    traces = 0

    @tf.function(autograph=False)
    def evaluate(inputs: dict[str, Any]) -> dict[str, Any]:
        nonlocal traces
        traces += 1
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(list(store.trainable.values()))
            outputs = call(inputs)
            loss = common.scalar_loss(outputs, workload["loss"]) if training else None
        flat = common.flatten(outputs, _is_leaf(tf))
        results = {"output/" + k: _dense(tf, v) for k, v in flat.items()}
        if training:
            results["loss"] = loss
            gradients = tape.gradient(loss, store.trainable)
            results.update(
                {"gradient/" + k: tf.convert_to_tensor(g)
                 for k, g in gradients.items() if g is not None}
            )  # fmt: skip
        return results

    @tf.function(autograph=False)
    def train_step(inputs: dict[str, Any]) -> None:
        nonlocal traces
        traces += 1
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(list(store.trainable.values()))
            loss = common.scalar_loss(call(inputs, apply_updates=True), workload["loss"])
        for name, gradient in tape.gradient(loss, store.trainable).items():
            if gradient is not None:
                update = tf.cast(common.LEARNING_RATE, gradient.dtype) * gradient
                store.trainable[name].assign_sub(update)

    held = {k: tf.constant(v) for k, v in arrays.items()}
    results = _numpy(evaluate(held))
    if training:
        for _ in range(common.STEPS):
            train_step(held)
        results.update({"step/" + k: v.numpy() for k, v in store.by_name.items()})
    evaluate(held)  # a second call must find the same variables and the same trace
    facts["traces"] = traces
    facts["functions"] = 2 if training else 1
    return results, facts


def run_frozen_graph(tf: Any, config: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fetched tensors of a frozen graph, through the support package's FrozenGraph."""
    workload, root = config["workload"], config["root"]
    path = os.path.join(root, workload["path"])
    if not os.path.isfile(path):
        raise common.Unusable(f"there is no frozen graph {workload['path']} in the repository")
    try:
        module = importlib.import_module("tf1_support.frozen_graph")
        runner = "the repository's tf1_support.frozen_graph"
    except ModuleNotFoundError as error:
        if error.name not in ("tf1_support", "tf1_support.frozen_graph"):
            raise
        module = common.load_by_path("migrator_frozen_graph", config["frozen_graph"])
        runner = "migrator's FrozenGraph"
    arrays = common.make_inputs(workload["inputs"], workload["batch"], root, False)
    graph = module.FrozenGraph(path)
    function = graph.function(list(arrays), list(workload["fetches"]))
    values = function(*[tf.constant(v) for v in arrays.values()])
    function(*[tf.constant(v) for v in arrays.values()])
    results = {"output/" + k: v.numpy() for k, v in zip(workload["fetches"], values, strict=True)}
    return results, {
        "tensorflow": tf.__version__, "runner": runner, "functions": 1,
        "traces": function.experimental_get_tracing_count(),
    }  # fmt: skip


def run_saved_model(tf: Any, config: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fetched tensors of a SavedModel directory, by tf.saved_model.load and prune."""
    workload, root = config["workload"], config["root"]
    arrays = common.make_inputs(workload["inputs"], workload["batch"], root, False)
    loaded = tf.saved_model.load(os.path.join(root, workload["path"]))
    function = loaded.prune(list(arrays), list(workload["fetches"]))
    values = function(*[tf.constant(v) for v in arrays.values()])
    results = {"output/" + k: v.numpy() for k, v in zip(workload["fetches"], values, strict=True)}
    return results, {"tensorflow": tf.__version__, "functions": 1, "traces": 1}


def run(config: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    tf = common.start_side("after", "")
    common.add_roots(config["root"], config["workload"]["roots"])
    kinds = {"function": run_function, "frozen_graph": run_frozen_graph,
             "saved_model": run_saved_model}
    return kinds[config["workload"]["kind"]](tf, config)


if __name__ == "__main__":
    common.main(run)
