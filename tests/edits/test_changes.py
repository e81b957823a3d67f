"""Edits of topologies: changed and unchanged parts, and the validity of every result."""

from __future__ import annotations

import random
from collections.abc import Callable
from ipaddress import ip_address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frrlib.checks.check import Severity, check
from frrlib.edits import arrange, changes, clipboard, routing_presets, spring_layout
from frrlib.edits import links as linking
from frrlib.edits.new_names import fresh_link_ids
from frrlib.edits.parts import with_nodes
from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.model.annotations import FAR_PX
from frrlib.model.flows import Flow
from frrlib.model.interface_names import with_names
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Bridge, Controller, Host, Router, Switch
from frrlib.model.routing import Bgp, BgpNeighbor
from frrlib.model.topology import Topology
from tests.checks.problems import errors
from tests.edits.topologies import ALL, assert_legal, drawn, linked, ospf_interfaces, with_ospf
from tests.example_counts import examples
from tests.random_edits import ANYTHING_GOES, EDITS, edited
from tests.strategies import topologies as strategies

# --- nodes and links ----------------------------------------------------------------------------------------------


def test_names_are_miniedits_and_numbered_by_letter() -> None:
    topology = drawn("host", "host", "switch", "bridge", "router", "legacy-router", "controller", "controller")
    assert [node.name for node in topology.nodes] == ["h1", "h2", "s1", "s2", "r1", "r2", "c0", "c1"]
    assert [node.number for node in topology.nodes] == [1, 2, 1, 2, 1, 2, None, None]
    assert [router.runs_frr for router in topology.routers] == [True, False]


def test_nodes_stay_on_the_canvas_at_any_distance() -> None:
    """Positions beyond the farthest one are invalid in files."""
    topology, name = changes.add_node(drawn("host"), "router", 3e6, -3e6)
    assert (topology.node(name).x, topology.node(name).y) == (FAR_PX, -FAR_PX)  # type: ignore[union-attr]
    topology = arrange.move(topology, {"h1": (FAR_PX, 0.0)})
    topology = arrange.shift(topology, ["h1", name], 44.9999999, 10.0)
    assert topology.node("h1").x == FAR_PX  # type: ignore[union-attr]
    pasted, _ = clipboard.paste(topology, clipboard.copy(topology, ["h1"]), FAR_PX, 0.0)
    for edited_topology in (topology, pasted):
        assert mn.loads(mn.dumps(edited_topology)).topology == edited_topology


def test_deleted_names_are_not_given_again() -> None:
    topology = changes.delete(drawn("host", "host", "host"), ["h1"])
    topology, name = changes.add_node(topology, "host", 0, 0)
    assert name == "h4"
    topology = changes.rename(topology, "h4", "h5")
    assert changes.add_node(topology, "host", 0, 0)[1] == "h6"


def test_a_renamed_hosts_number_is_not_given_to_another() -> None:
    # MiniEdit makes addresses from numbers: two hosts with one number would have the same address there
    topology = changes.rename(drawn("host", "host"), "h2", "web")
    assert changes.add_node(topology, "host", 0, 0)[1] == "h3"


@pytest.mark.parametrize("name", ["h99999", "h999999999", "s7"])
def test_huge_and_foreign_names_do_not_stop_the_counter(name: str) -> None:
    topology = Topology(nodes=(Switch(name=name), Host(name="h1")))
    new, given_name = changes.add_node(topology, "host", 0, 0)
    assert given_name == "h2"
    assert_legal(new)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_positions_must_be_finite(bad: float) -> None:
    with pytest.raises(TopologyError):
        changes.add_node(Topology(), "host", bad, 0)


#: Pairs of kinds that are joined by a list of controllers instead of a link.
CONTROL = {frozenset({"switch", "controller"})}


@pytest.mark.parametrize("first", ALL)
@pytest.mark.parametrize("second", ALL)
def test_allowed_links_between_kinds_of_nodes(first: str, second: str) -> None:
    topology = drawn(first, second)
    a, b = (node.name for node in topology.nodes)
    if "controller" not in (first, second):
        after, link_id = linking.add_link(topology, a, b)
        assert link_id == "l1"
        assert [end.node for end in after.links[0].ends] == [a, b]
        assert linking.link_refusal(after, b, a) == ""  # a parallel link is allowed
        assert linking.add_link(after, a, b)[1] == "l2"
    elif frozenset({first, second}) in CONTROL:
        after, link_id = linking.add_link(topology, a, b)
        assert (link_id, after.links) == ("", ())
        assert [node.controllers for node in after.nodes if isinstance(node, Switch)] == [("c0",)]
        assert "already" in linking.link_refusal(after, a, b)
        assert linking.release(after, "s1", "c0") == topology
    else:
        assert "controller" in linking.link_refusal(topology, a, b)
        with pytest.raises(TopologyError, match="controller"):
            linking.add_link(topology, a, b)


