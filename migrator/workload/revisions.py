"""A repository as it was before its migration, out of its git history."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from pathlib import Path

from migrator.engine.scanned import SUPPORT_PACKAGE
from migrator.project import gitstate
from migrator.project.discover import NEVER
from migrator.project.gitstate import GitError
from migrator.project.marker import is_generated_file

# The last line of every commit that `migrate --commit` makes, see engine/families.message.
_MADE = "^Made by migrator "
_ENVIRONMENTS = ("pyvenv.cfg", "conda-meta")
_SOURCE = (".py", ".ipynb", ".pyc")


def before_migration(repo: Path) -> str | None:
    """The last commit before the newest migration in the history of HEAD, or None.

    A migration is told by the commits of `migrate --commit`, else by the one that added the support
    package; where that is not committed yet, what HEAD has is from before it.
    """
    if gitstate.work_tree(repo) is None:
        return None
    try:
        made = _lines(repo, "log", "--format=%H", "--extended-regexp", f"--grep={_MADE}", "--", ".")
        if made:
            return _parent(repo, _first_of_run(repo, made))
        packages = [p for p in repo.rglob(f"{SUPPORT_PACKAGE}/__init__.py") if is_generated_file(p)]
        if not packages:
            return None
        names = [p.relative_to(repo).as_posix() for p in packages]
        added = _lines(repo, "log", "--diff-filter=A", "--format=%H", "--", *names)
        return _parent(repo, added[0]) if added else _lines(repo, "rev-parse", "HEAD")[0]
    except (GitError, OSError):
        return None


def _first_of_run(repo: Path, made: list[str]) -> str:
    """The oldest of the newest commits that follow one another: one migration is several commits."""
    first = made[0]
    for older in made[1:]:
        if _lines(repo, "rev-parse", f"{first}^") != [older]:
            break
        first = older
    return first


def _parent(repo: Path, commit: str) -> str | None:
    found = _lines(repo, "rev-list", "--parents", "-n", "1", commit)
    return (found[0].split() + [""])[1] or None


def _lines(repo: Path, *arguments: str) -> list[str]:
    return gitstate.git(repo, *arguments).decode("utf-8", "replace").split("\n")[:-1]


def checkout(repo: Path, revision: str, target: Path) -> str:
    """Lays the files of a revision out in `target`, an absent folder; returns the commit.

    What git does not know of the repository (data, weights, settings, but no source) is there, too.

    Raises:
      GitError: no such revision, or no git. OSError: `target` cannot be written.
    """
    if gitstate.work_tree(repo) is None:
        raise GitError(f"{repo} is not in a git work tree")
    try:
        commit = _lines(
            repo, "rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"
        )[0]
    except GitError as error:
        raise GitError(f"git knows no commit {revision!r} in {repo}") from error
    # From the repository's folder git archives what is below it.
    archive = gitstate.git(repo, "archive", "--format=tar", commit)
    target.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(target, filter="data")
    _unknown_files(repo, target)
    return commit


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
            if relative.as_posix() in known or source.suffix in _SOURCE or os.path.lexists(place):
                continue
            if source.is_file() or source.is_symlink():
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, place, follow_symlinks=False)
