"""Asks TensorFlow 1.15.5 again: `$MIGRATOR_TF1_PYTHON tests/runtime/recorded [topic ...]`.

A topic is a module of this folder: it has what is run on both sides (the tests import it), and
`record()`, which runs it on TensorFlow 1.15.5 (Python 3.7) and writes fixtures/TOPIC.*.
"""

import importlib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

if __name__ == "__main__":
    # Not this folder itself, whose modules would hide others of the same name.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
    topics = sys.argv[1:] or sorted(
        name[:-3] for name in os.listdir(HERE)
        if name.endswith(".py") and name[0] != "_" and name != "files.py")
    for topic in topics:
        if len(topics) > 1:  # each in a process of its own: some change TensorFlow for themselves
            subprocess.check_call([sys.executable, HERE, topic])
        else:
            importlib.import_module("tests.runtime.recorded." + topic).record()
            print("recorded", topic)
