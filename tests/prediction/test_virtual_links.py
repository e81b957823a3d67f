"""Virtual links of OSPF in own lines, by hand: r1 (areas 0 and 1) - r2 (area 1) - r3 (areas 1 and 2) - r4 (area 2)."""

from __future__ import annotations

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.model.routing import Ospf, OspfArea, OspfInterface
from frrlib.model.topology import Topology
from frrlib.network.network import Network, end
from frrlib.prediction.routes import expected_routes

LINE = "router ospf\n area 1 virtual-link 10.255.0.{}\n"


def _row(first: str, last: str, kind: str = "normal") -> Topology:
    net = Network()
    areas = {"r1": ("0", "1"), "r2": ("1", "1"), "r3": ("1", "2"), "r4": ("2", "2")}
    for number, (name, (left, right)) in enumerate(areas.items(), 1):
        settings = Ospf(
            area=left,
            interfaces=(OspfInterface(interface=f"{name}-eth1", area=right),),
            areas=() if kind == "normal" else (OspfArea.model_validate({"area": "1", "kind": kind}),),
        )
        lines = {"r1": first, "r3": last}.get(name, "")
        net.router(name, loopbacks=(f"10.255.0.{number}/32",), ospf=settings, frr_conf=lines)
    for number in (1, 2, 3):
        left, right = f"r{number}", f"r{number + 1}"
        interfaces = f"{left}-eth1", f"{right}-eth{int(number == 3)}"
        net.link(
            end(left, f"10.{number}.0.1/24", interface=interfaces[0]),
            end(right, f"10.{number}.0.2/24", interface=interfaces[1]),
        )
    return net.topology


@pytest.mark.parametrize(
    ("first", "last", "kind", "joined"),
    [
        (LINE.format(3), LINE.format(1), "normal", True),
        (LINE.format(3), "", "normal", False),
        (LINE.format(3), LINE.format(2), "normal", False),
        (LINE.format(3), LINE.format(1), "stub", False),
        (LINE.format(3), LINE.format(1).rstrip() + " hello-interval 3\n", "normal", False),
        ("", "", "normal", False),
    ],
)
def test_an_area_behind_a_virtual_link_is_reached(first: str, last: str, kind: str, joined: bool) -> None:
    routes = expected_routes(addressed(_row(first, last, kind)))
    assert ("10.255.0.4/32" in map(str, routes["r1"])) is joined
    assert ("10.255.0.1/32" in map(str, routes.get("r4", ()))) is joined
