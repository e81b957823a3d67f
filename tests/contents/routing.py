"""Contents that a router's dialog can put into its routing: at least two different ones for each field."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any

from frrlib.model.routing import (
    AsPathList,
    AsPathRule,
    Bfd,
    BfdPeer,
    Bgp,
    BgpAggregate,
    BgpNeighbor,
    BgpPeerGroup,
    BgpUnnumbered,
    CommunityList,
    CommunityRule,
    Isis,
    IsisInterface,
    Ldp,
    Ospf,
    Ospf6,
    OspfArea,
    OspfInterface,
    Pim,
    PimInterface,
    PimRp,
    PrefixList,
    PrefixRule,
    Redistribution,
    Rip,
    RipInterface,
    Ripng,
    RouteMap,
    RouteMapEntry,
    StaticRoute,
    Vrf,
)

_ROUTE = StaticRoute(prefix=ip_network("10.3.0.0/16"), via=ip_address("10.9.0.2"))
_OUT = RouteMapEntry(
    sequence=10, match_prefix_list="ours", set_local_preference=200, set_communities=("65001:100",), prepend=(65_001,)
)
#: Names of interfaces are those of drawings that are made by hand, so that renames have something to follow.
_NAMES = ("r1-eth0", "r2-eth1")

#: The fields of a router that say how it routes.
ROUTING: dict[str, tuple[Any, ...]] = {
    "ospf": (
        None,
        Ospf(),
        Ospf(area="0.0.0.1", hello_s=1, dead_s=3, lab_timers=False, bfd=True),
        Ospf(
            interfaces=(OspfInterface(interface=_NAMES[0], area="2", key="secret", key_id=3, priority=0),),
            areas=(OspfArea(area="2", kind="stub", ranges=(IPv4Network("10.0.0.0/8"),)),),
            redistribute=(Redistribution(source="static", metric=7, route_map="out"),),
            reference_mbit=1000,
        ),
    ),
    "ospf6": (
        None,
        Ospf6(area="1"),
        Ospf6(
            interfaces=(OspfInterface(interface=_NAMES[1], network_type="broadcast", bfd=False),),
            areas=(OspfArea(area="1", kind="nssa", ranges=(IPv6Network("2001:db8::/32"),)),),
        ),
    ),
    "isis": (
        None,
        Isis(),
        Isis(level="1-2", ipv6=False, interfaces=(IsisInterface(interface=_NAMES[0], level="1", metric=5),)),
    ),
    "rip": (None, Rip(update_s=5), Rip(interfaces=(RipInterface(interface=_NAMES[0], key="k", key_id=1),))),
    "ripng": (None, Ripng(), Ripng(interfaces=(RipInterface(interface=_NAMES[1], split_horizon="poison"),))),
    "bgp": (
        None,
        Bgp(
            asn=65_001,
            networks=(ip_network("10.0.0.0/16"),),
            neighbors=(BgpNeighbor(address=ip_address("10.9.0.2"), remote_as=65_002),),
        ),
        Bgp(
            asn=100,
            neighbors=(BgpNeighbor(address=ip_address("10.9.0.2"), remote_as=200, peer_group="edge", hold_s=9),),
            unnumbered=(BgpUnnumbered(interface=_NAMES[0]),),
            peer_groups=(BgpPeerGroup(name="edge", route_map_out="out"),),
            aggregates=(BgpAggregate(prefix=ip_network("10.0.0.0/8"), summary_only=True),),
            confederation_id=65_000,
            confederation_members=(101, 102),
        ),
    ),
    "bfd": (None, Bfd(), Bfd(transmit_ms=50, peers=(BfdPeer(address=ip_address("10.9.0.2"), interface=_NAMES[0]),))),
    "pim": (
        None,
        Pim(rendezvous_points=(PimRp(address=IPv4Address("10.255.0.1")),)),
        Pim(interfaces=(PimInterface(interface=_NAMES[0], igmp=True, joins=(IPv4Address("239.1.1.1"),)),)),
    ),
    "ldp": (None, Ldp(), Ldp(interfaces=_NAMES)),
    "static_routes": ((), (_ROUTE,), (_ROUTE.model_copy(update={"distance": 200, "via": "blackhole"}),)),
    "vrfs": (
        (),
        (
            Vrf(name="red", interfaces=(_NAMES[0],), static_routes=(_ROUTE,)),
            Vrf(name="blue", table=7, ospf=Ospf(), bgp=Bgp(asn=9, unnumbered=(BgpUnnumbered(interface=_NAMES[1]),))),
        ),
    ),
    "prefix_lists": ((), (PrefixList(name="ours", rules=(PrefixRule(prefix=ip_network("10.0.0.0/8"), at_most=24),)),)),
    "community_lists": ((), (CommunityList(name="far", kind="expanded", rules=(CommunityRule(value="65001:.*"),)),)),
    "as_path_lists": ((), (AsPathList(name="own", rules=(AsPathRule(action="deny", expression="^$"),)),)),
    "route_maps": ((), (RouteMap(name="out", entries=(_OUT, RouteMapEntry(sequence=20, action="deny"))),)),
}  # fmt: skip
