"""What the imports and module aliases of a file become, once its references are decided."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from migrator.analysis.names import Binding, NameTable
from migrator.engine.lookup import VERSION_2
from migrator.engine.ruleset import SUPPORT, RuleSet

if TYPE_CHECKING:
    from migrator.engine.work import Site

# How many leading parts of a dotted path name a module that is imported as `from a import b`.
_DEPTH = {
    "tf1_support": 2,
    "absl": 2,
    "PIL": 2,
    "scipy": 2,
    "concurrent": 2,
    "importlib": 2,
    "urllib": 2,
    "google": 3,
    "tensorboard": 3,
    "xml": 3,
}
KERAS_SOURCES = "tensorflow.python.keras"
_MESSAGES = "tensorflow.core."
_ALIASES = {"tensorflow": "tf", "numpy": "np"}


def split_import(path: str) -> tuple[str, str | None, str | None, str]:
    """(module, name, usual alias, rest) by which code reaches the dotted `path`.

    >>> split_import("tf1_support.slim.conv2d")
    ('tf1_support', 'slim', None, 'conv2d')
    >>> split_import("tensorflow.nn.relu")
    ('tensorflow', None, 'tf', 'nn.relu')
    """
    parts = path.split(".")
    depth = _DEPTH.get(parts[0], 1)
    if hidden(path):
        member = len(parts) if path.startswith(_MESSAGES) else len(parts) - 1
        depth = next((i for i, part in enumerate(parts, 1) if part.endswith("_pb2")), member)
    if depth == 1 or len(parts) < 2:
        return parts[0], None, _ALIASES.get(parts[0]), ".".join(parts[1:])
    depth = min(depth, len(parts))
    return ".".join(parts[: depth - 1]), parts[depth - 1], None, ".".join(parts[depth:])


def hidden(path: str) -> bool:
    """Whether a name lies in a part of TensorFlow that its package does not export as an
    attribute, so that it must be imported by its own path (``tensorflow.core.*`` messages, what
    ``tensorflow.python`` has no public name for)."""
    return path.startswith((_MESSAGES, "tensorflow.python."))


class BindingPlan:
    """New targets of bindings: what each imported name or alias will stand for."""

    def __init__(
        self,
        names: NameTable,
        rules: RuleSet,
        sites: Iterable[Site],
        frozen: frozenset[int],
        left: frozenset[str] = frozenset(),
    ) -> None:
        self.names = names
        self.left = left  # top-level modules whose imports stay
        self.rules = rules
        self.frozen = frozen  # lines on which nothing may change
        self.sites: dict[int, list[Site]] = {}
        for site in sites:
            if site.resolved.binding is not None:
                self.sites.setdefault(id(site.resolved.binding), []).append(site)
        self._targets: dict[int, str | None] = {}
        self.by_target: dict[str, list[Binding]] = {}
        self.converted: list[Binding] = []
        for binding in names.bindings():
            if binding.kind == "import":
                target = self.target(binding)
                if target is not None:
                    self.by_target.setdefault(target, []).append(binding)
            elif binding.kind == "alias" and self._converts(binding):
                self.converted.append(binding)
                self.by_target.setdefault(str(self.target(binding)), []).append(binding)

    def old(self, binding: Binding) -> tuple[str, bool] | None:
        """(canonical name, written through compat.v1) of what a binding stands for today."""
        if binding.kind in ("import", "star"):
            return self.names.canonical(binding.target)
        root = self.names.root(binding.name, binding.scope)
        if root is None or root.binding is not binding:
            return None
        return root.name, root.compat

    def target(self, binding: Binding) -> str | None:
        """The canonical name that the binding will stand for; None when it must go."""
        key = id(binding)
        if key not in self._targets:
            self._targets[key] = self._decide(binding)
        return self._targets[key]

    def of_star(self, name: str) -> str | None:
        """What a canonical name that a star import brings becomes."""
        found = self.rules.disposition(name)
        if name == "tensorflow" or found.kind == "none":
            return name
        if found.kind in ("rename", "support"):
            return found.target + found.rest
        sites = (site for group in self.sites.values() for site in group if site.resolved.star)
        return self._infer(name, sites) if found.kind in ("module", "unknown") else None

    def _decide(self, binding: Binding) -> str | None:
        old = self.old(binding)
        if old is None:
            return None
        name, _ = old
        if getattr(binding.node, "lineno", 0) in self.frozen:
            return None if binding.target != name else name
        top = name.split(".")[0]
        if name == "tensorflow" or top == "builtins" or not self.rules.concerns(top):
            return name
        if top in self.left:
            return name
        found = self.rules.disposition(name)
        if found.kind == "none":
            return name
        if name == VERSION_2:
            sites = self.sites.get(id(binding), ())
            told_apart = any(
                site.disposition.kind == "same" and site.resolved.name.startswith(VERSION_2)
                for site in sites
            )
            return name if told_apart else "tensorflow"
        if name.startswith(KERAS_SOURCES) and self._stays(binding):
            return name
        if found.kind in ("rename", "support"):
            return found.target + found.rest
        if found.kind in ("same", "module") and found.exists:
            return self._twin(name, self.sites.get(id(binding), ())) or name
        if found.kind in ("module", "unknown"):
            return self._infer(name, self.sites.get(id(binding), ()))
        if found.kind in ("compat", "manual"):
            compat = self.rules.compat_target(found.key)
            if compat is not None:
                return compat + found.rest
            if found.kind == "manual":
                return self._infer(name, self.sites.get(id(binding), ()))
            return None
        if found.kind == "rule" and found.exists and name == found.key:
            return name
        return None

    def _stays(self, binding: Binding) -> bool:
        """Whether a site needs what only TensorFlow's own sources have."""
        return any(
            site.disposition.kind in ("same", "module")
            and site.disposition.exists
            and site.resolved.name.startswith(KERAS_SOURCES)
            for site in self.sites.get(id(binding), ())
        )

    def _twin(self, name: str, sites: Iterable[Site]) -> str | None:
        """TensorFlow's copy of a module of Keras (``keras.backend``), where that has what is read of it and
        the module itself has not."""
        twin = f"tensorflow.{name}"
        if not name.startswith("keras.") or self.rules.tf2.kind(twin) != "module":
            return None
        moved = False
        for site in sites:
            found, written = site.disposition, "".join(f".{a}" for a in site.reference.attrs)
            if found.kind == "rename" and found.target + found.rest == twin + written:
                moved = True
            elif site.resolved.name == name + written and found.kind in ("same", "module") and (
                    f"{twin}{written}" not in self.rules.tf2):
                return None
        return twin if moved else None

    def _infer(self, name: str, sites: Iterable[Site]) -> str | None:
        """The module whose members most of the sites become, if their names stay the same."""
        sites = list(sites)
        votes: Counter[str] = Counter()
        for site in sites:
            found = site.disposition
            if found.kind in ("rename", "support"):  # as written: the path may lead elsewhere
                new, suffix = found.target + found.rest, "".join(f".{a}" for a in site.reference.attrs)
                if suffix and new.endswith(suffix):
                    votes[new[: -len(suffix)]] += 1
        successors: Counter[str] = Counter()
        if not votes and any(site.resolved.name == name for site in sites):  # the module as a value
            successors = self._successors(name)
        if not votes and not successors and not any(sites):  # others may import it from here
            prefix = name + "."
            for key, entry in self.rules.tables.items():
                if entry.kind == "support" and key.startswith(prefix):
                    suffix = key[len(name) :]
                    if entry.target.endswith(suffix):
                        votes[entry.target[: -len(suffix)]] += 1
        votes = Counter({  # a package is no way to its modules, which need their own imports
            new: count for new, count in votes.items()
            if not split_import(new)[3] and new != SUPPORT
        })  # fmt: skip
        if len(votes) > 1 and self._imports_tensorflow:
            del votes["tensorflow"]  # it has a name, and the other one none
        votes = votes or successors
        if not votes:
            return None
        return min(votes, key=lambda new: (-votes[new], new))

    @cached_property
    def _imports_tensorflow(self) -> bool:
        """Whether the file has TensorFlow itself under a name of its own."""
        return any(binding.kind == "import" and self.old(binding) == ("tensorflow", False)
                   for binding in self.names.bindings())

    def _successors(self, name: str) -> Counter[str]:
        """TensorFlow 2 modules to which members of the module `name` went under their own names."""
        found: Counter[str] = Counter()
        for key, entry in self.rules.tables.items():
            if entry.kind == "rename" and key.startswith(name + "."):
                new, _, last = entry.target.rpartition(".")
                if last == key[len(name) + 1 :] and self.rules.tf2.kind(new) == "module":
                    found[new] += 1
        return found

    def _converts(self, binding: Binding) -> bool:
        """Whether ``slim = tf.contrib.slim`` can become an import at the top of the file."""
        if (
            binding.scope.kind != "module"
            or not isinstance(binding.node, ast.Assign)
            or len(binding.node.targets) != 1
            or binding.node not in self.names.tree.body
            or len(binding.scope.bindings[binding.name]) != 1
        ):
            return False
        old = self.old(binding)
        if old is None or not self.rules.concerns(old[0].split(".")[0]):
            return False
        target = self.target(binding)
        if target is None or target == old[0] or target.startswith(("tensorflow.", "builtins.")):
            return False
        return not split_import(target)[3]


