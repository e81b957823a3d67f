"""HIFI-HEDERA: the model against definitions and closed forms, the labs, the published data, and made-up samples."""

from __future__ import annotations

import csv
import itertools
import json
import random
import statistics
from collections import Counter
from ipaddress import ip_interface
from pathlib import Path

import pytest

from frrlib import wire
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.render.plan import queue_probes
from miniedit_frr.experiments.declaration import CheckResult
from miniedit_frr.experiments.expectations import expectations
from miniedit_frr.experiments.mininet_hifi import fat_tree, hedera, hedera_lab
from miniedit_frr.experiments.mininet_hifi.fat_tree import Hop, Pair, Paths
from miniedit_frr.experiments.runs import Run, Runs

PERMUTATIONS = [pattern for pattern in hedera.patterns() if pattern.is_permutation]
for_each_permutation = pytest.mark.parametrize("pattern", PERMUTATIONS, ids=lambda pattern: pattern.name)


def loads(paths: Paths, rates: list[float]) -> dict[Hop, float]:
    load: dict[Hop, float] = {}
    for hops, rate in zip(paths, rates, strict=True):
        for hop in hops:
            load[hop] = load.get(hop, 0) + rate
    return load


@pytest.mark.parametrize("polarized", [False, True])
def test_each_flow_has_the_highest_rate_of_a_full_hop(polarized: bool) -> None:
    # this is the definition of max-min fairness
    chance = random.Random(7)
    for pattern in hedera.patterns():
        paths = fat_tree.hashed_paths(pattern.pairs, chance, polarized)
        rates = fat_tree.fair_rates(paths)
        load = loads(paths, rates)
        assert max(load.values()) < 1 + 1e-9
        for hops, rate in zip(paths, rates, strict=True):
            full = [hop for hop in hops if load[hop] > 1 - 1e-9]
            assert any(
                rate >= max(other for other_hops, other in zip(paths, rates, strict=True) if hop in other_hops) - 1e-9
                for hop in full
            )


def test_alpha_fair_rates_are_those_of_the_closed_form() -> None:
    # a long flow over two hops, and a short one on each: the long one has 1 / (1 + 2^(1/alpha))
    paths: Paths = [[("a", "b"), ("b", "c")], [("a", "b")], [("b", "c")]]
    for alpha in (1.0, 2.0):
        long = 1 / (1 + 2 ** (1 / alpha))
        assert fat_tree.alpha_fair_rates(paths, alpha) == pytest.approx([long, 1 - long, 1 - long], abs=1e-3)


def node_name(name: str) -> str:
    """The name in the lab of a node of the model."""
    kind, number = name.split()
    return f"{kind[0]}{int(number) + 1}"


def neighbors(topology: Topology) -> dict[str, set[str]]:
    by_node: dict[str, set[str]] = {node.name: set() for node in topology.nodes}
    for link in topology.links:
        by_node[link.a.node].add(link.b.node)
        by_node[link.b.node].add(link.a.node)
    return by_node


def shortest_paths(topology: Topology, source: str, destination: str) -> set[tuple[str, ...]]:
    by_node = neighbors(topology)
    paths: set[tuple[str, ...]] = {(source,)}
    while True:
        complete = {path for path in paths if path[-1] == destination}
        if complete:
            return complete
        paths = {(*path, node) for path in paths for node in by_node[path[-1]] if node not in path}


@pytest.mark.parametrize("destination", [1, 2, 9])
def test_the_paths_of_the_model_are_the_shortest_ones_of_the_lab(destination: int) -> None:
    pair = Pair(0, destination)
    topology = hedera_lab.lab("a fat tree", "hashed", [pair], 10)
    modeled = set()
    for core in range(4):
        hops = fat_tree.path(pair, core)
        modeled.add((*(node_name(hop[0]) for hop in hops), node_name(hops[-1][1])))
    assert modeled == shortest_paths(topology, "h1", hedera_lab.host_name(destination))


def test_costs_leave_one_path_in_the_tree() -> None:
    topology = hedera_lab.lab("a tree", "tree", hedera.patterns()[0].pairs, 10)
    near = [link for link in topology.links if link.a.ospf_cost in (None, 10)]
    tree_nodes = {node for link in near for node in (link.a.node, link.b.node)}
    # 16 hosts, 8 edge routers, 4 aggregation routers and 1 core router: a tree has a link less
    assert (len(tree_nodes), len(near)) == (29, 28)


