"""Renders the support package: the definitions that a migrated repository uses, and what they need.

The source is the package `templates/support`. A symbol is `module.name` (`slim.conv2d`), or deeper
through a module that another one imports (`slim.losses.log_loss`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from migrator.project.marker import GENERATED_MARKER
from migrator.resources import templates_dir
from migrator.support_source import ImportLine, Member, Module, Modules, Part, Statement

MARKER = f"{GENERATED_MARKER} - TF1 semantics for this repository; made again by every migration."
_WIDTH = 100


# What any code may ask of an object that it is given: TensorFlow's and Keras' ways to tell kinds of values
# apart, those of files and mappings, and the folder of a writer, for which TensorBoard's own code asks.
_ALWAYS = frozenset(
    (
        "get_config", "from_config", "dtype", "shape", "name", "device", "numpy", "op", "graph",
        "close", "flush", "read", "write", "readline", "next", "emit", "keys", "values", "items", "get",
        "build", "call", "compute_output_shape", "state_size", "output_size", "zero_state", "get_logdir",
    )
)  # fmt: skip
# What `verify` and `measure` ask of a migrated repository: by class, the module in whose company they do
# (a store without scopes has no variables), and the members.
_OURS = {
    "store.VariableStore": ("scopes", frozenset(
        ("as_default", "run", "variables_by_name", "trainable_variables")
    )),
    "frozen_graph.FrozenGraph": (
        "frozen_graph", frozenset(("function", "inputs", "outputs", "graph"))
    ),
}  # fmt: skip
_READ = re.compile(r"\.(?:\\?\s|#.*\n)*([^\W\d]\w*)|[\"']([^\W\d]\w*)\\?[\"']")
# What is imported where it is met, and is there if a module of the repository has the text that goes with
# it: whose function asks for it, what it is, and the name among those of `names_read` that says so.
_WHERE_MET = (
    (  # graphs of TensorFlow 1, other than those of `graphs`, and what is called while others build them
        ("store", "_run_of_graph"), "session_graphs.run_of_graph", "tf.Graph",
        re.compile(
            r"(?<!\bgraphs)\.\s*Graph\b|[\"']Graph\b|\bimport\b[^\n]*\bGraph\b|get_default_graph|disable_eager"
            r"|disable_v2|enable_eager|wrap_function|v1_only|deprecated_v1|run_in_graph|graph_mode|FuncGraph"
            r"|tensorflow_hub"
        ),
    ),
    (("testing", "_without_begun_graph"), "graphs.closed", "graphs.build", re.compile(r"graphs\.build\(")),
    (("slim_variables", "_on"), "devices.device", "tf.device", re.compile("(?<!caching_)device")),
)  # fmt: skip
# Modules whose graphs a program may open.
_OPENED = frozenset(("estimator", "frozen_graph", "graph_imports", "meta_graph"))
_ANY_NAME = "__getattr__"  # of a module that has whatever name is asked for


class UnknownSymbol(KeyError):
    """A symbol that the support package does not define."""

    def __str__(self) -> str:
        return f"the support package has no symbol {self.args[0]!r}"


class _Package:
    """All modules of the support package."""

    def __init__(self, directory: Path) -> None:
        self.init = (directory / "__init__.py").read_text(encoding="utf-8")
        self.modules = Modules(directory)
        self.members = frozenset(name for found in self.modules.classes.values() for name in found)

    def has(self, symbol: str) -> bool:
        """Whether `symbol` leads to a definition (or is a module)."""
        module, *path = symbol.split(".")
        while module in self.modules:
            if path in ([], [""]):
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


def named_module(name: str) -> str | None:
    """The module that has what a module of TF 1 (``tensorflow.train``) had, under TF 1's names, for
    code that looks names up when it runs; None where there is none."""
    module = f"named_{name.partition('.')[2].replace('.', '_')}"
    return f"tf1_support.{module}" if has(module) else None


def names_read(text: str) -> frozenset[str]:
    """The names of attributes of the package's classes that a module may read of them: what stands
    behind a dot or is all of a string; and those of `_WHERE_MET` for which it has the text."""
    known = _package().members
    found = {name for both in _READ.findall(text) for name in both} & known
    return frozenset(found.union(sign for _, _, sign, words in _WHERE_MET if words.search(text)))


def signature(symbol: str) -> str | None:
    """How a function of the package is called, as ``(x, name=None)``; None for what is no function."""
    module, _, path = symbol.partition(".")
    package = _package()
    while module in package.modules and path:
        source, (name, _, rest) = package.modules[module], path.partition(".")
        target = source.imports.get(name)
        if target is not None and target.module is not None:
            module, path = target.module, ".".join(filter(None, (target.name or "", rest)))
            continue
        for statement in source.by_name.get(name, ()) if not rest else ():
            text = "\n".join(source.lines[statement.first - 1 : statement.last])
            for node in ast.parse(text).body:
                if isinstance(node, ast.FunctionDef) and node.name == name:
                    return f"({ast.unparse(node.args)})"
        return None
    return None


def render(symbols: Iterable[str], names: Iterable[str] | None = None) -> dict[str, str]:
    """File name -> text of a support package with `symbols` and all that they need.

    The result depends on nothing but the symbols and the templates. Names may go deeper than a
    definition (`scopes.GraphKeys.LOSSES`); a bare module name stands for all of it, one with a dot
    (`slim.`) for a module that can be imported. names: those of all attributes that the code which
    uses the package reads (`names_read`); what nobody reads of a class is then left out of it. Raises
    UnknownSymbol for a symbol that is not `available`.
    """
    selection = _Selection(_package(), None if names is None else frozenset(names) | _ALWAYS)
    for symbol in sorted(set(symbols)):
        selection.add_symbol(symbol)
    selection.close()
    opened = {"tf.Graph"} if _OPENED.intersection(selection.kept) else set()
    for (module, name), wanted, sign, _ in _WHERE_MET:
        if name in selection.kept.get(module, ()) and (
                selection.read is None or sign in selection.read | opened):
            selection.add_symbol(wanted)
            selection.close()
    files = {"__init__.py": f"{MARKER}\n{selection.package.init}"}
    for name in sorted(selection.kept):
        files[f"{name}.py"] = selection.text(name)
    return files


class _Selection:
    """The names of each module that are kept, closed under what they use."""

    def __init__(self, package: _Package, names: frozenset[str] | None = None) -> None:
        self.package = package
        self.read = None if names is None else set(names)  # names of attributes; None: all are
        self.open: list[tuple[str, str, Member]] = []  # by module and class, what nobody reads so far
        self.left_out: dict[str, list[Member]] = {}  # by module, in the end
        self.kept: dict[str, set[str]] = {}
        self.exports: dict[str, set[str]] = {}  # imported names that users reach through a module

    def add_symbol(self, symbol: str) -> None:
        module, *rest = symbol.split(".")
        if module not in self.package.modules:
            raise UnknownSymbol(symbol)
        if rest == [""]:
            self.kept.setdefault(module, set())
            return
        self._reach(module, rest, symbol)

    def _reach(self, module: str, path: list[str], symbol: str) -> None:
        """Keeps what `module.path` stands for, as seen by the user of a module."""
        source = self.package.modules[module]
        if not path:
            for name in source.public_names():
                self._reach(module, [name], symbol)
            self._keep(module, _ANY_NAME)
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
            if self.read is not None:
                self.read.update(deeper)
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

    def _statements(self, source: Module, name: str) -> list[Statement]:
        """What binds `name`, and what is done to it by statements that bind nothing."""
        acting = [s for s in source.statements if not s.binds and name in s.uses]
        return source.by_name[name] + acting

    def _keep_uses(self, module: str, statement: Statement) -> None:
        for bound in statement.binds:
            self._keep(module, bound)
        members = self._optional(module, statement)
        if not members or statement.rest is None:
            self._keep_part(module, statement)
            return
        self.open += [(module, statement.binds[0], member) for member in members]
        self._keep_part(module, statement.rest)
        for member in statement.members:
            if member not in members:
                self._keep_part(module, member)

    def _optional(self, module: str, statement: Statement) -> list[Member]:
        """The members of a class that may go where nobody reads their names: all of them are known, and
        no class from elsewhere has one of the name."""
        if self.read is None or not statement.members:
            return []
        known = self.package.modules.classes.get(f"{module}.{statement.binds[0]}", {})
        return [member for member in statement.members if known.get(member.name) is False]

    def close(self) -> None:
        """Keeps the members whose names are read, with what they need, until there are no more."""
        waiting: list[tuple[str, str, Member]] = []
        while self.open:
            (module, owner, member), *self.open = self.open
            if not self._is_read(f"{module}.{owner}", member.name):
                waiting.append((module, owner, member))
                continue
            before = len(self.read or ()), len(self.kept)
            self._keep_part(module, member)
            if (len(self.read or ()), len(self.kept)) != before:
                self.open, waiting = [*self.open, *waiting], []
        self.open, self.left_out = waiting, {}
        for module, _, member in waiting:
            self.left_out.setdefault(module, []).append(member)

    def _is_read(self, owner: str, name: str) -> bool:
        beside, ours = _OURS.get(owner, ("", frozenset()))
        return self.read is None or name in self.read or (name in ours and beside in self.kept)

    def _keep_part(self, module: str, part: Part) -> None:
        source = self.package.modules[module]
        if self.read is not None:
            self.read |= part.reads
        for used in sorted(part.uses):
            self._keep(module, used)
            target = source.imports.get(used)
            if target is None or target.module is None or target.name is not None:
                continue
            attributes = part.attributes.get(used, ())
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
        used = set().union(*(self._uses(module, s) for s in chosen)) | self.exports.get(module, set())
        parts = [MARKER]
        if source.docstring is not None:
            parts.append(f'"""{source.docstring}"""')
        imports = _import_block(source.import_lines, used)
        if imports:
            parts += ["", imports]
        gone = {n for m in self.left_out.get(module, ()) for n in range(m.first, m.last + 1)}
        parts += self._bodies(source, chosen, gone)
        if self.exports.get(module):
            names = [n for s in chosen for n in s.binds if not n.startswith("_")]
            parts += ["", "", _listing("__all__ = [", sorted({*names, *self.exports[module]}))]
            if not chosen:
                del parts[-2]
        return "\n".join(parts) + "\n"

    @staticmethod
    def _acts_on_kept(source: Module, statement: Statement, kept: set[str]) -> bool:
        return bool(kept.intersection(statement.uses).intersection(source.by_name))

    def _uses(self, module: str, statement: Statement) -> frozenset[str]:
        """The global names that the rendered part of a statement refers to."""
        gone = self.left_out.get(module, ())
        if statement.rest is None or not any(member in gone for member in statement.members):
            return statement.uses
        kept = (member.uses for member in statement.members if member not in gone)
        return statement.rest.uses.union(*kept)

    @staticmethod
    def _bodies(source: Module, chosen: list[Statement], gone: set[int]) -> Iterator[str]:
        previous: Statement | None = None
        for statement in chosen:
            if previous is None:
                blank = 2 if statement.is_definition else 1
            elif source.statements.index(statement) == source.statements.index(previous) + 1:
                blank = statement.first - previous.last - 1
            else:
                blank = 2 if statement.is_definition or previous.is_definition else 1
            yield from [""] * blank
            yield "\n".join(_without(source.lines, statement, gone))
            previous = statement


def _import_block(import_lines: Iterable[ImportLine], used: set[str]) -> str:
    """The imports of which something is used: `__future__`, standard, others, siblings."""
    lines: list[str] = []
    group = None
    for found in import_lines:
        texts = [text for local, text in found.names if found.group == 0 or local in used]
        if not texts:
            continue
        if group not in (None, found.group):
            lines.append("")
        group = found.group
        line = found.head + ", ".join(texts)
        short = len(line) <= _WIDTH or found.head == "import "
        lines.append(line if short else _listing(f"{found.head}(", texts, quote=False))
    return "\n".join(lines)


def _without(lines: Sequence[str], statement: Statement, gone: set[int]) -> list[str]:
    """The lines of a statement, without those of members that nobody reads."""
    numbers = range(statement.first, statement.last + 1)
    kept: list[str] = []
    for n in numbers:
        if n not in gone:
            if n - 1 in gone and lines[n - 1] and kept[-1].endswith('"""'):
                kept.append("")  # what stood behind the docstring began with it
            kept.append(lines[n - 1])
    if not gone.intersection(numbers):
        return kept
    head = next(i for i, line in enumerate(kept) if line.startswith("class "))
    body = next(i for i, line in enumerate(kept) if i >= head and line.endswith(":"))
    while len(kept) > body + 1 and not kept[body + 1]:
        del kept[body + 1]
    return kept if len(kept) > body + 1 else [*kept, "    pass"]


def _listing(head: str, names: list[str], quote: bool = True) -> str:
    items = [f'    "{n}",' if quote else f"    {n}," for n in names]
    return "\n".join([head, *items, "]" if head.endswith("[") else ")"])
