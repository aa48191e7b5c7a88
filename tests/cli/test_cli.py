"""The command line: what is printed, what is written, exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from migrator.cli import console, explain, main
from migrator.cli.console import safe
from migrator.model import Plan
from tests.cli.conftest import BROKEN
from tests.project.trees import snapshot

Call = Callable[..., Result]


def test_diff_shows_hunks_with_codes_and_reasons_and_writes_nothing(
    repo: Path, migrator: Call
) -> None:
    before = snapshot(repo)
    text = migrator("migrate", repo, "--diff", "-j", 1, code=1).stdout
    assert snapshot(repo) == before
    assert not (repo / ".migrator").exists()
    lines = text.splitlines()
    at = lines.index("-    scale = np.float(2)")
    assert lines[at + 1] == "+    scale = float(2)"
    header = max(i for i in range(at) if lines[i].startswith("@@ "))
    assert lines[header - 1].startswith("# PY2")
    assert "# PY101 " in text
    assert "+print('loss', int(3))" in lines
    assert "\x1b" not in text


def test_migrate_writes_and_undo_brings_back(repo: Path, migrator: Call) -> None:
    before = snapshot(repo)
    said = migrator("migrate", repo).stdout
    assert "Changed 2 files" in said
    assert f"Undo with: migrator undo {repo}" in said
    assert b"scale = float(2)\r\n" in (repo / "pkg/train.py").read_bytes()
    plan = json.loads((repo / ".migrator/plan.json").read_text())
    assert {f["path"] for f in plan["files"] if f["status"] == "changed"} == {
        "old.py", "pkg/train.py",
    }  # fmt: skip
    assert "Nothing to change" in migrator("migrate", repo).stdout
    assert "Restored 2 files" in migrator("undo", repo).stdout
    assert snapshot(repo) == before
    assert "nothing to undo" in migrator("undo", repo, code=4).stderr


def test_undo_one_file(repo: Path, migrator: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    before = snapshot(repo)
    migrator("migrate", repo)
    monkeypatch.chdir(repo / "pkg")
    migrator("undo", "..", "--file", "train.py")
    assert snapshot(repo)["pkg/train.py"] == before["pkg/train.py"]
    assert snapshot(repo)["old.py"] != before["old.py"]
    migrator("undo", "..", "--file", "/etc/passwd", code=2)
    migrator("undo", "..", "--file", "x", "--all", code=2)


def test_patch_is_what_git_applies(
    repo: Path, migrator: Call, tmp_path: Path, git: Callable[..., str]
) -> None:
    (repo / "dir with space").mkdir()
    names = ["dir with space/a b.py", "caf\u00e9.py", 'quo"te.py', "new\nline.py", "tab\t.py"]
    for name in names:
        (repo / name).write_text("import numpy as np\nx = np.int(1)")  # no newline at the end
    (repo / "latin.py").write_bytes(b"# coding: latin-1\nimport numpy as np\nx = np.int('\xe9')\n")
    (repo / "bom.py").write_bytes(b"\xef\xbb\xbfimport numpy as np\r\nx = np.bool(1)\x0c\r\n")
    git(repo, "init")
    git(repo, "add", ".")
    git(repo, "commit", "-m", "start")
    patch = tmp_path / "x.patch"
    migrator("migrate", repo, "--patch", patch, code=1)
    git(repo, "-c", "core.autocrlf=false", "apply", "--check", str(patch))
    git(repo, "-c", "core.autocrlf=false", "apply", str(patch))
    by_patch = snapshot(repo)
    git(repo, "checkout", ".")
    migrator("migrate", repo)
    assert snapshot(repo) == by_patch
    assert by_patch["latin.py"][2].endswith(b"x = int('\xe9')\n")
    for name in names:
        assert by_patch[name][2] == b"import numpy as np\nx = int(1)" or by_patch[name][
            2
        ] == b"x = int(1)"
    assert migrator("migrate", repo, "--patch", "-", code=0).stdout_bytes == b""


def test_out_writes_a_copy(repo: Path, migrator: Call, tmp_path: Path) -> None:
    before = snapshot(repo)
    out = tmp_path / "out"
    assert "Changed 2 files" in migrator("migrate", repo, "--out", out).stdout
    assert snapshot(repo) == before
    assert (out / "data.txt").read_text() == "1\n"
    assert "scale = float(2)" in (out / "pkg/train.py").read_text()
    assert json.loads((out / ".migrator/plan.json").read_text())["root"] == str(repo)
    assert "not an empty folder" in migrator("migrate", repo, "--out", out, code=4).stderr


def test_a_broken_file_is_named_and_the_rest_goes_on(repo: Path, migrator: Call) -> None:
    (repo / "broken.py").write_text(BROKEN)
    (repo / "bytes.py").write_bytes(b"import tensorflow\nx = '\xe9'\n")
    result = migrator("migrate", repo, code=3)
    assert "broken.py:1: " in result.stderr
    assert "bytes.py:2: cannot be decoded" in result.stderr
    assert "Changed 2 files" in result.stdout
    assert (repo / "broken.py").read_text() == BROKEN


def test_dirty_trees_and_locks_end_with_code_4(
    repo: Path, migrator: Call, git: Callable[..., str]
) -> None:
    git(repo, "init")
    assert "uncommitted" in migrator("migrate", repo, code=4).stderr
    from migrator.project.lock import locked
    from migrator.project.tree import Folder

    with Folder.named(repo) as tree, locked(tree, "test"):
        assert "another migrator" in migrator("migrate", repo, "--allow-dirty", code=4).stderr
    migrator("migrate", repo, "--allow-dirty")


def test_read_only_files_end_with_code_3(repo: Path, migrator: Call) -> None:
    (repo / "old.py").chmod(0o444)
    result = migrator("migrate", repo, code=3)
    assert "old.py: is read-only" in result.stderr
    assert "Changed 1 file," in result.stdout


def test_json_is_the_plan(repo: Path, migrator: Call) -> None:
    plan = json.loads(migrator("migrate", repo, "--diff", "--json", code=1).stdout)
    assert {f["path"] for f in plan["files"]} == {"old.py", "pkg/train.py"}
    applied = json.loads(migrator("migrate", repo, "--json").stdout)["applied"]
    assert sorted(applied["written"]) == ["old.py", "pkg/train.py"]
    undone = json.loads(migrator("undo", repo, "--json").stdout)
    assert sorted(undone[0]["restored"]) == ["old.py", "pkg/train.py"]


def test_sarif(repo: Path, migrator: Call, tmp_path: Path) -> None:
    (repo / "b<r>oken&.py").write_text(BROKEN)
    (repo / "later.py").write_text("import tensorflow as tf\nx = tf.no_such_symbol(1)\n")
    path = tmp_path / "x.sarif"
    migrator("migrate", repo, "--diff", "--sarif", path, code=3)
    document = json.loads(path.read_text())
    assert document["version"] == "2.1.0"
    assert document["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = document["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    rules = run["tool"]["driver"]["rules"]
    declared = [rule["id"] for rule in rules]
    assert len(set(declared)) == len(declared)
    for rule in rules:
        assert rule["help"]["text"] and rule["fullDescription"]["text"] != rule["id"]
    levels = [result["level"] for result in run["results"]]
    assert levels == sorted(levels, key=["error", "warning", "note"].index)
    seen = set()
    for result in run["results"]:
        assert declared[result["ruleIndex"]] == result["ruleId"]
        assert re.fullmatch(r"[0-9a-f]+:\d+", result["partialFingerprints"]["primaryLocationLineHash"])
        assert result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]
        assert place["region"]["startLine"] >= 1
        assert place["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
        seen.add((place["artifactLocation"]["uri"], result["ruleId"], result["level"]))
    assert ("b%3Cr%3Eoken%26.py", "TF002", "warning") in seen
    assert ("later.py", "TF003", "warning") in seen
    assert any(uri == "pkg/train.py" and level == "note" for uri, _, level in seen)


def test_sarif_of_a_folder_of_a_repository(
    repo: Path, migrator: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    path = tmp_path / "x.sarif"
    monkeypatch.setattr("migrator.cli.sarif.MOST_RESULTS", 1)
    migrator("migrate", repo / "pkg", "--diff", "--sarif", path, code=1)
    (run,) = json.loads(path.read_text())["runs"]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert {place["artifactLocation"]["uri"] for place in places} == {"pkg/train.py"}
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == repo.resolve().as_uri() + "/"
    assert run["automationDetails"]["id"] == "migrator/pkg/"
    assert len(places) == 1
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert "lowest severity are left out" in note["message"]["text"]


def test_select_ignore_and_only_files(repo: Path, migrator: Call) -> None:
    def changed(*options: object, code: int = 1) -> set[str]:
        out = migrator("migrate", repo, "--diff", "--json", *options, code=code).stdout
        return {f["path"] for f in json.loads(out)["files"] if f["status"] == "changed"}

    assert changed("-s", "PY2", code=3) == {"pkg/train.py"}  # old.py stays Python 2
    assert changed("-i", "PY2", "-i", "TF") == {"old.py"}
    assert changed("-f", "pkg/") == {"pkg/train.py"}
    assert changed("-f", str(repo / "old.py")) == {"old.py"}
    assert changed("--exclude", "pkg/") == {"old.py"}
    assert "no source file is left" in migrator("migrate", repo, "-f", "nope.py", code=2).stderr
    assert "not in" in migrator("migrate", repo, "-f", "/etc/passwd", code=2).stderr


def test_settings_files(repo: Path, migrator: Call) -> None:
    (repo / "setup.cfg").write_text("[migrator]\nignore =\n  PY101\n  TF5\njobs = 1\n")
    (repo / "pyproject.toml").write_text("[tool.migrator]\nprecision = 'mixed_float16'\njobs = 2\n")
    said = migrator("migrate", repo, "--show-config", "--no-jit").stdout
    lines = {line.split()[0]: " ".join(line.split()[1:]) for line in said.splitlines()}
    assert lines["ignore"] == "PY101, TF5 (setup.cfg)"
    assert lines["jobs"] == "2 (pyproject.toml)"
    assert lines["precision"] == "mixed_float16 (pyproject.toml)"
    assert lines["jit"] == "false (command line)"
    assert lines["gpu-memory"] == "keep (default)"
    plan = json.loads(migrator("migrate", repo, "--diff", "--json", code=None).stdout)
    assert plan["options"]["precision"] == "mixed_float16"
    assert plan["options"]["ignore"] == ["PY101", "TF5"]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("setup.cfg", "[migrator]\nprecison = float32\n", "'precison' is not a setting"),
        ("setup.cfg", "[migrator\n", "setup.cfg"),
        ("pyproject.toml", "[tool.migrator]\njobs = 'many'\n", "jobs must be a number"),
        ("pyproject.toml", "[tool.migrator]\nselect = [1]\n", "select must be a list of strings"),
        ("pyproject.toml", "[tool\n", "pyproject.toml"),
        ("migrator.toml", "[migrator]\nprecision = 'float8'\n", "float8"),
        ("migrator.toml", "migrator = 3\n", "must be a table"),
    ],
)
def test_settings_that_cannot_be_used(
    repo: Path, migrator: Call, name: str, text: str, says: str
) -> None:
    (repo / name).write_text(text)
    assert says in migrator("migrate", repo, "--diff", code=2).stderr


def test_scan(repo: Path, migrator: Call) -> None:
    (repo / "g.py").write_text(
        "import tensorflow as tf\nx = tf.placeholder(tf.float32)\nsess = tf.Session()\n"
        "print(sess.run(x, {x: 1}))\n"
    )
    (repo / "m.index").write_bytes(b"x" * 10)
    (repo / "m.data-00000-of-00001").write_bytes(b"x" * 90)
    (repo / "f.pb").write_bytes(b"\x0a\x10\x0a\x01x")
    (repo / "labels.pb").write_bytes(b"\x12\x10")
    found = json.loads(migrator("scan", repo, "--json").stdout)
    assert found["sites"] == {"placeholders": 1, "run sites": 1, "sessions": 1}
    assert found["python2"] == ["old.py"]
    assert found["models"] == [
        {"path": "f.pb", "kind": "frozen graph", "bytes": 5},
        {"path": "m", "kind": "checkpoint", "bytes": 100},
    ]
    symbols = {s["symbol"]: s for s in found["symbols"]}
    assert symbols["tf.nn.relu"]["disposition"] == "same"
    assert symbols["tf.placeholder"]["disposition"] != "same"
    text = migrator("scan", repo, "--verbose").stdout
    assert "tf.placeholder" in text and "f.pb" in text and "Graph programs" in text
    assert not (repo / ".migrator").exists()


KEPT = """\
import tensorflow as tf


