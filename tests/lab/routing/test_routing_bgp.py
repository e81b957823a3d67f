"""BGP: the tables of the examples, written by hand, compared with those of real routers.

A row is the route that a router must have chosen: AS path, next hop, and the example's other attributes. Ties are not
compared: the faster of two reflectors decides which of their routes is best, and no row depends on it.
"""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.expect.expectation import exact, expect
from frrlib.lab.lab import Lab
from tests.checks.problems import GOOD1, GOOD2, bgp
from tests.examples import bgp as bgp_examples

pytestmark = [pytest.mark.lab, pytest.mark.timeout(200)]

#: Prefix to (AS path, next hops). The next hop of a router's own network is "0.0.0.0" or "::", and that of a session
#: without addresses is the neighbor's name.
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
        "10.4.1.0/24": ("65002 65004", {"10.0.1.2"}),  # the other ones: 150 by r2, 100 by r3
        # 10.4.9.0/24 is announced to r2 and r3 only
    },
    "r2": {
        "10.1.0.0/24": ("65001", {"10.0.1.1"}),
        "10.2.0.0/24": ("", {"0.0.0.0"}),
        "10.3.0.0/24": ("65004 65003", {"10.0.3.4"}),  # never by r1, which announces only its own networks
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
#: The same for IPv6, with the global addresses of next hops.
DUAL_STACK6: dict[str, Table] = {
    "r2": {"fd00:1::/32": ("65001", {"fd00:255::1"}), "fd00:3::/64": ("65003", {"fd00:0:0:3::3"})},
    "r3": {
        "::/0": ("65002", {"fd00:0:0:3::2"}),
        "fd00:1::/32": ("65002 65001", {"fd00:0:0:3::2"}),
        "fd00:3::/64": ("", {"::"}),
    },
}


def chosen(lab: Lab, router: str, family: str = "ipv4") -> Table:
    """The routes that a router has chosen: best paths, and multipaths."""
    reply = lab[router].vtysh(f"show bgp {family} unicast", json=True)
    table: Table = {}
    for prefix, paths in reply.get("routes", {}).items():
        best = [path for path in paths if path.get("bestpath") or path.get("multipath")]
        if best:
            table[prefix] = (best[0]["path"], {_next_hop(path) for path in best})
    return table


def _next_hop(path: dict[str, Any]) -> str:
    """The global address, or the name of a neighbor that has only link-local addresses."""
    hop = path["nexthops"][0]
    return str(hop["hostname"] if hop["ip"].startswith("fe80:") else hop["ip"])


def details(lab: Lab, router: str, prefix: str) -> dict[str, Any]:
    """All attributes of a router's best path."""
    reply = lab[router].vtysh(f"show bgp ipv4 unicast {prefix}", json=True)
    best: dict[str, Any] = next(path for path in reply["paths"] if path.get("bestpath", {}).get("overall"))
    return best


def check_tables(lab: Lab, tables: dict[str, Table], family: str = "ipv4") -> None:
    lab.wait_routes()
    for router, table in tables.items():
        expect(lambda router=router: as_text(chosen(lab, router, family)), exact(as_text(table)), timeout_s=20)


def as_text(table: Table) -> dict[str, str]:
    return {prefix: f"{path} by {sorted(hops)}" for prefix, (path, hops) in table.items()}


def test_reflectors_announce_routes_of_their_clients() -> None:
    with Lab(bgp_examples.reflector()) as lab:
        check_tables(lab, REFLECTOR)
        best = details(lab, "r4", "10.7.0.0/24")
        assert best["originatorId"] == "10.255.0.3"
        assert best["clusterList"]["list"] in (["10.255.0.1"], ["10.255.0.2"])
        assert best["locPrf"] == 100
        # r3 has the link to r7, and its route reaches r4 by the reflectors: there is no full mesh
        assert len(lab["r4"].vtysh("show bgp summary", json=True)["ipv4Unicast"]["peers"]) == 2


def test_a_confederation_is_one_as_for_other_systems() -> None:
    with Lab(bgp_examples.confederation()) as lab:
        check_tables(lab, CONFEDERATION)
        assert details(lab, "r2", "10.255.0.6/32")["locPrf"] == 100


def test_policies_choose_the_path_of_both_directions() -> None:
    with Lab(bgp_examples.policy()) as lab:
        check_tables(lab, POLICY)
        gold = details(lab, "r1", "10.4.0.0/24")
        assert (gold["locPrf"], gold["community"]["string"]) == (200, "65004:100")
        assert details(lab, "r1", "10.4.1.0/24")["locPrf"] == 150
        assert details(lab, "r2", "10.4.9.0/24")["community"]["string"] == "no-export"


def test_a_fabric_without_addresses_uses_both_paths() -> None:
    with Lab(bgp_examples.unnumbered()) as lab:
        check_tables(lab, UNNUMBERED)
        route = lab["r3"].run("ip", "route", "show", "10.4.0.0/24")
        assert {f"r3-eth{port}" for port in (0, 1)} == {word for word in route.split() if word.startswith("r3-eth")}


def test_two_loopbacks_exchange_both_families_over_two_links() -> None:
    with Lab(bgp_examples.dual_stack()) as lab:
        check_tables(lab, DUAL_STACK)
        check_tables(lab, DUAL_STACK6, "ipv6")
        for family, prefix in (("-4", "10.1.0.0/16"), ("-6", "fd00:1::/32")):
            route = lab["r2"].run("ip", family, "route", "show", prefix)
            assert {"r2-eth0", "r2-eth1"} == {word for word in route.split() if word.startswith("r2-eth")}


@pytest.mark.parametrize("mistake", [{"remote_as": 3}, {"password": "other"}, {"passive": True}], ids=str)
def test_a_lab_with_a_mistake_in_a_session_runs(mistake: dict[str, Any]) -> None:
    """A teacher's mistake: the lab runs, does not wait for the impossible session, and FRR shows that it is down."""
    reverse_session = {**GOOD2, "neighbors": [{**GOOD2["neighbors"][0], "passive": True}]}
    topology = bgp({**GOOD1, "neighbors": [{**GOOD1["neighbors"][0], **mistake}]}, reverse_session)
    with Lab(topology, place="namespace") as lab:
        lab.wait_converged()
        summary = lab["r1"].vtysh("show bgp summary json", json=True)
        assert summary["ipv4Unicast"]["peers"]["10.9.0.2"]["state"] != "Established"
