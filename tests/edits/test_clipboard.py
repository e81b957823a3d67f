"""Copied parts of a topology: their new names, their references, and their validity anywhere."""

from __future__ import annotations

from collections import Counter
from ipaddress import IPv4Network, ip_address, ip_interface, ip_network

from hypothesis import given, settings
from hypothesis import strategies as st

from frrlib.addressing.addressing import addressed
from frrlib.checks.check import check
from frrlib.edits import changes, clipboard, generators, routing_presets
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Router, Switch, VlanInterface
from frrlib.model.routing import Ospf, Ospf6, PrefixList, PrefixRule, RouteMap, RouteMapEntry, StaticRoute
from frrlib.model.topology import Topology
from frrlib.prediction.routes import expected_routes
from tests.checks.problems import complaints, errors
from tests.edits.topologies import GRID, THIRDS, assert_legal, drawn, linked, ospf_interfaces, spots
from tests.example_counts import examples
from tests.examples.data import two_as_bgp
from tests.strategies import topologies as strategies


def test_a_copy_has_new_names_and_addresses() -> None:
    topology = two_as_bgp()
    after, names = clipboard.duplicate(topology, ["h1", "r1", "r2", "h2"], 10, 200)
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
    # the sessions were copied too: each has its new neighbor, and announces the far network
    full = addressed(after)
    addresses = {end.node: address.ip for end in full.links[4].ends for address in end.addresses}
    for name, peer in (("r3", "r4"), ("r4", "r3")):
        router = after.node(name)
        assert isinstance(router, Router) and router.bgp
        assert [neighbor.address for neighbor in router.bgp.neighbors] == [addresses[peer]]
    routes = expected_routes(full)
    assert [len(routes[name]) for name in ("r1", "r2", "r3", "r4")] == [1, 1, 1, 1]


def test_a_copied_part_has_no_references_to_other_nodes() -> None:
    after, names = clipboard.duplicate(two_as_bgp(), ["h1", "r1"], 0, 0)
    router, host = after.node(names["r1"]), after.node(names["h1"])
    assert isinstance(router, Router) and router.bgp and isinstance(host, Host)
    assert router.bgp.neighbors == ()
    assert addressed(after).node(host.name) is not None
    assert errors(after) == []


def test_free_stated_addresses_are_kept() -> None:
    topology = two_as_bgp()
    after, names = clipboard.merge(drawn("switch"), topology)
    assert names == {node.name: node.name for node in topology.nodes}
    assert after.links == topology.links
    assert after.nodes[1:] == topology.nodes
    assert after.flows == topology.flows


def test_names_keep_their_order_if_one_is_in_use() -> None:
    after, names = clipboard.merge(generators.ring(2 + 1, hosts=0), generators.line(5, hosts=1))
    assert [names[f"r{n}"] for n in range(1, 6)] == ["r4", "r5", "r6", "r7", "r8"]
    assert [names[f"h{n}"] for n in range(1, 6)] == ["h1", "h2", "h3", "h4", "h5"]
    assert errors(after) == []


def test_names_of_any_form_stay_distinct() -> None:
    topology = Topology(nodes=tuple(Host(name=name) for name in ("web", "web_1", "x" * 64, "web1")))
    after, names = clipboard.duplicate(topology, [node.name for node in topology.nodes], 0, 0)
    assert len({node.name for node in after.nodes}) == 8
    assert errors(after) == []
    assert names["web1"] == "web2"


def test_networks_in_use_are_not_pasted_again() -> None:
    def pair(first: str, second: str) -> Topology:
        ends = (End(node="h1", addresses=(ip_interface(first),)), End(node="r1", addresses=(ip_interface(second),)))
        return Topology(nodes=(Host(name="h1"), Router(name="r1")), links=(Link(id="l1", a=ends[0], b=ends[1]),))

    existing = pair("10.5.0.1/24", "10.5.0.2/24")
    beside, _ = clipboard.merge(existing, pair("10.6.0.1/24", "10.6.0.2/24"))
    assert [len(end.addresses) for end in beside.links[1].ends] == [1, 1]
    within, _ = clipboard.merge(existing, pair("10.5.0.3/24", "10.5.0.4/24"))
    assert [len(end.addresses) for end in within.links[1].ends] == [0, 0]
    assert not [problem for problem in check(within) if problem.kind == "overlapping-networks"]


def test_controllers_are_copied_or_shared() -> None:
    topology = linked(drawn("switch", "controller"), "s1 c0")
    both, names = clipboard.duplicate(topology, ["s1", "c0"], 0, 0)
    assert names == {"s1": "s2", "c0": "c1"}
    assert both.nodes[2].controllers == ("c1",)  # type: ignore[union-attr]
    alone, _ = clipboard.duplicate(topology, ["s1"], 0, 0)
    assert alone.nodes[2].controllers == ("c0",)  # type: ignore[union-attr]
    elsewhere, _ = clipboard.paste(Topology(), clipboard.copy(topology, ["s1"]))
    assert elsewhere.nodes[0].controllers == ()  # type: ignore[union-attr]


