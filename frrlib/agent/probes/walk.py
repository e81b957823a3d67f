"""Follows packets through a lab: what the kernel of each node would do with them, one node after the other."""

from __future__ import annotations

import errno
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from frrlib.agent.network.netlink import Netlink, NetlinkError
from frrlib.agent.network.rtnetlink import MAIN_TABLE
from frrlib.agent.probes import fib
from frrlib.agent.probes.fib import Hop, Port
from frrlib.errors import LabFailed
from frrlib.wire.replies import PathHop, PathStop
from frrlib.wire.requests import FollowPath

if TYPE_CHECKING:
    from frrlib.agent.network.network import LabNet

#: How many stops are looked at, so that a walk ends in any network.
_MOST_STOPS = 512
_SWITCHING = ("bridge", "switch")


class Reached(NamedTuple):
    """An interface at the other end of a network, and what is passed on the way there.

    Attributes:
        down: the first link on the way that has no carrier; empty where all have.
    """

    node: str
    interface: str
    links: tuple[str, ...]
    switches: tuple[str, ...]
    down: str = ""


class _Here(NamedTuple):
    """Where packets are: in which node, and by which interface they came (0: they begin here, in `vrf`)."""

    node: str
    came_in: int
    vrf: str


def follow(net: LabNet, request: FollowPath) -> dict[str, Any]:
    """The result of the request. Raises LabFailed where the source has no such VRF."""
    source, stops = Walk(net).walk(request)
    return {"from": source, "stops": [msgspec.to_builtins(stop) for stop in stops]}


def owners(net: LabNet) -> dict[str, list[str]]:
    """Every address in the lab, and whose it is: several nodes' where VRFs keep them apart. Those that count only on a
    link are left out."""
    found: dict[str, list[str]] = {}
    for node in net.nodes:
        for address in fib.addresses(_netlink(net, node.name)):
            if not address.startswith(("fe80:", "127.")) and address != "::1":
                found.setdefault(address, []).append(node.name)
    return found


def _netlink(net: LabNet, node: str) -> Netlink:
    netlink = net.node(node).netlink
    if netlink is None:
        raise LabFailed(f"{node} is not yet built")
    return netlink


