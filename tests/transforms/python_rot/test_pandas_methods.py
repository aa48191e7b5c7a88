"""Methods of pandas that are gone: what stands for them, or a finding at their line."""

import pytest

from tests.transforms.texts import migrated, result_of

HEAD = "import pandas as pd\nimport tensorflow as tf\nframe = pd.DataFrame({'a': [1.0]})\nrows = []\n"


def test_as_matrix() -> None:
    assert migrated(HEAD + "x = frame.as_matrix()  # b\n") == HEAD + "x = frame.to_numpy()  # b\n"


@pytest.mark.parametrize("text", [
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
