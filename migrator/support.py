"""Renders the support package: the definitions that a migrated repository uses, and what they need.

The source is the package `templates/support`. A symbol is `module.name` (`slim.conv2d`), or deeper
through a module that another one imports (`slim.losses.log_loss`). Nothing is executed and
TensorFlow is not imported: modules are read as text and cut at their top-level statements.
"""

from __future__ import annotations

import ast
import symtable
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from migrator.project.marker import GENERATED_MARKER
from migrator.resources import templates_dir

MARKER = f"{GENERATED_MARKER} - TF1 semantics for this repository; made again by every migration."
_WIDTH = 100


_ANY_NAME = "__getattr__"  # of a module that has whatever name is asked for


class UnknownSymbol(KeyError):
    """A symbol that the support package does not define."""

    def __str__(self) -> str:
        return f"the support package has no symbol {self.args[0]!r}"


@dataclass(frozen=True, slots=True)
class _Import:
    """One imported name. `module` is a sibling ("store"), or None for code outside the package.

    `name` is what is taken from the sibling; None: the sibling itself.
    """

    module: str | None
    name: str | None


@dataclass(slots=True)
class _Statement:
    """A top-level statement: its text with the comment above it, what it binds and needs."""

    node: ast.stmt
    first: int  # 1-based, first line of the comment or decorator
    last: int
    binds: tuple[str, ...]
    module: _Module
    _uses: set[str] | None = None

    @property
    def uses(self) -> set[str]:
        """The global names that the statement refers to, found when first asked for."""
        if self._uses is None:
            self._uses = _module_level_names(self.node, self.module.scopes)
        return self._uses

    def attributes(self, alias: str) -> list[str]:
        """What is read of the sibling module imported as `alias`, sorted."""
        return sorted(
            node.attr
            for node in ast.walk(self.node)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == alias
        )


class _Module:
    """A parsed module of the support package."""

    def __init__(self, name: str, path: Path, siblings: frozenset[str]) -> None:
        self.name = name
        self.path = path
        text = path.read_text(encoding="utf-8")
        self.lines = text.splitlines()
        tree = ast.parse(text, filename=str(path))
        self.docstring = ast.get_docstring(tree, clean=False)
        self.imports: dict[str, _Import] = {}
        self.import_nodes: list[ast.Import | ast.ImportFrom] = []
        self.statements: list[_Statement] = []
        body = tree.body[1:] if self.docstring is not None else tree.body
        end = tree.body[0].end_lineno or 0 if self.docstring is not None else 0
        for node in body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self._read_import(node, siblings)
            elif _bound(node) != ("__all__",):
                self._read_statement(node, end)
            end = node.end_lineno or node.lineno
        self.by_name: dict[str, list[_Statement]] = {}
        for statement in self.statements:
            for bound in statement.binds:
                self.by_name.setdefault(bound, []).append(statement)

    def _read_import(self, node: ast.Import | ast.ImportFrom, siblings: frozenset[str]) -> None:
        self.import_nodes.append(node)
        for alias in node.names:
            local = alias.asname or alias.name.partition(".")[0]
            if isinstance(node, ast.Import) or not node.level:
                self.imports[local] = _Import(None, None)
            elif node.module is None:
                self.imports[local] = _Import(alias.name, None)
            else:
                self.imports[local] = _Import(node.module, alias.name)
            module = self.imports[local].module
            if module is not None and module not in siblings:
                raise UnknownSymbol(f"{module} (imported by {self.name})")

    def _read_statement(self, node: ast.stmt, end: int) -> None:
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(d.lineno for d in decorators)])
        while first - 1 > end and self.lines[first - 2].startswith("#"):
            first -= 1
        last = node.end_lineno or node.lineno
        self.statements.append(_Statement(node, first, last, _bound(node), self))

    @cached_property
    def scopes(self) -> dict[tuple[str, int], set[str]]:
        """(name, line) of each top-level scope -> the globals it reads."""
        return _function_scopes("\n".join(self.lines) + "\n", str(self.path))

    def public_names(self) -> list[str]:
        """Definitions and names of sibling modules' definitions, without private ones."""
        names = [*self.by_name, *(n for n, i in self.imports.items() if i.module is not None)]
        return sorted(n for n in names if not n.startswith("_"))


def _is_module(found: _Import | None) -> bool:
    return found is not None and found.module is not None and found.name is None


def _bound(node: ast.stmt) -> tuple[str, ...]:
    """The module-level names that a statement binds."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return (node.name,)
    names = [
        child.id
        for child in _outside_functions(node)
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store)
    ]
    for child in _outside_functions(node):
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            names.append(child.name)
        elif isinstance(child, (ast.Import, ast.ImportFrom)):
            names.extend(a.asname or a.name.partition(".")[0] for a in child.names)
    return tuple(dict.fromkeys(names))


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement that belong to the module's own scope."""
    yield node
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return
    for child in ast.iter_child_nodes(node):
        yield from _outside_functions(child)


