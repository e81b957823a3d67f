"""Tables on consoles that are narrower than they are: every number is there."""

from __future__ import annotations

import io

from rich.console import Console

from frrlib.results.table import Table
from miniedit_frr.report import print_table, rich_table

ROWS = tuple(
    (f"flow-with-a-long-name.{number}", *(f"{number}{digit}98765.4" for digit in range(6))) for number in (1, 2)
)
WIDE = Table("Flows", ("flow", *(f"RTT ms: {name}" for name in "abcdef")), ROWS, (False, *[True] * 6))


def test_a_table_is_not_cut_where_it_is_wider_than_the_console() -> None:
    told = io.StringIO()
    console = Console(file=told, width=40)
    print_table(console, rich_table(WIDE))
    lines = told.getvalue().splitlines()
    assert [line.split() for line in lines[2:]] == [list(row) for row in ROWS]
    assert lines[1].count("RTT ms: ") == 6
    assert console.width == 40
