"""Runs migrated programs, each in a fork of this process; says how often each step was traced.

    python run_migrated.py FOLDER [FOLDER ...]

Each folder holds `before.py` (migrated by now) and perhaps the support package. What the program
saves goes to `results.npz` there, the trace counts or the error to `outcome.json`.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import traceback
from pathlib import Path
from typing import Any

import tensorflow as tf


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
    steps = [f for f in made if "tf1_support" not in f.python_function.__module__]
    traces: dict[str, int] = {}
    compiled: dict[str, bool] = {}
    for function in steps:  # objects of one class have functions of one name
        name = function.python_function.__name__
        traces[name] = max(traces.get(name, 0), function.experimental_get_tracing_count())
        if function.input_signature is not None and traces[name]:
            made_of = function.get_concrete_function().function_def.attr
            compiled[name] = made_of["_XlaMustCompile"].b
    return {"traces": traces, "compiled": compiled}


def main(folders: list[str]) -> None:
    for folder in map(Path, folders):
        child = os.fork()  # nothing has been computed so far: TensorFlow starts in the child
        if child:
            os.waitpid(child, 0)
            continue
        try:
            outcome = run(folder)
        except (Exception, SystemExit) as error:
            outcome = {"error": "".join(traceback.format_exception(error))[-6000:]}
        (folder / "outcome.json").write_text(json.dumps(outcome))
        sys.stdout.flush()
        os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
