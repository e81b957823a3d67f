"""The forms of OSPF: version 2 for IPv4, version 3 for IPv6."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from frrlib.model.routing import Ospf, Ospf6, OspfArea, OspfInterface
from miniedit_frr.dialogs import router_parts
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.lists import TableKind
from miniedit_frr.dialogs.fields.quantities import COUNT, RATE_MBIT, WHOLE_S
from miniedit_frr.dialogs.forms.routing import (
    AS_ROUTER,
    COST,
    interface_list,
    interface_settings,
    protocol_switch,
    redistribution,
)
from miniedit_frr.dialogs.parts import FieldGroup, Part
from miniedit_frr.dialogs.sheets import FormContext
from miniedit_frr.dialogs.timers import timer_buttons

_KINDS = {
    "normal": "normal", "stub": "stub", "totally-stub": "totally stub", "nssa": "NSSA", "totally-nssa": "totally NSSA",
}  # fmt: skip
_TYPES = {
    "auto": "automatic", "point-to-point": "point-to-point", "broadcast": "broadcast",
    "point-to-multipoint": "point-to-multipoint", "non-broadcast": "non-broadcast",
}  # fmt: skip
_TIMERS = (
    "Lab timers: a hello every second, a lost neighbor is detected after 4 s, and routes follow at once. FRR's "
    "defaults: a hello every 10 s, a loss is detected after 40 s, and delays protect large networks from overload."
)
_AT_ONCE = (
    "Compute routes 10 ms after a change, and send and accept LSAs without delay. Off: FRR's delays of up to 5 s."
)


def _new_area(context: FormContext, value: Any, rows: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    return (str(len(rows) + 1), "stub" if not rows else "normal", "")


def _areas(path: str) -> Field:
    columns = (
        Field("area", "Area", kinds.AREA),
        Field("kind", "Kind", kinds.choice(_KINDS)),
        Field("ranges", "Ranges announced to other areas", kinds.NETWORKS, hint="none"),
    )
    help = (
        "Stub areas accept no external routes; an NSSA accepts only its own. Use the same kind on all routers of an "
        "area."
    )
    return Field(path, "Areas", TableKind(columns, OspfArea, _new_area, "area", empty="All areas are normal areas.",
                                          weights=(2, 3, 6)), help)  # fmt: skip


def _details(above: str, version: int) -> tuple[Part, ...]:
    """The settings of an interface without a column."""
    key: tuple[Field, ...] = ()
    if version == 2:
        key = (
            Field(f"{above}key", "Key", kinds.KEY_16,
                  "Authenticates OSPF packets; the same key on both ends of the link.", hint="none"),
            Field(f"{above}key_id", "Key ID", kinds.quantity(COUNT),
                  "1 to 255: MD5 with this key number. 0: plain-text password."),
        )  # fmt: skip
    return (
        Field(f"{above}network_type", "Network type", kinds.choice(_TYPES),
              "Automatic: point-to-point if the link joins exactly two routers, otherwise broadcast."),
        Field(f"{above}hello_s", "Hello interval", kinds.quantity(WHOLE_S, True),
              "Time between hellos; the same on all routers of the link.",
              hint="the router's"),
        Field(f"{above}dead_s", "Dead interval", kinds.quantity(WHOLE_S, True),
              "A neighbor is lost after this long without a hello. Usually four hello intervals.",
              hint="the router's"),
        Field(f"{above}priority", "Priority", kinds.quantity(COUNT, True),
              "In the election of the designated router, 0 to 255. The highest wins; 0: never elected.",
              hint="1"),
        *key,
        Field(f"{above}bfd", "BFD", AS_ROUTER, "Detect a lost neighbor in milliseconds."),
        Field(f"{above}mtu_ignore", "Ignore MTU", kinds.flag(), "Accept a neighbor with a larger MTU (mtu-ignore)."),
    )  # fmt: skip


def _interfaces(protocol: str, version: int) -> Field:
    columns = (
        Field("settings.area", "Area", kinds.OPTIONAL_AREA, hint="the router's"),
        COST,
        Field("settings.passive", "Passive", kinds.flag()),
    )
    help = (
        "The network of a passive interface is announced, but no adjacency is formed. Interfaces to hosts are always "
        "passive."
    )
    return interface_settings(
        protocol, OspfInterface, columns, _details("settings.", version), help, True, (4, 5, 3, 2, 2)
    )


def _interface_list(path: str) -> Field:
    columns = (
        Field("area", "Area", kinds.OPTIONAL_AREA, hint="the VRF's"), Field("passive", "Passive", kinds.flag()),
    )  # fmt: skip
    return interface_list(path, OspfInterface, columns, _details("", 2))


def ospf_group(above: str, version: int = 2, vrf: bool = False) -> FieldGroup:
    """The form of OSPF.

    Args:
        above: path of the router ("node.") or of the VRF ("").
        version: 2 or 3.
        vrf: whether the form is for a VRF.
    """
    protocol = "ospf" if version == 2 else "ospf6"
    path = f"{above}{protocol}"
    name = "OSPF" if version == 2 else "OSPFv3"
    rate = kinds.quantity(replace(RATE_MBIT, whole=True), True)
    switch = Field(path, f"Run {name} {'in this VRF' if vrf else 'on this router'}",
                   protocol_switch(protocol, Ospf if version == 2 else Ospf6))  # fmt: skip
    identity = Field(f"{path}.router_id", "Router ID", kinds.ROUTER_ID,
                     "Empty: the lowest loopback address, otherwise the lowest address.",
                     hint="automatic" if vrf else router_parts.router_id_hint)  # fmt: skip
    return FieldGroup(
        "",
        (
            identity,
            Field(f"{path}.area", "Area", kinds.AREA,
                  "Area of all interfaces that set no other area, such as 0 or 0.0.0.1."),
            _interface_list(f"{path}.interfaces") if vrf else _interfaces(protocol, version),
            FieldGroup(
                "Timers",
                (
                    timer_buttons(path, Ospf if version == 2 else Ospf6, _TIMERS),
                    Field(f"{path}.hello_s", "Hello interval", kinds.quantity(WHOLE_S),
                          "Time between hellos; the same on all routers of a link."),
                    Field(f"{path}.dead_s", "Dead interval", kinds.quantity(WHOLE_S),
                          "A neighbor is lost after this long without a hello. Usually four hello intervals."),
                    Field(f"{path}.lab_timers", "React at once", kinds.flag(), _AT_ONCE),
                    Field(f"{path}.point_to_point", "Point-to-point links", kinds.flag(),
                          "Links between two routers elect no designated router, so the adjacency forms faster."),
                    Field(f"{path}.bfd", "BFD", kinds.flag(),
                          "Detect lost neighbors in milliseconds instead of after the dead interval."),
                ),
            ),
            FieldGroup(
                "Paths and other routes",
                (
                    Field(f"{path}.reference_mbit", "Reference bandwidth", rate,
                          "Interfaces of this rate have cost 1. Use the same value on all routers.", hint="100000"),
                    Field(f"{path}.maximum_paths", "Equal paths", kinds.quantity(COUNT, True),
                          "Maximum number of equal-cost paths to install.", hint="all"),
                    Field(f"{path}.default_originate", "Announce a default route", kinds.flag(),
                          "Announced to all other routers, even if this router has no default route."),
                    redistribution(f"{path}.redistribute", protocol),
                    _areas(f"{path}.areas"),
                ),
            ),
        ),
        switch,
    )  # fmt: skip
