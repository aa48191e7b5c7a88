"""Processes of Python that begin where the imports are done: forks of one that has made them.

What a test says about a process (how it ends, what it prints, what it may not read, how much memory and
time it takes) holds for a fork as for any other process, and the imports, which take most of a short one's
time, are made once. A fork has its own arguments, folder, environment, pipes and limits. What belongs to the
start of the interpreter itself (encodings, what TensorFlow reads while it is imported) needs a process of
its own: `Forks.start` begins one by itself where the environment asks for it.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import gc
import importlib
import json
import os
import resource
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[1]
# Names in the environment that the interpreter, or what is imported, reads as it starts.
AT_THE_START = ("PYTHON", "LC_", "LANG", "LD_", "TF_", "XLA_", "KERAS_", "CUDA_", "OMP_", "MALLOC_")


class Fork:
    """One of them, with what tests use of `subprocess.Popen`; streams that are not given are pipes."""

    def __init__(
        self, server: _Server, args: Sequence[str], cwd: Path, env: Mapping[str, str],
        limits: Mapping[str, int], stdout: IO[bytes] | None, stderr: IO[bytes] | None,
    ) -> None:  # fmt: skip
        self.args, self.returncode = args, None
        given, self.stdin = _pipe(to_it=True)
        said, self.stdout = (os.dup(stdout.fileno()), None) if stdout else _pipe()
        errors, self.stderr = (os.dup(stderr.fileno()), None) if stderr else _pipe()
        job = {"args": list(args), "cwd": str(cwd), "env": dict(env), "limits": dict(limits)}
        self._ended, (self._news, theirs) = threading.Event(), socket.socketpair()
        with theirs:
            socket.send_fds(server.link, [b"x"], [given, said, errors, theirs.fileno()])
        for number in (given, said, errors):
            os.close(number)
        self._told = self._news.makefile("rwb")
        self._told.write(json.dumps(job).encode() + b"\n")
        self._told.flush()
        self.pid = int(self._told.readline())
        threading.Thread(target=self._wait, daemon=True).start()

    args: Sequence[str]
    returncode: int | None
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    stderr: IO[bytes] | None

    def _wait(self) -> None:
        code = self._told.readline()
        self.returncode = int(code) if code else -signal.SIGKILL
        self._told.close()
        self._news.close()
        self._ended.set()

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired(list(self.args), timeout or 0.0)
        assert self.returncode is not None
        return self.returncode

    def kill(self) -> None:
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def communicate(self, given: bytes = b"") -> tuple[bytes, bytes]:
        """What it prints until both streams are closed, having been given this."""
        found: dict[str, bytes] = {}

        def read(name: str, stream: IO[bytes]) -> None:
            with stream:
                found[name] = stream.read()

        readers = [threading.Thread(target=read, args=pair)
                   for pair in (("out", self.stdout), ("err", self.stderr)) if pair[1]]  # fmt: skip
        for reader in readers:
            reader.start()
        assert self.stdin is not None
        with contextlib.suppress(BrokenPipeError), self.stdin:
            self.stdin.write(given)
        for reader in readers:
            reader.join()
        self.wait()
        return found.get("out", b""), found.get("err", b"")


class Forks:
    """Starts Python processes that need what `prepare` imports; the first of them waits for it.

    prepare: "module:function", called in the process that is forked. most: how many of these there may be,
      for environments that start in different ways; a process for another one is no fork.
    """

    def __init__(self, prepare: str, most: int = 1) -> None:
        self._prepare, self._most = prepare, most
        self._servers: dict[frozenset[tuple[str, str]], _Server] = {}

    def start(
        self, args: Sequence[str], cwd: Path = ROOT, env: Mapping[str, str] | None = None,
        limits: Mapping[str, int] | None = None, stdout: IO[bytes] | None = None,
        stderr: IO[bytes] | None = None,
    ) -> Fork | subprocess.Popen[bytes]:  # fmt: skip
        """`python ARGS`: a script, or -m or -c and what comes after.

        limits: of `resource`, by name (RLIMIT_AS). env: all of it, as for `subprocess`.
        """
        env, limits = dict(os.environ if env is None else env), limits or {}
        read = frozenset((name, value) for name, value in env.items()
                         if name.startswith(AT_THE_START) and name != "PYTHONPATH")  # fmt: skip
        if read not in self._servers:
            if len(self._servers) == self._most:
                return start_anew(args, cwd, env, limits, stdout, stderr)
            self._servers[read] = _Server(self._prepare, dict(read))
        return Fork(self._servers[read], args, cwd, env, limits, stdout, stderr)


    def run(
        self, args: Sequence[str], cwd: Path = ROOT, env: Mapping[str, str] | None = None,
        limits: Mapping[str, int] | None = None, given: bytes = b"",
    ) -> subprocess.CompletedProcess[bytes]:  # fmt: skip
        """The same to its end, with what it printed."""
        process = self.start(args, cwd, env, limits)
        out, err = process.communicate(given)
        return subprocess.CompletedProcess(process.args, process.wait(), out, err)


def start_anew(
    args: Sequence[str], cwd: Path, env: Mapping[str, str], limits: Mapping[str, int],
    stdout: IO[bytes] | None = None, stderr: IO[bytes] | None = None,
) -> subprocess.Popen[bytes]:  # fmt: skip
    """The same in a process that is no fork."""
    return subprocess.Popen(
        [sys.executable, *args], cwd=cwd, env=dict(env), preexec_fn=functools.partial(_bound, limits),
        stdin=subprocess.PIPE, stdout=stdout or subprocess.PIPE, stderr=stderr or subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip


def _pipe(to_it: bool = False) -> tuple[int, IO[bytes]]:
    """(the fork's end, ours) of a pipe that it reads, or writes."""
    reads, writes = os.pipe()
    return (reads, os.fdopen(writes, "wb")) if to_it else (writes, os.fdopen(reads, "rb"))


class _Server:
    """The process that is forked; it ends with this one."""

    def __init__(self, prepare: str, read: Mapping[str, str]) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(AT_THE_START)}
        self.link, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "tests.forks", str(theirs.fileno()), prepare],
                cwd=ROOT, env={**kept, **read, "PYTHONPATH": str(ROOT)}, pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            )  # fmt: skip
        assert self.link.recv(1), f"{prepare} has failed"
        atexit.register(self._close)

    def _close(self) -> None:
        self.link.close()
        self._process.wait()


