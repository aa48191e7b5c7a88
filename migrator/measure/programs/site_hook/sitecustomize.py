"""Python imports this at start-up, from PYTHONPATH: it starts the probe, then the real sitecustomize.

Whatever goes wrong here goes to a file beside the results: the program must not notice.
Keeps to Python 3.7: it also runs under TF 1.15.
"""

import importlib
import importlib.util
import os
import sys
import traceback


def _start():  # type: ignore[no-untyped-def]
    path = os.environ["MIGRATOR_PROBE"]
    spec = importlib.util.spec_from_file_location("_migrator_command_probe", path)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    sys.modules[spec.name] = module  # type: ignore[union-attr]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    module.install()


def _hand_over():  # type: ignore[no-untyped-def]
    """Imports the sitecustomize that this one hides, if there is one."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.curdir) != here]
    hidden = sys.modules.pop("sitecustomize", None)
    try:
        importlib.import_module("sitecustomize")
    except ImportError:
        sys.modules["sitecustomize"] = hidden  # type: ignore[assignment]


if "MIGRATOR_PROBE" in os.environ:
    try:
        _start()
    except Exception:
        with open(os.path.join(os.environ["MIGRATOR_PROBE_OUT"], "probe_error.txt"), "a") as _log:
            traceback.print_exc(file=_log)
_hand_over()
