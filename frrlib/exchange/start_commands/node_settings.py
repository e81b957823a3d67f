"""The settings that the commands of a node make, taken step by step; the remaining steps become its start command."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_interface, ip_network

from pydantic import ValidationError

from frrlib.exchange.start_commands.commands import Step
from frrlib.exchange.start_commands.traffic_control import shape_of
from frrlib.formats.mininet_remarks import Remarks
from frrlib.model.base import Address, IpAddress
from frrlib.model.links import Shape
from frrlib.model.nodes import VlanInterface
from frrlib.model.routing import StaticRoute
from frrlib.model.tcp import TcpTuning

_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")
#: Settings of the kernel that every router of a lab has.
_FORWARDING = {
    "net.ipv4.ip_forward": ("1",),
    "net.ipv4.conf.all.forwarding": ("1",),
    "net.ipv6.conf.all.forwarding": ("1",),
    "net.ipv6.conf.default.forwarding": ("1",),
    "net.ipv4.conf.all.rp_filter": ("0",),
    "net.ipv4.conf.default.rp_filter": ("0",),
    "net.ipv4.fib_multipath_hash_policy": ("1",),
}
#: Settings that every node of a lab has.
_EVERYWHERE = {
    "net.ipv6.conf.all.disable_ipv6": ("0",),
    "net.ipv6.conf.default.disable_ipv6": ("0",),
    "net.ipv6.conf.all.accept_dad": ("0",),
    "net.ipv6.conf.default.accept_dad": ("0",),
    "net.ipv6.conf.all.keep_addr_on_down": ("1",),
    "net.ipv4.tcp_no_metrics_save": ("1",),
}
_TCP: dict[str, Callable[[str], dict[str, object]]] = {
    "net.ipv4.tcp_ecn": lambda value: {"ecn": {"0": "off", "1": "on", "2": "answer"}[value]},
    "net.ipv4.tcp_sack": lambda value: {"sack": {"0": False, "1": True}[value]},
    "net.ipv4.tcp_slow_start_after_idle": lambda value: {"slow_start_after_idle": {"0": False, "1": True}[value]},
    "net.ipv4.tcp_notsent_lowat": lambda value: {"notsent_lowat_bytes": int(value)},
    "net.ipv4.tcp_no_metrics_save": lambda value: {"saves_metrics": {"0": True, "1": False}[value]},
}


@dataclass
class Interface:
    """The settings of one interface of a node; `mac` is empty and `mtu_bytes` is None for the default."""

    addresses: list[Address] = field(default_factory=list)
    mac: str = ""
    mtu_bytes: int | None = None
    shape: Shape = field(default_factory=Shape)


@dataclass
class Settings:
    """The settings of one node.

    Attributes:
        interfaces: by name, those with links.
        loopbacks: addresses on `lo`.
        static_routes: routes of a router.
        default_route: the gateway of a host.
        vlan_interfaces: VLAN interfaces of a host.
        congestion_control, tcp: a host's TCP.
        config_lines: lines of FRR's configuration that were typed in vtysh.
        has_stp: whether its bridge has the spanning tree.
        start_command: all other commands, one on each line.
    """

    interfaces: dict[str, Interface]
    loopbacks: list[Address] = field(default_factory=list)
    static_routes: list[StaticRoute] = field(default_factory=list)
    default_route: IpAddress | None = None
    vlan_interfaces: list[VlanInterface] = field(default_factory=list)
    congestion_control: str = ""
    tcp: TcpTuning = field(default_factory=TcpTuning)
    config_lines: list[str] = field(default_factory=list)
    has_stp: bool = False
    start_command: str = ""


def forwards(steps: Iterable[Step]) -> bool:
    """Whether commands make a node forward packets between its interfaces."""
    return any(
        step.kind == "sysctl"
        and step.values[1] == "1"
        and step.values[0] in _FORWARDING
        and "forward" in step.values[0]
        for step in steps
    )


def is_bridge(steps: Collection[Step], interfaces: Collection[str]) -> bool:
    """Whether commands make a node a bridge of all of its interfaces, and nothing else."""
    bridges = {step.values[0] for step in steps if step.kind == "bridge"}
    members = {step.values[0] for step in steps if step.kind == "master" and {step.values[1]} == bridges}
    plain = {"bridge", "master", "up", "none", "mtu", "tc", "sysctl"}
    others = [step for step in steps if step.kind not in plain and not step.text.startswith("brctl set")]
    return len(bridges) == 1 and members == set(interfaces) and not others


def settings_of(
    kind: str, steps: Iterable[Step], interfaces: Collection[str], remarks: Remarks, place: str = "exec"
) -> Settings:
    """The settings of a node.

    Args:
        kind: the kind of the node ("router").
        steps: its commands in their order.
        interfaces: its interfaces with links, in their order.
        remarks: receives a remark on the commands that run when a lab starts.
        place: the place of the commands in this remark; empty for the places of the commands, with a remark for each.
    """
    taker = _Taker(kind, interfaces)
    steps = list(steps)
    left = [step for step in taker.without_vlans(steps) if not taker.take(step)]
    left += taker.finish_traffic_control()
    remaining = [step for step in steps if any(step is other for other in left)]
    # A command with several settings is several steps, and runs once.
    texts = dict.fromkeys((step.place, step.line, step.text) for step in remaining)
    taker.settings.start_command = "\n".join(text for _, _, text in texts)
    places = {place or step.place: None for step in remaining} if kind not in ("bridge", "switch") else {}
    for name in places:
        numbers = sorted({step.line for step in remaining if name in (place, step.place)})
        lines = ", ".join(map(str, numbers))
        remarks.add(name, f"line {lines}: commands without a field here; they run when the lab starts")
    return taker.settings


class _Taker:
    """Takes steps whose effect a field of the node or of its interfaces has."""

    def __init__(self, kind: str, interfaces: Collection[str]) -> None:
        self._kind = kind
        self._first = next(iter(interfaces), "")
        self.settings = Settings({name: Interface() for name in interfaces})
        self._tc: dict[str, list[Step]] = {}
        self._down: set[str] = set()

    def take(self, step: Step) -> bool:
        """Take a step; returns False if no field has its effect."""
        handler = getattr(self, f"_take_{step.kind}", None)
        try:
            return handler is not None and bool(handler(*step.values)) if step.kind != "tc" else self._keep_tc(step)
        except (ValueError, KeyError):  # a value that the field rejects
            return False

    def _take_none(self) -> bool:
        return True

    def _take_frr(self) -> bool:
        return True

    def _take_address(self, name: str, text: str) -> bool:
        address = ip_interface(text)
        if name == "lo" and self._kind == "router":
            if not address.is_loopback:
                self.settings.loopbacks.append(address)
            return True
        if name not in self.settings.interfaces or self._kind in ("bridge", "switch"):
            return False
        self.settings.interfaces[name].addresses.append(address)
        return True

    def _take_down(self, name: str) -> bool:
        self._down.add(name)
        return False

    def _take_up(self, name: str) -> bool:
        if name in self._down:  # a command that is left has put it down
            self._down.discard(name)
            return False
        return name in self.settings.interfaces or (self._kind == "bridge")

    def _take_mtu(self, name: str, value: str) -> bool:
        if name not in self.settings.interfaces or not 576 <= int(value) <= 65_535:
            return False
        self.settings.interfaces[name].mtu_bytes = int(value)
        return True

    def _take_mac(self, name: str, value: str) -> bool:
        if name not in self.settings.interfaces or not _MAC.fullmatch(value):
            return False
        self.settings.interfaces[name].mac = value
        return True

    def _take_bridge(self, name: str, stp: str) -> bool:
        self.settings.has_stp = self.settings.has_stp or bool(stp)
        return self._kind == "bridge"

    def _take_master(self, name: str, bridge: str) -> bool:
        return self._kind == "bridge"

    def _take_route(self, prefix: str, via: str, interface: str) -> bool:
        if via not in ("blackhole", "reject") and ip_address(via).is_link_local:
            return self._take_link_local_route(prefix, via, interface)
        if self._kind == "router":
            route = StaticRoute.model_validate({"prefix": prefix, "via": via})
            if via in ("blackhole", "reject") or route.prefix.version == ip_address(via).version:
                self.settings.static_routes.append(route)
                return True
        if self._kind != "host" or ip_network(prefix).prefixlen or self.settings.default_route is not None:
            return False
        self.settings.default_route = ip_address(via)
        return True

    def _take_link_local_route(self, prefix: str, via: str, interface: str) -> bool:
        """Keep the interface, without which a link-local address is no next hop. Static routes have no field for it."""
        if self._kind != "router" or not interface:
            return False
        command = "ip route" if ip_network(prefix).version == 4 else "ipv6 route"
        self.settings.config_lines.append(f"{command} {prefix} {via} {interface}")
        return True

    def _take_sysctl(self, key: str, value: str) -> bool:
        if value in _EVERYWHERE.get(key, ()) or (self._kind == "router" and value in _FORWARDING.get(key, ())):
            return True
        if self._kind != "host":
            return self._kind in ("bridge", "switch")
        if key == "net.ipv4.tcp_congestion_control":
            self.settings.congestion_control = value[:64]
            return True
        if key in _TCP:
            self.settings.tcp = TcpTuning.model_validate({**self.settings.tcp.model_dump(), **_TCP[key](value)})
            return True
        return False

    def _take_vtysh(self, *lines: str) -> bool:
        if self._kind == "router":
            self.settings.config_lines.extend(lines)
        return self._kind == "router"

    def _keep_tc(self, step: Step) -> bool:
        if step.values[0] not in self.settings.interfaces:
            return False
        self._tc.setdefault(step.values[0], []).append(step)
        return True

    def finish_traffic_control(self) -> list[Step]:
        """Set the shapes of all directions; returns the commands that are no shape."""
        remaining = []
        for name, steps in self._tc.items():
            shape = shape_of([step.values[1] for step in steps])
            if shape is None:
                remaining += steps
            else:
                self.settings.interfaces[name].shape = shape
        return remaining

    def without_vlans(self, steps: list[Step]) -> list[Step]:
        """Take the VLAN interfaces of a host's first interface; returns the other steps."""
        if self._kind != "host":
            return steps
        for vlan in [step for step in steps if step.kind == "vlan"]:
            parent, name, number = vlan.values
            about = [step for step in steps if name in step.values[:1] and step.kind in ("address", "up")]
            addresses = [step for step in about if step.kind == "address"]
            others = [step for step in steps if step not in (vlan, *about) and name in step.text.split()]
            if parent != self._first or name != f"{parent}.{number}" or len(addresses) != 1 or others:
                continue
            try:
                interface = VlanInterface(address=ip_interface(addresses[0].values[1]), vlan_id=int(number))
            except ValidationError:
                continue
            self.settings.vlan_interfaces.append(interface)
            steps = [step for step in steps if step not in (vlan, *about)]
        return steps
