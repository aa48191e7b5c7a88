"""`migrator explain`: one rule with its examples, or what becomes of one TF1 symbol."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.syntax import Syntax

from migrator.cli import choices, console
from migrator.cli.exits import UsageExit
from migrator.cli.migrate import make_plan
from migrator.cli.rules import loaded
from migrator.cli.summary import FEW, count
from migrator.engine import codes, history
from migrator.engine.lookup import Disposition
from migrator.engine.options import Options
from migrator.engine.packs import Entry, Rule
from migrator.engine.pattern import canonical_of
from migrator.engine.ruleset import RuleSet, load_ruleset
from migrator.model import Plan, Rung, Status, to_json, to_jsonable
from migrator.project.discover import discover
from migrator.project.git import work_tree
from migrator.project.paths import STATE_FOLDER
from migrator.project.planfile import PlanError
from migrator.project.source import SourceError
from migrator.project.tree import read
from migrator.report import orders
from migrator.report.orders import Order
from migrator.survey import survey, uses_of

KINDS = {
    "rule": "is rewritten by a rule",
    "rename": "is renamed",
    "support": "becomes a symbol of the support package",
    "manual": "needs a person",
    "compat": "has no successor of its own: the program around it decides what becomes of it, and where "
    "that is not clear it stays on tf.compat.v1, with a finding",
    "same": "is the same in TensorFlow 2",
    "module": "is a module; what is in it decides",
    "unknown": "is not known: neither TensorFlow 1.15 nor 2.21 has it",
    "none": "is not migrator's business",
}


@click.command(
    "explain",
    epilog="""\b
Examples:
  migrator explain TF110
  migrator explain tf.contrib.slim.conv2d
  migrator explain tf.Session              and what becomes of it in this repository
  migrator explain tf.Session ../other     in that one
  migrator explain tf.layers.dense --json
