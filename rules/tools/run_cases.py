"""Runs cases of rules on the TensorFlow that runs it, and writes what `result` was.

    python rules/tools/run_cases.py CASES.json OUT.json

CASES.json maps an id to `{"source": ..., "weights": bool}`; the source sets `result` (a tensor, an
array, a number, or a nest of them).  On TF 1 each case has a graph and a session of its own,
variables and tables initialised; on TF 2 it runs eagerly, in a variable store of its own.  A case
that fails has its error for a result.  Runs on Python 3.7 too.

Gradients: the derivative of a fixed weighted sum of all floating results, by every floating
`tf.constant` of the case's top level (in their order) and every trainable variable (by name).
A case with `program` is a whole script, sessions, files and all: it runs in a child process of its
own, and `result` is made of arrays and numbers only.

With `weights`, trainable variables get values drawn from their names first, so that both
TensorFlows compute with the same ones, and names and shapes of all variables are written, too.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import sys
import tempfile
import traceback
import zlib

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
    if kind in "SOU":
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


def drawn(name, shape):
    """Reproducible values of a variable, from its name."""
    random = np.random.RandomState(zlib.crc32(name.encode()) % 2**31)
    values = np.asarray(random.randn(*shape) * 0.5)
    return np.abs(values) + 0.5 if name.endswith("gamma") else values


@contextlib.contextmanager
def constants(tf, watch):
    """Gives every floating `tf.constant` that a case makes at its top level to `watch`."""
    make = tf.constant

    def constant(*args, **kwargs):
        value = make(*args, **kwargs)
        frame = sys._getframe(1)
        if frame.f_globals.get("__name__") == "case" and frame.f_code.co_name == "<module>":
            if value.dtype.is_floating:
                watch(value)
        return value

    tf.constant = constant
    try:
        yield
    finally:
        tf.constant = make


def objective(tf, results):
    """The weighted sum of all floating tensors among the results, None without any."""
    terms = []
    for value in results:
        if tf.is_tensor(value) and value.dtype.is_floating:
            flat = tf.reshape(tf.cast(value, tf.float64), [-1])
            terms.append(tf.reduce_sum(flat * tf.cos(tf.cast(tf.range(tf.size(flat)), tf.float64))))
    return tf.add_n(terms) if terms else None


def dense(tf, gradient):
    return None if gradient is None else tf.convert_to_tensor(gradient)


def labelled(watched, trained, gradients):
    """Gradients by what they are by: "0", "1" for constants, names for variables."""
    labels = [str(i) for i in range(len(watched))] + trained
    return {k: g for k, g in zip(labels, gradients) if g is not None}


def has_queues(tf):
    return bool(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS))


def run_graph(tf, source, weights):
    """TF 1: what `source` computes, in a session."""
    names = {"tf": tf, "np": np, "__name__": "case"}
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.compat.v1.set_random_seed(0)
        watched = []
        with constants(tf, watched.append):
            exec(compile(source, "<case>", "exec"), names)
        flat = tf.nest.flatten(names["result"])
        trained = [v for v in tf.trainable_variables() if v.dtype.base_dtype.is_floating]
        score, gradients = objective(tf, flat), []
        if score is not None and watched + trained:
            try:
                gradients = tf.gradients(score, watched + trained)
            except (LookupError, ValueError, AttributeError, TypeError):
                gradients = []  # TF 1.15 had none
        found = labelled(
            watched, [v.op.name for v in trained], [dense(tf, g) for g in gradients]
        )
        session.run([
            tf.compat.v1.global_variables_initializer(), tf.compat.v1.tables_initializer(),
            tf.compat.v1.local_variables_initializer(),
        ])
        if weights:
            for v in trained:
                v.load(drawn(v.op.name, v.shape.as_list()), session)
        fetched = [v if tf.is_tensor(v) else tf.no_op() for v in flat]
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator) if has_queues(tf) else []
        values, found = session.run([fetched, found])
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=5, ignore_live_threads=True)
        values = [v if got is None else got for v, got in zip(flat, values)]
        shapes = [[v.op.name, v.shape.as_list()] for v in tf.global_variables()]
        return tf.nest.pack_sequence_as(names["result"], values), found, shapes


def run_eagerly(tf, source, weights):
    """TF 2: the same, and the variables of the store where the support package is used."""
    code = compile(source, "<case>", "exec")
    store_module = sys.modules.get("tf1_support.store")
    if store_module is not None:
        store_module.reset_default_store()
    names = {"tf": tf, "np": np, "__name__": "case"}
    with contextlib.ExitStack() as stack:
        if weights:
            exec(code, names)
            store = sys.modules["tf1_support.store"].current_store()
            for name, v in store.variables_by_name.items():
                if v.trainable and v.dtype.is_floating:
                    v.assign(drawn(name, v.shape.as_list()))
            stack.enter_context(store.run())
        names = {"tf": tf, "np": np, "__name__": "case"}
        tf.random.set_seed(0)
        watched = []
        with tf.GradientTape(persistent=True) as tape:

            def watch(value):
                tape.watch(value)
                watched.append(value)

            with constants(tf, watch):
                exec(code, names)
            flat = tf.nest.flatten(names["result"])
            score = objective(tf, flat)
    shapes, trained = [], {}
    store_module = sys.modules.get("tf1_support.store")
    if store_module is not None:
        known = store_module.current_store().variables_by_name
        shapes = [[name, v.shape.as_list()] for name, v in known.items()]
        trained = {n: v for n, v in known.items() if v.trainable and v.dtype.is_floating}
    gradients = []
    if score is not None and (watched or trained):
        sources = watched + list(trained.values())
        try:
            gradients = [dense(tf, g) for g in tape.gradient(score, sources)]
        except (LookupError, ValueError, tf.errors.OpError):
            gradients = []  # wrong only where TF 1.15 had some: the tests see that they are missing
    found = labelled(watched, list(trained), gradients)
    values = [v.numpy() if hasattr(v, "numpy") else v for v in flat]
    return tf.nest.pack_sequence_as(names["result"], values), found, shapes


def failed(error):
    """An error as the result of its case."""
    return {
        "error": "%s: %s" % (type(error).__name__, str(error)[:300]),
        "trace": traceback.format_exc()[-600:],
    }


def run_program(tf, source, limit=120):
    """What the script's `result` is; the child is ended after `limit` seconds.

    Forked before anything else has run: TensorFlow has no threads yet.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        child = os.fork()
        if not child:
            code = 1
            try:
                signal.alarm(limit)
                names = {"tf": tf, "np": np, "__name__": "case"}
                os.chdir(folder)
                try:
                    exec(compile(source, "<case>", "exec"), names)
                    found = plain(names["result"])
                except Exception as error:  # reported as this case's result
                    found = failed(error)
                with open(path, "w") as file:
                    json.dump(found, file)
                code = 0
            finally:
                os._exit(code)  # nothing of the parent's is cleaned up here
        status = os.waitpid(child, 0)[1]
        if not os.path.exists(path):
            return {"error": "ended with status %d" % status, "trace": ""}
        with open(path) as file:
            return json.load(file)


def main():
    """Run all cases of a file."""
    import tensorflow as tf

    gc.collect()
    gc.freeze()  # a collection in a program's fork need not copy the pages of what was imported
    with open(sys.argv[1]) as file:
        cases = json.load(file)
    run = run_graph if tf.__version__.startswith("1.") else run_eagerly
    document = {"tensorflow": tf.__version__, "results": {}, "gradients": {}, "variables": {}}
    for name, case in sorted(cases.items()):
        if case.get("program"):
            document["results"][name] = run_program(tf, case["source"])
    for name, case in sorted(cases.items()):
        if case.get("program"):
            continue
        try:
            value, gradients, shapes = run(tf, case["source"], case["weights"])
            document["results"][name] = plain(value)
            if gradients:
                document["gradients"][name] = {k: plain(v) for k, v in gradients.items()}
            if case["weights"]:
                document["variables"][name] = shapes
        except Exception as error:  # reported as this case's result
            document["results"][name] = failed(error)
    with open(sys.argv[2], "w") as file:
        json.dump(document, file, indent=0, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main()
