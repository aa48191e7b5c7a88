"""Casts by `numpy.cast` become casts of arrays."""

from tests.transforms import texts


def test_the_table_of_casts() -> None:
    old = "import numpy as np\n\ndef f(x):\n    return np.cast[np.float32]((x - 127.5) / 127.5)  # scaled\n"
    new = texts.migrated(old)
    assert "    return np.asarray((x - 127.5) / 127.5).astype(np.float32)  # scaled\n" in new
    assert texts.migrated(new) == new


def test_a_table_that_is_passed_on_stays() -> None:
    assert "table = np.cast" in texts.migrated("import numpy as np\ntable = np.cast\n")


def test_a_kind_of_types_is_the_type_that_was_taken_for_it() -> None:
    old = ("import numpy as np\na = np.empty(3, dtype=np.integer)\nb = a.astype(np.floating)\n"
           "c = np.zeros(3, np.unsignedinteger)\nd = isinstance(a[0], np.integer)\n")
    new = texts.migrated(old)
    assert new == ("import numpy as np\na = np.empty(3, dtype=np.int64)\nb = a.astype(np.float64)\n"
                   "c = np.zeros(3, np.uint64)\nd = isinstance(a[0], np.integer)\n")
    exec(new)
