"""What `--precision` and `--jit` add to a generated step."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from migrator.engine.context import FileContext
from migrator.engine.options import Options
from migrator.transforms.session import SessionPrograms
from tests.transforms.projects import copy_case

CASES = Path(__file__).parent / "cases"
ROOT = Path(__file__).resolve().parents[3]


def rewritten(case: str, options: Options, *said: str) -> str:
    """The session programs of a case rewritten (no rules applied)."""
    text = (CASES / case / "before.py").read_text()
    ctx = FileContext.of("before.py", text, options=options)
    SessionPrograms().run(ctx)
    assert {finding.code for finding in ctx.findings} == set(said)
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
    assert "jit_compile" not in rewritten("summaries", Options(jit=True), "TF412", "TF602")


def test_jit_compiles_functions_of_a_graph(tmp_path: Path) -> None:
    copy_case(CASES / "given_parts", tmp_path / "project")
    ran = subprocess.run(
        [sys.executable, "-m", "migrator", "migrate", str(tmp_path / "project"), "--allow-dirty", "--jit"],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    text = "".join(f.read_text() for f in sorted((tmp_path / "project").glob("*.py")))
    calls = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call)
             and ast.unparse(n.func) == "graphs.function"]
    assert calls, ran.stdout + ran.stderr
    assert all([k.arg for k in c.keywords] == ["jit_compile"] for c in calls)
