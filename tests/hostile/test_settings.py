"""Settings, rule packs, plans and baselines that are made to break their readers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from migrator.project import config
from tests.hostile.attacks import USES, migrator, write

DIGITS = "9" * 5000
DEEP = 100_000
TOML = {
    "digits": f"jobs = {DIGITS}\n", "nested": "select = " + "[" * DEEP, "tables": "[a." * 2000,
    "inline": "x = " + "{a=" * 5000, "key": "a." * 20_000 + "b = 1\n", "nul": "select = 'a\0'\n",
    "bytes": "select = '\udcff'\n", "float": "jobs = 1e999999999\n", "negative": f"jobs = -{DIGITS}\n",
    "hex": "jobs = 0x" + "f" * 100_000 + "\n", "many": "jobs = 100000\n",
    "date": "jobs = 9999-99-99\n", "unclosed": 'select = """' + "\\" * 99_999,
    "rules": "rules = ['" + "a/" * 5000 + "x.toml']\n", "nul path": 'rules = ["a\\u0000b"]\n',
    "long path": "baseline = '" + "a" * 5000 + "'\n", "up": "baseline = '" + "../" * 3000 + "etc/passwd'\n",
    "empty": "rules = ['']\nbaseline = ''\n", "pattern": "exclude = ['" + "[" * 5000 + "']\n",
}  # fmt: skip


@pytest.mark.parametrize("name", list(TOML))
@pytest.mark.parametrize("file", ["migrator.toml", "pyproject.toml", "setup.cfg", "own.toml"])
def test_settings_are_refused_or_used_but_break_nothing(tmp_path: Path, name: str, file: str) -> None:
    head = "[tool.migrator]\n" if file == "pyproject.toml" else "[migrator]\n"
    (tmp_path / "uses.py").write_text(USES)
    (tmp_path / file).write_bytes((head + TOML[name]).encode("utf-8", "surrogateescape"))
    if file == "own.toml":
        write(tmp_path, {"migrator.toml": "[migrator]\nrules = ['own.toml']\n"})
    done = migrator("migrate", tmp_path, "--diff", "--no-cache")
    assert b"Traceback" not in done.stderr, done.stderr[-2000:]
    assert done.returncode in (0, 1, 2), done.stderr[-500:]
    if done.returncode == 2:
        assert file.encode() in done.stderr or b"Error: " in done.stderr
        assert len(done.stderr) < 20_000  # what is wrong, not all of it


def test_a_repository_does_not_choose_how_many_processes_run_here(tmp_path: Path) -> None:
    from migrator.cli import choices

    write(tmp_path, {"migrator.toml": "[migrator]\njobs = 4000\n"})
    assert choices.build_options(tmp_path, {}).jobs <= (os.cpu_count() or 1)
    assert choices.build_options(tmp_path, {"jobs": 4000}).jobs == 4000


LONG = "a" * 300 + ".py"
CHANGED = {"status": "changed", "old_sha256": "0" * 64, "old_text": "x\n", "new_text": "y\n"}
PATHS = {
    "name": LONG, "path": "a/" * 3000 + "x.py", "both": (LONG + "/") * 50 + "x.py", "nul": "a\0.py",
    "surrogate": "\udcff.py", "lone": "\ud800.py", "newline": "a\nb.py", "state": ".migrator/lock",
    "git": ".git/config", "case": ".GIT/config", "short": "git~1/config", "hidden": ".g\u200cit/config",
    "wide": "\uff0egit/config", "dots": ".git./config", "space": ".git /config", "up": "../x.py",
    "empty": "", "dot": "./x.py", "absolute": "/etc/x.py", "slashes": "a//b.py", "end": "a/",
}  # fmt: skip


