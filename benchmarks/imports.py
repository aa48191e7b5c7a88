"""Which modules of a repository import before a migration, and which of them still do afterwards.

    python benchmarks/imports.py BEFORE AFTER --before-python TF1 --after-python TF2 [--json FILE]
    python benchmarks/imports.py FOLDER MIGRATED --each ...     every folder of FOLDER is a tree
    python benchmarks/imports.py FOLDER MIGRATED --each --migrate   writes MIGRATED/NAME first

Each module is imported in a child of its own, forked from a process that has TensorFlow loaded, in a copy
of the tree. It is imported in each of the ways in which a program of the repository can reach it:

* script, what has a main, or is in no package and imported by nobody: by its path, its own folder
  first on sys.path (`python folder/module.py`, without its main);
* module: by its dotted name from the root of the tree, its own folder last on sys.path;
* roots: by its dotted name with every import root of the project on sys.path, its own first.

A way that works before must work after. What fails before does not count, and neither does what lacks a
package of others (on either side) or reads a file that is not there. Exits with 1 if less than
`--share` (default 0.99) of the modules import in all the ways that they did. `--keep FOLDER` keeps
what was found of each tree, by the digest of its modules: a stopped run goes on where it was.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_QUIET = {
    "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3", "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1", "TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", "http_proxy": "http://127.0.0.1:9",
    "https_proxy": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
}  # fmt: skip
_PRELOADED = ("numpy", "tensorflow", "scipy", "PIL.Image", "matplotlib.pyplot", "cv2", "pandas")
_NOT_OURS = ("third party", "data", "script", "timeout")
_OURS = {"tensorflow", "tensorflow_core", "tf_slim", "keras", "tf_keras", "tf1_support"}
_FLAG_ERRORS = (
    "UsageError", "UnparsedFlagAccessError", "IllegalFlagValueError", "RequiredFlagError",
)  # fmt: skip


# -- in a child; Python 3.7 runs this part, too


def _class_of(error: BaseException, own: set[str], asked: list[str]) -> str:
    """Why an import failed: third party, data, script, or code.

    A package that only the migration asks for is the migration's own doing.
    """
    if isinstance(error, ModuleNotFoundError):
        top = (error.name or "").split(".")[0]
        ours = top in _OURS or top in own or _standard(top) or top not in asked
        return "code" if ours else "third party"
    if isinstance(error, ImportError) and ".so" in str(error):
        return "third party"
    if isinstance(error, (SystemExit, KeyboardInterrupt)) or type(error).__name__ in _FLAG_ERRORS:
        return "script"
    if isinstance(error, (OSError, EOFError)) or type(error).__name__ == "NotFoundError":
        return "data"
    return "code"


def _standard(top: str) -> bool:
    """Whether some Python had this module: nobody could install it."""
    gone = {
        "Queue", "ConfigParser", "cPickle", "cStringIO", "StringIO", "urllib2", "urlparse", "httplib",
        "imp", "distutils", "Tkinter", "commands", "__builtin__", "itertools", "SocketServer",
        "asyncore", "HTMLParser", "cookielib", "thread", "md5", "sets",
    }  # fmt: skip
    return top in gone or top in getattr(sys, "stdlib_module_names", ())


def _import(job: dict[str, Any]) -> dict[str, Any]:
    sys.argv = [job["file"]]
    os.chdir(job["cwd"])
    sys.path[:] = job["path"] + [p for p in sys.path if p not in ("", str(Path(__file__).parent))]
    own = {n[:-3] if n.endswith(".py") else n for folder in job["path"] for n in os.listdir(folder)}
    try:
        if job["module"]:
            importlib.import_module(job["module"])
        else:
            spec = importlib.util.spec_from_file_location("script_under_test", job["file"])
            module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
            sys.modules["script_under_test"] = module
            spec.loader.exec_module(module)  # type: ignore[union-attr]
        return {"class": "ok"}
    except BaseException as error:  # a script may raise anything, SystemExit included
        frames = traceback.extract_tb(error.__traceback__)[-2:]
        at = [f"{os.path.relpath(f.filename, job['tree'])}:{f.lineno}" for f in frames]
        text = f"{type(error).__name__}: {error}"[:300]
        return {"class": _class_of(error, own, job["asked"]), "error": text, "at": at}


def _fork(job: dict[str, Any], out: str) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        sink = os.open(os.devnull, os.O_RDWR)
        for handle in (0, 1, 2):
            os.dup2(sink, handle)
        found = _import(job)
        with open(out, "w") as handle_:
            json.dump(found, handle_)
    finally:
        os._exit(0)  # threads that a module left running would hold an ordinary end


def child(jobs: list[dict[str, Any]], seconds: float) -> None:
    """Runs jobs (two at a time), printing a line of JSON for each that ends."""
    for name in _PRELOADED:
        try:
            importlib.import_module(name)
        except Exception:  # whatever a package raises: what needs it will say so
            pass
    scratch = tempfile.mkdtemp(prefix="imports")
    running: dict[int, tuple[dict[str, Any], str, float]] = {}
    waiting = list(enumerate(jobs))
    while waiting or running:
        while waiting and len(running) < 2:
            number, job = waiting.pop(0)
            out = os.path.join(scratch, str(number))
            running[_fork(job, out)] = (job, out, time.time())
        time.sleep(0.01)
        for pid in list(running):
            job, out, started = running[pid]
            late = time.time() - started > seconds
            if late:
                os.kill(pid, signal.SIGKILL)
            ended, status = os.waitpid(pid, 0 if late else os.WNOHANG)
            if not ended:
                continue
            del running[pid]
            try:
                os.killpg(pid, signal.SIGKILL)  # what the module itself had started
            except OSError:
                pass
            found = {"class": "timeout" if late else "crash", "error": f"wait status {status}"}
            if os.path.exists(out):
                with open(out) as handle:
                    found = json.load(handle)
            print(json.dumps({"id": job["id"], **found}), flush=True)
    shutil.rmtree(scratch, ignore_errors=True)


# -- in the benchmark itself


def _modules(tree: Path) -> list[str]:
    found = sorted(p.relative_to(tree).as_posix() for p in tree.rglob("*.py"))
    return [p for p in found if not any(part.startswith(".") for part in p.split("/"))]


def _digest(tree: Path, paths: list[str]) -> str:
    found = hashlib.sha256(b"imports 1")
    for path in paths:
        found.update(path.encode() + b"\0" + hashlib.sha256((tree / path).read_bytes()).digest())
    return found.hexdigest()[:16]


def _dotted(path: str) -> str:
    parts = path[:-3].split("/")
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts) if parts and all(part.isidentifier() for part in parts) else ""


def ways(tree: Path) -> list[dict[str, Any]]:
    """Every (module, way) of a tree: {id, way, path (sys.path, relative), module, file}."""
    sys.path.insert(0, str(ROOT))
    from migrator.analysis.index import ProjectIndex
    from migrator.engine.options import Options
    from migrator.engine.plan import summaries

    index = ProjectIndex.assemble(summaries(tree, Options(jobs=1, cache_dir=None))[0], tree)
    roots = list(index.roots)
    imports = (info.summary.imports for info in index.modules.values())
    asked = sorted({target.split(".")[0] for targets in imports for target in targets})
    found = []
    for path in _modules(tree):
        folder, _, name = path.rpartition("/")
        if name == "setup.py":
            continue
        info = index.module_at(path)
        seen: set[tuple[tuple[str, ...], str]] = set()
        choices = [("module", ["", folder], _dotted(path))]
        if info is not None:
            choices.append(("roots", [info.root, *(r for r in roots if r != info.root)], info.name))
            packaged = index.module_at(f"{folder}/__init__.py".lstrip("/")) is not None
            if info.summary.has_main or not (packaged or index.importers(path)):
                choices.append(("script", [folder], name[:-3]))
        for way, paths, module in choices:
            if name == "__init__.py" and way == "script":
                continue
            if not module or not all(part.isidentifier() for part in module.split(".")):
                if way != "script":
                    continue
                module = ""  # a file whose name no import statement could write
            key = (tuple(paths), module)
            if key not in seen:
                seen.add(key)
                found.append(
                    {"id": f"{way} {path}", "way": way, "path": paths, "module": module,
                     "file": path, "asked": asked}
                )  # fmt: skip
    return found


def run(
    tree: Path, jobs: list[dict[str, Any]], python: str, seconds: float, kept: Path | None
) -> dict[str, dict[str, Any]]:
    """{id of the job: what came of it}."""
    store = kept and kept / f"{tree.name}-{_digest(tree, _modules(tree))}-{Path(python).parts[-3]}.json"
    if store and store.exists():
        found: dict[str, dict[str, Any]] = json.loads(store.read_text("utf8"))
        if all(job["id"] in found for job in jobs):
            return found
    found = {}
    with tempfile.TemporaryDirectory(prefix="imports") as folder:
        copy = Path(folder) / tree.name
        shutil.copytree(tree, copy, ignore=shutil.ignore_patterns(".git"), symlinks=True)
        placed = [
            {**job, "tree": str(copy), "cwd": str(copy), "file": str(copy / job["file"]),
             "path": [str(copy / part) for part in job["path"]]}
            for job in jobs if (copy / job["file"]).exists()
        ]  # fmt: skip
        asked = Path(folder) / "jobs.json"
        asked.write_text(json.dumps({"jobs": placed, "seconds": seconds}))
        hidden = ("PYTHONPATH", "TF_USE_LEGACY_KERAS", "HOME")
        env = {k: v for k, v in os.environ.items() if k not in hidden}
        done = subprocess.run(
            [python, __file__, "--child", str(asked)], env={**env, **_QUIET, "HOME": folder},
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
        )  # fmt: skip
    for line in done.stdout.splitlines():
        one = json.loads(line)
        found[one.pop("id")] = one
    if done.returncode:
        raise SystemExit(f"{python} could not run the imports of {tree}: {done.stderr[-2000:]}")
    for job in jobs:
        found.setdefault(job["id"], {"class": "missing", "error": "no such file"})
    if store:
        store.parent.mkdir(parents=True, exist_ok=True)
        store.write_text(json.dumps(found))
    return found


def compare(
    jobs: list[dict[str, Any]], before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Counts of modules and of ways, and what failed."""
    modules: dict[str, bool] = {}
    worked: Counter[str] = Counter()
    works: Counter[str] = Counter()
    failed = []
    for job in jobs:
        old, new = before[job["id"]], after[job["id"]]
        if old["class"] != "ok" or new["class"] in _NOT_OURS:
            continue
        good = new["class"] == "ok"
        worked[job["way"]] += 1
        works[job["way"]] += good
        modules[job["file"]] = modules.get(job["file"], True) and good
        if not good:
            failed.append({"id": job["id"], **new})
    left_out = Counter(
        after[job["id"]]["class"] for job in jobs if before[job["id"]]["class"] == "ok"
        and after[job["id"]]["class"] in _NOT_OURS
    )
    return {
        "modules": len(modules), "ok": sum(modules.values()), "left_out": dict(left_out),
        "ways": {way: [works[way], worked[way]] for way in worked}, "failed": failed,
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--each", action="store_true", help="every folder below is a tree")
    parser.add_argument("--only", default="", help="names of trees, with commas")
    parser.add_argument("--migrate", action="store_true", help="write AFTER (again) first")
    parser.add_argument("--before-python", default=os.environ.get("MIGRATOR_TF1_PYTHON", ""))
    parser.add_argument("--after-python", default=sys.executable)
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for one import")
    parser.add_argument("--keep", type=Path, help="a folder for what was found of each tree")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--share", type=float, default=0.99)
    arguments = parser.parse_args()
    if not arguments.before_python:
        parser.error("--before-python (or MIGRATOR_TF1_PYTHON): a Python with TensorFlow 1.15")
    names = [n for n in arguments.only.split(",") if n]
    names = names or sorted(p.name for p in arguments.before.iterdir() if p.is_dir())
    pairs = [(arguments.before, arguments.after)]
    if arguments.each:
        pairs = [(arguments.before / name, arguments.after / name) for name in names]
    record = {}
    print(f"{'tree':<44}{'modules':>12}  ways")
    for before, after in pairs:
        if arguments.migrate:
            shutil.rmtree(after, ignore_errors=True)
            command = [sys.executable, "-m", "migrator", "migrate", str(before), "--out", str(after)]
            subprocess.run(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
        jobs = ways(before)
        kept, seconds = arguments.keep, arguments.timeout
        old = run(before, jobs, arguments.before_python, seconds, kept)
        new = run(after, jobs, arguments.after_python, seconds, kept)
        found = record[before.name] = compare(jobs, old, new)
        counts = ", ".join(f"{way} {a}/{b}" for way, (a, b) in found["ways"].items())
        print(f"{before.name:<44}{found['ok']:>6}/{found['modules']:<5}  {counts}"
              + (f"  (left out: {found['left_out']})" if found["left_out"] else ""), flush=True)
        alike: dict[str, list[str]] = {}
        for item in found["failed"]:
            text = " ".join(item.get("error", item["class"]).split())[:200]
            alike.setdefault(f"{text} at {' '.join(item.get('at', []))}", []).append(item["id"])
        for text, ids in sorted(alike.items(), key=lambda pair: -len(pair[1])):
            more = f" and {len(ids) - 3} more" if len(ids) > 3 else ""
            print(f"    {', '.join(ids[:3])}{more}:\n        {text}", flush=True)
        if arguments.json is not None:
            arguments.json.write_text(json.dumps(record, indent=1))
    ok, modules = (sum(r[key] for r in record.values()) for key in ("ok", "modules"))
    print(f"{'all':<44}{ok:>6}/{modules:<5}  {ok / max(modules, 1):.2%}")
    return int(ok < arguments.share * modules)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        with open(sys.argv[2]) as handle:
            asked = json.load(handle)
        child(asked["jobs"], asked["seconds"])
    else:
        sys.exit(main())