def _function_scopes(text: str, path: str) -> dict[tuple[str, int], set[str]]:
    """(name, line) of each top-level function, class, lambda or comprehension -> globals it reads."""
    found: dict[tuple[str, int], set[str]] = {}
    for table in symtable.symtable(text, path, "exec").get_children():
        names: set[str] = set()
        queue = [table]
        while queue:
            inner = queue.pop()
            names.update(s.get_name() for s in inner.get_symbols() if s.is_global())
            queue.extend(inner.get_children())
        found.setdefault((table.get_name(), table.get_lineno()), set()).update(names)
    return found


def _module_level_names(statement: ast.stmt, scopes: dict[tuple[str, int], set[str]]) -> set[str]:
    """The global names that a statement refers to, local variables of the same name left out."""
    names: set[str] = set()
    last = statement.end_lineno or statement.lineno
    first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
    for (_, line), used in scopes.items():
        if first <= line <= last:
            names |= used
    for node in ast.walk(statement):
        outside: list[ast.AST | None] = []
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            outside = [node.returns]
        elif isinstance(node, (ast.arg, ast.AnnAssign)):
            outside = [node.annotation]
        for part in outside:  # annotations are not evaluated, so the symbol table lacks them
            names |= {n.id for n in ast.walk(part) if isinstance(n, ast.Name)} if part else set()
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        arguments = statement.args
        evaluated: list[ast.AST] = [*statement.decorator_list, *arguments.defaults]
        evaluated += [d for d in arguments.kw_defaults if d is not None]
    elif isinstance(statement, ast.ClassDef):
        keywords = [k.value for k in statement.keywords]
        evaluated = [*statement.decorator_list, *statement.bases, *keywords]
    else:
        evaluated = [statement]
    for part in evaluated:
        names |= {
            n.id
            for n in _outside_functions(part)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
        }
    return names


class _Modules(Mapping[str, _Module]):
    """The modules of the support package by name, each read when it is first asked for."""

    def __init__(self, directory: Path) -> None:
        self.paths = {p.stem: p for p in sorted(directory.glob("*.py")) if p.stem != "__init__"}
        self._read: dict[str, _Module] = {}

    def __getitem__(self, name: str) -> _Module:
        if name not in self._read:
            self._read[name] = _Module(name, self.paths[name], frozenset(self.paths))
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self.paths

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


class _Package:
    """All modules of the support package."""

    def __init__(self, directory: Path) -> None:
        self.init = (directory / "__init__.py").read_text(encoding="utf-8")
        self.modules = _Modules(directory)

    def has(self, symbol: str) -> bool:
        """Whether `symbol` leads to a definition (or is a module)."""
        module, *path = symbol.split(".")
        while module in self.modules:
            if not path:
                return True
            source = self.modules[module]
            name, *path = path
            target = source.imports.get(name)
            if target is None or target.module is None:
                return name in source.by_name or _ANY_NAME in source.by_name
            module = target.module
            path = ([target.name] if target.name else []) + path
        return False

    def symbols(self) -> frozenset[str]:
        found: set[str] = set()
        for name, module in self.modules.items():
            for public in module.public_names():
                found.add(f"{name}.{public}")
                target = module.imports.get(public)
                if target is not None and target.module is not None and target.name is None:
                    inner = self.modules[target.module].public_names()
                    found.update(f"{name}.{public}.{deeper}" for deeper in inner)
        return frozenset(found)


@cache
def _package() -> _Package:
    return _Package(templates_dir() / "support")


def available() -> frozenset[str]:
    """The public symbols that rules may name (`slim.conv2d`, `slim.losses.log_loss`)."""
    return _package().symbols()


def has(symbol: str) -> bool:
    """Whether `render` takes a symbol: one that is `available`, something deeper, or a module."""
    return _package().has(symbol)


def render(symbols: Iterable[str]) -> dict[str, str]:
    """File name -> text of a support package with `symbols` and all that they need.

    The result depends on nothing but the symbols and the templates. Names may go deeper than a
    definition (`scopes.GraphKeys.LOSSES`); a bare module name stands for all of it. Raises
    UnknownSymbol for a symbol that is not `available`.
    """
    selection = _Selection(_package())
    for symbol in sorted(set(symbols)):
        selection.add_symbol(symbol)
    files = {"__init__.py": f"{MARKER}\n{selection.package.init}"}
    for name in sorted(selection.kept):
        files[f"{name}.py"] = selection.text(name)
    return files


