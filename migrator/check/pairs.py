"""What the two texts of one file show: names that edits lost or moved, and what they deleted."""

from __future__ import annotations

import ast
import io
import re
from collections import Counter
from collections.abc import Iterator

from migrator.analysis.facts_graph_code import names_session
from migrator.analysis.names import Reference, Scope
from migrator.check import flow
from migrator.check.guards import Guards
from migrator.check.records import Flaw, Kind
from migrator.check.units import Reader

#: Methods of what Python and TF 1 make, which have other successors than their names.
_METHODS = frozenset(
    name for kind in (str, bytes, list, dict, set, tuple, io.TextIOBase, io.RawIOBase)
    for name in dir(kind)
)  # fmt: skip
#: Keywords that change nothing about what is computed.
_NAMING = frozenset(("name", "colocate_gradients_with_ops", "gate_gradients", "aggregation_method",
                     "use_locking", "parallel_iterations", "swap_memory", "config",
                     "max_queue_size", "max_q_size", "workers", "use_multiprocessing", "pickle_safe"))
#: Calls around a session: native code has something else in their place, and what they were given
#: need not be given to anything.
_PLUMBING = frozenset(
    ("placeholder", "placeholder_with_default", "sparse_placeholder", "GPUOptions", "ConfigProto",
     "Session", "InteractiveSession", "Saver", "run", "OptimizerOptions", "RunOptions",
     "MonitoredTrainingSession", "Supervisor", "start_queue_runners", "FileWriter", "get_variable",
     "name_scope", "op_scope", "Variable", "batch", "shuffle_batch", "device", "import_graph_def",
     "SessionConfig", "session", "test_session", "cached_session", "get_tensor_by_name",
     "get_operation_by_name")
)  # fmt: skip
#: Modules whose functions give values and do nothing else.
_PURE = frozenset(
    ("numpy", "math", "builtins", "tensorflow", "tf_slim", "keras", "operator", "itertools",
     "functools", "collections", "typing", "copy", "six", "__future__")
)  # fmt: skip
_ACTING_MODULES = frozenset(("os", "shutil", "subprocess"))
ACTING = frozenset(
    ("print", "input", "setattr", "delattr", "exec", "makedirs", "mkdir", "remove", "unlink", "rename",
     "replace", "system", "rmtree", "copyfile", "copytree", "move", "check_call", "Popen", "symlink")
)  # fmt: skip
#: What makes variables, by the last part of its name, under TF 1 and afterwards.
MAKERS = frozenset(
    ("Variable", "get_variable", "get_local_variable", "model_variable", "variable", "dense",
     "conv1d", "conv2d", "conv3d", "conv2d_transpose", "conv3d_transpose", "separable_conv2d",
     "convolution2d", "convolution", "fully_connected", "batch_norm", "batch_normalization",
     "layer_norm", "instance_norm", "group_norm", "linear", "embed_sequence", "embedding_lookup_unique",
     "dynamic_rnn", "bidirectional_dynamic_rnn", "static_rnn", "static_bidirectional_rnn",
     "raw_rnn", "LSTMCell", "BasicLSTMCell", "GRUCell", "BasicRNNCell", "MultiRNNCell")
)  # fmt: skip
#: What may make the variables instead.
_OTHER_MAKERS = {"get_variable": ("Variable",)}


def flaws(old: Reader, new: Reader) -> Iterator[Flaw]:
    """What is wrong with the text of `new`, which was made from that of `old`."""
    yield from _late(old, new)
    yield from _unread(old, new)
    known = {why for _, why in old.misfits}
    for line, why in new.misfits:
        if why not in known:
            yield Flaw(Kind.CALL, line, why)
    yield from _dropped(old, new)


def _late(old: Reader, new: Reader) -> Iterator[Flaw]:
    before = frozenset(_functions(old))
    lines = new.parsed.text.split("\n")
    found = list(flow.Module(new.names).late(lambda node: _slice(lines, node) not in before))
    if not found:
        return
    earlier = [late for _, late in flow.Module(old.names).late(lambda node: True)]
    surely = {late.name for late in earlier if late.sure}
    perhaps = {late.name for late in earlier}
    said: set[tuple[str, int]] = set()
    for _, late in found:
        if late.name in (surely if late.sure else perhaps) or (late.name, late.line) in said:
            continue
        said.add((late.name, late.line))
        how = "before anything binds it" if late.sure else "where only some paths bind it"
        by = f" by {late.via}()" if late.via else ""
        yield Flaw(Kind.UNBOUND, late.line, f"{late.name} is read{by} {how}", late.name)


def _functions(reader: Reader) -> Iterator[str]:
    lines = reader.parsed.text.split("\n")
    for scope in reader.names.scopes:
        if scope.kind == "function":
            yield _slice(lines, scope.node)


def _slice(lines: list[str], node: ast.AST) -> str:
    return "\n".join(lines[node.lineno - 1 : node.end_lineno])  # type: ignore[attr-defined]


# -- what nobody reads any more


def _unread(old: Reader, new: Reader) -> Iterator[Flaw]:
    if new.path.endswith("_pb2.py"):
        return  # its imports register messages
    now, before = _idle(new), _idle(old)
    reads: dict[str, list[Reference]] | None = None
    for name, line in now.items():
        if name in before:
            continue
        owner, _, argument = name.rpartition(":")
        if not owner:
            if not new.path.endswith("__init__.py"):
                yield Flaw(Kind.UNUSED, line, f"nothing in this file reads {name} any more", name)
            continue
        if reads is None:
            reads = _argument_reads(old)
        if name in reads and argument not in _NAMING and _mattered(old, reads[name]):
            yield Flaw(
                Kind.DELETED, line, f"the argument {argument} of {owner}() has no effect any more",
                argument,
            )  # fmt: skip


