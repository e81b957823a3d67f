"""OSPF: version 2 for IPv4 (RFC 2328), version 3 for IPv6 (RFC 5340)."""

from __future__ import annotations

import re
from ipaddress import IPv4Address
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from frrlib.model.base import Short, Value
from frrlib.model.protocols.common import InterfaceName, Key, Network, Redistribution, Seconds


def area_number(area: str) -> int | None:
    """An area, written as a number or dotted, as a number; None for what is neither."""
    if re.fullmatch(r"[0-9]{1,10}", area):
        return int(area) if int(area) < 2**32 else None
    try:
        return int(IPv4Address(area))
    except ValueError:
        return None


class OspfInterface(Value):
    """Settings at one interface that differ from the router's own. Its cost stands at the link's end (`ospf_cost`).

    Attributes:
        interface: its name; "lo" for the loopbacks.
        area: its area; empty for the router's.
        passive: whether it is announced and forms no adjacency.
        network_type: "auto" for point-to-point or broadcast, as `Ospf.point_to_point` and the link have it.
        hello_s, dead_s: None for the router's.
        priority: in the election of a designated router, 0 for never; None for FRR's own, 1.
        key: authenticates packets (OSPFv2 only); empty for none.
        key_id: 1 to 255 for MD5 with that key number, 0 for a plain password.
        bfd: whether BFD watches its neighbours; None for the router's.
    """

    interface: InterfaceName
    area: Short = ""
    passive: bool = False
    network_type: Literal["auto", "point-to-point", "broadcast", "point-to-multipoint", "non-broadcast"] = "auto"
    hello_s: Seconds | None = None
    dead_s: Seconds | None = None
    priority: Annotated[int, Field(ge=0, le=255)] | None = None
    key: Annotated[Key, Field(max_length=16)] = ""
    key_id: Annotated[int, Field(ge=0, le=255)] = 0
    bfd: bool | None = None


class OspfArea(Value):
    """An area that is more than a number, as its border routers and members are told alike.

    Attributes:
        area: as a number or dotted.
        kind: "stub" takes no external routes (RFC 2328, 3.6), "nssa" only its own (RFC 3101); the "totally" ones no
            routes of other areas either, but a default route of their border routers.
        ranges: prefixes that a border router announces to other areas instead of the longer ones within.
    """

    area: Short
    kind: Literal["normal", "stub", "totally-stub", "nssa", "totally-nssa"] = "normal"
    ranges: tuple[Network, ...] = ()


class _OspfRouter(Value):
    """Settings of both versions."""

    router_id: IPv4Address | None = None
    area: Short = "0"
    interfaces: tuple[OspfInterface, ...] = ()
    areas: tuple[OspfArea, ...] = ()
    point_to_point: bool = True
    hello_s: Seconds = 10
    dead_s: Seconds = 40
    lab_timers: bool = True
    reference_mbit: Annotated[int, Field(ge=1, le=4_294_967)] | None = None
    maximum_paths: Annotated[int, Field(ge=1, le=256)] | None = None
    redistribute: tuple[Redistribution, ...] = ()
    default_originate: bool = False
    bfd: bool = False

    def at(self, interface: str) -> OspfInterface:
        """The settings of an interface; those of one that is not listed are all the router's."""
        found = next((each for each in self.interfaces if each.interface == interface), None)
        return found or OspfInterface(interface=interface)

    def area_of(self, interface: str) -> str:
        """The area of an interface, as it is written."""
        return self.at(interface).area or self.area

    def kind_of(self, number: int | None) -> str:
        """The kind that it gives to the area of that number (see `area_number`)."""
        return next((each.kind for each in self.areas if area_number(each.area) == number), "normal")

    @property
    def passive(self) -> tuple[str, ...]:
        """Names of the interfaces that are passive because the settings say so."""
        return tuple(each.interface for each in self.interfaces if each.passive)


class Ospf(_OspfRouter):
    """OSPFv2 on a router (RFC 2328).

    Attributes:
        router_id: empty (None) for the lowest loopback, else the lowest address.
        area: area of every interface that names no other, as a number or dotted ("0", "0.0.0.1").
        interfaces: what differs at single interfaces. Those without another router are passive anyway.
        areas: areas that are stubs or have ranges.
        point_to_point: network type of links that join two routers only: no election of a designated router, so the
            adjacency stands after one exchange of hellos.
        hello_s, dead_s: hello and dead interval; equal on both ends of a link.
        lab_timers: whether the router reacts at once: shortest paths after 10 ms, link states sent and taken without a
            pause. FRR's own timers (False) wait up to seconds, so that a large network that flaps is not worn out.
        reference_mbit: rate of a link of cost 1; None for FRR's own, 100 Gbit/s.
        maximum_paths: how many equal paths are used at once; None for all that FRR can.
        redistribute: routes of other sources that it announces as external ones.
        default_originate: whether it announces a default route, whether it has one or not.
        bfd: whether BFD watches all its neighbours (RFC 5882).
    """

    @model_validator(mode="before")
    @classmethod
    def _from_earlier(cls, said: Any) -> Any:
        """Take files of before `interfaces`: areas were pairs of interface and area, passive ones a list of names."""
        if not isinstance(said, dict) or not ("passive" in said or _are_pairs(said.get("areas"))):
            return said
        rest = {key: value for key, value in said.items() if key not in ("areas", "passive")}
        areas, passive = dict(said.get("areas", ())), list(said.get("passive", ()))
        rows = [
            {"interface": name, "area": areas.get(name, ""), "passive": name in passive}
            for name in dict.fromkeys([*areas, *passive])
        ]
        return {**rest, "interfaces": [*rest.get("interfaces", ()), *rows]}


def _are_pairs(areas: Any) -> bool:
    return isinstance(areas, list | tuple) and bool(areas) and all(isinstance(each, list | tuple) for each in areas)


class Ospf6(_OspfRouter):
    """OSPFv3 on a router (RFC 5340). Attributes are those of `Ospf`; there are no keys."""
