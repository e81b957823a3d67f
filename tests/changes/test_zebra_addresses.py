"""Addresses of new interfaces that zebra misses, with a zebra that loses announcements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from frrlib.agent.changes.zebra_addresses import Interface, listed_addresses, make_known

SHOWN = """Interface r1-eth1 is up, line protocol is up
  Link ups:       1    last: 2026/11/28 20:00:00.00
  vrf: default
  index 101 metric 0 mtu 1500 speed 10000
  flags: <UP,BROADCAST,RUNNING,MULTICAST>
  HWaddr: 52:f4:10:3f:6d:8e
  inet 10.9.0.1/30
  inet 10.8.0.1/24 secondary
  inet6 fd00::1/64
  inet6 fe80::50f4:10ff:fe3f:6d8e/64
  Interface Type Other
"""


@dataclass
class LossyRouter:
    """A router whose zebra hears an announcement of its kernel after a number of lost ones."""

    lost: int
    runs: bool = True
    name: str = "r1"
    announced: list[str] = field(default_factory=list)
    listed: list[str] = field(default_factory=list)

    @property
    def frr(self) -> LossyRouter:
        return self

    def running(self) -> tuple[str, ...]:
        return ("zebra", "staticd") if self.runs else ("staticd",)

    def ask(self, daemon: str, command: str) -> str:
        assert (daemon, command) == ("zebra", "show interface r1-eth1")
        return "Interface r1-eth1 is up\n" + "".join(f"  inet6 {address}\n" for address in self.listed)

    def announce_addresses(self, index: int, name: str, addresses: Sequence[str]) -> None:
        assert (index, name) == (101, "r1-eth1")
        self.announced += addresses
        if self.lost:
            self.lost -= 1
        else:
            self.listed += addresses


@dataclass
class LinkEnd:
    node: LossyRouter
    addresses: Sequence[str] = ("10.9.0.1/30", "fd00::1/64")
    name: str = "r1-eth1"
    index: int = 101
    up: bool = True


def known(end: LinkEnd) -> list[str]:
    return make_known([cast("Interface", end)])


def test_addresses_in_the_reply_of_zebra() -> None:
    assert listed_addresses(SHOWN) == {"10.9.0.1/30", "10.8.0.1/24", "fd00::1/64", "fe80::50f4:10ff:fe3f:6d8e/64"}
    assert listed_addresses("% Can't find interface r1-eth1\n") == set()


def test_missed_addresses_are_announced_until_zebra_lists_them() -> None:
    router = LossyRouter(lost=2)
    assert known(LinkEnd(router)) == []
    assert router.announced == ["10.9.0.1/30", "fd00::1/64"] * 3


def test_only_missed_addresses_are_announced() -> None:
    router = LossyRouter(lost=0, listed=["fd00::1/64"])
    assert known(LinkEnd(router)) == [] and router.announced == ["10.9.0.1/30"]
    assert known(LinkEnd(router)) == [] and router.announced == ["10.9.0.1/30"]


def test_ipv6_addresses_of_an_interface_that_is_down_are_not_expected() -> None:
    router = LossyRouter(lost=0, listed=["10.9.0.1/30"])
    assert known(LinkEnd(router, up=False)) == [] and router.announced == []


def test_a_zebra_that_does_not_run_is_not_waited_for() -> None:
    router = LossyRouter(lost=0, runs=False)
    assert known(LinkEnd(router)) == [] and router.announced == []


def test_addresses_that_stay_missing_are_a_warning() -> None:
    assert known(LinkEnd(LossyRouter(lost=1000))) == ["r1: zebra does not list 10.9.0.1/30, fd00::1/64 at r1-eth1"]
