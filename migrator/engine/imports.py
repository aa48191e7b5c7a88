"""Puts imports into a file where its author would have put them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Sequence

from migrator.analysis.names import Binding, NameTable
from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply

Required = tuple[str, str | None, str]  # module, name or None, local name
_CHANGING = frozenset(("tensorflow", "tf_slim", "scipy"))
_DEFERRED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def import_path(module: str, name: str | None) -> str:
    """The dotted path that an import binds."""
    return f"{module}.{name}" if name else module


def local_name_for(
    names: NameTable,
    module: str,
    name: str | None,
    asname: str | None,
    taken: Iterable[str],
    successor: Callable[[str], str | None] = lambda name: name,
) -> str:
    """The local name by which code of this file can reach ``module[.name]`` in any scope.

    A module-level import that already binds it and that no scope hides is used; otherwise
    `asname`, the last part of the path, or a variant of it that nothing in the file uses but for
    the same thing: `successor` says what a canonical name that a star import brings becomes.
    """
    path = import_path(module, name)
    for group in names.module_scope.bindings.values():
        for binding in group:
            if (
                binding.kind == "import"
                and binding.target == path
                and not hidden(names, binding)
            ):
                return binding.name
    wanted = asname or (name or module)
    if "." in wanted:
        return wanted
    used = names.used_names
    taken = set(taken)
    if wanted not in taken and (wanted not in used or _brought(names, wanted, path, successor)):
        return wanted
    base = wanted if wanted.startswith("tf1_") else f"tf1_{wanted}"
    if not module.startswith("tf1_support"):
        base = f"{wanted}_module"
    candidate, count = base, 2
    while candidate in used or candidate in taken:
        candidate, count = f"{base}{count}", count + 1
    return candidate


def _brought(
    names: NameTable, name: str, path: str, successor: Callable[[str], str | None]
) -> bool:
    """Whether only a star import binds `name`, to what `path` is or takes the place of."""
    root = None if any(name in scope.bindings for scope in names.scopes) else names.root(name)
    return root is not None and root.star and successor(root.name) == path


def hidden(names: NameTable, binding: Binding) -> bool:
    """Whether some scope binds the same name to anything else."""
    for scope in names.scopes:
        for other in scope.bindings.get(binding.name, ()):
            if other.kind != "import" or other.target != binding.target:
                return True
    return False


def statement_text(module: str, name: str | None, local: str) -> str:
    """The import statement that binds `local`."""
    if name is None:
        head, _, tail = module.rpartition(".")
        if local == module:
            return f"import {module}"
        if head and tail == local:
            return f"from {head} import {tail}"
        return f"import {module} as {local}"
    suffix = "" if local == name else f" as {local}"
    return f"from {module} import {name}{suffix}"


def missing(names: NameTable, required: Iterable[Required]) -> list[Required]:
    """Those of `required` that no module-level import binds yet."""
    result = []
    for module, name, local in required:
        path = import_path(module, name)
        top = local.split(".")[0]
        group = names.module_scope.bindings.get(top, ())
        if "." in local:
            loaded = any(
                isinstance(b.node, ast.Import) and any(a.name == module for a in b.node.names)
                for b in group
                if b.kind == "import"
            )
        else:
            loaded = any(b.kind == "import" and b.target == path for b in group)
        if not loaded:
            result.append((module, name, local))
    return result


def import_edits(
    text: str,
    tree: ast.Module,
    lines: Lines,
    required: Iterable[Required],
    dropped: frozenset[int] = frozenset(),
) -> list[Edit]:
    """Insertions for `required`, each after its siblings; `dropped` are ids of import statements
    that other edits remove (still good as places, never as siblings of the same package)."""
    by_place: dict[int, list[str]] = {}
    newline = lines.newline
    for module, name, local in sorted(required, key=lambda item: (item[0], item[1] or "")):
        place = _place(text, tree, lines, module, local.split(".")[0])
        by_place.setdefault(place, []).append(statement_text(module, name, local))
    edits = []
    for place, statements in by_place.items():
        body = "".join(statement + newline for statement in statements)
        if place == len(text) and text and not text.endswith(("\n", "\r")):
            body = newline + body.rstrip("\r\n")
        elif not _has_imports(tree):
            rest = text[place:]
            if rest.strip() and not rest.startswith(("\n", "\r\n")):
                body += newline
            if place and not text[:place].endswith(("\n\n", "\r\n\r\n")):
                body = newline + body
        edits.append(Edit(place, place, (body,)))
    return edits


def _has_imports(tree: ast.Module) -> bool:
    return any(isinstance(node, (ast.Import, ast.ImportFrom)) for node in tree.body)


def _top(node: ast.stmt) -> str:
    if isinstance(node, ast.Import):
        return node.names[0].name.split(".")[0]
    assert isinstance(node, ast.ImportFrom)
    return "." if node.level else (node.module or "").split(".")[0]


def _place(text: str, tree: ast.Module, lines: Lines, module: str, local: str) -> int:
    """The offset of the line before which an import of `module` belongs that binds `local`."""
    imports = imports_before_use(tree, frozenset({local}))
    top = module.split(".")[0]
    ordinary = [n for n in imports if _top(n) != "__future__"]
    after: ast.stmt | None = None
    siblings = [n for n in ordinary if _top(n) == top]
    if siblings:
        after = siblings[-1]
    elif ordinary:
        after = _group_end(ordinary, tree, top)
    elif imports:
        after = imports[-1]
    elif tree.body and _is_docstring(tree.body[0]):
        after = tree.body[0]
    if after is None:
        return _after_header(text, tree, lines)
    return _line_after(text, tree, lines, after)


def call_behind_imports(tree: ast.Module, lines: Lines, function: str) -> Edit:
    """A call of `function`, without arguments, behind the imports, else behind the first statement."""
    last = (imports_before_use(tree) or tree.body[:1])[-1]
    end = last.end_lineno or last.lineno
    after = lines.starts[end] if end < len(lines.starts) else len(lines.text)
    return Edit(after, after, (f"\n{function}()\n",))


def imports_before_use(tree: ast.Module, coming: frozenset[str] = frozenset()) -> list[ast.stmt]:
    """The imports at module level up to the first statement that runs what one of them binds, or the
    import that is `coming`: further down an import would come too late for it. What only the standard
    library does counts for nothing: ``os.environ[...] = ...`` must come before TensorFlow."""
    imports: list[ast.stmt] = []
    bound, changing = set(coming), set(coming)
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports.append(node)
            if _top(node) not in sys.stdlib_module_names:
                bound |= _bound(node)
            if _top(node) in _CHANGING:
                changing |= _bound(node)
        elif isinstance(node, (ast.If, ast.Try)):
            if _rewritten(node, changing):
                break
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if any(isinstance(n, ast.Name) and n.id in bound for n in walk(node)):
                break
    return imports


def _bound(node: ast.Import | ast.ImportFrom) -> set[str]:
    return {(alias.asname or alias.name).split(".")[0] for alias in node.names}


def _rewritten(node: ast.If | ast.Try, bound: set[str]) -> bool:
    """Whether a block runs what `bound`, or an import in it, brings of packages whose code changes:
    what takes its place must be there by then."""
    inside = walk(node)
    bound = bound.union(*(_bound(n) for n in inside
                          if isinstance(n, (ast.Import, ast.ImportFrom)) and _top(n) in _CHANGING))
    passed = {id(n) for part in inside if isinstance(part, _DEFERRED) for n in walk(part)}
    passed |= {id(n.value) for n in inside if isinstance(n, ast.Attribute) and n.attr == "__version__"}
    return any(isinstance(n, ast.Name) and n.id in bound and id(n) not in passed for n in inside)


def _group_end(ordinary: Sequence[ast.stmt], tree: ast.Module, top: str) -> ast.stmt:
    """The import after which a module of package `top` fits: the standard library goes with its
    own kind, everything else behind the framework imports, or at the block's end."""
    if top in sys.stdlib_module_names:
        standard = [n for n in ordinary if _top(n) in sys.stdlib_module_names]
        return standard[-1] if standard else ordinary[0]
    framework = [n for n in ordinary if _top(n) in ("tensorflow", "numpy", "tf_slim", "absl")]
    if top != "tf1_support" and framework:
        return framework[-1]
    leading: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            leading.append(node)
        elif leading and not isinstance(node, (ast.Assign, ast.Expr, ast.If, ast.Try)):
            break
    block = [n for n in leading if n in ordinary]
    last = block[-1] if block else ordinary[-1]
    if framework and framework[-1].lineno > last.lineno:
        return framework[-1]
    return last


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _line_after(text: str, tree: ast.Module, lines: Lines, node: ast.stmt) -> int:
    """The start of the first line on which no statement that shares lines with `node` goes on."""
    end = node.end_lineno or node.lineno
    for other in tree.body:
        if other.lineno <= end < (other.end_lineno or other.lineno):
            end = other.end_lineno or other.lineno
    return lines.starts[end] if end < len(lines.starts) else len(text)


def _after_header(text: str, tree: ast.Module, lines: Lines) -> int:
    """Behind the shebang, encoding and licence comments at the top of a file without imports."""
    line = 0
    limit = tree.body[0].lineno - 1 if tree.body else len(lines.starts)
    last_comment = 0
    while line < limit and line < len(lines.starts):
        end = lines.starts[line + 1] if line + 1 < len(lines.starts) else len(text)
        content = text[lines.starts[line] : end].strip()
        if content.startswith("#"):
            last_comment = line + 1
        elif not content and last_comment:
            break
        line += 1
    return lines.starts[last_comment] if last_comment < len(lines.starts) else len(text)


def add_imports(
    text: str,
    required: Iterable[Required],
    tree: ast.Module | None = None,
    names: NameTable | None = None,
) -> str:
    """`text` with those imports added that are not there yet.

    `tree` and `names` are those of `text` where the caller has them. Raises SyntaxError when
    `text` is not Python.
    """
    tree = tree or ast.parse(text)
    needed = missing(names or NameTable.of(tree), required)
    if not needed:
        return text
    new_text, _ = apply(text, import_edits(text, tree, Lines(text), needed))
    return new_text
