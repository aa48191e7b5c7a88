"""Functions that make the feed of a run: ``def feed_dict(train): ... return {x: xs, y: ys}``."""

from __future__ import annotations

import ast

from migrator.analysis.program import Program
from migrator.analysis.program_items import Item, Obstacle
from migrator.analysis.tree_walk import walk
from migrator.transforms.sessions.helpers import chain


def made_feed(
    call: ast.Call, items: list[Item], program: Program
) -> tuple[ast.FunctionDef, ast.Dict]:
    """The function beside the graph that a feed comes from, and the dict that it returns.

    Raises Obstacle where the function is not there, returns anything but one dict literal, or
    where other uses of it would see that the dict has other keys.
    """
    name = ast.unparse(call.func)
    made = [i.stmt for i in items if isinstance(i.stmt, ast.FunctionDef) and i.stmt.name == name]
    if len(made) != 1:
        raise Obstacle(call, "the feed is not a dict literal, so what it feeds is not known",
                       "feed a dict literal whose keys are placeholders")
    function = made[0]
    literal = _returned(function)
    if literal is None or function.decorator_list:
        raise Obstacle(function, f"the feed that {name} makes is not a dict literal",
                       "return a dict literal whose keys are placeholders")
    own = {a.arg for a in walk(function.args) if isinstance(a, ast.arg)} | {
        n.id for n in walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    for key in literal.keys:
        if isinstance(key, ast.Name) and key.id in own:
            raise Obstacle(key, f"a key of the feed that {name} makes is local to it",
                           "feed placeholders by their names")
    _refuse_other_uses(name, program)
    return function, literal


def _returned(function: ast.FunctionDef) -> ast.Dict | None:
    """The dict literal that a function returns at its end, and nowhere else."""
    returns = [n for n in walk(function) if isinstance(n, ast.Return)]
    inner = [n for n in walk(function) if n is not function
             and isinstance(n, (ast.FunctionDef, ast.Lambda, ast.Yield, ast.YieldFrom))]
    if len(returns) != 1 or returns[0] is not function.body[-1] or inner:
        return None
    value = returns[0].value
    if isinstance(value, ast.Name):
        uses = [n for n in walk(function) if isinstance(n, ast.Name) and n.id == value.id]
        bound = [s for s in function.body if isinstance(s, ast.Assign) and len(s.targets) == 1
                 and s.targets[0] in uses]
        value = bound[0].value if len(uses) == 2 and len(bound) == 1 else None
    return value if isinstance(value, ast.Dict) and None not in value.keys else None


def _refuse_other_uses(name: str, program: Program) -> None:
    """Every use must be a call whose result is a feed: what else reads it finds other keys."""
    scopes = list(chain(program))
    runs = [run for scope in scopes for item in scope.items for run in item.runs]
    fed = {id(run.feed_call.func) for run in runs if run.feed_call is not None}
    names = {run.feed_name for run in runs} - {""}
    uses: list[ast.Name] = []
    for node in {id(n): n for s in scopes for stmt in s.body for n in walk(stmt)}.values():
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and all(
            isinstance(t, ast.Name) and t.id in names for t in node.targets
        ):
            fed.add(id(node.value.func))
        elif isinstance(node, ast.Name) and node.id == name:
            uses.append(node)
    inside = {
        id(n) for s in scopes for function in s.running_functions()
        if function is not program.scope.node for n in walk(function)
    }
    for use in uses:
        if id(use) not in fed and id(use) not in inside:  # those are looked at by themselves
            raise Obstacle(use, f"the feed that {name} makes is used otherwise as well",
                           "feed a dict literal whose keys are placeholders")
