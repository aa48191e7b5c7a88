"""Records what TF 1.15.5 does: `PYTHON37 tests/support2/recorders [topic ...]` writes fixtures/."""
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

if __name__ == "__main__":
    out = os.path.join(os.path.dirname(HERE), "fixtures")
    topics = sys.argv[1:] or sorted(
        name[:-3] for name in os.listdir(HERE) if name.endswith(".py") and name[0] != "_")
    for topic in topics:
        importlib.import_module(topic).record(out)
        print("recorded", topic)
