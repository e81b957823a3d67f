"""The drawings of BGP in examples/, as values. Interfaces of a link N between rA and rB have 10.0.N.A and 10.0.N.B."""

from __future__ import annotations

from typing import Any

from frrlib.model.links import End
from frrlib.model.topology import Topology
from frrlib.network.network import (
    AsPathList,
    AsPathRule,
    Bgp,
    BgpAggregate,
    BgpNeighbor,
    BgpPeerGroup,
    BgpUnnumbered,
    CommunityList,
    CommunityRule,
    Network,
    Ospf,
    PrefixList,
    PrefixRule,
    RouteMap,
    RouteMapEntry,
    StaticRoute,
    end,
)

#: An IGP that forms its adjacencies within a second.
_OSPF: dict[str, Any] = {"hello_s": 1, "dead_s": 4}
_INSIDE = BgpPeerGroup(name="inside", remote_as="internal", update_source="lo", next_hop_self=True)


def _loopback(number: int) -> str:
    return f"10.255.0.{number}"


def _session(address: str, remote_as: int, **fields: Any) -> BgpNeighbor:
    return BgpNeighbor.model_validate({"address": address, "remote_as": remote_as, **fields})


def _inside(number: int, remote_as: int, group: str = "inside") -> BgpNeighbor:
    """A session with the loopback of a router of the same AS."""
    return _session(_loopback(number), remote_as, peer_group=group, description=f"r{number}")


def _bgp(asn: int, *neighbors: BgpNeighbor, networks: tuple[str, ...] = (), **fields: Any) -> Bgp:
    return Bgp.model_validate({"asn": asn, "neighbors": neighbors, "networks": networks, **fields})


def _quiet(*interfaces: str) -> Ospf:
    """OSPF that tells of links to other AS, and says nothing on them."""
    rows = [{"interface": name, "passive": True} for name in interfaces]
    return Ospf.model_validate({**_OSPF, "interfaces": rows})


def _join(net: Network, number: int, a: int, b: int) -> None:
    """Link `number` between two routers."""
    net.link(end(f"r{a}", f"10.0.{number}.{a}/24"), end(f"r{b}", f"10.0.{number}.{b}/24"))


def _lan(host: int, router: int, network: str) -> tuple[End, End]:
    """A host at a router, in 10.NETWORK.0/24."""
    return end(f"h{host}", f"10.{network}.100/24"), end(f"r{router}", f"10.{network}.1/24")


def _frame(net: Network, name: str, text: str, left: int, top: int, width: int, height: int, fill: str) -> None:
    net.rectangle(name, text=text, x=left, y=top, width=width, height=height, fill=fill, line="grey")


_BLUE, _GREEN, _YELLOW, _ROSE = "blue", "green", "yellow", "red"


def reflector() -> Topology:
    """An AS of six routers in which two reflect routes to the four others, between two AS of one router each."""
    net = Network("Route reflectors: iBGP without a full mesh")
    _frame(net, "as65000", "AS 65000: OSPF, and iBGP by way of the reflectors r1 and r2", 310, 70, 540, 370, _BLUE)
    _frame(net, "as65101", "AS 65101", 30, 110, 230, 130, _GREEN)
    _frame(net, "as65102", "AS 65102", 900, 290, 230, 130, _YELLOW)
    clients = _INSIDE.model_copy(update={"name": "clients", "route_reflector_client": True})
    net.host("h1", at=(90, 180))
    for number, other, at in ((1, 2, (505, 180)), (2, 1, (505, 360))):
        sessions = [_inside(other, 65000), *(_inside(client, 65000, "clients") for client in (3, 4, 5, 6))]
        bgp = _bgp(65000, *sessions, peer_groups=(_INSIDE, clients))
        net.router(f"r{number}", at=at, loopbacks=(f"{_loopback(number)}/32",), ospf=_OSPF, bgp=bgp)
    outer = {3: _session("10.0.8.7", 65101), 6: _session("10.0.9.8", 65102)}
    quiet = {3: "r3-eth2", 6: "r6-eth2"}
    for number, at in ((3, (370, 180)), (4, (370, 360)), (5, (640, 180)), (6, (640, 360))):
        sessions = [*(_inside(each, 65000) for each in (1, 2)), *([outer[number]] if number in outer else [])]
        bgp = _bgp(65000, *sessions, networks=("10.5.0.0/24",) * (number == 5), peer_groups=(_INSIDE,))
        ospf = _quiet(quiet[number]) if number in quiet else _OSPF
        net.router(f"r{number}", at=at, loopbacks=(f"{_loopback(number)}/32",), ospf=ospf, bgp=bgp)
    for number, asn, peer, at in ((7, 65101, "10.0.8.3", (200, 180)), (8, 65102, "10.0.9.6", (960, 360))):
        bgp = _bgp(asn, _session(peer, 65000), networks=(f"10.{number}.0.0/24",))
        net.router(f"r{number}", at=at, loopbacks=(f"{_loopback(number)}/32",), bgp=bgp)
    net.host("h2", at=(1070, 360))
    net.host("h3", at=(780, 180))
    for link, (a, b) in enumerate(((1, 3), (1, 5), (2, 4), (2, 6), (1, 2), (3, 4), (5, 6), (3, 7), (6, 8)), start=1):
        _join(net, link, a, b)
    net.link(*_lan(1, 7, "7.0"))
    net.link(*_lan(2, 8, "8.0"))
    net.link(*_lan(3, 5, "5.0"))
    return net.topology


