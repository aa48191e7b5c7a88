"""openai/baselines: each algorithm of its command line trains on a small environment, saves, and a second
run begins with what the first left; CartPole is gym's own, others, and MPI, are made here."""

from __future__ import annotations

from kit import carried, write

REPOSITORY = "https://github.com/openai/baselines"
COMMIT = "ea25b9e8b234e6ee1bca43083f8f3cf974143998"

# The program's clock goes on by one each time that it looks, and singular vectors have the same signs in
# all versions of LAPACK.
_AHEAD = """
import itertools, sys, time
import numpy as np
SVD = np.linalg.svd
def svd(*args, **options):
    u, s, v = SVD(*args, **options)
    n = min(u.shape[1], v.shape[0])
    signs = np.sign(u[np.abs(u[:, :n]).argmax(0), np.arange(n)])
    return u[:, :n] * signs, s, v[:n] * signs[:, None]
np.linalg.svd = svd
TIME, TICKS = time.time, itertools.count(1)
def ticks():
    asks = sys._getframe(1).f_globals.get('__name__', '')
    return float(next(TICKS)) if asks.startswith(('baselines', '__main__')) else TIME()
time.time = time.perf_counter = ticks
"""

# One process that is all of MPI.
_MPI = """
import copy
class _Comm:
    rank, size = 0, 1
    def Get_rank(self): return 0
    def Get_size(self): return 1
    def Split(self, *args): return self
    def Barrier(self): pass
    def bcast(self, value, root=0): return copy.deepcopy(value)
    def gather(self, value, root=0): return [value]
    def allgather(self, value): return [value]
    def allreduce(self, value, op=None): return value
    def Bcast(self, array, root=0): pass
    def Allreduce(self, sent, received, op=None): received[...] = sent
class MPI:
    COMM_WORLD, SUM, Comm = _Comm(), 'sum', _Comm
"""

# A point that is to go to another one, pictures that say what to do, and a weight that is to be held
# (gym's pendulum computes in single precision with NumPy 2).
_GOALS = """
import gym, numpy as np
class Point(gym.GoalEnv):
    def __init__(self):
        box = lambda n: gym.spaces.Box(-2., 2., (n,), np.float32)
        self.action_space = gym.spaces.Box(-1., 1., (2,), np.float32)
        self.observation_space = gym.spaces.Dict(
            dict(observation=box(4), achieved_goal=box(2), desired_goal=box(2)))
        self.seed(0)
    def seed(self, seed=None):
        self.random = np.random.RandomState(seed)
    def compute_reward(self, achieved_goal, desired_goal, info):
        return -(np.linalg.norm(achieved_goal - desired_goal, axis=-1) > 0.3).astype(np.float32)
    def _look(self):
        return dict(observation=np.concatenate([self.at, self.goal - self.at]).astype(np.float32),
                    achieved_goal=self.at.astype(np.float32), desired_goal=self.goal.astype(np.float32))
    def reset(self):
        self.at, self.goal = self.random.uniform(-1, 1, 2), self.random.uniform(-1, 1, 2)
        return self._look()
    def step(self, action):
        self.at = np.clip(self.at + 0.2 * np.asarray(action), -2, 2)
        seen = self._look()
        reward = float(self.compute_reward(seen['achieved_goal'], seen['desired_goal'], None))
        return seen, reward, False, {'is_success': np.float32(reward == 0)}
gym.envs.register(id='Point-v0', entry_point='goals:Point', max_episode_steps=10)

class Picture(gym.Env):
    def __init__(self):
        self.action_space = gym.spaces.Discrete(3)
        self.observation_space = gym.spaces.Box(0, 255, (36, 36, 2), np.uint8)
        self.seed(0)
    def seed(self, seed=None):
        self.random = np.random.RandomState(seed)
    def reset(self):
        self.want = self.random.randint(3)
        seen = self.random.randint(0, 60, (36, 36, 2)).astype(np.uint8)
        seen[self.want * 12:self.want * 12 + 12] += 150
        return seen
    def step(self, action):
        reward = float(int(action) == self.want)
        return self.reset(), reward, False, {}
class Weight(gym.Env):
    def __init__(self):
        self.action_space = gym.spaces.Box(-2., 2., (1,), np.float32)
        self.observation_space = gym.spaces.Box(-9., 9., (3,), np.float32)
        self.seed(0)
    def seed(self, seed=None):
        self.random = np.random.RandomState(seed)
    def _look(self):
        return np.array([self.at, self.speed, self.at * self.speed])
    def reset(self):
        self.at, self.speed = self.random.uniform(-1, 1, 2)
        return self._look()
    def step(self, action):
        push = float(np.clip(action, -2, 2).ravel()[0])
        self.speed = min(3., max(-3., self.speed + 0.1 * (push - self.at)))
        self.at = min(3., max(-3., self.at + 0.1 * self.speed))
        return self._look(), -self.at ** 2 - 0.1 * push ** 2, False, {}
gym.envs.register(id='Weight-v0', entry_point='goals:Weight', max_episode_steps=20)
gym.envs.register(id='Picture-v0', entry_point='goals:Picture', max_episode_steps=12)
"""


