"""The golden topologies in real daemons: what they then say that they run is what was rendered, line by line.

So whoever types nothing is never asked about a difference, and what was taken over once is none after the next run.
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
from tests.golden_data import FOLDER
from tests.golden_pair import pair

pytestmark = [pytest.mark.lab, pytest.mark.timeout(120)]

#: Those with every setting; the plain ones say nothing that these do not.
NAMES = (
    "ospf-all", "ospf6-all", "isis-all", "rip-all", "static-bfd", "pim", "ldp", "vrf", "own-lines",
    "bgp-confederation", "bgp-dual-stack", "bgp-policy", "bgp-reflector", "bgp-unnumbered",
)  # fmt: skip
#: What FRR says of the kernel rather than of its configuration.
OF_THE_KERNEL = ("mpls enable",)
#: What FRR 10 takes in the words of FRR 8, and says in its own.
OF_FRR_10 = re.compile(r"(ip pim )?rp \S+ \S+|router pim|ip igmp join(-group)? \S+|area \S+ nssa")


@pytest.mark.parametrize("name", NAMES)
def test_what_runs_is_what_was_rendered(name: str) -> None:
    drawn = mn.load(FOLDER / f"{name}.mn").topology
    full = addressed(drawn)
    with Lab(drawn) as lab:
        for router in full.routers:
            if not router.runs_frr:
                continue
            rendered = frr_conf(full, router)

            def changes(name: str = router.name, rendered: str = rendered) -> list[str]:
                found = difference(rendered, lab[name].vtysh("show running-config"))
                return [f"{each.kind} {each.section} {each.line}" for each in found if counts(lab, each.line)]

            expect(changes, exact([]), timeout_s=10)


def counts(lab: Lab, line: str) -> bool:
    """Whether a line that is on one side only is a difference."""
    renamed = int(lab.facts["frr"].split(".")[0]) >= 10 and OF_FRR_10.fullmatch(line)
    return line not in OF_THE_KERNEL and not renamed


def test_every_setting_of_bgp_is_taken_and_said_again() -> None:
    """That drawing could not run: its neighbours are not there. Its lines can be given to a router, though."""
    rendered = (FOLDER / "bgp-all.r1.conf").read_text(encoding="utf-8")
    with Lab(pair("r1 with BGP", {"daemons": ("bgpd", "bfdd")}, {})) as lab:
        lab["r1"].configure(rendered)
        found = difference(rendered, lab["r1"].vtysh("show running-config"))
        assert [f"{each.kind} {each.section} {each.line}" for each in found] == []
