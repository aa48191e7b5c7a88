"""snowkylin/ntm: Turing machines that copy, and that learn characters from a few examples."""

from __future__ import annotations

from kit import carried, picture, settings

REPOSITORY = "https://github.com/snowkylin/ntm"
COMMIT = "7db406826d6109f44c61a857ef2d1aadbbec7f54"

# No window for what it draws; its folders, which it does not make. Numbers on its command line stay texts.
_NO_WINDOW = """
import os
import matplotlib
matplotlib.use('Agg')
for model in ('NTM', 'LSTM'):
    os.makedirs('save/copy_task/' + model, exist_ok=True)
"""
_COPY = [("'--rnn_size', default=128", "'--rnn_size', default=6"),
         ("'--memory_size', default=128", "'--memory_size', default=8"),
         ("'--memory_vector_dim', default=20", "'--memory_vector_dim', default=4"),
         ("'--max_seq_length', default=15", "'--max_seq_length', default=3"),
         ("'--batch_size', default=10", "'--batch_size', default=3"),
         ("'--vector_dim', default=8", "'--vector_dim', default=4"),
         ("'--num_epoches', default=1000000", "'--num_epoches', default=7"),
         ("b % 100 == 0", "b % 3 == 0"), ("b % 5000 == 0", "b % 6 == 0"),
         ("plt.pause(0.001)", "pass")]  # fmt: skip
_SHOT = [("'--rnn_size', default=200", "'--rnn_size', default=6"),
         ("'--n_classes', default=5", "'--n_classes', default=3"),
         ("'--seq_length', default=50", "'--seq_length', default=12"),
         ("'--memory_size', default=128", "'--memory_size', default=8"),
         ("'--memory_vector_dim', default=40", "'--memory_vector_dim', default=4"),
         ("'--batch_size', default=16", "'--batch_size', default=2"),
         ("'--read_head_num', default=4", "'--read_head_num', default=2"),
         ("'--n_train_classes', default=1200", "'--n_train_classes', default=4"),
         ("'--n_test_classes', default=423", "'--n_test_classes', default=3"),
         ("'--num_epoches', default=100000", "'--num_epoches', default=5"),
         ("'--test_batch_num', default=100", "'--test_batch_num', default=2"),
         ("b % 100 == 0", "b % 2 == 0"), ("b % 5000 == 0", "b % 4 == 0")]  # fmt: skip
_WALK = """
import os
walk = os.walk
def ordered(top, *args, **kwargs):
    return sorted((d, sorted(s), sorted(f)) for d, s, f in walk(top, *args, **kwargs))
os.walk = ordered
for model in ('MANN', 'LSTM'):
    os.makedirs('save/one_shot_learning/' + model, exist_ok=True)
"""


@carried
def characters(w):
    for kind in range(7):
        for i in range(3):
            picture(f"data/{kind}/{i}.png", 24, 24, seed=3 * kind + i)


@settings(timeout=1200)
def copy(w):
    w.script("copy_task.py", ahead=_NO_WINDOW, instead=_COPY)


@settings(timeout=1200)
def copy_longer(w):
    w.script("copy_task.py", "--mode=test", "--test_seq_length=5", "--save_dir=save/copy_task/NTM",
             ahead=_NO_WINDOW, instead=_COPY)  # fmt: skip


@settings(timeout=1200)
def copy_lstm(w):
    w.script("copy_task.py", "--model=LSTM", "--tensorboard_dir=summary/lstm", ahead=_NO_WINDOW,
             instead=_COPY)  # fmt: skip


@settings(timeout=1200)
def learn(w):
    w.script("one_shot_learning.py", ahead=_WALK, instead=_SHOT)


@settings(timeout=1200)
def learnt(w):
    w.script("one_shot_learning.py", "--mode=test", ahead=_WALK, instead=_SHOT)


@settings(timeout=1200)
def learn_otherwise(w):
    w.script("one_shot_learning.py", "--model=LSTM", "--label_type=five_hot", ahead=_WALK, instead=_SHOT)
