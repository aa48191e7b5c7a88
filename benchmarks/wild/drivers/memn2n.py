"""domluna/memn2n: memory networks that answer questions about stories; one task, and several together."""

from __future__ import annotations

import numpy as np
from kit import carried, write

REPOSITORY = "https://github.com/domluna/memn2n"
COMMIT = "8a4915ac18e95db3828f3ad862609718c28a17e8"

# The module went from scikit-learn.
_AHEAD = """
import random, sys, types, numpy
import sklearn, sklearn.model_selection
numpy.random.seed(1)
random.seed(1)
import re
split = re.split  # a group that may be left out splits nowhere since Python 3.7
re.split = lambda pattern, text: split(pattern.replace(')?', ')'), text)
sklearn.cross_validation = sys.modules['sklearn.cross_validation'] = sklearn.model_selection
"""


@carried
def data(w):
    draw = np.random.RandomState(0)
    people, places = ["Mary", "John", "Daniel"], ["kitchen", "garden", "office"]
    for task in range(1, 21):
        for kind, count in (("train", 20), ("test", 6)):
            lines = []
            for _ in range(count):
                at = {}
                for number in range(1, 5, 2):
                    who, where = people[draw.randint(3)], places[draw.randint(3)]
                    at[who] = (where, number)
                    lines.append(f"{number} {who} went to the {where}.")
                    asked = sorted(at)[draw.randint(len(at))]
                    lines.append(f"{number + 1} Where is {asked}? \t{at[asked][0]}\t{at[asked][1]}")
            write(f"stories/qa{task}_made-up_{kind}.txt", "\n".join(lines) + "\n")


def single(w):
    w.script("single.py", "--data_dir=stories", "--epochs=4", "--evaluation_interval=2", "--batch_size=8",
             "--random_state=3", ahead=_AHEAD)


def joint(w):
    w.script("joint.py", "--data_dir=stories", "--epochs=2", "--evaluation_interval=1", "--batch_size=16",
             "--random_state=3", ahead=_AHEAD,
             instead=[] if w.after else [("/20", "//20")])  # Python 2's, as is migrated
