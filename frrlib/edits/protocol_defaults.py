"""Initial settings of a protocol on a router, which match the routers that already run it."""

from __future__ import annotations

from typing import Any

from frrlib.edits.routing_presets import timed
from frrlib.model.nodes import Node, Router
from frrlib.model.protocols.common import PROTOCOLS
from frrlib.model.routing import Bgp
from frrlib.model.topology import Topology

#: Settings that neighbors must or should share, by protocol.
_ALIKE = {
    "ospf": ("area", "hello_s", "dead_s", "lab_timers", "reference_mbit", "point_to_point"),
    "ospf6": ("area", "hello_s", "dead_s", "lab_timers", "reference_mbit", "point_to_point"),
    "isis": ("area", "level", "hello_s", "hello_multiplier", "lab_timers", "key", "point_to_point"),
    "rip": ("update_s", "timeout_s", "garbage_s"),
    "ripng": ("update_s", "timeout_s", "garbage_s"),
}


def initial_settings(topology: Topology, protocol: str, usual: Any, is_lab: bool) -> Any:
    """The initial settings of a protocol on a router.

    Args:
        topology: the topology.
        protocol: name of the protocol's field of a router.
        usual: the settings if no router runs it yet; for BGP with the router's own AS number.
        is_lab: whether it gets lab timers in that case.
    """
    existing = next(
        (settings for router in topology.routers if (settings := getattr(router, protocol)) is not None), None
    )
    alike = _ALIKE.get(protocol)
    if existing is None or alike is None:
        return timed(usual, is_lab)
    return usual.model_copy(update={name: getattr(existing, name) for name in alike})


def with_timers_of_new_protocols(before: Topology, after: Topology, is_lab: bool) -> Topology:
    """A topology after a preset, in which new protocols have the timers of routers that ran them before.

    Args:
        before, after: the topology before and after the preset, with the same nodes.
        is_lab: whether protocols that no router ran get lab timers.
    """
    ran = {
        name: next((settings for router in before.routers if (settings := getattr(router, name)) is not None), None)
        for name in PROTOCOLS
    }
    nodes: list[Node] = []
    for old, new in zip(before.nodes, after.nodes, strict=True):
        if isinstance(new, Router) and isinstance(old, Router):
            fresh = [name for name in PROTOCOLS if getattr(new, name) is not None and getattr(old, name) is None]
            nodes.append(new.model_copy(update={name: _fresh(name, new, ran[name], is_lab) for name in fresh}))
        else:
            nodes.append(new)
    return after.model_copy(update={"nodes": tuple(nodes)})


def _fresh(protocol: str, router: Router, existing: Any, is_lab: bool) -> Any:
    settings = getattr(router, protocol)
    if existing is None or isinstance(settings, Bgp):
        return timed(settings, is_lab)
    timers = [name for name in _ALIKE[protocol] if name.endswith(("_s", "_timers", "_multiplier"))]
    return settings.model_copy(update={name: getattr(existing, name) for name in timers})
