"""Reported neighbors by router and by link, their grades, and visible changes."""

from __future__ import annotations

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.edits.changes import replace_node
from frrlib.model.links import End, Link
from frrlib.model.nodes import Router
from frrlib.model.routing import Ospf
from frrlib.model.topology import Topology
from frrlib.prediction.adjacency import Adjacency as Expected
from frrlib.prediction.adjacency import expected_adjacencies
from miniedit_frr.live.adjacencies import EndAdjacency, LiveAdjacencies, worst
from miniedit_frr.live.messages import AdjacencyState


def drawn() -> Topology:
    """r1 and r2 with two parallel links, and r3 behind r2."""
    nodes = tuple(Router(name=f"r{i}") for i in (1, 2, 3))
    pairs = (("r1", "r2"), ("r1", "r2"), ("r2", "r3"))
    links = tuple(Link(id=f"l{i}", a=End(node=a), b=End(node=b)) for i, (a, b) in enumerate(pairs, 1))
    return addressed(Topology(nodes=nodes, links=links))


def adjacency(router: str, neighbor: str, state: str = "Full", **fields: object) -> AdjacencyState:
    values = {"protocol": "ospf", "up": state in ("Full", "Established"), "time_s": 1.0, **fields}
    return AdjacencyState(router=router, neighbor=neighbor, state=state, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("protocol", "state", "up", "grade"),
    [
        ("ospf", "Full", True, "up"), ("ospf", "2-Way", True, "up"), ("ospf", "Full/DR", True, "up"),
        ("ospf", "ExStart", False, "coming"), ("ospf", "gone", False, "down"), ("ospf", "Down/DROther", False, "down"),
        ("bgp", "Established", True, "up"), ("bgp", "Active", False, "coming"), ("bgp", "Idle", False, "down"),
        ("bgp", "Idle (Admin)", False, "down"), ("bfd", "down", False, "down"), ("isis", "Init", False, "coming"),
    ],
)  # fmt: skip
def test_every_state_has_a_grade(protocol: str, state: str, up: bool, grade: str) -> None:
    assert AdjacencyState("r1", protocol, "r2", state, up, 0.0).grade == grade


def test_parallel_links_differ_by_interface_and_sessions_by_address() -> None:
    topology = drawn()
    neighbors = LiveAdjacencies(topology)
    second = topology.link("l2")
    assert second is not None
    neighbors.take(adjacency("r1", "r2", interface=second.a.interface, address="10.0.0.9 2.2.2.2"))
    session = adjacency("r1", "r2", "Established", protocol="bgp", address=str(second.b.addresses[0].ip))
    neighbors.take(session)
    far = adjacency("r1", "r3", "Established", protocol="bgp", address="10.255.0.3")
    neighbors.take(far)
    assert neighbors.link_of(session) == "l2"
    assert neighbors.link_of(far) == ""
    assert neighbors.by_link() == {
        "l2": {"r1": (EndAdjacency("ospf", "Full", "up"), EndAdjacency("bgp", "Estab.", "up"))}
    }
    assert [neighbor.protocol for neighbor in neighbors.of_link("l2")] == ["ospf", "bgp"]
    assert neighbors.counts() == {"r1": (3, 3, "up")}


def test_a_link_shows_the_worst_state_of_each_protocol() -> None:
    neighbors = LiveAdjacencies(drawn())
    neighbors.take(adjacency("r2", "r3", interface="r2-eth2", address="10.0.0.1"))
    neighbors.take(adjacency("r2", "r9", "Init", interface="r2-eth2", address="10.0.0.2"))
    assert neighbors.by_link()["l3"]["r2"] == (EndAdjacency("ospf", "Init", "coming"),)
    assert neighbors.totals() == {"ospf": (1, 2, "coming")}


