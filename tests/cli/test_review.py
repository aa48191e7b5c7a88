"""`migrate --interactive`: what each answer writes, stopping, going on, files that would break."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from migrator.cli.main import cli
from migrator.engine import partial
from migrator.model import FileResult, Status
from tests.project.trees import snapshot

GAP = "x = 0\n" * 10
ONE = f"import numpy as np\n\na = np.float(1)\n{GAP}b = np.int(2)\n{GAP}c = np.bool(3)\nd = np.pi\n"
TWO = "import numpy as np\n\ne = np.float(5)\nf = np.pi\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files, with three hunks and one, each of a rule that is found by its code below."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "tree"
    root.mkdir()
    (root / "one.py").write_text(ONE)
    (root / "two.py").write_text(TWO)
    (root / "uses.py").write_text("import tensorflow as tf\n\nprint(tf.nn.relu)\n")
    return root


def ask(root: Path, answers: Sequence[str], code: int = 0, *more: str) -> Result:
    text = "".join(answer + "\n" for answer in answers)
    command = ["migrate", str(root), "--interactive", *more]
    result = CliRunner().invoke(cli, command, input=text, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def values(root: Path) -> str:
    """The migrated (N) and original (o) ones of a, b, c, e."""
    lines = (root / "one.py").read_text() + (root / "two.py").read_text()
    return "".join("o" if f"{name} = np." in lines else "N" for name in "abce")


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ("yyyy", "NNNN"),
        ("ynyn", "NoNo"),
        ("nnny", "oooN"),
        ("nfn", "oNNo"),
        ("na", "oNNN"),
        ("?xy" + "nnn", "Nooo"),
    ],
)
def test_answers_decide_what_is_written(tree: Path, answers: str, expected: str) -> None:
    before = snapshot(tree)
    ask(tree, answers)
    assert values(tree) == expected
    assert not (tree / ".migrator/review.json").exists()
    CliRunner().invoke(cli, ["undo", str(tree)])
    assert snapshot(tree) == before


def test_nothing_accepted_writes_nothing(tree: Path) -> None:
    before = snapshot(tree)
    assert "Nothing to change" in ask(tree, "nnnn").stdout
    assert snapshot(tree) == before


def test_accepting_a_rule_accepts_its_hunks_everywhere(tree: Path) -> None:
    said = ask(tree, "r")  # all four hunks are the same rule's: no other question
    assert said.stdout.count("Accept hunk") == 1
    assert values(tree) == "NNNN"


@pytest.mark.parametrize("stop", ["q", ""], ids=["q", "end of input"])
def test_stopping_writes_nothing_and_the_next_review_goes_on(tree: Path, stop: str) -> None:
    before = snapshot(tree)
    said = ask(tree, ["n", "y", *stop])
    assert "the answers are kept" in said.stderr
    assert snapshot(tree) == before
    said = ask(tree, "ny")
    assert said.stdout.count("Accept hunk") == 2
    assert "hunk 3 of 3" in said.stdout
    assert values(tree) == "oNoN"


def test_answers_for_a_file_that_changed_are_asked_again(tree: Path) -> None:
    ask(tree, "nyq")
    (tree / "one.py").write_text(ONE + "# edited\n")
    assert ask(tree, "yyyn").stdout.count("Accept hunk") == 4
    assert values(tree) == "NNNo"


@pytest.mark.parametrize(
    "state", ["", "[]", "{", '{"version": 1, "rules": 3, "files": {"one.py": 4}}', "[" * 99999]
)
def test_damaged_answers_are_asked_again(tree: Path, state: str) -> None:
    ask(tree, "q")
    (tree / ".migrator").mkdir(exist_ok=True)
    (tree / ".migrator/review.json").write_text(state)
    assert ask(tree, "nnnn").stdout.count("Accept hunk") == 4


def test_a_file_that_would_break_is_asked_about_again(tree: Path) -> None:
    (tree / "two.py").unlink()
    (tree / "one.py").write_text(f"import numpy as np\n{GAP}a = np.float(1)\n")  # np goes away
    said = ask(tree, "yn" + "yy").stdout
    assert "one.py cannot be left like this: nothing in the file would define np." in said
    assert said.count("Accept hunk") == 4
    assert "a = float(1)" in (tree / "one.py").read_text()


@pytest.mark.parametrize("last", ["a", "f", "r"])
def test_a_skipped_hunk_is_not_accepted_unasked_when_the_file_would_break(
    tree: Path, last: str
) -> None:
    (tree / "one.py").write_text(f"import numpy as np\n{GAP}a = np.float(1)\n{GAP}b = np.int(2)\n")
    (tree / "two.py").unlink()
    said = ask(tree, ["y", "n", last, *"nnn"]).stdout  # np is still used by a, not imported
    assert "nothing in the file would define np" in said
    assert said.count("Accept hunk") == 6
    assert "a = np.float(1)" in (tree / "one.py").read_text()


def test_a_dirty_tree_is_refused_before_the_questions(
    tree: Path, git: Callable[..., str]
) -> None:
    git(tree, "init")
    assert "Accept" not in ask(tree, "yyyy", 4).stdout


def test_a_file_that_would_not_parse_says_so(tree: Path) -> None:
    (tree / "two.py").unlink()
    (tree / "one.py").write_text(f"print 'a'\n{GAP}print 'b'\n{GAP}print 'c'\n")
    said = ask(tree, "yny" + "nnn").stdout
    assert "the file would not parse" in said
    assert (tree / "one.py").read_text().startswith("print 'a'")


def test_the_accepted_part_can_be_kept_as_a_plan(tree: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    before = snapshot(tree)
    ask(tree, "nnny", 1, "--plan", str(plan))
    assert snapshot(tree) == before
    files = json.loads(plan.read_text())["files"]
    assert [f["path"] for f in files if f["status"] == "changed"] == ["two.py"]


def test_every_choice_of_hunks_is_between_old_and_new() -> None:
    old = "".join(f"{n}\n" for n in range(60)) + "end"
    new = old.replace("5\n", "five\n").replace("end", "END\n")
    result = FileResult("x.txt", Status.CHANGED, old_text=old, new_text=new)
    count = len(partial.hunks(result))
    assert count > 2
    assert partial.text_with(result, [False] * count) == old
    assert partial.text_with(result, [True] * count) == new
    with pytest.raises(ValueError, match="decisions"):
        partial.text_with(result, [True])


def test_in_a_terminal(tree: Path, repository_root: Path) -> None:
    master, slave = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(repository_root), "TERM": "xterm"}
    child = subprocess.Popen(
        [sys.executable, "-m", "migrator.cli.main", "migrate", str(tree), "--interactive"],
        stdin=slave, stdout=slave, stderr=slave, env=environment, close_fds=True,
    )  # fmt: skip
    os.close(slave)
    seen, answers, limit = b"", ["y", "n", "y", "q"], time.monotonic() + 60
    while time.monotonic() < limit:
        if not select.select([master], [], [], 1)[0]:
            continue
        try:
            seen += os.read(master, 4096)
        except OSError:
            break
        if answers and seen.count(b",a,q,?]") > 4 - len(answers):
            os.write(master, answers.pop(0).encode() + b"\n")
    assert child.wait(10) == 0, seen
    assert b"answers are kept" in seen
    state = json.loads((tree / ".migrator/review.json").read_text())
    assert state["files"]["one.py"][1] == [True, False, True]
    assert (tree / "one.py").read_text() == ONE


Call = Callable[..., Result]


def test_stdout_is_for_the_questions(repo: Path, migrator: Call) -> None:
    migrator("migrate", repo, "--interactive", "--json", code=2)
    migrator("migrate", repo, "--interactive", "--plan", "-", code=2)
