"""The source of the support package, cut at its top-level statements: what each binds and needs.

Modules of `templates/support` are read as text and cut by their `ast`; nothing is executed. As that
is half a second for all of them, `templates/support.json` holds what was found for each module, and
is believed as long as the module's bytes are still the same (`rules/tools/make_support_index.py`).
"""

from __future__ import annotations

import ast
import hashlib
import json
import symtable
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

INDEX = "support.json"  # beside the folder of the modules
CLASSES = "support_classes.json"
_OTHERS = frozenset(("tf.Graph", "tf.keras.layers.Layer"))  # of which the package reads no member of its own
_BY_VALUES = frozenset(("Enum", "IntEnum", "NamedTuple", "TypedDict", "Protocol"))


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name. `module` is a sibling ("store"), or None for code outside the package.

    `name` is what is taken from the sibling; None: the sibling itself.
    """

    module: str | None
    name: str | None


@dataclass(frozen=True, slots=True)
class ImportLine:
    """An import statement: ``import`` or ``from x import``, and (local name, text) of its names.

    `group`: 0 ``__future__``, 1 standard library, 2 others, 3 siblings.
    """

    head: str
    group: int
    names: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Something that is rendered as a whole: its lines, and what it needs.

    `first` and `last` are 1-based. `uses` are the global names that it refers to, `attributes` what
    it reads of sibling modules, by the name that these have here, `reads` the names of all attributes
    that it reads of anything, with what it has as strings that may be such names.
    """

    first: int
    last: int
    uses: frozenset[str]
    attributes: Mapping[str, tuple[str, ...]]
    reads: frozenset[str]


@dataclass(frozen=True, slots=True)
class Member(Part):
    """A method or a plain value of a class, with the blank lines and the comment above it."""

    name: str


@dataclass(frozen=True, slots=True)
class Statement(Part):
    """A top-level statement with the comment above it.

    binds: the names that it binds. members: what of a class may be left out where nothing reads its
    name; `rest` is the statement without them. A statement that is no such class is its own rest.
    """

    binds: tuple[str, ...]
    is_definition: bool
    members: tuple[Member, ...] = ()
    rest: Part | None = None


@dataclass(frozen=True)
class Module:
    """A module of the support package."""

    docstring: str | None
    imports: Mapping[str, Import]
    import_lines: tuple[ImportLine, ...]
    statements: tuple[Statement, ...]
    lines: tuple[str, ...] = field(repr=False)

    @cached_property
    def by_name(self) -> dict[str, list[Statement]]:
        """The statements that bind a name."""
        found: dict[str, list[Statement]] = {}
        for statement in self.statements:
            for bound in statement.binds:
                found.setdefault(bound, []).append(statement)
        return found

    def public_names(self) -> list[str]:
        """Definitions and names of sibling modules' definitions, without private ones."""
        names = [*self.by_name, *(n for n, i in self.imports.items() if i.module is not None)]
        return sorted(n for n in names if not n.startswith("_"))

    def as_index(self) -> list[Any]:
        """All but the lines, for `templates/support.json`."""
        return [
            self.docstring,
            {local: [found.module, found.name] for local, found in self.imports.items()},
            [[line.head, line.group, line.names] for line in self.import_lines],
            [
                [
                    _packed(s), s.binds, s.is_definition, [[_packed(m), m.name] for m in s.members],
                    None if s.rest is None else _packed(s.rest),
                ]
                for s in self.statements
            ],
        ]

    @classmethod
    def from_index(cls, found: list[Any], text: str) -> Module:
        """What `as_index` gave, with the lines of `text`."""
        docstring, imports, import_lines, statements = found
        return cls(
            docstring,
            {local: Import(*both) for local, both in imports.items()},
            tuple(ImportLine(h, g, tuple((a, b) for a, b in names)) for h, g, names in import_lines),
            tuple(
                Statement(
                    *_unpacked(part), tuple(binds), defines,
                    tuple(Member(*_unpacked(inner), name) for inner, name in members),
                    None if rest is None else Part(*_unpacked(rest)),
                )
                for part, binds, defines, members, rest in statements
            ),
            tuple(text.splitlines()),
        )


def _packed(part: Part) -> list[Any]:
    attributes = dict(part.attributes)
    return [part.first, part.last, sorted(part.uses), attributes, sorted(part.reads)]


