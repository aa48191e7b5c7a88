"""What git knows about a tree: tracked files, uncommitted changes.

Git lists its index and commits (`git`); what lies in the work tree is read and compared here, so that
nothing which came with the tree is run, and no pipe or device in it is opened.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from migrator.project import git
from migrator.project.git import GitError, Repository
from migrator.project.ignore import Patterns
from migrator.project.paths import STATE_FOLDER, UnsafePath
from migrator.project.source import SourceError
from migrator.project.tree import Folder, read, read_named

SUBMODULE, _LINK = "160000", "120000"
_UNCHECKED = 1 << 30 | 1 << 15  # skip-worktree, assume-unchanged: a person said not to look
# What `git ls-files --debug` says about the entry before: how its file looked.
_LOOKED = re.compile(r"(?:  [^\n]*\n)*")
_STAT = re.compile(
    r"  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n  dev: \d+\tino: (\d+)\n"
    r"  uid: \d+\tgid: \d+\n  size: (\d+)\tflags: ([0-9a-f]+)\n"
)
_CHUNK = 1 << 20
_MOST_LISTED = 1_000  # changes that are looked for before it is enough


@dataclass(frozen=True, slots=True)
class GitState:
    """`top` is the work tree's root, None where there is none (or no git: `note` says so).

    `dirty` are paths with uncommitted changes as porcelain status lines (`` M a.py``); of very many the
    first.
    """

    top: Path | None
    dirty: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of the index: what it is, and how its file looked when git last read it (times in
    nanoseconds; inode and size modulo 2**32)."""

    mode: str
    digest: str
    stage: int = 0
    flags: int = 0
    changed_at: int = 0
    modified_at: int = 0
    inode: int = 0
    size: int = -1


def index(repository: Repository, below: str = "") -> dict[str, Entry]:
    """The index by path, of a folder of the work tree or all of it. Raises GitError."""
    listed = repository.run("ls-files", "--stage", "--debug", "-z", "--", *([below] if below else []))
    found: dict[str, Entry] = {}
    path = ""
    for part in os.fsdecode(listed).split("\0"):
        looked = _LOOKED.match(part)
        assert looked is not None
        if path and (numbers := _STAT.fullmatch(looked[0])):  # else every file is read
            *times, inode, size = (int(number) for number in numbers.groups()[:6])
            found[path] = replace(
                found[path], flags=int(numbers[7], 16), inode=inode, size=size,
                changed_at=times[0] * 10**9 + times[1], modified_at=times[2] * 10**9 + times[3],
            )  # fmt: skip
        fields, _, path = part[looked.end() :].partition("\t")
        if path:
            mode, digest, stage = fields.split()
            found[path] = Entry(mode, digest, int(stage))
    return found


def commit_files(repository: Repository, commit: str, below: str = "") -> dict[str, tuple[str, str]]:
    """(mode, digest) by path of a commit. Raises GitError."""
    where = ["--", below] if below else []
    listed = repository.run("ls-tree", "-r", "-z", "--full-tree", commit, *where)
    found = {}
    for entry in listed.split(b"\0"):
        if entry:
            fields, _, path = entry.partition(b"\t")
            mode, _, digest = fields.decode().split()
            found[os.fsdecode(path)] = (mode, digest)
    return found


def head(repository: Repository) -> str | None:
    """The commit that HEAD is, None where there is none yet."""
    try:
        return repository.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode().strip()
    except GitError as error:
        if str(error).endswith("ended with 1"):
            return None
        raise


def tracked(root: Path) -> frozenset[str] | None:
    """Paths below `root` that git tracks, relative to it with ``/``; None where git cannot say.

    Submodules are one path each, without what is in them.
    """
    try:
        repository = git.find(root)
        if repository is None:
            return None
        prefix = _prefix(repository, root)
        listed = repository.run("ls-files", "-z", "--cached", "--", *([prefix] if prefix else []))
    except (GitError, OSError):
        return None
    names = (os.fsdecode(name) for name in listed.split(b"\0") if name)
    return frozenset(name.removeprefix(prefix) for name in names)


def _prefix(repository: Repository, root: Path) -> str:
    """`root` relative to the work tree, with a slash at its end; empty for the work tree itself."""
    path = root.resolve().relative_to(repository.top).as_posix()
    return "" if path == "." else f"{path}/"


