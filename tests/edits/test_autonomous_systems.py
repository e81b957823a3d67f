"""Presets with autonomous systems: one for each router, or one for each group."""

from __future__ import annotations

from ipaddress import ip_interface, ip_network

import pytest

from frrlib.addressing.addressing import addressed, broadcast_domains
from frrlib.edits import changes, generators, routing_presets
from frrlib.edits import links as linking
from frrlib.errors import TopologyError
from frrlib.model.links import End, Link
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.prediction.routes import expected_routes
from tests.checks.problems import complaints, errors
from tests.edits.topologies import GRID, NAMES, THIRDS, drawn, linked, with_ipv6
from tests.examples.data import two_as_bgp

# --- one for each router ------------------------------------------------------------------------------------------


def with_ipv6_loopback(topology: Topology) -> Topology:
    """The same with an IPv6 address on the loopback of its first router, so that all routers get IPv6 addresses."""
    router = topology.routers[0]
    return changes.replace_node(
        topology, router.name, router.model_copy(update={"loopbacks": (ip_interface("2001:db8::1/128"),)})
    )


@pytest.mark.parametrize(
    "topology",
    [
        pytest.param(generators.ring(4), id="ring"),
        pytest.param(generators.tree(3, 2), id="tree"),
        pytest.param(linked(drawn("router", "legacy-router"), "r1 r2", "r1 r2"), id="parallel"),
        pytest.param(linked(drawn("router", "router", "router", "bridge"), "r1 s1", "r2 s1", "r3 s1"), id="switched"),
        pytest.param(two_as_bgp(), id="stated"),
        pytest.param(with_ipv6_loopback(generators.line(3)), id="ipv6"),
        pytest.param(drawn("router"), id="alone"),
    ],
)
def test_an_as_per_router_reaches_all_prefixes(topology: Topology) -> None:
    after = routing_presets.as_per_router(topology)
    assert errors(after) == []
    routers = after.routers
    assert [router.bgp.asn for router in routers if router.bgp] == [65_001 + n for n in range(len(routers))]
    assert [router.ospf for router in routers] == [None] * len(routers)
    full = addressed(after)
    sessions = sum(len(router.bgp.neighbors) for router in routers if router.bgp)
    pairs = 0
    for domain in broadcast_domains(full):
        ends = [place for place in domain.ends if place.node.kind == "router"]
        versions = {address.version for place in ends for address in place.end.addresses}
        pairs += len(versions) * len(ends) * (len(ends) - 1)
    assert sessions == pairs
    everything = {a.network for link in full.links for end in link.ends for a in end.addresses}
    everything |= {a.network for router in full.routers for a in router.loopbacks}
    routes = expected_routes(full)
    for router in full.routers:
        connected = {a.network for _, end in full.ends_at(router.name) for a in end.addresses}
        connected |= {a.network for a in router.loopbacks}
        assert set(routes.get(router.name, ())) == everything - connected


def test_sessions_survive_a_renaming_and_a_new_link() -> None:
    after = routing_presets.as_per_router(generators.ring(3))
    after = changes.rename(after, "r2", "core")
    after, _ = linking.add_link(after, "r1", "r3")
    assert errors(after) == []


def test_no_session_between_different_networks() -> None:
    ends = [End(node=f"r{n}", addresses=(ip_interface(f"10.{n}.0.1/24"),)) for n in (1, 2)]
    topology = Topology(nodes=(Router(name="r1"), Router(name="r2")), links=(Link(id="l1", a=ends[0], b=ends[1]),))
    after = routing_presets.as_per_router(topology)
    assert [router.bgp.neighbors for router in after.routers if router.bgp] == [(), ()]


def test_many_systems_have_private_numbers() -> None:
    after = routing_presets.as_per_router(Topology(nodes=tuple(Router(name=f"r{n}") for n in range(1, 600))))
    numbers = [router.bgp.asn for router in after.routers if router.bgp]
    assert len(set(numbers)) == 599
    assert all(4_200_000_000 <= number <= 4_294_967_294 for number in numbers)


