"""Imports modules and asks scripts for their help, each in a child of its own: `verify_modules.py CONFIG`.

The configuration's `jobs` are {"file", "roots"} for an import (tried from each root, folders of
the repository, until it works from one) and {"file", "help": true} for a script. TensorFlow is
loaded once; the children are forked from that. The facts `results` have, for each job:

* state: "ok", "error", "exit" (the module ended the process) or "timeout";
* root: from where it was imported; error and at: what it raised, and at which lines of the
  repository; lacks: the package that is not installed, if that is why; names: what it defines, with
  the parameters of each;
* code and printed: of a script.

Keeps to Python 3.7: it also runs under TF 1.15.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import runpy
import signal
import sys
import time
import traceback
from typing import Any

import verify_common as common  # type: ignore[import-not-found]  # beside this script

_PRELOADED = ("scipy", "PIL.Image", "matplotlib.pyplot", "cv2", "pandas")
_AT_ONCE = 2
_PRINTED = 200_000  # bytes


def _dotted(file: str, root: str) -> str:
    path = os.path.relpath(file, root) if root else file
    parts = os.path.splitext(path)[0].split(os.sep)
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def _import(top: str, file: str, root: str) -> dict[str, Any]:
    sys.argv = [file]
    folder = os.path.join(top, root)
    sys.path[:0] = [folder] if folder == top else [folder, top]
    name = _dotted(file, root)
    if not all(part.isidentifier() for part in name.split(".")):
        return {"state": "error", "error": f"{file} has no name that Python can import", "at": []}
    module = importlib.import_module(name)
    if os.path.realpath(getattr(module, "__file__", None) or "") != os.path.realpath(file):
        return {"state": "error", "error": f"{name} is another module", "at": []}
    return {"state": "ok", "root": root, "names": _names(module)}


def _names(module: Any) -> dict[str, str]:
    """Public functions, classes and methods that a module defines, with their parameters."""
    found = {}
    for name, value in list(vars(module).items()):
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(value):
            found[name] = _parameters(vars(value).get("__init__"))
            for method, function in list(vars(value).items()):
                if not method.startswith("_") and callable(getattr(value, method, None)):
                    found[name + "." + method] = _parameters(getattr(function, "__func__", function))
        elif callable(value):
            found[name] = _parameters(value)
    return found


def _parameters(function: Any) -> str:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ""
    said = []
    for p in parameters:
        stars = "*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else ""
        said.append(stars + p.name + ("=" if p.default is not p.empty else ""))
    return ", ".join(said)


def _help(top: str, file: str) -> dict[str, Any]:
    sys.argv = [file, "--help"]
    sys.path[:0] = [os.path.dirname(os.path.join(top, file)), top]
    code: Any = 0
    try:
        runpy.run_path(file, run_name="__main__")
    except SystemExit as ended:
        code = ended.code
    return {"state": "ok", "code": code if isinstance(code, int) else 0 if code is None else 1}


def _work(top: str, job: dict[str, Any], root: str) -> dict[str, Any]:
    try:
        return _help(top, job["file"]) if job.get("help") else _import(top, job["file"], root)
    except SystemExit as ended:
        return {"state": "exit", "error": f"ends the process with {ended.code!r}", "at": []}
    except BaseException as error:  # whatever the user's module raises
        frames = traceback.extract_tb(error.__traceback__)
        inside = [
            f"{os.path.relpath(f.filename, top)}:{f.lineno}" for f in frames
            if not f.filename.startswith("<")
            and os.path.realpath(f.filename).startswith(os.path.realpath(top) + os.sep)
        ]  # fmt: skip
        text = f"{type(error).__name__}: {error}".strip().splitlines()[0][:300]
        return {"state": "error", "error": text, "at": inside[-3:], "lacks": _lacking(error, top)}


def _lacking(error: BaseException, top: str) -> str:
    """The package whose absence an error is: not installed here, and none of the repository's; else ""."""
    name = isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0]
    if not name or name in sys.modules or importlib.util.find_spec(name) is not None:
        return ""
    own = any(name in folders or name + ".py" in files for _, folders, files in os.walk(top))
    return "" if own else name


def _fork(top: str, job: dict[str, Any], root: str, out: str) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        sink = os.open(out + ".log", os.O_RDWR | os.O_CREAT)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for handle, target in ((0, nothing), (1, sink), (2, sink)):
            os.dup2(target, handle)
        found = _work(top, job, root)
        sys.stdout.flush()
        sys.stderr.flush()
        with open(out, "w") as stream:
            json.dump(found, stream)
    finally:
        os._exit(0)  # threads that a module left running would hold an ordinary end
    return 0


class _Running:
    """One job in a child; a job that failed from one root begins again from the next."""

    def __init__(self, number: int, job: dict[str, Any], top: str, folder: str) -> None:
        self.number, self.job, self.top, self.folder = number, job, top, folder
        self.roots = list(job.get("roots") or [""])
        self.first: Any = None
        self.begin()

    def begin(self) -> None:
        root = self.roots.pop(0)
        self.out = os.path.join(self.folder, f"{self.number}.{len(self.roots)}")
        self.started = time.time()
        self.pid = _fork(self.top, self.job, root, self.out)

    def result(self, limit: float) -> dict[str, Any] | None:
        """What it came to, or None while it runs."""
        ended, status = os.waitpid(self.pid, os.WNOHANG)
        if not ended:
            if time.time() - self.started < limit:
                return None
            os.killpg(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            return {"state": "timeout", "error": f"was still running after {limit:g} s", "at": []}
        if os.path.exists(self.out):
            with open(self.out) as stream:
                found: dict[str, Any] = json.load(stream)
        else:
            found = {"state": "error", "error": f"the process died ({status})", "at": []}
        if self.job.get("help"):
            with open(self.out + ".log", "rb") as log:
                found["printed"] = log.read(_PRINTED).decode("utf-8", "replace")
        if found["state"] == "ok":
            return found
        self.first = self.first or found
        if self.roots:
            self.begin()
            return None
        return dict(self.first)


def run(config: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    if not hasattr(os, "fork"):
        raise common.Unusable("this system cannot fork processes")
    top, jobs = config["root"], config["jobs"]
    os.chdir(top)
    common.start_side(config["side"], config["compat_runtime"])
    os.environ.setdefault("MPLBACKEND", "Agg")
    for name in _PRELOADED:
        try:
            importlib.import_module(name)
        except Exception:  # whatever a package raises: a module that needs it will say so
            continue
    folder = config["out"] + ".jobs"
    os.mkdir(folder)
    waiting = list(enumerate(jobs))
    running: list[Any] = []
    results: dict[int, Any] = {}
    while waiting or running:
        while waiting and len(running) < _AT_ONCE:
            number, job = waiting.pop(0)
            running.append(_Running(number, job, top, folder))
        for one in list(running):
            found = one.result(config["seconds"])
            if found is not None:
                running.remove(one)
                results[one.number] = found
                common.say_progress(config, len(results), len(jobs), one.job["file"])
        time.sleep(0.05)
    return {}, {"results": [results[n] for n in range(len(jobs))]}


if __name__ == "__main__":
    common.main(run)
