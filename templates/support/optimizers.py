"""TF 1's optimizers as Keras 3 optimizers: same updates, same slot names, any learning rate.

Keras' own optimizers differ from TF 1's in defaults and in arithmetic (RMSProp starts its
accumulator at 0 instead of 1, Adam and Adadelta use another epsilon, momentum folds the learning
rate into the velocity).  These call the very kernels TF 1 called (`tf.raw_ops.ResourceApply*`) for
dense gradients, and spell the same arithmetic out for the touched rows of `tf.IndexedSlices`, so
that they also compile under `tf.function(jit_compile=True)`.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from .devices import beside
from .names import key_of, outside_traces, register_state, variable_name
from .optimizer_hooks import OptimizerHooks
from .store import GraphKeys, current_run

Tensor = Any  # tf.Tensor
Variable = Any  # tf.Variable or keras.Variable
Slots = list[Any]  # variables when updating, tensors when computing rows
Rows = tuple[Any, ...]  # tensors: the variable's rows, then its slots'
GradsAndVars = list[tuple[Any, Variable]]


def sum_duplicate_rows(slices: tf.IndexedSlices) -> tuple[tf.Tensor, tf.Tensor]:
    """(values, indices) of `slices` with every index once, values of equal indices added up."""
    indices, position = tf.unique(slices.indices)
    values = tf.math.unsorted_segment_sum(slices.values, position, tf.size(indices))
    return values, indices


def compute_gradients(
    loss: Any, var_list: Iterable[Variable] | None = None, tape: tf.GradientTape | None = None,
    grad_loss: Any = None,
) -> GradsAndVars:
    """Pairs (gradient, variable), as TF 1's `Optimizer.compute_gradients` listed them.

    Args:
        loss: A tensor recorded by `tape` or traced by the `tf.function` around the call, or a
            function without arguments that computes it.
        var_list: The variables; default: all trainable variables the loss read (without a tape:
            those of the current store).
        tape: The tape that recorded `loss`.  Not needed for a function or inside a trace.
        grad_loss: The gradient of some other value with respect to `loss`, in the shape of `loss`.

    Raises:
        ValueError: `loss` is an eager tensor and there is no tape.
    """
    if callable(loss):
        with tf.GradientTape() as tape:
            loss = loss()
    elif tape is None and tf.inside_function():
        variables = list(_trainable() if var_list is None else var_list)
        sources = [getattr(v, "value", v) if isinstance(v, tf.keras.Variable) else v
                   for v in variables]
        with current_run().gathered():
            return list(zip(tf.gradients(loss, sources, grad_loss), variables, strict=True))
    elif tape is None:
        raise ValueError("compute_gradients of a loss tensor needs the tape that recorded it; "
                         "or pass a function that computes the loss")
    variables = list(tape.watched_variables() if var_list is None else var_list)
    sources = [getattr(v, "value", v) if isinstance(v, tf.keras.Variable) else v
               for v in variables]
    gradients = tape.gradient(loss, sources, output_gradients=grad_loss)
    return list(zip(gradients, variables, strict=True))


def _trainable() -> Sequence[Variable]:
    run = current_run()
    return (run.get_collection(GraphKeys.TRAINABLE_VARIABLES) if run.builds
            else run.store.trainable_variables)


def _as_learning_rate(value: Any) -> Any:
    """`value` in a form Keras takes: float, schedule or function, never frozen by a trace."""
    if callable(value):  # a function, a Keras schedule, a schedules.LearningRate
        return value
    if isinstance(value, (tf.Variable, tf.keras.Variable)):
        return lambda: tf.convert_to_tensor(value)
    if isinstance(value, tf.Tensor):  # one of a trace: the optimizer is used in that trace only
        return lambda: value
    return float(value)


class _Variables(list[Any]):
    """Keras's `optimizer.variables`; a call gives what TF 1's `optimizer.variables()` gave: its state in
    the order of its names, of a graph the variables of that."""

    state: Callable[[], Mapping[str, Any]]

    def __call__(self) -> list[Any]:
        state = self.state()
        return [_of_graph(state[name]) for name in sorted(state, key=lambda name: f"{name}:0")]


def _of_graph(variable: Any) -> Any:
    """What a variable of Keras's is in the graph that is being built."""
    return variable.value if current_run().builds and isinstance(variable, tf.keras.Variable) else variable


