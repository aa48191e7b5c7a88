"""Numbers and phrases as a person reads them: bytes, seconds, ratios, plurals."""

from __future__ import annotations

import hashlib
import re


def size(count: float | None) -> str:
    """Bytes in binary units: 1536 -> '1.5 KiB'; '–' for None."""
    if count is None:
        return "–"
    value, sign = abs(float(count)), "-" if count < 0 else ""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            break
        value /= 1024
    digits = 0 if unit == "B" or value >= 100 else 1
    return f"{sign}{value:.{digits}f} {unit}"


def duration(seconds: float | None) -> str:
    """Seconds with three significant digits in the unit that fits."""
    if seconds is None:
        return "–"
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= factor or unit == "µs":
            value = seconds / factor
            return f"{value:.3g} {unit}" if value < 1000 else f"{value:,.0f} {unit}"
    raise AssertionError("unreachable")


def spread(share: float | None) -> str:
    """' ±8%', put behind a step time: half the range of the steps over their median."""
    return "" if share is None else f" ±{share:.0%}"


def ratio(after: float | None, before: float | None) -> str:
    """'0.83×': after over before, so that more than 1 is more; '–' where either is missing or zero."""
    if not after or not before:
        return "–"
    return f"{after / before:.2f}×"


def plural(count: int, noun: str, nouns: str = "") -> str:
    """'1 file', '2 files'."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def percent(part: float, whole: float) -> str:
    """'71 %'; one digit below ten per cent."""
    if not whole:
        return "–"
    share = 100 * part / whole
    return f"{share:.0f} %" if share >= 10 or share == 0 else f"{share:.1f} %"


_STATUS = {
    "oom": "out of memory", "timeout": "out of time", "unsupported": "not possible",
    "killed": "ended by a signal",
}  # fmt: skip


def status(word: str) -> str:
    """How a cell ended, for a person: 'oom' -> 'out of memory'."""
    return _STATUS.get(word, word)


def ended(word: str) -> str:
    """The same as the end of a sentence: 'oom' -> 'ran out of memory'."""
    found = {"oom": "ran out of memory", "timeout": "ran out of time", "unsupported": "is not possible",
             "killed": "was ended by a signal"}  # fmt: skip
    return found.get(word, word)


def titled(workload: str, mode: str) -> str:
    """The workload's name with its mode, unless the name says it."""
    return workload if mode in workload.lower() else f"{workload} ({mode})"


def slug(*parts: str) -> str:
    """An id for links: words of the last part, and what tells it from others that begin alike."""
    whole = " ".join(parts)
    words = re.findall(r"[a-z0-9]+", parts[-1].lower())[:5]
    return "-".join([*words, hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:6]])


def change(after: float, before: float) -> str:
    """'12 % more', '8 % less', 'the same' below half a per cent."""
    share = after / before - 1
    if abs(share) < 0.005:
        return "the same"
    return f"{percent(abs(share), 1)} {'more' if share > 0 else 'less'}"
