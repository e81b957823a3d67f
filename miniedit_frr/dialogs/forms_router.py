"""The form of routers: addresses, protocols, daemons, and what becomes of them in frr.conf."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

from frrlib.model.routing import Bgp, BgpNeighbor, Daemon, Ospf, StaticRoute
from miniedit_frr.dialogs import kinds, router_parts
from miniedit_frr.dialogs.fields import Custom, Field, Group, Lens, Tab, Table
from miniedit_frr.dialogs.forms_shared import (
    CALLED,
    COMMANDS,
    COST,
    DRAWN,
    FAR,
    ROUTER_INTERFACES,
    is_cable,
    name_field,
    words_table,
)
from miniedit_frr.dialogs.quantities import COUNT, WHOLE_MS, WHOLE_S
from miniedit_frr.dialogs.sheets import Interface, Sheet

_LOOPBACKS = words_table(
    "node.loopbacks", "Address on lo", kinds.INTERFACE, "loopback address", "Automatic where FRR runs.",
    "Addresses of the router itself, up whatever its links do.",
)  # fmt: skip


def _ospf_rows() -> Field:
    area = Field("area", "Area", kinds.OPTIONAL_AREA, hint="the router's")
    columns = (CALLED, FAR, area, replace(COST, label="Cost"), Field("passive", "Passive", kinds.flag()))
    covers = Lens(lambda value: value.interfaces, _put_rows, ("interfaces", "node.ospf.areas", "node.ospf.passive"))
    table = Table(columns, None, None, "interface", weights=(4, 5, 3, 2, 2), closed=_has_no_cost)
    help = "Passive interfaces are announced and form no adjacency; those to hosts are passive anyway."
    return Field("ospf_interfaces", "Interfaces", table, help, single=True, lens=covers)


def _put_rows(value: Sheet, rows: Any) -> Sheet:
    return Sheet(node=value.node, interfaces=rows)


def _has_no_cost(row: Interface, column: str) -> bool:
    return column == COST.path and not is_cable(row)


OSPF_PART = Field("node.ospf", "Run OSPF on this router", kinds.part(Ospf))
_OSPF = Group(
    "",
    (
        Field("node.ospf.router_id", "Router ID", kinds.ROUTER_ID,
              "Empty: the lowest loopback, else the lowest address.", hint=router_parts.identity_hint),
        Field("node.ospf.area", "Area", kinds.AREA, "Of every interface that names no other, as in 0 or 0.0.0.1."),
        Field("node.ospf.hello_s", "Hello interval", kinds.quantity(WHOLE_S), "The same on both ends of a link."),
        Field("node.ospf.dead_s", "Dead interval", kinds.quantity(WHOLE_S), "Usually four hello intervals."),
        Field("node.ospf.point_to_point", "Point-to-point links", kinds.flag(),
              "Two routers on a link elect no designated router, so they are neighbours at once."),
        Field("node.ospf.lab_timers", "Lab timers", kinds.flag(),
              "React at once. Off: FRR's own timers, which wait up to seconds."),
        _ospf_rows(),
    ),
    OSPF_PART,
)  # fmt: skip

_NETWORKS = replace(
    words_table(
        "node.bgp.networks", "Prefix", kinds.NETWORK, "network", "Announces nothing of its own.",
        "Prefixes it announces; each must be connected or a static route.", router_parts.new_network,
    ),
    label="Networks",
)  # fmt: skip
_NEIGHBORS = Field(
    "node.bgp.neighbors", "Neighbours",
    Table(
        (Field("address", "Address", kinds.IP),
         Field("remote_as", "Remote AS", replace(kinds.quantity(COUNT), width=12)),
         Field("description", "Description", kinds.words(kinds.description_fault))),
        BgpNeighbor, router_parts.new_neighbor, "neighbour", empty="No sessions.", weights=(3, 2, 4),
    ),
    "A session to each; the router there must name this one too.",
)  # fmt: skip
_BGP = Group(
    "",
    (
        Field("node.bgp.asn", "AS number", kinds.quantity(COUNT),
              "The router's autonomous system; 64512 to 65534 are private."),
        Field("node.bgp.router_id", "Router ID", kinds.ROUTER_ID,
              "Empty: the lowest loopback, else the lowest address.", hint=router_parts.identity_hint),
        _NETWORKS,
        _NEIGHBORS,
        Field("node.bgp.connect_retry_s", "Connect retry", kinds.quantity(WHOLE_S),
              "Between attempts to open a session; FRR's own is 120 s."),
        Field("node.bgp.coalesce_ms", "Gather changes for", kinds.quantity(WHOLE_MS),
              "Before neighbours are told; FRR's own is 1000 ms."),
        Field("node.bgp.requires_policy", "Require a policy", kinds.flag(),
              "External sessions without a route-map then exchange nothing (RFC 8212)."),
    ),
    Field("node.bgp", "Run BGP on this router",
          lambda around: kinds.part(lambda: Bgp(asn=router_parts.free_asn(around)))),
)  # fmt: skip

_STATIC = Field(
    "node.static_routes", "",
    Table(
        (Field("prefix", "Destination", kinds.NETWORK), Field("via", "Via", kinds.IP)),
        StaticRoute, lambda around, value, rows: ("", ""), "static route", empty="No static routes.", weights=(1, 1),
    ),
    "Destination 0.0.0.0/0 is the default route.",
)  # fmt: skip

_DAEMONS = Field(
    "node.daemons", "", kinds.checks(get_args(Daemon)),
    "FRR's daemons to run besides those that the settings need. None at all: it only forwards.",
    hint=router_parts.needed_daemons,
)  # fmt: skip

ROUTER = (
    Tab("Properties", (name_field("Hostname"), replace(_LOOPBACKS, label="Loopbacks"), COMMANDS, DRAWN)),
    ROUTER_INTERFACES,
    Tab("OSPF", (_OSPF,)),
    Tab("BGP", (_BGP,)),
    Tab("Static Routes", (_STATIC,)),
    Tab("Daemons", (_DAEMONS,)),
    Tab("frr.conf", (Custom("frr_conf", router_parts.configuration,
                            (Field("node.frr_conf", "Lines of your own", kinds.LINES),)),)),
)  # fmt: skip
