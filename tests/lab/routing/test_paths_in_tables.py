"""Paths through kernels' tables: branches, loops, dead ends, and their traceroutes."""

from __future__ import annotations

import random

import pytest

from frrlib.errors import TopologyError
from frrlib.lab.path import REACHED, LabPath, TracerouteHop, address_to, describe_difference, is_asymmetric
from frrlib.model.routing import Ospf, Vrf
from frrlib.network.network import Network, end
from frrlib.picture.scene import Key
from frrlib.wire.replies import PathHop, PathStop
from miniedit_frr.paths.marks import keys_of, lines_of, signs_of


def path(source: str, destination: str, **next_hops: str) -> LabPath:
    """A path from "r1='r2 r3'": next hops by name; "!has no route" ends it."""
    stops = []
    for node, names in next_hops.items():
        if names.startswith("!"):
            stops.append(PathStop(node, reason=names[1:]))
        else:
            pairs = [(name, "-".join(sorted((node, name)))) for name in names.split()]
            hops = tuple(PathHop(f"to-{name}", node=name, links=(link,)) for name, link in pairs)
            stops.append(PathStop(node, "", "10.0.0.0/8", "ospf", hops))
    if any(destination in names.split() for names in next_hops.values()):
        stops.append(PathStop(destination, is_end=True))
    return LabPath(source, destination, "10.0.0.9", "", "10.0.0.1", tuple(stops))


def traceroute(*names: str, ending: str = REACHED) -> tuple[TracerouteHop, ...]:
    """The hops of a traceroute: "" for a silent one. The last one has the reason of its end."""
    hops = [TracerouteHop(ttl, f"10.0.0.{ttl}" if name else "", name) for ttl, name in enumerate(names, 1)]
    return (*hops[:-1], TracerouteHop(len(names), hops[-1].address, names[-1], 1.0, ending))


TWO = path("h1", "h2", h1="r1", r1="r2 r3", r2="r4", r3="r4", r4="h2")
LOOP = path("h1", "h2", h1="r1", r1="r2", r2="r1")
DEAD = path("h1", "h2", h1="r1", r1="!has no route")


def test_all_equal_paths_are_listed() -> None:
    assert TWO.branches() == [("h1", "r1", "r2", "r4", "h2"), ("h1", "r1", "r3", "r4", "h2")]
    assert TWO.arrives
    assert TWO.describe() == "h1 → r1 → r2 → r4 → h2 | h1 → r1 → r3 → r4 → h2 (2 equal paths)"
    assert TWO.nodes == ["h1", "r1", "r2", "r3", "r4", "h2"]
    assert {key.name for key in keys_of(TWO) if key.kind == "link"} == {
        "h1-r1", "r1-r2", "r1-r3", "r2-r4", "r3-r4", "h2-r4",
    }  # fmt: skip


def test_a_loop_is_reported_at_its_last_node() -> None:
    assert LOOP.branches() == [("h1", "r1", "r2", "r1")]
    assert LOOP.loops == [("r1", "r2", "r1")]
    assert not LOOP.arrives
    assert LOOP.describe() == "h1 → r1 → r2 → r1; loop: r1 → r2 → r1"
    assert signs_of(LOOP) == {"r1": ("loop", "down")}


def test_paths_that_join_again_are_not_a_loop() -> None:
    assert TWO.loops == []


def test_a_dead_end_is_reported_with_its_node() -> None:
    assert not DEAD.arrives
    assert DEAD.describe() == "h1 → r1; r1 has no route"
    assert signs_of(DEAD) == {"r1": ("no route", "down")}


def test_one_of_two_branches_may_end() -> None:
    half = path("h1", "h2", h1="r1 r2", r1="!has a blackhole route to 10.0.0.0/8", r2="h2")
    assert not half.arrives
    assert half.owner == "h2"
    assert half.branches() == [("h1", "r1"), ("h1", "r2", "h2")]
    assert signs_of(half) == {"r1": ("blackhole", "down")}
    # A traceroute may take either of them.
    assert describe_difference(half, traceroute("r2", "h2")) == ""
    assert describe_difference(half, traceroute("r1", "", "", "", ending="")) == ""
    assert describe_difference(half, traceroute("r3", "h2")) == "traceroute went h1 → r3 → h2"


def test_a_next_hop_without_a_node() -> None:
    hop = PathHop("r1-eth1", "10.0.0.7", reason="finds no node with the address 10.0.0.7 at r1-eth1")
    lost = LabPath("r1", "h2", "10.0.0.9", stops=(PathStop("r1", "", "10.0.0.0/8", "static", (hop,)),))
    assert lost.describe() == "r1; r1 finds no node with the address 10.0.0.7 at r1-eth1"
    assert signs_of(lost) == {"r1": ("no neighbor", "down")}


