"""Printing: colour only on a terminal, progress on stderr, nothing in a name is interpreted."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}
_CONTROLS |= {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\t"}
_CONTROLS |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd")


def safe(text: str) -> str:
    """Text from a repository as one line that a terminal does not obey: control and
    bidirectional-override characters are escaped, bytes that are not UTF-8 too."""
    plain = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return plain.translate(_CONTROLS)


def stdout(width: int | None = None) -> Console:
    """The console for results. Names are never read as markup, colour follows the terminal
    and NO_COLOR; without a terminal, lines are not broken."""
    if width is None and not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        width = 10_000
    return Console(markup=False, highlight=False, emoji=False, width=width, soft_wrap=True)


def stderr() -> Console:
    """The console for progress and messages."""
    return Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)


def styled(*parts: tuple[str, str] | str) -> Text:
    """A line of (text, style) parts, each made safe."""
    line = Text()
    for part in parts:
        content, style = (part, "") if isinstance(part, str) else part
        line.append(safe(content), style=style)
    return line


@contextmanager
def pager(out: Console) -> Iterator[None]:
    """What is printed to `out` meanwhile goes through the user's pager. `less` is told, as git
    tells it, to show colours and to end at once where everything fits on the screen."""
    before = os.environ.get("LESS")
    if before is None:
        os.environ["LESS"] = "FRX"
    elif "r" not in before.lower():
        os.environ["LESS"] = f"{before} -R"
    try:
        with out.pager(styles=not out.no_color):
            yield
    finally:
        if before is None:
            del os.environ["LESS"]
        else:
            os.environ["LESS"] = before


@contextmanager
def progress(title: str, quiet: bool = False) -> Iterator[Callable[[int, int, str], None]]:
    """A bar on stderr while something runs over files; nothing where stderr is no terminal."""
    console = stderr()
    if quiet or not console.is_terminal:
        yield lambda done, total, path: None
        return
    columns = (
        TextColumn("{task.description}"), BarColumn(bar_width=30), MofNCompleteColumn(),
        TextColumn("{task.fields[path]}", markup=False),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=None, path="")

        def step(done: int, total: int, path: str) -> None:
            bar.update(task, completed=done, total=total, path=safe(path)[-60:])

        yield step
