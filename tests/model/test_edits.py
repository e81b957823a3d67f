"""Edits of drawings: what they change, what they leave alone, and that every value that comes out is a legal one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from ipaddress import IPv4Network, ip_address, ip_interface, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frrlib.errors import TopologyError
from frrlib.model import generators
from frrlib.model.addressing import addressed, broadcast_domains, with_names
from frrlib.model.check import check
from frrlib.model.edits import arrange, changes, clip, layout, linking, presets
from frrlib.model.edits.naming import fresh_link_ids
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Bridge, Controller, Host, Router, Switch, VlanInterface
from frrlib.model.problem import Severity
from frrlib.model.reachability import expected_routes
from frrlib.model.routing import Bgp, BgpNeighbor, Ospf, StaticRoute
from frrlib.model.topology import Topology
from tests import strategies
from tests.examples_data import two_as_bgp
from tests.random_edits import ANYTHING_GOES, EDITS, edited

ALL = ("host", "router", "legacy-router", "switch", "bridge", "controller")


def drawn(*tools: str) -> Topology:
    """Nodes drawn one after the other."""
    topology = Topology()
    for index, tool in enumerate(tools):
        topology, _ = changes.add_node(topology, tool, index * 100, 50)
    return topology


def linked(topology: Topology, *pairs: str) -> Topology:
    """Links drawn one after the other, each "h1 r1"."""
    for pair in pairs:
        topology, _ = linking.add_link(topology, *pair.split())
    return topology


def errors(topology: Topology) -> list[str]:
    return [str(problem) for problem in check(topology) if problem.severity is Severity.ERROR]


def assert_legal(topology: Topology) -> None:
    """A value made by copying parts is one that could have been made from nothing."""
    assert Topology.model_validate(topology.model_dump()) == topology


# --- nodes and links ----------------------------------------------------------------------------------------------


def test_names_are_minieditors_and_count_per_letter() -> None:
    topology = drawn("host", "host", "switch", "bridge", "router", "legacy-router", "controller", "controller")
    assert [node.name for node in topology.nodes] == ["h1", "h2", "s1", "s2", "r1", "r2", "c0", "c1"]
    assert [node.number for node in topology.nodes] == [1, 2, 1, 2, 1, 2, None, None]
    assert [router.runs_frr for router in topology.routers] == [True, False]


def test_a_gap_is_not_filled_and_a_name_never_given_twice() -> None:
    topology = changes.delete(drawn("host", "host", "host"), ["h1"])
    topology, name = changes.add_node(topology, "host", 0, 0)
    assert name == "h4"
    topology = changes.rename(topology, "h4", "h5")
    assert changes.add_node(topology, "host", 0, 0)[1] == "h6"


def test_a_renamed_hosts_number_is_not_given_to_another() -> None:
    # MiniEdit makes addresses from numbers: two hosts of one number would have one address there
    topology = changes.rename(drawn("host", "host"), "h2", "web")
    assert changes.add_node(topology, "host", 0, 0)[1] == "h3"


@pytest.mark.parametrize("name", ["h99999", "h999999999", "s7"])
def test_huge_and_foreign_names_do_not_stop_the_counter(name: str) -> None:
    topology = Topology(nodes=(Switch(name=name), Host(name="h1")))
    new, given_name = changes.add_node(topology, "host", 0, 0)
    assert given_name == "h2"
    assert_legal(new)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_node_stands_somewhere(bad: float) -> None:
    with pytest.raises(TopologyError):
        changes.add_node(Topology(), "host", bad, 0)


#: Of every two kinds: whether a cable joins them, a list of controllers, or nothing.
CONTROL = {frozenset({"switch", "controller"})}


@pytest.mark.parametrize("first", ALL)
@pytest.mark.parametrize("second", ALL)
def test_what_may_be_linked(first: str, second: str) -> None:
    topology = drawn(first, second)
    a, b = (node.name for node in topology.nodes)
    if "controller" not in (first, second):
        after, link_id = linking.add_link(topology, a, b)
        assert link_id == "l1"
        assert [end.node for end in after.links[0].ends] == [a, b]
        assert linking.why_not(after, b, a) == ""  # a second one beside it is fine
        assert linking.add_link(after, a, b)[1] == "l2"
    elif frozenset({first, second}) in CONTROL:
        after, link_id = linking.add_link(topology, a, b)
        assert (link_id, after.links) == ("", ())
        assert [node.controllers for node in after.nodes if isinstance(node, Switch)] == [("c0",)]
        assert "already" in linking.why_not(after, a, b)
        assert linking.release(after, "s1", "c0") == topology
    else:
        assert "controller" in linking.why_not(topology, a, b)
        with pytest.raises(TopologyError, match="controller"):
            linking.add_link(topology, a, b)


def test_no_link_to_itself_or_to_nobody() -> None:
    topology = drawn("host")
    assert "itself" in linking.why_not(topology, "h1", "h1")
    assert "h9" in linking.why_not(topology, "h1", "h9")
    with pytest.raises(TopologyError):
        linking.release(drawn("switch", "controller"), "s1", "c0")


def test_a_link_takes_a_shape_for_both_directions() -> None:
    shape = Shape(rate_mbit=10, delay_ms=5)
    topology, link_id = linking.add_link(drawn("host", "host"), "h1", "h2", shape)
    link = topology.link(link_id)
    assert link is not None
    assert (link.a_to_b, link.b_to_a) == (shape, shape)


def test_an_id_whose_network_is_spoken_of_is_passed_over() -> None:
    # the neighbour was reached over l2, which is gone; a new l2 elsewhere would bring its address back to life
    neighbor = BgpNeighbor(address=ip_address("10.0.2.2"), remote_as=2)
    router = Router(name="r1", bgp=Bgp(asn=1, neighbors=(neighbor,)))
    topology = Topology(nodes=(router, Host(name="h1")), links=(Link(id="l1", a=End(node="r1"), b=End(node="h1")),))
    ids = fresh_link_ids(topology)
    assert [next(ids), next(ids)] == ["l3", "l4"]


# --- deleting -----------------------------------------------------------------------------------------------------


def test_deleting_takes_along_what_hangs_on_it() -> None:
    topology = linked(drawn("host", "host", "switch", "controller"), "h1 s1", "h2 s1", "s1 c0")
    topology, _ = changes.add_flow(topology, "h1", "h2")
    without = changes.delete(topology, ["h1", "c0"])
    assert [node.name for node in without.nodes] == ["h2", "s1"]
    assert [link.id for link in without.links] == ["l2"]
    assert without.flows == ()
    assert [node.controllers for node in without.nodes if isinstance(node, Switch)] == [()]
    assert changes.delete(topology, link_ids=["l1"]).flows == topology.flows
    assert changes.delete(topology, flow_ids=["f1"]).flows == ()


def test_deleting_what_is_not_there_is_refused() -> None:
    for asked in ({"names": ["x"]}, {"link_ids": ["x"]}, {"flow_ids": ["x"]}):
        with pytest.raises(TopologyError, match="no such"):
            changes.delete(drawn("host"), **asked)


def with_ospf(topology: Topology, **fields: object) -> Topology:
    router = topology.node("r1")
    assert isinstance(router, Router)
    return changes.replace_node(topology, "r1", router.model_copy(update={"ospf": Ospf(**fields)}))


def test_ospf_settings_follow_the_interface_when_automatic_names_move() -> None:
    topology = linked(drawn("router", "host", "host", "host"), "r1 h1", "r1 h2", "r1 h3")
    topology = with_ospf(topology, areas=(("r1-eth1", "1"), ("r1-eth2", "2")), passive=("r1-eth2", "lo", "odd"))
    after = changes.delete(topology, ["h2"])
    ospf = after.routers[0].ospf
    assert ospf is not None
    assert ospf.areas == (("r1-eth1", "2"),)  # r1-eth2 is called r1-eth1 now, and r1-eth1 is gone
    assert ospf.passive == ("r1-eth1", "lo", "odd")


# --- names --------------------------------------------------------------------------------------------------------


def test_renaming_reaches_everything_that_names_the_node() -> None:
    topology = linked(drawn("router", "host", "host"), "r1 h1", "r1 h2")
    ends = topology.links[1].a.model_copy(update={"interface": "r1-eth7"})
    topology = changes.replace_link(topology, "l2", topology.links[1].model_copy(update={"a": ends}))
    topology = with_ospf(topology, areas=(("r1-eth0", "1"),), passive=("r1-eth7",))
    topology, _ = changes.add_flow(topology, "r1", "h1")
    after = changes.rename(topology, "r1", "core")
    assert [link.a.node for link in after.links] == ["core", "core"]
    assert [end.interface for _, end in with_names(after).ends_at("core")] == ["core-eth0", "core-eth7"]
    assert after.flows[0].source == "core"
    ospf = after.routers[0].ospf
    assert ospf is not None
    assert (ospf.areas, ospf.passive) == ((("core-eth0", "1"),), ("core-eth7",))
    assert "r1" not in after.model_dump_json()


def test_renaming_a_controller_reaches_the_switches() -> None:
    topology = linked(drawn("switch", "controller"), "s1 c0")
    after = changes.rename(topology, "c0", "boss")
    assert [node.controllers for node in after.nodes if isinstance(node, Switch)] == [("boss",)]


def test_a_stated_interface_name_gives_way_to_one_that_is_there() -> None:
    ends = [End(node="h1", interface="h1-eth0"), End(node="h1", interface="web-eth0")]
    links = tuple(Link(id=f"l{n}", a=end, b=End(node="h2")) for n, end in enumerate(ends, start=1))
    after = changes.rename(Topology(nodes=(Host(name="h1"), Host(name="h2")), links=links), "h1", "web")
    assert [link.a.interface for link in after.links] == ["", "web-eth0"]
    assert errors(after) == []


def test_a_stated_interface_name_that_gets_too_long_becomes_automatic() -> None:
    end = End(node="h1", interface="h1-eth0")
    topology = Topology(
        nodes=(Host(name="h1"), Host(name="h2")), links=(Link(id="l1", a=end, b=End(node="h2", interface="eth0")),)
    )
    after = changes.rename(topology, "h1", "averyverylongname")
    assert after.links[0].a.interface == ""
    assert errors(after) == []
    assert changes.rename(after, "h2", "h3").links[0].b.interface == "eth0"


@pytest.mark.parametrize("name", ["h2", "", "a b", "-x", "lo", "cable", "x" * 65])
def test_illegal_and_taken_names_are_refused(name: str) -> None:
    topology = drawn("host", "host")
    with pytest.raises(TopologyError, match="h1"):
        changes.rename(topology, "h1", name)
    with pytest.raises(TopologyError, match="h1"):
        changes.replace_node(topology, "h1", Host.model_construct(name=name))
    assert changes.rename(topology, "h1", "h1") is topology


def test_a_switch_is_a_device_and_its_name_is_short() -> None:
    with pytest.raises(TopologyError, match="15"):
        changes.rename(drawn("switch"), "s1", "x" * 16)
    assert changes.rename(drawn("host"), "h1", "x" * 16).nodes[0].name == "x" * 16


# --- values of dialogs --------------------------------------------------------------------------------------------


def test_a_dialogs_value_may_have_a_new_name() -> None:
    topology = linked(drawn("host", "host"), "h1 h2")
    after = changes.replace_node(topology, "h1", Host(name="web", number=1, cores="0"))
    assert [node.name for node in after.nodes] == ["web", "h2"]
    assert after.links[0].a.node == "web"
    assert isinstance(after.nodes[0], Host) and after.nodes[0].cores == "0"
    with pytest.raises(TopologyError, match="cannot become"):
        changes.replace_node(topology, "h1", Switch(name="h1"))
    with pytest.raises(TopologyError, match="no such node"):
        changes.replace_node(topology, "h9", Host(name="h9"))


def test_a_links_value_is_checked() -> None:
    topology = linked(drawn("host", "host", "controller"), "h1 h2", "h1 h2")
    link = topology.links[0]
    assert changes.replace_link(topology, "l1", link.model_copy(update={"up": False})).links[0].up is False
    assert changes.replace_link(topology, "l1", link.model_copy(update={"id": "up"})).links[0].id == "up"
    for wrong in ({"id": "l2"}, {"b": End(node="h1")}, {"b": End(node="c0")}, {"b": End(node="h9")}):
        with pytest.raises(TopologyError):
            changes.replace_link(topology, "l1", link.model_copy(update=wrong))


def test_settings_of_an_interface_do_not_go_to_another_router() -> None:
    topology = linked(drawn("router", "router", "host", "host"), "r1 h1", "r1 h2")
    topology = with_ospf(topology, passive=("r1-eth0", "r1-eth1"))
    moved = topology.links[0].model_copy(update={"a": End(node="r2", interface="r1-eth5")})
    after = changes.replace_link(topology, "l1", moved)
    ospf = after.routers[0].ospf
    assert ospf is not None and ospf.passive == ("r1-eth0",)  # what was r1-eth1
    assert errors(after) == []


def test_flows_are_checked() -> None:
    topology = drawn("host", "host", "switch")
    flow = Flow(id="f1", source="h1", destination="h2")
    assert changes.set_flows(topology, [flow]).flows == (flow,)
    wrong = (
        [flow, flow],
        [flow.model_copy(update={"count": 2}), flow.model_copy(update={"id": "f1.2"})],
        [flow.model_copy(update={"destination": "h1"})],
        [flow.model_copy(update={"destination": "s1"})],
        [flow.model_copy(update={"source": "nobody"})],
    )
    for flows in wrong:
        with pytest.raises(TopologyError):
            changes.set_flows(topology, flows)
    topology = changes.set_flows(topology, [flow])
    assert changes.add_flow(topology, "h2", "h1")[1] == "f2"


# --- places -------------------------------------------------------------------------------------------------------


def spots(topology: Topology) -> list[tuple[float, float]]:
    return [(node.x, node.y) for node in topology.nodes]


def test_moving_is_by_name_and_leaves_the_rest() -> None:
    topology = drawn("host", "host")
    after = arrange.move(topology, {"h2": (7, 8)})
    assert spots(after) == [(0, 50), (7, 8)]
    assert after.nodes[0] is topology.nodes[0]
    assert spots(arrange.shift(after, ["h1", "h2"], 1, -1)) == [(1, 49), (8, 7)]
    with pytest.raises(TopologyError):
        arrange.move(topology, {"h9": (0, 0)})
    with pytest.raises(TopologyError):
        arrange.move(topology, {"h1": (float("nan"), 0)})


@pytest.mark.parametrize(
    ("edge", "right"),
    [
        ("left", [(10, 5), (10, 45), (10, 20)]),
        ("right", [(90, 5), (90, 45), (90, 20)]),
        ("centre", [(50, 5), (50, 45), (50, 20)]),
        ("top", [(10, 5), (90, 5), (30, 5)]),
        ("bottom", [(10, 45), (90, 45), (30, 45)]),
        ("middle", [(10, 25), (90, 25), (30, 25)]),
    ],
)
def test_aligning(edge: arrange.Edge, right: list[tuple[float, float]]) -> None:
    topology = arrange.move(drawn("host", "host", "host"), {"h1": (10, 5), "h2": (90, 45), "h3": (30, 20)})
    assert spots(arrange.align(topology, ["h1", "h2", "h3"], edge)) == right
    assert arrange.align(topology, [], edge) is topology


def test_distributing_keeps_the_order_and_the_outermost() -> None:
    topology = arrange.move(
        drawn("host", "host", "host", "host"), {"h1": (0, 0), "h2": (100, 9), "h3": (5, 3), "h4": (20, 4)}
    )
    names = ["h1", "h2", "h3", "h4"]
    assert spots(arrange.distribute(topology, names, "vertical")) == [(0, 0), (100, 9), (5, 3), (20, 6)]
    across = [x for x, _ in spots(arrange.distribute(topology, names, "horizontal"))]
    assert across == pytest.approx([0, 100, 100 / 3, 200 / 3])


def test_snapping() -> None:
    topology = arrange.move(drawn("host", "host"), {"h1": (14.9, 15), "h2": (-15.1, -5)})
    assert spots(arrange.snap(topology, ["h1", "h2"], 10)) == [(10, 20), (-20, 0)]
    halves = arrange.move(topology, {"h1": (25, 35), "h2": (-25, -35)})
    assert spots(arrange.snap(halves, ["h1", "h2"], 10)) == [(30, 40), (-20, -30)]  # all half ways go one way
    with pytest.raises(ValueError, match="pitch"):
        arrange.snap(topology, ["h1"], 0)


LAID_OUT = [
    pytest.param(lambda: generators.tree(4, 2), id="tree"),
    pytest.param(lambda: generators.grid(5, 5), id="grid"),
    pytest.param(lambda: generators.fat_tree(4), id="fat-tree"),
    pytest.param(lambda: drawn(*ALL * 6), id="unlinked"),
    pytest.param(lambda: drawn("host"), id="one"),
    pytest.param(Topology, id="none"),
]


@pytest.mark.parametrize("make", LAID_OUT)
def test_a_layout_gives_each_its_place_and_links_are_short(make: Callable[[], Topology]) -> None:
    heap = make()
    heap = arrange.move(heap, {node.name: (0.0, 0.0) for node in heap.nodes})
    after = layout.auto_layout(heap, pitch_px=100, corner=(30, 40))
    assert after == layout.auto_layout(heap, pitch_px=100, corner=(30, 40))
    at = {node.name: complex(node.x, node.y) for node in after.nodes}
    pairs = [(a, b) for a in at for b in at if a < b]
    assert all(abs(at[a] - at[b]) >= 100 for a, b in pairs)
    if at:
        assert (min(spot.real for spot in at.values()), min(spot.imag for spot in at.values())) == (30, 40)
    if heap.links:
        between = [abs(at[link.a.node] - at[link.b.node]) for link in heap.links]
        everywhere = [abs(at[a] - at[b]) for a, b in pairs]
        assert sum(between) / len(between) < 0.6 * sum(everywhere) / len(everywhere)


def test_a_layout_of_some_leaves_the_others() -> None:
    topology = linked(drawn("host", "host", "host"), "h1 h2")
    after = layout.auto_layout(topology, ["h1", "h2"])
    assert after.nodes[2] is topology.nodes[2]
    assert spots(after)[:2] != spots(topology)[:2]


# --- copying ------------------------------------------------------------------------------------------------------


def test_a_copy_is_renumbered_and_readdressed() -> None:
    topology = two_as_bgp()
    after, names = clip.duplicate(topology, ["h1", "r1", "r2", "h2"], 10, 200)
    assert names == {"h1": "h3", "h2": "h4", "r1": "r3", "r2": "r4"}
    assert after.nodes[:4] == topology.nodes
    assert after.links[:3] == topology.links
    assert [link.id for link in after.links[3:]] == ["l4", "l5", "l6"]
    assert [(flow.id, flow.source, flow.destination) for flow in after.flows[2:]] == [
        ("cubic_2", "h3", "h4"),
        ("bbr_2", "h3", "h4"),
    ]
    assert spots(after)[4:] == [(x + 10, y + 200) for x, y in spots(topology)]
    assert errors(after) == []
    # the sessions were copied too: each finds its new neighbour, and brings the far network
    full = addressed(after)
    here = {end.node: address.ip for end in full.links[4].ends for address in end.addresses}
    for name, peer in (("r3", "r4"), ("r4", "r3")):
        router = after.node(name)
        assert isinstance(router, Router) and router.bgp
        assert [neighbor.address for neighbor in router.bgp.neighbors] == [here[peer]]
    wanted = expected_routes(full)
    assert [len(wanted[name]) for name in ("r1", "r2", "r3", "r4")] == [1, 1, 1, 1]


def test_a_copy_of_a_part_says_nothing_of_the_rest() -> None:
    after, names = clip.duplicate(two_as_bgp(), ["h1", "r1"], 0, 0)
    router, host = after.node(names["r1"]), after.node(names["h1"])
    assert isinstance(router, Router) and router.bgp and isinstance(host, Host)
    assert router.bgp.neighbors == ()
    assert addressed(after).node(host.name) is not None
    assert errors(after) == []


def test_stated_addresses_stay_where_they_are_free() -> None:
    topology = two_as_bgp()
    after, names = clip.merge(drawn("switch"), topology)
    assert names == {node.name: node.name for node in topology.nodes}
    assert after.links == topology.links
    assert after.nodes[1:] == topology.nodes
    assert after.flows == topology.flows


def test_names_keep_their_order_when_one_is_taken() -> None:
    after, names = clip.merge(generators.ring(2 + 1, hosts=0), generators.line(5, hosts=1))
    assert [names[f"r{n}"] for n in range(1, 6)] == ["r4", "r5", "r6", "r7", "r8"]
    assert [names[f"h{n}"] for n in range(1, 6)] == ["h1", "h2", "h3", "h4", "h5"]
    assert errors(after) == []


def test_names_of_any_form_stay_apart() -> None:
    topology = Topology(nodes=tuple(Host(name=name) for name in ("web", "web_1", "x" * 64, "web1")))
    after, names = clip.duplicate(topology, [node.name for node in topology.nodes], 0, 0)
    assert len({node.name for node in after.nodes}) == 8
    assert errors(after) == []
    assert names["web1"] == "web2"


def test_a_network_that_is_there_does_not_come_twice() -> None:
    def pair(first: str, second: str) -> Topology:
        ends = (End(node="h1", addresses=(ip_interface(first),)), End(node="r1", addresses=(ip_interface(second),)))
        return Topology(nodes=(Host(name="h1"), Router(name="r1")), links=(Link(id="l1", a=ends[0], b=ends[1]),))

    there = pair("10.5.0.1/24", "10.5.0.2/24")
    beside, _ = clip.merge(there, pair("10.6.0.1/24", "10.6.0.2/24"))
    assert [len(end.addresses) for end in beside.links[1].ends] == [1, 1]
    within, _ = clip.merge(there, pair("10.5.0.3/24", "10.5.0.4/24"))
    assert [len(end.addresses) for end in within.links[1].ends] == [0, 0]
    assert not [problem for problem in check(within) if problem.kind == "overlapping-networks"]


def test_controllers_are_copied_or_shared() -> None:
    topology = linked(drawn("switch", "controller"), "s1 c0")
    both, names = clip.duplicate(topology, ["s1", "c0"], 0, 0)
    assert names == {"s1": "s2", "c0": "c1"}
    assert both.nodes[2].controllers == ("c1",)  # type: ignore[union-attr]
    alone, _ = clip.duplicate(topology, ["s1"], 0, 0)
    assert alone.nodes[2].controllers == ("c0",)  # type: ignore[union-attr]
    elsewhere, _ = clip.paste(Topology(), clip.copy(topology, ["s1"]))
    assert elsewhere.nodes[0].controllers == ()  # type: ignore[union-attr]


def test_identities_are_not_copied() -> None:
    topology = Topology(
        nodes=(
            Switch(name="s1", dpid="ab", management_address="10.1.1.1", external_interfaces=("eth7",)),
            Host(name="h1", vlan_interfaces=(VlanInterface(address=ip_interface("10.7.0.1/24"), vlan_id=7),)),
            Router(
                name="r1",
                loopbacks=(ip_interface("1.1.1.1/32"),),
                ospf=Ospf(router_id=ip_address("1.1.1.1"), passive=("lo", "r1-eth0", "r1-eth1")),
                static_routes=(StaticRoute(prefix=ip_network("0.0.0.0/0"), via=ip_address("10.0.1.101")),),
            ),
        ),
        links=(
            Link(id="l7", a=End(node="s1"), b=End(node="r1")),
            Link(id="l1", a=End(node="h1", mac="02:00:00:00:00:01"), b=End(node="r1")),
        ),
    )
    after, names = clip.duplicate(topology, ["h1", "r1"], 0, 0)
    after, more = clip.duplicate(after, ["s1"], 0, 0)
    assert (names, more) == ({"h1": "h2", "r1": "r2"}, {"s1": "s2"})
    switch, host, router = after.node("s2"), after.node("h2"), after.node("r2")
    assert isinstance(switch, Switch) and isinstance(host, Host) and isinstance(router, Router) and router.ospf
    assert (switch.dpid, switch.management_address, switch.external_interfaces) == ("", "", ())
    assert host.vlan_interfaces[0].address.ip not in (ip_address("10.7.0.1"), None)
    assert host.vlan_interfaces[0].address.network == IPv4Network("10.7.0.0/24")
    assert router.loopbacks == () and router.ospf.router_id is None
    assert router.ospf.passive == ("lo", "r2-eth0")  # r1-eth1 of the one that has no link to a switch
    assert after.links[-1].a.mac == ""
    via = {a.ip for a in addressed(after).links[-1].a.addresses}
    assert {route.via for route in router.static_routes} == via
    assert errors(after) == []


@settings(max_examples=60, deadline=None)
@given(topology=strategies.topologies(), other=strategies.topologies(), data=st.data())
def test_whatever_is_pasted_fits_in(topology: Topology, other: Topology, data: st.DataObject) -> None:
    names = [node.name for node in other.nodes]
    part = clip.copy(other, data.draw(st.lists(st.sampled_from(names), unique=True)) if names else [])
    after, new = clip.paste(topology, part)
    assert_legal(after)
    assert after.nodes[: len(topology.nodes)] == topology.nodes
    assert after.links[: len(topology.links)] == topology.links
    counts = Counter(node.name for node in after.nodes)
    assert set(counts.values()) <= {1}
    assert set(new) == {node.name for node in part.drawn.nodes}
    old_ids, new_ids = ({link.id for link in links} for links in (topology.links, after.links[len(topology.links) :]))
    assert not old_ids & new_ids
    assert not {flow.id for flow in topology.flows} & {flow.id for flow in after.flows[len(topology.flows) :]}
    assert len(after.nodes) == len(topology.nodes) + len(new)
    assert type(part).model_validate_json(part.model_dump_json()) == part


@settings(max_examples=60, deadline=None)
@given(topology=strategies.topologies(unique_names=False), data=st.data())
def test_every_edit_of_any_drawing_is_a_legal_value(topology: Topology, data: st.DataObject) -> None:
    names = [node.name for node in topology.nodes] or ["nobody"]
    name = data.draw(st.sampled_from(names))
    edits: list[Callable[[], Topology]] = [
        lambda: changes.delete(topology, [name]),
        lambda: changes.rename(topology, name, data.draw(strategies.names)),
        lambda: linking.add_link(topology, name, data.draw(st.sampled_from(names)))[0],
        lambda: changes.add_flow(topology, name, data.draw(st.sampled_from(names)))[0],
        lambda: changes.add_node(topology, data.draw(st.sampled_from(ALL)), 1, 2)[0],
        lambda: arrange.align(topology, names, data.draw(st.sampled_from(list(arrange._EDGES)))),
        lambda: arrange.distribute(topology, names, "horizontal"),
        lambda: arrange.snap(topology, names, 10),
        lambda: layout.auto_layout(topology, names),
        lambda: presets.ospf_everywhere(topology),
        lambda: presets.as_per_router(topology),
    ]
    for edit in edits:
        try:
            after = edit()
        except TopologyError:
            continue
        assert_legal(after)


@pytest.mark.parametrize("seed", range(6))
def test_an_edit_of_a_faultless_drawing_leaves_no_error(seed: int) -> None:
    # deleting may leave what spoke of the deleted, and a flow may be drawn before its path; nothing else may
    chance, topology, made = random.Random(seed), Topology(), 0
    excused = {"delete", "delete link", "cut and paste", "flow"}
    for _ in range(150):
        edit = chance.choice(sorted(set(EDITS) - ANYTHING_GOES))
        after = edited(topology, edit, chance.randrange(10**6))
        flows = {flow.id for flow in after.flows}
        faults = [p for p in check(after) if p.severity is Severity.ERROR]
        if edit not in excused:
            assert [str(fault) for fault in faults if fault.node not in flows] == [], edit
        if not faults:
            topology, made = after, made + (after != topology)
    assert made > 20


# --- presets ------------------------------------------------------------------------------------------------------


def test_ospf_everywhere_keeps_what_is_set() -> None:
    topology = linked(drawn("router", "legacy-router", "host"), "r1 r2", "r2 h1")
    topology = with_ospf(topology, hello_s=10, area="0")
    after = presets.ospf_everywhere(topology)
    assert after.routers[0] == topology.routers[0]
    assert all(router.ospf for router in after.routers)
    assert errors(after) == []
    assert len(expected_routes(addressed(after))["r1"]) == 2  # the host's net, and the other loopback


def v6(topology: Topology) -> Topology:
    """The same with an IPv6 address at its first router, so that all get some."""
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
        pytest.param(v6(generators.line(3)), id="ipv6"),
        pytest.param(drawn("router"), id="alone"),
    ],
)
def test_an_as_per_router_reaches_everything(topology: Topology) -> None:
    after = presets.as_per_router(topology)
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
    wanted = expected_routes(full)
    for router in full.routers:
        own = {a.network for _, end in full.ends_at(router.name) for a in end.addresses}
        own |= {a.network for a in router.loopbacks}
        assert set(wanted.get(router.name, ())) == everything - own


def test_sessions_survive_a_renaming_and_a_new_link() -> None:
    after = presets.as_per_router(generators.ring(3))
    after = changes.rename(after, "r2", "core")
    after, _ = linking.add_link(after, "r1", "r3")
    assert errors(after) == []


def test_copied_systems_survive_a_renaming() -> None:
    # what sessions and announcements speak of is stated in the copy too, for automatic addresses follow names
    after, names = clip.duplicate(presets.as_per_router(generators.ring(3)), ["r1", "r2", "r3", "h1"], 0, 0)
    for number, name in enumerate(names.values()):
        after = changes.rename(after, name, f"renamed{number}")
    assert errors(after) == []


def test_no_session_between_different_networks() -> None:
    ends = [End(node=f"r{n}", addresses=(ip_interface(f"10.{n}.0.1/24"),)) for n in (1, 2)]
    topology = Topology(nodes=(Router(name="r1"), Router(name="r2")), links=(Link(id="l1", a=ends[0], b=ends[1]),))
    after = presets.as_per_router(topology)
    assert [router.bgp.neighbors for router in after.routers if router.bgp] == [(), ()]


def test_many_systems_have_private_numbers() -> None:
    after = presets.as_per_router(Topology(nodes=tuple(Router(name=f"r{n}") for n in range(1, 600))))
    numbers = [router.bgp.asn for router in after.routers if router.bgp]
    assert len(set(numbers)) == 599
    assert all(4_200_000_000 <= number <= 4_294_967_294 for number in numbers)


def test_kinds_of_all_tools() -> None:
    kinds = [type(node) for node in drawn(*ALL).nodes]
    assert kinds == [Host, Router, Router, Switch, Bridge, Controller]
    assert set(changes.TOOLS) == set(ALL)
