"""Training and evaluation as slim and contrib.training had it, for code that runs in traced steps.

What made an operation in TF 1 acts at once here: call it inside of the `tf.function` that is one
step. The loops take such a function where TF 1 took the operation.
"""
from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from absl import logging

from . import summary
from .checkpoint import Saver
from .optimizers import (
    AdagradOptimizer,
    AdamOptimizer,
    GradientDescentOptimizer,
    MomentumOptimizer,
    RMSPropOptimizer,
)
from .regularized_optimizers import FtrlOptimizer
from .scopes import (
    get_collection,
    get_global_step,
    get_or_create_global_step,
    get_variable,
    variable_scope,
)
from .store import GraphKeys, builds_graph, current_store
from .training import clip_gradient_norms, multiply_gradients, train_step

OPTIMIZER_CLS_NAMES: dict[str, Callable[..., Any]] = {
    "Adagrad": AdagradOptimizer, "Adam": AdamOptimizer, "Ftrl": FtrlOptimizer,
    "Momentum": lambda learning_rate: MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": RMSPropOptimizer, "SGD": GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = ["learning_rate", "loss", "gradients", "gradient_norm",
                       "global_gradient_norm"]
_GLOBAL_STEP: Any = object()


def _summarize(pairs: Iterable[tuple[Any, Any]], values: bool, norms: bool) -> None:
    for gradient, variable in pairs:
        if gradient is None:
            continue
        dense = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
        name = variable.name.replace(":", "_")
        if values:
            summary.histogram(f"gradients/{name}", dense)
        if norms:
            summary.scalar(f"gradient_norm/{name}", tf.linalg.global_norm([dense]))


def add_gradients_summaries(grads_and_vars: Iterable[tuple[Any, Any]]) -> None:
    """Writes histograms and norms of gradients into the default summary writer."""
    _summarize(grads_and_vars, True, True)


def clip_gradient_norms_fn(max_norm: float) -> Callable[[Any], Any]:
    """A function of pairs (gradient, variable) that clips each gradient's norm."""
    return lambda grads_and_vars: clip_gradient_norms(grads_and_vars, max_norm)


def create_train_op(total_loss: Any, optimizer: Any, global_step: Any = _GLOBAL_STEP,
                    update_ops: Any = None, variables_to_train: Sequence[Any] | None = None,
                    *, clip_gradient_norm: float = 0, summarize_gradients: bool = False,
                    gate_gradients: Any = None, aggregation_method: Any = None,
                    colocate_gradients_with_ops: bool = False,
                    gradient_multipliers: Mapping[Any, Any] | None = None,
                    check_numerics: bool = True, transform_grads_fn: Any = None,
                    tape: tf.GradientTape | None = None) -> tf.Tensor:
    """Trains one step on `total_loss`, as running slim's train_op did; gives the loss.

    Args:
        total_loss: A tensor of the `tf.function` around the call, or recorded by `tape`.
        global_step: Default: the store's; None: none is counted.
        update_ops: Ignored but for None, which applies the pending updates (of batch norm).
        clip_gradient_norm: Each gradient's norm is clipped to this, if positive.

    Raises:
        tf.errors.InvalidArgumentError: `check_numerics`, and the loss is infinite or NaN.
    """
    if update_ops is None and not builds_graph():
        get_collection(GraphKeys.UPDATE_OPS)

    def transform(pairs: Any) -> Any:
        if transform_grads_fn is not None:
            pairs = transform_grads_fn(pairs)
        if summarize_gradients:
            add_gradients_summaries(pairs)
        return pairs

    if builds_graph():
        step = get_or_create_global_step() if global_step is _GLOBAL_STEP else global_step
        return _graph_train_op(
            total_loss, optimizer, step, update_ops, variables_to_train, clip_gradient_norm,
            gradient_multipliers, check_numerics, transform,
        )
    if global_step is None:  # train_step would count
        compute = optimizer.compute_gradients(total_loss, variables_to_train, tape=tape)
        pairs = transform(compute)
        if gradient_multipliers:
            pairs = multiply_gradients(pairs, gradient_multipliers)
        if clip_gradient_norm > 0:
            pairs = clip_gradient_norms(pairs, clip_gradient_norm)
        optimizer.apply_gradients(pairs)
        return (tf.debugging.check_numerics(total_loss, "LossTensor is inf or nan")
                if check_numerics else total_loss)
    return train_step(total_loss, optimizer, tape,
                      None if global_step is _GLOBAL_STEP else global_step, variables_to_train,
                      clip_gradient_norm, transform, gradient_multipliers, check_numerics)


