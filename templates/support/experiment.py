"""tf.contrib.learn's Experiment: an estimator with its inputs, to train, evaluate and export."""
from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .estimator import (
    Estimator,
    EvalSpec,
    Exporter,
    LatestExporter,
    ServingInputReceiver,
    TrainSpec,
    train_and_evaluate,
)


class ExportStrategy(NamedTuple):
    """A named way to export a model: `export_fn(estimator, export_path, ...)` writes it.

    `export_fn` may take `checkpoint_path`, `eval_result` and `strip_default_attrs` too.
    """

    name: str
    export_fn: Callable[..., Any]
    strip_default_attrs: bool | None = None

    def export(self, estimator: Estimator, export_path: str, checkpoint_path: str | None = None,
               eval_result: Mapping[str, Any] | None = None) -> Any:
        """What `export_fn` returns: the path of the export."""
        offered = {"checkpoint_path": checkpoint_path, "eval_result": eval_result,
                   "strip_default_attrs": self.strip_default_attrs}
        taken = inspect.signature(self.export_fn).parameters
        return self.export_fn(estimator, export_path,
                              **{key: value for key, value in offered.items() if key in taken})


def make_export_strategy(
    serving_input_fn: Callable[[], ServingInputReceiver],
    default_output_alternative_key: str | None = None,
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """A strategy called "Servo" that writes a SavedModel and keeps the newest ones.

    Raises:
        ValueError: `default_output_alternative_key` is given, which tf.estimator has no use for.
    """
    if default_output_alternative_key is not None:
        raise ValueError("default_output_alternative_key is not supported by tf.estimator: "
                         f"{default_output_alternative_key}")
    exporter = LatestExporter("Servo", serving_input_fn, assets_extra, as_text, exports_to_keep)

    def export_fn(estimator: Estimator, export_dir_base: str, checkpoint_path: str | None = None
                  ) -> str | None:
        path = checkpoint_path or str(estimator.latest_checkpoint())
        return exporter.export(estimator, export_dir_base, path, {}, True)

    return ExportStrategy("Servo", export_fn, strip_default_attrs)


class _Strategy(Exporter):
    """An ExportStrategy as an exporter of `train_and_evaluate`."""

    def __init__(self, strategy: ExportStrategy) -> None:
        self.name, self._strategy = strategy.name, strategy

    def export(self, estimator: Estimator, export_path: str, checkpoint_path: str,
               eval_result: Mapping[str, Any], is_the_final_export: bool) -> str | None:
        return self._strategy.export(estimator, export_path, checkpoint_path, eval_result)


class Experiment:
    """Trains and evaluates `estimator` on its two inputs, in one process.

    Delays and settings of distributed runs are taken and have no effect.
    """

    def __init__(
        self,
        estimator: Estimator,
        train_input_fn: Callable[..., Any],
        eval_input_fn: Callable[..., Any],
        eval_metrics: Any = None,
        train_steps: int | None = None,
        eval_steps: int | None = 100,
        train_monitors: Sequence[Any] | None = None,
        eval_hooks: Sequence[Any] | None = None,
        local_eval_frequency: int | None = None,
        eval_delay_secs: float = 120,
        continuous_eval_throttle_secs: float = 60,
        min_eval_frequency: int | None = None,
        delay_workers_by_global_step: bool = False,
        export_strategies: ExportStrategy | Sequence[ExportStrategy] | None = None,
        train_steps_per_iteration: int | None = None,
        checkpoint_and_export: bool = False,
        saving_listeners: Sequence[Any] | None = None,
        check_interval_secs: float = 5,
    ) -> None:
        if eval_metrics is not None:
            raise ValueError("eval_metrics must be None: a tf.estimator gives its own metrics")
        self.estimator = estimator
        self.train_steps, self.eval_steps = train_steps, eval_steps
        self._train_input_fn, self._eval_input_fn = train_input_fn, eval_input_fn
        self._train_hooks, self._eval_hooks = list(train_monitors or ()), list(eval_hooks or ())
        self._listeners = list(saving_listeners or ())
        self._throttle = continuous_eval_throttle_secs
        self._strategies: list[ExportStrategy] = []
        self.reset_export_strategies(export_strategies)

    def extend_train_hooks(self, additional_hooks: Sequence[Any]) -> None:
        """More hooks for training."""
        self._train_hooks.extend(additional_hooks)

    def reset_export_strategies(
        self, new_export_strategies: ExportStrategy | Sequence[ExportStrategy] | None = None
    ) -> list[ExportStrategy]:
        """Takes other strategies; gives the ones before."""
        before = self._strategies
        if isinstance(new_export_strategies, ExportStrategy):
            new_export_strategies = [new_export_strategies]
        self._strategies = list(new_export_strategies or ())
        return before

    def train(self, delay_secs: float | None = None) -> Estimator:
        """Trains until `train_steps`."""
        del delay_secs
        return self.estimator.train(self._train_input_fn, self._train_hooks,
                                    max_steps=self.train_steps, saving_listeners=self._listeners)

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> dict[str, Any]:
        """The metrics on the evaluation's input."""
        del delay_secs
        return self.estimator.evaluate(self._eval_input_fn, self.eval_steps, self._eval_hooks,
                                       name=name)

    def train_and_evaluate(self) -> tuple[dict[str, Any] | None, list[Any]]:
        """Trains, evaluates after checkpoints and at the end, and exports.

        Returns:
            The last evaluation's results, and what the strategies' exports gave.
        """
        return train_and_evaluate(
            self.estimator,
            TrainSpec(self._train_input_fn, self.train_steps, self._train_hooks, self._listeners),
            EvalSpec(self._eval_input_fn, self.eval_steps, hooks=self._eval_hooks,
                     exporters=[_Strategy(strategy) for strategy in self._strategies],
                     throttle_secs=self._throttle))

    local_run = train_and_evaluate

    def test(self) -> tuple[dict[str, Any], list[Any]]:
        """One step of training, of evaluation and of every export, to see that they run."""
        self.estimator.train(self._train_input_fn, self._train_hooks, steps=1,
                             saving_listeners=self._listeners)
        results = self.estimator.evaluate(self._eval_input_fn, 1, self._eval_hooks)
        folder = os.path.join(str(self.estimator.model_dir), "export")
        checkpoint = self.estimator.latest_checkpoint()
        return results, [
            strategy.export(self.estimator, os.path.join(folder, strategy.name), checkpoint, results)
            for strategy in self._strategies]
