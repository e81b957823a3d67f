"""Names for the interfaces that a topology leaves unnamed."""

from __future__ import annotations

from frrlib.model.base import INTERFACE_NAME_LENGTH
from frrlib.model.links import End
from frrlib.model.names import short_stem
from frrlib.model.nodes import SWITCHING
from frrlib.model.topology import Topology


def with_names(topology: Topology) -> Topology:
    """The topology with a name for every interface.

    Stated names are kept. The others are `NODE-ethN`: N counts up in the order of the links, from 0 (from 1 on switches
    and bridges, as in Mininet), and skips stated names. A name longer than the kernel's 15 characters gets a shortened
    node name that ends in four digits of its hash.
    """
    used_names: dict[str, set[str]] = {}
    for link in topology.links:
        for end in link.ends:
            names = used_names.setdefault(end.node, set())
            if end.interface:
                names.add(end.interface)
    stems = _Stems()
    counts = {node.name: int(node.kind in SWITCHING) for node in reversed(topology.nodes)}

    def named(end: End) -> End:
        if end.interface:
            return end
        count = counts.get(end.node, 0)
        while (name := stems.name(end.node, count)) in used_names[end.node]:
            count += 1
        counts[end.node] = count + 1
        return end.model_copy(update={"interface": name})

    links = []
    for link in topology.links:
        a, b = named(link.a), named(link.b)
        links.append(link if (a is link.a and b is link.b) else link.model_copy(update={"a": a, "b": b}))
    return topology.model_copy(update={"links": tuple(links)})


class _Stems:
    """Interface names of nodes, short enough for the kernel and different for different nodes."""

    def __init__(self) -> None:
        self._salts: dict[str, int] = {}
        self._owner: dict[str, str] = {}

    def name(self, node: str, count: int) -> str:
        """`NODE-ethCOUNT`, shortened if necessary."""
        end = f"-eth{count}"
        room = INTERFACE_NAME_LENGTH - len(end)
        salt = self._salts.get(node, 0)
        while self._owner.setdefault(stem := short_stem(node, room, salt), node) != node:
            salt += 1
        self._salts[node] = salt
        return stem + end