class Optimizer(OptimizerHooks, tf.keras.optimizers.Optimizer):
    """Base of the TF 1 optimizers.

    A subclass names its per-variable state in `slots` (in the order in which TF 1 created it),
    and implements `_update_dense` and `_update_rows`; or it has the methods that TF 1 asked of
    subclasses (`OptimizerHooks`).  State is created when a variable is first
    seen, so one optimizer can serve several lists of variables.  Where a graph is being built, an
    update is an operation of it.

    Args:
        learning_rate: A number, tensor, variable, Keras schedule or function without arguments.
            Subclasses that people wrote gave `use_locking` here, and keep their rate themselves.
        name: TF 1's name of the optimizer: names its state in TF 1 checkpoints.
    """

    slots: tuple[str, ...] = ()

    def __init__(self, learning_rate: Any = 0.0, name: str = "Optimizer",
                 use_locking: bool = False) -> None:
        with outside_traces():  # Keras makes a variable that counts the updates
            super().__init__(learning_rate=_as_learning_rate(learning_rate),
                             name=name.replace("/", "_"))
        current_run().hide(super().variables)
        self.given_rate = learning_rate
        self._tf1_name = self._name = name
        self._begin(None)
        register_state(self)

    def _begin(self, run: Any) -> None:
        """No state: each graph that is being built, with its `run`, has its own."""
        self._graphs_run = run
        self._own_slots, self._own_labels, self._scalars = {}, {}, {}
        self._known: dict[int, int] = {}
        self._below: dict[int, str] = {}  # the variable scope in which a variable's state was made
        self._scalars_below = ""  # and the name scope of what belongs to no variable
        self._known_variables: list[Variable] = []
        self._slots: dict[str, list[Variable]] = {}

    # ---- state -------------------------------------------------------------------------------
    @property
    def state_label(self) -> str:
        """The end of the names of its state in a TF 1 checkpoint."""
        return self.slot_label(self.slots[0]) if self.slots else self._tf1_name

    def _slot_value(self, slot: str) -> float:
        """The number a new slot is filled with."""
        return 0.0

    def initial_slot(self, slot: str) -> Callable[..., tf.Tensor]:
        """What a new slot is filled with, by shape and dtype."""
        # not keras.initializers.Constant: it rounds to float32 on the way to float64
        return lambda shape, dtype: tf.fill(shape, tf.constant(self._slot_value(slot), dtype))

    def slot_label(self, slot: str) -> str:
        """The last component of the slot's name in a TF 1 checkpoint."""
        return self._tf1_name

    def initial_scalars(self) -> dict[str, float]:
        """State that belongs to no variable, by its name in a TF 1 checkpoint."""
        return {}

    def _scalar(self, name: str) -> Variable:
        return self._scalars[name]

    @tf.autograph.experimental.do_not_convert
    def build(self, variables: Iterable[Variable]) -> None:
        """Creates the state of those `variables` that have none yet."""
        if current_run().builds and self._graphs_run is not current_run():
            self._begin(current_run())
            current_run().hide(super().variables)
        new = [v for v in variables if key_of(v) not in self._known]
        for slot in self.slots:
            if slot not in self._slots:
                self._slots[slot] = []
        if not self._scalars:
            self._scalars_below = current_run().open_name_scope()
            with outside_traces():
                for name, value in self.initial_scalars().items():
                    self._scalars[name] = self.add_variable(
                        (), name=name, dtype="float32", aggregation="only_first_replica",
                        initializer=tf.keras.initializers.Constant(value))
                    current_run().made_scalar(
                        self._scalars_below + name, self._scalars[name].value,
                        functools.partial(tf.constant, value))
        below = f"{current_run().scope.name}/".lstrip("/")
        if new:
            self.create_own_slots(new)
        with outside_traces():
            for variable in new:
                self._below[key_of(variable)] = below
                self._known[key_of(variable)] = len(self._known_variables)
                self._known_variables.append(variable)
                with beside(variable):
                    for slot in self.slots:
                        named = f"{variable_name(variable)}/{self.slot_label(slot)}"
                        known = current_run().shared_slot(named)
                        if hasattr(known, "slot"):
                            self._slots[slot].append(known.slot)
                            continue
                        initial = self.initial_slot(slot)
                        made = self.add_variable_from_reference(
                            variable, name=slot, initializer=initial)
                        made.value.slot = made
                        self._slots[slot].append(made)
                        current_run().made_slot(
                            f"{below}{named}", made.value,
                            functools.partial(initial, variable.shape, variable.dtype))
            super().build(list(self._known_variables))

    @property
    def variables(self) -> _Variables:
        found = _Variables(super().variables)
        found.state = self.tf1_variables
        return found

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2  # what gradients waited for; nothing to choose now

    def get_slot(self, variable: Variable, name: str) -> Variable | None:
        """The state called `name` (one of `slots`) of `variable`, if there is any."""
        # There is no get_slot_names(): tf.train.Checkpoint would take it as a sign of optimizers
        # that do not track their state themselves.
        own = self.own_slot(variable, name)
        if own is not None:
            return own
        index = self._known.get(key_of(variable))
        return None if index is None or name not in self.slots else _of_graph(self._slots[name][index])

    def get_name(self) -> str:
        return self._tf1_name

    def tf1_variables(self, names: Mapping[str, Variable] | None = None) -> dict[str, Variable]:
        """The optimizer's state by the names it has in a TF 1 checkpoint.

        TF 1 called the state of `w` `w/<optimizer>`, `w/<optimizer>_1`, ... in order of creation,
        below the variable scope that was open then.

        Args:
            names: The variables whose state is wanted, by TF 1 name; default: all that were
                trained, by the names they have now.
        """
        tf1_names = {key_of(v): n for n, v in (names or {}).items()}
        found: dict[str, Variable] = {
            **{self._scalars_below + name: v for name, v in self._scalars.items()},
            **self.own_variables(),
        }
        for key, index in self._known.items():
            if names is not None and key not in tf1_names:
                continue  # trained elsewhere: another graph may have variables of the same names
            base = tf1_names.get(key) or variable_name(self._known_variables[index])
            for slot in self.slots:
                label = stem = f"{self._below[key]}{base}/{self.slot_label(slot)}"
                count = 0
                while label in found:
                    count += 1
                    label = f"{stem}_{count}"
                found[label] = self._slots[slot][index]
        return found

    # ---- training ----------------------------------------------------------------------------
    def compute_gradients(self, loss: Any, var_list: Iterable[Variable] | None = None,
                          gate_gradients: int = GATE_OP, aggregation_method: Any = None,
                          colocate_gradients_with_ops: bool = False, grad_loss: Any = None,
                          tape: tf.GradientTape | None = None) -> GradsAndVars:
        """See the function `compute_gradients`; how gradients are gated, added up and placed is
        up to TensorFlow."""
        return compute_gradients(loss, var_list, tape, grad_loss)

    @tf.autograph.experimental.do_not_convert
    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Variable]],
                        global_step: Variable | None = None, name: str | None = None) -> Any:
        """Updates the variables, then adds 1 to `global_step`; pairs without gradient are skipped.

        Gives the number of steps; in a trace as a tensor, which `tf.group` takes.

        Raises:
            ValueError: no pair has a gradient.
        """
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise ValueError("No gradients provided for any variable: "
                             f"{[variable_name(v) for _, v in grads_and_vars]}")
        if not current_run().trains:
            return self._steps()
        self.build([v for _, v in pairs])  # the state is called as if it were made around the call
        apply = super().apply_gradients

        def update() -> Any:
            result = apply(pairs)
            if global_step is not None:
                global_step.assign_add(1)
            return self._steps() if isinstance(result, tf.keras.Variable) else result

        return current_run().effect(update, name or self._tf1_name, [
            value for value in (self.given_rate, *(g for g, _ in pairs)) if tf.is_tensor(value)])

    def _steps(self) -> Any:
        return self.iterations if tf.executing_eagerly() else tf.convert_to_tensor(self.iterations)

    def minimize(self, loss: Any, global_step: Variable | None = None,
                 var_list: Iterable[Variable] | None = None, gate_gradients: int = GATE_OP,
                 aggregation_method: Any = None, colocate_gradients_with_ops: bool = False,
                 name: str | None = None, grad_loss: Any = None, *,
                 tape: tf.GradientTape | None = None) -> Any:
        """`compute_gradients`, then `apply_gradients`."""
        given: dict[str, Any] = {} if tape is None else {"tape": tape}
        for option, value, default in (
            ("gate_gradients", gate_gradients, self.GATE_OP),
            ("aggregation_method", aggregation_method, None),
            ("colocate_gradients_with_ops", colocate_gradients_with_ops, False),
            ("grad_loss", grad_loss, None),
        ):
            if value is not default:  # subclasses may know fewer
                given[option] = value
        pairs = self.compute_gradients(loss, var_list=var_list, **given)
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def apply(self, grads: Sequence[Any],
              trainable_variables: Iterable[Variable] | None = None) -> None:
        if trainable_variables is not None:
            trainable_variables = list(trainable_variables)
            self.build(trainable_variables)
        prepare, finish = (getattr(self, name, None) for name in ("_prepare", "_finish"))
        if prepare is not None:
            prepare()
        super().apply(grads, trainable_variables)
        if finish is not None:
            finish([], self._tf1_name)
        self.end_step()

    def end_step(self) -> None:
        """Runs once after all variables of a step were updated."""

    def update_step(self, gradient: Any, variable: tf.Variable, learning_rate: Any) -> None:
        if self.applies_itself:
            if isinstance(gradient, tf.IndexedSlices):
                values, indices = sum_duplicate_rows(gradient)
                gradient = tf.IndexedSlices(values, indices, gradient.dense_shape)
            self.apply_own(gradient, variable)
            return
        rate = tf.cast(learning_rate, variable.dtype)
        index = self._get_variable_index(variable)  # also of one replica's part of a variable
        slots = [self._slots[slot][index].value for slot in self.slots]
        if isinstance(gradient, tf.IndexedSlices):
            values, indices = sum_duplicate_rows(gradient)
            self._update_sparse(tf.cast(values, variable.dtype), indices, variable, slots, rate)
        else:
            self._update_dense(tf.cast(gradient, variable.dtype), variable, slots, rate)

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        raise NotImplementedError

    def _update_sparse(self, gradient: Tensor, indices: Tensor, variable: Variable,
                       slots: Slots, rate: Tensor) -> None:
        """Updates only the rows at `indices` (each once) of the variable and of its slots."""
        state = [variable, *slots]
        rows = [tf.gather(v, indices) for v in state]
        updated = self._update_rows(gradient, rows[0], rows[1:], rate)
        for v, new in zip(state, updated, strict=True):
            v.scatter_update(tf.IndexedSlices(new, indices))

    def _update_rows(self, gradient: Tensor, value: Tensor, slots: Slots,
                     rate: Tensor) -> Rows:
        """New values of (variable, *slots)."""
        raise NotImplementedError

    def _hyper(self, value: Any, like: Any) -> tf.Tensor:
        """A hyperparameter in the dtype of `like`; by way of float32 if a number, as in TF 1."""
        return tf.cast(value() if callable(value) else tf.convert_to_tensor(value), like.dtype)

    def get_config(self) -> dict[str, Any]:
        return {"learning_rate": super().get_config()["learning_rate"], "name": self._tf1_name}


