"""BGP: the tables of the examples, written by hand, against those of real routers.

A row is what a router must have chosen: AS path, next hop, and what else the example is about. What is equal is not
asked for: which of two reflectors was faster decides which of their routes is best, and no line here depends on it.
"""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.expect.expectation import exact, expect
from frrlib.lab.lab import Lab
from tests import examples_bgp
from tests.checks.problems import GOOD1, GOOD2, bgp

pytestmark = [pytest.mark.lab, pytest.mark.timeout(200)]

#: Prefix to (AS path, next hops); the next hop of what a router announces itself is "0.0.0.0" or "::", and that of a
#: session without addresses the neighbour's name.
Table = dict[str, tuple[str, set[str]]]

REFLECTOR: dict[str, Table] = {
    "r7": {
        "10.5.0.0/24": ("65000", {"10.0.8.3"}),
        "10.7.0.0/24": ("", {"0.0.0.0"}),
        "10.8.0.0/24": ("65000 65102", {"10.0.8.3"}),
    },
    "r8": {
        "10.5.0.0/24": ("65000", {"10.0.9.6"}),
        "10.7.0.0/24": ("65000 65101", {"10.0.9.6"}),
        "10.8.0.0/24": ("", {"0.0.0.0"}),
    },
    "r1": {
        "10.5.0.0/24": ("", {"10.255.0.5"}),
        "10.7.0.0/24": ("65101", {"10.255.0.3"}),
        "10.8.0.0/24": ("65102", {"10.255.0.6"}),
    },
    "r4": {
        "10.5.0.0/24": ("", {"10.255.0.5"}),
        "10.7.0.0/24": ("65101", {"10.255.0.3"}),
        "10.8.0.0/24": ("65102", {"10.255.0.6"}),
    },
}
CONFEDERATION: dict[str, Table] = {
    "r5": {
        "10.2.0.0/24": ("65000", {"10.0.1.1"}),
        "10.3.0.0/24": ("65000", {"10.0.1.1"}),
        "10.255.0.5/32": ("", {"0.0.0.0"}),
        "10.255.0.6/32": ("65000 65200", {"10.0.1.1"}),
    },
    "r2": {
        "10.2.0.0/24": ("", {"0.0.0.0"}),
        "10.3.0.0/24": ("(65020)", {"10.0.3.3"}),
        "10.255.0.5/32": ("65100", {"10.255.0.1"}),
        "10.255.0.6/32": ("(65020) 65200", {"10.255.0.4"}),
    },
    "r4": {
        "10.2.0.0/24": ("(65010)", {"10.255.0.3"}),
        "10.3.0.0/24": ("", {"10.255.0.3"}),
        "10.255.0.5/32": ("(65010) 65100", {"10.255.0.3"}),
        "10.255.0.6/32": ("65200", {"10.0.5.6"}),
    },
}
POLICY: dict[str, Table] = {
    "r1": {
        "10.1.0.0/24": ("", {"0.0.0.0"}),
        "10.2.0.0/24": ("65002", {"10.0.1.2"}),
        "10.3.0.0/24": ("65003", {"10.0.2.3"}),
        "10.4.0.0/24": ("65003 65004", {"10.0.2.3"}),  # gold: local preference 200
        "10.4.1.0/24": ("65002 65004", {"10.0.1.2"}),  # the rest: 150 by r2, 100 by r3
        # 10.4.9.0/24 is told no further than to r2 and r3
    },
    "r2": {
        "10.1.0.0/24": ("65001", {"10.0.1.1"}),
        "10.2.0.0/24": ("", {"0.0.0.0"}),
        "10.3.0.0/24": ("65004 65003", {"10.0.3.4"}),  # never by r1, which announces its own only
        "10.4.0.0/24": ("65004", {"10.0.3.4"}),
        "10.4.1.0/24": ("65004", {"10.0.3.4"}),
        "10.4.9.0/24": ("65004", {"10.0.3.4"}),
    },
    "r4": {
        "10.1.0.0/24": ("65002 65001", {"10.0.3.2"}),  # by r3 it would be 65003 65001 65001 65001
        "10.2.0.0/24": ("65002", {"10.0.3.2"}),
        "10.3.0.0/24": ("65003", {"10.0.4.3"}),
        "10.4.0.0/24": ("", {"0.0.0.0"}),
        "10.4.1.0/24": ("", {"0.0.0.0"}),
        "10.4.9.0/24": ("", {"0.0.0.0"}),
    },
}
UNNUMBERED: dict[str, Table] = {
    "r1": {
        "10.255.0.1/32": ("", {"0.0.0.0"}),
        **{f"10.{leaf}.0.0/24": (f"{65000 + leaf}", {f"r{leaf}"}) for leaf in (3, 4, 5)},
        **{f"10.255.0.{leaf}/32": (f"{65000 + leaf}", {f"r{leaf}"}) for leaf in (3, 4, 5)},
    },
    "r3": {
        "10.3.0.0/24": ("", {"0.0.0.0"}),
        "10.255.0.3/32": ("", {"0.0.0.0"}),
        "10.255.0.1/32": ("65100", {"r1"}),
        "10.255.0.2/32": ("65100", {"r2"}),
        **{f"10.{leaf}.0.0/24": (f"65100 {65000 + leaf}", {"r1", "r2"}) for leaf in (4, 5)},
        **{f"10.255.0.{leaf}/32": (f"65100 {65000 + leaf}", {"r1", "r2"}) for leaf in (4, 5)},
    },
}
DUAL_STACK: dict[str, Table] = {
    "r2": {"10.1.0.0/16": ("65001", {"10.255.0.1"}), "10.3.0.0/24": ("65003", {"10.0.3.3"})},
    "r3": {
        "0.0.0.0/0": ("65002", {"10.0.3.2"}),
        "10.1.0.0/16": ("65002 65001", {"10.0.3.2"}),
        "10.3.0.0/24": ("", {"0.0.0.0"}),
    },
}
#: The same of IPv6; next hops by their global address.
DUAL_STACK6: dict[str, Table] = {
    "r2": {"fd00:1::/32": ("65001", {"fd00:255::1"}), "fd00:3::/64": ("65003", {"fd00:0:0:3::3"})},
    "r3": {
        "::/0": ("65002", {"fd00:0:0:3::2"}),
        "fd00:1::/32": ("65002 65001", {"fd00:0:0:3::2"}),
        "fd00:3::/64": ("", {"::"}),
    },
}


