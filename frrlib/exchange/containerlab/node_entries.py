"""Nodes of containerlab as hosts, routers, bridges and switches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from frrlib.exchange.configurations.frr_files import FrrFiles
from frrlib.exchange.containerlab.bound_files import FileReader, frr_files, place_of_bind
from frrlib.exchange.containerlab.commands import steps_of
from frrlib.exchange.containerlab.definitions import LINUX, Definition
from frrlib.exchange.containerlab.yaml_text import YamlValue
from frrlib.exchange.start_commands.commands import Step
from frrlib.exchange.start_commands.node_settings import Settings, forwards, is_bridge, settings_of
from frrlib.formats.entry import Notices, brief
from frrlib.formats.mininet_remarks import CONTAINERLAB, CONTAINERLAB_KEY, Remarks
from frrlib.model.nodes import Bridge, Host, Node, Router, Switch

#: The kind of the machine itself, which is no node of a lab.
MACHINE = "host"
#: Keys with a meaning here, and keys that concern only containers and their management.
_USED = frozenset(("kind", "group", "exec", "binds", "startup-config", "sysctls", "labels"))
_WITHOUT_EFFECT = frozenset((
    "image", "image-pull-policy", "restart-policy", "auto-remove", "mgmt-ipv4", "mgmt-ipv6", "network-mode", "runtime",
    "position", "hostname", "cap-add", "privileged", "security-opts", "aliases", "cgroupns-mode",
))  # fmt: skip
#: Keys that a topology keeps for a file of containerlab written later. Others have paths of the original folder.
_KEPT = ("image", "image-pull-policy", "restart-policy", "type", "env", "user", "entrypoint", "cmd", "labels", "ports",
         "memory", "cpu-set")  # fmt: skip
#: Labels with the position of a node in drawings.
POSITION = ("graph-posX", "graph-posY")
#: The label with the kind of a node, which this program writes.
KIND_LABEL = "miniedit-frr-kind"
_FARTHEST_PX = 100_000.0

NodeKind = Literal["host", "router", "bridge", "switch"]


@dataclass
class NodeEntry:
    """A node of the file.

    Attributes:
        definition: its values in the file.
        name: its name in the topology.
        kind: its kind in the topology.
        interfaces: its interfaces with links, by their names in the file.
        remarks: the remarks on it.
        files: its configuration of FRR.
        settings: the settings that its commands make.
    """

    definition: Definition
    name: str
    kind: NodeKind
    interfaces: tuple[str, ...]
    remarks: Remarks
    files: FrrFiles = field(default_factory=FrrFiles)
    settings: Settings = field(default_factory=lambda: Settings({}))

    def node(self) -> Node:
        """The node, without the settings of its configuration of FRR."""
        settings = self.settings
        common: dict[str, Any] = {
            "name": self.name,
            "start_command": settings.start_command,
            **_position(self.definition),
        }
        if self.kind == "router":
            return Router(**common, loopbacks=tuple(settings.loopbacks))
        if self.kind == "bridge":
            return Bridge(**common, stp=settings.has_stp)
        if self.kind == "switch":
            return Switch(**common)
        return Host(
            **common,
            default_route=settings.default_route,
            vlan_interfaces=tuple(settings.vlan_interfaces),
            congestion_control=settings.congestion_control,
            tcp=settings.tcp,
        )

    def foreign(self) -> str:
        """The values without a field here and the remarks, as text for a `foreign` field."""
        preserved = {key: self.definition.values[key].plain() for key in _KEPT if key in self.definition.values}
        if "labels" in preserved and isinstance(preserved["labels"], dict):
            preserved["labels"] = {
                key: value for key, value in preserved["labels"].items() if key not in (*POSITION, KIND_LABEL)
            }
        preserved = {key: value for key, value in preserved.items() if value}
        return self.remarks.foreign(**({CONTAINERLAB: preserved} if preserved else {}))


def node_entry(
    definition: Definition, name: str, interfaces: Sequence[str], reader: FileReader, notices: Notices
) -> NodeEntry:
    """Read a node of the file.

    Args:
        definition: its values in the file.
        name: its name in the topology.
        interfaces: its interfaces with links, in the order of the links.
        reader: reads the files that it mounts.
        notices: receives remarks on values without an equivalent here.

    Raises:
        InvalidYaml: a value has a wrong type.
    """
    steps = [step for command in definition.items("exec") for step in steps_of(command, "exec")]
    for key, value in definition.members("sysctls").items():
        text = f"sysctl -w {key}={value.text()}"
        steps.append(Step("sysctl", (key, value.text()), text, f"sysctls.{key}", value.line))
    files = frr_files(definition, reader)
    kind = _kind(definition, steps, interfaces, files)
    remarks = Remarks(name, "node", notices, CONTAINERLAB_KEY)
    entry = NodeEntry(definition, name, kind, tuple(interfaces), remarks, files)
    if name != definition.name:
        remarks.add("name", f"line {definition.line}: {brief(definition.name)} is no name of a node here")
    entry.settings = settings_of(kind, steps, interfaces, remarks)
    _remark_on_kind(entry)
    _remark_on_values(entry)
    return entry


def _kind(definition: Definition, steps: list[Step], interfaces: Sequence[str], files: FrrFiles) -> NodeKind:
    labels = definition.members("labels")
    stated = labels[KIND_LABEL].text() if KIND_LABEL in labels else ""
    for kind in get_args(NodeKind):
        if kind == stated:
            return cast(NodeKind, kind)
    if definition.kind == "bridge":
        return "bridge"
    if definition.kind == "ovs-bridge":
        return "switch"
    if definition.kind not in LINUX:
        return "router"
    if definition.kind == "frr" or files.text or runs_frr(definition.text("image")):
        return "router"
    if _mounts_files_of_frr(definition, files) or any(step.kind == "vtysh" for step in steps):
        return "router"
    if interfaces and is_bridge(steps, interfaces):
        return "bridge"
    return "router" if forwards(steps) else "host"


def _mounts_files_of_frr(definition: Definition, files: FrrFiles) -> bool:
    """Whether a node mounts files in `/etc/frr` that not all nodes of the file mount."""
    binds = (bind for bind in definition.items("binds") if bind.path[:2] != ("topology", "defaults"))
    return any(place_of_bind(definition, bind) in files.used for bind in binds)


def runs_frr(image: str) -> bool:
    """Whether an image has FRR, by its name: "quay.io/frrouting/frr:10.2.1"."""
    return "frr" in image.lower().rpartition("@")[0 if "@" in image else 2].rpartition("/")[2] or "frrouting" in image


def _remark_on_kind(entry: NodeEntry) -> None:
    definition, files = entry.definition, entry.files
    if definition.kind not in (*LINUX, "bridge", "ovs-bridge"):
        reason = f"line {definition.line}: {brief(definition.kind)} is not supported; the node is a router without "
        entry.remarks.add("kind", f"{reason}its configuration")
    elif runs_frr(definition.text("image")) and not (files.text or files.daemons or entry.settings.config_lines):
        entry.remarks.add("binds", f"line {definition.line}: no frr.conf is mounted; the router has no protocols")
    for place, line, reason in files.remarks:
        entry.remarks.add(place, f"line {line}: {reason}")


def _remark_on_values(entry: NodeEntry) -> None:
    """Remark on all values that have no equivalent here."""
    definition = entry.definition
    for bind in definition.items("binds"):
        place = place_of_bind(definition, bind)
        if place not in entry.files.used:
            entry.remarks.add(place, f"line {bind.line}: {brief(bind.text())} is not mounted in a lab")
    for key, value in definition.values.items():
        if key in _USED or key in _WITHOUT_EFFECT:
            continue
        effect = "is kept, and has no effect in a lab" if key in _KEPT else "has no equivalent here and is left out"
        entry.remarks.add(key, f"line {value.line}: {_shown(value)} {effect}")


def _shown(value: YamlValue) -> str:
    content = value.plain()
    return brief(content) if isinstance(content, str) else brief(", ".join(map(str, content or ())))


def _position(definition: Definition) -> dict[str, float]:
    labels = definition.members("labels")
    try:
        x, y = (float(labels[key].text()) for key in POSITION)
    except (KeyError, ValueError):
        return {}
    return {"x": x, "y": y} if abs(x) <= _FARTHEST_PX and abs(y) <= _FARTHEST_PX else {}
