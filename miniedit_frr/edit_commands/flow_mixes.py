"""Add Flows: asks for the settings of a mix of flows, lists the flows, and adds them in one edit."""

from __future__ import annotations

import inspect
import tkinter as tk
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from frrlib.edits.changes import set_flows
from frrlib.edits.flow_mixes import MIXES, mix
from frrlib.errors import TopologyError
from frrlib.model.flow_words import flow_summary
from frrlib.model.flows import Flow
from frrlib.model.labels import error_words, with_remedy
from frrlib.model.nodes import ADDRESSED
from frrlib.model.topology import Topology
from frrlib.model.traffic.kinds import CODECS
from miniedit_frr.dialogs.dialog import FormDialog
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field, Lens
from miniedit_frr.dialogs.fields.kinds import TextKind
from miniedit_frr.dialogs.fields.quantities import COUNT, RATE_MBIT, TIME_S
from miniedit_frr.dialogs.forms.shared import control_names
from miniedit_frr.dialogs.parts import Tab
from miniedit_frr.dialogs.refusal_texts import reason
from miniedit_frr.dialogs.text_part import text_part
from miniedit_frr.document.document import Document

#: The label of each setting of a mix, the kind of its text, and its help. A name has the same meaning in all mixes.
SETTINGS: dict[str, tuple[str, TextKind, str]] = {
    "number": ("Flows", kinds.quantity(COUNT), "Number of flows; with two congestion controls, of the first one."),
    "against": ("Against", kinds.quantity(COUNT), "Number of flows with the second congestion control."),
    "first": ("First", kinds.CONGESTION_CONTROL, "Linux name of the congestion control, such as cubic."),
    "second": ("Second", kinds.CONGESTION_CONTROL, "The competing congestion control."),
    "congestion_control": ("Congestion control", kinds.CONGESTION_CONTROL, "Linux name of the TCP congestion control."),
    "bulk_control": ("Download", kinds.CONGESTION_CONTROL, "The congestion control of the competing download."),
    "stagger_s": ("Apart", kinds.quantity(TIME_S), "Time between the starts of two flows."),
    "rate_mbit": ("Constant rate", kinds.quantity(RATE_MBIT), "UDP traffic during the whole time."),
    "bursts_mbit": (
        "Bursts",
        kinds.quantity(RATE_MBIT),
        "TCP traffic in bursts of half a second on average, every two seconds.",
    ),
    "calls": ("Calls", kinds.quantity(COUNT), "Number of calls. Each consists of two flows."),
    "codec": ("Codec", kinds.choice({name: name for name in CODECS}), "The speech codec and its bit rate."),
    "dscp": ("DSCP of calls", kinds.quantity(COUNT, optional=True), "46 is expedited forwarding (EF). Empty: none."),
    "start_s": (
        "Load starts at",
        kinds.quantity(TIME_S),
        "Start of the load. Before, the path is measured without load.",
    ),
    "duration_s": ("Duration", kinds.quantity(TIME_S), "Duration of the flows."),
}
#: The purpose of each mix.
DESCRIPTIONS = {
    "staggered": "Identical bulk flows that start one after another. Shows how fast a new flow gets its fair share.",
    "versus": "Flows of one congestion control against flows of another, all at once. Shows how they share the link.",
    "rrul": "The Realtime Response Under Load test (RRUL): four bulk flows in each direction, marked with four DSCP "
    "classes, and probes that measure the latency under load.",
    "cross-traffic": "Background traffic: UDP at a constant rate, and TCP bursts of random length.",
    "web-over-bulk": "Web pages that load while a download fills the link. The pages start first, so that both states "
    "can be compared.",
    "voip-under-load": "Calls with two flows each, and a download that starts later. Shows the effect on the speech "
    "quality.",
}


@dataclass(frozen=True)
class MixSettings:
    """The settings of a mix: its two nodes, and the others by name."""

    source: str
    destination: str
    settings: tuple[tuple[str, Any], ...]


def default_settings(name: str) -> dict[str, Any]:
    """The settings of a mix with their initial values."""
    parameters = inspect.signature(MIXES[name][1]).parameters.values()
    return {
        parameter.name: parameter.default
        for parameter in parameters
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }


