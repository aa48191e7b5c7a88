"""Notebooks: code cells migrated as one module, every byte that is not changed code kept."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from click.testing import CliRunner, Result

from migrator.cli.main import cli
from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.project.diff import hunks
from migrator.project.notebook import decode_module, encode_module
from migrator.project.places import Places
from migrator.project.source import SourceError
from tests.cli.conftest import migrator, repo  # noqa: F401  (fixtures)
from tests.project.trees import snapshot

SOURCES = [
    "%matplotlib inline\n!pip install \\\n    tensorflow==1.15\nimport numpy as np\nfiles = !ls",
    "%%bash\nnp.float(1) is not Python here",
    "",
    "%%time\nx = np.float(1)\nif x:\n    !echo {x}\n    np?",
    "text = '''\n%not magic\n'''\ny = (7\n% 3)\nz = 1  # caf\u00e9 \U0001f600?\n",
]


def notebook(sources: list[Any], indent: int | None = 1, **metadata: Any) -> bytes:
    """A notebook with a Markdown cell before each code cell, outputs, and odd keys."""
    cells: list[dict[str, Any]] = []
    for number, source in enumerate(sources):
        cells.append({"cell_type": "markdown", "metadata": {}, "source": ["np.float(1)"]})
        output = {"output_type": "stream", "name": "stdout", "text": ["np.float(2)\n"]}
        lines = source.splitlines(keepends=True) if isinstance(source, str) else source
        cells.append(
            {
                "cell_type": "code", "execution_count": number, "metadata": {"z": 1.50, "a": []},
                "outputs": [output], "source": lines,
            }
        )  # fmt: skip
    record = {"nbformat_minor": 2, "nbformat": 4, "metadata": metadata, "cells": cells}
    return json.dumps(record, indent=indent, ensure_ascii=False).encode() + b"\n"


@pytest.mark.parametrize("indent", [None, 0, 1, 4])
def test_nothing_changed_is_byte_equal(indent: int | None) -> None:
    data = notebook(SOURCES, indent)
    module = decode_module(data, "a.ipynb")
    compile(module.text, "a", "exec")
    assert encode_module(module, module.text, data) == data


def test_the_module_has_the_cells_with_marks() -> None:
    text = decode_module(notebook(SOURCES), "a.ipynb").text
    lines = text.splitlines()
    assert [line for line in lines if "# %%" in line] == [
        f"pass  # %% [cell {number}]" for number in (2, 6, 8, 10)
    ]
    assert "pass  # ipython: %matplotlib inline" in lines
    assert "files = None  # ipython: !ls" in lines
    assert "    pass  # ipython: np?" in lines
    assert "% 3)" in lines
    assert "not Python here" not in text


@pytest.mark.parametrize("indent", [None, 1, 4])
@pytest.mark.parametrize("windows", [False, True])
def test_only_changed_sources_change(indent: int | None, windows: bool) -> None:
    data = notebook(SOURCES, indent)
    if windows:
        data = b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")
    module = decode_module(data, "a.ipynb")
    new = module.text.replace("x = np.float(1)", "x = float(1)").replace("y = (7", "y = (\n8")
    written = encode_module(module, new, data)
    expected = json.loads(data.decode("utf-8-sig"))
    expected["cells"][7]["source"][1] = "x = float(1)\n"
    expected["cells"][9]["source"][3:4] = ["y = (\n", "8\n"]
    assert json.loads(written.decode("utf-8-sig")) == expected
    # In the same form: exactly what the same writer makes of the expected notebook.
    text = json.dumps(expected, indent=indent, ensure_ascii=False).encode() + b"\n"
    assert written == (b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n") if windows else text)
    assert decode_module(written, "a.ipynb").text == new


def test_a_source_that_is_one_string_stays_one() -> None:
    data = notebook([["x = 1\n"]]).replace(b'[\n    "x = 1\\n"\n   ]', b'"x = 1\\u00e9"')
    module = decode_module(data, "a.ipynb")
    assert encode_module(module, module.text.replace("x", "yy"), data) == data.replace(
        b"x = 1\\u00e9", b"yy = 1\\u00e9"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("pass  # %% [cell 8]\n", ""),
        ("pass  # ipython: %matplotlib inline\n", ""),
        ("pass  # %% [cell 8]\n", "pass  # %% [cell 8]\nimport os\n"),  # before %%time
    ],
)
def test_lost_cells_and_magics_are_refused(old: str, new: str) -> None:
    data = notebook(SOURCES)
    module = decode_module(data, "a.ipynb")
    assert old in module.text
    with pytest.raises(SourceError, match="would be lost"):
        encode_module(module, module.text.replace(old, new), data)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{}", b"[]", b"{", b"\xff", b'{"nbformat": 4, "nbformat_minor": 2}',
        b'{"nbformat": 3, "nbformat_minor": 0, "worksheets": [], "metadata": {}}',
        b'{"nbformat": 4, "nbformat_minor": 2, "metadata": {}, "cells": [{}]}',
        b'{"nbformat": 4, "nbformat_minor": 2, "metadata": {}, "cells": 3}',
        b'{"nbformat": 4, "nbformat_minor": 2, "metadata": [], "cells": []}',
        b"[" * 100_000,
        notebook(["# %% [cell 4]\nx = 1", "y = 2"]), notebook(["pass  # %% [cell 4]\nx = 1"]),
        notebook(["x = '\\"]).replace(b"x = '", b"\\ud800"),
    ],
)  # fmt: skip
def test_what_is_no_notebook_is_refused(data: bytes) -> None:
    with pytest.raises(SourceError):
        decode_module(data, "a.ipynb")


def test_another_language_is_left_alone() -> None:
    data = notebook(["np.float(1)"], language_info={"name": "R"})
    assert decode_module(data, "a.ipynb").text == ""


def test_migrate_scan_undo(
    repo: Path, migrator: Callable[..., Result], tmp_path: Path  # noqa: F811
) -> None:
    path = repo / "nb.ipynb"
    data = notebook([SOURCES[0], SOURCES[3], "w = np.int(3)"])
    path.write_bytes(data)
    (repo / "broken.ipynb").write_bytes(b"{")
    before = snapshot(repo)
    assert "broken.ipynb" in migrator("scan", repo, code=3).stderr
    said = migrator("migrate", repo, "--diff", "-f", "nb.ipynb", code=1).stdout
    assert " # %% [cell 6]\n-w = np.int(3)\n+w = int(3)\n" in said
    patch = tmp_path / "patch"
    migrator("migrate", repo, "--patch", patch, "-f", "nb.ipynb", code=1)
    migrator("migrate", repo, code=3)
    migrated = path.read_bytes()
    record = json.loads(migrated)
    nbformat.validate(nbformat.from_dict(record))
    wanted = json.loads(data)
    sources = ["".join(cell.pop("source")) for cell in record["cells"]]
    assert sources[5] == "w = int(3)"
    assert sources[3] == SOURCES[3].replace("np.float", "float")
    assert sources[1] == SOURCES[0].replace("import numpy as np\n", "")  # nothing uses it any more
    for cell in wanted["cells"]:
        cell.pop("source")
    assert record == wanted
    migrator("undo", repo)
    assert snapshot(repo) == before
    subprocess.run(["git", "apply", patch], cwd=repo, check=True)
    assert path.read_bytes() == migrated
    path.write_bytes(data)
    migrator("migrate", repo, "--out", tmp_path / "out", code=3)
    assert (tmp_path / "out/nb.ipynb").read_bytes() == migrated


def test_findings_are_told_by_cell_and_by_the_files_own_line(tmp_path: Path) -> None:
    cells = [
        nbformat.v4.new_markdown_cell("# text"),
        nbformat.v4.new_code_cell("import tensorflow as tf\nx = 1"),
        nbformat.v4.new_code_cell("%matplotlib inline\ny = 2\nz = tf.no_such_thing(y)\n"),
    ]
    path = tmp_path / "n.ipynb"
    path.write_text(nbformat.writes(nbformat.v4.new_notebook(cells=cells)))
    plan = build_plan(tmp_path, Options())
    (finding,) = plan.findings
    places = Places(plan)
    assert places.shown("n.ipynb", finding.line) == "n.ipynb[cell 3]:3"
    assert places.label("n.ipynb", finding.line) == "cell 3, line 3: "
    written = path.read_text().splitlines()
    assert "no_such_thing" in written[places.line("n.ipynb", finding.line) - 1]
    assert places.shown("a.py", 7) == "a.py:7" and places.line("a.py", 7) == 7
    said = CliRunner().invoke(cli, ["migrate", str(tmp_path), "--diff", "--annotations"])
    assert "n.ipynb[cell 3]:3" in said.output and "cell 3, line 3: tf.no_such_thing" in said.output
    path.unlink()
    assert Places(plan).line("n.ipynb", finding.line) == 1


def test_imports_from_the_future_stay_first() -> None:
    data = notebook(["# text", "x = 1", "from __future__ import division\nimport os", "y = 2"])
    text = decode_module(data, "a.ipynb").text
    compile(decode_module(notebook(["from __future__ import division", "y = 2"]), "a.ipynb").text, "", "exec")
    assert [line for line in text.split("\n") if "%%" in line] == [
        "# %% [cell 2]", "# %% [cell 4]", "# %% [cell 6]", "pass  # %% [cell 8]",
    ]  # fmt: skip


def test_a_session_in_other_cells_becomes_functions_in_them(tmp_path: Path) -> None:
    sources = [
        "%matplotlib inline\nimport numpy as np\nimport tensorflow as tf",
        "x = tf.placeholder(tf.float32, [None, 2])\ny = tf.reduce_sum(tf.log(x), axis=1)",
        "with tf.Session() as sess:\n    print(sess.run(y, {x: np.ones((2, 2), np.float32)}))",
        "!ls",
    ]
    path = tmp_path / "nb.ipynb"
    path.write_bytes(notebook([source.splitlines(keepends=True) for source in sources]))
    plan = build_plan(tmp_path, Options(jobs=1))
    data = path.read_bytes()
    source = decode_module(data, path)
    new = json.loads(encode_module(source, plan.changed[0].new_text or "", data))["cells"]
    cells = ["".join(cell["source"]) for cell in new if cell["cell_type"] == "code"]
    assert cells[0] == sources[0] and cells[3] == sources[3]
    assert cells[1].startswith("@tf.function") and cells[1].endswith("axis=1)")
    assert cells[2] == "print(compute_y(np.ones((2, 2), np.float32)).numpy())"
    shown = [line for hunk in hunks(plan.changed[0]) for line in hunk.lines]
    assert " # %% [cell 4]" in shown and not [line for line in shown if "pass  #" in line]


@pytest.mark.parametrize(
    ("cell", "becomes"),
    [
        ("(a * b).eval()", "(a * b).numpy()"),
        (
            "total = tf.add(a, b)\ntotal.eval()  # shown\n\n# the end",
            "total = tf.add(a, b)\ntotal.numpy()  # shown\n\n# the end",
        ),
        ("sess.run([a, b])", "[a.numpy(), b.numpy()]"),
        ("tf.shape(a).eval()", "tf.shape(a).numpy()"),
        ("print(1)\nsess.run(a);", "print(1)"),  # a semicolon: nothing is shown
        ("c = a + b\nc.eval()\nprint(c.shape)", "c = a + b\nprint(c.shape)"),
        ("sess.run(y, {x: [1.0]})", "compute_y([1.0]).numpy()"),
        ("sess.run([train, y], {x: [1.0]})", "[None, train_step([1.0]).numpy()]"),
        ("sess.run(train, {x: [1.0]})", "train_step([1.0])"),
    ],
)
def test_what_a_cell_shows_it_shows_as_numbers(cell: str, becomes: str, tmp_path: Path) -> None:
    sources = [
        "import tensorflow as tf\nsess = tf.InteractiveSession()\n"
        "a = tf.constant([1.0])\nb = tf.constant([2.0])"
    ]
    if "{x:" in cell:
        sources.append(
            "x = tf.placeholder(tf.float32, [None])\nw = tf.Variable(2.0)\ny = tf.reduce_sum(w * x)\n"
            "train = tf.train.GradientDescentOptimizer(0.1).minimize(y)\n"
            "sess.run(tf.global_variables_initializer())"
        )
    path = tmp_path / "nb.ipynb"
    path.write_bytes(notebook([*sources, cell, "print(a.shape, b.shape)"]))
    plan = build_plan(tmp_path, Options(jobs=1))
    data = path.read_bytes()
    source = decode_module(data, path)
    new = json.loads(encode_module(source, plan.changed[0].new_text or "", data))["cells"]
    assert "".join(new[2 * len(sources) + 1]["source"]) == becomes
