"""Child processes: every way of ending is told apart, and nothing is left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from migrator.workload import child
from migrator.workload.programs import child_setup


def run(code: str, tmp_path: Path, timeout: float = 20.0) -> child.Outcome:
    return child.run([sys.executable, "-c", code], tmp_path, timeout=timeout)


def test_ok_keeps_the_tail_printable(tmp_path: Path) -> None:
    got = run(
        r"import sys; sys.stdout.buffer.write(b'\x1b[31mred\x1b[0m \x00\xff end\n')", tmp_path
    )
    assert got.ok and got.tail == "red \ufffd end\n"


def test_failure_and_out_of_memory(tmp_path: Path) -> None:
    assert run("raise SystemExit(3)", tmp_path).returncode == 3
    assert run("raise MemoryError", tmp_path).status == "oom"
    assert run("import os; os.abort()", tmp_path).status == "killed"


def test_timeout_kills_what_the_child_started(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, time\n"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "open('pid', 'w').write(str(p.pid)); time.sleep(60)"
    )
    got = run(code, tmp_path, timeout=2.0)
    assert got.status == "timeout"
    pid = int((tmp_path / "pid").read_text())
    for _ in range(50):
        stat = Path(f"/proc/{pid}/stat")
        if not stat.exists() or stat.read_text().split()[2] == "Z":
            break
        time.sleep(0.1)
    else:
        os.kill(pid, 9)
        raise AssertionError("the grandchild outlived the time-out")


def test_a_missing_program_is_a_result(tmp_path: Path) -> None:
    got = child.run(["/no/such/python"], tmp_path)
    assert got.status == "failed" and "No such file" in got.tail


def test_a_terminated_parent_takes_its_children_along(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom migrator.workload import child\n"
        "child.run([sys.executable, '-c', 'import os, time; print(os.getpid(), file=open(\"pid\", "
        "\"w\"), flush=True); time.sleep(60)'], Path('.'))\n"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(child.__file__).parents[2])}
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env=env)
    for _ in range(200):
        if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip():
            break
        time.sleep(0.1)
    pid = int((tmp_path / "pid").read_text())
    parent.terminate()
    assert parent.wait(30) == 128 + signal.SIGTERM
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")
def test_a_program_ends_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    setup = Path(child.__file__).parent / "programs"
    own = (
        f"import os, sys, time; sys.path.insert(0, {str(setup)!r}); import child_setup; "
        "child_setup.end_with_parent(); print(os.getpid(), flush=True); time.sleep(60)"
    )
    code = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {own!r}])"
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    for _ in range(100):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    raise AssertionError("the program outlived its parent")


def test_modules_loaded_by_path_find_their_neighbours(tmp_path: Path) -> None:
    (tmp_path / "names.py").write_text("VALUE = 7\n")
    (tmp_path / "module.py").write_text("from .names import VALUE\n")
    before = list(sys.path)
    found = child_setup.load_by_path("loaded_by_path", str(tmp_path / "module.py"))
    assert found.VALUE == 7 and sys.path == before


def test_children_see_what_the_caller_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    root = str(Path(child.__file__).resolve().parents[2])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["/of/tensorflow", "/other"]))
    assert child.own_python_path() == os.pathsep.join([root, "/of/tensorflow", "/other"])
    monkeypatch.delenv("PYTHONPATH")
    assert child.own_python_path() == root


def test_flags_of_a_module_that_is_called_have_their_defaults(tmp_path: Path) -> None:
    (tmp_path / "flagged.py").write_text(
        "from absl import flags\nflags.DEFINE_integer('scale', 512, '')\n"
        "def build():\n    return flags.FLAGS.scale\n"
    )
    code = (
        f"import sys; sys.path[:0] = [{str(Path(child_setup.__file__).parent)!r}, {str(tmp_path)!r}]\n"
        "import child_setup\nprint(child_setup.target('flagged:build')())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "512", done.stderr
