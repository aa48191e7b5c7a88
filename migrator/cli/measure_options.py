"""The options of `migrator measure` and of what belongs to it: their types, and the workloads they name."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from migrator.cli import exits
from migrator.measure import strategies
from migrator.workload import models, spec
from migrator.workload.spec import Workload

DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h|)$")


def ints(_: click.Context, parameter: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    """Batch sizes with commas."""
    if value is None:
        return None
    try:
        found = tuple(int(v) for v in value.split(","))
    except ValueError:
        found = ()
    if not found or min(found) < 1:
        raise click.BadParameter("give batch sizes like 1,8,32", param=parameter)
    return found


def words(allowed: tuple[str, ...]) -> Callable[..., tuple[str, ...]]:
    """Some of these words, with commas."""

    def parse(_: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
        found = tuple(value.split(","))
        if unknown := [v for v in found if v not in allowed]:
            raise click.BadParameter(f"{unknown[0]!r} is not one of {', '.join(allowed)}")
        return found

    return parse


def size(_: click.Context, parameter: click.Parameter, value: str | None) -> int:
    """Bytes from "4G", "512M" or "4GiB"; 0 where nothing is given."""
    if not value:
        return 0
    match = re.match(r"(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b)?$", value.strip().lower())
    if not match or float(match[1]) <= 0:
        raise click.BadParameter("give a size like 4G or 512M", param=parameter)
    return int(float(match[1]) * _UNITS[match[2]])


def duration(_: click.Context, parameter: click.Parameter, value: str) -> float:
    """Seconds from "90", "90s", "9m" or "2h"."""
    match = _DURATION.match(value.strip().lower())
    if not match:
        raise click.BadParameter("give a time like 90s, 9m or 2h", param=parameter)
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def allocators(_: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    """default, growth, cuda_malloc_async, and limit:SIZE as limit:BYTES."""
    found = []
    for word in value.split(","):
        name, colon, argument = word.partition(":")
        if name == "limit" and colon:
            found.append(f"limit:{size(_, parameter, argument)}")
        elif word in ("default", "growth", "cuda_malloc_async"):
            found.append(word)
        else:
            raise click.BadParameter(
                f"{word!r} is not one of default, growth, limit:SIZE, cuda_malloc_async"
            )
    return tuple(found)


def strategy_words(_: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    """Strategies with commas."""
    try:
        return strategies.parse(value)
    except strategies.StrategyError as error:
        raise click.BadParameter(str(error), param=parameter) from error


PYTHON = ("True", "False")  # as people write them who think of the builder


def keywords(
    _: click.Context, parameter: click.Parameter, value: Sequence[str]
) -> dict[str, Any]:
    """KEY=VALUE pairs; a value is TOML, and what TOML cannot read is a string. `none` and
    `null` are None, and `True` is what `true` is."""
    found: dict[str, Any] = {}
    for text in value:
        key, equals, given = text.partition("=")
        if not equals or not key.isidentifier():
            raise click.BadParameter(f"{text!r}: write KEY=VALUE", param=parameter)
        if given.lower() in ("none", "null"):
            found[key] = None
            continue
        try:
            found[key] = tomllib.loads(f"v = {given.lower() if given in PYTHON else given}")["v"]
        except tomllib.TOMLDecodeError:
            found[key] = given
    return found


def need_tensorflow(elsewhere: bool = False) -> None:
    """Ends the command with code 2, before anything is looked for, where there is no TensorFlow here.

    elsewhere: whether all that runs is run by another interpreter.
    """
    if not elsewhere and importlib.util.find_spec("tensorflow") is None:
        raise exits.UsageExit(
            "TensorFlow is not installed here, and this runs it: pip install 'migrator[tf]'"
        )


def workloads(
    repo: Path, file: Path | None, run: Sequence[str], model: Sequence[str],
    inputs: Sequence[str], modes: Sequence[str], kwargs: dict[str, Any], loss: str,
    timeout: float, commands: bool,
) -> tuple[Workload, ...]:  # fmt: skip
    """What the options name; without any, what the repository describes, else its model files.

    Raises:
      SpecError: a file, an option or a description is wrong.
    """
    if run or model:
        found = [models.command(text, timeout) for text in run]
        for text in model:
            found += models.from_option(text, inputs, repo, modes, kwargs, loss)
        return tuple({w.name: w for w in found}.values())
    described = spec.load(file) if file else spec.find(repo)
    chosen = [w for w in described if commands or w.kind != "command" or w.found]
    if any(w.kind not in ("tests", "command") or w.found for w in described) or commands:
        return tuple(chosen)
    return (*chosen, *models.found(repo, modes))


def described(repo: Path, file: Path | None) -> bool:
    """Whether a workload file says anything. Raises SpecError."""
    return bool(spec.load(file) if file else spec.find(repo))


WORKLOADS = (
    click.option(
        "--workloads", type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="A workload file instead of REPO/migrator.toml.",
    ),
    click.option(
        "--model", multiple=True, metavar="MODEL",
        help="package.module:build, a SavedModel folder, or a .pb, .keras or .h5 file.",
    ),
    click.option(
        "--input", "inputs", multiple=True, metavar="SHAPE",
        help="An input of --model: 1x300x300x3, NAME=1x300x300x3, 1x300x300x3:uint8.",
    ),
    click.option(
        "--kwarg", "kwargs", multiple=True, metavar="KEY=VALUE", callback=keywords,
        help="A keyword argument for the builder of --model.",
    ),
    click.option(
        "--loss", default="", metavar="MODULE:FUNCTION",
        help="The loss of --model's outputs (by default their mean square).",
    ),
    click.option(
        "--before", type=DIRECTORY,
        help="The TF1 tree (by default: the repository's own, from before the migration).",
    ),
    click.option(
        "--after", type=DIRECTORY,
        help="The migrated tree (by default: the repository, or a migrated copy of it).",
    ),
    click.option("--threads", default=1, show_default=True, help="Threads within an op."),
    click.option(
        "--timeout", default="10m", show_default=True, callback=duration,
        help="Time that a process may take.",
    ),
    click.option(
        "--memory", default="", callback=size, metavar="SIZE",
        help="End a process as out of memory at this resident size, such as 8G.",
    ),
    click.option(
        "--tf1-python", default="", metavar="PYTHON",
        help="Measure “before” with this TensorFlow 1.15 interpreter (no allocator figures).",
    ),
)  # fmt: skip


def with_workloads(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that say what runs, and how."""
    for option in reversed(WORKLOADS):
        function = option(function)
    return function
