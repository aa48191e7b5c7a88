"""API snapshots: which symbols TensorFlow 1.15 and 2.21 have, and how they are called."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

RAW_OPS = "tensorflow.raw_ops."  # both TensorFlows refuse positional arguments of these


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; `kind` is ``positional``, ``keyword``, ``*`` or ``**``; `default` is source
    text, None when it has none."""

    name: str
    kind: str
    default: str | None


Signature = tuple[Parameter, ...]


def parse_signature(text: str) -> Signature:
    """The parameters of ``"(x, y=None, *args, z, **kwargs)"``, annotations and a first ``self``
    left out.

    Raises SyntaxError.
    """
    text = text.strip()
    if not text.startswith("("):
        text = f"({text})"
    function = ast.parse(f"def f{text}: pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    args = function.args
    found: list[Parameter] = []
    positional = [*args.posonlyargs, *args.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults))
    defaults += args.defaults
    for arg, default in zip(positional, defaults, strict=True):
        found.append(Parameter(arg.arg, "positional", _source(default)))
    if found and found[0].name in ("self", "cls"):
        found.pop(0)
    if args.vararg:
        found.append(Parameter(args.vararg.arg, "*", None))
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        found.append(Parameter(arg.arg, "keyword", _source(default)))
    if args.kwarg:
        found.append(Parameter(args.kwarg.arg, "**", None))
    return tuple(found)


def _source(node: ast.expr | None) -> str | None:
    return ast.unparse(node) if node is not None else None


class Api:
    """One snapshot: symbols by canonical name (``tensorflow.nn.relu``).

    `aliases` maps a name to the name under which the same object is listed, `private` are all
    modules of `tensorflow.python` (none: nobody listed them).
    """

    def __init__(
        self, symbols: Mapping[str, Any], aliases: Mapping[str, str] | None = None,
        private: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        self._symbols = symbols
        self.aliases = aliases or {}
        self.private = private
        self._signatures: dict[str, Signature | None] = {}
        modules: set[str] = set()
        for name in symbols:
            head = name.rpartition(".")[0]
            while head and head not in modules:
                modules.add(head)
                head = head.rpartition(".")[0]
        self._parents = modules

    def __contains__(self, name: str) -> bool:
        return name in self._symbols or name in self._parents

    def __len__(self) -> int:
        return len(self._symbols)

    @property
    def symbols(self) -> Mapping[str, Any]:
        return self._symbols

    def kind(self, name: str) -> str:
        """``module``, ``class``, ``function``, ``constant``, or ``""`` for an unknown name."""
        entry = self._symbols.get(name)
        if entry is None:
            return "module" if name in self._parents else ""
        if isinstance(entry, Mapping) and entry.get("kind"):
            return str(entry["kind"])
        return "class" if name in self._parents else "function"

    def signature(self, name: str) -> Signature | None:
        """The call signature, None where the snapshot has none."""
        if name not in self._signatures:
            found = _signature(self._symbols.get(name))
            if found is not None and self.aliases.get(name, name).startswith(RAW_OPS):
                found = tuple(Parameter(p.name, "keyword", p.default) for p in found)
            self._signatures[name] = found
        return self._signatures[name]


def _signature(entry: Any) -> Signature | None:
    if isinstance(entry, Mapping):
        entry = next(
            (entry[k] for k in ("signature", "sig", "args") if entry.get(k) is not None), None
        )
    if isinstance(entry, str) and entry.startswith("("):
        try:
            return parse_signature(entry)
        except SyntaxError:
            return None
    return None


def _canonical(name: str) -> str:
    if name == "tf" or name.startswith("tf."):
        return "tensorflow" + name[2:]
    return name


@cache
def load_api(path: Path) -> Api:
    """The snapshot in a JSON file; an empty one when there is no such file.

    Raises ValueError for a file that is not a snapshot.
    """
    if not path.exists():
        return Api({})
    document = json.loads(path.read_text(encoding="utf-8"))
    symbols = document.get("symbols", document)
    if not isinstance(symbols, dict):
        raise ValueError(f"{path}: is no API snapshot: 'symbols' is not a table")
    aliases = document.get("aliases", {}) if symbols is not document else {}
    if "tensorflow" in document:  # written by rules/tools/snapshot_api.py: canonical already
        return Api(symbols, aliases, frozenset(document.get("modules", ())))
    return Api(
        {_canonical(name): entry for name, entry in symbols.items()},
        {_canonical(name): _canonical(listed) for name, listed in aliases.items()},
    )