def _idle(reader: Reader) -> dict[str, int]:
    """Imports of the module, and arguments (``function:argument``), that nothing reads."""
    read, names = reader.paths.read, reader.names
    idle: dict[str, int] = {}
    for scope in names.scopes:
        if scope.kind == "module":
            for name, bindings in scope.bindings.items():
                if (scope.index, name) not in read and all(b.kind == "import" for b in bindings):
                    idle[name] = bindings[0].node.lineno  # type: ignore[attr-defined]
        elif scope.kind == "function":
            for argument in _arguments(scope):
                if (scope.index, argument.arg) not in read:
                    idle[f"{reader.owners[scope.index]}:{argument.arg}"] = argument.lineno
    return idle


def _arguments(scope: Scope) -> Iterator[ast.arg]:
    """The parameters of a function that nothing else binds; an object's own is none."""
    args = scope.node.args  # type: ignore[attr-defined]
    names = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    if scope.parent is not None and scope.parent.kind == "class":
        names = names[1:]
    for argument in names:
        if argument.arg not in ("self", "cls", "_") and len(scope.bindings[argument.arg]) == 1:
            yield argument


def _argument_reads(reader: Reader) -> dict[str, list[Reference]]:
    found: dict[str, list[Reference]] = {}
    for reference in reader.names.references:
        home = reader.names.find(reference.root, reference.scope)
        if home is not None and isinstance(home[1][0].node, ast.arg):
            name = f"{reader.owners[home[0].index]}:{reference.root}"
            found.setdefault(name, []).append(reference)
    return found


def _mattered(reader: Reader, reads: list[Reference]) -> bool:
    """Whether an argument did more than name things, set a session up or be one."""
    guards = Guards(reader.parsed.text, lambda: reader.statements)
    left = [
        reference.node for reference in reads  # but for guards: what only another version did with it
        if not names_session(reference.root) and not guards.at(reference.node.lineno)]
    others = _changing_nothing(reader) if left else []
    return any(not any(_inside(node, other) for other in others) for node in left)


def _changing_nothing(reader: Reader) -> list[ast.expr]:
    """The calls around sessions, and what other calls are given by keywords that change nothing."""
    found: list[ast.expr] = []
    for reference in reader.names.references:
        call = reference.call
        if call is None:
            continue
        if (reference.attrs[-1] if reference.attrs else reference.root) in _PLUMBING:
            found.append(call)
        found += [word.value for word in call.keywords if word.arg in _NAMING]
    return found


def _inside(node: ast.expr, other: ast.expr) -> bool:
    start, end = (other.lineno, other.col_offset), (other.end_lineno or 0, other.end_col_offset or 0)
    return start <= (node.lineno, node.col_offset) < end


# -- what is not there any more


def _dropped(old: Reader, new: Reader) -> Iterator[Flaw]:
    """Calls of the program's own functions, and of what acts, that the new text has nowhere."""
    text = new.parsed.text
    made: Counter[str] = Counter()
    calls: dict[str, Reference | None] = {}
    for reference in old.names.references:
        if reference.call is None:
            continue
        if reference.attrs:
            name, written = reference.attrs[-1], f".{reference.attrs[-1]}"
        else:
            name = written = reference.root
        if written not in calls:
            calls[written] = None if written in text else reference
        if name in MAKERS:
            made[name] += 1
    for written, missing in calls.items():
        name = written.removeprefix(".")
        if missing is None or name in _METHODS or names_session(name) or not _acts(old, missing):
            continue  # what gave a session need not
        if re.search(rf"\.[\s\\]*{name}\b" if written != name else rf"\b{name}\b", text) is None:
            where = missing.node.lineno
            paths = old.paths.of(missing.root, missing.scope) or ("",)
            symbol = ".".join((paths[0], *missing.attrs)) if paths[0] else name
            yield Flaw(Kind.DELETED, where, f"the call of {name}() is gone", f"{symbol}()", True)
    for name, count in made.items():
        left = _there(name, text)
        for other in _OTHER_MAKERS.get(name, ()):
            left += max(0, _there(other, text) - made[other])
        if left < count:
            line = next(
                r.node.lineno for r in old.names.references
                if r.call is not None and (r.attrs[-1] if r.attrs else r.root) == name
            )
            yield Flaw(
                Kind.DELETED, line, f"{count - left} of {count} calls of {name}(), which makes "
                "variables, are gone", name, True,
            )  # fmt: skip


def _there(name: str, text: str) -> int:
    """How often a name stands in a text."""
    return len(re.findall(rf"\b{name}\b", text))


def _acts(old: Reader, reference: Reference) -> bool:
    """Whether a call may do more than give a value: those of the project's own functions (which of
    them are is not known here), and of what changes files."""
    name = reference.attrs[-1] if reference.attrs else reference.root
    paths = old.paths.of(reference.root, reference.scope)
    if paths:
        top = paths[0].partition(".")[0].partition("(")[0]
        if top in _ACTING_MODULES:
            return name in ACTING
        if top in _PURE:
            return False
        return not paths[0].startswith(f"{old.module}.")  # else its definition is gone as well
    found = old.names.find(reference.root, reference.scope)
    if found is None:
        return reference.root in ACTING
    if not reference.attrs:
        return False
    return name not in {owner.rpartition(".")[2] for owner in old.owners.values()}


__all__ = ["flaws"]
