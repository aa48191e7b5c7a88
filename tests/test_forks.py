"""A fork of the prepared process is, for what runs in it, a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import forks

SAYS = """
import atexit, json, os, resource, sys, threading
import beside
threading.Thread(target=lambda: (threading.Event().wait(0.2), print("thread"))).start()
atexit.register(print, "at exit")
print(json.dumps([
    __name__, sys.argv[1:], os.getcwd(), os.environ.get("GIVEN"), os.environ.get("HOME"), beside.x,
    resource.getrlimit(resource.RLIMIT_AS)[0], sys.stdin.read(), len(os.listdir("/proc/self/fd")),
]))
print("error", file=sys.stderr)
sys.exit(7)
"""


@pytest.mark.parametrize("how", ["-c", "-m", "script"])
def test_it_has_what_it_is_given_and_nothing_else(tmp_path: Path, how: str) -> None:
    (tmp_path / "beside.py").write_text("x = 3\n")
    (tmp_path / "program.py").write_text(SAYS)
    args = {"-c": ["-c", SAYS], "-m": ["-m", "program"], "script": [str(tmp_path / "program.py")]}[how]
    env = {**{name: os.environ[name] for name in os.environ if name != "HOME"}, "GIVEN": "1"}
    limits = {"RLIMIT_AS": 3 << 30}
    done = forks.COMMAND.run([*args, "a b", "--c"], tmp_path, env, limits, b"input")
    with forks.start_anew([*args, "a b", "--c"], tmp_path, env, limits) as anew:
        assert (done.stdout, done.stderr) == anew.communicate(b"input")
    assert done.returncode == anew.returncode == 7
    said, *rest = done.stdout.decode().splitlines()
    # the open files: 0, 1, 2 and the folder that is listed
    assert json.loads(said) == ["__main__", ["a b", "--c"], str(tmp_path), "1", None, 3, 3 << 30, "input", 4]
    assert rest == ["thread", "at exit"] and done.stderr == b"error\n"


@pytest.mark.parametrize(
    ("program", "code"),
    [("raise SystemExit('no')", 1), ("1/0", 1), ("import os; os._exit(9)", 9), ("pass", 0),
     ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -15)],
)  # fmt: skip
def test_how_it_ended_is_told(program: str, code: int) -> None:
    done = forks.COMMAND.run(["-c", program])
    assert done.returncode == code
    assert (b"ZeroDivisionError" in done.stderr) == ("/" in program)


def test_what_is_read_at_the_start_makes_a_process_of_its_own() -> None:
    program = ["-c", "import sys; print(sys.flags.optimize, 'libcst' in sys.modules)"]
    one = forks.Forks("tests.forks:command")
    assert one.run(program).stdout == b"0 True\n"
    assert one.run(program, env={**os.environ, "PYTHONOPTIMIZE": "2"}).stdout == b"2 False\n"


def test_they_overlap_and_end_when_they_are_killed() -> None:
    first, second = (forks.COMMAND.start(["-c", "input()"]) for _ in range(2))
    assert first.poll() is None and second.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        first.wait(0.1)
    first.kill()
    assert first.wait(20) == -9
    assert second.communicate(b"\n") == (b"", b"") and second.wait() == 0


def test_none_is_left_when_the_tests_end() -> None:
    code = "from tests import forks\nprint(forks.COMMAND.start(['-c', 'input()']).pid)"
    done = subprocess.run([sys.executable, "-c", code], cwd=forks.ROOT, capture_output=True, check=True,
                          env={**os.environ, "PYTHONPATH": str(forks.ROOT)})  # fmt: skip
    left = Path(f"/proc/{int(done.stdout)}/status")
    for _ in range(100):
        if not left.exists() or "zombie" in left.read_text():
            return
        time.sleep(0.1)
    raise AssertionError(left.read_text())
