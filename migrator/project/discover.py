"""Finds the source files of a tree: what git would show, nothing outside, nothing that blocks."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pathspec import GitIgnoreSpec

from migrator.model import Finding
from migrator.project import gitstate
from migrator.project.marker import is_generated_file
from migrator.project.source import MAX_BYTES

SUFFIXES = (".py", ".ipynb")
# Never the user's own source, whatever git says.
NEVER = frozenset(
    (
        ".git", ".hg", ".svn", ".bzr", ".migrator", "__pycache__", "node_modules", "site-packages",
        ".tox", ".nox", ".eggs", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis",
        ".ipynb_checkpoints",
    )
)  # fmt: skip
# What build tools make beside these files; a tracked folder of that name is source.
BUILT = frozenset({"build", "dist"})
_PROJECT_FILES = ("setup.py", "setup.cfg", "pyproject.toml")
_UNREADABLE = "TF001"


@dataclass
class Survey:
    """What a walk found. `files` are sorted; `findings` are what was not looked at, and why."""

    files: list[Path] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    generated: list[Path] = field(default_factory=list)


def printable(name: str) -> str:
    """A path that can be printed and put into JSON: bytes that are not UTF-8 are escaped."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def discover(
    root: Path,
    *,
    suffixes: tuple[str, ...] = SUFFIXES,
    exclude: Iterable[str] = (),
    report: Callable[[Finding], None] | None = None,
    max_bytes: int = MAX_BYTES,
) -> list[Path]:
    """The source files below `root`, sorted, as `root / relative path`.

    `exclude`: more patterns in .gitignore syntax, relative to `root`. `report` is called for what
    a person should know was left out: links out of the tree, links in a circle, fifos and
    devices, files over `max_bytes`, unreadable folders, names that are not UTF-8.
    Left out without a word: what .gitignore files exclude (unless git tracks it), virtual
    environments, caches, build output, files that migrator generated, links within the tree.
    Raises NotADirectoryError when `root` is not a directory.
    """
    found = survey(root, suffixes=suffixes, exclude=exclude, max_bytes=max_bytes)
    if report is not None:
        for finding in found.findings:
            report(finding)
    return found.files


def survey(
    root: Path,
    *,
    suffixes: tuple[str, ...] = SUFFIXES,
    exclude: Iterable[str] = (),
    max_bytes: int = MAX_BYTES,
) -> Survey:
    """`discover` with everything that it noticed."""
    if not root.is_dir():
        raise NotADirectoryError(f"{root} is not a directory")
    walk = _Walk(root, suffixes, list(exclude), max_bytes)
    walk.run()
    walk.found.files.sort()
    walk.found.generated.sort()
    walk.found.findings.sort(key=lambda f: f.path)
    return walk.found


@dataclass(frozen=True, slots=True)
class _IgnoreFile:
    """One ignore file; `prefix` leads from it to the root (`outside`) or from the root to it."""

    prefix: str
    outside: bool
    spec: GitIgnoreSpec

    def verdict(self, path: str) -> bool | None:
        """True: ignored, False: taken back in by ``!``, None: not mentioned."""
        seen = self.prefix + path if self.outside else path.removeprefix(self.prefix)
        return self.spec.check_file(seen).include


