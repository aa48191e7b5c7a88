"""Flags that are parsed when the first of them is read, as TensorFlow 1's were; absl's own raise then."""

from __future__ import annotations

import sys
from typing import Any

from absl import flags


class _FlagValues:
    """absl's flags, which parse the command line themselves if a value is asked for before."""

    def __init__(self, values: flags.FlagValues) -> None:
        self.__dict__["_values"] = values

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__["_values"]
        if name in values and not values.is_parsed():
            values(sys.argv)
        return getattr(values, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["_values"], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self.__dict__["_values"], name)

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["_values"])

    def __getitem__(self, name: str) -> Any:
        return self.__dict__["_values"][name]

    def __setitem__(self, name: str, flag: Any) -> None:
        self.__dict__["_values"][name] = flag

    def __contains__(self, name: str) -> bool:
        return name in self.__dict__["_values"]

    def __len__(self) -> int:
        return len(self.__dict__["_values"])

    def __iter__(self) -> Any:
        return iter(self.__dict__["_values"])

    def __str__(self) -> str:
        return str(self.__dict__["_values"])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__dict__["_values"](*args, **kwargs)


FLAGS = _FlagValues(flags.FLAGS)
