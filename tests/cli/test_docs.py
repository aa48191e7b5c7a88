"""What the documents say about the command line is so: options exist, links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from migrator.cli.main import COMMANDS, cli

ROOT = Path(__file__).resolve().parents[2]
OWN = ["tutorial.md", "faq.md", "reviewing.md", "output.md"]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs" / name for name in OWN)]


def options() -> set[str]:
    """Every option of every command."""
    found = {"--help", "--version"}
    context = click.Context(cli)

    def add(command: click.Command) -> None:
        found.update(o for p in command.params for o in (*p.opts, *p.secondary_opts))
        if isinstance(command, click.Group):  # its commands are loaded when they are asked for
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                add(inner)

    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        add(command)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_are_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if target.startswith(("http", "#")):
            continue
        path, _, anchor = target.partition("#")
        other = (page.parent / path).resolve()
        assert other.exists(), f"{page.name}: {target}"
        if anchor and other.suffix == ".md":
            heads = re.findall(r"^#+ (.*)$", other.read_text(), re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}
            assert anchor in slugs, f"{page.name}: {target}"


@pytest.mark.parametrize("name", OWN)
def test_options_that_are_named_exist(name: str) -> None:
    text = (ROOT / "docs" / name).read_text()
    named = {
        option
        for line in text.splitlines()
        if not re.search(r"\b(git|gh|pip|jupyter) ", line)
        # in quotes stands the command line of a user's own program
        for option in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", re.sub(r'"[^"]*"', "", line))
    }
    assert named - options() == set()
