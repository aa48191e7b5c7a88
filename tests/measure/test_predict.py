"""The liveness replay on graphs small enough to check by hand, and the device catalogue."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrator.measure.predict import devices
from migrator.measure.predict.liveness import Node, Output, replay

K = 1024


def chain(*ops: tuple[str, dict[int, int], tuple[int, ...]]) -> list[Node]:
    """A chain in which each op reads the one before; the first has no input."""
    return [
        Node(f"n{i}", op, ((i - 1, 0),) if i else (), (), (Output(K),), alias, forwards)
        for i, (op, alias, forwards) in enumerate(ops)
    ]


def test_a_chain_holds_two_buffers() -> None:
    nodes = chain(*[("MatMul", {}, ())] * 5)
    assert replay(nodes, [(4, 0)]).bytes == 2 * K


def test_in_place_ops_hold_one() -> None:
    nodes = chain(("MatMul", {}, ()), *[("Relu", {}, (0,))] * 4)
    assert replay(nodes, [(4, 0)]).bytes == K


def test_a_buffer_with_a_second_reader_is_not_overwritten() -> None:
    nodes = [*chain(("MatMul", {}, ()), ("Relu", {}, (0,)))]
    nodes.append(Node("add", "Add", ((0, 0), (1, 0)), (), (Output(K),), {}, (0, 1)))
    assert replay(nodes, [(2, 0)]).bytes == 2 * K


def test_views_keep_their_buffer_alive() -> None:
    nodes = chain(("MatMul", {}, ()), ("Reshape", {0: 0}, ()), ("MatMul", {}, ()))
    got = replay(nodes, [(1, 0), (2, 0)])
    assert got.bytes == 2 * K and {o for _, o in got.live} == {"n0", "n2"}


def test_resident_outputs_and_unread_ones() -> None:
    nodes = [
        Node("w", "ReadVariableOp", outputs=(Output(100 * K, resident=True),)),
        Node("unread", "MatMul", ((0, 0),), (), (Output(K), Output(3 * K))),
        Node("b", "MatMul", ((1, 0),), (), (Output(K),)),
    ]
    assert replay(nodes, [(2, 0)]).bytes == 4 * K


def test_workspace_counts_while_the_op_runs() -> None:
    nodes = [Node("a", "Conv2D", outputs=(Output(K),), extra=5 * K)]
    nodes.append(Node("b", "Conv2D", ((0, 0),), (), (Output(K),)))
    assert replay(nodes, [(1, 0)]).bytes == 6 * K


def test_unknown_sizes_are_counted() -> None:
    assert replay([Node("a", "Where", outputs=(Output(None),))], [(0, 0)]).unknown == 1


def test_controls_hold_an_op_back() -> None:
    nodes = [
        Node("a", "MatMul", outputs=(Output(K),)),
        Node("b", "MatMul", ((0, 0),), (), (Output(K),)),
        Node("late", "MatMul", (), (1,), (Output(10 * K),)),
    ]
    assert replay(nodes, [(1, 0), (2, 0)]).timeline[-1][0] == "late"


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Node], list[tuple[int, int]]]:
    nodes: list[Node] = []
    for i in range(draw(st.integers(1, 14))):
        count = draw(st.integers(0, min(i, 3)))
        inputs = tuple((draw(st.integers(0, i - 1)), 0) for _ in range(count))
        kind = draw(st.sampled_from(["plain", "alias", "forward"]))
        size = draw(st.integers(0, 4)) * K
        nodes.append(Node(
            f"n{i}", kind, inputs, (), (Output(size),),
            {0: 0} if kind == "alias" and inputs else {},
            tuple(range(len(inputs))) if kind == "forward" else (),
        ))  # fmt: skip
    return nodes, [(draw(st.integers(0, len(nodes) - 1)), 0)]


@given(graphs(), st.sampled_from(["fifo", "depth"]))
def test_every_op_runs_once_and_only_fetched_buffers_stay(
    graph: tuple[list[Node], list[tuple[int, int]]], order: str
) -> None:
    nodes, fetched = graph
    got = replay(nodes, fetched, order)
    assert sorted(n for n, _ in got.timeline) == sorted(n.name for n in nodes)
    assert got.bytes <= sum(o.bytes or 0 for n in nodes for o in n.outputs)
    assert all(live >= 0 for _, live in got.timeline)
    assert got.bytes >= max((live for _, live in got.timeline), default=0)


def test_the_catalogue_and_the_users_own(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text('[[device]]\nname = "T4"\nmemory = 15\ncontext = 0\n')
    found = {d.name: d for d in devices.load([own])}
    assert found["T4"].usable == 15 * devices.GIB and len(found) >= 10
    own.write_text('[[device]]\nname = "T4"\n')
    with pytest.raises(devices.CatalogueError, match="'memory'"):
        devices.load([own])


def test_the_largest_batch_that_fits() -> None:
    fitted = devices.line([(1, 110), (8, 180), (16, 260)])
    assert fitted.at(16) == 260 and fitted.largest(1000) == 90
    assert fitted.largest(50) == 0
    assert devices.line([(4, 40)]).per_item == 10
