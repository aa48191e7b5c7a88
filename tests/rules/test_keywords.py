"""Arguments fitted to TF 2: whatever was accepted by TF 1's signature binds to TF 2's."""

from __future__ import annotations

import ast

from hypothesis import given, settings
from hypothesis import strategies as st

from migrator.engine.callsite import read_call
from migrator.engine.edits import Lines
from migrator.engine.keywords import Misfit
from migrator.engine.options import Options
from migrator.engine.ruleset import load_ruleset

RULES = load_ruleset(Options())
SHARED = sorted(
    name
    for name in RULES.tf1.symbols
    if ".keras." not in name
    and ".python." not in name
    and RULES.tf1.signature(name)
    and RULES.tf2.signature(name) is not None
)


def fitted(name: str, text: str) -> str | None:
    """The call after fitting, None when TF 2 cannot take it."""
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call)
    pieces = RULES.fit(name, name).apply(read_call(text, Lines(text), node))
    if isinstance(pieces, Misfit):
        return None
    for piece in sorted(pieces, key=lambda item: item.start, reverse=True):
        text = text[: piece.start] + piece.text + text[piece.end :]
    return text


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_fitted_calls_bind(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(SHARED))
    old = [p.name for p in RULES.tf1.signature(name) or () if p.kind == "positional"]
    new = RULES.tf2.signature(name) or ()
    count = data.draw(st.integers(0, len(old)))
    rest = data.draw(st.lists(st.sampled_from(old[count:]), unique=True)) if old[count:] else []
    # a value per parameter, so that one can see where it went
    given_ = [f"v_{n}" for n in old[:count]] + [f"{n}=v_{n}" for n in rest]
    text = fitted(name, f"f({', '.join(given_)})")
    if text is None:
        return
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    order = [p.name for p in new if p.kind == "positional"]
    open_ended = any(p.kind == "**" for p in new)
    many = any(p.kind == "*" for p in new)
    renames = RULES.fit(name, name)
    for place, arg in enumerate(call.args):
        assert isinstance(arg, ast.Name)
        if many:
            break
        was = renames.target(arg.id[2:])
        assert was is not None and order[place] == was.to, (name, text)
    for keyword in call.keywords:
        assert open_ended or keyword.arg in {p.name for p in new}, (name, text)


def test_comments_and_layout_stay() -> None:
    text = "f(a,  # one\n  dimension=1,\n  name='n')"
    assert fitted("tensorflow.argmax", text) == "f(a,  # one\n  axis=1,\n  name='n')"


def test_second_run_changes_nothing() -> None:
    once = fitted("tensorflow.nn.conv2d", "f(x, w, s, 'SAME', True, 'NHWC')")
    assert once == "f(x, w, s, 'SAME', data_format='NHWC')"
    assert fitted("tensorflow.nn.conv2d", once) == once
