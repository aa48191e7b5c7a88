"""Translates Python 2 source to Python 3 with fissix, before anything else looks at the file.

Files that Python 3 can read, too (`analysis.python2`), are translated but for `print`, which is a function
in both. Translating a second time would change more: what tells that a file is of Python 2 must be gone.
"""

from __future__ import annotations

import ast
import re
from functools import cache, lru_cache, partial
from typing import Any

from migrator.analysis.py2_pieces import in_pieces
from migrator.analysis.source import SourceText
from migrator.model import Change, Confidence
from migrator.project.linediff import matcher

# What changes meaning or does not parse; not idioms, and not imports (rules of PY2xx do those).
_FIXERS = (
    "apply",
    "basestring",
    "buffer",
    "dict",
    "except",
    "exec",
    "execfile",
    "exitfunc",
    "filter",
    "has_key",
    "intern",
    "isinstance",
    "itertools",
    "itertools_imports",
    "long",
    "map",
    "metaclass",
    "methodattrs",
    "ne",
    "next",
    "nonzero",
    "numliterals",
    "paren",
    "print",
    "raise",
    "raw_input",
    "reduce",
    "reload",
    "repr",
    "standarderror",
    "sys_exc",
    "throw",
    "tuple_params",
    "types",
    "unicode",
    "xrange",
    "xreadlines",
    "zip",
)

# Forms that only Python 2 parses; if none is there, a syntax error is a real one.
_LOOKS_LIKE_2 = re.compile(
    r"""^[ \t]*print[ \t]+[^=\s(.,)\]]      # print "x"
    |^[ \t]*print[ \t]*\(.*\)[ \t]*%        # print ("%s") % x
    |^[ \t]*print[ \t]*>>
    |^[ \t]*print[ \t]*\(.*\)[ \t]*,[ \t]*$
    |\bexcept[ \t]+[\w.()\[\], \t]+,[ \t]*\w+[ \t]*:
    |^[ \t]*raise[ \t]+[\w.]+[ \t]*,
    |^[ \t]*exec[ \t]+[^=(\s]
    |<>|`[^`\n]+`
    |\b0[0-7]+\b|\b\d+[lL]\b|\b[uU][rR]["']
    |^[ \t]*def[ \t]+\w+[ \t]*\(.*\([\w, \t]+\).*\)[ \t]*:
    |^[ ]*\t""",
    re.MULTILINE | re.VERBOSE,
)


class NotPython2(ValueError):
    """The text is not Python 2 either; `line` is where (1-based)."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def looks_like_python2(text: str) -> bool:
    """Whether a text that Python 3 cannot parse has forms of Python 2."""
    return _LOOKS_LIKE_2.search(text) is not None


@cache
def _tools(has_key: bool = True) -> tuple[Any, Any]:
    """Refactoring tools: with the print statement, and with print as a function."""
    from fissix.refactor import RefactoringTool, get_fixers_from_package

    available = set(get_fixers_from_package("fissix.fixes"))
    names = [f"fissix.fixes.fix_{name}" for name in _FIXERS]
    names = [name for name in names if name in available and (has_key or not name.endswith("has_key"))]
    explicit = ["fissix.fixes.fix_buffer"]  # which fissix does only where it is told to
    return (
        RefactoringTool(names, explicit=explicit),
        RefactoringTool(
            [n for n in names if not n.endswith("fix_print")], {"print_function": True}, explicit
        ),
    )


@lru_cache(maxsize=256)
def translate(text: str, prints: bool = True, has_key: bool = True) -> tuple[str, tuple[Change, ...]]:
    """(Python 3 text, one change per run of changed lines); `prints`: may `print` be a statement?
    `has_key`: is the method of this name always a dict's?

    Without such prints the text must be one that Python 3 can parse.

    Raises NotPython2 when fissix cannot read it, or when the result is still no Python 3.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    source = text.replace("\r\n", "\n").replace("\r", "\n")
    if not source.endswith("\n"):
        source += "\n"
    result, problem = "", (0, "")
    for tool in _tools(has_key) if prints else _tools(has_key)[1:]:
        try:
            refactored = partial(_refactored, tool)
            result = refactored(source) if prints else in_pieces(source, refactored)
            break
        except Exception as error:  # fissix raises its tokenizer's and driver's own kinds
            line = _error_line(error)
            if line >= problem[0]:
                problem = (line, str(error).splitlines()[0] if str(error) else repr(error))
    else:
        raise NotPython2(problem[1], problem[0] or 1)
    if prints or result != source:
        result = _expand_tabs(result)
        try:
            result = _in_single_brackets(result)
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None) or 1
            raise NotPython2(str(getattr(error, "msg", error)), line) from error
    changes = []
    lines = matcher(source.split("\n"), result.split("\n"), autojunk=False)
    for tag, low, high, _, _ in lines.get_opcodes():
        if tag != "equal":
            changes.append(
                Change(
                    "PY101",
                    low + 1,
                    max(high, low + 1),
                    "Python 2 syntax or built-in rewritten for Python 3",
                    confidence=Confidence.LIKELY,
                )
            )
    if not text.endswith(("\n", "\r")):
        result = result.rstrip("\n")
    return result.replace("\n", newline), tuple(changes)


def _refactored(tool: Any, source: str) -> str:
    return str(tool.refactor_string(source, "source"))


def _expand_tabs(text: str) -> str:
    """Python 2 read a tab in an indentation as going to the next multiple of eight."""
    try:
        ast.parse(text)
        return text
    except TabError:
        pass
    except (SyntaxError, ValueError):
        return text
    lines = []
    for line in text.split("\n"):
        body = line.lstrip(" \t")
        lines.append(line[: len(line) - len(body)].expandtabs(8) + body)
    return "\n".join(lines)


def _in_single_brackets(text: str) -> str:
    """``print(("%d" % n))``, which fissix makes of ``print("%d" % n)``, as it was written."""
    tree = ast.parse(text)
    source = SourceText(text, tree)
    gone: list[tuple[int, int, str]] = []
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="print"), args=[ast.Starred() | ast.Yield() | ast.YieldFrom()]):
                continue
            case ast.Call(func=ast.Name(id="print") as called, args=[value], keywords=[]):
                (_, opened), (start, end), (_, closed) = map(source.span, (called, value, node))
                if text[opened:start] == "((" and text[end:closed] == "))":
                    gone += [(start - 1, start, ""), (end, end + 1, "")]
    return source.splice(0, len(text), gone) if gone else text


def _error_line(error: Exception) -> int:
    context = getattr(error, "context", None)
    if isinstance(context, tuple) and len(context) == 2 and isinstance(context[1], tuple):
        return int(context[1][0])
    if len(error.args) > 1 and isinstance(error.args[1], tuple) and error.args[1]:
        first = error.args[1][0]
        return int(first) if isinstance(first, int) else 0
    return 0
