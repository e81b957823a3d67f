"""Golden drawings of the protocols within an AS: each as it comes, and with every setting."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from frrlib.model.topology import Topology
from frrlib.network.network import (
    Bfd,
    Isis,
    IsisInterface,
    Ospf,
    Ospf6,
    OspfArea,
    OspfInterface,
    PrefixList,
    PrefixRule,
    Redistribution,
    Rip,
    RipInterface,
    Ripng,
    RouteMap,
    RouteMapEntry,
)
from tests.golden.pair import alike, pair


def ospf_all() -> Topology:
    """Every setting of OSPFv2 somewhere."""
    return pair(
        "OSPFv2 with every setting",
        {
            "ospf": Ospf(
                router_id=ip_address("1.1.1.1"),
                area="0.0.0.0",
                interfaces=(
                    OspfInterface(interface="lo", area="5"),
                    OspfInterface(interface="r1-eth0", area="5", passive=True),
                    OspfInterface(
                        interface="r1-eth1", network_type="point-to-multipoint", hello_s=1, dead_s=4, priority=0,
                        key="secret", key_id=3, bfd=False,
                    ),
                    OspfInterface(interface="r1-eth2", network_type="non-broadcast", key="plain", bfd=True),
                ),
                areas=(
                    OspfArea(area="5", kind="totally-stub", ranges=(ip_network("10.1.0.0/16"),)),
                    OspfArea(area="6", kind="nssa"),
                    OspfArea(area="0.0.0.7", kind="totally-nssa"),
                    OspfArea(area="8", kind="stub"),
                    OspfArea(area="9", ranges=(ip_network("10.9.0.0/16"), ip_network("fd00:9::/32"))),
                ),
                point_to_point=False,
                hello_s=2,
                dead_s=9,
                lab_timers=False,
                reference_mbit=1000,
                maximum_paths=4,
                redistribute=(
                    Redistribution(source="connected", route_map="ours"),
                    Redistribution(source="static", metric=20),
                    Redistribution(source="bgp"),
                ),
                default_originate=True,
                bfd=True,
            ),
            "bfd": Bfd(transmit_ms=50, receive_ms=60, detect_multiplier=4),
            "prefix_lists": (
                PrefixList(name="ours", rules=(PrefixRule(prefix=ip_network("10.0.0.0/8"), at_most=24),)),
            ),
            "route_maps": (RouteMap(name="ours", entries=(RouteMapEntry(sequence=10, match_prefix_list="ours"),)),),
        },
        {
            "ospf": Ospf(
                interfaces=(
                    OspfInterface(
                        interface="r2-eth0", network_type="point-to-multipoint", hello_s=1, dead_s=4, key="secret",
                        key_id=3, bfd=False,
                    ),
                    OspfInterface(
                        interface="r2-eth1", network_type="non-broadcast", hello_s=2, dead_s=9, key="plain"
                    ),
                ),
                bfd=True,
            ),
            "bfd": Bfd(),
        },
    )  # fmt: skip


def ospf6_all() -> Topology:
    """Every setting of OSPFv3 somewhere."""
    return pair(
        "OSPFv3 with every setting",
        {
            "ospf6": Ospf6(
                router_id=ip_address("1.1.1.1"),
                interfaces=(
                    OspfInterface(interface="lo", area="5"),
                    OspfInterface(interface="r1-eth0", area="5", passive=True),
                    OspfInterface(
                        interface="r1-eth1", network_type="broadcast", hello_s=1, dead_s=4, priority=0, bfd=False
                    ),
                    OspfInterface(interface="r1-eth2", bfd=True),
                ),
                areas=(
                    OspfArea(area="5", kind="totally-stub", ranges=(ip_network("fd00:1::/32"),)),
                    OspfArea(area="6", kind="nssa"),
                    OspfArea(area="0.0.0.7", kind="totally-nssa"),
                ),
                point_to_point=False,
                hello_s=2,
                dead_s=9,
                lab_timers=False,
                reference_mbit=1000,
                maximum_paths=4,
                redistribute=(
                    Redistribution(source="connected"),
                    Redistribution(source="static", metric=20),
                    Redistribution(source="ripng"),
                ),
                default_originate=True,
                bfd=True,
            ),
            "bfd": Bfd(),
        },
        {
            "ospf6": Ospf6(
                interfaces=(
                    OspfInterface(interface="r2-eth0", network_type="broadcast", hello_s=1, dead_s=4),
                    OspfInterface(interface="r2-eth1", hello_s=2, dead_s=9, bfd=True),
                )
            )
        },
    )


def isis_all() -> Topology:
    """Every setting of IS-IS somewhere."""
    return pair(
        "IS-IS with every setting",
        {
            "isis": Isis(
                area="49.0002",
                system_id="0000.0000.00a1",
                level="1-2",
                interfaces=(
                    IsisInterface(interface="r1-eth0", passive=True, metric=5),
                    IsisInterface(
                        interface="r1-eth1", level="2", metric=16_777_215, network_type="broadcast", hello_s=1,
                        hello_multiplier=3, key="secret", bfd=False,
                    ),
                    IsisInterface(interface="r1-eth2", level="1"),
                ),
                point_to_point=False,
                hello_s=2,
                hello_multiplier=4,
                lab_timers=False,
                redistribute=(
                    Redistribution(source="connected"),
                    Redistribution(source="ospf", metric=20),
                    Redistribution(source="ospf6"),
                ),
                default_originate=True,
                key="domain",
                overload=True,
                bfd=True,
            ),
            "bfd": Bfd(),
        },
        {
            "isis": Isis(
                area="49.0002",
                level="1",
                key="domain",
                point_to_point=False,
                bfd=True,
                interfaces=(IsisInterface(interface="r2-eth0", passive=True),),
            )
        },
    )  # fmt: skip


def rip_all() -> Topology:
    """Every setting of RIP and RIPng somewhere."""
    return pair(
        "RIP and RIPng with every setting",
        {
            "rip": Rip(
                interfaces=(
                    RipInterface(interface="r1-eth0", passive=True),
                    RipInterface(interface="r1-eth1", split_horizon="poison", key="secret", key_id=3),
                    RipInterface(interface="r1-eth2", split_horizon="off", key="plain"),
                ),
                update_s=5,
                timeout_s=15,
                garbage_s=10,
                redistribute=(Redistribution(source="static", metric=2), Redistribution(source="ospf")),
                default_originate=True,
            ),
            "ripng": Ripng(
                interfaces=(
                    RipInterface(interface="r1-eth1", split_horizon="poison"),
                    RipInterface(interface="r1-eth2", split_horizon="off", passive=True),
                ),
                update_s=5,
                timeout_s=15,
                garbage_s=10,
                redistribute=(Redistribution(source="static", metric=2), Redistribution(source="ospf6")),
                default_originate=True,
            ),
        },
        {
            "rip": Rip(
                interfaces=(
                    RipInterface(interface="r2-eth0", key="secret", key_id=3),
                    RipInterface(interface="r2-eth1", key="plain"),
                ),
                update_s=5,
                timeout_s=15,
                garbage_s=10,
            ),
            "ripng": Ripng(update_s=5, timeout_s=15, garbage_s=10),
        },
    )


ALL = {
    "ospf-plain": lambda: alike("OSPFv2 as it comes", ospf=Ospf()),
    "ospf-all": ospf_all,
    "ospf6-plain": lambda: alike("OSPFv3 as it comes", ospf6=Ospf6()),
    "ospf6-all": ospf6_all,
    "isis-plain": lambda: alike("IS-IS as it comes", isis=Isis()),
    "isis-all": isis_all,
    "isis-ipv4": lambda: alike("IS-IS for IPv4 only, within an area", isis=Isis(level="1", ipv6=False, area="49")),
    "rip-plain": lambda: alike("RIP and RIPng as they come", rip=Rip(), ripng=Ripng()),
    "rip-all": rip_all,
}
