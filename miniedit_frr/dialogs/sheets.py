"""A node with its interfaces as one value, since people think of an interface's address as the node's.

The drawing keeps interfaces at the links. A sheet gathers them, and writes them back: one place knows how.
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
from frrlib.model.nodes import Node, Router
from frrlib.model.protocols.interfaces import rename_interfaces
from frrlib.model.topology import Topology


class Interface(Value):
    """An interface of a node as a row of a form.

    Attributes:
        link: id of its link; empty for the loopback.
        side: 0 for the link's first end, 1 for its second.
        far: what is at the other end ("r2 (r2-eth0)").
        called: the name that it has, stated or automatic.
        automatic: the addresses that it gets where none is stated.
        end: what the link says of it.
    """

    link: str
    side: int
    far: str
    called: str
    automatic: tuple[Address, ...]
    end: End


class Sheet(Value):
    """A node and its interfaces, the loopback of a router first."""

    node: Node
    interfaces: tuple[Interface, ...] = ()


def in_order(rows: Iterable[Interface]) -> tuple[Interface, ...]:
    """Interfaces in the order of their names, eth2 before eth10; the loopback first."""
    return tuple(sorted(rows, key=lambda row: (bool(row.link), _by_number(row.called))))


def _by_number(name: str) -> list[str | int]:
    return [int(part) if part.isdigit() else part for part in re.split(r"([0-9]+)", name)]


class Refusal(Protocol):
    """A line that FRR refuses, and its reason.

    Attributes:
        line_number: from 1 on.
        line: the line.
        why: what FRR says.
    """

    @property
    def line_number(self) -> int: ...

    @property
    def line(self) -> str: ...

    @property
    def why(self) -> str: ...


#: Given the text of a configuration: what FRR refuses of it. It starts a process, so a worker thread calls it.
AskFrr = Callable[[str], Sequence[Refusal]]
#: Given kinds of queueing discipline: what the place where labs run lacks of them, in words.
Lacking = Callable[[frozenset[str]], str]


@dataclass(frozen=True)
class Surroundings:
    """The context of a form.

    Attributes:
        topology: the drawing.
        filled: the drawing as a lab has it: with automatic names and addresses.
        congestion_control: of new flows.
        lab_timers: whether protocols that are switched on react at once.
        here: in the form of a row, the sheet that the row belongs to; None elsewhere.
        ask_frr: has FRR read a configuration, and hands on what it refuses; None where there is no FRR to ask.
        lacking: says which of some kinds of queueing discipline the place of labs lacks, in words, empty for none; None
            where nobody knows.
    """

    topology: Topology
    filled: Topology
    congestion_control: str = "cubic"
    lab_timers: bool = True
    here: Any = None
    ask_frr: AskFrr | None = None
    lacking: Lacking | None = None

    def names(self, *kinds: str) -> list[str]:
        """Names of the nodes of some kinds, in their order."""
        return [node.name for node in self.topology.nodes if node.kind in kinds]


def surroundings(
    topology: Topology,
    congestion_control: str = "cubic",
    lab_timers: bool = True,
    ask_frr: AskFrr | None = None,
    lacking: Lacking | None = None,
) -> Surroundings:
    """The context of a form about a drawing."""
    filled = resolved(topology)
    return Surroundings(topology, filled, congestion_control, lab_timers, ask_frr=ask_frr, lacking=lacking)


def sheet(around: Surroundings, name: str) -> Sheet:
    """A node's sheet.

    Raises:
        TopologyError: there is no such node.
    """
    node = find_node(around.topology, name)
    rows = []
    if isinstance(node, Router):
        full = around.filled.node(name)
        loopbacks = full.loopbacks if isinstance(full, Router) else ()
        rows.append(Interface(link="", side=0, far="", called="lo", automatic=loopbacks, end=End(node=name)))
    for link, full_link in zip(around.topology.links, around.filled.links, strict=True):
        for side, (end, full_end) in enumerate(zip(link.ends, full_link.ends, strict=True)):
            if end.node == name:
                other = full_link.ends[1 - side]
                rows.append(
                    Interface(link=link.id, side=side, far=f"{other.node} ({other.interface})",
                              called=full_end.interface, automatic=full_end.addresses, end=end)
                )  # fmt: skip
    return Sheet(node=node, interfaces=in_order(rows))


def write_sheet(topology: Topology, name: str, before: Sheet, after: Sheet) -> Topology:
    """Replace the node, and its links' ends, by a changed sheet.

    Raises:
        TopologyError: the node cannot be so (see `replace_node`).
    """
    for was, row in zip(before.interfaces, after.interfaces, strict=True):
        link = topology.link(row.link)
        if was.end != row.end and link is not None:
            topology = replace_link(topology, row.link, link.model_copy(update={"ab"[row.side]: row.end}))
    return replace_node(topology, name, _following(topology, after))


def _following(topology: Topology, after: Sheet) -> Node:
    """The node whose settings use the interfaces' names after the links have changed."""
    if not isinstance(after.node, Router):
        return after.node
    named = with_names(topology)
    now = {(link.id, side): end.interface for link in named.links for side, end in enumerate(link.ends)}
    names = {row.called: now.get((row.link, row.side), row.called) for row in after.interfaces if row.link}
    return rename_interfaces(after.node, names)
