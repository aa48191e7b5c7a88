"""Compiles the probes of rules/advice/xla.toml, and says of each how XLA took it: run by the test."""

from __future__ import annotations

import json
import sys
import tomllib

import numpy as np
import tensorflow as tf2

from migrator.resources import rules_dir

tf = tf2.compat.v1
X = tf2.constant([[1.0, 2.0], [3.0, 4.0]])
GIVEN = X, tf2.constant([0, 1, 1]), tf2.constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 0.9]])
HELD = {
    "tf": tf, "queue": tf2.queue.FIFOQueue(3, [tf2.float32]),
    "iterator": iter(tf2.data.Dataset.from_tensors(X).repeat()),
    "table": tf2.lookup.StaticHashTable(tf2.lookup.KeyValueTensorInitializer(
        tf2.constant([0, 1]), tf2.constant([1, 2])), 0),
}


def refused(probe: str) -> str:
    """What is said where the probe does not compile, or computes something else; "" where it does."""
    code = compile(probe, "probe", "eval")

    def step(x, i, boxes):
        made = {"x": x, "i": i, "boxes": boxes, "s": tf2.constant(["a", "b"])}  # XLA takes no strings
        return eval(code, {**HELD, **made})

    try:
        compiled = tf2.function(step, jit_compile=True, autograph=False)(*GIVEN)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    plain = tf2.function(step, autograph=False)(*GIVEN)
    same = all(np.allclose(a, b) and a.shape == b.shape for a, b in zip(
        tf2.nest.flatten(compiled), tf2.nest.flatten(plain), strict=True))
    return "" if same else "it computes something else"


def main() -> None:
    read = tomllib.loads((rules_dir() / "advice" / "xla.toml").read_text(encoding="utf-8"))
    probes = [entry["probe"] for entry in read["op"]] + json.loads(sys.stdin.read() or "[]")
    print(json.dumps({probe: refused(probe) for probe in probes}))


if __name__ == "__main__":
    main()
