"""JSON Schemas of what migrator prints and keeps, made from the records themselves.

    python -m migrator.cli.schemas docs/schemas

writes them again after a record has changed. A field that is added keeps the version; one that goes
or changes its meaning makes a new one.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import sys
import types
import typing
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from migrator.model import Plan
from migrator.project import planfile
from migrator.project.apply import Applied
from migrator.report.orders import Order
from migrator.survey import Survey

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean"}


def plan() -> dict[str, Any]:
    """Of `migrate --json`, `--plan`, and `.migrator/plan.json`."""
    definitions: dict[str, Any] = {}
    body = _record(Plan, definitions)
    body["properties"]["applied"] = _type(Applied, definitions)
    return _document(
        "migrator-plan", planfile.FORMAT, planfile.VERSION, "What a migration would do (or did)",
        body, definitions,
    )  # fmt: skip


def scan() -> dict[str, Any]:
    """Of `scan --json`."""
    definitions: dict[str, Any] = {}
    body = _record(Survey, definitions)
    body["properties"] |= {
        "dispositions": {"type": "object", "additionalProperties": {"type": "integer"}},
        "findings": _type(tuple[planfile.Finding, ...], definitions),
        "failed": {"type": "object", "additionalProperties": {"type": "string"}},
    }
    return _document(
        "migrator-scan", "migrator-scan", 1, "What is in a repository", body, definitions
    )


def todo() -> dict[str, Any]:
    """Of `todo --json`; with `--check` there are `done` and `left` in the place of `orders`."""
    definitions: dict[str, Any] = {}
    body = _type(Order, definitions)
    listed = {"type": "array", "items": body}
    return _document(
        "migrator-todo", "migrator-todo", 1, "What is left to do",
        {"properties": {
            "root": {"type": "string"}, "edits_to_make": {"type": "integer"}, "orders": listed,
            "done": {"type": "array", "items": {"type": "string"}}, "left": listed,
        }, "required": []}, definitions,
    )  # fmt: skip


def _document(
    name: str, kind: str, version: int, title: str, body: dict[str, Any],
    definitions: dict[str, Any],
) -> dict[str, Any]:  # fmt: skip
    header = {"format": {"const": kind}, "version": {"const": version}}
    return {
        "$schema": _DIALECT, "$id": f"urn:{name}:{version}", "title": title, "type": "object",
        "properties": {**header, **body["properties"]},
        "required": ["format", "version", *body["required"]],
        "additionalProperties": True,  # a later version of migrator may say more
        "$defs": dict(sorted(definitions.items())),
    }  # fmt: skip


def _record(kind: type, definitions: dict[str, Any]) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    known = dataclasses.fields(kind)
    return {
        "type": "object",
        "properties": {f.name: _type(hints[f.name], definitions) for f in known},
        "required": [f.name for f in known],
        "additionalProperties": True,
    }


def _type(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        if kind.__name__ not in definitions:
            definitions[kind.__name__] = {}
            definitions[kind.__name__] = _record(kind, definitions)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    if origin in (types.UnionType, typing.Union):
        return {"anyOf": [_type(item, definitions) for item in arguments]}
    if kind is type(None):
        return {"type": "null"}
    if origin is tuple and arguments[-1:] != (Ellipsis,):
        items = [_type(item, definitions) for item in arguments]
        return {
            "type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)
        }  # fmt: skip
    if origin in (tuple, frozenset, list, Sequence):
        return {"type": "array", "items": _type(arguments[0], definitions)}
    if origin is dict or kind is dict:
        value = {} if not arguments or arguments[1] is Any else _type(arguments[1], definitions)
        return {"type": "object", "additionalProperties": value}
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return {"enum": [item.value for item in kind]}
    return {} if kind is Any else {"type": _PLAIN[kind]}


def text(schema: dict[str, Any]) -> str:
    """A schema as its file has it."""
    return json.dumps(schema, indent=1) + "\n"


def write(folder: Path) -> None:
    """Write all schemas into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in (("plan-1", plan()), ("scan-1", scan()), ("todo-1", todo())):
        (folder / f"{name}.schema.json").write_text(text(schema), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