@for_each_permutation
def test_first_fit_gives_each_placed_flow_links_of_its_own(pattern: hedera.Pattern) -> None:
    cores = fat_tree.first_fit(pattern.pairs)
    paths = [fat_tree.path(pair, core) for pair, core in zip(pattern.pairs, cores, strict=True) if core is not None]
    used = Counter(itertools.chain.from_iterable(paths))
    assert max(used.values()) == 1
    for pair, core in zip(pattern.pairs, cores, strict=True):
        if core is None:
            assert all(any(hop in used for hop in fat_tree.path(pair, other)[1:-1]) for other in range(4))


@for_each_permutation
def test_static_routes_lead_along_the_placed_path(pattern: hedera.Pattern) -> None:
    topology = hedera_lab.lab(pattern.name, "placed", pattern.pairs, 10)
    routers = {node.name: node for node in topology.nodes if isinstance(node, Router)}
    node_by_address = {
        ip_interface(str(address)).ip: end.node
        for link in topology.links
        for end in (link.a, link.b)
        for address in end.addresses
    }
    for pair, core in zip(pattern.pairs, fat_tree.first_fit(pattern.pairs), strict=True):
        prefix = f"{hedera_lab.host_address(pair.destination)}/32"
        next_hops = {
            name: node_by_address[ip_interface(str(route.via)).ip]
            for name, router in routers.items()
            for route in router.static_routes
            if str(route.prefix) == prefix
        }
        upward = (
            {} if core is None else {
                node_name(first): node_name(second)
                for first, second in fat_tree.path(pair, core)[1 : 1 + pair.levels]
            }
        )  # fmt: skip
        assert next_hops == upward