def test_an_address_may_belong_to_another_node() -> None:
    foreign = LabPath("r1", "h2", "10.0.0.9", stops=(
        PathStop("r1", hops=(PathHop("r1-eth0", node="h3"),)), PathStop("h3", is_end=True)))  # fmt: skip
    assert not foreign.arrives
    assert foreign.troubles() == ["packets reach h3, which also has the address 10.0.0.9"]


def test_a_node_may_use_two_tables() -> None:
    leak = LabPath("r1", "h2", "10.0.0.9", "red", stops=(
        PathStop("r1", "red", hops=(PathHop("blue", node="r1", vrf="blue"),)),
        PathStop("r1", "blue", hops=(PathHop("r1-eth1", node="h2"),)),
        PathStop("h2", is_end=True),
    ))  # fmt: skip
    assert leak.branches() == [("r1", "h2")]
    assert leak.loops == []
    assert leak.arrives


def test_the_list_of_equal_paths_is_limited() -> None:
    wide = {f"a{i}": f"b{i}0 b{i}1" for i in range(6)}
    wide |= {f"b{i}{j}": f"a{i + 1}" for i in range(6) for j in (0, 1)}
    forward = path("a0", "a6", **wide)
    assert len(forward.branches()) == 8
    assert forward.branch_count == 2**6
    assert forward.describe().endswith(" | … (64 equal paths)")
    assert "    … and 61 more; all are shown on the drawing" in lines_of(forward, None)
    assert (TWO.branch_count, LOOP.branch_count, DEAD.branch_count) == (2, 1, 1)


def ladder(last: PathStop) -> LabPath:
    """Forty nodes that each use two tables: there are 2**40 paths through tables, and one through nodes."""
    stops = []
    for number in range(40):
        node, next_node = f"r{number}", f"r{number + 1}"
        tables = tuple(PathHop(vrf, node=node, vrf=vrf) for vrf in ("red", "blue"))
        stops.append(PathStop(node, hops=tables))
        stops += [PathStop(node, vrf, hops=(PathHop("eth", node=next_node),)) for vrf in ("red", "blue")]
    return LabPath("r0", "r40", "10.0.0.9", stops=(*stops, last))


def test_paths_through_many_tables_are_listed_quickly() -> None:
    forward = ladder(PathStop("r40", is_end=True))
    assert forward.branches() == [tuple(f"r{number}" for number in range(41))]
    assert forward.branch_count == 2**40
    # with a loop at the end, which closes at another table for each path to it
    backward = ladder(PathStop("r40", hops=(PathHop("eth", node="r39"),))).branches()
    assert backward == [(*(f"r{number}" for number in range(41)), "r39")]


def test_forty_diamonds_are_listed_quickly() -> None:
    wide = {f"a{i}": f"b{i}0 b{i}1" for i in range(40)}
    wide |= {f"b{i}{j}": f"a{i + 1}" for i in range(40) for j in (0, 1)}
    forward = path("a0", "a40", **wide)
    assert len(forward.branches()) == len(set(forward.branches())) == 8
    assert {nodes[-1] for nodes in forward.branches()} == {"a40"}
    assert forward.branch_count == 2**40


def test_a_traceroute_may_follow_an_unlisted_path() -> None:
    middle = [f"r{number}" for number in range(20)]
    forward = path("h1", "h2", h1=" ".join(middle), **dict.fromkeys(middle, "h2"))
    assert ("h1", "r19", "h2") not in forward.branches()
    assert describe_difference(forward, traceroute("r19", "h2")) == ""
    assert describe_difference(forward, traceroute("r20", "h2")) == "traceroute went h1 → r20 → h2"


def every_path(next_hops: dict[str, list[str]], nodes: tuple[str, ...]) -> set[tuple[str, ...]]:
    """All paths, one by one. A path ends where there is no next hop, or at a node that it has visited before."""
    if not next_hops[nodes[-1]]:
        return {nodes}
    nexts = next_hops[nodes[-1]]
    return set[tuple[str, ...]]().union(
        *({(*nodes, node)} if node in nodes else every_path(next_hops, (*nodes, node)) for node in nexts)
    )


@pytest.mark.parametrize("seed", range(200))
def test_paths_of_random_tables_are_complete(seed: int) -> None:
    chance = random.Random(seed)
    names = [f"r{number}" for number in range(chance.randint(2, 7))]
    next_hops = {name: chance.sample(names, chance.randint(0, min(3, len(names)))) for name in names}
    forward = path("r0", "h2", **{name: " ".join(hops) or "!has no route" for name, hops in next_hops.items()})
    listed, all_paths = forward.branches(), every_path(next_hops, ("r0",))
    merged = {tuple(name for i, name in enumerate(nodes) if not i or nodes[i - 1] != name) for nodes in all_paths}
    assert len(listed) == len(set(listed)) == min(8, len(merged))
    assert set(listed) <= merged