def changed_since(root: Path, revision: str) -> frozenset[str]:
    """Paths below `root`, relative to it, that differ from `revision` or are not tracked.

    Raises GitError: no work tree, no such revision.
    """
    repository = git.find(root)
    if repository is None:
        raise GitError(f"{root} is not in a git work tree")
    try:
        commit = repository.run(
            "rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"
        ).decode().strip()  # fmt: skip
    except GitError as error:
        raise GitError(f"git knows no commit {revision!r}") from error
    prefix = _prefix(repository, root)
    then = commit_files(repository, commit, prefix)
    now = index(repository, prefix)
    with Folder.named(repository.top) as top, _Looked(top, repository) as looked:
        found = {
            path for path, entry in sorted(now.items())
            if looked.kind(path, _as(entry, then.get(path))) in ("M", "T")
        }  # fmt: skip
        found |= set(_untracked(repository, prefix, now))
    return frozenset(path.removeprefix(prefix) for path in found)


def _as(entry: Entry, then: tuple[str, str] | None) -> Entry:
    """What the work tree's file is compared with: a commit's, which git has seen in it only where the
    index has the same."""
    if then == (entry.mode, entry.digest):
        return entry
    return Entry(*then) if then is not None else Entry(entry.mode, "")


def state(root: Path, ignore: tuple[str, ...] = ()) -> GitState:
    """Uncommitted changes below `root`, untracked files included, ignored ones not.

    `ignore`: paths relative to `root` that do not count (a journal of migrator's own).
    No work tree or no git program is not an error: `top` is None and `note` says which.
    Raises GitError for a repository that git cannot read.
    """
    top = git.work_tree(root)
    if top is None:
        return GitState(None, note="not in a git work tree")
    try:
        repository = git.find(root)
        assert repository is not None
        prefix = _prefix(repository, root)
        lines = _dirty(repository, prefix, tuple(prefix + path for path in ignore))
        found = tuple(line for _, line in zip(range(_MOST_LISTED), lines, strict=False))
    except FileNotFoundError as error:
        return GitState(None, note=str(error))
    return GitState(top, found)


def states(root: Path, paths: Iterable[str], ignore: tuple[str, ...] = ()) -> list[GitState]:
    """The state of `root` and of every repository nested in it that holds one of `paths`.

    Raises GitError as `state` does.
    """
    found = [state(root, ignore)]
    nested: set[str] = set()
    for folder in {path.rpartition("/")[0] for path in paths}:
        while folder:
            if os.path.lexists(root / folder / ".git"):
                nested.add(folder)
                break
            folder = folder.rpartition("/")[0]
    found += [state(root / folder) for folder in sorted(nested)]
    return found


def _dirty(repository: Repository, prefix: str, ignore: tuple[str, ...]) -> Iterator[str]:
    now = index(repository, prefix)
    commit = head(repository)
    then = commit_files(repository, commit, prefix) if commit else {}

    def counts(path: str) -> bool:
        return not any(path == skipped or path.startswith(f"{skipped}/") for skipped in ignore)

    def shown(kind: str, path: str) -> str:
        return f"{kind} {path.removeprefix(prefix)}"

    with Folder.named(repository.top) as top, _Looked(top, repository) as looked:
        for path in sorted({*now, *then}):
            if not counts(path):
                continue
            entry = now.get(path)
            if entry is None:
                yield shown("D ", path)
            elif entry.stage:
                yield shown("UU", path)
            else:
                staged = " " if then.get(path) == (entry.mode, entry.digest) else "M"
                staged = staged if path in then else "A"
                unstaged = looked.kind(path, entry)
                if staged != " " or unstaged != " ":
                    yield shown(staged + unstaged, path)
    for path in _untracked(repository, prefix, now):
        if counts(path):
            yield shown("??", path)