# -- in the process that is forked


def _serve(link: socket.socket, prepare: str) -> Callable[[], object]:
    """Forks for each job until the other end is closed; returns in the forks, with what they are to do."""
    module, _, name = prepare.partition(":")
    before = dict(os.environ)
    getattr(importlib.import_module(module), name)()
    gc.collect()
    # what importing writes into the environment, as it would in the fork (TF2_BEHAVIOR)
    written = {k: v for k, v in os.environ.items() if before.get(k) != v}
    gc.freeze()  # a collection in a fork need not copy the pages of what was imported
    server = os.getpid()
    link.send(b"x")
    while True:
        word, files, _, _ = socket.recv_fds(link, 1, 4)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not word:
            return lambda: None
        if not os.fork():  # the one that waits for the job's process, so that jobs may overlap
            link.close()
            _end_with_parent(server)
            with socket.socket(fileno=files.pop()) as told, told.makefile("rwb") as news:
                job, keeper = json.loads(news.readline()), os.getpid()
                child = os.fork()
                if child:
                    for number in files:
                        os.close(number)
                    news.write(b"%d\n" % child)
                    news.flush()
                    news.write(b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
                    news.flush()
                    os._exit(0)
            _end_with_parent(keeper)
            return _become(job, files, written)
        for number in files:
            os.close(number)


def _become(job: dict[str, Any], files: list[int], written: dict[str, str]) -> Callable[[], object]:
    """Makes this fork what a new process with the job's surroundings would be; its program."""
    os.setsid()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update({**job["env"], **written})
    first, *rest = job["args"]
    places = [place for place in job["env"].get("PYTHONPATH", "").split(os.pathsep) if place]
    own = {"-m": os.getcwd(), "-c": ""}.get(first, os.path.dirname(os.path.abspath(first)))
    sys.path[:] = [own, *places, *sys.path[1:]]  # the first is ROOT, by PYTHONPATH
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]  # a program may have such modules of its own
    _bound(job["limits"])
    if first == "-m":
        sys.argv = rest
        return functools.partial(runpy.run_module, rest[0], run_name="__main__", alter_sys=True)
    if first == "-c":
        sys.argv = ["-c", *rest[1:]]
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        return functools.partial(exec, compile(rest[0], "<string>", "exec"), main.__dict__)
    sys.argv = list(job["args"])
    return functools.partial(runpy.run_path, first, run_name="__main__")


def _end_with_parent(parent: int) -> None:
    ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))  # PR_SET_PDEATHSIG
    if os.getppid() != parent:  # it has ended already
        os._exit(1)


def _bound(limits: Mapping[str, int]) -> None:
    for name, most in limits.items():
        resource.setrlimit(getattr(resource, name), (most, most))


def _run(program: Callable[[], object]) -> None:
    """The program, and the end of the process as Python ends one, but for what the system frees itself."""
    code = 0
    try:
        program()
    except SystemExit as end:
        if end.code is not None and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    wait_for_threads = threading._shutdown  # type: ignore[attr-defined]
    for step in (wait_for_threads, atexit._run_exitfuncs, sys.stdout.flush, sys.stderr.flush):
        try:
            step()
        except Exception:
            code = code or 120
    os._exit(code & 0xFF)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as ours:
        to_do = _serve(ours, sys.argv[2])
    _run(to_do)


# -- what is imported


def command() -> None:
    """The `migrator` command with all of its sub-commands, and what a first plan loads: rules, transforms."""
    from migrator.cli.main import COMMANDS
    from migrator.engine.options import Options
    from migrator.engine.plan import build_plan

    for name in COMMANDS:
        importlib.import_module(f"migrator.cli.{name}")
    with contextlib.suppress(ImportError):  # of the extra [lsp]
        importlib.import_module("migrator.cli.language_server")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "uses.py").write_text("import tensorflow as tf\nx = tf.log(1.0)\n")
        assert build_plan(Path(folder), Options(jobs=1)).changed


def tensorflow() -> None:
    """TensorFlow as it is; no device is touched, so that a fork can begin with them."""
    import tensorflow as tf

    tf.keras.utils.set_random_seed  # noqa: B018  # Keras comes with its first attribute


def tensorflow_with_keras_2() -> None:
    """The same as the compat runtime has it, which is installed in the fork."""
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    tensorflow()
    importlib.import_module("tf_keras")


COMMAND = Forks("tests.forks:command", most=2)  # importing TensorFlow changes what is read at the start
TENSORFLOW = Forks("tests.forks:tensorflow", most=3)
WITH_KERAS_2 = Forks("tests.forks:tensorflow_with_keras_2")


def run_tensorflow(args: Sequence[str], cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """`python ARGS` with TensorFlow imported, on the CPU; our packages can be imported."""
    env = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT)}
    env.pop("TF2_BEHAVIOR", None)  # set where TensorFlow 2 is imported
    done = TENSORFLOW.run(args, cwd, env)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())
