"""The fused walk: every reference of a file meets its rule once, and all edits land in one pass.

Positions come from `ast`; nothing outside an edit is touched or re-printed. Edits inside the
arguments of other edits are put together by `engine.edits`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from migrator.analysis.names import NameTable, canonical
from migrator.engine import standalone_keras
from migrator.engine.edits import Lines, apply
from migrator.engine.lookup import Disposition
from migrator.engine.options import Options
from migrator.engine.packs import Entry
from migrator.engine.ruleset import RuleSet
from migrator.engine.sites import decide
from migrator.engine.suppress import Suppressions
from migrator.engine.work import FileWork, Site
from migrator.model import Change, Finding


@dataclass(frozen=True)
class Outcome:
    """What the rules made of one text."""

    text: str
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...]


def rewrite(
    path: str,
    text: str,
    names: NameTable,
    rules: RuleSet,
    options: Options,
    suppressions: Suppressions,
    taken: frozenset[str] = frozenset(),
    held: frozenset[str] = frozenset(),
    plain: Mapping[str, str] = MappingProxyType({}),
    own: frozenset[str] = frozenset(),
    of_keras_2: bool = True,
) -> Outcome:
    """Apply all rules to one file, `names` being the table of `text`.

    `taken` are the imported names that other modules get from this one: they stay bound. `held` are
    symbols of the support package in whose place tf.compat.v1 stays, `plain` those in whose place a name of
    TensorFlow 2 does. `own` are modules that the project has itself, by the name of one of Python 2.
    of_keras_2: `import keras` is the Keras of TensorFlow 1's time.
    """
    sites, others = collect(names, rules)
    if not of_keras_2:
        sites = [_of_keras_3(site) for site in sites]
    if not sites and not _has_imports_of_interest(names, rules):
        return Outcome(text, (), ())
    work = FileWork(path, text, Lines(text), names, rules, options, suppressions)
    work.used |= others
    work.of_keras_2 = of_keras_2
    for name in taken:
        work.used.update(id(binding) for binding in names.module_scope.bindings.get(name, ()))
    if not _of_version_1(sites, rules):
        work.left = rules.doubtful
    work.left |= own
    sites = [site for site in sites if site.resolved.name.split(".")[0] not in work.left]
    sites = [_plainly(site, plain) for site in sites] if plain else sites
    decide(work, [_without(site, held, rules) for site in sites] if held else sites)
    if not work.edits:
        return Outcome(text, (), tuple(work.findings))
    new_text, applied = apply(text, work.edits)
    changes = tuple(edit.change for edit in applied if edit.change is not None)
    kept = tuple(work.findings) + tuple(f for edit in applied for f in edit.findings)
    if new_text == text:
        return Outcome(text, (), kept)
    return Outcome(new_text, changes, kept)


def _without(site: Site, held: frozenset[str], rules: RuleSet) -> Site:
    """`site`, with tf.compat.v1 for a symbol of the support package that is held back."""
    found = site.disposition
    if found.target not in held or rules.compat_target(found.key) is None:
        return site
    return replace(site, disposition=Disposition("compat", found.key, found.rest, exists=found.exists))


def _of_keras_3(site: Site) -> Site:
    """`site`, as it is where Keras 3 has the name."""
    name = site.resolved.name
    if not name.startswith(f"{standalone_keras.ROOT}.") or not standalone_keras.left_alone(name):
        return site
    return replace(site, disposition=Disposition("same", name, "", name, exists=True))


def _plainly(site: Site, plain: Mapping[str, str]) -> Site:
    """`site`, with TensorFlow 2's name for a symbol of the support package that has one here."""
    found = site.disposition
    if found.target not in plain:
        return site
    return replace(site, disposition=Disposition(
        "rename", found.key, found.rest, plain[found.target], exists=found.exists))


def _of_version_1(sites: list[Site], rules: RuleSet) -> bool:
    """Whether a file has names that TF 1 alone has; if not, a module that exists for both
    versions is taken for TF 2's."""
    for site in sites:
        found = site.disposition
        if site.resolved.name.split(".")[0] in rules.doubtful:
            if found.kind == "support" and not (found.entry and found.entry.extra.get("beside_tf1")):
                return True
        elif site.resolved.name.startswith("tensorflow") and (
            site.resolved.compat or found.kind not in ("same", "module", "none", "unknown")
        ):
            return True
    return False


def collect(names: NameTable, rules: RuleSet) -> tuple[list[Site], set[int]]:
    """(the references that any rule, table or snapshot is about, in source order; the ids of
    bindings that other references need as they are)."""
    sites: list[Site] = []
    others: set[int] = set()
    interest: dict[tuple[int, str], object] = {}
    missing = object()
    for reference in names.references:
        key = (reference.scope.index, reference.root)
        root = interest.get(key, missing)
        if root is missing:
            root = names.root(reference.root, reference.scope)
            if root is not None:
                root = "own" if _interesting(root.name, rules) else "other"
            interest[key] = root
        if root is None or root == "other" and not (reference.attrs and names.follows):
            continue
        resolved = names.reference_target(reference)
        if resolved is None or root == "other" and not _interesting(resolved.name, rules):
            continue  # ``ops.tf.nn.relu``, where `ops` is a module of the project, is interesting
        disposition = _OF_VALUES.get(resolved.name) or rules.disposition(resolved.name)
        if resolved.star and disposition.kind == "unknown":
            continue  # any free name could come from a star import
        if disposition.kind == "none" and not resolved.name.startswith("builtins."):
            if resolved.binding is not None:
                others.add(id(resolved.binding))
            if resolved.name not in _DYNAMIC:
                continue
        sites.append(Site(reference, resolved, disposition))
    return sites, others


#: Modules as values: Keras' is asked for functions of Keras 2, which TensorFlow's copy of it kept.
_OF_VALUES = {
    name: Disposition("rename", name, "", f"tensorflow.{name}",
                      Entry(name, f"tensorflow.{name}", standalone_keras.CODE))
    for name in ("keras.backend",)
}
_DYNAMIC = frozenset(
    {
        "builtins.getattr",
        "builtins.eval",
        "builtins.exec",
        "builtins.__import__",
        "importlib.import_module",
    }
)


def _interesting(name: str, rules: RuleSet) -> bool:
    top = name.partition(".")[0]
    if top == "builtins":
        return name in rules.tables or name in _DYNAMIC
    return rules.concerns(top) or name == "importlib" or name.startswith("importlib.")


def _has_imports_of_interest(names: NameTable, rules: RuleSet) -> bool:
    for binding in names.bindings():
        if binding.kind == "import" and rules.concerns(canonical(binding.target)[0].split(".")[0]):
            return True
    return any(rules.concerns(canonical(s.target)[0].split(".")[0]) for s in names.module_scope.stars)
