"""BGP at a lab's start: one connection for each session, opened by one end, and no trace of this rule afterwards."""

from __future__ import annotations

import pytest

from frrlib.lab.lab import Lab
from tests.checks.problems import GOOD1, GOOD2, bgp
from tests.waiting import wait_for

pytestmark = [pytest.mark.lab, pytest.mark.timeout(120)]

BGP_PORT = 179


def test_the_end_that_starts_first_only_accepts_the_connection() -> None:
    with Lab(bgp(GOOD1, GOOD2), place="namespace") as lab:
        lab.wait_routes()
        for router, neighbor, port in (("r1", "10.9.0.2", "portLocal"), ("r2", "10.9.0.1", "portForeign")):
            (session,) = lab[router].vtysh(f"show bgp neighbors {neighbor} json", json=True).values()
            assert session["bgpState"] == "Established"
            assert (session["connectionsEstablished"], session["connectionsDropped"]) == (1, 0)
            assert session[port] == BGP_PORT


def test_the_rule_is_removed_and_never_part_of_the_configuration() -> None:
    with Lab(bgp(GOOD1, GOOD2), place="namespace") as lab:
        configuration = lab["r1"].vtysh("show running-config")
        assert "neighbor 10.9.0.2 remote-as 2" in configuration
        assert "passive" not in configuration
        assert "shutdown" not in configuration
        wait_for(lambda: "prohibit" not in lab["r1"].run("ip", "rule"), "the end of r1's rule")
        assert "10.9.0.1" in lab["r1"].run("ip", "route", "get", "10.9.0.2", "ipproto", "tcp", "dport", str(BGP_PORT))
        assert "prohibit" not in lab["r2"].run("ip", "rule")
