"""Generated topologies: sizes compared with formulas, structure with networkx, and no problems."""

from __future__ import annotations

import math
from collections.abc import Callable

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frrlib.addressing.addressing import addressed
from frrlib.checks.check import check
from frrlib.edits import generators
from frrlib.edits.clipboard import merge
from frrlib.edits.generators import Device
from frrlib.errors import TopologyError
from frrlib.model.links import Shape
from frrlib.model.problem import Severity
from frrlib.model.topology import Topology
from frrlib.prediction.routes import expected_routes
from tests.example_counts import examples

DEVICES: tuple[Device, ...] = ("router", "switch", "bridge")


def graph(topology: Topology) -> nx.MultiGraph:
    """A graph of all nodes and links."""
    multigraph = nx.MultiGraph()
    multigraph.add_nodes_from(node.name for node in topology.nodes)
    multigraph.add_edges_from((link.a.node, link.b.node) for link in topology.links)
    return multigraph


def devices(topology: Topology) -> nx.MultiGraph:
    """The same graph without hosts."""
    return graph(topology).subgraph([node.name for node in topology.nodes if node.kind != "host"])


def assert_runs(topology: Topology) -> None:
    """There is no error, all ends have addresses, all routers have routes to all networks, and no nodes overlap."""
    assert [str(problem) for problem in check(topology) if problem.severity is Severity.ERROR] == []
    assert Topology.model_validate(topology.model_dump()) == topology
    full = addressed(topology)
    kinds = {node.name: node.kind for node in full.nodes}
    ends = [end for link in full.links for end in link.ends if kinds[end.node] in ("host", "router")]
    assert all(end.addresses for end in ends)
    addresses = [address.ip for end in ends for address in end.addresses]
    assert len(set(addresses)) == len(addresses)
    networks = {address.network for end in ends for address in end.addresses}
    routes = expected_routes(full)
    for router in full.routers:
        connected = {a.network for _, end in full.ends_at(router.name) for a in end.addresses} | {
            a.network for a in router.loopbacks
        }
        assert networks <= connected | set(routes.get(router.name, ()))
    spots = [complex(node.x, node.y) for node in topology.nodes]
    assert min(spot.real for spot in spots) >= 0 and min(spot.imag for spot in spots) >= 0
    for index, spot in enumerate(spots):
        assert all(abs(spot - other_spot) >= 40 for other_spot in spots[index + 1 :])


#: A generator; its number of devices, links between them, and hosts; and the diameter of the devices.
SHAPES = [
    pytest.param(lambda d: generators.line(5, d), (5, 4, 5, 4), id="line"),
    pytest.param(lambda d: generators.line(1, d, hosts=3), (1, 0, 3, 0), id="line-of-one"),
    pytest.param(lambda d: generators.ring(7, d, hosts=2), (7, 7, 14, 3), id="ring"),
    pytest.param(lambda d: generators.star(6, d, hosts=1), (7, 6, 6, 2), id="star"),
    pytest.param(lambda d: generators.tree(3, 2, d), (7, 6, 8, 4), id="tree"),
    pytest.param(lambda d: generators.tree(2, 3, d, hosts=0), (4, 3, 0, 2), id="bare-tree"),
    pytest.param(lambda d: generators.tree(3, 1, d), (3, 2, 1, 2), id="thin-tree"),
    pytest.param(lambda d: generators.grid(3, 4, d), (12, 17, 0, 5), id="grid"),
    pytest.param(lambda d: generators.grid(2, 2, d, hosts=4), (4, 4, 16, 2), id="grid-with-hosts"),
    pytest.param(lambda d: generators.full_mesh(5, d), (5, 10, 5, 1), id="mesh"),
    pytest.param(lambda d: generators.dumbbell(3, None, d), (2, 1, 6, 1), id="dumbbell"),
    pytest.param(lambda d: generators.fat_tree(2, d), (5, 4, 2, 4), id="fat-tree-2"),
    pytest.param(lambda d: generators.fat_tree(4, d), (20, 32, 16, 4), id="fat-tree-4"),
    pytest.param(lambda d: generators.fat_tree(4, d, hosts=0), (20, 32, 0, 4), id="bare-fat-tree"),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("make", "counts"), SHAPES)
def test_counts_and_shape(
    make: Callable[[Device], Topology], counts: tuple[int, int, int, int], device: Device
) -> None:
    topology = make(device)
    inner = devices(topology)
    measured = (inner.number_of_nodes(), inner.number_of_edges(), len(topology.hosts), nx.diameter(inner))
    assert measured == counts
    assert nx.is_connected(graph(topology))
    assert all(len(list(topology.ends_at(host.name))) == 1 for host in topology.hosts)
    assert {node.kind for node in topology.nodes} - {"host"} == {device}
    assert_runs(topology)


