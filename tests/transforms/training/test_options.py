"""What `--precision` and `--jit` add to a generated step."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrator.engine.context import FileContext
from migrator.engine.options import Options
from migrator.transforms.session import SessionPrograms

CASES = Path(__file__).parent / "cases"


def rewritten(case: str, options: Options) -> str:
    """The session programs of a case rewritten (no rules applied)."""
    text = (CASES / case / "before.py").read_text()
    ctx = FileContext.of("before.py", text, options=options)
    SessionPrograms().run(ctx)
    assert not ctx.findings
    return ctx.text


@pytest.mark.parametrize("case", ["slim_dataset", "two_optimizers", "global_placeholders"])
def test_float16_scales_the_loss_of_every_optimizer(case: str) -> None:
    text = rewritten(case, Options(precision="mixed_float16"))
    assert text.count("precision.loss_scaled(tf.train.") == text.count("Optimizer(")
    assert "tape.gradient(" not in text and "tape=tape" in text
    compile(text, case, "exec")


def test_bfloat16_needs_no_scaling() -> None:
    plain = rewritten("slim_dataset", Options())
    assert rewritten("slim_dataset", Options(precision="mixed_bfloat16")) == plain


def test_jit_compiles_steps_that_write_no_summaries() -> None:
    text = rewritten("two_optimizers", Options(jit=True))
    assert text.count("jit_compile=True") == text.count("@tf.function") == 3
    assert "jit_compile" not in rewritten("summaries", Options(jit=True))
