"""A small regression through Estimator: trajectory, checkpoints, evaluation, export, hooks."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from tf1_support import (  # noqa: E402
    contrib_training,
    estimator,
    graph_summaries,
    hooks,
    input_functions,
    input_queues,
    layers,
    losses,
    metrics,
    optimizers,
    queues,
    schedules,
    scopes,
    summary,
    tpu,
)
from tf1_support import store as store_module  # noqa: E402

X = np.random.RandomState(0).normal(size=(8, 3)).astype(np.float32)
Y = X @ np.array([[1.0], [-2.0], [0.5]], np.float32) + 0.25
RATE = 0.1


def model_fn(features: Any, labels: Any, mode: str, params: dict[str, Any]) -> Any:
    with scopes.variable_scope("net"):
        predictions = layers.dense(features["x"], 1, kernel_initializer=tf.zeros_initializer())
    if mode == estimator.ModeKeys.PREDICT:
        return estimator.EstimatorSpec(mode, {"y": predictions})
    loss = losses.mean_squared_error(labels, predictions)
    if mode == estimator.ModeKeys.EVAL:
        return estimator.EstimatorSpec(mode, {"y": predictions}, loss, eval_metric_ops={
            "error": metrics.mean_absolute_error(labels, predictions)})
    step = scopes.get_or_create_global_step()
    optimizer = optimizers.MomentumOptimizer(
        schedules.exponential_decay(RATE, step, 5, 0.5, staircase=True), 0.9)
    train_op = optimizer.minimize(loss, global_step=step)
    log = hooks.LoggingTensorHook({"loss": loss}, every_n_iter=params.get("every", 1),
                                  formatter=params.get("log", str))
    return estimator.EstimatorSpec(mode, None, loss, train_op, training_hooks=[log])


def train_input() -> Any:
    return tf.data.Dataset.from_tensors(({"x": X}, Y)).repeat()


def eval_input() -> Any:
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).batch(3)


def by_hand(steps: int) -> tuple[np.ndarray, list[float]]:
    """The same training in NumPy: weights [3 + 1] and the loss before each step."""
    inputs = np.concatenate([X, np.ones([8, 1], np.float32)], 1)
    weights, velocity, found = np.zeros([4, 1]), np.zeros([4, 1]), []
    for step in range(steps):
        error = inputs @ weights - Y
        found.append(float(np.mean(error**2)))
        velocity = 0.9 * velocity + 2 * inputs.T @ error / 8
        weights = weights - RATE * 0.5 ** (step // 5) * velocity
    return weights, found


def test_trajectory_resumed_from_a_checkpoint(tmp_path: Path) -> None:
    logged: list[float] = []

    def log(values: dict[str, Any]) -> str:
        logged.append(float(values["loss"]))
        return ""
    params = {"log": log}

    def new() -> Any:
        return estimator.Estimator(model_fn, str(tmp_path), params=params)
    new().train(train_input, steps=4)
    new().train(train_input, max_steps=9)  # weights, velocity, step: all from the checkpoint
    weights, wanted = by_hand(9)
    np.testing.assert_allclose(logged, wanted, rtol=2e-5)
    trained = new()
    assert trained.latest_checkpoint() == str(tmp_path / "model.ckpt-9")
    assert sorted(trained.get_variable_names()) == [
        "global_step", "net/dense/bias", "net/dense/bias/Momentum", "net/dense/kernel",
        "net/dense/kernel/Momentum"]  # what TensorFlow 1.15.5 keeps, and nothing of Keras
    np.testing.assert_allclose(trained.get_variable_value("net/dense/kernel"), weights[:3],
                               rtol=2e-5, atol=1e-6)
    new().train(train_input, max_steps=9)  # nothing left to do
    assert len(logged) == 9


def _layers(x: Any) -> Any:
    return tf.keras.layers.Dense(1)(tf.keras.layers.Dense(4, name="fc")(x))


def _sequential(x: Any) -> Any:
    dense = tf.keras.layers.Dense
    return tf.keras.Sequential([dense(4, input_shape=(3,)), dense(1)])(x)


def _called(x: Any) -> Any:
    return tf.keras.Sequential([tf.keras.layers.Dense(4), tf.keras.layers.Dense(1)])(x)


def _dropped(x: Any) -> Any:
    return tf.keras.layers.Dense(1)(tf.keras.layers.Dropout(0.5)(tf.keras.layers.Dense(4)(x), training=False))


def _mixed(x: Any) -> Any:
    return layers.dense(tf.keras.layers.Dense(4)(x), 1)


@pytest.mark.parametrize(("net", "kernels"), [  # TensorFlow 1.15.5's names
    (_layers, ["dense/kernel", "fc/kernel"]),
    (_sequential, ["dense/kernel", "dense_1/kernel"]),
    (_called, ["sequential/dense/kernel", "sequential/dense_1/kernel"]),
    (_dropped, ["dense/kernel", "dense_1/kernel"]),
    (_mixed, ["dense/kernel", "dense/kernel_1"]),
])
def test_keras_layers_that_a_model_function_makes(
        tmp_path: Path, net: Any, kernels: list[str]) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        loss = losses.mean_squared_error(labels, net(features["x"]))
        train = optimizers.AdagradOptimizer(0.1).minimize(loss, scopes.get_or_create_global_step())
        return estimator.EstimatorSpec(mode, None, loss, train)

    def loss(trained: Any) -> float:
        return float(trained.evaluate(eval_input)["loss"])
    first = estimator.Estimator(model_fn, str(tmp_path))
    first.train(train_input, steps=3)
    assert [n for n in sorted(first.get_variable_names())
            if "/kernel" in n and "Adagrad" not in n] == kernels
    kept = [first.get_variable_value(f"{name}/Adagrad") for name in kernels]
    second = estimator.Estimator(model_fn, str(tmp_path))
    second.train(train_input, steps=3)  # weights and accumulators: from the checkpoint
    assert loss(second) == loss(estimator.Estimator(model_fn, str(tmp_path)))
    assert second.get_variable_value("global_step") == 6
    for name, value in zip(kernels, kept, strict=True):
        assert np.all(second.get_variable_value(f"{name}/Adagrad") >= value)


def test_evaluate_and_predict(tmp_path: Path) -> None:
    trained = estimator.Estimator(model_fn, str(tmp_path), params={})
    untrained = trained.evaluate(eval_input)  # of the initial values, as in TF 1
    assert untrained["global_step"] == 0
    np.testing.assert_allclose(untrained["error"], np.abs(Y).mean(), rtol=1e-5)
    assert [float(p["y"][0]) for p in trained.predict(eval_input)] == [0.0] * 8
    trained.train(train_input, steps=3)
    weights, _ = by_hand(3)
    expected = X @ weights[:3] + weights[3]
    found = trained.evaluate(eval_input)
    assert found["global_step"] == 3
    np.testing.assert_allclose(found["error"], np.abs(expected - Y).mean(), rtol=1e-5)
    batches = [np.mean((expected[i:i + 3] - Y[i:i + 3]) ** 2) for i in (0, 3, 6)]
    np.testing.assert_allclose(found["loss"], np.mean(batches), rtol=1e-5)
    assert trained.evaluate(eval_input, steps=1)["loss"] == pytest.approx(batches[0], rel=1e-5)
    predictions = list(trained.predict(eval_input))
    assert len(predictions) == 8
    np.testing.assert_allclose([p["y"] for p in predictions], expected, rtol=1e-5, atol=1e-6)


def summaries(folder: Path) -> dict[str, list[int]]:
    """{tag: steps} of all event files of a folder."""
    found: dict[str, list[int]] = {}
    for path in sorted(folder.glob("*.tfevents.*")):
        for event in tf.compat.v1.train.summary_iterator(str(path)):
            for value in event.summary.value:
                found.setdefault(value.tag, []).append(event.step)
    return found


def test_training_says_how_it_goes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The loss every so many steps, in the log and as a summary of the step that it leads to."""
    def scoped(features: Any, labels: Any, mode: str, params: dict[str, Any]) -> Any:
        with scopes.variable_scope("loss"):
            return model_fn(features, labels, mode, params)

    def own(features: Any, labels: Any, mode: str, params: dict[str, Any]) -> Any:
        spec = model_fn(features, labels, mode, params)
        summary.scalar("loss", spec.loss * 2)
        return spec
    config = estimator.RunConfig(save_summary_steps=3, log_step_count_steps=2)
    with caplog.at_level("INFO", "absl"):
        for folder, function in (("plain", model_fn), ("scoped", scoped), ("own", own)):
            trained = estimator.Estimator(function, str(tmp_path / folder), config, {"every": 99})
            trained.train(train_input, steps=5)
    found = {folder: summaries(tmp_path / folder) for folder in ("plain", "scoped", "own")}
    # TF 1.15.5 calls it loss_1 beside a scope of that name, and makes none beside one of that name
    assert found["plain"]["loss"] == found["scoped"]["loss_1"] == found["own"]["loss"] == [1, 4]
    assert "loss" not in found["scoped"] and found["plain"]["global_step/sec"] == [3, 5]
    lines = [r.getMessage() for r in caplog.records if r.getMessage().startswith("loss = ")]
    _, losses = by_hand(5)
    assert [line.partition(", ")[2] for line in lines[:3]] == ["step = 1", "step = 3", "step = 5"]
    assert float(lines[1].split()[2].rstrip(",")) == pytest.approx(losses[2], rel=1e-5)