@pytest.mark.parametrize(
    ("forward", "answers", "expected"),
    [
        (TWO, traceroute("r1", "r3", "r4", "h2"), ""),
        (TWO, traceroute("r1", "", "r4", "h2"), ""),
        (TWO, traceroute("r1", "r4", "h2"), "traceroute went h1 → r1 → r4 → h2"),
        (TWO, traceroute("r1", "r2", "", "", "", "", ending=""), "traceroute went h1 → r1 → r2, and no farther"),
        (TWO, traceroute("", "", "", "", ending=""), "traceroute received no reply"),
        (TWO, traceroute("r1", "r2", ending="no route"), "traceroute went h1 → r1 → r2, r2 replied: no route"),
        (TWO, traceroute("r1", "r2", "r2", ending="host unreachable"),
         "traceroute went h1 → r1 → r2, r2 replied: host unreachable"),
        (LOOP, traceroute("r1", "r2", "r1", "r2", "r1", ending="loop"), ""),
        (LOOP, traceroute("r1", "r2", "r1", "r3", "r1", ending="loop"),
         "traceroute went h1 → r1 → r2 → r1 → r3 → r1, r1 replied: loop"),
        (LOOP, traceroute("r1", "h2"), "traceroute went h1 → r1 → h2"),
        (DEAD, traceroute("r1", ending="no route"), ""),
        (DEAD, traceroute("r1", "r1", ending="host unreachable"), ""),
        (DEAD, traceroute("r1", "h2"), "traceroute went h1 → r1 → h2"),
    ],
)  # fmt: skip
def test_differences_of_a_traceroute(forward: LabPath, answers: tuple[TracerouteHop, ...], expected: str) -> None:
    assert describe_difference(forward, answers) == expected


def test_the_path_to_the_same_node_has_no_hops() -> None:
    forward = LabPath("h1", "h1", "10.0.0.1", stops=(PathStop("h1", is_end=True),))
    assert forward.arrives
    assert describe_difference(forward, traceroute("h1")) == ""


def test_texts_of_forward_and_return_path() -> None:
    backward = path("h2", "h1", h2="r4", r4="r3", r3="r1", r1="h1")
    assert is_asymmetric(TWO, backward)
    assert not is_asymmetric(TWO, path("h2", "h1", h2="r4", r4="r2 r3", r2="r1", r3="r1", r1="h1"))
    lines = lines_of(TWO, backward, traceroute("r1", "r2", "r4", "h2"), traceroute("r4", "r2", "r1", "h1"))
    assert lines == [
        "Forward: 2 equal-cost paths  (routes: ospf)",
        "    h1 → r1 → r2 → r4 → h2",
        "    h1 → r1 → r3 → r4 → h2",
        "    ✓ traceroute agrees",
        "Return: h2 → r4 → r3 → r1 → h1  (routes: ospf)",
        "    ✗ traceroute went h2 → r4 → r2 → r1 → h1",
        "The return path differs (dashed).",
    ]
    assert lines_of(DEAD, None)[-1] == "No replying node is known."
    assert "    ✗ loop: r1 → r2 → r1" in lines_of(LOOP, None)


def test_the_destination_address_of_packets() -> None:
    net = Network("Addresses")
    net.router("r1", loopbacks=("10.255.0.1/32",), vrfs=(Vrf(name="red", table=10, interfaces=("r1-eth1",)),))
    net.router("r2", ospf=Ospf(), loopbacks=("10.255.0.2/32", "2001:db8:ff::2/128"))
    net.link(end("r1", "10.1.0.1/24"), end("r2", "10.1.0.2/24", "2001:db8:1::2/64"))
    net.link(end("r1", "10.2.0.1/24"), end("r2", "10.2.0.2/24"))
    topology = net.topology
    assert address_to(topology, "r1") == "10.1.0.1"
    assert address_to(topology, "r2") == "10.255.0.2"
    assert address_to(topology, "r2", 6) == "2001:db8:ff::2"
    assert address_to(topology, "10.7.0.1", 6) == "10.7.0.1"
    with pytest.raises(TopologyError, match="r1: has no IPv6 address"):
        address_to(topology, "r1", 6)
    with pytest.raises(TopologyError, match="r9: is not in the topology"):
        address_to(topology, "r9")


def test_nodes_of_a_path_are_keys() -> None:
    assert Key("node", "r1") in keys_of(DEAD)
