"""Replaying allocator events: the live set, the peak, and what is charged to whom."""

import pytest

from migrator.measure.programs import measure_trace as mt


def alloc(
    time: int, addr: int, size: int, op: str = "Conv/Conv2D:Conv2D", region: str = ""
) -> mt.Event:
    rounded = -(-size // mt.ROUND) * mt.ROUND
    stats = {"addr": addr, "requested_bytes": size, "allocation_bytes": rounded, "tf_op": op}
    return mt.Event(time, True, {**stats, "region_type": region})


def free(time: int, addr: int, size: int) -> mt.Event:
    rounded = -(-size // mt.ROUND) * mt.ROUND
    return mt.Event(
        time, False, {"addr": addr, "requested_bytes": size, "allocation_bytes": rounded}
    )


def test_peak_is_the_largest_live_set() -> None:
    got = mt.replay([
        alloc(0, 1, 1000), alloc(1, 2, 500), free(2, 1, 1000), alloc(3, 3, 700, "b"),
        alloc(4, 4, 400, "c", "temp"), free(5, 2, 500),
    ])  # fmt: skip
    assert got.requested_peak == 1600
    assert sorted(b[0] for b in got.at_peak) == [400, 500, 700]
    assert got.peak_op == "c"
    assert got.allocated_peak == 512 + 768 + 512


def test_an_address_used_twice() -> None:
    got = mt.replay([alloc(0, 1, 100), free(1, 1, 100), alloc(2, 1, 300), alloc(3, 2, 50)])
    assert got.requested_peak == 350
    assert sorted(b[0] for b in got.at_peak) == [50, 300]


def test_blocks_from_before_the_trace_count_down() -> None:
    got = mt.replay([free(0, 9, 1000), alloc(1, 1, 400)])
    assert got.requested_peak == 0  # never above what was live at the start
    assert [b for _, b in got.timeline] == [-1000, -600]


@pytest.mark.parametrize(
    ("op", "temporary", "kind"),
    [
        ("gradient_tape/conv2d/Conv2DBackpropFilter:X", False, "gradients"),
        ("gradients/Conv_1/Conv2D_grad/Conv2DBackpropInput", False, "gradients"),
        ("MobilenetV1/Conv2d_0/Conv2D:Conv2D", False, "activations"),
        ("MobilenetV1/Conv2d_0/Conv2D:Conv2D", True, "workspace"),
        ("sgd/AssignAddVariableOp", False, "update temporaries"),
    ],
)
def test_categories(op: str, temporary: bool, kind: str) -> None:
    assert mt.category(op, temporary) == kind


def test_layers() -> None:
    assert mt.layer_of("StatefulPartitionedCall/Net/Conv2d_0/Relu6:Relu6") == "Net/Conv2d_0"
    assert mt.layer_of("gradients/Net/Conv2d_0/Relu6_grad/Relu6Grad") == "Net/Conv2d_0"
    assert mt.layer_of("Relu:Relu") == "Relu"
    inlined = "StatefulPartitionedCall/StatefulPartitionedCall/"  # of a frozen graph in a function
    assert mt.layer_of(f"{inlined}resize/ResizeBilinear:ResizeBilinear") == "resize"
    assert mt.layer_of(f"{inlined}ToFloat:Cast") == "ToFloat"
    assert mt.layer_of("") == "(unnamed)"


def test_thinning_keeps_the_peak() -> None:
    timeline = tuple((t, 10_000 if t == 4321 else t % 7) for t in range(10_000))
    kept = mt.thin(timeline, 100)
    assert len(kept) <= 100 and max(b for _, b in kept) == 10_000


def of(allocator: str, event: mt.Event) -> mt.Event:
    return mt.Event(event.time, event.allocates, {**event.stats, "allocator_name": allocator})


def test_pinned_memory_is_not_the_cards() -> None:
    """Of a step on a GPU only what its own allocator gave counts: the way of results to Python goes
    through pinned memory of the machine."""
    found = [
        of("GPU_0_bfc", alloc(0, 1, 1024)), of("GPU_host_bfc", alloc(1, 2, 4096)),
        of("cpu", alloc(2, 3, 512)), of("GPU_1_bfc", alloc(3, 4, 256)),
        of("GPU_0_bfc", free(4, 1, 1024)),
    ]  # fmt: skip
    assert mt.replay(mt.of_device(found, "GPU:0")).requested_peak == 1024
    assert mt.replay(mt.of_device(found, "GPU:1")).requested_peak == 256
    assert mt.replay(mt.of_device(found, "CPU:0")).requested_peak == 512
    # without its GPU, TensorFlow's CPU allocators have names of their own
    for name in ("mklcpu", "cpu_bfc", "cpu_allocator", ""):
        assert len(mt.of_device([of(name, alloc(0, 1, 8))], "CPU:0")) == 1, name
    # the virtual devices of one card share its number's name
    assert mt.of_device([of("GPU_0_cuda_malloc_async", alloc(0, 1, 8))], "GPU:0")
