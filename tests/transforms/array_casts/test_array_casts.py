"""Casts by `numpy.cast` become casts of arrays."""

from tests.transforms import texts


def test_the_table_of_casts() -> None:
    old = "import numpy as np\n\ndef f(x):\n    return np.cast[np.float32]((x - 127.5) / 127.5)  # scaled\n"
    new = texts.migrated(old)
    assert "    return np.asarray((x - 127.5) / 127.5).astype(np.float32)  # scaled\n" in new
    assert texts.migrated(new) == new


def test_a_table_that_is_passed_on_stays() -> None:
    assert "table = np.cast" in texts.migrated("import numpy as np\ntable = np.cast\n")