@pytest.mark.parametrize("several", [False, True])
def test_a_hook_writes_the_summaries_that_it_is_given(several: bool, tmp_path: Path) -> None:
    def own(features: Any, labels: Any, mode: str, params: dict[str, Any]) -> Any:
        spec = model_fn(features, labels, mode, params)
        written = summary.scalar("doubled", spec.loss * 2)
        if several:
            written = graph_summaries.merge([written, summary.histogram("halved", spec.loss / 2)])
        saver = hooks.SummarySaverHook(2, output_dir=str(tmp_path / "mine"), summary_op=written)
        return estimator.EstimatorSpec(mode, None, spec.loss, spec.train_op, training_hooks=[saver])

    estimator.Estimator(own, str(tmp_path), params={"every": 99}).train(train_input, steps=4)
    assert summaries(tmp_path / "mine") == {name: [1, 3] for name in ("doubled", "halved")[:1 + several]}


def _row() -> list[Any]:
    rows = [tf.constant(X), tf.constant(Y)]
    return list(input_queues.slice_input_producer(rows, num_epochs=1, shuffle=False))


def _joined() -> Any:
    return input_queues.batch_join([_row()], 2)


def _batched_again() -> Any:
    x, y = input_queues.batch(input_queues.batch(_row(), 4), 2, enqueue_many=True)
    return {"x": x}, y


