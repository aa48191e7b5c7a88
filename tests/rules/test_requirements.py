"""Pins of TensorFlow 1's world become a working set; nothing else on the line changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrator.engine.requirements import concerns, replacement, update


@pytest.mark.parametrize(
    ("path", "before", "after", "codes"),
    [
        (
            "requirements.txt",
            "tensorflow==1.15.0  # pinned\n",
            "tensorflow>=2.21,<2.22  # pinned\n",
            ["DEP101"],
        ),
        (
            "requirements.txt",
            "tensorflow-gpu==1.4\n",
            "tensorflow[and-cuda]>=2.21,<2.22\n",
            ["DEP101"],
        ),
        ("requirements.txt", "numpy<1.17\r\nsix\r\n", "numpy>=1.26\r\nsix\r\n", ["DEP102"]),
        ("requirements.txt", "numpy>=1.11\nrequests==2.0\n", "numpy>=1.11\nrequests==2.0\n", []),
        ("requirements.txt", "enum34\ntf-slim==1.1.0\nlxml\n", "lxml\n", ["DEP103", "DEP103"]),
        (
            "requirements.txt",
            "-r other.txt\n# tensorflow==1.0\n",
            "-r other.txt\n# tensorflow==1.0\n",
            [],
        ),
        ("requirements-gpu.txt", "tensorflow>=2.21\n", "tensorflow>=2.21\n", []),
        (
            "environment.yml",
            "  - tensorflow=1.13\n  - python=3.6\n",
            "  - pip\n  - pip:\n    - tensorflow>=2.21,<2.22\n  - python=3.11\n",
            ["DEP101", "DEP106"],
        ),
        (
            "environment.yml",
            "dependencies:\n  - tensorflow-gpu=1.13  # GPU\n  - pip\n  - pip:\n      - keras==2.2\n"
            "  - scipy\nprefix: /x\n",
            "dependencies:\n  - pip\n  - pip:\n      - tensorflow[and-cuda]>=2.21,<2.22  # GPU\n"
            "      - keras>=3.12\n  - scipy\nprefix: /x\n",
            ["DEP101", "DEP102"],
        ),
        (
            "environment.yml",
            "dependencies:\n  - pip:\n    - tensorflow==1.15\n",
            "dependencies:\n  - pip:\n    - tensorflow>=2.21,<2.22\n",
            ["DEP101"],
        ),
        (
            "setup.py",
            "install_requires=['tensorflow>=1.4,<2', 'Pillow>=1.0']\n",
            "install_requires=['tensorflow>=2.21,<2.22', 'Pillow>=1.0']\n",
            ["DEP101"],
        ),
        ("setup.py", "name='tensorflow'\n", "name='tensorflow'\n", []),
        (
            "setup.py",
            "install_requires=['tensorflow-gpu', 'six'],\npython_requires='>=2.7,<3.8',\n",
            "install_requires=['tensorflow[and-cuda]>=2.21,<2.22', 'six'],\npython_requires='>=3.10',\n",
            ["DEP101", "DEP106"],
        ),
        ("setup.py", "python_requires='>=3.5',\n", "python_requires='>=3.5',\n", []),
        ("setup.cfg", "python_requires = ==3.6.*\n", "python_requires = >=3.10\n", ["DEP106"]),
        (
            "pyproject.toml",
            'dependencies = ["tensorflow==1.15", "lxml"]\n',
            'dependencies = ["tensorflow>=2.21,<2.22", "lxml"]\n',
            ["DEP101"],
        ),
        ("environment.yml", "  - python=3.11\n", "  - python=3.11\n", []),
        ("environment.yml", "  - python>=3.5\n", "  - python>=3.5\n", []),
        ("Dockerfile", "FROM python:3.6-slim\n", "FROM python:3.11-slim\n", ["DEP106"]),
        ("Dockerfile", "FROM python:2.7 AS b\n", "FROM python:3.11 AS b\n", ["DEP106"]),
        ("Dockerfile", "FROM python:3\n", "FROM python:3\n", []),
        (
            "Dockerfile",
            "FROM tensorflow/tensorflow:1.15.0-gpu-py3 AS base\n",
            "FROM tensorflow/tensorflow:2.21.0-gpu AS base\n",
            ["DEP104"],
        ),
        (
            "Dockerfile",
            "RUN pip install tensorflow==1.12 lxml && ls\n",
            "RUN pip install 'tensorflow>=2.21,<2.22' lxml && ls\n",
            ["DEP101"],
        ),
        (
            "Dockerfile",
            "FROM tensorflow/tensorflow:2.16.1\n",
            "FROM tensorflow/tensorflow:2.16.1\n",
            [],
        ),
    ],
)
def test_pins(path: str, before: str, after: str, codes: list[str]) -> None:
    updated = update(path, before)
    assert updated.text == after
    assert [change.code for change in updated.changes] == codes
    assert update(path, updated.text).text == updated.text


def test_cuda_pins_are_said() -> None:
    for path, text in (
        ("Dockerfile", "FROM nvidia/cuda:9.0-cudnn7-devel-ubuntu16.04\n"),
        ("environment.yml", "dependencies:\n  - cudatoolkit=10.0\n"),
    ):
        updated = update(path, text)
        assert updated.text == text
        assert [(f.code, f.path) for f in updated.findings] == [("DEP105", path)]
        assert "CUDA 12" in updated.findings[0].advice


def test_which_files_list_requirements() -> None:
    assert all(map(concerns, ("requirements.txt", "a/requirements/dev.txt", "docker/Dockerfile.gpu",
                              "environment.yml", "setup.py")))  # fmt: skip
    assert not any(map(concerns, ("a/setup_data.py", "notes.txt", "model.yml")))


@given(st.text())
def test_any_text_survives(text: str) -> None:
    updated = update("requirements.txt", text)
    if not updated.changes:
        assert updated.text == text


@given(st.from_regex(r"[a-z]{3,9}-[a-z]{3,9}==[0-9]\.[0-9]", fullmatch=True))
def test_other_packages_are_kept(spec: str) -> None:
    assert replacement(spec) is None or spec.startswith(("tensorflow-", "tf-"))
