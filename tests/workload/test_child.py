"""Child processes: every way of ending is told apart, and nothing is left behind."""

import os
import sys
import time
from pathlib import Path

from migrator.workload import child


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
