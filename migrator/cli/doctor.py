"""`migrator doctor`: what is there on this machine, and what each command can do with it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import click

from migrator import __version__, resources
from migrator.cli import choices, console, exits
from migrator.engine.cache import default_cache_dir
from migrator.engine.installed import installed
from migrator.engine.options import Options
from migrator.engine.packs import PackError
from migrator.engine.ruleset import load_ruleset
from migrator.model import to_json
from migrator.project import git, gitstate
from migrator.verify.reference import ENVIRONMENT_VARIABLE, ReferenceError, find_reference

OK, WARN, BAD = "ok", "note", "bad"
_STYLES = {OK: "green", WARN: "yellow", BAD: "bold red"}
_LOW_DISK = 1 << 30


@dataclass(frozen=True, slots=True)
class Check:
    """One line: what was looked at, how it is, and what follows from that."""

    name: str
    state: str
    text: str


def version_of(*names: str) -> str:
    """The version of the first distribution that is installed, without importing it."""
    for name in names:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return ""


def _python() -> Check:
    text = f"{platform.python_version()} ({sys.executable}), {platform.platform()}"
    return Check("Python", OK if sys.version_info >= (3, 11) else BAD, text)


def _rules() -> Check:
    try:
        rules = load_ruleset(Options())
        folder = resources.rules_dir()
    except (PackError, OSError) as error:
        return Check("rules", BAD, str(error))
    if not len(rules.tf1) or not len(rules.tf2):
        return Check("rules", BAD, f"the API snapshots are missing in {folder}; install again")
    number = f"{len(rules.packs.rules)} rules, {len(rules.transforms)} structural transforms"
    if rules.load_errors:
        broken = ", ".join(error.module for error in rules.load_errors)
        return Check("rules", BAD, f"{number}; transforms that cannot be loaded: {broken}")
    return Check("rules", OK, f"{number} in {folder}")


def _tensorflow() -> list[Check]:
    found = version_of("tensorflow", "tensorflow-cpu")
    if not found:
        text = "not installed; verify and measure need it: pip install 'migrator[tf]'"
        return [Check("TensorFlow", WARN, text)]
    state = OK if found.startswith("2.21.") else WARN
    text = found if state == OK else f"{found}; migrated code is made for 2.21"
    checks = [Check("TensorFlow", state, text)]
    for title, *names in (("Keras", "keras"), ("Keras 2", "tf_keras"), ("tf_slim", "tf_slim"),
                          ("tfmot", "tensorflow-model-optimization")):  # fmt: skip
        version = version_of(*names)
        checks.append(Check(title, OK if version else WARN, version or "not installed"))
    return checks


def _gpus() -> list[Check]:
    if importlib.util.find_spec("pynvml") is None:
        return [Check("GPU", WARN, "cannot be asked: nvidia-ml-py is not installed")]
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return [Check("GPU", WARN, f"none that NVIDIA's driver knows ({error}); measured on CPU")]
    try:
        driver = str(pynvml.nvmlSystemGetDriverVersion())
        cuda = pynvml.nvmlSystemGetCudaDriverVersion()
        checks = [Check("driver", OK, f"{driver}, CUDA {cuda // 1000}.{cuda % 1000 // 10}")]
        for number in range(pynvml.nvmlDeviceGetCount()):
            device = pynvml.nvmlDeviceGetHandleByIndex(number)
            memory = pynvml.nvmlDeviceGetMemoryInfo(device)
            text = f"{pynvml.nvmlDeviceGetName(device)}, {memory.total / 2**30:.1f} GiB"
            checks.append(Check(f"GPU {number}", OK, f"{text}, {memory.free / 2**30:.1f} GiB free"))
        return checks
    except pynvml.NVMLError as error:
        return [Check("GPU", WARN, str(error))]
    finally:
        pynvml.nvmlShutdown()


def tf1_python() -> str:
    """The interpreter that MIGRATOR_TF1_PYTHON names, if it has TensorFlow 1; else empty."""
    if not os.environ.get(ENVIRONMENT_VARIABLE):
        return ""
    try:
        return find_reference().python
    except ReferenceError:
        return ""


def _tf1() -> Check:
    """An interpreter with TensorFlow 1.x, as `verify` would choose it."""
    try:
        found = find_reference()
    except ReferenceError as error:
        return Check("TensorFlow 1", BAD, f"{ENVIRONMENT_VARIABLE}: {error}")
    if found.real_tf1:
        return Check("TensorFlow 1", OK, f"{found.title}, {found.python}")
    text = "no interpreter; verify runs the original on TensorFlow 2 through the compat runtime"
    return Check("TensorFlow 1", WARN, f"{text} (name one with {ENVIRONMENT_VARIABLE})")


def _extras() -> list[Check]:
    """What is needed only if one asks for it."""
    found = []
    for title, package, extra, what in (
        ("Ray", "ray", "ray", "--engine ray"), ("pygls", "pygls", "lsp", "migrator lsp"),
    ):  # fmt: skip
        version = version_of(package)
        text = version or f"not installed; only {what} needs it: pip install 'migrator[{extra}]'"
        found.append(Check(title, OK, text))
    return found


def _packs() -> list[Check]:
    """Rule packs of other distributions."""
    try:
        return [
            Check("rule pack", OK, f"{item.name} of {item.distribution}") for item in installed()
        ]
    except PackError as error:
        return [Check("rule pack", BAD, str(error))]


def _git(repo: Path) -> Check:
    if git.program("git") is None:
        return Check("git", WARN, "not installed; the journal is then the only way back")
    try:
        state = gitstate.state(repo, ignore=(".migrator",))
    except git.GitError as error:
        return Check("git", WARN, str(error))
    if state.top is None:
        return Check("git", WARN, f"{repo.resolve()} is {state.note}")
    if state.dirty:
        number = len(state.dirty)
        return Check("git", WARN, f"{number} uncommitted changes: migrate needs --allow-dirty")
    return Check("git", OK, f"no uncommitted changes in {repo.resolve()}")


def _disk(title: str, path: Path) -> Check:
    while not path.exists():
        path = path.parent
    free = shutil.disk_usage(path).free
    state = OK if free > _LOW_DISK else WARN
    if not os.access(path, os.W_OK):
        return Check(title, BAD, f"{path} cannot be written")
    return Check(title, state, f"{free / 2**30:.1f} GiB free in {path}")


def checks(repo: Path) -> list[Check]:
    """Everything that is looked at; nothing of the repository is run."""
    return [
        Check("migrator", OK, __version__), _python(), _rules(), *_packs(), *_tensorflow(), *_gpus(), _tf1(),
        *_extras(),
        _git(repo), _disk("repository", repo.resolve()), _disk("cache", default_cache_dir()),
    ]  # fmt: skip


@click.command(
    "doctor",
    epilog="""\b
Examples:
  migrator doctor
  MIGRATOR_TF1_PYTHON=/opt/tf1/bin/python migrator doctor ../repo --json
""",
)
@choices.repo_argument
@click.option("--json", "as_json", is_flag=True, help="Print the checks as JSON.")
@click.pass_context
def command(ctx: click.Context, repo: Path, as_json: bool) -> None:
    """Check Python, TensorFlow, GPUs, the TensorFlow 1 interpreter, git and disk for REPO.

    Exit code 3 if something is broken; what is merely absent is a note.
    """
    found = checks(repo)
    if as_json:
        click.echo(to_json(found))
    else:
        out = console.stdout()
        for check in found:
            out.print(
                console.styled((f"{check.state:<5}", _STYLES[check.state]),
                               f"{check.name:<14}{check.text}")
            )  # fmt: skip
    ctx.exit(exits.FAILED if any(check.state == BAD for check in found) else exits.OK)