@pytest.mark.parametrize("name", list(PATHS))
def test_a_plan_with_any_path_is_refused_or_said(tmp_path: Path, name: str) -> None:
    root = tmp_path / "tree"
    write(root, {"uses.py": USES})
    plan = {"format": "migrator-plan", "version": 1, "root": str(root), "tool_version": "1",
            "files": [{"path": PATHS[name], **CHANGED}], "support_files": []}  # fmt: skip
    support = {**plan, "files": [], "support_files": [[f"{PATHS[name]}/tf1_support/a.py",
                                                       "# migrator: generated\n"]]}  # fmt: skip
    for content in (plan, support):
        (tmp_path / "plan.json").write_text(json.dumps(content))
        done = migrator("apply", tmp_path / "plan.json", root)
        assert b"Traceback" not in done.stderr, done.stderr[-2000:]
        assert done.returncode in (2, 3, 4) or (name == "newline" and content is support)
        (root / ".migrator/plan.json").parent.mkdir(exist_ok=True)
        (root / ".migrator/plan.json").write_text(json.dumps(content))
        done = migrator("report", root, "--out", tmp_path / "r.html")
        assert b"Traceback" not in done.stderr, done.stderr[-2000:]
    assert (root / "uses.py").read_text() == USES


@pytest.mark.parametrize("folders", ["a/" * 200, ("b" * 200 + "/") * 25], ids=["deep", "long"])
def test_a_plan_makes_no_folders_that_nobody_can_remove(tmp_path: Path, folders: str) -> None:
    """Each folder is opened below the last one, so that the system has nothing against such a path."""
    root = tmp_path / "tree"
    write(root, {"uses.py": USES})
    plan = {"format": "migrator-plan", "version": 1, "root": str(root), "tool_version": "1", "files": [],
            "support_files": [[f"{folders}tf1_support/a.py", "# migrator: generated\n"]]}  # fmt: skip
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    done = migrator("apply", tmp_path / "plan.json", root)
    assert done.returncode == 2 and b"longer than paths are" in done.stderr, done.stderr[-2000:]
    assert sorted(os.listdir(root)) == ["uses.py"]


@pytest.mark.parametrize(
    "text",
    ["[" * DEEP, '{"a":' * DEEP, DIGITS, f'{{"format": "migrator-plan", "version": {DIGITS}}}',
     '"' + "\\" * 9999, "\x00", '{"format": "migrator-plan", "version": 1, "root": "\\ud800", "files": []}',
     "1e99999", "null",
     '{"format": "migrator-baseline", "version": 1, "files": {"a": {"b": ' + DIGITS + "}}}"],
)  # fmt: skip
def test_json_that_breaks_readers(tmp_path: Path, text: str) -> None:
    root = tmp_path / "tree"
    write(root, {"uses.py": USES, "x.json": text, ".migrator/review.json": text})
    for name in ("plan", "measure", "verify", "predict"):
        (root / f".migrator/{name}.json").write_text(text)
    file = root / "x.json"
    for command in (("apply", file, root), ("migrate", root, "--diff", "--baseline", file), ("report", root),
                    ("merge", file), ("report", file, file), ("migrate", root, "--interactive")):  # fmt: skip
        done = migrator(*command, cwd=tmp_path, given=b"n\n")
        assert b"Traceback" not in done.stderr, (command, done.stderr[-2000:])
        assert len(done.stderr) < 20_000


# -- settings that lead elsewhere


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("rules = ../pack.toml", "outside of the repository"),
        ("rules = own.toml, /etc/passwd", "outside of the repository"),
        ("baseline = /etc/passwd", "outside of the repository"),
        ("baseline = linked.json", "outside of the repository"),
        ("address = ray://elsewhere:10001", "where its files are sent"),
    ],
)
def test_settings_lead_nowhere_else(tmp_path: Path, line: str, said: str) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "linked.json").symlink_to("/etc/passwd")
    (repo / "setup.cfg").write_text(f"[migrator]\n{line}\n")
    with pytest.raises(config.ConfigError, match=said):
        config.load(repo)
    (repo / "setup.cfg").write_text("[migrator]\nrules = own.toml\naddress = auto\n")
    assert config.load(repo).values == {"rules": ["own.toml"], "address": "auto"}


@pytest.mark.parametrize("name", ["setup.cfg", "pyproject.toml", "migrator.toml"])
def test_settings_that_are_a_link_out_of_the_tree_are_not_read(tmp_path: Path, name: str) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    (tmp_path / "outside").write_text("a secret\n")
    (repo / name).symlink_to(tmp_path / "outside")
    with pytest.raises(config.ConfigError, match="link out of the repository") as caught:
        config.load(repo)
    assert "secret" not in str(caught.value)
