"""The form of hosts, with MiniEdit's four pages and one for the interfaces."""

from __future__ import annotations

import re
from dataclasses import replace

from frrlib.model.nodes import Host, PrivateDirectory, VlanInterface
from frrlib.model.tcp import TcpTuning
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field, Lens
from miniedit_frr.dialogs.fields.lists import TableKind
from miniedit_frr.dialogs.fields.quantities import BDP, COUNT, PACKETS, PERCENT, SIZE_BYTES
from miniedit_frr.dialogs.forms.shared import (
    APPEARANCE,
    COMMANDS,
    EXTERNAL,
    HOST_INTERFACES,
    congestion_controls,
    name_field,
)  # fmt: skip
from miniedit_frr.dialogs.parts import FieldGroup, Tab
from miniedit_frr.dialogs.sheets import FormContext, NodeSheet

_VLANS = Field(
    "node.vlan_interfaces", "",
    TableKind(
        (Field("address", "IP address", kinds.INTERFACE),
         Field("vlan_id", "VLAN ID", replace(kinds.quantity(COUNT), width=10), "1 to 4094")),
        VlanInterface, lambda context, value, rows: ("", str(_next_vlan(rows))), "VLAN interface",
        empty="No VLAN interfaces.", weights=(3, 1),
    ),
    "Tagged subinterfaces (802.1Q) of the first interface, each with its own address.",
)  # fmt: skip


def _next_vlan(rows: tuple[tuple[str, ...], ...]) -> int:
    used = [int(row[1]) for row in rows if re.fullmatch("[0-9]{1,4}", row[1])]
    return min(max(used, default=9) + 1, 4094)


_DIRECTORIES = Field(
    "node.private_directories", "",
    TableKind(
        (Field("path", "Directory", kinds.PATH), Field("persistent", "Stored in",
                                                    kinds.TEXT, hint="a temporary directory")),
        PrivateDirectory, lambda context, value, rows: ("/var/run", ""), "private directory",
        empty="No private directories.", weights=(1, 1),
    ),
    "Directories that only this host sees. Files stored in a directory of this machine are kept for the next run.",
)  # fmt: skip


def _default_route_hint(context: FormContext, value: NodeSheet) -> str:
    full = context.filled.node(value.node.name)
    return str(full.default_route) if isinstance(full, Host) and full.default_route else "automatic"


_YES_NO = {None: "the kernel's default (yes)", True: "yes", False: "no"}
_ECN = {
    None: "the kernel's default (answer)",
    "off": "off: never ECN-capable",
    "on": "on: request ECN",
    "answer": "answer: ECN if requested",
}
_BUFFERS = {"buffer_bytes": SIZE_BYTES, "buffer_bdp": BDP}


def _buffer(tcp: TcpTuning) -> tuple[str, float | int] | None:
    return next(((name, getattr(tcp, name)) for name in _BUFFERS if getattr(tcp, name) is not None), None)


def _with_buffer(tcp: TcpTuning, buffer: tuple[str, float | int] | None) -> TcpTuning:
    settings = {name: getattr(tcp, name) for name in TcpTuning.model_fields if name not in _BUFFERS}
    return TcpTuning.model_validate({**settings, **({buffer[0]: buffer[1]} if buffer else {})})


TCP = Tab(
    "TCP",
    (
        FieldGroup(
            "Sending",
            (
                Field("node.tcp.pacing", "fq pacing", kinds.flag(),
                      "The fq qdisc paces packets on interfaces whose link direction has no rate."),
                Field("node.tcp.initial_window_packets", "Initial window", kinds.quantity(PACKETS, optional=True),
                      "Packets sent before the first ACK (initcwnd).", hint="10"),
                Field("node.tcp.slow_start_after_idle", "Slow start after idle", kinds.mapped(_YES_NO),
                      "Reset the congestion window after an idle period."),
                Field("node.tcp.notsent_lowat_bytes", "Unsent data", kinds.quantity(SIZE_BYTES, optional=True),
                      "Maximum unsent data in a socket (tcp_notsent_lowat).", hint="no limit"),
            ),
        ),
        FieldGroup(
            "Both directions",
            (
                Field("node.tcp.initial_receive_window_packets", "Initial receive window",
                      kinds.quantity(PACKETS, optional=True),
                      "Packets that the other end may send before the first ACK (initrwnd).",
                      hint="default"),
                Field("node.tcp.ecn", "ECN", kinds.mapped(_ECN),
                      "Explicit congestion notification: queues mark packets instead of dropping them."),
                Field("node.tcp.sack", "SACK", kinds.mapped(_YES_NO),
                      "Selective acknowledgments: ACKs report data received after a gap."),
                Field("node.tcp.buffer", "Maximum buffer", kinds.measured(_BUFFERS, none="default"),
                      "Socket buffers as the kernel counts them, or data in bandwidth-delay products (BDP) of the "
                      "host's largest flow.",
                      lens=Lens(_buffer, _with_buffer, tuple(_BUFFERS))),
                Field("node.tcp.saves_metrics", "Cache metrics", kinds.flag(),
                      "Reuse RTT and slow start threshold of ended connections. Runs then depend on each other."),
            ),
        ),
    ),
    about="TCP settings of this host. Settings left at their default follow the kernel.",
)  # fmt: skip

HOST = (
    Tab(
        "Properties",
        (
            name_field("Hostname"),
            Field("node.default_route", "Default route", kinds.OPTIONAL_IP,
                  "Address of the gateway. Empty: the first router in the host's first network.",
                  hint=_default_route_hint),
            Field("node.congestion_control", "Congestion control", kinds.USUAL_OR_CONGESTION_CONTROL,
                  "Default TCP congestion control of the host. Settings of a link or a flow take precedence.",
                  hint="the kernel's default", offers=congestion_controls),
            FieldGroup(
                "Processor",
                (
                    Field("node.cpu_percent", "Share", kinds.quantity(PERCENT, optional=True),
                          "Percentage of all processors of this machine.", hint="no limit"),
                    Field("node.scheduler", "Scheduler",
                          kinds.choice({"host": "none", "cfs": "cfs (fair share)", "rt": "rt (real time)"}),
                          "The scheduler that enforces the share."),
                    Field("node.cores", "Cores", kinds.CORES, "Processors that the host may use, such as 0,1 or 0-3.",
                          hint="all"),
                ),
            ),
            COMMANDS,
            APPEARANCE,
        ),
    ),
    HOST_INTERFACES,
    TCP,
    Tab("VLAN Interfaces", (_VLANS,)),
    Tab("External Interfaces", (EXTERNAL,)),
    Tab("Private Directories", (_DIRECTORIES,)),
)  # fmt: skip
