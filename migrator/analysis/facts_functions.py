"""What every function of a module returns and does, as far as its graph is concerned."""

from __future__ import annotations

import ast
from typing import Any

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts import fact
from migrator.analysis.input_functions import returned_elements
from migrator.analysis.names import NameTable, Scope
from migrator.analysis.program import Program
from migrator.analysis.queue_pipelines import pipelines
from migrator.analysis.support_names import tf1_symbol
from migrator.analysis.tree_walk import blocks_of, has_functions, walk
from migrator.analysis.values import FORMS, FunctionFact, Value, argument

_QUEUED = frozenset({"string_input_producer", "slice_input_producer", "make_one_shot_iterator",
                     "DatasetDataProvider"})
# Methods that make no variables, whatever a class of the project calls its own.
_METHODS_OF_PYTHON = frozenset(
    name for kind in (str, bytes, list, dict, set) for name in dir(kind) if not name.startswith("_")
) | {"get_shape", "as_list", "run", "eval", "close", "read", "write", "set_shape"}  # and of TensorFlow
#: Bodies longer than this are summarised without following what they return.
MAX_STATEMENTS = 2000


@fact("functions", when=has_functions)
def function_facts(tree: ast.Module, names: NameTable, module: str) -> dict[str, Any] | None:
    """Top-level function name -> {kind, parts, flags, calls}.

    `kind` and `parts` say what calling it without tensors returns (see `graph_kinds`); flags:
    ``ops`` (makes tensors), ``layers`` (may make variables through layers), ``variables`` (makes
    them), ``batch_norm``, ``session`` (runs one), ``queues`` (reads from them),
    ``elements`` (takes them from an iterator),
    ``default session`` (uses the caller's), ``placeholders``,
    ``tf variables`` (calls tf.Variable), ``variable NAME`` (with this name, see `variable_flag`),
    ``cond`` (calls tf.cond, which takes no Python bool),
    ``default names`` (of variables, so that they depend on what was built before); ``single``,
    ``tuple``, ``dict`` or ``container`` (returns one tensor, a flat container of them, or one of
    variables). `calls` are dotted names of other functions it calls, whose flags it inherits, and
    ``.m`` for methods of objects and classes of the module.
    """
    if any(isinstance(node, ast.Attribute) and node.attr in _QUEUED
           for node in walk(tree)):  # what the module will be once its queues are data sets
        text = ast.unparse(tree)
        again = ast.parse(text)
        found = pipelines(text, again, NameTable.of(again, module))
        if found is not None:
            tree = ast.parse(found.text)
            names = NameTable.of(tree, module)
    facts = module_functions(tree, names)
    return {
        name: {"kind": f.kind, "parts": list(f.parts), "flags": sorted(f.flags),
               "calls": sorted(calls)}
        for name, (f, calls) in facts.items()
    } or None


def module_functions(
    tree: ast.Module, names: NameTable
) -> dict[str, tuple[FunctionFact, set[str]]]:
    """`function_facts` as records, for the module's own use."""
    scopes = {id(scope.node): scope for scope in names.scopes}
    result: dict[str, tuple[FunctionFact, set[str]]] = {}
    nodes = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    pending: list[str] = []

    def known(name: str) -> FunctionFact | None:
        if name in result:
            return result[name][0]
        if name in nodes and name not in pending and len(pending) < 20:
            pending.append(name)
            result[name] = function_summary(nodes[name], names, scopes, known)
            pending.pop()
            return result[name][0]
        return None

    for name in nodes:
        known(name)
    return result


def function_summary(
    node: ast.FunctionDef, names: NameTable, scopes: dict[int, Scope], known: Any
) -> tuple[FunctionFact, set[str]]:
    """What one function returns and does, and the dotted names that it calls; `known` tells it of
    the functions of its module by name."""
    scope = scopes.get(id(node))
    flags, calls = call_flags(node, names, scope, known)
    count = sum(isinstance(inner, ast.stmt) for inner in walk(node))
    if scope is None or count > MAX_STATEMENTS:
        return FunctionFact(k.TENSOR if "ops" in flags else k.PY, (), frozenset(flags)), calls
    kind, parts, single = _returned(node, names, scope, known)
    if single:
        flags.add(single)
    return FunctionFact(kind, parts, frozenset(flags), node), calls


def call_flags(
    node: ast.AST, names: NameTable, scope: Scope | None, known: Any
) -> tuple[set[str], set[str]]:
    """The flags of the calls below `node`, and the dotted names that they call."""
    flags: set[str] = set()
    calls: set[str] = set()
    own = scoped_calls(node, names, scope)
    for inner in walk(node):
        if isinstance(inner, ast.Call):
            found = set[str]()
            _flag_call(inner, names, scope, known, found, calls)
            flags |= found - {"default names"} if id(inner) in own and (
                "tf variables" not in found) else found
    return flags, calls


