"""The repository's own settings for migrator: setup.cfg, pyproject.toml or migrator.toml.

They are as trusted as the code beside them, which is never run: settings lead to no file outside of
the repository, and to no other machine.
"""

from __future__ import annotations

import configparser
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from migrator.project.paths import UnsafePath, followed
from migrator.project.source import SourceError
from migrator.project.toml import TomlError, parsed
from migrator.project.tree import read

# Name -> type. `list` is a list of strings (lines or commas in setup.cfg).
SETTINGS: dict[str, type] = {
    "select": list,
    "ignore": list,
    "exclude": list,
    "precision": str,
    "jit": bool,
    "gpu-memory": str,
    "support": str,
    "jobs": int,
    "rules": list,
    "cache": bool,
    "confidence": str,
    "baseline": str,
    "engine": str,
    "address": str,
}
# What may be said for some files only.
OVERRIDABLE = ("select", "ignore", "confidence")
OVERRIDES = "overrides"
_INI_OVERRIDE = "migrator:"
_MOST_BYTES = 1 << 20  # over that, no settings file is one
_FILES = ("rules", "baseline")  # settings that name files


class ConfigError(ValueError):
    """A settings file that cannot be used; the message starts with its path."""


@dataclass(frozen=True, slots=True)
class Config:
    """Settings by name, and for each the file that it came from; then the overrides."""

    values: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    overrides: tuple[PathOverride, ...] = ()


@dataclass(frozen=True, slots=True)
class PathOverride:
    """Settings (those of OVERRIDABLE) for the files that a .gitignore pattern matches."""

    pattern: str
    values: dict[str, Any]
    source: str


def load(root: Path) -> Config:
    """The settings of a repository; `migrator.toml` wins over `pyproject.toml` over `setup.cfg`.

    They stand in `[migrator]` (setup.cfg, migrator.toml) or `[tool.migrator]` (pyproject.toml);
    those for some files only in `[migrator:PATTERN]` (setup.cfg) or in tables
    `[[migrator.overrides]]`, `[[tool.migrator.overrides]]` with `files = [PATTERN, ...]`.
    Raises ConfigError for a file that cannot be read, an unknown setting, a wrong type, and for
    what only the command line may name: files outside of the repository, a cluster elsewhere.
    """
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    found = (
        ("setup.cfg", _from_ini(root, "setup.cfg")),
        ("pyproject.toml", _from_toml(root, "pyproject.toml", ("tool", "migrator"))),
        ("migrator.toml", _from_toml(root, "migrator.toml", ("migrator",))),
    )
    overrides: list[PathOverride] = []
    for name, table in found:
        overrides += _overrides(root / name, name, table.pop(OVERRIDES, []))
        for key, raw in table.items():
            setting = key.replace("_", "-")
            values[setting] = _typed(root / name, setting, raw)
            sources[setting] = name
            _refuse_elsewhere(root, name, setting, values[setting])
    return Config(values, sources, tuple(overrides))


def shown(value: Any) -> str:
    """A value in a message: not all of a long one."""
    text = value if isinstance(value, str) else repr(value)
    text = repr(value) if text.isprintable() else ascii(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _refuse_elsewhere(root: Path, source: str, setting: str, value: Any) -> None:
    option = f"give it on the command line: --{setting}"
    if setting in _FILES:
        for item in value if isinstance(value, list) else [value]:
            if not _is_inside(root, item):
                where = "lies outside of the repository"
                raise ConfigError(f"{root / source}: {setting}: {shown(item)} {where}; {option}")
    elif setting == "address" and value not in ("", "auto"):
        why = "a repository cannot choose where its files are sent"
        raise ConfigError(f"{root / source}: address: {shown(value)}: {why}; {option}")


def _overrides(path: Path, source: str, raw: Any) -> list[PathOverride]:
    if not isinstance(raw, list) or not all(isinstance(item, dict) for item in raw):
        raise ConfigError(f"{path}: {OVERRIDES} must be tables: [[... .{OVERRIDES}]]")
    found = []
    for item in raw:
        values = {key.replace("_", "-"): value for key, value in item.items()}
        files = values.pop("files", None)
        if isinstance(files, str):
            files = [files]
        if not files or not isinstance(files, list) or not all(isinstance(f, str) for f in files):
            raise ConfigError(f"{path}: an override needs files, a list of patterns")
        for key in values:
            if key not in OVERRIDABLE:
                known = ", ".join(OVERRIDABLE)
                raise ConfigError(f"{path}: {shown(key)} cannot be set for some files (these: {known})")
        typed = {key: _typed(path, key, value) for key, value in values.items()}
        found += [PathOverride(pattern, typed, source) for pattern in files]
    return found


def _is_inside(root: Path, item: str) -> bool:
    try:
        followed(root, str(Path(item).relative_to(root)) if Path(item).is_absolute() else item)
    except ValueError:  # UnsafePath, a NUL in the name
        return False
    return True


def _data(root: Path, name: str) -> bytes | None:
    """A settings file of the repository itself, None where there is none."""
    path = root / name
    try:
        followed(root, name)
        if not os.path.lexists(path):
            return None
        return read(root, name, _MOST_BYTES, links=True)[0]
    except UnsafePath as error:
        where = "out of the repository" if "out of the tree" in str(error) else "in a circle"
        raise ConfigError(f"{path}: is a link {where}; it was not read") from error
    except SourceError as error:
        raise ConfigError(str(error)) from error


def _from_toml(root: Path, name: str, table: tuple[str, ...]) -> dict[str, Any]:
    path = root / name
    content = _data(root, name)
    if content is None:
        return {}
    try:
        data: Any = parsed(content)
    except TomlError as error:
        raise ConfigError(f"{path}: {error}") from error
    for key in table:
        data = data.get(key, {}) if isinstance(data, dict) else {}
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: [{'.'.join(table)}] must be a table")
    return dict(data)


def _from_ini(root: Path, name: str) -> dict[str, Any]:
    path = root / name
    content = _data(root, name)
    if content is None:
        return {}
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(content.decode("utf-8"), source=str(path))
    except (configparser.Error, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {str(error)[:500]}") from error
    table: dict[str, Any] = dict(parser["migrator"]) if parser.has_section("migrator") else {}
    table[OVERRIDES] = [
        {**parser[section], "files": [section.removeprefix(_INI_OVERRIDE)]}
        for section in parser.sections()
        if section.startswith(_INI_OVERRIDE)
    ]
    return table


def _typed(path: Path, name: str, raw: Any) -> Any:
    """A setting's value in its type; setup.cfg has only strings."""
    if name not in SETTINGS:
        known = ", ".join(SETTINGS)
        raise ConfigError(f"{path}: {shown(name)} is not a setting of migrator (known: {known})")
    wanted = SETTINGS[name]
    if wanted is list and isinstance(raw, str):
        return [item.strip() for item in raw.replace("\n", ",").split(",") if item.strip()]
    if wanted is bool and isinstance(raw, str):
        word = raw.strip().lower()
        if word in ("true", "yes", "on", "1", "false", "no", "off", "0"):
            return word in ("true", "yes", "on", "1")
    if wanted is int and isinstance(raw, str) and raw.strip().isdecimal() and len(raw) < 10:
        return int(raw)
    strings = not isinstance(raw, list) or all(isinstance(item, str) for item in raw)
    if not isinstance(raw, wanted) or (wanted is int and isinstance(raw, bool)) or not strings:
        kind = {list: "a list of strings", bool: "true or false", int: "a number", str: "a string"}
        raise ConfigError(f"{path}: {name} must be {kind[wanted]}, not {shown(raw)}")
    return raw