def run(graph):
    words = tf.contrib.learn.SVM(10)
    profiler = tf.profiler.Profiler(graph)
    return profiler, words, tf.profiler.Profiler(graph)
"""


def totals(text: str) -> list[int]:
    lines = [re.match(r" *([\d,]+) (edit|place)s?\b", line) for line in text.splitlines()]
    return [int(m[1].replace(",", "")) for m in lines if m]


def test_scan_begins_with_the_numbers_that_migrate_and_report_tell(
    repo: Path, migrator: Call
) -> None:
    (repo / "pkg/kept.py").write_text(KEPT)
    (repo / "pkg/kept_test.py").write_text(KEPT)
    said = migrator("scan", repo).stdout
    edits, compat, person = totals("\n".join(said.splitlines()[:3]))
    assert edits > 2 and compat > 2 and person == 2
    person_part = said[said.index("For a person") :]
    assert person_part.index("kept.py") < person_part.index("kept_test.py")  # tests last
    assert "tf.nn.relu" not in said  # what is the same is --verbose
    assert totals(migrator("migrate", repo, "--diff", code=1).stderr) == [edits, compat, person]
    assert totals(migrator("migrate", repo).stdout) == [edits, compat, person]
    assert totals(migrator("scan", repo).stdout) == [0, compat, person]  # what is left is left
    migrator("report", repo, "--out", repo / "r.json")
    (left,) = [a for a in json.loads((repo / "r.json").read_text())["answers"] if a["id"] == "left"]
    assert left["after"] == f"{compat + person} left"
    assert left["before"] == f"{edits + compat + person} places"


def test_lines_are_those_of_the_written_file(repo: Path, migrator: Call) -> None:
    (repo / "pkg/kept.py").write_text(KEPT)
    said = migrator("migrate", repo).stdout
    found = re.search(r"kept\.py:(\d+)", said[said.index("learn.SVM") :])
    assert found is not None
    lines = (repo / "pkg/kept.py").read_text().splitlines()
    assert "SVM" in lines[int(found[1]) - 1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("scan", "--select", "XX9"), "no rule's code begins so"),
        (("migrate", "--diff", "--ignore", "TF1,TF11O"), "did you mean TF"),
        (("explain", "nonsense"), "neither a code nor a symbol"),
        (("explain", "TF999"), "neither a code"),
        (("explain", "tf.nn.rellu"), "Did you mean tf.nn.relu"),
        (("fit", "."), "`migrator measure fit` now"),
        (("measure", "fit", ".", "--modes", "x"), "is not one of"),
    ],
)
def test_what_does_not_exist_is_wrong_usage(
    repo: Path, migrator: Call, arguments: tuple[str, ...], said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(repo)
    result = migrator(*arguments, code=2)
    assert said in result.output


def test_settings_name_codes_that_exist_too(repo: Path, migrator: Call) -> None:
    (repo / "setup.cfg").write_text("[migrator]\nignore = XX9\n")
    assert "'XX9'" in migrator("scan", repo, code=2).output


def test_explain_says_what_becomes_of_it_here(
    repo: Path, migrator: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / "pkg/kept.py").write_text(KEPT)
    said = migrator("explain", "tf.profiler.Profiler", repo).stdout
    assert "2 uses: 0 migrated, 2 left" in said and "pkg/kept.py:6" in said
    assert "todo" in said and "--check TF005-" in said
    assert "not used" in migrator("explain", "tf.while_loop", repo).stdout
    assert "all migrated" in migrator("explain", "PY201", repo).stdout
    monkeypatch.chdir(repo)  # no repository of its own: nothing is looked through
    assert "left" not in migrator("explain", "tf.Session").stdout
    (repo / ".git").mkdir()
    found = json.loads(migrator("explain", "tf.profiler.Profiler", "--json").stdout)
    assert found["here"]["uses"] == 2 and found["here"]["orders"]


def test_explain_migrates_only_the_files_that_mention_the_symbol(
    repo: Path, migrator: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / "pkg/kept.py").write_text(KEPT)
    (repo / "pkg/logs.py").write_text("import tensorflow as tf\nprint(tf.log(2.0), tf.log(3.0))\n")
    planned: list[tuple[Path, ...]] = []
    plain = explain.make_plan

    def noted(root: Path, given: dict[str, Any], quiet: bool, files: tuple[Path, ...] = ()) -> Plan:
        planned.append(files)
        return plain(root, given, quiet, files=files)

    monkeypatch.setattr(explain, "make_plan", noted)
    assert "2 uses, all migrated" in migrator("explain", "tf.log", repo).stdout
    assert "not used" in migrator("explain", "tf.while_loop", repo).stdout
    assert planned == [((repo / "pkg/logs.py").resolve(),)]
    migrator("migrate", repo, "--allow-dirty", code=None)
    assert "tf.math.log" in (repo / "pkg/logs.py").read_text()
    assert "2 uses, all migrated" in migrator("explain", "tf.log", repo).stdout


def test_without_tensorflow_nothing_is_begun(
    repo: Path, migrator: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name, package=None: None)
    for arguments in (("measure",), ("measure", "predict"), ("measure", "fit", "--limit-mib", 9)):
        said = migrator(*arguments[:2], repo, *arguments[2:], code=2).output
        assert "pip install 'migrator[tf]'" in said


def test_nothing_to_run_has_one_code(repo: Path, migrator: Call) -> None:
    for arguments in (("measure", repo), ("measure", "predict", repo),
                      ("measure", "fit", repo, "--limit-mib", 9)):  # fmt: skip
        assert "nothing to" in migrator(*arguments, code=2).output, arguments


def test_ctrl_c_is_130(repo: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("migrator.cli.migrate.build_plan", stop)
    monkeypatch.setattr(sys, "argv", ["migrator", "scan", str(repo)])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 130 and "Interrupted" in capsys.readouterr().err
    monkeypatch.setattr("migrator.cli.migrate.apply_plan", stop)
    monkeypatch.undo()
    monkeypatch.setattr("migrator.cli.migrate.apply_plan", stop)
    monkeypatch.setattr(sys, "argv", ["migrator", "migrate", str(repo)])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 130 and "migrator undo" in capsys.readouterr().err


def test_progress_is_in_logs_too(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    with console.progress("migrating") as step:
        for done in range(1, 101):
            now[0] += 0.5
            step(done, 100, f"pkg/{done}.py")
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "migrating: 20 of 100, pkg/20.py (10 s, about 40 s left)"
    assert said[-1] == "migrating: 100 of 100, pkg/100.py (50 s)" and len(said) == 5
    with console.progress("migrating") as step:
        now[0] += 11
        step(1, 320, "a" * 200)  # what came before the first file says nothing about the others
        now[0] += 11
        step(2, 320, "b")
    first, second = capsys.readouterr().err.splitlines()
    assert first == "migrating: 1 of 320, …" + "a" * 99 + " (11 s)"
    assert second == "migrating: 2 of 320, b (22 s, about 58 min left)"
    with console.progress("migrating", quiet=True) as step:
        now[0] += 60
        step(1, 2, "a.py")
    assert capsys.readouterr().err == ""


def test_few_options_are_shown_first(migrator: Call) -> None:
    for command in (("scan",), ("migrate",), ("measure",), ("measure", "fit")):
        said = migrator(*command, "--help").output
        plain, _, rare = said.partition("Advanced options:")
        assert rare and len(re.findall(r"^  (?:-\w, )?--", plain, re.MULTILINE)) <= 21, command
    assert "--engine" in rare or "--engine" in migrator("measure", "--help").output
    assert "Commands:" in migrator("measure", "--help").output


def test_nothing_here_imports_tensorflow(repo: Path, tmp_path: Path) -> None:
    (repo / "evil.py").write_text("import tensorflow as tf\nraise SystemExit('was run')\n")
    code = (
        "import sys\n"
        "from migrator.cli.main import cli\n"
        f"for args in (['scan', {str(repo)!r}], ['migrate', {str(repo)!r}]):\n"
        "    try: cli(args, standalone_mode=False)\n"
        "    except SystemExit as e: assert e.code != 'was run'\n"
        "bad = {'tensorflow', 'keras', 'tf_keras', 'torch'} & set(sys.modules)\n"
        "assert not bad, bad\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": os.getcwd()},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_help_is_there_for_every_command_with_examples(migrator: Call) -> None:
    assert "Exit codes" in migrator("-h").stdout
    for name in main.COMMANDS:
        text = migrator(name, "-h").stdout
        assert "Examples:" in text, name


def test_a_command_that_cannot_be_loaded_says_so_and_others_work(
    migrator: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "migrator.cli.verify", None)
    assert "cannot be loaded" in migrator("verify", ".", "--anything", code=1).stderr
    migrator("rules")


def test_rules_and_explain(migrator: Call) -> None:
    rules = json.loads(migrator("rules", "--json").stdout)
    codes = {rule["code"] for rule in rules}
    assert {"TF000", "TF002", "PY101"} <= codes
    own = next(rule for rule in rules if rule["cases"])
    text = migrator("explain", own["code"].lower()).stdout
    assert own["title"] in text
    assert "Before" in text
    assert migrator("explain", "TF001").stdout.startswith("TF001")
    assert "the same" in migrator("explain", "tf.nn.relu").stdout
    flags = migrator("explain", "tf.app.flags").stdout
    assert " absl.flags" in flags
    assert "did you mean" in migrator("explain", "TF0011", code=2).stderr.lower()
    assert "no rule's code" in migrator("rules", "ZZ", code=2).stderr


def test_explain_suggests_near_names(migrator: Call) -> None:
    assert "tf.placeholder" in migrator("explain", "tf.placholder", code=2).stderr


def test_doctor_reports_a_named_interpreter_that_does_not_work(
    repo: Path, migrator: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MIGRATOR_TF1_PYTHON", "/nowhere/python")
    checks = {
        c["name"]: c for c in json.loads(migrator("doctor", repo, "--json", code=3).stdout)
    }
    assert checks["Python"]["state"] == "ok"
    assert checks["TensorFlow 1"]["state"] == "bad"
    assert "/nowhere/python" in checks["TensorFlow 1"]["text"]


def test_names_cannot_drive_the_terminal(repo: Path, migrator: Call) -> None:
    assert safe("a\x1b[31m\u202eb\n\udcff") == "a\\x1b[31m\\u202eb\\n\\xff"
    (repo / "\x1b[31mred[bold].py").write_text("import numpy as np\nx = np.int(1)\n")
    text = migrator("migrate", repo, "--diff", code=1).stdout
    assert "\x1b" not in text
    assert "\\x1b[31mred[bold].py" in text


def on_a_terminal(*arguments: object, **env: str) -> bytes:
    """What the command shows on a terminal."""
    import pty

    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "migrator", *map(str, arguments)],
        stdin=follower, stdout=follower, stderr=follower,
        env={**os.environ, "TERM": "xterm-256color", "PYTHONPATH": os.getcwd(), **env},
    )  # fmt: skip
    os.close(follower)
    data = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:
            break
        if not part:
            break
        data += part
    process.wait()
    os.close(leader)
    return data


def test_colour_follows_no_color() -> None:
    assert b"\x1b[" in on_a_terminal("rules", "TF0")
    assert b"\x1b[3" not in on_a_terminal("rules", "TF0", NO_COLOR="1")


@pytest.mark.parametrize(("mine", "told"), [(None, "FRX"), ("-i", "-i -R"), ("-iR", "-iR")])
def test_the_pager_is_told_to_show_colours(
    repo: Path, tmp_path: Path, mine: str | None, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pager = tmp_path / "pager"
    pager.write_text('#!/bin/sh\necho "told:$LESS:"\ncat\n')
    pager.chmod(0o755)
    monkeypatch.delenv("LESS", raising=False)
    env = {"PAGER": str(pager), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    if mine is not None:
        env["LESS"] = mine
    shown = on_a_terminal("migrate", repo, "--diff", **env)
    assert f"told:{told}:".encode() in shown and b"\x1b[32m+" in shown


def test_usage_errors(repo: Path, migrator: Call) -> None:
    migrator("migrate", repo / "nope", code=2)
    migrator("migrate", repo, "--diff", "--out", "x", code=2)
    migrator("migrate", repo, "--precision", "float8", code=2)
    runner = CliRunner()
    assert runner.invoke(main.cli, ["migrat"]).exit_code == 2
