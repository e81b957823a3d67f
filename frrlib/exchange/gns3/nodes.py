"""Nodes of a GNS3 project as hosts, routers and bridges, with the settings in their files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, get_args

from frrlib.conf.text import joined
from frrlib.exchange.assembly import Part, PartKind, script_steps
from frrlib.exchange.gns3.network_files import read_interfaces, read_vpcs
from frrlib.exchange.gns3.project_files import ProjectFiles
from frrlib.exchange.start_commands.commands import Step, steps_of
from frrlib.exchange.start_commands.node_settings import forwards
from frrlib.formats.entry import FileObject, Notices, brief, path_text, short, text
from frrlib.formats.mininet_remarks import GNS3_KEY, Remarks
from frrlib.model.protocols.common import Daemon

#: Nodes that forward by hardware address, and nodes that lead out of the lab.
SWITCHES = ("ethernet_switch", "ethernet_hub", "frame_relay_switch", "atm_switch")
OUTSIDE = ("cloud", "nat")
#: Nodes with the name of the program that runs them, which runs no system that a lab has.
_OTHERS = {
    "dynamips": "Dynamips (Cisco IOS)", "iou": "IOU (Cisco IOS)", "virtualbox": "VirtualBox", "vmware": "VMware",
    "qemu": "QEMU", "traceng": "TraceNG",
}  # fmt: skip
_FRR = re.compile(r"frr|quagga")
_ROUTER = re.compile(r"rout")
_DAEMONS = get_args(Daemon)
_ENABLED = re.compile(r"\s*(\w+)\s*=\s*\"?(?:yes|y|1|true)\"?\s*(?:#.*)?", re.IGNORECASE)
_ID = re.compile(r"[0-9a-fA-F-]{1,64}")
_ETC_FRR = ("etc/frr", "etc/quagga")
#: Files with lines of a configuration, the unified one first.
_CONFIGURED = ("frr.conf", "Quagga.conf", "zebra.conf", "staticd.conf", "bgpd.conf", "ospfd.conf", "ospf6d.conf",
               "ripd.conf", "ripngd.conf", "isisd.conf", "pimd.conf", "ldpd.conf", "bfdd.conf", "babeld.conf",
               "eigrpd.conf")  # fmt: skip
_SHELLS = ("sh", "bash", "/bin/sh", "/bin/bash", "ash", "/bin/ash", "-l")


@dataclass
class Gns3Node:
    """A node of a project.

    Attributes:
        number: its ID.
        name, kind: its name and type ("docker").
        place: its place in the file ("topology.nodes[2]").
        entry: its object in the file.
        properties: its properties.
        ports: the adapter and port of each end of a link at it.
    """

    number: str
    name: str
    kind: str
    place: str
    entry: FileObject
    properties: dict[str, Any]
    ports: list[tuple[int, int]] = field(default_factory=list)

    @property
    def image(self) -> str:
        """The name of its container's image or disk, in lower case."""
        for key in ("image", "hda_disk_image"):
            if isinstance(self.properties.get(key), str):
                return str(self.properties[key]).lower().replace("\\", "/").rpartition("/")[2]
        return ""

    @property
    def whole_image(self) -> str:
        """The name of the image with the part before it ("frrouting/frr:v8.2.2"), in lower case."""
        return str(self.properties.get("image") or "").lower()


def node_of(entry: FileObject) -> Gns3Node:
    """The node of an object in the list of nodes."""
    properties = entry.rest.get("properties")
    return Gns3Node(
        entry.take("node_id", short(64), ""),
        entry.take("name", text, ""),
        entry.take("node_type", short(64), ""),
        path_text(entry.path),
        entry,
        properties if isinstance(properties, dict) else {},
    )


def part_of(node: Gns3Node, name: str, files: ProjectFiles, notices: Notices) -> Part:
    """The part of the topology for a node, without the settings of its files.

    Args:
        node: the node.
        name: its name in the topology.
        files: the files of the project.
        notices: receives the remarks.
    """
    remarks = Remarks(name, "node", notices, GNS3_KEY)
    part = Part(name, _kind(node, files), remarks, _position(node.entry))
    if name != node.name:
        remarks.add("name", f"the name {brief(node.name)} is {name} here")
    label = node.entry.rest.get("label")
    label_text = label.get("text") if isinstance(label, dict) else None
    if isinstance(label_text, str) and label_text.strip() not in ("", node.name, name) and label_text.isprintable():
        part.label = label_text.strip()[:200]
    return part


def _position(entry: FileObject) -> tuple[float, float] | None:
    """The center of the node's symbol; in the file it is the left and the top."""
    try:
        x, y = float(entry.rest["x"]), float(entry.rest["y"])
        width, height = float(entry.rest.get("width") or 0), float(entry.rest.get("height") or 0)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    center = x + width / 2, y + height / 2
    return center if all(abs(value) < 1e5 for value in center) else None


def _kind(node: Gns3Node, files: ProjectFiles) -> PartKind:
    if node.kind in (*SWITCHES, *OUTSIDE):
        return "bridge"
    if node.kind == "qemu":
        return "router" if _FRR.search(node.image) else "host"
    if node.kind != "docker":
        return "host"
    symbol = str(node.entry.rest.get("symbol") or "").lower()
    is_router = _FRR.search(node.whole_image) or _ROUTER.search(node.image) or "router" in symbol
    has_folder = _ID.fullmatch(node.number) is not None and any(
        files.has_folder(f"{_folder(node)}/{path}") for path in _ETC_FRR
    )
    return "router" if is_router or has_folder or _forwards(node, files) else "host"


