"""What `migrate` and `scan` print about a plan: rules, remaining work, failed files."""

from __future__ import annotations

from collections import Counter, defaultdict

from rich import box
from rich.console import Console
from rich.table import Table

from migrator.cli import console
from migrator.model import Finding, Plan, Rung
from migrator.project.apply import Applied
from migrator.project.places import Places

FEW, MANY = 4, 40  # places that are listed one a line, and at most
_ORDER = (Rung.MANUAL, Rung.COMPAT, Rung.SUPPORT, Rung.NATIVE)
_HEADINGS = {
    Rung.MANUAL: "needs a person",
    Rung.COMPAT: "left on tf.compat.v1",
    Rung.SUPPORT: "uses the support package",
    Rung.NATIVE: "to look at",
}


def count(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def print_rules(plan: Plan, out: Console) -> None:
    """How many edits of which rule in how many files."""
    edits: Counter[str] = Counter()
    files: defaultdict[str, set[str]] = defaultdict(set)
    reason: dict[str, str] = {}
    for result in plan.changed:
        for change in result.changes:
            edits[change.code] += 1
            files[change.code].add(result.path)
            reason.setdefault(change.code, change.reason)
    if not edits:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("rule", style="magenta")
    table.add_column("edits", justify="right")
    table.add_column("files", justify="right")
    table.add_column("for example", no_wrap=True, overflow="ellipsis", max_width=90)
    for code, number in sorted(edits.items()):
        table.add_row(code, f"{number:,}", f"{len(files[code]):,}", console.safe(reason[code]))
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


def print_findings(plan: Plan, out: Console) -> None:
    """The remaining work: file:line, code, what is there, and what to do about it.

    What is said about many places is said once, with the places below it.
    """
    findings = ranked(plan)
    where = Places(plan)
    for rung in _ORDER:
        same: dict[tuple[str, str], list[Finding]] = {}
        for finding in findings:
            if finding.rung is rung:
                same.setdefault((finding.code, finding.message), []).append(finding)
        if not same:
            continue
        number = sum(len(group) for group in same.values())
        heading = _HEADINGS[rung][:1].upper() + _HEADINGS[rung][1:]
        out.print(console.styled((heading, "bold"), f": {count(number, 'place')}"))
        advised: set[tuple[str, str]] = set()
        for (code, message), group in same.items():
            places = [where.shown(finding.path, finding.line) for finding in group]
            if len(places) <= FEW:
                for place in places:
                    out.print(console.styled(f"  {place}: ", (code, "yellow"), f" {message}"))
            else:
                many = f" ({count(len(places), 'place')})"
                out.print(console.styled("  ", (code, "yellow"), f" {message}{many}"))
                for start in range(0, min(len(places), MANY), FEW):
                    out.print(console.styled("      " + "  ".join(places[start : start + FEW])))
                if len(places) > MANY:
                    out.print(f"      and {len(places) - MANY:,} more (--json lists them all)")
            # The same advice ten times in a row hides the one place that needs another.
            for advice in dict.fromkeys(finding.advice for finding in group):
                if advice and (code, advice) not in advised:
                    advised.add((code, advice))
                    out.print(console.styled((f"      {advice}", "dim")))


def print_failures(plan: Plan, applied: Applied | None, out: Console) -> None:
    """Files that were left as they are because something went wrong."""
    for result in plan.failed:
        out.print(console.styled(("failed: ", "bold red"), result.error or result.path))
    for path, why in applied.failed if applied else ():
        out.print(console.styled(("failed: ", "bold red"), f"{path}: {why}"))
