"""Methods of pandas that are gone: what stands for them, or a finding at their line."""

from typing import Any

import pytest

from tests.transforms.texts import migrated, result_of

HEAD = "import pandas as pd\nimport tensorflow as tf\nframe = pd.DataFrame({'a': [1.0]})\nrows = []\n"


def test_as_matrix() -> None:
    assert migrated(HEAD + "x = frame.as_matrix()  # b\n") == HEAD + "x = frame.to_numpy()  # b\n"


TABLE = """table = pd.DataFrame(columns=[0, 1], dtype=float)
for state in ('s', 't'):
    row = pd.Series([0, 2], index=table.columns, name=state)
    table = table.append(row)
trace = table.copy()
trace *= 0.5
trace = trace.append(pd.Series(
    [1, 2.5],
    index=table.columns,
    name='u',
))
both = table.append([trace, pd.DataFrame({0: [7.0]})], ignore_index=True)
"""


def test_append_of_rows_and_frames() -> None:
    result = result_of(HEAD + TABLE)
    assert not result.findings
    assert result.new_text == HEAD + """table = pd.DataFrame(columns=[0, 1], dtype=float)
for state in ('s', 't'):
    row = pd.Series([0, 2], index=table.columns, name=state)
    table = pd.concat([table, row.to_frame().T.infer_objects()])
trace = table.copy()
trace *= 0.5
trace = pd.concat([trace, pd.Series(
    [1, 2.5],
    index=table.columns,
    name='u',
).to_frame().T.infer_objects()])
both = pd.concat([table, trace, pd.DataFrame({0: [7.0]})], ignore_index=True)
"""


def test_concatenated_is_what_was_appended() -> None:
    pytest.importorskip("pandas")
    space: dict[str, Any] = {}
    exec(migrated(HEAD + TABLE).replace("import tensorflow as tf\n", ""), space)
    # what pandas 1.1.5 prints
    assert space["trace"].to_dict() == {0: {"s": 0.0, "t": 0.0, "u": 1.0}, 1: {"s": 1.0, "t": 1.0, "u": 2.5}}
    assert space["both"].index.tolist() == [0, 1, 2, 3, 4, 5]
    assert space["both"][0].tolist() == [0.0, 0.0, 0.0, 0.0, 1.0, 7.0]
    assert [str(kind) for kind in space["both"].dtypes] == ["float64", "float64"]


@pytest.mark.parametrize("text", [
    "t = pd.DataFrame(columns=['a'])\nt = t.append(pd.Series([1], index=t.columns, name=0))",  # types of rows
    "t = pd.read_csv('f', index_col=0)\nt = t.append(pd.Series([1], index=t.columns, name=0))",  # its name
    "t = pd.read_csv('f', chunksize=2)\nt = t.append(frame)",
    "t = pd.DataFrame([1])\nt = t.append(pd.Series([1], index=frame.columns, name='s'))",  # other columns
    "def f(t):\n    t = t.append(frame)\n    return t",
    "t = frame['a']\nt = t.append(frame['a'])",
    "frame = frame.append(frame, True)",
    "frame = frame.append(pd.Series([1.0], index=['a'], name='s'))",
    "frame = frame.append({'a': 2.0}, ignore_index=True).fillna(0)",
    "x = frame.ix[0, 'a']",
    "frame.set_value(0, 'a', 3.0)",
    "x = frame.as_matrix(['a'])",
])  # fmt: skip
def test_findings(text: str) -> None:
    assert [f.code for f in result_of(HEAD + text + "\n").findings] == ["PY236"]


@pytest.mark.parametrize("text", [
    "rows.append(1)", "import numpy as np\nx = np.append(rows, 1)", "rows.set_value('a')",
    "x = frame.iloc[0]",
])  # fmt: skip
def test_what_is_not_of_a_frame(text: str) -> None:
    assert not result_of(HEAD + text + "\n").findings