def test_links_to_itself_or_to_missing_nodes_are_rejected() -> None:
    topology = drawn("host")
    assert "itself" in linking.link_refusal(topology, "h1", "h1")
    assert "h9" in linking.link_refusal(topology, "h1", "h9")
    with pytest.raises(TopologyError):
        linking.release(drawn("switch", "controller"), "s1", "c0")


def test_a_shape_applies_to_both_directions_of_a_new_link() -> None:
    shape = Shape(rate_mbit=10, delay_ms=5)
    topology, link_id = linking.add_link(drawn("host", "host"), "h1", "h2", shape)
    link = topology.link(link_id)
    assert link is not None
    assert (link.a_to_b, link.b_to_a) == (shape, shape)


def test_ids_with_referenced_networks_are_skipped() -> None:
    # the neighbor was at the deleted link l2, and a new l2 elsewhere would have its address again
    neighbor = BgpNeighbor(address=ip_address("10.0.2.2"), remote_as=2)
    router = Router(name="r1", bgp=Bgp(asn=1, neighbors=(neighbor,)))
    topology = Topology(nodes=(router, Host(name="h1")), links=(Link(id="l1", a=End(node="r1"), b=End(node="h1")),))
    ids = fresh_link_ids(topology)
    assert [next(ids), next(ids)] == ["l3", "l4"]


def test_kinds_of_all_tools() -> None:
    kinds = [type(node) for node in drawn(*ALL).nodes]
    assert kinds == [Host, Router, Router, Switch, Bridge, Controller, Router, Router]
    assert set(changes.TOOLS) == set(ALL)


# --- deleting -----------------------------------------------------------------------------------------------------


def test_deleting_a_node_deletes_its_links_and_flows() -> None:
    topology = linked(drawn("host", "host", "switch", "controller"), "h1 s1", "h2 s1", "s1 c0")
    topology, _ = changes.add_flow(topology, "h1", "h2")
    without = changes.delete(topology, ["h1", "c0"])
    assert [node.name for node in without.nodes] == ["h2", "s1"]
    assert [link.id for link in without.links] == ["l2"]
    assert without.flows == ()
    assert [node.controllers for node in without.nodes if isinstance(node, Switch)] == [()]
    assert changes.delete(topology, link_ids=["l1"]).flows == topology.flows
    assert changes.delete(topology, flow_ids=["f1"]).flows == ()


def test_deleting_missing_objects_is_rejected() -> None:
    for arguments in ({"names": ["x"]}, {"link_ids": ["x"]}, {"flow_ids": ["x"]}):
        with pytest.raises(TopologyError, match="does not exist"):
            changes.delete(drawn("host"), **arguments)


def test_ospf_settings_follow_an_interface_whose_automatic_name_changes() -> None:
    topology = linked(drawn("router", "host", "host", "host"), "r1 h1", "r1 h2", "r1 h3")
    topology = with_ospf(
        topology, interfaces=ospf_interfaces("r1-eth1 1", "r1-eth2 2 passive", "lo passive", "odd passive")
    )
    after = changes.delete(topology, ["h2"])
    ospf = after.routers[0].ospf
    assert ospf is not None
    # the former r1-eth2 is r1-eth1 now
    assert ospf.interfaces == ospf_interfaces("r1-eth1 2 passive", "lo passive", "odd passive")


# --- names --------------------------------------------------------------------------------------------------------


