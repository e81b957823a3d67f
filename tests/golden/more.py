"""Golden drawings of additions to a protocol: static routes, BFD, VRFs, PIM, LDP, lines of one's own."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from frrlib.model.topology import Topology
from frrlib.network.network import (
    Bfd,
    BfdPeer,
    Bgp,
    BgpNeighbor,
    Ldp,
    Ospf,
    OspfInterface,
    Pim,
    PimInterface,
    PimRp,
    StaticRoute,
    Vrf,
)
from tests.golden.pair import pair


def statics() -> Topology:
    """Static routes, and BFD between routers without a protocol."""
    return pair(
        "Static routes, watched by BFD",
        {
            "static_routes": (
                StaticRoute(prefix=ip_network("10.7.0.0/16"), via=ip_address("10.12.0.2")),
                StaticRoute(prefix=ip_network("10.7.0.0/16"), via=ip_address("10.123.0.2"), distance=200),
                StaticRoute(prefix=ip_network("fd00:7::/32"), via=ip_address("fd00:12::2")),
                StaticRoute(prefix=ip_network("10.255.0.2/32"), via=ip_address("10.12.0.2")),
                StaticRoute(prefix=ip_network("10.8.0.0/16"), via="blackhole"),
                StaticRoute(prefix=ip_network("fd00:8::/32"), via="reject", distance=250),
            ),
            "bfd": Bfd(
                peers=(
                    BfdPeer(address=ip_address("10.12.0.2")),
                    BfdPeer(
                        address=ip_address("fd00:12::2"), interface="r1-eth1", local_address=ip_address("fd00:12::1")
                    ),
                    BfdPeer(address=ip_address("10.255.0.2"), multihop=True, local_address=ip_address("10.255.0.1")),
                )
            ),
        },
        {
            "bfd": Bfd(
                peers=(
                    BfdPeer(address=ip_address("10.12.0.1")),
                    BfdPeer(address=ip_address("fd00:12::1"), interface="r2-eth0"),
                    BfdPeer(address=ip_address("10.255.0.1"), multihop=True, local_address=ip_address("10.255.0.2")),
                )
            ),
            "static_routes": (StaticRoute(prefix=ip_network("10.255.0.1/32"), via=ip_address("10.12.0.1")),),
        },
    )  # fmt: skip


def vrfs() -> Topology:
    """Two routing tables beside the default one."""
    return pair(
        "VRFs with OSPF, BGP and static routes",
        {
            "ospf": Ospf(),
            "vrfs": (
                Vrf(
                    name="red",
                    table=10,
                    interfaces=("r1-eth0", "r1-eth1"),
                    ospf=Ospf(interfaces=(OspfInterface(interface="r1-eth1", hello_s=1, dead_s=4),), bfd=True),
                    static_routes=(StaticRoute(prefix=ip_network("10.7.0.0/16"), via=ip_address("10.12.0.2")),),
                ),
                Vrf(
                    name="blue",
                    table=20,
                    interfaces=("r1-eth2",),
                    bgp=Bgp(asn=65001, neighbors=(BgpNeighbor(address=ip_address("10.123.0.2"), remote_as=65002),)),
                ),
            ),
        },
        {"bgp": Bgp(asn=65002, neighbors=(BgpNeighbor(address=ip_address("10.123.0.1"), remote_as=65001),))},
    )


def own_lines() -> Topology:
    """Lines of one's own, merged into the generated ones."""
    return pair(
        "OSPFv2 with lines of one's own",
        {
            "ospf": Ospf(),
            "frr_conf": "interface r1-eth1\n ip ospf cost 3\n no ip ospf network point-to-point\n description to r2\n"
            "router ospf\n no timers throttle lsa all 0\n distance 90\n"
            "route-map only permit 10\n match ip address prefix-list some\n set src 10.255.0.1\n"
            "ip prefix-list some seq 5 permit 10.0.0.0/8 le 32\nip protocol ospf route-map only",
        },
        {"ospf": Ospf(), "frr_conf": "debug ospf nsm\ninterface r2-eth0\n ip ospf mtu-ignore"},
    )


def pim_all() -> Topology:
    """PIM and IGMP over OSPF."""
    rp = PimRp(address=ip_address("10.255.0.1"))
    return pair(
        "PIM sparse mode over OSPF",
        {
            "ospf": Ospf(),
            "pim": Pim(
                interfaces=(
                    PimInterface(interface="r1-eth0", joins=(ip_address("239.1.1.1"),)),
                    PimInterface(interface="r1-eth1", priority=100, igmp=True),
                    PimInterface(interface="r1-eth2", pim=False),
                ),
                rendezvous_points=(rp, PimRp(address=ip_address("10.255.0.2"), groups=ip_network("239.2.0.0/16"))),
                hello_s=1,
            ),
        },
        {"ospf": Ospf(), "pim": Pim(rendezvous_points=(rp,))},
    )


def ldp() -> Topology:
    """LDP over OSPF."""
    return pair(
        "LDP over OSPF",
        {"ospf": Ospf(), "ldp": Ldp()},
        {"ospf": Ospf(), "ldp": Ldp(router_id=ip_address("10.255.0.2"), interfaces=("r2-eth0",), hello_s=1, hold_s=4)},
    )


ALL = {"static-bfd": statics, "vrf": vrfs, "own-lines": own_lines, "pim": pim_all, "ldp": ldp}
