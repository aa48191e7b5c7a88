"""MetaGraph against the session of TF 1.15.5 that saved it (recorded/meta_graph.py)."""
import shutil
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from tf1_support import checkpoint, freezing, graph_imports, graphs, initializers, scopes, sessions
from tf1_support.frozen_graph import FrozenGraph
from tf1_support.meta_graph import MetaGraph

from tests.runtime.importable import ROOT
from tests.runtime.recorded import files

FIXTURES = Path(files.FIXTURES)
DATA = np.random.RandomState(13).normal(size=(5, 4))
LABELS = np.random.RandomState(14).uniform(size=(5, 2))
FEEDS = {"x:0": DATA, "y:0": LABELS, "training:0": True}

kinds = pytest.mark.parametrize("kind", ["reference", "resource"])


def loaded(kind: str, **options: object) -> MetaGraph:
    graph = MetaGraph(FIXTURES / f"meta_{kind}.meta", **options)
    graph.restore(FIXTURES / f"meta_{kind}")
    return graph


@kinds
def test_inference_and_further_training_as_in_the_session(kind):
    expected = np.load(FIXTURES / f"meta_{kind}.npz")
    graph = loaded(kind)
    np.testing.assert_allclose(
        graph.run("prediction:0", {"x:0": DATA}), expected["prediction"], rtol=1e-12)
    train = graph.get_operation_by_name("train")
    losses = [graph.run([train, "loss:0"], FEEDS)[1] for _ in range(3)]
    np.testing.assert_allclose(losses, expected["losses"], rtol=1e-12)
    assert graph.run([graph.get_operation_by_name("mark"), graph.get_operation_by_name("skip")]
                     ) == [None, None]
    for name, variable in graph.variables_by_name.items():
        np.testing.assert_allclose(
            variable.numpy(), expected[f"variable|{name}"], rtol=1e-12, err_msg=name)
    assert len(graph.variables_by_name) == len(expected.files) - 2
    assert {f.experimental_get_tracing_count() for f in graph._functions.values()} == {1}


def test_what_is_imported_is_saved_and_imported_again(tmp_path):
    """Variables whose names are those of operations, of which a first program wrote the meta graph anew."""
    model = str(ROOT / "tests/transforms/sessions/cases/meta_graph/model.ckpt-3")
    found = []
    for path, again in ((model, tmp_path / "a.ckpt"), (str(tmp_path / "a.ckpt"), tmp_path / "b.ckpt")):
        with graphs.Graph().as_default() as graph, sessions.Session() as session:
            saver = graph_imports.import_meta_graph(f"{path}.meta")
            saver.restore(session, path)
            found.append(session.run("prediction:0", {"input/x:0": DATA, "keep_prob:0": 1.0}))
            session.run(graph.get_tensor_by_name("w/read:0"))
            checkpoint.Saver().save(str(again))
        assert {"w", "v"} <= {name for name, _ in tf.train.list_variables(str(again))}
    np.testing.assert_array_equal(*found)


def test_what_is_imported_freezes_under_its_names(tmp_path):
    """TF 1.15.5 saved a graph with reference variables, whose names are those of operations."""
    model = ROOT / "tests/transforms/sessions/cases/meta_graph/model.ckpt-3"
    with graphs.Graph().as_default() as graph, sessions.Session() as session:
        saver = graph_imports.import_meta_graph(f"{model}.meta")
        saver.restore(session, str(model))
        made = freezing.convert_variables_to_constants(session, graph.as_graph_def(), ["prediction"])
    kinds = {node.name: node.op for node in made.node}
    assert (kinds["w"], kinds["w/read"]) == (kinds["v"], kinds["v/read"]) == ("Const", "Identity")
    assert not any("captured" in name for name in kinds)
    (tmp_path / "frozen.pb").write_bytes(made.SerializeToString())
    feeds = {"input/x:0": DATA, "keep_prob:0": 1.0}
    w, v = (tf.train.load_variable(str(model), name) for name in "wv")
    np.testing.assert_allclose(FrozenGraph(tmp_path / "frozen.pb").run("prediction:0", feeds),
                               (np.tanh(DATA @ w) @ v)[:, 0], rtol=1e-5)


