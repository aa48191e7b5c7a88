"""The package where a TF 1 graph is being built: optimizers, stores, initializers, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from templates.support import (
    checkpoint,
    contrib_optimizers,
    frozen_graph,
    graphs,
    initializers,
    optimizers,
    regularized_optimizers,
    scopes,
    store,
    training,
)

v1 = tf.compat.v1
RATE = 0.1
START = [[1.0, -2.0], [0.5, 3.0]]


@pytest.fixture(autouse=True)
def fresh_store() -> None:
    store.reset_default_store()


def loss_of(table: Any, sparse: bool) -> Any:
    rows = tf.gather(table, [1, 1]) if sparse else table
    return tf.reduce_sum(tf.square(rows) * [[1.0, 2.0]])


def test_an_optimizer_that_was_made_for_an_earlier_graph_hides_its_own_in_each() -> None:
    with graphs.Graph().as_default():
        optimizer = optimizers.AdamOptimizer(RATE)
    for _ in range(2):
        names = trained(lambda: optimizer)[1]
        assert names == ["beta1_power", "beta2_power", "global_step", "table", "table/Adam", "table/Adam_1"]


def trained(make: Any, sparse: bool = False) -> tuple[list[np.ndarray], list[str]]:
    """A variable after each of three steps in a graph, and the names of all its variables."""
    with graphs.Graph().as_default():
        table = scopes.get_variable("table", initializer=tf.constant(START))
        step = training.get_or_create_global_step()
        train = make().minimize(loss_of(table, sparse), global_step=step)
        graphs.run(graphs.global_variables_initializer())
        train_step = graphs.function([], [train, table])
        seen = [train_step()[1] for _ in range(3)]
        assert graphs.run(step) == 3
        return seen, sorted(scopes.name_of(v) for v in scopes.global_variables())


def trained_by_tensorflow(make: Any, sparse: bool = False) -> tuple[list[np.ndarray], list[str]]:
    """The same with an optimizer of TensorFlow's own, in a session."""
    with tf.Graph().as_default(), v1.Session() as session:
        table = v1.get_variable("table", initializer=tf.constant(START))
        step = v1.train.get_or_create_global_step()
        train = make().minimize(loss_of(table, sparse), global_step=step)
        session.run(v1.global_variables_initializer())
        seen = []
        for _ in range(3):
            session.run(train)
            seen.append(session.run(table))
        return seen, sorted(v.op.name for v in v1.global_variables())


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("GradientDescentOptimizer", ()), ("MomentumOptimizer", (0.9,)), ("AdamOptimizer", ()),
        ("RMSPropOptimizer", ()), ("AdagradOptimizer", ()), ("AdadeltaOptimizer", ()),
        ("FtrlOptimizer", ()), ("ProximalAdagradOptimizer", ()),
    ],
)  # fmt: skip
def test_a_session_trains_as_with_the_optimizer_of_tf1(
    name: str, arguments: tuple[Any, ...], sparse: bool
) -> None:
    module = optimizers if hasattr(optimizers, name) else regularized_optimizers
    ours = trained(lambda: getattr(module, name)(RATE, *arguments), sparse)
    theirs = trained_by_tensorflow(lambda: getattr(v1.train, name)(RATE, *arguments), sparse)
    assert ours[1] == theirs[1]
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-6, atol=1e-7)


def test_one_that_was_made_outside_serves_several_graphs() -> None:
    optimizer = optimizers.AdamOptimizer(RATE)
    first, second = (trained(lambda: optimizer)[0] for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_state_with_its_own_scalar_and_learning_rate_of_the_graph() -> None:
    def make() -> Any:
        rate = scopes.get_variable("rate", initializer=RATE, trainable=False)
        return contrib_optimizers.AdaMaxOptimizer(rate)

    values, names = trained(make)
    assert "beta1_power" in names and "beta2_power" not in names
    assert not np.array_equal(values[0], values[1])


class Centered(optimizers.Optimizer):
    """Written as TF 1 asked for it: momentum by hand, and a count of the steps."""

    def __init__(self, rate: float, use_locking: bool = False, name: str = "Centered") -> None:
        super().__init__(use_locking, name)
        self._rate = rate

    def _create_slots(self, var_list: Any) -> None:
        for variable in var_list:
            self._zeros_slot(variable, "m", self._name)
        self._create_non_slot_variable(0.0, "steps", var_list[0])

    def _prepare(self) -> None:
        self._rate_now = tf.convert_to_tensor(self._call_if_callable(self._rate))

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        raise NotImplementedError

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        m: Any = self.get_slot(var, "m")
        changed = m.assign(0.9 * m + grad)
        return tf.group(var.assign_sub(self._rate_now * changed), changed)

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._apply_dense(tf.convert_to_tensor(grad), var)

    def _finish(self, update_ops: Any, name_scope: Any) -> Any:
        with tf.control_dependencies(update_ops):
            steps: Any = self._get_non_slot_variable("steps", graph=None)
            counted = steps.assign_add(1.0)
        return tf.group(*update_ops, counted)


def test_a_subclass_of_tf1_trains_in_a_graph() -> None:
    ours, names = trained(lambda: Centered(RATE))
    theirs, _ = trained_by_tensorflow(lambda: v1.train.MomentumOptimizer(RATE, 0.9))
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    assert names == ["global_step", "steps", "table", "table/Centered"]


def test_a_subclass_of_tf1_trains_eagerly_and_in_a_function() -> None:
    theirs, _ = trained_by_tensorflow(lambda: v1.train.MomentumOptimizer(RATE, 0.9))
    for wrap in (lambda f: f, tf.function):
        store.reset_default_store()
        table = scopes.get_variable("table", initializer=tf.constant([[1.0, -2.0], [0.5, 3.0]]))
        optimizer = Centered(RATE)

        def train(table: Any = table, optimizer: Any = optimizer) -> None:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(table) * [[1.0, 2.0]])
            optimizer.minimize(loss, tape=tape, var_list=[table])

        step = wrap(train)
        for value in theirs:
            step()
            np.testing.assert_allclose(table.numpy(), value, rtol=1e-6)
        state = optimizer.tf1_variables()
        assert sorted(state) == ["steps", "table/Centered"]
        assert state["steps"].numpy() == 3.0


