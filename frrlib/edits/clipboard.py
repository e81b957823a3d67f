"""Copying part of a drawing, and putting it into the same or another one under fresh names and addresses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from frrlib.addressing.addressing import addressed
from frrlib.edits.annotations import fresh_ids
from frrlib.edits.interfaces import moved_end
from frrlib.edits.new_names import LETTERS, fresh_link_ids, fresh_names, result_ids, used_flow_ids
from frrlib.edits.parts import controllers_of, known_names, with_controllers
from frrlib.edits.readdress import UsedAddresses, without_clashes
from frrlib.edits.references import updated
from frrlib.model.annotations import Annotation, on_canvas
from frrlib.model.base import INTERFACE_NAME_LENGTH, Value
from frrlib.model.flows import Flow
from frrlib.model.links import Link
from frrlib.model.names import free_name, numbered
from frrlib.model.nodes import SWITCHING, Controller, Node
from frrlib.model.topology import Topology

_LONGEST_NAME = 64
#: Letters before a number that are counted on; longer ones get a suffix, so that names do not grow over the limit.
_LONGEST_LETTER = 10


class Clip(Value):
    """A part that was copied: nodes, the links and the flows among them, and annotations.

    Attributes:
        drawn: the part as it was drawn.
        filled: the same with the names and addresses that it had in its drawing.
    """

    drawn: Topology = Topology()
    filled: Topology = Topology()


def copy(topology: Topology, names: Iterable[str], annotation_ids: Iterable[str] = ()) -> Clip:
    """Copy nodes with the links and flows among them, and annotations.

    Raises:
        TopologyError: there is no such node.
    """
    wanted, noted = set(known_names(topology, names)), set(annotation_ids)
    annotations = tuple(each for each in topology.annotations if each.id in noted)
    drawn = _part(topology, wanted).model_copy(update={"annotations": annotations})
    return Clip(drawn=drawn, filled=_part(addressed(topology), wanted))


def _part(topology: Topology, wanted: set[str]) -> Topology:
    return Topology(
        nodes=tuple(node for node in topology.nodes if node.name in wanted),
        links=tuple(link for link in topology.links if link.a.node in wanted and link.b.node in wanted),
        flows=tuple(flow for flow in topology.flows if flow.source in wanted and flow.destination in wanted),
    )


def paste(topology: Topology, clip: Clip, dx: float = 0.0, dy: float = 0.0) -> tuple[Topology, dict[str, str]]:
    """Put a copy into a drawing.

    Names, link ids and flow ids stay where none of their letter is taken; else they go on counting. Stated addresses,
    networks, hardware addresses and datapath ids that the drawing has already become automatic. What the part says of
    itself (BGP sessions, static routes, default routes, OSPF areas, controllers) follows; what it says of nodes that
    were not copied is left out. Free text stays as it is.

    Args:
        topology: the drawing.
        clip: what to put into it.
        dx, dy: how far from where it was, in pixels.

    Returns:
        The drawing, and the names of the new nodes by their names in the clip.
    """
    part = clip.drawn
    names = _new_names(topology, part.nodes)
    used = UsedAddresses(topology)
    controllers = {node.name for node in topology.nodes if isinstance(node, Controller)}
    numbers = _numbers(topology, part.nodes, names)
    nodes = tuple(
        _node(node, names, number, controllers, dx, dy) for node, number in zip(part.nodes, numbers, strict=True)
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
    return updated(grown, part, clip.filled, names, used), names


def merge(topology: Topology, other: Topology, dx: float = 0.0, dy: float = 0.0) -> tuple[Topology, dict[str, str]]:
    """Put the nodes, links, flows and annotations of another drawing into this one, as `paste` does.

    The title, the preferences and what a run waits for stay this drawing's.
    """
    part = copy(other, [node.name for node in other.nodes], [each.id for each in other.annotations])
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
    """Old names to new ones. Where a name of a letter is taken, all of that letter count on: they stay in order."""
    taken = {node.name for node in topology.nodes}
    clashing = {letter for node in nodes if node.name in taken and (letter := _letter(node.name))}
    kept = {node.name for node in nodes if node.name not in taken and _letter(node.name) not in clashing}
    counters: dict[str, Iterator[str]] = {}
    names: dict[str, str] = {}
    given = set(kept)
    for node in nodes:
        letter = _letter(node.name)
        if node.name in kept:
            names[node.name] = node.name
        elif letter and len(letter) <= _LONGEST_LETTER:
            counter = counters.setdefault(letter, fresh_names(topology, letter))
            names[node.name] = next(name for name in counter if name not in given)
        else:
            length = INTERFACE_NAME_LENGTH if node.kind in SWITCHING else _LONGEST_NAME
            names[node.name] = free_name(node.name, taken | given, length)
        given.add(names[node.name])
    return names


def _numbers(topology: Topology, nodes: tuple[Node, ...], names: Mapping[str, str]) -> Iterator[int | None]:
    """MiniEdit's number of each new node: that of its new name, or one that no other has."""
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


def _letter(name: str) -> str:
    parts = numbered(name)
    return parts[0] if parts else ""


def _new_link_ids(topology: Topology, links: tuple[Link, ...]) -> list[str]:
    taken = {link.id for link in topology.links}
    if not taken & {link.id for link in links}:
        return [link.id for link in links]
    fresh = fresh_link_ids(topology)
    return [next(fresh) for _ in links]


def _flows(topology: Topology, flows: tuple[Flow, ...], names: Mapping[str, str]) -> Iterator[Flow]:
    taken = used_flow_ids(topology)
    for flow in flows:
        name, count = flow.id, 1
        while not taken.isdisjoint(spelt := _ids(flow, name)):
            count += 1
            name = f"{flow.id[:50]}_{count}"
        taken |= spelt
        ends = {"source": names[flow.source], "destination": names[flow.destination]}
        yield flow.model_copy(update={"id": name, **ends})


def _annotations(topology: Topology, annotations: tuple[Annotation, ...], dx: float, dy: float) -> Iterator[Annotation]:
    for each, fresh in zip(annotations, fresh_ids(topology), strict=False):
        yield each.model_copy(update={"id": fresh, "x": on_canvas(each.x + dx), "y": on_canvas(each.y + dy)})


def _ids(flow: Flow, name: str) -> set[str]:
    return {name, *result_ids(flow.model_copy(update={"id": name}))}


# --- nodes and links ----------------------------------------------------------------------------------------------


def _node(node: Node, names: Mapping[str, str], number: int | None, there: set[str], dx: float, dy: float) -> Node:
    """The node under its new name and number, moved, with those controllers that are copied or `there`."""
    update = {"name": names[node.name], "number": number, "x": on_canvas(node.x + dx), "y": on_canvas(node.y + dy)}
    listed = controllers_of(node)
    kept = (names.get(each, each) for each in listed if each in names or each in there)
    return with_controllers(node.model_copy(update=update), kept)


def _links(links: tuple[Link, ...], names: Mapping[str, str], ids: list[str]) -> Iterator[Link]:
    for link, link_id in zip(links, ids, strict=True):
        a, b = (moved_end(end, names[end.node], set()) for end in link.ends)
        yield link.model_copy(update={"id": link_id, "a": a, "b": b})
