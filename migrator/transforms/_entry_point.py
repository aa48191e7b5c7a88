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


def with_first_statement(module: cst.Module, made: cst.SimpleStatementLine) -> cst.Module:
    """The module with a statement put first into its entry point, behind the docstring."""
    entry = entry_point(module)
    assert entry is not None
    body = list(flow.statements(entry.body))
    position = 0
    small = flow.simple(body[0]) if body else None
    if isinstance(small, cst.Expr) and isinstance(small.value, cst.SimpleString):
        position = 1
    body.insert(position, made)
    suite = entry.body
    new_suite = (
        suite.with_changes(body=body)
        if isinstance(suite, cst.IndentedBlock)
        else cst.IndentedBlock(body)
    )
    return module.with_changes(
        body=[
            statement.with_changes(body=new_suite) if statement is entry else statement
            for statement in module.body
        ]
    )
