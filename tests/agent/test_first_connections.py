"""The rule that keeps a router's bgpd from connecting: its requests for each router, and their times."""

from __future__ import annotations

import socket
import struct
from types import SimpleNamespace
from typing import Any, cast

from frrlib.agent.frr import first_connections
from frrlib.agent.frr.first_connections import FirstConnections
from frrlib.agent.network.netlink import Message, attributes
from frrlib.agent.network.nodes import FrrRouter
from tests.waiting import wait_for

ADDED, DELETED, PROHIBIT = 32, 33, 8


def router(*callers: str) -> tuple[FrrRouter, list[Message]]:
    """A router whose peers with these addresses connect first, and the requests to its kernel."""
    requests: list[Message] = []
    netlink = SimpleNamespace(apply=requests.extend)
    return cast(
        Any, SimpleNamespace(netlink=netlink, frr=SimpleNamespace(plan=SimpleNamespace(callers=callers)))
    ), requests


def to(message: Message) -> tuple[int, str, int, int, tuple[int, int]]:
    """A request to add or delete a rule, as (which, address, action, protocol, ports)."""
    family, length, *_, action = struct.unpack_from("=8B", message.body)
    values = attributes(message.body[12:])
    address = socket.inet_ntop(family, values[1])
    assert length == len(values[1]) * 8
    return message.type, address, action, values[22][0], struct.unpack("=HH", values[24])


def test_only_connections_to_peers_that_connect_first_are_refused() -> None:
    (first, requests), (second, nothing) = router("10.9.0.2", "fd00::2"), router()
    FirstConnections([first, second]).refuse_calls()
    assert [to(request) for request in requests] == [
        (ADDED, address, PROHIBIT, socket.IPPROTO_TCP, (179, 179)) for address in ("10.9.0.2", "fd00::2")
    ]
    assert nothing == []


def test_each_rule_is_removed(monkeypatch: Any) -> None:
    monkeypatch.setattr(first_connections, "HELD_S", 0.0)
    first, requests = router("10.9.0.2")
    calls = FirstConnections([first])
    calls.refuse_calls()
    calls.allow_calls_soon()
    wait_for(lambda: len(requests) == 2, "the rule's end")
    assert [to(request)[0] for request in requests] == [ADDED, DELETED]
    assert to(requests[0])[1:] == to(requests[1])[1:]


def test_no_rule_is_removed_after_the_labs_end() -> None:
    first, requests = router("10.9.0.2")
    calls = FirstConnections([first])
    calls.refuse_calls()
    calls.allow_calls_soon()
    calls.end()
    calls._timer.join()
    assert len(requests) == 1
