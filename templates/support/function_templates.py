"""tf.make_template: functions whose variables all calls share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from .scopes import (
    AUTO_REUSE,
    VariableScope,
    global_variables,
    local_variables,
    trainable_variables,
    variable_scope,
)


class Template:
    """`func` in a variable scope of its own, which the first call opens (or `create_scope_now`).

    What TF1's `tf.make_template` returned: call it like `func`; it knows its scope and variables.
    """

    def __init__(
        self, name: str, func: Callable[..., Any], unique_name: str | None, custom_getter: Any
    ) -> None:
        self.name, self.func = name, func
        self._unique_name, self._custom_getter = unique_name, custom_getter
        self._scope: VariableScope | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with variable_scope(self._opened(), reuse=AUTO_REUSE, custom_getter=self._custom_getter):
            return self.func(*args, **kwargs)

    def _opened(self) -> VariableScope:
        if self._scope is None:
            with variable_scope(
                    self._unique_name, default_name=self.name, auxiliary_name_scope=False) as scope:
                self._scope = scope
        return self._scope

    @property
    def variable_scope(self) -> VariableScope | None:
        """The scope of the variables, None before there is one."""
        return self._scope

    var_scope = variable_scope

    @property
    def variable_scope_name(self) -> str | None:
        """The name of the scope with a slash, None before there is one."""
        return None if self._scope is None else f"{self._scope.name}/"

    def _in_scope(self, listed: Callable[[str], list[tf.Variable]]) -> list[tf.Variable]:
        prefix = self.variable_scope_name
        return [] if prefix is None else listed(prefix)

    @property
    def global_variables(self) -> list[tf.Variable]:
        return self._in_scope(global_variables)

    @property
    def local_variables(self) -> list[tf.Variable]:
        return self._in_scope(local_variables)

    @property
    def variables(self) -> list[tf.Variable]:
        """Global and local ones, in creation order."""
        return self.global_variables + self.local_variables

    @property
    def trainable_variables(self) -> list[tf.Variable]:
        return self._in_scope(trainable_variables)

    @property
    def non_trainable_variables(self) -> list[tf.Variable]:
        trainable = {id(variable) for variable in self.trainable_variables}
        return [variable for variable in self.variables if id(variable) not in trainable]

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    """`func_` (called with `kwargs` too) in a scope of its own, its variables shared by all calls.

    `unique_name_` is the scope's name as it is, `name_` is made unique.
    """

    def with_kwargs(*args: Any, **more: Any) -> Any:
        return func_(*args, **{**kwargs, **more})

    template = Template(
        name_, with_kwargs if kwargs else func_, unique_name_, custom_getter_
    )
    if create_scope_now_:
        template._opened()
    return template


__all__ = ["Template", "make_template"]
