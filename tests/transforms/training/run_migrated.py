"""Runs migrated programs, each in a fork of this process; says how often each step was traced.

    echo FOLDER | python run_migrated.py

Each line names a folder with `before.py` (migrated by now) and perhaps the support package; a line
answers it when the program has ended. What the program saves goes to `results.npz` there, the trace
counts or the error to `outcome.json`.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import signal
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

import tensorflow as tf

LIMIT = 300  # seconds: most programs take 2, on a busy machine 20

def run(folder: Path) -> dict[str, Any]:
    """Run one program as a script; its functions' trace counts by name."""
    made: list[Any] = []
    original = tf.function

    def recording(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        if hasattr(result, "experimental_get_tracing_count"):
            made.append(result)
            return result

        def decorate(function: Any) -> Any:
            made.append(result(function))
            return made[-1]

        return decorate

    sys.argv = ["before.py", str(folder / "results.npz")]
    sys.path.insert(0, str(folder))
    os.chdir(folder)
    tf.function = recording
    runpy.run_path(str(folder / "before.py"), run_name="__main__")
    others = ("tf1_support", "keras.")  # those of Keras' own loops are not counted
    steps = [f for f in made if not any(name in f.python_function.__module__ for name in others)]
    traces: dict[str, int] = {}
    compiled: dict[str, bool] = {}
    for function in steps:  # objects of one class have functions of one name
        name = function.python_function.__name__
        traces[name] = max(traces.get(name, 0), function.experimental_get_tracing_count())
        if function.input_signature is not None and traces[name]:
            made_of = function.get_concrete_function().function_def.attr
            compiled[name] = made_of["_XlaMustCompile"].b
    return {"traces": traces, "compiled": compiled}


def in_child(folder: Path) -> NoReturn:
    """Run one program in this process, a fork, and end with it."""
    os.dup2(2, 1)  # what it prints is no answer
    signal.alarm(LIMIT)
    try:
        outcome = run(folder)
    except (Exception, SystemExit) as error:
        outcome = {"error": "".join(traceback.format_exception(error))[-6000:]}
    signal.alarm(0)
    (folder / "outcome.json").write_text(json.dumps(outcome))
    sys.stdout.flush()
    os._exit(0)


def main() -> None:
    gc.collect()
    gc.freeze()  # a collection in a fork need not copy the pages of what was imported
    for line in sys.stdin:
        folder = Path(line.rstrip("\n"))
        child = os.fork()  # nothing has been computed so far: TensorFlow starts in the child
        if not child:
            in_child(folder)
        _, status = os.waitpid(child, 0)
        if not (folder / "outcome.json").exists():
            ended = f"ended with wait status {status}; {signal.SIGALRM:d}: after {LIMIT} s"
            (folder / "outcome.json").write_text(json.dumps({"error": ended}))
        print(folder, flush=True)


if __name__ == "__main__":
    main()
