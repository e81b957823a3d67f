"""Mistakes that check finds by its own reasoning: FRR has the missing routes that the message states."""

from __future__ import annotations

import pytest

from frrlib.checks.check import check
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from tests.checks import test_check_paths as paths
from tests.checks.problems import build, link, node

pytestmark = [pytest.mark.lab, pytest.mark.timeout(200)]

_QUICK = {"hello_s": 1, "dead_s": 4}
_IN_TWO_AREAS = {"interfaces": [{"interface": "r2-eth0", "area": "5"}, {"interface": "r2-eth1", "area": "6"}]}
#: r1 and r2 have only their loopbacks in area 0, and area 6 is behind r2.
_SINGLE = paths.line(
    {"ospf": {**_QUICK, "interfaces": [{"interface": "r1-eth0", "area": "5"}]}},
    {"ospf": {**_QUICK, **_IN_TWO_AREAS}},
    {"ospf": {**_QUICK, "area": "6"}},
)
_OVERLOADED = build(
    [node(f"r{n}", isis={"overload": n == 2, "hello_s": 1}, loopbacks=[f"10.255.0.{n}/32"]) for n in (1, 2, 3)],
    [link(1, "r1", "r2"), link(2, "r2", "r3")],
)


@pytest.mark.parametrize(
    ("kind", "topology", "router", "present", "missing"),
    [
        ("isis-overload", _OVERLOADED, "r1", "10.255.0.2", "10.255.0.3"),
        ("split-backbone", _SINGLE, "r3", "10.255.0.2", "10.255.0.1"),
        ("own-as-in-path", paths.sites(1, 1), "r1", "10.91.0.0/24", "10.2.0.0/24"),
    ],
)
def test_the_route_is_missing_in_a_lab(kind: str, topology: Topology, router: str, present: str, missing: str) -> None:
    assert kind in {problem.kind for problem in check(topology)}
    with Lab(topology, place="namespace") as lab:
        lab.wait_converged()
        prefixes = {line.split()[0] for line in lab[router].run("ip", "-4", "route").splitlines()}
    assert present in prefixes
    assert missing not in prefixes
