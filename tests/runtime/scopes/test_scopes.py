"""Stores, runs and models: TF1's errors, repeated execution, Keras and checkpoints."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from tf1_support import losses, scopes, slim  # noqa: E402


@pytest.fixture()
def store() -> Any:
    with scopes.VariableStore().as_default() as store:
        yield store


def net(x: Any, is_training: bool = True) -> Any:
    norm = {"is_training": is_training, "decay": 0.9}
    with slim.arg_scope(
        [slim.conv2d],
        normalizer_fn=slim.batch_norm,
        normalizer_params=norm,
        weights_regularizer=slim.l2_regularizer(0.01),
    ):
        x = slim.conv2d(x, 4, 3, 2, scope="Conv2d_0")
        x = slim.conv2d(x, 4, 3)
    return slim.fully_connected(slim.flatten(x), 2, activation_fn=None, scope="Logits")


IMAGES = np.random.RandomState(0).randn(4, 8, 8, 3).astype(np.float32)


def test_building_follows_the_rules_of_one_graph(store: Any) -> None:
    scopes.get_variable("w", [2])
    with pytest.raises(ValueError, match="already exists.*store.run"):
        scopes.get_variable("w", [2])
    with scopes.variable_scope("", reuse=True):
        with pytest.raises(ValueError, match="does not exist"):
            scopes.get_variable("x", [2])
        with pytest.raises(ValueError, match="specified shape"):
            scopes.get_variable("w", [3])
        with pytest.raises(ValueError, match="specified dtype"):
            scopes.get_variable("w", [2], tf.float64)
    with pytest.raises(ValueError, match="fully defined"):
        scopes.get_variable("shapeless")
    with pytest.raises(ValueError, match="do not specify shape"):
        scopes.get_variable("constant", [2], initializer=np.ones(2))
    slim.fully_connected(tf.ones([1, 2]), 2)
    slim.fully_connected(tf.ones([1, 2]), 2)
    assert "fully_connected_1/weights" in store.variables_by_name


def test_runs_find_the_variables_again(store: Any) -> None:
    for _ in range(3):
        with store.run():
            net(IMAGES)
            assert len(losses.get_regularization_losses()) == 2
            scopes.add_to_collection("mine", 1)
            assert scopes.get_collection("mine") == [1]
    assert len(store.variables) == 2 * 4 + 2
    with store.run(), pytest.raises(ValueError, match="already exists"):
        net(IMAGES)
        net(IMAGES)


def test_updates_happen_when_the_collection_is_read(store: Any) -> None:
    with store.run():
        net(IMAGES)
    moving = store.variables_by_name["Conv/BatchNorm/moving_mean"]
    assert np.all(moving.numpy() == 0)
    with store.run():
        net(IMAGES)
        assert len(scopes.get_collection(scopes.GraphKeys.UPDATE_OPS, "Conv2d_0")) == 2
        assert np.all(moving.numpy() == 0)
        assert len(scopes.get_collection(scopes.GraphKeys.UPDATE_OPS)) == 4
    once = moving.numpy()
    assert np.all(once != 0)
    with store.run(apply_updates=True):
        net(IMAGES)
    np.testing.assert_allclose(moving.numpy(), once * 1.9, rtol=1e-4)


def test_training_flag_as_a_tensor(store: Any) -> None:
    @tf.function
    def step(training: Any) -> Any:
        outputs = slim.batch_norm(IMAGES, 0.9, is_training=training)
        scopes.get_collection(scopes.GraphKeys.UPDATE_OPS)
        return outputs

    off = step(tf.constant(False))
    moving = store.variables_by_name["BatchNorm/moving_mean"]
    assert np.all(moving.numpy() == 0)
    np.testing.assert_allclose(off, IMAGES / np.sqrt(1.001), rtol=1e-4, atol=1e-5)
    on = step(tf.constant(True)).numpy()
    assert abs(on.mean()) < 1e-5 and np.all(moving.numpy() != 0)


def test_default_store_can_be_reset() -> None:
    scopes.reset_default_store()
    scopes.get_variable("ambient", [1])
    with scopes.VariableStore().as_default():
        assert scopes.global_variables() == []
        with pytest.raises(RuntimeError, match="as_default"):
            scopes.reset_default_store()
    assert [v.name for v in scopes.global_variables()] == ["ambient:0"]
    scopes.reset_default_store()
    assert scopes.global_variables() == []


def test_arg_scope_errors() -> None:
    with pytest.raises(ValueError, match="not decorated"):
        slim.arg_scope([tf.nn.relu], x=1).__enter__()
    with slim.arg_scope([slim.conv2d], stride=2) as saved:
        pass
    with pytest.raises(ValueError, match="no keyword arguments"):
        slim.arg_scope(saved, stride=1).__enter__()
    with slim.arg_scope(saved):
        assert slim.current_arg_scope()[slim.arg_scope_func_key(slim.conv2d)] == {"stride": 2}
    assert "stride" in slim.arg_scoped_arguments(slim.conv2d)


def test_arg_scopes_that_nobody_leaves() -> None:
    def built() -> Any:
        entered = [slim.arg_scope([slim.conv2d], stride=2), slim.arg_scope([slim.conv2d], rate=3)]
        for scope in entered:
            scope.__enter__()
        return dict(slim.current_arg_scope()[slim.arg_scope_func_key(slim.conv2d)])

    assert built() == {"stride": 2, "rate": 3}
    assert slim.current_arg_scope() == {}  # TF 1's end with what held them


@pytest.mark.parametrize("kwargs", [{"renorm": True}, {"data_format": "NWHC"}])
def test_batch_norm_errors(store: Any, kwargs: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="GroupNormalization|data_format"):
        slim.batch_norm(IMAGES, **kwargs)


def test_losses_reject_weights_that_do_not_fit(store: Any) -> None:
    with pytest.raises(ValueError, match="broadcast"):
        losses.mean_squared_error(np.ones([4, 3]), np.ones([4, 3]), np.ones([4]))
    with pytest.raises(ValueError, match="incompatible"):
        losses.mean_squared_error(np.ones([4, 3]), np.ones([4, 1]))


def test_model_trains_saves_and_exports(tmp_path: Path) -> None:
    model = scopes.ScopedModel(net)
    model.compile("sgd", "mse")
    model.fit(IMAGES, np.zeros([4, 2]), verbose=0, epochs=2)
    assert [v.name for v in model.trainable_variables][:2] == [
        "Conv2d_0/weights:0",
        "Conv2d_0/BatchNorm/beta:0",
    ]
    assert len(model.losses) == 2
    assert np.any(model.variables_by_name["Conv/BatchNorm/moving_mean"].numpy() != 0)
    outputs = model(IMAGES).numpy()

    model.save_weights(tmp_path / "model.weights.h5")
    other = scopes.ScopedModel(net)
    other.build((None, 8, 8, 3))
    assert np.abs(other(IMAGES) - outputs).max() > 0
    other.load_weights(tmp_path / "model.weights.h5")
    np.testing.assert_array_equal(other(IMAGES), outputs)

    path = tf.train.Checkpoint(model=model).write(str(tmp_path / "checkpoint"))
    third = scopes.ScopedModel(net)
    third.build((None, 8, 8, 3))
    tf.train.Checkpoint(model=third).read(path).assert_existing_objects_matched()
    np.testing.assert_array_equal(third(IMAGES), outputs)

    model.export(str(tmp_path / "saved"), verbose=False)
    loaded = tf.saved_model.load(str(tmp_path / "saved"))
    np.testing.assert_allclose(loaded.serve(IMAGES), outputs, rtol=1e-5, atol=1e-6)


def test_checkpoint_by_name(tmp_path: Path) -> None:
    model = scopes.ScopedModel(net)
    with pytest.raises(ValueError, match="no variables yet"):
        model.load_tf1_checkpoint(str(tmp_path / "none"))
    model.build((None, 8, 8, 3))
    names = {f"Net/{n}": tf.zeros_like(v) + 0.5 for n, v in model.variables_by_name.items()}
    path = str(tmp_path / "named")
    tf.raw_ops.SaveV2(
        prefix=path,
        tensor_names=list(names),
        shape_and_slices=[""] * len(names),
        tensors=list(names.values()),
    )
    with pytest.raises(KeyError, match="Conv2d_0/weights"):
        model.load_tf1_checkpoint(path)
    assert model.load_tf1_checkpoint(path, name_map={"": "Net/"}) == []
    assert all(np.all(v.numpy() == 0.5) for v in model.variables)


@pytest.mark.parametrize(
    ("policy", "compute", "head", "variable"),
    [
        ("mixed_float16", "float16", "float32", "float32"),
        ("float64", "float64", "float64", "float64"),
    ],
)
def test_precision_policies(policy: str, compute: str, head: str, variable: str) -> None:
    """Layers compute as the policy says; a linear head leaves mixed precision as float32."""

    def hidden(images: Any, is_training: bool = False) -> Any:
        return slim.conv2d(images, 4, 3)

    assert scopes.ScopedModel(hidden, dtype=policy)(IMAGES).dtype == compute
    model = scopes.ScopedModel(net, dtype=policy)
    with tf.GradientTape() as tape:
        outputs = model(IMAGES, training=True)
        loss = tf.reduce_sum(tf.cast(outputs, tf.float32))
    assert outputs.dtype == head
    assert {v.dtype.name for v in model.variables} == {variable}
    assert all(g is not None for g in tape.gradient(loss, model.trainable_variables))


def test_double_precision_statistics_are_those_of_the_fused_kernel(store: Any) -> None:
    """A float64 batch norm follows the Bessel-corrected variance as the float32 kernel does."""
    found = []
    for name, dtype in (("single", np.float32), ("double", np.float64)):
        with store.run(apply_updates=True):
            slim.batch_norm(IMAGES.astype(dtype), 0.5, scope=name)
        found.append(store.variables_by_name[f"{name}/moving_variance"].numpy())
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5)


def test_graph_function_runs_and_traces(store: Any) -> None:
    @scopes.graph_function
    def eager(x: Any) -> Any:
        return slim.fully_connected(x, 2)

    np.testing.assert_array_equal(eager(tf.ones([1, 3])), eager(tf.ones([1, 3])))

    @scopes.graph_function(input_signature=[tf.TensorSpec([None, 3])])
    def traced(x: Any) -> Any:
        return slim.fully_connected(x, 2)

    np.testing.assert_allclose(traced(tf.ones([1, 3])), eager(tf.ones([1, 3])), rtol=1e-6)
    assert "MatMul" in {op.type for op in traced.graph().get_operations()}
    assert len(store.variables) == 2


def test_variables_are_keys_of_dicts() -> None:
    with scopes.VariableStore().as_default():
        one, other = scopes.get_variable("one", [2]), scopes.Variable([0.0, 0.0], name="other")
        factors = {one: 1.0, other: 2.0}
        assert factors[other] == 2.0 and len({one, other, one}) == 2
        assert isinstance(one, tf.Variable) and bool(tf.reduce_all(other == [0.0, 0.0]))
        traced = tf.function(lambda: one.assign_add([1.0, 1.0]) * 2.0)
        traced()
        assert traced.experimental_get_tracing_count() == 1


def test_a_constant_of_the_trace_as_initial_value(store: Any) -> None:
    @tf.function
    def step() -> Any:
        weight = scopes.get_variable("weight", initializer=tf.constant([2.0, 4.0]))
        return scopes.Variable(tf.constant(3.0), name="offset") + weight

    with store.as_default():
        np.testing.assert_allclose(step(), [5.0, 7.0])
        np.testing.assert_allclose(step(), [5.0, 7.0])
    assert sorted(store.variables_by_name) == ["offset", "weight"]


def test_a_first_value_that_a_trace_computed() -> None:
    outer, own = tf.constant([3.0, 4.0]), scopes.VariableStore()

    @tf.function
    def scaled(x: Any) -> Any:
        with own.run():
            start = tf.ones([2]) * 20.0 + outer
            factor = scopes.get_variable("factor", initializer=start)
            shift = scopes.Variable(tf.reduce_sum(start) + 1.0, name="shift")
            return x * factor + shift

    with own.as_default():
        np.testing.assert_array_equal(scaled(tf.constant([1.0, 2.0])), [23.0 + 48.0, 48.0 + 48.0])
        assert scaled.experimental_get_tracing_count() == 1


def test_what_no_initializer_is_given_for_is_drawn_by_the_graphs_seed() -> None:
    """Not by Python's `random`, as Keras does: what a program draws from that stays as it is."""
    state, found = random.getstate(), []
    for _ in range(2):
        tf.random.set_seed(3)
        with scopes.VariableStore().run():
            found.append(scopes.get_variable("kernel", [3, 3, 2, 4], tf.float64).numpy())
    assert random.getstate() == state
    np.testing.assert_array_equal(*found)
    assert found[0].dtype == np.float64 and 0.3 < np.abs(found[0]).max() < np.sqrt(6 / (9 * (2 + 4)))


