"""Pairs of arrays of several sizes become arrays of objects, as they did before NumPy 1.24."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from templates.support import ragged
from tests.transforms.projects import migrate_in_place
from tests.transforms.texts import migrated

HEAD = "import numpy as np\nimport tensorflow as tf\n\n\n"
SCALED = """def scaled(rows, low=None):
    if low is None:
        low = rows.min(axis=0)
    return rows - low, low


"""
STEP = "s2, r, d, _ = env.step(a)\n"
LIBRARY = """import numpy as np


def rounds(rows, size):
    rows = np.array(rows)
    for start in range(0, len(rows), size):
        yield rows[start:start + size]
"""
PROGRAM = """import numpy as np
import tensorflow as tf
import feeding

texts, labels = np.arange(12.0).reshape(4, 3), np.eye(2)[[0, 1, 1, 0]]
SHAPES = []
for batch in feeding.rounds(GIVEN, 2):
    x, y = zip(*batch)
    SHAPES.append((np.shape(x), np.shape(y)))
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("d = np.array(list(zip(x, y)))\n", "d = ragged.array(list(zip(x, y)))\n"),
        ("d = list(zip(x, y))\ne = np.asarray(d)\n", "d = list(zip(x, y))\ne = ragged.array(d)\n"),
        ("def f(d):\n  return np.array(d)\nf(sorted(zip(x, y)))\n",
         "def f(d):\n  return ragged.array(d)\nf(sorted(zip(x, y)))\n"),
        (STEP + "row = np.array([s, a, r, s2, d])\n", STEP + "row = ragged.array([s, a, r, s2, d])\n"),
        (STEP + "s3 = f(s2)\nrow = np.array((s3, d))\n", STEP + "s3 = f(s2)\nrow = ragged.array((s3, d))\n"),
        (STEP + "h.append([s2, r])\nh = np.array(h)\n", STEP + "h.append([s2, r])\nh = ragged.array(h)\n"),
        (STEP + "h.append((s2, r))\nb = random.sample(h, 4)\nc = np.asarray(b)\n",
         STEP + "h.append((s2, r))\nb = random.sample(h, 4)\nc = ragged.array(b)\n"),
        (STEP + "self.h.append((s2, r))\nc = np.array(list(self.h)[-9:])\n",
         STEP + "self.h.append((s2, r))\nc = ragged.array(list(self.h)[-9:])\n"),
        (SCALED + "a, b = np.nan_to_num(scaled(x))\n",
         SCALED + "a, b = np.nan_to_num(ragged.array(scaled(x)))\n"),
        ("z = np.expand_dims(z, 0).T\nx = np.array([[z[0], 0, z[1], 0]]).T\n",
         "z = np.expand_dims(z, 0).T\nx = ragged.numbers([[z[0], 0, z[1], 0]]).T\n"),
        (SCALED + "kept = np.array(scaled(x))\n", SCALED + "kept = ragged.array(scaled(x))\n"),
        (SCALED.replace("rows.min(axis=0)", "np.mean(rows, 0)") + "kept = np.array(scaled(x))\n",
         SCALED.replace("rows.min(axis=0)", "np.mean(rows, 0)") + "kept = ragged.array(scaled(x))\n"),
    ],
)  # fmt: skip
def test_pairs(before: str, after: str) -> None:
    assert migrated(HEAD + before).split("\n\n\n", 1)[1] == after


@pytest.mark.parametrize(
    "text",
    [
        "d = np.array(x)\n",
        "d = np.array(list(zip(x)))\n",
        "d = np.array(list(zip(*x)))\n",
        "d = np.array(list(zip(x, y)), dtype=object)\n",
        "def f(d, e):\n  return np.array(e)\nf(list(zip(x, y)), 1)\n",
        STEP + "h = np.array([s, s2])\n",
        STEP + "h = np.array([a, r, d])\n",
        STEP + "h.append(r)\nh = np.array(h)\n",
        SCALED.replace("rows - low, low", "rows - low") + "a = np.nan_to_num(scaled(x))\n",
        SCALED.replace("rows - low, low", "low, 2 * low") + "a, b = np.nan_to_num(scaled(x))\n",
        SCALED.replace("axis=0", "axis=0, keepdims=True") + "a, b = np.nan_to_num(scaled(x))\n",
        SCALED + "a = np.concatenate(scaled(x))\n",
        "loss, grad = solver.step(a)\nh = np.array([loss, grad])\n",
        "z = np.expand_dims(z, 0)\nx = np.array([z[0], z[1]])\ny = np.array([z[0, 0], z[:1], 0])\n",
    ],
)
def test_anything_else_stays(text: str) -> None:
    assert migrated(HEAD + text) == HEAD + text


