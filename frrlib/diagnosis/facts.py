"""Facts about a running lab, each read from its daemon or kernel at the first use and kept for one explanation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Interface, IPv4Network, IPv6Interface, IPv6Network, ip_interface
from typing import Any, TypeVar

from frrlib import wire
from frrlib.conf.text import ConfigEntry, parse
from frrlib.errors import CommandFailed
from frrlib.lab.lab import Lab
from frrlib.lab.path import LabPath

Network = IPv4Network | IPv6Network
V = TypeVar("V")


@dataclass(frozen=True)
class InterfaceFacts:
    """An interface as its kernel has it.

    Attributes:
        name: its name.
        is_enabled: whether it is set up ("ip link set up").
        has_carrier: whether it is set up and the other end of its link is up, too.
        mtu_bytes: its MTU.
        addresses: its addresses besides link-local ones.
        vrf: its VRF, also of the VRF's own device; empty for the main table.
    """

    name: str
    is_enabled: bool
    has_carrier: bool
    mtu_bytes: int
    addresses: tuple[IPv4Interface | IPv6Interface, ...]
    vrf: str = ""

    def of_version(self, version: int) -> tuple[IPv4Interface | IPv6Interface, ...]:
        """Its addresses of an IP version."""
        return tuple(address for address in self.addresses if address.version == version)


class LabFacts:
    """The facts about a running lab: of each router, those of one routing table.

    Args:
        lab: the lab, which must run as long as facts are read.
        vrfs: the VRF of each router that is not read in its main table.
        known: replies that were read before, by question.
    """

    def __init__(
        self, lab: Lab, vrfs: Mapping[str, str] | None = None, known: dict[tuple[str, ...], Any] | None = None
    ) -> None:
        self._lab, self._vrfs = lab, vrfs or {}
        self._known: dict[tuple[str, ...], Any] = {} if known is None else known
        self.topology = lab.topology
        #: The routers with FRR.
        self.routers = tuple(router.name for router in lab.topology.routers if router.runs_frr)

    # --- faults and daemons -------------------------------------------------------------------------------------------

    @cached_property
    def faults(self) -> wire.ActiveFaults:
        """The faults in force."""
        return self._lab.faults_now()

    def is_stopped(self, node: str) -> bool:
        """Whether the processes of a node, or one of its daemons, are stopped, so that vtysh would wait for them."""
        stopped = (name.partition(":")[0] for name in self.faults["stopped"])
        return node in self.faults["frozen"] or node in stopped

    def ended_daemons(self, *nodes: str) -> list[tuple[str, str]]:
        """The daemons of these nodes that have ended, each as its node and its name.

        They are read anew: zebra removes the routes of a daemon that ends before the lab reports its end.
        """
        names = [tuple(name.split(":", 1)) for name in self._lab.faults_now()["dead"]]
        return [(node, daemon) for node, daemon in names if node in nodes]

    def runs(self, router: str, daemon: str) -> bool:
        """Whether a daemon runs on a router."""
        return daemon in self._text(router, "show daemons").split()

    # --- kernels ------------------------------------------------------------------------------------------------------

    def interfaces(self, node: str) -> dict[str, InterfaceFacts]:
        """The interfaces of a node in the routing table that is read, by name."""
        ports, vrf = self.all_interfaces(node), self.vrf(node)
        return {name: port for name, port in ports.items() if port.vrf == vrf}

    def all_interfaces(self, node: str) -> dict[str, InterfaceFacts]:
        """The interfaces of a node in all its routing tables, by name."""
        return self._once(("interfaces", node), lambda: {port.name: port for port in self._read_interfaces(node)})

    def in_tables(self, vrfs: Mapping[str, str]) -> LabFacts:
        """The same facts with other routing tables: the VRF of each router that is not read in its main table."""
        return LabFacts(self._lab, vrfs, self._known)

    def vrf(self, node: str) -> str:
        """The VRF of a node that is read; empty for its main table."""
        return self._vrfs.get(node, "")

    def vrf_names(self, node: str) -> list[str]:
        """The VRFs of a node."""
        return list(dict.fromkeys(port.vrf for port in self.all_interfaces(node).values() if port.vrf))

    def _in_vrf(self, node: str) -> tuple[str, ...]:
        """The words of a command of `ip` or `show` that choose the routing table."""
        return ("vrf", self.vrf(node)) if self.vrf(node) else ()

    def _read_interfaces(self, node: str) -> Iterator[InterfaceFacts]:
        # Some versions of ip print an empty object for an interface that they leave out.
        entries = [entry for entry in json.loads(self._lab[node].run("ip", "-j", "-d", "addr") or "[]") if entry]
        devices = {e["ifname"] for e in entries if e.get("linkinfo", {}).get("info_kind") == "vrf"}
        for entry in entries:
            flags = entry.get("flags", ())
            addresses = tuple(
                ip_interface(f"{info['local']}/{info['prefixlen']}")
                for info in entry.get("addr_info", ())
                if info.get("scope") == "global"
            )
            is_enabled = "UP" in flags
            has_carrier = is_enabled and "LOWER_UP" in flags
            name = entry["ifname"]
            vrf = next((word for word in (name, entry.get("master", "")) if word in devices), "")
            yield InterfaceFacts(name, is_enabled, has_carrier, entry["mtu"], addresses, vrf)

    def interface(self, node: str, name: str) -> InterfaceFacts:
        """An interface of a node; one without addresses and carrier if the kernel has no such interface."""
        return self.all_interfaces(node).get(name, InterfaceFacts(name, False, False, 0, ()))

    def owner(self, address: str) -> str:
        """The node whose interface has this address now; empty if no node has it."""
        return next(
            (
                node.name
                for node in (*self.topology.routers, *self.topology.hosts)
                if address
                in {str(known.ip) for port in self.interfaces(node.name).values() for known in port.addresses}
            ),
            "",
        )

    def addresses(self, node: str) -> tuple[str, ...]:
        """All addresses of a node."""
        return tuple(str(address.ip) for port in self.interfaces(node).values() for address in port.addresses)

    def route_to(self, node: str, address: str) -> dict[str, Any]:
        """The kernel's route from a node to an address, as `ip route get` prints it; empty if it has none."""
        return self._once(("route", node, address, self.vrf(node)), lambda: self._read_route(node, address))

    def _read_route(self, node: str, address: str) -> dict[str, Any]:
        try:
            routes = json.loads(self._lab[node].run("ip", "-j", "route", "get", address, *self._in_vrf(node)) or "[]")
        except CommandFailed:
            return {}
        return routes[0] if routes and routes[0].get("type", "") not in ("unreachable", "blackhole", "prohibit") else {}

    def covering_route(self, node: str, network: Network) -> str:
        """The prefix of the kernel's route by which a node sends packets to a network; empty if it has none."""
        address = network.network_address + (1 if network.prefixlen < network.max_prefixlen - 1 else 0)
        try:
            argv = ("ip", "-j", "route", "get", "fibmatch", str(address), *self._in_vrf(node))
            routes = json.loads(self._lab[node].run(*argv) or "[]")
        except CommandFailed:
            return ""
        is_refused = bool(routes) and routes[0].get("type", "") in ("unreachable", "blackhole", "prohibit")
        return str(routes[0].get("dst", "")) if routes and not is_refused else ""

    def is_in_kernel(self, node: str, network: Network) -> bool:
        """Whether the kernel's table has a route to exactly this network."""
        argv = ("ip", f"-{network.version}", "-j", "route", "show", "exact", str(network), *self._in_vrf(node))
        return bool(json.loads(self._lab[node].run(*argv) or "[]"))

    def answers_ping(self, node: str, address: str, *, payload_bytes: int = 56) -> bool:
        """Whether one of three pings from a node to an address is answered. No router may divide a large one."""
        vrf = self.vrf(node)
        options = ["-n", "-c", "3", "-i", "0.2", "-W", "1", "-s", str(payload_bytes), *(["-I", vrf] if vrf else [])]
        try:
            self._lab[node].run("ping", "-M", "do", *options, address)
        except CommandFailed:
            return False
        return True

    def output(self, node: str, *argv: str) -> str:
        """The output of a command in a node now; empty if the command fails or the node has no such program."""
        try:
            return self._lab[node].run(*argv)
        except CommandFailed:
            return ""

    def sysctl(self, node: str, path: str) -> str:
        """A setting of a node's kernel now, by its path below /proc/sys ("net/ipv4/ip_forward"); empty if missing."""
        return self.output(node, "cat", f"/proc/sys/{path}").strip()

    def path(self, source: str, address: str) -> LabPath:
        """The path of packets from a node to an address by the kernels' tables now."""
        return self._lab.path(source, address, vrf=self.vrf(source), trace=False)

    def path_back(self, path: LabPath) -> LabPath:
        """The path of the replies to the packets of a path, by the kernels' tables now."""
        return self._lab.path_back(path, trace=False)

    # --- configurations -----------------------------------------------------------------------------------------------

    def config(self, router: str) -> tuple[ConfigEntry, ...]:
        """The running configuration of a router; empty if it does not answer."""
        return self._once(("config", router), lambda: parse(self._text(router, "show running-config")))

    def sections(self, router: str, kind: str) -> list[ConfigEntry]:
        """The sections of a kind ("interface", "bgp", "router") in the running configuration. Instances of protocols
        in other routing tables are left out."""
        sections = [entry for entry in self.config(router) if entry.kind == kind]
        return [entry for entry in sections if kind == "interface" or self._is_read(router, entry.text)]

    def _is_read(self, router: str, heading: str) -> bool:
        """Whether a protocol's instance is in the routing table that is read."""
        words = heading.split()
        return (words[words.index("vrf") + 1] if "vrf" in words else "") == self.vrf(router) and "view" not in words

    def static_lines(self, router: str) -> list[str]:
        """The lines outside of protocols for the routing table that is read, such as static routes."""
        if vrf := self.vrf(router):
            return [line.text for e in self.config(router) if e.text == f"vrf {vrf}" for line in e.below]
        return [entry.text for entry in self.config(router)]

    def lines(self, router: str, heading: str) -> tuple[str, ...]:
        """The lines in the section with this heading ("interface r1-eth0"); those of its sections are left out."""
        if heading.startswith("router "):
            heading = " ".join((heading, *self._in_vrf(router)))
        return tuple(
            line.text for entry in self.config(router) if entry.kind and entry.text == heading for line in entry.below
        )

    # --- daemons ------------------------------------------------------------------------------------------------------

    def rib(self, router: str, network: Network) -> list[dict[str, Any]]:
        """The entries of zebra's table for exactly this network."""
        words = ("show", "ip" if network.version == 4 else "ipv6", "route", *self._in_vrf(router), str(network), "json")
        return list(self._json(router, " ".join(words)).get(str(network), ()))

    def selected(self, router: str, network: Network) -> dict[str, Any]:
        """The entry for exactly this network that is in force; empty if there is none."""
        return next((e for e in self.rib(router, network) if e.get("selected") and e.get("installed")), {})

    def ospf_interface(self, router: str, interface: str) -> dict[str, Any]:
        """An interface in `show ip ospf interface json`; empty if OSPF does not run on it."""
        facts = self._ospf(router, "interface").get("interfaces", {}).get(interface, {})
        return facts if facts.get("ospfEnabled") else {}

    def ospf_interfaces(self, router: str) -> dict[str, dict[str, Any]]:
        """All interfaces on which OSPF runs."""
        interfaces = self._ospf(router, "interface").get("interfaces", {})
        return {name: facts for name, facts in interfaces.items() if facts.get("ospfEnabled")}

    def ospf_area(self, router: str, area: str) -> dict[str, Any]:
        """An area in `show ip ospf json`; empty if the router has no interface in it."""
        value = self._ospf(router, "").get("areas", {}).get(area, {})
        return value if isinstance(value, dict) else {}

    def ospf_router_id(self, router: str) -> str:
        """The router ID in `show ip ospf json`; empty if OSPF does not run."""
        return str(self._ospf(router, "").get("routerId", ""))

    def ospf_route_type(self, router: str, network: Network) -> str:
        """The type of a route in `show ip ospf route json` ("N IA", "N E2"); empty if OSPF has no route to it."""
        route = self._ospf(router, "route").get(str(network), {})
        return str(route.get("routeType", "")) if isinstance(route, dict) else ""

    def ospf6_interface(self, router: str, interface: str) -> dict[str, Any]:
        """An interface in `show ipv6 ospf6 interface json`; empty if OSPFv3 does not run on it."""
        facts = self._json(router, "show ipv6 ospf6 interface json").get(interface, {})
        return facts if facts.get("attachedToArea") else {}

    def isis_interfaces(self, router: str) -> dict[str, dict[str, Any]]:
        """The interfaces with a circuit of IS-IS, as in `show isis interface detail json`."""
        reply = self._json(router, "show isis interface detail json")
        circuits = [circuit for area in reply.get("areas", ()) for circuit in area.get("circuits", ())]
        interfaces = [circuit["interface"] for circuit in circuits if "interface" in circuit]
        return {interface["name"]: interface for interface in interfaces}

    def bfd_peers(self, router: str) -> list[dict[str, Any]]:
        """The sessions in `show bfd peers json` of the routing table that is read."""
        try:
            peers = json.loads(self._text(router, "show bfd peers json") or "[]")
        except ValueError:
            return []
        return [
            peer
            for peer in peers
            if isinstance(peer, dict) and peer.get("vrf", "default") == (self.vrf(router) or "default")
        ]

    def bgp_neighbors(self, router: str) -> dict[str, dict[str, Any]]:
        """The neighbors in `show bgp neighbors json`, by address or interface."""
        reply = self._bgp(router, "neighbors")
        return {name: value for name, value in reply.items() if isinstance(value, dict) and "localAs" in value}

    def _ospf(self, router: str, words: str) -> dict[str, Any]:
        """The reply to `show ip ospf ... json` for the routing table that is read."""
        command = " ".join(("show ip ospf", *self._in_vrf(router), *words.split(), "json"))
        reply = self._json(router, command)
        value = reply.get(self.vrf(router), {}) if self.vrf(router) else reply
        return value if isinstance(value, dict) else {}

    def _bgp(self, router: str, words: str) -> dict[str, Any]:
        """The reply to `show bgp ... json` for the routing table that is read."""
        return self._json(router, " ".join(("show bgp", *self._in_vrf(router), words, "json")))

    def bgp_paths(self, router: str, network: Network) -> list[dict[str, Any]]:
        """The paths in the BGP table to exactly this network."""
        reply = self._bgp(router, f"ipv{network.version} unicast {network}")
        return list(reply.get("paths", ())) if reply.get("prefix") == str(network) else []

    def bgp_announcement(self, router: str, neighbor: str, network: Network) -> dict[str, Any]:
        """The announcement of this network to a neighbor, after all policies; empty if the router sends none."""
        words = f"ipv{network.version} unicast neighbors {neighbor} advertised-routes"
        route = self._bgp(router, words).get("advertisedRoutes", {}).get(str(network), {})
        return route if isinstance(route, dict) else {}

    def adjacencies(self, router: str) -> list[wire.AdjacencyEvent]:
        """The neighbors of all routing daemons of a router."""
        return self._once(("adjacencies", router), lambda: self._lab.adjacencies(router))

    # --- internals ----------------------------------------------------------------------------------------------------

    def _once(self, key: tuple[str, ...], read: Callable[[], V]) -> V:
        if key not in self._known:
            self._known[key] = read()
        return self._known[key]  # type: ignore[no-any-return]

    def _text(self, router: str, command: str) -> str:
        """The output of vtysh; empty if the daemon does not run."""
        return self._once((router, command), lambda: self._read_text(router, command))

    def _read_text(self, router: str, command: str) -> str:
        if router not in self.routers or self.is_stopped(router):
            return ""
        try:
            return self._lab[router].vtysh(command)
        except CommandFailed:
            return ""

    def _json(self, router: str, command: str) -> dict[str, Any]:
        try:
            value = json.loads(self._text(router, command) or "{}")
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}
