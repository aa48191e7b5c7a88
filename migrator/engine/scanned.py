"""What the first look at a file keeps of it: cheap to import, to send and to store."""

from __future__ import annotations

import re
from dataclasses import dataclass

from migrator.analysis.module_summary import ModuleSummary
from migrator.model import FileResult

SUPPORT_PACKAGE = "tf1_support"
# An import of TensorFlow, or of the Keras that ran on it, also in Python 2 and inside of functions.
# Also behind other imports of its line, a colon or a form feed; not in comments and strings.
_IMPORTS = re.compile(
    r"""^[^#\n'"]*\b(?:import|from)[ \t]+(?:[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*,[ \t]*)*"""
    r"(?:tensorflow|tf_slim|tf1_support|keras)\b",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Scanned:
    """One file after the first look.

    `summary` is None for a file that is not to be migrated: `failure` says why, or `is_support`
    that it belongs to a support package. `support` names the symbols of the support package that
    the file uses already, `reads` what it may read of objects of that package's classes,
    `tensorflow` tells whether it imports TensorFlow.
    """

    path: str
    summary: ModuleSummary | None
    support: frozenset[str] = frozenset()
    sha256: str = ""
    failure: FileResult | None = None
    is_support: bool = False
    tensorflow: bool = False
    reads: frozenset[str] = frozenset()


def imports_tensorflow(text: str) -> bool:
    """Whether a module imports TensorFlow, or Keras, anywhere."""
    return _IMPORTS.search(text) is not None
