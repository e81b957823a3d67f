"""Add Flows: asks for what a ready mix of flows needs, says in words what it will add, and adds it in one edit."""

from __future__ import annotations

import inspect
import tkinter as tk
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from frrlib.errors import TopologyError
from frrlib.model.edits.changes import set_flows
from frrlib.model.flow_words import flow_summary
from frrlib.model.flows import Flow
from frrlib.model.labels import advised, error_words
from frrlib.model.mixes import MIXES, mix
from frrlib.model.nodes import ADDRESSED
from frrlib.model.topology import Topology
from frrlib.model.traffic import CODECS
from miniedit_frr.dialogs import kinds
from miniedit_frr.dialogs.dialog import FormDialog
from miniedit_frr.dialogs.fields import Field, Lens
from miniedit_frr.dialogs.kinds import Kind
from miniedit_frr.dialogs.parts import Tab
from miniedit_frr.dialogs.quantities import COUNT, RATE_MBIT, TIME_S
from miniedit_frr.dialogs.told import told
from miniedit_frr.dialogs.words import reason
from miniedit_frr.document import Document

#: The label of each setting of a mix, how it is written, and its meaning; those of one name mean the same.
SETTINGS: dict[str, tuple[str, Kind, str]] = {
    "number": ("Flows", kinds.quantity(COUNT), "How many; of the first congestion control, where there are two."),
    "against": ("Against", kinds.quantity(COUNT), "How many of the second one."),
    "first": ("First", kinds.CONGESTION_CONTROL, "A congestion control, the kernel's name."),
    "second": ("Second", kinds.CONGESTION_CONTROL, "The one that it has to share with."),
    "congestion_control": ("Congestion control", kinds.CONGESTION_CONTROL, "Of its TCP, the kernel's name."),
    "bulk_control": ("Of the download", kinds.CONGESTION_CONTROL, "The congestion control beside it."),
    "stagger_s": ("Apart", kinds.quantity(TIME_S), "Each flow starts so much after the one before."),
    "rate_mbit": ("Constant rate", kinds.quantity(RATE_MBIT), "Of UDP, all the time."),
    "bursts_mbit": ("Bursts", kinds.quantity(RATE_MBIT), "Of TCP, half a second on average, every two seconds."),
    "calls": ("Calls", kinds.quantity(COUNT), "Two directions each."),
    "codec": ("Codec", kinds.choice({name: name for name in CODECS}), "What turns sound into bits."),
    "dscp": ("DSCP of calls", kinds.quantity(COUNT, optional=True), "46 is expedited; empty for none."),
    "start_s": ("Load begins at", kinds.quantity(TIME_S), "Before that the path is seen at rest."),
    "duration_s": ("Goes on for", kinds.quantity(TIME_S), "How long flows last."),
}
#: The purpose of each mix.
ABOUT = {
    "staggered": "Equal greedy flows, each so much after the one before: how long does a newcomer take to its share?",
    "versus": "So many flows of one congestion control against so many of another, all at once: who gets what?",
    "rrul": "The Realtime Response Under Load test: four greedy flows each way, marked with four classes, and probes "
    "that tell what all others feel of it.",
    "cross-traffic": "What else is on the line: UDP at a constant rate, and bursts of TCP of random lengths.",
    "web-over-bulk": "Pages that load while a download fills the link. They begin first, so that both can be compared.",
    "voip-under-load": "Calls, two directions each, and a download that begins later: how good are they then?",
}


@dataclass(frozen=True)
class Asked:
    """The answers: between which nodes, and the settings of the mix by name."""

    source: str
    destination: str
    settings: tuple[tuple[str, Any], ...]


def settings_of(name: str) -> dict[str, Any]:
    """The settings of a mix with their initial values."""
    parameters = inspect.signature(MIXES[name][1]).parameters.values()
    return {each.name: each.default for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY}


def flows_of(topology: Topology, name: str, asked: Asked) -> tuple[Flow, ...]:
    """The flows of a mix.

    Raises:
        TopologyError: the drawing cannot have them.
    """
    try:
        flows = mix(name, topology, asked.source, asked.destination, **dict(asked.settings))
    except ValidationError as problem:
        field = str(problem.errors()[0]["loc"][0]) if problem.errors()[0]["loc"] else ""
        raise TopologyError(reason(problem), field={"count": "number"}.get(field, field)) from None
    set_flows(topology, (*topology.flows, *flows))
    return flows


def summary(flows: Sequence[Flow]) -> str:
    """The flows to be added, a line each."""
    lines = [f"{flow.id}: {flow_summary(flow, flow.congestion_control)}" for flow in flows]
    count = sum(flow.count for flow in flows)
    return "\n".join([f"Adds {count} flow{'s' if count > 1 else ''}:", *lines])


def _field(name: str) -> Field:
    label, kind, about = SETTINGS[name]

    def put(asked: Asked, value: Any) -> Asked:
        return replace(asked, settings=tuple({**dict(asked.settings), name: value}.items()))

    lens = Lens(lambda asked: dict(asked.settings)[name], put, (name,))
    return Field(name, label, kind, about, lens=lens)


def _tabs(document: Document, name: str, words: Callable[[Asked], str]) -> tuple[Tab, ...]:
    ends = kinds.choice({node.name: node.name for node in document.topology.nodes if node.kind in ADDRESSED})
    return (
        Tab(
            MIXES[name][0],
            (
                Field("source", "From", ends, "Data goes from here."),
                Field("destination", "To", ends, "Data goes to here."),
                *(_field(each) for each in settings_of(name)),
                told(lambda context, asked: words(asked)),
            ),
            about=ABOUT[name],
        ),
    )


def ask_mix(
    parent: tk.Misc,
    document: Document,
    name: str,
    ends: tuple[str, str],
    ui: float,
    added: Callable[[Sequence[Flow]], object] = lambda flows: None,
    usual: dict[str, Any] | None = None,
) -> FormDialog:
    """Open the dialog of a mix.

    Args:
        parent: the window that it belongs to.
        document: the drawing.
        name: of the mix, one of `MIXES`.
        ends: source and destination to begin with; empty for none.
        ui: scaling of the screen.
        added: called with the flows that were added.
        usual: what some settings are at first, in place of what the mix says.
    """
    settings = settings_of(name)
    settings |= {each: value for each, value in (usual or {}).items() if each in settings}

    def words(asked: Asked) -> str:
        try:
            return summary(flows_of(document.topology, name, asked))
        except TopologyError:
            return ""

    def refuse(values: tuple[Asked, ...]) -> tuple[str, str] | None:
        try:
            flows_of(document.topology, name, values[0])
        except TopologyError as error:
            field = error.field if error.field in (*settings, "source", "destination") else ""
            return field, advised(error.why, error.right)
        return None

    def apply(values: tuple[Asked, ...]) -> str:
        topology = document.topology
        try:
            flows = flows_of(topology, name, values[0])
        except TopologyError as error:
            return error_words(error)
        document.apply(f"Add {MIXES[name][0]}", set_flows(topology, (*topology.flows, *flows)))
        added(flows)
        return ""

    # The proposal is already an answer, so that the button takes it as it is.
    begun = Asked("", "", tuple(settings.items()))
    dialog = FormDialog(parent, MIXES[name][0], _tabs(document, name, words), (begun,), ui, apply, refuse=refuse)
    dialog.ok_button.configure(text="Add")
    # Pressed twice it would add twice.
    dialog.apply_button.pack_forget()
    dialog.draft.put_all({"source": ends[0], "destination": ends[1]})
    dialog.on_close = document.listen(lambda before, after: dialog.draft.rebase((begun,)))
    return dialog
