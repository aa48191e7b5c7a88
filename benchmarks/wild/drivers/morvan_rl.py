"""MorvanZhou/Reinforcement-learning-with-tensorflow: an agent a chapter, in games of our own."""

from __future__ import annotations

from kit import carried, settings, write

REPOSITORY = "https://github.com/MorvanZhou/Reinforcement-learning-with-tensorflow"
COMMIT = "93e333484be0e262d28b65507b6a1d002424a056"

_AHEAD = """
import random, matplotlib, numpy, tensorflow
matplotlib.use('Agg')
numpy.random.seed(1)
random.seed(1)
import time
time.sleep = lambda s: None
time.time = lambda: 0.0
"""
_GYM = '''
import numpy as np


class Space:
    def __init__(self, size, n=None, high=None):
        self.shape = (size,)
        self.n = n
        self.high = np.full(size, high or 1.0, np.float32)
        self.low = -self.high

    def __repr__(self):
        return "Space(%s)" % (self.n or self.shape[0])


class Game:
    """A point that actions push about; it is done when it is far away, or late."""

    x_threshold = 2.4
    theta_threshold_radians = 0.2
    goal_position = 0.5

    def __init__(self, size, n, pushed):
        self.observation_space = Space(size)
        self.action_space = Space(1, n, None if n else 2.0)
        self.size, self.n, self.pushed = size, n, pushed
        self.unwrapped = self
        self.draw = np.random.RandomState(3)

    def seed(self, number):
        self.draw = np.random.RandomState(number)

    def reset(self):
        self.t = 0
        self.at = self.draw.uniform(-0.1, 0.1, self.size)
        return self.at.copy()

    def step(self, action):
        push = float(np.ravel(action)[0]) - (self.n - 1) / 2 if self.n else float(np.ravel(action)[0])
        self.t += 1
        self.at = 0.9 * self.at + 0.05 * np.cos(np.arange(self.size) + self.t) * push + 0.01
        return self.at.copy(), float(1.0 - np.sum(self.at ** 2)), self.t >= self.pushed, {}

    def render(self):
        pass

    def close(self):
        pass


def make(name):
    if name.startswith("CartPole"):
        return Game(4, 2, 20)
    if name.startswith("MountainCar"):
        return Game(2, 3, 20)
    return Game(3, None, 10000)
'''


@carried
def data(w):
    write("games/gym/__init__.py", _GYM)


def _chapter(w, folder, name, *instead):
    w.script(name, cwd="contents/" + folder, ahead=_AHEAD, instead=list(instead), folders=["games"])


def double(w):
    _chapter(w, "5.1_Double_DQN", "run_Pendulum.py", ("= 3000", "= 60"), ("> 20000", "> 60"),
             ("plt.show()", "print(q_natural[-5:], q_double[-5:])"))  # fmt: skip


def prioritized(w):
    _chapter(w, "5.2_Prioritized_Replay_DQN", "run_MountainCar.py", ("SIZE = 10000", "SIZE = 64"),
             ("range(20)", "range(6)"),
             ("plt.show()", "print(his_natural, his_prio, RL_natural.cost_his[-3:], RL_prio.cost_his[-3:])"))


def dueling(w):
    _chapter(w, "5.3_Dueling_DQN", "run_Pendulum.py", ("= 3000", "= 60"), ("> 15000", "> 60"),
             ("plt.show()", "print(c_natural[-5:], c_dueling[-5:], r_dueling[-5:])"))  # fmt: skip


def deep_q(w):
    few = ("> 1000", "> 40")
    _chapter(w, "6_OpenAI_gym", "run_CartPole.py", ("range(100)", "range(6)"), few)
    _chapter(w, "6_OpenAI_gym", "run_MountainCar.py", ("range(10)", "range(3)"), few)


def policy(w):
    _chapter(w, "7_Policy_gradient_softmax", "run_CartPole.py", ("range(3000)", "range(6)"))
    _chapter(w, "7_Policy_gradient_softmax", "run_MountainCar.py", ("range(1000)", "range(6)"))


def critic(w):
    _chapter(w, "8_Actor_Critic_Advantage", "AC_CartPole.py", ("= 3000", "= 4"),
             ("GRAPH = False", "GRAPH = True"))  # fmt: skip


def critic_continuous(w):
    _chapter(w, "8_Actor_Critic_Advantage", "AC_continue_Pendulum.py", ("EPISODE = 1000", "EPISODE = 3"),
             ("MAX_EP_STEPS = 200", "MAX_EP_STEPS = 20"))  # fmt: skip


_DDPG = "9_Deep_Deterministic_Policy_Gradient_DDPG"
_SHORT = [("EPISODES = 200", "EPISODES = 6"), ("STEPS = 200", "STEPS = 20"),
          ("CAPACITY = 10000", "CAPACITY = 50")]  # fmt: skip


def deterministic(w):
    _chapter(w, _DDPG, "DDPG.py", *_SHORT)


def deterministic_hard(w):
    _chapter(w, _DDPG, "DDPG.py", *_SHORT, ("][0]   ", "][1]   "),
             ("rep_iter_a=600, rep_iter_c=500", "rep_iter_a=6, rep_iter_c=5"))  # fmt: skip


def updated(w):
    for name in ("DDPG_update.py", "DDPG_update2.py"):
        _chapter(w, _DDPG, name, *_SHORT)


def asynchronous(w):
    for name, episodes in (("discrete_action", 1000), ("continuous_action", 2000), ("RNN", 1500)):
        _chapter(w, "10_A3C", f"A3C_{name}.py", ("multiprocessing.cpu_count()", "1"),
                 (f"MAX_GLOBAL_EP = {episodes}", "MAX_GLOBAL_EP = 3"))  # fmt: skip


_PPO = "12_Proximal_Policy_Optimization"
_FEW = [("EP_MAX = 1000", "EP_MAX = 3"), ("EP_LEN = 200", "EP_LEN = 64")]


def proximal(w):
    _chapter(w, _PPO, "simply_PPO.py", *_FEW)


def proximal_penalized(w):
    _chapter(w, _PPO, "simply_PPO.py", *_FEW, ("][1]   ", "][0]   "))


@settings(timeout=400)
def distributed(w):
    for name in ("DPPO.py", "discrete_DPPO.py"):
        _chapter(w, _PPO, name, ("EP_MAX = 1000", "EP_MAX = 3"), ("N_WORKER = 4 ", "N_WORKER = 1 "))


_REMEMBERED = [("memory_size=10000", "memory_size=64"), ("range(200)", "range(3)")]


def curious(w):
    _chapter(w, "Curiosity_Model", "Curiosity.py", *_REMEMBERED)


def distilled(w):
    _chapter(w, "Curiosity_Model", "Random_Network_Distillation.py", *_REMEMBERED)