def _forwards(node: Gns3Node, files: ProjectFiles) -> bool:
    try:
        content = _text(node, files, "etc/network/interfaces")
    except ValueError:
        return False
    lines = [line.strip().partition(" ")[2].strip() for line in content.splitlines() if "forward" in line]
    return any(forwards(script_steps(line, "interfaces")) for line in lines)


def _folder(node: Gns3Node) -> str:
    return f"project-files/{node.kind}/{node.number}"


def _text(node: Gns3Node, files: ProjectFiles, path: str) -> str:
    """The content of a file of a node, or an empty string. Raises ValueError with the reason."""
    if not _ID.fullmatch(node.number):
        return ""
    return files.text(f"{_folder(node)}/{path}") or ""


def apply_files(part: Part, node: Gns3Node, files: ProjectFiles) -> None:
    """Set what a node's files set, and remark on what they and the node do not have here."""
    steps: list[Step] = []
    try:
        if node.kind == "vpcs":
            read_vpcs(_text(node, files, "startup.vpc"), part, "startup.vpc")
        elif node.kind == "docker":
            steps = _docker_steps(part, node, files)
    except ValueError as problem:
        part.remarks.add("files", f"a file of the node {problem}")
    if steps:
        commands = part.take_commands(steps, [f"eth{adapter}" for adapter, _ in node.ports])
        lines = ", ".join(str(line) for line in sorted({step.line for step in commands}) if line)
        if commands:
            reason = "commands without a field here; they run when the lab starts"
            part.remarks.add(commands[0].place, f"line {lines}: {reason}" if lines else reason)
    if node.kind == "docker" and part.kind == "router" and not part.config and _FRR.search(node.whole_image):
        reason = "the project has no frr.conf of it; the router has no protocols"
        part.remarks.add("etc/frr", f"{node.place}: {reason}")
    _remark_on_kind(part, node)


def _docker_steps(part: Part, node: Gns3Node, files: ProjectFiles) -> list[Step]:
    steps = read_interfaces(_text(node, files, "etc/network/interfaces"), part, "etc/network/interfaces")
    if part.kind == "router":
        texts = []
        for folder in _ETC_FRR:
            texts += [content for name in _CONFIGURED if (content := _text(node, files, f"{folder}/{name}")).strip()]
        part.config = joined(texts) if len(texts) > 1 else "".join(texts)
        if _FRR.search(node.whole_image) or part.config:
            part.daemons = _daemons(part, _text(node, files, "etc/frr/daemons"))
    return steps + _start_steps(part, node, files)


def _daemons(part: Part, content: str) -> tuple[Daemon, ...]:
    """The daemons that a file `daemons` starts, and zebra."""
    enabled = {match[1] for line in content.splitlines() if (match := _ENABLED.fullmatch(line))}
    if "ldpd" in enabled:
        part.remarks.add("ldpd", "the file daemons starts it; it is left out, as it needs MPLS")
    return tuple(daemon for daemon in _DAEMONS if daemon == "zebra" or (daemon in enabled and daemon != "ldpd"))


def _start_steps(part: Part, node: Gns3Node, files: ProjectFiles) -> list[Step]:
    """The commands of a container's start command, if it is a script in the project or sets addresses and routes."""
    command = node.properties.get("start_command")
    if not isinstance(command, str) or not command.strip() or command.strip() in _SHELLS:
        return []
    script = _text(node, files, command.strip().lstrip("/")) if ".." not in command else ""
    if script:
        return script_steps(script, command.strip().rpartition("/")[2])
    steps = steps_of(command, "start_command", 0)
    if all(step.kind != "other" for step in steps):
        return steps
    reason = f"{node.place}: {brief(command)} belongs to the image, and does not run here"
    part.remarks.add("start_command", reason)
    return []


def _remark_on_kind(part: Part, node: Gns3Node) -> None:
    remarks, place = part.remarks, node.place
    if node.kind in OUTSIDE:
        remarks.add("node_type", f"{place}: the {node.kind} is a bridge here, and leads nowhere")
    elif node.kind in ("frame_relay_switch", "atm_switch"):
        remarks.add("node_type", f"{place}: a {node.kind.replace('_', ' ')} is a bridge for Ethernet here")
    elif node.kind == "ethernet_hub":
        remarks.add("node_type", f"{place}: a hub is a bridge here, which learns addresses")
    elif node.kind == "ethernet_switch":
        _remark_on_ports(part, node)
    elif node.kind == "qemu" and part.kind == "router":
        remarks.add("hda_disk_image", f"{place}: the configuration is in the disk, which is not read")
    elif node.kind in _OTHERS:
        program = _OTHERS[node.kind]
        remarks.add("node_type", f"{place}: {program} cannot be converted; the node is a host without its settings")
    elif node.kind not in ("docker", "vpcs"):
        remarks.add("node_type", f"{place}: {brief(node.kind)} is not known here; the node is a host")
    elif node.kind == "docker" and part.kind == "router" and not _FRR.search(node.whole_image):
        remarks.add("image", f"{place}: the image {brief(node.image)} has no name of FRR; the node forwards packets")


def _remark_on_ports(part: Part, node: Gns3Node) -> None:
    """Remark on VLANs: a bridge has none."""
    mapping = node.properties.get("ports_mapping")
    ports = [port for port in mapping if isinstance(port, dict)] if isinstance(mapping, list) else []
    used = [port for port in ports if (0, port.get("port_number")) in node.ports]
    vlans = sorted({str(port.get("vlan")) for port in used if port.get("type") == "access"})
    trunks = [port for port in used if port.get("type") in ("dot1q", "qinq")]
    if len(vlans) > 1 or trunks:
        names = f"VLANs {', '.join(vlans)}" if vlans else "trunks"
        part.remarks.add("ports_mapping", f"{node.place}: its {names[:100]} are one network here")
