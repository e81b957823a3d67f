"""The form of routers: addresses, protocols, policies, daemons, and the resulting frr.conf."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

from frrlib.model.nodes import Router
from frrlib.model.routing import Daemon
from miniedit_frr.dialogs import kinds, router_parts
from miniedit_frr.dialogs.fields import Field
from miniedit_frr.dialogs.forms_bgp import bgp_group
from miniedit_frr.dialogs.forms_isis import ISIS
from miniedit_frr.dialogs.forms_ospf import ospf_group
from miniedit_frr.dialogs.forms_policies import POLICIES
from miniedit_frr.dialogs.forms_rip import RIP, RIPNG
from miniedit_frr.dialogs.forms_services import BFD, LDP, PIM
from miniedit_frr.dialogs.forms_shared import (
    COMMANDS,
    DRAWN,
    ROUTER_INTERFACES,
    name_field,
    words_table,
)
from miniedit_frr.dialogs.forms_vrf import VRFS, static_routes
from miniedit_frr.dialogs.parts import Custom, Part, Tab

_LOOPBACKS = words_table(
    "node.loopbacks", "Address on lo", kinds.INTERFACE, "loopback address", "Automatic where FRR runs.",
    "Addresses of the router itself, up whatever its links do.",
)  # fmt: skip
_DAEMONS = Field(
    "node.daemons", "", kinds.checks(get_args(Daemon)),
    "FRR's daemons to run besides those that the settings need. None at all: it only forwards.",
    hint=router_parts.needed_words, given=router_parts.needed_daemons,
)  # fmt: skip


def _says(*names: str) -> Callable[[Any], bool]:
    """Whether a router's sheet gives any of some settings."""

    def says(sheet: Any) -> bool:
        return isinstance(sheet.node, Router) and any(getattr(sheet.node, name) for name in names)

    return says


def _protocol(title: str, name: str, about: str, *parts: Part) -> Tab:
    return Tab(title, parts, section="Protocols", about=about, runs=lambda sheet: getattr(sheet.node, name) is not None)


ROUTER = (
    Tab("Properties", (name_field("Hostname"), replace(_LOOPBACKS, label="Loopbacks"), COMMANDS, DRAWN),
        section="Router"),
    replace(ROUTER_INTERFACES, section="Router"),
    _protocol("OSPF", "ospf", "Finds the shortest paths for IPv4 within one network. One tick on every router makes it "
              "work: all are in area 0, and each announces its networks.", ospf_group("node.")),
    _protocol("OSPFv3", "ospf6", "The same for IPv6. It runs beside OSPF, with settings of its own; costs are those of "
              "OSPF.", ospf_group("node.", 3)),
    _protocol("IS-IS", "isis", "Finds the shortest paths for IPv4 and IPv6 at once, as large providers' networks do. "
              "One tick on every router makes it work.", ISIS),
    _protocol("RIP", "rip", "Counts hops, for IPv4 (version 2): simple and slow. At most 15 on a path.",
              RIP),
    _protocol("RIPng", "ripng", "The same for IPv6.", RIPNG),
    _protocol("BGP", "bgp", "Exchanges routes between autonomous systems, and within one, by policies. It speaks to "
              "the neighbours that are listed, and announces the networks that are listed.", bgp_group("node.")),
    _protocol("BFD", "bfd", "Notices in milliseconds that a neighbour is gone. The protocols ask for it on their "
              "pages; here are its intervals.", BFD),
    _protocol("PIM", "pim", "Leads multicast from sources to receivers (sparse mode, IPv4). It needs a unicast "
              "protocol beside it.", PIM),
    _protocol("LDP", "ldp", "Gives every route of the other protocols an MPLS label. It needs OSPF or IS-IS beside it, "
              "and a lab kernel with MPLS.", LDP),
    Tab("Static Routes", (static_routes("node.static_routes"),), section="Routes",
        about="Routes that nobody announces.", runs=_says("static_routes")),
    Tab("Policies", POLICIES, section="Routes", about="Which routes are taken and told, and how they are changed.",
        runs=_says("prefix_lists", "community_lists", "as_path_lists", "route_maps")),
    Tab("VRFs", (VRFS,), section="Routes", about="Several routing tables on one router, apart from each other.",
        runs=_says("vrfs")),
    Tab("Daemons", (_DAEMONS,), section="FRR", runs=_says("daemons")),
    Tab("frr.conf", (Custom("frr_conf", router_parts.configuration,
                            (Field("node.frr_conf", "Lines of your own", kinds.LINES),)),),
        section="FRR", runs=_says("frr_conf")),
)  # fmt: skip
