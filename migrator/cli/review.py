"""`migrate --interactive`: asks about each hunk, and remembers the answers until all are given."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from migrator.cli import console, hunkprint
from migrator.engine import partial
from migrator.model import FileResult, Plan
from migrator.project.diff import Hunk, hunks
from migrator.project.lock import state_folder
from migrator.project.paths import STATE_FOLDER, UnsafePath
from migrator.project.source import SourceError
from migrator.project.tree import Folder, read

STATE_FILE = "review.json"
VERSION = 1
_HELP = """\
  y  accept this hunk
  n  skip this hunk
  r  accept every hunk that only this hunk's rules made, here and in later files
  f  accept this hunk and the rest of this file
  a  accept this hunk and everything after it
  q  stop; nothing is written, the answers are kept for the next --interactive"""


class Quit(Exception):
    """The person stopped before the last hunk."""


@dataclass
class Answers:
    """What was answered so far.

    `files`: for a path, the digest of (old, new) content that the answers are for, and one answer
    for each hunk that was asked about; `rules`: codes that were accepted wherever they act.
    """

    files: dict[str, tuple[str, list[bool]]] = field(default_factory=dict)
    rules: set[str] = field(default_factory=set)


def load(root: Path) -> Answers:
    """The answers of a review that was stopped; none if there are none or they are damaged."""
    try:
        raw: Any = json.loads(read(root, f"{STATE_FOLDER}/{STATE_FILE}")[0])
        if raw["version"] != VERSION:
            return Answers()
        files = {
            str(path): (str(digest), [bool(answer) for answer in given])
            for path, (digest, given) in raw["files"].items()
        }
        return Answers(files, {str(code) for code in raw["rules"]})
    except (SourceError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Answers()


def save(root: Path, answers: Answers) -> None:
    """Keep the answers. Raises OSError or UnsafePath."""
    record = {
        "version": VERSION, "rules": sorted(answers.rules),
        "files": {path: [digest, given] for path, (digest, given) in answers.files.items()},
    }  # fmt: skip
    with Folder.named(root) as tree, state_folder(tree) as state:
        with state.replacing(STATE_FILE) as stream:
            stream.write(json.dumps(record).encode())


def forget(root: Path) -> None:
    """Remove the answers of a review that is done."""
    try:
        with Folder.named(root) as tree, tree.folder(STATE_FOLDER) as state:
            state.remove(STATE_FILE)
    except (OSError, UnsafePath):
        return  # they hold no more for the texts that there are now


def review(plan: Plan, root: Path) -> Plan:
    """Ask about every hunk of the plan; the plan with those that were accepted.

    Raises Quit when the person stops (q, end of input, Ctrl-C); the answers are kept then.
    """
    answers = load(root)
    session = _Session(root, answers, console.stdout())
    decisions: dict[str, list[bool]] = {}
    for number, result in enumerate(plan.changed, 1):
        decisions[result.path] = session.file(result, f"{number}/{len(plan.changed)}")
    return partial.chosen(plan, decisions)


class _Session:
    def __init__(self, root: Path, answers: Answers, out: Console) -> None:
        self.root = root
        self.answers = answers
        self.out = out
        self.everything = False

    def file(self, result: FileResult, position: str) -> list[bool]:
        """One answer for each hunk of a file, such that it still parses."""
        digest = _digest(result)
        found = hunks(result)
        stored, given = self.answers.files.get(result.path, ("", []))
        if stored != digest or len(given) > len(found):
            given = []
        asked = False
        again = False  # then nothing is accepted unasked: it was a mixture that broke the file
        while True:
            whole_file = False
            for index in range(len(given), len(found)):
                hunk = found[index]
                if whole_file or (not again and (self.everything or self._covered(hunk))):
                    given.append(True)
                    continue
                if not asked:
                    self.out.print(console.styled((f"{result.path} ({position})", "bold")))
                    asked = True
                hunkprint.print_hunk(hunk, result, self.out)
                answer = self._ask(f"hunk {index + 1} of {len(found)}")
                if answer == "r":
                    self.answers.rules |= {change.code for change in hunk.changes}
                whole_file = answer in ("f", "a")
                self.everything |= answer == "a"
                given.append(answer != "n")
                self._keep(result.path, digest, given)
            why = ""
            if any(given) and not all(given):
                why = partial.problem(result, partial.text_with(result, given))
            if not why:
                return given
            self.out.print(
                console.styled(
                    (f"{result.path} cannot be left like this: ", "bold red"),
                    f"{why}. Answer again for this file.",
                )
            )
            given, again = [], True
            self._keep(result.path, digest, given)

    def _covered(self, hunk: Hunk) -> bool:
        codes = {change.code for change in hunk.changes}
        return bool(codes) and codes <= self.answers.rules

    def _keep(self, path: str, digest: str, given: list[bool]) -> None:
        self.answers.files[path] = (digest, given)
        save(self.root, self.answers)

    def _ask(self, what: str) -> str:
        while True:
            try:
                answer = click.prompt(f"Accept {what}? [y,n,r,f,a,q,?]", prompt_suffix=" ")
            except click.Abort:
                raise Quit from None
            answer = answer.strip().lower()[:1]
            if answer == "q":
                raise Quit
            if answer in ("y", "n", "r", "f", "a"):
                return answer
            self.out.print(_HELP)


def _digest(result: FileResult) -> str:
    text = f"{result.old_sha256}\n{result.new_text}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
