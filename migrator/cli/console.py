"""Printing: colour only on a terminal, progress on stderr, nothing in a name is interpreted."""

from __future__ import annotations

import os
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment
from rich.text import Text

LOG_EVERY = 10.0  # seconds between lines of progress where there is no terminal
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def safe(text: str, lines: bool = False) -> str:
    """Text from a repository as one line (with `lines`: as its lines) that a terminal does not obey:
    control, bidirectional and invisible characters are escaped, bytes that are not UTF-8 too."""
    try:
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "backslashreplace").decode()
    if text.isprintable():
        return text
    return "".join(c if _harmless(c) or (lines and c == "\n") else _escape(c) for c in text)


def _harmless(character: str) -> bool:
    return character.isprintable() or unicodedata.category(character) == "Zs"


def _escape(character: str) -> str:
    code = ord(character)
    hexadecimal = f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    return _NAMED.get(character, hexadecimal)


class _SafeConsole(Console):
    """A console that shows text, whoever wrote it: what acts on the terminal are its own styles."""

    def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable() or segment.text == "\n":
                yield segment
            else:
                yield Segment(safe(segment.text, lines=True), segment.style)


def stdout(width: int | None = None, wrap: bool = False) -> Console:
    """The console for results. Names are never read as markup, colour follows the terminal
    and NO_COLOR; without a terminal, lines are not broken (with `wrap`, they are)."""
    if width is None and not wrap and not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        width = 10_000
    return _SafeConsole(markup=False, highlight=False, emoji=False, width=width, soft_wrap=not wrap)


def stderr() -> Console:
    """The console for progress and messages."""
    return _SafeConsole(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)


def echo(text: str, err: bool = False) -> None:
    """Print plain lines."""
    click.echo(safe(text, lines=True), err=err)


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


class _Log:
    """Progress as lines of a log: at most one in so many seconds, and none for what is done at once. What is
    left is told by the rate since the first call, before which nothing was counted."""

    def __init__(self, console: Console, title: str, every: float = LOG_EVERY) -> None:
        self.console, self.title, self.every = console, title, every
        self.last = self.began = time.monotonic()
        self.first: tuple[float, int] | None = None

    def __call__(self, done: int, total: int, what: str) -> None:
        now = time.monotonic()
        self.first = self.first or (now, done)
        if now - self.last >= self.every:
            self.last = now
            told = _duration(now - self.began)
            since, counted = now - self.first[0], done - self.first[1]
            if counted > 0 and done < total:
                told += f", about {_duration(since / counted * (total - done))} left"
            self.console.print(f"{self.title}: {done:,} of {total:,}, {_end(safe(what), 100)} ({told})")


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _end(text: str, most: int) -> str:
    return text if len(text) <= most else "…" + text[1 - most :]


@contextmanager
def progress(title: str, quiet: bool = False) -> Iterator[Callable[[int, int, str], None]]:
    """What tells how far something is, (done, total, what is done now): a bar on a terminal, in a log a
    line now and then."""
    console = stderr()
    if quiet:
        yield lambda done, total, what: None
        return
    if not console.is_terminal:
        yield _Log(console, title)
        return
    columns = (
        TextColumn("{task.description}"), BarColumn(bar_width=30), MofNCompleteColumn(),
        TimeElapsedColumn(), TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[what]}", markup=False),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=None, what="")

        def step(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, what=_end(safe(what), 60))

        yield step
