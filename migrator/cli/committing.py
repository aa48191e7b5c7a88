"""`migrate --commit`: writes a plan, and commits it, one commit for each family of rules."""

from __future__ import annotations

from pathlib import Path

from migrator.cli import console, exits
from migrator.cli.summary import count
from migrator.engine import families
from migrator.model import Plan, Status
from migrator.project import commits
from migrator.project.apply import Applied, apply_plan
from migrator.project.git import GitError
from migrator.project.notebook import decode_module, encode_module
from migrator.project.source import SourceError
from migrator.project.tree import read


def check(repo: Path) -> commits.Ready:
    """What is needed to commit; ends the command with code 4 where something is missing."""
    try:
        return commits.ready(repo.resolve())
    except (GitError, OSError) as error:
        raise exits.RefusedExit(console.safe(f"cannot commit: {error}")) from error


def apply_and_commit(plan: Plan, ready: commits.Ready) -> Applied:
    """Write the plan through the journal, then commit what was written.

    Raises Refused as `apply_plan` does; ends the command with code 4 where git refuses then.
    """
    root = Path(plan.root)
    steps = families.split(plan)
    contents = [_contents(root, plan, step, ready) for step in steps]
    applied = apply_plan(plan)
    failed = {path for path, _ in applied.failed}
    pairs = [
        ({path: data for path, data in texts.items() if path not in failed},
         families.message(step, plan.tool_version))
        for step, texts in zip(steps, contents, strict=True)
    ]  # fmt: skip
    try:
        made, left_out = commits.commit(ready, pairs)
    except (GitError, OSError) as error:
        raise exits.RefusedExit(console.safe(
            f"the files are migrated, but nothing was committed: {error}; commit them yourself or "
            "take them back with migrator undo"
        )) from error  # fmt: skip
    messages = console.stderr()
    if made:
        text = f"Made {count(len(made), 'commit')}; back with: git reset --hard {ready.head[:12]}"
        messages.print(console.styled(text))
    for path in left_out:
        messages.print(console.styled(("note: ", "dim"), f"{path} is in a repository of its own; "
                                      "it was not committed"))  # fmt: skip
    return applied


def _contents(
    root: Path, plan: Plan, step: families.Step, ready: commits.Ready
) -> dict[str, bytes | None]:
    """The bytes of a step's texts, None for a file that goes. Of a file that cannot be encoded half-way
    there are none, so it stays as it was until a later step; the last one is what `apply_plan` writes."""
    if step.family == families.SUPPORT:
        return {path: text.encode() if text else None for path, text in step.texts.items()}
    results = {result.path: result for result in plan.files if result.status is Status.CHANGED}
    found: dict[str, bytes | None] = {}
    for path, text in step.texts.items():
        try:
            data, mode = read(root, path, limit=1 << 30)
            source = decode_module(data, root / path, mode)
            if source.sha256 == results[path].old_sha256:
                new = ready.stored(path, data, encode_module(source, text, data))
                if new is not None:
                    found[path] = new
        except SourceError:
            continue
    return found
