"""Which names of a file hold frames of pandas, and which expressions are one."""

from __future__ import annotations

import ast

from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import walk

_READ = frozenset({"read_csv", "read_table", "read_excel", "read_pickle", "read_json"})
_IN_PARTS = frozenset({"chunksize", "iterator", "squeeze"})
_LIKE_ITSELF = frozenset({"copy", "append"})
_STILL_FRAMES = _LIKE_ITSELF | {
    "reset_index", "dropna", "fillna", "sort_values", "sort_index", "drop", "drop_duplicates", "head", "tail",
    "sample", "rename", "astype", "assign", "merge", "reindex", "replace",
}


class Frames:
    """Frames among the names and attributes of a file that get their values by plain assignments only."""

    def __init__(self, tree: ast.Module, names: NameTable) -> None:
        self._names, self._made = names, _assigned(tree)
        self._known = set(self._made)
        while gone := {key for key in self._known if not all(map(self.is_one, self._made[key]))}:
            self._known -= gone

    def is_one(self, node: ast.expr) -> bool:
        """Whether an expression is a frame."""
        match node:
            case ast.Name() | ast.Attribute():
                return ast.unparse(node) in self._known
            case ast.BinOp(left=left, op=op):  # also of frame += rate * other
                return not isinstance(op, ast.MatMult) and self.is_one(left)
            case ast.Call(func=ast.Attribute(value=owner, attr=attr), keywords=words):
                given = {word.arg for word in words}
                if attr in _STILL_FRAMES and "inplace" not in given and self.is_one(owner):
                    return True
                symbol = self._symbol(node)
                if symbol == "concat":
                    parts = node.args[0] if node.args else None
                    return isinstance(parts, ast.List) and any(map(self.is_one, parts.elts))
                return symbol == "DataFrame" or symbol in _READ and not given & _IN_PARTS
            case ast.Call():
                return self._symbol(node) == "DataFrame"
        return False

    def has_types(self, node: ast.expr, seen: frozenset[str] = frozenset()) -> bool:
        """Whether the columns of a frame have types of their own: those of an empty one that is given names
        only took those of the first rows, until pandas 2.1."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            key = ast.unparse(node)
            return key in seen or all(self.has_types(made, seen | {key}) for made in self._made.get(key, ()))
        match node:
            case ast.BinOp(left=left):
                return self.has_types(left, seen)
            case ast.Call(func=ast.Attribute(attr="astype")):
                return True
            case ast.Call(func=ast.Attribute(value=owner)) if self.is_one(owner):
                return self.has_types(owner, seen)
            case ast.Call() if self._symbol(node) == "DataFrame":
                given = {word.arg for word in node.keywords}
                return bool(node.args) or "data" in given or "dtype" in given or not given
        return True

    def origins(self, node: ast.expr) -> set[str]:
        """The names of the frames whose columns a frame has: its own, and those that it is a copy of."""
        key = ast.unparse(node)
        found, todo = {key}, [key]
        for current in todo:
            copies = {self._like(made) for made in self._made.get(current, ())} - {current}
            if len(copies) == 1 and "" not in copies:
                todo += copies - found
                found |= copies
        return found

    @staticmethod
    def _like(made: ast.expr) -> str:
        """What an expression has the columns of, empty where that is not told."""
        match made:
            case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in _LIKE_ITSELF:
                return ast.unparse(owner)
            case ast.BinOp(left=left):
                return ast.unparse(left)
        return ""

    def row_of(self, node: ast.expr, frame: ast.expr) -> ast.Call | None:
        """The row of a frame that an expression is: ``pd.Series(values, index=frame.columns, name=...)``."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            rows = [self.row_of(made, frame) for made in self._made.get(ast.unparse(node), ())]
            return rows[0] if rows and None not in rows else None
        if not isinstance(node, ast.Call) or self._symbol(node) != "Series":
            return None
        index = next((word.value for word in node.keywords if word.arg == "index"),
                     node.args[1] if len(node.args) > 1 else None)
        match index:
            case ast.Attribute(value=owner, attr="columns") if ast.unparse(owner) in self.origins(frame):
                return node
        return None

    def _symbol(self, call: ast.Call) -> str:
        symbol = self._names.resolve_node(call.func, values=False) or ""
        return symbol.removeprefix("pandas.") if symbol.startswith("pandas.") else ""


def _assigned(tree: ast.Module) -> dict[str, list[ast.expr]]:
    """Names and attributes -> all that a file makes them, where it does so by plain assignments only."""
    found: dict[str, list[ast.expr]] = {}
    stores: dict[str, int] = {}
    for node in walk(tree):
        match node:
            case ast.Name(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                stores[ast.unparse(node)] = stores.get(ast.unparse(node), 0) + 1
            case ast.arg(arg=name):
                stores[name] = stores.get(name, 0) + 1
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
                found.setdefault(ast.unparse(target), []).append(value)
            case ast.AugAssign(target=ast.Name() | ast.Attribute() as target, op=op, value=value):
                found.setdefault(ast.unparse(target), []).append(ast.BinOp(target, op, value))
    return {key: values for key, values in found.items() if stores.get(key) == len(values)}
