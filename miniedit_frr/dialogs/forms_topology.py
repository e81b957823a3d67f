"""The form of the preferences of a drawing."""

from __future__ import annotations

import re
from dataclasses import replace
from ipaddress import IPv4Network

from miniedit_frr.dialogs import kinds
from miniedit_frr.dialogs.fields import Field
from miniedit_frr.dialogs.forms_switch import SWITCH_TYPES
from miniedit_frr.dialogs.parts import Group, Tab


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
            Field("title", "Title", replace(kinds.TEXT, width=44), "A few words on what the drawing shows."),
            Field(f"{_P}.ip_base", "IP base", kinds.words(_network_fault, width=18),
                  "Network of hosts without an address, where no router is drawn."),
            Field(f"{_P}.switch_type", "Default switch", kinds.choice(SWITCH_TYPES),
                  "What a switch of type Default is."),
            Field("shown_folders", "Folders shown", kinds.FOLDERS,
                  "That the lab sees, read-only, besides the drawing's own; as in data:~/servers.", hint="none"),
            Field("copied_folders", "Folders copied", kinds.FOLDERS,
                  "Of which the lab has a copy of its own that it may change and that goes with it.", hint="none"),
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
                "Terminals",
                (
                    Field(f"{_P}.terminal_type", "Default terminal",
                          kinds.suggestion(("xterm", "gterm")),
                          "What terminals of a lab open in, unless your own preferences name a program."),
                    Field(f"{_P}.start_cli", "Start CLI", kinds.flag(),
                          "Opens a terminal in the lab's outermost namespace when a lab runs; in MiniEdit, its command "
                          "line."),
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