def test_identities_are_not_copied() -> None:
    topology = Topology(
        nodes=(
            Switch(name="s1", dpid="ab", management_address="10.1.1.1", external_interfaces=("eth7",)),
            Host(name="h1", vlan_interfaces=(VlanInterface(address=ip_interface("10.7.0.1/24"), vlan_id=7),)),
            Router(
                name="r1",
                loopbacks=(ip_interface("1.1.1.1/32"),),
                ospf=Ospf(
                    router_id=ip_address("1.1.1.1"),
                    interfaces=ospf_interfaces("lo passive", "r1-eth0 passive", "r1-eth1 passive"),
                ),
                static_routes=(StaticRoute(prefix=ip_network("0.0.0.0/0"), via=ip_address("10.0.1.101")),),
            ),
        ),
        links=(
            Link(id="l7", a=End(node="s1"), b=End(node="r1")),
            Link(id="l1", a=End(node="h1", mac="02:00:00:00:00:01"), b=End(node="r1")),
        ),
    )
    after, names = clipboard.duplicate(topology, ["h1", "r1"], 0, 0)
    after, more_names = clipboard.duplicate(after, ["s1"], 0, 0)
    assert (names, more_names) == ({"h1": "h2", "r1": "r2"}, {"s1": "s2"})
    switch, host, router = after.node("s2"), after.node("h2"), after.node("r2")
    assert isinstance(switch, Switch) and isinstance(host, Host) and isinstance(router, Router) and router.ospf
    assert (switch.dpid, switch.management_address, switch.external_interfaces) == ("", "", ())
    assert host.vlan_interfaces[0].address.ip not in (ip_address("10.7.0.1"), None)
    assert host.vlan_interfaces[0].address.network == IPv4Network("10.7.0.0/24")
    assert router.loopbacks == () and router.ospf.router_id is None
    assert router.ospf.passive == ("lo", "r2-eth0")  # r2 is a copy without the link to the switch
    assert after.links[-1].a.mac == ""
    via = {a.ip for a in addressed(after).links[-1].a.addresses}
    assert {route.via for route in router.static_routes} == via
    assert errors(after) == []


@settings(max_examples=examples(60), deadline=None)
@given(topology=strategies.topologies(), source=strategies.topologies(), data=st.data())
def test_any_pasted_part_is_valid(topology: Topology, source: Topology, data: st.DataObject) -> None:
    names = [node.name for node in source.nodes]
    part = clipboard.copy(source, data.draw(st.lists(st.sampled_from(names), unique=True)) if names else [])
    after, new = clipboard.paste(topology, part)
    assert_legal(after)
    assert after.nodes[: len(topology.nodes)] == topology.nodes
    assert after.links[: len(topology.links)] == topology.links
    counts = Counter(node.name for node in after.nodes)
    assert set(counts.values()) <= {1}
    assert set(new) == {node.name for node in part.stated.nodes}
    old_ids, new_ids = ({link.id for link in links} for links in (topology.links, after.links[len(topology.links) :]))
    assert not old_ids & new_ids
    assert not {flow.id for flow in topology.flows} & {flow.id for flow in after.flows[len(topology.flows) :]}
    assert len(after.nodes) == len(topology.nodes) + len(new)
    assert type(part).model_validate_json(part.model_dump_json()) == part


# --- routing ------------------------------------------------------------------------------------------------------


def test_copied_systems_remain_valid_after_a_renaming() -> None:
    after, names = clipboard.duplicate(
        routing_presets.as_per_router(generators.ring(3)), ["r1", "r2", "r3", "h1"], 0, 0
    )
    for number, name in enumerate(names.values()):
        after = changes.rename(after, name, f"renamed{number}")
    assert errors(after) == []


def test_a_copy_of_systems_works_like_the_original() -> None:
    original = routing_presets.groups_as_systems(GRID, THIRDS, reflectors=1)
    after, names = clipboard.duplicate(original, [node.name for node in original.nodes], 500, 500)
    assert [line for line in complaints(after) if not line.startswith("flow")] == []
    for number, name in enumerate(names.values()):
        after = changes.rename(after, name, f"x{number}")
    assert complaints(after) == []


def test_references_follow_a_copy() -> None:
    ring = routing_presets.as_per_router(generators.ring(3, hosts=0))
    full = addressed(ring)
    r1 = ring.routers[0]
    assert r1.bgp
    peer, r1_end = r1.bgp.neighbors[0], next(full.ends_at("r1"))[1]
    by_address = peer.model_copy(update={"update_source": str(r1_end.addresses[0].ip), "route_map_out": "M"})
    by_name = r1.bgp.neighbors[1].model_copy(update={"update_source": full.links[-1].b.interface})
    changed = r1.model_copy(
        update={
            "bgp": r1.bgp.model_copy(update={"neighbors": (by_address, by_name)}),
            "ospf6": Ospf6(router_id=ip_address("10.255.0.1")),
            "static_routes": (StaticRoute(prefix=ip_network("10.99.0.0/16"), via=peer.address, distance=7),),
            "prefix_lists": (PrefixList(name="P", rules=(PrefixRule(prefix=r1_end.addresses[0].network),)),),
            "route_maps": (
                RouteMap(
                    name="M",
                    entries=(
                        RouteMapEntry(
                            sequence=10, set_next_hop=r1_end.addresses[0].ip, match_interface=r1_end.interface
                        ),
                    ),
                ),
            ),
        }
    )
    topology = ring.model_copy(update={"nodes": (changed, *ring.nodes[1:])})
    after, names = clipboard.duplicate(topology, ["r1", "r2", "r3"], 0, 0)
    copy, copied_end = after.node(names["r1"]), next(addressed(after).ends_at(names["r1"]))[1]
    assert isinstance(copy, Router) and copy.bgp and copy.ospf6
    assert copy.bgp.neighbors[0].update_source == str(copied_end.addresses[0].ip) != by_address.update_source
    assert copy.bgp.neighbors[1].update_source == by_name.update_source.replace("r1-", f"{names['r1']}-")
    assert copy.ospf6.router_id is None
    assert (copy.static_routes[0].via, copy.static_routes[0].distance) == (copy.bgp.neighbors[0].address, 7)
    assert copy.prefix_lists[0].rules[0].prefix == copied_end.addresses[0].network
    entry = copy.route_maps[0].entries[0]
    assert (entry.set_next_hop, entry.match_interface) == (copied_end.addresses[0].ip, copied_end.interface)
