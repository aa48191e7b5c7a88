"""A plan in Markdown, for a pull request or a job summary; nothing in a name is markup there."""

from __future__ import annotations

import re
from collections import Counter

from migrator.cli.console import safe
from migrator.cli.summary import count, ranked
from migrator.model import Plan, Rung
from migrator.project.places import Places

PLACES = 50  # findings that are listed one by one; a comment on GitHub holds 65,536 characters
_FENCE = re.compile("`+")


def summary(plan: Plan) -> str:
    """What changes by rule, what is left for a person, what failed."""
    changes = [c for f in plan.changed for c in f.changes]
    findings = ranked(plan)
    where = Places(plan)
    person = [f for f in findings if f.rung in (Rung.MANUAL, Rung.COMPAT)]
    lines = [
        "## TensorFlow 2 migration",
        "",
        f"{count(len(changes), 'edit')} in {count(len(plan.changed), 'file')}, "
        f"{count(len(person), 'place')} left for a person, "
        f"{count(len(plan.failed), 'file')} could not be read, "
        f"{count(sum(1 for _, text in plan.support_files if text), 'support file')} added.",
    ]
    if changes:
        lines += ["", "| rule | edits | files | for example |", "| --- | ---: | ---: | --- |"]
        edits = Counter(c.code for c in changes)
        files = {
            code: len({f.path for f in plan.changed for c in f.changes if c.code == code})
            for code in edits
        }
        example: dict[str, str] = {}
        for change in changes:
            example.setdefault(change.code, change.reason)
        for code, number in sorted(edits.items()):
            lines.append(f"| {cell(code)} | {number:,} | {files[code]:,} | {cell(example[code])} |")
    unsure = Counter(c.confidence.value for c in changes if c.confidence.value != "proven")
    if unsure:
        shown = ", ".join(f"{number:,} {name}" for name, number in sorted(unsure.items()))
        lines += ["", f"Look at these edits first, they are not proven: {shown}."]
    if findings:
        lines += ["", "<details><summary>What is left</summary>", ""]
        for finding in findings[:PLACES]:
            place = code_span(where.shown(finding.path, finding.line))
            lines.append(f"- {code_span(finding.code)} {place} {plain(finding.message)}")
            if finding.advice:
                lines.append(f"  {plain(finding.advice)}")
        if len(findings) > PLACES:
            lines.append(f"- and {len(findings) - PLACES:,} more")
        lines += ["", "</details>"]
    if plan.failed:
        lines += ["", "Could not be read:", ""]
        lines += [f"- {code_span(result.error or result.path)}" for result in plan.failed[:PLACES]]
    return "\n".join(lines) + "\n"


def code_span(text: str) -> str:
    """Text as code, whatever backticks it holds."""
    text = safe(text)
    longest = max((len(run) for run in _FENCE.findall(text)), default=0)
    fence = "`" * (longest + 1)
    space = " " if text.startswith("`") or text.endswith("`") or not text else ""
    return f"{fence}{space}{text}{space}{fence}"


def cell(text: str) -> str:
    """Code in a table, where a bar would end the cell."""
    return code_span(text).replace("|", "\\|")


def plain(text: str) -> str:
    """Text in which nothing is markup, a mention or a link."""
    text = re.sub(r"([\\`*_{}\[\]()#+\-!|<>~@&])", r"\\\1", safe(text))
    return re.sub(r"(?i)(https?)(:)", r"\1&#58;", text).replace("\\@", "@\u200b")
