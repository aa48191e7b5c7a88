"""Typed hyperparameters that can be set from strings: the successor of contrib.training.HParams."""
from __future__ import annotations

import json
import numbers
import re
from collections.abc import Callable, Mapping
from typing import Any

_ASSIGNMENT = re.compile(r"""
    (?P<name>[a-zA-Z][\w.]*)
    (?:\[\s*(?P<index>\d+)\s*\])?
    \s*=\s*
    (?:\[(?P<list>[^\]]*)\]|(?P<value>[^,\[]*))
    (?:$|,\s*)""", re.VERBOSE)


def _boolean(text: str) -> bool:
    words = {"true": True, "True": True, "false": False, "False": False}
    return words[text] if text in words else bool(int(text))


def parse_values(values: str, type_map: Mapping[str, Callable[[str], Any]],
                 ignore_unknown: bool = False) -> dict[str, Any]:
    """Reads "name=value, name=[value, value], name[index]=value".

    Returns:
        A value, a list, or {index: value} for each name.

    Raises:
        ValueError: the text cannot be read, a value is not of its type, a name is not in
            `type_map` (unless `ignore_unknown`), or a name is given twice.
    """
    found: dict[str, Any] = {}
    position = 0
    while position < len(values):
        match = _ASSIGNMENT.match(values, position)
        if match is None:
            raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
        position = match.end()
        name, index = match["name"], match["index"]
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError(f"Unknown hyperparameter type for {name}")
        value = _value(match, type_map[name], values)
        if index is None:
            if name in found:
                raise ValueError(f"Multiple assignments to variable '{name}' in {values}")
            found[name] = value
            continue
        if isinstance(value, list):
            raise ValueError(f"Assignment of a list to a list index: {match[0]}")
        entries = found.setdefault(name, {})
        if not isinstance(entries, dict) or int(index) in entries:
            raise ValueError(f"Multiple assignments to variable '{name}' in {values}")
        entries[int(index)] = value
    return found


def _value(match: re.Match[str], type_: Callable[[str], Any], values: str) -> Any:
    convert = _boolean if type_ is bool else type_
    try:
        if match["list"] is not None:
            parts = [part for part in re.split("[ ,]", match["list"]) if part]
            return [convert(part) for part in parts]
        return convert(match["value"])
    except ValueError as error:
        text = match["list"] if match["list"] is not None else match["value"]
        raise ValueError(f"Could not parse hyperparameter '{match['name']}' of type "
                         f"'{getattr(type_, '__name__', type_)}' with value '{text}' in {values}"
                         ) from error


def _cast(name: str, type_: type, value: Any) -> Any:
    """`value` as `type_`, if nothing is lost by it. Raises ValueError otherwise."""
    message = f"Could not cast hyperparameter '{name}' of type '{type_}' from value {value!r}"
    if type(value) is type_ or type_ is type(None):
        return value
    if issubclass(type_, (str, bytes)) and not isinstance(value, (str, bytes)):
        raise ValueError(message)
    if issubclass(type_, bool) != isinstance(value, bool):
        raise ValueError(message)
    if issubclass(type_, numbers.Integral) and not isinstance(value, numbers.Integral):
        raise ValueError(message)
    if issubclass(type_, numbers.Number) and not isinstance(value, numbers.Number):
        raise ValueError(message)
    return type_(value)


class HParams:
    """Hyperparameters as attributes; their first values decide what types they have.

        hparams = HParams(learning_rate=0.1, num_hidden_units=[100])
        hparams.parse("learning_rate=0.3")

    Raises:
        ValueError: a name is a method of this class, or a value is an empty list.
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        if hparam_def is not None:
            raise ValueError("hparam_def: give the values as keyword arguments")
        self._hparam_types: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a hyperparameter; see the class for what is raised."""
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Changes an existing hyperparameter.

        Raises:
            KeyError: there is none of that name.
            ValueError: the value does not fit its type, or is a list where it is none.
        """
        type_, is_list = self._hparam_types[name]
        if isinstance(value, list) != is_list:
            raise ValueError(f"Must {'' if is_list else 'not '}pass a list for "
                             f"{'multi' if is_list else 'single'}-valued parameter: {name}")
        setattr(self, name, [_cast(name, type_, item) for item in value] if is_list
                else _cast(name, type_, value))

    def del_hparam(self, name: str) -> None:
        """Removes a hyperparameter, if it is there."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Changes hyperparameters to what a string says; see `parse_values` and `set_hparam`."""
        types = {name: type_ for name, (type_, _) in self._hparam_types.items()}
        return self.override_from_dict(parse_values(values, types))

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> HParams:
        """Changes hyperparameters to the values of a dict; raises as `set_hparam` does."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    set_from_map = override_from_dict

    def parse_json(self, values_json: str) -> HParams:
        """Changes hyperparameters to the values of a JSON object; raises as `set_hparam` does."""
        return self.override_from_dict(json.loads(values_json))

    def to_json(self, indent: int | None = None, separators: tuple[str, str] | None = None,
                sort_keys: bool = False) -> str:
        """The hyperparameters as a JSON object."""
        return json.dumps(self.values(), indent=indent, separators=separators,
                          sort_keys=sort_keys)

    def values(self) -> dict[str, Any]:
        """The hyperparameters by name."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """The value of `key`, or `default` where there is none.

        Raises:
            ValueError: `default` is not of the hyperparameter's type.
        """
        if key not in self._hparam_types:
            return default
        type_, is_list = self._hparam_types[key]
        if default is not None:
            if isinstance(default, list) != is_list:
                raise ValueError(f"Hyperparameter '{key}' of type "
                                 f"{'list of ' if is_list else ''}{type_} is incompatible with "
                                 f"the default {default!r}")
            for item in default if is_list else [default]:
                _cast(key, type_, item)
        return getattr(self, key)

    def set_model_structure(self, model_structure: Any) -> None:
        """Keeps any object beside the hyperparameters."""
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """What `set_model_structure` was given."""
        return self._model_structure

    def __contains__(self, key: str) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.values().items())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({sorted(self.values().items())})"
