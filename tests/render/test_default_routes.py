"""Default routes of hosts in the plan, of both IP versions."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.network.network import Network, end
from frrlib.render.plan import plan


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (None, {"0.0.0.0/0": "10.1.0.1", "::/0": "2001:db8:1::1"}),
        ("10.1.0.2", {"0.0.0.0/0": "10.1.0.2", "::/0": "2001:db8:1::1"}),
        ("2001:db8:1::2", {"0.0.0.0/0": "10.1.0.1", "::/0": "2001:db8:1::2"}),
    ],
)
def test_a_host_with_both_families_has_a_default_route_of_each(stated: str | None, expected: dict[str, str]) -> None:
    net = Network("Dual stack")
    net.host("h1", default_route=ip_address(stated) if stated else None)
    net.router("r1")
    net.link(end("h1", "10.1.0.10/24", "2001:db8:1::10/64"), end("r1", "10.1.0.1/24", "2001:db8:1::1/64"))
    (host,) = (node for node in plan(addressed(net.topology)).nodes if node.name == "h1")
    assert {route.prefix: route.via for route in host.routes} == expected


def test_a_host_without_addresses_of_a_family_has_no_default_route_of_it() -> None:
    net = Network("IPv4")
    net.host("h1")
    net.router("r1")
    net.link(end("h1", "10.1.0.10/24"), end("r1", "10.1.0.1/24", "2001:db8:1::1/64"))
    (host,) = (node for node in plan(addressed(net.topology)).nodes if node.name == "h1")
    assert [route.prefix for route in host.routes] == ["0.0.0.0/0"]
