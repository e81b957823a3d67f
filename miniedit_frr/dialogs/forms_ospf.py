"""The forms of OSPF: version 2 for IPv4, version 3 for IPv6."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from frrlib.model.routing import Ospf, Ospf6, OspfArea, OspfInterface
from miniedit_frr.dialogs import kinds, router_parts
from miniedit_frr.dialogs.fields import Field
from miniedit_frr.dialogs.forms_routing import (
    AS_ROUTER,
    COST,
    at_interfaces,
    begins,
    list_of_interfaces,
    redistribution,
)
from miniedit_frr.dialogs.lists import Table
from miniedit_frr.dialogs.parts import Group, Part
from miniedit_frr.dialogs.quantities import COUNT, RATE_MBIT, WHOLE_S
from miniedit_frr.dialogs.sheets import Surroundings
from miniedit_frr.dialogs.timers import timer_buttons

_KINDS = {
    "normal": "normal", "stub": "stub", "totally-stub": "totally stub", "nssa": "NSSA", "totally-nssa": "totally NSSA",
}  # fmt: skip
_TYPES = {
    "auto": "automatic", "point-to-point": "point-to-point", "broadcast": "broadcast",
    "point-to-multipoint": "point-to-multipoint", "non-broadcast": "non-broadcast",
}  # fmt: skip
_TIMERS = (
    "Lab timers: hellos each second, a lost neighbour is missed after 4 s, and nothing waits; made to be watched. "
    "FRR's own: 10 s and 40 s; made for large networks that must not wear themselves out."
)
_AT_ONCE = "Shortest paths 10 ms after a change, link states sent and taken without a pause. Off: FRR waits, up to 5 s."


def _new_area(around: Surroundings, value: Any, rows: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    return (str(len(rows) + 1), "stub" if not rows else "normal", "")


def _areas(path: str) -> Field:
    columns = (
        Field("area", "Area", kinds.AREA),
        Field("kind", "Kind", kinds.choice(_KINDS)),
        Field("ranges", "Ranges announced to other areas", kinds.NETWORKS, hint="none"),
    )
    help = "Stub areas take no external routes, NSSA only their own; say the same on all routers of the area."
    return Field(path, "Areas", Table(columns, OspfArea, _new_area, "area", empty="All areas are normal ones.",
                                      weights=(2, 3, 6)), help)  # fmt: skip


def _more(above: str, version: int) -> tuple[Part, ...]:
    """The settings of an interface that have no column."""
    key: tuple[Field, ...] = ()
    if version == 2:
        key = (
            Field(f"{above}key", "Key", kinds.KEY_16, "Authenticates packets; the same at both ends.", hint="none"),
            Field(f"{above}key_id", "Key ID", kinds.quantity(COUNT), "1 to 255: MD5 with it; 0: a plain password."),
        )  # fmt: skip
    return (
        Field(f"{above}network_type", "Network type", kinds.choice(_TYPES),
              "Automatic: point-to-point where two routers share the link."),
        Field(f"{above}hello_s", "Hello interval", kinds.quantity(WHOLE_S, True), "The same on both ends of a link.",
              hint="the router's"),
        Field(f"{above}dead_s", "Dead interval", kinds.quantity(WHOLE_S, True), "Usually four hello intervals.",
              hint="the router's"),
        Field(f"{above}priority", "Priority", kinds.quantity(COUNT, True), "To be designated router; 0: never.",
              hint="1"),
        *key,
        Field(f"{above}bfd", "BFD", AS_ROUTER, "Watches the neighbours in milliseconds."),
    )  # fmt: skip


def _interfaces(protocol: str, version: int) -> Field:
    columns = (
        Field("settings.area", "Area", kinds.OPTIONAL_AREA, hint="the router's"),
        COST,
        Field("settings.passive", "Passive", kinds.flag()),
    )
    help = "Passive interfaces are announced and form no adjacency; those to hosts are passive anyway."
    return at_interfaces(protocol, OspfInterface, columns, _more("settings.", version), help, True, (4, 5, 3, 2, 2))


def _listed(path: str) -> Field:
    columns = (
        Field("area", "Area", kinds.OPTIONAL_AREA, hint="the VRF's"), Field("passive", "Passive", kinds.flag()),
    )  # fmt: skip
    return list_of_interfaces(path, OspfInterface, columns, _more("", 2))


def ospf_group(above: str, version: int = 2, vrf: bool = False) -> Group:
    """The form of OSPF.

    Args:
        above: path of the router ("node.") or of the VRF ("").
        version: 2 or 3.
        vrf: whether it is that of a VRF.
    """
    protocol = "ospf" if version == 2 else "ospf6"
    path = f"{above}{protocol}"
    called = "OSPF" if version == 2 else "OSPFv3"
    rate = kinds.quantity(replace(RATE_MBIT, whole=True), True)
    switch = Field(path, f"Run {called} {'in this VRF' if vrf else 'on this router'}",
                   begins(protocol, Ospf if version == 2 else Ospf6))  # fmt: skip
    identity = Field(f"{path}.router_id", "Router ID", kinds.ROUTER_ID,
                     "Empty: the lowest loopback, else the lowest address.",
                     hint="automatic" if vrf else router_parts.identity_hint)  # fmt: skip
    return Group(
        "",
        (
            identity,
            Field(f"{path}.area", "Area", kinds.AREA, "Of every interface that names no other, as in 0 or 0.0.0.1."),
            _listed(f"{path}.interfaces") if vrf else _interfaces(protocol, version),
            Group(
                "Timers",
                (
                    timer_buttons(path, Ospf if version == 2 else Ospf6, _TIMERS),
                    Field(f"{path}.hello_s", "Hello interval", kinds.quantity(WHOLE_S),
                          "The same on both ends of a link."),
                    Field(f"{path}.dead_s", "Dead interval", kinds.quantity(WHOLE_S), "Usually four hello intervals."),
                    Field(f"{path}.lab_timers", "React at once", kinds.flag(), _AT_ONCE),
                    Field(f"{path}.point_to_point", "Point-to-point links", kinds.flag(),
                          "Two routers on a link elect no designated router, so they are neighbours at once."),
                    Field(f"{path}.bfd", "BFD", kinds.flag(),
                          "Lost neighbours are noticed in milliseconds, not after the dead interval."),
                ),
            ),
            Group(
                "Paths and other routes",
                (
                    Field(f"{path}.reference_mbit", "Reference bandwidth", rate,
                          "A link of this rate costs 1; the same on all routers.", hint="100000"),
                    Field(f"{path}.maximum_paths", "Equal paths", kinds.quantity(COUNT, True),
                          "How many are used at once.", hint="all"),
                    Field(f"{path}.default_originate", "Announce a default route", kinds.flag(),
                          "To all other routers, whether it has one or not."),
                    redistribution(f"{path}.redistribute", protocol),
                    _areas(f"{path}.areas"),
                ),
            ),
        ),
        switch,
    )  # fmt: skip