def test_a_first_value_of_an_argument_is_refused() -> None:
    @tf.function
    def kept(x: Any) -> Any:
        with scopes.current_store().run():
            return scopes.get_variable("kept", initializer=x * 2.0)

    with scopes.VariableStore().as_default(), pytest.raises(ValueError, match="first value"):
        kept(tf.constant([1.0]))


def test_variables_are_equal_to_themselves_only() -> None:
    with scopes.VariableStore().run():
        first, second = (scopes.get_variable(name, [2], tf.float32) for name in ("first", "second"))
        step = scopes.get_variable("step", [], tf.int32, trainable=False)
    listed = [first, step]
    assert first in listed and second not in listed
    assert first == first and first != second and not first != first
    assert {first, second, first} == {second, first} and {step: 1}[step] == 1
    assert (first == tf.identity(first)).shape == [2]  # elementwise with what is no variable
    assert bool(step == step.numpy())


def test_whole_floats_are_dimensions(store: Any) -> None:
    with store.as_default():
        assert scopes.get_variable("v", [2.0, np.float64(3), 1]).shape == (2, 3, 1)
        with pytest.raises((TypeError, ValueError)):
            scopes.get_variable("w", [2.5])


def test_variables_whose_shape_is_not_validated_take_any(store: Any) -> None:
    with store.as_default():
        grown = scopes.Variable([], validate_shape=False, dtype=tf.float32)
        rows = scopes.get_variable("rows", initializer=tf.zeros([1, 2]), validate_shape=False)
        fixed = scopes.Variable([0.0])
    for size in (2, 3):
        assert grown.assign(tf.ones([size])).numpy().shape == (size,)
        assert rows.assign(tf.ones([size, 2])).numpy().shape == (size, 2)
    with pytest.raises(ValueError, match="incompatible"):
        fixed.assign([1.0, 2.0])


def test_a_function_that_is_traced_again_within_another_one_finds_its_variables(store: Any) -> None:
    """As that of a Keras model is, in which a loss makes variables: the first trace of a function that
    makes variables of its own is left for a second one, which may make none."""
    own: list[Any] = []

    @tf.function
    def inner(x: Any) -> Any:
        if not own:
            own.append(tf.Variable(2.0))
        first, second = scopes.Variable(0.0, trainable=False), scopes.Variable(0.0, trainable=False)
        scopes.add_to_collection("kept", x * 2.0)
        assert len(scopes.get_collection("kept")) == 1
        return x * own[0] + first.assign_add(1.0) + second.assign_add(10.0)

    @tf.function
    def outer(x: Any) -> Any:
        before = scopes.Variable(100.0)
        return inner(x) + before

    assert [float(outer(1.0)), float(outer(1.0))] == [113.0, 124.0]
    assert list(store.variables_by_name) == ["Variable", "Variable_1", "Variable_2"]
