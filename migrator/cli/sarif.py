"""A plan as SARIF 2.1.0, for code-scanning pages and editors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sarif_pydantic as sarif

from migrator.model import Change, Finding, Plan, Rung
from migrator.project.places import Places

HOME = "https://www.tensorflow.org/guide/migrate"
LEVELS = {
    Rung.MANUAL: sarif.Level.WARNING,
    Rung.COMPAT: sarif.Level.WARNING,
    Rung.SUPPORT: sarif.Level.NOTE,
    Rung.NATIVE: sarif.Level.NOTE,
}


def document(plan: Plan, titles: dict[str, tuple[str, str]]) -> str:
    """The SARIF text: findings as warnings, changes as notes, failed files as errors.

    `titles`: (title, why) of a rule by its code. Paths are relative to the plan's root.
    """
    results: list[sarif.Result] = []
    where = Places(plan)
    for item in plan.files:
        reported = {finding.message for finding in item.findings}
        for finding in item.findings:
            label = where.label(item.path, finding.line)
            text = f"{finding.message}. {finding.advice}" if finding.advice else finding.message
            level = LEVELS[finding.rung]
            place = replace(finding, line=where.line(item.path, finding.line))
            results.append(_result(finding.code, level, label + text, item.path, place))
        for change in item.changes:
            level = sarif.Level.NOTE
            label = where.label(item.path, change.line)
            first, last = (where.line(item.path, n) for n in (change.line, change.end_line))
            edit = replace(change, line=first, end_line=max(first, last))
            results.append(_result(change.code, level, label + change.reason, item.path, edit))
        if item.error and not any(message in item.error for message in reported):
            results.append(_result("TF000", sarif.Level.ERROR, item.error, item.path, None))
    codes = sorted({result.rule_id for result in results if result.rule_id})
    driver = sarif.ToolDriver(
        name="migrator", version=plan.tool_version or None, information_uri=HOME,
        rules=[_rule(code, titles.get(code)) for code in codes],
    )  # fmt: skip
    base = sarif.ArtifactLocation(uri=Path(plan.root).as_uri().rstrip("/") + "/")
    run = sarif.Run(
        tool=sarif.Tool(driver=driver), results=results,
        original_uri_base_ids={"ROOT": base}, columnKind="unicodeCodePoints",
    )  # fmt: skip
    log = sarif.Sarif(
        version="2.1.0",
        schema_uri="https://json.schemastore.org/sarif-2.1.0.json",
        runs=[run],
    )
    return log.model_dump_json(by_alias=True, exclude_none=True, indent=1) + "\n"


def _rule(code: str, title: tuple[str, str] | None) -> Any:
    name, why = title or (code, "")
    return sarif.ReportingDescriptor(
        id=code,
        short_description=sarif.Message(text=name),
        full_description=sarif.Message(text=why or name),
    )


def _result(
    code: str, level: Any, text: str, path: str, place: Finding | Change | None
) -> sarif.Result:
    if isinstance(place, Finding):
        region = sarif.Region(start_line=max(place.line, 1), start_column=place.column + 1)
    elif isinstance(place, Change):
        first = max(place.line, 1)
        region = sarif.Region(start_line=first, end_line=max(place.end_line, first))
    else:
        region = sarif.Region(start_line=1)
    location = sarif.Location(
        physical_location=sarif.PhysicalLocation(
            artifact_location=sarif.ArtifactLocation(uri=quote(path), uri_base_id="ROOT"),
            region=region,
        )
    )
    return sarif.Result(
        rule_id=code, level=level, message=sarif.Message(text=text), locations=[location]
    )
