"""How a generated function begins: its decorator with the signature, and its docstring."""

from __future__ import annotations

import ast
import textwrap

from migrator.transforms.sessions.helpers import split_arguments
from migrator.transforms.sessions.step import ExpressionWriter, StepFunction, target_of


class HeadWriter(ExpressionWriter):
    """Writes what stands above a function's body."""

    def _decorator(self, function: StepFunction) -> list[str]:
        tf = self.style.tf
        arguments = []
        specs = [p.spec for p in function.parameters]
        if function.element is not None and not function.dataset:
            arguments.append("reduce_retracing=True")
        elif function.element is not None:
            own = [p.spec for p in function.parameters if p.spec]
            whole = f"{function.dataset}.element_spec"
            single = isinstance(target_of(function.element), ast.Name)
            if not own and not single:
                arguments.append(f"input_signature={whole}")
            else:
                first = whole if single else "*" + whole
                arguments.append(f"input_signature=[{', '.join([first, *own])}]")
        elif specs and all(specs):
            arguments.append(f"input_signature=[{', '.join(specs)}]")
        elif specs:
            arguments.append("reduce_retracing=True")
        if function.compiled:
            arguments.append("jit_compile=True")
        if not arguments:
            return [f"@{tf}.function"]
        line = f"@{tf}.function({', '.join(arguments)})"
        if len(line) <= self.source.width - 8:
            return [line]
        if arguments[0].startswith("input_signature=["):
            inner = arguments[0][len("input_signature=[") : -1]
            parts = split_arguments(inner)
            head = [f"@{tf}.function(input_signature=["]
            tail = "])" if len(arguments) == 1 else f"], {', '.join(arguments[1:])})"
            inner = self.step if len(self.step) == 4 else self.step * 2
            return head + [f"{inner}{part}," for part in parts] + [tail]
        return [line]

    def _docstring(self, function: StepFunction) -> list[str]:
        returned = listed(function.keys or function.outputs)
        if function.purpose:
            what = function.purpose
        elif function.trains or function.effects:
            what = "One training step" if function.trains else f"Runs {listed(function.effects)}"
            what += f"; returns {returned}" if function.outputs else ""
        else:
            what = f"Computes {returned}" if function.outputs else "Writes summaries"
        described = [p for p in function.parameters if p.doc]
        if not described:
            return [f'"""{what}."""']
        lines = [f'"""{what}.', "", "Args:"]
        for p in described:
            lines += textwrap.wrap(f"{p.name}: {p.doc}", self.source.width - 8,
                                   initial_indent=self.step, subsequent_indent=self.step * 2,
                                   break_long_words=False, break_on_hyphens=False)
        return [*lines, '"""']


def listed(names: list[str]) -> str:
    """``a, b and c``."""
    names = [name.strip("'\"").removeprefix("self.") for name in names]
    if not names:
        return "nothing"
    if len(names) == 1:
        return names[0]
    return ", ".join(names[:-1]) + " and " + names[-1]