def confederation() -> Topology:
    """An AS that is a confederation of two members, between two AS of one router each."""
    net = Network("A confederation: one AS from outside, two inside")
    members = {1: 65010, 2: 65010, 3: 65020, 4: 65020}
    _frame(net, "as65000", "AS 65000, a confederation", 240, 60, 560, 410, _BLUE)
    _frame(net, "as65010", "Member AS 65010", 260, 110, 250, 340, _ROSE)
    _frame(net, "as65020", "Member AS 65020", 530, 110, 250, 340, _ROSE)
    _frame(net, "as65100", "AS 65100", 60, 110, 130, 180, _GREEN)
    _frame(net, "as65200", "AS 65200", 850, 110, 130, 180, _YELLOW)
    outer = {
        1: [_session("10.0.1.5", 65100)],
        2: [_session("10.0.3.3", 65020)],
        3: [_session("10.0.3.2", 65010)],
        4: [_session("10.0.5.6", 65200)],
    }
    quiet = {1: ["r1-eth0"], 4: ["r4-eth1"]}
    for number, asn in members.items():
        other = next(each for each in members if each != number and members[each] == asn)
        bgp = _bgp(
            asn,
            _inside(other, asn),
            *outer[number],
            networks=(f"10.{number}.0.0/24",) * (number in (2, 3)),
            peer_groups=(_INSIDE,),
            confederation_id=65000,
            confederation_members=tuple({65010, 65020} - {asn}),
        )
        ospf = _quiet(*quiet.get(number, []))
        at = (320 + (number - 1) * 130 + 10 * (number > 2), 220)
        net.router(f"r{number}", at=at, loopbacks=(f"{_loopback(number)}/32",), ospf=ospf, bgp=bgp)
    for number, asn, peer, x in ((5, 65100, "10.0.1.1", 125), (6, 65200, "10.0.5.4", 915)):
        loopback = f"{_loopback(number)}/32"
        bgp = _bgp(asn, _session(peer, 65000), networks=(loopback,))
        net.router(f"r{number}", at=(x, 220), loopbacks=(loopback,), bgp=bgp)
    for link, (a, b) in enumerate(((5, 1), (1, 2), (2, 3), (3, 4), (4, 6)), start=1):
        _join(net, link, a, b)
    for host, router in ((1, 2), (2, 3)):
        net.host(f"h{host}", at=(320 + (router - 1) * 130 + 10 * (router > 2), 390))
        net.link(*_lan(host, router, f"{router}.0"))
    return net.topology


