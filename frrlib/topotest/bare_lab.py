"""Labs of bare nodes: they have links and interfaces, but no addresses and no daemons, which the tests configure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from frrlib import wire
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from frrlib.network.network import Network, end
from frrlib.place.base import Place
from frrlib.place.confinement import private_files as private
from frrlib.wire.plan import InterfacePlan, NodePlan, Plan, PrivateDirPlan

#: Path of the writable folder in a lab; see `frrlib.place.confinement.file_tree`.
FILES = "/run/lab/files"
#: Private folders of every lab, which hide those of this machine.
HIDDEN = ("/tmp", "/run", "/mnt", "/var/tmp", "/var/log", "/var/run", *private.hidden())
#: Private folders of every router.
PRIVATE = ("/etc/frr", "/run/frr", "/run/netns", "/var/log/frr", "/var/tmp/frr")
#: Kernel settings of a router that the tests expect beyond forwarding.
SYSCTLS = {
    "net.ipv4.conf.all.ignore_routes_with_linkdown": "1",
    "net.ipv6.conf.all.ignore_routes_with_linkdown": "1",
    "net.ipv4.fib_multipath_use_neigh": "1",
    "net.ipv4.conf.all.arp_announce": "2",
    "net.ipv4.conf.default.arp_announce": "2",
    "net.ipv4.conf.all.arp_notify": "1",
    "net.ipv4.conf.default.arp_notify": "1",
    "net.ipv4.igmp_max_memberships": "1000",
    "net.ipv6.route.skip_notify_on_dev_down": "1",
}


@dataclass(frozen=True)
class PartsLink:
    """A link: node and interface at both ends."""

    a: str
    a_interface: str
    b: str
    b_interface: str


@dataclass
class LabParts:
    """The network that a test has put together so far.

    Attributes:
        routers, switches: names.
        hosts: name to address with prefix length and gateway, each empty for none.
        cables: in the order in which they were made.
        devices: required device types beyond veth and bridges ("vrf", "mpls").
    """

    routers: list[str] = field(default_factory=list)
    switches: list[str] = field(default_factory=list)
    hosts: dict[str, tuple[str, str]] = field(default_factory=dict)
    cables: list[PartsLink] = field(default_factory=list)
    devices: frozenset[str] = frozenset()

    def topology(self) -> Topology:
        """The network as a topology."""
        network = Network("topotest")
        for name in self.routers:
            network.router(name)
        for name, (_, gateway) in self.hosts.items():
            network.host(name, **({"default_route": gateway} if gateway else {}))
        for name in self.switches:
            network.bridge(name)
        for cable in self.cables:
            network.link(self._end(cable.a, cable.a_interface), self._end(cable.b, cable.b_interface))
        return network.topology

    def _end(self, node: str, interface: str) -> Any:
        address, _ = self.hosts.get(node, ("", ""))
        return end(node, *([address] if address and self._first(node) == interface else []), interface=interface)

    def _first(self, node: str) -> str:
        ends = [(c.a, c.a_interface) for c in self.cables] + [(c.b, c.b_interface) for c in self.cables]
        return next(interface for name, interface in ends if name == node)


class BareLab(Lab):
    """A lab of `LabParts`: routers forward and have folders for FRR, nothing more; only hosts have addresses.

    Args:
        parts: the network to build.
        place: as for `Lab`.
        writable: the folder that lab and tests share, under the same path on both sides.
    """

    def __init__(self, parts: LabParts, *, place: str, writable: Path) -> None:
        self._parts, self.folder = parts, writable
        super().__init__(parts.topology(), place=place, writable=writable)

    def start(self) -> None:
        """Start the lab, and link the shared folder to the path that the tests use."""
        super().start()
        self._show(FILES, self.folder)

    def run(self, node: str, argv: Sequence[str], timeout_s: float = 600.0) -> tuple[int, str, str]:
        """Run a command in a node ("" for the lab itself): its status and its two streams."""
        done = self.ask(wire.Execute(node, tuple(argv), timeout_s), timeout_s + 60.0)
        return done["status"], done["stdout"], done["stderr"]

    def pipe_argv(self, argv: Sequence[str], node: str) -> list[str]:
        """A command for this machine that runs `argv` in a node with its standard streams."""
        return self._process.running().pipe_argv(list(argv), node)

    def show(self, folder: Path) -> None:
        """Copy a folder of this machine that is hidden in the lab into the lab, under the same path."""
        if not any(folder.is_relative_to(hidden) for hidden in HIDDEN):
            return
        import shutil

        copied = self.folder / "shown" / folder.name
        shutil.copytree(folder, copied, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        self._show(f"{FILES}/shown/{folder.name}", folder)

    def _show(self, inside: str, path: Path) -> None:
        self.run("", ["sh", "-c", 'mkdir -p "$2" && ln -sfn "$1" "$2/$3"', "sh", inside, str(path.parent), path.name])

    def _choose(self, place: str, kernel: Path | None) -> tuple[Place, str]:
        self._needs = replace(self._needs, device_types=self._needs.device_types | self._parts.devices)
        return super()._choose(place, kernel)

    def _plan(self) -> Plan:
        plan = super()._plan()
        hosts = self._parts.hosts
        return Plan(
            nodes=tuple(_bare_node(node) for node in plan.nodes),
            links=tuple(
                msgspec.structs.replace(link, a=_bare_end(link.a, hosts), b=_bare_end(link.b, hosts))
                for link in plan.links
            ),
        )


def _bare_node(node: NodePlan) -> NodePlan:
    if node.kind != "router":
        return node
    private = tuple(PrivateDirPlan(path) for path in PRIVATE)
    sysctls = {**node.sysctls, "net.ipv4.fib_multipath_hash_policy": "0"}
    return msgspec.structs.replace(node, loopbacks=(), frr=None, private_dirs=private, sysctls=sysctls)


def _bare_end(side: InterfacePlan, hosts: dict[str, tuple[str, str]]) -> InterfacePlan:
    return side if side.node in hosts else msgspec.structs.replace(side, addresses=())