@carried
def surroundings(w):
    write("fakes/mpi4py/__init__.py", _MPI)
    write("goals.py", _GOALS)


def _learn(w, name, *args, kept="arrays", mpi=False, told="stdout,log,csv"):
    given = [f"--save_path=kept/{name}/model"] if kept else []
    w.script("-m", "baselines.run", "--seed=3", *args, *given, ahead=_AHEAD, folders=["fakes"] * mpi,
             env={"OPENAI_LOGDIR": f"logs/{name}", "OPENAI_LOG_FORMAT": told})  # fmt: skip
    if kept == "arrays":
        import joblib

        w.dump(**joblib.load(f"kept/{name}/model"))


_CART = "--env=CartPole-v0"
_WEIGHT = "--env=goals:Weight-v0"


def deepq(w):
    _learn(w, "deepq", "--alg=deepq", _CART, "--num_timesteps=400", "--learning_starts=100",
           "--train_freq=4", "--batch_size=8", "--target_network_update_freq=50", "--print_freq=1",
           "--checkpoint_freq=100", "--num_hidden=8", "--hiddens=[16]", "--exploration_fraction=0.5",
           "--prioritized_replay=True", kept=None)  # fmt: skip


def deepq_noise(w):
    _learn(w, "deepq_noise", "--alg=deepq", _CART, "--num_timesteps=200", "--learning_starts=50",
           "--train_freq=4", "--batch_size=8", "--print_freq=1", "--param_noise=True", "--layer_norm=True",
           "--num_hidden=8", "--hiddens=[16]", "--dueling=False", kept=None)  # fmt: skip


def deepq_script(w):
    w.script("baselines/deepq/experiments/custom_cartpole.py", ahead=_AHEAD, folders=["."], instead=[
        ("itertools.count()", "range(600)"), ("> 1000:", "> 300:"), ("% 1000 ==", "% 100 =="),
    ])  # fmt: skip


def a2c(w):
    _learn(w, "a2c", "--alg=a2c", _CART, "--num_timesteps=60", "--network=mlp", "--num_hidden=8",
           "--value_network=copy", "--log_interval=1")  # fmt: skip


def a2c_goes_on(w):
    _learn(w, "a2c_more", "--alg=a2c", _CART, "--num_timesteps=20", "--network=mlp", "--num_hidden=8",
           "--value_network=copy", "--load_path=kept/a2c/model", "--log_interval=1")  # fmt: skip


def a2c_memory(w):
    _learn(w, "a2c_memory", "--alg=a2c", _CART, "--num_timesteps=40", "--network=lstm", "--nlstm=8",
           "--layer_norm=True")  # fmt: skip


def a2c_pictures(w):
    _learn(w, "a2c_pictures", "--alg=a2c", "--env=goals:Picture-v0", "--num_timesteps=20", "--network=cnn")


def ppo2(w):
    _learn(w, "ppo2", "--alg=ppo2", _WEIGHT, "--num_timesteps=96", "--nsteps=32", "--nminibatches=2",
           "--noptepochs=2", "--num_hidden=8", "--log_interval=1")  # fmt: skip


def ppo2_goes_on(w):
    _learn(w, "ppo2_more", "--alg=ppo2", _WEIGHT, "--num_timesteps=64", "--nsteps=32", "--nminibatches=2",
           "--noptepochs=2", "--num_hidden=8", "--load_path=kept/ppo2/model")  # fmt: skip


