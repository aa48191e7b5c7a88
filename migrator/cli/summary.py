"""What `migrate` and `scan` print about a plan: rules, remaining work, failed files."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table

from migrator.cli import console
from migrator.model import Finding, Plan, Rung
from migrator.project.apply import Applied
from migrator.report import orders

FEW = 4  # places of a cause that are listed without --verbose
CAUSES = 8  # of each kind, likewise
_ORDER = (Rung.MANUAL, Rung.COMPAT, Rung.SUPPORT, Rung.NATIVE)


def count(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def support_done(applied: Applied) -> str:
    """What became of the support package, behind what is said of the other files."""
    gone = len(applied.removed)
    added = f", added {count(len(applied.created), 'support file')}" if applied.created or not gone else ""
    return added + (f", removed {count(gone, 'support file')}" if gone else "")


def print_rules(plan: Plan, out: Console) -> None:
    """How many edits of which rule in how many files."""
    edits: Counter[str] = Counter()
    files: Counter[str] = Counter()
    reason: dict[str, str] = {}
    for result in plan.changed:
        for change in result.changes:
            edits[change.code] += 1
            reason.setdefault(change.code, change.reason)
        files.update({change.code for change in result.changes})
    if not edits:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("rule", style="magenta")
    table.add_column("edits", justify="right")
    table.add_column("files", justify="right")
    table.add_column("for example", no_wrap=True, overflow="ellipsis", max_width=90)
    for code, number in sorted(edits.items()):
        table.add_row(code, f"{number:,}", f"{files[code]:,}", console.safe(reason[code]))
    out.print(table)


def print_statistics(plan: Plan, out: Console) -> None:
    """How often each rule acted on each symbol, and the time that the files took."""
    edits = Counter((c.code, c.symbol) for f in plan.changed for c in f.changes)
    for (code, symbol), number in sorted(edits.items(), key=lambda item: (-item[1], item[0])):
        out.print(console.styled(f"{number:>7,}  ", (code, "magenta"), f"  {symbol}"))
    slowest = sorted(plan.files, key=lambda f: -f.seconds)[:5]
    total = sum(f.seconds for f in plan.files)
    out.print(f"{total:.2f} s of work on {count(len(plan.files), 'file')}; the slowest:")
    for result in slowest:
        out.print(console.styled(f"{result.seconds:>7.2f} s  {result.path}"))
    spent: Counter[str] = Counter()
    for result in plan.files:
        spent.update(dict(result.timings))
    if spent:
        cached = sum(not f.timings for f in plan.files if f.seconds)
        note = f" ({count(cached, 'file')} from the cache: --no-cache times them)" if cached else ""
        out.print(f"where it went{note}:")
        for name, seconds in spent.most_common(20):
            out.print(console.styled(f"{seconds:>9.4f} s  {name}"))


def ranked(plan: Plan) -> list[Finding]:
    """The findings of a plan, those that a person must act on first."""
    return sorted(
        plan.findings, key=lambda f: (_ORDER.index(f.rung), f.path, f.line, f.column, f.code)
    )


@dataclass(frozen=True, slots=True)
class Totals:
    """The numbers of a migration, the same wherever they are told: edits and files that they are in,
    places that stay on tf.compat.v1, that need a person, that are only to be looked at."""

    edits: int
    files: int
    compat: int
    person: int
    look: int

    @staticmethod
    def of(plan: Plan) -> Totals:
        rungs = Counter(f.rung for f in plan.findings)
        return Totals(
            sum(len(f.changes) for f in plan.changed), len(plan.changed), rungs[Rung.COMPAT],
            rungs[Rung.MANUAL], rungs[Rung.SUPPORT] + rungs[Rung.NATIVE],
        )  # fmt: skip


def print_totals(totals: Totals, out: Console, written: bool) -> None:
    """Three lines: what is automatic, what stays TensorFlow 1, what a person must do."""
    where = f", in {count(totals.files, 'file')}" if totals.edits else ""
    for number, noun, said in (
        (totals.edits, "edit", ("made" if written else "to make, all automatic") + where),
        (totals.compat, "place", "on tf.compat.v1, where TensorFlow 1 goes on"),
        (totals.person, "place", "for a person"),
    ):
        out.print(console.styled((f"{number:>7,}", "bold"), f" {noun}{'s' * (number != 1)} {said}"))


def print_left(plan: Plan, out: Console, verbose: bool, repo: str = ".") -> None:
    """What is left, by cause, what a person must do first and tests last; all places with `verbose`."""
    failed = {result.path for result in plan.failed}  # which `print_failures` lists
    made = orders.of(plan, written=False, repo=repo)
    listed = [o for o in made if o.code != "TF001" or o.places[0].path not in failed]
    rungs = [("manual", "For a person"), ("compat", "Stays on tf.compat.v1")]
    if verbose:
        rungs += [("support", "Uses the support package"), ("native", "To look at")]
    for rung, heading in rungs:
        mine = [o for o in listed if o.rung == rung]
        if not mine:
            continue
        places = sum(len(o.places) for o in mine)
        out.print()
        out.print(console.styled((heading, "bold"), f": {count(places, 'place')}"))
        for order in mine if verbose else mine[:CAUSES]:
            _print_order(order, out, verbose)
        if len(mine) > CAUSES and not verbose:
            rest = sum(len(o.places) for o in mine[CAUSES:])
            out.print(f"  and {count(len(mine) - CAUSES, 'more cause')}, {count(rest, 'place')} (--verbose)")
    look = sum(len(o.places) for o in listed if o.rung in ("support", "native"))
    if look and not verbose:
        out.print(f"{count(look, 'place')} to look at (--verbose lists them).")


def _print_order(order: orders.Order, out: Console, verbose: bool) -> None:
    main = [p for p in order.places if p.main]
    number, beside = len(main), len(order.places) - len(main)
    told = [count(number, "place")] if number > 1 else []
    told += [f"{count(beside, 'other')} with {'them' if number > 1 else 'it'}"] if beside else []
    told += ["tests"] if order.test else []
    about = f" ({', '.join(told)})" if told else ""
    out.print(console.styled("  ", (order.code, "yellow"), f" {order.title}{about}"))
    shown = order.places if verbose else main[:FEW]
    for start in range(0, len(shown), FEW):
        line = "  ".join(place.shown for place in shown[start : start + FEW])
        more = f"  and {number - FEW:,} more" if number > FEW and not verbose else ""
        out.print(console.styled(f"      {line}{more}"))
    for advice in order.advice if verbose else order.advice[:1]:
        out.print(console.styled((f"      {advice}", "dim")))


def print_failures(plan: Plan, applied: Applied | None, out: Console) -> None:
    """Files that were left as they are because something went wrong."""
    for result in plan.failed:
        out.print(console.styled(("failed: ", "bold red"), result.error or result.path))
    for path, why in applied.failed if applied else ():
        out.print(console.styled(("failed: ", "bold red"), f"{path}: {why}"))
