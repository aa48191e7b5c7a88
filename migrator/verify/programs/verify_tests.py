"""Runs a repository's test files and records the outcome of each test: `verify_tests.py CONFIG.json`.

Uses pytest where the interpreter has it, else unittest; a test is known by "file::Class::method".
Keeps to Python 3.7: it also runs under TF 1.15.
"""

from __future__ import annotations

import importlib
import os
import unittest
from collections.abc import Callable
from typing import Any

import verify_common as common  # type: ignore[import-not-found]  # beside this script

_CONFIG_FILES = {
    "pytest.ini": "[pytest]",
    "tox.ini": "[pytest]",
    "setup.cfg": "[tool:pytest]",
    "pyproject.toml": "[tool.pytest.ini_options]",
}


def _own_config(root: str) -> str:
    """The repository's pytest configuration, or none: never that of a folder above it."""
    for name, section in _CONFIG_FILES.items():
        path = os.path.join(root, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8", errors="replace") as fh:
                if section in fh.read():
                    return path
    return os.devnull


class Recorder:
    """A pytest plugin that keeps {test id: (outcome, message)}.

    said is called with how many tests have run, how many there are, and the last one's id.
    """

    def __init__(self, said: Callable[[int, int, str], None]) -> None:
        self.tests: dict[str, Any] = {}
        self.errors: dict[str, str] = {}
        self.said, self.total = said, 0

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        self.total = len(items)

    def pytest_runtest_logfinish(self, nodeid: str, location: Any) -> None:
        self.said(len(self.tests), self.total, nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        message = "" if report.outcome == "passed" else _last_line(str(report.longrepr))
        if report.when == "call" or report.outcome != "passed":
            known = self.tests.get(report.nodeid)
            if known is None or known[0] == "passed":
                self.tests[report.nodeid] = (report.outcome, message)

    def pytest_collectreport(self, report: Any) -> None:
        if report.outcome == "failed":
            self.errors[report.nodeid] = _last_line(str(report.longrepr))


def _last_line(text: str) -> str:
    """The line of a traceback that says what is wrong."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    marked = [line[1:].strip() for line in lines if line.startswith("E ")]
    return (marked or lines or [""])[0 if marked else -1][:300]


def run_pytest(
    root: str, files: list[str], said: Callable[[int, int, str], None]
) -> tuple[dict[str, Any], dict[str, str]]:
    import pytest

    recorder = Recorder(said)
    arguments = ["-q", "-p", "no:cacheprovider", "-c", _own_config(root), "--rootdir", root]
    pytest.main(arguments + [os.path.join(root, f) for f in files], plugins=[recorder])
    return recorder.tests, recorder.errors


class Result(unittest.TestResult):
    """Keeps {test id: (outcome, message)} of one file."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.tests: dict[str, Any] = {}

    def _note(self, test: Any, outcome: str, message: str = "") -> None:
        _, _, method = test.id().rpartition(".")
        self.tests[f"{self.path}::{type(test).__name__}::{method}"] = (outcome, message)

    def addSuccess(self, test: Any) -> None:
        self._note(test, "passed")

    def addSkip(self, test: Any, reason: str) -> None:
        self._note(test, "skipped", reason)

    def addFailure(self, test: Any, err: Any) -> None:
        self._note(test, "failed", f"{err[0].__name__}: {err[1]}")

    def addError(self, test: Any, err: Any) -> None:
        self._note(test, "failed", f"{err[0].__name__}: {err[1]}")


def run_unittest(
    files: list[str], said: Callable[[int, int, str], None] = lambda *_: None
) -> tuple[dict[str, Any], dict[str, str]]:
    tests: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for done, path in enumerate(files):
        said(done, len(files), path)
        name = os.path.splitext(path)[0].replace(os.sep, ".")
        try:
            module = importlib.import_module(name)
        except Exception as error:  # whatever the user's module raises
            errors[path] = f"{type(error).__name__}: {error}"
            continue
        result = Result(path)
        unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
        tests.update(result.tests)
    return tests, errors


def run(config: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    root = config["root"]
    os.chdir(root)
    common.start_side(config["side"], config["compat_runtime"])
    common.add_roots(root, config["workload"]["roots"])

    def said(done: int, total: int, name: str) -> None:
        common.say_progress(config, done, total, name)

    try:
        importlib.import_module("pytest")
    except ImportError:
        tests, errors = run_unittest(config["files"], said)
    else:
        tests, errors = run_pytest(root, config["files"], said)
    return {}, {"tests": tests, "errors": errors}


if __name__ == "__main__":
    common.main(run)