def _without_labels() -> Any:
    return {"x": input_queues.batch(_row(), 2)[0]}, None


def _own_runner() -> Any:
    queue = queues.FIFOQueue(4, [tf.float32, tf.float32], [[2, 3], [2, 1]])
    queues.add_queue_runner(queues.QueueRunner(queue, [queue.enqueue(_joined())]))
    return tuple(queue.dequeue())


@pytest.mark.parametrize("make", [_joined, _batched_again, _without_labels, _own_runner])
def test_an_input_function_reads_from_queues(make: Any) -> None:
    data, made = input_functions.inputs_of(make)
    batches = [made(element) for element in data]
    assert len(batches) == 4
    for number, (features, labels) in enumerate(batches):
        x = features["x"] if isinstance(features, dict) else features
        assert x.shape == (2, 3) and np.array_equal(x, X[2 * number:2 * number + 2])
        assert labels is None or np.array_equal(labels, Y[2 * number:2 * number + 2])


def test_what_goes_wrong_in_a_queue_is_told(tmp_path: Path) -> None:
    def make() -> Any:
        names = input_queues.string_input_producer([str(tmp_path / "nothing")], shuffle=False)
        return input_queues.batch([tf.io.read_file(names.dequeue())], 1)

    data, _ = input_functions.inputs_of(make)
    with pytest.raises(tf.errors.OpError, match="nothing; No such file"):
        list(data)


