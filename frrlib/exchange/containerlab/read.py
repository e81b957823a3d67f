"""Reads topologies of containerlab. Nothing is executed, and only files in the folder of the topology are read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from frrlib.edits.parts import with_nodes
from frrlib.edits.spring_layout import auto_layout
from frrlib.errors import TopologyError
from frrlib.exchange.configurations.routers import with_configurations
from frrlib.exchange.containerlab.bound_files import FileReader
from frrlib.exchange.containerlab.definitions import Definition, definitions
from frrlib.exchange.containerlab.link_entries import LinkEnd, LinkEntry, link_entries
from frrlib.exchange.containerlab.node_entries import MACHINE, NodeEntry, node_entry
from frrlib.exchange.containerlab.own_file import own_file, with_own_file
from frrlib.exchange.containerlab.yaml_text import LARGEST_BYTES, InvalidYaml, YamlValue, parse_yaml
from frrlib.exchange.interface_names import usable_interface
from frrlib.formats import own
from frrlib.formats.entry import Notices, path_text
from frrlib.formats.jsontext import InvalidFile, decode_text
from frrlib.formats.mininet_remarks import CONTAINERLAB_KEY, Remarks
from frrlib.formats.mn import LoadedFile
from frrlib.model.links import End, Link
from frrlib.model.names import node_name_fault, sanitized
from frrlib.model.problem import note
from frrlib.model.topology import Topology

#: Keys of the file that concern containers and their management.
_WITHOUT_EFFECT = ("name", "prefix", "mgmt", "settings", "debug", "topology")


def loads(data: bytes, path: Path) -> LoadedFile:
    """Read a topology from a file's content, with the fields in the file that this program writes beside it.

    Args:
        data: the content.
        path: the file; the files of its nodes are read from its folder.

    Raises:
        TopologyError: the content is no topology of containerlab; with the line and the key.
    """
    loaded = plain(data, path)
    try:
        return with_own_file(loaded, path, data)
    except InvalidFile as problem:
        beside = own_file(path).name
        field = path_text(tuple(step for step in problem.path if step != beside))
        remedy = "correct it, or delete it to read the files of containerlab alone"
        raise TopologyError(problem.reason, node=beside, field=field, line=problem.line, remedy=remedy) from None


def plain(data: bytes, path: Path) -> LoadedFile:
    """Read the topology that the files of containerlab express.

    Args:
        data: the content.
        path: the file; the files of its nodes are read from its folder.

    Raises:
        TopologyError: the content is no topology of containerlab; with the line and the key.
    """
    try:
        if len(data) > LARGEST_BYTES:
            raise InvalidYaml(f"is larger than {LARGEST_BYTES // 2**20} MiB, the limit for a topology of containerlab")
        return _read(parse_yaml(decode_text(data)), path)
    except ValidationError as problem:
        raise TopologyError(own.refusal(problem, None, ()).reason, node=path.name) from None
    except InvalidFile as problem:
        remedy = problem.remedy if isinstance(problem, InvalidYaml) else ""
        field = path_text(problem.path)
        raise TopologyError(problem.reason, node=path.name, field=field, line=problem.line, remedy=remedy) from None


def _read(root: YamlValue, path: Path) -> LoadedFile:
    members = root.members("name: LAB and topology: on lines of their own")
    if "topology" not in members:
        remedy = "a file of containerlab has topology: with nodes: and links: below"
        raise InvalidYaml("has no topology", (), root.line, remedy)
    content = members["topology"].members("nodes: and links: below")
    name = members["name"].text() if "name" in members else ""
    notices = Notices()
    for key, value in members.items():
        if key not in _WITHOUT_EFFECT:
            notices.add(note("containerlab-option", "", key, f"line {value.line}: has no equivalent here"))
    nodes = definitions(content)
    machines = {definition.name for definition in nodes if definition.kind == MACHINE}
    links = link_entries(content.get("links"), {definition.name for definition in nodes})
    inside = [node for node in nodes if node.name not in machines]
    entries = _nodes(inside, links, FileReader(path.parent, name), notices)
    topology = Topology(
        title=name[:200], nodes=tuple(entry.node() for entry in entries.values()), links=_links(links, entries, notices)
    )
    topology = with_configurations(topology, entries.values())
    for entry in entries.values():
        node = topology.node(entry.name)
        assert node is not None
        topology = with_nodes(topology, {node.name: node.model_copy(update={"foreign": entry.foreign()})})
    if not any(node.x or node.y for node in topology.nodes):
        topology = auto_layout(topology)
    return LoadedFile(topology, notices.all())


def _nodes(
    nodes: Iterable[Definition], links: Iterable[LinkEntry], reader: FileReader, notices: Notices
) -> dict[str, NodeEntry]:
    """The nodes by their names in the file."""
    interfaces: dict[str, dict[str, None]] = {}
    for link in links:
        for end in link.ends if len(link.ends) == 2 else ():
            interfaces.setdefault(end.node, {})[end.interface] = None
    entries: dict[str, NodeEntry] = {}
    nodes = list(nodes)
    used = {definition.name for definition in nodes if not node_name_fault(definition.name)}
    for definition in nodes:
        name = definition.name
        if node_name_fault(name):
            name = sanitized(name, used)
            used.add(name)
        own_interfaces = tuple(interfaces.get(definition.name, ()))
        entries[definition.name] = node_entry(definition, name, own_interfaces, reader, notices)
    return entries


def _links(links: Iterable[LinkEntry], entries: dict[str, NodeEntry], notices: Notices) -> tuple[Link, ...]:
    inner: list[Link] = []
    for link in links:
        inside = [end for end in link.ends if end.node in entries]
        if len(inside) < 2:
            outside = link.outside or ", ".join(end.node for end in link.ends if end not in inside)
            reason = f"line {link.line}: the link to {outside} leads out of the lab and is left out"
            if inside:
                entries[inside[0].node].remarks.add(link.place, reason)
            else:
                notices.add(note("containerlab-option", "", link.place, reason))
            continue
        inner.append(_link(f"l{len(inner) + 1}", link, entries, notices))
    return tuple(inner)


def _link(link_id: str, link: LinkEntry, entries: dict[str, NodeEntry], notices: Notices) -> Link:
    remarks = Remarks(link_id, "link", notices, CONTAINERLAB_KEY)
    a, b = (_end(end, link, entries[end.node], remarks) for end in link.ends)
    shapes = [entries[end.node].settings.interfaces[end.interface].shape for end in link.ends]
    for key, line in link.unused:
        remarks.add(key, f"line {line}: has no equivalent here and is left out")
    try:
        return Link(id=link_id, a=a, b=b, a_to_b=shapes[0], b_to_a=shapes[1], foreign=remarks.foreign())
    except ValidationError as problem:
        refused = own.refusal(problem, None, ())
        raise InvalidYaml(refused.reason, ("topology", link.place), link.line) from None


def _end(end: LinkEnd, link: LinkEntry, entry: NodeEntry, remarks: Remarks) -> End:
    settings = entry.settings.interfaces[end.interface]
    interface = usable_interface(end.interface)
    if interface != end.interface:
        remarks.add(f"{entry.name}.interface", f"line {link.line}: {end.interface!r} is {interface} here")
    addresses = tuple(dict.fromkeys((*end.addresses, *settings.addresses)))
    if entry.kind in ("bridge", "switch"):
        addresses = ()
    mac = settings.mac or end.mac
    return End(
        node=entry.name,
        interface=interface,
        addresses=addresses,
        mac=mac.lower(),
        mtu_bytes=settings.mtu_bytes or link.mtu_bytes,
    )
