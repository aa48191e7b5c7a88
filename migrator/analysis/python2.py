"""Which modules were written for Python 2 although Python 3 can read them, and what tells.

``for i in xrange(n / 2)`` is Python 3 to its parser. A module runs on Python 2 if something that it does
without asking for the version works there only, or if a module does that it imports or is imported by;
unless it has something of Python 3's own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import walk

if TYPE_CHECKING:
    from migrator.analysis.index import ProjectIndex
    from migrator.analysis.names import NameTable

PRINTS = "print >>"  # the evidence that makes `print` a statement
_BUILTINS = frozenset({
    "xrange", "unicode", "basestring", "long", "raw_input", "unichr", "reduce", "execfile", "cmp",
    "file", "reload", "apply", "buffer", "intern",
})  # fmt: skip
_METHODS = frozenset({"iteritems", "itervalues", "iterkeys", "has_key"})
_MODULES = frozenset({
    "cPickle", "Queue", "ConfigParser", "StringIO", "cStringIO", "urllib2", "urlparse", "httplib",
    "Tkinter", "commands", "__builtin__", "copy_reg", "SocketServer", "HTMLParser", "thread",
})  # fmt: skip
_MEMBERS = frozenset({
    ("sys", "maxint"), ("sys", "setdefaultencoding"), ("os", "getcwdu"), ("itertools", "izip"),
    ("itertools", "imap"), ("itertools", "ifilter"), ("string", "letters"), ("string", "maketrans"),
    ("string", "join"), ("string", "lowercase"), ("string", "uppercase"),
})  # fmt: skip
_WORDS = (*_BUILTINS, *_METHODS, *_MODULES, *(name for _, name in _MEMBERS), "print >>", "print>>")
_OF_3 = (ast.JoinedStr, ast.Nonlocal, ast.YieldFrom, ast.AnnAssign, ast.AsyncFunctionDef)
_VERSION = ("version_info", "hexversion", "PY2", "PY3", "python_version", "hasattr")
_COMPATIBLE = ("six", "past", "future", "builtins")


def python2_evidence(text: str, tree: ast.Module, table: Callable[[], NameTable]) -> str:
    """What of a module works on Python 2 only, ``""`` if nothing does; `table` gives its names."""
    if not any(word in text for word in _WORDS):
        return ""
    names = table()
    if any(star.target.split(".")[0] in _COMPATIBLE for star in names.module_scope.stars):
        return ""
    guarded = _guarded(tree)
    if "print" in text and _prints(tree, guarded):
        return PRINTS
    for reference in names.references:
        if id(reference.name_node) in guarded or reference.role != "load":
            continue
        if not reference.attrs:
            if reference.root in _BUILTINS and names.find(reference.root, reference.scope) is None:
                return reference.root
        elif (reference.root, reference.attrs[0]) in _MEMBERS:
            return ast.unparse(reference.node)
        elif reference.attrs[-1] in _METHODS and reference.root not in _COMPATIBLE:
            if reference.attrs[-1] != "iteritems" or "pandas" not in text:
                return f".{reference.attrs[-1]}()"
    for node in walk(tree):
        if id(node) in guarded:
            continue
        if isinstance(node, ast.Import):
            found = next((a.name for a in node.names if a.name in _MODULES), "")
            if found:
                return f"import {found}"
        elif isinstance(node, ast.ImportFrom):
            if not node.level and node.module in _MODULES:
                return f"from {node.module} import"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _METHODS - {"iteritems"} and not isinstance(node.func.value, ast.Name):
                return f".{node.func.attr}()"
    return ""


def _prints(tree: ast.Module, guarded: set[int]) -> bool:
    """Whether a module has a ``print >>file, x``."""
    return any(
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.RShift) and id(node) not in guarded
        and isinstance(node.left, ast.Name) and node.left.id == "print"
        for node in walk(tree)
    )


def _guarded(tree: ast.Module) -> set[int]:
    """Nodes, by id, that only run on one version of Python, or where another way is taken if they fail."""
    found: set[int] = set()
    for node in walk(tree):
        if isinstance(node, ast.Try) and any(_expects_another(h, node) for h in node.handlers):
            blocks: list[ast.AST] = [*node.body, *node.handlers]
        elif isinstance(node, (ast.If, ast.IfExp)) and any(w in ast.unparse(node.test) for w in _VERSION):
            blocks = [*ast.iter_child_nodes(node)]
        else:
            continue
        for block in blocks:
            found.update(id(inner) for inner in walk(block))
    return found


def _expects_another(handler: ast.ExceptHandler, block: ast.Try) -> bool:
    """Whether a handler is there for what a version of Python lacks."""
    if handler.type is None or ast.unparse(handler.type) == "Exception":
        return len(block.body) < 3
    expected = ast.unparse(handler.type)
    return any(name in expected for name in ("NameError", "AttributeError", "Import", "Module"))


def needs_python3(tree: ast.Module) -> bool:
    """Whether a module has what Python 2 could not read, or would do otherwise."""
    has_print = any(
        isinstance(s, ast.ImportFrom) and s.module == "__future__"
        and any(a.name == "print_function" for a in s.names)
        for s in tree.body
    )
    for node in walk(tree):
        if isinstance(node, _OF_3):
            return True
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            args = node.args
            if args.kwonlyargs or any(a.annotation for a in (*args.args, *args.posonlyargs)):
                return True
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "super" and not node.args:
                return True
            if node.func.id == "print" and node.keywords and not has_print:
                return True
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return True
        elif isinstance(node, ast.Raise) and node.cause is not None:
            return True
        elif isinstance(node, ast.ClassDef) and node.keywords:
            return True
    return False


def runs_on_python2(index: ProjectIndex, path: str) -> str:
    """Why the module at `path` is one of Python 2, ``""`` if it is not known to be."""
    info = index.module_at(path)
    if info is None:
        return ""
    if info.summary.python2 or info.summary.python3:
        return info.summary.python2
    if "python 2" not in index.answers:
        index.answers["python 2"] = _connected(index)
    found: dict[str, str] = index.answers["python 2"]
    return found.get(path, "")


def _connected(index: ProjectIndex) -> dict[str, str]:
    """Modules that run together with one of Python 2: path -> why."""
    found: dict[str, str] = {}
    queue = [path for path, info in sorted(index.modules.items()) if info.summary.python2]
    seen = set(queue)
    for path in queue:  # grows on the way
        for other in (*index.importers(path), *index.imported(path)):
            if other in seen or index.modules[other].summary.python3:
                continue
            seen.add(other)
            queue.append(other)
            found[other] = f"it runs together with {path}"
    return found
