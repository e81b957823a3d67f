"""Follows packets through a lab: the decision of each node's kernel, one node after the other."""

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
from frrlib.agent.probes.fib import KernelInterface, NextHop
from frrlib.errors import LabFailed
from frrlib.wire.replies import PathHop, PathStop
from frrlib.wire.requests import FollowPath

if TYPE_CHECKING:
    from frrlib.agent.network.network import LabNet

#: The number of stops after which a walk ends, in any network.
_MOST_STOPS = 512
_SWITCHING = ("bridge", "switch")


class ReachableInterface(NamedTuple):
    """An interface at the other end of a network, and the path to it.

    Attributes:
        down: the first link on the path without carrier; empty if all have it.
    """

    node: str
    interface: str
    links: tuple[str, ...]
    switches: tuple[str, ...]
    down: str = ""


class _Position(NamedTuple):
    """The position of packets: the node, and the interface by which they arrived (0: they start here, in `vrf`)."""

    node: str
    from_interface: int
    vrf: str


def follow(net: LabNet, request: FollowPath) -> dict[str, Any]:
    """The result of the request. Raises LabFailed if the source has no such VRF."""
    source, stops = Walk(net).walk(request)
    return {"from": source, "stops": [msgspec.to_builtins(stop) for stop in stops]}


def owners(net: LabNet) -> dict[str, list[str]]:
    """The nodes with each address in the lab; there may be several in different VRFs. Link-local and loopback
    addresses are left out."""
    owners_of: dict[str, list[str]] = {}
    for node in net.nodes:
        for address in fib.addresses(_netlink(net, node.name)):
            if not address.startswith(("fe80:", "127.")) and address != "::1":
                owners_of.setdefault(address, []).append(node.name)
    return owners_of


def _netlink(net: LabNet, node: str) -> Netlink:
    netlink = net.node(node).netlink
    if netlink is None:
        raise LabFailed(f"{node} is not yet built")
    return netlink


