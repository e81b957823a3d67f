"""Writes topologies as a folder of containerlab: the file of the topology, and FRR's configuration of each router."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from frrlib.addressing.resolved import resolved
from frrlib.configs.folders import export_folder
from frrlib.errors import PlaceError, TopologyError
from frrlib.exchange.containerlab import own_file, read
from frrlib.exchange.containerlab.node_commands import commands_of
from frrlib.exchange.containerlab.node_entries import KIND_LABEL, POSITION
from frrlib.formats.files import replace_file
from frrlib.formats.mininet_remarks import CONTAINERLAB
from frrlib.model.links import Link
from frrlib.model.nodes import Bridge, Controller, Host, Node, Router, Switch
from frrlib.model.topology import Topology
from frrlib.render.plan import plan
from frrlib.wire.plan import Plan

#: Images of nodes that have none of their own: FRR, and programs for hosts, with `ip` and `tc`.
FRR_IMAGE, HOST_IMAGE = "quay.io/frrouting/frr:10.2.1", "nicolaka/netshoot:v0.13"
_NODE_NAME, _NO_LAB_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._|-]*"), re.compile(r"[^a-zA-Z0-9._-]+")


@dataclass(frozen=True)
class WrittenLab:
    """The result of writing a topology.

    Attributes:
        file: the file of the topology.
        notes: the parts of the topology that have no equivalent, one sentence each.
    """

    file: Path
    notes: tuple[str, ...]


class _InOneLine(list[str]):
    """A list that is written in one line."""


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Writes `_InOneLine` in one line."""


_Dumper.add_representer(
    _InOneLine, lambda dumper, items: dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=True)
)


def lab_file(topology: Topology, folder: Path, stem: str = "") -> Path:
    """The file that `write` would make: NAME.clab.yml in the folder.

    Args:
        topology: the topology.
        folder: the folder.
        stem: the name of the lab; empty for the topology's title.
    """
    return folder / f"{_lab_name(stem or topology.title)}.clab.yml"


def write(topology: Topology, folder: Path, stem: str = "") -> WrittenLab:
    """Write a topology as a lab of containerlab.

    Args:
        topology: the topology.
        folder: the folder, which is created if it is missing.
        stem: the name of the lab; empty for the topology's title.

    Raises:
        TopologyError: containerlab does not accept a name.
        PlaceError: a file cannot be written.
    """
    for node in topology.nodes:
        if not _NODE_NAME.fullmatch(node.name):
            remedy = "rename it: a name starts with a letter or a digit"
            raise TopologyError("is no name of a node of containerlab", node=node.name, about="node", remedy=remedy)
    without_controllers = _without_controllers(topology)
    whole = resolved(without_controllers)
    file = lab_file(topology, folder, stem)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise PlaceError(f"{folder} cannot be created: {problem.strerror}", "choose another folder") from None
    routers = export_folder(without_controllers, folder)
    lab_plan = plan(_without_ready_links(whole))
    content = {
        "name": _lab_name(stem or topology.title),
        "topology": {
            "defaults": {"kind": "linux", "network-mode": "none"},
            "nodes": {node.name: _entry(node, lab_plan) for node in whole.nodes},
            "links": [_link(link) for link in whole.links],
        },
    }
    head = f"# {topology.title}\n" if topology.title.isprintable() and topology.title else ""
    text = head + yaml.dump(content, Dumper=_Dumper, sort_keys=False, width=1000, allow_unicode=True)
    data = text.encode()
    replace_file(file, data)
    plain = read.plain(data, file).topology
    files = {file.name: data}
    for name in routers:
        files |= {f"{name}/{part}": (folder / name / part).read_bytes() for part in ("frr.conf", "daemons")}
    replace_file(own_file.own_file(file), own_file.own_text(without_controllers, plain, files).encode())
    return WrittenLab(file, tuple(dict.fromkeys(_notes(topology, lab_plan))))


