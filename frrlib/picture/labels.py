"""The texts beside nodes and links, and the switches that show them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Node, Router
from frrlib.model.quantities import size_words
from frrlib.model.routing import Bgp, Ospf


@dataclass(frozen=True)
class Labels:
    """The visible texts; each is a switch in the menu. `routing` is the state of a running lab's routing, `load` the
    load of its links while flows run, `flows` the arrows of flows."""

    names: bool = True
    interfaces: bool = False
    addresses: bool = False
    values: bool = True
    areas: bool = True
    routing: bool = True
    flows: bool = True
    load: bool = True


NAMES_ONLY = Labels(values=False, areas=False, flows=False)
#: The switches with their names in the menu.
SWITCHES = {
    "names": "Names",
    "interfaces": "Interfaces",
    "addresses": "Addresses",
    "values": "Link values",
    "areas": "AS and area",
    "routing": "Routing State",
    "flows": "Flows",
    "load": "Link Load",
}


class LinkTexts(NamedTuple):
    """Texts at a link's ends and at its middle; empty for none."""

    a: str = ""
    b: str = ""
    middle: str = ""


def node_text(node: Node, labels: Labels, common: Collection[str] = ()) -> str:
    """The text of a node: its name, and below that its routing, without the parts `common` to all routers."""
    lines = [node.label or node.name] if labels.names else []
    if labels.areas and isinstance(node, Router):
        routing = [part for part in _routing(node) if part not in common]
        if routing:
            lines.append(" · ".join(routing))
    return "\n".join(lines)


def common_routing(nodes: Iterable[Node]) -> frozenset[str]:
    """The routing that all of several routers share, such as "area 0", which need not be repeated at each router."""
    routers = (node for node in nodes if isinstance(node, Router) and node.runs_frr)
    first = next(routers, None)
    if first is None or not _routing(first):
        return frozenset()
    other_routers = list(routers)
    if not other_routers:
        return frozenset()
    parts = set()
    if first.bgp is not None and all(
        router.bgp is not None and router.bgp.asn == first.bgp.asn for router in other_routers
    ):
        parts.add(_system(first.bgp))
    if first.ospf is not None:
        areas = _areas(first.ospf)
        if all(router.ospf is not None and _areas(router.ospf) == areas for router in other_routers):
            parts.add(areas)
    return frozenset(parts)


def _routing(router: Router) -> list[str]:
    """A router's routing, in parts."""
    system = [_system(router.bgp)] if router.bgp is not None else []
    return system + ([_areas(router.ospf)] if router.ospf is not None else [])


def _system(bgp: Bgp) -> str:
    return f"AS {bgp.asn}"


def _areas(ospf: Ospf) -> str:
    areas = dict.fromkeys([ospf.area, *(row.area for row in ospf.interfaces if row.area)])
    return f"area {', '.join(areas)}"


def link_texts(link: Link, filled: Link, labels: Labels) -> LinkTexts:
    """The texts along a link; `filled` is the same link with its automatic names and addresses."""
    middle = shape_text(link.a_to_b, link.b_to_a) if labels.values else ""
    return LinkTexts(end_text(filled.a, labels), end_text(filled.b, labels), middle)


def end_text(end: End, labels: Labels) -> str:
    """The text at one end of a link."""
    lines = []
    if labels.interfaces and end.interface:
        lines.append(end.interface.removeprefix(f"{end.node}-"))
    if labels.addresses:
        lines.extend(str(address) for address in end.addresses)
    return "\n".join(lines)


def shape_text(forward: Shape, reverse: Shape) -> str:
    """The values of a link in a line, or in a line for each direction if they differ."""
    first, second = _one_way(forward), _one_way(reverse)
    if first == second or not second:
        return first if first == second else f"{first} →"
    return f"→ {first or 'plain'}\n← {second}"


def _one_way(shape: Shape) -> str:
    parts = []
    if shape.rate_mbit is not None:
        rate = shape.rate_mbit
        parts.append(f"{rate / 1000:g} Gbit/s" if rate >= 1000 else f"{rate:g} Mbit/s")
    if shape.delay_ms or shape.jitter_ms:
        parts.append(f"{shape.delay_ms:g} ms" if not shape.jitter_ms else f"{shape.delay_ms:g}±{shape.jitter_ms:g} ms")
    if loss := shape.mean_loss_percent:
        parts.append(f"{loss:.3g} % loss")
    queue = (
        (shape.queue_packets, "pkt"), (shape.queue_ms, "ms queue"), (shape.queue_bdp, "BDP"),
    )  # fmt: skip
    parts.extend(f"{value:g} {unit}" for value, unit in queue if value is not None)
    if shape.queue_bytes is not None:
        parts.append(size_words(shape.queue_bytes))
    if shape.queue is not None:
        parts.append(shape.queue.kind)
    if shape.qdiscs:
        parts.append(f"tc: {', '.join(shape.qdisc_kinds)}")
    return ", ".join(parts)