@pytest.mark.parametrize("given", ["list(zip(texts, labels))", "rows=list(zip(texts, labels)), size=1, *()"])
def test_pairs_of_another_module(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "feeding.py").write_text(LIBRARY)
    text = PROGRAM.replace("GIVEN, 2", given if "rows=" in given else f"{given}, 2")
    (tmp_path / "program.py").write_text(text)
    migrate_in_place(tmp_path)
    assert "rows = ragged.array(rows)" in (tmp_path / "feeding.py").read_text()
    assert build_plan(tmp_path, Options(jobs=1)).changed == ()
    monkeypatch.syspath_prepend(tmp_path)
    space: dict[str, object] = {}
    names = ("feeding", "tf1_support", "tf1_support.ragged")
    others = {name: sys.modules.pop(name, None) for name in names}
    try:
        exec((tmp_path / "program.py").read_text(), space)
    finally:
        for name, module in others.items():
            sys.modules.pop(name, None)
            if module is not None:  # other tests of this process have a package of that name
                sys.modules[name] = module
    size = 1 if "rows=" in given else 2
    assert space["SHAPES"] == [((size, 3), (size, 2))] * (4 // size)


def test_a_plain_list_stays_a_plain_array(tmp_path: Path) -> None:
    """The support function gives what NumPy gives where all sizes agree."""
    (tmp_path / "m.py").write_text(HEAD + "d = np.array(list(zip(x, y)))\n")
    migrate_in_place(tmp_path)
    space: dict[str, object] = {}
    exec((tmp_path / "tf1_support" / "ragged.py").read_text(), space)
    made = space["array"](zip([1, 2], [3, 4], strict=True))  # type: ignore[operator]
    assert made.dtype == np.int64 and made.tolist() == [[1, 3], [2, 4]]


def test_steps_of_an_environment(tmp_path: Path) -> None:
    """What NumPy 1.16 made of the rows of a replay memory: arrays of objects, by their columns."""
    (tmp_path / "m.py").write_text(HEAD + """class Env(object):
    def step(self, action):
        return np.full(4, action, np.float32), 1.0, action > 1, {}


def episode(env):
    state, history = np.zeros(4, np.float32), []
    for action in range(3):
        new, reward, done, _ = env.step(action)
        history.append([state, action, reward, new])
        row = np.reshape(np.array([state, action, reward, new, done]), [1, 5])
        state = new
    history = np.array(history)
    return row, history, np.vstack(history[:, 3])


ROW, HISTORY, STATES = episode(Env())
""")
    migrate_in_place(tmp_path)
    space: dict[str, object] = {}
    exec((tmp_path / "tf1_support" / "ragged.py").read_text(), space)
    text = (tmp_path / "m.py").read_text().replace("from tf1_support import ragged", "")
    run: dict[str, object] = {"ragged": SimpleNamespace(array=space["array"])}
    exec(text, run)
    row, history, states = (np.asarray(run[name]) for name in ("ROW", "HISTORY", "STATES"))
    assert row.shape == (1, 5) and history.shape == (3, 4) and history.dtype == object
    assert states.tolist() == [[0.0] * 4, [1.0] * 4, [2.0] * 4]


def test_an_array_beside_its_own_minima(tmp_path: Path) -> None:
    """What NumPy 1.16 made of both: an array of objects, which `nan_to_num` leaves as it is."""
    (tmp_path / "m.py").write_text(
        HEAD + SCALED + "X, LOW = np.nan_to_num(scaled(np.array([[1.0, 2.0], [3.0, np.nan], [0.0, 1.0]])))\n")
    migrate_in_place(tmp_path)
    space: dict[str, object] = {}
    exec((tmp_path / "tf1_support" / "ragged.py").read_text(), space)
    text = (tmp_path / "m.py").read_text().replace("from tf1_support import ragged", "")
    run: dict[str, object] = {"ragged": SimpleNamespace(array=space["array"])}
    exec(text, run)
    x, low = np.asarray(run["X"]), np.asarray(run["LOW"])
    assert x.shape == (3, 2) and low.shape == (2,) and np.isnan(low[1]) and x[0, 0] == 1.0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("np.save(path, [images, losses])\n", "np.save(path, ragged.array([images, losses]))\n"),
        ("np.save(path, [self.a, self.b, 3], allow_pickle=True)\n",
         "np.save(path, ragged.array([self.a, self.b, 3]), allow_pickle=True)\n"),
        ("np.save(path, [np.mean(x), np.std(x)])\n", "np.save(path, [np.mean(x), np.std(x)])\n"),
        ("np.save(path, losses)\n", "np.save(path, losses)\n"),
    ],
)  # fmt: skip
def test_several_things_in_one_file(before: str, after: str) -> None:
    new = migrated(HEAD + before)
    assert new.endswith(after)
    assert migrated(new) == new


def test_arrays_of_one_element_beside_numbers_are_numbers() -> None:
    column = np.array([[2.5], [4.0]])
    made = ragged.numbers([[column[0], 0, column[1], 0]])
    assert made.astype(int).tolist() == [[2, 0, 4, 0]]
    assert ragged.numbers([np.ones(2), 0]).dtype == object