@pytest.mark.parametrize(("make", "counts"), SHAPES)
def test_only_rings_of_bridges_use_stp(make: Callable[[Device], Topology], counts: tuple[int, int, int, int]) -> None:
    topology = make("bridge")
    has_rings = counts[1] >= counts[0]
    assert {node.stp for node in topology.nodes if node.kind == "bridge"} == {has_rings}
    assert not [problem for problem in check(topology) if problem.kind == "switching-loop"]


def test_shapes_equal_those_of_graph_theory() -> None:
    def same(topology: Topology, expected: nx.Graph) -> bool:
        return bool(nx.is_isomorphic(nx.Graph(devices(topology)), expected))

    assert same(generators.line(6), nx.path_graph(6))
    assert same(generators.ring(6), nx.cycle_graph(6))
    assert same(generators.star(6), nx.star_graph(6))
    assert same(generators.tree(4, 2), nx.balanced_tree(2, 3))
    assert same(generators.grid(3, 5), nx.grid_2d_graph(3, 5))
    assert same(generators.full_mesh(6), nx.complete_graph(6))


def test_a_fat_tree_uses_every_port_and_has_its_paths() -> None:
    topology = generators.fat_tree(4)
    simple_graph = nx.Graph(graph(topology))
    assert {simple_graph.degree(node.name) for node in topology.routers} == {4}
    first, last = topology.hosts[0].name, topology.hosts[-1].name
    assert len(list(nx.all_shortest_paths(simple_graph, first, last))) == 4  # (k/2)**2 between pods
    assert nx.shortest_path_length(simple_graph, first, last) == 6


def test_a_dumbbell_has_one_bottleneck_and_flows_across_it() -> None:
    slow = Shape(rate_mbit=5, delay_ms=10, queue_packets=50)
    topology = generators.dumbbell(3, slow, congestion_controls=("cubic", "bbr"))
    shaped = [link for link in topology.links if link.is_shaped]
    assert [(link.a.node, link.b.node, link.a_to_b, link.b_to_a) for link in shaped] == [("r1", "r2", slow, slow)]
    flows = [(flow.id, flow.source, flow.destination, flow.congestion_control) for flow in topology.flows]
    assert flows == [("f1", "h1", "h4", "cubic"), ("f2", "h2", "h5", "bbr"), ("f3", "h3", "h6", "cubic")]
    for flow in topology.flows:
        path = nx.shortest_path(nx.Graph(graph(topology)), flow.source, flow.destination)
        assert path[1:3] == ["r1", "r2"]
    assert_runs(topology)


@pytest.mark.parametrize(
    "make",
    [
        lambda: generators.line(0),
        lambda: generators.line(3, hosts=-1),
        lambda: generators.ring(2),
        lambda: generators.star(0),
        lambda: generators.tree(0, 2),
        lambda: generators.tree(2, 0),
        lambda: generators.tree(60, 60),
        lambda: generators.grid(0, 3),
        lambda: generators.grid(3, 0),
        lambda: generators.full_mesh(1),
        lambda: generators.full_mesh(500),
        lambda: generators.dumbbell(0),
        lambda: generators.fat_tree(3),
        lambda: generators.fat_tree(0),
        lambda: generators.fat_tree(1000),
        lambda: generators.line(10**9),
    ],
)
def test_impossible_sizes_are_refused_at_once(make: Callable[[], Topology]) -> None:
    with pytest.raises(TopologyError):
        make()


@settings(max_examples=examples(25), deadline=None)
@given(n=st.integers(3, 9), hosts=st.integers(0, 14), device=st.sampled_from(DEVICES), shape=st.sampled_from(range(5)))
def test_any_size_runs(n: int, hosts: int, device: Device, shape: int) -> None:
    makers: list[Callable[[], Topology]] = [
        lambda: generators.line(n, device, hosts),
        lambda: generators.ring(n, device, hosts),
        lambda: generators.star(n, device, hosts),
        lambda: generators.grid(2, n, device, hosts),
        lambda: generators.full_mesh(n, device, hosts),
    ]
    assert_runs(makers[shape]())


def test_topologies_are_merged_under_new_names() -> None:
    ring, fat_tree = generators.ring(3), generators.fat_tree(2)
    both, names = merge(ring, fat_tree, dx=500)
    assert both.nodes[: len(ring.nodes)] == ring.nodes
    assert len(both.nodes) == len(ring.nodes) + len(fat_tree.nodes)
    assert len({node.name for node in both.nodes}) == len(both.nodes)
    assert len({link.id for link in both.links}) == len(ring.links) + len(fat_tree.links)
    parts = [nx.Graph(graph(both).subgraph(part)) for part in nx.connected_components(graph(both))]
    assert sorted(map(len, parts)) == sorted([len(ring.nodes), len(fat_tree.nodes)])
    assert any(nx.is_isomorphic(part, nx.Graph(graph(fat_tree))) for part in parts)
    assert names["h1"] == "h4"
    assert [str(problem) for problem in check(both) if problem.severity is Severity.ERROR] == []
    assert math.isclose(both.nodes[-1].x, fat_tree.nodes[-1].x + 500)
