"""What a text uses of the support package."""

from __future__ import annotations

import re

from migrator.analysis.parsed import Parsed
from migrator.engine.scanned import SUPPORT_PACKAGE

# The path of a mock, or of a module to look in: a string and nothing else.
_PATCHED_SUPPORT = re.compile(rf"['\"]{SUPPORT_PACKAGE}\.(\w+(?:\.\w+)?)['\"]")


def used_support(text: str, parsed: Parsed | None = None) -> frozenset[str]:
    """Symbols of the support package that a text refers to (``slim.conv2d``, or ``slim``).

    `parsed` is the text as parsed where the caller has it.
    """
    if SUPPORT_PACKAGE not in text:
        return frozenset()
    try:
        names = (parsed or Parsed(text)).names
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    prefix = SUPPORT_PACKAGE + "."
    used: set[str] = set()
    for name in names.referenced():
        if name.startswith(prefix):
            used.add(name[len(prefix) :].partition("(")[0])
    values: set[str] = set()  # modules passed on, as in getattr(resnet_v1, name)
    for reference in names.references:
        if not reference.attrs:
            root = names.root(reference.root, reference.scope)
            if root is not None and root.name.startswith(prefix):
                values.add(root.name[len(prefix) :])
    for named in _PATCHED_SUPPORT.findall(text):
        (used if "." in named else values).add(named)
    used |= values
    modules = {name.split(".")[0] for name in used if "." in name} - values
    return frozenset(name for name in used if "." in name or name not in modules)
