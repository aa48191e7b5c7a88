"""The allocator on paper: which chunk a request gets, and what variables that move leave behind."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrator.measure.predict import bfc
from migrator.measure.predict.liveness import Heap, Node, Output, replay
from migrator.measure.predict.making import Making

K = 1024


def test_a_chunk_is_split_only_where_it_is_twice_the_request() -> None:
    chunks = bfc.Chunks()
    first, second = chunks.allocate(3 * K), chunks.allocate(K)
    chunks.free(first)
    assert chunks.allocate(2 * K) == first and chunks.in_use == 4 * K  # one and a half times: whole
    chunks.free(first)
    assert chunks.allocate(K) == first and chunks.in_use == 2 * K  # three times: split
    assert second == 3 * K and chunks.peak == 4 * K


def test_the_smallest_chunk_that_fits_is_taken_the_lower_of_equal_ones() -> None:
    chunks = bfc.Chunks()
    places = [chunks.allocate(size) for size in (8 * K, K, 4 * K, K, 4 * K, K)]
    for place in (places[0], places[2], places[4]):
        chunks.free(place)
    assert chunks.allocate(4 * K) == places[2]
    assert chunks.allocate(3 * K) == places[4]
    assert chunks.allocate(5 * K) == places[0]


def test_freed_neighbours_become_one() -> None:
    chunks = bfc.Chunks()
    places = [chunks.allocate(K) for _ in range(3)]
    for place in (places[0], places[2], places[1]):
        chunks.free(place)
    assert chunks.in_use == 0 and chunks.allocate(3 * K) == 0


def test_what_does_not_fit_is_an_error() -> None:
    with pytest.raises(MemoryError, match="2048"):
        bfc.Chunks((K,)).allocate(2 * K)


def test_regions_never_merge_and_the_smaller_rest_is_taken_first() -> None:
    chunks = bfc.Chunks((8 * K, 1 << 30))
    first = chunks.allocate(4 * K)
    rest = chunks.allocate(3 * K)
    assert (first, rest) == (0, 4 * K) and chunks.in_use == 8 * K  # 4 K are not twice 3 K: whole
    other = chunks.allocate(K)
    assert other > 8 * K
    for place in (first, rest, other):
        chunks.free(place)
    assert chunks.allocate(9 * K) == other and chunks.allocate(8 * K) == 0


def test_memory_that_grows_comes_in_regions_each_twice_the_last() -> None:
    """BFCAllocator::Extend: 2 MiB first; one that a request needs larger doubles until it fits."""
    chunks, m = bfc.Chunks(bfc.GROWING), bfc.FIRST
    first = chunks.allocate(m)
    second = chunks.allocate(3 * m // 2)  # 2 MiB are taken: a region of twice that
    assert first == 0 and second == m + bfc.MINIMUM and chunks.in_use == 3 * m  # not split: not twice
    third = chunks.allocate(9 * m)  # 8 MiB would have been next, 18 need 32
    assert third == second + 2 * m + bfc.MINIMUM and chunks.in_use == 3 * m + 16 * m
    chunks.free(third)
    assert chunks.allocate(m // 2) == third  # what there is is taken before there is more
    assert chunks.allocate(16 * m) == third + 16 * m + bfc.MINIMUM


@given(st.lists(st.tuples(st.integers(1, 9000), st.booleans()), max_size=60))
def test_chunks_never_overlap_and_none_is_lost(steps: list[tuple[int, bool]]) -> None:
    chunks = bfc.Chunks((1 << 22,))
    held: list[tuple[int, int]] = []
    for size, keep in steps:
        place = chunks.allocate(size)
        assert all(place + size <= p or p + s <= place for p, s in held)
        held.append((place, size))
        if not keep:
            chunks.free(held.pop(len(held) // 2)[0])
    for place, _ in held:
        chunks.free(place)
    assert chunks.in_use == 0 and chunks.allocate(1 << 22) == 0


def test_a_variable_stays_in_the_chunk_that_its_value_was_computed_in() -> None:
    nodes = [
        Node("handle", "VarHandleOp", outputs=(Output(0, resident=True),)),
        Node("big", "MatMul", outputs=(Output(7 * K),)),
        Node("used", "MatMul", ((1, 0),), outputs=(Output(K),)),
        Node("new", "MatMul", ((2, 0),), outputs=(Output(4 * K),)),
        Node("assign", "AssignVariableOp", ((0, 0), (3, 0)), assigns="v"),
    ]
    heap = Heap(bfc.Chunks())
    heap.variables["v"] = heap.chunks.allocate(4 * K)
    asked = replay(nodes, [(2, 0)], variables={"v": 4 * K}, heap=heap)
    # `new` lies where `big` was, whose chunk is not twice its size
    assert asked.bytes == 8 * K and heap.chunks.peak == 12 * K
    assert heap.variables["v"] == 4 * K and heap.chunks.in_use == 7 * K


def test_making_a_model_leaves_gaps_between_its_variables() -> None:
    # drawn at 10, scaled at 20, kept at 30; what was there before the recording is given back at 99
    made = Making([(10, 4 * K), (20, 4 * K), (99, None), (30, 4 * K), (10, None), (20, None)])
    made.places = {7: 30}
    handles = {"kernel": SimpleNamespace(_id=7), "new": SimpleNamespace(_id=8)}
    heap = made.heap((bfc.WHOLE,), {"kernel": 4 * K, "new": 3 * K}, handles)
    assert heap.variables["kernel"] == 8 * K
    assert heap.variables["new"] == 0  # never noted: allocated in the gap that fits
    assert heap.chunks.in_use == 4 * K + 3 * K  # 8 K are twice 3 K and more: split
