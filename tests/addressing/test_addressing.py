"""Automatic names and addresses: examples, and properties of all topologies."""

from __future__ import annotations

from ipaddress import ip_address, ip_interface

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from frrlib.addressing.addressing import addressed, broadcast_domains
from frrlib.model.base import Address
from frrlib.model.interface_names import with_names
from frrlib.model.links import End, Link
from frrlib.model.nodes import Bridge, Host, Node, Router, Switch
from frrlib.model.routing import Ospf
from frrlib.model.topology import Preferences, Topology
from tests.example_counts import examples
from tests.strategies.topologies import topologies


def topology_of(nodes: str, links: str, **options: object) -> Topology:
    """A topology from "h1 r1 s1", and "h1-r1 h2=10.0.0.1/24-r1" with addresses behind "=". Links are l1, l2, ..."""
    kinds = {"h": Host, "p": Host, "r": Router, "s": Switch, "b": Bridge}
    all_links = [
        Link(id=f"l{number}", a=_end(pair.split("-")[0]), b=_end(pair.split("-")[1]))
        for number, pair in enumerate(links.split(), start=1)
    ]
    all_nodes = tuple(
        kinds[name[0]](name=name, **({"ospf": Ospf()} if name[0] == "r" else {})) for name in nodes.split()
    )
    return Topology.model_validate({"nodes": all_nodes, "links": tuple(all_links), **options})


def _end(text: str) -> End:
    name, *addresses = text.split("=")
    return End.model_validate({"node": name, "addresses": addresses})


def addresses_of(topology: Topology) -> dict[str, str]:
    """Interface to its addresses, as text."""
    return {end.interface: " ".join(map(str, end.addresses)) for link in topology.links for end in link.ends}


def routes(topology: Topology) -> dict[str, str]:
    """Host to its default route."""
    return {host.name: str(host.default_route) for host in topology.hosts}


# --- by example ---------------------------------------------------------------------------------------------------


def test_every_link_is_a_network_with_readable_numbers() -> None:
    topology = addressed(topology_of("h1 r1 r2 s1 h2 pc", "h1-r1 r1-r2 r2-s1 s1-h2 s1-pc r1-r2"))
    assert addresses_of(topology) == {
        "h1-eth0": "10.0.1.101/24", "r1-eth0": "10.0.1.1/24",
        "r1-eth1": "10.0.2.1/24", "r2-eth0": "10.0.2.2/24",
        "r2-eth1": "10.100.1.2/24", "s1-eth1": "", "s1-eth2": "", "h2-eth0": "10.100.1.102/24",
        "s1-eth3": "", "pc-eth0": addresses_of(topology)["pc-eth0"],
        "r1-eth2": "10.0.6.1/24", "r2-eth2": "10.0.6.2/24",
    }  # fmt: skip
    assert ip_interface(addresses_of(topology)["pc-eth0"]).network == ip_interface("10.100.1.0/24").network
    assert routes(topology) == {"h1": "10.0.1.1", "h2": "10.100.1.2", "pc": "10.100.1.2"}
    assert [router.loopbacks for router in topology.routers] == [
        (ip_interface("10.255.0.1/32"),),
        (ip_interface("10.255.0.2/32"),),
    ]


def test_stated_networks_are_used_and_avoided() -> None:
    topology = addressed(topology_of("h1 h2 r1 s1", "h1=10.0.2.7/24-s1 s1-r1 r1-h2"))
    assert addresses_of(topology)["r1-eth0"] == "10.0.2.1/24"
    assert addresses_of(topology)["h2-eth0"] == "10.0.3.102/24"
    covered = addressed(topology_of("h1 h2 r1 r2", "h1=10.0.0.3/8-r1 r1-r2 r2=172.16.2.9/24-h2"))
    assert addresses_of(covered)["r1-eth0"] == "10.0.0.1/8"
    assert addresses_of(covered)["r1-eth1"] != "172.16.2.1/24"
    assert addresses_of(covered)["r1-eth1"].startswith("192.168.2.1")


def test_a_hosts_stated_gateway_becomes_the_routers_address() -> None:
    h1 = Host(name="h1", default_route=ip_address("10.1.1.254"))
    base = topology_of("h2 r1 r2 s1", "h1=10.1.1.10/24-s1 s1-r1 s1-r2 s1-h2")
    topology = addressed(base.model_copy(update={"nodes": (h1, *base.nodes)}))
    assert addresses_of(topology)["r1-eth0"] == "10.1.1.254/24"
    assert addresses_of(topology)["r2-eth0"] == "10.1.1.2/24"
    assert routes(topology) == {"h1": "10.1.1.254", "h2": "10.1.1.254"}


