"""Settings that name interfaces, kept true while links come, go and change names.

Automatic names count up in the order of the links, so deleting one link renames interfaces of others. What routing is
told about an interface must then follow the interface, not the name.
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
from frrlib.model.protocols.interfaces import named, renamed
from frrlib.model.topology import Topology

#: A link's end wherever the link stands: its id, how many links of that id stand before it, 0 for `a` and 1 for `b`.
_Place = tuple[str, int, int]


def _names(topology: Topology) -> dict[_Place, tuple[str, str]]:
    """Node and interface at each link end, automatic names filled in."""
    seen: Counter[str] = Counter()
    found = {}
    for link in with_names(topology).links:
        for side, end in enumerate(link.ends):
            found[link.id, seen[link.id], side] = (end.node, end.interface)
        seen[link.id] += 1
    return found


def follow(before: Topology, after: Topology, renamed: Mapping[str, str] | None = None) -> Topology:
    """`after` with its routers' settings, and its faults, naming the interfaces that they named in `before`.

    Args:
        before: the drawing before an edit.
        after: the drawing after it; its settings are still as they were.
        renamed: nodes that have another name in `after`, old to new.

    Returns:
        `after`, where each interface that a setting names has its name of now, and settings of interfaces that are gone
        are gone. Names that meant no interface before stay as they are.
    """
    named_by_routers = any(isinstance(node, Router) and next(named(node), "") for node in after.nodes)
    if not before.faults and not named_by_routers:
        return after
    was, now = _names(before), _names(after)
    after = following(before, after, was, now, renamed or {})
    if not named_by_routers:
        return after
    changes: dict[str, dict[str, str]] = {}
    for place, (old_node, interface) in was.items():
        node = (renamed or {}).get(old_node, old_node)
        there, name = now.get(place, ("", ""))
        changes.setdefault(node, {}).setdefault(interface, name if there == node else "")
    nodes = tuple(_told(node, changes.get(node.name, {})) for node in after.nodes)
    return after.model_copy(update={"nodes": nodes})


def _told(node: Node, names: Mapping[str, str]) -> Node:
    return renamed(node, names) if isinstance(node, Router) else node


def moved_end(end: End, name: str, taken: set[str]) -> End:
    """A link's end at a node that is called `name` from now on.

    A stated interface name of the form `NODE-ethN` follows the node, or becomes automatic where the new one would be
    too long or is one of `taken`. Other names stay.
    """
    interface = end.interface
    match = re.fullmatch(re.escape(end.node) + r"(-eth[0-9]+)", interface)
    if match:
        interface = name + match[1]
        if len(interface) > INTERFACE_NAME_LENGTH or interface in taken:
            interface = ""
    return end.model_copy(update={"node": name, "interface": interface})
