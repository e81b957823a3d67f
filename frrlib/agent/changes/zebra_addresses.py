"""Addresses of new interfaces that zebra has missed."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Protocol

from frrlib.agent.network.nodes import FrrRouter
from frrlib.errors import CommandFailed

#: Pause before an address is announced again, and the number of announcements before a warning.
_PAUSE_S = 0.05
_ANNOUNCEMENTS = 60


class Interface(Protocol):
    """An interface to a link, as far as this module needs it."""

    node: FrrRouter
    name: str
    index: int
    addresses: Sequence[str]
    up: bool


def make_known(interfaces: Iterable[Interface]) -> list[str]:
    """Announce the addresses of new interfaces of running routers until zebra lists them. Returns warnings.

    The kernel announces interfaces and their addresses to zebra. In FRR 8.4, two threads of zebra handle these
    messages. If the one about an address is handled before zebra has the interface, zebra drops it. The router then has
    no route to the network of that interface, and its protocols do not start there. An address that is set again with
    the same values is announced again.
    """
    warnings: list[str] = []
    waiting = list(interfaces)
    for announcement in range(_ANNOUNCEMENTS):
        missing = {interface.name: _missing(interface) for interface in waiting}
        waiting = [interface for interface in waiting if missing[interface.name]]
        if not waiting:
            break
        if announcement:  # the first time, zebra may not have had the time for the kernel's own announcement
            for interface in waiting:
                interface.node.announce_addresses(interface.index, interface.name, missing[interface.name])
        time.sleep(_PAUSE_S)
    for interface in waiting:
        addresses = ", ".join(missing[interface.name])
        warnings.append(f"{interface.node.name}: zebra does not list {addresses} at {interface.name}")
    return warnings


def _missing(interface: Interface) -> list[str]:
    """The addresses that zebra does not list. All are listed if zebra does not run or does not reply."""
    router = interface.node
    if "zebra" not in router.frr.running():
        return []
    try:
        listed = listed_addresses(router.frr.ask("zebra", f"show interface {interface.name}"))
    except (OSError, CommandFailed):
        return []
    # The kernel announces an IPv6 address only when its interface comes up.
    announced = [address for address in interface.addresses if interface.up or ":" not in address]
    return [address for address in announced if address not in listed]


def listed_addresses(text: str) -> set[str]:
    """The addresses with prefix lengths in zebra's reply to "show interface NAME"."""
    lines = [line.split() for line in text.splitlines()]
    return {words[1] for words in lines if len(words) > 1 and words[0] in ("inet", "inet6")}
