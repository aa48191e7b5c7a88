"""What a call costs by itself: a tf.function, a function of a graph and a Session.run, side by side.

    python benchmarks/call_overhead.py [VARIABLES ...]     330 is the SSD sample's training step

All take a value and add it to every variable; each is measured in turn, in processor time, so that
drifts of the machine touch all. What a call takes on top is paid once a step, whatever the step computes.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
import tensorflow as tf

from migrator import support

ROUNDS, WARMUPS = 200, 20


VALUE = np.float32(1.0)


def function_call(count: int) -> Callable[[], object]:
    """A tf.function that updates `count` variables."""
    held = [tf.Variable(0.0) for _ in range(count)]

    @tf.function(autograph=False)
    def step(value: tf.Tensor) -> tf.Tensor:
        for variable in held:
            variable.assign_add(value, read_value=False)
        return tf.identity(value)

    return lambda: step(VALUE).numpy()


def graph_call(count: int) -> Callable[[], object]:
    """The same as migrated session programs have it."""
    from tf1_support import graphs, scopes

    graph = graphs.Graph()
    with graph.as_default():
        value = graphs.placeholder(tf.float32, [])
        held = [scopes.get_variable(f"v{k}", initializer=0.0) for k in range(count)]
        updates = [variable.assign_add(value).op for variable in held]
        with tf.control_dependencies(updates):
            result = tf.identity(value)
        step = graphs.function([value], result)
    return lambda: step(VALUE)


def session_call(count: int) -> Callable[[], object]:
    """The same as a TF 1 graph with its session."""
    graph = tf.Graph()
    with graph.as_default():
        value = tf.compat.v1.placeholder(tf.float32, [])
        held = [tf.compat.v1.Variable(0.0, use_resource=False) for _ in range(count)]
        updates = [tf.compat.v1.assign_add(v, value) for v in held]
        with tf.control_dependencies(updates):
            result = tf.identity(value)
        start = tf.compat.v1.global_variables_initializer()
    config = tf.compat.v1.ConfigProto(
        inter_op_parallelism_threads=1, intra_op_parallelism_threads=1
    )
    session = tf.compat.v1.Session(graph=graph, config=config)
    session.run(start)
    return lambda: session.run(result, {value: VALUE})


def support_package(folder: str) -> None:
    """Makes the support package importable, as a migration writes it."""
    target = os.path.join(folder, "tf1_support")
    os.mkdir(target)
    for name, text in support.render(["graphs.Graph", "graphs.function", "graphs.placeholder",
                                      "scopes.get_variable"]).items():
        with open(os.path.join(target, name), "w", encoding="utf-8") as fh:
            fh.write(text)
    sys.path.insert(0, folder)


def main() -> None:
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        support_package(folder)
        for count in [int(a) for a in sys.argv[1:]] or [1, 330]:
            calls = {
                "session": session_call(count), "function of a graph": graph_call(count),
                "tf.function": function_call(count),
            }  # fmt: skip
            taken: dict[str, list[float]] = {name: [] for name in calls}
            for index in range(WARMUPS + ROUNDS):
                for name, call in calls.items():
                    started = time.process_time()
                    call()
                    if index >= WARMUPS:
                        taken[name].append(time.process_time() - started)
            usual = {name: statistics.median(t) for name, t in taken.items()}
            shown = ", ".join(
                f"{name} {seconds * 1e3:.3f} ms ({seconds / usual['session']:.2f}x)"
                for name, seconds in usual.items()
            )
            print(f"{count} variables: {shown}")


if __name__ == "__main__":
    main()
