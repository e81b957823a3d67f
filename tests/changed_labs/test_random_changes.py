"""Random changes reach every kind of part; a running lab that follows them equals a new one."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from frrlib.checks.check import check
from frrlib.model.problem import Severity
from tests.changed_labs import random_changes
from tests.changed_labs.observation import (
    KernelState,
    configuration_differences,
    kernel_differences,
    kernel_state,
)
from tests.changed_labs.random_changes import (
    CHANGES,
    MOST_NODES,
    Chance,
    change_at_random,
    first_network,
)
from tests.changed_labs.random_settings import PARTS, every_protocol, setting_at_random
from tests.changed_labs.trial import try_sequence

#: Its three steps add a router and links, give links other shapes, and remove parts.
SEED = 2


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_every_change_gives_a_network_without_errors(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_changes, "CHANGES", {name: CHANGES[name]})
    before, chance = first_network(), Chance(1, "labkernel")
    seen, topology = change_at_random(before, chance)
    assert seen == name and topology != before
    assert not [problem for problem in check(topology) if problem.severity is Severity.ERROR]
    assert len(topology.nodes) <= MOST_NODES


def test_settings_change_in_all_parts_and_by_the_seed() -> None:
    topology, names = every_protocol(), set()
    for seed in range(40):
        name, changed = setting_at_random(topology, Chance(seed, "namespace"))
        assert (name, changed) == setting_at_random(topology, Chance(seed, "namespace")) and changed != topology
        names.add(name.partition(".")[0])
    assert names == set(PARTS)


def test_a_seed_gives_the_same_changes_every_time() -> None:
    first, second = (change_at_random(first_network(), Chance(7, "labkernel")) for _ in range(2))
    assert first == second


def test_differences_are_named() -> None:
    expected: KernelState = {"r1": {"routes": ["10.0.0.0/8"]}, "h1": {"routes": []}}
    present: KernelState = {"r1": {"routes": []}, "h2": {"routes": []}}
    assert list(kernel_differences(present, expected)) == [
        "h1 is in the new lab only",
        "h2 is in the changed lab only",
        "r1: routes are [], not ['10.0.0.0/8']",
    ]
    assert not list(kernel_differences(expected, expected))
    lines = "hostname r1\nip route 192.0.2.0/24 blackhole\n"
    assert [line for line in configuration_differences({"r1": lines}, {"r1": "hostname r1\n"}) if "192.0.2.0" in line]
    assert not list(configuration_differences({"r1": lines}, {"r1": lines}))


def test_the_interface_of_a_neighbor_is_compared_instead_of_its_random_link_local_address() -> None:
    present, same, other = (
        kernel_state(_pair_of_routers(addresses, gateway))
        for addresses, gateway in (
            (("fe80::a", "fe80::b"), 0),
            (("fe80::c", "fe80::d"), 0),
            (("fe80::a", "fe80::b"), 1),
        )
    )
    assert ("fd00::/64", "isis", "20", [("r2:r2-eth0", "r1-eth0")]) in present["r1"]["routes"]
    assert not list(kernel_differences(present, same))
    (line,) = kernel_differences(present, other)
    assert line.startswith("r1: routes are")


def _pair_of_routers(link_local: tuple[str, str], gateway: int) -> Any:
    """A lab of r1 and r2, which has two interfaces. Each router has a route through one of these."""
    names = {"r1": ["r1-eth0"], "r2": ["r2-eth0", "r2-eth1"]}
    texts = {}
    for node, interfaces in names.items():
        local = ["fe80::1"] if node == "r1" else list(link_local)
        addresses = [
            {"ifname": name, "mtu": 1500, "operstate": "UP", "addr_info": [{"local": address, "prefixlen": 64}]}
            for name, address in zip(interfaces, local, strict=True)
        ]
        via = link_local[gateway] if node == "r1" else "fe80::1"
        route = {"dst": "fd00::/64", "protocol": "isis", "metric": 20, "gateway": via, "dev": interfaces[0]}
        texts[node] = "\n".join([*map(json.dumps, (addresses, [], [route], [])), *(["0"] * 6)])
    nodes = {node: SimpleNamespace(name=node, run=lambda *_, text=text: text) for node, text in texts.items()}

    class Pair(dict[str, Any]):
        topology = SimpleNamespace(nodes=list(nodes.values()))

    return Pair(nodes)


@pytest.mark.lab
def test_a_lab_that_follows_random_topologies_equals_new_ones() -> None:
    trial = try_sequence(SEED, "namespace", steps=2)
    assert trial.faults == ()
    assert len(trial.steps) == 2
