"""The options of a migration on the command line, merged with the repository's settings."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from migrator.cli import console
from migrator.cli.exits import UsageExit
from migrator.engine import codes
from migrator.engine.baseline import Baseline, BaselineError
from migrator.engine.baseline import load as load_baseline
from migrator.engine.cache import default_cache_dir
from migrator.engine.options import (
    CONFIDENCES,
    ENGINES,
    GPU_MEMORY,
    PRECISIONS,
    SUPPORT,
    Options,
    Override,
)
from migrator.engine.packs import PackError
from migrator.engine.ruleset import load_ruleset
from migrator.project.config import Config, ConfigError, load
from migrator.project.discover import discover
from migrator.project.git import GitError
from migrator.project.gitstate import changed_since
from migrator.project.ignore import Patterns

_SHOWN = 80  # characters of what was given, in messages

DEFAULTS: dict[str, Any] = {
    "select": [], "ignore": [], "exclude": [], "precision": "float32", "jit": False,
    "gpu-memory": "keep", "support": "", "jobs": 0, "rules": [], "cache": True, "confidence": "review",
    "baseline": "", "engine": "processes", "address": "",
}  # fmt: skip


def repo_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """The REPO argument: an existing folder, `.` if not given."""
    kind = click.Path(exists=True, file_okay=False, path_type=Path)
    return click.argument("repo", type=kind, default=Path("."))(function)


ADVANCED = (
    "--precision", "--jit", "--gpu-memory", "--support", "--rules", "--jobs", "--engine", "--address",
    "--no-cache", "--show-config", "--baseline", "--confidence",
)  # fmt: skip


def migration_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that decide what files become, as keyword arguments of the command."""
    pack = click.Path(exists=True, dir_okay=False, path_type=Path)
    for option in reversed(
        (
            click.option("--select", "-s", multiple=True, metavar="CODES",
                         help="Only these rules: codes or their beginnings (TF2,PY101)."),
            click.option("--ignore", "-i", multiple=True, metavar="CODES",
                         help="Not these rules."),
            click.option("--only-files", "-f", multiple=True, metavar="PATTERN",
                         help="Only these files: paths, or patterns as in .gitignore."),
            click.option("--since", metavar="REV",
                         help="Only files that differ from this git revision, or are new."),
            click.option("--exclude", multiple=True, metavar="PATTERN",
                         help="Leave these files out, also from what others import."),
            click.option("--baseline", metavar="FILE",
                         help="Leave out what this file of --write-baseline knows."),
            click.option("--confidence", type=click.Choice(CONFIDENCES),
                         help="Make only edits of this confidence or a higher one; the others are "
                         "listed.  [default: review, which is all]"),
            click.option("--precision", type=click.Choice(PRECISIONS),
                         help="Keras dtype policy that entry points set.  [default: float32]"),
            click.option("--jit/--no-jit", default=None,
                         help="Compile generated tf.function steps with XLA."),
            click.option("--gpu-memory", type=click.Choice(GPU_MEMORY),
                         help="Memory of GPUs: as the program said, and growth where it said nothing; "
                         "or one of the two everywhere.  [default: keep]"),
            click.option("--support", type=click.Choice(SUPPORT[1:]),
                         help="Support code as a folder of what is used, or as the package tf1-support "
                         "(`migrator wheel`).  [default: what REPO has; vendor]"),
            click.option("--rules", multiple=True, type=pack, metavar="FILE",
                         help="Another rule pack (TOML)."),
            click.option("--jobs", "-j", type=click.IntRange(min=0),
                         help="Worker processes.  [default: one for each CPU]"),
            *engine_options(),
            click.option("--no-cache", is_flag=True,
                         help="Neither read nor write the cache of earlier results."),
            click.option("--show-config", is_flag=True,
                         help="Print the settings in force and where they come from, and stop."),
        )
    ):  # fmt: skip
        function = option(function)
    return function


def engine_options() -> tuple[Callable[..., Any], ...]:
    """The options that say where work is done: --engine and --address."""
    return (
        click.option("--engine", type=click.Choice(ENGINES),
                     help="Work in processes of this machine or on a Ray cluster (needs "
                     "migrator[ray]).  [default: processes]"),
        click.option("--address", metavar="ADDRESS",
                     help="Of the Ray cluster (auto, HOST:PORT, ray://HOST:PORT); without it, one "
                     "is started here."),
    )  # fmt: skip


def settings(repo: Path, given: dict[str, Any]) -> tuple[dict[str, Any], Config]:
    """(settings in force, those of the repository); what is given on the command line wins.

    Ends the command with code 2 for a settings file that cannot be used.
    """
    try:
        config = load(repo)
    except ConfigError as error:
        raise UsageExit(str(error)) from error
    values = {**DEFAULTS, **config.values}
    values["jobs"] = min(values["jobs"], os.cpu_count() or 1)  # a repository does not choose more
    # Paths of rule packs in a settings file are relative to the repository.
    values["rules"] = [repo / path for path in values["rules"]]
    for name in ("select", "ignore"):
        if given.get(name):
            values[name] = [c.strip() for item in given[name] for c in item.split(",") if c.strip()]
    for name in ("exclude", "rules"):
        if given.get(name):
            values[name] = [*values[name], *given[name]]
    for name in ("precision", "jit", "jobs", "gpu-memory", "support", "confidence", "baseline",
                 "engine", "address"):  # fmt: skip
        if given.get(name.replace("-", "_")) is not None:
            values[name] = given[name.replace("-", "_")]
    if given.get("no_cache"):
        values["cache"] = False
    return values, config


