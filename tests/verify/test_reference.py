"""Which TensorFlow runs the original."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrator.verify import reference


def interpreter(folder: Path, name: str, body: str) -> Path:
    """A stand-in for a Python: a shell script that is called as PYTHON -c CODE ANSWER."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def answering(version: str) -> str:
    return f"""echo '{{"tensorflow": "{version}", "python": "3.7.9"}}' > "$3" """


@pytest.fixture(autouse=True)
def nothing_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(reference.ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setattr(reference, "_COMMAND_NAMES", ("python-of-this-test",))


def test_named_interpreter(tmp_path: Path) -> None:
    python = interpreter(tmp_path / "x", "py", answering("1.15.5"))
    found = reference.find_reference(str(python))
    assert (found.side, found.python) == ("tf1", str(python))
    assert found.real_tf1 and found.title == "TensorFlow 1.15.5 (Python 3.7.9)"


def test_interpreter_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = interpreter(tmp_path / "x", "py", answering("1.14.0"))
    monkeypatch.setenv(reference.ENVIRONMENT_VARIABLE, str(python))
    assert reference.find_reference().python == str(python)


def test_interpreter_on_the_path(tmp_path: Path) -> None:
    interpreter(tmp_path / "bin", "python-of-this-test", answering("1.15.0"))
    assert reference.find_reference().side == "tf1"


def test_unusable_interpreter_on_the_path_is_passed_over(tmp_path: Path) -> None:
    interpreter(tmp_path / "bin", "python-of-this-test", "exit 1")
    assert reference.find_reference().side in ("compat", "")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (answering("2.4.0"), "has TensorFlow 2.4.0, not 1.x"),
        ("echo 'ModuleNotFoundError: No module named tensorflow' >&2; exit 1", "No module named"),
    ],
)
def test_named_interpreter_that_is_none(tmp_path: Path, body: str, message: str) -> None:
    python = interpreter(tmp_path / "x", "py", body)
    with pytest.raises(reference.ReferenceError, match=message):
        reference.find_reference(str(python))


def test_named_interpreter_that_does_not_exist() -> None:
    with pytest.raises(reference.ReferenceError, match="/nowhere/python: No such file"):
        reference.find_reference("/nowhere/python")


def test_interpreter_that_hangs(tmp_path: Path) -> None:
    python = interpreter(tmp_path / "x", "py", "sleep 60")
    with pytest.raises(reference.ReferenceError):
        reference.find_reference(str(python), timeout=0.2)


def test_without_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference.importlib.util, "find_spec", lambda name: None)
    found = reference.find_reference()
    assert not found.side and "needs tensorflow and tf_keras and tf_slim" in found.why
    assert reference.ENVIRONMENT_VARIABLE in found.why


def test_interpreter_that_answers_nothing(tmp_path: Path) -> None:
    python = interpreter(tmp_path / "x", "py", "echo fine")
    with pytest.raises(reference.ReferenceError, match="fine"):
        reference.find_reference(str(python))


def test_nothing_of_the_current_folder_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = interpreter(tmp_path / "x", "py", "pwd; exit 1")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(reference.ReferenceError, match="migrator-verify-"):
        reference.find_reference(str(python))
