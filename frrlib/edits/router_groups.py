"""Groups of routers, by what can be seen on the drawing; each may become an autonomous system."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from frrlib.model.topology import Topology


def by_shapes(topology: Topology) -> list[list[str]]:
    """The routers within each rectangle or ellipse; of those that hold a router the smallest has it."""
    shapes = [each for each in topology.annotations if each.kind in ("rectangle", "ellipse")]
    found: dict[str, list[str]] = {each.id: [] for each in shapes}
    for router in topology.routers:
        within = [
            each for each in shapes
            if each.x <= router.x <= each.x + each.width and each.y <= router.y <= each.y + each.height
        ]  # fmt: skip
        if within:
            found[min(within, key=lambda each: each.width * each.height).id].append(router.name)
    return [names for names in found.values() if names]


def by_colors(topology: Topology) -> list[list[str]]:
    """The routers of each colour, those of their kind's own too."""
    return _by({router.name: router.colour for router in topology.routers})


def by_areas(topology: Topology) -> list[list[str]]:
    """The routers of each OSPF area; those without OSPF are left out."""
    return _by({router.name: router.ospf.area for router in topology.routers if router.ospf is not None})


def by_selection(topology: Topology, selected: Iterable[str]) -> list[list[str]]:
    """The selected routers, and the others."""
    chosen = set(selected)
    groups = _by({router.name: router.name in chosen for router in topology.routers})
    return sorted(groups, key=lambda names: names[0] not in chosen)


def _by(said: dict[str, Any]) -> list[list[str]]:
    groups: dict[Any, list[str]] = {}
    for name, what in said.items():
        groups.setdefault(what, []).append(name)
    return list(groups.values())
