"""A plan as SARIF 2.1.0, for code-scanning pages and editors.

What GitHub's page asks for beyond the standard (docs.github.com, "SARIF support for code scanning"):
paths relative to the repository, help for each rule, fingerprints, at most 25,000 results in a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sarif_pydantic as sarif

from migrator.cli.fingerprints import line_hashes
from migrator.engine.codes import Code
from migrator.model import Change, FileResult, Finding, Plan, Rung
from migrator.project.git import work_tree
from migrator.project.notebook import is_notebook
from migrator.project.places import Places
from migrator.project.source import SourceError
from migrator.project.tree import read

HOME = "https://www.tensorflow.org/guide/migrate"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
MOST_RESULTS = 25_000  # GitHub refuses a run with more
LEVELS = {
    Rung.MANUAL: sarif.Level.WARNING,
    Rung.COMPAT: sarif.Level.WARNING,
    Rung.SUPPORT: sarif.Level.NOTE,
    Rung.NATIVE: sarif.Level.NOTE,
}
_WORST_FIRST = (sarif.Level.ERROR, sarif.Level.WARNING, sarif.Level.NOTE)


def document(plan: Plan, codes: Mapping[str, Code]) -> str:
    """The SARIF text: findings as warnings, changes as notes, failed files as errors.

    `codes` describes the rules. Paths are relative to the git work tree around the plan's root, as
    code-scanning pages want them, or to the root itself. Of more results than a page takes, the
    least severe are left out; the run says how many.
    """
    root = Path(plan.root)
    base = work_tree(root) or root
    prefix = root.relative_to(base).as_posix()
    prefix = "" if prefix == "." else f"{prefix}/"
    where = Places(plan)
    results = [result for item in plan.files for result in _of_file(item, root, prefix, where)]
    results.sort(key=lambda result: _WORST_FIRST.index(result.level))
    left_out = len(results) - MOST_RESULTS
    results = results[:MOST_RESULTS]
    worst = {result.rule_id: result.level for result in reversed(results)}
    used = sorted(worst)
    for result in results:
        result.rule_index = used.index(result.rule_id)
    driver = sarif.ToolDriver(
        name="migrator", version=plan.tool_version or None,
        semanticVersion=plan.tool_version or None, information_uri=HOME,
        rules=[_rule(code, codes.get(code, Code(code, code)), worst[code]) for code in used],
    )  # fmt: skip
    run = sarif.Run(
        tool=sarif.Tool(driver=driver), results=results,
        invocations=[_invocation(plan, left_out)],
        original_uri_base_ids={ROOT: sarif.ArtifactLocation(uri=base.as_uri().rstrip("/") + "/")},
        automationDetails={"id": f"migrator/{prefix}"},  # one analysis for each folder
        columnKind="unicodeCodePoints",
    )  # fmt: skip
    log = sarif.Sarif(version="2.1.0", schema_uri=SCHEMA, runs=[run])
    return log.model_dump_json(by_alias=True, exclude_none=True, indent=1) + "\n"


def _invocation(plan: Plan, left_out: int) -> sarif.Invocation:
    notes = []
    if left_out > 0:
        text = f"{left_out:,} results of the lowest severity are left out: a run holds 25,000."
        notes.append({"level": "note", "message": {"text": text}})
    return sarif.Invocation(
        execution_successful=not plan.failed, toolExecutionNotifications=notes or None
    )


def _rule(code: str, described: Code, level: sarif.Level) -> sarif.ReportingDescriptor:
    said = f"{described.why.rstrip('.')}. `migrator explain {code}` shows examples."
    return sarif.ReportingDescriptor(
        id=code,
        name="".join(word.capitalize() for word in _words(described.title)) or code,
        short_description=sarif.Message(text=described.title),
        full_description=sarif.Message(text=described.why),
        help=sarif.Message(
            text=said.replace("`", ""), markdown=f"**{described.title}**\n\n{said}"
        ),
        help_uri=HOME,
        default_configuration={"level": level.value},
        properties={"tags": ["tensorflow", "migration"], "precision": "high"},
    )


def _words(title: str) -> list[str]:
    return "".join(c if c.isascii() and c.isalnum() else " " for c in title).split()


@dataclass
class _File:
    """One file of the plan: what results say about where they are."""

    path: str
    root: Path
    prefix: str
    text: str

    @cached_property
    def hashes(self) -> list[str]:
        text = self.text
        if is_notebook(self.path):  # results stand on lines of the file, not of the module
            try:
                text = read(self.root, self.path)[0].decode("utf-8", "replace")
            except SourceError:
                text = ""
        return line_hashes(text)

    def result(self, code: str, level: sarif.Level, text: str, region: sarif.Region) -> Any:
        line = region.start_line or 1
        uri = quote(self.prefix + self.path)
        place = sarif.PhysicalLocation(
            artifact_location=sarif.ArtifactLocation(uri=uri, uri_base_id=ROOT), region=region
        )
        known = self.hashes[line - 1] if line <= len(self.hashes) else f"{uri}:1"
        return sarif.Result(
            rule_id=code, level=level, message=sarif.Message(text=text),
            locations=[sarif.Location(physical_location=place)],
            partial_fingerprints={"primaryLocationLineHash": known},
        )  # fmt: skip


def _of_file(item: FileResult, root: Path, prefix: str, where: Places) -> list[sarif.Result]:
    file = _File(item.path, root, prefix, item.old_text)
    results = []
    for finding in item.findings:
        label = where.label(item.path, finding.line)
        text = f"{finding.message}. {finding.advice}" if finding.advice else finding.message
        place = replace(finding, line=where.line(item.path, finding.line))
        results.append(file.result(finding.code, LEVELS[finding.rung], label + text, _region(place)))
    for change in item.changes:
        label = where.label(item.path, change.line)
        first, last = (where.line(item.path, n) for n in (change.line, change.end_line))
        edit = replace(change, line=first, end_line=max(first, last))
        text = label + change.reason
        results.append(file.result(change.code, sarif.Level.NOTE, text, _region(edit)))
    reported = {finding.message for finding in item.findings}
    if item.error and not any(message in item.error for message in reported):
        region = sarif.Region(start_line=1)
        results.append(file.result("TF000", sarif.Level.ERROR, item.error, region))
    return results


def _region(place: Finding | Change) -> sarif.Region:
    first = max(place.line, 1)
    if isinstance(place, Finding):
        return sarif.Region(start_line=first, start_column=place.column + 1, end_line=first)
    return sarif.Region(start_line=first, end_line=max(place.end_line, first))
