"""What the functions of a module have to do with a graph: what they make of it, and whom they call."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Any, TypeGuard

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts import fact
from migrator.analysis.names import NameTable
from migrator.analysis.own_graphs import OwnGraphs
from migrator.analysis.tree_walk import walk

Unit = ast.FunctionDef | ast.AsyncFunctionDef

#: What only means something where a graph is being built, or run.
_OF_GRAPHS = frozenset({
    k.SESSION, k.PLACEHOLDER, k.INIT, k.SUPERVISOR, k.GRAPH, k.SAVER, k.VARIABLES, k.MERGED, k.EMA,
    k.UPDATE_OPS,
})
_METHODS = frozenset({"minimize", "apply_gradients", "compute_gradients", "make_one_shot_iterator",
                      "make_initializable_iterator", "make_initializer", "from_structure"})
#: Parts of TensorFlow that add nothing to a graph.
_PYTHON = (
    "app", "flags", "gfile", "logging", "io", "python_io", "errors", "test", "compat", "estimator",
    "contrib.tpu.TPU", "contrib.tpu.RunConfig", "contrib.tpu.InputPipelineConfig", "contrib.cluster_resolver",
    "contrib.learn.RunConfig", "contrib.estimator",
    "Session", "ConfigProto", "GPUOptions", "config", "reset_default_graph", "set_random_seed", "random.set_",
    "keras.backend.clear_session",
    "train.latest_checkpoint", "train.get_checkpoint_state", "train.list_variables", "train.load_",
    "train.checkpoint_exists", "train.NewCheckpointReader", "contrib.framework.list_variables",
    "contrib.framework.load_", "train.Example", "train.Feature",
    "train.BytesList", "train.Int64List", "train.FloatList", "train.Coordinator",
    "contrib.training.HParams", "Summary", "summary.Summary", "as_dtype", "RunOptions", "RunMetadata",
)
#: The same of the support package: code that was migrated is read as it was before.
_SUPPORT_PYTHON = (
    "flags", "gpu", "sessions.Session", "hparams", "tpu", "estimator", "experiment", "testing", "mnist",
    "checkpoint.latest_checkpoint", "monitored_sessions", "scipy_misc", "pillow", "missing",
    "scopes.reset_default_store",
)
#: The first takes the graph of its tensor, as `x.eval()` does; the other begins one, but builds nothing.
_NO_GRAPH_AROUND = frozenset({"tf1_support.graphs.evaluate", "tf1_support.graphs.clear_session"})
_BUILDING = "tf1_support.graphs.building"
MODULE, MAIN = "", "__main__"
_FORM = re.compile(r"^from tf1_support import graphs\b", re.M)


def in_graph_form(text: str) -> bool:
    """Whether a migration has given a module the form of a graph: what builds it was found then."""
    return _FORM.search(text) is not None


@fact("graph_code", "placeholder", "Session", "session", ".eval(", "Saver", "variables", "create_train_op",
      "evaluate_", "Graph(", "__main__", *sorted(_METHODS))
def graph_code(tree: ast.Module, names: NameTable, module: str) -> dict[str, Any] | None:
    """Unit (``f``, ``C.m``, "" for the module's own statements, "__main__" for those of its main
    block) -> {"direct": whether it handles a graph, "ops": whether it calls TensorFlow at all,
    "calls": names that it calls, as the project knows them, and ``.m`` for methods; "outside": those of
    them that it calls outside of the graphs of its own which are all that it handles, None where it
    handles others}."""
    del module
    return handling(_every(tree, names)) or None


@lru_cache(maxsize=1)  # both facts of a module ask
def _every(tree: ast.Module, names: NameTable) -> dict[str, dict[str, Any]]:
    """The facts of all units of a module."""
    return {name: unit_facts(nodes, names) for name, nodes in units(tree)}


def _joins(tree: ast.Module) -> bool:
    """Whether a module may make tensors, or be the script that hands them on: which has a main block, or
    calls things that it imports where it is read."""
    imported: set[str] = set()
    called: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            if any(word in ast.unparse(node) for word in ("tensorflow", "tf_slim", "tf1_support", "*")):
                return True
            imported |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif is_main(node):
            return True
        elif isinstance(node, (ast.Assign, ast.Expr)) and isinstance(node.value, ast.Call):
            called.add(ast.unparse(node.value.func).partition(".")[0])
    return len(called & imported) > 1


@fact("tensor_code", when=_joins, anywhere=True)
def tensor_code(tree: ast.Module, names: NameTable, module: str) -> dict[str, Any] | None:
    """The same of a module that handles no graph: what it makes may be for the graph of another one."""
    del module
    return quiet(_every(tree, names)) or None


def quiet(found: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The facts of a module's units where none handles a graph. Methods that these call by name may be
    anybody's, but for those of classes of which they make objects."""
    if any(unit["direct"] for unit in found.values()):
        return {}
    return {name: {**unit, "calls": [call for call in unit["calls"] if not call.startswith(".")],
                   "methods": [call[1:] for call in unit["calls"] if call.startswith(".")]}
            for name, unit in found.items() if unit["ops"] or unit["calls"]}