def test_train_and_evaluate_exports_what_it_trained(tmp_path: Path) -> None:
    trained = estimator.Estimator(model_fn, str(tmp_path), params={})
    receiver = estimator.build_raw_serving_input_receiver_fn(
        {"x": tf.TensorSpec([None, 3], tf.float32)})
    results, exports = estimator.train_and_evaluate(
        trained, estimator.TrainSpec(train_input, max_steps=2),
        estimator.EvalSpec(eval_input, exporters=estimator.FinalExporter("final", receiver)))
    assert results["global_step"] == 2
    served = tf.saved_model.load(exports[0]).signatures["serving_default"]
    weights, _ = by_hand(2)
    np.testing.assert_allclose(served(x=tf.constant(X))["y"], X @ weights[:3] + weights[3],
                               rtol=1e-5, atol=1e-6)


def test_hooks_see_each_step(tmp_path: Path) -> None:
    class Watch(hooks.SessionRunHook):
        seen: list[Any] = []

        def begin(self) -> None:
            self.seen.append("begin")

        def before_run(self, run_context: Any) -> Any:
            return hooks.SessionRunArgs({"step": scopes.get_global_step()})

        def after_run(self, run_context: Any, run_values: Any) -> None:
            self.seen.append(int(run_values.results["step"]))
            if len(self.seen) == 4:
                run_context.request_stop()

        def end(self, session: Any) -> None:
            self.seen.append("end")
    estimator.Estimator(model_fn, str(tmp_path), params={}).train(train_input, [Watch()])
    assert Watch.seen == ["begin", 1, 2, 3, "end"]


def test_nan_loss_is_an_error(tmp_path: Path) -> None:
    def diverges() -> Any:
        return tf.data.Dataset.from_tensors(({"x": X * np.nan}, Y)).repeat()
    with pytest.raises(hooks.NanLossDuringTrainingError):
        estimator.Estimator(model_fn, str(tmp_path), params={}).train(diverges, steps=3)


def test_tpu_estimator_gives_the_batch_size(tmp_path: Path) -> None:
    sizes = []

    def tpu_model(features: Any, labels: Any, mode: str, params: dict[str, Any]) -> Any:
        sizes.append(params["batch_size"])
        spec = model_fn(features, labels, mode, {})
        metric = (lambda p: {"mean": metrics.mean(p)}, [spec.predictions["y"]]
                  ) if mode == estimator.ModeKeys.EVAL else None
        return tpu.TPUEstimatorSpec(mode, spec.predictions, spec.loss, spec.train_op, metric)

    def batches(params: dict[str, Any]) -> Any:
        return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat(20).batch(
            params["batch_size"])
    trained = tpu.TPUEstimator(tpu_model, str(tmp_path), tpu.TPURunConfig(), train_batch_size=4,
                               eval_batch_size=2)
    trained.train(batches, steps=2)
    assert "mean" in trained.evaluate(batches, steps=1)
    assert sizes == [4, 2]


def test_timer() -> None:
    timer = hooks.SecondOrStepTimer(every_steps=3)
    triggered = []
    for step in range(8):
        if timer.should_trigger_for_step(step):
            timer.update_last_triggered_step(step)
            triggered.append(step)
    assert triggered == [0, 3, 6] and timer.last_triggered_step() == 6
    with pytest.raises(ValueError):
        hooks.SecondOrStepTimer()


def _slim_loss() -> Any:
    with scopes.variable_scope("net"):
        return losses.mean_squared_error(
            Y, layers.dense(tf.constant(X), 1, kernel_initializer=tf.zeros_initializer()))


