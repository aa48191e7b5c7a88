"""Runs cases of rules on the TensorFlow that runs it, and writes what `result` was.

    python rules/tools/run_cases.py CASES.json OUT.json

CASES.json maps an id to source that sets `result` (a tensor, an array, a number, or a nest of
them).  On TF 1 each case has a graph and a session of its own, variables and tables initialised;
on TF 2 it runs eagerly.  A case that fails has its error for a result.  Runs on Python 3.7 too.
"""

from __future__ import annotations

import json
import os
import sys
import traceback

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")


def plain(value):
    """A JSON form of arrays in nests: dtype, shape and flat values."""
    if isinstance(value, dict):
        return {"dict": {str(k): plain(v) for k, v in value.items()}}
    if hasattr(value, "_asdict") or isinstance(value, (list, tuple)):
        return {"list": [plain(v) for v in value]}
    array = np.asarray(value)
    kind = array.dtype.kind
    if kind in "SO":
        flat = [v.decode("latin-1") if isinstance(v, bytes) else str(v) for v in array.ravel()]
        return {"dtype": "string", "shape": list(array.shape), "values": flat}
    if kind == "c":
        flat = [[float(v.real), float(v.imag)] for v in array.ravel()]
    elif kind in "iub":
        flat = [int(v) for v in array.ravel()]
    else:
        flat = [float(v) for v in array.ravel()]
    # a Python float becomes float64: what the number is matters, not who made the array
    return {"dtype": str(array.dtype), "shape": list(array.shape), "values": flat}


def run(tf, source):
    """The value of `result` after `source`."""
    names = {"tf": tf, "np": np, "__name__": "case"}
    if tf.__version__.startswith("1."):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            tf.compat.v1.set_random_seed(0)
            exec(compile(source, "<case>", "exec"), names)
            session.run([
                tf.compat.v1.global_variables_initializer(), tf.compat.v1.tables_initializer(),
                tf.compat.v1.local_variables_initializer(),
            ])
            flat = tf.nest.flatten(names["result"])
            values = [session.run(v) if tf.is_tensor(v) else v for v in flat]
            return tf.nest.pack_sequence_as(names["result"], values)
    tf.random.set_seed(0)
    exec(compile(source, "<case>", "exec"), names)
    flat = tf.nest.flatten(names["result"])
    values = [v.numpy() if hasattr(v, "numpy") else v for v in flat]
    return tf.nest.pack_sequence_as(names["result"], values)


def main():
    """Run all cases of a file."""
    import tensorflow as tf

    with open(sys.argv[1]) as file:
        cases = json.load(file)
    results = {}
    for name, source in sorted(cases.items()):
        try:
            results[name] = plain(run(tf, source))
        except Exception as error:  # reported as this case's result
            results[name] = {
                "error": "%s: %s" % (type(error).__name__, str(error)[:300]),
                "trace": traceback.format_exc()[-600:],
            }
    with open(sys.argv[2], "w") as file:
        json.dump({"tensorflow": tf.__version__, "results": results}, file, indent=0, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main()
