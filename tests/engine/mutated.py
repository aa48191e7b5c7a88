"""Real programs, changed in a few places as people and tools change them, and what must hold for each."""

from __future__ import annotations

import ast
import io
import random
import re
import tempfile
import textwrap
import tokenize
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.lines import lines_of
from migrator.model import FileResult, Status
from tests.engine.fuzzing import parsed

_STRING_LINES = (ast.Constant, ast.JoinedStr)
#: Comments to a tool about the code of their line, which go with it.
_DIRECTIVE = re.compile(
    r"#!|#\s*(noqa|nosec|type:|pylint:|flake8:|yapf:|fmt:|isort:|pragma:|mypy:|lint:)", re.IGNORECASE
)


def mutated(text: str, chosen: random.Random, most: int = 4) -> str:
    """`text` after some changes that leave it Python; as it is where none can be made."""
    for _ in range(chosen.randint(1, most)):
        change = chosen.choice(_CHANGES)
        tree = parsed(text)
        made = change(text, tree, chosen) if tree is not None else None
        if made is not None and made != text and compiles(made):
            text = made
    return text


def compiles(text: str) -> bool:
    tree = parsed(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return tree is not None and compile(tree, "mutated.py", "exec") is not None
        except (SyntaxError, ValueError, RecursionError):
            return False


def examine(text: str) -> tuple[FileResult | None, list[str]]:
    """(what becomes of a program that is a project of its own, all that must not be)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.py")
        result, problems = _run(path, text)
        if result is None or result.new_text is None:
            return result, problems
        if parsed(result.new_text) is None:
            return result, [*problems, "the result does not parse"]
        again, more = _run(path, result.new_text)
        if again is not None and again.new_text is not None:
            problems.append("a second run changes it again")
        problems += [f"second run: {problem}" for problem in more]
    said = " ".join(result.new_text.split())  # that of a placeholder is said in a docstring
    lost = [comment for comment in comments(text) - comments(result.new_text)
            if " ".join(comment.strip("# \t").split()) not in said]
    return result, [*problems, *(f"a comment is lost: {comment}" for comment in lost)]


def _run(path: Path, text: str) -> tuple[FileResult | None, list[str]]:
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    plan = build_plan(path.parent, Options(jobs=1))
    problems = [f"TF000: {f.message}" for f in plan.findings if f.code == "TF000"]
    result = next((f for f in plan.files if f.path == path.name), None)
    if result is not None and result.status is Status.FAILED and parsed(text) is not None:
        problems.append(f"valid Python failed: {result.error}")
    return result, problems


def comments(text: str) -> Counter[str]:
    """The comments of a text, but for those to tools."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return Counter()
    found = (token.string.rstrip() for token in tokens if token.type == tokenize.COMMENT)
    return Counter(comment for comment in found if not _DIRECTIVE.match(comment))


# -- the changes

_Change = Callable[[str, ast.Module, random.Random], str | None]


def _rows(text: str) -> list[str]:
    return lines_of(text, keepends=True)


def _bodies(tree: ast.Module) -> list[list[ast.stmt]]:
    """The lists of statements that stand on lines of their own."""
    found = []
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body and not isinstance(node, ast.Lambda):
                spans = [_span(statement) for statement in body]
                own = node.lineno if hasattr(node, "lineno") else 0
                apart = all(a[1] < b[0] for a, b in zip(spans, spans[1:], strict=False))
                if apart and spans[0][0] > own:
                    found.append(body)
    return found


def _span(node: ast.stmt) -> tuple[int, int]:
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    return first, node.end_lineno or node.lineno


def _statement(tree: ast.Module, chosen: random.Random) -> tuple[list[ast.stmt], int] | None:
    bodies = _bodies(tree)
    if not bodies:
        return None
    body = chosen.choice(bodies)
    return body, chosen.randrange(len(body))


def _delete(text: str, tree: ast.Module, chosen: random.Random) -> str | None:
    found = _statement(tree, chosen)
    if found is None:
        return None
    node = found[0][found[1]]
    rows, (first, last) = _rows(text), _span(node)
    indent = rows[first - 1][: len(rows[first - 1]) - len(rows[first - 1].lstrip())]
    return "".join([*rows[: first - 1], f"{indent}pass\n", *rows[last:]])


def _twice(text: str, tree: ast.Module, chosen: random.Random) -> str | None:
    found = _statement(tree, chosen)
    if found is None:
        return None
    rows, (first, last) = _rows(text), _span(found[0][found[1]])
    return "".join([*rows[:last], *rows[first - 1 : last], *rows[last:]])


def _swap(text: str, tree: ast.Module, chosen: random.Random) -> str | None:
    found = _statement(tree, chosen)
    if found is None or found[1] == 0:
        return None
    body, number = found
    rows, (a, b), (c, d) = _rows(text), _span(body[number - 1]), _span(body[number])
    return "".join([*rows[: a - 1], *rows[c - 1 : d], *rows[b : c - 1], *rows[a - 1 : b], *rows[d:]])


_WRAPPERS = (
    "if True:", "if ready:", "for _ in range(2):", "while True:", "with open('log') as log:", "try:",
    "def part():", "async def part():", "class Part(object):", "with tf.device('/cpu:0'):",
    "with tf.Graph().as_default():", "with tf.variable_scope('part'):",
)  # fmt: skip


def _wrap(text: str, tree: ast.Module, chosen: random.Random) -> str | None:
    """A run of statements goes into a block."""
    found = _statement(tree, chosen)
    if found is None:
        return None
    body, start = found
    end = min(len(body), start + chosen.choice((1, 1, 2, 5, 50))) - 1
    first, last = _span(body[start])[0], _span(body[end])[1]
    for node in ast.walk(tree):
        if isinstance(node, _STRING_LINES) and node.lineno != node.end_lineno and (
            first <= node.lineno <= last
        ):
            return None  # its lines may not move
    rows = _rows(text)
    inside = rows[first - 1 : last]
    indent = inside[0][: len(inside[0]) - len(inside[0].lstrip())]
    step = "\t" if "\t" in indent else "  "
    wrapper = chosen.choice(_WRAPPERS)
    made = [f"{indent}{wrapper}\n", *(step + row if row.strip() else row for row in inside)]
    if not made[-1].endswith("\n"):
        made[-1] += "\n"
    if wrapper == "try:":
        made.append(f"{indent}finally:\n{indent}{step}pass\n")
    return "".join([*rows[: first - 1], *made, *rows[last:]])


def _rename(text: str, tree: ast.Module, chosen: random.Random) -> str | None:
    """One name becomes another, everywhere."""
    names = sorted({n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} - {"self", "print"})
    if not names:
        return None
    old = chosen.choice([*names, *(n for n in ("tf", "sess", "session") if n in names)])
    new = chosen.choice(("x", "tf", "sess", f"{old}_", "T", "graph", "predict", "Größe", "step"))
    if new in names or not text.isascii():
        return None
    found = re.sub(rf"(?<![\w.'\"]){re.escape(old)}\b(?!['\"])", new, text)
    return re.sub(rf"^(\s*import tensorflow) as {old}\b", rf"\1 as {new}", found, flags=re.M)


def _comment(text: str, tree: ast.Module, chosen: random.Random) -> str | None:
    """Comments at the ends of lines, above them, and between brackets."""
    ends = {}  # of the lines with code, where a token ends
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in (tokenize.NL, tokenize.NEWLINE) and token.line.strip():
                ends[token.start[0]] = token.start[1]
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return None
    rows = _rows(text)
    for number in chosen.sample(sorted(ends), min(len(ends), chosen.randint(1, 12))):
        row, word = rows[number - 1], f"# note {chosen.randrange(10**6)}"
        if chosen.random() < 0.5 and "#" not in row and row.rstrip("\r\n"):
            bare = row.rstrip("\r\n")
            rows[number - 1] = f"{bare}  {word}{row[len(bare):]}"
        else:
            rows[number - 1] = f"{row[: len(row) - len(row.lstrip())]}{word}\n{row}"
    return "".join(rows)


def _argument(text: str, tree: ast.Module, chosen: random.Random) -> str | None:
    """An argument of a call goes, is given twice over, or becomes something else."""
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and (n.args or n.keywords)]
    if not calls:
        return None
    call = chosen.choice(calls)
    kind = chosen.randrange(4)
    if kind == 0 and call.keywords:
        call.keywords.pop(chosen.randrange(len(call.keywords)))
    elif kind == 1 and call.args:
        call.args[chosen.randrange(len(call.args))] = ast.Constant(None)
    elif kind == 2 and call.args:
        last = call.args.pop()
        call.args.append(ast.Starred(ast.List([last], ast.Load()), ast.Load()))
    else:
        call.keywords.append(ast.keyword(None, ast.Name("options", ast.Load())))
    lines = _rows(text)
    first, last_line = call.lineno - 1, (call.end_lineno or call.lineno) - 1
    head = lines[first].encode()[: call.col_offset].decode()
    tail = lines[last_line].encode()[call.end_col_offset or 0 :].decode()
    if "#" in "".join(lines[first : last_line + 1]):
        return None  # unparsing would lose the comments itself
    return "".join([*lines[:first], head + ast.unparse(call) + tail, *lines[last_line + 1 :]])


