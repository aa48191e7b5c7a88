"""What becomes of a canonical name: its table entry, or what the API snapshots say of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from migrator.analysis.api import Api
from migrator.analysis.private_paths import public_path
from migrator.engine import standalone_keras
from migrator.engine.gone import gone
from migrator.engine.keywords import Fit
from migrator.engine.packs import Entry

VERSION_2 = "tensorflow.compat.v2"
# What every module has, and those that are packages of their own.
_OF_MODULES = frozenset({".__name__", ".__file__", ".__path__", ".__doc__", ".__dict__", ".__version__"})


@dataclass(frozen=True, slots=True)
class Disposition:
    """What becomes of a canonical name.

    `kind`: ``rule``, ``rename``, ``support``, ``manual``, ``compat``, ``same``, ``module`` (a
    TF module that holds known symbols), ``unknown``, or ``none`` (not the engine's business).
    `key` is the prefix of the name that decided, `rest` what follows it (with its dot);
    `target` is the canonical name that takes the place of `key`.
    """

    kind: str
    key: str
    rest: str = ""
    target: str = ""
    entry: Entry | None = None
    exists: bool = False


class Dispositions:
    """The dispositions of all names, each computed when it is first asked for.

    `tables`: what rules and packs say, by canonical name; complete before the first question.
    `fit`: how calls of a TF 1 function become calls of a TF 2 one.
    """

    def __init__(
        self,
        tables: Mapping[str, Disposition],
        tf1: Api,
        tf2: Api,
        fit: Callable[[str, str], Fit],
    ) -> None:
        self.tables = tables
        self.tf1 = tf1
        self.tf2 = tf2
        self.fit = fit
        self._cache: dict[str, Disposition] = {}

    def of(self, name: str) -> Disposition:
        """What becomes of a canonical name (longest prefix that anything is known about)."""
        found = self._cache.get(name)
        if found is None:
            found = self._cache[name] = self._decide(name)
        return found

    def _decide(self, name: str) -> Disposition:
        bare = name.partition("(")[0]
        parts = bare.split(".")
        table: Disposition | None = None
        lacking = False
        for length in range(len(parts), 0, -1):
            key = ".".join(parts[:length])
            table = self.tables.get(key)
            if table is not None:
                rest = name[len(key) :]
                if rest and table.kind == "support" and self._is_module(key):
                    table, lacking = None, True  # members that the support module lacks
                    continue
                break
        if table is not None:
            rest = name[len(key) :]
            if table.kind == "rename" and rest and self._misspelt(key, table.target, rest):
                return Disposition("unknown", name)
            went = public_path(table.target + rest)
            if table.kind == "rename" and went in self.tf1 and went not in self.tf2:
                return self.of(went)  # a private name of what was documented
            if table.kind == "rename" and went != table.target + rest:
                return Disposition("rename", name, "", went, table.entry, table.key in self.tf2)
            return Disposition(
                table.kind, table.key, rest, table.target, table.entry, table.key in self.tf2
            )
        if parts[0] == standalone_keras.ROOT:
            return self._from_keras(name)
        if parts[0] != "tensorflow":
            return Disposition("unknown" if lacking else "none", name)
        if parts[1:3] == ["compat", "v2"]:
            return self._from_version_2(name)
        if parts[1:3] == ["python", "keras"]:
            public = self._public_keras(name, parts)
            if public is not None:
                return public
        if bare not in self.tf2:
            for length in range(len(parts), 2, -1):
                listed = self.tf1.aliases.get(".".join(parts[:length]))
                if listed is not None and ".python." not in listed:
                    found = self.of(listed + name[len(".".join(parts[:length])) :])
                    if found.kind != "unknown" or bare not in self.tf1:
                        return found
        return self._from_snapshots(name, parts)

    def _is_module(self, name: str) -> bool:
        if self.tf1.kind(name) == "module":
            return True
        target = self.tables[name].target
        return target.count(".") == 1 and name not in self.tf1.symbols

    def _misspelt(self, key: str, target: str, rest: str) -> bool:
        """Whether a member of a renamed TF 1 module is in neither snapshot."""
        member = rest[1:].partition(".")[0]
        if self.tf1.kind(key) != "module" or not member:
            return False
        if ".python." in key:  # the snapshot does not list all that a private module imports
            went = f"{target}.{member}"
            known = self.tf2.kind(target) == "module" or self.tf1.kind(target) == "module"
            return known and went not in self.tf2 and went not in self.tf1
        return f"{key}.{member}" not in self.tf1 and f"{target}.{member}" not in self.tf2

    def _from_snapshots(self, name: str, parts: list[str]) -> Disposition:
        if len(parts) == 1:
            return Disposition("module", name, exists=True)
        if parts[1] in ("core", "compiler"):
            return Disposition("same", name, exists=True)
        for length in range(len(parts), 1, -1):
            key = ".".join(parts[:length])
            rest = name[len(key) :]
            for api, kind in ((self.tf2, "same"), (self.tf1, "")):
                found = api.kind(key)
                if found == "module":
                    if rest in _OF_MODULES and kind:
                        return Disposition(kind, key, rest, key, exists=True)
                    if rest:
                        continue  # an unknown member of a known module
                    return Disposition("module", key, exists=key in self.tf2)
                if not found:
                    continue
                if kind:
                    return Disposition(kind, key, rest, key, exists=True)
                if f"tensorflow.compat.v1{key[len('tensorflow'):]}" in self.tf2:
                    return Disposition("compat", key, rest)
                return Disposition("manual", key, rest, entry=gone(key))
            old = f"tensorflow.compat.v1{key[len('tensorflow'):]}"
            if self.tf2.kind(old) not in ("", "module") or (old in self.tf2.symbols and not rest):
                return Disposition("compat", key, rest)
        return Disposition("unknown", name)

    def _from_keras(self, name: str) -> Disposition:
        """What was imported from Keras 2 itself."""
        if standalone_keras.left_alone(name):
            return self._as_of_tensorflow(name) or Disposition("same", name, "", name, exists=True)
        parts = name.split(".")
        known = standalone_keras.known()
        for home, length in standalone_keras.homes(name):
            key, rest = ".".join(parts[:length]), "".join(f".{p}" for p in parts[length:])
            if rest and self.tf2.kind(f"tensorflow.keras.{home}") == "module":
                continue
            supported = self._as_of_tensorflow(f"keras.{home}{rest}")
            if supported is not None:
                return replace(supported, key=name[: len(name) - len(supported.rest)])
            if f"keras.{home}" in known:
                entry = Entry(key, f"keras.{home}", standalone_keras.CODE)
                return Disposition("rename", key, rest, f"keras.{home}", entry)
            if f"tensorflow.keras.{home}" in self.tf2:
                target = f"tensorflow.keras.{home}"
                return Disposition(
                    "rename", key, rest, target, Entry(key, target, standalone_keras.CODE)
                )
            found = self.of(f"tensorflow.keras.{home}{rest}")
            if found.kind in ("rename", "support", "rule", "manual"):
                return found
        entry = gone("tensorflow." + name.partition("(")[0])
        return Disposition("manual", name, entry=replace(
            entry, message=f"{name} is not in Keras 3", code=standalone_keras.CODE))

    def _as_of_tensorflow(self, name: str) -> Disposition | None:
        """What Keras 3 calls as Keras 2 did and does otherwise, as for the copy of it in TensorFlow 1."""
        found = self.of(f"tensorflow.{name}")
        if found.kind != "support":
            return None
        key = name[: len(name) - len(found.rest)]
        entry = found.entry or Entry(key, found.target, standalone_keras.CODE)
        return replace(found, key=key, entry=replace(entry, code=entry.code or standalone_keras.CODE))

    def _from_version_2(self, name: str) -> Disposition:
        """What was written for TF 2 through ``tf.compat.v2``: the bare name where it means the
        same in TF 1 (so that nobody, a second run included, can take it for TF 1's), else as is."""
        bare = "tensorflow" + name[len(VERSION_2) :]
        found = self.of(bare)
        if bare == "tensorflow" or found.kind == "module" and found.exists:
            return Disposition("module", name, exists=True)
        if found.kind == "same":
            fit = self.fit(found.key, found.key)
            if not fit.reordered and not fit.written:
                return Disposition("rename", name, "", bare)
        if self.tf2.kind(found.key) not in ("", "module"):
            return Disposition("same", name, "", name, exists=True)
        if found.kind in ("rename", "support"):
            return Disposition(found.kind, name, found.rest, found.target, found.entry)
        if found.kind == "rule":
            return found
        return Disposition("unknown", name)

    def _public_keras(self, name: str, parts: list[str]) -> Disposition | None:
        """Where Keras documents something that was imported from its sources in TensorFlow."""
        for length in range(len(parts), 2, -1):
            target = ".".join([parts[0], *parts[2:length]])
            if target in self.tf2:
                key = ".".join(parts[:length])
                if length < len(parts) and self.tf2.kind(target) == "module":
                    return None  # a member that is not documented
                return Disposition("rename", key, name[len(key) :], target)
        return None
