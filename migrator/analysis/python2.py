"""Which modules were written for Python 2 although Python 3 can read them, and what tells.

``for i in xrange(n / 2)`` is Python 3 to its parser. A module runs on Python 2 if something that it does
without asking for the version works there only, or if a module does that it imports or is imported by;
unless it has something of Python 3's own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import walk

if TYPE_CHECKING:
    from migrator.analysis.index import ProjectIndex
    from migrator.analysis.names import NameTable

PRINTS = "print >>"  # the evidence that makes `print` a statement
HAS_KEY = ".has_key()"  # that is none where a class of the project has this method
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
_VERSION = ("__package__", "version_info", "hexversion", "PY2", "PY3", "python_version", "hasattr")
_PYTHON3 = re.compile(r"Language :: Python :: 3|(?:python_requires|requires-python)[^\n]*[>=~]\s*3")
Evidence = tuple[ast.AST, str]  # a node, and what is said of it
_COMPATIBLE = ("six", "past", "future", "builtins")


def python2_evidence(text: str, tree: ast.Module, table: Callable[[], NameTable]) -> str:
    """What of a module works on Python 2 only, ``""`` if nothing does; `table` gives its names."""
    if not any(word in text for word in _WORDS):
        return ""
    names = table()
    if any(star.target.split(".")[0] in _COMPATIBLE for star in names.module_scope.stars):
        return ""
    found = [*_printed(tree)] if "print" in text else []
    found += _read(text, names)
    found += _imported(tree)
    if not found:
        return ""
    asked = guarded(tree)
    said = [said for node, said in found if id(node) not in asked]
    return next((one for one in said if one != HAS_KEY), said[0] if said else "")


def _printed(tree: ast.Module) -> Iterator[Evidence]:
    """``print >>file, x``"""
    for node in walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.RShift):
            if isinstance(node.left, ast.Name) and node.left.id == "print":
                yield node, PRINTS


def _read(text: str, names: NameTable) -> Iterator[Evidence]:
    for reference in names.references:
        if reference.role != "load":
            continue
        if not reference.attrs:
            if reference.root in _BUILTINS and names.find(reference.root, reference.scope) is None:
                yield reference.name_node, reference.root
        elif (reference.root, reference.attrs[0]) in _MEMBERS:
            yield reference.name_node, ast.unparse(reference.node)
        elif reference.attrs[-1] in _METHODS and reference.root not in _COMPATIBLE:
            if reference.attrs[-1] != "iteritems" or "pandas" not in text:
                yield reference.name_node, f".{reference.attrs[-1]}()"


def _imported(tree: ast.Module) -> Iterator[Evidence]:
    """Modules, and methods of what has no name."""
    for node in walk(tree):
        if isinstance(node, ast.Import):
            found = next((a.name for a in node.names if a.name in _MODULES), "")
            if found:
                yield node, f"import {found}"
        elif isinstance(node, ast.ImportFrom):
            if not node.level and node.module in _MODULES:
                yield node, f"from {node.module} import"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _METHODS - {"iteritems"} and not isinstance(node.func.value, ast.Name):
                yield node, f".{node.func.attr}()"


def guarded(tree: ast.Module) -> set[int]:
    """Nodes, by id, that only run on one version of Python, or where another way is taken if they fail."""
    found: set[int] = set()
    for node in walk(tree):
        if isinstance(node, ast.Try) and any(_expects_another(h, node) for h in node.handlers):
            blocks: list[ast.AST] = [*node.body, *node.handlers]
        elif isinstance(node, (ast.If, ast.IfExp)) and _asks_for_version(ast.unparse(node.test)):
            blocks = [*ast.iter_child_nodes(node)]
        else:
            continue
        for block in blocks:
            found.update(id(inner) for inner in walk(block))
    return found


def _asks_for_version(test: str) -> bool:
    return any(word in test for word in _VERSION)


def _expects_another(handler: ast.ExceptHandler, block: ast.Try) -> bool:
    """Whether a handler is there for what a version of Python lacks."""
    if handler.type is None or ast.unparse(handler.type) == "Exception":
        return len(block.body) < 3
    expected = ast.unparse(handler.type)
    return any(name in expected for name in ("NameError", "AttributeError", "Import", "Module"))


def needs_python3(tree: ast.Module) -> bool:
    """Whether a module has what Python 2 could not read, or would do otherwise."""
    has_print = "print_function" in _asked_of_3(tree)
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


def is_of_both(tree: ast.Module) -> bool:
    """Whether a module was written for both: it asks Python 2 to print and to divide as 3 does."""
    return {"print_function", "division"} <= _asked_of_3(tree)


def _asked_of_3(tree: ast.Module) -> set[str]:
    return {
        alias.name
        for s in tree.body if isinstance(s, ast.ImportFrom) and s.module == "__future__"
        for alias in s.names
    }  # fmt: skip


def runs_on_python2(index: ProjectIndex, path: str) -> str:
    """Why the module at `path` is one of Python 2, ``""`` if it is not known to be."""
    info = index.module_at(path)
    if info is None:
        return ""
    if (said := _said(index, path)) or info.summary.python3:
        return said
    if "python 2" not in index.answers:
        index.answers["python 2"] = _connected(index)
    found: dict[str, str] = index.answers["python 2"]
    return found.get(path, "")


def _said(index: ProjectIndex, path: str) -> str:
    """What of a module itself works on Python 2 only."""
    said = index.modules[path].summary.python2
    return "" if said == HAS_KEY and index.has_own_has_key else said


def _connected(index: ProjectIndex) -> dict[str, str]:
    """Modules that run together with one of Python 2, and not with Python 3: path -> why."""
    found: dict[str, str] = {}
    if _declares_python3(index):
        return found
    both = [path for path, info in index.modules.items() if info.summary.python3]
    seen = {path for path, info in index.modules.items() if info.summary.both}.union(both)
    for path in both:  # grows on the way: what they import runs on Python 3, whoever else imports it
        for other in index.imported(path):
            if other not in seen and not _said(index, other):
                seen.add(other)
                both.append(other)
    queue = [path for path in sorted(index.modules) if _said(index, path)]
    seen.update(queue)
    for path in queue:  # grows on the way
        for other in (*index.importers(path), *index.imported(path)):
            if other in seen:
                continue
            seen.add(other)
            queue.append(other)
            found[other] = f"it runs together with {path}"
    return found


def _declares_python3(index: ProjectIndex) -> bool:
    """Whether the project's own set-up says that it is for Python 3."""
    texts = (index.text(name) or "" for name in ("setup.py", "setup.cfg", "pyproject.toml"))
    return any(_PYTHON3.search(text) for text in texts)
