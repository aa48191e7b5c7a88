"""A plan for CI services: GitHub's annotation lines, and JUnit XML."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from migrator.model import FileResult, Plan, Rung
from migrator.project.places import Places

# What XML 1.0 cannot hold, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def github(plan: Plan) -> Iterator[str]:
    """One workflow command a finding, change and failed file, paths relative to where we are.

    https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
    """
    where = Places(plan)
    for result in plan.files:
        path = os.path.relpath(Path(plan.root) / result.path)
        if result.error:
            yield _command("error", path, 1, 1, "migrator", result.error)
        for finding in result.findings:
            level = "warning" if finding.rung in (Rung.MANUAL, Rung.COMPAT) else "notice"
            label = where.label(result.path, finding.line)
            text = f"{label}{finding.message}\n{finding.advice}".strip()
            line = where.line(result.path, finding.line)
            yield _command(level, path, line, line, finding.code, text)
        for change in result.changes:
            first, last = (where.line(result.path, n) for n in (change.line, change.end_line))
            text = where.label(result.path, change.line) + change.reason
            yield _command("notice", path, first, last, change.code, text)


def _command(level: str, path: str, line: int, end: int, title: str, text: str) -> str:
    properties = {"file": path, "line": max(line, 1), "endLine": max(end, line, 1), "title": title}
    shown = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{level} {shown}::{_data(text)}"


def _data(text: str) -> str:
    """Escaped so that nothing in a file can end the line and begin another command."""
    text = text.encode("utf-8", "backslashreplace").decode()
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def junit(plan: Plan) -> bytes:
    """A test case for each file: an error where it failed, a failure for whatever is left of
    TensorFlow 1 in it (changes to make, findings that need a person)."""
    suite = ElementTree.Element("testsuite", name="migrator", tests=str(len(plan.files)))
    where = Places(plan)
    for result in plan.files:
        case = ElementTree.SubElement(
            suite, "testcase", classname="migrator", name=_xml(result.path),
            file=_xml(result.path), time=f"{result.seconds:.3f}",
        )  # fmt: skip
        if result.error:
            ElementTree.SubElement(case, "error", message=_xml(result.error))
            continue
        lines = _left(result, where)
        if lines:
            message = f"{len(lines)} to do"
            ElementTree.SubElement(case, "failure", message=message).text = _xml("\n".join(lines))
    suite.set("errors", str(len(suite.findall("testcase/error"))))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    return ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True) + b"\n"


def _left(result: FileResult, where: Places) -> list[str]:
    items = [(c.line, c.code, c.reason) for c in result.changes]
    items += [
        (f.line, f.code, f.message) for f in result.findings if f.rung in (Rung.MANUAL, Rung.COMPAT)
    ]
    return [f"{where.shown(result.path, line)}: {code} {text}" for line, code, text in sorted(items)]


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
