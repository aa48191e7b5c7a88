"""Files that are opened as text and hold bytes: pickles, pictures, arrays, protocol buffers. Python 2 made no
difference; Python 3 decodes what it reads of a text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from migrator.analysis.tree_walk import children, last_name, nodes_below, walk
from migrator.analysis.values import argument
from migrator.engine.context import FileContext
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
CODE = "PY234"
_PICKLES = ("pickle", "cPickle", "six.moves.cPickle", "_pickle", "dill", "cloudpickle")
#: What works on a stream of bytes -> the place of the stream among its arguments, its keyword.
_STREAMS = {
    **{f"{module}.{name}": (place, "file") for module in _PICKLES
       for name, place in (("load", 0), ("dump", 1), ("Unpickler", 0), ("Pickler", 0))},
    **{f"numpy.{name}": (0, "file") for name in ("load", "save", "savez", "savez_compressed")},
    "PIL.Image.open": (0, "fp"), "scipy.io.loadmat": (0, "file_name"), "scipy.io.savemat": (0, "file_name"),
}  # fmt: skip
_WRITERS = ("dump", "Pickler", "save", "savez", "savez_compressed", "savemat")
#: What takes bytes, as its first argument.
_TAKERS = {
    *(f"{module}.loads" for module in _PICKLES),
    *(f"tensorflow.{room}.{name}" for room in ("image", "io")
      for name in ("decode_jpeg", "decode_png", "decode_gif", "decode_image", "decode_bmp", "is_jpeg")),
    "tensorflow.decode_raw", "tensorflow.io.decode_raw", "io.BytesIO", "numpy.frombuffer", "zlib.decompress",
}  # fmt: skip
_BYTES_LISTS = ("tensorflow.train.BytesList", "tensorflow.core.example.feature_pb2.BytesList")
_PARSERS = frozenset({"ParseFromString", "MergeFromString", "FromString"})
_GFILES = ("tensorflow.gfile.GFile", "tensorflow.gfile.Open", "tensorflow.gfile.FastGFile",
           "tensorflow.io.gfile.GFile")
_OPENS = ("builtins.open", "open", "io.open", "codecs.open", *_GFILES)
_MODES = {"", "r", "rt", "rU", "U", "w", "wt", "a", "w+", "r+", "a+"}
_HARMLESS = frozenset({"close", "flush", "seek", "tell"})
#: Where a value stands that is handed on as it is, and not worked on.
_HANDED = (ast.Call, ast.keyword, ast.List, ast.Tuple, ast.Dict)
_DEPTH = 3  # how many functions a value is followed into


@transform
class BinaryFiles:
    """PY234: ``open(path, "rb")`` where all that is done with the file is done with bytes."""

    name = "binary_files"
    triggers = frozenset((*_STREAMS, *_TAKERS, *_BYTES_LISTS, *_GFILES, "tensorflow.GraphDef"))
    order = 87

    def run(self, ctx: FileContext) -> str | None:
        lines, edits = Lines(ctx.text), {}
        for scope in walk(ctx.tree):
            if not isinstance(scope, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            own = list(nodes_below(scope, _FUNCTIONS))
            for opened, writes in _of_bytes(own, _Reader(ctx, own)):
                edit = _in_bytes(opened, writes, lines)
                if edit is not None and not ctx.suppressed(CODE, opened):
                    if id(opened) not in edits:
                        ctx.change(CODE, opened, "what is read and written here are bytes")
                    edits[id(opened)] = edit
        return apply(ctx.text, list(edits.values()))[0] if edits else None


def _of_bytes(own: list[ast.AST], reader: _Reader) -> Iterator[tuple[ast.Call, bool]]:
    """The calls of a scope that open files of bytes, and whether they are written."""
    for call in own:
        if not isinstance(call, ast.Call):
            continue
        stream, writes = reader.stream(call), reader.writes(call)
        if stream is None and reader.is_of_bytes(call):
            stream = _read_from(call)
        for opened in reader.opened(stream, call) if stream is not None else ():
            yield opened, writes


class _Reader:
    """Says of a scope what works on bytes."""

    def __init__(self, ctx: FileContext, own: list[ast.AST]) -> None:
        self._ctx, self._own = ctx, own
        self._above = {id(child): node for node in own for child in children(node)}

    def stream(self, node: ast.AST) -> ast.expr | None:
        """The stream that a call takes bytes from or gives them to, None for any other."""
        if not isinstance(node, ast.Call):
            return None
        place = _STREAMS.get(self._ctx.names.resolve_node(node.func) or "")
        return argument(node, *place) if place is not None else None

    def writes(self, call: ast.Call) -> bool:
        return last_name(call.func) in _WRITERS and self.stream(call) is not None

    def is_of_bytes(self, node: ast.AST) -> bool:
        """Whether a node is ``stream.read()`` of what has to be bytes."""
        if _read_from(node) is None:
            return False
        assert isinstance(node, ast.Call)
        above = self._above.get(id(node))
        if not (isinstance(above, ast.Assign) and len(above.targets) == 1):
            return self._is_taken(node, _DEPTH)
        name = above.targets[0]
        return isinstance(name, ast.Name) and self._held(name, _DEPTH)

    def opened(self, stream: ast.expr, call: ast.Call) -> list[ast.Call]:
        """The calls that open a stream; none where the text does not tell, or more is done with it."""
        if self._opens(stream):
            assert isinstance(stream, ast.Call)
            return [stream]
        if not isinstance(stream, ast.Name):
            return []
        blocks = [(node, item.context_expr) for node in self._own
                  if isinstance(node, (ast.With, ast.AsyncWith))
                  and node.lineno <= call.lineno <= (node.end_lineno or node.lineno)
                  for item in node.items if _is_name(item.optional_vars, stream.id)]  # fmt: skip
        if blocks:
            block, made = max(blocks, key=lambda found: found[0].lineno)
            within = [node for statement in block.body for node in walk(statement)]
        else:
            assigned = [
                node for node in self._own if isinstance(node, ast.Assign) and node.lineno <= call.lineno
                and any(_is_name(target, stream.id) for target in node.targets)
            ]  # fmt: skip
            if not assigned:
                return []
            last = max(assigned, key=lambda node: node.lineno)
            made, within = last.value, self._after(last, stream.id)
        if not self._opens(made) or not self._only_bytes(stream.id, within):
            return []
        assert isinstance(made, ast.Call)
        return [made]

    def _opens(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self._ctx.names.resolve_node(node.func) in _OPENS

    def _after(self, assigned: ast.Assign, name: str) -> list[ast.AST]:
        """What follows an assignment until its name is bound anew."""
        later = [node.lineno for node in self._own if isinstance(node, ast.Name) and node.id == name
                 and isinstance(node.ctx, ast.Store) and node.lineno > assigned.lineno]  # fmt: skip
        end = min(later, default=10**9)
        return [node for node in self._own if assigned.lineno < getattr(node, "lineno", 0) < end]

    def _only_bytes(self, name: str, nodes: list[ast.AST]) -> bool:
        """Whether a stream's bytes are taken and given, and it is closed at most."""
        fine = {id(found) for node in nodes if (found := self.stream(node)) is not None}
        fine |= {id(node.value) for node in nodes
                 if isinstance(node, ast.Attribute) and node.attr in _HARMLESS}  # fmt: skip
        fine |= {id(_read_from(node)) for node in nodes if self.is_of_bytes(node)}
        return all(id(node) in fine for node in nodes if isinstance(node, ast.Name) and node.id == name)

    def _held(self, name: ast.Name, depth: int) -> bool:
        """Whether what a name is given is taken as bytes, and nowhere worked on as a text."""
        bound = self._above.get(id(name))
        assert isinstance(bound, ast.Assign)
        return self._is_of(name.id, self._after(bound, name.id), depth)

    def _is_of(self, name: str, nodes: list[ast.AST], depth: int) -> bool:
        used = [node for node in nodes if _is_name(node, name) and isinstance(node.ctx, ast.Load)]
        handed = all(isinstance(self._above.get(id(node)), _HANDED) for node in used)
        return handed and any(self._is_taken(node, depth) for node in used)

    def _is_taken(self, value: ast.expr, depth: int) -> bool:
        """Whether a value is given to what takes bytes: itself, in the list of a feature, or by a function
        of the project."""
        above = self._above.get(id(value))
        if isinstance(above, ast.List):
            above = self._above.get(id(above))
        word = above.arg if isinstance(above, ast.keyword) else None
        call = self._above.get(id(above)) if isinstance(above, ast.keyword) else above
        if not isinstance(call, ast.Call):
            return False
        symbol = self._ctx.names.resolve_node(call.func) or ""
        first = bool(call.args) and call.args[0] is value
        if symbol in _BYTES_LISTS:
            return True
        if first and (symbol in _TAKERS or last_name(call.func) in _PARSERS):
            return True
        return depth > 0 and self._handed_on(symbol, call, value, word, depth)

    def _handed_on(self, symbol: str, call: ast.Call, value: ast.expr, word: str | None, depth: int) -> bool:
        found = self._function(symbol, call)
        if found is None:
            return False
        ctx, function = found
        names = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
        if names[:1] == ["self"]:
            del names[0]
        if word is None:
            place = next((i for i, arg in enumerate(call.args) if arg is value), len(names))
            word = names[place] if place < len(names) else None
        if word is None:
            return False
        nodes = list(nodes_below(function, _FUNCTIONS))
        return _Reader(ctx, nodes)._is_of(word, nodes, depth - 1)

    def _function(self, symbol: str, call: ast.Call) -> tuple[FileContext, ast.FunctionDef] | None:
        """The function of the project that a call calls, with the module that it stands in."""
        ctx = self._ctx
        own = call.func.id if isinstance(call.func, ast.Name) else ""
        function = _defined(ctx.tree, own)
        if function is not None:
            return ctx, function
        hit = ctx.index.definition(symbol, ctx.path)
        tree = ctx.index.tree(hit[0].path) if hit is not None else None
        function = _defined(tree, hit[1]) if tree is not None and hit is not None else None
        if hit is None or function is None:
            return None
        return ctx.anew(ctx.index.text(hit[0].path) or "", hit[0].path), function


def _is_name(node: ast.AST | None, name: str) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and node.id == name


def _read_from(node: ast.AST) -> ast.expr | None:
    """The stream of ``stream.read()``."""
    read = node.func if isinstance(node, ast.Call) else None
    return read.value if isinstance(read, ast.Attribute) and read.attr == "read" else None


def _defined(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    return next((s for s in tree.body if isinstance(s, ast.FunctionDef) and s.name == name), None)


def _in_bytes(call: ast.Call, writes: bool, lines: Lines) -> Edit | None:
    """The edit that opens a file for bytes; None where it is, or where the mode is not written."""
    if {word.arg for word in call.keywords} - {"mode", "name", "file", "buffering"}:
        return None
    mode = argument(call, 1, "mode")
    if mode is None:
        if writes or not (call.args or call.keywords):
            return None
        end = max(lines.span(a)[1] for a in (*call.args, *(word.value for word in call.keywords)))
        return Edit(end, end, (", 'rb'" if not call.keywords else ", mode='rb'",))
    if not isinstance(mode, ast.Constant) or mode.value not in _MODES:
        return None
    wanted = (str(mode.value).replace("U", "").replace("t", "") or "r") + "b"
    return Edit(*lines.span(mode), (repr(wanted),))
