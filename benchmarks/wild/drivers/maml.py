"""cbfinn/maml: learns to learn sinusoids, in seven ways: gradients of gradients."""

from __future__ import annotations

REPOSITORY = "https://github.com/cbfinn/maml"
COMMIT = "a7f45f1bcd7457fe97b227a21e89b8a82cc5fa49"

_AHEAD = """
import random, numpy
random.seed(1)
numpy.random.seed(1)
"""
_FEW = [("SUMMARY_INTERVAL = 100", "SUMMARY_INTERVAL = 2"), ("SAVE_INTERVAL = 1000", "SAVE_INTERVAL = 3"),
        ("PRINT_INTERVAL = 1000", "PRINT_INTERVAL = 2")]
# NumPy 2 divides a float32 array by np.sqrt(3) in float64, and prints more digits; the csv has them all.
_TESTS = [("NUM_TEST_POINTS = 600", "NUM_TEST_POINTS = 3"),
          ("print((means, stds, ci95))", "print((means, stds))")]
_FLAGS = ["--datasource=sinusoid", "--update_batch_size=3", "--meta_batch_size=4"]


def _run(w, *flags, instead=_FEW):
    w.script("main.py", *_FLAGS, *flags, ahead=_AHEAD, instead=instead)


def train(w):
    _run(w, "--metatrain_iterations=6", "--norm=None", "--logdir=plain")


def go_on(w):
    _run(w, "--metatrain_iterations=9", "--norm=None", "--logdir=plain")


def test(w):
    _run(w, "--norm=None", "--logdir=plain", "--train=False", instead=_TESTS)


def updated_twice(w):
    _run(w, "--metatrain_iterations=5", "--norm=None", "--logdir=twice", "--num_updates=2")


def first_order(w):
    _run(w, "--metatrain_iterations=5", "--norm=None", "--logdir=first", "--stop_grad=True")


def pretrain(w):
    _run(w, "--pretrain_iterations=5", "--metatrain_iterations=0", "--norm=None", "--logdir=before")


def oracle(w):
    _run(w, "--pretrain_iterations=5", "--metatrain_iterations=0", "--norm=None", "--baseline=oracle",
         "--logdir=told")  # fmt: skip
