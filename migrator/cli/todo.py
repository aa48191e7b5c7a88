"""`migrator todo`: what is left as work orders, to hand on; and whether they are done."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click

from migrator.cli import choices, console, exits
from migrator.cli.migrate import make_plan
from migrator.cli.summary import Totals, count
from migrator.model import Plan, to_json
from migrator.project.paths import STATE_FOLDER
from migrator.project.source import SourceError
from migrator.project.tree import read_named
from migrator.report import orders
from migrator.report.orders import Order

FORMAT, VERSION = "migrator-todo", 1
TITLE = "# What is left in "
MOST_BYTES = 1 << 28
_ID = re.compile(r"\b(?:[A-Z]{2,3}\d+|verify)-[0-9a-f]{6}\b")
_HEADINGS = {
    "manual": "For a person", "compat": "On tf.compat.v1, where TensorFlow 1 goes on",
    "check": "To be shown", "support": "To look at", "native": "To look at",
}  # fmt: skip


@click.command(
    "todo",
    epilog="""\b
Examples:
  migrator todo . > todo.md                 a list for a colleague or a coding assistant
  migrator todo . --json                    the same for programs
  migrator todo . --check                   is anything left? exit code 1 if so
  migrator todo . --check todo.md           which of this list is done?
  migrator todo . --check TF390-1a2b3c      is this one done?

\b
Exit codes:
  0  the list was printed; with --check: all of it is done
  1  with --check: something is left
  2  wrong usage or configuration
""",
)
@choices.repo_argument
@click.option(
    "--check", metavar="[FILE|ID]", is_flag=False, flag_value="", default=None,
    help="Look again: at everything, at what a list of `todo` names, or at one order.",
)  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Also list what is only to be looked at.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def command(
    ctx: click.Context, repo: Path, check: str | None, everything: bool, as_json: bool
) -> None:
    """List what is left in REPO by cause: where, the code, what TensorFlow 1 did, what to write instead,
    and the command that shows that it is done. Runs nothing of REPO and writes nothing.

    What was found before a line was migrated stays until the line is changed by hand; to leave
    something as it is for good, write `# migrator: ignore[CODE]` on its line.
    """
    plan = make_plan(repo, {}, quiet=as_json)
    left = (*orders.of(plan, written=False, repo=str(repo)), *orders.checks(verified(repo), str(repo)))
    wanted = [o for o in left if everything or o.rung not in ("support", "native")]
    if check is not None:
        ctx.exit(_check(check, wanted, as_json))
    if as_json:
        click.echo(to_json({
            "format": FORMAT, "version": VERSION, "root": plan.root, "edits_to_make": Totals.of(plan).edits,
            "orders": wanted,
        }))  # fmt: skip
    else:
        click.echo(markdown(plan, wanted, repo), nl=False)


def verified(repo: Path) -> dict[str, Any] | None:
    """What `verify` found, None where it was not run or left nothing that can be read."""
    try:
        found = json.loads(read_named(repo / STATE_FOLDER / "verify.json", MOST_BYTES)[0])
        for check in found["checks"]:
            given = *(check[name] for name in ("workload", "name", "status")), check.get("detail") or ""
            if not all(isinstance(value, str) for value in given):
                return None
        return dict(found)
    except (ValueError, AttributeError, TypeError, LookupError, RecursionError):
        return None  # it is not there, or damaged


def _check(what: str, left: list[Order], as_json: bool) -> int:
    """Print which orders are done; the exit code."""
    by_id = {o.id: o for o in left}
    if not what:
        wanted = list(by_id)
    elif _ID.fullmatch(what):
        wanted = [what]
    else:
        try:
            text = read_named(Path(what), MOST_BYTES)[0].decode("utf-8")
        except (SourceError, UnicodeDecodeError) as error:
            raise exits.UsageExit(f"--check {what}: neither an order nor a list: {error}") from error
        wanted = list(dict.fromkeys(_ID.findall(text)))
        if not wanted and not text.startswith(TITLE) and f'"{FORMAT}"' not in text[:200]:
            raise exits.UsageExit(f"--check {what}: names no order; make the list with migrator todo")
    still = [ident for ident in wanted if ident in by_id]
    if as_json:
        done = [i for i in wanted if i not in by_id]
        click.echo(to_json({"format": FORMAT, "version": VERSION, "done": done,
                            "left": [by_id[i] for i in still]}))  # fmt: skip
        return exits.CHANGES if still else exits.OK
    out = console.stdout()
    for ident in wanted:
        if ident not in by_id:
            out.print(console.styled(("done  ", "green"), ident))
            continue
        order = by_id[ident]
        places = ", ".join(p.shown for p in order.places[:4])
        out.print(console.styled(("left  ", "red"), f"{ident} {order.title}: {places or order.prove}"))
    out.print(f"{count(len(wanted) - len(still), 'order')} done, {len(still):,} left.")
    return exits.CHANGES if still else exits.OK


def markdown(plan: Plan, left: list[Order], repo: Path) -> str:
    """The list as Markdown, each order under the heading of its kind."""
    totals = Totals.of(plan)
    name = _plain(Path(plan.root).name)
    lines = [f"{TITLE}{name}", ""]
    places = sum(len(o.places) for o in left)
    lines += [f"{count(places, 'place')}, {count(len(left), 'cause')}. Lines are those of the files as they "
              f"are now. `migrator todo {repo} --check FILE` says which of this list are done."]  # fmt: skip
    if totals.edits:
        lines += ["", f"**First run `migrator migrate {repo}`**: it makes {count(totals.edits, 'edit')} by "
                  "itself, after which lines move."]  # fmt: skip
    last = ""
    for order in left:
        heading = _HEADINGS[order.rung]
        if heading != last:
            lines += ["", f"## {heading}"]
            last = heading
        lines += ["", f"### {order.id}: {_plain(order.title)}", ""]
        if order.test:
            lines.append("- In tests only.")
        if order.did:
            lines.append(f"- TensorFlow 1: {_plain(order.did)}")
        word = "Why" if order.rung == "check" else "Instead"
        lines += [f"- {word}: {_plain(advice)}" for advice in order.advice]
        lines.append(f"- Done when this ends with 0: `{order.prove}`")
        for place in (p for p in order.places if p.main):
            lines += ["", f"`{_code(place.shown)}`" + (
                f" {_plain(place.message)}" if place.message not in ("", order.title) else ""
            ), ""]  # fmt: skip
            lines += _listing(place)
        beside = [p for p in order.places if not p.main]
        if beside:
            lines += ["", "With it stay:", ""]
            lines += [f"- `{_code(p.shown)}` {_plain(p.symbol or p.message)}" for p in beside]
    if not left:
        lines += ["", "Nothing."]
    return "\n".join(lines) + "\n"


def _listing(place: orders.Place) -> list[str]:
    if not place.code:
        return []
    body = [
        f"{'>' if n == place.line else ' '}{n:>5}  {console.safe(line)[:200]}" for n, line in place.code
    ]
    fence = "`" * max(3, 1 + max(len(run) for run in re.findall("`*", "\n".join(body))))
    return [f"{fence}python", *body, fence]


def _plain(text: str) -> str:
    """Text on one line, in which nothing begins a heading, a list or a tag."""
    return console.safe(text).replace("<", "&lt;")


def _code(text: str) -> str:
    return console.safe(text).replace("`", "'")
