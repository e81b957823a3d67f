"""The form of hosts, with MiniEdit's four pages and one for the interfaces."""

from __future__ import annotations

import re
from dataclasses import replace

from frrlib.model.nodes import Host, PrivateDirectory, VlanInterface
from miniedit_frr.dialogs import kinds
from miniedit_frr.dialogs.fields import Field, Group, Tab, Table
from miniedit_frr.dialogs.forms_shared import (
    COMMANDS,
    DRAWN,
    EXTERNAL,
    HOST_INTERFACES,
    name_field,
)
from miniedit_frr.dialogs.quantities import COUNT, PERCENT
from miniedit_frr.dialogs.sheets import Sheet, Surroundings

_VLANS = Field(
    "node.vlan_interfaces", "",
    Table(
        (Field("address", "IP address", kinds.INTERFACE),
         Field("vlan_id", "VLAN ID", replace(kinds.quantity(COUNT), width=10), "1 to 4094")),
        VlanInterface, lambda around, value, rows: ("", str(_next_vlan(rows))), "VLAN interface",
        empty="No VLAN interfaces.", weights=(3, 1),
    ),
    "Tagged sub-interfaces of the first interface, each with its address.",
)  # fmt: skip


def _next_vlan(rows: tuple[tuple[str, ...], ...]) -> int:
    used = [int(row[1]) for row in rows if re.fullmatch("[0-9]{1,4}", row[1])]
    return min(max(used, default=9) + 1, 4094)


_DIRECTORIES = Field(
    "node.private_directories", "",
    Table(
        (Field("path", "Folder", kinds.PATH), Field("persistent", "Kept in", kinds.TEXT, hint="a temporary folder")),
        PrivateDirectory, lambda around, value, rows: ("/var/run", ""), "private directory",
        empty="No private directories.", weights=(1, 1),
    ),
    "Folders that are this host's own. What is kept in a folder of the machine is still there in the next run.",
)  # fmt: skip


def _default_route_hint(around: Surroundings, value: Sheet) -> str:
    full = around.filled.node(value.node.name)
    return str(full.default_route) if isinstance(full, Host) and full.default_route else "automatic"


HOST = (
    Tab(
        "Properties",
        (
            name_field("Hostname"),
            Field("node.default_route", "Default route", kinds.OPTIONAL_IP,
                  "Address of the gateway. Empty: the first router in its first network.", hint=_default_route_hint),
            Field("node.congestion_control", "Congestion control", kinds.USUAL_OR_CONGESTION_CONTROL,
                  "Default of its sockets.", hint="the kernel's"),
            Group(
                "Processor",
                (
                    Field("node.cpu_percent", "Share", kinds.quantity(PERCENT, optional=True),
                          "Of all processors.", hint="no limit"),
                    Field("node.scheduler", "Scheduler",
                          kinds.choice({"host": "none", "cfs": "cfs (fair share)", "rt": "rt (real time)"}),
                          "What keeps the host to its share."),
                    Field("node.cores", "Cores", kinds.CORES, "Processors it may use, as in 0,1 or 0-3.", hint="all"),
                ),
            ),
            COMMANDS,
            DRAWN,
        ),
    ),
    HOST_INTERFACES,
    Tab("VLAN Interfaces", (_VLANS,)),
    Tab("External Interfaces", (EXTERNAL,)),
    Tab("Private Directories", (_DIRECTORIES,)),
)  # fmt: skip
