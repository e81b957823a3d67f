"""Reads labs of Kathara. Nothing is executed, and only files in the folder of the lab are read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from frrlib.edits.layouts import rows
from frrlib.edits.parts import with_nodes
from frrlib.edits.spring_layout import auto_layout
from frrlib.errors import TopologyError
from frrlib.exchange.configurations.routers import with_configurations
from frrlib.exchange.kathara.device_entries import DeviceEntry, device_entry
from frrlib.exchange.kathara.device_files import LabFolder
from frrlib.exchange.kathara.lab_conf import (
    FILE,
    LARGEST_BYTES,
    Attachment,
    Device,
    InvalidLab,
    LabConf,
    parse_lab_conf,
)
from frrlib.formats import own
from frrlib.formats.entry import Notices
from frrlib.formats.jsontext import InvalidFile, decode_text
from frrlib.formats.mn import LoadedFile
from frrlib.model.links import End, Link
from frrlib.model.names import node_name_fault, sanitized
from frrlib.model.nodes import Bridge, Node
from frrlib.model.problem import note
from frrlib.model.topology import Topology

#: A layout by springs takes too long for more nodes.
_MOST_LAID_OUT = 300
#: Files of a lab that have an effect in Kathara and none here.
_OTHER_FILES = {
    "lab.ext": "collision domains that lead out of the lab are left out",
    "lab.dep": "the order in which devices start has no equivalent here",
    "shared": "the folder that all devices share has no equivalent here",
}


def loads(data: bytes, path: Path) -> LoadedFile:
    """Read a topology from the content of a `lab.conf`.

    Args:
        data: the content.
        path: the file; the files of its devices are read from its folder.

    Raises:
        TopologyError: a file of the lab is not as it must be; with the file and the line.
    """
    try:
        if len(data) > LARGEST_BYTES:
            raise InvalidLab(f"is larger than {LARGEST_BYTES // 2**20} MiB, the limit for a lab of Kathara")
        return _read(parse_lab_conf(decode_text(data)), path)
    except ValidationError as problem:
        raise TopologyError(own.refusal(problem, None, ()).reason, node=path.name) from None
    except InvalidFile as problem:
        file, remedy = (problem.file, problem.remedy) if isinstance(problem, InvalidLab) else (FILE, "")
        raise TopologyError(problem.reason, node=file, line=problem.line, remedy=remedy) from None


def _read(conf: LabConf, path: Path) -> LoadedFile:
    notices = Notices()
    folder = LabFolder(path.parent)
    names = _names(conf.devices)
    entries = {
        device.name: device_entry(device, names[device.name], folder, notices) for device in conf.devices.values()
    }
    for name, reason in _OTHER_FILES.items():
        if os.path.lexists(path.parent / name):
            notices.add(note("kathara-option", "", name, reason))
    bridges, links = _wired(conf, entries)
    topology = Topology(
        title=conf.metadata.get("NAME", conf.metadata.get("DESCRIPTION", ""))[:200],
        nodes=(*(entry.node() for entry in entries.values()), *bridges),
        links=links,
    )
    topology = with_configurations(topology, entries.values())
    _remark_on_automatic_values(topology, entries)
    topology = _with_remarks(topology, entries.values())
    is_small = len(topology.nodes) <= _MOST_LAID_OUT
    return LoadedFile(auto_layout(topology) if is_small else rows(topology), notices.all())


def _names(devices: Iterable[str]) -> dict[str, str]:
    """The names of nodes by the names of devices."""
    devices = list(devices)
    used = {name for name in devices if not node_name_fault(name)}
    names = {}
    for name in devices:
        names[name] = sanitized(name, used) if node_name_fault(name) else name
        used.add(names[name])
    return names


def _wired(conf: LabConf, entries: dict[str, DeviceEntry]) -> tuple[list[Bridge], tuple[Link, ...]]:
    """The links of all collision domains, and the bridges of those that do not join exactly two devices."""
    used = {entry.name for entry in entries.values()}
    bridges: list[Bridge] = []
    links: list[Link] = []
    for domain, members in conf.domains().items():
        ends = [_end(device, attachment, entries[device.name]) for device, attachment in members]
        shapes = [entries[device.name].settings.interfaces[at.interface].shape for device, at in members]
        if len(members) == 2 and members[0][0] is not members[1][0]:
            links.append(Link(id=f"l{len(links) + 1}", a=ends[0], b=ends[1], a_to_b=shapes[0], b_to_a=shapes[1]))
            continue
        name = domain if not node_name_fault(domain) and domain not in used else sanitized(f"net_{domain}", used)
        used.add(name)
        bridges.append(Bridge(name=name))
        for end, shape in zip(ends, shapes, strict=True):
            links.append(Link(id=f"l{len(links) + 1}", a=end, b=End(node=name), a_to_b=shape))
    return bridges, tuple(links)


def _end(device: Device, attachment: Attachment, entry: DeviceEntry) -> End:
    settings = entry.settings.interfaces[attachment.interface]
    return End(
        node=entry.name,
        interface=attachment.interface,
        addresses=() if entry.kind == "bridge" else tuple(dict.fromkeys(settings.addresses)),
        mac=(settings.mac or attachment.mac).lower(),
        mtu_bytes=settings.mtu_bytes,
    )


def _remark_on_automatic_values(topology: Topology, entries: dict[str, DeviceEntry]) -> None:
    """Remark on addresses and default routes that no command sets, since a lab here gives them."""
    without: dict[str, list[str]] = {}
    for link in topology.links:
        for end in link.ends:
            if not end.addresses:
                without.setdefault(end.node, []).append(end.interface)
    has_router = any(entry.kind == "router" for entry in entries.values())
    for entry in entries.values():
        place = f"{FILE} line {entry.device.line}"
        if entry.kind == "bridge":
            continue
        if interfaces := without.get(entry.name):
            reason = f"{place}: {', '.join(interfaces)} has no address in these files; a lab gives it one"
            entry.remarks.add("addresses", reason)
        if entry.kind == "host" and has_router and entry.settings.default_route is None and entry.device.attachments:
            reason = f"{place}: no command sets a default route; a lab uses the first router of the first network"
            entry.remarks.add("default route", reason)


def _with_remarks(topology: Topology, entries: Iterable[DeviceEntry]) -> Topology:
    """The topology with the remarks on each node in its file."""
    changed: dict[str, Node] = {}
    for entry in entries:
        node = topology.node(entry.name)
        assert node is not None
        changed[node.name] = node.model_copy(update={"foreign": entry.remarks.foreign()})
    return with_nodes(topology, changed)
