"""What XLA told of its buffers: by op, adding up to the block that the allocator gave."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from migrator.measure.programs import measure_trace, xla_buffers
from migrator.measure.programs.xla_buffers import ARGUMENTS, BETWEEN, Block, Value

# As XLA of TensorFlow 2.21 writes it, for two products of matrices with a ReLU between them; shortened.
TOLD = """BufferAssignment:
allocation 0: size 1024, parameter 0, shape |f32[64,4]| at ShapeIndex {}:
 value: <16 arg0.1 @0> (size=1024,offset=0): f32[64,4]{1,0}
allocation 1: size 256, output shape is |f32[64]|, maybe-live-out:
 value: <21 reduce_add_fusion @0> (size=256,offset=0): f32[64]{0}
allocation 2: size 64, parameter 1, shape |f32[4,4]| at ShapeIndex {}, maybe-live-out:
 value: <17 arg1.1 @0> (size=64,offset=0): f32[4,4]{1,0}
allocation 3: size 4, thread-local:
 value: <5 add.0 @0> (size=4,offset=0): f32[]
allocation 9: size 4096, preallocated-temp:
 value: <18 first.2 @0> (size=1024,offset=0): f32[64,4]{1,0}
 value: <19 broadcast_maximum_fusion @0> (size=1024,offset=2048): f32[64,4]{1,0}
 value: <20 second.2 @0> (size=1024,offset=1024): f32[64,4]{1,0}
 value: <22 copy.7 @0> (size=64,offset=3072): f32[4,4]{0,1}
 value: <23 copy.8 @0> (size=512,offset=3328): f32[64,4]{0,1}

Total bytes used: 4440 (4.3KiB)

Used values:
<16 arg0.1 @0>
 from instruction: %arg0.1 = f32[64,4]{1,0} parameter(0), metadata={op_name="XLA_Args"}
<17 arg1.1 @0>
 from instruction: %arg1.1 = f32[4,4]{1,0} parameter(1), metadata={op_name="XLA_Args"}
<18 first.2 @0>
 from instruction: %first.2 = dot(%arg0.1, %copy.7), metadata={op_type="MatMul" op_name="first"}
<19 broadcast_maximum_fusion @0>
 from instruction: %broadcast_maximum_fusion = fusion(%first.2), metadata={op_type="Relu" op_name="Relu"}
<20 second.2 @0>
 from instruction: %second.2 = dot(%copy.8, %arg1.1), metadata={op_type="MatMul" op_name="second"}
<21 reduce_add_fusion @0>
 from instruction: %reduce_add_fusion = fusion(%first.2, %second.2), metadata={op_type="AddV2" op_name="add"}
<22 copy.7 @0>
 from instruction: %copy.7 = f32[4,4]{0,1} copy(%arg1.1)
<23 copy.8 @0>
 from instruction: %copy.8 = f32[64,4]{0,1} fusion(%copy.7, %broadcast_maximum_fusion)

  BufferLiveRange:
    arg0.1{}:0-6
    arg1.1{}:0-6
    first.2{}:2-5
    copy.7{}:1-5
    broadcast_maximum_fusion{}:3-4
    copy.8{}:3-4
    second.2{}:4-5
    reduce_add_fusion{}:5-6
"""


def test_blocks_are_told_by_op() -> None:
    result, block = xla_buffers.parse(TOLD)
    assert (result.size, result.at_peak()) == (256, [(256, "add:AddV2")])
    held = block.at_peak()
    assert sum(size for size, _ in held) == block.size == 4096
    assert sorted(held) == sorted([
        (1024, "first:MatMul"), (1024, "second:MatMul"), (1024, "Relu:Relu"),
        (64, f"{ARGUMENTS}:copy"), (512, "Relu/XLA:copy"), (448, BETWEEN),
    ])  # fmt: skip


def test_a_folder_of_dumps(tmp_path: Path) -> None:
    (tmp_path / "module_0001.f.cpu_after_optimizations-buffer-assignment.txt").write_text(TOLD)
    (tmp_path / "module_0001.f.cpu_after_optimizations.txt").write_text(TOLD)
    (tmp_path / "module_0002.g.cpu_after_optimizations-buffer-assignment.txt").write_bytes(b"\xff")
    assert [b.size for b in xla_buffers.blocks(str(tmp_path))] == [4096, 256]
    assert xla_buffers.blocks(str(tmp_path / "none")) == []


def test_what_a_step_held_is_told_by_what_lies_in_its_blocks() -> None:
    held = [(4096, "", False), (700, "images:Const", False), (4096, "", False)]
    found = measure_trace.opened(held, xla_buffers.parse(TOLD))
    assert sum(size for size, _, _ in found) == sum(size for size, _, _ in held)
    assert (1024, "first:MatMul", False) in found and (448, BETWEEN, True) in found
    assert (4096, "", False) in found and (700, "images:Const", False) in found  # told of once only


@given(
    st.lists(
        st.tuples(*[st.integers(0, 400)] * 2, *[st.integers(0, 9)] * 2).map(
            lambda v: Value(f"op{v[0]}", v[1], v[0], min(v[2:]), max(v[2:]))
        )
    )
)
def test_parts_always_add_up(values: list[Value]) -> None:
    size = max((v.offset + v.size for v in values), default=0) + 3
    held = Block(size, tuple(values)).at_peak()
    assert sum(part for part, _ in held) == size and all(part > 0 for part, _ in held)