def test_only_visible_changes_are_reported() -> None:
    neighbors = LiveAdjacencies(drawn())
    assert neighbors.take(adjacency("r1", "r2", interface="r1-eth0", address="10.0.0.2"))
    assert not neighbors.take(
        adjacency("r1", "r2", interface="r1-eth0", address="10.0.0.2", detail="dead in 2 s", time_s=2.0)
    )
    assert neighbors.take(adjacency("r1", "r2", "gone", interface="r1-eth0", address="10.0.0.2"))
    assert len(neighbors) == 1
    assert neighbors.counts() == {"r1": (0, 1, "down")}


def test_the_worst_grade_is_found() -> None:
    assert worst(["up", "down", "coming"]) == "down"
    assert worst([]) == ""


def test_an_isis_neighbor_keeps_its_identity_when_its_host_name_is_known() -> None:
    def at(level: str, address: str, state: str) -> AdjacencyState:
        return AdjacencyState("r1", "isis", "r2", state, state == "Up", 1.0, "r1-eth0", address, level)

    neighbors = LiveAdjacencies()
    neighbors.take(at("level 2", "0000.0000.0002", "Initializing"))
    neighbors.take(at("level 2, expires in 4s", "r2", "Up"))
    neighbors.take(at("level 1", "r2", "Up"))
    assert [neighbor.state for neighbor in neighbors.all()] == ["Up", "Up"]
    neighbors.take(at("level 2", "r2", "gone"))
    assert sorted(neighbor.state for neighbor in neighbors.all()) == ["Up", "gone"]


def test_ldp_sessions_belong_to_links_and_multihop_bgp_sessions_do_not() -> None:
    neighbors = LiveAdjacencies(drawn())
    for protocol in ("ldp", "bgp"):
        for neighbor, address in (("r2", "10.255.0.2"), ("r3", "10.255.0.3")):
            neighbors.take(AdjacencyState("r1", protocol, neighbor, "up", True, 1.0, "", f"{address} {address}"))
    assert {link: dict(views) for link, views in neighbors.by_link().items()} == {
        "l1": {"r1": (EndAdjacency("ldp", "up", "up"),)}
    }


def promised() -> tuple[Expected, ...]:
    """The expected adjacencies of three routers with OSPF."""
    topology = drawn()
    for node in topology.nodes:
        assert isinstance(node, Router)
        topology = replace_node(topology, node.name, node.model_copy(update={"ospf": Ospf()}))
    return expected_adjacencies(topology, {})


def test_an_expected_neighbor_is_missing_until_it_is_reported() -> None:
    neighbors = LiveAdjacencies(drawn())
    neighbors.take(adjacency("r1", "r2", interface="r1-eth0"))
    neighbors.expect(promised(), 5.0)
    assert neighbors.totals() == {"ospf": (1, 6, "coming")}
    assert neighbors.counts() == {"r1": (1, 2, "coming"), "r2": (0, 3, "coming"), "r3": (0, 1, "coming")}
    (missing,) = neighbors.by_link()["l2"]["r1"]
    assert (missing.state, missing.grade) == ("missing", "coming")
    assert [neighbor.time_s for neighbor in neighbors.of_router("r3")] == [5.0]
    neighbors.take(
        adjacency("r3", "10.0.3.1", "Init", interface="r3-eth0", address=next(iter(by_router(neighbors, "r3").names)))
    )
    assert neighbors.counts()["r3"] == (0, 1, "coming")
    assert [neighbor.state for neighbor in neighbors.of_router("r3")] == ["Init"]
    for router, interface, second in (("r1", "r1-eth1", "r2"), ("r2", "r2-eth0", "r1"), ("r2", "r2-eth1", "r1"),
                                     ("r2", "r2-eth2", "r3"), ("r3", "r3-eth0", "r2")):  # fmt: skip
        neighbors.take(adjacency(router, second, interface=interface))
    assert neighbors.totals()["ospf"][0] == 6
    neighbors.take(adjacency("r1", "r2", "gone", interface="r1-eth0"))
    assert neighbors.counts()["r1"] == (1, 2, "down")  # what is gone was there: it is told as it is


def by_router(neighbors: LiveAdjacencies, router: str) -> Expected:
    return next(adjacency for adjacency in promised() if adjacency.router == router)
