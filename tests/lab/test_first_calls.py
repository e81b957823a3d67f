"""BGP at a lab's start: one connection a session, made by one end, and nothing of that stays."""

from __future__ import annotations

import pytest

from frrlib.lab.lab import Lab
from tests.checks.problems import GOOD1, GOOD2, bgp
from tests.waiting import wait_for

pytestmark = [pytest.mark.lab, pytest.mark.timeout(120)]

BGP_PORT = 179


def test_the_end_that_starts_first_is_called_and_never_calls() -> None:
    with Lab(bgp(GOOD1, GOOD2), place="namespace") as lab:
        lab.wait_routes()
        for mine, other, port in (("r1", "10.9.0.2", "portLocal"), ("r2", "10.9.0.1", "portForeign")):
            (said,) = lab[mine].vtysh(f"show bgp neighbors {other} json", json=True).values()
            assert said["bgpState"] == "Established"
            assert (said["connectionsEstablished"], said["connectionsDropped"]) == (1, 0)
            assert said[port] == BGP_PORT


def test_its_rule_goes_and_its_configuration_never_knew_of_it() -> None:
    with Lab(bgp(GOOD1, GOOD2), place="namespace") as lab:
        told = lab["r1"].vtysh("show running-config")
        assert "neighbor 10.9.0.2 remote-as 2" in told
        assert "passive" not in told
        assert "shutdown" not in told
        wait_for(lambda: "prohibit" not in lab["r1"].run("ip", "rule"), "the end of r1's rule")
        assert "10.9.0.1" in lab["r1"].run("ip", "route", "get", "10.9.0.2", "ipproto", "tcp", "dport", str(BGP_PORT))
        assert "prohibit" not in lab["r2"].run("ip", "rule")
