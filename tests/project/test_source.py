"""Reading and writing source bytes: every byte comes back, every fault is an error record."""

from __future__ import annotations

import codecs
import io
import os
import pickle
import tokenize
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrator.project.source import (
    SourceError,
    declared_encoding,
    decode,
    encode,
)
from migrator.project.tree import read_named

BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("data", "encoding", "newline"),
    [
        (b"x = 1\n", "utf-8", "\n"),
        (b"x = 1", "utf-8", ""),
        (b"", "utf-8", ""),
        (b"x = 1\r\ny = 2\r\n", "utf-8", "\r\n"),
        (b"x = 1\ry = 2\r", "utf-8", "\r"),
        (b"x = 1\r\ny = 2\nz = 3", "utf-8", "mixed"),
        (BOM + b"x = '\xc3\xa9'\n", "utf-8", "\n"),
        (BOM + b"# coding: utf-8\r\n", "utf-8", "\r\n"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "iso8859-1", "\n"),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n", "cp1252", "\n"),
        (b"# -*- coding: utf-8-unix -*-\n", "utf-8", "\n"),
        (b"# -*- coding: latin-1-dos -*-\r\n# \xe9\r\n", "iso8859-1", "\r\n"),
        (b"# coding=gbk\nx = '\xc4\xe3'\n", "gbk", "\n"),
        (b"x = 1\n# coding: latin-1\n", "utf-8", "\n"),  # after code it is no cookie
        (b"#\n#\n# coding: latin-1\n", "utf-8", "\n"),  # nor on line 3
    ],
)
def test_bytes_come_back(data: bytes, encoding: str, newline: str) -> None:
    source = decode(data, "a.py")
    assert (source.encoding, source.newline, source.bom) == (
        encoding, newline, data.startswith(BOM),
    )  # fmt: skip
    assert encode(source, source.text) == data


@pytest.mark.parametrize(
    ("data", "says", "line"),
    [
        (b"x = 1\ny = '\xe9'\n", "cannot be decoded", 2),
        (b"# coding: klingon\n", "klingon", 1),
        (b"# coding: rot13\n", "rot", 1),
        (b"# coding: base64\n", "base64", 1),
        (BOM + b"# coding: latin-1\n", "BOM", 1),
        (b"x = 1\n\0\n", "NUL", 2),
        (b"# coding: utf-7\nx = '+AGE-'\n", "not reversible", 0),
    ],
)
def test_faults_are_errors_with_a_line(data: bytes, says: str, line: int) -> None:
    with pytest.raises(SourceError) as caught:
        decode(data, "a.py")
    assert says in caught.value.message
    assert caught.value.line == line
    assert str(caught.value).startswith("a.py")


def test_errors_cross_process_boundaries() -> None:
    error = pickle.loads(pickle.dumps(SourceError("a.py", "is bad", 3)))
    assert (error.path, error.message, error.line) == ("a.py", "is bad", 3)


def test_a_character_that_the_encoding_lacks() -> None:
    source = decode(b"# coding: latin-1\nx = 1\n", "a.py")
    with pytest.raises(SourceError, match="iso8859-1 lacks"):
        encode(source, "# coding: latin-1\nx = '\u20ac'\n")


@given(st.binary(max_size=200), st.sampled_from([b"", BOM, b"# coding: latin-1\n", b"#coding:gbk\r"]))
def test_any_bytes_either_come_back_or_are_an_error(data: bytes, head: bytes) -> None:
    try:
        source = decode(head + data, "a.py")
    except SourceError:
        return
    assert encode(source, source.text) == head + data


@given(
    st.lists(st.sampled_from([b"#", b" ", b"\t", b"\n", b"\r", b"coding", b":", b"=", b"latin-1",
                              b"utf-8", b"x", b"\f", b"-*-", b"_"]), max_size=12)
)  # fmt: skip
def test_cookies_are_read_as_python_reads_them(parts: list[bytes]) -> None:
    data = b"".join(parts)
    if b"\r" in data:  # tokenize's own reader does not split at a lone carriage return
        data = data.replace(b"\r", b"\r\n")
    try:
        found = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        expected = codecs.lookup(found).name
    except SyntaxError:
        expected = "error"
    try:
        mine = declared_encoding(data)[0]
    except (LookupError, ValueError):
        mine = "error"
    assert mine == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"a\r\nb\r\nc\n", "\r\n"), (b"a\nb\nc\r\n", "\n"), (b"a\r", "\r"), (b"", "\n")],
)
def test_dominant_newline(data: bytes, expected: str) -> None:
    assert decode(data, "a.py").dominant_newline == expected


def test_mode_and_digest(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"x = 1\n")
    path.chmod(0o751)
    data, mode = read_named(path)
    source = decode(data, path, mode)
    assert source.mode == 0o751
    assert len(source.sha256) == 64


def test_what_is_not_a_readable_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "big.py").write_bytes(b"#" * 100)
    for name, says in (("pipe.py", "fifo"), ("gone.py", "No such"), (".", "folder")):
        with pytest.raises(SourceError, match=says):
            read_named(tmp_path / name)
    with pytest.raises(SourceError, match="limit"):
        read_named(tmp_path / "big.py", limit=99)
