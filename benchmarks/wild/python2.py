"""Makes a Python 2 tree run on Python 3 as it ran on Python 2, to be the reference of its migration.

2to3 translates the syntax; what it leaves is `/`, which rounded whole numbers down, and tabs, which
reached to the next eighth column.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from pathlib import Path

_LEFT_OUT = (".git", "__pycache__")
_DIVIDE = "__python2_divide__"
# What Python 2 did: classes decide by __div__, which TensorFlow 1's tensors have.
_HELPER = (
    f"def {_DIVIDE}(a, b):\n"
    "    import numbers\n"
    "    if isinstance(a, numbers.Integral) and isinstance(b, numbers.Integral):\n"
    "        return a // b\n"
    "    for one, other, name in ((a, b, '__div__'), (b, a, '__rdiv__')):\n"
    "        method = getattr(type(one), name, None)\n"
    "        found = NotImplemented if method is None else method(one, other)\n"
    "        if found is not NotImplemented:\n"
    "            return found\n"
    "    kinds = [getattr(getattr(x, 'dtype', None), 'kind', '') for x in (a, b)]\n"
    "    whole = [k in 'iu' if k else isinstance(x, int) for k, x in zip(kinds, (a, b))]\n"
    "    return a // b if all(whole) else a / b\n"
)


def translated(root: Path, target: Path, python: str) -> Path:
    """A copy of the tree in `target`, put through the 2to3 of an interpreter, with old division."""
    shutil.copytree(root, target, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    as_python3 = set()  # modules that ask Python 2 to divide as 3 does; 2to3 drops the question
    for path in target.rglob("*.py"):
        if re.search(rb"(?m)^from __future__ import .*\bdivision\b", said := path.read_bytes()):
            as_python3.add(path)
        if b"\t" in said:
            path.write_bytes(re.sub(rb"(?m)^[ \t]+", lambda found: found.group().expandtabs(8), said))
    subprocess.run(
        [python, "-m", "lib2to3", "-w", "-n", "--no-diffs", "."], cwd=target, check=False,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    for path in set(target.rglob("*.py")) - as_python3:
        try:
            text = path.read_text(encoding="utf-8")
            path.write_text(old_division(text), encoding="utf-8")
        except (UnicodeDecodeError, SyntaxError):
            continue
    return target


def old_division(text: str) -> str:
    """The module with every `/` as Python 2 had it. Raises SyntaxError."""
    tree = ast.parse(text)
    imports = [n for n in tree.body if isinstance(n, ast.ImportFrom) and n.module == "__future__"]
    if any(alias.name == "division" for n in imports for alias in n.names):
        return text
    divisions = [n for n in ast.walk(tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)]
    stores = [
        n for n in ast.walk(tree) if isinstance(n, ast.AugAssign) and isinstance(n.op, ast.Div)
    ]
    if not divisions and not stores:
        return text

    class Divide(ast.NodeTransformer):
        def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
            self.generic_visit(node)
            if not isinstance(node.op, ast.Div):
                return node
            return ast.Call(ast.Name(_DIVIDE, ast.Load()), [node.left, node.right], [])

        def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
            self.generic_visit(node)
            if not isinstance(node.op, ast.Div) or not isinstance(node.target, ast.Name):
                return node
            value = ast.Call(
                ast.Name(_DIVIDE, ast.Load()), [ast.Name(node.target.id, ast.Load()), node.value], []
            )
            return ast.Assign([ast.Name(node.target.id, ast.Store())], value)

    tree = Divide().visit(tree)
    after = tree.body.index(imports[-1]) + 1 if imports else int(ast.get_docstring(tree) is not None)
    tree.body[after:after] = ast.parse(_HELPER).body
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
