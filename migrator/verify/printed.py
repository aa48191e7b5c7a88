"""Compares what two runs of a program printed: the lines, and the numbers in them.

A line is known by its words and whole numbers ("step 3: loss #"); the third such line of one run is
compared with the third of the other. Times, dates, addresses and speeds are not compared.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from migrator.verify.compare import listed

_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|nan\b|inf\b)(?![\w])", re.I
)
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# How TF 1.15 and TF 2.21, numpy 1 and numpy 2 write the same thing.
_SPELLINGS = (
    (re.compile(r"(?<=[(\[ ,])\?(?=[,)\]])"), "None"), (re.compile(r"\bDimension\((\w+)\)"), r"\1"),
    (re.compile(r"\b((?:float|u?int|complex)\d+|bool|string)_ref\b"), r"\1"),  # TF 1's dtypes of variables
    (re.compile(r"\b(?:np|numpy)\.\w+\(([^()]*)\)"), r"\1"),
    (re.compile(r"(?<=[\[(])[ ]+|[ ]+(?=[\])])"), ""),  # numpy's padding, by how many digits its numbers have
)  # fmt: skip
_VOLATILE = re.compile(
    r"""0x[0-9a-fA-F]+
    | (?<=",\ )line\ \d+                                    # of a traceback: the migration moved the text
    | /tmp/\w+
    | \b\w+/s(?:ec\w*)?\b\s*[:=]?\s*[\d.]+
    | \b\d{4}[-/]\d\d[-/]\d\d[T_ -]?(?:\d\d[:_-]?\d\d[:_-]?\d\d(?:[.,]\d+)?)?   # dates
    | (?:\b\d\d-\d\d[ T])?\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?\b           # times of day
    | (?:\b|(?<=_))1[4-9]\d{8}(?:\.\d+|\d{3})?(?:\b|(?=_))                      # seconds since 1970
    | (?:\b(?:time|elapsed|took|speed|fps|eta|duration|sec\w*|examples/s\w*|steps?/s\w*)(?:/\w+)?\b
       (?:\s+\w+){0,2}\s*[:=(]*\s*)[-+]?[\d.]+(?:e[-+]?\d+)?
    | \b(?:\d+[ ]?[dhm][ ]?){1,3}[\d.]+[ ]?s\b                                 # 1h02m03s
    | [-+]?\b[\d.]+(?:e[-+]?\d+)?[ ]?(?:s|secs?|seconds?|ms|msecs?|us|µs|mins?|minutes?|hours?|fps
       |it/s|s/it|\w+/s(?:ec(?:ond)?)?|(?:sec|s|ms)/\w+|[KMG]i?B(?:/s)?)\b""",
    re.X | re.I,
)
_LOGGED = re.compile(
    r"^(?:(?:INFO|WARNING|ERROR|DEBUG):[\w.]+:|[IWEF]\d{4} [\d:.]+\s+\d+ [\w./<>-]+:\d+\]\s?)"
)
# What TensorFlow, absl and Python say about themselves.
_NOISE = re.compile(
    r"""^\d{4}-\d\d-\d\d\ [\d:.,]+:?\ [IWEF]\ | ^[IWEF]\d{4}\ 00:00:(00\.|\d{10}) | ^WARNING[: ]
    | Warning:\s | WARNING\ From\ | Instructions\ for\ updating | deprecated\ and\ will\ be\ removed
    | The\ name\ [\w.]+\ is\ deprecated\.\ Please\ use\ [\w.]+\ instead\.$
    | ^\ *np_resource\ =|^\ *_np_q?u?int
    | \bTensor\("|<tf\.(?:Tensor|Variable)|tf\.Tensor\(        # what stands for a tensor""",
    re.X,
)
_TENSOR = re.compile(r"<?tf\.(?:Tensor|Variable)\b[(\s]")  # its values may follow, to the line with its dtype
_TENSOR_LINES = 400  # of a shortened array of four dimensions there are fewer
_NAMES = 5
_ADVICE = "Instructions for updating:"  # of a deprecated function; what follows is TensorFlow's
_NAMESPACE = re.compile(r"\bNamespace\((\w+=.*)\)")  # argparse's: sorted before Python 3.9, but not since


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line: `words` with # for every number, `key` with # for those that are not whole.

    numbers: (value, half of its last printed digit); that is 0 for whole numbers.
    """

    text: str
    words: str
    key: str
    numbers: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Number:
    """Two printed numbers that stand for each other; `difference` is relative to `allowed_at`'s
    scale, the largest number printed at that place."""

    before: float
    after: float
    difference: float
    exact: bool
    line: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """numbers: all pairs, by (words of the line, how often it came, place). lost, added: lines that
    only one side printed."""

    numbers: Mapping[tuple[str, int, int], Number]
    lost: tuple[str, ...]
    added: tuple[str, ...]


def lines(text: str, folders: Sequence[str] = ()) -> list[Line]:
    """The lines that say something about the program, each as it stood at last on the screen.

    folders: paths that are not the same in both runs; each is replaced by a dot.
    """
    for folder in folders:
        text = text.replace(folder, ".")
    found = []
    inside = 0  # lines that a tensor's values may still take
    advice = first = False
    for raw in text.replace("\r\n", "\n").split("\n"):
        # a line, and more of them if they are indented
        advice, first = first or (advice and raw[:1] in ("", " ")), raw.strip() == _ADVICE
        if advice:
            continue
        begun = [match.end() for match in _TENSOR.finditer(raw)]
        if inside and not begun:
            inside = 0 if "dtype=" in raw else inside - 1
            continue
        inside = _TENSOR_LINES if begun and _goes_on(raw[begun[-1] :]) else 0
        if "\r" in raw and "%|" in raw:  # a progress bar
            continue
        shown = _ESCAPES.sub("", raw.rsplit("\r", 1)[-1]).rstrip()
        if not shown or _NOISE.search(shown):
            continue
        found.append(_line(_LOGGED.sub("", shown)))
    return found


def _goes_on(said: str) -> bool:
    """Whether a tensor's values go on in the next line, after what is said of it in this one."""
    head, values, rest = said.partition("numpy=")
    return ">" not in rest if values else "dtype=" not in head


def logged(text: str, folders: Sequence[str] = ()) -> list[Line]:
    """The lines of a log; what two handlers wrote one after the other counts once."""
    found: list[Line] = []
    for line in lines(text, folders):
        if not found or found[-1].text != line.text:
            found.append(line)
    return found


def _line(text: str) -> Line:
    for spelling, same in _SPELLINGS:
        text = spelling.sub(same, text)
    text = _NAMESPACE.sub(_sorted_namespace, text)
    plain = _VOLATILE.sub("~", text)
    numbers = []

    def take(match: re.Match[str]) -> str:
        digits = match.group()
        numbers.append((float(digits), _half_digit(digits)))
        return "#"

    words = " ".join(_NUMBER.sub(take, plain).split())
    key = " ".join(
        _NUMBER.sub(lambda m: m.group() if not _half_digit(m.group()) else "#", plain).split()
    )
    return Line(text, words, key, tuple(numbers))


def _sorted_namespace(match: re.Match[str]) -> str:
    return f"Namespace({', '.join(sorted(re.split(r', (?=[A-Za-z_]+=)', match.group(1))))})"


def _half_digit(digits: str) -> float:
    """Half of what the last printed digit stands for; 0 for whole numbers, nan and inf."""
    mantissa, _, exponent = digits.lower().partition("e")
    if "n" in mantissa or ("." not in mantissa and not exponent):
        return 0.0
    places = len(mantissa.partition(".")[2])
    return float(0.51 * 10.0 ** (int(exponent or 0) - places))


def compare(before: Sequence[Line], after: Sequence[Line]) -> Comparison:
    """Pairs the lines of two runs and the numbers in them."""
    pairs, lost, added = _paired(before, after)
    if lost and added and _joined(lost).words.replace(" ", "") == _joined(added).words.replace(" ", ""):
        # the same, which pprint broke into other lines: TF 1's Dimension(3) is longer than 3
        pairs.append((_joined(lost), _joined(added)))
        lost, added = [], []
    scales: dict[tuple[str, int], float] = defaultdict(float)
    for line, _ in pairs:
        for place, (value, _) in enumerate(line.numbers):
            if np.isfinite(value):
                scales[line.words, place] = max(scales[line.words, place], abs(value))
    numbers, seen = {}, defaultdict[str, int](int)
    for old, new in pairs:
        count = seen[old.words]
        seen[old.words] += 1
        for place, ((a, a_digit), (b, b_digit)) in enumerate(
            zip(old.numbers, new.numbers, strict=True)
        ):
            exact = not a_digit and not b_digit
            scale = 1.0 if exact else scales[old.words, place] or 1.0
            if np.isfinite(a) and np.isfinite(b):
                # two roundings to as many digits as are printed
                gap = max(0.0, abs(a - b) - a_digit - b_digit) / scale
            else:
                gap = 0.0 if a == b or (np.isnan(a) and np.isnan(b)) else np.inf
            numbers[old.words, count, place] = Number(a, b, gap, exact, old.text)
    return Comparison(numbers, tuple(x.text for x in lost), tuple(x.text for x in added))


def _joined(broken: Sequence[Line]) -> Line:
    return _line(" ".join(line.text.strip() for line in broken))


def _paired(
    before: Sequence[Line], after: Sequence[Line]
) -> tuple[list[tuple[Line, Line]], list[Line], list[Line]]:
    """Lines with the same key in order, then those left with the same words in order.

    A number that `%g` prints without its digits behind the point is whole by chance: where both runs
    printed as many lines with some words and not all keys are the same, their order alone counts.
    """
    pairs: list[tuple[int, Line, Line]] = []
    left, right = list(enumerate(before)), list(enumerate(after))
    old, new = (defaultdict[str, list[str]](list) for _ in "ab")
    for lines_of, side in ((old, before), (new, after)):
        for line in side:
            lines_of[line.words].append(line.key)
    in_order = {words for words, keys in old.items()
                if len(keys) == len(new[words]) and sorted(keys) != sorted(new[words])}  # fmt: skip
    for name in ("key", "words"):
        waiting: dict[str, list[Line]] = defaultdict(list)

        def value_of(line: Line, name: str = name) -> str:
            return line.words if line.words in in_order else str(getattr(line, name))

        for _, line in right:
            waiting[value_of(line)].append(line)
        taken: dict[str, int] = defaultdict(int)
        rest = []
        for index, line in left:
            value = value_of(line)
            if taken[value] < len(waiting[value]):
                pairs.append((index, line, waiting[value][taken[value]]))
                taken[value] += 1
            else:
                rest.append((index, line))
        used: dict[str, int] = defaultdict(int)
        remaining = []
        for index, line in right:
            value = value_of(line)
            used[value] += 1
            if used[value] > taken[value]:
                remaining.append((index, line))
        left, right = rest, remaining
    pairs.sort(key=lambda p: p[0])
    return [(a, b) for _, a, b in pairs], [x for _, x in left], [x for _, x in right]


def said(texts: Sequence[str]) -> str:
    """The first lines, each cut to what fits."""
    return listed([repr(t.strip()[:80]) for t in texts], _NAMES)
