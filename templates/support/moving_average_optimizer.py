"""contrib.opt.MovingAverageOptimizer: averages beside the training, saved in the variables' place."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .checkpoint import Saver, _by_name
from .moving_averages import ExponentialMovingAverage
from .names import key_of, variable_name
from .optimizers import GradsAndVars, compute_gradients


class MovingAverageOptimizer:
    """Lets `opt` train the variables, and keeps an average of each.

    `swapping_saver` writes the averages under the variables' names, so that whoever restores the
    checkpoint without knowing about averages gets them.

    Args:
        opt: The optimizer.
        average_decay: See `ExponentialMovingAverage`.
        num_updates: See `ExponentialMovingAverage`.
        sequential_update: Kept for callers: the averages always follow the update.
    """

    def __init__(self, opt: Any, average_decay: float = 0.9999, num_updates: Any = None,
                 sequential_update: bool = True) -> None:
        self._optimizer = opt
        self._ema = ExponentialMovingAverage(average_decay, num_updates)
        self._trained: dict[int, Any] = {}

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> GradsAndVars:
        """As the optimizer's own."""
        compute = getattr(self._optimizer, "compute_gradients", compute_gradients)
        return compute(loss, *args, **kwargs)

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None,
                        name: str | None = None) -> Any:
        """Updates the variables, then their averages."""
        pairs = [(gradient, variable) for gradient, variable in grads_and_vars
                 if gradient is not None]
        variables = [variable for _, variable in pairs]
        self._ema.build(variables)
        result = self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
        self._ema.apply(variables)
        self._trained.update((key_of(variable), variable) for variable in variables)
        return result

    def minimize(self, loss: Any, global_step: Any = None, var_list: Any = None,
                 **kwargs: Any) -> Any:
        """`compute_gradients`, then `apply_gradients`."""
        return self.apply_gradients(self.compute_gradients(loss, var_list, **kwargs), global_step)

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver",
                       **kwargs: Any) -> Saver:
        """A `Saver` for which variables and averages have changed places.

        Args:
            var_list: Variables (a list, or a dict by name); default: those of the store, with
                their averages.

        Raises:
            RuntimeError: nothing was trained yet.
            ValueError: `var_list` has a variable without its average.
        """
        if not self._trained:
            raise RuntimeError("Must call apply_gradients or minimize before creating the "
                               "swapping_saver")
        found = dict(_by_name(var_list))
        names = {key_of(variable): label for label, variable in found.items()}
        if var_list is None:
            for key, variable in self._trained.items():
                label = names.get(key, variable_name(variable))
                found[f"{label}/{self._ema.name}"] = self._ema.average(variable)
                found.setdefault(label, variable)
            names = {key_of(variable): label for label, variable in found.items()}
        for key, variable in self._trained.items():
            average = self._ema.average(variable)
            label, of_average = names.get(key), names.get(key_of(average))
            if label is None and of_average is None:
                continue
            if label is None or of_average is None:
                missing = variable if label is None else average
                raise ValueError(f"Variable to swap {variable_name(missing)} is not part of "
                                 "variables to save. This breaks MovingAverageOptimizer.")
            found[label], found[of_average] = average, variable
        return Saver(found, name=name, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "_optimizer":
            raise AttributeError(name)
        return getattr(self._optimizer, name)