@pytest.mark.parametrize("way", ["create_train_op", "optimize_loss"])
def test_train_loop_follows_the_same_trajectory(way: str, tmp_path: Path) -> None:
    store = store_module.VariableStore()
    with store.as_default():
        optimizer = optimizers.MomentumOptimizer(RATE, 0.9)
        step = scopes.get_or_create_global_step()

        @tf.function
        def train_op() -> Any:
            with store.run():
                if way == "create_train_op":
                    return contrib_training.create_train_op(_slim_loss(), optimizer)
                return contrib_training.optimize_loss(_slim_loss(), step, None, optimizer)
        loss = contrib_training.train(train_op, str(tmp_path), number_of_steps=5)
        weights, wanted = by_hand(5)
        np.testing.assert_allclose(loss, wanted[-1], rtol=1e-5)
        np.testing.assert_allclose(store.variables_by_name["net/dense/kernel"], weights[:3],
                                   rtol=1e-5)
        assert tf.train.latest_checkpoint(str(tmp_path)).endswith("model.ckpt-5")
        with pytest.raises(TypeError, match="tf.function that does one step"):
            contrib_training.train(tf.constant(1.0), str(tmp_path), number_of_steps=9)


def test_optimize_loss_clips_to_the_global_norm() -> None:
    store = store_module.VariableStore()
    with store.as_default():
        step = scopes.get_or_create_global_step()

        @tf.function
        def train_op() -> Any:
            with store.run():
                return contrib_training.optimize_loss(
                    _slim_loss(), step, 1.0, "SGD", clip_gradients=0.5, summaries=[])
        train_op()
        moved = [np.ravel(v) for v in store.trainable_variables]
        np.testing.assert_allclose(np.linalg.norm(np.concatenate(moved)), 0.5, rtol=1e-5)
        with pytest.raises(ValueError, match="Optimizer name"):
            contrib_training.optimize_loss(tf.constant(1.0), step, 1.0, "Other")


def test_receivers_name_what_is_given_alone() -> None:
    spec = tf.TensorSpec([None, 3], tf.float32)
    one = estimator.TensorServingInputReceiver(features=spec, receiver_tensors=spec)
    assert one.features is spec and one.receiver_tensors == {"input": spec}
    named = estimator.ServingInputReceiver(spec, {"x": spec})
    assert named.features == {"feature": spec} and named.receiver_tensors == {"x": spec}


@pytest.mark.parametrize("receiver", [estimator.ServingInputReceiver, estimator.TensorServingInputReceiver])
def test_a_feature_that_is_given_alone_is_served(tmp_path: Path, receiver: Any) -> None:
    def model(features: Any, labels: Any, mode: str) -> Any:
        x = features["feature"] if receiver is estimator.ServingInputReceiver else features
        spec = model_fn({"x": x}, labels, mode, {})
        return spec

    def serving() -> Any:
        spec = tf.TensorSpec([None, 3], tf.float32)
        return receiver(spec, spec)

    trained = estimator.Estimator(model, str(tmp_path))
    trained.train(lambda: tf.data.Dataset.from_tensors(({"feature": X}, Y)) if receiver is
                  estimator.ServingInputReceiver else tf.data.Dataset.from_tensors((X, Y)), steps=1)
    folder = trained.export_saved_model(str(tmp_path / "export"), serving)
    served = tf.saved_model.load(folder).signatures["serving_default"](input=tf.constant(X))
    weights, _ = by_hand(1)
    np.testing.assert_allclose(served["y"], X @ weights[:3] + weights[3], rtol=1e-5)


def test_what_hooks_keep_has_the_names_of_tensorflow_1() -> None:
    """Classes that extend them read it, and do else with what they log."""
    logged: list[tuple[Any, ...]] = []

    class Metric(hooks.LoggingTensorHook):
        def _log_tensors(self, tensor_values: Any) -> None:
            self._timer.update_last_triggered_step(self._iter_count)
            logged.append((self._iter_count, [tensor_values[tag] for tag in self._tag_order]))

    class Speed(hooks.StepCounterHook):
        def _log_and_record(self, elapsed_steps: Any, elapsed_time: float, global_step: int) -> None:
            logged.append((elapsed_steps, global_step))

    step = scopes.get_or_create_global_step()
    metric, speed = Metric({"b": "b", "a": "a"}, every_n_iter=2), Speed(every_n_steps=2)
    for hook in (metric, speed):
        hook.begin()
    for _ in range(4):
        asked = metric.before_run(hooks.SessionRunContext())
        step.assign_add(1)
        for hook in (metric, speed):
            hook.after_run(hooks.SessionRunContext(), hooks.SessionRunValues(
                asked and asked.fetches, None, None))
    assert logged == [(0, ["a", "b"]), (2, ["a", "b"]), (2, 3)]
    with pytest.raises(ValueError, match="invalid every_n_iter"):
        hooks.LoggingTensorHook([], every_n_iter=0)
    with pytest.raises(ValueError, match="exactly one of"):
        hooks.LoggingTensorHook([], every_n_iter=5, every_n_secs=5)


