"""Exit codes: the same for every command, documented in --help, relied on by CI jobs."""

from __future__ import annotations

import click

OK = 0
CHANGES = 1
USAGE = 2
FAILED = 3
REFUSED = 4
INTERRUPTED = 130

HELP = """\
Exit codes:
  0  done, or nothing to do
  1  --diff, --patch, --review, --plan: there is something to change; todo --check: something is left;
     verify: something differs; others: an error
  2  wrong usage or configuration, or nothing to run
  3  done, but some files failed; each is named
  4  refused, nothing was written: uncommitted changes, another migrator at work, full disk
  130  interrupted (Ctrl-C)"""


class RefusedExit(click.ClickException):
    """Ends a command with a message and code 4."""

    exit_code = REFUSED


class InterruptedExit(click.ClickException):
    """Ends a command that was interrupted after it had written something, with a way back."""

    exit_code = INTERRUPTED


class UsageExit(click.ClickException):
    """Ends a command with a message and code 2."""

    exit_code = USAGE
