"""Patterns that would be tried in endlessly many ways: matching is linear, and right."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hostile.attacks import USES, git, migrator, write

NAME = "a" * 120
SLOW = [
    "*a" * 40 + "b", "*" * 60 + "b", "**/a" * 20 + "/**/b", "?*" * 50 + "b", "[ab]*" * 40 + "c",
    "**/*a" * 25 + "/b", "a*" * 60 + "b*", "/" + "*a*/" * 10 + "b", "!" + "*a" * 40 + "b",
    "**/" * 80 + "b", "*a" * 2000 + "b",
]  # fmt: skip


@pytest.mark.parametrize("place", [".gitignore", "pkg/.gitignore", "exclude", "overrides", "argument",
                                   "info/exclude", "only"])  # fmt: skip
def test_patterns_without_end_take_no_time(tmp_path: Path, place: str) -> None:
    deep = "/".join("a" * 10 for _ in range(30))
    write(tmp_path, {"uses.py": USES, f"pkg/{NAME}.py": USES, f"pkg/{deep}/{NAME}.py": USES})
    arguments: list[str] = []
    if place.endswith("ignore"):
        write(tmp_path, {place: "\n".join(SLOW)})
    elif place == "info/exclude":
        git(tmp_path, "init", "-q")
        write(tmp_path, {".git/info/exclude": "\n".join(SLOW)})
    elif place == "exclude":
        write(tmp_path, {"migrator.toml": f"[migrator]\nexclude = {SLOW!r}\n"})
    elif place == "overrides":
        text = f"[[migrator.overrides]]\nfiles = {SLOW!r}\nconfidence = 'likely'\n"
        write(tmp_path, {"migrator.toml": text})
    elif place == "argument":
        arguments = [part for pattern in SLOW for part in ("--exclude", pattern)]
    else:
        arguments = [part for pattern in [*SLOW, "uses.py"] if pattern[0] != "/"
                     for part in ("-f", pattern)]  # fmt: skip
    done = migrator("migrate", tmp_path, "--diff", "--no-cache", *arguments)
    assert done.returncode == 1 and b"Traceback" not in done.stderr, done.stderr
    assert b"uses.py" in done.stdout


def test_many_patterns_are_bounded_and_it_is_said(tmp_path: Path) -> None:
    """A .gitignore is not read as a program: so many patterns, and no more."""
    lines = "\n".join(f"*{number}*b" for number in range(60_000))
    write(tmp_path, {"uses.py": USES, ".gitignore": lines})
    write(tmp_path, {f"p/m{number}.py": "x = 1\n" for number in range(300)})
    done = migrator("migrate", tmp_path, "--diff", "--no-cache")
    assert b".gitignore" in done.stderr and b"patterns" in done.stderr


# -- the same answers as git

_PART = st.sampled_from(["a", "b", "ab", "a.py", "x-y", "[", "]", "*", "**", "?", "a*", "*b", "*a*b*",
                         "[ab]", "[!a]", "[a-c]*", "\\*", "\\a", "[]a]", "a**b", ".a", "A", "[[:alpha:]]",
                         "!a", "#a", " a", "a ", "[^b]", "**a", "é"])  # fmt: skip
_PATTERN = st.builds(
    lambda negated, rooted, parts, end: negated + rooted + "/".join(parts) + end,
    st.sampled_from(["", "", "", "!"]), st.sampled_from(["", "/"]),
    st.lists(_PART, min_size=1, max_size=4), st.sampled_from(["", "/"]),
)  # fmt: skip
_NAMES = ["a", "b", "ab", "a.py", "x-y", "aab", "bab", ".a", "A", "*", "c", "a b", "é"]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ignored")
    git(root, "init", "-q")
    for first in _NAMES:
        (root / first).mkdir()
        for second in ("a", "b", "ab"):
            (root / first / second).mkdir()
            write(root, {f"{first}/{second}/{name}.f": "" for name in ("a", "b", "a.py")})
    return root


@settings(max_examples=150, deadline=None)
@given(st.lists(_PATTERN, min_size=1, max_size=4))
def test_what_is_ignored_is_what_git_ignores(tree: Path, patterns: list[str]) -> None:
    from migrator.project.ignore import Patterns

    (tree / ".git/info/exclude").write_text("\n".join(patterns), encoding="utf-8")
    spec = Patterns.of(patterns)
    paths = [p.relative_to(tree).as_posix() for p in sorted(tree.rglob("*")) if ".git" not in p.parts]
    asked = "\0".join(paths).encode()
    done = subprocess.run(
        ["git", "check-ignore", "-z", "--stdin", "--verbose", "--non-matching", "--no-index"], cwd=tree,
        input=asked, capture_output=True, check=False,
    )  # fmt: skip
    fields = done.stdout.decode().split("\0")[:-1]
    said = {path: pattern for _, _, pattern, path in zip(*[iter(fields)] * 4, strict=True)}
    for path in paths:
        ours = _walked(spec, path, tree)
        theirs = said[path] != "" and not said[path].startswith("!")
        assert ours == theirs, (patterns, path, said[path])


def _walked(spec: object, path: str, root: Path) -> bool:
    """Whether a walk from the top leaves `path` out: by itself, or with a folder on the way."""
    parts = path.split("/")
    for number in range(1, len(parts) + 1):
        part = "/".join(parts[:number])
        verdict = spec.verdict(part, (root / part).is_dir())  # type: ignore[attr-defined]
        if verdict:
            return True
        if verdict is False and number == len(parts):
            return False
    return False
