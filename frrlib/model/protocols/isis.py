"""IS-IS for IPv4 and IPv6 (ISO 10589, RFC 1195, RFC 5308)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from frrlib.model.base import Value
from frrlib.model.protocols.common import InterfaceSettings, Key, Redistribution, settings_at

#: FRR's default for the largest link state, and the size of the header in front of each packet on Ethernet.
LSP_MTU_BYTES, LLC_BYTES = 1497, 3
Level = Literal["1", "2", "1-2"]
HelloSeconds = Annotated[int, Field(ge=1, le=600)]
HelloMultiplier = Annotated[int, Field(ge=2, le=100)]


class IsisInterface(InterfaceSettings):
    """Settings of one interface that differ from the router's.

    Attributes:
        interface: its name.
        level: level; None for the router's.
        metric: metric of the interface, 1 to 16777215; None for FRR's default, 10.
        passive: whether it is announced without forming adjacencies.
        network_type: "auto" for point-to-point if the link joins two routers only.
        hello_s, hello_multiplier: hello timers; None for the router's.
        key: MD5 password of hellos; empty for none.
        bfd: whether BFD monitors its neighbors; None for the router's setting.
    """

    level: Level | None = None
    metric: Annotated[int, Field(ge=1, le=16_777_215)] | None = None
    passive: bool = False
    network_type: Literal["auto", "point-to-point", "broadcast"] = "auto"
    hello_s: HelloSeconds | None = None
    hello_multiplier: HelloMultiplier | None = None
    key: Key = ""
    bfd: bool | None = None


class Isis(Value):
    """IS-IS on a router.

    Attributes:
        area: first part of its network entity title, such as "49.0001".
        system_id: the next part, three groups of four hexadecimal digits ("0000.0000.0001"); empty to derive it from
            the router ID, as is customary.
        level: "1" within the area, "2" between areas, "1-2" both.
        interfaces: settings of single interfaces. Interfaces without another router are always passive.
        point_to_point: whether links between two routers are point-to-point, without a designated router.
        hello_s, hello_multiplier: time between hellos, and number of missed hellos after which a neighbor is down.
        ipv4, ipv6: address families that it routes.
        lab_timers: whether the router reacts at once: it computes shortest paths after milliseconds and sends link
            states without delay. FRR's default timers (False) wait for seconds.
        redistribute: routes of other sources that it announces.
        default_originate: whether it announces a default route.
        key: MD5 password of link states (area and domain); empty for none.
        overload: whether it sets the overload bit, so that other routers avoid transit through it.
        bfd: whether BFD monitors its neighbors.
        lsp_mtu_bytes: size of the largest link state, 128 to 4352; None for FRR's default, 1497. Every interface needs
            an MTU of three bytes more.
    """

    area: Annotated[str, Field(pattern=r"^[0-9a-fA-F]{2}(\.[0-9a-fA-F]{4}){0,6}$")] = "49.0001"
    system_id: Annotated[str, Field(pattern=r"^$|^[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4}){2}$")] = ""
    level: Level = "2"
    interfaces: tuple[IsisInterface, ...] = ()
    point_to_point: bool = True
    hello_s: HelloSeconds = 3
    hello_multiplier: HelloMultiplier = 10
    ipv4: bool = True
    ipv6: bool = True
    lab_timers: bool = True
    redistribute: tuple[Redistribution, ...] = ()
    default_originate: bool = False
    key: Key = ""
    overload: bool = False
    bfd: bool = False
    lsp_mtu_bytes: Annotated[int, Field(ge=128, le=4352)] | None = None

    @property
    def least_mtu_bytes(self) -> int:
        """The MTU that an interface needs to carry the largest link state."""
        return (self.lsp_mtu_bytes or LSP_MTU_BYTES) + LLC_BYTES

    def at(self, interface: str) -> IsisInterface:
        """The settings of an interface; an unlisted one has the router's."""
        return settings_at(interface, self.interfaces, IsisInterface)
