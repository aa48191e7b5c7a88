"""Where people type: standard input mode, the language server, and completion in real shells."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from click.testing import CliRunner, Result

from migrator.cli.main import cli
from tests.project.trees import snapshot

Call = Callable[..., Result]
ROOT = Path(__file__).resolve().parents[2]
CHILD = {**os.environ, "PYTHONPATH": str(ROOT)}  # for the programs that tests start
UNKNOWN = "import tensorflow as tf\né = 1; tf.nope(1)\n"
OLD = b"import numpy as np\r\n\r\nx = np.float(1)\r\n"


def stdin(repo: Path, data: bytes, name: str, *more: str) -> Result:
    command = ["migrate", str(repo), "--stdin-filename", name, *more]
    return CliRunner().invoke(cli, command, input=data, catch_exceptions=False)


def test_a_buffer_is_migrated_as_the_file_that_it_will_be(repo: Path) -> None:
    before = snapshot(repo)
    said = stdin(repo, OLD, "pkg/new.py")
    assert said.exit_code == 0
    assert said.stdout_bytes == b"\r\nx = float(1)\r\n"
    assert stdin(repo, b"x = 1\n", str(repo / "same.py")).stdout_bytes == b"x = 1\n"
    assert snapshot(repo) == before  # nothing is written


def test_the_support_package_that_is_not_there_yet_is_named(repo: Path) -> None:
    text = b"from tensorflow.contrib import slim\n\n\ndef f(x):\n    return slim.flatten(x)\n"
    said = stdin(repo, text, "net.py")
    assert b"from tf1_support import slim" in said.stdout_bytes
    assert "imports tf1_support" in said.stderr
    (repo / "tf1_support").mkdir()
    assert "imports" not in stdin(repo, text, "net.py").stderr
    # the import root is that of the module in the repository
    assert "imports pkg/tf1_support" in stdin(repo, text, "pkg/net.py").stderr


def test_a_diff_and_failures(repo: Path) -> None:
    said = stdin(repo, OLD, "a.py", "--diff")
    assert said.exit_code == 1 and "+x = float(1)" in said.stdout and "# PY201" in said.stdout
    for data, text in ((b"def f(:\n", "a.py:1:"), (b"\xff\xfe", "cannot be decoded")):
        said = stdin(repo, data, "a.py")
        assert (said.exit_code, said.stdout_bytes) == (3, b"") and text in said.stderr
    assert stdin(repo, OLD, "../elsewhere.py").exit_code == 2


def test_a_notebook_stays_one(repo: Path) -> None:
    note = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import numpy as np\nnp.int(1)")])
    said = stdin(repo, nbformat.writes(note).encode(), "a.ipynb")
    assert nbformat.reads(said.stdout, 4).cells[0].source == "int(1)"


# -- completion


def complete(shell: str, words: str, repo: Path) -> str:
    environment = {
        **CHILD, "_MIGRATOR_COMPLETE": f"{shell}_complete", "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - (not words.endswith(" "))),
    }  # fmt: skip
    code = "from migrator.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60,
        cwd=repo,
    )  # fmt: skip
    return done.stdout


def test_commands_and_options_are_completed(repo: Path) -> None:
    assert complete("bash", "migrator mi", repo) == "plain,migrate\n"
    assert "plain,--interactive" in complete("bash", "migrator migrate . --inter", repo)
    assert "plain,mixed_float16" in complete("bash", "migrator migrate --precision mixed", repo)
    assert "file" in complete("zsh", "migrator migrate --plan ", repo)


def test_names_are_completed_without_importing_the_commands(repo: Path) -> None:
    code = (
        "import sys\nfrom migrator.cli.main import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "assert 'libcst' not in sys.modules and 'migrator.cli.migrate' not in sys.modules\n"
    )
    environment = {
        **CHILD, "_MIGRATOR_COMPLETE": "bash_complete", "COMP_WORDS": "migrator ",
        "COMP_CWORD": "1",
    }  # fmt: skip
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=60)


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_in_bash(repo: Path, tmp_path: Path) -> None:
    program = tmp_path / "bin/migrator"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path[:0] = {sys.path!r}\n"
        "from migrator.cli.main import main\nmain()\n"
    )
    program.chmod(0o755)
    script = (
        'eval "$(_MIGRATOR_COMPLETE=bash_source migrator)"; '
        "COMP_WORDS=(migrator d); COMP_CWORD=1; _migrator_completion migrator; echo ${COMPREPLY[@]}"
    )
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", script, "bash"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["doctor"], done.stderr


# -- the language server

TEXT = 'import numpy as np\n\na = np.float(1)\n' + "x = 0\n" * 10 + 'b = "é😀", np.int(2)\n'


def speak(repo: Path, dialogue: Any) -> Any:
    """Run `dialogue(client, diagnostics)` against a server in a process of its own."""
    pytest.importorskip("pygls")
    from lsprotocol import types
    from pygls.lsp.client import LanguageClient

    async def talk() -> Any:
        client = LanguageClient("test", "1")
        told: dict[str, Any] = {}
        seen = asyncio.Event()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            told[params.uri] = params.diagnostics
            seen.set()

        async def diagnostics(uri: str) -> list[types.Diagnostic]:
            while uri not in told:
                seen.clear()
                await asyncio.wait_for(seen.wait(), 60)
            found: list[types.Diagnostic] = told.pop(uri)
            return found

        code = "from migrator.cli.main import main; main()"
        await client.start_io(sys.executable, "-c", code, "lsp", env=CHILD)
        await client.initialize_async(
            types.InitializeParams(
                types.ClientCapabilities(), root_uri=repo.as_uri(),
                workspace_folders=[types.WorkspaceFolder(repo.as_uri(), "repo")],
            )
        )  # fmt: skip
        client.initialized(types.InitializedParams())
        result = await dialogue(client, types, diagnostics)
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()
        return result

    return asyncio.run(asyncio.wait_for(talk(), 120))


def test_an_editor_sees_diagnostics_and_is_offered_edits(repo: Path) -> None:
    uri = (repo / "pkg/buffer.py").as_uri()

    async def dialogue(client: Any, types: Any, diagnostics: Any) -> None:
        client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, TEXT))
        )
        found = await diagnostics(uri)
        assert [(d.code, d.range.start.line) for d in found if d.code == "PY201"][:1]
        assert {d.range.start.line for d in found} >= {2, 13}
        assert {d.source for d in found} == {"migrator"}

        async def offered(line: int) -> list[Any]:
            where = types.Range(types.Position(line, 0), types.Position(line, 1))
            asked = types.CodeActionParams(
                types.TextDocumentIdentifier(uri), where, types.CodeActionContext([])
            )
            return list(await client.text_document_code_action_async(asked) or [])

        actions = await offered(13)
        assert [a.kind for a in actions] == ["quickfix", "source.fixAll"]
        one = actions[0].edit.changes[uri][0].new_text
        assert "int(2)" in one and "np.float(1)" in one
        assert "np." not in actions[1].edit.changes[uri][0].new_text
        # what was typed since counts
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(2, uri),
                [types.TextDocumentContentChangeWholeDocument(UNKNOWN)],
            )
        )  # fmt: skip
        found = await diagnostics(uri)
        assert [(d.code, d.range.start.line, d.range.start.character) for d in found] == [
            ("TF003", 1, 7)
        ]
        assert await offered(1) == []
        client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        )
        assert list(await diagnostics(uri)) == []

    before = snapshot(repo)
    speak(repo, dialogue)
    assert snapshot(repo) == before


def test_a_notebook_is_one_module_with_edits_for_its_cells(repo: Path) -> None:
    book = (repo / "intro.ipynb").as_uri()
    sources = {
        "markdown": "# Numbers",
        "first": "%matplotlib inline\nimport numpy as np",
        "bash": "echo np.int",
        "second": "a = 1\nb = np.int(2)\n!ls",
        "third": "c = np.float(b)",
    }
    cells = {name: f"vscode-notebook-cell:{book[7:]}#{name}" for name in sources}
    languages = {"markdown": "markdown", "bash": "shellscript"}

    async def dialogue(client: Any, types: Any, diagnostics: Any) -> None:
        kinds = types.NotebookCellKind
        client.notebook_document_did_open(
            types.DidOpenNotebookDocumentParams(
                types.NotebookDocument(
                    book, "jupyter-notebook", 1,
                    [
                        types.NotebookCell(
                            kinds.Markup if name == "markdown" else kinds.Code, uri
                        )
                        for name, uri in cells.items()
                    ],
                ),
                [
                    types.TextDocumentItem(uri, languages.get(name, "python"), 1, sources[name])
                    for name, uri in cells.items()
                ],
            )
        )  # fmt: skip
        found = await diagnostics(cells["second"])
        assert {(d.code, d.range.start.line) for d in found} == {("PY201", 1)}
        found = await diagnostics(cells["third"])
        assert {(d.code, d.range.start.line) for d in found} == {("PY201", 0)}

        async def offered(name: str, line: int) -> list[Any]:
            where = types.Range(types.Position(line, 0), types.Position(line, 1))
            asked = types.CodeActionParams(
                types.TextDocumentIdentifier(cells[name]), where, types.CodeActionContext([])
            )
            return list(await client.text_document_code_action_async(asked) or [])

        assert await offered("markdown", 0) == await offered("bash", 0) == []
        (action,) = await offered("second", 1)
        assert "this notebook" in action.title
        changes = {uri: edits[0].new_text for uri, edits in action.edit.changes.items()}
        assert changes == {
            cells["first"]: "%matplotlib inline",
            cells["second"]: "a = 1\nb = int(2)\n!ls",
            cells["third"]: "c = float(b)",
        }
        client.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(
                types.VersionedNotebookDocumentIdentifier(2, book),
                types.NotebookDocumentChangeEvent(
                    cells=types.NotebookDocumentCellChanges(
                        text_content=[
                            types.NotebookDocumentCellContentChanges(
                                types.VersionedTextDocumentIdentifier(2, cells["third"]),
                                [types.TextDocumentContentChangeWholeDocument("c = b")],
                            )
                        ]
                    )
                ),
            )
        )
        while await diagnostics(cells["third"]):
            pass  # those of before the change
        changes = (await offered("second", 0))[-1].edit.changes
        assert set(changes) == {cells["first"], cells["second"]}

    before = snapshot(repo)
    speak(repo, dialogue)
    assert snapshot(repo) == before


def test_bad_settings_do_not_end_the_server(repo: Path) -> None:
    (repo / "setup.cfg").write_text("[migrator]\nnonsense = 1\n")
    uri = (repo / "a.py").as_uri()

    async def dialogue(client: Any, types: Any, diagnostics: Any) -> None:
        client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, TEXT))
        )
        (repo / "setup.cfg").write_text("")
        settings = (repo / "setup.cfg").as_uri()
        client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(settings, "ini", 1, ""))
        )
        client.text_document_did_save(
            types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(settings))
        )
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(2, uri),
                [types.TextDocumentContentChangeWholeDocument(TEXT)],
            )
        )
        assert await diagnostics(uri)

    speak(repo, dialogue)


def test_without_pygls_the_command_says_what_to_install(
    migrator: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.delitem(sys.modules, "migrator.cli.language_server", raising=False)
    monkeypatch.delattr("migrator.cli.language_server", raising=False)  # left by a test before
    assert "pip install 'migrator[lsp]'" in migrator("lsp", code=2).stderr