class _Walk:
    """One walk over a tree, with the ignore files of the folders above the current one."""

    def __init__(
        self, root: Path, suffixes: tuple[str, ...], exclude: list[str], max_bytes: int
    ) -> None:
        self.root = root
        self.real_root = root.resolve()
        self.suffixes = suffixes
        self.max_bytes = max_bytes
        self.found = Survey()
        self.tracked = gitstate.tracked(root)
        self.tracked_folders = {
            folder
            for path in self.tracked or ()
            for folder in (path[:i] for i, character in enumerate(path) if character == "/")
        }
        self.excluded = GitIgnoreSpec.from_lines(exclude)

    def run(self) -> None:
        stack: list[tuple[str, tuple[_IgnoreFile, ...]]] = [("", self._inherited())]
        while stack:
            folder, specs = stack.pop()
            try:
                with os.scandir(self.root / folder) as entries:
                    listed = sorted(entries, key=lambda entry: entry.name)
            except OSError as error:
                self._report(
                    folder or ".",
                    f"the folder cannot be read: {error.strerror or error}",
                    "Make it readable, or exclude it.",
                )
                continue
            names = {entry.name for entry in listed}
            if folder and ("pyvenv.cfg" in names or "conda-meta" in names):
                continue
            if ".gitignore" in names:
                specs = (*specs, *self._spec(folder, ".gitignore"))
            for entry in listed:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if self._take(entry, path, names, specs):
                    stack.append((path, specs))

    # -- one directory entry

    def _take(
        self,
        entry: os.DirEntry[str],
        path: str,
        siblings: set[str],
        specs: tuple[_IgnoreFile, ...],
    ) -> bool:
        """Record `entry`; True when it is a folder to walk into."""
        try:
            if entry.is_symlink():
                self._link(entry, path)
                return False
            is_folder = entry.is_dir(follow_symlinks=False)
        except OSError as error:
            self._report(path, f"cannot be looked at: {error.strerror or error}", "Check the disk.")
            return False
        if not is_folder and not entry.name.endswith(self.suffixes):
            return False
        if is_folder and entry.name in NEVER:
            return False
        if self._is_ignored(path, is_folder, siblings, specs):
            return False
        if printable(path) != path:
            self._report(
                path,
                "the name is not UTF-8, so it was left out",
                "Rename it, then migrate again.",
            )
            return False
        if is_folder:
            return True
        self._file(entry, path)
        return False

    def _file(self, entry: os.DirEntry[str], path: str) -> None:
        status = entry.stat(follow_symlinks=False)
        if not stat.S_ISREG(status.st_mode):
            kind = {
                stat.S_IFIFO: "a fifo", stat.S_IFSOCK: "a socket",
                stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
            }.get(stat.S_IFMT(status.st_mode), "not a regular file")  # fmt: skip
            self._report(path, f"is {kind}; it was not opened", "Remove it or exclude it.")
            return
        if status.st_size > self.max_bytes:
            self._report(
                path,
                f"is {status.st_size:,} bytes, over the limit of {self.max_bytes:,}; "
                "it was not read",
                "Split it, or exclude it if it is data.",
            )
            return
        full = self.root / path
        if is_generated_file(full):
            self.found.generated.append(full)
            return
        self.found.files.append(full)

    def _link(self, entry: os.DirEntry[str], path: str) -> None:
        """Links are never followed: in the tree their target is found by itself."""
        try:
            target = Path(entry.path).resolve(strict=True)
        except RuntimeError:  # how Python 3.11 and 3.12 report a link that points at itself
            self._report(path, "is a link in a circle; it was not followed", "Remove the link.")
            return
        except OSError as error:
            if error.errno == errno.ELOOP:  # how later versions report it
                self._report(path, "is a link in a circle; it was not followed", "Remove the link.")
            elif entry.name.endswith(self.suffixes):
                self._report(path, "is a broken link", "Remove the link or mend its target.")
            return
        is_folder = target.is_dir()
        if not is_folder and not entry.name.endswith(self.suffixes):
            return
        if target != self.real_root and self.real_root not in target.parents:
            self._report(
                path,
                "is a link out of the tree; it was not followed",
                "Migrate the repository that it points into by itself.",
            )
        elif is_folder and target in (self.real_root / path).parents:
            self._report(
                path,
                "is a link in a circle (to a folder that it lies in); it was not followed",
                "Nothing to do; remove the link if nothing needs it.",
            )

    # -- ignore files

    def _inherited(self) -> tuple[_IgnoreFile, ...]:
        """What the work tree above `root` excludes: its info/exclude and .gitignore files."""
        top = gitstate.work_tree(self.root)
        if top is None:
            return ()
        specs: list[_IgnoreFile] = []
        between = [self.real_root, *self.real_root.parents]
        above = [f for f in between if (f == top or top in f.parents) and f != self.real_root]
        for name in (top / ".git" / "info" / "exclude", *(f / ".gitignore" for f in above[::-1])):
            base = top if name.name == "exclude" else name.parent
            prefix = self.real_root.relative_to(base).as_posix()
            specs += self._read_spec(name, "" if prefix == "." else f"{prefix}/", outside=True)
        # A root that the work tree around it ignores (build/copy) was named on purpose.
        if any(spec.verdict("") for spec in specs if spec.prefix):
            return ()
        return tuple(specs)

    def _spec(self, folder: str, name: str) -> list[_IgnoreFile]:
        return self._read_spec(self.root / folder / name, f"{folder}/" if folder else "")

    def _read_spec(
        self, path: Path, prefix: str, outside: bool = False
    ) -> list[_IgnoreFile]:
        try:
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode) or status.st_size > 1 << 20:
                return []
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            spec = GitIgnoreSpec.from_lines(lines)
        except (OSError, ValueError):
            return []
        return [_IgnoreFile(prefix, outside, spec)]

    def _is_ignored(
        self,
        path: str,
        is_folder: bool,
        siblings: set[str],
        specs: tuple[_IgnoreFile, ...],
    ) -> bool:
        probe = path + "/" if is_folder else path
        if self.excluded.match_file(probe):
            return True
        if self.tracked is not None:
            if path in (self.tracked_folders if is_folder else self.tracked):
                return False
        for ignore in reversed(specs):
            verdict = ignore.verdict(probe)
            if verdict is not None:
                return verdict
        name = path.rpartition("/")[2]
        if is_folder and name in BUILT:
            return any(project in siblings for project in _PROJECT_FILES)
        return is_folder and name.endswith(".egg-info")

    def _report(self, path: str, message: str, advice: str) -> None:
        self.found.findings.append(Finding(_UNREADABLE, printable(path), 1, 0, message, advice))
