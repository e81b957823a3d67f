"""Expected adjacencies, compared with lists made by hand and with graphs of networkx."""

from __future__ import annotations

from ipaddress import ip_address, ip_interface
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frrlib.model.links import End, Link
from frrlib.model.nodes import Bridge, Host, Node
from frrlib.model.routing import (
    Bfd,
    BfdPeer,
    Bgp,
    BgpNeighbor,
    BgpUnnumbered,
    Isis,
    IsisInterface,
    Ldp,
    Ospf,
    Ospf6,
    OspfArea,
    OspfInterface,
    Pim,
    Vrf,
)
from frrlib.model.topology import Topology
from frrlib.prediction.adjacency import Adjacency, expected_adjacencies
from frrlib.prediction.routes import known_without_bgp
from tests.prediction.routers import line, link, router


def adjacencies_of(*nodes: Node, links: tuple[Link, ...] = (), **fields: Any) -> list[Adjacency]:
    """The expected adjacencies of nodes in a line, or with the given links."""
    topology = Topology(nodes=nodes, links=links) if links else line(*nodes, **fields)
    return list(expected_adjacencies(topology, known_without_bgp(topology)))


def text_of(adjacency: Adjacency) -> str:
    """An adjacency as text: "r1 ospf r2 r1-1"."""
    return " ".join(
        filter(None, (adjacency.router, adjacency.protocol, adjacency.neighbor, adjacency.interface, adjacency.vrf))
    )


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda pair: pair[0] < pair[1]), max_size=10))
def test_every_link_between_speakers_is_an_adjacency_of_both_ends(edges: set[tuple[int, int]]) -> None:
    nodes = [router(n, ospf=Ospf() if n else None, isis=Isis()) for n in range(6)]
    links = tuple(link(number, f"r{a}", f"r{b}") for number, (a, b) in enumerate(sorted(edges), 1))
    expected = adjacencies_of(*nodes, links=links) if links else []
    graph = nx.Graph(edges)
    for protocol, silent in (("ospf", {0}), ("isis", set[int]())):
        joined = graph.subgraph(set(graph) - silent)
        pairs = {(f"r{a}", f"r{b}") for a, b in joined.edges} | {(f"r{b}", f"r{a}") for a, b in joined.edges}
        assert {
            (adjacency.router, adjacency.neighbor) for adjacency in expected if adjacency.protocol == protocol
        } == pairs


def test_names_of_a_neighbor_in_daemons_lists() -> None:
    r1, r2 = router(1, ospf=Ospf()), router(2, ospf=Ospf(router_id=ip_address("9.9.9.9")))
    assert adjacencies_of(r1, r2) == [
        Adjacency("r1", "ospf", "r2", "r1-1", ("9.9.9.9",), neighbor_interface="r2-1"),
        Adjacency("r2", "ospf", "r1", "r2-1", ("10.255.0.1",), neighbor_interface="r1-1"),
    ]


def row(**fields: Any) -> Ospf:
    """OSPF with settings of r2-1."""
    return Ospf(interfaces=(OspfInterface(interface="r2-1", **fields),))


@pytest.mark.parametrize(
    "ospf",
    [
        pytest.param(Ospf(hello_s=5), id="hello"),
        pytest.param(Ospf(dead_s=50), id="dead"),
        pytest.param(row(area="1"), id="area"),
        pytest.param(row(passive=True), id="passive"),
        pytest.param(row(key="secret"), id="key"),
        pytest.param(row(network_type="broadcast"), id="network-type"),
        pytest.param(Ospf(point_to_point=False), id="automatic-network-type"),
        pytest.param(Ospf(area="1", areas=(OspfArea(area="1", kind="stub"),)), id="stub-here-only"),
    ],
)
def test_ends_that_differ_are_not_expected(ospf: Ospf) -> None:
    assert adjacencies_of(router(1, ospf=Ospf()), router(2, ospf=ospf)) == []


def test_spelling_of_an_area_does_not_matter() -> None:
    assert len(adjacencies_of(router(1, ospf=Ospf(area="0.0.1.0")), router(2, ospf=Ospf(area="256")))) == 2


def test_no_adjacency_without_carrier_or_with_different_mtus() -> None:
    r1, r2 = router(1, ospf=Ospf(), isis=Isis()), router(2, ospf=Ospf(), isis=Isis())
    assert adjacencies_of(r1, r2, up=False) == []
    cable = link(1, "r1", "r2")
    small = cable.model_copy(update={"b": cable.b.model_copy(update={"mtu_bytes": 1400})})
    assert adjacencies_of(r1, r2, links=(small,)) == []


def test_all_routers_of_a_lan_with_carrier_are_neighbors() -> None:
    nodes = (*(router(n, ospf=Ospf()) for n in (1, 2, 3)), Bridge(name="s1"), Bridge(name="s2"), Host(name="h1"))

    def lan(number: int, node: str, switch: str, **fields: Any) -> Link:
        end = End(node=node, interface=f"{node}-0", addresses=(ip_interface(f"10.9.0.{number}/24"),))
        return Link(id=f"l{number}", a=end, b=End(node=switch, interface=f"{switch}-{number}"), **fields)

    between = Link(id="l9", a=End(node="s1", interface="s1-9"), b=End(node="s2", interface="s2-9"))
    links = (lan(1, "r1", "s1"), lan(2, "r2", "s1"), lan(3, "r3", "s2"), lan(4, "h1", "s2"), between)
    assert {(adjacency.router, adjacency.neighbor) for adjacency in adjacencies_of(*nodes, links=links)} == {
        (a, b) for a in ("r1", "r2", "r3") for b in ("r1", "r2", "r3") if a != b
    }
    parted = (*links[:-1], between.model_copy(update={"up": False}))
    assert {adjacency.router for adjacency in adjacencies_of(*nodes, links=parted)} == {"r1", "r2"}


