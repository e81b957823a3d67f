"""Mininet itself builds a network from a topology, and its commands are recorded instead of executed.

The conversion of a topology is compared with these commands. No root is needed, and nothing on the machine changes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import pytest


@dataclass
class DryInterface:
    """The effect of Mininet's commands on an interface.

    Attributes:
        address: its last address with the prefix length; empty for none.
        mac: its last hardware address that a command sets, or that its link has.
        mtu: its MTU; 0 if no command sets it.
        is_up: whether it is switched on.
        tc: the arguments of all `tc` commands that add something.
    """

    address: str = ""
    mac: str = ""
    mtu: int = 0
    is_up: bool = False
    tc: list[str] = field(default_factory=list)

    def number(self, pattern: str) -> float | None:
        """The number that follows a word in the arguments of `tc`; None if the word does not occur."""
        match = re.search(rf"\b{pattern} ([0-9.]+)", " ".join(self.tc))
        return float(match[1]) if match else None


@dataclass
class DryNetwork:
    """The network that Mininet would build.

    Attributes:
        interfaces: by node and name.
        cgroups: the values that Mininet sets for CPU limits, by host.
        routes: the arguments of default routes, by host.
    """

    interfaces: dict[tuple[str, str], DryInterface] = field(default_factory=dict)
    cgroups: dict[str, dict[str, Any]] = field(default_factory=dict)
    routes: dict[str, str] = field(default_factory=dict)


def build_dry(topo: Any, monkeypatch: pytest.MonkeyPatch) -> DryNetwork:
    """Let Mininet build this topology with its class TCLink, and return what it would have done."""
    node_module, link_module, net_module = (pytest.importorskip(f"mininet.{name}") for name in ("node", "link", "net"))
    network = DryNetwork()

    def record(node: Any, *words: Any, **_: Any) -> str:
        _record(network, node.name, " ".join(str(word) for word in words))
        return ""

    def cgroup(host: Any, param: str, value: Any, resource: str = "cpu") -> Any:
        network.cgroups.setdefault(host.name, {})[f"{resource}.{param}"] = value
        return value

    nothing = lambda *_, **__: None  # noqa: E731
    for name in ("startShell", "mountPrivateDirs", "terminate"):
        monkeypatch.setattr(node_module.Node, name, nothing)
    monkeypatch.setattr(node_module.Node, "checkSetup", classmethod(nothing))
    monkeypatch.setattr(node_module.Node, "cmd", record)
    monkeypatch.setattr(node_module.CPULimitedHost, "init", classmethod(nothing))
    monkeypatch.setattr(node_module.CPULimitedHost, "checkRtGroupSched", classmethod(nothing))
    monkeypatch.setattr(node_module.CPULimitedHost, "chrt", nothing)
    monkeypatch.setattr(node_module.CPULimitedHost, "cgroupSet", cgroup)
    monkeypatch.setattr(node_module, "errFail", nothing)
    monkeypatch.setattr(link_module.Link, "makeIntfPair", classmethod(nothing))
    monkeypatch.setattr(net_module.Mininet, "init", classmethod(nothing))
    mininet = net_module.Mininet(topo=topo, link=link_module.TCLink, controller=None)
    for link in mininet.links:
        for interface in (link.intf1, link.intf2):
            entry = _interface(network, interface.node.name, interface.name)
            entry.mac = entry.mac or interface.mac or ""
    return network


def _interface(network: DryNetwork, node: str, name: str) -> DryInterface:
    return network.interfaces.setdefault((node, name), DryInterface())


def _record(network: DryNetwork, node: str, command: str) -> None:
    if match := re.search(r"ip route add default (.*)", command):
        network.routes[node] = match[1]
    elif match := re.match(r"ifconfig (\S+) ?(.*)", command):
        if match[1] == "lo":
            return
        interface, words = _interface(network, node, match[1]), match[2]
        if address := re.match(r"([0-9.]+/[0-9]+)", words):
            interface.address = address[1]
        if mac := re.match(r"hw ether (\S+)", words):
            interface.mac = mac[1]
        if mtu := re.search(r"mtu (\d+)", words):
            interface.mtu = int(mtu[1])
        if re.search(r"\bup\b", words):
            interface.is_up = True
    elif match := re.match(r"tc (?:qdisc|class) add dev (\S+) (.*)", command):
        _interface(network, node, match[1]).tc.append(match[2])
