"""`miniedit-frr link`: shows the values of a link of a detached lab, and changes them while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table

from frrlib.errors import TopologyError
from frrlib.lab.detached import DetachedLab, join_lab
from frrlib.lab_server import register
from frrlib.model.base import first_fault
from frrlib.model.fault_words import discipline_text, read_discipline
from frrlib.model.faults import FIFO, Fault, LinkValues
from frrlib.model.links import QUEUE_LIMITS, Link, Shape
from frrlib.model.quantities import BDP, PACKETS, PERCENT, RATE_MBIT, SIZE_BYTES, TIME_MS, InvalidQuantity, Measure
from frrlib.model.topology import Topology
from frrlib.render.faults import shapes_of
from miniedit_frr.cli.detached.names import lab_names
from miniedit_frr.cli.exits import WRONG_INPUT, exit_with, report_errors
from miniedit_frr.cli.options import AsJson, print_json
from miniedit_frr.terminal.markup import escape

_UNLIMITED = "unlimited"
#: The field and the unit of each option.
_OPTION_FIELDS: dict[str, tuple[str, Measure]] = {
    "rate": ("rate_mbit", RATE_MBIT), "delay": ("delay_ms", TIME_MS), "jitter": ("jitter_ms", TIME_MS),
    "loss": ("loss_percent", PERCENT),
}  # fmt: skip
#: Fields and units of a queue limit. The first one that can read the text is used.
_QUEUE_FIELDS: tuple[tuple[str, Measure], ...] = (
    ("queue_packets", PACKETS), ("queue_ms", TIME_MS), ("queue_bdp", BDP), ("queue_bytes", SIZE_BYTES),
)  # fmt: skip
_UNITS = {
    "rate_mbit": "Mbit/s", "delay_ms": "ms", "jitter_ms": "ms", "loss_percent": "%", "queue_packets": "packets",
    "queue_bytes": "bytes", "queue_ms": "ms", "queue_bdp": "BDP",
}  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(link)


def link(
    words: Annotated[
        list[str],
        typer.Argument(metavar="[LAB|FILE] LINK", help="The link by its ID or by its ends, as in r1-r2, after the "
                       "lab or its topology file if several labs are running.", autocompletion=lab_names),
    ],
    rate: Annotated[str, typer.Option(help="Rate, as in 5mbit; 'unlimited' removes the limit.")] = "",
    delay: Annotated[str, typer.Option(help="One-way delay, as in 20ms.")] = "",
    jitter: Annotated[str, typer.Option(help="Jitter, as in 2ms.")] = "",
    loss: Annotated[str, typer.Option(help="Share of lost packets, as in 0.5%.")] = "",
    queue: Annotated[str, typer.Option(help="Queue limit, as in 100packets, 50kB, 20ms or 2bdp.")] = "",
    discipline: Annotated[
        str, typer.Option(help="Queueing discipline, as in fq_codel or cake,rtt_ms=20; 'fifo' for none of its own.")
    ] = "",
    towards: Annotated[str, typer.Option(metavar="NODE", help="Change only the direction to this node.")] = "",
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Show the values of a link of a running lab, or change them while the lab runs.

    New values are set in the lab's kernel at once, read back, and recorded as an event of the run. The topology file is
    not changed. Delay, jitter and loss can only be changed on a link that had one of them when the lab was started.
    """
    if len(words) not in (1, 2):
        exit_with("the link is missing: `miniedit-frr link [LAB|FILE] LINK`", WRONG_INPUT)
    option_texts = {"rate": rate, "delay": delay, "jitter": jitter, "loss": loss, "discipline": discipline}
    with report_errors(), join_lab(_lab_name(words[0]) if len(words) == 2 else "") as lab:
        target_link = _find(lab.topology, words[-1])
        values = _values({name: text for name, text in option_texts.items() if text}, queue)
        if values.given:
            lab.fault(Fault(kind="link-values", target=target_link.id, towards=towards, values=values))
        _print_link(target_link, _current_shapes(lab, target_link), as_json)


def _lab_name(word: str) -> str:
    """The name of the lab that a word refers to, by its name or by its topology file."""
    cards = register.labs()
    if word not in [card.name for card in cards] and Path(word).exists():
        names = [card.name for card in cards if card.file and Path(card.file) == Path(word).resolve()]
        if names:
            return names[0]
    return word


