"""The form of VRFs, each with its interfaces, static routes and protocols."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from frrlib.model.protocols.vrf import unused_table
from frrlib.model.routing import StaticRoute, Vrf
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.lists import RowsKind, TableKind
from miniedit_frr.dialogs.fields.quantities import COUNT
from miniedit_frr.dialogs.forms.bgp import bgp_group
from miniedit_frr.dialogs.forms.ospf import ospf_group
from miniedit_frr.dialogs.forms.routing import interface_names
from miniedit_frr.dialogs.parts import FieldGroup
from miniedit_frr.dialogs.sheets import FormContext


def static_routes(path: str) -> Field:
    """A field with static routes."""
    columns = (
        Field("prefix", "Destination", kinds.NETWORK),
        Field("via", "Via", kinds.NEXT_HOP),
        Field("distance", "Distance", replace(kinds.quantity(COUNT, True), width=8), hint="1"),
    )
    table = TableKind(columns, StaticRoute, lambda context, value, rows: ("", "", ""), "static route",
                      empty="No static routes.", weights=(4, 4, 2))  # fmt: skip
    help = (
        "Destination 0.0.0.0/0 is the default route. Via is the address of the next router; blackhole drops packets, "
        "reject also sends an ICMP error. The route with the lowest distance to a destination is used."
    )
    return Field(path, "", table, help)


def _new(context: FormContext, root: Any, rows: tuple[Any, ...]) -> dict[str, kinds.Content]:
    return {
        "name": f"vrf{len(rows) + 1}", "table": str(unused_table(rows)),
    }  # fmt: skip


VRFS = Field(
    "node.vrfs", "",
    RowsKind(
        (Field("name", "Name", kinds.VRF), Field("table", "Table", replace(kinds.quantity(COUNT), width=7))),
        (
            Field("interfaces", "Interfaces", kinds.checks(()),
                  "Interfaces that belong to this VRF. An interface belongs to one VRF.",
                  offers=interface_names),
            FieldGroup("Static routes", (static_routes("static_routes"),)),
            FieldGroup("OSPF", (ospf_group("", vrf=True),)),
            FieldGroup("BGP", (bgp_group("", vrf=True),)),
        ),
        Vrf(name="vrf"), _new, "VRF", lambda vrf: f"VRF {vrf.name}", "All interfaces use the default routing table.",
        (3, 2),
    ),
    "Separate routing tables (VRFs) on one router, each with its own interfaces. They need a lab kernel with VRF "
    "devices.",
)  # fmt: skip
