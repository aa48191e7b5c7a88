"""What calls give the parameters of functions, and what these are where a call gives nothing."""

from __future__ import annotations

import ast
from collections.abc import Sequence


def unpacks(call: ast.Call) -> bool:
    """Whether ``*`` or ``**`` hides some of a call's arguments."""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(
        a.arg is None for a in call.keywords)


def given_to(call: ast.Call, names: Sequence[str]) -> dict[str, ast.expr] | None:
    """Parameter -> argument of a call, where `names` are the parameters that take positional ones;
    None where some are hidden, or too many. Keywords are not looked up in `names`."""
    if unpacks(call) or len(call.args) > len(names):
        return None
    given = dict(zip(names, call.args, strict=False))
    return given | {a.arg: a.value for a in call.keywords if a.arg is not None}


def defaults_of(arguments: ast.arguments) -> dict[str, ast.expr]:
    """Parameter -> its default, of those that have one."""
    plain = [*arguments.posonlyargs, *arguments.args]
    pairs = [
        *zip(plain[len(plain) - len(arguments.defaults):], arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    return {parameter.arg: default for parameter, default in pairs if default is not None}


def none_by_default(arguments: ast.arguments) -> frozenset[str]:
    """Parameters that are None where nothing is given."""
    return frozenset(
        name for name, default in defaults_of(arguments).items()
        if isinstance(default, ast.Constant) and default.value is None
    )
