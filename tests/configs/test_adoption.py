"""Typed lines are adopted as settings or as text, and the topology then renders them."""

from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frrlib.checks.check import Problem, check
from frrlib.conf.changes import apply_changes, difference
from frrlib.conf.grammar import on_by_default
from frrlib.conf.merge import merged
from frrlib.conf.text import ConfigEntry, config_text
from frrlib.configs.adoption import full_text, take_over, with_router
from frrlib.configs.folders import import_configs
from frrlib.formats import mn
from frrlib.model.nodes import Router
from frrlib.model.routing import Isis
from frrlib.model.topology import Topology
from frrlib.network.network import Bgp, BgpNeighbor, Network, end
from tests.conf.configurations import CONFIGURATIONS
from tests.configs.topologies import two_routers
from tests.example_counts import examples
from tests.examples.data import EXAMPLES

#: Words of lines, and separators of lines.
WORDS = [
    "\n", "\n ", "no", "ip", "ipv6", "address", "route", "neighbor", "remote-as", "10.0.0.2", "10.0.0.0/8", "::1/64",
    "5", "interface", "r1-eth0", "lo", "router", "bgp", "ospf", "65001", "hostname", "description", "exit", "!", "cost",
    "address-family", "ipv4", "unicast", "network", "route-map", "permit", "area", "router-id", "vrf", "red",
]  # fmt: skip


def with_west(topology: Topology) -> Topology:
    """The same with a third router, which has a BGP session with r1 configured."""
    west = BgpNeighbor(address=ip_address("10.0.3.1"), remote_as=65001)
    network = Network("west")
    network.router("r3", bgp=Bgp(asn=65009, neighbors=(west,)))
    network.router("r1")
    network.link(end("r1", "10.0.3.1/24"), end("r3", "10.0.3.3/24"))
    (link,) = network.topology.links
    links = (*topology.links, link.model_copy(update={"id": "west"}))
    return topology.model_copy(update={"nodes": (*topology.nodes, network.topology.nodes[0]), "links": links})


def typed(topology: Topology, lines: str) -> Topology:
    """The topology after these lines were typed on r1 and adopted. It must render what then runs."""
    before = full_text(topology, "r1")
    running = merged(before, lines)
    after = take_over(topology, {"r1": difference(before, running)})
    adopted = full_text(after, "r1")
    assert [
        change for change in difference(running, adopted) if not change.line.startswith("neighbor 10.0.3.3 timers")
    ] == []
    assert take_over(after, {"r1": difference(before, running)}) == after
    assert checks_errors(after) <= checks_errors(topology)
    return after


def checks_errors(topology: Topology) -> set[Problem]:
    """The problems that keep a lab from starting."""
    return {problem for problem in check(topology) if problem.severity == "error"}


def router(topology: Topology) -> Router:
    node = topology.node("r1")
    assert isinstance(node, Router)
    return node


def test_lines_with_a_setting_become_settings() -> None:
    after = typed(
        with_west(two_routers()),
        "interface r1-eth0\n ip ospf cost 5\n ip ospf priority 0\nexit\n"
        "ip route 10.9.0.0/16 10.0.0.2 20\nno ip route 10.8.0.0/16 10.0.0.2\nip route 10.7.0.0/16 blackhole\n"
        "router bgp 65001\n bgp router-id 9.9.9.9\n neighbor 10.0.3.3 remote-as 65009\n"
        " neighbor 10.0.3.3 description the west\n address-family ipv4 unicast\n  network 10.1.0.0/16\n"
        "  neighbor 10.0.3.3 activate\n",
    )
    assert router(after).frr_conf == ""
    assert after.links[0].a.ospf_cost == 5
    ospf, bgp = router(after).ospf, router(after).bgp
    assert ospf is not None
    assert bgp is not None
    assert ospf.at("r1-eth0").priority == 0
    routes = [(str(route.prefix), str(route.via), route.distance) for route in router(after).static_routes]
    assert routes == [("10.9.0.0/16", "10.0.0.2", 20), ("10.7.0.0/16", "blackhole", None)]
    assert str(bgp.router_id) == "9.9.9.9"
    assert [str(network) for network in bgp.networks] == ["10.1.0.0/16"]
    assert [(neighbor.remote_as, neighbor.description) for neighbor in bgp.neighbors] == [
        (65002, ""),
        (65009, "the west"),
    ]


