"""tf.estimator's training loop around a model function, as traced steps without sessions.

The model function is traced once for each call of `train`, `evaluate` or `predict`; what it does
in the trace (its optimizer's `minimize`, its metrics) happens at every step. Variables keep their
TF 1 names, so checkpoints of TF 1 estimators can be continued.
"""
from __future__ import annotations

import collections
import contextlib
import copy
import inspect
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from absl import logging

from .asked_functions import AskedFunction
from .checkpoint import Saver, load_tf1_checkpoint
from .hooks import (
    CheckpointSaverHook,
    NanTensorHook,
    Scaffold,
    SecondOrStepTimer,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
    StepCounterHook,
    StopAtStepHook,
)
from .input_functions import inputs_of
from .names import current_graph, layers_numbered
from .scopes import get_or_create_global_step
from .store import VariableStore
from .summary import scalar

_SERVED = "serving_default"  # the signature that servers call


class ModeKeys:
    """What a model function is called for."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


class RunConfig:
    """Where and how often an estimator saves and logs.

    Checkpoints are saved every `save_checkpoints_steps` steps or `save_checkpoints_secs` seconds
    (default: 600 seconds). What concerned sessions and clusters is kept for callers only.

    Raises:
        ValueError: both ways of counting are given.
    """

    def __init__(self, model_dir: str | None = None, tf_random_seed: int | None = None,
                 save_summary_steps: int | None = 100, save_checkpoints_steps: int | None = None,
                 save_checkpoints_secs: float | None = None, session_config: Any = None,
                 keep_checkpoint_max: int | None = 5,
                 keep_checkpoint_every_n_hours: float = 10000,
                 log_step_count_steps: int | None = 100, **others: Any) -> None:
        if save_checkpoints_steps is not None and save_checkpoints_secs is not None:
            raise ValueError("give save_checkpoints_steps or save_checkpoints_secs, not both")
        if save_checkpoints_steps is None and save_checkpoints_secs is None:
            save_checkpoints_secs = 600
        self.model_dir, self.tf_random_seed = model_dir, tf_random_seed
        self.save_summary_steps = save_summary_steps
        self.save_checkpoints_steps = save_checkpoints_steps
        self.save_checkpoints_secs = save_checkpoints_secs
        self.session_config, self.keep_checkpoint_max = session_config, keep_checkpoint_max
        self.keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self.log_step_count_steps = log_step_count_steps
        self.is_chief, self.num_worker_replicas, self.num_ps_replicas = True, 1, 0
        self.task_type, self.task_id, self.master, self.cluster_spec = "worker", 0, "", None
        self.__dict__.update(others)

    def replace(self, **kwargs: Any) -> RunConfig:
        """A copy with other values."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        if kwargs.get("save_checkpoints_steps") is not None:
            copy.save_checkpoints_secs = None
        elif kwargs.get("save_checkpoints_secs") is not None:
            copy.save_checkpoints_steps = None
        copy.__dict__.update(kwargs)
        return copy


class _Spec(NamedTuple):
    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: Mapping[str, Any]
    export_outputs: Mapping[str, Any] | None
    training_chief_hooks: Sequence[SessionRunHook]
    training_hooks: Sequence[SessionRunHook]
    scaffold: Any
    evaluation_hooks: Sequence[SessionRunHook]
    prediction_hooks: Sequence[SessionRunHook]


class EstimatorSpec(_Spec):
    """What a model function returns; what it leaves out is empty, the scaffold a plain one.

    Raises:
        ValueError: the mode needs a loss, or predictions, that are missing.
    """

    def __new__(cls, mode: str, predictions: Any = None, loss: Any = None, train_op: Any = None,
                eval_metric_ops: Mapping[str, Any] | None = None,
                export_outputs: Mapping[str, Any] | None = None,
                training_chief_hooks: Sequence[SessionRunHook] | None = None,
                training_hooks: Sequence[SessionRunHook] | None = None, scaffold: Any = None,
                evaluation_hooks: Sequence[SessionRunHook] | None = None,
                prediction_hooks: Sequence[SessionRunHook] | None = None) -> EstimatorSpec:
        if loss is None and mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError("Missing loss.")
        if predictions is None and mode == ModeKeys.PREDICT:
            raise ValueError("Missing predictions.")
        if tf.is_tensor(loss) and not loss.shape.is_compatible_with([]):
            loss = tf.reshape(loss, [])
        if mode == ModeKeys.PREDICT:
            export_outputs = _exported(export_outputs, predictions)
        return super().__new__(
            cls, mode, {} if predictions is None else predictions, loss, train_op,
            {} if eval_metric_ops is None else eval_metric_ops, export_outputs,
            tuple(training_chief_hooks or ()), tuple(training_hooks or ()), scaffold or Scaffold(),
            tuple(evaluation_hooks or ()), tuple(prediction_hooks or ()))


