"""TOML that may come from anywhere: what the standard library's reader cannot cope with is refused."""

from __future__ import annotations

import re
import tomllib
from typing import Any

_MOST_PARTS = 500  # of a key; the reader takes memory by their square
_ENDS = re.compile(r"[,=\[\]{}\n]")


class TomlError(ValueError):
    """No TOML, or none that anybody writes; the message says why."""


def parsed(data: bytes) -> dict[str, Any]:
    """The document. Raises TomlError."""
    try:
        text = data.decode("utf-8")
        if any(part.count(".") > _MOST_PARTS for part in _ENDS.split(text)):
            raise TomlError(f"a key of over {_MOST_PARTS} parts")
        return tomllib.loads(text)
    except TomlError:
        raise
    except RecursionError as error:
        raise TomlError("nested too deeply") from error
    except ValueError as error:  # also a number of thousands of digits
        raise TomlError(str(error)[:500]) from error