def test_experiments_train_evaluate_and_export(tmp_path: Path) -> None:
    from tf1_support import experiment

    def serving() -> Any:
        spec = tf.TensorSpec([None, 3], tf.float32, "x")
        return estimator.ServingInputReceiver({"x": spec}, {"x": spec})

    trained = experiment.Experiment(
        estimator.Estimator(model_fn, str(tmp_path), params={}), train_input, eval_input,
        train_steps=3, eval_steps=None,
        export_strategies=experiment.make_export_strategy(serving, exports_to_keep=1))
    results, exports = trained.train_and_evaluate()
    weights, _ = by_hand(3)
    assert results is not None and results["global_step"] == 3
    predicted = X @ weights[:3] + weights[3]
    assert results["error"] == pytest.approx(float(np.abs(predicted - Y).mean()), rel=1e-5)
    served = tf.saved_model.load(exports[0]).signatures["serving_default"](x=tf.constant(X))
    np.testing.assert_allclose(served["y"], predicted, rtol=1e-5)
    assert Path(exports[0]).parent == tmp_path / "export" / "Servo"
    assert trained.evaluate()["global_step"] == 3
    tested, more = trained.test()
    assert tested["global_step"] == 4 and len(more) == 1
    assert len(list((tmp_path / "export" / "Servo").iterdir())) == 1, "one is kept"
    with pytest.raises(ValueError, match="default_output_alternative_key"):
        experiment.make_export_strategy(serving, "head")


def test_what_a_model_leaves_out() -> None:
    """As TensorFlow 1.15.5 filled it in."""
    spec = estimator.EstimatorSpec(estimator.ModeKeys.TRAIN, loss=tf.constant([2.0]), train_op=tf.no_op())
    assert spec.predictions == {} and spec.eval_metric_ops == {} and spec.export_outputs is None
    assert spec.training_hooks == spec.training_chief_hooks == spec.evaluation_hooks == ()
    assert isinstance(spec.scaffold, hooks.Scaffold) and spec.scaffold.summary_op is None
    assert spec.loss.shape == [] and float(spec.loss) == 2.0
    kept = hooks.Scaffold()
    assert estimator.EstimatorSpec("eval", loss=tf.constant(1.0), scaffold=kept).scaffold is kept


def test_what_a_model_exports() -> None:
    """What servers ask for is always there, as in TensorFlow 1.15.5."""
    values = tf.constant([1.0])
    spec = estimator.EstimatorSpec("infer", {"y": values})
    assert list(spec.export_outputs) == ["serving_default"]
    assert spec.export_outputs["serving_default"].outputs == {"y": values}
    alone = estimator.EstimatorSpec("infer", values).export_outputs
    assert alone["serving_default"].outputs == {"output": values}
    other = estimator.RegressionOutput(values)
    spec = estimator.EstimatorSpec("infer", values, export_outputs={"other": other})
    assert spec.export_outputs == {"other": other, "serving_default": other}
    with pytest.raises(ValueError, match="none of them is specified as the default"):
        estimator.EstimatorSpec("infer", values, export_outputs={"other": other, "more": other})


def test_what_a_mode_needs() -> None:
    with pytest.raises(ValueError, match="Missing loss"):
        estimator.EstimatorSpec("train", train_op=tf.no_op())
    with pytest.raises(ValueError, match="Missing loss"):
        estimator.EstimatorSpec("eval", {"y": tf.constant(1.0)})
    with pytest.raises(ValueError, match="Missing predictions"):
        estimator.EstimatorSpec("infer")
