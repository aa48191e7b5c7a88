"""Exit codes: the same for every command, documented in --help, relied on by CI jobs."""

from __future__ import annotations

import click

OK = 0
CHANGES = 1
USAGE = 2
FAILED = 3
REFUSED = 4

HELP = """\
Exit codes:
  0  done, or nothing to do
  1  --diff, --patch, --review, --plan: there is something to change; others: an error
  2  wrong usage or configuration
  3  done, but some files failed; each is named
  4  refused, nothing was written: uncommitted changes, another migrator at work, full disk"""


class RefusedExit(click.ClickException):
    """Ends a command with a message and code 4."""

    exit_code = REFUSED


class UsageExit(click.ClickException):
    """Ends a command with a message and code 2."""

    exit_code = USAGE
