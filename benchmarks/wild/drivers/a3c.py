"""dennybritz/reinforcement-learning: A3C's estimators, training, and deep Q-learning, in a made-up game."""

from __future__ import annotations

from kit import settings

REPOSITORY = "https://github.com/dennybritz/reinforcement-learning"
COMMIT = "2b832284894a65eccdd82353cc446f68d100676e"

# A game in the place of gym's, which has changed its interface and needs Atari's programs.
_GAME = """
import itertools, sys, types
import numpy as np
class Game:
    class spec: id = 'Breakout-v0'
    class action_space: n = 4
    def __init__(self):
        self.env = self.unwrapped = self
        self.monitor = types.SimpleNamespace(close=lambda: None)
        self.ale = types.SimpleNamespace(lives=lambda: 3)
        self.random, self.count = np.random.RandomState(0), 0
    def look(self):
        return self.random.randint(0, 256, (210, 160, 3)).astype(np.uint8)
    def reset(self):
        self.count = 0
        return self.look()
    def step(self, action):
        self.count += 1
        return self.look(), float(action == 2), self.count >= 6, {}
    def close(self):
        pass
gym, wrappers = types.ModuleType('gym'), types.ModuleType('gym.wrappers')
gym.envs = types.SimpleNamespace(make=lambda name: Game())
gym.Env = object
wrappers.Monitor = lambda env, *a, **k: env
gym.wrappers = wrappers
sys.modules.update({'gym': gym, 'gym.wrappers': wrappers})
"""
# One worker, and nobody who draws random numbers beside it.
_ALONE = _GAME + """
import policy_monitor
policy_monitor.PolicyMonitor.continuous_eval = lambda *a: None
"""


def estimators(w):
    w.script("estimator_test.py", cwd="PolicyGradient/a3c", ahead=_GAME)


@settings(timeout=900)
def train(w):
    w.script("train.py", "--model_dir=../../trained", "--parallelism=1", "--max_global_steps=20",
             "--t_max=4", cwd="PolicyGradient/a3c", ahead=_ALONE)  # fmt: skip


@settings(timeout=900)
def deep_q(w):
    small = [
        ("num_episodes=10000", "num_episodes=2"), ("replay_memory_size=500000", "replay_memory_size=12"),
        ("replay_memory_init_size=50000", "replay_memory_init_size=8"), ("every=10000", "every=4"),
        ("batch_size=32)", "batch_size=4)"),
    ]  # fmt: skip
    w.script("dqn.py", cwd="DQN", ahead=_GAME, instead=small)
