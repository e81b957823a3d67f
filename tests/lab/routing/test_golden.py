"""The golden topologies in real daemons: the running configuration equals the rendered one, line by line.

Therefore nobody is asked about differences that nobody typed, and adopted lines are no difference after the next run.
"""

from __future__ import annotations

import re

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.conf.changes import difference
from frrlib.expect.expectation import exact, expect
from frrlib.formats import mn
from frrlib.lab.lab import Lab
from frrlib.render.frr import frr_conf
from tests.golden.data import FOLDER
from tests.golden.pair import pair

pytestmark = [pytest.mark.lab, pytest.mark.timeout(120)]

#: The topologies with every setting; the plain ones have no other lines.
NAMES = (
    "ospf-all", "ospf6-all", "isis-all", "rip-all", "static-bfd", "pim", "ldp", "vrf", "own-lines",
    "bgp-confederation", "bgp-dual-stack", "bgp-policy", "bgp-reflector", "bgp-unnumbered",
)  # fmt: skip
#: Lines that FRR prints about the kernel, not about its configuration.
OF_THE_KERNEL = ("mpls enable",)
#: Lines that FRR 10 accepts in the syntax of FRR 8, and prints in its own.
OF_FRR_10 = re.compile(r"(ip pim )?rp \S+ \S+|router pim|ip igmp join(-group)? \S+|area \S+ nssa")


@pytest.mark.parametrize("name", NAMES)
def test_the_running_configuration_equals_the_rendered_one(name: str) -> None:
    topology = mn.load(FOLDER / f"{name}.mn").topology
    full = addressed(topology)
    with Lab(topology) as lab:
        for router in full.routers:
            if not router.runs_frr:
                continue
            rendered = frr_conf(full, router)

            def changes(name: str = router.name, rendered: str = rendered) -> list[str]:
                differences = difference(rendered, lab[name].vtysh("show running-config"))
                return [
                    f"{change.kind} {change.section} {change.line}"
                    for change in differences
                    if counts(lab, change.line)
                ]

            expect(changes, exact([]), timeout_s=10)


def counts(lab: Lab, line: str) -> bool:
    """Whether a line that is on one side only is a difference."""
    renamed = int(lab.facts["frr"].split(".")[0]) >= 10 and OF_FRR_10.fullmatch(line)
    return line not in OF_THE_KERNEL and not renamed


def test_frr_prints_every_setting_of_bgp_as_it_was_entered() -> None:
    """This topology cannot run, since its neighbors do not exist. Its lines can be entered in a router, though."""
    rendered = (FOLDER / "bgp-all.r1.conf").read_text(encoding="utf-8")
    with Lab(pair("r1 with BGP", {"daemons": ("bgpd", "bfdd")}, {})) as lab:
        lab["r1"].configure(rendered)
        differences = difference(rendered, lab["r1"].vtysh("show running-config"))
        assert [f"{change.kind} {change.section} {change.line}" for change in differences] == []