class Walk:
    """One walk; what it has asked a kernel once it does not ask again."""

    def __init__(self, net: LabNet) -> None:
        self._net = net
        self._ports: dict[str, dict[int, Port]] = {}
        self._addresses: dict[str, dict[str, set[int]]] = {}

    def walk(self, request: FollowPath) -> tuple[str, list[PathStop]]:
        """The sender's address (empty where it has no route), and what all nodes do with its packets."""
        address, netlink = request.address, _netlink(self._net, request.source)
        device = self._index(request.source, request.vrf) if request.vrf else 0
        try:
            source = fib.source_of(netlink, address, device)
        except NetlinkError:
            source = ""  # the first stop says why
        waiting = deque([_Here(request.source, 0, request.vrf)])
        stops: list[PathStop] = []
        seen = {(request.source, request.vrf)}
        while waiting and len(stops) < _MOST_STOPS:
            here = waiting.popleft()
            stop, beyond = self._stop(here, address, source, device)
            stops.append(stop)
            for there in beyond:
                if (there.node, there.vrf) not in seen:
                    seen.add((there.node, there.vrf))
                    waiting.append(there)
        return source, stops

    def _stop(self, here: _Here, address: str, source: str, device: int) -> tuple[PathStop, list[_Here]]:
        """A node's decision, and where its packets go next."""
        name, netlink = here.node, _netlink(self._net, here.node)
        try:
            if here.came_in:
                answer = fib.ask(netlink, address, source=source, came_in=here.came_in)
            else:
                answer = fib.ask(netlink, address, vrf=device)
        except NetlinkError as error:
            return PathStop(name, here.vrf, why=self._why(here, address, error)), []
        if answer.is_local:
            return PathStop(name, here.vrf, answer.prefix, answer.protocol, is_end=True), []
        stop = PathStop(name, here.vrf, answer.prefix, answer.protocol)
        if answer.refuses:
            return replace(stop, why=f"has {answer.refuses} to {answer.prefix}"), []
        if here.came_in and ":" in address and not self._forwards_ipv6(name):
            return replace(stop, why=fib.REASONS[errno.EHOSTUNREACH]), []
        if not answer.hops:
            return replace(stop, why="has no next hop that is alive"), []
        hops, beyond = [], []
        for each in answer.hops:
            hop, there = self._hop(name, each, address)
            hops.append(hop)
            beyond += [there] if there is not None else []
        return replace(stop, hops=tuple(hops)), beyond

    def _why(self, here: _Here, address: str, error: NetlinkError) -> str:
        table = next((vrf.table for vrf in self._net.node(here.node).plan.vrfs if vrf.name == here.vrf), MAIN_TABLE)
        prefix, what = fib.refusal(_netlink(self._net, here.node), address, table)
        if prefix:
            return f"has {what} to {prefix}"
        # A VRF's last route, which stands for none, has been taken.
        if here.vrf and error.code in (errno.ENETUNREACH, errno.EHOSTUNREACH):
            return f"has no route in VRF {here.vrf}"
        return fib.reason(error)

    def _forwards_ipv6(self, node: str) -> bool:
        """Kernels answer for IPv6 as if they did."""
        path = Path("/proc/sys/net/ipv6/conf/all/forwarding")
        return bool(self._net.node(node).thread.call(path.read_text).strip() == "1")

    # --- to the next node ---

    def _hop(self, node: str, hop: Hop, address: str) -> tuple[PathHop, _Here | None]:
        ports = self._ports_of(node)
        port = ports.get(hop.device, Port(f"interface {hop.device}", 0, False))
        found = PathHop(port.name, hop.gateway, labels=hop.labels)
        if port.is_vrf:  # a leak: the same node looks again, in another table
            return replace(found, node=node, vrf=port.name), _Here(node, hop.device, port.name)
        wanted = hop.gateway or address
        reached = self._reached(node, port.name)
        if reached is None:
            return replace(found, why=f"sends them out of {port.name}, which is not in the drawing"), None
        for exact in (True, False):
            for each in reached:
                indexes = self._addresses_of(each.node).get(wanted, set())
                index = self._index(each.node, each.interface)
                if index in indexes if exact else indexes:
                    return self._arrive(found, each, index)
        return replace(found, why=f"finds nobody with {wanted} behind {port.name}"), None

    def _arrive(self, hop: PathHop, at: Reached, index: int) -> tuple[PathHop, _Here | None]:
        master = self._ports_of(at.node)[index].master
        device = self._ports_of(at.node).get(master)
        vrf = device.name if device is not None and device.is_vrf else ""
        found = replace(hop, node=at.node, vrf=vrf, links=at.links, switches=at.switches)
        if at.down:
            return replace(found, node="", why=f"does not reach {at.node}: the link {at.down} is down"), None
        return found, _Here(at.node, index, vrf)

    def _reached(self, node: str, interface: str) -> list[Reached] | None:
        """All interfaces on the network behind an interface, the nearest first; None where it is no link's end."""
        lower = interface.partition(".")[0]  # a VLAN's
        net = self._net
        first = next((link for link in net.labelled.values() if (node, lower) in _ends(link)), None)
        if first is None:
            return None
        found: list[Reached] = []
        waiting = deque([(first, node, lower, Reached(node, lower, (), ()))])
        seen = {first.plan.id}
        while waiting:
            link, name, port, before = waiting.popleft()
            a, b = _ends(link)
            there, its_port = b if (name, port) == a else a
            links = (*before.links, link.plan.id)
            works = link.is_up and all(end.is_enabled for end in link.ends)
            down = before.down or ("" if works else f"{a[0]} - {b[0]}")
            at = Reached(there, its_port + interface[len(lower) :], links, before.switches, down)
            if net.node(there).plan.kind not in _SWITCHING:
                found.append(at)
                continue
            if self._addresses_at_switch(there):
                found.append(at)
            for other in net.labelled.values():
                for end in _ends(other):
                    if end[0] == there and other.plan.id not in seen:
                        seen.add(other.plan.id)
                        onward = Reached(there, end[1], links, (*before.switches, there), down)
                        waiting.append((other, there, end[1], onward))
        return sorted(found, key=lambda each: bool(each.down))

    def _addresses_at_switch(self, name: str) -> bool:
        switch = self._net.node(name).plan.switch
        return switch is not None and bool(switch.addresses)

    def _ports_of(self, node: str) -> dict[int, Port]:
        if node not in self._ports:
            self._ports[node] = fib.ports(_netlink(self._net, node))
        return self._ports[node]

    def _addresses_of(self, node: str) -> dict[str, set[int]]:
        if node not in self._addresses:
            self._addresses[node] = fib.addresses(_netlink(self._net, node))
        return self._addresses[node]

    def _index(self, node: str, name: str) -> int:
        """The index of an interface, or of the device of a VRF. Raises LabFailed where there is none."""
        for index, port in self._ports_of(node).items():
            if port.name == name:
                return index
        vrfs = [vrf.name for vrf in self._net.node(node).plan.vrfs]
        raise LabFailed(f"{node} has no {name}; its VRFs are {', '.join(vrfs) or 'none'}")


def _ends(link: Any) -> tuple[tuple[str, str], tuple[str, str]]:
    plan = link.plan
    return (plan.a.node, plan.a.name), (plan.b.node, plan.b.name)
