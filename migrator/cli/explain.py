"""`migrator explain`: one rule with its examples, or what becomes of one TF1 symbol."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.syntax import Syntax

from migrator.cli import console
from migrator.cli.exits import UsageExit
from migrator.cli.rules import loaded
from migrator.engine import codes
from migrator.engine.lookup import Disposition
from migrator.engine.packs import Entry, Rule
from migrator.engine.pattern import canonical_of
from migrator.engine.ruleset import RuleSet
from migrator.model import to_json, to_jsonable

KINDS = {
    "rule": "is rewritten by a rule",
    "rename": "is renamed",
    "support": "becomes a symbol of the support package",
    "manual": "needs a person",
    "compat": "stays on tf.compat.v1, with a finding",
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
  migrator explain tf.layers.dense --json
""",
)
@click.argument("what", metavar="CODE|SYMBOL")
@click.option("--rules", "packs", multiple=True, metavar="FILE", help="Another rule pack (TOML).",
              type=click.Path(exists=True, dir_okay=False, path_type=Path))  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(what: str, packs: tuple[Path, ...], as_json: bool) -> None:
    """Explain a rule by its code, or say what becomes of a TensorFlow 1 symbol."""
    rules = loaded(packs)
    if "." not in what:
        found = [rule for rule in rules.packs.rules if rule.code == what.upper()]
        if found or what.upper() in codes.described():
            _explain_code(what.upper(), found, rules, as_json)
            return
        if what[:2].upper() in ("TF", "PY", "DE", "PB") and any(c.isdigit() for c in what):
            known = codes.every(rules.packs)
            close = difflib.get_close_matches(what.upper(), known, n=3)
            hint = f"; did you mean {', '.join(close)}?" if close else ""
            raise UsageExit(f"no rule has the code {what!r}{hint} `migrator rules` lists them")
    _explain_symbol(what, rules, as_json)


def _explain_code(code: str, found: list[Rule], rules: RuleSet, as_json: bool) -> None:
    described = codes.described().get(code)
    symbols = codes.symbols(rules.packs, code)
    if as_json:
        head = [{"code": code, **to_jsonable(described), "symbols": dict(symbols)}]
        click.echo(to_json([*(head if described else ()), *found]))
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


def _explain_symbol(symbol: str, rules: RuleSet, as_json: bool) -> None:
    name = canonical_of(symbol.split("."))
    found = rules.disposition(name)
    if found.kind == "unknown" or (found.kind == "none" and name.startswith("tensorflow")):
        every = [n.replace("tensorflow.", "tf.", 1) for n in (*rules.tables, *rules.tf1.symbols)]
        close = difflib.get_close_matches(symbol, every, n=3, cutoff=0.8)
        hint = f" Did you mean {', '.join(dict.fromkeys(close))}?" if close else ""
        raise UsageExit(f"{symbol} {KINDS['unknown']}.{hint}")
    matching = [
        compiled.rule for compiled in rules.rules.get(found.key, ()) if found.kind == "rule"
    ]
    if as_json:
        data: dict[str, Any] = {
            "symbol": symbol, "disposition": found.kind, "becomes": _target(found),
            "codes": sorted({rule.code for rule in matching}),
            "advice": found.entry.advice if found.entry else "",
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


def _target(found: Disposition) -> str:
    target = found.target + found.rest
    return "tf." + target.removeprefix("tensorflow.") if target.startswith("tensorflow.") else target


def _print_entry(entry: Entry | None, out: Console) -> None:
    if entry is None:
        return
    for name, text in (("code", entry.code), ("note", entry.message), ("advice", entry.advice)):
        if text:
            out.print(console.styled((f"  {name:<8} ", "dim"), text))
