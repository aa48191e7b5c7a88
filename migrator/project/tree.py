"""The one door to the files of a tree: by descriptors, regular files only, never through a link.

Whoever made the tree may have put links, pipes, devices and files without end into it, and may change
it while it is read or written. So a path is walked one folder at a time, each opened below the one
before (`openat`, O_NOFOLLOW): what was checked is what is used.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from migrator.project.paths import STATE_FOLDER, UnsafePath, below, followed, plain
from migrator.project.source import MAX_BYTES, SourceError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: opening a fifo that replaced the file an instant ago must not hang.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Content:
    """What was read of a file: its bytes, and what a file that takes its place must keep."""

    data: bytes
    status: os.stat_result
    attributes: dict[str, bytes] = field(default_factory=dict)

    @property
    def mode(self) -> int:
        return self.status.st_mode


class Folder:
    """A folder that is held open. What lies in it is reached by name, and never by a link.

    To be used in a `with` block. `path` is for messages only. Methods raise OSError, and UnsafePath
    where a link or something else that must not be there is in the way.
    """

    __slots__ = ("descriptor", "path")

    def __init__(self, descriptor: int, path: Path) -> None:
        self.descriptor = descriptor
        self.path = path

    @classmethod
    def named(cls, path: Path) -> Folder:
        """A folder that a person named: links on the way to it are theirs."""
        return cls(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC), Path(path))

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)

    def folder(self, relative: str, make: bool = False) -> Folder:
        """A folder below this one, ``""`` for itself; with `make` it is made where it is not."""
        current = Folder(os.dup(self.descriptor), self.path)
        for name in relative.split("/") if relative else ():
            with current:
                current = current._child(name, make)
        return current

    def _child(self, name: str, make: bool) -> Folder:
        path = self.path / name
        if name in ("", ".", ".."):
            raise UnsafePath(f"{path} is not a plain path")
        if make:
            try:
                self.make_folder(name)
            except FileExistsError:
                pass
        try:
            return Folder(os.open(name, _FOLDER, dir_fd=self.descriptor), path)
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR):
                raise
            status = self.status(name)
            if status is not None and stat.S_ISLNK(status.st_mode):
                raise UnsafePath(f"{path} is a symbolic link, which is not followed") from None
            raise UnsafePath(
                f"{path} is in the way: it is not a folder; remove it, then try again"
            ) from None

    @contextmanager
    def holding(self, relative: str, make: bool = False) -> Iterator[tuple[Folder, str]]:
        """The folder that holds `relative`, and its name there. Raises UnsafePath for ``..``."""
        above, _, name = relative.rpartition("/")
        if name in ("", ".", ".."):
            raise UnsafePath(f"{self.path / relative} is not a plain path")
        with self.folder(above, make) as folder:
            yield folder, name

    # -- looking

    def status(self, name: str) -> os.stat_result | None:
        """The status of what has the name (of a link itself), None where nothing has."""
        try:
            return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def is_file(self, name: str) -> bool:
        """Whether a regular file has the name."""
        status = self.status(name)
        return status is not None and stat.S_ISREG(status.st_mode)

    def names(self) -> list[str]:
        """What lies in the folder, sorted."""
        return sorted(os.listdir(self.descriptor))

    def entries(self) -> list[os.DirEntry[str]]:
        """The same as entries, which must not be asked to follow links."""
        with os.scandir(self.descriptor) as found:
            return sorted(found, key=lambda entry: entry.name)

    # -- reading

    def open(self, name: str) -> BinaryIO:
        """A regular file, to be read. Raises UnsafePath for anything else."""
        status = os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
        if not stat.S_ISREG(status.st_mode):
            raise UnsafePath(kind_of(status.st_mode))
        descriptor = os.open(name, _READ, dir_fd=self.descriptor)
        opened = os.fstat(descriptor)
        if not stat.S_ISREG(opened.st_mode):
            os.close(descriptor)
            raise UnsafePath(kind_of(opened.st_mode))
        return os.fdopen(descriptor, "rb", buffering=0)

    def read(self, name: str, limit: int = MAX_BYTES, attributes: bool = False) -> Content:
        """A regular file of at most `limit` bytes. Raises SourceError for anything else."""
        return _read(lambda: self.open(name), self.path / name, limit, attributes)

    def head(self, name: str, size: int) -> bytes:
        """The first `size` bytes of a regular file; none of what cannot be read."""
        try:
            with self.open(name) as stream:
                return stream.read(size)
        except (OSError, UnsafePath):
            return b""

    def digest(self, name: str) -> str:
        """SHA-256 of a regular file; empty when there is none, or something else."""
        try:
            with self.open(name) as stream:
                digest = hashlib.sha256()
                while part := stream.read(_CHUNK):
                    digest.update(part)
                return digest.hexdigest()
        except (OSError, UnsafePath):
            return ""

    # -- writing

    def create(self, name: str, data: bytes, like: Content | None = None, times: bool = False) -> None:
        """A new file on the disk, with mode, owner and attributes (and `times`) of another's.

        Raises FileExistsError when the name is taken, by whatever.
        """
        descriptor = os.open(name, _NEW, 0o666, dir_fd=self.descriptor)
        try:
            written = memoryview(data)
            while written:
                written = written[os.write(descriptor, written) :]
            if like is not None:
                _make_like(descriptor, like, times, owner=True)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def make_folder(self, name: str, mode: int = 0o777) -> None:
        """A new folder. Raises FileExistsError when the name is taken, by whatever."""
        os.mkdir(name, mode, dir_fd=self.descriptor)

    @contextmanager
    def replacing(self, name: str) -> Iterator[BinaryIO]:
        """A stream whose content takes the place of `name` at the end, whole or not at all; a link
        that has the name is replaced, not followed."""
        temporary = f".migrator-{secrets.token_hex(6)}.tmp"
        descriptor = os.open(temporary, _NEW, 0o666, dir_fd=self.descriptor)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                yield stream
            self.move(temporary, self, name)
        except BaseException:
            self.remove(temporary)
            raise

    def copy(self, name: str, to: Folder, new: str) -> None:
        """A copy of a regular file of any size, with mode, times and attributes."""
        with self.open(name) as source:
            status = os.fstat(source.fileno())
            descriptor = os.open(new, _NEW, 0o600, dir_fd=to.descriptor)
            with os.fdopen(descriptor, "wb") as target:
                shutil.copyfileobj(source, target, _CHUNK)
                target.flush()
                kept = Content(b"", status, _attributes(source.fileno()))
                _make_like(descriptor, kept, times=True, owner=False)

    def move(self, name: str, to: Folder, new: str) -> None:
        """One rename, which replaces what has the new name; across file systems a copy first."""
        try:
            os.replace(name, new, src_dir_fd=self.descriptor, dst_dir_fd=to.descriptor)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            beside = f".migrator-{secrets.token_hex(6)}.tmp"
            try:
                self.copy(name, to, beside)
                os.replace(beside, new, src_dir_fd=to.descriptor, dst_dir_fd=to.descriptor)
            except OSError:
                to.remove(beside)
                raise
            self.remove(name)

    def link(self, name: str, to: Folder, new: str) -> None:
        """Another name for a file. Raises FileExistsError where the new name is taken."""
        os.link(
            name, new, src_dir_fd=self.descriptor, dst_dir_fd=to.descriptor, follow_symlinks=False
        )

    def remove(self, name: str) -> None:
        """Remove a file or link, if there is one."""
        try:
            os.unlink(name, dir_fd=self.descriptor)
        except FileNotFoundError:
            pass

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(name, dir_fd=self.descriptor)

    def remove_tree(self, name: str) -> None:
        """Remove what has the name, a folder with all that is in it, as far as that goes.

        `shutil.rmtree` opens what it is to remove before it looks what it is: a fifo without end.
        """
        with suppress(OSError, UnsafePath, RecursionError):  # the last: made to be too deep
            status = self.status(name)
            if status is not None and not stat.S_ISDIR(status.st_mode):
                self.remove(name)
                return
            with self._child(name, make=False) as folder:
                for inside in folder.names():
                    folder.remove_tree(inside)
            self.remove_folder(name)

    def sync(self) -> None:
        """Make the names in the folder durable; where the file system cannot, that is no error."""
        try:
            os.fsync(self.descriptor)
        except OSError:
            pass


def kind_of(mode: int) -> str:
    """What is said of something that is no regular file."""
    kinds = {
        stat.S_IFLNK: "is a symbolic link, which is not followed", stat.S_IFDIR: "is a folder",
        stat.S_IFIFO: "is a fifo", stat.S_IFSOCK: "is a socket", stat.S_IFCHR: "is a device",
        stat.S_IFBLK: "is a device",
    }  # fmt: skip
    return kinds.get(stat.S_IFMT(mode), "is not a regular file")


def _read(opened: Callable[[], BinaryIO], path: Path, limit: int, attributes: bool) -> Content:
    try:
        with opened() as stream:
            status = os.fstat(stream.fileno())
            if status.st_size > limit:
                raise SourceError(path, f"is {status.st_size:,} bytes, over the limit of {limit:,}")
            parts: list[bytes] = []
            size = 0
            while size <= limit and (part := stream.read(min(_CHUNK, limit + 1 - size))):
                parts.append(part)
                size += len(part)
            kept = _attributes(stream.fileno()) if attributes else {}
    except UnsafePath as error:
        raise SourceError(path, str(error)) from error
    except OSError as error:
        raise SourceError(path, f"cannot be read: {error.strerror or error}") from error
    if size > limit:
        raise SourceError(path, f"grew over the limit of {limit:,} bytes while it was read")
    return Content(parts[0] if len(parts) == 1 else b"".join(parts), status, kept)


def _attributes(descriptor: int) -> dict[str, bytes]:
    try:
        return {name: os.getxattr(descriptor, name) for name in os.listxattr(descriptor)}
    except (OSError, AttributeError):  # a file system, or an operating system, without them
        return {}


def _make_like(descriptor: int, like: Content, times: bool, owner: bool) -> None:
    status = like.status
    try:
        if owner:
            os.fchown(descriptor, status.st_uid, status.st_gid)
    except OSError:
        pass  # only root may give files away; the content matters more
    for name, value in like.attributes.items():
        try:
            os.setxattr(descriptor, name, value)
        except OSError:
            continue
    os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
    if times:
        os.utime(descriptor, ns=(status.st_atime_ns, status.st_mtime_ns))


# -- one file at a time


def read(root: Path, relative: str, limit: int = MAX_BYTES, links: bool = False) -> tuple[bytes, int]:
    """(bytes, mode) of a file of the tree below `root`.

    With `links`, a link is followed where it stays in the tree. Raises SourceError for anything but a
    regular file of at most `limit` bytes that is reached without leaving the tree.
    """
    path = root / relative
    try:
        if links:
            relative = followed(root, relative)
        with Folder.named(root) as top, top.holding(relative) as (folder, name):
            content = folder.read(name, limit)
    except (UnsafePath, ValueError) as error:
        if isinstance(error, SourceError):
            raise SourceError(path, error.message) from error
        raise SourceError(path, str(error)) from error
    except OSError as error:
        raise SourceError(path, f"cannot be read: {error.strerror or error}") from error
    return content.data, content.mode


def text_of(root: Path, relative: str, limit: int = MAX_BYTES) -> str | None:
    """A file of the tree as UTF-8 text, None where there is none."""
    try:
        return read(root, relative, limit)[0].decode("utf-8")
    except (SourceError, UnicodeDecodeError):
        return None


def read_named(path: Path, limit: int = MAX_BYTES) -> tuple[bytes, int]:
    """(bytes, mode) of a file that a person named, through whatever links; of migrator's own in a
    `.migrator` folder, which may have come with the tree, through none.

    Raises SourceError for anything but a readable regular file of at most `limit` bytes.
    """
    if (state := _in_state(path)) is not None:
        return read(*state, limit)

    content = _read(lambda: _open_named(path), path, limit, attributes=False)
    return content.data, content.mode


def _open_named(path: Path) -> BinaryIO:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise UnsafePath(kind_of(mode))
    return os.fdopen(descriptor, "rb", buffering=0)


@contextmanager
def reading_named(path: Path, limit: int) -> Iterator[BinaryIO]:
    """A file that a person named as `read_named` reads it, bit by bit. Raises SourceError."""
    try:
        with ExitStack() as opened:
            if (state := _in_state(path)) is not None:
                top = opened.enter_context(Folder.named(state[0]))
                folder, name = opened.enter_context(top.holding(state[1]))
                stream = opened.enter_context(folder.open(name))
            else:
                stream = opened.enter_context(_open_named(path))
            size = os.fstat(stream.fileno()).st_size
            if size > limit:
                raise SourceError(path, f"is {size:,} bytes, over the limit of {limit:,}")
            yield stream
    except UnsafePath as error:
        raise SourceError(path, str(error)) from error
    except OSError as error:
        raise SourceError(path, f"cannot be read: {error.strerror or error}") from error


@contextmanager
def writing(root: Path, relative: str, make: bool = True) -> Iterator[BinaryIO]:
    """A stream whose content becomes a file of the tree, whole or not at all. Raises OSError,
    UnsafePath."""
    with Folder.named(root) as top, top.holding(relative, make) as (folder, name):
        with folder.replacing(name) as stream:
            yield stream


@contextmanager
def writing_named(path: Path, root: Path | None = None) -> Iterator[BinaryIO]:
    """The same for a file that a person named, who works on the tree below `root`, or one of migrator's
    own in a `.migrator` folder.

    There nothing is written through a link: it may be there to be written through. Elsewhere a
    name leads where it leads, also to a device. Raises OSError, UnsafePath.
    """
    state = _in_state(path)
    relative = below(root, path) if root is not None else None
    if state is not None or (root is not None and relative is not None):
        with writing(*(state or (root, relative))) as stream:  # type: ignore[arg-type]
            yield stream
        return
    if (path.exists() and not path.is_file()) or path.absolute().is_relative_to("/dev"):
        with open(path, "wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    with Folder.named(target.parent) as folder, folder.replacing(target.name) as stream:
        yield stream


def write_named(path: Path, text: str, root: Path | None = None) -> None:
    """Write a text as UTF-8 (what is no text as its escapes), as `writing_named` does."""
    with writing_named(path, root) as stream:
        stream.write(text.encode("utf-8", "backslashreplace"))


def _in_state(path: Path) -> tuple[Path, str] | None:
    """(tree, path in it) of a file in a `.migrator` folder."""
    parts = path.parts
    if STATE_FOLDER not in parts[:-1]:
        return None
    at = len(parts) - 1 - parts[::-1].index(STATE_FOLDER, 1)
    return Path(*parts[:at]), "/".join(parts[at:])


def check(root: Path, relative: str) -> None:
    """Raises UnsafePath for a path that is not plain, or leads through a link."""
    plain(relative)
    try:
        with Folder.named(root) as top, top.holding(relative) as (folder, name):
            status = folder.status(name)
    except FileNotFoundError:
        return
    except OSError as error:
        raise UnsafePath(f"{relative!r}: {error.strerror or error}") from error
    if status is not None and stat.S_ISLNK(status.st_mode):
        raise UnsafePath(f"{relative!r} leads through the symbolic link {root / relative}")