def mix_flows(topology: Topology, name: str, settings: MixSettings) -> tuple[Flow, ...]:
    """The flows of a mix.

    Raises:
        TopologyError: the settings are invalid for this topology.
    """
    try:
        flows = mix(name, topology, settings.source, settings.destination, **dict(settings.settings))
    except ValidationError as problem:
        field = str(problem.errors()[0]["loc"][0]) if problem.errors()[0]["loc"] else ""
        raise TopologyError(reason(problem), field={"count": "number"}.get(field, field)) from None
    set_flows(topology, (*topology.flows, *flows))
    return flows


def flows_summary(flows: Sequence[Flow]) -> str:
    """The text about the flows to be added, one line per flow."""
    lines = [f"{flow.id}: {flow_summary(flow, flow.congestion_control)}" for flow in flows]
    count = sum(flow.count for flow in flows)
    return "\n".join([f"Adds {count} flow{'s' if count > 1 else ''}:", *lines])


def _field(name: str, names: Callable[[], list[str]]) -> Field:
    label, kind, about = SETTINGS[name]

    def put(settings: MixSettings, value: Any) -> MixSettings:
        return replace(settings, settings=tuple({**dict(settings.settings), name: value}.items()))

    lens = Lens(lambda settings: dict(settings.settings)[name], put, (name,))
    if kind is kinds.CONGESTION_CONTROL:
        return Field(name, label, kind, about, lens=lens, offers=lambda context, root: names())
    return Field(name, label, kind, about, lens=lens)


def _tabs(
    document: Document, name: str, describe: Callable[[MixSettings], str], added_controls: tuple[str, ...]
) -> tuple[Tab, ...]:
    def names() -> list[str]:
        return control_names(document.topology, added_controls)

    ends = kinds.choice({node.name: node.name for node in document.topology.nodes if node.kind in ADDRESSED})
    return (
        Tab(
            MIXES[name][0],
            (
                Field("source", "From", ends, "The node that sends the data."),
                Field("destination", "To", ends, "The node that receives the data."),
                *(_field(setting, names) for setting in default_settings(name)),
                text_part(lambda context, settings: describe(settings)),
            ),
            about=DESCRIPTIONS[name],
        ),
    )


def ask_mix(
    parent: tk.Misc,
    document: Document,
    name: str,
    ends: tuple[str, str],
    ui: float,
    added: Callable[[Sequence[Flow]], object] = lambda flows: None,
    defaults: dict[str, Any] | None = None,
    added_controls: tuple[str, ...] = (),
) -> FormDialog:
    """Open the dialog of a mix.

    Args:
        parent: the window over which it opens.
        document: the document that gets the flows.
        name: the name of the mix, one of `MIXES`.
        ends: the initial source and destination; empty for none.
        ui: scaling of the screen.
        added: called with the flows that were added.
        defaults: initial values of some settings, instead of those of the mix.
        added_controls: congestion controls that the user has added for all labs.
    """
    settings = default_settings(name)
    settings |= {setting: value for setting, value in (defaults or {}).items() if setting in settings}

    def describe(mix_settings: MixSettings) -> str:
        try:
            return flows_summary(mix_flows(document.topology, name, mix_settings))
        except TopologyError:
            return ""

    def refuse(values: tuple[MixSettings, ...]) -> tuple[str, str] | None:
        try:
            mix_flows(document.topology, name, values[0])
        except TopologyError as error:
            field = error.field if error.field in (*settings, "source", "destination") else ""
            return field, with_remedy(error.message, error.remedy)
        return None

    def apply(values: tuple[MixSettings, ...]) -> str:
        topology = document.topology
        try:
            flows = mix_flows(topology, name, values[0])
        except TopologyError as error:
            return error_words(error)
        document.apply(f"Add {MIXES[name][0]}", set_flows(topology, (*topology.flows, *flows)))
        added(flows)
        return ""

    # The initial settings are valid, so that the button accepts them unchanged.
    initial = MixSettings("", "", tuple(settings.items()))
    dialog = FormDialog(
        parent, MIXES[name][0], _tabs(document, name, describe, added_controls), (initial,), ui, apply, refuse=refuse
    )
    dialog.ok_button.configure(text="Add")
    # Apply would add the flows again when it is pressed again.
    dialog.apply_button.pack_forget()
    dialog.draft.put_all({"source": ends[0], "destination": ends[1]})
    dialog.on_close = document.listen(lambda old, new: dialog.draft.rebase((initial,)))
    return dialog
