"""A process that has imported TensorFlow, and forks for each cell before it touched any device.

`python -m migrator.measure.programs.warm SIDE FD`. Importing TensorFlow takes most of a small cell's
time. Here it happens once for many cells: over the socket FD come jobs ({argv, cwd, env}, with the file
that takes the output), each is run by a fork, and what comes back is its pid and how it ended. SIDE
"before" imports TensorFlow through the compat runtime, "after" as it is.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import signal
import socket
import sys
import time
import traceback
from typing import Any

from migrator.measure.programs import process_stats
from migrator.workload.programs import child_setup

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER, linux/prctl.h
# What every cell of a side imports anyway.
_AFTER = ("measure_migrated", "measure_trace", "measure_live", "source_lines")


def prepare(side: str) -> dict[str, Any]:
    """Imports; what that took: seconds, resident bytes, and how many of these are files' pages."""
    if side == "before":
        from migrator.workload import compat_runtime

        compat_runtime.install()
    else:
        import tensorflow as tf

        tf.keras.utils.set_random_seed  # noqa: B018  # Keras comes with its first attribute
        for name in _AFTER:
            importlib.import_module(f"migrator.measure.programs.{name}")
        importlib.import_module("migrator.measure.predict.making")
    return {
        "seconds": time.time() - process_stats.started(), "rss": process_stats.resident_bytes(),
        "file_rss": process_stats.file_bytes(),
    }  # fmt: skip


def has_touched_a_gpu() -> bool:
    """Whether this process has a GPU open: CUDA does not work in a fork of one that has begun with it."""
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/self/fd/{number}").startswith(("/dev/nvidia", "/dev/dri", "/dev/kfd")):
                return True
    return False


def serve(side: str, link: socket.socket) -> None:
    """Runs one job after the other until the other end is closed."""
    before = dict(os.environ)
    imported = json.dumps(prepare(side))
    # what importing wrote into the environment, as it would in the fork (TF2_BEHAVIOR)
    written = {k: v for k, v in os.environ.items() if before.get(k) != v}
    if has_touched_a_gpu():
        return
    gc.collect()
    gc.freeze()  # a collection in a fork need not copy the pages of what was imported
    link.send(b'{"ready": true}\n')
    while True:
        message, files, _, _ = socket.recv_fds(link, 1 << 20, 1)
        if not message:
            return
        job = json.loads(message)
        child = os.fork()
        if not child:
            link.close()
            _become(job, {**written, process_stats.IMPORTED: imported}, files[0])
            _run(side, job["argv"])
        os.close(files[0])
        link.send(json.dumps({"pid": child}).encode() + b"\n")
        _, status = os.waitpid(child, 0)
        _end_strays()
        link.send(json.dumps({"code": os.waitstatus_to_exitcode(status)}).encode() + b"\n")


def _become(job: dict[str, Any], more: dict[str, str], output: int) -> None:
    """Makes this fork what a new process with the job's surroundings would be."""
    os.setsid()
    child_setup.end_with_parent()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, file in ((0, nothing), (1, output), (2, output)):
        os.dup2(file, number)
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update({**job["env"], **more})
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _run(side: str, argv: list[str]) -> None:
    """The job's program, and the end of the process."""
    code = 0
    try:
        if side == "before":
            child_setup.run_program(argv)
        else:
            sys.argv = argv
            module = importlib.import_module(argv[0])
            module.probe.run_main(module.main)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1 if end.code else 0
    except BaseException:
        traceback.print_exc()
        code = 1
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _end_strays() -> None:
    """Kills what a job started and left: as nobody's children they have become this process's."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{name}/stat") as fh:
                    parent = int(fh.read().rpartition(")")[2].split()[1])
                if parent == os.getpid():
                    os.kill(int(name), signal.SIGKILL)
                    os.waitpid(int(name), 0)


def main() -> None:
    child_setup.end_with_parent()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SUBREAPER, 1)
    with socket.socket(fileno=int(sys.argv[2])) as link:
        serve(sys.argv[1], link)


if __name__ == "__main__":
    main()
