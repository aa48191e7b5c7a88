"""Makes git commits out of texts, without touching the work tree or running hooks.

Commits are built with git's own object commands beside everything else; the branch moves once, at
the end, from exactly the commit that it was on. Whoever is killed before sees no commit at all.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from migrator.project import git, gitstate
from migrator.project.git import GitError, Repository
from migrator.project.paths import UnsafePath
from migrator.project.tree import Folder

_PERSON = re.compile(r"(?P<name>.*) <(?P<email>[^>]*)> \d+ [+-]\d{4}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Ready:
    """A repository to which commits can be added: HEAD, what it holds as (mode, object) by path from the
    top of the work tree, the submodules, and who commits as an environment of git."""

    repository: Repository
    prefix: str
    head: str
    files: Mapping[str, tuple[str, str]]
    nested: tuple[str, ...]
    person: Mapping[str, str]

    def stored(self, path: str, old: bytes, new: bytes) -> bytes | None:
        """How git stores the new content of a file (a path below the root), told by how it stores the
        old one: as it is, or with line feeds for CR LF. None where it stores it in another way."""
        known = self.files.get(self.prefix + path)
        algorithm = self.repository.algorithm
        if known is None or gitstate.blob(old, algorithm) == known[1]:
            return new
        if gitstate.blob(old.replace(b"\r\n", b"\n"), algorithm) == known[1]:
            return new.replace(b"\r\n", b"\n")
        return None


def ready(root: Path) -> Ready:
    """Check that commits can be made for the files below `root`.

    Raises GitError, with the way out: no work tree, no commit yet, a merge or rebase half-way,
    nobody to commit as, a repository that is somebody else's.
    """
    repository = git.find(root)
    if repository is None:
        raise GitError(f"{root} is not in a git work tree, so there is nothing to commit to")
    _check_own(repository)
    head = gitstate.head(repository)
    if head is None:
        raise GitError("the repository has no commit yet; commit the original first")
    for name in ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"):
        if os.path.lexists(repository.folder / name):
            raise GitError(f"git is in the middle of something ({name}); finish that first")
    path = root.resolve().relative_to(repository.top).as_posix()
    held = gitstate.commit_files(repository, head)
    return Ready(
        repository, "" if path == "." else f"{path}/", head,
        {name: entry for name, entry in held.items() if entry[0] != gitstate.SUBMODULE},
        tuple(f"{name}/" for name, entry in held.items() if entry[0] == gitstate.SUBMODULE),
        _person(repository),
    )  # fmt: skip


def _check_own(repository: Repository) -> None:
    """A `.git` may lead to any repository of the disk, and what is in it anywhere."""
    if not repository.knows_tree:
        raise GitError(
            f"{repository.top / '.git'} leads to {repository.folder}, which does not know this work "
            "tree; commit by hand"
        )
    try:
        branch = repository.run("symbolic-ref", "--quiet", "HEAD").decode().strip()
    except GitError:
        branch = ""  # detached
    try:
        with Folder.named(repository.folder) as own, Folder.named(repository.common) as common:
            with common.folder("objects") as objects:
                for name in objects.names():
                    if len(name) == 2:
                        with objects.folder(name):
                            pass
            _check_file(own, "HEAD")
            _check_file(own, "logs/HEAD")
            if branch:
                _check_file(common, branch)
                _check_file(common, f"logs/{branch}")
    except (OSError, UnsafePath) as error:
        raise GitError(f"{error}; commit by hand") from error


def _check_file(folder: Folder, relative: str) -> None:
    """A file that git writes, or adds to: no link leads there, and it has no other name."""
    try:
        with folder.holding(relative) as (above, name):
            status = above.status(name)
    except FileNotFoundError:
        return
    if status is not None and (not stat.S_ISREG(status.st_mode) or status.st_nlink > 1):
        raise UnsafePath(f"{folder.path / relative} is not a file of its own")


def _person(repository: Repository) -> dict[str, str]:
    found: dict[str, str] = {}
    named = {
        name: value for name, value in os.environ.items()
        if re.fullmatch(r"GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)|EMAIL", name)
    }  # fmt: skip
    for who in ("AUTHOR", "COMMITTER"):
        try:
            said = repository.run("var", f"GIT_{who}_IDENT", environment=named, of_person=True)
        except GitError as error:
            raise GitError(
                f"git does not know who commits ({str(error).splitlines()[0]}); set user.name and "
                "user.email"
            ) from error
        match = _PERSON.fullmatch(os.fsdecode(said).strip())
        if match is None:
            raise GitError("git does not know who commits; set user.name and user.email")
        found |= {f"GIT_{who}_NAME": match["name"], f"GIT_{who}_EMAIL": match["email"]}
    return {**found, **{k: v for k, v in named.items() if k.endswith("_DATE")}}


def commit(
    where: Ready, steps: Iterable[tuple[Mapping[str, bytes | None], str]]
) -> tuple[list[str], list[str]]:
    """One commit for each (contents by path relative to the root, as git stores them, None for a file
    that goes; message).

    Returns the commits, oldest first, and the paths that were left out: those of other
    repositories below (submodules). The index gets what was committed. Raises GitError; the branch is
    then where it was.
    """
    repository = where.repository
    left_out: set[str] = set()
    made: list[str] = []
    lines: dict[str, bytes] = {}
    parent = where.head
    with tempfile.TemporaryDirectory(prefix="migrator-commit-") as scratch:
        index = {"GIT_INDEX_FILE": os.path.join(scratch, "index")}
        repository.run("read-tree", where.head, environment=index)
        for contents, message in steps:
            fresh: dict[str, bytes] = {}
            for path, data in contents.items():
                full = where.prefix + path
                if full.startswith(where.nested):
                    left_out.add(path)
                    continue
                if data is None:
                    nothing = "0" * (64 if repository.algorithm == "sha256" else 40)
                    fresh[full] = f"0 {nothing}\t".encode() + os.fsencode(full) + b"\0"
                    continue
                blob = _text(repository, "hash-object", "-w", "--stdin", "--no-filters", given=data)
                mode = where.files.get(full, ("100644", ""))[0]
                fresh[full] = f"{mode} {blob}\t".encode() + os.fsencode(full) + b"\0"
            if not fresh:
                continue
            _update(repository, fresh, index)
            tree = _text(repository, "write-tree", "--missing-ok", environment=index)
            if tree == _text(repository, "rev-parse", f"{parent}^{{tree}}"):
                continue
            parent = _text(
                repository, "commit-tree", tree, "-p", parent, "-F", "-",
                given=message.encode("utf-8", "replace"), environment=where.person,
            )  # fmt: skip
            made.append(parent)
            lines |= fresh
    if made:
        reason = f"migrator: {len(made)} commits"
        repository.run(
            "update-ref", "-m", reason, "HEAD", parent, where.head, environment=where.person
        )
        # Only what was committed: what git knows of the other files stays known.
        _update(repository, lines, {})
    return made, sorted(left_out)


def _update(repository: Repository, lines: Mapping[str, bytes], environment: Mapping[str, str]) -> None:
    repository.run(
        "update-index", "-z", "--index-info", given=b"".join(lines.values()), environment=environment
    )


def _text(
    repository: Repository, *arguments: str, given: bytes | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:  # fmt: skip
    return os.fsdecode(repository.run(*arguments, given=given, environment=environment)).strip()
