"""Devices of a lab of Kathara as routers, hosts and bridges."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_interface
from typing import Any, Literal

from frrlib.exchange.configurations.frr_files import FrrFiles
from frrlib.exchange.kathara.device_files import LabFolder, files_in_words
from frrlib.exchange.kathara.lab_conf import FILE, Device
from frrlib.exchange.kathara.startup import needs_bash, startup_steps
from frrlib.exchange.start_commands.commands import Step, steps_of
from frrlib.exchange.start_commands.node_settings import Settings, forwards, is_bridge, settings_of
from frrlib.formats.entry import Notices, brief
from frrlib.formats.mininet_remarks import KATHARA_KEY, Remarks
from frrlib.model.nodes import Bridge, Host, Node, Router

#: Options with a meaning here, and options that concern only containers and terminals.
_USED = ("image", "exec", "sysctl", "ipv6")
_WITHOUT_EFFECT = ("shell", "num_terms", "privileged", "con0", "con1", "type", "rm", "hosthome")
_OUTSIDE = ("bridged", "port")
_YES = ("true", "yes", "1", "y", "t", "on")
_SHARED_STARTUP, _SHARED_SHUTDOWN = "shared.startup", "shared.shutdown"

DeviceKind = Literal["host", "router", "bridge"]


@dataclass
class DeviceEntry:
    """A device of the lab.

    Attributes:
        device: its values in `lab.conf`.
        name: its name in the topology.
        kind: its kind in the topology.
        remarks: the remarks on it.
        files: its configuration of FRR.
        settings: the settings that its commands make.
        stop_command: its commands at the end.
    """

    device: Device
    name: str
    kind: DeviceKind
    remarks: Remarks
    files: FrrFiles = field(default_factory=FrrFiles)
    settings: Settings = field(default_factory=lambda: Settings({}))
    stop_command: str = ""

    def node(self) -> Node:
        """The node, without the settings of its configuration of FRR."""
        settings = self.settings
        common: dict[str, Any] = {"name": self.name}
        if self.kind == "bridge":
            return Bridge(**common, stp=settings.has_stp)
        common |= {"start_command": settings.start_command, "stop_command": self.stop_command}
        if self.kind == "router":
            return Router(**common, loopbacks=tuple(settings.loopbacks))
        return Host(
            **common,
            default_route=settings.default_route,
            vlan_interfaces=tuple(settings.vlan_interfaces),
            congestion_control=settings.congestion_control,
            tcp=settings.tcp,
        )


def device_entry(device: Device, name: str, folder: LabFolder, notices: Notices) -> DeviceEntry:
    """Read a device of the lab.

    Args:
        device: its values in `lab.conf`.
        name: its name in the topology.
        folder: the folder of the lab.
        notices: receives remarks on parts without an equivalent here.

    Raises:
        InvalidLab: a file of the device cannot be read.
    """
    remarks = Remarks(name, "node", notices, KATHARA_KEY)
    steps = _steps(device, folder)
    files = folder.frr_files(device.name)
    kind = _kind(device, steps, files)
    entry = DeviceEntry(device, name, kind, remarks, files)
    if name != device.name:
        remarks.add("name", f"{FILE} line {device.line}: {brief(device.name)} is no name of a node here")
    steps = _without_services(steps, remarks)
    entry.settings = settings_of(kind, steps, device.interfaces, remarks, "")
    if kind == "bridge":
        _remark_on_bridge(entry)
    elif needs_bash(entry.settings.start_command):
        entry.settings.start_command = f"bash -c {shlex.quote(entry.settings.start_command)}"
    entry.stop_command = _stop_command(device, folder, remarks) if kind != "bridge" else ""
    for place, line, reason in files.remarks:
        remarks.add(place, f"line {line}: {reason}")
    _remark_on_options(entry)
    _remark_on_frr(entry, steps)
    others = folder.other_files(device.name, files.used)
    if others:
        remarks.add(f"{device.name}/", f"files that a lab does not have: {files_in_words(others, device.name)}")
    return entry


def _steps(device: Device, folder: LabFolder) -> list[Step]:
    """The commands of a device, in the order in which Kathara runs them."""
    steps: list[Step] = []
    for option in device.values("sysctl"):
        steps += steps_of(f"sysctl -w {shlex.quote(option.value)}", FILE, option.line)
    for file in (_SHARED_STARTUP, f"{device.name}.startup"):
        text = folder.text(file)
        steps += startup_steps(text, file) if text is not None else []
    for option in device.values("exec"):
        steps += steps_of(option.value, FILE, option.line)
    return steps


def _kind(device: Device, steps: Sequence[Step], files: FrrFiles) -> DeviceKind:
    """The kind of a device. In Kathara every device forwards: one with addresses on several networks is a router."""
    interfaces = device.interfaces
    image = device.text("image").lower()
    starts_frr = any(step.kind == "frr" for step in steps)
    others = [step for step in steps if step.kind != "service"]
    if not (starts_frr or files.used) and interfaces and is_bridge(others, interfaces):
        return "bridge"
    if starts_frr or files.used or "frr" in image or "quagga" in image or forwards(steps):
        return "router"
    return "router" if len(_addressed(steps, interfaces)) > 1 and not _is_forwarding_off(steps) else "host"


def _addressed(steps: Sequence[Step], interfaces: Collection[str]) -> set[str]:
    """The interfaces with addresses."""
    with_address = {step.values[0] for step in steps if step.kind == "address" if _is_global(step.values[1])}
    return with_address & set(interfaces)


def _is_global(address: str) -> bool:
    return not ip_interface(address).is_link_local


def _is_forwarding_off(steps: Sequence[Step]) -> bool:
    keys = ("net.ipv4.ip_forward", "net.ipv4.conf.all.forwarding")
    return any(step.kind == "sysctl" and step.values[0] in keys and step.values[1] == "0" for step in steps)


def _without_services(steps: Sequence[Step], remarks: Remarks) -> list[Step]:
    """The steps without services other than FRR, which a lab cannot start, with a remark on each."""
    for step in steps:
        if step.kind == "service":
            reason = f"line {step.line}: {brief(step.text)} is left out; a lab starts FRR and no other services"
            remarks.add(f"{step.place} {step.values[0]}", reason)
    return [step for step in steps if step.kind != "service"]


def _remark_on_bridge(entry: DeviceEntry) -> None:
    """Remark on commands of a bridge that are no settings of a bridge here."""
    command, entry.settings.start_command = entry.settings.start_command, ""
    if command:
        place = f"{entry.device.name}.startup"
        entry.remarks.add(place, f"commands of the bridge without a field here are left out: {brief(command)}")


def _stop_command(device: Device, folder: LabFolder, remarks: Remarks) -> str:
    """The commands of the device's scripts for the end, which run after permission."""
    texts = []
    for file in (f"{device.name}.shutdown", _SHARED_SHUTDOWN):
        text = folder.text(file)
        lines = [step.text for step in startup_steps(text, file)] if text is not None else []
        if lines:
            remarks.add(file, "line 1: the commands run when the lab ends")
            texts += lines
    command = "\n".join(texts)
    return f"bash -c {shlex.quote(command)}" if needs_bash(command) else command