class Walk:
    """One walk. It caches the kernels' replies."""

    def __init__(self, net: LabNet) -> None:
        self._net = net
        self._ports: dict[str, dict[int, KernelInterface]] = {}
        self._addresses: dict[str, dict[str, set[int]]] = {}

    def walk(self, request: FollowPath) -> tuple[str, list[PathStop]]:
        """The sender's address (empty if it has no route), and the decisions of all nodes about its packets."""
        address, netlink = request.address, _netlink(self._net, request.source)
        device = self._index(request.source, request.vrf) if request.vrf else 0
        try:
            source = fib.source_of(netlink, address, device)
        except NetlinkError:
            source = ""  # the first stop has the reason
        waiting = deque([_Position(request.source, 0, request.vrf)])
        stops: list[PathStop] = []
        visited = {(request.source, request.vrf)}
        while waiting and len(stops) < _MOST_STOPS:
            position = waiting.popleft()
            stop, beyond = self._stop(position, address, source, device)
            stops.append(stop)
            for following in beyond:
                if (following.node, following.vrf) not in visited:
                    visited.add((following.node, following.vrf))
                    waiting.append(following)
        return source, stops

    def _stop(self, position: _Position, address: str, source: str, device: int) -> tuple[PathStop, list[_Position]]:
        """A node's decision, and the next positions of its packets."""
        name, netlink = position.node, _netlink(self._net, position.node)
        try:
            if position.from_interface:
                answer = fib.ask(netlink, address, source=source, from_interface=position.from_interface)
            else:
                answer = fib.ask(netlink, address, vrf=device)
        except NetlinkError as error:
            return PathStop(name, position.vrf, reason=self._refusal(position, address, error)), []
        if answer.is_local:
            return PathStop(name, position.vrf, answer.prefix, answer.protocol, is_end=True), []
        stop = PathStop(name, position.vrf, answer.prefix, answer.protocol)
        if answer.refuses:
            return replace(stop, reason=f"has {answer.refuses} to {answer.prefix}"), []
        if position.from_interface and ":" in address and not self._forwards_ipv6(name):
            return replace(stop, reason=fib.REASONS[errno.EHOSTUNREACH]), []
        if not answer.hops:
            return replace(stop, reason="has no next hop that is alive"), []
        hops, beyond = [], []
        for next_hop in answer.hops:
            hop, following = self._hop(name, next_hop, address)
            hops.append(hop)
            beyond += [following] if following is not None else []
        return replace(stop, hops=tuple(hops)), beyond

    def _refusal(self, position: _Position, address: str, error: NetlinkError) -> str:
        table = next(
            (vrf.table for vrf in self._net.node(position.node).plan.vrfs if vrf.name == position.vrf), MAIN_TABLE
        )
        prefix, refusing = fib.refusal(_netlink(self._net, position.node), address, table)
        if prefix:
            return f"has {refusing} to {prefix}"
        # The VRF's last route was used, which stands for no route.
        if position.vrf and error.code in (errno.ENETUNREACH, errno.EHOSTUNREACH):
            return f"has no route in VRF {position.vrf}"
        return fib.reason(error)

    def _forwards_ipv6(self, node: str) -> bool:
        """Whether a node forwards IPv6. Kernels reply to route requests as if they did."""
        path = Path("/proc/sys/net/ipv6/conf/all/forwarding")
        return bool(self._net.node(node).thread.call(path.read_text).strip() == "1")

    # --- to the next node ---

    def _hop(self, node: str, hop: NextHop, address: str) -> tuple[PathHop, _Position | None]:
        ports = self._ports_of(node)
        port = ports.get(hop.device, KernelInterface(f"interface {hop.device}", 0, False))
        path_hop = PathHop(port.name, hop.gateway, labels=hop.labels)
        if port.is_vrf:  # a leak: the same node continues in another table
            return replace(path_hop, node=node, vrf=port.name), _Position(node, hop.device, port.name)
        destination = hop.gateway or address
        reachable = self._reachable(node, port.name)
        if reachable is None:
            return replace(path_hop, reason=f"sends them out of {port.name}, which is not in the topology"), None
        for exact in (True, False):
            for candidate in reachable:
                indexes = self._addresses_of(candidate.node).get(destination, set())
                index = self._index(candidate.node, candidate.interface)
                if index in indexes if exact else indexes:
                    return self._arrive(path_hop, candidate, index)
        return replace(path_hop, reason=f"finds no node with the address {destination} at {port.name}"), None

    def _arrive(self, hop: PathHop, at: ReachableInterface, index: int) -> tuple[PathHop, _Position | None]:
        master = self._ports_of(at.node)[index].master
        device = self._ports_of(at.node).get(master)
        vrf = device.name if device is not None and device.is_vrf else ""
        path_hop = replace(hop, node=at.node, vrf=vrf, links=at.links, switches=at.switches)
        if at.down:
            return replace(path_hop, node="", reason=f"does not reach {at.node}: the link {at.down} is down"), None
        return path_hop, _Position(at.node, index, vrf)

    def _reachable(self, node: str, interface: str) -> list[ReachableInterface] | None:
        """All interfaces on the network behind an interface, the nearest first; None if it is not at a link."""
        lower = interface.partition(".")[0]  # of a VLAN
        net = self._net
        first = next((link for link in net.links_by_id.values() if (node, lower) in _ends(link)), None)
        if first is None:
            return None
        reachable: list[ReachableInterface] = []
        waiting = deque([(first, node, lower, ReachableInterface(node, lower, (), ()))])
        visited = {first.plan.id}
        while waiting:
            link, name, port, previous = waiting.popleft()
            a, b = _ends(link)
            far_node, its_port = b if (name, port) == a else a
            links = (*previous.links, link.plan.id)
            works = link.is_up and all(end.is_enabled for end in link.ends)
            down = previous.down or ("" if works else f"{a[0]} - {b[0]}")
            at = ReachableInterface(far_node, its_port + interface[len(lower) :], links, previous.switches, down)
            if net.node(far_node).plan.kind not in _SWITCHING:
                reachable.append(at)
                continue
            if self._addresses_at_switch(far_node):
                reachable.append(at)
            for next_link in net.links_by_id.values():
                for end in _ends(next_link):
                    if end[0] == far_node and next_link.plan.id not in visited:
                        visited.add(next_link.plan.id)
                        onward = ReachableInterface(far_node, end[1], links, (*previous.switches, far_node), down)
                        waiting.append((next_link, far_node, end[1], onward))
        return sorted(reachable, key=lambda candidate: bool(candidate.down))

    def _addresses_at_switch(self, name: str) -> bool:
        switch = self._net.node(name).plan.switch
        return switch is not None and bool(switch.addresses)

    def _ports_of(self, node: str) -> dict[int, KernelInterface]:
        if node not in self._ports:
            self._ports[node] = fib.interfaces(_netlink(self._net, node))
        return self._ports[node]

    def _addresses_of(self, node: str) -> dict[str, set[int]]:
        if node not in self._addresses:
            self._addresses[node] = fib.addresses(_netlink(self._net, node))
        return self._addresses[node]

    def _index(self, node: str, name: str) -> int:
        """The index of an interface, or of a VRF's device. Raises LabFailed if there is none."""
        for index, port in self._ports_of(node).items():
            if port.name == name:
                return index
        vrfs = [vrf.name for vrf in self._net.node(node).plan.vrfs]
        raise LabFailed(f"{node} has no {name}; its VRFs are {', '.join(vrfs) or 'none'}")


def _ends(link: Any) -> tuple[tuple[str, str], tuple[str, str]]:
    plan = link.plan
    return (plan.a.node, plan.a.name), (plan.b.node, plan.b.name)