def test_ipv6_is_assigned_if_any_ipv6_address_is_stated() -> None:
    topology = addressed(topology_of("h1 r1 r2 h2 h12", "h1=2001:db8::9/64-r1 r1-r2 r2-h2 r2-h12"))
    assert addresses_of(topology)["r1-eth0"] == "2001:db8::1/64"
    assert addresses_of(topology)["r1-eth1"] == "10.0.2.1/24 fd00:0:0:2::1/64"
    assert addresses_of(topology)["h12-eth0"] == "10.0.4.112/24 fd00:0:0:4::112/64"
    assert routes(topology)["h1"] == "2001:db8::1"
    assert topology.routers[0].loopbacks[1] == ip_interface("fd00:0:ff::1/128")
    assert not any(":" in text for text in addresses_of(addressed(topology_of("h1 r1", "h1=10.0.0.1/24-r1"))).values())


def test_a_topology_without_routers_has_miniedits_addresses() -> None:
    nodes = (
        Host(name="h1", number=5),
        Host(name="h2"),
        Host(name="a", number=5),
        Host(name="zero", number=0),
        Host(name="h9"),
        Switch(name="s1"),
    )
    base = topology_of("s1", "h1-s1 h2-s1 a-s1 zero-s1 h9=10.0.0.2/8-h1")
    topology = addressed(base.model_copy(update={"nodes": nodes}))
    assert addresses_of(topology)["h1-eth0"] == "10.0.0.5/8"
    assert addresses_of(topology)["h9-eth0"] == "10.0.0.2/8"
    assert addresses_of(topology)["h1-eth1"] != "10.0.0.5/8"
    chosen_addresses = {addresses_of(topology)[f"{name}-eth0"] for name in ("h2", "a", "zero")}
    assert len(chosen_addresses) == 3
    assert not chosen_addresses & {"10.0.0.2/8", "10.0.0.5/8", "10.0.0.0/8"}
    small = addressed(topology_of("h1 h2", "h1-h2", preferences=Preferences(ip_base="192.168.4.0/24")))
    assert addresses_of(small) == {"h1-eth0": "192.168.4.1/24", "h2-eth0": "192.168.4.2/24"}


def test_names_of_interfaces() -> None:
    ends = [
        End(node="h1", interface="h1-eth1"),
        End(node="h1"),
        End(node="h1"),
        End(node="a_very_long_name"),
        End(node="a_very_long_nose"),
        End(node="s1"),
        End(node="gone"),
        End(node="s1", interface="up"),
    ]
    links = tuple(Link(id=f"l{i}", a=ends[i], b=ends[i + 1]) for i in range(0, 8, 2))
    topology = Topology(nodes=(Host(name="h1"), Switch(name="s1")), links=links)
    named = [end.interface for link in with_names(topology).links for end in link.ends]
    assert named[:3] == ["h1-eth1", "h1-eth0", "h1-eth2"]
    assert named[5:] == ["s1-eth1", "gone-eth0", "up"]
    assert named[3] != named[4]
    assert all(len(name) == 15 and name.endswith("-eth0") for name in named[3:5])


def test_domains_are_joined_by_switches_only() -> None:
    topology = topology_of("h1 s1 s2 b3 r1 h2", "h1-s1 s1-s2 s2-r1 r1-b3 b3-h2 h1-h2 s1-gone")
    domains = [
        ({link.id for link in domain.links}, domain.switches, [member.end.node for member in domain.ends])
        for domain in broadcast_domains(topology)
    ]
    assert domains == [
        ({"l1", "l2", "l3", "l7"}, ("s1", "s2"), ["h1", "r1"]),
        ({"l4", "l5"}, ("b3",), ["r1", "h2"]),
        ({"l6"}, (), ["h1", "h2"]),
    ]


def test_hosts_of_a_full_network_have_no_address() -> None:
    hosts = " ".join(f"h{n}" for n in range(1, 5))
    topology = addressed(topology_of(f"{hosts} r1 s1", "h1=10.0.0.1/30-s1 h2-s1 h3-s1 r1-s1"))
    assert sorted(bool(addresses_of(topology)[name]) for name in ("h2-eth0", "h3-eth0", "r1-eth0")) == [
        False,
        False,
        True,
    ]


# --- properties of every topology ---------------------------------------------------------------------------------


