"""FrozenGraph against Session.run of TF 1.15.5 (recorded/frozen.py)."""
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from tf1_support.frozen_graph import FrozenGraph
from tf1_support.slices import V1_CONTROL_FLOW

from tests.runtime.recorded import files

FIXTURES = Path(files.FIXTURES)
RECORDED = files.arrays("frozen")


def recorded(graph, k, kind):
    prefix = f"{graph}|{k}|{kind}|"
    return {n[len(prefix):]: RECORDED[n] for n in RECORDED.files if n.startswith(prefix)}


@pytest.fixture(scope="module")
def graphs():
    return {name: FrozenGraph(FIXTURES / f"{name}.pb")
            for name in ("detector", "plain", "functions")}


def close(actual, expected, message=""):
    assert actual.dtype == expected.dtype
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=3e-6, err_msg=message)


@pytest.mark.parametrize("graph", ["detector", "plain", "functions"])
def test_every_fetch_equals_session_run(graphs, graph):
    for k in (0, 1):
        feeds, expected = recorded(graph, k, "feed"), recorded(graph, k, "fetch")
        together = graphs[graph].run(list(expected), feeds)
        for (name, value), one in zip(expected.items(), together, strict=True):
            close(one, value, name)
            close(graphs[graph].run(name, feeds), value, name)


def test_the_fixtures_hold_what_they_are_for(graphs):
    kinds = {n: {node.op for node in g.graph.as_graph_def().node} for n, g in graphs.items()}
    assert {"Enter", "Merge", "NonMaxSuppressionV3", "TensorArrayV3", "Assert"} <= kinds["detector"]
    assert not kinds["plain"] & set(V1_CONTROL_FLOW)
    assert {"twice_" in op or op in ("If", "StatelessIf", "While", "StatelessWhile")
            for op in kinds["functions"]} == {True, False}


def test_one_trace_serves_all_shapes(graphs):
    graph = graphs["detector"]
    for k in (0, 1):
        graph.run("detection_boxes:0", recorded("detector", k, "feed"))
    function = graph.function(["image_tensor:0"], ["detection_boxes:0"])
    assert function.experimental_get_tracing_count() == 1


def test_intermediate_tensors_can_be_fed(graphs):
    boxes = np.array([[[0, 0, 1, 1], [0, 0, .9, 1], [.5, .5, .6, .6], [0, 0, .1, .1]]], "float32")
    scores = np.array([[.9, .8, .3, .7]], "float32")
    found = graphs["detector"].run(
        ["detection_scores:0", "boxes:0"], {"boxes:0": boxes, "scores:0": scores})
    close(found[0], np.array([[.9, .7, .3, .9]], "float32"))
    np.testing.assert_array_equal(found[1], boxes)
    half = graphs["plain"].run("summed:0", {"y:0": np.ones((2, 4))})
    assert half == 8.0


def test_default_of_a_placeholder_can_be_replaced(graphs):
    feeds = recorded("detector", 0, "feed")
    assert graphs["detector"].run("scale:0", {"scale:0": 3}) == 3.0
    flat = graphs["detector"].run("heads:0", {**feeds, "scale:0": 0})
    np.testing.assert_array_equal(flat, np.zeros_like(flat))


def test_structure_of_fetches_and_operations_without_outputs(graphs):
    graph, feeds = graphs["detector"], recorded("detector", 1, "feed")
    found = graph.run(
        {"b": "detection_boxes:0", "more": ["total", "small/AssertGuard/Assert"]}, feeds)
    close(found["b"], recorded("detector", 1, "fetch")["detection_boxes:0"])
    assert found["more"][0].shape == () and found["more"][1] is None
    assert graph.run([], feeds) == []


def test_symbols_of_the_graph_serve_as_names(graphs):
    graph = graphs["plain"]
    x, y = (graph.graph.get_tensor_by_name(n) for n in ("in/x:0", "y:0"))
    feeds, expected = recorded("plain", 0, "feed"), recorded("plain", 0, "fetch")
    close(graph.run(y, {x: feeds["in/x:0"]}), expected["y:0"])


def test_import_prefix(graphs):
    graph = FrozenGraph(FIXTURES / "plain.pb", prefix="import")
    feeds, expected = recorded("plain", 0, "feed"), recorded("plain", 0, "fetch")
    close(graph.run("import/y:0", {"import/in/x:0": feeds["in/x:0"]}), expected["y:0"])


def test_assertions_of_the_graph_still_fire(graphs):
    with pytest.raises(tf.errors.InvalidArgumentError):
        graphs["detector"].run("checked:0", {"image_tensor:0": np.zeros((3, 6, 6, 3), "uint8")})


def test_operations_of_a_cond_run_where_it_takes_their_side(graphs):
    graph, names = graphs["detector"], ["detection_boxes:0", "small/AssertGuard/Assert"]
    assert graph.run(names, recorded("detector", 1, "feed"))[1] is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
        graph.run(names, {"image_tensor:0": np.zeros((3, 6, 6, 3), "uint8")})


