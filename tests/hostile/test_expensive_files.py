"""Files that are made to be expensive: they cost only themselves, and what is not looked at is said."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import Status
from migrator.project.source import MAX_BYTES
from tests.hostile.attacks import ROOT, USES, migrator, write
from tests.project.trees import snapshot

TENSORFLOW = "import tensorflow as tf\ny = tf.log(1.0)\n"


def plan_within(root: Path, limit: int) -> None:
    """Make a plan of the tree in a process that may use `limit` bytes and a minute of the processor."""

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))

    code = (
        "import sys; from pathlib import Path\nfrom migrator.engine.plan import build_plan\n"
        "from migrator.engine.options import Options\nfrom migrator.model import to_json\n"
        "print(to_json(build_plan(Path(sys.argv[1]), Options(jobs=1))))"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(root)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL,
        preexec_fn=bound, timeout=600,
    )  # fmt: skip


def test_a_line_of_50_megabytes_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "uses.py").write_text(USES)
    with open(tmp_path / "long.py", "wb") as stream:
        stream.write(b"import tensorflow as tf; x = '")
        stream.write(b"a" * 50_000_000)
        stream.write(b"'\n")
    plan = build_plan(tmp_path, Options(jobs=1))
    found = {result.path: result for result in plan.files}
    assert found["uses.py"].status is Status.CHANGED
    assert found["long.py"].status is Status.FAILED
    assert "over the limit" in found["long.py"].findings[0].message


def test_bombs_are_text(tmp_path: Path) -> None:
    """YAML that grows without end, JSON that nests without end, archives: read as text or not."""
    (tmp_path / "uses.py").write_text(USES)
    laughs = "a: &a [lol, lol]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}{', *' + chr(97 + n)} * 9]\n" for n in range(20)
    )
    (tmp_path / "environment.yml").write_text(f"{laughs}dependencies:\n  - tensorflow=1.15\n")
    (tmp_path / "deep.ipynb").write_text('{"cells": ' + "[" * 200_000)
    (tmp_path / "setup.cfg").write_text("[migrator]\nselect = TF\n")
    with zipfile.ZipFile(tmp_path / "code.zip", "w") as archive:
        archive.writestr("../../escaped.py", USES)
    with tarfile.open(tmp_path / "code.tar", "w") as tar:
        tar.add(tmp_path / "uses.py", "../escaped.py")
    before = snapshot(tmp_path)
    plan_within(tmp_path, 4 << 30)
    plan = build_plan(tmp_path, Options(jobs=1))
    found = {result.path: result for result in plan.files}
    assert found["deep.ipynb"].status is Status.FAILED
    assert not {"code.zip", "code.tar"} & set(found)
    assert snapshot(tmp_path) == before and not (tmp_path.parent / "escaped.py").exists()


@pytest.mark.parametrize(
    "text",
    ["x = " + "(" * 5000 + ")" * 5000, "x = " + "-" * 50_000 + "1", "x" + " + x" * 30_000,
     "x" + ".a" * 20_000, "f" + "()" * 20_000, "x = " + "[" * 90 + "]" * 90,
     "if x: pass\n" + "".join(" " * n + "if x:\n" for n in range(1, 90)) + " " * 99 + "pass",
     "x = 1" + "0" * 10_000, "'''" + "\\N{DASH}" * 1000 + "'''", "# " + "é" * 500_000],
    ids=["parentheses", "minus", "plus", "dots", "calls", "brackets", "blocks", "digits", "names",
         "comment"],
)  # fmt: skip
def test_expressions_that_are_too_deep_cost_only_their_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "deep.py").write_text(f"import tensorflow as tf\ny = tf.log(1.0)\n{text}\n")
    (tmp_path / "uses.py").write_text(USES)
    plan = build_plan(tmp_path, Options(jobs=1))
    found = {result.path: result for result in plan.files}
    assert found["uses.py"].status is Status.CHANGED
    deep = found["deep.py"]
    assert deep.status is Status.CHANGED or deep.error.startswith("deep.py:"), deep.error
    assert "internal error" not in deep.error


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_one_file_that_cannot_be_coped_with_is_its_own_failure(tmp_path: Path, jobs: str) -> None:
    """Statements too deep for us, metadata of another kind, codecs and lines that take their square."""
    strange = json.loads(notebook([TENSORFLOW]))
    strange["metadata"] = {"kernelspec": 3, "language_info": []}
    write(tmp_path, {
        **{f"uses{number}.py": USES for number in range(16)},
        "elifs.py": TENSORFLOW + "if y: pass\n" + "elif y: pass\n" * 3000,
        "dots.py": TENSORFLOW + "x = y" + ".a" * 3000 + "\n",
        "kinds.ipynb": json.dumps(strange),
        "codec.py": "# -*- coding: punycode -*-\nimport tensorflow\nx = 'a-" + "b9" * 1_000_000 + "'\n",
        "many.py": TENSORFLOW + "with " + ", ".join(f"tf.Session() as s{n}" for n in range(300)) + ": pass\n",
        "requirements.txt": "tensorflow" + "==" * 100_000 + "\ntensorflow==1.15\n",
    })  # fmt: skip
    done = migrator("migrate", tmp_path, "--diff", "--no-cache", "--jobs", jobs)
    assert b"Traceback" not in done.stderr and done.returncode == 3, done.stderr[-2000:]
    assert done.stdout.count(b"+x = tf.math.log") == 16 and b"-tensorflow==1.15" in done.stdout
    for name in (b"kinds.ipynb:1: ", b"codec.py:1: "):
        assert name in done.stderr


def test_a_module_that_is_data_is_not_parsed(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text("import tensorflow as tf\nx = [" + "1," * 2_000_000 + "]\n")
    (tmp_path / "uses.py").write_text(USES)
    plan_within(tmp_path, 1 << 30)
    found = {f.path: f for f in build_plan(tmp_path, Options(jobs=1)).files}
    assert found["data.py"].status is Status.FAILED and found["data.py"].findings[0].code == "TF001"
    assert found["uses.py"].status is Status.CHANGED


# -- what is not looked at is not passed over in silence


OVER = "x" * (MAX_BYTES + 1)
LARGE = {
    "lines.py": lambda tf: tf + "x = [1, 2, 3, 4, 5]\n" * 50_000,
    "bytes.py": lambda tf: f"{tf}# {OVER}",
    "end.py": lambda tf: f"# {OVER}\n{tf}",
    "parts.py": lambda tf: tf + "x = [" + "1," * 300_000 + "]\n",
    "book.ipynb": lambda tf: notebook([f"{tf}# {OVER}"]),
}  # fmt: skip


@pytest.mark.parametrize("name", list(LARGE))
def test_what_has_to_do_with_tensorflow_is_not_skipped_in_silence(tmp_path: Path, name: str) -> None:
    for text, status in ((TENSORFLOW, Status.FAILED), ("x = 1\n", Status.SKIPPED)):
        write(tmp_path, {name: LARGE[name](text), "uses.py": USES})
        found = {result.path: result for result in build_plan(tmp_path, Options(jobs=1)).files}
        assert found["uses.py"].status is Status.CHANGED
        assert found[name].status is status and found[name].error.startswith(f"{name}:1: ")
        assert [f.code for f in found[name].findings] == ["TF001"]


@pytest.mark.parametrize("name", ["bytes.py", "parts.py"])
def test_what_was_not_looked_at_is_said_and_a_failure(tmp_path: Path, name: str) -> None:
    mine, others = tmp_path / "mine", tmp_path / "others"
    write(mine, {name: LARGE[name](TENSORFLOW), "uses.py": USES})
    write(others, {name: LARGE[name]("x = 1\n"), "uses.py": USES})
    for command in (("scan",), ("migrate", "--diff"), ("migrate",)):
        done = migrator(command[0], mine, *command[1:], "--no-cache")
        assert done.returncode == 3, (command, done.stderr)
        assert f"{name}:1: ".encode() in done.stderr
    done = migrator("migrate", others, "--no-cache")
    assert done.returncode == 0 and name.encode() in done.stdout, done.stdout


def test_a_name_that_is_not_utf8_is_not_skipped_in_silence(tmp_path: Path) -> None:
    with open(bytes(tmp_path) + b"/\xff.py", "w") as stream:
        stream.write(TENSORFLOW)
    done = migrator("migrate", tmp_path, "--no-cache")
    assert done.returncode == 3 and b"\\xff.py" in done.stderr


# -- notebooks


def notebook(cells: list[str]) -> str:
    """A notebook of these code cells."""
    made: list[dict[str, object]] = [
        {"cell_type": "code", "source": text, "metadata": {}, "outputs": [], "execution_count": None}
        for text in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


BOOKS = {
    "cells": ["x = tf.log(1.0)\n"] * 20_000,
    "magics": ["%time x\n!ls\ny = !pwd\nx?\n"] * 5_000,
    "one cell": ["%time x\n" * 40_000],
    "open": ["x = (\n" + "1 +\n" * 20_000],
    "quotes": ["!ls\nx = \"\"\"\n" + "a\n" * 20_000],
    "continued": ["!ls \\\n" * 40_000],
    "spaces": ["!ls\n" + " \t" * 200_000 + "x"],
    "names": ["!ls\n" + "a." * 200_000 + " "],
    "marks": ["# %% [cell 1]\n" * 20_000],
    "question": ["!ls\n" + "%" * 200_000 + "x"],
}  # fmt: skip


@pytest.mark.parametrize("name", list(BOOKS))
def test_a_large_notebook_takes_its_time_but_no_more(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"uses.py": USES, "book.ipynb": notebook(["import tensorflow as tf\n", *BOOKS[name]])})
    done = migrator("migrate", tmp_path, "--diff", "--no-cache", "--jobs", "1", seconds=40)
    assert b"Traceback" not in done.stderr
    assert done.returncode in (1, 3) and b"tf.math.log" in done.stdout
