"""A source file as text, with what is needed to write the changed text back byte for byte."""

from __future__ import annotations

import codecs
import hashlib
import re
import stat
from dataclasses import dataclass
from pathlib import Path

MAX_BYTES = 8 * 1024 * 1024  # the largest hand-written modules in the wild are below 2 MB

# PEP 263: the cookie stands in a comment on line 1, or on line 2 after a blank or comment line.
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:#.*)?$")
_NEWLINE = re.compile(rb"\r\n|\r|\n")


class SourceError(ValueError):
    """A file that cannot be read or written as source; the message says why and what to do.

    `line` is the 1-based line of the trouble, 0 where there is none.
    """

    def __init__(self, path: Path | str, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.path = str(path)
        self.message = message
        self.line = line

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.message}"

    def __reduce__(self) -> tuple[type[SourceError], tuple[str, str, int]]:
        return type(self), (self.path, self.message, self.line)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One decoded file.

    `text` keeps the file's own line ends. `encoding` is the Python codec name (without the BOM,
    which `bom` tells). `newline` is ``\\n``, ``\\r\\n``, ``\\r``, ``mixed``, or empty for a file
    without line ends. `sha256` is over the raw bytes, `mode` the permission bits.
    """

    path: Path
    text: str
    encoding: str = "utf-8"
    bom: bool = False
    newline: str = "\n"
    sha256: str = ""
    mode: int = 0o644

    @property
    def dominant_newline(self) -> str:
        """The line end to use for new lines: the most frequent one, ``\\n`` for none."""
        if self.newline in ("\n", "\r\n", "\r"):
            return self.newline
        crlf = self.text.count("\r\n")
        counts = {
            "\n": self.text.count("\n") - crlf,
            "\r\n": crlf,
            "\r": self.text.count("\r") - crlf,
        }
        return max(counts, key=lambda end: (counts[end], end == "\n"))


def _plain_name(name: str) -> str:
    """The codec of a cookie as CPython's tokenizer reads it: Emacs writes ``utf-8-unix``."""
    folded = name[:12].lower().replace("_", "-")
    for codec in ("utf-8", "latin-1", "iso-8859-1", "iso-latin-1"):
        if folded == codec or folded.startswith(codec + "-"):
            return "utf-8" if codec == "utf-8" else "iso-8859-1"
    return name


#: Codecs for names of hosts: they take time by the square of a text, and nobody writes modules in them.
_SLOW = ("punycode", "idna")


def declared_encoding(data: bytes) -> tuple[str, bool, int]:
    """(codec name, has a BOM, line of the cookie or 0) by PEP 263.

    Raises LookupError for a codec that Python does not have, ValueError for a BOM beside a cookie
    that contradicts it.
    """
    bom = data.startswith(codecs.BOM_UTF8)
    if bom:
        data = data[len(codecs.BOM_UTF8) :]
    for number, line in enumerate(_NEWLINE.split(data[:4096], maxsplit=2)[:2], 1):
        found = _COOKIE.match(line)
        if found:
            name = found[1].decode("ascii", "replace")
            codec = codecs.lookup(_plain_name(name))
            if codec.name in _SLOW or not codec._is_text_encoding:  # type: ignore[attr-defined]  # as open() asks
                raise LookupError(f"{name} does not decode to text")
            if bom and codec.name != "utf-8":
                raise ValueError(f"the file starts with a UTF-8 BOM but declares {name}")
            return codec.name, bom, number
        if not _BLANK.match(line):
            break
    return "utf-8", bom, 0


def newline_style(data: str) -> str:
    """``\\n``, ``\\r\\n``, ``\\r``, ``mixed``, or empty for a text of one line."""
    crlf = data.count("\r\n")
    kinds = [
        end
        for end, count in (
            ("\n", data.count("\n") - crlf),
            ("\r\n", crlf),
            ("\r", data.count("\r") - crlf),
        )
        if count
    ]
    return "" if not kinds else kinds[0] if len(kinds) == 1 else "mixed"


def sha256(data: bytes) -> str:
    """Hexadecimal digest."""
    return hashlib.sha256(data).hexdigest()


def decode(data: bytes, path: Path | str, mode: int = 0o644) -> SourceFile:
    """Decode the bytes of a Python source file.

    Raises SourceError, with the line, for an unknown codec, bytes that the codec cannot read, NUL
    bytes, and codecs that do not give the same bytes back.
    """
    digest = sha256(data)
    try:
        encoding, bom, cookie_line = declared_encoding(data)
    except LookupError as error:
        raise SourceError(
            path, f"{error}; correct the coding comment or save the file as UTF-8", 1
        ) from error
    except ValueError as error:
        raise SourceError(path, f"{error}; remove one of the two", 1) from error
    body = data[len(codecs.BOM_UTF8) :] if bom else data
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        said = f"declares {encoding}" if cookie_line else "declares no encoding, so it is UTF-8"
        raise SourceError(
            path,
            f"cannot be decoded: {error.reason} (byte 0x{body[error.start]:02x}); the file {said}; "
            "save it as UTF-8 or add the right '# -*- coding: NAME -*-' comment",
            line,
        ) from error
    except (UnicodeError, ValueError) as error:
        raise SourceError(path, f"cannot be decoded as {encoding}: {error}") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise SourceError(path, "holds NUL bytes, so it is not Python source", line)
    source = SourceFile(
        Path(path), text, encoding, bom, newline_style(text), digest, stat.S_IMODE(mode)
    )
    if encode(source, text) != data:
        raise SourceError(
            path,
            f"would not survive being read and written as {encoding} (the codec is not reversible "
            "for these bytes); save it as UTF-8",
        )
    return source


def encode(source: SourceFile, new_text: str) -> bytes:
    """The bytes of `new_text`, with the BOM that the file had, in the encoding that it declares
    itself: the file's own, unless the edit changed the coding comment.

    `new_text` must use the file's own line ends already; nothing is normalised.
    Raises SourceError for a character that the encoding lacks or a codec that does not exist.
    """
    encoding = source.encoding
    try:
        if new_text is not source.text:
            encoding = declared_encoding(new_text[:4096].encode("utf-8", "replace"))[0]
        body = new_text.encode(encoding)
    except LookupError as error:
        raise SourceError(source.path, f"the new text declares an {error}", 1) from error
    except UnicodeError as error:
        start = getattr(error, "start", 0)
        raise SourceError(
            source.path,
            f"the new text has a character that {encoding} lacks ({new_text[start]!r}); "
            "save the file as UTF-8 first",
            new_text.count("\n", 0, start) + 1,
        ) from error
    return codecs.BOM_UTF8 + body if source.bom else body