def policy() -> Topology:
    """A customer with two providers, which chooses the one that its packets come and go by."""
    net = Network("Policies for the paths of outgoing and incoming traffic")
    out = "r1 uses r3 for routes with the community 65004:100, and r2 for all others"
    back = "To r3, r1 announces its own AS three times, so r4 replies over r2"
    net.note("way-out", text=out, x=40, y=20, width=400, height=60)
    net.note("way-back", text=back, x=540, y=20, width=360, height=60)
    net.host("h1", at=(90, 240))
    own = PrefixList(name="OWN", rules=(PrefixRule.model_validate({"prefix": "10.1.0.0/24"}),))
    gold = CommunityList(name="GOLD", rules=(CommunityRule(value="65004:100"),))
    not_3 = AsPathList(
        name="NOT-AS65003", rules=(AsPathRule(action="deny", expression="_65003_"), AsPathRule(expression=".*"))
    )
    net.router(
        "r1",
        at=(230, 240),
        loopbacks=("10.255.0.1/32",),
        bgp=_bgp(
            65001,
            _session("10.0.1.2", 65002, route_map_in="FROM-R2", as_path_list_in="NOT-AS65003", prefix_list_out="OWN"),
            _session("10.0.2.3", 65003, route_map_in="FROM-R3", route_map_out="TO-R3", prefix_list_out="OWN"),
            networks=("10.1.0.0/24",),
        ),
        prefix_lists=(own,),
        community_lists=(gold,),
        as_path_lists=(not_3,),
        route_maps=(
            RouteMap(name="FROM-R2", entries=(RouteMapEntry(sequence=10, set_local_preference=150),)),
            RouteMap(
                name="FROM-R3",
                entries=(
                    RouteMapEntry(sequence=10, match_community_list="GOLD", set_local_preference=200),
                    RouteMapEntry(sequence=20),
                ),
            ),
            RouteMap(name="TO-R3", entries=(RouteMapEntry(sequence=10, prepend=(65001, 65001)),)),
        ),
    )
    for number, at, links in ((2, (480, 130), (1, 3)), (3, (480, 350), (2, 4))):
        sessions = (_session(f"10.0.{links[0]}.1", 65001), _session(f"10.0.{links[1]}.4", 65004))
        bgp = _bgp(65000 + number, *sessions, networks=(f"10.{number}.0.0/24",))
        net.router(f"r{number}", at=at, loopbacks=(f"10.{number}.0.1/24",), bgp=bgp)
    kinds = PrefixList(name="GOLD", rules=(PrefixRule.model_validate({"prefix": "10.4.0.0/24"}),))
    secret = PrefixList(name="NEAR", rules=(PrefixRule.model_validate({"prefix": "10.4.9.0/24"}),))
    net.router(
        "r4",
        at=(730, 240),
        loopbacks=("10.4.1.1/24", "10.4.9.1/24"),
        bgp=_bgp(
            65004,
            _session("10.0.3.2", 65002, route_map_out="MARK"),
            _session("10.0.4.3", 65003, route_map_out="MARK"),
            networks=("10.4.0.0/24", "10.4.1.0/24", "10.4.9.0/24"),
        ),
        prefix_lists=(kinds, secret),
        route_maps=(
            RouteMap(
                name="MARK",
                entries=(
                    RouteMapEntry(sequence=10, match_prefix_list="GOLD", set_communities=("65004:100",)),
                    RouteMapEntry(sequence=20, match_prefix_list="NEAR", set_communities=("no-export",)),
                    RouteMapEntry(sequence=30),
                ),
            ),
        ),
    )
    net.host("h2", at=(870, 240))
    for link, (a, b) in enumerate(((1, 2), (1, 3), (2, 4), (3, 4)), start=1):
        _join(net, link, a, b)
    net.link(*_lan(1, 1, "1.0"))
    net.link(*_lan(2, 4, "4.0"))
    return net.topology


