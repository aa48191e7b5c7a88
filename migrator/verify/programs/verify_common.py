"""What every verifying child does on top of `workload/programs/child_setup`: sides, result files.

Keeps to Python 3.7: it also runs under TF 1.15.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

STEPS = 3
LEARNING_RATE = 0.01
_HERE = os.path.dirname(os.path.abspath(__file__))
_SHARED = os.path.normpath(os.path.join(_HERE, "..", "..", "workload", "programs"))

sys.path.insert(0, _SHARED)
import child_setup  # type: ignore[import-not-found]  # noqa: E402  # found through _SHARED
import migrated_variables  # type: ignore[import-not-found]  # noqa: E402, F401  # found through _SHARED
from child_setup import (  # noqa: E402, F401  # handed on to the programs
    Unusable,
    add_roots,
    existing_checkpoint,
    flatten,
    load_by_path,
    make_inputs,
    read_config,
    run_program,
    scalar_loss,
    target,
)

sys.path.remove(_SHARED)


def leave_own_directory() -> None:
    """Takes this directory off sys.path: the user's modules may have the same names."""
    child_setup.leave_directory(_HERE)


def start_side(side: str, compat_runtime: str) -> Any:
    """TensorFlow as the side sees it: "tf1" and "compat" with resource variables, or "after".

    With TF1's reference variables an update may overtake a read: a program differs from itself.
    """
    leave_own_directory()
    if side == "compat":
        load_by_path("migrator_compat_runtime", compat_runtime).install()
    import tensorflow as tf

    if side != "after":
        tf.enable_resource_variables()
    return tf


def checkpoint_values(reader: Any, wanted: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """(values by name, names that the checkpoint lacks) of variables {name: (shape, dtype)}."""
    shapes = reader.get_variable_to_shape_map()
    values, missing = {}, []
    for name, (shape, dtype) in wanted.items():
        if name not in shapes:
            missing.append(name)
        elif list(shapes[name]) != list(shape):
            raise Unusable(
                f"variable {name} has shape {list(shape)}, in the checkpoint {list(shapes[name])}"
            )
        else:
            values[name] = reader.get_tensor(name).astype(dtype)
    return values, missing


def write_result(config: dict[str, Any], arrays: dict[str, Any], facts: dict[str, Any]) -> None:
    """Writes the arrays beside the facts; the facts come last and whole, or not at all."""
    dense: Any = {k: np.asarray(v) for k, v in arrays.items()}
    np.savez(config["out"] + ".npz", **dense)
    child_setup.write_json(config["out"] + ".json", facts)


def say_progress(config: dict[str, Any], done: int, total: int, name: str) -> None:
    """Tells the parent how far this program is."""
    child_setup.write_json(config["out"] + ".progress", [done, total, name])


def main(run: Callable[[dict[str, Any]], tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """Runs `run(config)`; what it finds unusable is a result, any other exception a traceback."""
    config = read_config()
    try:
        arrays, facts = run(config)
    except Unusable as error:
        write_result(config, {}, {"unusable": str(error)})
    else:
        write_result(config, arrays, facts)
