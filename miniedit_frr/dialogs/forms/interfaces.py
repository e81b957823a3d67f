"""Fields of the side panel for a node's interfaces: the addresses of each interface, labeled with its link."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from frrlib.model.interface_names import with_names
from frrlib.model.nodes import Node
from frrlib.model.topology import Topology
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field, Lens
from miniedit_frr.dialogs.fields.kinds import TextKind
from miniedit_frr.dialogs.fields.quantities import InvalidQuantity
from miniedit_frr.dialogs.forms.side_panel import NODE_PANELS
from miniedit_frr.dialogs.parts import FieldGroup, Part
from miniedit_frr.dialogs.sheets import InterfaceRow, NodeSheet, in_order

#: Nodes whose interfaces have addresses.
_KINDS = ("host", "router")


def panel_sheet(topology: Topology, addressed: Topology | None, node: Node) -> NodeSheet:
    """A node's sheet for the side panel, without the loopback. Its cost depends only on the number of the node's links.

    Args:
        topology: the topology.
        addressed: the topology of the last check, with automatic addresses; it may be older than `topology`.
        node: the node.
    """
    if node.kind not in _KINDS:
        return NodeSheet(node=node)
    own_links = tuple(link for link in topology.links if node.name in (link.a.node, link.b.node))
    ends = {end.node for link in own_links for end in link.ends}
    near_nodes = tuple(candidate for candidate in topology.nodes if candidate.name in ends)
    named = with_names(topology.model_copy(update={"nodes": near_nodes, "links": own_links})).links
    ids = {link.id for link in own_links}
    checked_links = {link.id: link for link in addressed.links if link.id in ids} if addressed is not None else {}
    rows = []
    for link, full in zip(own_links, named, strict=True):
        for side, end in enumerate(link.ends):
            if end.node == node.name:
                checked_end = checked_links[link.id].ends[side] if link.id in checked_links else end
                automatic = checked_end.addresses if checked_end.node == node.name else ()
                rows.append(
                    InterfaceRow(link=link.id, side=side, far=full.ends[1 - side].node,
                                 called=full.ends[side].interface,
                                 automatic=automatic, end=end)
                )  # fmt: skip
    return NodeSheet(node=node, interfaces=in_order(rows))


def node_panel(sheet: NodeSheet) -> tuple[Part, ...]:
    """The panel of a node: its name, its interfaces, and its other settings.

    Sheets with equal labels of interfaces get the same object.
    """
    node = sheet.node
    return _panel(
        node.kind, tuple(f"{row.called.removeprefix(f'{node.name}-')} to {row.far}" for row in sheet.interfaces)
    )


@lru_cache(maxsize=256)
def _panel(kind: str, labels: tuple[str, ...]) -> tuple[Part, ...]:
    name, *other_parts = NODE_PANELS[kind]
    if isinstance(name, Field) and isinstance(name.kind, TextKind):
        name = replace(name, kind=partial(_unused_name, name.kind))
    fields = tuple(_field(number, label) for number, label in enumerate(labels))
    return (name, *((FieldGroup("Addresses", fields),) if fields else ()), *other_parts)


def _unused_name(kind: TextKind, context: Any) -> TextKind:
    """The kind of a unique node name. The present name is never read, because it is no edit."""

    def read(text: str) -> Any:
        name = kind.read(text)
        if context.topology.node(name) is not None:
            raise InvalidQuantity("is the name of another node; choose a name that no node has")
        return name

    return replace(kind, read=read)


def _field(number: int, label: str) -> Field:
    def put(rows: Sequence[InterfaceRow], new: Any) -> tuple[InterfaceRow, ...]:
        row = rows[number]
        end = type(row.end).model_validate({**dict(row.end), "addresses": new})
        return (*rows[:number], row.model_copy(update={"end": end}), *rows[number + 1 :])

    def hint(context: Any, sheet: NodeSheet) -> str:
        return ", ".join(str(address) for address in sheet.interfaces[number].automatic) or "automatic"

    lens = Lens(lambda rows: rows[number].end.addresses, put, ("",))
    return Field(f"interfaces.{number}", label, kinds.INTERFACES, hint=hint, lens=lens)


def row_of(sheet: NodeSheet, words: str) -> str:
    """The field of the interface whose name or address occurs in some words; else that of the first interface."""
    tokens = set(re.split(r"[\s(),;:]+", words))
    for number, row in enumerate(sheet.interfaces):
        addresses = {str(address) for address in (*row.end.addresses, *row.automatic)}
        if tokens & {row.called, *addresses, *(address.partition("/")[0] for address in addresses)}:
            return f"interfaces.{number}"
    return "interfaces.0" if sheet.interfaces else ""
