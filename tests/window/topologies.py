"""Topologies of several test modules, and the path of an example that runs at once."""

from __future__ import annotations

from pathlib import Path

from frrlib.model.annotations import Annotation
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Bridge, Controller, Host, Router, Switch
from frrlib.model.routing import Bgp, Ospf, OspfInterface
from frrlib.model.topology import Topology

ROOT = Path(__file__).resolve().parents[2]
#: Two autonomous systems, h1 - r1 - r2 - h2, that any place can run: no link delays.
TWO_AS = ROOT / "examples" / "two-as-no-delay.mn"

TWO_ROUTERS = Topology(
    nodes=(
        Host(name="h1", x=100, y=200),
        Router(name="r1", x=250, y=200, daemons=("zebra",)),
        Router(name="r2", x=400, y=200, daemons=("zebra",)),
        Host(name="h2", x=550, y=200),
        Switch(name="s1", x=250, y=400),
        Controller(name="c0", x=400, y=400),
    ),
    links=(
        Link(id="l1", a=End(node="h1"), b=End(node="r1")),
        Link(id="l2", a=End(node="r1"), b=End(node="r2")),
        Link(id="l3", a=End(node="r2"), b=End(node="h2")),
        Link(id="l4", a=End(node="s1"), b=End(node="r1")),
    ),
)

THREE_ROUTERS = Topology(
    nodes=(
        Host(name="h1", x=100, y=200),
        Router(name="r1", x=250, y=200),
        Router(name="r2", x=400, y=200),
        Router(name="r3", x=550, y=200),
        Host(name="h2", x=700, y=200),
    ),
    links=(
        Link(id="l1", a=End(node="h1"), b=End(node="r1")),
        Link(id="l2", a=End(node="r1"), b=End(node="r2")),
        Link(id="l3", a=End(node="r2"), b=End(node="r3")),
        Link(id="l4", a=End(node="r3"), b=End(node="h2")),
    ),
    annotations=(
        Annotation(id="a1", kind="rectangle", x=200, y=100, width=300, height=200),
        Annotation(id="a2", kind="rectangle", x=505, y=100, width=100, height=200),
    ),
)
#: The address of r2 at the link to r1 of `THREE_ROUTERS`.
R2 = "10.0.2.2"

EVERY_KIND = Topology(
    nodes=(
        Host(name="h1"),
        Router(
            name="r1",
            ospf=Ospf(
                interfaces=(
                    OspfInterface(interface="r1-eth0", passive=True),
                    OspfInterface(interface="r1-eth1", area="7"),
                )
            ),
            bgp=Bgp(asn=65_001),
        ),
        Router(name="r2", ospf=Ospf()),
        Switch(name="s1", controllers=("c0",)),
        Bridge(name="s2"),
        Controller(name="c0"),
    ),
    links=(
        Link(id="l1", a=End(node="h1"), b=End(node="r1")),
        Link(id="l2", a=End(node="r1"), b=End(node="r2"), a_to_b=Shape(rate_mbit=10)),
        Link(id="l3", a=End(node="s1"), b=End(node="s2")),
    ),
    flows=(Flow(id="f1", source="h1", destination="r2"),),
)
