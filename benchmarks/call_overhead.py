"""What a call costs by itself: a tf.function and a Session.run over as many variables, side by side.

    python benchmarks/call_overhead.py [VARIABLES ...]     330 is the SSD sample's training step

Both add 1 to every variable; each is measured in turn, so that drifts of the machine touch both. What
a tf.function takes on top is paid once a step, whatever the step computes.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import tensorflow as tf

ROUNDS, WARMUPS = 200, 20


def function_call(count: int) -> Callable[[], object]:
    """A tf.function that updates `count` variables of one value."""
    held = [tf.Variable(0.0) for _ in range(count)]

    @tf.function(autograph=False)
    def step() -> tf.Tensor:
        for variable in held:
            variable.assign_add(1.0, read_value=False)
        return tf.constant(0.0)

    return lambda: step().numpy()


def session_call(count: int) -> Callable[[], object]:
    """The same as a TF 1 graph with its session."""
    graph = tf.Graph()
    with graph.as_default():
        held = [tf.compat.v1.Variable(0.0, use_resource=False) for _ in range(count)]
        updates = [tf.compat.v1.assign_add(v, 1.0) for v in held]
        with tf.control_dependencies(updates):
            result = tf.constant(0.0)
        start = tf.compat.v1.global_variables_initializer()
    config = tf.compat.v1.ConfigProto(
        inter_op_parallelism_threads=1, intra_op_parallelism_threads=1
    )
    session = tf.compat.v1.Session(graph=graph, config=config)
    session.run(start)
    return lambda: session.run(result)


def main() -> None:
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    for count in [int(a) for a in sys.argv[1:]] or [1, 330]:
        calls = {"tf.function": function_call(count), "session": session_call(count)}
        taken: dict[str, list[float]] = {name: [] for name in calls}
        for index in range(WARMUPS + ROUNDS):
            for name, call in calls.items():
                started = time.process_time()
                call()
                if index >= WARMUPS:
                    taken[name].append(time.process_time() - started)
        shown = ", ".join(f"{n} {statistics.median(t) * 1e3:.2f} ms" for n, t in taken.items())
        print(f"{count} variables: {shown}")


if __name__ == "__main__":
    main()
