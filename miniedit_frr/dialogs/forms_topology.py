"""Forms of what belongs to the whole drawing: its preferences, its flows, and what a run waits for."""

from __future__ import annotations

import re
from dataclasses import replace
from ipaddress import IPv4Network
from typing import Any

from frrlib.model.edits.naming import fresh_flow_ids
from frrlib.model.flows import Flow
from frrlib.model.nodes import ADDRESSED
from miniedit_frr.dialogs import kinds
from miniedit_frr.dialogs.fields import Field, Group, Lens, Tab, Table
from miniedit_frr.dialogs.forms_switch import SWITCH_TYPES
from miniedit_frr.dialogs.quantities import COUNT, SIZE_BYTES, TIME_S
from miniedit_frr.dialogs.sheets import Surroundings


def _network_fault(text: str) -> str:
    try:
        network = kinds.NETWORK.read(text)
    except ValueError as wrong:
        return str(wrong)
    return "" if isinstance(network, IPv4Network) else "must be an IPv4 network, as in 10.0.0.0/8"


def _number_fault(text: str) -> str:
    return "" if not text or re.fullmatch("[0-9]{1,9}", text) else "must be a whole number"


_DIGITS = kinds.words(_number_fault, width=12)
_P = "preferences"

PREFERENCES = (
    Tab(
        "General",
        (
            Field("title", "Title", kinds.TEXT, "A few words on what the drawing shows."),
            Field(f"{_P}.ip_base", "IP base", kinds.words(_network_fault, width=18),
                  "Network of hosts without an address, where no router is drawn."),
            Field(f"{_P}.switch_type", "Default switch", kinds.choice(SWITCH_TYPES),
                  "What a switch of type Default is."),
            Group(
                "Open vSwitch",
                (
                    Field(f"{_P}.openflow.of10", "OpenFlow 1.0", kinds.flag()),
                    Field(f"{_P}.openflow.of11", "OpenFlow 1.1", kinds.flag()),
                    Field(f"{_P}.openflow.of12", "OpenFlow 1.2", kinds.flag()),
                    Field(f"{_P}.openflow.of13", "OpenFlow 1.3", kinds.flag()),
                    Field(f"{_P}.dpctl", "DPCTL port", kinds.PORT, "Passive listening port of all switches.",
                          hint="none"),
                ),
            ),
            Group(
                "In MiniEdit",
                (
                    Field(f"{_P}.terminal_type", "Default terminal",
                          kinds.suggestion(("xterm", "gterm")), "Kept for MiniEdit; yours is in your own preferences."),
                    Field(f"{_P}.start_cli", "Start CLI", kinds.flag(),
                          "Whether MiniEdit opens Mininet's command line."),
                ),
            ),
        ),
    ),
    Tab(
        "sFlow and NetFlow",
        (
            Group(
                "sFlow profile",
                (
                    Field(f"{_P}.sflow.target", "Target", kinds.TEXT, "Where samples go, as in 10.0.0.9:6343.",
                          hint="none"),
                    Field(f"{_P}.sflow.sampling", "Sampling", _DIGITS, "One packet of so many."),
                    Field(f"{_P}.sflow.header", "Header", _DIGITS, "Bytes of each sampled packet."),
                    Field(f"{_P}.sflow.polling", "Polling", _DIGITS, "Seconds between counters."),
                ),
            ),
            Group(
                "NetFlow profile",
                (
                    Field(f"{_P}.netflow.target", "Target", kinds.TEXT, "Where records go, as in 10.0.0.9:2055.",
                          hint="none"),
                    Field(f"{_P}.netflow.active_timeout", "Active timeout", _DIGITS, "Seconds."),
                    Field(f"{_P}.netflow.add_id_to_interface", "Add ID to interface", kinds.flag()),
                ),
            ),
        ),
    ),
)  # fmt: skip

# --- flows --------------------------------------------------------------------------------------------------------

_ENDS = {"duration_s": TIME_S, "size_bytes": SIZE_BYTES}


def _until(flow: Flow) -> tuple[str, float | int] | None:
    return next(((name, getattr(flow, name)) for name in _ENDS if getattr(flow, name) is not None), None)


def _flow(until: tuple[str, float | int], **fields: Any) -> Flow:
    ends: dict[str, Any] = {name: until[1] if name == until[0] else None for name in _ENDS}
    return Flow(**fields, **ends)


def _with_until(flow: Flow, until: tuple[str, float | int]) -> Flow:
    others = {name: getattr(flow, name) for name in Flow.model_fields if name not in _ENDS}
    return _flow(until, **others)


def _new_flow(around: Surroundings, value: Any, rows: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """A flow from the first end system to the last, as the last flow is in all else."""
    taken = {row[0] for row in rows}
    name = next(each for each in fresh_flow_ids(around.topology) if each not in taken)
    if rows:
        return (name, *rows[-1][1:])
    ends = around.names("host") if len(around.names("host")) > 1 else around.names(*ADDRESSED)
    source, destination = ends[0] if ends else "", ends[-1] if len(ends) > 1 else ""
    return (name, source, destination, around.congestion_control, "0", "10 s", "1")


def _flow_table(around: Surroundings) -> Table:
    ends = {name: name for name in around.names(*ADDRESSED)}
    until = replace(kinds.measured(_ENDS), widget="line")
    columns = (
        Field("id", "Name", kinds.words(_flow_id_fault, width=6)),
        Field("source", "From", kinds.choice(ends)),
        Field("destination", "To", kinds.choice(ends)),
        Field("congestion_control", "Congestion control", replace(kinds.CONGESTION_CONTROL, width=9)),
        Field("start_s", "Starts at", replace(kinds.quantity(TIME_S), width=7)),
        Field("until", "Sends for", replace(until, width=10), lens=Lens(_until, _with_until, tuple(_ENDS))),
        Field("count", "Count", replace(kinds.quantity(COUNT), width=5)),
    )
    return Table(columns, _flow, _new_flow, "flow", empty="No flows: a run then only waits for the routes.",
                 weights=(2, 3, 3, 3, 2, 3, 1))  # fmt: skip


def _flow_id_fault(text: str) -> str:
    if not text:
        return "is missing"
    odd = next((letter for letter in text if letter.isspace() or letter in ',"/'), "")
    return f"has {odd!r} in it" if odd else ""


FLOWS = (
    Tab(
        "Flows",
        (Field("flows", "", _flow_table,
               "TCP data, from one node to another. It sends for a time (10 s) or until so much is sent (5 MB); count "
               "is how many equal ones run side by side."),),
    ),
    Tab(
        "What to wait for",
        (
            Field("wait.routes", "All routes", kinds.flag(),
                  "Begin when every router has every route that its protocols should bring."),
            Field("wait.timeout_s", "At most", kinds.quantity(TIME_S), "A run that waits longer has failed."),
            Field("wait.ping_count", "Pings before", kinds.quantity(COUNT),
                  "Between the ends of each flow, to know the path at rest; 0 for none."),
        ),
    ),
)  # fmt: skip
