"""A plan kept in a file between review and apply, and read back as if a stranger had sent it."""

from __future__ import annotations

import enum
import functools
import json
import re
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any, BinaryIO

from migrator.model import (
    Change,
    FileResult,
    Finding,
    Plan,
    Status,
    Written,
    to_json,
    to_jsonable,
)  # fmt: skip
from migrator.project import jsonstream
from migrator.project.marker import is_generated
from migrator.project.paths import UnsafePath, plain
from migrator.project.results import Results
from migrator.project.source import SourceError
from migrator.project.tree import check, reading_named

FORMAT, VERSION = "migrator-plan", 1
MAX_PLAN_BYTES = 1 << 30
SUPPORT_FOLDER = "tf1_support"
_SHA256 = re.compile(r"[0-9a-f]{64}")
_RECORDS = (Change, FileResult, Finding, Plan, Written)


class PlanError(ValueError):
    """A plan file that cannot be used: `FILE: FIELD: what is wrong with it`."""


def write(plan: Plan, stream: BinaryIO, applied: Any = None, ascii_only: bool = True) -> None:
    """Write the plan as JSON, a file a line. In ASCII any text of a source file survives.

    Texts of files about which nothing is said are left out. `applied` is what was done with the plan.
    """
    head = {"format": FORMAT, "version": VERSION}
    names = [field.name for field in fields(Plan)]
    before = {name: getattr(plan, name) for name in names[: names.index("files")]}
    after = {name: getattr(plan, name) for name in names[names.index("files") + 1 :]}
    if applied is not None:
        after["applied"] = applied
    jsonstream.write(
        stream, head | before, "files", map(_brief, plan.files), after,
        _ascii if ascii_only else functools.partial(to_json, indent=None),
    )  # fmt: skip


def _brief(result: FileResult) -> FileResult:
    told = result.status is Status.CHANGED or result.findings
    return result if told else replace(result, old_text="")


def _ascii(value: Any) -> str:
    return json.dumps(to_jsonable(value), ensure_ascii=True)


def load(path: Path) -> Plan:
    """Read a plan file. Its paths are only known to be plain here; `check_tree` asks the tree.

    Raises PlanError, with the file and the field, for whatever `write` would not have written:
    other formats and versions, missing, unknown and mistyped fields, paths that leave the tree,
    a file named twice, support files that migrator did not generate.
    """
    seen: set[str] = set()

    def check(result: FileResult, number: int) -> FileResult:
        _check_file(result, f"files[{number}]", seen)
        return result

    return _read(path, check, _plan, _check_header, seen)


def load_kept(path: Path, of: Callable[[FileResult], FileResult | None] | None = None) -> Plan:
    """A plan as `migrate` leaves it in `.migrator/plan.json`, to be shown. Of a result that which `of`
    makes of it is kept, if anything: the whole of a large plan need not be there first.

    Raises PlanError.
    """
    return _read(path, lambda result, number: of(result) if of else result, _kept, lambda raw: None, set())


def _read(
    path: Path, check: Callable[[FileResult, int], FileResult | None],
    finish: Callable[[dict[str, Any], set[str]], Plan], begin: Callable[[dict[str, Any]], None],
    seen: set[str],
) -> Plan:  # fmt: skip
    results = Results()
    count = 0

    def take(before: dict[str, Any], raw: Any) -> None:
        nonlocal count
        if not count and "format" in before:
            begin(before)
        result = check(_record(FileResult, raw, f"files[{count}]"), count)
        if result is not None:
            results.put(result)
        count += 1

    try:
        with reading_named(path, MAX_PLAN_BYTES) as stream:
            raw = jsonstream.read(stream, "files", take)
        if "files" not in raw:
            raw["files"] = []
        return replace(finish(raw, seen), files=results.done())
    except SourceError as error:
        raise PlanError(str(error)) from error
    except jsonstream.NoObject as error:
        raise PlanError(f"{path}:{error.line}: is not a plan: {error}") from error
    except RecursionError as error:
        raise PlanError(f"{path}: is not a plan: nested too deeply") from error
    except _Wrong as error:
        raise PlanError(f"{path}: {error}") from error


def check_tree(plan: Plan, root: Path) -> None:
    """Raises PlanError for a path that leads out of `root` (through a link, say)."""
    for number, result in enumerate(plan.files):
        if result.status is Status.CHANGED:
            _inside(root, result.path, f"files[{number}].path")
    for number, (path, _) in enumerate(plan.support_files):
        _inside(root, path, f"support_files[{number}]")


def _inside(root: Path, path: str, where: str) -> None:
    try:
        check(root, path)
    except UnsafePath as error:
        raise PlanError(f"{where}: {error}") from error


# -- reading


class _Wrong(ValueError):
    def __init__(self, where: str, message: str) -> None:
        super().__init__(f"{where}: {message}" if where else message)