def chosen(lab: Lab, router: str, family: str = "ipv4") -> Table:
    """What a router has chosen: best paths, and those that are used beside them."""
    said = lab[router].vtysh(f"show bgp {family} unicast", json=True)
    table: Table = {}
    for prefix, paths in said.get("routes", {}).items():
        best = [path for path in paths if path.get("bestpath") or path.get("multipath")]
        if best:
            table[prefix] = (best[0]["path"], {_next_hop(path) for path in best})
    return table


def _next_hop(path: dict[str, Any]) -> str:
    """The global address, or the name of the neighbour where it has link-local ones only."""
    hop = path["nexthops"][0]
    return str(hop["hostname"] if hop["ip"].startswith("fe80:") else hop["ip"])


def details(lab: Lab, router: str, prefix: str) -> dict[str, Any]:
    """All that a router knows of its best path."""
    said = lab[router].vtysh(f"show bgp ipv4 unicast {prefix}", json=True)
    best: dict[str, Any] = next(path for path in said["paths"] if path.get("bestpath", {}).get("overall"))
    return best


def check_tables(lab: Lab, tables: dict[str, Table], family: str = "ipv4") -> None:
    lab.wait_routes()
    for router, table in tables.items():
        expect(lambda router=router: in_words(chosen(lab, router, family)), exact(in_words(table)), timeout_s=20)


def in_words(table: Table) -> dict[str, str]:
    return {prefix: f"{path} by {sorted(hops)}" for prefix, (path, hops) in table.items()}


def test_reflectors_pass_on_what_clients_tell() -> None:
    with Lab(examples_bgp.reflector()) as lab:
        check_tables(lab, REFLECTOR)
        seen = details(lab, "r4", "10.7.0.0/24")
        assert seen["originatorId"] == "10.255.0.3"
        assert seen["clusterList"]["list"] in (["10.255.0.1"], ["10.255.0.2"])
        assert seen["locPrf"] == 100
        # from r3, whose way out is the link to r7, to the reflectors' other clients and back: no full mesh
        assert len(lab["r4"].vtysh("show bgp summary", json=True)["ipv4Unicast"]["peers"]) == 2


def test_a_confederation_is_one_as_to_the_world() -> None:
    with Lab(examples_bgp.confederation()) as lab:
        check_tables(lab, CONFEDERATION)
        assert details(lab, "r2", "10.255.0.6/32")["locPrf"] == 100


def test_policies_choose_the_way_out_and_the_way_back() -> None:
    with Lab(examples_bgp.policy()) as lab:
        check_tables(lab, POLICY)
        gold = details(lab, "r1", "10.4.0.0/24")
        assert (gold["locPrf"], gold["community"]["string"]) == (200, "65004:100")
        assert details(lab, "r1", "10.4.1.0/24")["locPrf"] == 150
        assert details(lab, "r2", "10.4.9.0/24")["community"]["string"] == "no-export"


def test_a_fabric_without_addresses_uses_both_ways() -> None:
    with Lab(examples_bgp.unnumbered()) as lab:
        check_tables(lab, UNNUMBERED)
        route = lab["r3"].run("ip", "route", "show", "10.4.0.0/24")
        assert {f"r3-eth{port}" for port in (0, 1)} == {word for word in route.split() if word.startswith("r3-eth")}


def test_both_families_between_loopbacks_over_two_links() -> None:
    with Lab(examples_bgp.dual_stack()) as lab:
        check_tables(lab, DUAL_STACK)
        check_tables(lab, DUAL_STACK6, "ipv6")
        for family, prefix in (("-4", "10.1.0.0/16"), ("-6", "fd00:1::/32")):
            route = lab["r2"].run("ip", family, "route", "show", prefix)
            assert {"r2-eth0", "r2-eth1"} == {word for word in route.split() if word.startswith("r2-eth")}


@pytest.mark.parametrize("mistake", [{"remote_as": 3}, {"password": "other"}, {"passive": True}], ids=str)
def test_two_ends_that_disagree_can_be_looked_at_in_a_lab(mistake: dict[str, Any]) -> None:
    """A teacher's mistake: the lab runs, does not wait for what cannot come, and FRR shows the session that is down."""
    back = {**GOOD2, "neighbors": [{**GOOD2["neighbors"][0], "passive": True}]}
    topology = bgp({**GOOD1, "neighbors": [{**GOOD1["neighbors"][0], **mistake}]}, back)
    with Lab(topology, place="namespace") as lab:
        lab.wait_converged()
        summary = lab["r1"].vtysh("show bgp summary json", json=True)
        assert summary["ipv4Unicast"]["peers"]["10.9.0.2"]["state"] != "Established"
