"""`miniedit-frr labs`: lists the running labs; `labs stop` ends them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from frrlib.lab_server import register
from frrlib.lab_server.register import Card
from frrlib.safe_text.plain import one_line
from miniedit_frr.cli.detached.names import lab_names
from miniedit_frr.cli.exits import report_errors, stderr
from miniedit_frr.cli.options import AsJson, print_json

labs_app = typer.Typer(help="List the running labs; `labs stop NAME` stops one.")

#: The longest path that is shown (PATH_MAX).
_LONGEST_FILE = 4096


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.add_typer(labs_app, name="labs")


@labs_app.callback(invoke_without_command=True)
def labs(context: typer.Context, as_json: AsJson = False) -> None:
    """List the running labs; `labs stop NAME` stops one.

    Listed are labs that `start` has left running, and those of open editors.
    """
    if context.invoked_subcommand is not None:
        return
    with report_errors():
        cards = register.labs()
    if as_json:
        print_json([register.summary(card) for card in cards])
    elif cards:
        console = Console()
        width = console.width if console.is_terminal else 500  # a file or a pipe has room for everything
        console.print(labs_table(cards, time.time(), width), width=width)
    else:
        stderr().print("No lab is running. `miniedit-frr start FILE` starts one.", highlight=False)


def labs_table(cards: Sequence[Card], now_s: float, width: int = 500) -> Table:
    """The table of labs, one per line of up to `width` characters; long paths are shortened at the front."""
    listing = Table(box=None, padding=(0, 2, 0, 0), header_style="bold underline")
    headings = ("lab", "state", "place", "nodes", "since", "file")
    rows = [_row(card, now_s) for card in cards]
    for index, heading in enumerate(headings):
        listing.add_column(heading, justify="right" if heading == "nodes" else "left", no_wrap=True)
        listing.columns[index].min_width = max(len(text) for text in (heading, *(row[index].plain for row in rows)))
    room = width - sum((column.min_width or 0) + 2 for column in listing.columns[:-1]) - 2
    listing.columns[-1].min_width = None
    for *first, file in rows:
        if len(file) > room:
            file = Text("…") + file[len(file) - max(room, 8) + 1 :]
        listing.add_row(*first, file)
    return listing


def _row(card: Card, now_s: float) -> list[Text]:
    running = Text("running" if card.kept else "in the editor", "green")
    state = Text("starting", "yellow") if card.state == "starting" else running
    file = Text(one_line(_short(card.file), _LONGEST_FILE)) if card.file else Text("not saved", "dim")
    nodes, since = Text(str(len(card.nodes) or "")), Text(_ago(now_s - card.since_s))
    return [Text(card.name, "bold"), state, Text(card.place), nodes, since, file]


def _ago(seconds: float) -> str:
    """A time span as a short text for a column."""
    minutes, hours = seconds / 60, seconds / 3600
    if minutes < 1:
        return "just now"
    if hours < 1:
        return f"{minutes:.0f} min"
    return f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.0f} days"


def _short(file: str) -> str:
    """A short form of a path: relative to the working directory or to the home folder, if it is below one of them."""
    path = Path(file)
    for base, word in ((Path.cwd(), ""), (Path.home(), "~")):
        if path.is_relative_to(base):
            return str(word / path.relative_to(base)) if word else str(path.relative_to(base))
    return file


@labs_app.command()
def stop(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME...", help="Labs (default: the only running lab).", autocompletion=lab_names),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Stop all labs.")] = False,
) -> None:
    """Stop labs: run their stop commands, and remove all their processes and files."""
    with report_errors():
        if everything:
            cards = register.labs()
        else:
            cards = [register.find(name) for name in names] if names else [register.find()]
        if not cards:
            return
        from miniedit_frr.cli.detached.end import end_lab  # loads hundreds of modules, which only a running lab needs

        for card in cards:
            end_lab(card)
