"""Stand-ins for what TensorFlow 2 does not have and nothing replaces.

A module can be imported that mentions such a name; using it raises NotImplementedError.
"""

from __future__ import annotations

from typing import Any


class _Missing:
    """A name that can be imported, passed on, subclassed and tested for, but not used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, member: str) -> _Missing:
        if member.startswith("__"):
            raise AttributeError(member)
        return _Missing(f"{self._name}.{member}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"{self._name} of TensorFlow 1 has no successor in TensorFlow 2; `migrator explain` "
            "with its full name says what to do instead"
        )

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type]:
        """What a class inherits that was derived from the name: it cannot be made an object."""
        return (type(self._name, (), {"__init__": self.__call__}),)

    def __instancecheck__(self, instance: Any) -> bool:
        return False

    def __subclasscheck__(self, subclass: Any) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<{self._name} of TensorFlow 1, which TensorFlow 2 does not have>"


def __getattr__(name: str) -> _Missing:
    """``from missing import name``, whatever the name."""
    if name.startswith("__"):
        raise AttributeError(name)
    return _Missing(name)