def test_operations_can_be_added(graphs):
    graph, feeds = FrozenGraph(FIXTURES / "detector.pb", "old"), recorded("detector", 1, "feed")
    with graph.as_default():
        boxes = graph.get_tensor_by_name("old/detection_boxes:0")
        corner = tf.cond(tf.size(boxes) > 0, lambda: boxes[0, 0, :2], lambda: tf.zeros([2]))
        found = graph.run({"all": boxes, "corner": corner}, {"image_tensor:0": feeds[
            "image_tensor:0"]})
    close(found["corner"], found["all"][0, 0, :2])
    assert any(o.name == "old/total" for o in graph.graph.get_operations())


def test_several_threads_may_call_it():
    graph = FrozenGraph(FIXTURES / "detector.pb")
    cases = [(recorded("detector", k % 2, "feed"), recorded("detector", k % 2, "fetch"))
             for k in range(8)]
    with ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(graph.run, "detection_boxes:0", feeds) for feeds, _ in cases]
        for run, (_, expected) in zip(runs, cases, strict=True):
            close(run.result(), expected["detection_boxes:0"])
    assert {f.experimental_get_tracing_count() for f in graph._functions.values()} == {1}


def test_gradient_and_xla_where_there_is_no_v1_control_flow(graphs):
    x = tf.constant(recorded("plain", 1, "feed")["in/x:0"])
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = graphs["plain"]("summed:0", {"in/x:0": x})
    gradient = tape.gradient(total, x)
    eps = np.zeros_like(x)
    eps[0, 0] = 1e-2
    slope = (graphs["plain"].run("summed:0", {"in/x:0": x + eps})
             - graphs["plain"].run("summed:0", {"in/x:0": x - eps})) / 2e-2
    assert float(gradient[0, 0]) == pytest.approx(slope, rel=1e-3)
    compiled = graphs["plain"].function(["in/x:0"], ["y:0"], jit_compile=True)
    close(compiled(x)[0].numpy(), recorded("plain", 1, "fetch")["y:0"])


def test_inside_another_function_and_saved_model(graphs, tmp_path):
    feeds, expected = recorded("detector", 1, "feed"), recorded("detector", 1, "fetch")
    image = tf.constant(feeds["image_tensor:0"])
    outer = tf.function(lambda x: graphs["detector"]("detection_boxes:0", {"image_tensor:0": x}))
    close(outer(image).numpy(), expected["detection_boxes:0"])
    graphs["detector"].save(tmp_path / "m", {"inputs": "image_tensor:0"}, {
        "boxes": "detection_boxes:0", "scores": "detection_scores:0"})
    loaded = tf.saved_model.load(str(tmp_path / "m")).signatures["serving_default"]
    close(loaded(inputs=image)["boxes"].numpy(), expected["detection_boxes:0"])


def test_two_graphs_with_functions_of_the_same_name():
    definition = FrozenGraph(FIXTURES / "functions.pb")
    other = tf.Graph().as_graph_def()
    other.ParseFromString((FIXTURES / "functions.pb").read_bytes())
    for function in other.library.function:
        if function.signature.name == "twice":
            for node in function.node_def:
                for value in node.attr.values():
                    if value.HasField("tensor") and value.tensor.float_val:
                        value.tensor.float_val[0] = 3.0
    feeds, expected = recorded("functions", 0, "feed"), recorded("functions", 0, "fetch")
    close(FrozenGraph(other).run("out:0", feeds), expected["out:0"] * 1.5)
    close(definition.run("out:0", feeds), expected["out:0"])


def test_listings(graphs):
    assert list(graphs["detector"].inputs) == ["image_tensor:0", "scale:0"]
    assert graphs["detector"].inputs["image_tensor:0"].dtype == tf.uint8
    assert "heads:1" in graphs["detector"].tensor_names
    assert list(graphs["functions"].outputs) == ["out:0"]


def test_errors(graphs, tmp_path):
    graph = graphs["detector"]
    with pytest.raises(KeyError, match="detection_boxes"):
        graph.run("detection_boxs:0", {})
    with pytest.raises(KeyError, match="only 2 outputs"):
        graph.run("heads:2", {})
    with pytest.raises(ValueError, match="need a value for placeholder 'image_tensor:0'"):
        graph.run("detection_boxes:0", {})
    with pytest.raises(ValueError, match="shape"):
        graph.run("total:0", {"image_tensor:0": np.zeros((8, 8, 3))})
    (tmp_path / "text.pb").write_text("node { name: 'x' }")
    with pytest.raises(ValueError, match="binary GraphDef"):
        FrozenGraph(tmp_path / "text.pb")
    (tmp_path / "empty.pb").write_bytes(b"")
    with pytest.raises(ValueError, match="no graph"):
        FrozenGraph(tmp_path / "empty.pb")
    with pytest.raises(tf.errors.NotFoundError):
        FrozenGraph(tmp_path / "missing.pb")
    unfrozen = tf.Graph().as_graph_def()
    node = unfrozen.node.add(name="v", op="VarHandleOp")
    node.attr["dtype"].type = 1
    node.attr["shape"].shape.SetInParent()
    read = unfrozen.node.add(name="r", op="ReadVariableOp", input=["v"])
    read.attr["dtype"].type = 1
    with pytest.raises(ValueError, match="not frozen"):
        FrozenGraph(unfrozen).run("r:0")
