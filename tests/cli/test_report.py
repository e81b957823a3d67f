"""Common features of all commands: the version, the short option `-o`, and tables that are not cut."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from typer import Context
from typer.core import TyperGroup
from typer.main import get_command

from frrlib import __version__
from frrlib.results.statistics.table import TextTable
from miniedit_frr.cli.main import app
from miniedit_frr.terminal.tables import print_table, rich_table
from tests.cli.commands import invoke

ROWS = tuple(
    (f"flow-with-a-long-name.{number}", *(f"{number}{digit}98765.4" for digit in range(6))) for number in (1, 2)
)
WIDE = TextTable("Flows", ("flow", *(f"RTT ms: {name}" for name in "abcdef")), ROWS, (False, *[True] * 6))


def test_a_table_wider_than_the_console_is_not_cut() -> None:
    output = io.StringIO()
    console = Console(file=output, width=40)
    print_table(console, rich_table(WIDE))
    lines = output.getvalue().splitlines()
    assert [line.split() for line in lines[2:]] == [list(row) for row in ROWS]
    assert lines[1].count("RTT ms: ") == 6
    assert console.width == 40


def test_the_version_is_printed() -> None:
    result = invoke("--version")
    assert (result.exit_code, result.stdout) == (0, f"miniedit-frr {__version__}\n")


def test_every_option_out_has_the_short_form_o() -> None:
    names = [option.opts for command in _commands(get_command(app)) for option in command.params]
    assert len(names) > 150
    out_options = [option_names for option_names in names if "--out" in option_names]
    assert len(out_options) > 8 and all("-o" in option_names for option_names in out_options)


def _commands(command: Any) -> Iterator[Any]:
    yield command
    if isinstance(command, TyperGroup):
        context = Context(command)
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            assert subcommand is not None, name
            yield from _commands(subcommand)
