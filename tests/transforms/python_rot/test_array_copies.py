"""Arrays that NumPy 1 copied only if need be are still made where a copy is needed."""

import numpy as np
import pytest

from tests.transforms.texts import migrated


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("np.array(seen, copy=False)", "np.array(seen, copy=None)"),
        ("np.array(seen, np.float32, copy = 0, ndmin=2)", "np.array(seen, np.float32, copy = None, ndmin=2)"),
        ("[np.array(x, copy=False) for x in seen]", "[np.array(x, copy=None) for x in seen]"),
        ("np.array(seen, copy=True)", "np.array(seen, copy=True)"),
        ("np.array(seen, copy=self.apart)", "np.array(seen, copy=self.apart)"),
        ("seen.astype(np.float32, copy=False)", "seen.astype(np.float32, copy=False)"),
    ],
)
def test_copies_if_need_be(before: str, after: str) -> None:
    head = "import numpy as np\n\n\nkept = "
    new = migrated(head + before + "\n")
    assert new == head + after + "\n"
    assert migrated(new) == new


def test_a_list_becomes_an_array_and_an_array_stays_itself() -> None:
    got: dict[str, np.ndarray] = {"rows": np.arange(3)}
    text = "import numpy as np\nnew = np.array([1, 2], copy=False)\nsame = np.array(rows, copy=False)\n"
    exec(migrated(text), got)
    assert got["new"].tolist() == [1, 2] and got["same"] is got["rows"]