def _exported(outputs: Mapping[str, Any] | None, predictions: Any) -> Mapping[str, Any]:
    """What a model exports, with what servers ask for: by default, the predictions."""
    if outputs is None:
        return {_SERVED: PredictOutput(predictions)}
    if _SERVED in outputs or not outputs:
        return outputs
    if len(outputs) > 1:
        raise ValueError("Multiple export_outputs were provided, but none of them is specified as the "
                         f"default. Do this by naming one of them {_SERVED!r}.")
    return {**outputs, _SERVED: next(iter(outputs.values()))}


class TrainSpec(NamedTuple):
    """What `train_and_evaluate` trains on, and until which step."""

    input_fn: Callable[..., Any]
    max_steps: int | None = None
    hooks: Sequence[SessionRunHook] = ()
    saving_listeners: Sequence[Any] = ()


class EvalSpec(NamedTuple):
    """What `train_and_evaluate` evaluates on."""

    input_fn: Callable[..., Any]
    steps: int | None = 100
    name: str | None = None
    hooks: Sequence[SessionRunHook] = ()
    exporters: Any = None
    start_delay_secs: float = 120
    throttle_secs: float = 600


class _Receiver(NamedTuple):
    features: Any
    receiver_tensors: Any
    receiver_tensors_alternatives: Any = None


class ServingInputReceiver(_Receiver):
    """What an exported model takes: specs of its inputs, and the features made of them.

    `features` is the specs themselves, or a function that makes features of the inputs. What is given alone
    is called "feature" and "input".
    """

    def __new__(cls, features: Any, receiver_tensors: Any,
                receiver_tensors_alternatives: Any = None) -> ServingInputReceiver:
        if not callable(features) and not isinstance(features, Mapping):
            features = {"feature": features}
        return super().__new__(cls, features, _named(receiver_tensors), receiver_tensors_alternatives)


class TensorServingInputReceiver(_Receiver):
    """A `ServingInputReceiver` whose model takes one feature, as it is."""

    def __new__(cls, features: Any, receiver_tensors: Any,
                receiver_tensors_alternatives: Any = None) -> TensorServingInputReceiver:
        return super().__new__(cls, features, _named(receiver_tensors), receiver_tensors_alternatives)


def _named(inputs: Any) -> Mapping[str, Any]:
    return inputs if isinstance(inputs, Mapping) else {"input": inputs}


class _Predicted(NamedTuple):
    outputs: Mapping[str, Any]


class PredictOutput(_Predicted):
    """Outputs of an exported model; one that is given alone is called "output"."""

    def __new__(cls, outputs: Any) -> PredictOutput:
        return super().__new__(cls, outputs if isinstance(outputs, Mapping) else {"output": outputs})


class RegressionOutput(NamedTuple):
    """The values that an exported model predicts."""

    value: Any


class ClassificationOutput(NamedTuple):
    """Scores ([batch, classes]) and names of classes that an exported model predicts."""

    scores: Any = None
    classes: Any = None


def build_raw_serving_input_receiver_fn(features: Any, default_batch_size: int | None = None
                                        ) -> Callable[[], ServingInputReceiver]:
    """For an export that takes the features themselves, given as specs or examples."""
    def spec(name: str, value: Any) -> tf.TensorSpec:
        shape = [default_batch_size, *value.shape[1:]] if len(value.shape) else []
        return tf.TensorSpec(shape, value.dtype, name)
    specs = {name: spec(name, value) for name, value in features.items()}
    return lambda: ServingInputReceiver(specs, specs)


def build_parsing_serving_input_receiver_fn(feature_spec: Mapping[str, Any],
                                            default_batch_size: int | None = None
                                            ) -> Callable[[], ServingInputReceiver]:
    """For an export that takes serialized examples."""
    inputs = {"examples": tf.TensorSpec([default_batch_size], tf.string, "examples")}
    return lambda: ServingInputReceiver(
        lambda given: tf.io.parse_example(given["examples"], feature_spec), inputs)


