"""Finds the source files of a tree: what git would show, nothing outside, nothing that blocks."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from migrator.model import Finding
from migrator.project import git, gitstate
from migrator.project.ignore import MOST_GLOBS, Patterns
from migrator.project.marker import HEAD, is_generated
from migrator.project.paths import DEEPEST, UnsafePath, followed
from migrator.project.source import MAX_BYTES, SourceError
from migrator.project.tree import Folder, kind_of, read_named

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
WORDS = ("tensorflow", "tf_slim")  # in whatever has to do with TensorFlow
_PROJECT_FILES = ("setup.py", "setup.cfg", "pyproject.toml")
_UNREADABLE = "TF001"
_IGNORE_BYTES = 1 << 20
_CHUNK, _SEARCHED = 1 << 20, 1 << 28  # bytes


@dataclass
class Survey:
    """What a walk found. `files` are sorted; `findings` are what was not looked at, and why; `places`
    are their paths where these cannot be printed."""

    files: list[Path] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    generated: list[Path] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)


def printable(name: str) -> str:
    """A path that can be printed and put into JSON: bytes that are not UTF-8 are escaped."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def mentions_tensorflow(root: Path, path: str) -> bool:
    """Whether a source file that is not looked at has to do with TensorFlow, by its bytes."""
    if not path.endswith(SUFFIXES):
        return False
    try:
        with Folder.named(root) as tree, tree.holding(path) as (folder, name):
            with folder.open(name) as stream:
                before = b""
                for _ in range(_SEARCHED // _CHUNK):
                    part = stream.read(_CHUNK)
                    if not part:
                        return False
                    if any(word.encode() in before + part for word in WORDS):
                        return True
                    before = part[-16:]
    except (OSError, UnsafePath):
        return False
    return True  # nobody has looked at the rest


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
    spec: Patterns

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """True: ignored, False: taken back in by ``!``, None: not mentioned."""
        seen = self.prefix + path if self.outside else path.removeprefix(self.prefix)
        return self.spec.verdict(seen, is_folder)


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
        self.hidden: set[str] = set()  # folders that are ignored, but hold tracked files
        self.excluded = Patterns.of(exclude)

    def run(self) -> None:
        with Folder.named(self.root) as tree:
            stack: list[tuple[str, tuple[_IgnoreFile, ...]]] = [("", self._inherited())]
            while stack:
                folder, specs = stack.pop()
                try:
                    with tree.folder(folder) as opened:
                        stack += self._folder(opened, folder, specs)
                except (OSError, UnsafePath) as error:
                    self._report(
                        folder or ".",
                        f"the folder cannot be read: {getattr(error, 'strerror', None) or error}",
                        "Make it readable, or exclude it.",
                    )

    def _folder(
        self, opened: Folder, folder: str, specs: tuple[_IgnoreFile, ...]
    ) -> list[tuple[str, tuple[_IgnoreFile, ...]]]:
        """Record what lies in a folder; the folders to walk into."""
        listed = opened.entries()
        names = {entry.name for entry in listed}
        if folder and ("pyvenv.cfg" in names or "conda-meta" in names):
            return []
        if folder.count("/") >= DEEPEST:
            self._report(folder, f"lies over {DEEPEST} folders deep; it was not looked at",
                         "Migrate the folder by itself.")  # fmt: skip
            return []
        start = f"{folder}/" if folder else ""
        if ".gitignore" in names:
            specs = (*specs, *self._own_patterns(opened, start))
        return [
            (start + entry.name, specs)
            for entry in listed if self._take(opened, entry, start + entry.name, names, specs)
        ]  # fmt: skip

    # -- one directory entry

    def _take(
        self,
        opened: Folder,
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
        self._file(opened, entry, path)
        return False

    def _file(self, opened: Folder, entry: os.DirEntry[str], path: str) -> None:
        status = opened.status(entry.name)
        if status is None:
            return  # removed since
        if not stat.S_ISREG(status.st_mode):
            said = f"{kind_of(status.st_mode)}; it was not opened"
            self._report(path, said, "Remove it or exclude it.")
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
        if is_generated(opened.head(entry.name, HEAD)):
            self.found.generated.append(full)
            return
        self.found.files.append(full)

    def _link(self, entry: os.DirEntry[str], path: str) -> None:
        """Links are never followed: in the tree their target is found by itself."""
        is_source = entry.name.endswith(self.suffixes)
        try:
            target = followed(self.root, path)
        except UnsafePath as error:
            # What lies outside is not even looked at: by its name it may be a folder of sources.
            if is_source or "." not in entry.name:
                where = "in a circle" if "circle" in str(error) else "out of the tree"
                advice = "Migrate the repository that it points into by itself."
                advice = "Remove the link." if where == "in a circle" else advice
                self._report(path, f"is a link {where}; it was not followed", advice)
            return
        status = self._status(target)
        if status is None:
            if is_source:
                self._report(path, "is a broken link", "Remove the link or mend its target.")
        elif stat.S_ISDIR(status.st_mode) and f"{path}/".startswith(f"{target}/" if target else ""):
            self._report(
                path,
                "is a link in a circle (to a folder that it lies in); it was not followed",
                "Nothing to do; remove the link if nothing needs it.",
            )

    def _status(self, path: str) -> os.stat_result | None:
        try:
            with Folder.named(self.root) as tree:
                if not path:
                    return os.fstat(tree.descriptor)
                with tree.holding(path) as (folder, name):
                    return folder.status(name)
        except (OSError, UnsafePath):
            return None

    # -- ignore files

    def _inherited(self) -> tuple[_IgnoreFile, ...]:
        """What the work tree above `root` excludes: its info/exclude and .gitignore files."""
        top = git.work_tree(self.root)
        if top is None:
            return ()
        specs: list[_IgnoreFile] = []
        between = [self.real_root, *self.real_root.parents]
        above = [f for f in between if (f == top or top in f.parents) and f != self.real_root]
        for name in (top / ".git" / "info" / "exclude", *(f / ".gitignore" for f in above[::-1])):
            base = top if name.name == "exclude" else name.parent
            prefix = self.real_root.relative_to(base).as_posix()
            try:
                data = read_named(name, _IGNORE_BYTES)[0]
            except SourceError:
                continue
            specs += self._patterns(data, "" if prefix == "." else f"{prefix}/", name.name, outside=True)
        # A root that the work tree around it ignores (build/copy) was named on purpose.
        if any(spec.spec.covers(spec.prefix[:-1], True) for spec in specs if spec.prefix):
            return ()
        return tuple(specs)

    def _own_patterns(self, opened: Folder, start: str) -> list[_IgnoreFile]:
        try:
            data = opened.read(".gitignore", _IGNORE_BYTES).data
        except SourceError:
            return []
        return self._patterns(data, start, f"{start}.gitignore")

    def _patterns(
        self, data: bytes, prefix: str, name: str, outside: bool = False
    ) -> list[_IgnoreFile]:
        spec = Patterns.read(data)
        if spec.left_out:
            self._report(
                name, f"has over {MOST_GLOBS:,} patterns with wildcards; {spec.left_out:,} were not used",
                "Exclude folders instead of files.",
            )  # fmt: skip
        return [_IgnoreFile(prefix, outside, spec)]

    def _is_ignored(
        self,
        path: str,
        is_folder: bool,
        siblings: set[str],
        specs: tuple[_IgnoreFile, ...],
    ) -> bool:
        if self.excluded.verdict(path, is_folder):
            return True
        above, _, name = path.rpartition("/")
        ignored = above in self.hidden or self._is_hidden(path, is_folder, specs, siblings, name)
        if self.tracked is None or path not in (self.tracked_folders if is_folder else self.tracked):
            return ignored
        if ignored and is_folder:
            self.hidden.add(path)
        return False

    def _is_hidden(
        self, path: str, is_folder: bool, specs: tuple[_IgnoreFile, ...], siblings: set[str], name: str
    ) -> bool:
        for ignore in reversed(specs):
            verdict = ignore.verdict(path, is_folder)
            if verdict is not None:
                return verdict
        if is_folder and name in BUILT:
            return any(project in siblings for project in _PROJECT_FILES)
        return is_folder and name.endswith(".egg-info")

    def _report(self, path: str, message: str, advice: str) -> None:
        shown = printable(path)
        self.found.findings.append(Finding(_UNREADABLE, shown, 1, 0, message, advice))
        if shown != path:
            self.found.places[shown] = path