def ppo2_memory(w):
    _learn(w, "ppo2_memory", "--alg=ppo2", _CART, "--num_timesteps=32", "--nsteps=8", "--nminibatches=1",
           "--network=lstm", "--nlstm=8", "--value_network=shared")  # fmt: skip


def ppo2_pictures(w):
    _learn(w, "ppo2_pictures", "--alg=ppo2", "--env=goals:Picture-v0", "--num_timesteps=16", "--nsteps=8",
           "--nminibatches=2", "--network=impala_cnn", "--depths=[2,4]")  # fmt: skip


def acer(w):
    _learn(w, "acer", "--alg=acer", "--env=goals:Picture-v0", "--num_timesteps=48", "--nsteps=4",
           "--network=conv_only", "--replay_start=8", "--convs=[(4,8,4),(4,3,2)]")  # fmt: skip


def acktr(w):
    _learn(w, "acktr", "--alg=acktr", _CART, "--num_timesteps=80", "--network=mlp", "--num_hidden=8",
           "--is_async=False")  # fmt: skip


def ddpg(w):
    _learn(w, "ddpg", "--alg=ddpg", _WEIGHT, "--num_timesteps=60", "--nb_epoch_cycles=2",
           "--nb_rollout_steps=30", "--nb_train_steps=5", "--batch_size=8", "--num_hidden=8",
           "--param_noise_adaption_interval=2", kept=None)  # fmt: skip


def ddpg_popart(w):
    _learn(w, "ddpg_popart", "--alg=ddpg", _WEIGHT, "--num_timesteps=60", "--nb_epoch_cycles=2",
           "--nb_rollout_steps=30", "--nb_train_steps=5", "--batch_size=8", "--num_hidden=8",
           "--normalize_returns=True", "--popart=True", "--noise_type=ou_0.1", "--layer_norm=True",
           kept=None)  # fmt: skip


def trpo(w):
    _learn(w, "trpo", "--alg=trpo_mpi", _WEIGHT, "--num_timesteps=64", "--timesteps_per_batch=32",
           "--num_hidden=8", "--cg_iters=3", "--vf_iters=2", "--normalize_observations=True",
           kept="checkpoint")  # fmt: skip


def her(w):
    _learn(w, "her", "--alg=her", "--env=goals:Point-v0", "--num_timesteps=80", "--n_cycles=2",
           "--n_batches=3", "--n_test_rollouts=1", mpi=True, told="csv")  # fmt: skip


def with_mpi(w):
    _learn(w, "ppo2_mpi", "--alg=ppo2", _WEIGHT, "--num_timesteps=32", "--nsteps=16", "--nminibatches=2",
           "--noptepochs=1", "--num_hidden=8", mpi=True)  # fmt: skip


def ppo1(w):
    write("learn_ppo1.py", """
import gym
from baselines import logger
from baselines.common import set_global_seeds, tf_util as U
from baselines.ppo1 import mlp_policy, pposgd_simple
logger.configure()
set_global_seeds(5)
U.make_session(num_cpu=1).__enter__()
def policy_fn(name, ob_space, ac_space):
    return mlp_policy.MlpPolicy(name=name, ob_space=ob_space, ac_space=ac_space, hid_size=8, num_hid_layers=2)
import goals
env = gym.make('Weight-v0')
env.seed(5)
pi = pposgd_simple.learn(env, policy_fn, max_timesteps=64, timesteps_per_actorbatch=32, clip_param=0.2,
    entcoeff=0.0, optim_epochs=2, optim_stepsize=3e-4, optim_batchsize=8, gamma=0.99, lam=0.95,
    schedule='linear')
U.save_state('kept/ppo1/model')
print(pi.act(False, env.reset()))
""")  # fmt: skip
    w.script("learn_ppo1.py", ahead=_AHEAD, env={"OPENAI_LOGDIR": "logs/ppo1"}, folders=["fakes", "."])


def functions(w):
    w.script("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:warnings",
             "baselines/common/tests/test_tf_util.py", "baselines/common/running_mean_std.py",
             "baselines/common/mpi_adam.py", folders=["fakes"],
             ahead="import time; time.perf_counter = time.time = lambda: 0.0")  # fmt: skip


def curves(w):
    _learn(w, "curves", "--alg=a2c", _CART, "--num_timesteps=20", "--network=mlp", "--num_hidden=8")
    w.script("-c", "from baselines import logger; print(logger.read_csv('logs/curves/progress.csv'))")