""",
)
@click.argument("what", metavar="CODE|SYMBOL")
@click.argument("repo", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--rules", "packs", multiple=True, metavar="FILE", help="Another rule pack (TOML).",
              type=click.Path(exists=True, dir_okay=False, path_type=Path))  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(what: str, repo: Path | None, packs: tuple[Path, ...], as_json: bool) -> None:
    """Explain a rule by its code, or say what becomes of a TensorFlow 1 symbol: by itself, and in REPO
    (by default the repository that we are in), where the program around it decides."""
    rules = loaded(packs)
    if repo is None and (work_tree(Path.cwd()) == Path.cwd() or (Path.cwd() / STATE_FOLDER).is_dir()):
        repo = Path.cwd()
    if "." not in what:
        found = [rule for rule in rules.packs.rules if rule.code == what.upper()]
        if found or what.upper() in codes.described():
            _explain_code(what.upper(), found, rules, repo, as_json)
            return
        known = codes.every(rules.packs)
        close = difflib.get_close_matches(what.upper(), known, n=3)
        hint = f"; did you mean {', '.join(close)}?" if close else ";"
        raise UsageExit(
            f"{console.safe(what)!r} is neither a code nor a symbol like tf.nn.relu{hint} "
            "`migrator rules` lists the codes"
        )
    _explain_symbol(what, rules, repo, as_json)


@dataclass(frozen=True, slots=True)
class Here:
    """What becomes of a symbol, or where a code acts, in one repository: counts and places."""

    root: str
    uses: int
    rewritten: int
    orders: tuple[Order, ...]


def _here(repo: Path | None, name: str, code: str, quiet: bool) -> Here | None:
    """In the repository, if there is one. name: a canonical symbol, or code: a code.

    Of a symbol only the files are migrated that mention it: a large repository would take minutes.
    """
    if repo is None:
        return None
    if code:
        return _plan_of(repo, make_plan(repo, {}, quiet), lambda symbol, its: its == code)

    def mine(symbol: str, its: str = "") -> bool:
        symbol = symbol.replace("tf.", "tensorflow.", 1) if symbol.startswith("tf.") else symbol
        return symbol == name or symbol.startswith(name + ".")

    options = choices.build_options(repo, {})
    word = name.rpartition(".")[2]
    files = _mentioning(repo, options, word.encode())
    found = Here(str(repo), 0, 0, ())
    if files:
        plan = make_plan(repo, {}, quiet, files=files)
        options = replace(options, only_files=files)
        found = _plan_of(repo, plan, mine)
        uses = sum(u.count for u in survey(plan, options).symbols if mine(u.symbol))
        left = found.uses - found.rewritten
        found = replace(found, uses=uses, rewritten=max(uses - left, 0))
    gone = _written(repo, load_ruleset(options), word, mine)
    return replace(found, uses=found.uses + gone, rewritten=found.rewritten + gone)


def _plan_of(repo: Path, plan: Plan, mine: Callable[[str, str], bool]) -> Here:
    """What a plan says of some symbols or codes."""
    findings = {
        (f.path, f.line, f.code) for f in plan.findings
        if mine(f.symbol, f.code) and f.rung in (Rung.COMPAT, Rung.MANUAL)
    }  # fmt: skip
    edits = sum(mine(c.symbol, c.code) for f in plan.changed for c in f.changes)
    lines = {(path, line) for path, line, _ in findings}
    told = tuple(
        o for o in orders.of(plan, written=False, repo=str(repo))
        if any((p.path, p.line) in lines for p in o.places) and o.rung in ("compat", "manual")
    )  # fmt: skip
    return Here(str(repo), edits + len(findings), edits, told)


def _mentioning(repo: Path, options: Options, word: bytes) -> tuple[Path, ...]:
    """The files of a repository in which a word stands: whoever uses a symbol writes its last part."""
    root = repo.resolve()
    found = []
    for path in options.only_files or discover(root):
        try:
            data, _ = read(root, path.relative_to(root).as_posix())
        except SourceError:
            continue
        if word in data:
            found.append(path)
    return tuple(found)


def _written(repo: Path, rules: RuleSet, word: str, mine: Callable[[str], bool]) -> int:
    """How many uses of a symbol a migration that is written already has taken away."""

    def uses(path: str, text: str) -> int:
        if word not in text:
            return 0
        return sum(n for (symbol, _), n in uses_of(text, path, rules).uses.items() if mine(symbol))

    try:
        earlier = history.load(repo)
    except PlanError:
        return 0
    gone = 0
    for file in history.standing(earlier, repo).files if earlier else ():
        if file.status is Status.CHANGED:
            gone += max(0, uses(file.path, file.old_text) - uses(file.path, file.new_text or ""))
    return gone


def _print_here(here: Here | None, out: Console) -> None:
    if here is None:
        return
    out.print()
    if not here.uses:
        out.print(console.styled(f"In {here.root}: ", ("not used.", "bold")))
        return
    left = here.uses - here.rewritten
    rest = ", all migrated." if not left else f": {here.rewritten:,} migrated, {left:,} left."
    out.print(console.styled(f"In {here.root}: ", (count(here.uses, "use"), "bold"), rest))
    for order in here.orders:
        places = [p.shown for p in order.places if p.main][:FEW]
        out.print(console.styled("  ", (order.code, "yellow"), f" {order.title}"))
        again = f"  migrator todo {here.root} --check {order.id}"
        out.print(console.styled(f"      {'  '.join(places)}", (again, "dim")))


def _explain_code(
    code: str, found: list[Rule], rules: RuleSet, repo: Path | None, as_json: bool
) -> None:
    here = _here(repo, "", code, as_json)
    described = codes.described().get(code)
    symbols = codes.symbols(rules.packs, code)
    if as_json:
        head = [{"code": code, **to_jsonable(described), "symbols": dict(symbols)}]
        listed = [*(head if described else ()), *found, *([{"here": to_jsonable(here)}] if here else ())]
        click.echo(to_json(listed))
        return
    out = console.stdout()
    if described:
        out.print(console.styled((code, "bold magenta"), (f"  {described.title}", "bold")))
        out.print(described.why)
        for symbol, becomes in symbols[:_SHOWN]:
            out.print(console.styled(f"  {symbol}  ", ("->", "dim"), f"  {becomes}"))
        if len(symbols) > _SHOWN:
            out.print(f"  and {len(symbols) - _SHOWN:,} more (--json lists all)")
    for number, rule in enumerate(found):
        if number or described:
            out.print()
        _print_rule(rule, out)
    _print_here(here, out)


_SHOWN = 12


def _print_rule(rule: Rule, out: Console) -> None:
    out.print(console.styled((rule.code, "bold magenta"), (f"  {rule.title}", "bold")))
    if rule.why:
        out.print(rule.why)
    if rule.link:
        out.print(rule.link)
    for match in rule.match:
        out.print(console.styled(("  matches  ", "dim"), match))
    if rule.rewrite:
        out.print(console.styled(("  becomes  ", "dim"), rule.rewrite))
    if rule.advice:
        out.print(console.styled(("  advice   ", "dim"), rule.advice))
    out.print(
        console.styled(("  result   ", "dim"), f"{rule.rung.value}, {rule.confidence.value}")
    )
    for case in rule.cases:
        out.print()
        out.print(console.styled(("Before", "dim")))
        _code(case.before, out)
        out.print(console.styled(("After", "dim")))
        _code(case.after, out)


def _code(text: str, out: Console) -> None:
    indented = "\n".join("    " + line for line in text.strip("\n").split("\n"))
    if out.is_terminal and not out.no_color:
        out.print(Syntax(indented, "python", background_color="default"))
    else:
        out.print(indented)


def _explain_symbol(symbol: str, rules: RuleSet, repo: Path | None, as_json: bool) -> None:
    name = canonical_of(symbol.split("."))
    found = rules.disposition(name)
    if found.kind in ("unknown", "none"):
        every = [n.replace("tensorflow.", "tf.", 1) for n in (*rules.tables, *rules.tf1.symbols)]
        close = difflib.get_close_matches(symbol, every, n=3, cutoff=0.8)
        hint = f" Did you mean {', '.join(dict.fromkeys(close))}?" if close else ""
        kind = KINDS["unknown" if name.startswith("tensorflow") else "none"]
        raise UsageExit(f"{console.safe(symbol)} {kind}.{hint}")
    here = _here(repo, name, "", as_json)
    matching = [
        compiled.rule for compiled in rules.rules.get(found.key, ()) if found.kind == "rule"
    ]
    if as_json:
        data: dict[str, Any] = {
            "symbol": symbol, "disposition": found.kind, "becomes": _target(found),
            "codes": sorted({rule.code for rule in matching}),
            "advice": found.entry.advice if found.entry else "", "here": to_jsonable(here),
        }  # fmt: skip
        click.echo(to_json(data))
        return
    out = console.stdout()
    out.print(console.styled((symbol, "bold"), f" {KINDS[found.kind]}."))
    target = _target(found)
    if target and found.kind in ("rename", "support"):
        out.print(console.styled(("  becomes  ", "dim"), target))
    _print_entry(found.entry, out)
    seen: set[str] = set()
    for rule in matching:
        if rule.code + rule.title not in seen:
            seen.add(rule.code + rule.title)
            out.print()
            _print_rule(rule, out)
    _print_here(here, out)


def _target(found: Disposition) -> str:
    target = found.target + found.rest
    return "tf." + target.removeprefix("tensorflow.") if target.startswith("tensorflow.") else target


def _print_entry(entry: Entry | None, out: Console) -> None:
    if entry is None:
        return
    for name, text in (("code", entry.code), ("note", entry.message), ("advice", entry.advice)):
        if text:
            out.print(console.styled((f"  {name:<8} ", "dim"), text))
