"""A small part of benchmarks/fuzz.py: TensorFlow 1 programs, any syntax, real files."""

from __future__ import annotations

import sysconfig
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.engine import fuzzing

few = settings(
    max_examples=25, deadline=None, database=None, phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


def holds(text: str) -> None:
    assert fuzzing.examine("fuzz.py", text)[1] == []


@seed(7)
@few
@given(fuzzing.tensorflow_programs())
def test_tensorflow_programs(text: str) -> None:
    holds(text)


def test_any_syntax_with_tensorflow_in_it() -> None:
    hypothesmith = pytest.importorskip("hypothesmith")
    grammar = hypothesmith.from_grammar()  # slow to make, so only once

    @seed(7)
    @few
    @given(st.builds(fuzzing.seeded, grammar, st.integers(0, 9999)))
    def examine(text: str) -> None:
        holds(text)

    examine()


def test_a_package_of_the_standard_library_stays_as_it_is() -> None:
    base = Path(sysconfig.get_path("stdlib")) / "email"
    tally = fuzzing.Tally()
    for path in sorted(base.rglob("*.py")):
        text = fuzzing.read(path)
        if text is not None:
            tally.add(path.name, text)
    tally.tree("email", base)
    assert tally.programs >= 20
    assert tally.problems == [] and tally.changed_without_tensorflow == 0


def test_what_is_examined_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each check fails for a result that is wrong in its way."""
    text = "import tensorflow as tf\n\n\ndef f(x):\n    return x + 1\n\n\ny = tf.log(1.0)\n"
    good = fuzzing.run("a.py", text)
    assert good.new_text is not None


    wrong = {
        "does not parse": replace(good, new_text="x = ("),
        "no change is told": replace(good, changes=()),
        "a second run changes it again": replace(good, new_text=text),
        "line 4 has no edit": replace(good, new_text=good.new_text.replace("x + 1", "x - 1")),
        "not about this text": replace(good, old_text=""),
    }
    engine = fuzzing.run
    for problem, result in wrong.items():
        monkeypatch.setattr(
            fuzzing, "run", lambda path, t, r=result: r if t == text else engine(path, t)
        )
        assert any(problem in p for p in fuzzing.examine("a.py", text)[1]), problem
