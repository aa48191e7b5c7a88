"""One hunk on a screen: the codes and reasons of the rules that made it, then its lines."""

from __future__ import annotations

from rich.console import Console
from rich.segment import Segment, Segments
from rich.style import Style

from migrator.cli import console
from migrator.model import FileResult
from migrator.project.diff import Hunk

_CODE, _HEADER, _DIM = (Style.parse(name) for name in ("bold magenta", "cyan", "dim"))
_MARKS = {"+": Style.parse("green"), "-": Style.parse("red"), "\\": _DIM}


def print_hunk(hunk: Hunk, result: FileResult, out: Console) -> None:
    """Print a hunk of `result`: as segments, for laying out each line takes longer than the plan."""
    windows = result.old_text.count("\n") == result.old_text.count("\r\n")
    end = Segment.line()
    shown: list[Segment] = []
    for change in hunk.changes:
        sure = "" if change.confidence.value == "proven" else f" [{change.confidence.value}]"
        reason = console.safe(change.reason)
        shown += (Segment(f"# {change.code}", _CODE), Segment(f" {reason}{sure}"), end)
    if not hunk.changes:
        shown += (Segment("# needed by the other changes of this file", _DIM), end)
    shown += (Segment(hunk.header, _HEADER), end)
    for line in hunk.lines:
        line = line.removesuffix("\r") if windows else line
        shown += (Segment(console.safe(line), _MARKS.get(line[:1])), end)
    out.print(Segments(shown), end="")
