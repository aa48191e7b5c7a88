"""What the names of one Python file stand for: a scope-aware import and alias table over `ast`.

A *canonical name* is the dotted path under which TensorFlow 1 documents a symbol, rooted at
`tensorflow` (`tf.nn.relu` -> ``tensorflow.nn.relu``), or the plain dotted path of any other module
(``numpy.float``).  Ways of writing that are seen through:

* every import form, aliases, conditional and ``try`` imports (both branches), star imports, also of
  what other modules of the project import (`NameTable.follow`);
* assignments of a dotted name (``slim = tf.contrib.slim``);
* ``tensorflow.compat.v1`` and ``tf_slim``, which canonicalise to the TF1 name
  (`Resolved.compat` keeps that it was written so); ``tensorflow.compat.v2`` stays as it is: its names
  mean what they mean in TF 2;
* private paths (``tensorflow.python.client.session.Session``), which canonicalise to the public name
  of the same object where it has one (`analysis.private_paths`);
* a module bound again to what it was for TF 1 (``tf = tf.compat.v1``);
* call results: ``tf.Graph().as_default`` -> ``tensorflow.Graph().as_default``, also through a
  local (``sess = tf.Session()``; ``with tf.Session() as sess``) when `values` is asked for.

A parameter or local that rebinds `tf` hides the import, as in Python.  Names bound nowhere in the
file resolve to ``builtins.NAME``, or through a star import.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from migrator.analysis import keras2
from migrator.analysis._binder import Binder
from migrator.analysis.private_paths import ROOTS, out_of_backend, public_path
from migrator.analysis.scopes import Binding, Reference, Scope
from migrator.analysis.tree_walk import children

__all__ = ["Binding", "NameTable", "Reference", "Resolved", "Scope", "canonical", "dotted_parts"]

_BUILTINS = frozenset(dir(builtins))


class Resolved(NamedTuple):
    """A canonical name, how it was written, and the binding that its root came through."""

    name: str
    compat: bool = False
    binding: Binding | None = None
    star: bool = False


@dataclass(frozen=True, slots=True)
class _Root:
    """What one name of one scope stands for."""

    name: str
    compat: bool
    binding: Binding | None
    star: bool = False


def canonical(path: str) -> tuple[str, bool]:
    """(canonical name, written through compat.v1 or a stand-alone copy?) of an absolute path.

    >>> canonical("tensorflow.compat.v1.nn.relu")
    ('tensorflow.nn.relu', True)
    >>> canonical("tf_slim.conv2d")
    ('tensorflow.contrib.slim.conv2d', True)
    >>> canonical("tensorflow.compat.v2.compat.v1.nn.relu")
    ('tensorflow.nn.relu', True)
    >>> canonical("tensorflow.python.ops.nn_ops.relu")
    ('tensorflow.nn.relu', False)
    >>> canonical("keras.backend.tf.nn.relu")
    ('tensorflow.nn.relu', False)
    """
    compat = False
    if ".backend." in path:
        path = out_of_backend(path)
    if path.startswith("tensorflow_core."):
        path = "tensorflow." + path[len("tensorflow_core.") :]
    if path == "tf_slim" or path.startswith("tf_slim."):
        return public_path("tensorflow.contrib.slim" + path[len("tf_slim") :]), True
    if path.startswith("tensorflow.compat.v2.compat."):
        path = "tensorflow" + path[len("tensorflow.compat.v2") :]
    while path.startswith("tensorflow.compat.v1"):
        rest = path[len("tensorflow.compat.v1") :]
        if rest and rest[0] != ".":
            break
        path, compat = "tensorflow" + rest, True
    if path.startswith(ROOTS):
        path = public_path(path)
    return path, compat


def dotted_parts(node: ast.AST) -> list[str] | None:
    """``["tf", "nn", "relu"]`` for the expression ``tf.nn.relu``, None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    parts.reverse()
    return parts


def _rebound(binding: Binding) -> str | None:
    """``.compat.v1`` of ``tf = tf.compat.v1``, where a name is bound to a part of itself."""
    parts = dotted_parts(binding.value) if binding.kind == "alias" and binding.value is not None else None
    return "." + ".".join(parts[1:]) if parts and parts[0] == binding.name else None


