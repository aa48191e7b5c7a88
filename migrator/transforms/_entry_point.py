"""Where a script begins: its `main`, or what stands under ``if __name__ == "__main__":``."""

from __future__ import annotations

import libcst as cst

from migrator.transforms import _flow as flow


def entry_point(module: cst.Module) -> cst.FunctionDef | cst.If | None:
    """None where a module has no such block, and so is imported rather than run."""
    guard = None
    for statement in module.body:
        if isinstance(statement, cst.If) and "__name__" in flow.code_of(statement.test):
            guard = statement
    if guard is None:
        return None
    for statement in module.body:
        if isinstance(statement, cst.FunctionDef) and statement.name.value in ("main", "_main"):
            return statement
    return guard
