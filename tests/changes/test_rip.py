"""Interfaces at which RIP starts again because addresses of neighbors are gone, without a lab."""

from __future__ import annotations

import json

from frrlib.addressing.addressing import addressed
from frrlib.addressing.resolved import resolved
from frrlib.agent.changes.rip import interfaces_towards, removed_addresses
from frrlib.network.network import Network, end
from frrlib.render.plan import plan
from frrlib.wire.plan import Plan


def plan_of(address: str) -> Plan:
    net = Network("pair")
    net.router("r1")
    net.router("r2")
    net.link(end("r1", "10.9.0.1/24"), end("r2", address), id="a")
    return plan(resolved(addressed(net.topology)))


def test_addresses_that_no_interface_has_any_more_are_gone() -> None:
    before, after = plan_of("10.9.0.2/24"), plan_of("10.9.0.7/24")
    assert removed_addresses(before, after) == {"10.9.0.2"}
    assert removed_addresses(after, before) == {"10.9.0.7"}
    assert removed_addresses(before, before) == set()
    # Another prefix length leaves the neighbor where it is.
    assert removed_addresses(before, plan_of("10.9.0.2/25")) == set()


def test_only_interfaces_of_routes_through_such_addresses_start_again() -> None:
    routes = {
        "10.1.0.0/24": [{"protocol": "rip", "nexthops": [{"ip": "10.9.0.2", "interfaceName": "r1-eth0"}]}],
        "10.2.0.0/24": [{"protocol": "rip", "nexthops": [
            {"ip": "10.8.0.2", "interfaceName": "r1-eth1"}, {"ip": "10.9.0.2", "interfaceName": "r1-eth0"},
        ]}],
        "10.3.0.0/24": [{"protocol": "rip", "nexthops": [{"blackhole": True}]}],
    }  # fmt: skip
    text = json.dumps(routes)
    assert interfaces_towards(text, {"10.9.0.2"}) == ["r1-eth0"]
    assert interfaces_towards(text, {"10.8.0.2", "10.9.0.2"}) == ["r1-eth0", "r1-eth1"]
    assert interfaces_towards(text, {"10.7.0.2"}) == interfaces_towards("% no VRF", {"10.9.0.2"}) == []
