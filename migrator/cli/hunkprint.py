"""One hunk on a screen: the codes and reasons of the rules that made it, then its lines."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from migrator.cli import console
from migrator.model import FileResult
from migrator.project.diff import Hunk

_MARKS = {"+": "green", "-": "red", "\\": "dim"}


def print_hunk(hunk: Hunk, result: FileResult, out: Console) -> None:
    """Print a hunk of `result`."""
    windows = result.old_text.count("\n") == result.old_text.count("\r\n")
    for change in hunk.changes:
        sure = "" if change.confidence.value == "proven" else f" [{change.confidence.value}]"
        out.print(console.styled((f"# {change.code}", "bold magenta"), f" {change.reason}{sure}"))
    if not hunk.changes:
        out.print(console.styled(("# needed by the other changes of this file", "dim")))
    out.print(Text(hunk.header, style="cyan"))
    for line in hunk.lines:
        line = line.removesuffix("\r") if windows else line
        out.print(console.styled((line, _MARKS.get(line[:1], ""))))
