"""Discovery: which files of a tree are source, and which hostile entries are left alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from migrator.model import Finding
from migrator.project.discover import discover, survey
from migrator.project.marker import GENERATED_MARKER


def tree(root: Path, *paths: str, text: str = "x = 1\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def names(root: Path, **kwargs: object) -> list[str]:
    return [str(p.relative_to(root)) for p in discover(root, **kwargs)]  # type: ignore[arg-type]


def findings(root: Path, **kwargs: object) -> dict[str, Finding]:
    return {f.path: f for f in survey(root, **kwargs).findings}  # type: ignore[arg-type]


def test_finds_python_files_sorted_and_skips_what_is_not_source(tmp_path: Path) -> None:
    tree(
        tmp_path,
        "b.py", "a/z.py", "a/b/c.py", "notes.txt", "x.pyc",
        ".git/hooks/x.py", "__pycache__/a.py", "node_modules/m/gyp.py", ".tox/x.py", "p.egg-info/x.py",
        "env/pyvenv.cfg", "env/lib/x.py", "conda/conda-meta", "conda/x.py", ".migrator/journal/x.py",
    )  # fmt: skip
    assert names(tmp_path) == ["a/b/c.py", "a/z.py", "b.py"]


def test_build_folders_are_output_only_beside_a_project_file(tmp_path: Path) -> None:
    tree(tmp_path, "setup.py", "build/lib/a.py", "dist/a.py", "pkg/build/b.py")
    assert names(tmp_path) == ["pkg/build/b.py", "setup.py"]


def test_ignore_files_nest_and_negate(tmp_path: Path) -> None:
    tree(tmp_path, "gen/a.py", "lib/a.py", "lib/keep.py", "lib/deep/b.py", "c_pb2.py", "d/c_pb2.py")
    (tmp_path / ".gitignore").write_text("gen/\n*_pb2.py\nlib/*.py\n!lib/keep.py\n")
    (tmp_path / "lib/deep/.gitignore").write_text("/b.py\n")
    (tmp_path / "d/.gitignore").write_text("!c_pb2.py\n")
    assert names(tmp_path) == ["d/c_pb2.py", "lib/keep.py"]


def test_what_git_tracks_is_source_even_where_ignored(
    tmp_path: Path, git: Callable[..., str]
) -> None:
    git(tmp_path, "init")
    tree(tmp_path, "lib/nets/a.py", "lib/b.py", "build/tool.py", "setup.py")
    (tmp_path / ".gitignore").write_text("lib/\nbuild/\n")
    git(tmp_path, "add", "-f", "lib/nets/a.py", "build/tool.py", "setup.py")
    assert names(tmp_path) == ["build/tool.py", "lib/nets/a.py", "setup.py"]


def test_ignore_files_above_the_root_count(tmp_path: Path, git: Callable[..., str]) -> None:
    git(tmp_path, "init")
    tree(tmp_path, "sub/a.py", "sub/b.py", "sub/c.py", "sub/+d/e.py")
    (tmp_path / ".gitignore").write_text("/sub/b.py\n")
    (tmp_path / ".git/info/exclude").write_text("c.py\n")
    assert names(tmp_path / "sub") == ["+d/e.py", "a.py"]


def test_a_root_that_is_itself_ignored_is_walked(
    tmp_path: Path, git: Callable[..., str]
) -> None:
    git(tmp_path, "init")
    tree(tmp_path, "build/copy/a.py", "build/copy/pkg/b.py")
    (tmp_path / ".gitignore").write_text("/build/\n")
    assert names(tmp_path / "build/copy") == ["a.py", "pkg/b.py"]


def test_exclude_patterns(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "third_party/b.py", "x/third_party/c.py")
    assert names(tmp_path, exclude=["third_party/"]) == ["a.py"]


def test_generated_files_are_told_apart(tmp_path: Path) -> None:
    tree(tmp_path, "a.py")
    tree(tmp_path, "tf1_support/scopes.py", text=f"{GENERATED_MARKER} by 0.1\nx = 1\n")
    found = survey(tmp_path)
    assert [p.name for p in found.files] == ["a.py"]
    assert [p.name for p in found.generated] == ["scopes.py"]


def test_links(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    tree(outside, "secret.py", "data/x.txt")
    tree(root, "a.py", "pkg/b.py")
    (root / "self.py").symlink_to("self.py")
    (root / "pkg/up").symlink_to("..")
    (root / "out").symlink_to(outside)
    (root / "out.py").symlink_to(outside / "secret.py")
    (root / "data.txt").symlink_to(outside / "data/x.txt")  # not source: nothing to say
    (root / "again").symlink_to("pkg")
    (root / "again.py").symlink_to("a.py")
    (root / "broken.py").symlink_to("nowhere.py")
    found = findings(root)
    assert names(root) == ["a.py", "pkg/b.py"]
    assert set(found) == {"self.py", "pkg/up", "out", "out.py", "broken.py"}
    assert "circle" in found["self.py"].message
    assert "circle" in found["pkg/up"].message
    assert "out of the tree" in found["out"].message
    assert "out of the tree" in found["out.py"].message
    assert all(f.code == "TF001" and f.advice for f in found.values())


def test_a_root_reached_through_a_link_is_walked(tmp_path: Path) -> None:
    tree(tmp_path, "real/a.py")
    (tmp_path / "link").symlink_to("real")
    assert [p.name for p in discover(tmp_path / "link")] == ["a.py"]


def test_fifos_devices_and_huge_files_are_not_opened(tmp_path: Path) -> None:
    tree(tmp_path, "a.py")
    os.mkfifo(tmp_path / "pipe.py")
    with open(tmp_path / "huge.py", "wb") as stream:
        stream.truncate(50 << 20)
    found = findings(tmp_path)
    assert names(tmp_path) == ["a.py"]
    assert "fifo" in found["pipe.py"].message
    assert "52,428,800 bytes" in found["huge.py"].message


def test_names_that_are_not_utf8_or_hold_markup(tmp_path: Path) -> None:
    tree(tmp_path, "<img src=x onerror=alert(1)>.py", "new\nline.py")
    raw = os.fsencode(tmp_path) + b"/\xff.py"
    with open(raw, "w") as stream:
        stream.write("x = 1\n")
    assert names(tmp_path) == ["<img src=x onerror=alert(1)>.py", "new\nline.py"]
    assert list(findings(tmp_path)) == ["\\xff.py"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_is_reported(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "closed/b.py")
    (tmp_path / "closed").chmod(0)
    try:
        assert "cannot be read" in findings(tmp_path)["closed"].message
    finally:
        (tmp_path / "closed").chmod(0o755)


def test_a_root_that_is_a_file_is_refused(tmp_path: Path) -> None:
    tree(tmp_path, "a.py")
    with pytest.raises(NotADirectoryError):
        discover(tmp_path / "a.py")


def test_looking_at_a_hostile_repository_runs_nothing(
    tmp_path: Path, git: Callable[..., str]
) -> None:
    from migrator.project.gitstate import state

    git(tmp_path, "init")
    tree(tmp_path, "a.py")
    (tmp_path / ".gitattributes").write_text("*.py filter=evil\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "x")
    (tmp_path / "a.py").write_text("x = 2\n")
    for key in ("core.fsmonitor", "filter.evil.clean", "filter.evil.process"):
        git(tmp_path, "config", key, f"touch {tmp_path}/pwned-{key}; cat")
    git(tmp_path, "config", "core.hooksPath", str(tmp_path / ".git/h"))
    discover(tmp_path)
    assert state(tmp_path).dirty == (" M a.py",)
    assert not list(tmp_path.glob("pwned*"))
