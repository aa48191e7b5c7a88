"""What a person decides about each hunk: asked for by `migrate --interactive`, which remembers the answers
until all are given, or made on the review page and read by `--decisions`."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from migrator.cli import console, exits, hunkprint
from migrator.engine import decisions, partial
from migrator.engine.decisions import Decisions
from migrator.model import FileResult, Plan
from migrator.project.diff import Hunk, hunks
from migrator.project.lock import state_folder
from migrator.project.paths import STATE_FOLDER, UnsafePath
from migrator.project.tree import Folder

STATE_FILE = "review.json"
_HELP = """\
  y  accept this hunk
  n  skip this hunk
  r  accept every hunk that only this hunk's rules made, here and in later files
  f  accept this hunk and the rest of this file
  a  accept this hunk and everything after it
  q  stop; nothing is written, the answers are kept for the next --interactive"""


decisions_option = click.option(
    "--decisions", type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Only what was accepted on the review page, which saved this file.",
)  # fmt: skip


def decided(plan: Plan, file: Path) -> tuple[Plan, bool]:
    """(the plan with what the file accepts, whether it left out files that it cannot decide about).

    Ends the command with code 2 for a file that holds no decisions.
    """
    try:
        plan, left = decisions.decide(plan, decisions.load(file))
    except decisions.DecisionsError as error:
        raise exits.UsageExit(console.safe(str(error))) from error
    for path, why in left:
        console.stderr().print(console.styled(("left as it is: ", "bold red"), f"{path}: {why}"))
    return plan, bool(left)


class Quit(Exception):
    """The person stopped before the last hunk."""


def load(root: Path) -> Decisions:
    """The answers of a review that was stopped; none if there are none or they are damaged."""
    try:
        return decisions.load(root / STATE_FOLDER / STATE_FILE)
    except decisions.DecisionsError:
        return Decisions()


def save(root: Path, answers: Decisions) -> None:
    """Keep the answers. Raises OSError or UnsafePath."""
    with Folder.named(root) as tree, state_folder(tree) as state:
        with state.replacing(STATE_FILE) as stream:
            stream.write(decisions.dump(answers).encode())


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
    given: dict[str, list[bool]] = {}
    for number, result in enumerate(plan.changed, 1):
        given[result.path] = session.file(result, f"{number}/{len(plan.changed)}")
    return partial.chosen(plan, given)


class _Session:
    def __init__(self, root: Path, answers: Decisions, out: Console) -> None:
        self.root = root
        self.answers = answers
        self.out = out
        self.everything = False

    def file(self, result: FileResult, position: str) -> list[bool]:
        """One answer for each hunk of a file, such that it still parses."""
        digest = decisions.digest(result)
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

