"""Unpacks tar archives into a folder and nowhere else, in every Python 3.11."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path


def unpack(data: bytes, target: Path) -> None:
    """Lays files, folders and links that stay in `target` out there; others are left out.

    Raises: OSError, tarfile.TarError.
    """
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extractall(target, filter=_filtered)
            return
        for member in archive:  # Python 3.11.0 to 3.11.3, as Debian 12 has it
            if _stays(member, target):
                archive.extract(member, target)


def _filtered(member: tarfile.TarInfo, target: str) -> tarfile.TarInfo | None:
    try:
        return tarfile.data_filter(member, target)
    except tarfile.FilterError:
        return None


def _stays(member: tarfile.TarInfo, target: Path) -> bool:
    """Whether a member is a file, folder or link whose place, and what it leads to, is in `target`."""
    if not (member.isfile() or member.isdir() or member.issym()):
        return False
    root = os.path.realpath(target)
    place = os.path.join(root, member.name)
    places = [os.path.realpath(os.path.dirname(place)), os.path.normpath(place)]
    if member.issym():
        places.append(os.path.realpath(os.path.join(os.path.dirname(place), member.linkname)))
    return not os.path.isabs(member.name) and all(os.path.commonpath([root, p]) == root for p in places)
