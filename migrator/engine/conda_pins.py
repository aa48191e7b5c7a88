"""TensorFlow in environment.yml: from conda's own list to pip's, where its releases and extras are."""

from __future__ import annotations

import re

_PIP = re.compile(r"^(?P<indent>\s*)-\s*pip:\s*$")
_TENSORFLOW = re.compile(r"^(?P<indent>\s*)-\s*(?P<rest>tensorflow(?:\[and-cuda\]|-cpu)?>=2\.21\b.*)$")
_PLAIN_PIP = re.compile(r"^\s*-\s*pip\s*(?:[=<>].*)?$", re.MULTILINE)


def by_pip(text: str) -> str:
    """An environment file whose TensorFlow is among what pip installs.

    conda has no extras (``tensorflow[and-cuda]``) and not every release.
    """
    rows = text.splitlines(keepends=True)
    pip = next((n for n, row in enumerate(rows) if _PIP.match(row.rstrip())), None)
    inside = range(0) if pip is None else _items(rows, pip)
    moved = [
        n for n, row in enumerate(rows) if n not in inside and _TENSORFLOW.match(row.rstrip("\r\n"))
    ]
    if not moved:
        return text
    found = [_TENSORFLOW.match(rows[n].rstrip("\r\n")) for n in moved]
    end = rows[moved[0]][len(rows[moved[0]].rstrip("\r\n")) :] or "\n"
    indent = found[0]["indent"] if found[0] else ""
    deeper = f"{indent}  "
    if inside:
        first = rows[inside[0]]
        deeper = first[: len(first) - len(first.lstrip())]
    added = [f"{deeper}- {match['rest']}{end}" for match in found if match]
    if pip is not None:
        rows[pip] = rows[pip].rstrip("\r\n") + end
        rows[pip + 1 : pip + 1] = added
        moved = [n if n < pip else n + len(added) for n in moved]
        return "".join(row for n, row in enumerate(rows) if n not in moved)
    plain = [] if _PLAIN_PIP.search(text) else [f"{indent}- pip{end}"]
    rows[moved[0]] = "".join([*plain, f"{indent}- pip:{end}", *added])
    return "".join(row for n, row in enumerate(rows) if n not in moved[1:])


def _items(rows: list[str], pip: int) -> range:
    """The rows below ``- pip:``."""
    outer = len(rows[pip]) - len(rows[pip].lstrip())
    last = pip + 1
    while last < len(rows) and (
        not rows[last].strip() or len(rows[last]) - len(rows[last].lstrip()) > outer
    ):
        last += 1
    return range(pip + 1, last)