def test_renaming_updates_all_references_to_the_node() -> None:
    topology = linked(drawn("router", "host", "host"), "r1 h1", "r1 h2")
    ends = topology.links[1].a.model_copy(update={"interface": "r1-eth7"})
    topology = changes.replace_link(topology, "l2", topology.links[1].model_copy(update={"a": ends}))
    topology = with_ospf(topology, interfaces=ospf_interfaces("r1-eth0 1", "r1-eth7 passive"))
    topology, _ = changes.add_flow(topology, "r1", "h1")
    after = changes.rename(topology, "r1", "core")
    assert [link.a.node for link in after.links] == ["core", "core"]
    assert [end.interface for _, end in with_names(after).ends_at("core")] == ["core-eth0", "core-eth7"]
    assert after.flows[0].source == "core"
    ospf = after.routers[0].ospf
    assert ospf is not None
    assert ospf.interfaces == ospf_interfaces("core-eth0 1", "core-eth7 passive")
    node = after.node("core")
    assert node is not None and node.original_name == "r1"
    rest = with_nodes(after, {"core": node.model_copy(update={"original_name": ""})})
    assert "r1" not in rest.model_dump_json()


def test_renaming_a_controller_updates_the_switches() -> None:
    topology = linked(drawn("switch", "controller"), "s1 c0")
    after = changes.rename(topology, "c0", "boss")
    assert [node.controllers for node in after.nodes if isinstance(node, Switch)] == [("boss",)]


def test_a_stated_interface_name_in_use_becomes_automatic() -> None:
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
def test_invalid_and_used_names_are_rejected(name: str) -> None:
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


def test_a_dialogs_value_may_have_another_name() -> None:
    topology = linked(drawn("host", "host"), "h1 h2")
    after = changes.replace_node(topology, "h1", Host(name="web", number=1, cores="0"))
    assert [node.name for node in after.nodes] == ["web", "h2"]
    assert after.links[0].a.node == "web"
    assert isinstance(after.nodes[0], Host) and after.nodes[0].cores == "0"
    with pytest.raises(TopologyError, match="cannot become"):
        changes.replace_node(topology, "h1", Switch(name="h1"))
    with pytest.raises(TopologyError, match="the node does not exist"):
        changes.replace_node(topology, "h9", Host(name="h9"))


def test_a_links_value_is_checked() -> None:
    topology = linked(drawn("host", "host", "controller"), "h1 h2", "h1 h2")
    link = topology.links[0]
    assert changes.replace_link(topology, "l1", link.model_copy(update={"up": False})).links[0].up is False
    assert changes.replace_link(topology, "l1", link.model_copy(update={"id": "up"})).links[0].id == "up"
    for wrong in ({"id": "l2"}, {"b": End(node="h1")}, {"b": End(node="c0")}, {"b": End(node="h9")}):
        with pytest.raises(TopologyError):
            changes.replace_link(topology, "l1", link.model_copy(update=wrong))


def test_settings_of_an_interface_do_not_follow_to_another_router() -> None:
    topology = linked(drawn("router", "router", "host", "host"), "r1 h1", "r1 h2")
    topology = with_ospf(topology, interfaces=ospf_interfaces("r1-eth0 passive", "r1-eth1 passive"))
    moved = topology.links[0].model_copy(update={"a": End(node="r2", interface="r1-eth5")})
    after = changes.replace_link(topology, "l1", moved)
    ospf = after.routers[0].ospf
    assert ospf is not None and ospf.passive == ("r1-eth0",)  # the former r1-eth1
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


# --- any edit -----------------------------------------------------------------------------------------------------


@settings(max_examples=examples(60), deadline=None)
@given(topology=strategies.topologies(unique_names=False), data=st.data())
def test_every_edit_gives_a_valid_topology(topology: Topology, data: st.DataObject) -> None:
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
        lambda: spring_layout.auto_layout(topology, names),
        lambda: routing_presets.ospf_everywhere(topology),
        lambda: routing_presets.as_per_router(topology),
    ]
    for edit in edits:
        try:
            after = edit()
        except TopologyError:
            continue
        assert_legal(after)


@pytest.mark.parametrize("seed", range(6))
def test_edits_of_a_correct_topology_cause_no_errors(seed: int) -> None:
    # deletion may leave references, and a flow may be drawn before its path; nothing else is an error
    chance, topology, changes_made = random.Random(seed), Topology(), 0
    excused = {"delete", "delete link", "cut and paste", "flow"}
    for _ in range(150):
        edit = chance.choice(sorted(set(EDITS) - ANYTHING_GOES))
        after = edited(topology, edit, chance.randrange(10**6))
        flows = {flow.id for flow in after.flows}
        faults = [problem for problem in check(after) if problem.severity is Severity.ERROR]
        if edit not in excused:
            assert [str(fault) for fault in faults if fault.node not in flows] == [], edit
        if not faults:
            topology, changes_made = after, changes_made + (after != topology)
    assert changes_made > 20
