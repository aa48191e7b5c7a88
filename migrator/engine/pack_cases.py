"""Whether a rule pack does what its own cases say: read by the engine, not run."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.packs import Case, Rule, read_packs
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import RuleSet, load_ruleset
from migrator.model import Status

HEAD = "import tensorflow as tf\n"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case of a rule: what the engine made of it, and what is wrong (empty: nothing)."""

    rule: Rule
    number: int
    case: Case | None
    output: str
    problem: str

    @property
    def name(self) -> str:
        return f"{self.rule.code} case {self.number}" if self.case else self.rule.code


def check(packs: tuple[Path, ...]) -> Iterator[Outcome]:
    """Every case of the packs' rules. Raises PackError for a pack that cannot be read."""
    rules = load_ruleset(Options(rules=packs))
    for rule in read_packs(packs).rules:
        if not rule.cases:
            yield Outcome(rule, 0, None, "", "has no case: add a [[rule.case]] with before and after")
        for number, case in enumerate(rule.cases, 1):
            yield _case(rule, number, case, rules)


def _case(rule: Rule, number: int, case: Case, rules: RuleSet) -> Outcome:
    before = HEAD + case.before.rstrip("\n") + "\n"
    index, options = ProjectIndex(), Options()
    result = migrate_text("case.py", before, index, options, rules)
    output = result.new_text if result.new_text is not None else before

    def outcome(problem: str) -> Outcome:
        return Outcome(rule, number, case, output, problem)

    if result.status is Status.FAILED:
        return outcome(f"before cannot be read: {result.error}")
    used = {c.code for c in result.changes} | {f.code for f in result.findings}
    if rule.code not in used:
        others = f" (others did: {', '.join(sorted(used))})" if used else ""
        return outcome(f"the rule does nothing to before{others or _missing_import(rule, before)}")
    wanted = HEAD + case.after.rstrip("\n") + "\n"
    try:
        if _tree(output) != _tree(wanted):
            lines = difflib.unified_diff(
                wanted.splitlines(), output.splitlines(), "after", "what became of before",
                lineterm="", n=1,
            )  # fmt: skip
            return outcome("after is not what becomes of before:\n" + "\n".join(lines))
    except SyntaxError as error:
        return outcome(f"after cannot be read: line {error.lineno}: {error.msg}")
    again = migrate_text("case.py", output, index, options, rules)
    if again.new_text is not None:
        return outcome("the result would be changed again by a second run")
    return outcome("")


def _missing_import(rule: Rule, before: str) -> str:
    """A hint where nothing of `before` can be what the rule is about."""
    roots = {match.split(".")[0].split("(")[0].strip() for match in rule.match if "." in match}
    missing = sorted(root for root in roots - {"tf"} if f"import {root}" not in before)
    return f" ({', '.join(missing)} is not imported in it)" if missing else ""


def _tree(text: str) -> str:
    """What a text says, without its imports, which the engine adds as the file needs them."""
    tree = ast.parse(text)
    tree.body = [n for n in tree.body if not isinstance(n, (ast.Import, ast.ImportFrom))]
    return ast.dump(tree)