class GradientDescentOptimizer(Optimizer):
    """variable -= learning_rate * gradient."""

    def __init__(self, learning_rate: Any, use_locking: bool = False,
                 name: str = "GradientDescent") -> None:
        super().__init__(learning_rate, name)

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        tf.raw_ops.ResourceApplyGradientDescent(var=variable.handle, alpha=rate, delta=gradient)

    def _update_sparse(self, gradient: Tensor, indices: Tensor, variable: Variable,
                       slots: Slots, rate: Tensor) -> None:
        variable.scatter_sub(tf.IndexedSlices(rate * gradient, indices))


class MomentumOptimizer(Optimizer):
    """accumulator = momentum * accumulator + gradient; variable -= learning_rate * accumulator."""

    slots = ("momentum",)

    def __init__(self, learning_rate: Any, momentum: Any, use_locking: bool = False,
                 name: str = "Momentum", use_nesterov: bool = False) -> None:
        super().__init__(learning_rate, name)
        self._momentum, self._use_nesterov = momentum, use_nesterov

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        tf.raw_ops.ResourceApplyMomentum(
            var=variable.handle, accum=slots[0].handle, lr=rate, grad=gradient,
            momentum=self._hyper(self._momentum, gradient), use_nesterov=self._use_nesterov)

    def _update_rows(self, gradient: Tensor, value: Tensor, slots: Slots,
                     rate: Tensor) -> Rows:
        momentum = self._hyper(self._momentum, gradient)
        accumulator = momentum * slots[0] + gradient
        step = gradient + momentum * accumulator if self._use_nesterov else accumulator
        return value - rate * step, accumulator

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "momentum": self._momentum,
                "use_nesterov": self._use_nesterov}


