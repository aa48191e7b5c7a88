"""How commands are listed, loaded and helped: lazily, with a default sub-command, advanced options last."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click
from click.shell_completion import CompletionItem

from migrator.cli import exits


class Command(click.Command):
    """A command whose help puts the options that few people need into a group of their own."""

    def __init__(self, *args: Any, advanced: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.advanced = frozenset(advanced)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        plain: list[tuple[str, str]] = []
        rare: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                (rare if self.advanced & set(parameter.opts) else plain).append(record)
        for title, records in (("Options", plain), ("Advanced options", rare)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class LazyGroup(click.Group):
    """A group that knows its commands by name and loads each when it is needed.

    listed: {name: what the list of commands says}; each is `command` in a module of `migrator.cli`,
    which is imported only when it is asked for: `migrator --help` must not load LibCST. moved: {name:
    where it is now}.
    """

    def __init__(
        self, *args: Any, listed: Mapping[str, str], modules: Mapping[str, str] | None = None,
        moved: Mapping[str, str] | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(*args, **kwargs)
        self.listed, self.modules, self.moved = listed, modules or {}, moved or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.listed)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.moved:
            raise exits.UsageExit(f"`migrator {cmd_name}` is `migrator {self.moved[cmd_name]}` now")
        if cmd_name not in self.listed:
            return None
        try:
            module = importlib.import_module(f"migrator.cli.{self.modules.get(cmd_name, cmd_name)}")
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
            for name, text in self.listed.items() if name.startswith(incomplete)
        ]  # fmt: skip
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.listed.items()))


class WithDefault(LazyGroup):
    """A group that does what `default` does where no other of its commands is named."""

    default = "run"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        named = bool(args) and args[0] in self.listed
        if args and args[0] in ("-h", "--help"):
            return super().parse_args(ctx, args)
        return super().parse_args(ctx, args if named else [self.default, *args])

    def get_help(self, ctx: click.Context) -> str:
        """The help of the default command, with the names of the others."""
        command = self.get_command(ctx, self.default)
        assert command is not None
        formatter = ctx.make_formatter()
        formatter.write_usage(ctx.command_path, "[REPO] [OPTIONS]  or  COMMAND [ARGS]...")
        command.format_help_text(ctx, formatter)
        self.format_commands(ctx, formatter)
        command.format_options(ctx, formatter)
        command.format_epilog(ctx, formatter)
        return formatter.getvalue().rstrip("\n")


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
