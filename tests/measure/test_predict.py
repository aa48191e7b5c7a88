"""The liveness replay on graphs small enough to check by hand, and the device catalogue."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrator.measure.predict import devices, edges, executor, layout
from migrator.measure.predict.buffers import LIST
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


def test_a_variable_is_copied_while_its_old_value_is_read() -> None:
    def peak(control: int) -> int:
        nodes = [
            Node("read", "ReadVariableOp", outputs=(Output(8 * K),), reads="v"),
            Node("use", "MatMul", ((0, 0),), (), (Output(K),)),
            Node("update", "AssignAddVariableOp", (), (control,), updates=("v",)),
            Node("late", "MatMul", ((0, 0),), (2,), (Output(K),)),
        ][: 4 if control == 0 else 3]
        return replay(nodes, [(1, 0)], "gpu", {"v": 8 * K}).bytes

    assert peak(control=0) == 10 * K  # `late` reads the value of before the update
    assert peak(control=1) == K  # every reader has run


def test_an_assigned_value_becomes_the_variable() -> None:
    nodes = [
        Node("handle", "VarHandleOp", outputs=(Output(0, resident=True),)),
        Node("new", "MatMul", outputs=(Output(8 * K),)),
        Node("assign", "AssignVariableOp", ((0, 0), (1, 0)), assigns="v"),
        Node("later", "MatMul", (), (2,), (Output(8 * K),)),
    ]
    # both values live until the assignment; then the old one is gone and there is room again
    assert replay(nodes, [(3, 0)], "gpu", {"v": 8 * K}).bytes == 8 * K


def run_order(
    kind: str, edges_of: dict[int, list[int]], roots: list[int], cheap: set[int]
) -> list[int]:
    schedule = executor.Schedule(kind, roots, cheap.__contains__)
    order: list[int] = []
    while (node := schedule.pop()) is not None:
        order.append(node)
        schedule.push(edges_of.get(node, []))
    return order


def test_the_last_expensive_op_goes_on_and_the_pool_takes_its_newest() -> None:
    tree = {0: [1, 2, 3], 3: [4], 1: [5]}
    assert run_order("cpu", tree, [0], set()) == [0, 3, 4, 2, 1, 5]
    assert run_order("gpu", tree, [0], set()) == [0, 1, 2, 3, 5, 4]
    # an inexpensive op takes the place in the closure; all expensive ones go to the pool
    assert run_order("cpu", tree, [0], {2}) == [0, 2, 3, 4, 1, 5]


def test_a_full_pool_makes_an_op_run_at_once() -> None:
    wide = list(range(1, executor.POOL + 4))
    order = run_order("cpu", {0: wide}, [0], set())
    assert sorted(order) == [0, *wide]
    assert order[1:3] == [executor.POOL + 1, executor.POOL + 2]  # the pool was full of those before


def followed(*graph: Any) -> list[int]:
    """The consumers of the first node."""
    return [consumer for consumer, _ in executor.consumers(*graph)[0]]


def test_replaced_ops_are_readied_after_the_others() -> None:
    inputs = [[], [0], [0], [0]]
    controls: list[list[int]] = [[]] * 4
    assert followed(inputs, controls, [False] * 4) == [1, 2, 3]
    assert followed(inputs, controls, [False, True, False, False]) == [2, 3, 1]


def test_a_merged_gradient_takes_the_place_of_its_biass() -> None:
    """0 image, 1 sizes, 2 gradient; 3 and 4 read the gradient, 4 is merged with the bias's.

    The walk takes the last edge first. The merged node's edge lies where the bias's was: before that
    of node 3 where the bias's gradient was the first reader, else it is the last.
    """
    producers = [[], [], [], [2], [0, 1, 2]]
    replaced = [False, False, False, True, True]
    assert layout.numbers(producers, replaced)[3:] == [5, 6]
    assert layout.numbers(producers, replaced, biases={4: 3})[3:] == [6, 5]
    assert layout.numbers(producers, replaced, biases={4: 4})[3:] == [5, 6]


def test_what_reads_is_readied_before_what_waits() -> None:
    inputs = [[], [], [0], []]
    controls = [[], [0], [], [0]]
    assert followed(inputs, controls, [False] * 4) == [2, 1, 3]


def test_many_consumers_are_readied_in_an_order_that_differs_from_process_to_process() -> None:
    many = [[], *[[0]] * 20]
    orders = {tuple(followed(many, [[]] * 21, [False] * 21, s)) for s in range(8)}
    assert len(orders) > 1 and all(sorted(o) == list(range(1, 21)) for o in orders)
    few = [[], *[[0]] * edges.INLINE]
    assert followed(few, [[]] * 9, [False] * 9, 5) == list(range(1, 9))


@pytest.mark.parametrize("count", [3, 9, 100, 700])
def test_edge_orders_are_permutations_in_strides(count: int) -> None:
    for seed in (1, 2):
        got = edges.order(range(count), seed)
        assert sorted(got) == list(range(count))
        assert got == edges.order(range(count), seed)
    assert (edges.order(range(count), 1) == list(range(count))) == (count <= edges.INLINE)


def test_edges_of_other_nodes_lie_between() -> None:
    apart = range(0, 40 * 9, 9)
    assert sorted(edges.order(apart, 3)) == list(range(40))
    assert edges.order(apart, 3) == edges.order(range(500, 500 + 40 * 9, 9), 3)
    assert edges.order(apart, 3) != edges.order(range(40), 3)


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


@given(graphs(), st.sampled_from(executor.ORDERS), st.integers(0, 3))
def test_every_op_runs_once_and_only_fetched_buffers_stay(
    graph: tuple[list[Node], list[tuple[int, int]]], order: str, seed: int
) -> None:
    nodes, fetched = graph
    got = replay(nodes, fetched, order, seed=seed)
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


def test_lists_hold_their_elements_until_they_are_read() -> None:
    def put(name: str, before: int, element: int) -> Node:
        return Node(name, "TensorListPushBack", ((before, 0), (element, 0)), outputs=(NOTHING,))

    nodes = [
        Node("list", "Const", outputs=(NOTHING,)),
        Node("a", "Work", outputs=(Output(1024),)),
        put("put_a", 0, 1),
        Node("b", "Work", controls=(2,), outputs=(Output(2048),)),
        put("put_b", 2, 3),
        Node("c", "Work", controls=(4,), outputs=(Output(256),)),
        Node("popped", "TensorListPopBack", ((4, 0), (5, 0)), outputs=(NOTHING, Output(2048))),
        Node("d", "Work", ((6, 1),), outputs=(Output(512),)),
        Node("rest", "TensorListStack", ((6, 0), (7, 0)), outputs=(Output(None),)),
    ]
    peak = replay(nodes, [(8, 0)])
    assert peak.unknown == 0
    # a and b in the list, and d made of what was popped; then a alone beside its stack and d
    assert peak.bytes == LIST + 1024 + 2048 + 512 and peak.at == "d"


def test_elements_that_are_read_are_the_lists_own() -> None:
    nodes = [
        Node("given", "Work", outputs=(Output(4096),)),
        Node("list", "TensorListFromTensor", ((0, 0),), outputs=(Output(1024),) * 4),
        Node("read", "TensorListGetItem", ((1, 0),), outputs=(Output(1024),)),
        Node("other", "Work", controls=(2,), outputs=(Output(512),)),
        Node("work", "Work", ((2, 0),), (3,), (Output(256),)),
    ]
    peak = replay(nodes, [(4, 0)])
    assert peak.bytes == 4096 + LIST + 4096 and peak.at == "list"
    # the list is gone, the element that was read is not, and `other` has come and gone
    assert dict(peak.timeline)["work"] == 1024 + 256
    assert dict(peak.timeline)["other"] == 1024 + 512


NOTHING = Output(0, "variant", True)
