"""Copies a part of a topology, and pastes it into the same or another one with new names and addresses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from frrlib.addressing.addressing import addressed
from frrlib.edits.annotations import fresh_ids
from frrlib.edits.interfaces import renamed_end
from frrlib.edits.new_names import LETTERS, fresh_link_ids, fresh_names, used_flow_ids
from frrlib.edits.parts import controllers_of, known_names, with_controllers
from frrlib.edits.readdress import UsedAddresses, without_clashes
from frrlib.edits.references import with_updated_references
from frrlib.model.annotations import Annotation, on_canvas
from frrlib.model.base import INTERFACE_NAME_LENGTH, Value
from frrlib.model.flows import Flow
from frrlib.model.links import Link
from frrlib.model.names import free_name, numbered
from frrlib.model.nodes import SWITCHING, Controller, Node
from frrlib.model.topology import Topology

_LONGEST_NAME = 64
#: Maximum length of letters before a number that is counted up. Longer names get a suffix, to stay within the limit.
_LONGEST_LETTER = 10


class Clip(Value):
    """A copied part: nodes, the links and flows among them, and annotations.

    Attributes:
        stated: the part as in the topology.
        filled: the same with automatic names and addresses filled in.
    """

    stated: Topology = Topology()
    filled: Topology = Topology()


def copy(topology: Topology, names: Iterable[str], annotation_ids: Iterable[str] = ()) -> Clip:
    """Copy nodes with the links and flows among them, and annotations.

    Raises:
        TopologyError: there is no such node.
    """
    names_to_copy, ids = set(known_names(topology, names)), set(annotation_ids)
    annotations = tuple(annotation for annotation in topology.annotations if annotation.id in ids)
    part = _part(topology, names_to_copy).model_copy(update={"annotations": annotations})
    return Clip(stated=part, filled=_part(addressed(topology), names_to_copy))


def _part(topology: Topology, names: set[str]) -> Topology:
    return Topology(
        nodes=tuple(node for node in topology.nodes if node.name in names),
        links=tuple(link for link in topology.links if link.a.node in names and link.b.node in names),
        flows=tuple(flow for flow in topology.flows if flow.source in names and flow.destination in names),
    )


def paste(topology: Topology, clip: Clip, dx: float = 0.0, dy: float = 0.0) -> tuple[Topology, dict[str, str]]:
    """Paste a copied part into a topology.

    Names, link IDs and flow IDs are kept if they are free; otherwise the numbers are counted up. Stated addresses,
    networks, hardware addresses and datapath IDs that are in use become automatic. References within the part (BGP
    sessions, static routes, default routes, OSPF areas, controllers) follow; references to nodes that were not copied
    are removed. Free text is kept.

    Args:
        topology: the topology.
        clip: the copied part.
        dx, dy: distance from the original position, in pixels.

    Returns:
        The topology, and the names of the new nodes by their names in the clip.
    """
    part = clip.stated
    names = _new_names(topology, part.nodes)
    used = UsedAddresses(topology)
    controllers = {node.name for node in topology.nodes if isinstance(node, Controller)}
    numbers = _numbers(topology, part.nodes, names)
    originals = _original_names(topology, part.nodes, names)
    nodes = tuple(
        _node(node.model_copy(update={"original_name": original}), names, number, controllers, dx, dy)
        for node, number, original in zip(part.nodes, numbers, originals, strict=True)
    )
    links = tuple(_links(part.links, names, _new_link_ids(topology, part.links)))
    nodes, links = without_clashes(nodes, links, used)
    grown = topology.model_copy(
        update={
            "nodes": (*topology.nodes, *nodes),
            "links": (*topology.links, *links),
            "flows": (*topology.flows, *_flows(topology, part.flows, names)),
            "annotations": (*topology.annotations, *_annotations(topology, part.annotations, dx, dy)),
        }
    )
    return with_updated_references(grown, part, clip.filled, names, used), names


def merge(topology: Topology, added: Topology, dx: float = 0.0, dy: float = 0.0) -> tuple[Topology, dict[str, str]]:
    """Add the nodes, links, flows and annotations of another topology to this one, as `paste` does.

    Title, preferences and wait conditions of this topology are kept.
    """
    part = copy(added, [node.name for node in added.nodes], [annotation.id for annotation in added.annotations])
    return paste(topology, part, dx, dy)


def duplicate(
    topology: Topology, names: Iterable[str], dx: float, dy: float, annotation_ids: Iterable[str] = ()
) -> tuple[Topology, dict[str, str]]:
    """Copy nodes and annotations and paste them beside themselves.

    Raises:
        TopologyError: there is no such node.
    """
    return paste(topology, copy(topology, names, annotation_ids), dx, dy)


# --- names ------------------------------------------------------------------------------------------------------


def _new_names(topology: Topology, nodes: tuple[Node, ...]) -> dict[str, str]:
    """New names by old ones. If a name is taken, all names with its letter are counted up, to keep their order."""
    used = {name for node in topology.nodes for name in (node.name, node.address_name)}
    clashing = {letter for node in nodes if node.name in used and (letter := _letter(node.name))}
    unchanged = {node.name for node in nodes if node.name not in used and _letter(node.name) not in clashing}
    counters: dict[str, Iterator[str]] = {}
    names: dict[str, str] = {}
    assigned = set(unchanged)
    for node in nodes:
        letter = _letter(node.name)
        if node.name in unchanged:
            names[node.name] = node.name
        elif letter and len(letter) <= _LONGEST_LETTER:
            counter = counters.setdefault(letter, fresh_names(topology, letter))
            names[node.name] = next(name for name in counter if name not in assigned)
        else:
            length = INTERFACE_NAME_LENGTH if node.kind in SWITCHING else _LONGEST_NAME
            names[node.name] = free_name(node.name, used | assigned, length)
        assigned.add(names[node.name])
    return names


def _numbers(topology: Topology, nodes: tuple[Node, ...], names: Mapping[str, str]) -> Iterator[int | None]:
    """MiniEdit's number of each new node: that of its new name, or an unused one."""
    latest: dict[str, int] = {}
    for node in nodes:
        parts = numbered(names[node.name])
        letter = LETTERS[node.kind]
        if node.number is None or names[node.name] == node.name:
            yield node.number
        elif parts and parts[0] == letter:
            yield parts[1]
        else:
            first = next(fresh_names(topology, letter)).removeprefix(letter)
            everyone = [parts[1] for name in names.values() if (parts := numbered(name)) and parts[0] == letter]
            latest[letter] = max(latest.get(letter, int(first) - 1), *everyone, 0) + 1
            yield latest[letter]