def test_levels_of_isis() -> None:
    def pair(first: Isis, second: Isis) -> list[tuple[str, bool]]:
        return [
            (adjacency.router, adjacency.both)
            for adjacency in adjacencies_of(router(1, isis=first), router(2, isis=second))
        ]

    assert pair(Isis(level="1-2"), Isis(level="1-2")) == [("r1", True), ("r2", True)]
    assert pair(Isis(level="1-2"), Isis(level="1-2", area="49.0002")) == [("r1", False), ("r2", False)]
    assert pair(Isis(level="1"), Isis(level="1", area="49.0002")) == []
    assert pair(Isis(level="1"), Isis(level="2")) == []
    assert pair(Isis(), Isis(interfaces=(IsisInterface(interface="r2-1", key="k"),))) == []


def test_bgp_sessions_of_all_kinds_with_bfd() -> None:
    near = {n: BgpNeighbor(address=ip_address(f"10.9.1.{3 - n}"), remote_as=65003 - n, bfd=True) for n in (1, 2)}
    far = {
        n: BgpNeighbor(address=ip_address(f"10.255.0.{3 - n}"), remote_as=65003 - n, update_source="lo", multihop=4)
        for n in (1, 2)
    }
    speakers = [
        router(
            n, ospf=Ospf(), bgp=Bgp(
                asn=65000 + n, neighbors=(near[n], far[n]), unnumbered=(BgpUnnumbered(interface=f"r{n}-1"),)
            ),
        )
        for n in (1, 2)
    ]  # fmt: skip
    of_r1 = [
        adjacency
        for adjacency in adjacencies_of(*speakers)
        if adjacency.router == "r1" and adjacency.protocol in ("bgp", "bfd")
    ]
    assert of_r1 == [
        Adjacency("r1", "bgp", "r2", names=("10.9.1.2",)),
        Adjacency("r1", "bgp", "r2", names=("10.255.0.2",)),
        Adjacency("r1", "bgp", "r2", interface="r1-1"),
        Adjacency("r1", "bfd", "r2", names=("10.9.1.2",)),
    ]
    without_ospf = [router.model_copy(update={"ospf": None}) for router in speakers]
    assert ("10.255.0.2",) not in [adjacency.names for adjacency in adjacencies_of(*without_ospf)]
    wrong = speakers[1].model_copy(update={"bgp": Bgp(asn=65009)})
    assert [adjacency for adjacency in adjacencies_of(speakers[0], wrong) if adjacency.protocol == "bgp"] == []


def test_pim_ldp_bfd_and_ospf_for_ipv6() -> None:
    first, second = (
        router(
            n, ospf=Ospf(), ospf6=Ospf6(bfd=True), pim=Pim(), ldp=Ldp(),
            bfd=Bfd(peers=(BfdPeer(address=ip_address(f"10.255.0.{3 - n}"), multihop=True),)),
        )
        for n in (1, 2)
    )  # fmt: skip
    assert {text_of(adjacency) for adjacency in adjacencies_of(first, second) if adjacency.router == "r1"} == {
        "r1 ospf r2 r1-1", "r1 ospf6 r2 r1-1", "r1 pim r2 r1-1", "r1 ldp r2", "r1 bfd r2 r1-1", "r1 bfd r2",
    }  # fmt: skip
    silent = second.model_copy(update={"bfd": None, "ospf6": Ospf6()})
    assert not [adjacency for adjacency in adjacencies_of(first, silent) if adjacency.protocol == "bfd"]


def test_vrfs_are_separate_routers() -> None:
    in_vrf = router(1, vrfs=(Vrf(name="red", table=100, interfaces=("r1-1",), ospf=Ospf()),))
    assert [text_of(adjacency) for adjacency in adjacencies_of(in_vrf, router(2, ospf=Ospf()))] == [
        "r1 ospf r2 r1-1 red",
        "r2 ospf r1 r2-1",
    ]
    assert adjacencies_of(in_vrf.model_copy(update={"vrfs": (), "ospf6": Ospf6()}), router(2, ospf=Ospf())) == []


def test_adjacencies_removed_by_custom_lines_are_not_expected() -> None:
    r1 = router(1, ospf=Ospf(), isis=Isis())
    removing = router(2, ospf=Ospf(), isis=Isis(), frr_conf="interface r2-1\n no ip ospf area 0\n")
    adding = router(2, ospf=Ospf(), isis=Isis(), frr_conf="router ospf\n maximum-paths 4\n")
    assert {adjacency.protocol for adjacency in adjacencies_of(r1, removing)} == {"isis"}
    assert {adjacency.protocol for adjacency in adjacencies_of(r1, adding)} == {"ospf", "isis"}