class RMSPropOptimizer(Optimizer):
    """Divides by a running root mean square that starts at 1, not at 0 as Keras' does.

    With `centered`, the running variance is used instead of the mean square.
    """

    def __init__(self, learning_rate: Any, decay: Any = 0.9, momentum: Any = 0.0,
                 epsilon: Any = 1e-10, use_locking: bool = False, centered: bool = False,
                 name: str = "RMSProp") -> None:
        super().__init__(learning_rate, name)
        self.slots = ("rms", "mg", "momentum") if centered else ("rms", "momentum")
        self._decay, self._momentum, self._epsilon = decay, momentum, epsilon
        self._centered = centered

    def _slot_value(self, slot: str) -> float:
        return 1.0 if slot == "rms" else 0.0

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        common = {"var": variable.handle, "ms": slots[0].handle, "mom": slots[-1].handle,
                  "lr": rate, "grad": gradient, "rho": self._hyper(self._decay, gradient),
                  "momentum": self._hyper(self._momentum, gradient),
                  "epsilon": self._hyper(self._epsilon, gradient)}
        if self._centered:
            tf.raw_ops.ResourceApplyCenteredRMSProp(mg=slots[1].handle, **common)
        else:
            tf.raw_ops.ResourceApplyRMSProp(**common)

    def _update_rows(self, gradient: Tensor, value: Tensor, slots: Slots,
                     rate: Tensor) -> Rows:
        decay = self._hyper(self._decay, gradient)
        mean_square = slots[0] + (tf.square(gradient) - slots[0]) * (1 - decay)
        variance, kept = mean_square, [mean_square]
        if self._centered:
            mean = slots[1] + (gradient - slots[1]) * (1 - decay)
            variance, kept = mean_square - tf.square(mean), [mean_square, mean]
        step = (self._hyper(self._momentum, gradient) * slots[-1]
                + rate * gradient * tf.math.rsqrt(variance + self._hyper(self._epsilon, gradient)))
        return (value - step, *kept, step)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "decay": self._decay, "momentum": self._momentum,
                "epsilon": self._epsilon, "centered": self._centered}


