"""Rules on interior routing protocols: fields on which neighbors must agree, and missing settings."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.checks.check import Severity, check
from frrlib.model.topology import Topology
from tests.checks.problems import E, W, build, complaints, link, node, titles


def pair(protocol: str, r1: dict[str, Any], r2: dict[str, Any], /, **fields: Any) -> Topology:
    """r1 - r2, each with settings of a protocol. `one`: further fields of r1."""
    one = fields.pop("one", {})
    return build([node("r1", **{protocol: r1}, **one), node("r2", **{protocol: r2})], [link(1, "r1", "r2", **fields)])


def ospf6_pair(r1: dict[str, Any], r2: dict[str, Any]) -> Topology:
    """The same for OSPFv3, with IPv6 addresses."""
    nodes = [node("r1", ospf6=r1), node("r2", ospf6=r2)]
    return build(nodes, [link(1, "r1=fd00:1::1/64", "r2=fd00:1::2/64")])


def row(name: str, **fields: Any) -> dict[str, Any]:
    return {"interfaces": [{"interface": name, **fields}]}


def area(**fields: Any) -> dict[str, Any]:
    return {"areas": [fields]}


def vrf(**fields: Any) -> dict[str, Any]:
    return {"name": "red", "table": 10, **fields}


def in_vrfs(*vrfs: dict[str, Any]) -> Topology:
    return build([node("r1", vrfs=vrfs), "h1"], [link(1, "r1", "h1")])


def with_bfd_peer(**peer: Any) -> Topology:
    return build(
        [node("r1", bfd={"peers": [peer]}), node("r2", daemons=["zebra"])],
        [link(1, "r1=10.0.0.1/24", "r2=10.0.0.2/24")],
    )


def with_ldp(ldp: dict[str, Any], **fields: Any) -> Topology:
    nodes = [node("r1", ldp=ldp, **fields), node("r2", daemons=["zebra"])]
    return build(nodes, [link(1, "r1=10.0.0.1/24", "r2=10.0.0.2/24")])


LINE = [link(n, f"r{n}", f"r{n + 1}") for n in range(1, 17)]
AREAS = build(
    [node("r1", ospf={}), node("r2", ospf={}), node("r3", ospf={"area": "1"}), node("r4", ospf={"area": "1"})],
    [link(1, "r1", "r2"), link(2, "r3", "r4")],
)


def stub_with_borders(field: str, kind: str) -> Topology:
    """Two routers of the backbone that are also in area 1."""

    def ospf(name: str) -> dict[str, Any]:
        return {**row(f"{name}-eth1", area="1"), **area(area="1", kind=kind)}

    def end(router: int, net: int) -> str:
        return f"r{router}=fd00:{net}::{router}/64" if field == "ospf6" else f"r{router}=10.0.{net}.{router}/24"

    nodes = [node(name, **{field: ospf(name)}) for name in ("r1", "r2")]
    return build(nodes, [link(net, end(1, net), end(2, net)) for net in (1, 2)])


CASES: list[tuple[str, Severity, str, str, Topology]] = [
    # OSPF
    ("ospf-timers", E, "r1", "ospf.interfaces", pair("ospf", row("r1-eth0", hello_s=50), row("r2-eth0", hello_s=50))),
    ("ospf-timers", E, "r1", "ospf6.dead_s", ospf6_pair({"dead_s": 5}, {"dead_s": 5})),
    ("illegal-area", E, "r1", "ospf6.area", ospf6_pair({"area": "backbone"}, {})),
    ("stub-backbone", E, "r1", "ospf.areas", pair("ospf", area(area="0.0.0.0", kind="stub"), {})),
    ("duplicate-area", E, "r1", "ospf.areas", pair("ospf", {"areas": [{"area": "1"}, {"area": "0.0.0.1"}]}, {})),
    ("ospf-network", E, "r1", "ospf6.interfaces", ospf6_pair(row("r1-eth0", network_type="non-broadcast"), {})),
    ("unused-key", W, "r1", "ospf6.interfaces", ospf6_pair(row("r1-eth0", key="k"), {})),
    ("long-key", E, "r1", "ospf.interfaces", pair("ospf", row("r1-eth0", key="123456789"), {})),
    ("ospf-alone", W, "r1", "ospf6", pair("ospf6", {}, {}, a={"addresses": ["10.0.0.1/24"]})),
    ("ospf-mismatch", E, "r2", "ospf.interfaces", pair("ospf", {}, row("r2-eth0", hello_s=5))),
    ("ospf-mismatch", E, "r2", "ospf.areas", pair("ospf", {"area": "1", **area(area="1", kind="stub")}, {"area": "1"})),
    ("ospf-mismatch", E, "r2", "ospf.interfaces", pair("ospf", row("r1-eth0", key="k"), {**row("r2-eth0", key="l")})),
    ("ospf-mismatch", E, "r2", "ospf.interfaces", pair("ospf", {}, row("r2-eth0", network_type="broadcast"))),
    ("ospf-mismatch", E, "r2", "ospf6.area", ospf6_pair({}, {"area": "1"})),
    ("ospf-mismatch", W, "r1", "ospf.interfaces", pair("ospf", row("r1-eth0", passive=True), {})),
    ("ospf-mismatch", E, "r1", "ospf.interfaces",
     pair("ospf", *(row(f"r{n}-eth0", priority=0, network_type="broadcast") for n in (1, 2)))),
    ("ospf-mismatch", E, "r2", "addresses",
     pair("ospf", {"point_to_point": False}, {"point_to_point": False},
          a={"addresses": ["10.0.0.1/24"]}, b={"addresses": ["10.0.0.2/25"]})),
    ("cut-off-area", W, "r3", "ospf.area", AREAS),
    ("stub-borders", W, "r1", "ospf6.areas", stub_with_borders("ospf6", "totally-stub")),
    ("stub-borders", W, "r1", "ospf6.areas", stub_with_borders("ospf6", "stub")),
    ("stub-borders", W, "r1", "ospf6.areas", stub_with_borders("ospf6", "totally-nssa")),
    ("duplicate-interface", E, "r1", "ospf.interfaces",
     pair("ospf", {"interfaces": [{"interface": "r1-eth0"}, {"interface": "r1-eth0"}]}, {})),
    ("no-interface", E, "r1", "isis.interfaces", pair("isis", row("r1-eth7"), {})),
    ("no-interface", E, "r1", "ldp.interfaces", with_ldp({"interfaces": ["r1-eth9"]}, ospf={})),
    # redistribution
    ("unreadable-seal", E, "r1", "sealed", build([node("r1", sealed="text of another program")])),
    ("large-metric", E, "r1", "rip.redistribute",
     pair("rip", {"redistribute": [{"source": "static", "metric": 17}]}, {})),
    ("foreign-source", E, "r1", "ospf.redistribute", pair("ospf", {"redistribute": [{"source": "ospf6"}]}, {})),
    ("no-source", W, "r1", "rip.redistribute", pair("rip", {"redistribute": [{"source": "bgp"}]}, {})),
    ("duplicate-source", E, "r1", "isis.redistribute",
     pair("isis", {"redistribute": [{"source": "connected"}, {"source": "connected"}]}, {})),
    ("no-route-map", E, "r1", "ospf.redistribute",
     pair("ospf", {"redistribute": [{"source": "connected", "route_map": "none"}]}, {})),
    ("duplicate-router-id", E, "r2", "ospf6.router_id", ospf6_pair({"router_id": "1.1.1.1"}, {"router_id": "1.1.1.1"})),
    # IS-IS
    ("isis-nothing", E, "r1", "isis", pair("isis", {"ipv4": False, "ipv6": False}, {})),
    ("isis-alone", W, "r1", "isis", build([node("r1", isis={})])),
    ("isis-level", E, "r1", "isis.interfaces", pair("isis", row("r1-eth0", level="1"), {})),
    ("duplicate-router-id", E, "r2", "isis.system_id",
     pair("isis", {"system_id": "0000.0000.00aa"}, {"system_id": "0000.0000.00AA"})),
    ("no-router-id", E, "r1", "isis.system_id",
     build([node("r1", isis={}, loopbacks=["fd00::1/128"]), "h1"], [link(1, "r1=fd00:1::1/64", "h1")])),
    ("isis-mtu", E, "r1", "mtu_bytes", pair("isis", {}, {}, a={"mtu_bytes": 1400}, b={"mtu_bytes": 1400})),
    ("isis-mismatch", W, "r2", "isis.interfaces", pair("isis", {}, row("r2-eth0", passive=True))),
    ("rip-mismatch", W, "r2", "rip.interfaces", pair("rip", {}, row("r2-eth0", passive=True))),
    ("isis-mismatch", E, "r2", "isis.level", pair("isis", {"level": "1"}, {"level": "2"})),
    ("isis-mismatch", E, "r2", "isis.area", pair("isis", {"level": "1"}, {"level": "1-2", "area": "49.0002"})),
    ("isis-mismatch", E, "r2", "isis.point_to_point", pair("isis", {}, {"point_to_point": False})),
    ("isis-mismatch", E, "r2", "isis.interfaces", pair("isis", row("r1-eth0", key="a"), row("r2-eth0", key="b"))),
    ("isis-mismatch", E, "r2", "isis.key", pair("isis", {"key": "a"}, {"key": "b"})),
    ("isis-mismatch", E, "r2", "isis.ipv6", pair("isis", {}, {"ipv6": False})),
    ("isis-mismatch", E, "r2", "mtu_bytes", pair("isis", {}, {}, a={"mtu_bytes": 1400})),
    # RIP
    ("rip-timers", E, "r1", "rip.timeout_s", pair("rip", {"timeout_s": 30}, {})),
    ("rip-alone", W, "r1", "ripng", pair("ripng", {}, {}, a={"addresses": ["10.0.0.1/24"]})),
    ("unused-key", W, "r1", "ripng.interfaces", pair("ripng", row("r1-eth0", key="k"), {})),
    ("rip-mismatch", E, "r2", "rip.interfaces", pair("rip", row("r1-eth0", key="k"), {})),
    ("rip-mismatch", E, "r2", "rip.timeout_s", pair("rip", {}, {"update_s": 5, "timeout_s": 15})),
    ("rip-far", W, "r1", "rip", build([node(f"r{n}", rip={}) for n in range(1, 18)], LINE)),
    # BFD
    ("bfd-local", E, "r1", "bfd.peers", with_bfd_peer(address="10.0.0.2", multihop=True)),
    ("bfd-local", E, "r1", "bfd.peers", with_bfd_peer(address="10.0.0.2", local_address="10.0.0.3")),
    ("bfd-nobody", E, "r1", "bfd.peers", with_bfd_peer(address="10.0.0.7")),
    ("bfd-far", E, "r1", "bfd.peers",
     build([node("r1", bfd={"peers": [{"address": "10.2.0.1"}]}), node("r2", daemons=["zebra"]), "h1"],
             [link(1, "r1=10.0.0.1/24", "r2=10.0.0.2/24"), link(2, "r2=10.2.0.1/24", "h1")])),
    ("bfd-one-sided", W, "r1", "bfd.peers", with_bfd_peer(address="10.0.0.2")),
    ("bfd-one-sided", W, "r1", "ospf.bfd", pair("ospf", {"bfd": True}, {})),
    # PIM
    ("no-group", E, "r1", "pim.interfaces", pair("pim", row("r1-eth0", joins=["10.0.0.1"]), {})),
    ("no-group", E, "r1", "pim.rendezvous_points",
     pair("pim", {"rendezvous_points": [{"address": "10.0.0.1", "groups": "10.0.0.0/8"}]}, {})),
    ("unknown-rp", E, "r1", "pim.rendezvous_points", pair("pim", {"rendezvous_points": [{"address": "0.0.0.0"}]}, {})),
    ("no-rp", W, "r1", "pim.rendezvous_points", pair("pim", {}, {})),
    ("unknown-rp", W, "r1", "pim.rendezvous_points", pair("pim", {"rendezvous_points": [{"address": "9.9.9.9"}]}, {})),
    # LDP
    ("no-router-id", E, "r1", "ldp.router_id",
     build([node("r1", ldp={}, loopbacks=["fd00::1/128"]), "h1"], [link(1, "r1=fd00:1::1/64", "h1")])),
    ("ldp-address", E, "r1", "ldp.router_id", with_ldp({"router_id": "9.9.9.9"}, ospf={})),
    ("ldp-loopback", W, "r1", "ldp.router_id", with_ldp({"router_id": "10.0.0.1"}, ospf={})),
    ("ldp-alone", W, "r1", "ldp", with_ldp({})),
    ("ldp-timers", E, "r1", "ldp.hold_s", with_ldp({"hello_s": 5, "hold_s": 5}, ospf={})),
    # VRFs
    ("vrf-name", E, "r1", "vrfs", in_vrfs(vrf(), vrf(table=11))),
    ("vrf-table", E, "r1", "vrfs", in_vrfs(vrf(), vrf(name="blue"))),
    ("vrf-table", E, "r1", "vrfs", in_vrfs(vrf(table=254))),
    ("no-interface", E, "r1", "vrfs", in_vrfs(vrf(interfaces=["r1-eth7"]))),
    ("vrf-interface", E, "r1", "vrfs",
     in_vrfs(vrf(interfaces=["r1-eth0"]), vrf(name="blue", table=11, interfaces=["r1-eth0"]))),
    ("vrf-interface", E, "r1", "vrfs", in_vrfs(vrf(ospf=row("r1-eth0")))),
    ("vrf-without-device", W, "r1", "vrfs",
     build([node("r1", frr_conf="router ospf vrf blue\n"), "h1"], [link(1, "r1", "h1")])),
    ("far-gateway", E, "r1", "vrfs", in_vrfs(vrf(static_routes=[{"prefix": "9.0.0.0/8", "via": "10.0.0.7"}]))),
    ("mixed-route", E, "r1", "vrfs", in_vrfs(vrf(static_routes=[{"prefix": "9.0.0.0/8", "via": "fd00::7"}]))),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "severity", "name", "field", "topology"), CASES, ids=lambda value: str(value)[:20])
def test_problem_is_found_with_severity_and_place(
    kind: str, severity: Severity, name: str, field: str, topology: Topology
) -> None:
    assert (kind, severity, name, field) in titles(check(topology))


GOOD = [
    pair("ospf", {"area": "1", **area(area="1", kind="stub")}, {"area": "1", **area(area="1", kind="totally-stub")}),
    pair("ospf", row("r1-eth0", hello_s=1, dead_s=4), {"hello_s": 1, "dead_s": 4}),
    pair("ospf", row("r1-eth0", network_type="point-to-point"), {}),
    pair("ospf", {"bfd": True}, row("r2-eth0", bfd=True)),
    ospf6_pair({}, {}),
    stub_with_borders("ospf", "stub"),
    stub_with_borders("ospf6", "nssa"),
    pair("isis", {"level": "1-2"}, {"level": "2", "area": "49.0002"}),
    pair("rip", row("r1-eth0", key="k", key_id=1), row("r2-eth0", key="k", key_id=1)),
    pair("ospf", {}, {}, one={"vrfs": [vrf()]}),
    with_ldp({}, ospf={}),
    pair("ospf", {"redistribute": [{"source": "static"}]}, {}, one={"frr_conf": "ip route 10.9.0.0/16 blackhole"}),
]


@pytest.mark.parametrize("topology", GOOD)
def test_valid_topologies_have_no_problems(topology: Topology) -> None:
    assert complaints(topology) == []


def test_ospf_of_a_vrf_is_no_neighbor_of_the_default_table() -> None:
    topology = build(
        [
            node("r1", vrfs=[vrf(interfaces=["r1-eth0"], ospf={"hello_s": 1, "dead_s": 4})], ospf={}),
            node("r2", ospf={}),
        ],
        [link(1, "r1", "r2")],
    )
    assert ("ospf-mismatch", E, "r2", "ospf.hello_s") in titles(check(topology))
