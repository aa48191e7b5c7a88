"""Session configurations wherever programs make them: what TF 1.15.5's sessions were told (told.json)
is what the migrated program tells its devices, before they are started."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import Plan
from migrator.resources import templates_dir
from migrator.transforms.session_configs import fields
from tests.transforms import projects

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "told.json").read_text())
NAMES = sorted(path.name for path in (HERE / "cases").iterdir())
# a second configuration of a process comes too late in TF 1 as well
FINDINGS = {"switches": ["ConfigProto.operation_timeout_in_ms has no counterpart in TensorFlow 2"]}


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Plan]]:
    made = {}
    for name in NAMES:
        folder = tmp_path_factory.mktemp("configs") / name
        projects.copy_case(HERE / "cases" / name, folder)
        made[name] = folder, projects.migrate_in_place(folder)
    return made


@pytest.fixture(scope="module")
def told(plans: dict[str, tuple[Path, Plan]], tmp_path_factory: pytest.TempPathFactory) -> Any:
    out = tmp_path_factory.mktemp("told") / "told.json"
    folders = [str(folder) for folder, _ in plans.values()]
    subprocess.run(
        [sys.executable, str(HERE / "told.py"), str(out), *folders], check=True,
        env=projects.ENVIRONMENT, capture_output=True,
    )  # fmt: skip
    return json.loads(out.read_text())


def test_recording_is_of_these_cases() -> None:
    assert sorted(RECORDED) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_devices_are_told_what_sessions_were_told(name: str, told: Any) -> None:
    assert "error" not in told[name], told[name]["error"]
    for position, (before, after) in enumerate(
        zip(RECORDED[name]["told"], told[name]["told"], strict=True)
    ):
        expected = {"growth": True, **before} if "fraction" not in before else before
        got = {k: v for k, v in after.items() if k != "late"}
        if position:
            got["jit"] = before.get("jit", False)  # of the process, once it is set
        assert {k: v for k, v in got.items() if v} == {k: v for k, v in expected.items() if v}
        assert position or not after["late"]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_lost_without_a_finding(name: str, plans: dict[str, tuple[Path, Plan]]) -> None:
    _, plan = plans[name]
    said = [f.message for f in plan.findings if f.code == "TF402"]
    assert said == FINDINGS.get(name, [])


@pytest.mark.parametrize("name", NAMES)
def test_second_migration_changes_nothing(name: str, plans: dict[str, tuple[Path, Plan]]) -> None:
    assert projects.changed_again(plans[name][0]) == []


# -- single texts


def lines(folder: Path, texts: dict[str, str], options: Options | None = None) -> tuple[list[str], Plan]:
    """The lines with set-ups of what a project becomes."""
    for name, text in texts.items():
        (folder / name).write_text(text)
    plan = build_plan(folder, options or Options(jobs=1))
    found = []
    for file in plan.files:
        text = file.new_text or (folder / file.path).read_text()
        found += [line.strip() for line in text.splitlines() if "configure_" in line]
    return found, plan


HEAD = "import tensorflow as tf\n"
BOTH = HEAD + """
def run(x):
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    config.gpu_options.per_process_gpu_memory_fraction = 0.5
    with tf.Session(config=config) as sess:
        return sess.run(tf.constant(1.0))
"""


@pytest.mark.parametrize("wanted,call", [
    ("keep", "gpu.configure_gpus('growth', fraction=0.5)"),
    ("growth", "gpu.configure_gpus('growth')"),
    ("limit", "gpu.configure_gpus(fraction=0.5)"),
])  # fmt: skip
def test_option_outweighs_the_program(wanted: str, call: str, tmp_path: Path) -> None:
    found, _ = lines(tmp_path, {"m.py": BOTH}, Options(jobs=1, gpu_memory=wanted))
    assert found == [call]


def test_option_outweighs_what_is_read_when_it_runs(tmp_path: Path) -> None:
    text = HEAD + "def run(c):\n    with tf.Session(config=c) as s:\n        return s.run(tf.constant(1))\n"
    found, _ = lines(tmp_path, {"m.py": text}, Options(jobs=1, gpu_memory="limit"))
    assert found == ["gpu.configure_from(c, memory='limit')"]


FILLED = {
    "by another name": "    options = config.gpu_options\n    options.allow_growth = settings['growth']\n",
    "by a function": "    fill(config, settings)\n",
    "by names": """    for key, value in settings.items():
        parts = key.split('.')
        if parts[0] != 'seed':
            part = config
            for name in parts[:-1]:
                part = getattr(part, name)
            setattr(part, parts[-1], value)