def _check_header(raw: dict[str, Any]) -> None:
    if raw.get("format") != FORMAT:
        raise _Wrong("format", f"must be {FORMAT!r}; make a plan with: migrator migrate --plan")
    if raw.get("version") != VERSION or isinstance(raw.get("version"), bool):
        raise _Wrong(
            "version",
            f"must be {VERSION}, not {_shown(raw.get('version'))}; make the plan again with this "
            "version of migrator",
        )


def _plan(raw: dict[str, Any], seen: set[str]) -> Plan:
    _check_header(raw)
    plan = _record(Plan, {k: v for k, v in raw.items() if k not in ("format", "version")}, "")
    assert isinstance(plan, Plan)
    for number, (path, text) in enumerate(plan.support_files):
        where = f"support_files[{number}]"
        _once(path, where, seen)
        if SUPPORT_FOLDER not in path.split("/")[:-1] or not path.endswith(".py"):
            raise _Wrong(where, f"{_shown(path)} is no module of a {SUPPORT_FOLDER} package")
        if text and not is_generated(text):
            raise _Wrong(where, f"{_shown(path)} was not generated by migrator")
        _encodable(text, where)
    return plan


def _kept(raw: dict[str, Any], seen: set[str]) -> Plan:
    header = {"format": FORMAT, "version": VERSION}
    plan = _record(Plan, {k: v for k, v in raw.items() if header.get(k) != v}, "")
    assert isinstance(plan, Plan)
    return plan


def _check_file(result: FileResult, where: str, seen: set[str]) -> None:
    if result.status is not Status.CHANGED:
        if result.new_text is not None:
            raise _Wrong(f"{where}.new_text", f"a file that is {result.status.value} has none")
        return
    _once(result.path, f"{where}.path", seen)
    if result.new_text is None:
        raise _Wrong(f"{where}.new_text", "is missing though the file is changed")
    if not _SHA256.fullmatch(result.old_sha256):
        raise _Wrong(f"{where}.old_sha256", f"{_shown(result.old_sha256)} is no SHA-256 digest")
    _encodable(result.new_text, f"{where}.new_text")


def _once(path: str, where: str, seen: set[str]) -> None:
    """A plain path that was not there before."""
    _encodable(path, where)
    try:
        plain(path)
    except (UnsafePath, ValueError) as error:
        raise _Wrong(where, str(error)) from error
    if path in seen:
        raise _Wrong(where, f"{_shown(path)} is in the plan twice")
    seen.add(path)


def _encodable(text: str, where: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _Wrong(where, "holds a lone surrogate, which is no text") from error


def _record(kind: type, raw: Any, where: str) -> Any:
    """`raw` as the record `kind`, every field checked against its annotation."""
    if not isinstance(raw, dict):
        raise _Wrong(where, f"must be an object, not {_shown(raw)}")
    hints = typing.get_type_hints(kind)
    known = fields(kind)
    unknown = sorted(set(raw) - {field.name for field in known})
    if unknown:
        raise _Wrong(_join(where, unknown[0][:80]), "is no field of a plan")
    values: dict[str, Any] = {}
    for field in known:
        place = _join(where, field.name)
        if field.name in raw:
            values[field.name] = _value(hints[field.name], raw[field.name], place)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise _Wrong(place, "is missing")
    return kind(**values)


def _value(kind: Any, raw: Any, where: str) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind in _RECORDS:
        return _record(kind, raw, where)
    if origin is types.UnionType:  # X | None
        return None if raw is None else _value(arguments[0], raw, where)
    if origin in (tuple, frozenset, Sequence):
        if not isinstance(raw, list):
            raise _Wrong(where, f"must be a list, not {_shown(raw)}")
        if origin is tuple and arguments[-1] is not Ellipsis:
            if len(raw) != len(arguments):
                raise _Wrong(where, f"must have {len(arguments)} items, not {len(raw)}")
            pairs = zip(arguments, raw, strict=True)
            return tuple(_value(a, item, f"{where}[{n}]") for n, (a, item) in enumerate(pairs))
        kept = (_value(arguments[0], item, f"{where}[{n}]") for n, item in enumerate(raw))
        return frozenset(kept) if origin is frozenset else tuple(kept)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        try:
            return kind(raw)
        except ValueError:
            allowed = ", ".join(str(item.value) for item in kind)
            raise _Wrong(where, f"must be one of {allowed}, not {_shown(raw)}") from None
    if kind is float and isinstance(raw, (int, float)) and not isinstance(raw, bool):
        return float(raw)
    wanted = origin or kind
    if not isinstance(raw, wanted) or (wanted is int and isinstance(raw, bool)):
        names = {str: "a string", int: "a whole number", float: "a number", dict: "an object"}
        raise _Wrong(where, f"must be {names[wanted]}, not {_shown(raw)}")
    return raw


def _join(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _shown(value: Any) -> str:
    """A value in a message: short, and nothing in it acts on a terminal."""
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."