def _accepted(function: Callable[..., Any], **arguments: Any) -> dict[str, Any]:
    """Those of `arguments` that `function` takes by name."""
    parameters = inspect.signature(function).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return arguments
    return {name: value for name, value in arguments.items() if name in parameters}


def _features_and_labels(element: Any) -> tuple[Any, Any]:
    if isinstance(element, (tuple, list)):
        return (element[0], element[1]) if len(element) == 2 else (tuple(element), None)
    return element, None


def _metric(result: Any) -> Any:
    """The tensor of a metric: what (value, update) or a Keras metric has after the update.

    An update that groups those of other metrics has no value, and one may be what the value is made of
    (a confusion matrix); then the value has the batch already.
    """
    if isinstance(result, tf.keras.metrics.Metric):
        return result.result()
    if isinstance(result, tuple):
        value, update = result
        return update if tf.is_tensor(update) and update.shape.is_compatible_with(value.shape) else value
    return result


class _Step:
    """A traced model function: called with a batch, gives NumPy values of what its mode asks for.

    made: gives the features and labels of an element.
    predictions: takes of the model's predictions those that are asked for.
    """

    def __init__(self, estimator: Estimator, store: VariableStore, element_spec: Any,
                 made: Callable[[Any], Any], mode: str, hooks: Sequence[SessionRunHook],
                 recording: _Recording | None = None,
                 predictions: Callable[[Any], Any] = lambda every: every) -> None:
        self.hooks, self._recording = list(hooks), recording
        self._fetched: dict[Any, Any] = {}  # symbolic tensors by id or the name that a hook gives
        self.spec: EstimatorSpec | None = None

        def run(element: Any) -> Any:
            with store.run() as built:
                built.messages = []
                features, labels = _features_and_labels(made(element))
                built.trains = mode == ModeKeys.TRAIN  # TF1 ran no training operation otherwise
                spec = self.spec = estimator.call_model_fn(features, labels, mode)
                if built.trains and spec.loss is not None and "loss" not in built.summaries:
                    scalar(built.unique_name("loss"), spec.loss)
            outputs: dict[str, Any] = {"loss": spec.loss}  # and what no step of another mode asks for
            asked = {ModeKeys.TRAIN: spec.train_op, ModeKeys.EVAL: spec.eval_metric_ops}.get(mode)
            if mode == ModeKeys.EVAL:
                outputs["metrics"] = {
                    name: _metric(result) for name, result in spec.eval_metric_ops.items()}
            elif mode == ModeKeys.PREDICT:
                outputs["predictions"] = predictions(spec.predictions)
            self.hooks += {ModeKeys.TRAIN: (*spec.training_hooks, *spec.training_chief_hooks),
                           ModeKeys.EVAL: spec.evaluation_hooks,
                           ModeKeys.PREDICT: spec.prediction_hooks}[mode]
            for hook in self.hooks:
                hook.begin()
                wanted = hook.before_run(SessionRunContext())
                for fetch in tf.nest.flatten(wanted.fetches if wanted is not None else None):
                    if isinstance(fetch, str):
                        self._fetched[fetch] = current_graph().as_graph_element(
                            fetch if ":" in fetch else f"{fetch}:0")
                    elif tf.is_tensor(fetch) and not hasattr(fetch, "numpy"):
                        self._fetched[id(fetch)] = fetch
            known = {name: value for name, value in outputs.items() if value is not None}
            return (known, list(self._fetched.values())), asked

        self._run = AskedFunction(run, [element_spec], sometimes=recording and recording.wanted)

    def __call__(self, element: Any) -> tuple[dict[str, Any], bool]:
        """The values, and whether a hook wants to stop."""
        context = SessionRunContext()
        asked = [hook.before_run(context) for hook in self.hooks]
        seldom = self._recording is not None and not self._recording.writes
        values, fetched = (self._run.seldom if seldom else self._run.function)(element)
        known = dict(zip(self._fetched, fetched, strict=True))
        for hook, args in zip(self.hooks, asked, strict=True):
            results = None if args is None else tf.nest.map_structure(
                lambda fetch: self._value(fetch, known), args.fetches)
            hook.after_run(context, SessionRunValues(results))
        return tf.nest.map_structure(_numpy, values), context.stop_requested

    @staticmethod
    def _value(fetch: Any, known: Mapping[int, Any]) -> Any:
        if id(fetch) in known or isinstance(fetch, str):
            return _numpy(known[fetch if isinstance(fetch, str) else id(fetch)])
        if tf.is_tensor(fetch) and not hasattr(fetch, "numpy"):
            raise ValueError(f"{fetch} was not asked for in the first before_run of the hook, so "
                             "the traced step does not give it")
        return _numpy(fetch() if callable(fetch) and not tf.is_tensor(fetch) else fetch)


