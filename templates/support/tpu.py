"""tf.contrib.tpu on machines without TPUs: wrappers that change nothing, and its estimator."""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from .estimator import Estimator, EstimatorSpec, ModeKeys, RunConfig


@contextlib.contextmanager
def bfloat16_scope(name: str | None = None) -> Iterator[None]:
    """Variables stay float32 in here whatever the inputs are; set a Keras policy to compute so."""
    with tf.name_scope(name or "bfloat16"):
        yield


def outside_compilation(computation: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls `computation`: nothing is compiled for a TPU here."""
    return computation(*args, **kwargs)


def rewrite(computation: Callable[..., Any], inputs: Sequence[Any] | None = None,
            infeed_queue: Any = None, device_assignment: Any = None,
            name: str | None = None) -> list[Any]:
    """The results of `computation(*inputs)` as a list."""
    result = computation(*(inputs or ()))
    if result is None:
        return []
    return list(result) if isinstance(result, (list, tuple)) else [result]


def shard(computation: Callable[..., Any], inputs: Sequence[Any] | None = None,
          num_shards: int = 1, **kwargs: Any) -> list[Any]:
    """`rewrite` for one shard. Raises ValueError for more."""
    if num_shards != 1:
        raise ValueError("there is one shard without TPUs; use tf.distribute.MirroredStrategy")
    return rewrite(computation, inputs)


def cross_replica_sum(x: Any, group_assignment: Any = None, name: str | None = None) -> Any:
    """`x`: there is one replica."""
    return tf.identity(x, name=name)


def initialize_system(embedding_config: Any = None, job: str | None = None) -> tf.Tensor:
    """Nothing to initialize; an empty string, as for a TPU's topology."""
    return tf.constant("")


def shutdown_system(job: str | None = None) -> None:
    """Nothing to shut down."""


class CrossShardOptimizer:
    """The optimizer `opt`: there is one shard, so its gradients are those of all."""

    def __new__(cls, opt: Any, reduction: Any = None, name: str | None = None,
                group_assignment: Any = None) -> Any:
        return opt


class InputPipelineConfig:
    """Kept for callers."""

    PER_SHARD_V1, PER_HOST_V1, PER_HOST_V2, BROADCAST, SLICED = 1, 2, 3, 4, 5


class TPUConfig(NamedTuple):
    """Kept for callers: how a TPU was used."""

    iterations_per_loop: int = 2
    num_shards: int | None = None
    num_cores_per_replica: int | None = None
    per_host_input_for_training: Any = True
    tpu_job_name: str | None = None
    initial_infeed_sleep_secs: int | None = None
    input_partition_dims: Any = None
    eval_training_input_configuration: Any = InputPipelineConfig.PER_HOST_V1


class TPURunConfig(RunConfig):
    """A `RunConfig` with settings of TPUs, which are kept for callers."""

    def __init__(self, tpu_config: TPUConfig | None = None, evaluation_master: str | None = None,
                 master: str | None = None, cluster: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.tpu_config = tpu_config or TPUConfig()
        self.evaluation_master, self.cluster = evaluation_master, cluster
        self.master = master or ""


class TPUEstimatorSpec(NamedTuple):
    """What a model function for TPUs returns."""

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metrics: Any = None
    export_outputs: Any = None
    scaffold_fn: Callable[[], Any] | None = None
    host_call: Any = None
    training_hooks: Any = None
    evaluation_hooks: Any = None
    prediction_hooks: Any = None

    def as_estimator_spec(self) -> EstimatorSpec:
        """The same for CPUs and GPUs: metrics and host calls are called."""
        metrics = None
        if self.eval_metrics is not None and self.mode == ModeKeys.EVAL:
            metrics = _called(self.eval_metrics)
        if self.host_call is not None and self.mode == ModeKeys.TRAIN:
            _called(self.host_call)
        scaffold = self.scaffold_fn() if self.scaffold_fn is not None else None
        return EstimatorSpec(
            self.mode, self.predictions, self.loss, self.train_op, metrics, self.export_outputs,
            scaffold=scaffold, training_hooks=self.training_hooks,
            evaluation_hooks=self.evaluation_hooks, prediction_hooks=self.prediction_hooks)


def _called(pair: Any) -> Any:
    function, tensors = pair
    return function(**tensors) if isinstance(tensors, Mapping) else function(*tensors)


class TPUEstimator(Estimator):
    """An `Estimator` whose `params["batch_size"]` is the batch size of what it does.

    Raises:
        ValueError: `use_tpu`.
    """

    def __init__(self, model_fn: Callable[..., Any] | None = None, model_dir: str | None = None,
                 config: RunConfig | None = None, params: Mapping[str, Any] | None = None,
                 use_tpu: bool = False, train_batch_size: int | None = None,
                 eval_batch_size: int | None = None, predict_batch_size: int | None = None,
                 batch_axis: Any = None, eval_on_tpu: bool = True, export_to_tpu: bool = True,
                 export_to_cpu: bool = True, warm_start_from: Any = None, **kwargs: Any) -> None:
        if use_tpu:
            raise ValueError("TPUs are trained on with tf.distribute.TPUStrategy; use_tpu=False "
                             "trains on CPUs and GPUs")
        if model_fn is None:
            raise ValueError("model_fn must not be None")
        super().__init__(model_fn, model_dir, config, dict(params or {}), warm_start_from)
        self._batch_sizes = {ModeKeys.TRAIN: train_batch_size, ModeKeys.EVAL: eval_batch_size,
                             ModeKeys.PREDICT: predict_batch_size}

    def call_params(self, mode: str) -> dict[str, Any]:
        params = dict(self.params)
        if self._batch_sizes[mode] is not None:
            params["batch_size"] = self._batch_sizes[mode]
        return params