def build_options(repo: Path, given: dict[str, Any]) -> Options:
    """The engine's options for a command's arguments.

    Ends the command with code 2 for values that are not possible, and with code 0 after printing
    them for --show-config.
    """
    values, config = settings(repo, given)
    if given.get("show_config"):
        show(values, config, given)
        raise click.exceptions.Exit(0)
    _known_codes(values, config)
    try:
        return Options(
            select=frozenset(values["select"]),
            ignore=frozenset(values["ignore"]),
            only_files=_files(repo, values["exclude"], given.get("only_files", ()), given.get("since")),
            precision=values["precision"],
            jit=values["jit"],
            gpu_memory=values["gpu-memory"],
            support=values["support"],
            jobs=values["jobs"],
            rules=tuple(Path(path) for path in values["rules"]),
            confidence=values["confidence"],
            overrides=_overrides(config, given),
            engine=values["engine"],
            address=values["address"],
            timings=bool(given.get("statistics")),
            cache_dir=default_cache_dir() if values["cache"] else None,
        )
    except ValueError as error:
        raise UsageExit(str(error)) from error


def _known_codes(values: dict[str, Any], config: Config) -> None:
    """Ends the command with code 2 for a --select or --ignore that no rule's code begins with."""
    given = [
        (name, code) for name in ("select", "ignore")
        for table in (values, *(item.values for item in config.overrides))
        for code in table.get(name, ())
    ]  # fmt: skip
    if not given:
        return
    try:
        packs = load_ruleset(Options(rules=tuple(Path(p) for p in values["rules"]))).packs
    except PackError as error:
        raise UsageExit(str(error)) from error
    known = codes.every(packs)
    for name, code in given:
        if not any(k.startswith(code) for k in known):
            close = difflib.get_close_matches(code[:_SHOWN].upper(), known, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            shown = code if len(code) <= _SHOWN else code[:_SHOWN] + "..."
            raise UsageExit(
                f"{name} {console.safe(shown)!r}: no rule's code begins so{hint} "
                "(`migrator rules` lists them)"
            )


def accepted(repo: Path, given: dict[str, Any]) -> Baseline | None:
    """The baseline that the command line or the settings name; ends the command with code 2 where
    it cannot be used. The settings' one is relative to the repository."""
    values, config = settings(repo, given)
    if not values["baseline"]:
        return None
    path = Path(values["baseline"])
    if not given.get("baseline"):
        path = repo / path
    try:
        return load_baseline(path)
    except BaselineError as error:
        raise UsageExit(console.safe(str(error))) from error


def _overrides(config: Config, given: dict[str, Any]) -> tuple[Override, ...]:
    """The settings for some files; what is given on the command line holds for all of them."""
    found = []
    for item in config.overrides:
        values = {name: value for name, value in item.values.items() if not given.get(name)}
        for name in ("select", "ignore"):
            if name in values:
                values[name] = frozenset(values[name])
        try:
            found.append(Override(item.pattern, **values))
        except ValueError as error:
            raise ValueError(f"{item.source}: {item.pattern}: {error}") from error
    return tuple(found)


def _files(
    repo: Path, exclude: list[str], only: tuple[str, ...], since: str | None = None
) -> tuple[Path, ...]:
    """The files that patterns choose, empty for all of them."""
    if not exclude and not only and since is None:
        return ()
    root = repo.resolve()
    files = discover(root, exclude=exclude)
    if only:
        patterns = []
        for pattern in only:
            path = Path(pattern)
            if path.is_absolute() or (os.path.exists(path) and not os.path.exists(root / path)):
                path = path.resolve()
                if path != root and root not in path.parents:
                    raise UsageExit(f"--only-files {pattern}: not in {repo}")
                pattern = "/" + path.relative_to(root).as_posix()
            patterns.append(pattern)
        spec = Patterns.of(patterns)
        files = [f for f in files if spec.covers(f.relative_to(root).as_posix())]
    if since is not None:
        try:
            changed = changed_since(root, since)
        except (GitError, OSError) as error:
            raise UsageExit(console.safe(f"--since {since}: {error}")) from error
        files = [f for f in files if f.relative_to(root).as_posix() in changed]
        if not files:
            console.stderr().print(console.styled(f"No source file differs from {since}."))
            raise click.exceptions.Exit(0)
    if not files:
        raise UsageExit("no source file is left by --only-files and --exclude")
    return tuple(files)


def show(values: dict[str, Any], config: Config, given: dict[str, Any]) -> None:
    """Print the settings in force, one a line, with where each comes from."""
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in values.items():
        asked = given.get("no_cache" if name == "cache" else name.replace("-", "_"))
        if asked not in (None, (), False) or (name == "jit" and asked is False):
            source = "command line"
        else:
            source = config.sources.get(name, "default")
        shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value).lower()
        table.add_row(name, console.safe(shown) or "-", f"({source})")
    for item in config.overrides:
        for name, value in item.values.items():
            shown = ", ".join(value) if isinstance(value, list) else str(value)
            where = f"({item.source})"
            if given.get(name):
                where = f"(of {item.source}, but the command line wins)"
            table.add_row(f"{name} for {console.safe(item.pattern)}", console.safe(shown), where)
    console.stdout().print(table)
