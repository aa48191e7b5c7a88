"""carpedm20/deep-rl-tensorflow: deep Q-learning of a made-up game, plain, double and dueling."""

from __future__ import annotations

from kit import settings

REPOSITORY = "https://github.com/carpedm20/deep-rl-tensorflow"
COMMIT = "95d3e2dde77d4a7a393ec418fe3537094d08c2ba"
PYTHON2 = True

# A corridor in the place of gym's games, which have changed their interface.
_GAME = """
import sys, types
class Game:
    action_space, observation_space = types.SimpleNamespace(n=3), types.SimpleNamespace(n=8)
    at = 0
    def reset(self):
        self.at = 0
        return 0
    def step(self, action):
        self.at = max(0, self.at + (1, -1, 2)[action])
        return min(self.at, 7), float(self.at >= 7), self.at >= 7, {}
gym = sys.modules['gym'] = types.ModuleType('gym')
gym.make = lambda name: Game()
gym.wrappers = types.SimpleNamespace(Monitor=lambda env, *a, **k: env)
corridor = sys.modules['environments.corridor'] = types.ModuleType('environments.corridor')
corridor.CorridorEnv = Game
import utils
utils.get_model_dir = lambda conf, names: 'checkpoints/%s/' % conf.tag
import numpy
numpy.random.seed(3)
"""
_SMALL = (
    "main.py", "--env_name=Corridor", "--network_header_type=mlp", "--observation_dims=[8]",
    "--history_length=1", "--scale=1", "--memory_size=30", "--t_target_q_update_freq=3", "--t_test=6",
    "--t_ep_end=10", "--t_train_max=26", "--t_learn_start=6", "--learning_rate_decay_step=5",
    "--batch_size=4", "--t_train_freq=1",
)  # fmt: skip


@settings(timeout=900)
def train(w):
    w.script(*_SMALL, "--tag=plain", ahead=_GAME)


@settings(timeout=900)
def train_double(w):
    w.script(*_SMALL, "--tag=double", "--double_q=true", "--max_grad_norm=5",
             "--network_output_type=dueling", ahead=_GAME)  # fmt: skip
