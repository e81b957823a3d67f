"""A topology built piece by piece equals the value of the same pieces; an invalid piece is named."""

from __future__ import annotations

from ipaddress import ip_address, ip_interface

import pytest

from frrlib.errors import TopologyError
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link
from frrlib.model.nodes import Controller, Host, Router, Switch
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Ospf, Shape, end


def test_the_pieces_make_the_value() -> None:
    net = Network("two routers")
    net.router("r1", at=(10, 20), ospf=Ospf(hello_s=1))
    net.router("core", loopbacks=["10.0.0.1/32"])
    net.host("h3", default_route="10.1.0.1", number=None)
    net.switch("s1", controllers=["c0"])
    net.controller("c0")
    net.link("r1", end("core", "10.9.0.2/24", mtu_bytes=9000), both=Shape(rate_mbit=10))
    net.link("core", "h3", a_to_b=Shape(delay_ms=5), id="access")
    net.flow("f", "r1", "h3", size_bytes=1000)
    assert net.topology == Topology(
        title="two routers",
        nodes=(
            Router(name="r1", number=1, x=10, y=20, ospf=Ospf(hello_s=1)),
            Router(name="core", loopbacks=(ip_interface("10.0.0.1/32"),)),
            Host(name="h3", default_route=ip_address("10.1.0.1")),
            Switch(name="s1", number=1, controllers=("c0",)),
            Controller(name="c0", number=0),
        ),
        links=(
            Link(
                id="l1",
                a=End(node="r1"),
                b=End(node="core", addresses=(ip_interface("10.9.0.2/24"),), mtu_bytes=9000),
                a_to_b=Shape(rate_mbit=10),
                b_to_a=Shape(rate_mbit=10),
            ),
            Link(id="access", a=End(node="core"), b=End(node="h3"), a_to_b=Shape(delay_ms=5)),
        ),
        flows=(Flow(id="f", source="r1", destination="h3", duration_s=None, size_bytes=1000),),
    )


@pytest.mark.parametrize(
    ("say", "told"),
    [
        (lambda net: net.host("h1", default_route="10.0.0"), "h1.default_route"),
        (lambda net: net.router("r1", osfp=None), "r1.osfp"),
        (lambda net: net.link("a", end("b", "10.0.0.1/99")), "b.addresses.0"),
        (lambda net: net.link("a", "b", mtu=3), "l1.mtu"),
        (lambda net: net.flow("f", "a", "b", duration_s=10, size_bytes=10), "set either duration_s or size_bytes"),
    ],
)
def test_an_invalid_value_names_its_object(say: object, told: str) -> None:
    net = Network()
    with pytest.raises(TopologyError, match=told):
        say(net)  # type: ignore[operator]
    assert net.topology == Topology()
