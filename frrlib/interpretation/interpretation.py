"""Reads the custom lines of routers as settings, as far as the model has them.

The result is for checks only: a lab gets the lines themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from frrlib.conf.named_vrfs import named_vrfs
from frrlib.conf.text import ConfigEntry, config_text, parse
from frrlib.interpretation import bgp, interfaces
from frrlib.interpretation.interfaces import InterfaceAddresses
from frrlib.interpretation.lines import HARMLESS, UnknownLine, updated
from frrlib.model.nodes import Router
from frrlib.model.protocols.common import StaticRoute
from frrlib.model.topology import Topology


def interpreted(topology: Topology, addresses: Mapping[str, InterfaceAddresses]) -> Topology:
    """The topology with custom lines as settings. The remaining custom lines are those without a setting.

    Each line is read on its own: a line that no setting corresponds to, or whose value is not valid, remains. Never
    raises, for any text.

    Args:
        topology: the topology.
        addresses: each router's interfaces with their addresses.

    Returns:
        The same topology if no router has custom lines.
    """
    if not any(isinstance(node, Router) and node.frr_conf.strip() for node in topology.nodes):
        return topology
    nodes = tuple(
        _interpreted(node, addresses.get(node.name, {})) if isinstance(node, Router) else node
        for node in topology.nodes
    )
    return topology.model_copy(update={"nodes": nodes})


def _interpreted(router: Router, addresses: InterfaceAddresses) -> Router:
    if not router.frr_conf.strip():
        return router
    remaining: list[ConfigEntry] = []
    entries = parse(router.frr_conf)
    # Interfaces come after their protocols, whose settings contain those of interfaces.
    for entry in sorted(entries, key=lambda entry: entry.kind == "interface"):
        router, unknown = _read(router, entry, entries, addresses)
        remaining += unknown
    return router.model_copy(update={"frr_conf": config_text(remaining)})


def _read(
    router: Router, entry: ConfigEntry, entries: Iterable[ConfigEntry], addresses: InterfaceAddresses
) -> tuple[Router, list[ConfigEntry]]:
    """The router with the lines of an entry as settings, and the lines that remain."""
    if entry.kind == "bgp":
        return bgp.read(router, entry)
    if entry.kind == "router":
        return interfaces.read_protocol(router, entry, entries, addresses)
    if entry.kind == "interface":
        return interfaces.read(router, entry)
    if entry.kind or not entry.text:
        return router, [entry] if entry.text else []
    try:
        return _top_level(router, entry.text), []
    except (UnknownLine, ValueError):
        return router, [entry]


def _top_level(router: Router, line: str) -> Router:
    words = line.split()
    if HARMLESS.match(line):
        return router
    if words[:2] in (["ip", "route"], ["ipv6", "route"]) and len(words) in (4, 5):
        values: dict[str, Any] = {"prefix": words[2], "via": words[3]}
        if len(words) == 5:
            values["distance"] = int(words[4])
        route = StaticRoute.model_validate(values)
        return updated(router, static_routes=(*router.static_routes, route))
    raise UnknownLine


def vrfs_without_device(router: Router) -> dict[str, tuple[str, ...]]:
    """The VRFs that only the custom lines of a router name, each with its interfaces. No start command names them."""
    known = {vrf.name for vrf in router.vrfs}
    return {
        name: interfaces
        for name, interfaces in named_vrfs(parse(router.frr_conf)).items()
        if name not in known and name not in router.start_command.split()
    }
