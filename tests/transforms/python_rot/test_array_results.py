"""What a method of the project may give as an array of one is asked for it where NumPy 2.4 wants a number."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.transforms.projects import migrate_in_place

HEAD = """import numpy as np
import tensorflow as tf


class Worlds:
    def __init__(self, count):
        self.dones = np.zeros((count,), dtype=bool)

    def step(self, action):
        self.begin(action)
        return self.wait()

    def begin(self, action):
        self.rewards = np.full(len(self.dones), action)

    def wait(self):
        return None, np.copy(self.rewards), np.copy(self.dones), {}


"""
COLLECT = """def collect(env, horizon):
    kept, t = [], 0
    rewards = np.zeros(horizon, 'float32')
    while t < horizon:
        i = t % horizon
        seen, reward, done, info = env.step(t + 0.5)
        rewards[i] = reward
        kept.append(float(done))
        t += 1
    return rewards, kept
"""


def _migrated(folder: Path, text: str) -> str:
    (folder / "worlds.py").write_text(HEAD)
    (folder / "m.py").write_text("import numpy as np\nimport tensorflow as tf\n\n\n" + text)
    migrate_in_place(folder)
    return (folder / "m.py").read_text().partition("\n\n\n")[2]


def test_elements_and_numbers_of_results(tmp_path: Path) -> None:
    new = _migrated(tmp_path, COLLECT)
    assert "rewards[i] = np.asarray(reward).item()\n" in new
    assert "kept.append(float(np.asarray(done).item()))\n" in new
    got: dict[str, Any] = {}
    exec(HEAD.replace("import tensorflow as tf\n", "") + new, got)
    rewards, kept = got["collect"](got["Worlds"](1), 3)
    np.testing.assert_array_equal(rewards, np.float32([0.5, 1.5, 2.5]))  # type: ignore[arg-type]
    assert kept == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "text",
    [
        # a method that the project does not have, and what asks for no number
        "def one(env):\n    _, reward, done, _ = env.advance(1)\n    return float(done)\n",
        "def one(env):\n    seen, reward, done, info = env.step(1)\n    return bool(done), float(info)\n",
        # where it goes may have dimensions: of the array, or of the index
        "def put(env, shape):\n    a = np.zeros(shape)\n    for i in range(3):\n"
        "        _, a_reward, _, _ = env.step(i)\n        a[i] = a_reward\n    return a\n",
        "def put(env, n, i):\n    a = np.zeros(n)\n    b = 7 % n\n    _, reward, _, _ = env.step(b)\n"
        "    a[i] = reward\n    return a\n",
    ],
)
def test_what_stays(text: str, tmp_path: Path) -> None:
    assert _migrated(tmp_path, text) == text
