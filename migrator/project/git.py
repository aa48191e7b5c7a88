"""The one door to git: plumbing over its objects and index, with a configuration of our own.

A repository's configuration, and whatever that includes, can make git run programs (filters, hooks,
fsmonitor, drivers, helpers) and read files without end. So git is never told of it: `GIT_COMMON_DIR` names
a folder of ours, with a configuration of ours and links to the objects and refs, as `git worktree` does;
`GIT_DIR` keeps HEAD and the index. Git never sees the work tree either; who wants to know what is in
there reads it through `tree`.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from migrator.project.source import SourceError
from migrator.project.tree import read_named

TIMEOUT = 60.0  # seconds; a listing of a large monorepo on a cold disk
_MOST_SAID = 1 << 28  # bytes that git may print
_MOST_MEMORY = 4 << 20  # KiB: what it may take for itself, files that it maps not counted
_SMALL = 1 << 20
# What `git` reads whole, and would read without end from a device or wait for at a pipe.
_READ = ("HEAD", "index", "ORIG_HEAD")
_READ_COMMON = ("config", "packed-refs", "shallow", "objects/info/alternates", "info/exclude")
_SHARED = ("refs", "packed-refs", "logs", "objects", "shallow", "reftable")
# Settings of the repository that say how its data is written, and what they may say. No other counts.
_KNOWN = {
    "extensions.objectformat": re.compile(r"sha1|sha256"),
    "extensions.refstorage": re.compile(r"files|reftable"),
    "core.repositoryformatversion": re.compile(r"[01]"),
}
# Extensions that say nothing about how what we read is written.
_HARMLESS = frozenset(
    f"extensions.{name}"
    for name in ("worktreeconfig", "noop", "partialclone", "preciousobjects", "relativeworktrees",
                 "compatobjectformat")
)  # fmt: skip
_PERSON = re.compile(r"(user|author|committer)\.(name|email)|user\.useconfigonly")
_LIMITED = 'ulimit -d "$1" 2>/dev/null; ulimit -f "$2" 2>/dev/null; shift 2; exec "$@"'


class GitError(RuntimeError):
    """Git is there, but could not answer; the message says why."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository: `top` of its work tree, its own folder, and the one that work trees share.

    `settings` are those of its configuration that are known to be harmless; `knows_tree` tells whether
    it says itself that the work tree is its own.
    """

    top: Path
    folder: Path
    common: Path
    settings: Mapping[str, str]
    knows_tree: bool

    @property
    def algorithm(self) -> str:
        """The hash of its objects."""
        return self.settings.get("extensions.objectformat", "sha1")

    def run(
        self, *arguments: str, given: bytes | None = None,
        environment: Mapping[str, str] | None = None, of_person: bool = False,
    ) -> bytes:  # fmt: skip
        """What git prints. `given` goes to its standard input, `environment` is added to its own;
        `of_person`: with the configuration of whoever runs us, which is asked for names only.

        Raises GitError for an exit code other than 0, FileNotFoundError without git.
        """
        with tempfile.TemporaryDirectory(prefix="migrator-git-") as scratch:
            own = Path(scratch)
            self._prepare(own)
            places = {
                "GIT_DIR": str(self.folder), "GIT_COMMON_DIR": str(own / "common"),
                "GIT_OBJECT_DIRECTORY": str(self.common / "objects"),
                "GIT_WORK_TREE": str(own / "nothing"), **(environment or {}),
            }  # fmt: skip
            environment = _environment(own, of_person) | places
            return _call(own, arguments, given, environment, own / "nothing", self.top)

    def _prepare(self, own: Path) -> None:
        for name in ("common", "nothing", "home"):
            (own / name).mkdir()
        for name in _SHARED:
            if os.path.lexists(self.common / name):
                (own / "common" / name).symlink_to(self.common / name)
        lines = [f"[{k.partition('.')[0]}]\n\t{k.partition('.')[2]} = {_quoted(v)}\n"
                 for k, v in self.settings.items()]  # fmt: skip
        (own / "common" / "config").write_text("".join(lines), encoding="utf-8")


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def find(path: Path) -> Repository | None:
    """The repository whose work tree `path` lies in; None where there is none.

    Raises GitError for one that is damaged, or made to be read without end.
    """
    top = work_tree(path)
    if top is None:
        return None
    place = top / ".git"
    try:
        if place.is_dir():
            folder = common = place.resolve()
        else:
            named = _line(place)
            if not named.startswith("gitdir: "):
                raise GitError(f"{place} does not name a repository")
            folder = (top / named.removeprefix("gitdir: ")).resolve()
            common = folder
            if (folder / "commondir").exists():
                common = (folder / _line(folder / "commondir")).resolve()
        if not (folder / "HEAD").exists() or not (common / "objects").is_dir():
            raise GitError(f"{place} is no git repository")
        shared = [name for name in os.listdir(folder) if name.startswith("sharedindex.")]
        for base, names in ((folder, (*_READ, *shared)), (common, _READ_COMMON)):
            for name in names:
                _regular(base / name)
        settings, tree = _settings(common / "config", top)
        if not place.is_dir() and (folder / "gitdir").exists():
            tree = _line(folder / "gitdir").removesuffix("/.git")
        knows = stat.S_ISDIR(os.lstat(place).st_mode) or (folder / tree).resolve() == top
        return Repository(top, folder, common, settings, knows)
    except (OSError, RuntimeError) as error:
        if isinstance(error, GitError):
            raise
        raise GitError(f"{place} cannot be read: {error}") from error
    except SourceError as error:
        raise GitError(str(error)) from error


def work_tree(path: Path) -> Path | None:
    """The root of the git work tree that `path` lies in, found by looking for `.git` upwards."""
    path = path.resolve()
    for folder in (path, *path.parents):
        if os.path.lexists(folder / ".git"):
            return folder
    return None


def program(name: str, besides: Path | None = None) -> str | None:
    """Where a program is: in a folder of the PATH that does not depend on where we stand, and not
    below `besides` (a tree, whose programs are not to be run)."""
    folders = [f for f in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(f)]
    tree = besides.resolve() if besides is not None else None
    for folder in folders:
        found = shutil.which(name, path=folder)
        if found and (tree is None or not Path(found).resolve().is_relative_to(tree)):
            return found
    return None


def _line(path: Path) -> str:
    return os.fsdecode(read_named(path, 1 << 14)[0]).strip()


def _regular(path: Path) -> None:
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise GitError(f"{path} is not a regular file")


def _settings(path: Path, top: Path) -> tuple[dict[str, str], str]:
    """What counts of a repository's configuration, read without what it includes; where it says that
    its work tree is."""
    if not path.exists():
        return {}, ""
    data = read_named(path, _SMALL)[0]
    with tempfile.TemporaryDirectory(prefix="migrator-git-") as scratch:
        own = Path(scratch)
        (own / "home").mkdir()
        environment = _environment(own, False) | {"GIT_DIR": scratch}
        try:
            listed = _call(
                own, ("config", "--file", "-", "--no-includes", "--null", "--list"), data, environment,
                own, top,
            )  # fmt: skip
        except GitError as error:
            raise GitError(f"{path}: {error}") from error
    found: dict[str, str] = {}
    tree = ""
    unknown = ""
    for entry in listed.split(b"\0"):
        key, _, value = os.fsdecode(entry).partition("\n")
        if _PERSON.fullmatch(key) or (key in _KNOWN and _KNOWN[key].fullmatch(value)):
            found[key] = value
        elif key == "core.worktree":
            tree = value
        elif key.startswith("extensions.") and key not in _HARMLESS:
            unknown = key
    if unknown and found.get("core.repositoryformatversion") == "1":
        raise GitError(f"{path}: {unknown} is an extension that migrator does not know")
    return found, tree


def _environment(own: Path, of_person: bool) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    kept |= {
        "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "", "GIT_ATTR_NOSYSTEM": "1", "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_REPLACE_OBJECTS": "1", "LC_ALL": "C",
    }  # fmt: skip
    if not of_person:
        nowhere = str(own / "home")
        kept |= {
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "HOME": nowhere,
            "XDG_CONFIG_HOME": nowhere,
        }  # fmt: skip
    return kept


def _call(
    own: Path, arguments: tuple[str, ...], given: bytes | None, environment: Mapping[str, str],
    where: Path, tree: Path | None = None,
) -> bytes:  # fmt: skip
    git = program("git", tree)
    if git is None:
        raise FileNotFoundError("git is not installed")
    limits = (str(_MOST_MEMORY), str(_MOST_SAID // 512))
    with open(own / "said", "w+b") as said, open(own / "errors", "w+b") as errors:
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", _LIMITED, "sh", *limits, git, *arguments],
                cwd=where, env=dict(environment), stdout=said, stderr=errors,
                stdin=subprocess.DEVNULL if given is None else None, input=given,
                timeout=TIMEOUT, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise GitError(f"git {arguments[0]} took over {TIMEOUT:.0f} s") from error
        if done.returncode:
            errors.seek(0)
            text = errors.read(1 << 14).decode("utf-8", "replace").strip()
            raise GitError(text or f"git {arguments[0]} ended with {done.returncode}")
        said.seek(0)
        return said.read()


def excludes_file(tree: Path) -> Path:
    """The file of patterns that whoever runs us never wants to see, in any repository (not only in
    `tree`, whose programs are not run)."""
    asked = ("config", "--type=path", "--get", "core.excludesFile")
    with tempfile.TemporaryDirectory(prefix="migrator-git-") as scratch:
        own = Path(scratch)
        try:
            said = _call(own, asked, None, _environment(own, True) | {"GIT_DIR": scratch}, own, tree)
        except (GitError, OSError):
            base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
            return Path(base) / "git" / "ignore"
    return Path(os.fsdecode(said).strip())
