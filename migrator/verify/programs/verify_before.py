"""Runs a TF1 graph function or frozen graph and records its numbers: `verify_before.py CONFIG.json`.

Runs under real TF 1.15 (Python 3.7) or, unchanged, on TF 2.21 through the compat runtime.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import verify_common as common  # type: ignore[import-not-found]  # beside this script

Arrays = dict  # {name: array}; Python 3.7 has no dict[str, Any] at run time


def _is_leaf(tf: Any) -> Any:
    kinds = (tf.Tensor, tf.Variable, tf.SparseTensor, np.ndarray, np.generic, float, int)
    return lambda value: isinstance(value, kinds) and not isinstance(value, bool)


def _dense(tf: Any, value: Any) -> Any:
    if isinstance(value, tf.SparseTensor):
        return tf.sparse_tensor_to_dense(value)
    return tf.convert_to_tensor(value)


def _load(tf: Any, sess: Any, variables: list[Any], path: str) -> list[str]:
    """Loads variables by name, whatever their float type; the names that are not there."""
    wanted = {
        v.op.name: (v.shape.as_list(), v.dtype.base_dtype.as_numpy_dtype) for v in variables
    }
    values, missing = common.checkpoint_values(tf.train.NewCheckpointReader(path), wanted)
    found = [v for v in variables if v.op.name in values]
    # One run: each `load` by itself would prune the whole graph again.
    sess.run([v.initializer for v in found],
             {v.initializer.inputs[1]: values[v.op.name] for v in found})
    return list(missing)


def run_function(tf: Any, config: dict[str, Any]) -> tuple[Arrays, dict[str, Any]]:
    """Outputs; in training also the loss, all gradients, and the variables after some steps."""
    workload, root = config["workload"], config["root"]
    training = workload["mode"] == "training"
    tf.set_random_seed(1)
    arrays = common.make_inputs(
        workload["inputs"], workload["batch"], root, workload["float64"]
    )
    feeds = {
        k: tf.placeholder(tf.as_dtype(v.dtype), v.shape, name=k) for k, v in arrays.items()
    }
    feed_dict = {feeds[k]: v for k, v in arrays.items()}
    outputs = common.target(workload["call"])(**dict(feeds, **workload["kwargs"]))
    flat = common.flatten(outputs, _is_leaf(tf))
    variables = tf.global_variables()
    trainable = tf.trainable_variables()
    fetches = {"output/" + k: _dense(tf, v) for k, v in flat.items()}
    if training:
        loss = common.scalar_loss(outputs, workload["loss"])
        fetches["loss"] = loss
        for variable, gradient in zip(trainable, tf.gradients(loss, trainable)):  # noqa: B905
            if gradient is not None:
                fetches["gradient/" + variable.op.name] = tf.convert_to_tensor(gradient)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            optimizer = tf.train.GradientDescentOptimizer(common.LEARNING_RATE)
            train_op = optimizer.minimize(loss) if trainable else tf.no_op()
    missing: list[str] = []
    results: Arrays = {}
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer(),
                  tf.tables_initializer()])
        if workload["checkpoint"]:
            path = common.existing_checkpoint(root, workload["checkpoint"])
            missing = _load(tf, sess, variables, path)
        weights = sess.run({v.op.name: v for v in variables})
        results.update({"variable/" + k: v for k, v in weights.items()})
        results.update(sess.run(fetches, feed_dict))
        if training:
            for _ in range(common.STEPS):
                sess.run(train_op, feed_dict)
            after = sess.run({v.op.name: v for v in variables})
            results.update({"step/" + k: v for k, v in after.items()})
    facts = {
        "variables": [v.op.name for v in variables],
        "trainable": [v.op.name for v in trainable],
        "missing": missing,
        "tensorflow": tf.__version__,
    }
    return results, facts


def run_frozen_graph(tf: Any, config: dict[str, Any]) -> tuple[Arrays, dict[str, Any]]:
    """The fetched tensors of a frozen graph."""
    workload, root = config["workload"], config["root"]
    path = os.path.join(root, workload["path"])
    if not os.path.isfile(path):
        raise common.Unusable("there is no frozen graph {} in the repository".format(workload["path"]))
    graph_def = tf.GraphDef()
    with open(path, "rb") as fh:
        graph_def.ParseFromString(fh.read())
    arrays = common.make_inputs(workload["inputs"], workload["batch"], root, False)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        for name in list(workload["fetches"]) + list(arrays):
            try:
                graph.get_tensor_by_name(name)
            except (KeyError, ValueError) as error:
                raise common.Unusable(f"the graph has no tensor {name}: {error}") from error
        with tf.Session(graph=graph) as sess:
            values = sess.run(list(workload["fetches"]), arrays)
    results = {"output/" + k: v for k, v in zip(workload["fetches"], values)}  # noqa: B905
    return results, {"tensorflow": tf.__version__}


def run_saved_model(tf: Any, config: dict[str, Any]) -> tuple[Arrays, dict[str, Any]]:
    """The fetched tensors of a SavedModel directory."""
    workload, root = config["workload"], config["root"]
    path = os.path.join(root, workload["path"])
    if not os.path.isdir(path):
        raise common.Unusable("there is no SavedModel {} in the repository".format(workload["path"]))
    arrays = common.make_inputs(workload["inputs"], workload["batch"], root, False)
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as sess:
        tf.saved_model.loader.load(sess, [tf.saved_model.tag_constants.SERVING], path)
        values = sess.run(list(workload["fetches"]), arrays)
    results = {"output/" + k: v for k, v in zip(workload["fetches"], values)}  # noqa: B905
    return results, {"tensorflow": tf.__version__}


def run(config: dict[str, Any]) -> tuple[Arrays, dict[str, Any]]:
    tf = common.start_side(config["side"], config["compat_runtime"])
    common.add_roots(config["root"], config["workload"]["roots"])
    kinds = {"function": run_function, "frozen_graph": run_frozen_graph,
             "saved_model": run_saved_model}
    return kinds[config["workload"]["kind"]](tf, config)


if __name__ == "__main__":
    common.main(run)
