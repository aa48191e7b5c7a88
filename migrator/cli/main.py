"""The `migrator` command: a group whose commands are imported when they are called."""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import Any

import click
from click.shell_completion import CompletionItem

from migrator import __version__
from migrator.cli import exits

# Name -> what the list of commands says. Each is `command` in the module of the same name, which
# is imported only when it is asked for: `migrator --help` must not load LibCST.
COMMANDS = {
    "scan": "What is in a repository, and what its migration will take.",
    "migrate": "Rewrite a repository, or show what would be rewritten.",
    "apply": "Write a plan that was made and reviewed before.",
    "undo": "Bring a repository back to what it was, byte for byte.",
    "verify": "Run before and after, and compare the numbers.",
    "measure": "Measure memory and speed before and after.",
    "predict": "Predict memory and largest batches for GPUs that are not here.",
    "fit": "Find the largest batch that runs here, by running.",
    "merge": "Put measurements of several machines together.",
    "report": "Write the report of a migration.",
    "rules": "List the rules.",
    "explain": "Explain a rule, or what becomes of a TF1 symbol.",
    "lsp": "Speak to an editor (language server).",
    "doctor": "Check what migrator finds on this machine.",
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and loads each when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        try:
            module = importlib.import_module(f"migrator.cli.{cmd_name}")
        except ImportError as error:
            return _unavailable(cmd_name, f"{type(error).__name__}: {error}")
        command = module.command
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """As click does, but what it says of names and texts acts on no terminal."""
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            from migrator.cli import console  # with what prints

            error.message = console.safe(error.message, lines=True)  # type: ignore[misc]
            raise

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names of commands without importing them: completion must be quick."""
        names = [
            CompletionItem(name, help=text)
            for name, text in COMMANDS.items() if name.startswith(incomplete)
        ]  # fmt: skip
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _unavailable(name: str, why: str) -> click.Command:
    """Stands for a command whose module cannot be imported; the others still work."""

    @click.command(name, context_settings={"ignore_unknown_options": True})
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def command(arguments: tuple[str, ...]) -> None:
        raise click.ClickException(
            f"`migrator {name}` cannot be loaded ({why}); this installation is incomplete. "
            "Install it again, for verify and measure with: pip install 'migrator[tf]'"
        )

    command.help = f"Cannot be loaded: {why}"
    return command


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=f"""\b
Examples:
  migrator scan .                 what is in here?
  migrator migrate . --diff       what would change, and why?
  migrator migrate .              change it (clean git tree), journal kept
  migrator undo .                 change it back

\b
{exits.HELP}
""",
)
@click.version_option(__version__, prog_name="migrator")
def cli() -> None:
    """Takes a TensorFlow 1 repository to native TensorFlow 2 and proves that it still does the
    same."""


def main() -> None:
    """Entry point of the console script."""
    warnings.simplefilter("ignore", SyntaxWarning)  # of other people's code, quoting it
    try:
        cli.main(prog_name="migrator", standalone_mode=True)
    except BrokenPipeError:  # `migrator rules | head`
        sys.stderr.close()
        sys.exit(exits.OK)


if __name__ == "__main__":
    main()
