"""The language server: one Project a repository, diagnostics and code actions from its results."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from cattrs import Converter
from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter
from pygls.workspace import TextDocument

from migrator import __version__
from migrator.cli.choices import build_options
from migrator.cli.language_messages import Waiting, serve
from migrator.cli.language_notebooks import Cell, Notebook
from migrator.engine.editing import Project
from migrator.engine.options import Options
from migrator.engine.partial import problem, text_with
from migrator.model import Change, FileResult, Finding, Rung, Status
from migrator.project.diff import Hunk, hunks
from migrator.project.discover import NEVER
from migrator.project.notebook import is_notebook
from migrator.project.source import SourceError

SOURCE = "migrator"
_LEVELS = {
    Rung.MANUAL: types.DiagnosticSeverity.Warning, Rung.COMPAT: types.DiagnosticSeverity.Warning,
    Rung.SUPPORT: types.DiagnosticSeverity.Information,
    Rung.NATIVE: types.DiagnosticSeverity.Information,
}  # fmt: skip
_WHOLE_LINE = 10_000  # a column beyond the end means the end
_MOST_ACTIONS = 20  # each is compiled to see whether the file then still runs
_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    [types.NotebookDocumentFilterWithNotebook(types.NotebookDocumentFilterPattern("**/*.ipynb"))]
)


class Projects:
    """The repositories that files were opened of: the folders of the editor's workspace.

    A document from elsewhere is looked at by itself: what lies around it, nobody has shown us.
    """

    def __init__(self) -> None:
        self._projects: dict[Path, Project] = {}
        self._alone: Project | None = None

    def result(self, folders: Iterable[Path], uri: str, text: str) -> FileResult:
        """What a document with this text becomes. Raises what `build_options` and Project raise."""
        path = _path(uri)
        inside = [folder for folder in folders if path is not None and folder in path.parents]
        if path is None or not inside:
            self._alone = self._alone or Project(Path("/"), Options(), alone=True)
            name = PurePosixPath(uri).name if path is None else path.name
            try:
                return self._alone.result(name, text)
            finally:
                self._alone.forget(name)
        root = max(inside, key=lambda folder: len(folder.parts))
        if root not in self._projects:
            options = build_options(root, {})
            # Where it runs, and how many processes it starts, is not the repository's to choose.
            options = replace(options, engine="processes", address="", jobs=0)
            self._projects[root] = Project(root, options)
        return self._projects[root].result(path.relative_to(root).as_posix(), text)

    def reload(self) -> None:
        """Read everything again: settings or rule packs have changed."""
        self._projects.clear()


def _path(uri: str) -> Path | None:
    """Where a document is, links followed; None for one that is not in a file."""
    try:
        name = uris.to_fs_path(uri)
        return Path(name).resolve() if name else None
    except (OSError, ValueError, RuntimeError):  # too long, not a URL, links in a circle
        return None


def run() -> None:
    """Serve an editor on standard input and output until it is gone."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # it prints whole documents
    serve(*make())


