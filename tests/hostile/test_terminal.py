"""Names and texts that act on a terminal: they are shown, and do nothing."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from migrator.model import to_json
from tests.hostile.attacks import ROOT, USES, migrator, repository, write

# Clears the screen, sets the title, moves up, in 7 and 8 bits; turns the order of letters, hides them.
ACTS = ["\x1b[2J", "\x1b]0;title\x07", "\x1b[1A", "\x9b2J", "\x9d0;title\x9c", "\u202e", "\u2066",
        "\u200b", "\u2028", "\u061c", "\ufeff", "\x7f", "\x08", "\r", "\U000e0041"]  # fmt: skip
BAD = "".join(ACTS)
NAME = BAD.replace("/", "")
FORBIDDEN = [character for character in "".join(ACTS) if not character.isprintable()]


def acting(said: bytes) -> list[str]:
    """What would act on a terminal, whose own colours and ends of lines are left out."""
    text = said.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    return [ascii(c) for c in FORBIDDEN if c in text]


COMMANDS = [
    ("scan", "--symbols"), ("migrate", "--diff"), ("migrate", "--diff", "--json"), ("scan", "--json"),
    ("migrate", "--diff", "--statistics", "--annotations"), ("scan", "--show-config"),
    ("migrate", "--patch", "-"), ("migrate", "--plan", "-"), ("migrate", "--since", f"nowhere{NAME}"),
    ("migrate", "--diff", "-f", f"{NAME}*"), ("migrate",), ("undo",), ("report",), ("doctor",),
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: " ".join(c).encode("ascii", "replace").decode())
def test_names_and_texts_of_a_tree_act_on_no_terminal(tmp_path: Path, command: tuple[str, ...]) -> None:
    root = repository(tmp_path / f"tree{NAME}", {
        f"pkg/{NAME}.py": USES + f"tf.contrib.nothing('{BAD}')\ny = tf.log(x, name='{BAD}')\n",
        f"{NAME}/broken.py": f"import tensorflow as tf\ntf.log(1.0\n# {BAD}\n",
        f"bytes{NAME}.py": f"# -*- coding: {NAME}x -*-\nimport tensorflow\n", "uses.py": USES,
        f"{NAME}.pb": "\n\x05\n\x01a", f"model{NAME}.h5": "",
        "own.toml": (
            f'[[rule]]\ncode = "X{_toml(BAD)}1"\ntitle = "{_toml(BAD)}"\nwhy = "{_toml(BAD)}"\n'
            'match = "tf.log(x)"\nrewrite = "tf.math.log(x)"\n'
            f'[renames]\n"tf.contrib.nothing" = {{ target = "tf.{_toml(NAME)}", code = "X{_toml(BAD)}2" }}\n'
        ),
        "migrator.toml": (
            f"[migrator]\nrules = ['own.toml']\nselect = ['TF', 'PY', \"X{_toml(BAD)}\"]\n"
            f"[[migrator.overrides]]\nfiles = [\"{_toml(NAME)}\"]\nconfidence = 'likely'\n"
        ),
    })  # fmt: skip
    done = migrator(command[0], root, *command[1:], cwd=tmp_path)
    assert b"Traceback" not in done.stderr, done.stderr
    if command[1:2] not in (("--patch",), ("--plan",)):  # which are the file's own bytes, as asked for
        assert acting(done.stdout) == []
    assert acting(done.stderr) == []


@pytest.mark.parametrize(
    "settings",
    ["rules = [\"{bad}.toml\"]", 'baseline = "{bad}"', '"{bad}" = 1', 'precision = "{bad}"',
     'confidence = "{bad}"', 'engine = "{bad}"', 'address = "{bad}"', 'select = 3\n"{bad}" = 4'],
)  # fmt: skip
def test_bad_settings_are_told_harmlessly(tmp_path: Path, settings: str) -> None:
    write(tmp_path, {"uses.py": USES, "migrator.toml": "[migrator]\n" + settings.format(bad=_toml(BAD))})
    done = migrator("scan", tmp_path)
    assert done.returncode == 2 and b"Traceback" not in done.stderr
    assert acting(done.stderr) == [] and acting(done.stdout) == []


def test_errors_of_arguments_are_told_harmlessly(tmp_path: Path) -> None:
    """A shell puts names of files for a star: `migrator migrate *`."""
    write(tmp_path, {"uses.py": USES})
    for arguments in ((f"--{NAME}",), (NAME,), (tmp_path, "--jobs", NAME), (tmp_path, "--rules", NAME),
                      (tmp_path, "--precision", NAME), (tmp_path, "--since", NAME),
                      (tmp_path, "--baseline", NAME)):  # fmt: skip
        done = migrator("migrate", *arguments, cwd=tmp_path)
        assert done.returncode in (2, 4)
        assert acting(done.stderr) == [], arguments
    assert acting(migrator(NAME).stderr) == []
    assert acting(migrator("explain", NAME).stderr) == []


def test_on_a_real_terminal_only_our_own_colours_act(tmp_path: Path) -> None:
    root = tmp_path / f"t{NAME}"
    write(root, {f"{NAME}.py": f"import tensorflow as tf\nx = tf.log(1.0)  # {BAD}\ny = tf.nope(2)\n"})
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "migrator", "migrate", str(root), "--diff"], stdout=follower,
        stderr=follower, stdin=subprocess.DEVNULL, cwd=ROOT,
        env={**os.environ, "TERM": "xterm-256color", "PAGER": "cat", "COLUMNS": "200"},
    )  # fmt: skip
    os.close(follower)
    said = b""
    while True:
        try:
            part = os.read(leader, 1 << 16)
        except OSError:
            break
        if not part:
            break
        said += part
    process.wait()
    os.close(leader)
    import re

    ours = re.sub(rb"\x1b\[[0-9;?]*[mKAlhG]|\r", b"", said)
    assert acting(ours) == []
    assert rb"\x1b[2J" in ours and rb"\u202e" in ours


def test_json_is_the_same_text_and_acts_on_nothing() -> None:
    value = {BAD: [BAD, "é", "日本", "\ud800"]}
    text = to_json(value)
    assert json.loads(text) == value
    assert not [c for c in text if c != "\n" and not c.isprintable()]
    assert "é" in text and "日本" in text


def _toml(text: str) -> str:
    """As the inside of a TOML string."""
    return "".join(f"\\U{ord(c):08x}" for c in text)
