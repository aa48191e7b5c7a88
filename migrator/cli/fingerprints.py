"""Fingerprints of lines by which code-scanning pages know a result again after other lines moved.

The number is GitHub's `primaryLocationLineHash` (github/codeql-action, src/fingerprints.ts), so that
uploading by its action or by the API gives the same alerts: a polynomial hash, modulo 2**64, over the
100 characters from the start of the line, blanks and tabs left out and line ends made one character,
then how many lines before had the same one.
"""

from __future__ import annotations

from collections import Counter

_WINDOW = 100  # UTF-16 code units
_BASE = 37
_MASK = (1 << 64) - 1
_LEAVING = pow(_BASE, _WINDOW, 1 << 64)
_END = 0xFFFF


def line_hashes(text: str) -> list[str]:
    """The fingerprint of each line of a file; the text after the last line end is a line, too."""
    ends = text.replace("\r\n", "\n").replace("\r", "\n").replace(" ", "").replace("\t", "")
    data = ends.encode("utf-16-le", "surrogatepass")
    units = [data[i] | data[i + 1] << 8 for i in range(0, len(data), 2)]
    starts = [0, *(i + 1 for i, unit in enumerate(units) if unit == 10)]
    units.append(_END)
    units += [0] * _WINDOW
    value = 0
    for unit in units[:_WINDOW]:
        value = value * _BASE + unit & _MASK
    hashes: list[str] = []
    seen: Counter[str] = Counter()
    position = 0
    for start in starts:
        while position < start:
            left, entering = units[position], units[position + _WINDOW]
            value = value * _BASE + entering - _LEAVING * left & _MASK
            position += 1
        found = f"{value:x}"
        seen[found] += 1
        hashes.append(f"{found}:{seen[found]}")
    return hashes
