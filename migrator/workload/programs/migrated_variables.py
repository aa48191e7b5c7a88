"""The variables of a migrated repository by TF 1's names: those of its store, and others that it makes."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any


class MigratedVariables:
    """What the repository's code makes from here on, until the process ends.

    Names are those of `tf1_support`'s store, where the code keeps one; a variable that is TensorFlow's own is
    called as it was made, with `_1`, `_2`, … where a name comes again, as in a graph of TF 1.
    """

    def __init__(self) -> None:
        import tensorflow as tf

        try:  # not scopes: a repository has only the parts of it that its code names
            found = importlib.import_module("tf1_support.store")
        except ModuleNotFoundError as error:
            if error.name not in ("tf1_support", "tf1_support.store"):
                raise
            self.store: Any = None
        else:  # without variables by name, its stores have no more than these need
            self.store = found.VariableStore() if hasattr(found.VariableStore, "as_default") else None
        self._made: list[Any] = []
        self._creating = tf.variable_creator_scope(self._keep)  # it ends where nothing holds it
        self._creating.__enter__()

    def _keep(self, make: Any, **arguments: Any) -> Any:
        variable = make(**arguments)
        self._made.append(variable)
        return variable

    @contextlib.contextmanager
    def run(self, apply_updates: bool = False) -> Iterator[None]:
        """One execution; `apply_updates` moves the statistics of batch normalisation, too."""
        if self.store is None:
            yield
            return
        with self.store.as_default(), self.store.run(apply_updates=apply_updates):
            yield

    @property
    def by_name(self) -> dict[str, Any]:
        """{name: variable}, in the order in which they were made."""
        found = {} if self.store is None else dict(self.store.variables_by_name)
        for variable in () if found else self._made:  # a program has a store, or does without one
            base = name = variable.name.partition(":")[0]
            count = 0
            while name in found:
                count += 1
                name = f"{base}_{count}"
            found[name] = variable
        return found

    @property
    def trained(self) -> list[Any]:
        """All that are trained, once each: what a store keeps may have variables that it has no names for,
        and a layer gives those with names a second time, as Keras' own."""
        import tensorflow as tf

        if self.store is None or not self.store.variables_by_name:
            return [v for v in self.by_name.values() if v.trainable]
        found: dict[int, Any] = {}
        for variable in self.store.trainable_variables:
            held = variable.value if isinstance(variable, tf.keras.Variable) else variable
            found.setdefault(id(held), variable)
        return list(found.values())

    @property
    def trainable(self) -> dict[str, Any]:
        """Those of `by_name` that are trained."""
        chosen = {id(v) for v in self.trained}
        return {k: v for k, v in self.by_name.items() if id(v) in chosen}

    def restore(self, path: str) -> list[str]:
        """Gives variables what a TF 1 checkpoint has by their names; the names that it lacks."""
        import tensorflow as tf

        variables = self.by_name
        reader = tf.train.load_checkpoint(path)
        known = reader.get_variable_to_shape_map()
        for name, variable in variables.items():
            if name in known:
                variable.assign(tf.cast(reader.get_tensor(name), variable.dtype))
        return [name for name in variables if name not in known]
