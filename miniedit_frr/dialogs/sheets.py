"""Sheets: a node with its interfaces as one value. Users see an interface's address as a property of the node.

The topology stores interfaces at the links. `node_sheet` reads them, and `write_sheet` writes them back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from frrlib.addressing.resolved import resolved
from frrlib.edits.changes import replace_link, replace_node
from frrlib.edits.parts import find_node
from frrlib.model.base import Address, Value
from frrlib.model.interface_names import with_names
from frrlib.model.links import End
from frrlib.model.names import natural
from frrlib.model.nodes import Node, Router
from frrlib.model.protocols.interfaces import rename_interfaces
from frrlib.model.topology import Topology


class InterfaceRow(Value):
    """An interface of a node as a row of a form.

    Attributes:
        link: id of its link; empty for the loopback.
        side: 0 for the link's first end, 1 for its second.
        far: the node and interface at the other end ("r2 (r2-eth0)").
        called: its name, set or automatic.
        automatic: its automatic addresses, used if no address is set.
        end: the link's end, with all settings of the interface.
    """

    link: str
    side: int
    far: str
    called: str
    automatic: tuple[Address, ...]
    end: End


class NodeSheet(Value):
    """A node and its interfaces. The loopback of a router comes first."""

    node: Node
    interfaces: tuple[InterfaceRow, ...] = ()


def in_order(rows: Iterable[InterfaceRow]) -> tuple[InterfaceRow, ...]:
    """Interfaces in the order of their names: first the loopback, and eth2 before eth10."""
    return tuple(sorted(rows, key=lambda row: (bool(row.link), _by_number(row.called))))


def _by_number(name: str) -> list[str | int]:
    return [int(part) if part.isdigit() else part for part in re.split(r"([0-9]+)", name)]


class Refusal(Protocol):
    """A line that FRR refuses, and the reason.

    Attributes:
        line_number: number of the line, starting at 1.
        line: the line.
        reason: FRR's error message.
    """

    @property
    def line_number(self) -> int: ...

    @property
    def line(self) -> str: ...

    @property
    def reason(self) -> str: ...


#: Returns the lines of a configuration that FRR refuses. It starts a process, so it is called in a worker thread.
FrrCheck = Callable[[str], Sequence[Refusal]]
#: Returns a sentence about those of some qdiscs that are missing in the place of labs; empty if none is missing.
MissingQdiscs = Callable[[frozenset[str]], str]


@dataclass(frozen=True)
class FormContext:
    """The context of a form.

    Attributes:
        topology: the topology.
        filled: the topology with automatic names and addresses, as a lab has them.
        congestion_control: congestion control of new flows.
        lab_timers: whether newly enabled protocols get lab timers.
        root: in the form of a row, the sheet that the row belongs to; None elsewhere.
        check_frr: lets FRR check a configuration, and returns the refused lines; None without FRR.
        lacking: describes missing qdiscs; None if it is unknown which ones are missing.
        added_controls: congestion controls that the user has added for all labs.
    """

    topology: Topology
    filled: Topology
    congestion_control: str = "cubic"
    lab_timers: bool = True
    root: Any = None
    check_frr: FrrCheck | None = None
    lacking: MissingQdiscs | None = None
    added_controls: tuple[str, ...] = ()

    def names(self, *kinds: str) -> list[str]:
        """Names of the nodes of some kinds, sorted for people."""
        return sorted((node.name for node in self.topology.nodes if node.kind in kinds), key=natural)


def form_context(
    topology: Topology,
    congestion_control: str = "cubic",
    lab_timers: bool = True,
    check_frr: FrrCheck | None = None,
    lacking: MissingQdiscs | None = None,
    added_controls: tuple[str, ...] = (),
) -> FormContext:
    """The context of a form for a topology."""
    filled = resolved(topology)
    return FormContext(
        topology, filled, congestion_control, lab_timers, check_frr=check_frr, lacking=lacking,
        added_controls=added_controls,
    )  # fmt: skip


def node_sheet(context: FormContext, name: str) -> NodeSheet:
    """A node's sheet.

    Raises:
        TopologyError: no node has this name.
    """
    node = find_node(context.topology, name)
    rows = []
    if isinstance(node, Router):
        full = context.filled.node(name)
        loopbacks = full.loopbacks if isinstance(full, Router) else ()
        rows.append(InterfaceRow(link="", side=0, far="", called="lo", automatic=loopbacks, end=End(node=name)))
    for link, full_link in zip(context.topology.links, context.filled.links, strict=True):
        for side, (end, full_end) in enumerate(zip(link.ends, full_link.ends, strict=True)):
            if end.node == name:
                far_end = full_link.ends[1 - side]
                rows.append(
                    InterfaceRow(link=link.id, side=side, far=f"{far_end.node} ({far_end.interface})",
                                 called=full_end.interface, automatic=full_end.addresses, end=end)
                )  # fmt: skip
    return NodeSheet(node=node, interfaces=in_order(rows))


def write_sheet(topology: Topology, name: str, old_sheet: NodeSheet, new_sheet: NodeSheet) -> Topology:
    """Write a changed sheet into the topology: the node, and the ends of its links.

    Raises:
        TopologyError: `replace_node` refuses the node.
    """
    for was, row in zip(old_sheet.interfaces, new_sheet.interfaces, strict=True):
        link = topology.link(row.link)
        if was.end != row.end and link is not None:
            topology = replace_link(topology, row.link, link.model_copy(update={"ab"[row.side]: row.end}))
    return replace_node(topology, name, _with_new_names(topology, new_sheet))


def _with_new_names(topology: Topology, new_sheet: NodeSheet) -> Node:
    """The node, with settings that use the names of its interfaces after a change of the links."""
    if not isinstance(new_sheet.node, Router):
        return new_sheet.node
    named = with_names(topology)
    now = {(link.id, side): end.interface for link in named.links for side, end in enumerate(link.ends)}
    names = {row.called: now.get((row.link, row.side), row.called) for row in new_sheet.interfaces if row.link}
    return rename_interfaces(new_sheet.node, names)
