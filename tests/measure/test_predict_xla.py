"""What an XLA cluster holds at a time, from its scheduled code."""

from migrator.measure.predict import xla

CODE = """HloModule m, is_scheduled=true, entry_computation_layout={...}

%fused (p: f32[256]) -> f32[256] {
  %huge = f32[1000000]{0} broadcast(%p), dimensions={}
}

ENTRY %main (a: f32[256]) -> (f32[256], s32[]) {
  %a = f32[256]{0} parameter(0), metadata={op_name="XLA_Args"}
  %none = s32[] constant(0)
  %first = f32[512]{0} fusion(%a), kind=kLoop, calls=%fused
  %seen = f32[2,256]{1,0} bitcast(%first)
  %second = bf16[512]{0} fusion(%seen, %none), kind=kLoop, calls=%fused
  %third = pred[100]{0} fusion(%second), kind=kLoop, calls=%fused
  %out = f32[256]{0} fusion(%third, %a), kind=kLoop, calls=%fused
  ROOT %result = (f32[256]{0}, s32[]) tuple(%out, %none)
}
"""


def test_temporaries_live_from_their_instruction_to_their_last_reader() -> None:
    # `first` lives on in its view until `second` has run; arguments and results are not counted
    assert xla.temporaries(CODE) == 512 * 4 + 512 * 2


def test_what_runs_other_computations_is_not_told() -> None:
    assert xla.temporaries(CODE.replace("pred[100]{0} fusion", "pred[100]{0} while")) is None
    assert xla.temporaries("HloModule m") is None
