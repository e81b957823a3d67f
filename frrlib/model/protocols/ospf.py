"""OSPF: version 2 for IPv4 (RFC 2328), version 3 for IPv6 (RFC 5340)."""

from __future__ import annotations

import re
from ipaddress import IPv4Address
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from frrlib.model.base import Short, Value
from frrlib.model.protocols.common import (
    InterfaceSettings,
    Key,
    Network,
    Redistribution,
    Seconds,
    settings_at,
)


def area_number(area: str) -> int | None:
    """The number of an area that is written as a number or dotted; None for other texts."""
    if re.fullmatch(r"[0-9]{1,10}", area):
        return int(area) if int(area) < 2**32 else None
    try:
        return int(IPv4Address(area))
    except ValueError:
        return None


class OspfInterface(InterfaceSettings):
    """Settings of one interface that differ from the router's. Its cost is set at the link's end (`ospf_cost`).

    Attributes:
        interface: its name; "lo" for the loopbacks.
        area: its area; empty for the router's.
        passive: whether it is announced without forming adjacencies.
        network_type: "auto" for point-to-point or broadcast, depending on `Ospf.point_to_point` and the link.
        hello_s, dead_s: hello and dead interval; None for the router's.
        priority: priority in the election of a designated router, 0 for never; None for FRR's default, 1.
        key: authentication key of packets (OSPFv2 only); empty for none.
        key_id: 1 to 255 for MD5 with that key number, 0 for a plain password.
        bfd: whether BFD monitors its neighbors; None for the router's setting.
        mtu_ignore: whether neighbors with another MTU are accepted. Their packets are still dropped if they are too
            long for the interface.
    """

    area: Short = ""
    passive: bool = False
    network_type: Literal["auto", "point-to-point", "broadcast", "point-to-multipoint", "non-broadcast"] = "auto"
    hello_s: Seconds | None = None
    dead_s: Seconds | None = None
    priority: Annotated[int, Field(ge=0, le=255)] | None = None
    key: Annotated[Key, Field(max_length=16)] = ""
    key_id: Annotated[int, Field(ge=0, le=255)] = 0
    bfd: bool | None = None
    mtu_ignore: bool = False


class OspfArea(Value):
    """Settings of an area. Its border routers and its members need the same kind.

    Attributes:
        area: the area as a number or dotted.
        kind: "stub" rejects external routes (RFC 2328, 3.6), "nssa" accepts only its own (RFC 3101). The "totally"
            kinds also replace the routes of other areas by a default route of their border routers.
        ranges: prefixes that a border router announces to other areas instead of the longer ones within them.
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
        """The settings of an interface; an unlisted one has the router's."""
        return settings_at(interface, self.interfaces, OspfInterface)

    def area_of(self, interface: str) -> str:
        """The area of an interface, as it is written."""
        return self.at(interface).area or self.area

    def kind_of(self, number: int | None) -> str:
        """The kind that it sets for the area with that number (see `area_number`)."""
        return next((candidate.kind for candidate in self.areas if area_number(candidate.area) == number), "normal")

    @property
    def passive(self) -> tuple[str, ...]:
        """Names of the interfaces that are passive by their settings."""
        return tuple(row.interface for row in self.interfaces if row.passive)


class Ospf(_OspfRouter):
    """OSPFv2 on a router (RFC 2328).

    Attributes:
        router_id: router ID; empty (None) for the lowest loopback, else the lowest address.
        area: area of every interface that states no other, as a number or dotted ("0", "0.0.0.1").
        interfaces: settings of single interfaces. Interfaces without another router are always passive.
        areas: areas that are stubs or have ranges.
        point_to_point: whether links between two routers are point-to-point. Without the election of a designated
            router, an adjacency forms after one exchange of hellos.
        hello_s, dead_s: hello and dead interval; equal on both ends of a link.
        lab_timers: whether the router reacts at once: it computes shortest paths after 10 ms, and sends and accepts
            link states without delay. FRR's default timers (False) wait up to seconds, to protect large networks
            against flapping links.
        reference_mbit: rate of a link of cost 1; None for FRR's default, 100 Gbit/s.
        maximum_paths: maximum number of equal-cost paths to install; None for FRR's maximum.
        redistribute: routes of other sources that it announces as external ones.
        default_originate: whether it always announces a default route, even without having one.
        bfd: whether BFD monitors all its neighbors (RFC 5882).
    """

    @model_validator(mode="before")
    @classmethod
    def _from_earlier(cls, data: Any) -> Any:
        """Accept old files without `interfaces`: there, areas are pairs of interface and area, passive ones names."""
        if not isinstance(data, dict) or not ("passive" in data or _are_pairs(data.get("areas"))):
            return data
        fields = {key: value for key, value in data.items() if key not in ("areas", "passive")}
        areas, passive = dict(data.get("areas", ())), list(data.get("passive", ()))
        rows = [
            {"interface": name, "area": areas.get(name, ""), "passive": name in passive}
            for name in dict.fromkeys([*areas, *passive])
        ]
        return {**fields, "interfaces": [*fields.get("interfaces", ()), *rows]}


def _are_pairs(areas: Any) -> bool:
    return isinstance(areas, list | tuple) and bool(areas) and all(isinstance(entry, list | tuple) for entry in areas)


class Ospf6(_OspfRouter):
    """OSPFv3 on a router (RFC 5340). Attributes are those of `Ospf`; there are no keys."""
