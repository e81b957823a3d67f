"""Observations, from replies as `ip`, vtysh and FRR give them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from frrlib import wire
from frrlib.conf.running import RunningConfig
from frrlib.errors import CommandFailed
from frrlib.exercises import checks
from frrlib.exercises.observation import observe
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Router
from frrlib.model.topology import Topology

NETWORK = Topology(
    nodes=(Host(name="h1"), Router(name="r1"), Router(name="r2")),
    links=(
        Link(id="l1", a=End(node="h1", interface="h1-eth0"), b=End(node="r1", interface="r1-eth0")),
        Link(id="l2", a=End(node="r1", interface="r1-eth1"), b=End(node="r2", interface="r2-eth0")),
    ),
)
CONFIG = """hostname r1
!
router bgp 65001
 neighbor 10.9.0.2 remote-as 65002
 !
 address-family ipv4 unicast
  network 10.0.0.0/16
 exit-address-family
exit
"""
#: Replies of iproute2 6.1 and FRR 8.4, shortened.
STATIC = (
    '[{"dst":"10.1.0.0/16","nhid":20,"gateway":"10.9.0.2","dev":"r1-eth1","protocol":"196","metric":20,"flags":[]}]'
)
TWO_HOPS = (
    '[{"dst":"10.1.0.0/16","protocol":"bgp","metric":20,"flags":[],"nexthops":['
    '{"gateway":"10.9.0.2","dev":"r1-eth1","weight":1,"flags":[]},'
    '{"gateway":"10.9.1.2","dev":"r1-eth2","weight":1,"flags":[]}]}]'
)
ADDRESSES = (
    '[{"ifname":"lo","addr_info":[{"family":"inet","local":"127.0.0.1","prefixlen":8,"scope":"host"}]},'
    '{"ifname":"r1-eth0","addr_info":[{"family":"inet","local":"10.0.0.1","prefixlen":16,"scope":"global"},'
    '{"family":"inet6","local":"fe80::1","prefixlen":64,"scope":"link"}]},'
    '{"ifname":"r1-eth1","addr_info":[{"family":"inet","local":"10.9.0.1","prefixlen":30,"scope":"global"}]}]'
)
BEST = {
    "paths": [
        {"aspath": {"string": "65009 65002"}, "valid": True},
        {"aspath": {"string": "65002"}, "valid": True, "bestpath": {"overall": True}, "metric": 5, "locPrf": 200},
    ]
}


class Node:
    """A node with fixed replies."""

    def __init__(self, output: str, reply: Mapping[str, Any]) -> None:
        self._output, self._reply = output, reply

    def run(self, *argv: str) -> str:
        if self._output == "fails":
            raise CommandFailed(argv, 1, "no such command")
        return self._output

    def vtysh(self, *commands: str, json: bool = False) -> Any:
        return self._reply

    def running_config(self) -> RunningConfig:
        return RunningConfig("r1", "", CONFIG)


class RepliesOnly:
    """A lab whose nodes have fixed replies."""

    topology = NETWORK

    def __init__(self, output: str = "", reply: Mapping[str, Any] | None = None, neighbors: tuple[str, ...] = ()):
        self._node = Node(output, reply or {})
        self._events = [
            wire.AdjacencyEvent("r1", "bgp", "r2", state, state == "Established", 1.0) for state in neighbors
        ]

    def __getitem__(self, name: str) -> Node:
        return self._node

    def adjacencies(self, *routers: str) -> list[wire.AdjacencyEvent]:
        return self._events


def observed(lab: RepliesOnly, kind: type[checks.CheckBase], name: str, **fields: Any) -> tuple[bool, str]:
    """Whether a check holds, and what is seen."""
    check = kind.model_validate({"kind": name, "id": "c", "title": "c", "node": "r1", **fields})
    result = observe(lab, check)  # type: ignore[arg-type]
    return result.holds, result.seen


@pytest.mark.parametrize(
    ("output", "fields", "holds", "seen"),
    [
        (STATIC, {}, True, "by static, next hop 10.9.0.2"),
        (STATIC, {"next_hop": "10.9.0.2", "protocol": "static"}, True, "next hop 10.9.0.2"),
        (STATIC, {"next_hop": "10.9.0.9"}, False, "next hop 10.9.0.2"),
        (STATIC, {"protocol": "bgp"}, False, "by static"),
        (STATIC, {"present": False}, False, "by static"),
        (TWO_HOPS, {"next_hop": "10.9.1.2", "protocol": "bgp"}, True, "10.9.0.2, 10.9.1.2"),
        ("[]", {}, False, "r1 has no route to 10.1.0.0/16"),
        ("", {"present": False}, True, "r1 has no route to 10.1.0.0/16"),
        ("fails", {"present": False}, False, "no such command"),
        ("no JSON", {}, False, "Expecting value"),
    ],
)
def test_routes(output: str, fields: dict[str, object], holds: bool, seen: str) -> None:
    result = observed(RepliesOnly(output), checks.Route, "route", prefix="10.1.0.0/16", **fields)
    assert result[0] == holds
    assert seen in result[1]


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ({"as_path": "65002"}, True),
        ({"as_path": "65009 65002"}, False),
        ({"as_path": ""}, False),
        ({"local_preference": "200", "metric": "5"}, True),
        ({"local_preference": "100"}, False),
    ],
)
def test_attributes_are_those_of_the_best_path(fields: dict[str, str], holds: bool) -> None:
    lab = RepliesOnly(TWO_HOPS, json.loads(json.dumps(BEST)))
    assert observed(lab, checks.Route, "route", prefix="10.1.0.0/16", **fields)[0] == holds
    assert not observed(RepliesOnly(TWO_HOPS), checks.Route, "route", prefix="10.1.0.0/16", **fields)[0]


@pytest.mark.parametrize(
    ("section", "line", "found"),
    [
        (["router bgp 65001"], "neighbor 10.9.0.2  remote-as 65002", True),
        (["router bgp 65001", "address-family ipv4 unicast"], "network 10.0.0.0/16", True),
        (["router bgp 65001"], "network 10.0.0.0/16", False),
        (["router bgp 65002"], "neighbor 10.9.0.2 remote-as 65002", False),
        ([], "hostname r1", True),
        ([], "hostname r", False),
    ],
)
def test_lines_of_a_configuration(section: list[str], line: str, found: bool) -> None:
    for present in (True, False):
        holds, _ = observed(RepliesOnly(), checks.Configuration, "configuration", section=section, line=line,
                            present=present)  # fmt: skip
        assert holds == (found == present)


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ({"address": "10.0.0.1/16", "towards": "h1"}, True),
        ({"address": "10.0.0.1/16"}, True),
        ({"address": "10.0.0.1/24"}, False),
        ({"address": "10.0.0.1/16", "towards": "r2"}, False),
        ({"address": "127.0.0.1/8"}, False),
    ],
)
def test_addresses_of_interfaces(fields: dict[str, str], holds: bool) -> None:
    assert observed(RepliesOnly(ADDRESSES), checks.InterfaceAddress, "address", **fields)[0] == holds


def test_an_absence_is_told_from_a_wrong_route_and_from_an_error() -> None:
    def is_missing(lab: RepliesOnly, name: str, **fields: Any) -> bool:
        kind = checks.Route if name == "route" else checks.Neighbor
        check = kind.model_validate({"kind": name, "id": "c", "title": "c", "node": "r1", **fields})
        return observe(lab, check).is_missing  # type: ignore[arg-type]

    route = {"name": "route", "prefix": "10.1.0.0/16"}
    assert is_missing(RepliesOnly("[]"), **route)
    for output, fields in (("[]", {"present": False}), (STATIC, {"next_hop": "10.9.0.9"}), ("fails", {})):
        assert not is_missing(RepliesOnly(output), **route, **fields), (output, fields)
    neighbor = {"name": "neighbor", "neighbor": "r2", "protocol": "bgp"}
    assert is_missing(RepliesOnly(), **neighbor) and is_missing(RepliesOnly(neighbors=("Active",)), **neighbor)
    assert not is_missing(RepliesOnly(neighbors=("Established",)), **neighbor)
    assert not is_missing(RepliesOnly(neighbors=("Established",)), **neighbor, up=False)
    assert not is_missing(RepliesOnly(), **neighbor, up=False)


@pytest.mark.parametrize(
    ("states", "up", "holds", "seen"),
    [
        (("Established",), True, True, "in state Established"),
        (("Active",), True, False, "in state Active"),
        ((), True, False, "r1 has no BGP neighbor r2"),
        ((), False, True, "r1 has no BGP neighbor r2"),
        (("Established",), False, False, "in state Established"),
    ],
)
def test_neighbors(states: tuple[str, ...], up: bool, holds: bool, seen: str) -> None:
    lab = RepliesOnly(neighbors=states)
    result = observed(lab, checks.Neighbor, "neighbor", neighbor="r2", protocol="bgp", up=up)
    assert result[0] == holds
    assert seen in result[1]
