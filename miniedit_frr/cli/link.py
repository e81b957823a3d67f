"""`miniedit-frr link`: show the values of a link of a lab that runs by itself, and change them while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from frrlib.errors import TopologyError
from frrlib.lab.detached import DetachedLab
from frrlib.lab_server import register
from frrlib.model.faults import Fault, LinkValues
from frrlib.model.links import QUEUE_LIMITS, Link, Shape
from frrlib.model.quantities import BDP, PACKETS, PERCENT, RATE_MBIT, SIZE_BYTES, TIME_MS, InvalidQuantity, Measure
from frrlib.model.topology import Topology
from frrlib.render.faults import shapes_of
from miniedit_frr.cli.detached_lab import join_lab, lab_names
from miniedit_frr.cli.exits import WRONG_INPUT, exit_with, report_errors
from miniedit_frr.cli.options import AsJson, print_json
from miniedit_frr.terminal.markup import escape

_UNLIMITED = "unlimited"
#: Each option's field, and how it is read.
_READ: dict[str, tuple[str, Measure]] = {
    "rate": ("rate_mbit", RATE_MBIT), "delay": ("delay_ms", TIME_MS), "jitter": ("jitter_ms", TIME_MS),
    "loss": ("loss_percent", PERCENT),
}  # fmt: skip
#: Units of a queue's limit: the first that understands the text is meant.
_QUEUES: tuple[tuple[str, Measure], ...] = (
    ("queue_packets", PACKETS), ("queue_ms", TIME_MS), ("queue_bdp", BDP), ("queue_bytes", SIZE_BYTES),
)  # fmt: skip
_SHOWN = {
    "rate_mbit": "Mbit/s", "delay_ms": "ms", "jitter_ms": "ms", "loss_percent": "%", "queue_packets": "packets",
    "queue_bytes": "bytes", "queue_ms": "ms", "queue_bdp": "BDP",
}  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Give the command line this command."""
    app.command()(link)


def link(
    words: Annotated[
        list[str],
        typer.Argument(metavar="[LAB|FILE] LINK", help="The link by its ID or by its ends, as in r1-r2, after the "
                       "lab or its topology file if several labs are running.", autocompletion=lab_names),
    ],
    rate: Annotated[str, typer.Option(help="Rate, as in 5mbit; 'unlimited' removes the limit.")] = "",
    delay: Annotated[str, typer.Option(help="One-way delay, as in 20ms.")] = "",
    jitter: Annotated[str, typer.Option(help="As in 2ms.")] = "",
    loss: Annotated[str, typer.Option(help="Share of lost packets, as in 0.5%.")] = "",
    queue: Annotated[str, typer.Option(help="Queue limit, as in 100packets, 50kB, 20ms or 2bdp.")] = "",
    towards: Annotated[str, typer.Option(metavar="NODE", help="Change only the direction to this node.")] = "",
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Show the values of a link of a running lab, or change them while the lab runs.

    What is given changes in the lab's kernel at once, is read back, and is an event of the run; the drawing stays as it
    is. Only a link that is drawn with delay, jitter or loss can have others while it runs.
    """
    if len(words) not in (1, 2):
        exit_with("the link is missing: `miniedit-frr link [LAB|FILE] LINK`", WRONG_INPUT)
    given = {"rate": rate, "delay": delay, "jitter": jitter, "loss": loss}
    with report_errors(), join_lab(_lab_of(words[0]) if len(words) == 2 else "") as lab:
        found = _find(lab.topology, words[-1])
        values = _values({name: text for name, text in given.items() if text}, queue)
        if values.given:
            lab.fault(Fault(kind="link-values", target=found.id, towards=towards, values=values))
        _say(found, _shapes(lab, found), as_json)


def _lab_of(word: str) -> str:
    """The lab that a word names: by its name, or by the file of its drawing."""
    cards = register.labs()
    if word not in [card.name for card in cards] and Path(word).exists():
        of_file = [card.name for card in cards if card.file and Path(card.file) == Path(word).resolve()]
        if of_file:
            return of_file[0]
    return word


def _find(topology: Topology, word: str) -> Link:
    """The link of an id, or between two nodes. Raises TopologyError."""
    found = topology.link(word)
    if found is not None:
        return found
    between = [each for each in topology.links
               if word in (f"{each.a.node}-{each.b.node}", f"{each.b.node}-{each.a.node}")]  # fmt: skip
    if len(between) == 1:
        return between[0]
    if between:
        raise TopologyError(
            "matches several links", node=word, right=f"one of {', '.join(each.id for each in between)}"
        )
    names = ", ".join(f"{each.id} ({each.a.node}-{each.b.node})" for each in topology.links[:20])
    raise TopologyError("is not a link of the lab", node=word, right=f"one of {names}" if names else "")


def _values(given: dict[str, str], queue: str) -> LinkValues:
    """The values of the options. Raises TopologyError for an invalid one."""
    values: dict[str, Any] = {}
    for name, text in given.items():
        field, measure = _READ[name]
        values[field] = 0.0 if (name, text) == ("rate", _UNLIMITED) else _read(name, text, measure)
    if queue:
        values |= _queue(queue)
    try:
        return LinkValues.model_validate(values)
    except ValueError as error:
        raise TopologyError(str(error).splitlines()[-1], field=", ".join(values)) from None


def _read(name: str, text: str, measure: Measure) -> float:
    try:
        return measure.read(text)
    except InvalidQuantity as wrong:
        raise TopologyError(f"{text} {wrong}", field=f"--{name}") from None


def _queue(text: str) -> dict[str, float]:
    for field, measure in _QUEUES:
        try:
            return {field: measure.read(text)}
        except InvalidQuantity:
            continue
    raise TopologyError(f"{text} is not a queue limit", field="--queue", right="such as 100packets, 50kB, 20ms or 2bdp")


def _shapes(lab: DetachedLab, link: Link) -> tuple[Shape, Shape]:
    """Both directions as they are now."""
    text = lab.faults_now()["values"].get(link.id)
    return shapes_of(text) if text else (link.a_to_b, link.b_to_a)


def _said(shape: Shape) -> dict[str, float]:
    return {field: value for field in _SHOWN if (value := getattr(shape, field)) is not None}


def _say(link: Link, shapes: tuple[Shape, Shape], as_json: bool) -> None:
    ways = ((link.a, link.b), (link.b, link.a))
    if as_json:
        directions = [{"from": sender.node, "to": receiver.node, **_said(shape)}
                      for (sender, receiver), shape in zip(ways, shapes, strict=True)]  # fmt: skip
        print_json({"link": link.id, "directions": directions})
        return
    table = Table(title=escape(f"link {link.id}"))
    for head in ("direction", "rate", "delay", "jitter", "loss", "queue limit"):
        table.add_column(head)
    for (sender, receiver), shape in zip(ways, shapes, strict=True):
        said = {field: f"{value:g} {_SHOWN[field]}" for field, value in _said(shape).items()}
        limit = next((said[field] for field in QUEUE_LIMITS if field in said), "default" if shape.rate_mbit else "-")
        cells = [said.get(field, _UNLIMITED) for field in ("rate_mbit", "delay_ms", "jitter_ms", "loss_percent")]
        table.add_row(escape(f"{sender.node} → {receiver.node}"), *cells, limit)
    Console(highlight=False).print(table)
