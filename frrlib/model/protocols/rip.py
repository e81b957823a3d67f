"""RIP: version 2 for IPv4 (RFC 2453), RIPng for IPv6 (RFC 2080)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from frrlib.model.base import Value
from frrlib.model.protocols.common import InterfaceName, Key, Redistribution, Seconds

#: A metric of 16 means that there is no way.
FARTHEST = 15


class RipInterface(Value):
    """Settings that differ at one interface.

    Attributes:
        interface: its name.
        passive: whether it is announced and sends nothing.
        split_horizon: whether routes go back where they came from: "on" never, "poison" as unreachable, "off" yes.
        key: authenticates packets (RIP only); empty for none.
        key_id: 0 for a plain password, else MD5 with that key number.
    """

    interface: InterfaceName
    passive: bool = False
    split_horizon: Literal["on", "poison", "off"] = "on"
    key: Annotated[Key, Field(max_length=16)] = ""
    key_id: Annotated[int, Field(ge=0, le=255)] = 0


class _RipRouter(Value):
    """Settings of both versions."""

    interfaces: tuple[RipInterface, ...] = ()
    update_s: Seconds = 30
    timeout_s: Seconds = 180
    garbage_s: Seconds = 120
    redistribute: tuple[Redistribution, ...] = ()
    default_originate: bool = False

    def at(self, interface: str) -> RipInterface:
        """The settings of an interface; those of one that is not listed are the defaults."""
        found = next((each for each in self.interfaces if each.interface == interface), None)
        return found or RipInterface(interface=interface)


#: FRR takes no shorter timers of RIP; those of RIPng it does.
RipSeconds = Annotated[int, Field(ge=5, le=65_535)]


class Rip(_RipRouter):
    """RIP version 2 on a router, on all its interfaces with IPv4.

    Attributes:
        interfaces: what differs at single interfaces. Those without another router are passive anyway.
        update_s: between two announcements of all routes; changes are told at once.
        timeout_s: a route is gone when it was not heard of for so long; so much longer it is still told as gone
            (`garbage_s`).
        redistribute: routes of other sources that it announces.
        default_originate: whether it announces a default route.
    """

    update_s: RipSeconds = 30
    timeout_s: RipSeconds = 180
    garbage_s: RipSeconds = 120


class Ripng(_RipRouter):
    """RIPng on a router, on all its interfaces with IPv6. Attributes are those of `Rip`; there are no keys."""
