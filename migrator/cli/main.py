"""The `migrator` command: a group whose commands are imported when they are called."""

from __future__ import annotations

import sys
import warnings

import click

from migrator import __version__
from migrator.cli import exits
from migrator.cli.groups import LazyGroup

COMMANDS = {
    "scan": "What is in a repository, and what its migration will take.",
    "migrate": "Rewrite a repository, or show what would be rewritten.",
    "apply": "Write a plan that was made, and decided about, before.",
    "undo": "Bring a repository back to what it was, byte for byte.",
    "todo": "What is left to do, as a list to hand on; and whether it is done.",
    "verify": "Run before and after, and compare the numbers.",
    "measure": "Memory and speed, before and after; predict, fit, merge.",
    "report": "One page about it all.",
    "explain": "A rule, or what becomes of a TF1 symbol, here.",
    "rules": "The rules; rule packs of your own.",
    "lsp": "Speak to an editor (language server).",
    "wheel": "The support code as a package to install.",
    "doctor": "Check what migrator finds on this machine.",
}
MOVED = {"predict": "measure predict", "fit": "measure fit", "merge": "measure merge"}


@click.group(
    cls=LazyGroup,
    listed=COMMANDS,
    moved=MOVED,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=f"""\b
Examples:
  migrator scan .                 what is in here?
  migrator migrate . --diff       what would change, and why?
  migrator migrate .              change it (clean git tree), journal kept
  migrator todo .                 what is left?
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
        code = cli.main(prog_name="migrator", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except click.Abort:  # Ctrl-C, or the end of input at a question
        print("Interrupted.", file=sys.stderr)
        code = exits.INTERRUPTED
    except BrokenPipeError:  # `migrator rules | head`
        sys.stderr.close()
        code = exits.OK
    sys.exit(code if isinstance(code, int) else exits.OK)


if __name__ == "__main__":
    main()