def _after_updates(loss: Any, update_ops: Any) -> tf.Tensor:
    """The loss in a graph, computed after the updates that are given or, by default, pending."""
    updates = get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else list(update_ops)
    with tf.control_dependencies(updates):
        return tf.identity(loss)


def _graph_train_op(total_loss: Any, optimizer: Any, global_step: Any, update_ops: Any,
                    variables_to_train: Any, clip_gradient_norm: float, gradient_multipliers: Any,
                    check_numerics: bool, transform: Callable[[Any], Any]) -> tf.Tensor:
    """The op that a session runs to train, with an optimizer of the graph that is being built."""
    total_loss = _after_updates(total_loss, update_ops)
    pairs = transform(optimizer.compute_gradients(total_loss, variables_to_train))
    if gradient_multipliers:
        pairs = multiply_gradients(pairs, gradient_multipliers)
    if clip_gradient_norm > 0:
        pairs = clip_gradient_norms(pairs, clip_gradient_norm)
    if check_numerics:
        total_loss = tf.debugging.check_numerics(total_loss, "LossTensor is inf or nan")
    applied = optimizer.apply_gradients(pairs, global_step=global_step)
    with tf.control_dependencies([applied]):
        return tf.identity(total_loss, name="train_op")


def _rate(learning_rate: Any, decay: Any, global_step: Any) -> Any:
    if learning_rate is None:
        return None
    if isinstance(learning_rate, float) and learning_rate < 0.0:
        raise ValueError(f"Invalid learning_rate {learning_rate}.")
    if not isinstance(learning_rate, float) and np.shape(learning_rate) != ():
        raise ValueError(f"Learning rate should be 0d Tensor or float. Got {learning_rate}.")
    if isinstance(learning_rate, float):
        learning_rate = get_variable("learning_rate", [], trainable=False,
                                     initializer=tf.constant_initializer(learning_rate))
    if decay is None:
        return learning_rate
    if global_step is None:
        raise ValueError("global_step is required for learning_rate_decay_fn.")
    return decay(learning_rate, global_step)


def _optimizer(optimizer: Any, rate: Any) -> Any:
    if isinstance(optimizer, str):
        if optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError(f"Optimizer name should be one of {list(OPTIMIZER_CLS_NAMES)}, you "
                             f"provided {optimizer}.")
        optimizer = OPTIMIZER_CLS_NAMES[optimizer]
        if rate is None:
            raise ValueError("Learning rate is None, but the optimizer is given by its name.")
    if isinstance(optimizer, type):
        if rate is None:
            raise ValueError(f"Learning rate is None, but the optimizer is a class, {optimizer}.")
        return optimizer(learning_rate=rate)
    if hasattr(optimizer, "apply_gradients"):
        return optimizer
    if not callable(optimizer):
        raise ValueError(f"Unrecognized optimizer: {optimizer}")
    made = optimizer() if rate is None else optimizer(rate)
    if not hasattr(made, "apply_gradients"):
        raise ValueError(f"Unrecognized optimizer: function should return one. Got {made}.")
    return made