@kinds
def test_nothing_is_read_before_it_has_a_value(kind):
    graph = MetaGraph(FIXTURES / f"meta_{kind}.meta")
    with pytest.raises(tf.errors.FailedPreconditionError, match="moving, w"):
        graph.run("prediction:0", {"x:0": DATA})
    graph.initialize()
    np.testing.assert_array_equal(graph.variables_by_name["w"].numpy().ravel(),
                                  np.linspace(-1, 1, 8))
    assert graph.run("prediction:0", {"x:0": DATA}).shape == (5, 2)


@kinds
def test_what_it_saves_it_can_restore(kind, tmp_path):
    graph = loaded(kind)
    graph.run([graph.get_operation_by_name("train")], FEEDS)
    path = graph.save_checkpoint(tmp_path / "again", global_step=4)
    assert path == str(tmp_path / "again-4") == tf.train.latest_checkpoint(str(tmp_path))
    other = MetaGraph(FIXTURES / f"meta_{kind}.meta")
    other.restore(path)
    for name, variable in graph.variables_by_name.items():
        np.testing.assert_array_equal(variable.numpy(), other.variables_by_name[name].numpy())


@kinds
def test_collections_prefix_gradients_and_added_operations(kind):
    graph = loaded(kind, prefix="old")
    prediction, loss = graph.get_collection("outputs")
    assert graph.get_collection("nothing") == []
    assert [v.name for v in graph.get_collection("trainable_variables")] == ["w:0"]
    expected = graph.run("old/prediction:0", {"x:0": DATA})
    with graph.as_default():
        best = tf.argmax(prediction, 1)
        found = graph.run(best, {"x:0": DATA})
    np.testing.assert_array_equal(found, expected.argmax(1))
    feeds = {"sub:0": DATA, "y:0": LABELS}  # behind the cond, which has no gradient
    with tf.GradientTape() as tape:
        value = graph(loss, feeds)
    weights = graph.variables_by_name["w"]
    gradient = tape.gradient(value, weights).numpy()
    step = np.zeros([4, 2])
    step[0, 0] = 1e-6
    weights.assign_add(step)
    slope = (graph.run(loss, feeds) - value.numpy()) / 1e-6
    assert gradient[0, 0] == pytest.approx(slope, rel=1e-4)


def test_bad_input(tmp_path):
    (tmp_path / "text.meta").write_text("graph_def {}")
    with pytest.raises(ValueError, match="no binary MetaGraphDef|is not a binary MetaGraphDef"):
        MetaGraph(tmp_path / "text.meta")
    (tmp_path / "empty.meta").write_bytes(b"")
    with pytest.raises(ValueError, match="holds no graph"):
        MetaGraph(tmp_path / "empty.meta")
    with pytest.raises(tf.errors.NotFoundError):
        MetaGraph(tmp_path / "missing.meta")
    shutil.copy(FIXTURES / "meta_reference.meta", tmp_path)
    graph = MetaGraph(tmp_path / "meta_reference.meta")
    with pytest.raises(ValueError, match="is not a checkpoint"):
        graph.restore(tmp_path / "meta_reference")
    with pytest.raises(KeyError, match="prediction"):
        graph.run("predicton:0")


def test_what_is_initialized_before_it_is_restored(tmp_path):
    """A first value that the meta graph does not tell, of a program that restores after it initialized."""
    path = str(tmp_path / "c.ckpt")
    with graphs.Graph().as_default() as graph, sessions.Session() as session:
        w = scopes.get_variable("w", [2, 3], initializer=initializers.truncated_normal_initializer())
        tf.identity(w * 2.0, name="doubled")
        session.run(graphs.global_variables_initializer())
        checkpoint.Saver().save(path)
        expected = session.run("doubled:0")
    with graphs.Graph().as_default() as graph, sessions.Session() as session:
        saver = graph_imports.import_meta_graph(f"{path}.meta")
        session.run(graphs.global_variables_initializer())
        assert np.isnan(session.run("doubled:0")).all()
        saver.restore(session, path)
        np.testing.assert_array_equal(session.run(graph.get_tensor_by_name("doubled:0")), expected)
