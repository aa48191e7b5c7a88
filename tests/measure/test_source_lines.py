"""Which line of the program an operation is told to come from."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from migrator.measure.programs.source_lines import SourceLines


class _Graph:
    def __init__(self, **made: list[tuple[Path, int]]) -> None:
        self.made = made
        self.asked = 0

    def get_operation_by_name(self, name: str) -> Any:
        self.asked += 1
        frames = [SimpleNamespace(filename=str(f), lineno=n) for f, n in self.made[name]]
        return SimpleNamespace(traceback=frames)


def test_the_innermost_line_of_the_program(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    (root / "tf1_support").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(root)
    library = tmp_path / "site-packages" / "ops.py"
    graph = _Graph(
        conv=[(root / "train.py", 9), (root / "net.py", 42), (root / "tf1_support" / "slim.py", 7),
              (library, 1)],
        foreign=[(library, 1)],
    )  # fmt: skip
    lines = SourceLines(graph, str(link))
    assert lines("conv") == lines("conv/XLA") == "net.py:42"
    assert lines("foreign") == lines("gone") == ""
    asked = graph.asked
    assert lines("conv") == "net.py:42" and graph.asked == asked  # remembered


@pytest.mark.parametrize("graph", [None, object()])
def test_without_a_graph(graph: Any) -> None:
    assert SourceLines(graph, "/")("conv") == ""
