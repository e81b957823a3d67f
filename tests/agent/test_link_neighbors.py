"""Neighbor entries of large labs, compared with the addresses of the other ends as `ip` reports them."""

from __future__ import annotations

import json

import pytest

from frrlib import wire
from frrlib.agent.network.link_neighbors import FEWEST_ENDS, link_local
from frrlib.agent.routing.routes import missing_text
from frrlib.wire.plan import LinkPlan, Plan
from tests.agent.harness import RunningAgent
from tests.agent.plans import host, interface
from tests.waiting import wait_for


def test_link_local_addresses_are_made_of_hardware_addresses() -> None:
    """The example of RFC 4291, appendix A."""
    assert link_local("34:56:78:9a:bc:de") == "fe80::3656:78ff:fe9a:bcde"


def test_an_error_about_many_missing_routes_stays_short() -> None:
    prefixes = {f"10.{number}.0.0/16" for number in range(200)}
    text = missing_text({f"r{number}": prefixes for number in range(300)}, 5.0)
    assert text.startswith("after 5 s r0 has no route to 10.0.0.0/16, 10.1.0.0/16, ")
    assert text.endswith("; 290 more nodes lack routes")
    assert "and 195 more" in text
    assert len(text) < 1500


def _parallel_links(count: int) -> Plan:
    links = [
        LinkPlan(
            f"l{number}",
            interface("h1", number, f"10.{number // 256}.{number % 256}.1/24", f"2001:db8:{number:x}::1/64"),
            interface("h2", number, f"10.{number // 256}.{number % 256}.2/24", f"2001:db8:{number:x}::2/64"),
        )
        for number in range(count)
    ]
    return Plan((host("h1"), host("h2")), tuple(links))


def _addresses_with_macs(lab: RunningAgent, node: str) -> dict[int, dict[str, str]]:
    """The addresses of each link's end on a node, with its hardware address, by number of the link."""
    return {
        int(entry["ifname"].partition("-eth")[2]): {part["local"]: entry["address"] for part in entry["addr_info"]}
        for entry in json.loads(lab.run(node, "ip", "-j", "address", "show"))
        if "-eth" in entry["ifname"]
    }


def _has_three_each(addresses: dict[int, dict[str, str]]) -> bool:
    return all(len(parts) == 3 for parts in addresses.values())


def _permanent_neighbors(lab: RunningAgent, node: str) -> dict[int, dict[str, str]]:
    neighbors: dict[int, dict[str, str]] = {}
    for entry in json.loads(lab.run(node, "ip", "-j", "neighbor", "show", "nud", "permanent")):
        neighbors.setdefault(int(entry["dev"].partition("-eth")[2]), {})[entry["dst"]] = entry["lladdr"]
    return neighbors


@pytest.mark.lab
def test_both_ends_of_the_links_of_a_large_lab_know_each_other() -> None:
    with RunningAgent() as lab:
        assert lab.do(wire.Build(_parallel_links(FEWEST_ENDS // 2)))["warnings"] == []
        for node, far in (("h1", "h2"), ("h2", "h1")):
            # The kernel adds link-local addresses when it notices the carrier.
            wait_for(lambda far=far: _has_three_each(_addresses_with_macs(lab, far)), f"link-local addresses of {far}")
            assert _permanent_neighbors(lab, node) == _addresses_with_macs(lab, far)
        for address in ("10.0.255.2", "2001:db8:ff::2"):
            assert "1 received" in lab.run("h1", "ping", "-c", "1", address)


@pytest.mark.lab
def test_small_labs_find_their_neighbors_by_themselves() -> None:
    with RunningAgent() as lab:
        lab.do(wire.Build(_parallel_links(2)))
        assert _permanent_neighbors(lab, "h1") == {}


@pytest.mark.lab
def test_a_lab_kernel_has_room_for_many_neighbors() -> None:
    with RunningAgent("labkernel") as lab:
        lab.do(wire.Build(_parallel_links(FEWEST_ENDS // 2)))
        for family in ("ipv4", "ipv6"):
            assert int(lab.run("", "cat", f"/proc/sys/net/{family}/neigh/default/gc_thresh3")) == 1 << 20
        assert _permanent_neighbors(lab, "h1") == {}
