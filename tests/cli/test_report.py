"""What every command has in common: its version, a short `-o`, tables that are not cut."""

from __future__ import annotations

import io
from collections.abc import Iterator

from click import Command
from rich.console import Console
from typer.main import get_command

from frrlib import __version__
from frrlib.results.statistics.table import TextTable
from miniedit_frr.cli.main import app
from miniedit_frr.terminal.report import print_table, rich_table
from tests.cli.commands import invoke

ROWS = tuple(
    (f"flow-with-a-long-name.{number}", *(f"{number}{digit}98765.4" for digit in range(6))) for number in (1, 2)
)
WIDE = TextTable("Flows", ("flow", *(f"RTT ms: {name}" for name in "abcdef")), ROWS, (False, *[True] * 6))


def test_a_table_is_not_cut_where_it_is_wider_than_the_console() -> None:
    told = io.StringIO()
    console = Console(file=told, width=40)
    print_table(console, rich_table(WIDE))
    lines = told.getvalue().splitlines()
    assert [line.split() for line in lines[2:]] == [list(row) for row in ROWS]
    assert lines[1].count("RTT ms: ") == 6
    assert console.width == 40


def test_the_version_is_told() -> None:
    done = invoke("--version")
    assert (done.exit_code, done.stdout) == (0, f"miniedit-frr {__version__}\n")


def test_wherever_there_is_out_there_is_o() -> None:
    names = [option.opts for command in _commands(get_command(app)) for option in command.params]
    outs = [each for each in names if "--out" in each]
    assert len(outs) > 8 and all("-o" in each for each in outs)


def _commands(command: Command) -> Iterator[Command]:
    yield command
    for each in getattr(command, "commands", {}).values():
        yield from _commands(each)
