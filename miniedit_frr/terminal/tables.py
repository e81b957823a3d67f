"""Output of the command line: tables."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from frrlib.results.statistics.table import TextTable
from miniedit_frr.terminal.markup import escape

#: The maximum width of a table, in characters.
_WIDEST = 1000


def print_table(console: Console, table: Table) -> None:
    """Print a table with an empty line above it.

    A table that is wider than the console is not cut, so that all numbers are visible in a file or a narrow terminal.
    """
    console.print()
    table_width = console.measure(table, options=console.options.update(max_width=_WIDEST)).maximum
    console_width, console.width = console.width, max(console.width, table_width)
    try:
        console.print(table, crop=False)
    finally:
        console.width = console_width


def rich_table(table: TextTable) -> Table:
    """A table for rich, without a frame. Most tables fit into 80 columns."""
    rendered = Table(box=None, padding=(0, 2, 0, 0), header_style="bold underline")
    for heading, numeric in zip(table.headings, table.numeric, strict=True):
        rendered.add_column(escape(heading), justify="right" if numeric else "left", no_wrap=True)
    for row in table.rows:
        rendered.add_row(*map(escape, row))
    return rendered
