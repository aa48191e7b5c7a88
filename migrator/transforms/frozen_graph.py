"""Loaded graphs run by tensor name become callables: no GraphDef import, no session."""

from __future__ import annotations

import libcst as cst

from migrator.analysis.facts_graph_code import in_graph_form
from migrator.analysis.facts_loaded_graphs import IMPORTERS, LoadedGraphs
from migrator.engine.context import FileContext
from migrator.engine.registry import transform
from migrator.model import Rung
from migrator.transforms.frozen.loads import Obstacle
from migrator.transforms.frozen.model import FrozenModel
from migrator.transforms.frozen.rewrite import FrozenRewrite

_WORDS = ("import_graph_def", "import_meta_graph")


@transform
class FrozenGraphs:
    """Rewrites the loads, sessions and runs of a file whose loaded graphs are all understood.

    Where graphs go from module to module, all of the modules are rewritten or none is.
    """

    name = "frozen_graph"
    together = frozenset({name})
    triggers = frozenset({*IMPORTERS, "tensorflow.Session", "tensorflow.get_default_graph"})
    order = 5

    def run(self, ctx: FileContext) -> cst.Module | None:
        linked = ctx.path in LoadedGraphs.of(ctx.index).modules
        if not linked and not any(word in ctx.text for word in _WORDS):
            return None
        if in_graph_form(ctx.text):  # which its loads stay in
            return None
        mark = ctx.mark()
        try:
            model = FrozenModel(ctx)
            if not model.found:
                return None
            if linked:
                _all_or_none(ctx)
            return FrozenRewrite(ctx, model).module()
        except Obstacle as problem:
            ctx.rollback(mark)
            ctx.finding(
                "TF391",
                problem.node,
                f"the loaded graph is run as a part of the graph that is built: {problem.message}",
                f"To load it as a function: {problem.advice}",
                Rung.SUPPORT,
                "tf.import_graph_def",
            )
            return None


def _all_or_none(ctx: FileContext) -> None:
    """Raises Obstacle where another of the modules between which graphs go has one."""
    answers = ctx.index.answers
    if "loaded graphs stay" not in answers:
        answers["loaded graphs stay"] = next(
            (place for path in sorted(LoadedGraphs.of(ctx.index).modules)
             if (place := _obstacle(ctx, path))), "",
        )
    place, _, message = answers["loaded graphs stay"].partition(":")
    if place and place != ctx.path:
        raise Obstacle(ctx.module, f"it goes to {place}, where {message}", "see there")


def _obstacle(ctx: FileContext, path: str) -> str:
    """``path:reason`` if a module keeps its graphs in sessions, else empty."""
    text = ctx.index.text(path)
    if text is None:
        return f"{path}:it cannot be read"
    if in_graph_form(text):
        return f"{path}:it has the form of a graph"
    try:
        trial = ctx.anew(text, path)
        FrozenRewrite(trial, FrozenModel(trial)).module()
    except Obstacle as problem:
        return f"{path}:{problem.message}"
    except (SyntaxError, cst.ParserSyntaxError) as error:
        return f"{path}:{type(error).__name__}"
    return ""