def _remark_on_frr(entry: DeviceEntry, steps: Sequence[Step]) -> None:
    device, files = entry.device, entry.files
    starts = any(step.kind == "frr" for step in steps)
    if entry.kind != "router":
        return
    if files.text and not starts:
        reason = f"{FILE} line {device.line}: no command starts FRR; a lab starts it with its configuration"
        entry.remarks.add("startup", reason)
    elif starts and not files.text:
        line = next(step.line for step in steps if step.kind == "frr")
        reason = f"line {line}: starts FRR, but {device.name}/etc/frr has no configuration; the router has no protocols"
        entry.remarks.add(f"{device.name}.startup frr", reason)


def _remark_on_options(entry: DeviceEntry) -> None:
    """Remark on all options that have no equivalent here."""
    for option in entry.device.options:
        place = f"{FILE} {option.key}"
        if option.key in _OUTSIDE and option.value.lower() not in ("false", "no", "0"):
            reason = f"line {option.line}: leads out of the lab, and is left out"
        elif option.key == "ipv6" and option.value.lower() not in _YES:
            reason = f"line {option.line}: IPv6 stays on in a lab"
        elif option.key in (*_USED, *_WITHOUT_EFFECT, *_OUTSIDE):
            continue
        else:
            reason = f"line {option.line}: {brief(option.value)} has no equivalent here and is left out"
        entry.remarks.add(place, reason)