def _layout(text: str, tree: ast.Module, chosen: random.Random) -> str | None:
    """Line ends, form feeds, a byte-order mark, no end of the last line, blank lines."""
    kind = chosen.randrange(6)
    if kind == 0 and "\r" not in text:
        return text.replace("\n", "\r\n")
    if kind == 1:
        return text.rstrip("\r\n")
    rows = _rows(text)
    tops = [_span(node)[0] - 1 for node in tree.body]
    if kind == 2 and tops:
        rows.insert(chosen.choice(tops), "\f\n")
    elif kind == 3 and tops:
        at = chosen.choice(tops)
        rows[at] = f"\f{rows[at]}"
    elif kind == 4 and tops:
        rows.insert(chosen.choice(tops), "s = 'a\x85b\u2028c\x1cd'  # \x0b\u2029 é\n")
    else:
        return re.sub(r"(\r?\n)", r"\1\1", text) if "\\" not in text and "'''" not in text else None
    return "".join(rows)


def _into_main(text: str, tree: ast.Module, chosen: random.Random) -> str | None:
    """What a script does after its functions goes into one, which is called at the end."""
    tail = 0
    while tail < len(tree.body) and not isinstance(
        tree.body[-1 - tail], (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    ):
        tail += 1
    if tail < 2:
        return None
    first = _span(tree.body[-tail])[0]
    rows = _rows(text)
    inside = "".join(rows[first - 1 :])
    if "'''" in inside or '"""' in inside:
        return None
    end = chosen.choice(("main()\n", "if __name__ == '__main__':\n    main()\n", "tf.app.run()\n"))
    body = textwrap.indent(inside if inside.endswith("\n") else inside + "\n", "    ")
    return "".join([*rows[: first - 1], f"def main(_=None):\n{body}\n{end}"])


_CHANGES: tuple[_Change, ...] = (
    _delete, _delete, _twice, _swap, _swap, _wrap, _wrap, _wrap, _rename, _rename, _comment, _comment,
    _comment, _argument, _argument, _layout, _layout, _into_main,
)  # fmt: skip

__all__ = ["comments", "examine", "mutated"]
