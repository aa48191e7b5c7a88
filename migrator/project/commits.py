"""Makes git commits out of texts, without touching the work tree, the index or running hooks.

Commits are built with git's own object commands beside everything else; the branch moves once, at
the end, from exactly the commit that it was on. Whoever is killed before sees no commit at all.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from migrator.project import gitstate
from migrator.project.gitstate import GitError


@dataclass(frozen=True, slots=True)
class Ready:
    """A repository to which commits can be added: its work tree, HEAD, and modes of its files."""

    top: Path
    prefix: str
    head: str
    modes: Mapping[str, str]
    nested: frozenset[str]


def ready(root: Path) -> Ready:
    """Check that commits can be made for the files below `root`.

    Raises GitError, with the way out: no work tree, no commit yet, a merge or rebase half-way,
    nobody to commit as.
    """
    top = gitstate.work_tree(root)
    if top is None:
        raise GitError(f"{root} is not in a git work tree, so there is nothing to commit to")
    try:
        head = _text(top, "rev-parse", "--verify", "HEAD^{commit}")
    except GitError as error:
        raise GitError("the repository has no commit yet; commit the original first") from error
    for name in ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"):
        if Path(os.path.join(top, _text(top, "rev-parse", "--git-path", name))).exists():
            raise GitError(f"git is in the middle of something ({name}); finish that first")
    try:
        _text(top, "var", "GIT_COMMITTER_IDENT")
        _text(top, "var", "GIT_AUTHOR_IDENT")
    except GitError as error:
        raise GitError(
            f"git does not know who commits ({str(error).splitlines()[0]}); set user.name and "
            "user.email"
        ) from error
    prefix = root.resolve().relative_to(top).as_posix()
    prefix = "" if prefix == "." else prefix + "/"
    modes: dict[str, str] = {}
    nested: set[str] = set()
    for entry in gitstate.git(top, "ls-tree", "-r", "-z", head).split(b"\0"):
        if entry:
            fields, _, raw = entry.partition(b"\t")
            mode = fields.split()[0].decode()
            if mode == "160000":
                nested.add(os.fsdecode(raw) + "/")
            else:
                modes[os.fsdecode(raw)] = mode
    return Ready(top, prefix, head, modes, frozenset(nested))


def commit(
    where: Ready, steps: Iterable[tuple[Mapping[str, bytes], str]]
) -> tuple[list[str], list[str]]:
    """One commit for each (new contents by path relative to the root, message).

    Returns the commits, oldest first, and the paths that were left out: those of other
    repositories below (submodules). The index is brought to the last commit. Raises GitError; the
    branch is then where it was.
    """
    filters = gitstate.local_filters(where.top)
    left_out: set[str] = set()
    made: list[str] = []
    parent = where.head
    with tempfile.TemporaryDirectory(prefix="migrator-commit-") as scratch:
        index = {"GIT_INDEX_FILE": os.path.join(scratch, "index")}
        gitstate.git(where.top, "read-tree", where.head, environment=index)
        for contents, message in steps:
            lines = []
            for path, data in contents.items():
                full = where.prefix + path
                if full.startswith(tuple(where.nested)):
                    left_out.add(path)
                    continue
                blob = _text(
                    where.top, *filters, "hash-object", "-w", "--stdin", f"--path={full}", given=data
                )
                mode = where.modes.get(full, "100644")
                lines.append(f"{mode} {blob}\t".encode() + os.fsencode(full) + b"\0")
            if not lines:
                continue
            gitstate.git(
                where.top, "update-index", "-z", "--index-info", given=b"".join(lines),
                environment=index,
            )  # fmt: skip
            tree = _text(where.top, "write-tree", environment=index)
            if tree == _text(where.top, "rev-parse", f"{parent}^{{tree}}"):
                continue
            parent = _text(
                where.top, "commit-tree", tree, "-p", parent, "-F", "-",
                given=message.encode("utf-8", "replace"),
            )  # fmt: skip
            made.append(parent)
    if made:
        reason = f"migrator: {len(made)} commits"
        gitstate.git(where.top, "update-ref", "-m", reason, "HEAD", parent, where.head)
        gitstate.git(where.top, "read-tree", parent)
        gitstate.git(where.top, *filters, "update-index", "-q", "--refresh", accept=(0, 1))
    return made, sorted(left_out)


def _text(top: Path, *arguments: str, given: bytes | None = None,
          environment: Mapping[str, str] | None = None) -> str:  # fmt: skip
    named = {k: v for k, v in os.environ.items() if k.startswith(("GIT_AUTHOR_", "GIT_COMMITTER_"))}
    done = gitstate.git(
        top, *arguments, given=given, environment={**named, **(environment or {})}
    )
    return os.fsdecode(done).strip()