def test_an_ignored_mtu_and_the_size_of_link_states_become_settings() -> None:
    base = two_routers()
    after = typed(
        with_router(base, router(base).model_copy(update={"isis": Isis()})),
        "interface r1-eth0\n ip ospf mtu-ignore\nrouter isis lab\n lsp-mtu 1300\n",
    )
    ospf, isis = router(after).ospf, router(after).isis
    assert ospf is not None and ospf.at("r1-eth0").mtu_ignore
    assert isis is not None and isis.lsp_mtu_bytes == 1300
    assert router(after).frr_conf == ""


@pytest.mark.parametrize(
    "lines",
    [
        "ip route 10.9.0.0/16 Null0\n",
        "ip route 10.9.0.0/16 10.0.0.2 tag 5\n",
        "router bgp 65001\n address-family ipv4 unicast\n  network 10.1.0.0/16 route-map M\n",
        "router bgp 65001\n address-family ipv6 unicast\n  network 2001:db8::/32\n  maximum-paths 4\n",
        "router bgp 65001\n no neighbor 10.0.0.2\n",
        "router ospf\n no ospf router-id\n passive-interface r1-eth0\n",
        "interface r1-eth0\n no ip ospf area\n ip ospf cost 70000\n ip ospf dead-interval minimal hello-multiplier 4\n",
        "interface r1-eth9\n ip ospf cost 5\n",
        "no router ospf\n",
        "router bgp 65001 vrf red\n address-family ipv4 unicast\n  network 10.1.0.0/16\n",
        "vrf red\n ip route 10.9.0.0/16 10.0.0.2\n",
        "route-map M permit 10\n set metric 5\nexit\nip prefix-list P seq 5 permit 10.0.0.0/8 le 24\n",
    ],
)
def test_the_topology_renders_whatever_is_typed(lines: str) -> None:
    typed(two_routers(), lines)


@pytest.mark.parametrize(
    "lines",
    [
        "router bgp 65001\n neighbor 10.0.0.9 remote-as 65009\n",  # no router has that address
        "interface r1-eth0\n ip ospf area 7\n",  # the other end is in another area
        "interface r1-eth0\n ip ospf hello-interval 2\n ip ospf dead-interval 9\n",  # the other end has other timers
        "router bgp 65001\n neighbor 10.0.3.3 remote-as 65009\n",  # it is not activated; a setting would activate it
    ],
)
def test_settings_that_fail_the_checks_stay_text(lines: str) -> None:
    after = typed(with_west(two_routers()), lines)
    assert router(after).frr_conf.split() == [*lines.split(), "exit", "!"]


def test_unreachable_networks_stay_text() -> None:
    topology = mn.load(EXAMPLES / "two-as-no-delay.mn").topology
    after = typed(topology, "router bgp 100\n address-family ipv4 unicast\n  network 10.88.0.0/16\n")
    assert "network 10.88.0.0/16" in router(after).frr_conf


def test_timers_that_were_typed_with_a_neighbor_stay() -> None:
    lines = "router bgp 65001\n neighbor 10.0.3.3 remote-as 65009\n neighbor 10.0.3.3 timers 3 9\n"
    lines += " neighbor 10.0.3.3 timers connect 7\n address-family ipv4 unicast\n  neighbor 10.0.3.3 activate\n"
    text = full_text(typed(with_west(two_routers()), lines), "r1")
    timers = [line.split()[3:] for line in text.splitlines() if "10.0.3.3 timers" in line]
    assert sorted(timers) == [["3", "9"], ["connect", "7"]]


def test_lines_typed_at_both_ends_become_settings() -> None:
    topology = two_routers()
    lines = "interface {}-eth0\n ip ospf hello-interval 2\n ip ospf dead-interval 9\n ip ospf area 7\nexit\n"
    before = {name: full_text(topology, name) for name in ("r1", "r2")}
    after = take_over(
        topology, {name: difference(text, merged(text, lines.format(name))) for name, text in before.items()}
    )
    for name in ("r1", "r2"):
        node = after.node(name)
        assert isinstance(node, Router)
        assert node.ospf is not None
        assert (node.frr_conf, node.ospf.at(f"{name}-eth0").hello_s) == ("", 2)
        assert node.ospf.at(f"{name}-eth0").area == "7"


