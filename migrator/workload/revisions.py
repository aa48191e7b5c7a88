"""A repository as it was before its migration, out of its git history."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from migrator.engine import pins, requirements
from migrator.engine.scanned import SUPPORT_PACKAGE
from migrator.project import git, gitstate
from migrator.project.discover import NEVER
from migrator.project.git import GitError, Repository
from migrator.project.marker import is_generated
from migrator.project.tree import text_of
from migrator.workload import archives

# The last line of every commit that `migrate --commit` makes, see engine/families.message.
_MADE = "^Made by migrator "
_ENVIRONMENTS = ("pyvenv.cfg", "conda-meta")
_SOURCE = (".py", ".ipynb", ".pyc")
_POINTER = b"version https://git-lfs"


def before_migration(repo: Path) -> str | None:
    """The last commit before the newest migration in the history of HEAD, or None.

    A migration is told by the commits of `migrate --commit`, else by the one that added the support
    package or its pin; where that is not committed yet, what HEAD has is from before it.
    """
    try:
        repository = git.find(repo)
        if repository is None or gitstate.head(repository) is None:
            return None
        prefix = _prefix(repository, repo)
        below = ["--", prefix] if prefix else []
        made = _lines(
            repository, "log", "--format=%H", "--extended-regexp", f"--grep={_MADE}", *below
        )
        if made:
            return _parent(repository, _first_of_run(repository, made))
        found = [
            p.relative_to(repo).as_posix() for p in repo.rglob(f"{SUPPORT_PACKAGE}/__init__.py")
        ]
        packages = [p for p in found if is_generated(text_of(repo, p) or "")]
        how = "--diff-filter=A"
        if not packages:
            how = f"-S{requirements.SUPPORT}=="
            packages = [p for p, s in pins.listings(repo).items() if requirements.pins_support(s.text)]
        if not packages:
            return None
        names = [f"{prefix}/{p}" if prefix else p for p in packages]
        added = _lines(repository, "log", how, "--format=%H", "--", *names)
        return _parent(repository, added[0]) if added else gitstate.head(repository)
    except (GitError, OSError):
        return None


def _prefix(repository: Repository, repo: Path) -> str:
    """The repository's folder below the top of its work tree, "" for that itself."""
    path = repo.resolve().relative_to(repository.top).as_posix()
    return "" if path == "." else path


def _first_of_run(repository: Repository, made: list[str]) -> str:
    """The oldest of the newest commits that follow one another: one migration is several commits."""
    first = made[0]
    for older in made[1:]:
        if _parent(repository, first) != older:
            break
        first = older
    return first


def _parent(repository: Repository, commit: str) -> str | None:
    found = _lines(repository, "rev-list", "--parents", "-n", "1", commit)
    return (found[0].split() + [""])[1] or None


def _lines(repository: Repository, *arguments: str) -> list[str]:
    return repository.run(*arguments).decode("utf-8", "replace").split("\n")[:-1]


def checkout(repo: Path, revision: str, target: Path) -> str:
    """Lays the files of a revision out in `target`, an absent folder; returns the commit.

    What git does not know of the repository (data, weights, settings, but no source) is there, too.

    Raises:
      GitError: no such revision, or no git. OSError: `target` cannot be written.
    """
    repository = git.find(repo)
    if repository is None:
        raise GitError(f"{repo} is not in a git work tree")
    try:
        commit = _lines(
            repository, "rev-parse", "--verify", "--quiet", "--end-of-options",
            revision + "^{commit}",
        )[0]  # fmt: skip
    except GitError as error:
        raise GitError(f"git knows no commit {revision!r} in {repo}") from error
    prefix = _prefix(repository, repo)
    archive = repository.run("archive", "--format=tar", f"{commit}:{prefix}")
    target.mkdir(parents=True)
    archives.unpack(archive, target)
    _unknown_files(repo, target)
    return commit


def is_pointer(path: Path) -> bool:
    """Whether git's large file storage has the content of a file, and not git."""
    with path.open("rb") as stream:
        return stream.read(40).startswith(_POINTER)


def _unknown_files(repo: Path, target: Path) -> None:
    known = gitstate.tracked(repo) or frozenset()
    for folder, folders, names in os.walk(repo):
        here = Path(folder)
        folders[:] = [
            n for n in folders if n not in NEVER
            and not any((here / n / mark).exists() for mark in _ENVIRONMENTS)
        ]  # fmt: skip
        for name in names:
            source = here / name
            relative = source.relative_to(repo)
            place = target / relative
            if os.path.lexists(place):
                if place.is_file() and is_pointer(place) and source.is_file():
                    shutil.copy2(source, place)
                continue
            if relative.as_posix() in known or source.suffix in _SOURCE:
                continue
            if source.is_file() or source.is_symlink():
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, place, follow_symlinks=False)
