"""`migrate --stdin-filename`: one file from standard input to standard output, for editors."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from migrator.cli import choices, console, exits
from migrator.cli.hunkprint import print_hunk
from migrator.engine.packs import PackError
from migrator.model import FileResult, Status, to_json
from migrator.project.diff import hunks
from migrator.project.notebook import cell_of, encode_module, is_notebook
from migrator.project.source import SourceError


def run(repo: Path, name: str, as_diff: bool, as_json: bool, given: dict[str, Any]) -> int:
    """Migrate what stands on standard input as if it were the file `name`; the exit code.

    Prints the new bytes (the old ones where nothing changes), or with `as_diff` the hunks, or
    with `as_json` the record. Of a file that cannot be migrated nothing is printed, code 3.
    """
    path = relative(repo, name)
    data = sys.stdin.buffer.read()
    from migrator.engine.editing import Project  # with all that rewrites

    try:
        project = Project(repo, choices.build_options(repo, given))
    except PackError as error:
        raise exits.UsageExit(str(error)) from error
    errors = console.stderr()
    try:
        source = project.module(path, data)
        result = project.result(path, source.text, source.sha256)
        new = data if result.new_text is None else encode_module(source, result.new_text, data)
    except SourceError as error:
        errors.print(console.styled(("failed: ", "bold red"), f"{path}: {error.message}"))
        return exits.FAILED
    if as_json:
        click.echo(to_json(result))
    elif result.status is Status.FAILED:
        errors.print(console.styled(("failed: ", "bold red"), result.error))
    else:
        _print(result, new, as_diff)
        for finding in result.findings:
            cell = cell_of(source.text, finding.line) if is_notebook(path) else None
            place = f"{path}:{finding.line}:{finding.column + 1}: "
            if cell is not None:
                place = f"{path}[cell {cell[0]}]:{cell[1]}:{finding.column + 1}: "
            errors.print(console.styled(place, (finding.code, "yellow"), f" {finding.message}"))
        missing = project.missing_support(result)
        if missing:
            errors.print(console.styled(
                f"note: the new text imports {missing}, which `migrator migrate --only-files "
                f"{path}` writes"
            ))  # fmt: skip
    if result.status is Status.FAILED:
        return exits.FAILED
    return exits.CHANGES if as_diff and result.status is Status.CHANGED else exits.OK


def _print(result: FileResult, new: bytes, as_diff: bool) -> None:
    if not as_diff:
        stream = sys.stdout.buffer
        stream.write(new)
        stream.flush()
        return
    out = console.stdout()
    for hunk in hunks(result) if result.status is Status.CHANGED else ():
        print_hunk(hunk, result, out)


def relative(repo: Path, name: str) -> str:
    """A file as the engine names it, from what an editor says; it need not exist.

    Ends the command with code 2 for a file that is not below `repo`.
    """
    root = repo.resolve()
    path = Path(name)
    if not path.is_absolute():
        below = root / path
        path = below if os.path.exists(below) or not os.path.exists(path) else Path.cwd() / path
    path = Path(os.path.realpath(path.parent)) / path.name
    if root not in path.parents:
        raise exits.UsageExit(f"--stdin-filename {console.safe(name)}: not in {repo}")
    return path.relative_to(root).as_posix()
