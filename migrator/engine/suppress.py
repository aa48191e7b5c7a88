"""`# migrator: ignore` comments: what a user told the engine to leave alone.

``# migrator: ignore`` leaves the statement line alone, ``# migrator: ignore[TF101, TF2]`` only for
these codes or prefixes, ``# migrator: ignore-file`` the whole file. A comment on a line of its own
counts for the next line.
"""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass, field

_COMMENT = re.compile(
    r"#\s*migrator:\s*(?P<what>ignore-file|ignore)\s*(?:\[(?P<codes>[^\]]*)\])?"
)


@dataclass
class Suppressions:
    """Which codes are off on which lines (1-based); an empty set of codes means all."""

    lines: dict[int, frozenset[str]] = field(default_factory=dict)
    whole_file: frozenset[str] | None = None

    def __bool__(self) -> bool:
        return bool(self.lines) or self.whole_file is not None

    def covers(self, code: str, first: int, last: int | None = None) -> bool:
        """Whether `code` is off on any of the lines `first`..`last`."""
        if self.whole_file is not None and _matches(code, self.whole_file):
            return True
        if not self.lines:
            return False
        for line in range(first, (last or first) + 1):
            codes = self.lines.get(line)
            if codes is not None and _matches(code, codes):
                return True
        return False


def _matches(code: str, codes: frozenset[str]) -> bool:
    return not codes or any(code.startswith(prefix) for prefix in codes)


def find_suppressions(text: str) -> Suppressions:
    """The suppressions of a file; text inside strings does not count."""
    found = Suppressions()
    if "migrator:" not in text:
        return found
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return found
    for token in tokens:
        if token.type != tokenize.COMMENT:
            continue
        match = _COMMENT.search(token.string)
        if match is None:
            continue
        codes = frozenset(part.strip() for part in (match["codes"] or "").split(",") if part.strip())
        if match["what"] == "ignore-file":
            found.whole_file = codes
            continue
        line = token.start[0]
        own_line = not token.line[: token.start[1]].strip()
        target = line + 1 if own_line else line
        found.lines[target] = found.lines.get(target, codes) | codes if codes else frozenset()
    return found