class AdamOptimizer(Optimizer):
    """Adam with TF 1's epsilon (1e-8, outside of the bias correction).

    A sparse gradient decays the moments of all rows and moves all rows, as in TF 1; see
    `LazyAdamOptimizer` for one that only touches the rows that were used.
    """

    slots = ("m", "v")

    def __init__(self, learning_rate: Any = 0.001, beta1: Any = 0.9, beta2: Any = 0.999,
                 epsilon: Any = 1e-8, use_locking: bool = False, name: str = "Adam") -> None:
        super().__init__(learning_rate, name)
        self._beta1, self._beta2, self._epsilon = beta1, beta2, epsilon

    def initial_scalars(self) -> dict[str, float]:
        """beta1 and beta2 to the power of the coming step."""
        return {name: float(beta() if callable(beta) else beta)
                for name, beta in (("beta1_power", self._beta1), ("beta2_power", self._beta2))}

    @property
    def _powers(self) -> list[Variable]:
        return [self._scalar(name) for name in self.initial_scalars()]

    def _get_beta_accumulators(self) -> tuple[Variable, ...]:
        return tuple(self._powers)

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle, m=slots[0].handle, v=slots[1].handle,
            beta1_power=tf.cast(self._powers[0], gradient.dtype),
            beta2_power=tf.cast(self._powers[1], gradient.dtype), lr=rate,
            beta1=self._hyper(self._beta1, gradient), beta2=self._hyper(self._beta2, gradient),
            epsilon=self._hyper(self._epsilon, gradient), grad=gradient)

    def _corrected(self, rate: tf.Tensor) -> tf.Tensor:
        """The learning rate with the bias corrections of both moments in it."""
        power1, power2 = (tf.cast(power, rate.dtype) for power in self._powers)
        return rate * tf.sqrt(1 - power2) / (1 - power1)

    def _update_sparse(self, gradient: Tensor, indices: Tensor, variable: Variable,
                       slots: Slots, rate: Tensor) -> None:
        beta1, beta2 = (self._hyper(b, gradient) for b in (self._beta1, self._beta2))
        for slot, beta, value in zip(slots, (beta1, beta2), (gradient, tf.square(gradient)),
                                     strict=True):
            slot.assign(slot * beta)
            slot.scatter_add(tf.IndexedSlices(value * (1 - beta), indices))
        variable.assign_sub(self._corrected(rate) * slots[0]
                            / (tf.sqrt(slots[1]) + self._hyper(self._epsilon, gradient)))

    def end_step(self) -> None:
        for power, beta in zip(self._powers, (self._beta1, self._beta2), strict=False):
            power.assign(power * self._hyper(beta, power))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "beta1": self._beta1, "beta2": self._beta2,
                "epsilon": self._epsilon}