def _unpacked(
    found: list[Any],
) -> tuple[int, int, frozenset[str], dict[str, tuple[str, ...]], frozenset[str]]:
    first, last, uses, attributes, reads = found
    inner = {local: tuple(names) for local, names in attributes.items()}
    return first, last, frozenset(uses), inner, frozenset(reads)


class Modules(Mapping[str, Module]):
    """The modules below a directory by name, each read when it is first asked for."""

    def __init__(self, directory: Path) -> None:
        self.paths = {p.stem: p for p in sorted(directory.glob("*.py")) if p.stem != "__init__"}
        self._index_path = directory.parent / INDEX
        self._read: dict[str, Module] = {}

    @cached_property
    def _index(self) -> dict[str, list[Any]]:
        """[sha256 of the file, what `Module.as_index` gave] by the names of modules."""
        try:
            found: dict[str, list[Any]] = json.loads(self._index_path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found

    @cached_property
    def classes(self) -> dict[str, dict[str, bool]]:
        """`module.Class` -> its members, and whether TensorFlow or Keras may call each."""
        try:
            found: dict[str, dict[str, bool]] = json.loads(
                (self._index_path.parent / CLASSES).read_text(encoding="utf-8")
            )
        except (OSError, ValueError):
            return {}
        return found

    def __getitem__(self, name: str) -> Module:
        if name not in self._read:
            data = self.paths[name].read_bytes()
            known = self._index.get(name)
            if known is not None and known[0] == hashlib.sha256(data).hexdigest():
                self._read[name] = Module.from_index(known[1], data.decode("utf-8"))
            else:
                self._read[name] = cut(name, data.decode("utf-8"), frozenset(self.paths))
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self.paths

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


def cut(name: str, text: str, siblings: frozenset[str]) -> Module:
    """The module `name` with this text, beside these other ones.

    Raises SyntaxError, and ValueError for the import of a sibling that there is none of.
    """
    tree = ast.parse(text, filename=name)
    lines = text.splitlines()
    scopes = _function_scopes(text, name)
    docstring = ast.get_docstring(tree, clean=False)
    body = tree.body[1:] if docstring is not None else tree.body
    end = tree.body[0].end_lineno or 0 if docstring is not None else 0
    imports: dict[str, Import] = {}
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports |= _imported(node)
    for found in imports.values():
        if found.module is not None and found.module not in siblings:
            raise ValueError(f"{name} imports {found.module}, which the support package has not")
    modules = {local for local, f in imports.items() if f.module is not None and f.name is None}
    import_lines: list[ImportLine] = []
    statements: list[Statement] = []
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            import_lines.append(_import_line(node))
        elif (binds := _bound(node)) != ("__all__",):
            uses = frozenset(_module_level_names(node, scopes))
            first, last = _first_line(node, lines, end), node.end_lineno or node.lineno
            members, rest = _members(node, uses, modules, first)
            statements.append(
                Statement(
                    first, last, uses, _attributes(node, modules), _reads([node]), binds,
                    isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)), members, rest,
                )
            )
        end = node.end_lineno or node.lineno
    return Module(docstring, imports, tuple(import_lines), tuple(statements), tuple(lines))


def _imported(node: ast.Import | ast.ImportFrom) -> dict[str, Import]:
    found = {}
    for alias in node.names:
        if isinstance(node, ast.Import) or not node.level:
            found[_local(alias)] = Import(None, None)
        elif node.module is None:
            found[_local(alias)] = Import(alias.name, None)
        else:
            found[_local(alias)] = Import(node.module, alias.name)
    return found


def _import_line(node: ast.Import | ast.ImportFrom) -> ImportLine:
    names = tuple(
        (_local(a), f"{a.name} as {a.asname}" if a.asname else a.name) for a in node.names
    )
    if isinstance(node, ast.Import):
        return ImportLine("import ", _group(node.names[0].name), names)
    module = node.module or ""
    head = f"from {'.' * node.level}{module} import "
    return ImportLine(head, 3 if node.level else _group(module), names)


