"""Settings that name interfaces, updated when links are added, deleted and renamed.

Automatic names count up in the order of the links, so deleting one link renames interfaces of others. Routing settings
must then follow the interface, not the name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from frrlib.edits.fault_plan import following
from frrlib.model.base import INTERFACE_NAME_LENGTH
from frrlib.model.interface_names import with_names
from frrlib.model.links import End
from frrlib.model.nodes import Node, Router
from frrlib.model.protocols.interfaces import interface_names, rename_interfaces
from frrlib.model.topology import Topology

#: A link's end, independent of its position: link ID, number of earlier links with that ID, 0 for `a` and 1 for `b`.
_Place = tuple[str, int, int]


def _names(topology: Topology) -> dict[_Place, tuple[str, str]]:
    """Node and interface at each link end, automatic names filled in."""
    counts: Counter[str] = Counter()
    names = {}
    for link in with_names(topology).links:
        for side, end in enumerate(link.ends):
            names[link.id, counts[link.id], side] = (end.node, end.interface)
        counts[link.id] += 1
    return names


def follow_interfaces(before: Topology, after: Topology, names_of_nodes: Mapping[str, str] | None = None) -> Topology:
    """`after` with the settings of its routers, and its faults, referring to the same interfaces as in `before`.

    Args:
        before: the topology before an edit.
        after: the topology after it, with unchanged settings.
        names_of_nodes: new names of renamed nodes by old ones.

    Returns:
        `after` with the present names of interfaces in all settings, and without settings of deleted interfaces. Names
        without an interface stay.
    """
    named_by_routers = any(isinstance(node, Router) and next(interface_names(node), "") for node in after.nodes)
    if not before.faults and not named_by_routers:
        return after
    was, now = _names(before), _names(after)
    after = following(before, after, was, now, names_of_nodes or {})
    if not named_by_routers:
        return after
    changes: dict[str, dict[str, str]] = {}
    for place, (old_node, interface) in was.items():
        node = (names_of_nodes or {}).get(old_node, old_node)
        new_node, name = now.get(place, ("", ""))
        changes.setdefault(node, {}).setdefault(interface, name if new_node == node else "")
    nodes = tuple(_with_names(node, changes.get(node.name, {})) for node in after.nodes)
    return after.model_copy(update={"nodes": nodes})


def _with_names(node: Node, names: Mapping[str, str]) -> Node:
    return rename_interfaces(node, names) if isinstance(node, Router) else node


def renamed_end(end: End, name: str, used: set[str]) -> End:
    """A link's end with the new name of its node.

    A stated interface name of the form `NODE-ethN` follows the node. It becomes automatic if the new one is too long
    or is in `used`. Other names stay.
    """
    interface = end.interface
    match = re.fullmatch(re.escape(end.node) + r"(-eth[0-9]+)", interface)
    if match:
        interface = name + match[1]
        if len(interface) > INTERFACE_NAME_LENGTH or interface in used:
            interface = ""
    return end.model_copy(update={"node": name, "interface": interface})
