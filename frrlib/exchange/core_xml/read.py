"""Reads scenarios of CORE. Nothing is executed, and no further file is read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from frrlib.errors import TopologyError
from frrlib.exchange.assembly import Part, PartKind, assembled, part_name
from frrlib.exchange.core_xml.link_values import WIRELESS, shape_of, wireless_values
from frrlib.exchange.core_xml.scenario import CoreNode, interface_of, nodes_of
from frrlib.exchange.core_xml.services import apply_services, is_router
from frrlib.exchange.core_xml.shapes import annotations_of
from frrlib.exchange.interface_names import usable_interface
from frrlib.exchange.xml_text import Element, InvalidXml, parse_xml
from frrlib.formats import own
from frrlib.formats.entry import Notices, brief, path_text
from frrlib.formats.jsontext import InvalidFile
from frrlib.formats.mininet_remarks import CORE_KEY, Remarks
from frrlib.formats.mn import LoadedFile
from frrlib.model.links import Link, Shape
from frrlib.model.problem import note

#: Parts of a scenario that are read, or that only CORE's daemon and window use.
_USED = frozenset(("networks", "devices", "links", "service_configurations", "configservice_configurations",
                   "default_services", "session_metadata", "session_origin", "session_options", "configservices",
                   "mobility_configurations", "emane_configurations", "emane_global_configuration"))  # fmt: skip
#: Networks that lead out of the lab.
_OUTSIDE = {"RJ45": "an interface of the machine", "TUNNEL": "a tunnel", "TAP_BRIDGE": "an interface of the machine"}


def refuse_imn(path: Path) -> LoadedFile:
    """Raise TopologyError for a file of CORE's former window."""
    remedy = "open it in CORE 6 or 7, save it as .xml there, and open that"
    raise TopologyError("is a file of CORE's former window (.imn), which is not read", node=path.name, remedy=remedy)


def loads(data: bytes, path: Path) -> LoadedFile:
    """Read a topology from a file's content.

    Args:
        data: the content.
        path: the file, for messages.

    Raises:
        TopologyError: the content is no scenario of CORE; with the line and the element.
    """
    try:
        return _read(parse_xml(data))
    except ValidationError as problem:
        raise TopologyError(own.refusal(problem, None, ()).reason, node=path.name) from None
    except InvalidFile as problem:
        remedy = problem.remedy if isinstance(problem, InvalidXml) else ""
        field = path_text(problem.path)
        raise TopologyError(problem.reason, node=path.name, field=field, line=problem.line, remedy=remedy) from None


def _read(root: Element) -> LoadedFile:
    if root.tag.lower() != "scenario" or (root.child("networks", "devices", "links") is None and root.children):
        reason = f"has the element <{root.tag[:40]}> without <networks> and <devices>, so it is no scenario of CORE"
        raise InvalidXml(reason, root.line, "save the scenario as .xml in CORE 6 or later")
    notices = Notices()
    for child in root.children:
        if child.tag == "session_hooks":
            names = ", ".join(hook.get("name") for hook in child.all("hook"))
            reason = f"line {child.line}: scripts of the machine are left out: {names[:200]}"
            notices.add(note("core-option", "", child.place, reason))
        elif child.tag not in _USED:
            reason = f"line {child.line}: has no equivalent here and is left out"
            notices.add(note("core-option", "", child.place, reason))
    nodes = nodes_of(root)
    parts = _parts(nodes.values(), notices)
    links = _Links(root, nodes, parts, notices)
    for element in root.all("links", "link"):
        links.add(element)
    is_former = any(element.get("node_one") for element in root.all("links", "link"))
    for node in nodes.values():
        node.interfaces.sort(key=lambda interface: interface.number)
        _remark_on_node(node, parts[node.number])
        if not node.is_network:
            apply_services(parts[node.number], node, is_former=is_former)
    topology = assembled(_title(root), list(parts.values()), links.finish(), annotations_of(root))
    return LoadedFile(topology, notices.all())


def _title(root: Element) -> str:
    name = root.get("name").rpartition("/")[2].removesuffix(".xml")
    return "" if name.startswith("tmp") else name


def _parts(nodes: Iterable[CoreNode], notices: Notices) -> dict[str, Part]:
    parts: dict[str, Part] = {}
    used: set[str] = set()
    for node in nodes:
        name = part_name(node.name, used, is_bridge=node.is_network)
        kind: PartKind = "bridge" if node.is_network else "router" if is_router(node) else "host"
        remarks = Remarks(name, "node", notices, CORE_KEY)
        parts[node.number] = Part(name, kind, remarks, node.position)
        if name != node.name:
            remarks.add("name", f"line {node.element.line}: the name {brief(node.name)} is {name} here")
    return parts