def optimize_loss(loss: Any, global_step: Any, learning_rate: Any, optimizer: Any,
                  gradient_noise_scale: float | None = None,
                  gradient_multipliers: Mapping[Any, float] | None = None,
                  clip_gradients: Any = None, learning_rate_decay_fn: Any = None,
                  update_ops: Any = None, variables: Sequence[Any] | None = None,
                  name: str | None = None, summaries: Sequence[str] | None = None,
                  colocate_gradients_with_ops: bool = False,
                  increment_global_step: bool = True, tape: tf.GradientTape | None = None) -> Any:
    """Trains one step on `loss`, as running the operation of contrib.layers.optimize_loss did.

    Args:
        loss: A scalar tensor of the `tf.function` around the call, or recorded by `tape`.
        optimizer: A name of OPTIMIZER_CLS_NAMES, a class, an optimizer, or a function that makes
            one (of the learning rate, if that is given).
        clip_gradients: The global norm to clip to, or a function of pairs (gradient, variable).
        update_ops: None applies the pending updates (of batch norm).
        summaries: Which of OPTIMIZER_SUMMARIES to write.

    Returns:
        The loss; in a graph, the tensor that a session runs to train.

    Raises:
        ValueError: the learning rate, the optimizer, the clipping or a summary makes no sense.
    """
    global_step = get_global_step() if global_step is None else global_step
    summaries = (["loss", "learning_rate", "global_gradient_norm"] if summaries is None
                 else list(summaries))
    unknown = [wanted for wanted in summaries if wanted not in OPTIMIZER_SUMMARIES]
    if unknown:
        raise ValueError(f"Summaries should be one of {OPTIMIZER_SUMMARIES}, you provided "
                         f"{unknown}.")
    with variable_scope(name, "OptimizeLoss"):
        in_graph = builds_graph()
        if in_graph:
            loss = _after_updates(loss, update_ops)
        elif update_ops is None:
            get_collection(GraphKeys.UPDATE_OPS)
        rate = _rate(learning_rate, learning_rate_decay_fn, global_step)
        if rate is not None and learning_rate_decay_fn is not None and "learning_rate" in summaries:
            summary.scalar("learning_rate", rate)
        trainer = _optimizer(optimizer, rate)
        if variables is None:
            variables = list(current_store().trainable_variables)
        pairs = (trainer.compute_gradients(loss, variables) if in_graph else
                 trainer.compute_gradients(loss, variables, tape=tape))
        if gradient_noise_scale is not None:
            pairs = [(None if g is None else tf.convert_to_tensor(g) + gradient_noise_scale
                      * tf.random.truncated_normal(tf.shape(g)), v) for g, v in pairs]
        if gradient_multipliers is not None:
            pairs = multiply_gradients(pairs, gradient_multipliers)
        norms = "global_gradient_norm" in summaries or "gradient_norm" in summaries
        if norms:
            summary.scalar("global_norm/gradient_norm",
                           tf.linalg.global_norm([g for g, _ in pairs]))
        if isinstance(clip_gradients, float):
            clipped, _ = tf.clip_by_global_norm([g for g, _ in pairs], clip_gradients)
            pairs = list(zip(clipped, [v for _, v in pairs], strict=True))
        elif callable(clip_gradients):
            pairs = list(clip_gradients(pairs))
        elif clip_gradients is not None:
            raise ValueError(f"Unknown type {type(clip_gradients)} for clip_gradients")
        if "loss" in summaries:
            summary.scalar("loss", loss)
        _summarize(pairs, "gradients" in summaries, "gradient_norm" in summaries)
        if clip_gradients is not None and norms:
            summary.scalar("global_norm/clipped_gradient_norm",
                           tf.linalg.global_norm([g for g, _ in pairs]))
        counted = global_step if increment_global_step else None
        applied = trainer.apply_gradients(pairs, global_step=counted)
        with tf.control_dependencies([applied] if in_graph else []):
            return tf.identity(loss) if in_graph else loss


def _needs_function(value: Any, name: str, loop: str) -> None:
    if not callable(value):
        raise TypeError(f"{loop} calls its {name} at every step: pass a tf.function that does one "
                        f"step, not {type(value).__name__}")


