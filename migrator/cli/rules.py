"""`migrator rules`: the list of rules, the same data that the engine works with."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import click
from rich import box
from rich.table import Table

from migrator.cli import console, rulepacks
from migrator.cli.exits import UsageExit
from migrator.engine import codes
from migrator.engine.installed import installed
from migrator.engine.options import Options
from migrator.engine.packs import PackError
from migrator.engine.ruleset import RuleSet, load_ruleset
from migrator.model import to_json


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One line of the list."""

    code: str
    title: str
    why: str
    rung: str
    cases: int


def rule_lines(rules: RuleSet) -> list[RuleLine]:
    """Every rule, and every other code that a change or finding may have."""
    lines = [RuleLine(name, code.title, code.why, "", 0) for name, code in codes.described().items()]
    for rule in rules.packs.rules:
        lines.append(RuleLine(rule.code, rule.title, rule.why, rule.rung.value, len(rule.cases)))
    return sorted(lines, key=lambda line: (line.code, line.title))


def titles() -> dict[str, codes.Code]:
    """Title and reason of every code, for reports."""
    return codes.every(load_ruleset(Options()).packs)


def loaded(packs: tuple[Path, ...] = ()) -> RuleSet:
    """The rules, with more packs; a pack that cannot be used ends the command with code 2."""
    try:
        return load_ruleset(Options(rules=packs))
    except PackError as error:
        raise UsageExit(str(error)) from error


class RulesGroup(click.Group):
    """`migrator rules [PREFIX]` lists, `migrator rules test|new` are commands of their own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        known = args and (args[0] in self.commands or args[0] in ("-h", "--help"))
        return super().parse_args(ctx, args if known else ["list", *args])


@click.group(
    "rules",
    cls=RulesGroup,
    epilog="""\b
Examples:
  migrator rules                 all of them
  migrator rules TF2             those whose code begins with TF2
  migrator rules --json          for programs
  migrator rules new my_pack     the skeleton of a pack of your own
  migrator rules test my_pack    does it do what its cases say?
""",
)
def command() -> None:
    """List the rules, or write and test rule packs of your own."""


@command.command("list")
@click.argument("prefix", default="")
@click.option("--rules", "packs", multiple=True, metavar="FILE", help="Another rule pack (TOML).",
              type=click.Path(exists=True, dir_okay=False, path_type=Path))  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the rules as JSON.")
def list_rules(prefix: str, packs: tuple[Path, ...], as_json: bool) -> None:
    """List the rules, or those whose code begins with PREFIX."""
    rules = loaded(packs)
    lines = [line for line in rule_lines(rules) if line.code.startswith(prefix.upper())]
    if not lines:
        raise UsageExit(f"no rule's code begins with {prefix!r}; `migrator rules` lists them")
    if as_json:
        click.echo(to_json(lines))
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("code", style="magenta")
    table.add_column("what it does")
    table.add_column("becomes")
    table.add_column("cases", justify="right")
    for line in lines:
        table.add_row(line.code, console.safe(line.title), line.rung, str(line.cases or ""))
    out = console.stdout()
    out.print(table)
    packs_ = rules.packs
    tables = Counter(
        {
            "renamed symbols": len(packs_.renames),
            "symbols of the support package": len(packs_.support),
            "symbols left on tf.compat.v1": len(packs_.compat),
            "symbols with advice only": len(packs_.manual),
            "structural transforms": len(rules.transforms),
        }
    )
    for name, number in tables.items():
        out.print(f"{number:>6,}  {name}")
    for item in installed():
        out.print(console.styled(f"        and the pack {item.name} of {item.distribution}"))


command.add_command(rulepacks.test)
command.add_command(rulepacks.new)
