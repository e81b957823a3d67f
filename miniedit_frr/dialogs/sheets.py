"""A node with its interfaces as one value, since people think of an interface's address as the node's.

The drawing keeps interfaces at the links. A sheet gathers them, and writes them back: one place knows how.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from frrlib.model.addressing import addressed, with_names
from frrlib.model.base import Address, Value
from frrlib.model.edits.changes import replace_link, replace_node
from frrlib.model.edits.parts import node_called
from frrlib.model.links import End
from frrlib.model.nodes import Node, Router
from frrlib.model.topology import Topology


class Interface(Value):
    """An interface of a node as a row of a form.

    Attributes:
        link: id of its link; empty for the loopback.
        side: 0 for the link's first end, 1 for its second.
        far: what is at the other end ("r2 (r2-eth0)").
        called: the name that it has, stated or automatic.
        automatic: the addresses that it gets where none is stated.
        area: OSPF area where it is not the router's.
        passive: whether OSPF only announces it.
        end: what the link says of it.
    """

    link: str
    side: int
    far: str
    called: str
    automatic: tuple[Address, ...]
    area: str = ""
    passive: bool = False
    end: End


class Sheet(Value):
    """A node and its interfaces, the loopback of a router that runs OSPF first."""

    node: Node
    interfaces: tuple[Interface, ...] = ()


@dataclass(frozen=True)
class Surroundings:
    """What a form may know of the drawing.

    Attributes:
        topology: the drawing.
        filled: the drawing with automatic names and addresses.
        congestion_control: of new flows.
    """

    topology: Topology
    filled: Topology
    congestion_control: str = "cubic"

    def names(self, *kinds: str) -> list[str]:
        """Names of the nodes of some kinds, in their order."""
        return [node.name for node in self.topology.nodes if node.kind in kinds]


def surroundings(topology: Topology, congestion_control: str = "cubic") -> Surroundings:
    """What a form may know of a drawing."""
    return Surroundings(topology, addressed(topology), congestion_control)


def sheet(around: Surroundings, name: str) -> Sheet:
    """A node's sheet.

    Raises:
        TopologyError: there is no such node.
    """
    node = node_called(around.topology, name)
    ospf = node.ospf if isinstance(node, Router) else None
    areas, passive = (dict(ospf.areas), ospf.passive) if ospf else ({}, ())
    rows = []
    if isinstance(node, Router):
        full = around.filled.node(name)
        loopbacks = full.loopbacks if isinstance(full, Router) else ()
        rows.append(
            Interface(link="", side=0, far="", called="lo", automatic=loopbacks, area=areas.get("lo", ""),
                      passive="lo" in passive, end=End(node=name))
        )  # fmt: skip
    for link, full_link in zip(around.topology.links, around.filled.links, strict=True):
        for side, (end, full_end) in enumerate(zip(link.ends, full_link.ends, strict=True)):
            if end.node == name:
                other = full_link.ends[1 - side]
                called = full_end.interface
                rows.append(
                    Interface(link=link.id, side=side, far=f"{other.node} ({other.interface})", called=called,
                              automatic=full_end.addresses, area=areas.get(called, ""),
                              passive=called in passive, end=end)
                )  # fmt: skip
    return Sheet(node=node, interfaces=tuple(rows))


def write_sheet(topology: Topology, name: str, before: Sheet, after: Sheet) -> Topology:
    """Put a changed sheet in the place of the node and of its links' ends.

    Raises:
        TopologyError: the node cannot be so (see `replace_node`).
    """
    for was, row in zip(before.interfaces, after.interfaces, strict=True):
        link = topology.link(row.link)
        if was.end != row.end and link is not None:
            topology = replace_link(topology, row.link, link.model_copy(update={"ab"[row.side]: row.end}))
    return replace_node(topology, name, _with_ospf(topology, before, after))


def _with_ospf(topology: Topology, before: Sheet, after: Sheet) -> Node:
    """The node with areas and passive interfaces as the rows say; what names no interface stays."""
    node = after.node
    if not isinstance(node, Router) or node.ospf is None or not isinstance(before.node, Router):
        return node
    told = [(row.area, row.passive) for row in after.interfaces]
    if told == [(row.area, row.passive) for row in before.interfaces] and node.ospf == before.node.ospf:
        # Nothing was said; what follows renamed interfaces has been put right with the links.
        there = topology.node(before.node.name)
        return node.model_copy(update={"ospf": there.ospf}) if isinstance(there, Router) else node
    old = {row.called for row in before.interfaces}
    names = _names_now(topology)
    called = [names.get((row.link, row.side), row.called) for row in after.interfaces]
    areas = [(name, row.area) for name, row in zip(called, after.interfaces, strict=True) if row.area]
    areas += [(name, area) for name, area in node.ospf.areas if name not in old]
    passive = [name for name, row in zip(called, after.interfaces, strict=True) if row.passive]
    passive += [name for name in node.ospf.passive if name not in old]
    told_now: dict[str, Any] = {"areas": tuple(areas), "passive": tuple(passive)}
    return node.model_copy(update={"ospf": node.ospf.model_copy(update=told_now)})


def _names_now(topology: Topology) -> dict[tuple[str, int], str]:
    named = with_names(topology)
    return {(link.id, side): end.interface for link in named.links for side, end in enumerate(link.ends)}