def _by_place(topology: Topology) -> dict[tuple[str, int], tuple[Address, ...]]:
    return {(link.id, side): end.addresses for link in topology.links for side, end in enumerate(link.ends)}


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])
@given(topologies(unique_names=False))
def test_stated_values_are_kept_and_addressing_is_idempotent(topology: Topology) -> None:
    filled = addressed(topology)
    for before, after in zip(topology.links, filled.links, strict=True):
        for before_end, after_end in zip(before.ends, after.ends, strict=True):
            assert after_end.interface
            assert before_end.interface in ("", after_end.interface)
            assert before_end.addresses in ((), after_end.addresses)
    assert addressed(filled) == filled
    assert Topology.model_validate(filled.model_dump()) == filled


@st.composite
def plain_topologies(draw: st.DrawFn, routers: int = 1) -> Topology:
    """Topologies without stated addresses, with at least this number of routers, and an editor's names."""
    counts = {kind: draw(st.integers(low, 4)) for kind, low in (("h", 0), ("r", routers), ("s", 0))}
    names = [f"{kind}{number}" for kind, count in counts.items() for number in range(1, count + 1)]
    names = draw(st.permutations(names))
    assume(len(names) > 1)
    pairs = draw(st.lists(st.lists(st.sampled_from(names), min_size=2, max_size=2, unique=True), max_size=10))
    return topology_of(" ".join(names), " ".join(f"{a}-{b}" for a, b in pairs))


@given(plain_topologies(routers=0))
def test_all_interfaces_have_different_addresses(topology: Topology) -> None:
    filled = addressed(topology)
    addresses = [
        address for domain in broadcast_domains(filled) for place in domain.ends for address in place.end.addresses
    ]
    assert len({address.ip for address in addresses}) == len(addresses)
    assert all(place.end.addresses for domain in broadcast_domains(filled) for place in domain.ends)
    for address in addresses:
        assert address.ip not in (address.network.network_address, address.network.broadcast_address)


@given(plain_topologies())
def test_a_link_is_one_network_without_overlaps(topology: Topology) -> None:
    nets = [
        {place.end.addresses[0].network for place in d.ends} for d in broadcast_domains(addressed(topology)) if d.ends
    ]
    assert all(len(net) == 1 for net in nets)
    listed = [net.pop() for net in nets]
    assert not any(network.overlaps(later) for i, network in enumerate(listed) for later in listed[i + 1 :])


@given(plain_topologies(), st.data())
def test_new_nodes_and_links_leave_other_addresses_unchanged(topology: Topology, data: st.DataObject) -> None:
    before = _by_place(addressed(topology))
    new: tuple[Node, ...] = (Host(name="h7"), Router(name="r7", ospf=Ospf()), Host(name="camera"), Switch(name="s7"))
    # a link between two old switches may join two nets, which then become one network
    pairs = data.draw(
        st.lists(
            st.tuples(
                st.sampled_from(new),
                st.sampled_from([old_node for old_node in topology.nodes if old_node.kind != "switch"] + [*new]),
            ),
            max_size=4,
        )
    )
    to_switches = data.draw(
        st.lists(st.sampled_from([old_node for old_node in topology.nodes if old_node.kind == "switch"] or [new[3]]))
    )
    pairs += [(new[0], switch) for switch in to_switches[:2]]
    added = tuple(
        Link(id=f"l{90 + i}", a=End(node=node.name), b=End(node=peer.name)) for i, (node, peer) in enumerate(pairs)
    )
    grown = topology.model_copy(update={"nodes": (*topology.nodes, *new), "links": (*topology.links, *added)})
    after = _by_place(addressed(grown))
    assert {place: after[place] for place in before} == before


@given(plain_topologies(routers=2), st.data())
def test_deletion_leaves_other_addresses_unchanged(topology: Topology, data: st.DataObject) -> None:
    """Except for networks whose first switch is deleted. One router must remain."""
    before = _by_place(addressed(topology))
    deleted = data.draw(st.sampled_from([node for node in topology.nodes if node.kind != "switch"]))
    assume(deleted.kind != "router" or len(topology.routers) > 1)
    # of two interfaces of a node on one network, the second has an address of its own only while the first exists
    for domain in broadcast_domains(topology):
        names = [place.end.node for place in domain.ends]
        assume(len(set(names)) == len(names))
    remaining = topology.model_copy(
        update={
            "nodes": tuple(node for node in topology.nodes if node is not deleted),
            "links": tuple(link for link in topology.links if deleted.name not in (link.a.node, link.b.node)),
        }
    )
    after = _by_place(addressed(remaining))
    assert after == {place: before[place] for place in after}


@pytest.mark.parametrize("address", ["0.0.0.0/0", "10.0.0.1/8"])
def test_networks_that_cover_all_addresses_are_avoided(address: str) -> None:
    topology = addressed(topology_of("h1 r1 r2", f"h1={address}-r1 r1-r2"))
    assert addresses_of(topology)["r1-eth1"]
