"""Archives are unpacked into their folder and nowhere else, in Pythons with and without tarfile's filters."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from migrator.workload import archives


def archive(*members: tuple[str, bytes, str]) -> bytes:
    """(name, type, content or what it leads to) as a tar archive."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, kind, content in members:
            info = tarfile.TarInfo(name)
            info.type, info.mode = kind, 0o644
            if kind == tarfile.REGTYPE:
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content.encode()))
            else:
                info.linkname = content
                info.mode = 0o755
                tar.addfile(info)
    return made.getvalue()


@pytest.mark.parametrize("filters", [True, False])
def test_what_stays_and_what_is_left_out(
    tmp_path: Path, filters: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not filters:
        monkeypatch.delattr(tarfile, "data_filter")
    outside = tmp_path / "outside"
    outside.mkdir()
    data = archive(
        ("folder", tarfile.DIRTYPE, ""), ("folder/file.py", tarfile.REGTYPE, "x = 1\n"),
        ("link.py", tarfile.SYMTYPE, "folder/file.py"), ("up", tarfile.SYMTYPE, "../outside"),
        ("far", tarfile.SYMTYPE, str(outside)), ("far/file.py", tarfile.REGTYPE, "through a link"),
        ("../outside/up.py", tarfile.REGTYPE, "up"), ("pipe", tarfile.FIFOTYPE, ""),
    )  # fmt: skip
    target = tmp_path / "tree"
    target.mkdir()
    archives.unpack(data, target)
    assert (target / "folder/file.py").read_text() == (target / "link.py").read_text() == "x = 1\n"
    assert (target / "link.py").is_symlink()
    assert not (target / "up").is_symlink() and not (target / "pipe").exists()
    assert list(outside.iterdir()) == []