class NameTable:
    """Scopes, bindings and references of one file, with resolution to canonical names."""

    def __init__(
        self, tree: ast.Module, scopes: list[Scope], references: list[Reference], relative: bool
    ) -> None:
        self.tree = tree
        self.scopes = scopes
        self.references = references
        self._roots: dict[tuple[int, str, bool], _Root | None] = {}
        self._scope_of: dict[int, Scope] | None = None
        self._made: dict[int, Scope] | None = None
        self.relative = relative  # whether an import of the file is
        self._elsewhere: Callable[[str], str | None] | None = None

    @classmethod
    def of(cls, tree: ast.Module, module: str = "", is_package: bool = False) -> NameTable:
        """The table of `tree`.

        `module` is the dotted name of the file's own module; with it relative imports become
        absolute (``from . import x`` in ``a.b`` -> ``a.x``), without it they keep their dots.
        """
        binder = Binder(module, is_package)
        binder.run(tree)
        return cls(tree, binder.scopes, binder.references, binder.relative)

    def follow(self, elsewhere: Callable[[str], str | None]) -> None:
        """Let `elsewhere` say what paths stand for that lead through other modules of the project
        (``layers.tf`` -> ``tensorflow``; None where they end there)."""
        self._elsewhere = elsewhere
        self._roots.clear()

    @property
    def follows(self) -> bool:
        """Whether names are followed through other modules of the project."""
        return self._elsewhere is not None

    def canonical(self, path: str) -> tuple[str, bool]:
        """`canonical` of an absolute path that may lead through other modules of the project."""
        led = self._elsewhere(path) if self._elsewhere is not None else None
        return canonical(led or path)

    @property
    def module_scope(self) -> Scope:
        return self.scopes[0]

    def bindings(self) -> Iterator[Binding]:
        """Every binding of the file, scope by scope in source order."""
        for scope in self.scopes:
            for group in scope.bindings.values():
                yield from group

    def referenced(self) -> Iterator[str]:
        """Canonical names that the file refers to or imports (calls inside chains not followed)."""
        seen: set[str] = set()
        met: set[tuple[int, str, tuple[str, ...]]] = set()
        for reference in self.references:
            written = (reference.scope.index, reference.root, reference.attrs)
            if written in met:
                continue
            met.add(written)
            root = self.root(reference.root, reference.scope)
            if root is None or root.name.startswith("builtins."):
                continue
            name = ".".join((root.name, *reference.attrs))
            if name not in seen:
                seen.add(name)
                yield self.canonical(name)[0]
        for binding in self.bindings():
            if binding.kind == "import" and binding.target not in seen:
                seen.add(binding.target)
                yield self.canonical(binding.target)[0]
        for star in self.module_scope.stars:
            yield self.canonical(star.target)[0]

    def find(self, name: str, scope: Scope | None = None) -> tuple[Scope, list[Binding]] | None:
        """The scope that binds `name` as seen from `scope`, with its bindings there."""
        start = scope or self.scopes[0]
        current: Scope | None = start
        skip_functions_locals = False
        while current is not None:
            if current.kind == "class" and current is not start:
                current = current.parent
                continue
            if name in current.globals:
                found = self.scopes[0].bindings.get(name)
                return (self.scopes[0], found) if found else None
            if name in current.nonlocals:
                skip_functions_locals = True
            elif not (skip_functions_locals and current.kind == "module"):
                found = current.bindings.get(name)
                if found:
                    return current, found
            current = current.parent
        return None

    @property
    def used_names(self) -> frozenset[str]:
        """Every identifier that the file binds or reads in any scope."""
        names = {ref.root for ref in self.references}
        for scope in self.scopes:
            names.update(scope.bindings)
        return frozenset(names)

    def root(self, name: str, scope: Scope | None = None, values: bool = False) -> _Root | None:
        """What the bare `name` stands for in `scope`, None if unknown or ambiguous."""
        start = scope or self.scopes[0]
        key = (start.index, name, values)
        try:
            return self._roots[key]
        except KeyError:
            pass
        self._roots[key] = None  # guards against x = x.y
        found = self.find(name, start)
        result = self._unbound(name) if found is None else self._bound(found[1], values)
        self._roots[key] = result
        return result

    def _unbound(self, name: str) -> _Root | None:
        stars = self.scopes[0].stars
        if stars and name not in _BUILTINS:
            for star in reversed(stars):
                led = self._elsewhere(f"{star.target}.{name}") if self._elsewhere else None
                if led is not None:
                    path, compat = canonical(led)
                    return _Root(path, compat, star, True)
            for star in reversed(stars):
                if star.target.partition(".")[0] == keras2.ROOT:
                    if (brought := keras2.brought(star.target, name)) is not None:
                        return _Root(brought, False, star, True)
                elif star.target.split(".")[0] in ("tensorflow", "tf_slim") or len(stars) == 1:
                    path, compat = canonical(f"{star.target}.{name}")
                    return _Root(path, compat, star, True)
        return _Root(f"builtins.{name}", False, None)

    def _bound(self, group: list[Binding], values: bool) -> _Root | None:
        best: _Root | None = None
        for binding in group:
            if binding.kind == "none":
                continue
            if best is not None and (again := _rebound(binding)) is not None:
                if canonical(best.name + again) == (best.name, True):
                    continue  # tf = tf.compat.v1
                return None
            resolved = self._binding_root(binding, values)
            if resolved is None:
                return None
            if best is None:
                best = resolved
            elif best.name != resolved.name:
                if binding.kind != "import" or (best.binding and best.binding.kind != "import"):
                    return None  # two different values: which one depends on the run
                if resolved.name.startswith("tensorflow") and not best.name.startswith(
                    "tensorflow"
                ):
                    best = resolved
            elif resolved.compat and not best.compat:
                best = resolved
        return best

    def _binding_root(self, binding: Binding, values: bool) -> _Root | None:
        if binding.kind == "import":
            path, compat = self.canonical(binding.target)
            return _Root(path, compat, binding)
        if binding.kind == "alias" or (values and binding.kind == "value"):
            assert binding.value is not None
            inner = self._expression(binding.value, binding.scope, values)
            if inner is not None and not inner.name.startswith("builtins."):
                return _Root(inner.name, inner.compat, binding)
        return None

    def _expression(self, node: ast.expr, scope: Scope, values: bool) -> Resolved | None:
        suffix: list[str] = []
        while True:
            if isinstance(node, ast.Attribute):
                suffix.append("." + node.attr)
                node = node.value
            elif isinstance(node, ast.Call):
                suffix.append("()")
                node = node.func
            else:
                break
        if not isinstance(node, ast.Name):
            return None
        root = self.root(node.id, scope, values)
        if root is None:
            return None
        path = root.name + "".join(reversed(suffix))
        name, compat = self.canonical(path)
        return Resolved(name, compat or root.compat, root.binding, root.star)

    def lookup(
        self, dotted: str, scope: Scope | None = None, values: bool = False
    ) -> Resolved | None:
        """`resolve` with what it came through."""
        head, _, rest = dotted.partition(".")
        root = self.root(head, scope, values)
        if root is None:
            return None
        name, compat = self.canonical(root.name + "." + rest if rest else root.name)
        return Resolved(name, compat or root.compat, root.binding, root.star)

    def resolve(self, dotted: str, scope: Scope | None = None) -> str | None:
        """The canonical name of the dotted text `dotted` as read in `scope` (module by default).

        None when the root is a parameter, a local, or bound to different things.
        """
        found = self.lookup(dotted, scope)
        return found.name if found else None

    def resolve_node(
        self, node: ast.expr, scope: Scope | None = None, values: bool = True
    ) -> str | None:
        """The canonical name of an expression; calls show as ``()``, locals are followed.

        `scope` is found from the node when it is a node of this tree.
        """
        found = self._expression(node, scope or self.scope_of(node), values)
        return found.name if found else None

    def reference_target(self, reference: Reference) -> Resolved | None:
        """The canonical name of one reference (imports and aliases only)."""
        root = self.root(reference.root, reference.scope)
        if root is None:
            return None
        attrs = reference.attrs
        if not attrs:
            return Resolved(root.name, root.compat, root.binding, root.star)
        name, compat = self.canonical(f"{root.name}.{'.'.join(attrs)}")
        return Resolved(name, compat or root.compat, root.binding, root.star)

    def made_by(self, node: ast.AST) -> Scope | None:
        """The scope that a function, class, lambda or comprehension of this tree makes."""
        if self._made is None:
            self._made = {id(scope.node): scope for scope in self.scopes}
        return self._made.get(id(node))

    def scope_of(self, node: ast.AST) -> Scope:
        """The scope that evaluates `node`; the module's for nodes that are not of this tree."""
        if self._scope_of is None:
            self._scope_of = {}
            for reference in self.references:
                self._scope_of[id(reference.name_node)] = reference.scope
            for scope in self.scopes:
                self._scope_of.setdefault(id(scope.node), scope.parent or scope)
        known = self._scope_of
        found = known.get(id(node))
        if found is not None:
            return found
        queue = children(node)
        for child in queue:  # grows on the way
            found = known.get(id(child))
            if found is not None:
                return found
            queue += children(child)
        return self.scopes[0]
