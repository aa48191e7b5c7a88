"""Where what TensorFlow 1.15.5 gave is kept: written by its Python 3.7, read by the tests."""

import json
import os

import numpy as np

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")


def path(name):
    return os.path.join(FIXTURES, name)


def write_arrays(name, arrays):
    np.savez_compressed(path(name + ".npz"), **arrays)


def arrays(name):
    """The arrays of a topic, read when they are asked for."""
    return np.load(path(name + ".npz"))


def write_facts(name, facts, indent=1):
    with open(path(name + ".json"), "w") as file:
        json.dump(facts, file, indent=indent, sort_keys=True)
        file.write("\n")


def facts(name):
    with open(path(name + ".json")) as file:
        return json.load(file)