""",
}


@pytest.mark.parametrize("how", FILLED)
def test_a_configuration_is_filled_before_it_is_taken(how: str, tmp_path: Path) -> None:
    text = HEAD + (
        "def fill(config, settings):\n    config.gpu_options.allow_growth = settings['growth']\n\n\n"
        "def checked(settings):\n    return dict(settings)\n\n\n"
        "def make(settings):\n    settings = checked(settings)\n    config = tf.ConfigProto()\n"
        f"{FILLED[how]}    return tf.Session(config=config)\n")
    (tmp_path / "m.py").write_text(text)
    projects.migrate_in_place(tmp_path)
    new = (tmp_path / "m.py").read_text()
    assert f"{FILLED[how]}    gpu.configure_from(config)\n" in new


def test_no_growth_is_something_that_was_said(tmp_path: Path) -> None:
    text = BOTH.replace("allow_growth = True", "allow_growth = False")
    assert lines(tmp_path, {"m.py": text})[0] == ["gpu.configure_gpus(fraction=0.5)"]
    text = "\n".join(line for line in text.splitlines() if "fraction" not in line)
    assert lines(tmp_path, {"m.py": text})[0] == []  # TensorFlow takes nearly all, as in TF 1


def test_a_function_that_others_import_sets_up_as_well(tmp_path: Path) -> None:
    lib = BOTH + "\ndef main():\n    print(run(1))\n\nif __name__ == '__main__':\n    main()\n"
    call = "gpu.configure_gpus('growth', fraction=0.5)"
    assert lines(tmp_path, {"lib.py": lib})[0] == [call]  # at the entry of the script
    user = "import tensorflow as tf\nimport lib\nprint(lib.run(tf.float32))\n"
    assert lines(tmp_path, {"lib.py": lib, "user.py": user})[0] == [call, call]


def test_a_server_whose_handlers_use_devices_starts_behind_the_set_up(tmp_path: Path) -> None:
    text = HEAD + """import argparse
import flask

app = flask.Flask(__name__)


@app.route('/')
def index():
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        return str(sess.run(tf.constant(1)))


def main():
    \"\"\"Serves.\"\"\"
    args = argparse.ArgumentParser().parse_args()
    app.run(args.host)


if __name__ == '__main__':
    main()
"""
    found, plan = lines(tmp_path, {"m.py": text})
    assert found == ["gpu.configure_gpus('growth', soft_placement=True)"]
    new = plan.files[0].new_text or ""
    assert new.index("Serves.") < new.index("configure_gpus") < new.index("args = ") < new.index("app.run(")


@pytest.mark.parametrize(
    ("said", "between", "stays"),
    [("# Make a session", "", True), ("# Little of the GPU", "", False), ("# Make a session", "\n", False)])
def test_a_comment_above_is_of_the_session_as_well(
    said: str, between: str, stays: bool, tmp_path: Path
) -> None:
    text = HEAD + (
        f"\n\ndef run(x):\n    y = x + 1\n\n    {said}\n    c = tf.ConfigProto()\n"
        f"    c.allow_soft_placement = True\n{between}    s = tf.Session(config=c)\n    keep(s)\n"
        "    return y\n\n\nif __name__ == '__main__':\n    print(run(1))\n")
    found, plan = lines(tmp_path, {"m.py": text})
    new = plan.files[0].new_text or ""
    where = f"    {said}\n    s = " if stays else f"':\n    {said}\n    {found[0]}"
    assert where in new and new.count(said) == 1


def test_what_no_session_takes_is_told(tmp_path: Path) -> None:
    text = HEAD + "import other\nother.start(tf.ConfigProto(allow_soft_placement=True))\n"
    found, plan = lines(tmp_path, {"m.py": text})
    assert found == [] and [f.code for f in plan.findings if f.code.startswith("TF4")] == ["TF402"]


def test_a_session_that_shares_its_line_is_told(tmp_path: Path) -> None:
    text = HEAD + "def run(c, x):\n    if x: return tf.Session(config=c)\n"
    found, plan = lines(tmp_path, {"m.py": text})
    assert found == [] and any("several statements" in f.message for f in plan.findings)


def test_the_support_package_and_the_rules_agree_on_what_is_idle() -> None:
    text = (templates_dir() / "support" / "gpu.py").read_text()
    idle = text.partition("_IDLE = frozenset(")[2].partition(")\n")[0]
    assert ast.literal_eval(idle) == fields.IDLE
