"""Routes through addresses of neighbors that are gone, without a lab."""

from __future__ import annotations

import json

from frrlib.addressing.addressing import addressed
from frrlib.addressing.resolved import resolved
from frrlib.agent.changes.old_next_hops import lost_routes, removed_addresses, rip_interfaces
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


def test_rip_starts_again_only_at_interfaces_of_routes_through_such_addresses() -> None:
    routes = {
        "10.1.0.0/24": [{"protocol": "rip", "nexthops": [{"ip": "10.9.0.2", "interfaceName": "r1-eth0"}]}],
        "10.2.0.0/24": [{"protocol": "rip", "nexthops": [
            {"ip": "10.8.0.2", "interfaceName": "r1-eth1"}, {"ip": "10.9.0.2", "interfaceName": "r1-eth0"},
        ]}],
        "10.4.0.0/24": [{"protocol": "ospf", "nexthops": [{"ip": "10.9.0.2", "interfaceName": "r1-eth2"}]}],
        "10.3.0.0/24": [{"protocol": "rip", "nexthops": [{"blackhole": True}]}],
    }  # fmt: skip
    text = json.dumps(routes)
    assert rip_interfaces(text, {"10.9.0.2"}) == ["r1-eth0"]
    assert rip_interfaces(text, {"10.8.0.2", "10.9.0.2"}) == ["r1-eth0", "r1-eth1"]
    assert rip_interfaces(text, {"10.7.0.2"}) == rip_interfaces("% no VRF", {"10.9.0.2"}) == []


def test_kernel_routes_through_such_addresses_are_lost_if_zebra_has_not_installed_them() -> None:
    kernel = json.dumps([
        {"dst": "10.1.0.0/24", "gateway": "10.9.0.2", "dev": "r1-eth0", "protocol": "ospf", "metric": 20},
        {"dst": "10.255.0.2", "gateway": "10.9.0.2", "dev": "r1-eth0", "protocol": "isis", "metric": 20},
        {"dst": "10.2.0.0/24", "protocol": "189", "metric": 20, "nexthops": [
            {"gateway": "10.8.0.2", "dev": "r1-eth1"}, {"gateway": "10.9.0.2", "dev": "r1-eth0"},
        ]},
        {"dst": "10.3.0.0/24", "gateway": "10.8.0.2", "dev": "r1-eth1", "protocol": "ospf", "metric": 20},
        {"dst": "10.9.0.0/24", "dev": "r1-eth0", "protocol": "kernel", "prefsrc": "10.9.0.1"},
        {"dst": "default", "gateway": "10.9.0.2", "dev": "r1-eth0", "protocol": "boot"},
    ])  # fmt: skip
    zebra = json.dumps({
        "10.1.0.0/24": [{"prefix": "10.1.0.0/24", "protocol": "rip"}],
        "10.255.0.2/32": [
            {"prefix": "10.255.0.2/32", "protocol": "ospf"},
            {"prefix": "10.255.0.2/32", "protocol": "isis", "installed": True},
        ],
    })  # fmt: skip
    ospf = ("10.1.0.0/24", "proto", "ospf", "metric", "20")
    assert lost_routes(kernel, zebra, {"10.9.0.2"}) == [ospf, ("10.2.0.0/24", "proto", "189", "metric", "20")]
    assert lost_routes(kernel, "% Unknown command.", {"10.9.0.2"}) == lost_routes(kernel, zebra, {"10.7.0.2"}) == []