def train(train_op: Callable[[], Any], logdir: str | None, *, log_every_n_steps: int = 1,
          is_chief: bool = True, global_step: Any = None, number_of_steps: int | None = None,
          init_fn: Callable[[Any], Any] | None = None, save_summaries_secs: float = 600,
          startup_delay_steps: int = 0, saver: Any = None, save_interval_secs: float = 600,
          build: Iterable[Any] = (), **ignored: Any) -> Any:
    """Calls `train_op`, a function that trains one step and gives the loss, in slim's loop.

    Goes on from the latest checkpoint in `logdir`, saves there, and writes summaries there.

    Args:
        number_of_steps: The global step at which to end; None: never.
        init_fn: Called with None (there is no session) if there is no checkpoint.
        build: Functions to trace first, so that their variables can be restored.
        ignored: What concerned graphs and sessions.

    Returns:
        The last loss.

    Raises:
        TypeError: `train_op` is no function.
        ValueError: there is no `logdir` but something to save.
    """
    _needs_function(train_op, "train_op", "train")
    if logdir is None and saver is not None:
        raise ValueError("logdir is None, so there is nowhere to save")
    step = get_or_create_global_step() if global_step is None else global_step
    saver = saver or Saver()
    writer = tf.summary.create_file_writer(logdir) if logdir else tf.summary.create_noop_writer()
    recorded = tf.Variable(False, trainable=False, name="recorded")  # read anew by each step
    with writer.as_default(step=step), tf.summary.record_if(recorded.read_value):
        for function in build:
            function.get_concrete_function()
    latest = tf.train.latest_checkpoint(logdir) if logdir else None
    if latest is not None:
        saver.restore(latest)
    elif init_fn is not None:
        init_fn(None)
    loss, saved, summarized = None, time.time(), [0.0]

    def time_to_summarize() -> bool:
        return time.time() - summarized[0] >= save_summaries_secs
    with writer.as_default(step=step):
        while number_of_steps is None or int(step) < number_of_steps:
            due, start = time_to_summarize(), time.time()
            recorded.assign(due)
            try:
                with tf.summary.record_if(recorded.read_value):
                    loss = train_op()
            except (StopIteration, tf.errors.OutOfRangeError):  # the end of the data
                break
            summarized[0] = time.time() if due else summarized[0]
            if log_every_n_steps and int(step) % log_every_n_steps == 0:
                logging.info("global step %d: loss = %.4f (%.3f sec/step)", int(step), float(loss),
                             time.time() - start)
            if logdir and time.time() - saved >= save_interval_secs:
                saver.save(os.path.join(logdir, "model.ckpt"), global_step=step)
                saved = time.time()
    if logdir and is_chief:
        saver.save(os.path.join(logdir, "model.ckpt"), global_step=step)
    return None if loss is None else np.asarray(loss)


def evaluate_once(master: Any, checkpoint_path: str, logdir: str | None, num_evals: int = 1,
                  initial_op: Any = None, initial_op_feed_dict: Any = None, eval_op: Any = None,
                  eval_op_feed_dict: Any = None, final_op: Any = None,
                  final_op_feed_dict: Any = None, summary_op: Any = None,
                  summary_op_feed_dict: Any = None, variables_to_restore: Any = None,
                  session_config: Any = None, hooks: Any = None) -> Any:
    """Restores a checkpoint, calls `eval_op` `num_evals` times and gives what `final_op` gives.

    Args:
        eval_op: A function that evaluates one batch; `final_op`: one that gives the results.

    Raises:
        TypeError: one of them is no function.
    """
    if eval_op is not None:
        _needs_function(eval_op, "eval_op", "evaluate_once")
    if final_op is not None:
        _needs_function(final_op, "final_op", "evaluate_once")
    saver = Saver(variables_to_restore)
    if current_store().variables_by_name or variables_to_restore:
        saver.restore(checkpoint_path)
        restored = True
    else:
        restored = False
    if callable(initial_op):
        initial_op()
    step = get_or_create_global_step()
    writer = tf.summary.create_file_writer(logdir) if logdir else tf.summary.create_noop_writer()
    with writer.as_default(step=step):
        for _ in range(num_evals):
            if not restored and eval_op is not None:  # the first call makes the variables
                eval_op()
                saver.restore(checkpoint_path)
                restored = True
                if callable(initial_op):
                    initial_op()
            if eval_op is not None:
                eval_op()
        result = final_op() if final_op is not None else None
    return tf.nest.map_structure(np.asarray, result) if result is not None else None


def evaluation_loop(master: Any, checkpoint_dir: str, logdir: str | None, num_evals: int = 1,
                    *, eval_interval_secs: float = 60, max_number_of_evaluations: int | None = None,
                    timeout: float | None = None, timeout_fn: Callable[[], bool] | None = None,
                    **options: Any) -> Any:
    """`evaluate_once` for every new checkpoint in `checkpoint_dir`; the last result."""
    result = None
    checkpoints: Iterator[str] = tf.train.checkpoints_iterator(
        checkpoint_dir, eval_interval_secs, timeout, timeout_fn)
    for count, path in enumerate(checkpoints, 1):
        result = evaluate_once(master, path, logdir, num_evals, **options)
        if max_number_of_evaluations is not None and count >= max_number_of_evaluations:
            break
    return result


def aggregate_metrics(*value_update_tuples: tuple[Any, Any]) -> tuple[list[Any], list[Any]]:
    """The values and the updates of metrics, each as a list. Raises ValueError if there are none."""
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples: Mapping[str, tuple[Any, Any]]
                         ) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values and the updates of metrics, each by name."""
    return ({name: value for name, (value, _) in names_to_tuples.items()},
            {name: update for name, (_, update) in names_to_tuples.items()})
