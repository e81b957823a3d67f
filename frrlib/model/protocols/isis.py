"""IS-IS for IPv4 and IPv6 (ISO 10589, RFC 1195, RFC 5308)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from frrlib.model.base import Value
from frrlib.model.protocols.common import InterfaceName, Key, Redistribution

Level = Literal["1", "2", "1-2"]
HelloSeconds = Annotated[int, Field(ge=1, le=600)]
HelloMultiplier = Annotated[int, Field(ge=2, le=100)]


class IsisInterface(Value):
    """Settings at one interface that differ from the router's own.

    Attributes:
        interface: its name.
        level: None for the router's.
        metric: of the way out by it, 1 to 16777215; None for FRR's own, 10.
        passive: whether it is announced and forms no adjacency.
        network_type: "auto" for point-to-point where the link joins two routers only.
        hello_s, hello_multiplier: None for the router's.
        key: a password by MD5 in hellos; empty for none.
        bfd: None for the router's.
    """

    interface: InterfaceName
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
        system_id: the next part, three groups of four hexadecimal digits ("0000.0000.0001"); empty for one that is
            made from the router id, as is the custom.
        level: "1" within the area, "2" between areas, "1-2" both.
        interfaces: what differs at single interfaces. Those without another router are passive anyway.
        point_to_point: whether links that join two routers only elect no designated one.
        hello_s, hello_multiplier: hellos are sent so often, and a neighbour is gone after so many missed ones.
        ipv4, ipv6: which addresses it routes.
        lab_timers: whether the router reacts at once: shortest paths after milliseconds, link states sent without a
            pause. FRR's own timers (False) wait seconds.
        redistribute: routes of other sources that it announces.
        default_originate: whether it announces a default route.
        key: a password by MD5 in link states (area and domain); empty for none.
        overload: whether others are asked not to go through it.
        bfd: whether BFD watches its neighbours.
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

    def at(self, interface: str) -> IsisInterface:
        """The settings of an interface; those of one that is not listed are all the router's."""
        found = next((each for each in self.interfaces if each.interface == interface), None)
        return found or IsisInterface(interface=interface)