def _numpy(value: Any) -> Any:
    numpy = getattr(value, "numpy", None)
    return numpy() if callable(numpy) else value


class Estimator:
    """Trains, evaluates and predicts with a model function.

    Args:
        model_fn: Takes features, and as far as it names them labels, mode, params and config;
            returns an `EstimatorSpec`.
        model_dir: Where checkpoints and summaries go; default: that of `config`, else a temporary
            directory.
        params: A dict for the model and input functions.
        warm_start_from: A checkpoint, or directory, whose values variables of the same names get
            before the first training.

    Raises:
        ValueError: `model_dir` differs from that of `config`.
    """

    def __init__(self, model_fn: Callable[..., Any], model_dir: str | None = None,
                 config: RunConfig | None = None, params: Any = None,
                 warm_start_from: str | None = None) -> None:
        config = config or RunConfig()
        if model_dir and config.model_dir and model_dir != config.model_dir:
            raise ValueError(f"model_dir {model_dir!r} differs from the config's "
                             f"{config.model_dir!r}")
        model_dir = model_dir or config.model_dir or tempfile.mkdtemp()
        self._model_fn, self._warm_start = model_fn, warm_start_from
        self._params = copy.deepcopy(params)  # as TF 1: what the caller changes later has no effect
        self._config = config.replace(model_dir=os.fspath(model_dir))

    @property
    def model_dir(self) -> str:
        return str(self._config.model_dir)

    @property
    def config(self) -> RunConfig:
        return self._config

    @property
    def params(self) -> Any:
        """A copy of the parameters."""
        return dict(self._params) if isinstance(self._params, dict) else self._params

    @property
    def model_fn(self) -> Callable[..., Any]:
        return self._model_fn

    # ---- what subclasses change ------------------------------------------------------------------
    def call_params(self, mode: str) -> Any:
        """The `params` that functions are called with."""
        return self.params if self._params is not None else {}

    def call_model_fn(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        """The specification of the model for a batch, as `EstimatorSpec`."""
        known = _accepted(self._model_fn, labels=labels, mode=mode, config=self._config,
                          params=self.call_params(mode))
        with layers_numbered(collections.defaultdict(int)):
            spec = self._model_fn(features, **known)
        convert = getattr(spec, "as_estimator_spec", None)
        return convert() if convert is not None else spec

    # ---- loops -----------------------------------------------------------------------------------
    def _elements(self, input_fn: Callable[..., Any], mode: str
                  ) -> tuple[Any, Callable[[Any], Any], Iterator[Any]]:
        """(spec, what makes batches, iterator) of elements; an input function may also return one batch,
        which is then given for ever, as constants in a graph were."""
        data, made = inputs_of(lambda: input_fn(**_accepted(
            input_fn, mode=mode, params=self.call_params(mode), config=self._config)))
        if isinstance(data, tf.data.Dataset):
            return data.element_spec, made, iter(data)
        batch = tf.nest.map_structure(tf.convert_to_tensor, data)
        spec = tf.nest.map_structure(lambda t: tf.TensorSpec(t.shape, t.dtype), batch)
        return spec, made, iter(lambda: batch, None)

    def _restore(self, store: VariableStore, saver: Any, path: str | None) -> bool:
        if path is not None:
            saver.restore(path)
        return path is not None

    def train(self, input_fn: Callable[..., Any], hooks: Sequence[SessionRunHook] | None = None,
              steps: int | None = None, max_steps: int | None = None,
              saving_listeners: Sequence[Any] | None = None) -> Estimator:
        """Trains for `steps` more steps, or until the global step is `max_steps`.

        Goes on from the latest checkpoint of `model_dir`, and saves checkpoints there.

        Raises:
            ValueError: both `steps` and `max_steps` are given, or the model has no loss.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("give steps or max_steps, not both")
        config, store = self._config, VariableStore()
        with store.as_default():
            if config.tf_random_seed is not None:
                tf.random.set_seed(config.tf_random_seed)
            get_or_create_global_step()
            latest = tf.train.latest_checkpoint(self.model_dir)
            if max_steps is not None and latest is not None and int(
                    tf.train.load_variable(latest, "global_step")) >= max_steps:
                logging.info("Skipping training since max_steps has already been reached.")
                return self
            spec, made, elements = self._elements(input_fn, ModeKeys.TRAIN)
            writer = tf.summary.create_file_writer(self.model_dir)
            recording = _Recording(config.save_summary_steps)
            with writer.as_default(step=recording.label), tf.summary.record_if(recording.wanted):
                step = _Step(self, store, spec, made, ModeKeys.TRAIN, hooks or (), recording)
                if step.spec is None or step.spec.loss is None:
                    raise ValueError("the model function must give a loss to train on")
                self._start(store, step, latest)
                step.hooks.append(recording)
                self._train(step, elements, steps, max_steps, saving_listeners or ())
            writer.flush()
        return self

    def _start(self, store: VariableStore, step: _Step, latest: str | None) -> None:
        """Gives the variables their first values."""
        scaffold = step.spec.scaffold if step.spec is not None else None
        saver = getattr(scaffold, "saver", None) or Saver()
        if self._restore(store, saver, latest):
            return
        if self._warm_start is not None:
            load_tf1_checkpoint(self._warm_start, store, strict=False)
        if getattr(scaffold, "init_fn", None) is not None:
            scaffold.init_fn(*([scaffold, None] if len(
                inspect.signature(scaffold.init_fn).parameters) > 1 else [None]))

    def _train(self, step: _Step, elements: Iterator[Any], steps: int | None,
               max_steps: int | None, listeners: Sequence[Any]) -> None:
        config, spec = self._config, step.spec
        own: list[SessionRunHook] = []
        if config.log_step_count_steps:
            own.append(StepCounterHook(config.log_step_count_steps, output_dir=self.model_dir))
        if steps is not None or max_steps is not None:
            own.append(StopAtStepHook(steps, max_steps))
        if not any(isinstance(hook, CheckpointSaverHook) for hook in step.hooks):
            saver = getattr(spec.scaffold if spec else None, "saver", None) or Saver(
                max_to_keep=config.keep_checkpoint_max,
                keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours)
            own.append(CheckpointSaverHook(
                self.model_dir, config.save_checkpoints_secs, config.save_checkpoints_steps,
                saver, listeners=listeners))
        for hook in own:
            hook.begin()
        step.hooks += own
        for hook in step.hooks:
            hook.after_create_session(None, None)
        loss, every = None, config.log_step_count_steps
        for count, element in enumerate(elements):
            values, stop = step(element)
            loss = values["loss"]
            if every and count % every == 0:
                logging.info("loss = %s, step = %s", loss, int(get_or_create_global_step()))
            if np.isnan(loss):
                NanTensorHook(None).after_run(SessionRunContext(), SessionRunValues(loss))
            if stop:
                break
        for hook in step.hooks:
            hook.end(None)
        logging.info("Loss for final step: %s.", loss)

    def evaluate(self, input_fn: Callable[..., Any], steps: int | None = None,
                 hooks: Sequence[SessionRunHook] | None = None, checkpoint_path: str | None = None,
                 name: str | None = None) -> dict[str, Any]:
        """The metrics over `steps` batches (default: all), with "loss" and "global_step".

        Raises:
            ValueError: the input is empty.
        """
        path = self._trained(checkpoint_path, "evaluate")
        store = VariableStore()
        with store.as_default():
            global_step = get_or_create_global_step()
            spec, made, elements = self._elements(input_fn, ModeKeys.EVAL)
            step = _Step(self, store, spec, made, ModeKeys.EVAL, hooks or ())
            saver = getattr(step.spec.scaffold if step.spec else None, "saver", None) or Saver()
            self._restore(store, saver, path)
            for hook in step.hooks:
                hook.after_create_session(None, None)
            losses, values = [], {}
            for count, element in enumerate(elements, 1):
                values, stop = step(element)
                if values.get("loss") is not None:
                    losses.append(np.mean(values["loss"]))
                if stop or count == steps:
                    break
            for hook in step.hooks:
                hook.end(None)
            if not values:
                raise ValueError("the input function gave nothing to evaluate")
            metrics = dict(values["metrics"])
            if losses:
                metrics["loss"] = np.float32(np.mean(losses))
            results = {**dict(sorted(metrics.items())), "global_step": int(global_step)}
            folder = os.path.join(self.model_dir, f"eval_{name}" if name else "eval")
            with tf.summary.create_file_writer(folder).as_default(step=results["global_step"]):
                for key, value in results.items():
                    if key != "global_step" and np.ndim(value) == 0:
                        tf.summary.scalar(key, value)
                if path is not None:
                    tf.summary.text("checkpoint_path", path)
        logging.info("Saving dict for global step %d: %s", results["global_step"], results)
        return results

    def predict(self, input_fn: Callable[..., Any], predict_keys: Sequence[str] | str | None = None,
                hooks: Sequence[SessionRunHook] | None = None, checkpoint_path: str | None = None,
                yield_single_examples: bool = True) -> Iterator[Any]:
        """Predictions, example by example (or batch by batch)."""
        path = self._trained(checkpoint_path, "predict")
        store = VariableStore()
        keys = [predict_keys] if isinstance(predict_keys, str) else predict_keys
        with store.as_default():
            get_or_create_global_step()
            spec, made, elements = self._elements(
                lambda **known: _without_labels(input_fn(**_accepted(input_fn, **known))),
                ModeKeys.PREDICT)
            step = _Step(self, store, spec, made, ModeKeys.PREDICT, hooks or (),
                         predictions=lambda every: _chosen(every, keys))
            saver = getattr(step.spec.scaffold if step.spec else None, "saver", None) or Saver()
            self._restore(store, saver, path)
        rest = iter(elements)
        while True:
            with store.as_default():
                element = next(rest, None)
                if element is None:
                    break
                values, stop = step(element)
            predictions = values["predictions"]
            if not yield_single_examples:
                yield predictions
            elif isinstance(predictions, Mapping):
                for index in range(len(next(iter(predictions.values())))):
                    yield {key: value[index] for key, value in predictions.items()}
            else:
                yield from predictions
            if stop:
                return

    # ---- checkpoints and exports -----------------------------------------------------------------
    def _checkpoint(self, path: str | None) -> str:
        path = path or self.latest_checkpoint()
        if path is None:
            raise ValueError(f"Could not find trained model in model_dir: {self.model_dir}.")
        return path

    def _trained(self, path: str | None, purpose: str) -> str | None:
        """The checkpoint to use; None: there is none, and variables keep their initial values."""
        path = path or self.latest_checkpoint()
        if path is None:
            logging.info("Could not find trained model in model_dir: %s, running initialization to %s.",
                         self.model_dir, purpose)
        return path

    def eval_dir(self, name: str | None = None) -> str:
        """Where the evaluation of that name writes."""
        return os.path.join(self.model_dir, f"eval_{name}" if name else "eval")

    def latest_checkpoint(self) -> str | None:
        """The path of the latest checkpoint, None if there is none."""
        return tf.train.latest_checkpoint(self.model_dir)

    def get_variable_names(self) -> list[str]:
        """The names in the latest checkpoint. Raises ValueError if there is none."""
        return [name for name, _ in tf.train.list_variables(self._checkpoint(None))]

    def get_variable_value(self, name: str) -> np.ndarray:
        """A value in the latest checkpoint. Raises ValueError if there is none."""
        return tf.train.load_variable(self._checkpoint(None), name)

    def export_saved_model(self, export_dir_base: str,
                           serving_input_receiver_fn: Callable[[], _Receiver],
                           assets_extra: Mapping[str, str] | None = None, as_text: bool = False,
                           checkpoint_path: str | None = None) -> str:
        """Writes a SavedModel with the predictions into a new directory, and gives its path.

        Raises:
            ValueError: there is no checkpoint.
        """
        with _left_graphs():
            return self._exported(export_dir_base, serving_input_receiver_fn, assets_extra or {},
                                  self._checkpoint(checkpoint_path))

    export_savedmodel = export_saved_model

    def _exported(self, base: str, make_receiver: Callable[[], _Receiver],
                  assets: Mapping[str, str], path: str) -> str:
        receiver = _receiver(make_receiver)
        specs = receiver.receiver_tensors
        module, store, names = tf.Module(), VariableStore(), dict[str, None]()

        def signature(chosen: str) -> AskedFunction:
            def serve(**inputs: Any) -> Any:
                features: Any = receiver.features
                if callable(features):
                    features = features(inputs)
                else:  # the specs of the inputs: one that was given alone is called otherwise
                    first = next(iter(inputs.values()))
                    features = ({name: inputs.get(name, first) for name in features}
                                if isinstance(features, Mapping) else first)
                with store.as_default(), store.run():
                    spec = self.call_model_fn(features, None, ModeKeys.PREDICT)
                exports = dict(spec.export_outputs or {})
                names.update(dict.fromkeys(exports))
                export = exports.get(chosen, next(iter(exports.values()), None))
                outputs = getattr(export, "outputs", spec.predictions)
                return outputs if isinstance(outputs, Mapping) else {"output": outputs}, None

            return AskedFunction(serve, named={
                name: tf.TensorSpec(spec.shape, spec.dtype, name) for name, spec in specs.items()})

        with store.as_default():
            get_or_create_global_step()
            made = {_SERVED: signature(_SERVED)}
            first = _SERVED if _SERVED in names else next(iter(names), _SERVED)
            for name in names:
                made[name] = made[_SERVED] if name == first else signature(name)
            Saver().restore(path)
        module.store, module.kept = store, list(made[_SERVED].traced.graph.variables)
        folder = _timestamped(base)
        tf.saved_model.save(module, folder, signatures={
            name: serving.function for name, serving in made.items()})
        for name, source in assets.items():
            target = os.path.join(folder, "assets.extra", name)
            tf.io.gfile.makedirs(os.path.dirname(target))
            tf.io.gfile.copy(source, target)
        return folder


@contextlib.contextmanager
def _left_graphs() -> Iterator[None]:
    """Code of the block computes at once, and in no graph that is being built around the call."""
    if not tf.inside_function():
        yield
        return
    with tf.Graph().as_default(), tf.__internal__.eager_context.eager_mode():
        yield


def _receiver(make: Callable[[], _Receiver]) -> _Receiver:
    """What an exported model takes; placeholders that `make` gives become specs.

    They live in a graph of its own, which is then the function that makes features of the inputs.
    """
    made: list[_Receiver] = []
    graph = tf.compat.v1.wrap_function(lambda: made.append(make()), [])
    receiver = made[0]
    inputs = receiver.receiver_tensors
    if not all(tf.is_tensor(value) for value in tf.nest.flatten(inputs)):
        return receiver
    tensors = dict(inputs)
    fetches = tf.nest.flatten(receiver.features, expand_composites=True)
    function = graph.prune(list(tensors.values()), fetches)

    def features(given: Mapping[str, Any]) -> Any:
        values = function(*(given[name] for name in tensors))
        return tf.nest.pack_sequence_as(receiver.features, values, expand_composites=True)

    specs = {name: tf.TensorSpec(value.shape, value.dtype) for name, value in tensors.items()}
    return ServingInputReceiver(features, specs)


def _chosen(predictions: Any, keys: Sequence[str] | None) -> Any:
    """Those predictions that are asked for (None: all). Raises ValueError if there are none."""
    if not keys:
        return predictions
    if not isinstance(predictions, Mapping):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    found = {key: value for key, value in predictions.items() if key in keys}
    if not found:
        raise ValueError(f"Expected to run at least one output from {list(predictions)}, provided {keys}.")
    return found


def _without_labels(data: Any) -> Any:
    if isinstance(data, tf.data.Dataset):
        return data.map(lambda *element: _features_and_labels(
            element[0] if len(element) == 1 else element)[0])
    return _features_and_labels(data)[0]


def _timestamped(base: str) -> str:
    """A directory below `base` that does not exist yet, called by the time in seconds."""
    seconds = int(time.time())
    while tf.io.gfile.exists(os.path.join(base, str(seconds))):
        seconds += 1
    return os.path.join(base, str(seconds))


class _Recording(SessionRunHook):
    """Which training steps write summaries, as TF 1 chose them: the first one, and then whenever
    `every` (None: never) steps have passed since; labelled with the step that they lead to."""

    def __init__(self, every: int | None) -> None:
        self._timer = SecondOrStepTimer(None, every) if every else None
        self.writes = False  # what `wanted` is, for code outside of the step
        self.wanted = tf.Variable(False, trainable=False)
        self.label = tf.Variable(0, trainable=False, dtype=tf.int64)

    def before_run(self, run_context: SessionRunContext) -> None:
        if self._timer is None:
            return
        step = int(get_or_create_global_step()) + 1
        wanted = self._timer.should_trigger_for_step(step)
        if wanted:
            self._timer.update_last_triggered_step(step)
        self.label.assign(step)
        self.wanted.assign(wanted)
        self.writes = wanted


class Exporter:
    """Exports a model after evaluations."""

    name = "exporter"

    def export(self, estimator: Estimator, export_path: str, checkpoint_path: str,
               eval_result: Mapping[str, Any], is_the_final_export: bool) -> str | None:
        """Writes a SavedModel below `export_path` if it is time; its path, or None."""
        raise NotImplementedError


class LatestExporter(Exporter):
    """Exports after every evaluation and keeps the newest `exports_to_keep`."""

    def __init__(self, name: str, serving_input_receiver_fn: Callable[[], _Receiver],
                 assets_extra: Mapping[str, str] | None = None, as_text: bool = False,
                 exports_to_keep: int | None = 5) -> None:
        self.name, self._receiver_fn, self._assets = name, serving_input_receiver_fn, assets_extra
        self._exports_to_keep = exports_to_keep

    def export(self, estimator: Estimator, export_path: str, checkpoint_path: str,
               eval_result: Mapping[str, Any], is_the_final_export: bool) -> str | None:
        path = estimator.export_saved_model(export_path, self._receiver_fn, self._assets,
                                            checkpoint_path=checkpoint_path)
        if self._exports_to_keep:
            found = sorted(name.rstrip("/") for name in tf.io.gfile.listdir(export_path)
                           if name.rstrip("/").isdigit())
            for old in found[:-self._exports_to_keep]:
                tf.io.gfile.rmtree(os.path.join(export_path, old))
        return path


class FinalExporter(LatestExporter):
    """Exports once, at the end."""

    def __init__(self, name: str, serving_input_receiver_fn: Callable[[], _Receiver],
                 assets_extra: Mapping[str, str] | None = None, as_text: bool = False) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, None)

    def export(self, estimator: Estimator, export_path: str, checkpoint_path: str,
               eval_result: Mapping[str, Any], is_the_final_export: bool) -> str | None:
        if not is_the_final_export:
            return None
        return super().export(estimator, export_path, checkpoint_path, eval_result, True)


def train_and_evaluate(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
                       ) -> tuple[dict[str, Any] | None, list[str | None]]:
    """Trains, evaluates after every checkpoint at most every `throttle_secs`, and at the end.

    Returns:
        The last evaluation's results, and what the exporters of the last one gave.
    """
    listener = _Evaluations(estimator, eval_spec)
    estimator.train(train_spec.input_fn, train_spec.hooks, max_steps=train_spec.max_steps,
                    saving_listeners=[*train_spec.saving_listeners, listener])
    return listener.evaluate(final=True)


class _Evaluations:
    """Evaluates when a checkpoint was saved, unless it is too soon."""

    def __init__(self, estimator: Estimator, spec: EvalSpec) -> None:
        self._estimator, self._spec = estimator, spec
        self._next = time.time() + spec.throttle_secs

    def begin(self) -> None:
        """Nothing to do."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Nothing to do."""

    def after_save(self, session: Any, global_step_value: int) -> None:
        if time.time() >= self._next:
            self.evaluate(final=False)
            self._next = time.time() + self._spec.throttle_secs

    def end(self, session: Any, global_step_value: int) -> None:
        """The last evaluation is the caller's."""

    def evaluate(self, final: bool) -> tuple[dict[str, Any], list[str | None]]:
        estimator, spec = self._estimator, self._spec
        results = estimator.evaluate(spec.input_fn, spec.steps, spec.hooks, name=spec.name)
        exporters = spec.exporters or ()
        exporters = [exporters] if isinstance(exporters, Exporter) else exporters
        path = str(estimator.latest_checkpoint())
        return results, [exporter.export(
            estimator, os.path.join(estimator.model_dir, "export", exporter.name), path, results,
            final) for exporter in exporters]
