"""Which line of the program an operation is told to come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

from migrator.measure.programs.source_lines import SourceLines


@dataclass
class Op:
    name: str
    frames: list[tuple[Path, int]] | None
    asked: list[int] = field(default_factory=list)

    @property
    def traceback(self) -> list[SimpleNamespace] | None:
        self.asked.append(1)
        if self.frames is None:
            return None
        return [SimpleNamespace(filename=str(f), lineno=n) for f, n in self.frames]


def graph(*ops: Op) -> SimpleNamespace:
    return SimpleNamespace(get_operations=lambda: list(ops))


def conv(root: Path) -> Op:
    return Op("net/Conv/Conv2D", [
        (root / "train.py", 9), (root / "net/ssd.py", 41), (root / "tf1_support/slim.py", 300),
        (Path("/lib/tensorflow/ops.py"), 7),
    ])  # fmt: skip


def test_the_innermost_line_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "tree")
    made = conv(tmp_path / "tree")
    lines = SourceLines(graph(made, Op("foreign", [(tmp_path / "ops.py", 1)])), str(link))
    assert lines("net/Conv/Conv2D") == lines("net/Conv/Conv2D/XLA") == "net/ssd.py:41"
    assert lines("foreign") == lines("gone") == ""
    assert lines("net/Conv/Conv2D") == "net/ssd.py:41" and len(made.asked) == 1  # remembered


def test_names_that_a_trace_gives(tmp_path: Path) -> None:
    lines = SourceLines(graph(conv(tmp_path)), str(tmp_path))
    assert lines("net/Conv/Conv2D:Conv2D") == "net/ssd.py:41"
    assert lines("StatefulPartitionedCall/net/Conv/Conv2D") == "net/ssd.py:41"
    assert lines("gradient_tape/net/Conv/Conv2D/Conv2DBackpropFilter") == "net/ssd.py:41"
    assert lines("gradients/net/Conv/Conv2D_grad/Conv2DBackpropInput") == "net/ssd.py:41"
    assert lines("ArithmeticOptimizer/ReorderCast_net/Conv/Conv2D") == ""
    assert lines("net/Conv/FusedThing") == "net/ssd.py:41"  # fused with its neighbours
    assert lines("elsewhere/Add") == ""


def test_no_graph_and_no_traceback_tell_no_line(tmp_path: Path) -> None:
    assert SourceLines(None, str(tmp_path))("a/b") == ""
    assert SourceLines(graph(Op("a/b", None)), str(tmp_path))("a/b") == ""
