"""The form of the preferences of a topology."""

from __future__ import annotations

import re
from dataclasses import replace
from ipaddress import IPv4Network

from frrlib.checks.check import RUNNABLE
from frrlib.model.quantities import InvalidQuantity
from frrlib.model.topology import KernelParameter
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.forms.switch import SWITCH_TYPES
from miniedit_frr.dialogs.parts import FieldGroup, Tab


def _network_fault(text: str) -> str:
    try:
        network = kinds.NETWORK.read(text)
    except ValueError as wrong:
        return str(wrong)
    return "" if isinstance(network, IPv4Network) else "must be an IPv4 network, as in 10.0.0.0/8"


def _number_fault(text: str) -> str:
    return "" if not text or re.fullmatch("[0-9]{1,9}", text) else "must be a whole number"


def _read_parameters(text: str) -> tuple[KernelParameter, ...]:
    parameters = []
    for word in text.split():
        name, _, value = word.partition("=")
        try:
            parameters.append(KernelParameter(name=name, value=int(value)))
        except ValueError:
            raise InvalidQuantity(f"{word} must have the form tcp_NAME.PARAMETER=NUMBER") from None
    return tuple(parameters)


def _read_kinds(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.replace(",", " ").split()))
    for name in names:
        if name not in RUNNABLE:
            raise InvalidQuantity(f"{name} is not a kind of error with which a lab can run, such as wrong-as")
    return names


_KINDS = kinds.TextKind(_read_kinds, " ".join, width=44)
_PARAMETERS = kinds.TextKind(_read_parameters, lambda value: " ".join(map(str, value)), width=44)
_DIGITS = kinds.words(_number_fault, width=12)
_P = "preferences"

PREFERENCES = (
    Tab(
        "General",
        (
            Field("title", "Title", replace(kinds.TEXT, width=44), "A short description of the drawing."),
            Field(f"{_P}.ip_base", "IP base", kinds.words(_network_fault, width=18),
                  "Network for hosts without an address, if the drawing has no router."),
            Field(f"{_P}.switch_type", "Default switch", kinds.choice(SWITCH_TYPES),
                  "Used by switches of type Default."),
            Field("shown_folders", "Folders shown", kinds.FOLDERS,
                  "Folders of this machine that the lab can read, besides the folder of the drawing, such as "
                  "data:~/servers.", hint="none"),
            Field("copied_folders", "Folders copied", kinds.FOLDERS,
                  "Folders that are copied into the lab, up to 512 MiB. The lab may change its copy, which is deleted "
                  "with the lab.", hint="none"),
            FieldGroup(
                "Open vSwitch",
                (
                    Field(f"{_P}.openflow.of10", "OpenFlow 1.0", kinds.flag()),
                    Field(f"{_P}.openflow.of11", "OpenFlow 1.1", kinds.flag()),
                    Field(f"{_P}.openflow.of12", "OpenFlow 1.2", kinds.flag()),
                    Field(f"{_P}.openflow.of13", "OpenFlow 1.3", kinds.flag()),
                    Field(f"{_P}.dpctl", "DPCTL port", kinds.PORT,
                          "TCP port on which all switches listen for ovs-ofctl.",
                          hint="none"),
                ),
            ),
            FieldGroup(
                "Terminals",
                (
                    Field(f"{_P}.terminal_type", "Default terminal",
                          kinds.suggestion(("xterm", "gterm")),
                          "Program for terminals of a lab, unless your own preferences name another one."),
                    Field(f"{_P}.start_cli", "Start CLI", kinds.flag(),
                          "Open a terminal in the lab's outermost namespace when the lab starts. MiniEdit opens its "
                          "command line instead."),
                ),
            ),
        ),
    ),
    Tab(
        "Kernel",
        (
            Field("kernel_modules", "Kernel modules", kinds.FOLDERS,
                  "C files of your own congestion controls (tcp_NAME.c) and queueing disciplines (sch_NAME.c), with "
                  "colons between them. They are compiled when a lab starts in a lab kernel.", hint="none"),
            Field("kernel_parameters", "Kernel parameters", _PARAMETERS,
                  "Constants of congestion controls and queueing disciplines in a lab kernel, such as "
                  "tcp_bbr3.beta=200.", hint="none"),
        ),
    ),
    Tab(
        "Exercise",
        (
            Field("intended_problems", "Intended problems", _KINDS,
                  "Kinds of errors with which the lab runs all the same, such as wrong-as, with blanks between them. "
                  "Why? of an error adds its kind.", hint="none"),
        ),
    ),
    Tab(
        "sFlow and NetFlow",
        (
            FieldGroup(
                "sFlow profile",
                (
                    Field(f"{_P}.sflow.target", "Target", kinds.TEXT,
                          "Collector of the samples, such as 10.0.0.9:6343.",
                          hint="none"),
                    Field(f"{_P}.sflow.sampling", "Sampling", _DIGITS, "Sample one packet in every N."),
                    Field(f"{_P}.sflow.header", "Header", _DIGITS,
                          "Bytes of each packet that are sent to the collector."),
                    Field(f"{_P}.sflow.polling", "Polling", _DIGITS, "Seconds between two reports of counters."),
                ),
            ),
            FieldGroup(
                "NetFlow profile",
                (
                    Field(f"{_P}.netflow.target", "Target", kinds.TEXT,
                          "Collector of the flow records, such as 10.0.0.9:2055.",
                          hint="none"),
                    Field(f"{_P}.netflow.active_timeout", "Active timeout", _DIGITS,
                          "Seconds between two reports of an active flow."),
                    Field(f"{_P}.netflow.add_id_to_interface", "Add ID to interface", kinds.flag()),
                ),
            ),
        ),
    ),
)  # fmt: skip
