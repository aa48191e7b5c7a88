"""Reads the files that runs of a program wrote, by what kind of file each is, and pairs them up."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from migrator.verify.children import Side, load_arrays
from migrator.verify.workspace import Ran, WorkingCopy
from migrator.workload.spec import Workload

# Read in a child, with TensorFlow. A name may end in several of these; the first that fits counts.
_KINDS = (
    (re.compile(r"\.index$"), "checkpoint"),
    (re.compile(r"\.tfevents\.[^/]*$"), "events"),
    (re.compile(r"(^|/)saved_model\.pb$"), "saved_model"),
    (re.compile(r"\.(pb|graphdef)$"), "graph"),
    (re.compile(r"\.(png|jpe?g|gif|bmp)$", re.I), "image"),
    (re.compile(r"\.(tf_?records?|records?)(-\d+-of-\d+)?$"), "records"),
    (re.compile(r"\.(pkl|pickle|p)$"), "pickle"),
    (re.compile(r"\.(h5|hdf5)$"), "hdf5"),
    (re.compile(r"\.np[yz]$"), "arrays"),
    (re.compile(r"\.json$"), "json"),
)
IN_CHILD = ("checkpoint", "events", "saved_model", "graph", "image", "records", "pickle", "hdf5")
# Parts of a checkpoint beside its index, and what programs write about themselves.
_COMPANIONS = re.compile(
    r"(\.data-\d{5}-of-\d{5}|\.meta|(^|/)checkpoint|(^|/)graph\.pbtxt|(^|/)fingerprint\.pb|\.pyc"
    r"|(^|/)\.[^/]*|(^|/)memmapped\.[^/]*|~)$"
)
_VARIABLE_PART = re.compile(r"\d{9,}(\.\d+)?|\d{4}[-_]?\d\d[-_]?\d\d[-_T ]?(\d\d[-_:]?\d\d([-_:]?\d\d)?)?")
_TEXT_LIMIT = 32 << 20


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds: `arrays` by name, or `text`, or only which bytes (`digest`); why it could
    not be read is in `error`."""

    kind: str
    arrays: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    digest: str = ""
    error: str = ""


def items(ran: Ran) -> dict[str, str]:
    """{name: kind} of what a run wrote that says something; event files count by their folder."""
    found = {}
    for name in ran.written:
        if _COMPANIONS.search(name.removeprefix("{out}/")) and not name.endswith("saved_model.pb"):
            continue
        kind = next((k for pattern, k in _KINDS if pattern.search(name)), "")
        if kind == "events":
            name = (name.rpartition("/")[0] or ".") + "/"
        found[name] = kind
    return found


def read(copy: WorkingCopy, ran: Ran, workload: Workload, reader: Side) -> dict[str, Content]:
    """What the files of a run hold, by name. reader: the side whose TensorFlow 2 reads them."""
    found: dict[str, Content] = {}
    hard = []
    for name, kind in items(ran).items():
        path = copy.path(name)
        if not path.exists():
            continue
        kind = kind or ("pickle" if _is_pickle(path) else "records" if _is_records(path) else "")
        if kind in IN_CHILD:
            hard.append({"name": name, "kind": kind, "path": str(path)})
        else:
            found[name] = _read_here(path, kind)
    if hard:
        found.update(_read_there(hard, workload, reader))
    return found


def _is_pickle(path: Path) -> bool:
    """Whether a file without a known ending is a pickle of Python 3's default protocols, or 2: their bytes
    differ by what wrote them (numpy 1 or 2, say)."""
    try:
        with path.open("rb") as stream:
            begin = stream.read(2)
            if len(begin) < 2 or begin[0] != 0x80 or begin[1] not in range(2, 6):
                return False
            stream.seek(-1, 2)
            return stream.read(1) == b"."
    except OSError:
        return False


def _is_records(path: Path) -> bool:
    """Whether a file without a known ending is of TensorFlow's records: lengths that lead to its very end.
    Two programs write the features of one example in orders of their own."""
    try:
        at, size = 0, path.stat().st_size
        with path.open("rb") as stream:
            while at < size:
                head = stream.read(12)  # the length, and its checksum; another one follows the record
                at += 12 + int.from_bytes(head[:8], "little") + 4
                if len(head) < 12 or at > size:
                    return False
                stream.seek(at)
            return size > 0
    except OSError:
        return False


def _read_here(path: Path, kind: str) -> Content:
    try:
        if kind == "arrays":
            return Content(kind, load_arrays(path))
        data = path.read_bytes()
        if kind == "json":
            return Content(kind, dict(_leaves(json.loads(data), "")))
    except (OSError, ValueError) as error:
        return Content(kind, error=f"{type(error).__name__}: {error}")
    try:
        if len(data) <= _TEXT_LIMIT and b"\0" not in data:
            return Content("text", text=data.decode("utf-8"))
    except UnicodeDecodeError:
        pass
    return Content("bytes", digest=hashlib.sha256(data).hexdigest())


def _read_there(
    files: list[dict[str, str]], workload: Workload, reader: Side
) -> dict[str, Content]:
    answer = reader.run("verify_files", workload, {"files": files})
    if answer.error:
        return {f["name"]: Content(f["kind"], error=answer.error) for f in files}
    by_file: dict[str, dict[str, Any]] = defaultdict(dict)
    for key, value in answer.arrays.items():
        name, _, inner = key.partition("::")
        by_file[name][inner] = value
    unread = answer.facts["unread"]
    return {
        f["name"]: Content(f["kind"], by_file[f["name"]], error=unread.get(f["name"], ""))
        for f in files
    }


def _leaves(value: Any, prefix: str) -> Mapping[str, Any]:
    inner: Any
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    else:
        return {prefix or "value": np.asarray(value if value is not None else "null")}
    leaves: dict[str, Any] = {}
    for key, each in inner:
        leaves.update(_leaves(each, f"{prefix}/{key}" if prefix else str(key)))
    return leaves


def template(name: str) -> str:
    """A name without the times and dates that are in it."""
    return _VARIABLE_PART.sub("#", name)


def paired(before: Iterable[str], after: Iterable[str]) -> dict[str, str | None]:
    """{name of the original: name after the migration, or None}: the same name, else the next one
    that is the same but for times and dates."""
    waiting: dict[str, list[str]] = defaultdict(list)
    there, here = set(after), list(before)
    for name in sorted(there - set(here)):
        waiting[template(name)].append(name)
    pairs: dict[str, str | None] = {}
    for name in sorted(here):
        if name in there:
            pairs[name] = name
        else:
            others = waiting[template(name)]
            pairs[name] = others.pop(0) if others else None
    return pairs
