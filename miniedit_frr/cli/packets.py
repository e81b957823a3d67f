"""`miniedit-frr packets`: the flows of a run, computed from its captured packets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from frrlib.formats.files import replace_file
from frrlib.results.read import open_results
from miniedit_frr.cli.exits import FAILED, WRONG_INPUT, exit_with, report_errors, stderr
from miniedit_frr.cli.options import AsJson, print_json
from miniedit_frr.terminal.markup import escape
from miniedit_frr.terminal.tables import print_table, rich_table

_SUFFIXES = (".png", ".svg", ".pdf")


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(packets)


def packets(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Results of a run with --capture.")],
    bin_s: Annotated[
        float, typer.Option("--bin", min=0.001, max=60, help="Averaging interval of rates in seconds.")
    ] = 0.1,
    figure: Annotated[Path | None, typer.Option(help="Also draw a figure into this file (.png, .svg or .pdf).")] = None,
    as_json: AsJson = False,
) -> None:
    """Analyze the captured packets of each TCP flow.

    Prints rates at each interface, round-trip times by acknowledgment and by timestamp, retransmissions, bytes in
    flight, and delay and loss from one interface to the next. All values over time are written to samples/packets.csv
    and samples/packet_rtts.csv.
    """
    if figure is not None and figure.suffix not in _SUFFIXES:
        exit_with(f"{figure}: the name of a figure must end in one of {', '.join(_SUFFIXES)}", WRONG_INPUT)
    from frrlib.results.packets import views

    console = stderr()
    with report_errors():
        results = open_results(folder)
        with console.status("reading captures") as status:
            flows, warnings = views.captured_flows(results, lambda text: status.update(f"reading {text}"))
        for warning in warnings:
            console.print(f"[yellow]{escape(warning)}[/]", highlight=False, soft_wrap=True)
        if not flows:
            exit_with("the captures contain no TCP connection with data", FAILED)
        paths = views.write_tables(results, flows, bin_s)
        if figure is not None:
            from frrlib.plots.packets import figure_bytes  # its library takes half a second to import

            replace_file(figure, figure_bytes(results, flows, bin_s, figure.suffix[1:]))
    tables = [views.captured_flow_table(flows), views.transit_table(flows)]
    if as_json:
        rows = {table.title: [dict(zip(table.headings, row, strict=True)) for row in table.rows] for table in tables}
        print_json(rows)
        return
    out = Console(highlight=False)
    for table in tables:
        if table.rows:
            out.print(f"[bold]{table.title}[/]")
            print_table(out, rich_table(table))
            out.print()
    out.print(f"over time: {', '.join(map(str, paths))}", soft_wrap=True)