def handling(found: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The facts of a module's units; where none handles a graph, of its main block only, which may make
    what the functions that it calls build with. A `fit` that is called there may be anybody's."""
    if any(unit["direct"] for unit in found.values()):
        return found
    return {name: {**unit, "calls": [call for call in unit["calls"] if not call.startswith(".")]}
            for name, unit in found.items() if name == MAIN and unit["ops"]}


def is_main(node: ast.stmt) -> bool:
    """Whether a statement is ``if __name__ == "__main__":``."""
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test) and (
        "__main__" in ast.unparse(node.test))


def is_test_case(node: ast.AST) -> TypeGuard[ast.ClassDef]:
    """Whether a statement is a class of tests, by what its bases are called."""
    bases = [ast.unparse(base) for base in node.bases] if isinstance(node, ast.ClassDef) else []
    return any("TestCase" in base or base.endswith(("Test", "TestBase")) for base in bases)


def units(tree: ast.Module) -> Iterator[tuple[str, list[ast.AST]]]:
    """The units of a module, each with the nodes of its code."""
    own: list[ast.AST] = []
    for node in tree.body:
        if isinstance(node, Unit):
            yield node.name, _code(node)
        elif isinstance(node, ast.ClassDef):
            if is_test_case(node):
                continue  # each test gets a graph of its own
            for inner in node.body:
                if isinstance(inner, Unit):
                    yield f"{node.name}.{inner.name}", [*node.decorator_list, *_code(inner)]
                else:
                    own += walk(inner)
        elif is_main(node):
            yield MAIN, list(walk(node))
        else:
            own += walk(node)
    yield MODULE, own


def _code(function: Unit) -> list[ast.AST]:
    """The nodes of a function, without what it makes for an Estimator, which has a graph of its own."""
    others = {id(inner) for node in walk(function)
              if isinstance(node, Unit) and node is not function and _is_called_by_estimator(node)
              for inner in walk(node)}
    return [node for node in walk(function) if id(node) not in others]


def _is_called_by_estimator(function: Unit) -> bool:
    """Whether a function is a model_fn, or says what an exported model takes."""
    return any(isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
        ("EstimatorSpec", "ServingInputReceiver")) for node in walk(function))


def unit_facts(
    nodes: list[ast.AST], names: NameTable, loaded: Collection[str] = ()
) -> dict[str, Any]:
    """The facts of one unit, of which the parameters `loaded` are loaded graphs."""
    direct = ops = other = False
    calls: set[str] = set()
    outside: set[str] = set()
    own = OwnGraphs(nodes, names, makes_tensors)
    for node in nodes:
        handles = adds = False
        called: set[str] = set()
        if isinstance(node, ast.Attribute) and node.attr == "building":  # was found to be one before
            handles = names.resolve_node(node, values=False) == _BUILDING
        if isinstance(node, ast.Call):
            symbol = names.resolve_node(node.func, values=False) or ""
            if symbol.startswith(("tensorflow.", "tf1_support.graphs")):
                handles = symbol in k.RUNNING or k.call_kind(symbol) in _OF_GRAPHS or (
                    symbol.startswith("tf1_support") and symbol not in _NO_GRAPH_AROUND)
                adds = makes_tensors(symbol)
            elif symbol.startswith("tf1_support."):
                adds = not symbol[len("tf1_support.") :].startswith(_SUPPORT_PYTHON)
            elif symbol and not symbol.startswith("builtins."):
                called.add(symbol.partition("(")[0])
            elif isinstance(node.func, ast.Name):
                called.add(node.func.id)
            if isinstance(node.func, ast.Attribute):
                called.add(f".{node.func.attr}")
                if node.func.attr in _METHODS or (
                        _gives_session(node) and ast.unparse(node.func.value) not in loaded):
                    handles = True
        direct, ops, calls = direct or handles, ops or adds, calls | called
        if id(node) not in own.inside:
            other, outside = other or handles or adds, outside | called
    alone = own and not other and not own.let_out()
    return {"direct": direct, "ops": ops or direct, "calls": sorted(calls),
            "outside": sorted(outside) if alone else None}


def makes_tensors(symbol: str) -> bool:
    """Whether a function of TensorFlow adds to the graph."""
    return not symbol[len("tensorflow.") :].startswith(_PYTHON)


def _gives_session(call: ast.Call) -> bool:
    """Whether a method is called on a session, or given one: ``sess.run(...)``, ``x.eval(session=s)``."""
    assert isinstance(call.func, ast.Attribute)
    if call.func.attr in ("run", "partial_run", "graph"):
        return names_session(ast.unparse(call.func.value)) or not call.args and any(
            word.arg == "feed_dict" for word in call.keywords)
    if call.func.attr == "eval":
        return any(word.arg in ("session", "feed_dict") for word in call.keywords)
    return bool(call.args) and names_session(ast.unparse(call.args[0]))


def names_session(text: str) -> bool:
    """Whether people call a session so."""
    return text.lower().endswith(("sess", "session", "session()", "get_default_session()"))
