"""Reads what the check must know of one module from its tree: names, uses, classes, attributes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import cached_property

from migrator.analysis.names import NameTable, Reference, Scope
from migrator.analysis.parsed import Parsed
from migrator.analysis.tree_walk import statements
from migrator.check.guards import Guards
from migrator.check.paths import BUILTINS, Paths
from migrator.check.records import Bound, Class, Params, Role, Shape, Unit, Use

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: Decorators after which a function takes what it took before.
_TRANSPARENT = frozenset(
    ("function", "staticmethod", "classmethod", "abstractmethod", "contextmanager", "building",
     "add_arg_scope", "wraps", "override", "autograph", "do_not_convert", "cache", "lru_cache",
     "scoped", "profile", "deprecated", "keras_export", "tf_export", "custom_gradient", "overload",
     "final", "setter")
)  # fmt: skip
_NOT_ASKED: tuple[str, ...] = ("",)
_AFTER = re.compile(r"[)\]][ \t]*\.[ \t]*([^\W\d]\w*)[ \t]*(\(|=(?!=)|)")
#: With these a module may hold names that no text shows.
_OPENERS = frozenset(("globals", "exec", "execfile", "vars", "locals"))


def shape_of(call: ast.Call) -> Shape:
    """The arguments of a call."""
    positional, stars, names = 0, False, []
    for argument in call.args:
        if argument.__class__ is ast.Starred:
            stars = True
        else:
            positional += 1
    for keyword in call.keywords:
        if keyword.arg is None:
            stars = True
        else:
            names.append(keyword.arg)
    return Shape(positional, tuple(names), stars)


def params_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, bound: bool = False) -> Params:
    """What a function takes; a `bound` one has been given its first argument."""
    args = node.args
    names = [argument.arg for argument in (*args.posonlyargs, *args.args)]
    if bound and names:
        del names[0]
    only = tuple(argument.arg for argument in args.kwonlyargs)
    needed = tuple(
        argument.arg
        for argument, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
        if default is None
    )
    return Params(
        tuple(names), min(len(args.defaults), len(names)), only, needed,
        args.vararg is not None, args.kwarg is not None, len(args.posonlyargs),
    )  # fmt: skip


class Reader:
    """One module, read once.

    `wanted` tells of which paths the uses are kept (None: of none); with `calls_only` those that are
    calls, and nothing that only the new text is asked about.
    """

    def __init__(
        self, path: str, parsed: Parsed, module: str = "", is_package: bool = False,
        wanted: Callable[[str], bool] | None = None, calls_only: bool = False,
    ) -> None:  # fmt: skip
        self.path = path
        self.parsed = parsed
        self.module = module
        self.names: NameTable = parsed.names_in(module, is_package)
        self.paths = Paths(self.names, module)
        self.free: dict[str, int] = {}
        self.misfits: list[tuple[int, str]] = []
        self.owners: dict[int, str] = {}
        self._wanted = wanted
        self._calls_only = calls_only
        self._guards = None if calls_only else Guards(parsed.text, lambda: self.statements)
        self._uses: list[Use] = []
        self.assigned: set[str] = set()  # paths outside of the module that it assigns to
        self._stored: set[str] = set()
        self._loaded: dict[str, int] = {}
        self._open = False
        self._selves: dict[int, str] = {}
        self._sets: dict[str, set[str]] = {}
        self._reads: dict[str, dict[str, int]] = {}
        self._calls: dict[str, list[tuple[str, int, Shape]]] = {}
        for scope in self.names.scopes:
            self._of_scope(scope)
        for reference in self.names.references:
            self._reference(reference)
        if not calls_only:
            for line, name, what in self.after_calls:
                if what == "=":
                    self._stored.add(name)
                else:
                    self._loaded.setdefault(name, line)

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """All statements of the module."""
        return statements(self.parsed.tree)

    def called(self, path: str, shape: Shape) -> bool:
        """Whether the module calls `path` with arguments of this shape."""
        last = path.rpartition(".")[2]
        return any(
            reference.call is not None and shape_of(reference.call) == shape
            and f"{known}{''.join(f'.{attr}' for attr in reference.attrs)}" == path
            for reference in self.names.references
            if (reference.attrs[-1] if reference.attrs else last) == last
            for known in self.paths.of(reference.root, reference.scope) or ()
        )

    @cached_property
    def after_calls(self) -> list[tuple[int, str, str]]:
        """(line, name, "(", "=" or "") of attributes of what a call or an index gives, which no
        reference begins with."""
        found = []
        text = self.parsed.text
        line = position = 0
        for match in _AFTER.finditer(text):
            line += text.count("\n", position, match.start(1))
            position = match.start(1)
            found.append((line + 1, match[1], match[2]))
        return found

    def unit(self) -> Unit:
        """What others see of the module; `flaws` are for those who compare."""
        module = self.names.module_scope
        return Unit(
            self.path,
            self.module,
            self._members(module),
            tuple(star.target for star in module.stars),
            self._open or "__getattr__" in module.bindings,
            tuple(self._uses),
            self.free,
            self._classes(),
            frozenset(self._stored),
            self._loaded,
        )

    # -- scopes

    def _of_scope(self, scope: Scope) -> None:
        kind, parent, index = scope.kind, scope.parent, scope.index
        above = self.owners[parent.index] if parent is not None else ""
        if kind in ("function", "class"):
            name = scope.node.name  # type: ignore[attr-defined]
            self.owners[index] = f"{above}.{name}" if above else name
        else:
            self.owners[index] = above
        if parent is not None and kind != "class":
            node = scope.node
            if parent.kind == "class" and isinstance(node, _FUNCTIONS):
                if node.args.args and not _has(node, "staticmethod"):
                    self._selves[index] = node.args.args[0].arg
            elif parent.index in self._selves:
                own = self._selves[parent.index]
                if own not in scope.bindings:
                    self._selves[index] = own
        if self._wanted is None or self._calls_only:
            return
        for bindings in scope.bindings.values():
            for binding in bindings:
                if binding.kind == "import":
                    target, node = binding.target, binding.node
                    if isinstance(node, ast.Import):
                        target = node.names[binding.alias_index].name
                    self._keep(target, node, scope, Role.IMPORTED)
        for star in scope.stars:
            self._keep(star.target, star.node, scope, Role.IMPORTED)

    def _keep(
        self, path: str, node: ast.AST, scope: Scope, role: Role, shape: Shape | None = None
    ) -> None:
        assert self._wanted is not None
        if path[0] == "*" or self._wanted(path):
            line: int = node.lineno  # type: ignore[attr-defined]
            guard = self._guards.at(line) if self._guards is not None else 0
            owner = self.owners[scope.index]
            self._uses.append(Use(path, line, node.col_offset, role, shape, guard, owner))  # type: ignore[attr-defined]

    # -- references

    def _reference(self, reference: Reference) -> None:
        attrs = reference.attrs
        paths = self.paths.known.get((reference.scope.index, reference.root), _NOT_ASKED)
        if paths is _NOT_ASKED:
            paths = self.paths.of(reference.root, reference.scope)
        if paths:
            if reference.role == "store" and attrs:
                self._stored.add(attrs[-1])
                self.assigned.update(".".join((path, *attrs)) for path in paths)
            if self._wanted is not None and (not self._calls_only or reference.call is not None):
                self._use(reference, paths)
        elif paths is not None:
            if reference.role == "load" or attrs:
                self.free.setdefault(reference.root, reference.node.lineno)
                if not self._calls_only and self.names.module_scope.stars:
                    self._use(reference, (f"*.{reference.root}",))
        elif attrs:
            self._attributes(reference)
        elif reference.call is not None:
            if reference.root in _OPENERS:
                self._open = True
            elif reference.root == "setattr":
                self._setattr(reference, reference.call)
            else:
                self._local_call(reference, reference.call)

    def _use(self, reference: Reference, paths: tuple[str, ...]) -> None:
        attrs, role, shape = reference.attrs, Role.READ, None
        if reference.role == "load":
            if reference.call is not None:
                role, shape = Role.CALLED, shape_of(reference.call)
        elif not attrs:
            return
        else:
            attrs = attrs[:-1]  # what is set there need not have been there
        rest = "".join([f".{attr}" for attr in attrs]) if attrs else ""
        for path in paths:
            self._keep(path + rest, reference.node, reference.scope, role, shape)
        if role is Role.READ and reference.parent is not None:
            self._passed(reference, paths[0] + rest)

    def _passed(self, reference: Reference, path: str) -> None:
        """A function that is not called here, but perhaps under another name."""
        parent, scope = reference.parent, reference.scope
        first = isinstance(parent, ast.Call) and parent.args and parent.args[0] is reference.node
        if first and last_name(parent.func) == "partial":  # type: ignore[union-attr]
            shape = shape_of(parent)  # type: ignore[arg-type]
            shape.positional -= 1
            shape.stars = True
            self._keep(path, reference.node, scope, Role.PARTIAL, shape)
        elif isinstance(parent, ast.arguments):
            name = _parameter(parent, reference.node)
            made = next(
                (s for s in self.names.scopes if getattr(s.node, "args", None) is parent), None
            )
            if made is not None and name:
                self._called_as(path, made, name)
        elif isinstance(parent, (ast.IfExp, ast.Dict, ast.List, ast.Tuple, ast.Set)):
            self._keep(path, reference.node, scope, Role.PASSED)
        elif isinstance(parent, (ast.keyword, ast.Call, ast.Return)):
            self._keep(path, reference.node, scope, Role.PASSED)

    def _called_as(self, path: str, made: Scope, name: str) -> None:
        """The calls of a parameter whose default is the function `path`."""
        for other in self.names.references:
            if other.root == name and other.call is not None and not other.attrs:
                found = self.names.find(name, other.scope)
                if found is not None and found[0] is made:
                    self._keep(path, other.node, other.scope, Role.PASSED, shape_of(other.call))

    def _setattr(self, reference: Reference, call: ast.Call) -> None:
        if len(call.args) > 1 and isinstance(call.args[1], ast.Constant):
            self._stored.add(str(call.args[1].value))
            return
        self._stored.add("*")
        holder = self._holder(reference.scope)
        own = self._selves.get(reference.scope.index)
        if holder is not None and call.args and own == ast.unparse(call.args[0]):
            self._sets.setdefault(self.owners[holder.index], set()).add("*")  # any of its objects'

    @staticmethod
    def _holder(scope: Scope | None) -> Scope | None:
        """The class around a scope."""
        while scope is not None and scope.kind != "class":
            scope = scope.parent
        return scope

    def _attributes(self, reference: Reference) -> None:
        attrs, line, loaded = reference.attrs, reference.node.lineno, self._loaded
        if reference.role == "store":
            self._stored.add(attrs[-1])
            for attr in attrs[:-1]:
                loaded.setdefault(attr, line)
        else:
            for attr in attrs:
                if attr not in loaded:
                    loaded[attr] = line
        own = self._selves.get(reference.scope.index)
        if own != reference.root:
            return
        holder = self._holder(reference.scope)
        if holder is None:
            return
        owner = self.owners[holder.index]
        if reference.role == "store" and len(attrs) == 1:
            self._sets.setdefault(owner, set()).add(attrs[0])
            return
        self._reads.setdefault(owner, {}).setdefault(attrs[0], line)
        if reference.call is not None and len(attrs) == 1:
            call = (attrs[0], line, shape_of(reference.call))
            self._calls.setdefault(owner, []).append(call)

    def _local_call(self, reference: Reference, call: ast.Call) -> None:
        """A call of a function inside of a function: only this file sees both."""
        found = self.names.find(reference.root, reference.scope)
        if found is None or len(found[1]) != 1 or found[0].kind != "function":
            return
        node = found[1][0].node
        if isinstance(node, _FUNCTIONS):
            params = params_if_known(node, None)
            if params is not None and (why := params.refuses(shape_of(call))):
                self.misfits.append((reference.node.lineno, f"{node.name}() {why}"))

    # -- what it binds

    def _members(self, scope: Scope) -> dict[str, Bound]:
        found: dict[str, Bound] = {}
        for name, bindings in scope.bindings.items():
            binding = bindings[-1]
            node = binding.node
            line = getattr(node, "lineno", 1)
            once = len(bindings) == 1
            if binding.kind == "import":
                same = once or len({b.target for b in bindings}) == 1
                found[name] = Bound("import", line, binding.target) if same else Bound("value", line)
            elif isinstance(node, _FUNCTIONS):
                params = params_if_known(node, scope) if once else None
                found[name] = Bound("function", line, params=params)
            elif isinstance(node, ast.ClassDef):
                found[name] = Bound("class" if once else "value", line)
            else:
                found[name] = Bound("value", line)
                if binding.kind == "alias" and once:
                    paths = self.paths.of(name, scope)
                    if paths and len(paths) == 1:
                        found[name] = Bound("import", line, paths[0])
        return found

    def _classes(self) -> dict[str, Class]:
        found: dict[str, Class] = {}
        for scope in self.names.scopes:
            if scope.kind != "class":
                continue
            node = scope.node
            assert isinstance(node, ast.ClassDef)
            owner = self.owners[scope.index]
            bases = []
            for base in node.bases:
                paths = self.paths.of_expression(base, scope.parent or scope)
                bases.append(paths[0] if paths and len(paths) == 1 else _builtin(base))
            members = self._members(scope)
            if node.keywords:
                bases.append("")  # a metaclass
            if node.decorator_list and not all(
                last_name(item) in _TRANSPARENT for item in node.decorator_list
            ):
                members.pop("__init__", None)
                bases.append("")
            found[owner] = Class(
                node.lineno, tuple(bases), members, frozenset(self._sets.get(owner, ())),
                self._reads.get(owner, {}), tuple(self._calls.get(owner, ())),
            )  # fmt: skip
        return found


def _builtin(node: ast.expr) -> str:
    name = node.id if isinstance(node, ast.Name) else ""
    return f"builtins.{name}" if name in BUILTINS else ""


def last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _has(node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    return any(last_name(item) == name for item in node.decorator_list)


def _parameter(args: ast.arguments, default: ast.AST) -> str:
    """The parameter that a default value belongs to."""
    names = [*args.posonlyargs, *args.args]
    for argument, value in zip(names[len(names) - len(args.defaults) :], args.defaults, strict=True):
        if value is default:
            return argument.arg
    for argument, other in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        if other is default:
            return argument.arg
    return ""


def params_if_known(
    node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope | None
) -> Params | None:
    """What a function takes, None if a decorator may have changed that."""
    names = [last_name(item) for item in node.decorator_list]
    if any(name not in _TRANSPARENT for name in names):
        return None
    method = scope is not None and scope.kind == "class" and "staticmethod" not in names
    params = params_of(node, bound=method)
    if "add_arg_scope" in names:  # what an arg_scope gives need not stand at the call
        params.optional, params.needed = len(params.names), ()
    return params


__all__ = ["Reader", "params_if_known", "last_name", "params_of", "shape_of"]