class AdagradOptimizer(Optimizer):
    """Divides by the root of the sum of squares, which starts at `initial_accumulator_value`."""

    slots = ("accumulator",)

    def __init__(self, learning_rate: Any, initial_accumulator_value: float = 0.1,
                 use_locking: bool = False, name: str = "Adagrad") -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(learning_rate, name)
        self._initial_accumulator_value = initial_accumulator_value

    def _slot_value(self, slot: str) -> float:
        return self._initial_accumulator_value

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        tf.raw_ops.ResourceApplyAdagrad(var=variable.handle, accum=slots[0].handle, lr=rate,
                                        grad=gradient)

    def _update_rows(self, gradient: Tensor, value: Tensor, slots: Slots,
                     rate: Tensor) -> Rows:
        accumulator = slots[0] + tf.square(gradient)
        return value - rate * gradient * tf.math.rsqrt(accumulator), accumulator

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(),
                "initial_accumulator_value": self._initial_accumulator_value}


class AdadeltaOptimizer(Optimizer):
    """Adadelta with TF 1's defaults (learning rate 0.001, epsilon 1e-8)."""

    slots = ("accum", "accum_update")

    def __init__(self, learning_rate: Any = 0.001, rho: Any = 0.95, epsilon: Any = 1e-8,
                 use_locking: bool = False, name: str = "Adadelta") -> None:
        super().__init__(learning_rate, name)
        self._rho, self._epsilon = rho, epsilon

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        tf.raw_ops.ResourceApplyAdadelta(
            var=variable.handle, accum=slots[0].handle, accum_update=slots[1].handle, lr=rate,
            rho=self._hyper(self._rho, gradient), epsilon=self._hyper(self._epsilon, gradient),
            grad=gradient)

    def _update_rows(self, gradient: Tensor, value: Tensor, slots: Slots,
                     rate: Tensor) -> Rows:
        rho, epsilon = self._hyper(self._rho, gradient), self._hyper(self._epsilon, gradient)
        accum = rho * slots[0] + (1 - rho) * tf.square(gradient)
        step = tf.sqrt(slots[1] + epsilon) * tf.math.rsqrt(accum + epsilon) * gradient
        return value - rate * step, accum, rho * slots[1] + (1 - rho) * tf.square(step)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "rho": self._rho, "epsilon": self._epsilon}