def _remark_on_node(node: CoreNode, part: Part) -> None:
    line = node.element.line
    if node.kind in WIRELESS:
        model = f" of {node.element.get('model')}" if node.element.get("model") else ""
        reason = f"line {line}: the wireless network{model} is a bridge, without ranges, movement and radio"
        part.remarks.add("type", f"{reason}: all its stations reach each other")
    elif node.kind in _OUTSIDE:
        part.remarks.add("type", f"line {line}: {_OUTSIDE[node.kind]} is a bridge here, and leads nowhere")
    elif node.is_network and node.kind not in ("SWITCH", "HUB", "PEER_TO_PEER"):
        part.remarks.add("type", f"line {line}: a network of the type {brief(node.kind)} is a bridge here")
    elif node.kind == "HUB":
        part.remarks.add("type", f"line {line}: a hub is a bridge here, which learns addresses")
    if node.element.get("class") in ("docker", "podman", "lxc"):
        image = brief(node.element.get("image"))
        part.remarks.add("image", f"line {line}: no container of {image} is started; the node is a namespace")
    if node.element.get("server"):
        part.remarks.add("server", f"line {line}: the node runs on this machine")


class _Links:
    """Makes links of elements; two elements of one link have the shapes of its two directions."""

    def __init__(self, root: Element, nodes: dict[str, CoreNode], parts: dict[str, Part], notices: Notices) -> None:
        self._root, self._nodes, self._parts, self._notices = root, nodes, parts, notices
        self._links: list[Link] = []
        self._remarks: list[Remarks] = []
        self._one_way: dict[tuple[tuple[str, str], tuple[str, str]], int] = {}

    def add(self, element: Element) -> None:
        """Add a link, or the other direction of one."""
        numbers = [element.get("node1", "node_one"), element.get("node2", "node_two")]
        for number in numbers:
            if number not in self._nodes:
                remedy = "the id of a device or network, or remove the link"
                raise element.fault(f"refers to the node {brief(number)}", remedy)
        interfaces = self._interfaces(element, numbers)
        key = ((numbers[0], interfaces[0]), (numbers[1], interfaces[1]))
        options = element.child("options")
        one_way = options is not None and options.get("unidirectional") in ("1", "true", "True")
        reverse = self._one_way.get((key[1], key[0]))
        if one_way and options is not None and reverse is not None:
            shape = shape_of(options, self._remarks[reverse])
            self._links[reverse] = self._links[reverse].model_copy(update={"b_to_a": shape})
            return
        remarks = Remarks(f"l{len(self._links) + 1}", "link", self._notices, CORE_KEY)
        shape = shape_of(options, remarks) if options is not None else Shape()
        shapes = [shape, Shape() if one_way else shape]
        if options is None:
            shapes = self._wireless(numbers, remarks)
        a, b = (self._parts[number].end(name) for number, name in zip(numbers, interfaces, strict=True))
        link = Link(id=remarks.owner, a=a, b=b, a_to_b=shapes[0], b_to_a=shapes[1])
        if one_way:
            self._one_way[key] = len(self._links)
        self._links.append(link)
        self._remarks.append(remarks)

    def _interfaces(self, element: Element, numbers: list[str]) -> list[str]:
        """The names of both interfaces; empty at a network. The nodes get the interfaces with their addresses."""
        names = []
        tags = (("iface1", "interface_one"), ("iface2", "interface_two"))
        for number, other, (new, old) in zip(numbers, reversed(numbers), tags, strict=True):
            node = self._nodes[number]
            if node.is_network:
                names.append("")
                continue
            peer = self._nodes[other]
            typed = interface_of(element.child(new, old), len(node.interfaces), peer.kind if peer.is_network else "")
            name = usable_interface(typed.name)
            part = self._parts[number]
            if all(interface.name != name for interface in node.interfaces):
                node.interfaces.append(replace(typed, name=name))
                interface = part.interface(name)
                interface.addresses, interface.mac = list(typed.addresses), typed.mac
            if name != typed.name:
                part.remarks.add(typed.name, f"line {element.line}: the interface {brief(typed.name)} is {name} here")
            names.append(name)
        return names

    def _wireless(self, numbers: list[str], remarks: Remarks) -> list[Shape]:
        """The shapes of a link to a wireless network, which shapes the packets to each station."""
        for side, number in enumerate(numbers):
            node = self._nodes[number]
            if node.kind in WIRELESS and (values := wireless_values(self._root, node.element)) is not None:
                shape = shape_of(values, remarks)
                return [shape, Shape()] if side == 0 else [Shape(), shape]
        return [Shape(), Shape()]

    def finish(self) -> list[Link]:
        """The links with the settings of their nodes and the remarks on them."""
        by_name = {part.name: part for part in self._parts.values()}
        links = []
        for link, remarks in zip(self._links, self._remarks, strict=True):
            ends = {side: by_name[end.node].end(end.interface) for side, end in (("a", link.a), ("b", link.b))}
            links.append(link.model_copy(update={**ends, "foreign": remarks.foreign()}))
        return links