def _original_names(topology: Topology, nodes: tuple[Node, ...], names: Mapping[str, str]) -> Iterator[str]:
    """The original name of each new node: empty if its name is new, or if another node's addresses derive from it."""
    used = {node.address_name for node in topology.nodes} | set(names.values())
    for node in nodes:
        yield node.original_name if names[node.name] == node.name and node.original_name not in used else ""


def _letter(name: str) -> str:
    parts = numbered(name)
    return parts[0] if parts else ""


def _new_link_ids(topology: Topology, links: tuple[Link, ...]) -> list[str]:
    used = {link.id for link in topology.links}
    if not used & {link.id for link in links}:
        return [link.id for link in links]
    fresh = fresh_link_ids(topology)
    return [next(fresh) for _ in links]


def _flows(topology: Topology, flows: tuple[Flow, ...], names: Mapping[str, str]) -> Iterator[Flow]:
    used = used_flow_ids(topology)
    for flow in flows:
        name, count = flow.id, 1
        while not used.isdisjoint(new_ids := _ids(flow, name)):
            count += 1
            name = f"{flow.id[:50]}_{count}"
        used |= new_ids
        ends = {"source": names[flow.source], "destination": names[flow.destination]}
        yield flow.model_copy(update={"id": name, **ends})


def _annotations(topology: Topology, annotations: tuple[Annotation, ...], dx: float, dy: float) -> Iterator[Annotation]:
    for annotation, fresh in zip(annotations, fresh_ids(topology), strict=False):
        yield annotation.model_copy(
            update={"id": fresh, "x": on_canvas(annotation.x + dx), "y": on_canvas(annotation.y + dy)}
        )


def _ids(flow: Flow, name: str) -> set[str]:
    """All IDs of a flow that is renamed, in the topology and in the results."""
    return {name, *flow.model_copy(update={"id": name}).result_ids}


# --- nodes and links ----------------------------------------------------------------------------------------------


def _node(node: Node, names: Mapping[str, str], number: int | None, existing: set[str], dx: float, dy: float) -> Node:
    """The node with its new name, number and position, and with controllers that are copied or exist already."""
    update = {"name": names[node.name], "number": number, "x": on_canvas(node.x + dx), "y": on_canvas(node.y + dy)}
    listed = controllers_of(node)
    remaining = (
        names.get(controller, controller) for controller in listed if controller in names or controller in existing
    )
    return with_controllers(node.model_copy(update=update), remaining)


def _links(links: tuple[Link, ...], names: Mapping[str, str], ids: list[str]) -> Iterator[Link]:
    for link, link_id in zip(links, ids, strict=True):
        a, b = (renamed_end(end, names[end.node], set()) for end in link.ends)
        yield link.model_copy(update={"id": link_id, "a": a, "b": b})