def test_what_a_subclass_overrides_is_called_as_tf1_called_it() -> None:
    class Halved(optimizers.GradientDescentOptimizer):
        def compute_gradients(  # type: ignore[override]
            self, loss: Any, var_list: Any, gate_gradients: Any = optimizers.Optimizer.GATE_OP,
            aggregation_method: Any = None, colocate_gradients_with_ops: bool = False,
            grad_loss: Any = None,
        ) -> Any:
            pairs = super().compute_gradients(
                loss, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops,
                grad_loss)
            return [(gradient / 2.0, variable) for gradient, variable in pairs]

    ours, _ = trained(lambda: Halved(RATE))
    theirs, _ = trained_by_tensorflow(lambda: v1.train.GradientDescentOptimizer(RATE / 2))
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_the_initial_value_may_have_a_shape_that_the_graph_computes() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        size = v1.placeholder(tf.int32, [2])
        made = initializers.random_normal_initializer(mean=4.0, stddev=0.0)(size)
        assert session.run(made, {size: [2, 3]}).tolist() == [[4.0] * 3] * 2
        assert initializers.ones_initializer()(tf.constant([2])).shape == [2]


def test_a_store_of_its_own_computes_at_once_inside_of_a_graph(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        outer = scopes.get_variable("outer", initializer=1.0)
        with store.VariableStore().as_default():
            inner = scopes.get_variable("inner", initializer=2.0)
            assert inner.numpy() == 2.0
            checkpoint.Saver().save(str(tmp_path / "model.ckpt"))
        assert not tf.executing_eagerly()
        assert scopes.global_variables() == [outer]
    assert tf.train.list_variables(str(tmp_path / "model.ckpt")) == [("inner", [])]


def test_graphs_are_read_from_files_while_another_is_built(tmp_path: Path) -> None:
    path = tmp_path / "frozen.pb"
    with tf.Graph().as_default() as graph:
        tf.constant(3.0, name="three")
        path.write_bytes(graph.as_graph_def().SerializeToString())
        assert [node.name for node in frozen_graph.read_graph_def(str(path)).node] == ["three"]


def test_a_graph_has_no_operations_but_those_asked_for() -> None:
    with tf.Graph().as_default() as graph:
        scopes.get_variable("v", [2], initializer=initializers.zeros_initializer())
        with scopes.variable_scope("inner"):
            scopes.get_variable("v", [2], initializer=initializers.zeros_initializer())
        assert not [op for op in graph.get_operations() if op.type == "NoOp" and not op.inputs
                    and "Initializer" not in op.name and "Assign" not in op.name]


@pytest.mark.parametrize(("resource", "gradient"), [(None, 5.0), (True, 2.0), (False, 5.0)])
def test_a_gradient_behind_an_update_goes_through_what_it_left(
        resource: bool | None, gradient: float) -> None:
    with graphs.Graph().as_default():
        first = scopes.get_variable("first", initializer=tf.constant([3.0]))
        with scopes.variable_scope("second", use_resource=resource):
            second = scopes.get_variable("second", initializer=tf.constant([2.0]))
        product = first * tf.reshape(second, [1])
        with tf.control_dependencies([second.assign(product + second - 3.0)]):
            through = tf.gradients(product, first)[0]
        graphs.run(graphs.global_variables_initializer())
        assert graphs.run([through, product])[0] == [gradient]
        graphs.run(graphs.global_variables_initializer())
        assert graphs.run(product) == [6.0]


def test_a_keras_layer_that_builds_in_a_graph_can_be_made() -> None:
    """Keras 3 asks a constructor for its parameters without following what wraps it."""
    @graphs.building
    class Scaled(tf.keras.layers.Layer):
        def __init__(self, factor: float = 2.0) -> None:
            super().__init__()
            self.factor = factor

        def call(self, inputs: Any) -> Any:
            return inputs * self.factor

    layer = Scaled(factor=3.0)
    assert layer.get_config()["factor"] == 3.0
