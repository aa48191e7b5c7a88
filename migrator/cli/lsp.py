"""`migrator lsp`: a language server, so that editors show findings and offer the edits."""

from __future__ import annotations

import click

from migrator.cli import exits


@click.command(
    "lsp",
    epilog="""\b
Examples:
  migrator lsp            what an editor starts; speaks on standard input and output

\b
Needs: pip install 'migrator[lsp]'
""",
)
def command() -> None:
    """Speak the language server protocol: diagnostics for findings and for what would be
    rewritten, and code actions that rewrite one place or the whole file. Settings are those of
    the repository (setup.cfg, pyproject.toml, migrator.toml). Nothing is run or written."""
    try:
        from migrator.cli import language_server
    except ImportError as error:
        raise exits.UsageExit(
            f"the language server needs pygls ({error}): pip install 'migrator[lsp]'"
        ) from error
    language_server.run()
