"""What the index keeps of one module: small, picklable, from `ast` alone."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from migrator.analysis.exports import Exports, exports
from migrator.analysis.names import NameTable
from migrator.analysis.python2 import is_of_both, needs_python3, python2_evidence

if TYPE_CHECKING:
    from migrator.analysis.parsed import Parsed

FactFunction = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class ModuleSummary:
    """The outside of one module.

    `imports`: every imported dotted path as written (``a.b.c`` also for ``from a.b import c``;
    relative ones keep their dots). `functions` and `classes` map top-level names to their line,
    `assigned` are the names that top-level code assigns.
    `facts`: results of the registered fact functions (see `analysis.facts.fact`).
    `python2`: what of it works on Python 2 only; `python3`: whether something needs Python 3;
    `both`: whether it was written for both.
    `exports`: what other modules can get from it that is not its own.
    `error` says why the file could not be read as Python 3 (it then has no contents).
    """

    sha256: str = ""
    imports: tuple[str, ...] = ()
    functions: Mapping[str, int] = field(default_factory=dict)
    classes: Mapping[str, int] = field(default_factory=dict)
    assigned: frozenset[str] = frozenset()
    has_main: bool = False
    python2: str = ""
    python3: bool = False
    both: bool = False
    exports: Exports = field(default_factory=Exports)
    facts: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""

    @classmethod
    def of(
        cls,
        path: str,
        text: str,
        facts: Mapping[str, FactFunction] | None = None,
        parsed: Parsed | None = None,
    ) -> ModuleSummary:
        """The summary of a module's text; never raises for bad input.

        `parsed` is the text as parsed where the caller has it.
        """
        from migrator.analysis.parsed import Parsed

        sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        try:
            module = parsed or Parsed(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return cls(sha256=sha256, error=f"{type(error).__name__}: {error}")
        tree = module.tree
        functions: dict[str, int] = {}
        classes: dict[str, int] = {}
        assigned: set[str] = set()
        has_main = False
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                functions[node.name] = node.lineno
            elif isinstance(node, ast.ClassDef):
                classes[node.name] = node.lineno
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    assigned.update(n.id for n in ast.walk(target) if isinstance(n, ast.Name))
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                assigned.add(node.target.id)
            elif isinstance(node, ast.If):
                has_main = has_main or is_main_test(node.test)
        python2 = python2_evidence(text, tree, lambda: module.names)
        outside = exports(module) if "import" in text else Exports()
        return cls(
            sha256=sha256,
            python2=python2,
            python3=not python2 and needs_python3(tree),
            both="print_function" in text and is_of_both(tree),
            imports=_imports(tree) if "import" in text else (),
            functions=functions,
            classes=classes,
            assigned=frozenset(assigned),
            has_main=has_main,
            exports=outside,
            facts=_facts(module, facts, "tf" in outside.loose),
        )


def _imports(tree: ast.Module) -> tuple[str, ...]:
    """All imported paths, walking statements only (an import is never inside an expression)."""
    found: list[str] = []
    stack: list[ast.AST] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Import):
            found.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            joint = "" if base.endswith(".") or not base else "."
            found.extend(
                base if alias.name == "*" else f"{base}{joint}{alias.name}"
                for alias in node.names
            )
        else:
            for name in ("finalbody", "orelse", "handlers", "body", "cases"):
                block = getattr(node, name, None)
                if isinstance(block, list):
                    stack.extend(reversed(block))
    return tuple(dict.fromkeys(found))


def _facts(
    module: Parsed, functions: Mapping[str, FactFunction] | None, starred: bool
) -> dict[str, Any]:
    """What `functions` find; `starred`: the module reads a ``tf`` that only a star import can bring.

    No other module is known yet, so that such a ``tf`` is taken for TensorFlow.
    """
    text, tree = module.text, module.tree
    if not functions:
        return {}
    tensorflow = starred or any(name in text for name in ("tensorflow", "tf_slim", "tf1_support"))
    guessed: NameTable | None = None
    if starred:
        guessed = NameTable.of(tree)
        guessed.follow(lambda dotted: "tensorflow" if dotted.endswith(".tf") else None)
    facts: dict[str, Any] = {}
    for name, function in functions.items():
        words = getattr(function, "words", ())
        if not tensorflow and not getattr(function, "anywhere", False):
            continue
        if words and not any(word in text for word in words):
            continue
        when = getattr(function, "when", None)
        if when is not None and not when(tree):
            continue
        try:
            value = function(tree, module.names if guessed is None else guessed, "")
        except Exception as error:  # one failing fact must not lose the module
            value = None
            facts[f"{name}.error"] = f"{type(error).__name__}: {error}"
        if value is not None:
            facts[name] = value
    return facts


def is_main_test(test: ast.expr) -> bool:
    """Whether an expression is ``__name__ == "__main__"``."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and len(test.comparators) == 1
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value == "__main__"
    )