def _local(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _group(module: str) -> int:
    if module == "__future__":
        return 0
    return 1 if module.partition(".")[0] in sys.stdlib_module_names else 2


def _first_line(node: ast.stmt, lines: list[str], end: int) -> int:
    """That of the decorators and of the comment above, below the line `end`."""
    first = _above(node)
    while first - 1 > end and lines[first - 2].startswith("#"):
        first -= 1
    return first


def _members(
    node: ast.stmt, uses: frozenset[str], modules: set[str], first: int
) -> tuple[tuple[Member, ...], Part | None]:
    """(what may be left out of a class, what stays of it then); nothing of other statements.

    Special methods stay, and all of a class whose values are its meaning (a dataclass, an Enum, a
    named tuple).
    """
    if not isinstance(node, ast.ClassDef):
        return (), None
    bases = {base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases}
    whole = bool(node.decorator_list) or bool(bases & _BY_VALUES)
    own = {name for inner in node.body for name in _bound(inner)}
    constants = all(_is_text(inner) for inner in node.body[1:])  # names of other things than attributes
    members: list[Member] = []
    kept: list[ast.AST] = [*node.bases, *node.keywords, *node.decorator_list]
    end = _above(node.body[0]) - 1
    for inner in node.body:
        names = _bound(inner)
        last = inner.end_lineno or inner.lineno
        plain = isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)) or (
            isinstance(inner, ast.Assign) and len(names) == 1
        )
        if whole or not plain or names[0].startswith("__"):
            kept.append(inner)
        else:
            uses_of, attributes, reads = _part([inner], uses, modules, own)
            part = uses_of, attributes, frozenset[str]() if constants else reads
            members.append(Member(end + 1, last, *part, names[0]))
        end = last
    if not members:
        return (), None
    return tuple(members), Part(first, node.end_lineno or node.lineno, *_part(kept, uses, modules, own))


def _is_text(node: ast.stmt) -> bool:
    """Whether a statement of a class gives a name to a text."""
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(
        node.value.value, str)


def _part(
    nodes: list[ast.AST], uses: frozenset[str], modules: set[str], own: set[str]
) -> tuple[frozenset[str], dict[str, tuple[str, ...]], frozenset[str]]:
    """(uses, attributes, reads) of a part of a class that uses `uses` and has the names `own`."""
    named = frozenset(n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name))
    attributes: dict[str, tuple[str, ...]] = {}
    for node in nodes:
        for local, found in _attributes(node, modules).items():
            attributes[local] = tuple(sorted({*attributes.get(local, ()), *found}))
    in_class = (n.id for node in nodes for n in _of_class(node) if isinstance(n, ast.Name))
    return named & uses, dict(sorted(attributes.items())), _reads(nodes) | own.intersection(in_class)


def _of_class(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a class's statement that are evaluated in the class, where its own names are known."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        for part in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            yield from ast.walk(part)
    else:
        yield from ast.walk(node)


def _above(node: ast.stmt) -> int:
    """The first line of a statement, its decorators' where it has some."""
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])


def _reads(nodes: list[ast.AST]) -> frozenset[str]:
    """The names of attributes that code reads (or sets), and the strings that may be such names; not of
    what is annotated as TensorFlow's own."""
    found: set[str] = set()
    others = {place for outer in nodes for inner in ast.walk(outer) for place in _of_others(inner)}
    for node in (inner for outer in nodes for inner in ast.walk(outer)):
        if isinstance(node, ast.Attribute):
            if id(node) not in others:
                found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            if id(node) not in others:
                found.add(node.value)
    return frozenset(found)


def _of_others(function: ast.AST) -> Iterator[int]:
    """The attributes, and names of attributes, that a function asks of objects of TensorFlow."""
    if not isinstance(function, ast.FunctionDef):
        return
    annotated = [(a.arg, a.annotation) for a in function.args.args]
    annotated += [
        (n.target.id, n.annotation)
        for n in ast.walk(function) if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
    ]
    names = {name for name, kind in annotated if kind is not None and ast.unparse(kind) in _OTHERS}
    for node in ast.walk(function) if names else ():
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in names:
            yield id(node)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("getattr", "hasattr"):
            if getattr(node.args[0], "id", "") in names:
                yield id(node.args[1])


def _attributes(statement: ast.AST, modules: set[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in modules:
                found.setdefault(node.value.id, []).append(node.attr)
    return {local: tuple(sorted(set(names))) for local, names in sorted(found.items())}


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
