"""awjuliani/DeepRL-Agents: notebooks, run cell by cell with fewer episodes."""

from __future__ import annotations

import json
import os

from kit import settings, write

REPOSITORY = "https://github.com/awjuliani/DeepRL-Agents"
COMMIT = "f3c9a3ff9ee86029a72b63bbfa4dce3c56979ab3"

# Games begin alike on both sides, and nothing is shown.
_GAMES = """
import gym
import matplotlib; matplotlib.use('Agg')
making = gym.make
def make(name):
    env = making(name)
    env.seed(0)
    env.action_space.seed(0)
    env.render = lambda *a, **k: None
    return env
gym.make = make
"""
# SciPy's resizing of pictures, for the original; the migrated code has to bring its own.
_SCIPY = """
import numpy as np, scipy.misc
from PIL import Image
def imresize(array, size, interp):
    array = np.asarray(array, float)
    low, high = array.min(), array.max()
    scaled = ((array - low) * (255.0 / ((high - low) or 1)) + 0.5).clip(0, 255).astype('uint8')
    return np.asarray(Image.fromarray(scaled).resize(size[1::-1], Image.NEAREST))
scipy.misc.imresize = imresize
"""


def _notebook(w, name, *instead, end=""):
    with open(name + ".ipynb", encoding="utf-8") as stream:
        cells = json.load(stream)["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    lines = [line for cell in code for line in cell.splitlines() if not line.startswith("%")]
    write("cells.py", "\n".join([*lines, end]) + "\n")
    try:
        w.script("cells.py", ahead=_GAMES + ("" if w.after else _SCIPY), instead=instead)
    finally:
        os.remove("cells.py")


def simple_policy(w):
    _notebook(w, "Simple-Policy", ("total_episodes = 1000", "total_episodes = 200"), end="print(ww)")


def contextual_policy(w):
    _notebook(w, "Contextual-Policy", ("total_episodes = 10000", "total_episodes = 600"), end="print(ww)")


def q_network(w):
    _notebook(w, "Q-Network", ("num_episodes = 2000", "num_episodes = 40"), end="print(W1)")


def vanilla_policy(w):
    _notebook(w, "Vanilla-Policy", ("total_episodes = 5000", "total_episodes = 30"),
              ("% 100 == 0", "% 5 == 0"))  # fmt: skip


def policy_network(w):
    _notebook(w, "Policy-Network", ("total_episodes = 10000", "total_episodes = 12"))


def model_network(w):
    """The policy learns from a model of the game."""
    _notebook(w, "Model-Network", ("episode_number <= 5000", "episode_number <= 24"),
              ("if episode_number > 100", "if episode_number > 4"), end="print(loss)")  # fmt: skip


def exploration(w):
    _notebook(w, "Q-Exploration", ("num_episodes = 20000", "num_episodes = 12"), ("% 100 == 0", "% 2 == 0"),
              ("pre_train_steps = 50000", "pre_train_steps = 60"), end="print(rList)")  # fmt: skip


def exploration_by_chance(w):
    _notebook(w, "Q-Exploration", ("num_episodes = 20000", "num_episodes = 12"), ("% 100 == 0", "% 2 == 0"),
              ("pre_train_steps = 50000", "pre_train_steps = 60"),
              ('exploration = "e-greedy"', 'exploration = "boltzmann"'), end="print(rList)")  # fmt: skip


@settings(timeout=900)
def double_dueling(w):
    _notebook(w, "Double-Dueling-DQN", ("num_episodes = 10000", "num_episodes = 20"),
              ("h_size = 512", "h_size = 32"), ("//100,100]", "//10,10]"),
              ("batch_size = 32", "batch_size = 4"), ("max_epLength = 50", "max_epLength = 10"),
              ("pre_train_steps = 10000", "pre_train_steps = 160"))  # fmt: skip


@settings(timeout=900)
def recurrent(w):
    """Trains, saves, and goes on from what it saved."""
    os.makedirs("Center/frames", exist_ok=True)
    _notebook(w, "Deep-Recurrent-Q-Network", ("num_episodes = 10000", "num_episodes = 8"),
              ("h_size = 512", "h_size = 16"),
              ("pre_train_steps = 10000", "pre_train_steps = 60"), ("max_epLength = 50", "max_epLength = 12"),
              end="print(a, np.round(state1, 3))")  # fmt: skip