def _find(topology: Topology, word: str) -> Link:
    """The link with this ID, or between these two nodes. Raises TopologyError if there is none, or several."""
    with_id = topology.link(word)
    if with_id is not None:
        return with_id
    between = [
        candidate
        for candidate in topology.links
        if word in (f"{candidate.a.node}-{candidate.b.node}", f"{candidate.b.node}-{candidate.a.node}")
    ]
    if len(between) == 1:
        return between[0]
    if between:
        raise TopologyError(
            "matches several links", node=word, remedy=f"one of {', '.join(candidate.id for candidate in between)}"
        )
    names = ", ".join(f"{candidate.id} ({candidate.a.node}-{candidate.b.node})" for candidate in topology.links[:20])
    raise TopologyError("is not a link of the lab", node=word, remedy=f"one of {names}" if names else "")


def _values(option_texts: dict[str, str], queue: str) -> LinkValues:
    """The values of the options. Raises TopologyError for an invalid value."""
    values: dict[str, Any] = {}
    for name, text in option_texts.items():
        if name == "discipline":
            values["queue"] = _read_discipline(text)
            continue
        field, measure = _OPTION_FIELDS[name]
        values[field] = 0.0 if (name, text) == ("rate", _UNLIMITED) else _read(name, text, measure)
    if queue:
        values |= _read_queue_limit(queue)
    try:
        return LinkValues.model_validate(values)
    except ValidationError as error:
        field, reason = first_fault(error)
        raise TopologyError(reason, field=field or ", ".join(values)) from None


def _read(name: str, text: str, measure: Measure) -> float:
    try:
        return measure.read(text)
    except InvalidQuantity as invalid:
        raise TopologyError(f"{text} {invalid}", field=f"--{name}") from None


def _read_discipline(text: str) -> dict[str, str | int] | str:
    try:
        return read_discipline(text)
    except ValueError as invalid:
        raise TopologyError(str(invalid), field="--discipline") from None


def _read_queue_limit(text: str) -> dict[str, float]:
    for field, measure in _QUEUE_FIELDS:
        try:
            return {field: measure.read(text)}
        except InvalidQuantity:
            continue
    raise TopologyError(
        f"{text} is not a queue limit", field="--queue", remedy="such as 100packets, 50kB, 20ms or 2bdp"
    )


def _current_shapes(lab: DetachedLab, link: Link) -> tuple[Shape, Shape]:
    """The current values of both directions."""
    text = lab.faults_now()["values"].get(link.id)
    return shapes_of(text) if text else (link.a_to_b, link.b_to_a)


def _shape_json(shape: Shape) -> dict[str, float]:
    return {field: value for field in _UNITS if (value := getattr(shape, field)) is not None}


def _discipline_text(shape: Shape) -> str:
    """The queueing discipline of a direction; empty without a rate."""
    return discipline_text(shape.queue or FIFO) if shape.rate_mbit else ""


def _print_link(link: Link, shapes: tuple[Shape, Shape], as_json: bool) -> None:
    end_pairs = ((link.a, link.b), (link.b, link.a))
    if as_json:
        directions = [{"from": sender.node, "to": receiver.node, **_shape_json(shape),
                       "discipline": _discipline_text(shape)}
                      for (sender, receiver), shape in zip(end_pairs, shapes, strict=True)]  # fmt: skip
        print_json({"link": link.id, "directions": directions})
        return
    table = Table(title=escape(f"link {link.id}"))
    for heading in ("direction", "rate", "delay", "jitter", "loss", "queue limit", "discipline"):
        table.add_column(heading)
    for (sender, receiver), shape in zip(end_pairs, shapes, strict=True):
        cells_by_field = {field: f"{value:g} {_UNITS[field]}" for field, value in _shape_json(shape).items()}
        limit = next(
            (cells_by_field[field] for field in QUEUE_LIMITS if field in cells_by_field),
            "default" if shape.rate_mbit else "-",
        )
        cells = [
            cells_by_field.get(field, _UNLIMITED) for field in ("rate_mbit", "delay_ms", "jitter_ms", "loss_percent")
        ]
        table.add_row(escape(f"{sender.node} → {receiver.node}"), *cells, limit, escape(_discipline_text(shape)) or "-")
    Console(highlight=False).print(table)