def make(
    converter: Callable[[], Converter] = default_converter
) -> tuple[LanguageServer, Waiting]:
    """A server with all its features, and what is to be done while no message waits.

    converter: what makes its tables of the protocol's types, which several servers may share.
    """
    server = LanguageServer(
        SOURCE, __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full,
        notebook_document_sync=_NOTEBOOKS, converter_factory=converter,
    )  # fmt: skip
    projects = Projects()
    waiting = Waiting()
    results: dict[str, tuple[int, FileResult]] = {}

    def folders() -> list[Path]:
        space = server.workspace
        roots = [folder.uri for folder in space.folders.values()] or [space.root_uri or ""]
        return [path for path in map(_path, roots) if path is not None]

    def document_of(uri: str) -> TextDocument | None:
        """An open document; pygls would read another from the disk, whatever it is."""
        return server.workspace.text_documents.get(unquote(uri))

    def tell(kind: types.MessageType, text: str) -> None:
        server.window_log_message(types.LogMessageParams(kind, f"migrator: {text}"))

    def result_of(uri: str, text: str) -> FileResult | None:
        try:
            return projects.result(folders(), uri, text)
        except Exception as error:  # bad settings, an unreadable tree: the editor must go on
            tell(types.MessageType.Error, str(error))
            return None

    def look_at_notebook(uri: str) -> tuple[Notebook, FileResult] | None:
        """An open notebook and its result, published as diagnostics of its cells."""
        document = server.workspace.get_notebook_document(notebook_uri=uri)
        path = _path(uri) or Path()
        if document is None or not is_notebook(path) or NEVER & set(path.parts):
            return None
        cells = []
        for cell in document.cells:
            text = document_of(cell.document)
            code = cell.kind == types.NotebookCellKind.Code
            if text is not None:
                cells.append(Cell(cell.document, text.source, code and text.language_id == "python"))
        book = Notebook(path, tuple(cells))
        try:
            found = result_of(uri, book.module.text)
        except SourceError as error:
            found = None
            tell(types.MessageType.Warning, str(error))
        if found is None:
            return None
        for cell_uri, items in book.diagnostics(diagnostics(found)).items():
            server.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(cell_uri, items)
            )
        return book, found

    def look(uri: str) -> FileResult | None:
        """The result for an open document, published as diagnostics."""
        document = document_of(uri)
        path = _path(uri) or PurePosixPath(uri)
        if document is None or not path.name.endswith(".py") or NEVER & set(path.parts):
            return None
        version = document.version or 0
        known = results.get(uri)
        if known is not None and known[0] == version and known[1].old_text == document.source:
            return known[1]
        found = result_of(uri, document.source)
        if found is None:
            return None
        results[uri] = (version, found)
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics(found), version)
        )
        return found

    def later(uri: str) -> None:
        waiting.put(uri, lambda: look(uri))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        later(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        later(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        name = params.text_document.uri.rpartition("/")[2]
        if name in ("setup.cfg", "pyproject.toml", "migrator.toml"):
            projects.reload()
            results.clear()
        later(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        waiting.drop(params.text_document.uri)
        results.pop(params.text_document.uri, None)
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(params.text_document.uri, [])
        )

    def notebook_later(uri: str) -> None:
        waiting.put(uri, lambda: look_at_notebook(uri))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def notebook_opened(params: types.DidOpenNotebookDocumentParams) -> None:
        notebook_later(params.notebook_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def notebook_changed(params: types.DidChangeNotebookDocumentParams) -> None:
        notebook_later(params.notebook_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def notebook_closed(params: types.DidCloseNotebookDocumentParams) -> None:
        waiting.drop(params.notebook_document.uri)
        for cell in params.cell_text_documents:
            server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(cell.uri, []))

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(
            code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll]
        ),
    )
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri, where = params.text_document.uri, params.range
        in_notebook = server.workspace.get_notebook_document(cell_uri=uri)
        if in_notebook is not None:
            seen = look_at_notebook(in_notebook.uri)
            if seen is None or seen[1].status is not Status.CHANGED:
                return []
            place = seen[0].module_range(uri, where)
            return code_actions(seen[1], place, seen[0].edit, "notebook") if place else []
        found = look(uri)
        if found is None or found.status is not Status.CHANGED:
            return []
        return code_actions(found, where, lambda text: _whole(found, uri, text))

    return server, waiting


def diagnostics(result: FileResult) -> list[types.Diagnostic]:
    """Findings, and as hints what would be rewritten."""
    lines = result.old_text.split("\n")
    found = [_finding(item, lines) for item in result.findings]
    found += [_change(item) for item in result.changes]
    if result.status is Status.FAILED and not result.findings:
        found.append(_diagnostic(1, 1, 0, result.error, "TF000", types.DiagnosticSeverity.Error))
    return found


def _finding(item: Finding, lines: list[str]) -> types.Diagnostic:
    line = lines[item.line - 1] if 0 < item.line <= len(lines) else ""
    # Our columns count UTF-8 bytes, as Python's ast does; the protocol's UTF-16 units.
    before = line.encode("utf-8", "surrogatepass")[: item.column].decode("utf-8", "ignore")
    column = len(before.encode("utf-16-le", "surrogatepass")) // 2
    text = f"{item.message}\n{item.advice}".strip()
    return _diagnostic(item.line, item.line, column, text, item.code, _LEVELS[item.rung])


def _change(item: Change) -> types.Diagnostic:
    severity = types.DiagnosticSeverity.Hint
    return _diagnostic(item.line, item.end_line, 0, item.reason, item.code, severity)


def _diagnostic(
    line: int, end: int, column: int, text: str, code: str, severity: types.DiagnosticSeverity
) -> types.Diagnostic:
    first = max(line - 1, 0)
    return types.Diagnostic(
        types.Range(
            types.Position(first, column), types.Position(max(end - 1, first), _WHOLE_LINE)
        ),
        text, severity=severity, code=code, source=SOURCE,
    )  # fmt: skip


def code_actions(
    result: FileResult,
    where: types.Range,
    edit: Callable[[str], types.WorkspaceEdit | None],
    what: str = "file",
) -> list[types.CodeAction]:
    """Rewriting the hunks that `where` touches, each by itself if the file then still runs, and
    rewriting the whole file. `edit` gives the file (or notebook) a text, None if it cannot."""
    parts = hunks(result)
    actions = []
    looked = 0
    for number, hunk in enumerate(parts):
        first, last = _lines(hunk)
        if where.end.line + 1 < first or where.start.line + 1 > last or looked == _MOST_ACTIONS:
            continue
        looked += 1
        text = text_with(result, [n == number for n in range(len(parts))])
        if len(parts) > 1 and not problem(result, text):
            codes = ", ".join(sorted({change.code for change in hunk.changes})) or "imports"
            reasons = "; ".join(dict.fromkeys(change.reason for change in hunk.changes))
            title = f"migrator: {codes} here ({reasons[:80]})" if reasons else f"migrator: {codes}"
            if made := edit(text):
                kind = types.CodeActionKind.QuickFix
                actions.append(types.CodeAction(title, kind=kind, edit=made))
    if made := edit(result.new_text or ""):
        title = f"migrator: migrate this {what} to TensorFlow 2"
        kind = types.CodeActionKind.SourceFixAll
        preferred = not actions
        actions.append(types.CodeAction(title, kind=kind, edit=made, is_preferred=preferred))
    return actions


def _lines(hunk: Hunk) -> tuple[int, int]:
    start, _, count = hunk.header.split()[1].lstrip("-").partition(",")
    return int(start), int(start) + max(int(count or 1), 1) - 1


def _whole(result: FileResult, uri: str, text: str) -> types.WorkspaceEdit:
    lines = result.old_text.count("\n") + 1
    whole = types.Range(types.Position(0, 0), types.Position(lines, 0))
    return types.WorkspaceEdit(changes={uri: [types.TextEdit(whole, text)]})