def unnumbered() -> Topology:
    """Two spines and three leaves: sessions by interface, without an address between routers, and two ways each."""
    net = Network("A BGP unnumbered fabric with two equal-cost paths")
    group = BgpPeerGroup(name="fabric", remote_as="external", families=("ipv4", "ipv6"))

    def bgp(name: str, asn: int, ports: int, *networks: str) -> Bgp:
        sessions = tuple(BgpUnnumbered(interface=f"{name}-eth{port}", peer_group="fabric") for port in range(ports))
        return _bgp(asn, networks=networks, unnumbered=sessions, peer_groups=(group,), multipath_relax=True)

    told = "Sessions by interface: the neighbors' addresses come from router advertisements"
    net.note("told", text=told, x=630, y=60, width=300, height=60)
    for number, x in ((1, 330), (2, 570)):
        net.router(f"r{number}", at=(x, 110), loopbacks=(f"{_loopback(number)}/32",),
                   bgp=bgp(f"r{number}", 65100, 3, f"{_loopback(number)}/32"))  # fmt: skip
    for number, x in ((3, 210), (4, 450), (5, 690)):
        own = bgp(f"r{number}", 65000 + number, 2, f"{_loopback(number)}/32", f"10.{number}.0.0/24")
        net.router(f"r{number}", at=(x, 290), loopbacks=(f"{_loopback(number)}/32",), bgp=own)
        net.host(f"h{number - 2}", at=(x, 430))
    for leaf in (3, 4, 5):
        for spine in (1, 2):
            net.link(f"r{leaf}", f"r{spine}")
    for leaf in (3, 4, 5):
        net.link(*_lan(leaf - 2, leaf, f"{leaf}.0"))
    return net.topology


def dual_stack() -> Topology:
    """IPv4 and IPv6 between loopbacks two links apart, an aggregate, and a customer with a default route."""
    net = Network("IPv4 and IPv6 between loopbacks, over two links")

    def far(number: int, asn: int) -> tuple[BgpNeighbor, ...]:
        return tuple(
            _session(address, asn, multihop=2, update_source="lo")
            for address in (_loopback(number), f"fd00:255::{number}")
        )

    def ways(number: int) -> tuple[StaticRoute, ...]:
        pairs = [(f"{_loopback(number)}/32", f"10.0.{link}.{number}") for link in (1, 2)]
        pairs += [(f"fd00:255::{number}/128", f"fd00:0:0:{link}::{number}") for link in (1, 2)]
        return tuple(StaticRoute.model_validate({"prefix": prefix, "via": via}) for prefix, via in pairs)

    net.host("h1", at=(90, 200))
    both = "Two links, and a session of each family from loopback to loopback"
    net.note("both", text=both, x=250, y=80, width=310, height=60)
    net.note("default", text="r2 announces a default route to r3", x=640, y=80, width=200, height=60)
    summary = (
        BgpAggregate.model_validate({"prefix": "10.1.0.0/16", "summary_only": True}),
        BgpAggregate.model_validate({"prefix": "fd00:1::/32", "summary_only": True}),
    )
    net.router("r1", at=(250, 200), loopbacks=("10.255.0.1/32", "fd00:255::1/128"), static_routes=ways(2),
               bgp=_bgp(65001, *far(2, 65002), aggregates=summary,
                        networks=("10.1.0.0/24", "10.1.1.0/24", "fd00:1::/64", "fd00:1:1::/64")))  # fmt: skip
    customer = tuple(_session(a, 65003, default_originate=True) for a in ("10.0.3.3", "fd00:0:0:3::3"))
    net.router("r2", at=(520, 200), loopbacks=("10.255.0.2/32", "fd00:255::2/128"), static_routes=ways(1),
               bgp=_bgp(65002, *far(1, 65001), *customer))  # fmt: skip
    net.router("r3", at=(720, 200), loopbacks=("10.255.0.3/32", "fd00:255::3/128"),
               bgp=_bgp(65003, _session("10.0.3.2", 65002), _session("fd00:0:0:3::2", 65002),
                        networks=("10.3.0.0/24", "fd00:3::/64")))  # fmt: skip
    net.host("h2", at=(90, 340))
    net.host("h3", at=(880, 200))
    for link, (a, b) in enumerate(((1, 2), (1, 2), (2, 3)), start=1):
        net.link(*(end(f"r{n}", f"10.0.{link}.{n}/24", f"fd00:0:0:{link}::{n}/64") for n in (a, b)))
    for host, router, network, network6 in ((1, 1, "1.0", "1"), (2, 1, "1.1", "1:1"), (3, 3, "3.0", "3")):
        ends = (("h", host, "100"), ("r", router, "1"))
        net.link(*(end(f"{k}{n}", f"10.{network}.{last}/24", f"fd00:{network6}::{last}/64") for k, n, last in ends))
    return net.topology


ALL = {
    "bgp-reflector": reflector,
    "bgp-confederation": confederation,
    "bgp-policy": policy,
    "bgp-unnumbered": unnumbered,
    "bgp-dual-stack": dual_stack,
}
