"""RIP: version 2 for IPv4 (RFC 2453), RIPng for IPv6 (RFC 2080)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from frrlib.model.base import Value
from frrlib.model.protocols.common import InterfaceSettings, Key, Redistribution, Seconds, settings_at

#: Largest valid metric; 16 means unreachable.
FARTHEST = 15


class RipInterface(InterfaceSettings):
    """Settings of one interface.

    Attributes:
        interface: its name.
        passive: whether it is announced without sending updates.
        split_horizon: whether routes are announced to the interface that they were learned from: "on" never, "poison"
            as unreachable, "off" yes.
        key: authentication key of packets (RIP only); empty for none.
        key_id: 0 for a plain password, else MD5 with that key number.
    """

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
        """The settings of an interface; an unlisted one has the defaults."""
        return settings_at(interface, self.interfaces, RipInterface)


#: FRR's minimum for timers of RIP; those of RIPng may be shorter.
RipSeconds = Annotated[int, Field(ge=5, le=65_535)]


class Rip(_RipRouter):
    """RIP version 2 on a router, on all its interfaces with IPv4.

    Attributes:
        interfaces: settings of single interfaces. Interfaces without another router are always passive.
        update_s: time between two announcements of all routes; changes are announced at once.
        timeout_s: a route expires after this time without an update. It is then announced as unreachable for the time
            `garbage_s`.
        redistribute: routes of other sources that it announces.
        default_originate: whether it announces a default route.
    """

    update_s: RipSeconds = 30
    timeout_s: RipSeconds = 180
    garbage_s: RipSeconds = 120


class Ripng(_RipRouter):
    """RIPng on a router, on all its interfaces with IPv6. Attributes are those of `Rip`; there are no keys."""
