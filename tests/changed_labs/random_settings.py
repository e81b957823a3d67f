"""Random values of single settings of routing, on a router that runs nearly all protocols."""

from __future__ import annotations

from functools import cache
from ipaddress import ip_address, ip_network
from typing import Any, TypeVar

import hypothesis
from hypothesis import HealthCheck, Phase, given
from pydantic import ValidationError

from frrlib.checks.check import check
from frrlib.model.base import Value
from frrlib.model.nodes import Router
from frrlib.model.problem import Severity
from frrlib.model.routing import (
    Bfd,
    BfdPeer,
    Bgp,
    BgpAggregate,
    BgpNeighbor,
    BgpPeerGroup,
    BgpUnnumbered,
    Isis,
    IsisInterface,
    Ospf,
    Ospf6,
    OspfArea,
    OspfInterface,
    Pim,
    PimInterface,
    PrefixList,
    PrefixRule,
    Redistribution,
    Rip,
    RipInterface,
    Ripng,
    RouteMap,
    RouteMapEntry,
    StaticRoute,
)
from frrlib.model.topology import Topology
from frrlib.network.network import Network, end
from tests.changed_labs.random_changes import Chance
from tests.strategies.routing import values

V = TypeVar("V", bound=Value)
PARTS = ("ospf", "ospf6", "isis", "rip", "ripng", "bgp", "pim", "bfd", "prefix_lists", "route_maps", "static_routes")
_PORT = "r1-eth0"
#: Fields that name other parts of the network.
_KEPT = {"interface", "address", "asn", "name", "remote_as"}
#: Fields that refer to parts of the router, with their values.
_REFERENCES = {
    "route_map": ("", "policy"), "route_map_in": ("", "policy"), "route_map_out": ("", "policy"),
    "prefix_list_in": ("", "prefixes"), "prefix_list_out": ("", "prefixes"), "peer_group": ("", "group"),
    "update_source": ("", "lo"),
}  # fmt: skip
#: Values of each class to choose from, and attempts to find a change that leaves no error.
_VALUES, _ATTEMPTS = 40, 1000


def every_protocol() -> Topology:
    """r1 with nearly all protocols of routing, and r2 with BGP, on two links."""
    net, static = Network("settings"), (Redistribution(source="static"),)
    at_port = (OspfInterface(interface=_PORT),)
    net.router(
        "r1",
        loopbacks=("10.255.0.1/32",),
        prefix_lists=(
            PrefixList(name="prefixes", rules=(PrefixRule(action="permit", prefix=ip_network("10.0.0.0/8")),)),
        ),
        route_maps=(RouteMap(name="policy", entries=(RouteMapEntry(sequence=10, action="permit"),)),),
        ospf=Ospf(interfaces=at_port, areas=(OspfArea(area="1"),), redistribute=static),
        ospf6=Ospf6(interfaces=at_port, redistribute=static),
        isis=Isis(interfaces=(IsisInterface(interface=_PORT),), redistribute=static),
        rip=Rip(interfaces=(RipInterface(interface=_PORT),), redistribute=static),
        ripng=Ripng(interfaces=(RipInterface(interface=_PORT),)),
        bgp=Bgp(
            asn=65001,
            neighbors=(BgpNeighbor(address=ip_address("10.0.0.2"), remote_as=65002),),
            unnumbered=(BgpUnnumbered(interface="r1-eth1"),),
            peer_groups=(BgpPeerGroup(name="group", remote_as=65002),),
            networks=(ip_network("10.255.0.1/32"),),
            aggregates=(BgpAggregate(prefix=ip_network("10.0.0.0/8")),),
            redistribute=static,
        ),
        pim=Pim(interfaces=(PimInterface(interface=_PORT),)),
        bfd=Bfd(peers=(BfdPeer(address=ip_address("10.0.0.2")),)),
        static_routes=(StaticRoute(prefix=ip_network("192.0.2.0/24"), via="blackhole"),),
    )
    neighbor = BgpNeighbor(address=ip_address("10.0.0.1"), remote_as=65001)
    bgp = Bgp(asn=65002, neighbors=(neighbor,), unnumbered=(BgpUnnumbered(interface="r2-eth1"),))
    net.router("r2", loopbacks=("10.255.0.2/32",), bgp=bgp)
    for n in (0, 1):
        ends = [
            end(name, f"10.{n}.0.{name[1]}/24", f"fd0{n}::{name[1]}/64", interface=f"{name}-eth{n}")
            for name in ("r1", "r2")
        ]
        net.link(*ends)
    return net.topology


def setting_at_random(topology: Topology, chance: Chance) -> tuple[str, Topology]:
    """Another value for a setting of r1 that leaves no error. Returns the setting with its value, and the topology."""
    router = topology.nodes[0]
    assert isinstance(router, Router)
    for _ in range(_ATTEMPTS):
        part = chance.choice(PARTS)
        current = getattr(router, part)
        name, changed = _with_other_field(current, part, chance)
        if changed == current:
            continue
        nodes = (router.model_copy(update={part: changed}), *topology.nodes[1:])
        result = topology.model_copy(update={"nodes": nodes})
        if not any(problem.severity is Severity.ERROR for problem in check(result)):
            return name, result
    raise AssertionError("no setting can change")


def _with_other_field(value: Any, path: str, chance: Chance) -> tuple[str, Any]:
    """The value (or one entry of a tuple of values) with another random content of one field, and the field's path."""
    if isinstance(value, tuple):
        if not value or not isinstance(value[0], Value):
            return path, value
        position = chance.randrange(len(value))
        name, entry = _with_other_field(value[position], path, chance)
        return name, (*value[:position], entry, *value[position + 1 :])
    field = chance.choice([name for name in type(value).model_fields if name not in _KEPT])
    content = getattr(value, field)
    path = f"{path}.{field}"
    if isinstance(content, tuple) and content and isinstance(content[0], Value) and chance.random() < 0.8:
        name, content = _with_other_field(content, path, chance)
        return name, value.model_copy(update={field: content})
    content = _content(type(value), field, chance)
    try:
        return f"{path} = {content!s:.50}", type(value)(**{**dict(value), field: content})
    except ValidationError:  # fields that do not fit together
        return path, value


def _content(kind: type[Value], field: str, chance: Chance) -> Any:
    if field in _REFERENCES:
        return chance.choice(_REFERENCES[field])
    content = getattr(chance.choice(_values(kind)), field)
    if isinstance(content, tuple) and content and isinstance(content[0], Value):
        entry = content[0]
        at_port = entry.model_copy(update={"interface": _PORT}) if "interface" in type(entry).model_fields else entry
        return (at_port,)
    return content


@cache
def _values(kind: type[V]) -> tuple[V, ...]:
    """Values of a class, the same ones every time."""
    result: list[V] = []

    @hypothesis.settings(
        max_examples=_VALUES, phases=[Phase.generate], database=None, deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @hypothesis.seed(1)
    @given(values(kind))
    def collect(value: V) -> None:
        result.append(value)

    collect()
    return tuple(result)
