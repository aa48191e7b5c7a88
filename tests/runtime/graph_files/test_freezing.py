"""Frozen graphs and SavedModels that are written and read back, also by TF 1.15.5 itself."""
import os
import subprocess

import numpy as np
import pytest
import tensorflow as tf
from tf1_support import freezing, saved_model
from tf1_support.frozen_graph import FrozenGraph

CODE = """
import sys, numpy as np, tensorflow as tf
graph_def = tf.GraphDef()
graph_def.ParseFromString(open(sys.argv[1], 'rb').read())
tf.import_graph_def(graph_def, name='')
with tf.Session() as session:
    print(session.run('scores:0', {'image:0': np.ones([2, 3], 'float32')}).tolist())
"""


class Network(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([[1.0], [2.0], [3.0]], name="w")
        self.dense = tf.keras.layers.Dense(2, kernel_initializer="ones")
        self.dense.build([None, 1])

    def __call__(self, image):
        scores = tf.identity(tf.matmul(image, self.w), name="scores")
        grown = tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, v + self.w[0, 0]),
                              (0, scores))[1]
        return {"scores": scores, "grown": grown, "dense": self.dense(scores)}


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    path = tmp_path_factory.mktemp("frozen") / "deep" / "graph.pb"
    network = Network()
    freezing.freeze(network, [tf.TensorSpec([None, 3], tf.float32, "image")], path)
    network.w.assign(tf.zeros([3, 1]))  # is not in the file any more
    return path


def test_written_graphs_have_the_given_names_and_no_variables(frozen):
    graph = FrozenGraph(frozen)
    assert list(graph.inputs) == ["image:0"]
    found = graph.run({n: f"{n}:0" for n in ("scores", "grown", "dense")},
                      {"image:0": np.ones([2, 3])})
    np.testing.assert_allclose(found["scores"], [[6.0], [6.0]])
    np.testing.assert_allclose(found["grown"], [[8.0], [8.0]])
    np.testing.assert_allclose(found["dense"], [[6.0, 6.0]] * 2)
    ops = {operation.type for operation in graph.graph.get_operations()}
    assert not ops & {"ReadVariableOp", "VarHandleOp", "StatefulPartitionedCall"}


def test_tf1_runs_what_is_written(tmp_path):
    python = os.environ.get("MIGRATOR_TF1_PYTHON")
    if not python:
        pytest.skip("MIGRATOR_TF1_PYTHON is not set")
    w = tf.Variable([[1.0], [2.0], [3.0]])
    freezing.freeze(lambda image: tf.nn.relu(image @ w),
                    [tf.TensorSpec([None, 3], tf.float32, "image")], tmp_path / "g.pb", ["scores"])
    done = subprocess.run([python, "-c", CODE, str(tmp_path / "g.pb")], capture_output=True,
                          text=True, env={"PATH": os.defpath, "CUDA_VISIBLE_DEVICES": "-1"})
    assert done.stdout.strip() == "[[6.0], [6.0]]", done.stderr


def test_names_must_fit():
    spec = [tf.TensorSpec([2], name="x")]
    assert [n.name for n in freezing.freeze(lambda x: [x + 1, x * 2], spec).node][-2:] == [
        "output", "output_1"]
    with pytest.raises(ValueError, match="2 different names"):
        freezing.freeze(lambda x: [x + 1, x * 2], spec, output_names=["a"])
    with pytest.raises(ValueError, match="2 different names"):
        freezing.freeze(lambda x: [x + 1, x * 2], spec, output_names=["a", "a"])


def test_saved_models_by_signature_and_tensor_name(tmp_path):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:  # a TF 1 SavedModel
        x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        v = tf.compat.v1.get_variable("v", initializer=3.0)
        y = tf.multiply(x, v, name="y")
        session.run(tf.compat.v1.global_variables_initializer())
        tf.compat.v1.saved_model.simple_save(session, str(tmp_path / "one"), {"x": x}, {"y": y})
    graph = saved_model.SavedGraph(tmp_path / "one")
    np.testing.assert_allclose(graph.run("y:0", {"x:0": [1, 2]}), [3.0, 6.0])
    np.testing.assert_allclose(graph.run({"a": "y:0", "b": ["x:0"]}, {"x:0": [1.0]})["b"], [[1.0]])
    np.testing.assert_allclose(
        graph.signatures["serving_default"](x=tf.constant([2.0]))["y"], [6.0])


def test_simple_save(tmp_path):
    network = Network()
    saved_model.simple_save(network, tmp_path / "two", {
        "image": tf.TensorSpec([None, 3], tf.float32)})
    graph = saved_model.SavedGraph(tmp_path / "two")
    found = graph.signatures["serving_default"](image=tf.ones([1, 3]))
    np.testing.assert_allclose(found["grown"], [[8.0]])
    with pytest.raises(AttributeError, match="serving_default"):
        graph.run("y:0", {})
    with pytest.raises(ValueError, match="also reads"):
        saved_model.simple_save(network, tmp_path / "three", {
            "image": tf.TensorSpec([None, 3], tf.float32)}, [network.w])
