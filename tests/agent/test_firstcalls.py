"""The rule by which a router's kernel keeps its bgpd from calling: what is asked of which router, and when."""

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
    """A router that is called from these addresses, and what its kernel is asked for."""
    asked: list[Message] = []
    netlink = SimpleNamespace(apply=asked.extend)
    return cast(
        Any, SimpleNamespace(netlink=netlink, frr=SimpleNamespace(plan=SimpleNamespace(callers=callers)))
    ), asked


def to(message: Message) -> tuple[int, str, int, int, tuple[int, int]]:
    """A request to add or delete a rule, as (which, address, action, protocol, ports)."""
    family, length, *_, action = struct.unpack_from("=8B", message.body)
    found = attributes(message.body[12:])
    address = socket.inet_ntop(family, found[1])
    assert length == len(found[1]) * 8
    return message.type, address, action, found[22][0], struct.unpack("=HH", found[24])


def test_only_calls_to_those_who_call_are_refused() -> None:
    (first, asked), (second, nothing) = router("10.9.0.2", "fd00::2"), router()
    FirstConnections([first, second]).refuse_calls()
    assert [to(each) for each in asked] == [
        (ADDED, address, PROHIBIT, socket.IPPROTO_TCP, (179, 179)) for address in ("10.9.0.2", "fd00::2")
    ]
    assert nothing == []


def test_each_rule_is_taken_back(monkeypatch: Any) -> None:
    monkeypatch.setattr(first_connections, "HELD_S", 0.0)
    first, asked = router("10.9.0.2")
    calls = FirstConnections([first])
    calls.refuse_calls()
    calls.allow_calls_soon()
    wait_for(lambda: len(asked) == 2, "the rule's end")
    assert [to(each)[0] for each in asked] == [ADDED, DELETED]
    assert to(asked[0])[1:] == to(asked[1])[1:]


def test_a_lab_that_ends_is_asked_for_nothing_more() -> None:
    first, asked = router("10.9.0.2")
    calls = FirstConnections([first])
    calls.refuse_calls()
    calls.allow_calls_soon()
    calls.end()
    calls._timer.join()
    assert len(asked) == 1