def _flag_call(
    call: ast.Call, names: NameTable, scope: Scope | None, known: Any,
    flags: set[str], calls: set[str],
) -> None:
    if isinstance(call.func, ast.Attribute) and call.func.attr == "get_next":
        flags.add("elements")
    symbol = names.resolve_node(call.func, scope, values=False)
    symbol = symbol and tf1_symbol(symbol)
    if symbol is None or symbol.startswith("builtins."):
        if isinstance(call.func, ast.Name):
            other = known(call.func.id)
            if other is not None:
                flags |= other.flags - FORMS
            elif symbol is None:
                calls.add(f".{call.func.id}")
        elif symbol is None and isinstance(call.func, ast.Attribute) and (
                call.func.attr not in _METHODS_OF_PYTHON):
            calls.add(f".{call.func.attr}")
        return
    if not symbol.startswith("tensorflow."):
        calls.add(f".{symbol.rpartition('.')[2]}" if "()." in symbol else symbol)
        return
    if symbol.startswith("tensorflow.get_default_session"):
        flags.add("default session")
    kind = k.call_kind(symbol) if "()" not in symbol else k.OP
    if symbol in k.BATCH_NORM:
        flags.add("batch_norm")
    if k.makes_keras_variables(symbol):
        flags.add("keras")
    if k.is_layer(symbol):
        flags |= {"layers", "ops"}
        if not named_layer(call) and symbol.rpartition(".")[2] not in k.LAYERS_WITHOUT_VARIABLES:
            flags.add("default names")
    elif kind == k.VARIABLE:
        flags.add("variables")
        if symbol == "tensorflow.Variable":
            flags |= {"default names", "tf variables", variable_flag(call)}
    elif kind == k.SESSION:
        flags.add("session")
    elif kind == k.PLACEHOLDER:
        flags |= {"placeholders", "ops"}
    elif kind not in (k.PY, k.DATASET, k.ITERATOR, k.CONFIG):
        flags |= {"ops", "optimizers"} if kind == k.OPTIMIZER else {"ops"}
    if symbol in k.QUEUES:
        flags.add("queues")
    if symbol.startswith("tensorflow.losses.get"):
        flags.add("reads losses")
    if symbol == "tensorflow.cond":
        flags.add("cond")


def variable_flag(call: ast.Call) -> str:
    """``variable NAME`` for a call of tf.Variable: NAME is ``Variable``, TF1's own, without a name
    and ``?`` where the name is computed."""
    name = argument(call, 4, "name")
    if name is None:
        return "variable Variable"
    known = isinstance(name, ast.Constant) and isinstance(name.value, str)
    return f"variable {name.value.rpartition('/')[2] if known else '?'}"  # type: ignore[attr-defined]


def scoped_calls(node: ast.AST, names: NameTable, scope: Scope | None) -> set[int]:
    """The calls below `node`, by id, in a variable scope that is opened there by its name.

    TF1 counts default names of layers anew each time a variable scope is opened, so those of layers
    in such a block do not depend on what was built before it.
    """
    found: set[int] = set()
    for inner in walk(node):
        if not isinstance(inner, ast.With):
            continue
        for item in inner.items:
            call = item.context_expr
            if isinstance(call, ast.Call) and _opens_named(call, names, scope):
                found |= {id(n) for stmt in inner.body for n in walk(stmt) if isinstance(n, ast.Call)}
    return found


def _opens_named(call: ast.Call, names: NameTable, scope: Scope | None) -> bool:
    symbol = names.resolve_node(call.func, scope, values=False)
    if symbol is None or tf1_symbol(symbol) != "tensorflow.variable_scope":
        return False
    given = {a.arg for a in call.keywords}
    named = call.args and not (
        isinstance(call.args[0], ast.Starred)
        or isinstance(call.args[0], ast.Constant) and not call.args[0].value
    )
    return bool(named) and len(call.args) == 1 and not given & {"default_name", None}


def named_layer(call: ast.Call) -> bool:
    """Whether a layer call says which scope its variables go to."""
    return any(
        a.arg in ("scope", "name") and not (isinstance(a.value, ast.Constant) and not a.value.value)
        for a in call.keywords
    )


def _returned(
    node: ast.FunctionDef, names: NameTable, scope: Scope, known: Any
) -> tuple[str, tuple[str, ...], str]:
    given = [inner.value for inner in _returns(node.body) if inner.value is not None]
    if not given or any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk(node)):
        return k.PY, (), ""
    program = Program(names, scope, node.body, known)
    values = [program.expressions.value(value) for value in given]
    kinds = {value.kind for value in values}
    first = values[0]
    if len(kinds) == 1:
        kind = first.kind
    elif kinds & k.TRACED:
        kind = k.TENSOR
    else:
        kind = k.OP if k.OP in kinds else k.PY
    parts: tuple[str, ...] = ()
    if len(values) == 1 and first.parts is not None and isinstance(first.literal, ast.Tuple):
        parts = tuple(part.kind for part in first.parts)
        if parts and set(parts) == {k.ELEMENT}:
            kind = k.ELEMENT
        elif parts and k.PLACEHOLDER in parts:
            kind = k.TENSOR
    if kind == k.ELEMENT and returned_elements(program) is None:
        kind, parts = k.TENSOR, ()
    forms = {_form(value, program) for value in values}
    return kind, parts, forms.pop() if len(forms) == 1 else ""


def _form(value: Value, program: Program) -> str:
    """What is known of a value's form, see `function_facts`."""
    if value.parts is not None and isinstance(value.literal, (ast.Tuple, ast.Dict)):
        if all(part.parts is None and part.kind in (k.TENSOR, k.OP) for part in value.parts):
            return "dict" if isinstance(value.literal, ast.Dict) else "tuple"
        return ""
    if value.kind == k.VARIABLE and value.container:
        return "container"
    return "single" if program.expressions.is_one(value) else ""


def _returns(statements: list[ast.stmt]) -> list[ast.Return]:
    found: list[ast.Return] = []
    for stmt in statements:
        if isinstance(stmt, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(stmt, ast.Return):
            found.append(stmt)
        for block in blocks_of(stmt):
            found += _returns(block)
    return found