class _Selection:
    """The names of each module that are kept, closed under what they use."""

    def __init__(self, package: _Package) -> None:
        self.package = package
        self.kept: dict[str, set[str]] = {}
        self.exports: dict[str, set[str]] = {}  # imported names that users reach through a module

    def add_symbol(self, symbol: str) -> None:
        module, *rest = symbol.split(".")
        if module not in self.package.modules:
            raise UnknownSymbol(symbol)
        self._reach(module, rest, symbol)

    def _reach(self, module: str, path: list[str], symbol: str) -> None:
        """Keeps what `module.path` stands for, as seen by the user of a module."""
        source = self.package.modules[module]
        if not path:
            for name in source.public_names():
                self._reach(module, [name], symbol)
            return
        name, *deeper = path
        target = source.imports.get(name)
        if target is not None and target.module is not None:
            self.exports.setdefault(module, set()).add(name)
            self.kept.setdefault(module, set()).add(name)
            inner = ([target.name] if target.name else []) + deeper
            self._reach(target.module, inner, symbol)
        elif name in source.by_name:
            self._keep(module, name)
        elif _ANY_NAME in source.by_name:
            self._keep(module, _ANY_NAME)
        else:
            raise UnknownSymbol(symbol)

    def _keep(self, module: str, name: str) -> None:
        """Keeps a name that code of `module` uses (nothing to do for builtins)."""
        kept = self.kept.setdefault(module, set())
        if name in kept:
            return
        source = self.package.modules[module]
        target = source.imports.get(name)
        if target is not None:
            kept.add(name)
            if target.module is not None and target.name is not None:
                self._reach(target.module, [target.name], f"{target.module}.{target.name}")
        elif name in source.by_name:
            kept.add(name)
            for statement in self._statements(source, name):
                self._keep_uses(module, statement)

    def _statements(self, source: _Module, name: str) -> list[_Statement]:
        """What binds `name`, and what is done to it by statements that bind nothing."""
        acting = [s for s in source.statements if not s.binds and name in s.uses]
        return source.by_name[name] + acting

    def _keep_uses(self, module: str, statement: _Statement) -> None:
        source = self.package.modules[module]
        for used in sorted({*statement.uses, *statement.binds}):
            self._keep(module, used)
            target = source.imports.get(used)
            if target is None or target.module is None or target.name is not None:
                continue
            attributes = statement.attributes(used)
            for attribute in attributes:
                self._reach(target.module, [attribute], f"{target.module}.{attribute}")
            if not attributes:
                self._reach(target.module, [], target.module)

    def text(self, module: str) -> str:
        """The module with only what is kept, in the order of the source."""
        source, kept = self.package.modules[module], self.kept[module]
        chosen = [
            s
            for s in source.statements
            if kept.intersection(s.binds) or (not s.binds and self._acts_on_kept(source, s, kept))
        ]
        used = set().union(*(s.uses for s in chosen)) | self.exports.get(module, set())
        parts = [MARKER]
        if source.docstring is not None:
            parts.append(f'"""{source.docstring}"""')
        imports = _import_block(source.import_nodes, used)
        if imports:
            parts += ["", imports]
        parts += self._bodies(source, chosen)
        if self.exports.get(module):
            names = [n for s in chosen for n in s.binds if not n.startswith("_")]
            parts += ["", "", _listing("__all__ = [", sorted({*names, *self.exports[module]}))]
            if not chosen:
                del parts[-2]
        return "\n".join(parts) + "\n"

    @staticmethod
    def _acts_on_kept(source: _Module, statement: _Statement, kept: set[str]) -> bool:
        return bool(kept.intersection(statement.uses).intersection(source.by_name))

    @staticmethod
    def _bodies(source: _Module, chosen: list[_Statement]) -> Iterator[str]:
        previous: _Statement | None = None
        for statement in chosen:
            if previous is None:
                blank = 2 if _is_definition(statement) else 1
            elif source.statements.index(statement) == source.statements.index(previous) + 1:
                blank = statement.first - previous.last - 1
            else:
                blank = 2 if _is_definition(statement) or _is_definition(previous) else 1
            yield from [""] * blank
            yield "\n".join(source.lines[statement.first - 1 : statement.last])
            previous = statement


def _is_definition(statement: _Statement) -> bool:
    return isinstance(statement.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))


def _import_block(nodes: list[ast.Import | ast.ImportFrom], used: set[str]) -> str:
    """The imports of which something is used: `__future__`, standard, others, siblings."""
    lines: list[str] = []
    group = None
    for node in nodes:
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        aliases = [a for a in node.names if future or _local(a) in used]
        if not aliases:
            continue
        texts = [f"{a.name} as {a.asname}" if a.asname else a.name for a in aliases]
        if group not in (None, _group(node)):
            lines.append("")
        group = _group(node)
        if isinstance(node, ast.Import):
            lines.append(f"import {', '.join(texts)}")
            continue
        head = f"from {'.' * node.level}{node.module or ''} import "
        line = head + ", ".join(texts)
        lines.append(line if len(line) <= _WIDTH else _listing(f"{head}(", texts, quote=False))
    return "\n".join(lines)


def _local(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _group(node: ast.Import | ast.ImportFrom) -> int:
    if isinstance(node, ast.ImportFrom) and node.level:
        return 3
    name = (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name
    if name == "__future__":
        return 0
    return 1 if name.partition(".")[0] in sys.stdlib_module_names else 2


def _listing(head: str, names: list[str], quote: bool = True) -> str:
    items = [f'    "{n}",' if quote else f"    {n}," for n in names]
    return "\n".join([head, *items, "]" if head.endswith("[") else ")"])