def statement_of(new: str, local: str, old_statement: ast.stmt) -> str:
    """The import statement that binds `local` to the dotted path `new`."""
    head, _, tail = new.rpartition(".")
    if not head:
        return f"import {new}" if local == new else f"import {new} as {local}"
    style_import = isinstance(old_statement, ast.Import)
    if style_import and head.split(".")[0] not in ("tf1_support", "absl", "tensorflow"):
        return f"import {new} as {local}"
    return f"from {head} import {tail}" + ("" if local == tail else f" as {local}")


def alias_text(alias: ast.alias) -> str:
    """``name`` or ``name as other``."""
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def rebuilt(node: ast.Import | ast.ImportFrom, kept: list[ast.alias], indent: str) -> str:
    """The statement with only some of its names, wrapped at 80 columns."""
    names = ", ".join(alias_text(a) for a in kept)
    if isinstance(node, ast.Import):
        return f"import {names}"
    head = f"from {'.' * node.level}{node.module or ''} import "
    if len(indent) + len(head) + len(names) <= 80:
        return head + names
    inner = f",\n{indent}    ".join(alias_text(a) for a in kept)
    return f"{head}(\n{indent}    {inner},\n{indent})"


def statements(names: NameTable) -> Mapping[int, list[Binding]]:
    """id(import statement) -> its bindings, in the order of its names."""
    groups: dict[int, list[Binding]] = {}
    for binding in names.bindings():
        if binding.kind == "import":
            groups.setdefault(id(binding.node), []).append(binding)
    for group in groups.values():
        group.sort(key=lambda item: item.alias_index)
    return groups