@pytest.mark.parametrize("custom", ["router bgp 65001\n coalesce-time 7\n! mine\n neighbor 10.0.0.2 weight 3\n"])
@pytest.mark.parametrize(
    "lines",
    [
        "router bgp 65001\n no coalesce-time 7\n neighbor 10.0.0.2 weight 4\n",
        "router bgp 65001\n no neighbor 10.0.0.2 weight 3\n",
        "router bgp 65001\n coalesce-time 9\n",
    ],
)
def test_earlier_custom_lines_are_kept_changed_or_removed(custom: str, lines: str) -> None:
    after = typed(two_routers(custom), lines)
    assert "weight 3" not in router(after).frr_conf or "weight" not in lines


def test_remaining_lines_keep_their_comments() -> None:
    after = typed(two_routers("! why\nip route 10.7.0.0/16 Null0\n"), "ip route 10.6.0.0/16 Null0\n")
    assert router(after).frr_conf == "! why\nip route 10.7.0.0/16 Null0\nip route 10.6.0.0/16 Null0\n!\n"


def test_undoing_typed_lines_leaves_no_lines() -> None:
    changed = typed(two_routers(), "interface r1-eth0\n ip ospf cost 5\nexit\nroute-map M permit 10\n set metric 5\n")
    undone = typed(changed, "interface r1-eth0\n no ip ospf cost\nexit\nno route-map M permit 10\n")
    assert undone == two_routers()


def test_a_line_that_frr_rewrites_is_undone_by_a_custom_line() -> None:
    topology = two_routers("ip pim rp 10.0.0.2 224.0.0.0/4\n")
    now = "router pim\n join-prune-interval 30\nexit\n"
    before = "router pim\n join-prune-interval 30\n rp 10.0.0.2 224.0.0.0/4\nexit\nip route 10.8.0.0/16 10.0.0.2\n"
    changes = {"r1": difference(before, now)}  # as FRR 10 prints it
    after = take_over(topology, changes, topology)
    assert router(after).frr_conf == (
        "ip pim rp 10.0.0.2 224.0.0.0/4\n!\nrouter pim\n no rp 10.0.0.2 224.0.0.0/4\nexit\n!\n"
    )
    assert router(after).static_routes == ()
    assert take_over(after, changes, topology) == after


def test_missing_routers_are_skipped() -> None:
    changes = difference("", "hostname x\n")
    assert take_over(two_routers(), {"gone": changes, "r2": []}) == two_routers()


@settings(max_examples=examples(60), deadline=None)
@given(CONFIGURATIONS, st.data())
def test_the_topology_renders_any_part_of_what_was_typed(lines: tuple[ConfigEntry, ...], data: st.DataObject) -> None:
    topology = two_routers("router bgp 65001\n neighbor 10.0.0.2 weight 3\n")
    before = full_text(topology, "r1")
    changes = difference(before, merged(before, config_text(lines)))
    part = data.draw(st.lists(st.sampled_from(changes), unique=True)) if changes else []
    for adopted in (changes, part):
        after = take_over(topology, {"r1": adopted})
        differing = difference(apply_changes(before, adopted), full_text(after, "r1"))
        # A neighbor is removed with its AS, even if its other lines are not part of the adopted changes.
        without_neighbor = any(change.line == "neighbor 10.0.0.2 remote-as 65002" for change in adopted)
        differing = [
            change for change in differing if not (without_neighbor and change.line.startswith("neighbor 10.0.0.2 "))
        ]
        assert [change for change in differing if not on_by_default(change.line.removeprefix("no "))] == []
        assert take_over(after, {"r1": adopted}) == after


@settings(max_examples=examples(60), deadline=None)
@given(st.one_of(st.text(), CONFIGURATIONS.map(config_text), st.lists(st.sampled_from(WORDS)).map(" ".join)))
def test_any_text_can_be_imported_or_adopted(text: str) -> None:
    assert import_configs(two_routers(), {"r1": text}).configured == ("r1",)
    take_over(two_routers(), {"r1": difference(full_text(two_routers(), "r1"), text)})


def test_other_routers_are_unchanged() -> None:
    after = typed(two_routers(), "router rip\n version 2\n")
    assert with_router(after, router(two_routers())) == two_routers()