def test_published_patterns_are_those_of_their_names() -> None:
    by_name = {pattern.name: pattern for pattern in hedera.patterns()}
    for stride in (1, 2, 4, 8):
        pairs = by_name[f"stride{stride}"].pairs
        assert [pair.destination for pair in pairs] == [(host + stride) % 16 for host in range(16)]
    assert [len(by_name[f"randx{flows}"].pairs) // 16 for flows in (2, 3, 4)] == [2, 3, 4]
    assert (len(by_name), len(PERMUTATIONS)) == (20, 13)
    assert all(pair.source != pair.destination for pattern in by_name.values() for pair in pattern.pairs)
    assert by_name["stride4"].ecmp == 3482 / 16000


def margins(deviation: float) -> tuple[float, float]:
    """The ends of a band of sums over the model."""
    return 0.97 - 3 * deviation, 1.04 + 3 * deviation


def test_bands_are_those_of_the_model() -> None:
    bands = {number: expectations()[f"HIFI-HEDERA.{number}"] for number in range(1, 11)}
    full = {pattern: hedera.expected(pattern, "full").mean for pattern in hedera.patterns()}
    assert all(full[pattern] == pytest.approx(1) for pattern in PERMUTATIONS)
    routings: tuple[hedera_lab.Routing, ...] = ("tree", "hashed", "placed")
    relative = {
        routing: statistics.fmean(
            hedera.expected(pattern, routing).mean / full[pattern] for pattern in hedera.with_routing(routing)
        )
        for routing in routings
    }
    assert (bands[4].low, bands[4].high) == pytest.approx(tuple(relative["tree"] * end for end in margins(0)), abs=2e-3)
    hashed: tuple[tuple[int, hedera_lab.Routing], ...] = ((5, "hashed"), (8, "polarized"))
    for number, routing in hashed:
        deviation = hedera.uncertainty(hedera.with_routing(routing), routing)
        assert (bands[number].low, bands[number].high) == pytest.approx(margins(deviation), abs=2e-3)
    ends = tuple(relative["hashed"] * end for end in margins(0.0433))
    assert (bands[6].low, bands[6].high) == pytest.approx(ends, abs=2e-3)
    assert bands[9].low == pytest.approx(relative["placed"] * margins(0.003)[0], abs=2e-3)
    permutations = hedera.with_routing("placed")
    placed, alone = (
        sum(hedera.expected(pattern, routing).mean for pattern in permutations)
        for routing in (routings[2], routings[1])
    )
    margin = 0.03 + 3 * hedera.uncertainty(permutations, "hashed")
    ends = tuple(placed / alone * end for end in (1 - margin, 1 + margin))
    assert (bands[10].low, bands[10].high) == pytest.approx(ends, abs=5e-3)


@pytest.mark.parametrize(("number", "routing"), [(2, "full"), (3, "tree")])
def test_the_highest_band_is_that_of_proportionally_fair_rates(number: int, routing: hedera_lab.Routing) -> None:
    ratios = []
    for pattern in hedera.with_routing(routing):
        if routing == "full" and pattern.is_permutation:
            continue
        paths = hedera.model_paths(pattern, routing, random.Random(1))
        fair = sum(fat_tree.fair_rates(paths))
        ratios.append(sum(fat_tree.alpha_fair_rates(paths, 1)) / fair)
    acknowledgments = 66 / (2 * 1514)
    assert expectations()[f"HIFI-HEDERA.{number}"].high == pytest.approx(max(ratios) * (1 + acknowledgments), abs=2e-3)


@pytest.mark.parametrize("routing", ["full", "tree", "hashed", "polarized", "placed"])
def test_the_lab_samples_what_each_host_receives(routing: hedera_lab.Routing) -> None:
    topology = hedera_lab.lab("a lab", routing, PERMUTATIONS[0].pairs, 10)
    sampled = {probe.direction for probe in queue_probes(topology)}
    assert {hedera_lab.delivery(routing, host) for host in range(16)} <= sampled
    assert {(link.a_to_b.rate_mbit, link.b_to_a.queue_packets) for link in topology.links} == {(10, 50)}
    assert [(flow.source, flow.destination) for flow in topology.flows][:2] == [("h1", "h2"), ("h2", "h1")]


def made_up_run(folder: Path, pattern: str, routing: hedera_lab.Routing, share: float) -> Run:
    """A run of 20 s in which each host receives the share of its link after 8 s, and nothing before."""
    (folder / "samples").mkdir(parents=True)
    flow = {"id": "f1", "source": "h1", "destination": "h2", "kind": "bulk", "start_s": 0.0, "duration_s": 20.0}
    (folder / "run.json").write_text(json.dumps({"format_version": 1, "status": "finished", "flows": [flow]}))
    with (folder / "samples" / "queue.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, wire.TABLES["queue"], restval="")
        writer.writeheader()
        for second, host in itertools.product(range(21), range(16)):
            sent = max(0, second - 8) * share * 10e6 / 8
            direction = hedera_lab.delivery(routing, host)
            writer.writerow({"time_s": second, "direction": direction, "sent_bytes": round(sent)})
    return Run(folder.name, "right", {"pattern": pattern, "routing": routing}, 1, folder)


def test_numbers_are_those_of_made_up_runs(tmp_path: Path) -> None:
    shares = {"full": 1.0, "placed": 0.9}
    made_up = [
        made_up_run(tmp_path / f"{place}-{routing}", pattern.name, routing, shares.get(routing, 0.5))
        for place, pattern in enumerate(hedera.patterns())
        for routing in hedera.routings(pattern)
    ]
    runs = Runs(tmp_path, tuple(made_up))
    numbers: dict[str, CheckResult] = {check.id: check.measure(runs) for check in hedera.HEDERA.checks}
    assert numbers["HIFI-HEDERA.1"] is not None
    assert list(numbers["HIFI-HEDERA.1"].values()) == pytest.approx([1, 1])
    assert numbers["HIFI-HEDERA.2"] == pytest.approx({"rand0": 1 / 0.6875})
    # the model has 0.656 with the staggered pattern and a quarter with stride 4
    assert numbers["HIFI-HEDERA.3"] is not None
    assert numbers["HIFI-HEDERA.3"]["least: stag0(0.2,0.3)"] == pytest.approx(0.5 / 0.65625)
    assert max(numbers["HIFI-HEDERA.3"].values()) == pytest.approx(2)
    assert numbers["HIFI-HEDERA.4"] == pytest.approx({"5 patterns": 0.5})
    assert numbers["HIFI-HEDERA.7"] == {"5 patterns": 0}
    assert numbers["HIFI-HEDERA.9"] == pytest.approx({"4 patterns": 0.9})
    assert numbers["HIFI-HEDERA.10"] == pytest.approx({"4 permutations": 1.8})