# --- one for each group -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("igp", ["ospf", "isis"])
@pytest.mark.parametrize("topology", [GRID, with_ipv6(GRID)], ids=["ipv4", "both"])
def test_systems_of_groups(topology: Topology, igp: str) -> None:
    after = routing_presets.groups_as_systems(routing_presets.clear_routing(topology), THIRDS, igp=igp)  # type: ignore[arg-type]
    assert complaints(after) == []
    families = 1 if topology is GRID else 2
    for router in after.routers:
        assert router.bgp
        row = NAMES.index(router.name) // 3
        assert router.bgp.asn == 65_001 + row
        inside = [neighbor for neighbor in router.bgp.neighbors if neighbor.remote_as == router.bgp.asn]
        outside = [neighbor for neighbor in router.bgp.neighbors if neighbor.remote_as != router.bgp.asn]
        assert len(inside) == 2 * families
        assert len(outside) == (2 if row == 1 else 1) * families
        assert {neighbor.peer_group for neighbor in inside} == {"inside"}
        assert bool(router.ospf) == (igp == "ospf")
        assert bool(router.isis) == (igp == "isis")
        settings = router.ospf or router.isis
        assert (
            settings
            and len([interface for interface in settings.interfaces if interface.passive]) == len(outside) // families
        )


@pytest.mark.parametrize("count", [1, 2])
def test_reflectors_are_those_with_most_neighbours(count: int) -> None:
    after = routing_presets.groups_as_systems(GRID, [NAMES], reflectors=count)
    assert complaints(after) == []
    reflecting = [r.name for r in after.routers if r.bgp and "clients" in {g.name for g in r.bgp.peer_groups}]
    assert reflecting == ["r5", "r2"][:count] or sorted(reflecting) == ["r2", "r5"]
    sessions = sum(len(router.bgp.neighbors) for router in after.routers if router.bgp)
    assert sessions == {1: 2 * 8, 2: 2 * (1 + 2 * 7)}[count]


def test_aggregates_are_announced_if_possible() -> None:
    """Two AS of two routers whose networks are within 10.1.0.0/16 and 10.2.0.0/16, and a link between of neither."""
    nets = {"l1": "10.1.1.0/24", "l2": "10.9.0.0/24", "l3": "10.2.1.0/24"}
    topology = routing_presets.clear_routing(generators.line(4, hosts=0))
    links = tuple(
        link.model_copy(
            update={
                side: getattr(link, side).model_copy(
                    update={"addresses": (ip_interface(f"{ip_network(nets[link.id])[last]}/24"),)}
                )
                for last, side in ((1, "a"), (2, "b"))
            }
        )
        for link in topology.links
    )
    nodes = tuple(
        node.model_copy(update={"loopbacks": (ip_interface(f"10.{1 + index // 2}.255.{index}/32"),)})
        for index, node in enumerate(topology.nodes)
    )
    topology = topology.model_copy(update={"links": links, "nodes": nodes})
    after = routing_presets.groups_as_systems(topology, [["r1", "r2"], ["r3", "r4"]], aggregates=True)
    assert complaints(after) == []
    aggregates = {
        router.name: [str(aggregate.prefix) for aggregate in router.bgp.aggregates]
        for router in after.routers
        if router.bgp
    }
    assert aggregates == {"r1": [], "r2": ["10.1.0.0/16"], "r3": ["10.2.0.0/16"], "r4": []}


@pytest.mark.parametrize(
    ("groups", "node"),
    [([["r1", "r9"]], "r9"), ([["r1", "r2"], ["r2"]], "r2"), ([["nobody"]], "nobody")],
)
def test_invalid_groups_are_rejected(groups: list[list[str]], node: str) -> None:
    with pytest.raises(TopologyError) as caught:
        routing_presets.groups_as_systems(GRID, groups)
    assert caught.value.node == node


def test_routers_in_no_group_keep_their_settings() -> None:
    after = routing_presets.groups_as_systems(GRID, [NAMES[:3]])
    assert [after.node(name) for name in NAMES[3:]] == [GRID.node(name) for name in NAMES[3:]]
