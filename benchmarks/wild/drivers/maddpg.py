"""openai/maddpg: agents that learn together, each with a critic that sees all of them."""

from __future__ import annotations

from kit import carried, write

REPOSITORY = "https://github.com/openai/maddpg"
COMMIT = "3ceefa0ada3ff31d633dd0bde8ff95213ce99be3"

# What is asked of the package of environments: some agents that move on a line, and are paid for meeting.
_WORLD = '''
import numpy as np
from gym import spaces


class MultiAgentEnv:
    n = 3

    def __init__(self, world, *callbacks):
        self.observation_space = [spaces.Box(4) for _ in range(self.n)]
        self.action_space = [spaces.Discrete(3) for _ in range(self.n)]

    def _seen(self):
        return [np.append(self.at - self.at[i], float(i)) for i in range(self.n)]

    def reset(self):
        self.at = np.random.RandomState(3).uniform(-1, 1, self.n)
        return self._seen()

    def step(self, actions):
        self.at = self.at + 0.1 * np.array([a[1] - a[2] for a in actions])
        paid = [-float(np.abs(self.at - self.at[i]).sum()) for i in range(self.n)]
        return self._seen(), paid, [False] * self.n, {"n": [{}] * self.n}
'''
_SCENARIOS = '''
class Scenario:
    def make_world(self):
        return None

    reset_world = reward = observation = benchmark_data = None


def load(name):
    return __import__("multiagent.scenarios", fromlist=["Scenario"])
'''
_SPACES = '''
class Box:
    def __init__(self, size):
        self.shape = (size,)


class Discrete:
    def __init__(self, n):
        self.n = n


class MultiBinary:
    pass
'''
_AHEAD = """
import random, time, numpy
random.seed(1)
numpy.random.seed(1)
time.time = lambda: 0.0
"""
# It learns at every hundredth step, once its memory is full.
_FLAGS = ["--num-episodes=40", "--max-episode-len=8", "--batch-size=4", "--num-units=6", "--save-rate=4",
          "--plots-dir=plots/"]  # fmt: skip


@carried
def data(w):
    write("stubs/multiagent/__init__.py", "")
    write("stubs/multiagent/environment.py", _WORLD)
    write("stubs/multiagent/scenarios.py", _SCENARIOS)
    write("stubs/multiagent/multi_discrete.py", "class MultiDiscrete:\n    pass\n")
    write("stubs/gym/__init__.py", "from gym import spaces\n")
    write("stubs/gym/spaces.py", _SPACES)
    write("plots/kept.txt", "")


def _run(w, name, *flags):
    w.script("experiments/train.py", *_FLAGS, f"--exp-name={name}", f"--save-dir=policy_{name}/", *flags,
             ahead=_AHEAD, folders=["stubs", "."])  # fmt: skip


def train(w):
    _run(w, "all")


def go_on(w):
    _run(w, "more", "--restore", "--load-dir=policy_all/")


def adversaries(w):
    _run(w, "against", "--num-adversaries=1", "--adv-policy=ddpg")
