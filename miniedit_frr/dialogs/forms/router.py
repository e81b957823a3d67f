"""The form of routers: addresses, protocols, policies, daemons, and the resulting frr.conf."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

from frrlib.model.nodes import Router
from frrlib.model.routing import Daemon
from miniedit_frr.dialogs import router_parts
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.forms.bgp import bgp_group
from miniedit_frr.dialogs.forms.isis import ISIS
from miniedit_frr.dialogs.forms.ospf import ospf_group
from miniedit_frr.dialogs.forms.policies import POLICIES
from miniedit_frr.dialogs.forms.rip import RIP, RIPNG
from miniedit_frr.dialogs.forms.services import BFD, LDP, PIM
from miniedit_frr.dialogs.forms.shared import APPEARANCE, COMMANDS, ROUTER_INTERFACES, name_field, single_column_table
from miniedit_frr.dialogs.forms.vrf import VRFS, static_routes
from miniedit_frr.dialogs.parts import CustomWidget, Part, Tab

_LOOPBACKS = single_column_table(
    "node.loopbacks", "Address on lo", kinds.INTERFACE, "loopback address", "Automatic if FRR runs.",
    "Addresses of the router itself. They stay up when links go down.",
)  # fmt: skip
_DAEMONS = Field(
    "node.daemons", "", kinds.checks(get_args(Daemon)),
    "FRR daemons to run in addition to those that the settings need. Without any daemon the router only forwards "
    "packets.",
    hint=router_parts.needed_daemons_text, required=router_parts.needed_daemons,
)  # fmt: skip


def _any_setting_of(*names: str) -> Callable[[Any], bool]:
    """A function that returns whether any of some settings of a router is set."""

    def is_any_set(sheet: Any) -> bool:
        return isinstance(sheet.node, Router) and any(getattr(sheet.node, name) for name in names)

    return is_any_set


def _protocol(title: str, name: str, about: str, *parts: Part) -> Tab:
    return Tab(title, parts, section="Protocols", about=about, runs=lambda sheet: getattr(sheet.node, name) is not None)


ROUTER = (
    Tab("Properties", (name_field("Hostname"), replace(_LOOPBACKS, label="Loopbacks"), COMMANDS, APPEARANCE),
        section="Router"),
    replace(ROUTER_INTERFACES, section="Router"),
    _protocol("OSPF", "ospf",
              "Computes shortest paths for IPv4 within one network. Enable it on every router: all interfaces are in "
              "area 0, and each router announces its networks.", ospf_group("node.")),
    _protocol("OSPFv3", "ospf6",
              "Computes shortest paths for IPv6. It runs independently of OSPF, with its own settings. Costs are "
              "those of OSPF.", ospf_group("node.", 3)),
    _protocol("IS-IS", "isis",
              "Computes shortest paths for IPv4 and IPv6, as in the networks of large providers. Enable it on every "
              "router.", ISIS),
    _protocol("RIP", "rip",
              "Selects IPv4 routes by hop count (version 2). Simple and slow. A path has at most 15 hops.",
              RIP),
    _protocol("RIPng", "ripng", "RIP for IPv6.", RIPNG),
    _protocol("BGP", "bgp",
              "Exchanges routes between and within autonomous systems, controlled by policies. It connects to the "
              "neighbors listed below and announces the networks listed below.", bgp_group("node.")),
    _protocol("BFD", "bfd",
              "Detects a lost neighbor in milliseconds. Enable it on the page of a protocol; this page sets its "
              "intervals.", BFD),
    _protocol("PIM", "pim",
              "Routes multicast from sources to receivers (sparse mode, IPv4). It needs a unicast routing protocol.",
              PIM),
    _protocol("LDP", "ldp",
              "Assigns an MPLS label to every route of the IGP. It needs OSPF or IS-IS, and a lab kernel with MPLS.",
              LDP),
    Tab("Static Routes", (static_routes("node.static_routes"),), section="Routes",
        about="Routes configured by hand.", runs=_any_setting_of("static_routes")),
    Tab("Policies", POLICIES, section="Routes", about="Filters and changes for received and advertised routes.",
        runs=_any_setting_of("prefix_lists", "community_lists", "as_path_lists", "route_maps")),
    Tab("VRFs", (VRFS,), section="Routes", about="Several separate routing tables on one router.",
        runs=_any_setting_of("vrfs")),
    Tab("Daemons", (_DAEMONS,), section="FRR", runs=_any_setting_of("daemons")),
    Tab("frr.conf", (CustomWidget("frr_conf", router_parts.make_conf_page,
                                  (Field("node.frr_conf", "Lines of your own", kinds.LINES),)),),
        section="FRR", runs=_any_setting_of("frr_conf")),
)  # fmt: skip
