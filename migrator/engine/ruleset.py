"""All rules, tables and API snapshots, compiled for lookup by canonical name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

from migrator import resources
from migrator.engine import installed, standalone_keras
from migrator.engine.api import Api, load_api, parse_signature
from migrator.engine.gone import gone
from migrator.engine.keras_calls import keras_options
from migrator.engine.keywords import ANY, Fit
from migrator.engine.options import Options
from migrator.engine.packs import Entry, PackError, Packs, Rule, load_packs
from migrator.engine.pattern import (
    ROOTS,
    CallPattern,
    NamePattern,
    PatternError,
    canonical_of,
    compile_pattern,
)
from migrator.engine.registry import LoadError, Transform, load_transforms
from migrator.engine.template import Template
from migrator.engine.triggers import Triggers

SUPPORT = "tf1_support"
VERSION_2 = "tensorflow.compat.v2"


@dataclass
class CompiledRule:
    """One pattern of one rule."""

    rule: Rule
    pattern: CallPattern | NamePattern
    template: Template | None


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


def _canonical(dotted: str) -> str:
    return canonical_of(dotted.split("."))


def _target(dotted: str, support: bool) -> str:
    if support:
        return dotted if dotted.startswith(SUPPORT + ".") else f"{SUPPORT}.{dotted}"
    parts = dotted.split(".")
    if len(parts) == 1:
        return f"builtins.{dotted}" if dotted in _PYTHON_BUILTINS else dotted
    return ".".join([ROOTS.get(parts[0], parts[0]), *parts[1:]])


_PYTHON_BUILTINS = frozenset(
    dir(__builtins__) if not isinstance(__builtins__, dict) else __builtins__
)


@dataclass
class RuleSet:
    """Everything that decides what a file becomes, apart from the options."""

    packs: Packs
    tf1: Api
    tf2: Api
    transforms: list[Transform] = field(default_factory=list)
    load_errors: list[LoadError] = field(default_factory=list)
    rules: dict[str, list[CompiledRule]] = field(default_factory=dict)
    tables: dict[str, Disposition] = field(default_factory=dict)
    _cache: dict[str, Disposition] = field(default_factory=dict)
    _fits: dict[tuple[str, str], Fit] = field(default_factory=dict)
    doubtful: frozenset[str] = frozenset()  # modules of which TF 2 may have another version
    _tops: frozenset[str] = frozenset()
    _words: re.Pattern[str] = re.compile("tensorflow")

    @cached_property
    def triggers(self) -> Triggers:
        """What tells which transforms a file is due for."""
        return Triggers(self.transforms)

    def __post_init__(self) -> None:
        for kind in ("same", "compat", "manual", "support", "renames"):
            for symbol, entry in getattr(self.packs, kind).items():
                self._add_entry("rename" if kind == "renames" else kind, symbol, entry)
        for rule in self.packs.rules:
            self._add_rule(rule)
        for name in self.rules:
            entry = self.tables[name].entry if name in self.tables else None
            self.tables[name] = Disposition("rule", name, entry=entry)
        self._spread_over_aliases()
        self._follow_renames()
        for symbol, table in list(self.packs.keywords.items()):
            listed = self.tf1.aliases.get(f"tensorflow{symbol[2:]}")
            if listed is not None:  # where `fit` looks for what holds for all names of an object
                known = self.packs.keywords.setdefault(f"tf{listed[len('tensorflow'):]}", {})
                for name, keyword in table.items():
                    known.setdefault(name, keyword)
        self.doubtful = frozenset(
            name for name, found in self.tables.items()
            if "." not in name and found.entry is not None and found.entry.extra.get("beside_tf1")
        )  # fmt: skip
        roots = {name.split(".")[0] for name in self.tables}
        self._tops = frozenset(roots | {"tensorflow", standalone_keras.ROOT})
        words = {name.split(".")[0] for name in self.tables if not name.startswith("builtins.")}
        words |= {name.partition(".")[2] for name in self.tables if name.startswith("builtins.")}
        for item in self.transforms:
            words |= {trigger.split(".")[0].split("*")[0] for trigger in item.triggers}
            words |= getattr(item, "words", frozenset())
        words |= {"tensorflow", "tf_slim", "tensorflow_core", standalone_keras.ROOT, SUPPORT}
        words.discard("")
        self._words = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, words)))})\b")

    def _add_entry(self, kind: str, symbol: str, entry: Entry) -> None:
        wild = symbol.endswith(".*")
        name = _canonical(symbol[:-2] if wild else symbol)
        if "." not in symbol and (kind != "rename" or entry.target not in _PYTHON_BUILTINS):
            name = ROOTS.get(symbol, symbol)  # a module, unlike ``"xrange" = "range"``
        target = ""
        if kind in ("rename", "support"):
            target = _target(entry.target, kind == "support")
        self.tables[name] = Disposition(kind, name, target=target, entry=entry)

    def _add_rule(self, rule: Rule) -> None:
        for source in rule.match:
            where = f"{rule.pack}: {rule.code}: {source!r}"
            try:
                pattern = self._pattern(rule, source)
                if isinstance(pattern, CallPattern):  # parameters that a call must give
                    pattern.required |= frozenset(rule.extra.get("needs", ()))
                template = None
                if rule.rewrite:
                    holes = _holes(pattern)
                    template = Template(rule.rewrite, holes)
            except (SyntaxError, ValueError) as error:
                raise PackError(f"{where}: {error}") from error
            self.rules.setdefault(pattern.name, []).append(CompiledRule(rule, pattern, template))

    def _follow_renames(self) -> None:
        """A rename to a name that has a disposition of its own goes straight to the end of the
        chain; otherwise a second run would go on where the first one stopped."""
        for name, found in list(self.tables.items()):
            if found.kind != "rename":
                continue
            seen = {name}
            last = found
            while last.kind == "rename" and last.target in self.tables and last.target not in seen:
                seen.add(last.target)
                last = self.tables[last.target]
            if last is found:
                continue
            if last.kind in ("rename", "support"):
                self.tables[name] = Disposition(last.kind, name, "", last.target, last.entry)
            elif last.kind == "rule":
                self.tables[name] = last
                self.rules[name] = self.rules[last.key]

    def _spread_over_aliases(self) -> None:
        """What holds for one name of a TF 1 object holds for its other names, unless TF 2 has
        something under them (which may behave differently)."""
        groups: dict[str, set[str]] = {}
        for name, listed in self.tf1.aliases.items():
            groups.setdefault(listed, {listed}).add(name)
        for names in groups.values():
            known = [name for name in names if name in self.tables]
            if not known:
                continue
            first = min(known, key=lambda name: (self.tables[name].kind != "rule", name))
            for name in names - set(known):
                if name not in self.tf2 and not name.startswith("tensorflow.compat."):
                    self.tables[name] = self.tables[first]
                    if first in self.rules:
                        self.rules[name] = self.rules[first]

    def _pattern(self, rule: Rule, source: str) -> CallPattern | NamePattern:
        if rule.signature:
            return compile_pattern(source, parse_signature(rule.signature))
        node = ast.parse(source.strip(), mode="eval").body
        signature = None
        if isinstance(node, ast.Call):
            try:
                signature = self.tf1.signature(_canonical(ast.unparse(node.func)))
            except IndexError as error:
                raise PatternError(str(error)) from error
            if signature is not None and any(p.kind == "**" for p in signature):
                named = [p for p in signature if p.kind == "positional"]
                if len(named) < len([a for a in node.args if not isinstance(a, ast.Starred)]):
                    signature = None  # a decorated function: (*args, **kwargs) says nothing
        return compile_pattern(source, signature)

    # -- asking

    def mentions(self, text: str) -> bool:
        """Whether a text has a word by which any rule or transform could concern it."""
        return self._words.search(text) is not None

    def concerns(self, root: str) -> bool:
        """Whether any rule is about names of this top-level module."""
        return root in self._tops

    def disposition(self, name: str) -> Disposition:
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
            went = table.target + rest
            if table.kind == "rename" and went in self.tf1 and went not in self.tf2:
                return self.disposition(went)  # a private name of what was documented
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
                    found = self.disposition(listed + name[len(".".join(parts[:length])) :])
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
            return Disposition("same", name, "", name, exists=True)
        parts = name.split(".")
        known = standalone_keras.known()
        for home, length in standalone_keras.homes(name):
            key, rest = ".".join(parts[:length]), "".join(f".{p}" for p in parts[length:])
            if rest and self.tf2.kind(f"tensorflow.keras.{home}") == "module":
                continue
            if f"keras.{home}" in known:
                entry = Entry(key, f"keras.{home}", standalone_keras.CODE)
                return Disposition("rename", key, rest, f"keras.{home}", entry)
            if f"tensorflow.keras.{home}" in self.tf2:
                target = f"tensorflow.keras.{home}"
                return Disposition(
                    "rename", key, rest, target, Entry(key, target, standalone_keras.CODE)
                )
            found = self.disposition(f"tensorflow.keras.{home}{rest}")
            if found.kind in ("rename", "support", "rule", "manual"):
                return found
        entry = gone("tensorflow." + name.partition("(")[0])
        return Disposition("manual", name, entry=replace(
            entry, message=f"{name} is not in Keras 3", code=standalone_keras.CODE))

    def _from_version_2(self, name: str) -> Disposition:
        """What was written for TF 2 through ``tf.compat.v2``: the bare name where it means the
        same in TF 1 (so that nobody, a second run included, can take it for TF 1's), else as is."""
        bare = "tensorflow" + name[len(VERSION_2) :]
        found = self.disposition(bare)
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

    def fit(self, key: str, target: str) -> Fit:
        """How calls of the TF 1 function `key` become calls of TF 2's `target`."""
        found = self._fits.get((key, target))
        if found is None and target.startswith("keras."):
            # of which Keras the program was written for is not known: names only, no defaults
            new = self.tf2.signature(f"tensorflow.{target}")
            names = self.packs.keywords.get(f"tf.{target}", {})
            names = {name: keyword for name, keyword in names.items() if not keyword.written}
            options = keras_options(f"tensorflow.{target}", self.tf2)
            found = self._fits[key, target] = Fit(None, new, names, None, options)
        if found is None:
            known = self.packs.keywords
            listed = self.documented(key)
            short, public = ("tf" + name[len("tensorflow") :] for name in (key, listed))
            names = {**known.get(public, {}), **known.get(short, {})}
            if ".keras." in target:  # many modules of TF 1 had the layers of tf.keras
                names = known.get(f"tf{target[len('tensorflow') :]}", {}) | names
            else:
                names = known.get(ANY, {}) | names
            new = self.tf2.signature(target)
            other = self.tf1.signature(target) if target not in (key, listed) else None
            old = self.tf1.signature(key) or self.tf1.signature(listed)
            options = keras_options(target, self.tf2)
            found = self._fits[key, target] = Fit(old, new, names, other, options)
        return found

    def documented(self, key: str) -> str:
        """The name under which the snapshot lists what a private module has as `key`."""
        parts = key.split(".")
        for length in range(len(parts), 1, -1):
            listed = self.tf1.aliases.get(".".join(parts[:length]))
            if listed is not None:
                return ".".join([listed, *parts[length:]])
        return key

    def compat_target(self, key: str) -> str | None:
        """The ``tensorflow.compat.v1`` name of a TF 1 symbol, if TF 2 still has it."""
        if not key.startswith("tensorflow."):
            return None  # other libraries have rules too: yaml.load, imp
        path = f"tensorflow.compat.v1{key[len('tensorflow'):]}"
        return path if path in self.tf2 else None

    def module_exists(self, path: str) -> bool:
        """Whether an import of a TensorFlow module or symbol works in TF 2."""
        if not path.startswith("tensorflow.") or not len(self.tf2):
            return True
        if path.startswith(("tensorflow.core.", "tensorflow.compiler.", "tensorflow.python.")):
            return True
        return path in self.tf2


def _holes(pattern: CallPattern | NamePattern) -> frozenset[str]:
    if isinstance(pattern, NamePattern):
        return frozenset()
    extra = {pattern.rest, pattern.keyword_rest} - {None}
    return frozenset(pattern.holes.values()) | {str(name) for name in extra}


def build_ruleset(
    directory: Path,
    extra: Iterable[Path] = (),
    transforms: list[Transform] | None = None,
    load_errors: list[LoadError] | None = None,
) -> RuleSet:
    """The rule set of a directory of packs with its ``api/`` snapshots.

    Raises PackError for a pack that cannot be used.
    """
    packs = load_packs(directory, extra)
    old, new = (load_api(directory / "api" / f"{name}.json") for name in ("tf1.15", "tf2.21"))
    return RuleSet(packs, old, new, list(transforms or ()), list(load_errors or ()))


@cache
def _shipped(extra: tuple[Path, ...], contents: tuple[bytes, ...]) -> RuleSet:
    """`contents` are those of `extra`: a pack that was edited is another one."""
    transforms, errors = load_transforms()
    return build_ruleset(resources.rules_dir(), extra, transforms, errors)


def load_ruleset(options: Options) -> RuleSet:
    """The shipped rules and transforms, with the user's packs of `options` and installed ones.

    Raises PackError for a pack that cannot be used.
    """
    extra = (*options.rules, *installed.paths())
    return _shipped(extra, tuple(path.read_bytes() for path in extra if path.is_file()))
