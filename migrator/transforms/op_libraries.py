"""`tf.load_op_library`: operations in C++ are kept by their call, and have to be compiled anew."""

from __future__ import annotations

from migrator.analysis.tree_walk import calls_in
from migrator.engine.context import FileContext
from migrator.engine.registry import transform

CODE = "DEP108"
_LOADS = frozenset({"tensorflow.load_op_library", "tensorflow.load_library"})


@transform
class OpLibraries:
    """DEP108: says of each library of operations that it was compiled for TensorFlow 1."""

    name = "op_libraries"
    triggers = _LOADS
    order = 93

    def run(self, ctx: FileContext) -> None:
        if ctx.index.is_migrated:  # by now they are compiled
            return
        for call in calls_in(ctx.tree):
            symbol = ctx.names.resolve_node(call.func) or ""
            if symbol in _LOADS:
                ctx.finding(
                    CODE, call, "operations that were compiled for TensorFlow 1 do not load in TensorFlow 2",
                    "Compile them anew with tf.sysconfig.get_compile_flags() and get_link_flags() of "
                    "TensorFlow 2.21 (C++17; a shape function in C++ takes RegisterShape's place). They are "
                    "called as before.", symbol="tf" + symbol.removeprefix("tensorflow"),
                )  # fmt: skip
