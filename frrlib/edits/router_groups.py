"""Groups of routers by shapes, colors, areas or selection; each may become an autonomous system."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from frrlib.model.topology import Topology


def by_shapes(topology: Topology) -> list[list[str]]:
    """The routers within each rectangle or ellipse; a router belongs to the smallest shape around it."""
    shapes = [shape for shape in topology.annotations if shape.kind in ("rectangle", "ellipse")]
    routers_of: dict[str, list[str]] = {shape.id: [] for shape in shapes}
    for router in topology.routers:
        within = [
            shape for shape in shapes
            if shape.x <= router.x <= shape.x + shape.width and shape.y <= router.y <= shape.y + shape.height
        ]  # fmt: skip
        if within:
            routers_of[min(within, key=lambda shape: shape.width * shape.height).id].append(router.name)
    return [names for names in routers_of.values() if names]


def by_colors(topology: Topology) -> list[list[str]]:
    """The routers of each color, including the default color."""
    return _by({router.name: router.colour for router in topology.routers})


def by_areas(topology: Topology) -> list[list[str]]:
    """The routers of each OSPF area; those without OSPF are left out."""
    return _by({router.name: router.ospf.area for router in topology.routers if router.ospf is not None})


def by_selection(topology: Topology, selected: Iterable[str]) -> list[list[str]]:
    """The selected routers, and the others."""
    selected_names = set(selected)
    groups = _by({router.name: router.name in selected_names for router in topology.routers})
    return sorted(groups, key=lambda names: names[0] not in selected_names)


def _by(value_of: dict[str, Any]) -> list[list[str]]:
    groups: dict[Any, list[str]] = {}
    for name, value in value_of.items():
        groups.setdefault(value, []).append(name)
    return list(groups.values())
