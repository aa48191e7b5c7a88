"""Graphs that XLA cannot compile are told in plain words (messages as TensorFlow 2.21 wrote them)."""

from __future__ import annotations

import pytest

from migrator.measure.programs import measure_probe, xla_refusals

HEAD = (
    "Detected unsupported operations when trying to compile graph __inference_body_1095"
    "[_XlaMustCompile=true,config_proto=13,executor_type=11] on XLA_CPU_JIT: "
)
TAIL = "\nThe op is created at: \ndummy_file_name:10:dummy_function_name\n\ttf2xla conversion failed"


def missing(op: str, node: str, where: str = "") -> str:
    at = f"{where}{{{{node {node}}}}}"
    return (
        f"{op} (No registered '{op}' OpKernel for XLA_CPU_JIT devices compatible with node {at}){at}"
    )


LOOP = missing("Enter", "Postprocessor/map/while/Less/Enter", "{{function_node frozen_graph_58}}")
STRING_INPUT = (
    "_Arg (No registered '_Arg' OpKernel for XLA_CPU_JIT devices compatible with node {{node x}}\n"
    "\t (OpKernel was found, but attributes didn't match) Requested Attributes: T=DT_STRING, "
    "index=0){{node x}}"
)
SIZE = (
    "Input 1 to node `while/Sum` with op Sum must be a compile-time constant.\n\nXLA compilation "
    "requires that operator arguments that represent shapes or dimensions be evaluated to concrete "
    "values at compile time."
)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (HEAD + LOOP + TAIL, ("Enter (Postprocessor/map/while/Less/Enter)", "TF 1's form")),
        (HEAD + missing("AsString", "text") + TAIL, ("op AsString (text)", "outside")),
        (HEAD + STRING_INPUT + TAIL, ("op _Arg (x)",)),
        (
            HEAD + ", ".join(missing(f"Op{i}", f"n{i}") for i in range(6)) + TAIL,
            ("Op0 (n0), Op1 (n1), Op2 (n2), Op3 (n3) and 2 more",),
        ),
        (SIZE, ("op Sum (while/Sum)", "follows from the data")),
    ],
)
def test_reasons(message: str, told: tuple[str, ...]) -> None:
    reason = xla_refusals.reason(message) or ""
    assert all(part in reason for part in told), reason
    assert "\n" not in reason and len(reason) < 300


class Errors:
    InvalidArgumentError, UnimplementedError = ValueError, NotImplementedError


class Tensorflow:
    errors = Errors


def test_what_xla_refuses_is_unusable_and_all_else_goes_on() -> None:
    def raising(message: str) -> None:
        raise ValueError(message)

    assert xla_refusals.first(Tensorflow, lambda: 7) == 7
    with pytest.raises(measure_probe.Unusable, match="AsString"):
        xla_refusals.first(Tensorflow, lambda: raising(HEAD + missing("AsString", "text")))
    with pytest.raises(ValueError, match="of 4 elements"):
        xla_refusals.first(Tensorflow, lambda: raising("Can not squeeze a shape of 4 elements"))
