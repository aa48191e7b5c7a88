"""All rules, tables and API snapshots, compiled for lookup by canonical name."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from migrator import resources
from migrator.analysis.api import Api, load_api, parse_signature
from migrator.engine import installed, standalone_keras
from migrator.engine.fits import Fits
from migrator.engine.keywords import Fit
from migrator.engine.lookup import Disposition, Dispositions
from migrator.engine.options import Options
from migrator.engine.packs import Entry, PackError, Packs, Rule, data_of, load_packs
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


@dataclass
class CompiledRule:
    """One pattern of one rule."""

    rule: Rule
    pattern: CallPattern | NamePattern
    template: Template | None


def _canonical(dotted: str) -> str:
    return canonical_of(dotted.split("."))


def _target(dotted: str, support: bool) -> str:
    if support:
        return dotted if dotted.startswith(SUPPORT + ".") else f"{SUPPORT}.{dotted}"
    parts = dotted.split(".")
    if len(parts) == 1:
        return f"builtins.{dotted}" if dotted in _PYTHON_BUILTINS else ROOTS.get(dotted, dotted)
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
    doubtful: frozenset[str] = frozenset()  # modules of which TF 2 may have another version
    gone: frozenset[str] = frozenset()  # modules that only Python 2 had
    _tops: frozenset[str] = frozenset()
    _words: re.Pattern[str] = re.compile("tensorflow")

    @cached_property
    def triggers(self) -> Triggers:
        """What tells which transforms a file is due for."""
        return Triggers(self.transforms)

    def __post_init__(self) -> None:
        self._fits = Fits(self.packs.keywords, self.tf1, self.tf2)
        self._dispositions = Dispositions(self.tables, self.tf1, self.tf2, self._fits.of)
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
        self.gone = frozenset(
            name.split(".")[0] for name, found in self.tables.items()
            if found.entry is not None and found.entry.code.startswith("PY21")
        ) - sys.stdlib_module_names
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
        return self._dispositions.of(name)

    def fit(self, key: str, target: str, defaults: bool = True) -> Fit:
        """How calls of the TF 1 function `key` become calls of TF 2's `target`; see `Fits.of`."""
        return self._fits.of(key, target, defaults)

    def documented(self, key: str) -> str:
        """The name under which the snapshot lists the object that is called `key`."""
        return self._fits.documented(key)

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
    return _shipped(extra, tuple(map(data_of, extra)))