def _lab_name(title: str) -> str:
    return _NO_LAB_NAME.sub("-", title).strip("-._")[:60] or "lab"


def _without_controllers(topology: Topology) -> Topology:
    names = {node.name for node in topology.nodes if isinstance(node, Controller)}
    links = tuple(link for link in topology.links if not {link.a.node, link.b.node} & names)
    known = {node.name for node in topology.nodes}
    links = tuple(link for link in links if {link.a.node, link.b.node} <= known)
    nodes = tuple(node for node in topology.nodes if node.name not in names)
    return topology.model_copy(update={"nodes": nodes, "links": links})


def _without_ready_links(topology: Topology) -> Topology:
    """The topology without faults, for which a lab prepares links that have neither delay nor loss yet."""
    return topology.model_copy(update={"faults": ()})


def _entry(node: Node, lab_plan: Plan) -> dict[str, Any]:
    """The entry of a node."""
    preserved = json.loads(node.foreign).get(CONTAINERLAB, {}) if node.foreign else {}
    labels = {**preserved.pop("labels", {}), KIND_LABEL: node.kind}
    labels |= {key: f"{value:g}" for key, value in zip(POSITION, (node.x, node.y), strict=True)}
    is_linked = any(node.name in (link.a.node, link.b.node) for link in lab_plan.links)
    if isinstance(node, Switch) or (isinstance(node, Bridge) and not is_linked):
        return {"kind": "ovs-bridge" if isinstance(node, Switch) else "bridge", "labels": labels}
    runs_frr = isinstance(node, Router) and node.runs_frr
    entry: dict[str, Any] = {"image": FRR_IMAGE if runs_frr else HOST_IMAGE, **preserved, "labels": labels}
    if runs_frr:
        parts = ("daemons", "frr.conf", "vtysh.conf")
        entry["binds"] = [f"{node.name}/{part}:/etc/frr/{part}" for part in parts]
    if commands := commands_of(node, lab_plan):
        entry["exec"] = commands
    return entry


def _link(link: Link) -> dict[str, Any]:
    """A link, in the short form if it has no hardware addresses."""
    if not link.a.mac and not link.b.mac:
        return {"endpoints": _InOneLine(f"{end.node}:{end.interface}" for end in link.ends)}
    ends = [
        {"node": end.node, "interface": end.interface, **({"mac": end.mac} if end.mac else {})} for end in link.ends
    ]
    return {"type": "veth", "endpoints": ends}


def _notes(topology: Topology, lab_plan: Plan) -> Iterator[str]:
    """The parts of the topology that containerlab has no equivalent for."""
    for node in topology.nodes:
        if isinstance(node, Controller):
            yield f"{node.name}: controllers are left out"
        elif isinstance(node, Switch):
            yield f"{node.name}: containerlab does not create switches; run before: ovs-vsctl add-br {node.name}"
        if node.stop_command:
            yield f"{node.name}: the stop command is not run"
        if isinstance(node, Host) and (node.cpu_percent is not None or node.cores or node.scheduler != "host"):
            yield f"{node.name}: limits of processors are left out"
        if isinstance(node, Host) and node.private_directories:
            yield f"{node.name}: private folders are left out; all folders of a container are its own"
        if isinstance(node, Host | Switch) and node.external_interfaces:
            yield f"{node.name}: interfaces of the machine are left out"
    if lab_plan.delay_tables:
        yield "measured distributions of delays are left out; delays are spread evenly"
    for count, words in (
        (len(topology.flows), "flows are not sent"),
        (len(topology.faults), "faults are not injected"),
        (len(topology.annotations), "notes and shapes are not drawn"),
        (len(topology.kernel_modules), "kernel modules are not loaded"),
        (len(topology.kernel_parameters), "kernel parameters are not set"),
    ):
        if count:
            yield f"{words}: {count}, which the file .miniedit-frr.json keeps"
