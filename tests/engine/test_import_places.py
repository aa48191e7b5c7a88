"""An import stands above the first statement that needs it."""

from __future__ import annotations

import ast

import pytest

from migrator.engine.edits import Lines, apply
from migrator.engine.imports import import_edits


@pytest.mark.parametrize("use", ["graphs.build()", "if nt:\n  x = graphs.Graph()"])
def test_what_is_read_at_once_is_bound_above_it(use: str) -> None:
    text = f"import os\nimport tensorflow as tf\n\n{use}\n\nfrom tf1_support import slim\n"
    edits = import_edits(text, ast.parse(text), Lines(text), [("tf1_support", "graphs", "graphs")])
    new, _ = apply(text, edits)
    assert new.index("import graphs") < new.index("graphs.")
    other = import_edits(text, ast.parse(text), Lines(text), [("tf1_support", "names", "names")])
    assert apply(text, other)[0].endswith("from tf1_support import slim\nfrom tf1_support import names\n")