class _Looked:
    """The work tree's files as git would find them, without its reading any."""

    def __init__(self, top: Folder, repository: Repository) -> None:
        self.top = top
        self._folder: tuple[str, Folder] | None = None
        self.algorithm = repository.algorithm
        try:
            self.written = os.lstat(repository.folder / "index").st_mtime_ns
        except OSError:
            self.written = 0

    def kind(self, path: str, entry: Entry) -> str:
        """How the file differs from the entry: `` `` not at all, ``M``, ``T`` or ``D``."""
        if entry.mode == SUBMODULE or entry.flags & _UNCHECKED:
            return " "
        try:
            folder = self._holding(path.rpartition("/")[0])
            return self._kind(folder, path.rpartition("/")[2], entry)
        except (FileNotFoundError, UnsafePath):
            return "D"
        except (OSError, SourceError):
            return "M"

    def _holding(self, above: str) -> Folder:
        """The folder of a path; paths come sorted, so the last one often is the next."""
        if self._folder is None or self._folder[0] != above:
            self.__exit__()
            self._folder = (above, self.top.folder(above))
        return self._folder[1]

    def __enter__(self) -> _Looked:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder[1].__exit__()
            self._folder = None

    def _kind(self, folder: Folder, name: str, entry: Entry) -> str:
        status = folder.status(name)
        if status is None:
            return "D"
        if stat.S_ISLNK(status.st_mode):
            if entry.mode != _LINK:
                return "T"
            target = os.readlink(name, dir_fd=folder.descriptor)
            return " " if self._of(os.fsencode(target)) == entry.digest else "M"
        if not stat.S_ISREG(status.st_mode) or entry.mode == _LINK:
            return "T"
        if bool(status.st_mode & stat.S_IXUSR) != (entry.mode == "100755"):
            return "M"
        same = self._unchanged(status, entry) or self._same(folder, name, status, entry)
        return " " if same else "M"

    def _unchanged(self, status: os.stat_result, entry: Entry) -> bool:
        """Whether the file looks as it did when git read it, and not so late that it may have been
        written once more in the same instant."""
        return (
            entry.size >= 0
            and status.st_mtime_ns == entry.modified_at < self.written
            and status.st_ctime_ns == entry.changed_at
            and status.st_ino % 2**32 == entry.inode
            and status.st_size % 2**32 == entry.size
        )

    def _same(self, folder: Folder, name: str, status: os.stat_result, entry: Entry) -> bool:
        """Whether the content is the entry's, as it is or with line feeds in place of CR LF."""
        if not entry.digest:
            return False
        with folder.open(name) as stream:
            returns = 0
            whole = hashlib.new(self.algorithm, b"blob %d\0" % status.st_size)
            while part := stream.read(_CHUNK):
                whole.update(part)
                returns += part.count(b"\r")
        if whole.hexdigest() == entry.digest:
            return True
        if not returns or status.st_size > _CHUNK * 64:
            return False
        data = folder.read(name, _CHUNK * 64).data
        return self._of(data.replace(b"\r\n", b"\n")) == entry.digest

    def _of(self, data: bytes) -> str:
        return blob(data, self.algorithm)


def blob(data: bytes, algorithm: str) -> str:
    """What git calls an object with this content."""
    return hashlib.new(algorithm, b"blob %d\0" % len(data) + data).hexdigest()


def _untracked(repository: Repository, prefix: str, now: Mapping[str, Entry]) -> Iterator[str]:
    """Files below the folder `prefix` that are neither in the index nor ignored."""
    folders = {path[:at] for path in now for at, character in enumerate(path) if character == "/"}
    files = (git.excludes_file(repository.top), repository.common / "info" / "exclude")
    general = [_patterns_of(path) for path in files]
    above = [""] if prefix else []
    above += [prefix[:at] for at, character in enumerate(prefix[:-1]) if character == "/"]
    outer = [(f"{f}/" if f else "", _ignore_file(repository.top, f)) for f in above]
    rules = [("", spec) for spec in general] + outer
    with Folder.named(repository.top) as top:
        stack = [(prefix.rstrip("/"), rules, False)]
        while stack:
            folder, specs, hidden = stack.pop()
            start = f"{folder}/" if folder else ""
            try:
                with top.folder(folder) as opened:
                    entries = opened.entries()
            except (OSError, UnsafePath):
                continue
            if any(entry.name == ".gitignore" for entry in entries):
                specs = [*specs, (start, _ignore_file(repository.top, folder))]
            for entry in entries:
                path = start + entry.name
                if entry.name == ".git" or path in now:
                    continue
                is_folder = entry.is_dir(follow_symlinks=False)
                ignored = hidden or _ignored(path, is_folder, specs)
                if ignored and path not in folders:
                    continue
                if not is_folder:
                    yield path
                elif os.path.lexists(repository.top / path / ".git") and path not in folders:
                    yield f"{path}/"
                elif entry.name != STATE_FOLDER:
                    stack.append((path, specs, ignored))


def _ignored(path: str, is_folder: bool, specs: list[tuple[str, Patterns]]) -> bool:
    for start, spec in reversed(specs):
        verdict = spec.verdict(path.removeprefix(start), is_folder)
        if verdict is not None:
            return verdict
    return False


def _patterns_of(path: Path) -> Patterns:
    try:
        data = read_named(path, _CHUNK)[0]
    except SourceError:
        return Patterns.of(())
    return Patterns.read(data)


def _ignore_file(top: Path, folder: str) -> Patterns:
    try:
        data = read(top, f"{folder}/.gitignore" if folder else ".gitignore", _CHUNK)[0]
    except SourceError:
        return Patterns.of(())
    return Patterns.read(data)
