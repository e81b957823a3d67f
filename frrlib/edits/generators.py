"""Generated topologies: lines, rings, trees and others, placed on the canvas and ready to run.

Devices are routers with OSPF, OpenFlow switches, or plain bridges; bridges speak STP where the shape has rings, for a
broadcast would circulate in them for ever. Counts, with `hosts` at each device that carries hosts:

| shape      | devices                 | links between devices   | carry hosts      |
| ---------- | ----------------------- | ----------------------- | ---------------- |
| line       | n                       | n - 1                   | all              |
| ring       | n                       | n                       | all              |
| star       | arms + 1                | arms                    | the arms         |
| tree       | (f**d - 1) / (f - 1)    | devices - 1             | the lowest level |
| grid       | rows * columns          | r * (c - 1) + c * (r - 1) | all            |
| full mesh  | n                       | n * (n - 1) / 2         | all              |
| dumbbell   | 2                       | 1                       | both             |
| fat tree   | 5 * k**2 / 4            | k**3 / 2                | the edge         |
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from frrlib.errors import TopologyError
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Bridge, Host, Node, Router, Switch
from frrlib.model.routing import Ospf
from frrlib.model.topology import Topology

Device = Literal["router", "switch", "bridge"]
#: Maximum number of nodes of a generated topology; more would not be readable.
MOST_NODES = 2000
_PITCH_PX = 140.0
_HOST_PX = 90.0
_MARGIN_PX = 80.0


class _TopologyBuilder:
    """A topology under construction: it counts names and IDs, and keeps positions until all are known."""

    def __init__(self, title: str, device: Device, has_rings: bool) -> None:
        self._title, self._device, self._has_rings = title, device, has_rings
        self._nodes: list[Node] = []
        self._spots: list[complex] = []
        self._links: list[Link] = []
        self._devices = self._hosts = 0

    def device(self, spot: complex) -> str:
        """Add a router, switch or bridge at a position; returns its name."""
        self._devices += 1
        number = self._devices
        if self._device == "router":
            return self._add(Router(name=f"r{number}", number=number, ospf=Ospf()), spot)
        if self._device == "switch":
            return self._add(Switch(name=f"s{number}", number=number), spot)
        return self._add(Bridge(name=f"s{number}", number=number, stp=self._has_rings), spot)

    def host(self, spot: complex, at: str) -> str:
        """Add a host at a position and link it to `at`; returns its name."""
        self._hosts += 1
        name = self._add(Host(name=f"h{self._hosts}", number=self._hosts), spot)
        self.link(name, at)
        return name

    def hosts(self, count: int, at: str, spot: complex, away: complex) -> None:
        """Add `count` hosts to the device at `spot`, fanned out in the direction `away` (of length 1)."""
        for index in range(count):
            turn = cmath.rect(1, (index - (count - 1) / 2) * _fan(count))
            self.host(spot + away * turn * _reach(count), at)

    def link(self, a: str, b: str, shape: Shape | None = None) -> None:
        """Link two nodes, with the same shape in both directions."""
        both = shape or Shape()
        link_id = f"l{len(self._links) + 1}"
        self._links.append(Link(id=link_id, a=End(node=a), b=End(node=b), a_to_b=both, b_to_a=both))

    def topology(self, flows: Sequence[Flow] = ()) -> Topology:
        """The topology, with a margin to the canvas's left and top."""
        left, top = min(spot.real for spot in self._spots), min(spot.imag for spot in self._spots)
        nodes = tuple(
            node.model_copy(
                update={
                    "x": float(round(spot.real - left + _MARGIN_PX)),
                    "y": float(round(spot.imag - top + _MARGIN_PX)),
                }
            )
            for node, spot in zip(self._nodes, self._spots, strict=True)
        )
        return Topology(title=self._title, nodes=nodes, links=tuple(self._links), flows=tuple(flows))

    def _add(self, node: Node, spot: complex) -> str:
        self._nodes.append(node)
        self._spots.append(spot)
        return node.name


def _need(value: int, least: int, field: str) -> None:
    if value < least:
        raise TopologyError(f"is {value}", field=field, remedy=f"at least {least}")


def _refuse_giants(nodes: int) -> None:
    if nodes > MOST_NODES:
        raise TopologyError(f"the topology would have {nodes} nodes", remedy=f"at most {MOST_NODES}")


def _sizes(devices: int, least: int, hosts: int, field: str = "n") -> None:
    _need(devices, least, field)
    _need(hosts, 0, "hosts")
    _refuse_giants(devices * (1 + hosts))


def _fan(hosts: int) -> float:
    """Angle between adjacent hosts of one device in radians, so that all of them fit into half a circle."""
    return min(0.7, math.pi / max(hosts, 1))


def _reach(hosts: int) -> float:
    """Distance of a device's hosts from it in pixels; many hosts need a wider arc."""
    return max(_HOST_PX, hosts * _HOST_PX / 5)


def _pitch(hosts: int) -> float:
    """Distance of devices in pixels that leaves room for the hosts of both."""
    sideways = _reach(hosts) * math.sin((hosts - 1) * _fan(hosts) / 2) if hosts else 0.0
    return max(_PITCH_PX, 2 * sideways + _HOST_PX)


def _directions(count: int) -> Iterator[complex]:
    """Directions to points on a circle, the first one up, clockwise."""
    return (cmath.rect(1, 2 * math.pi * index / count - math.pi / 2) for index in range(count))


def _radius(count: int, hosts: int) -> float:
    """Radius in pixels of a circle on which adjacent devices are a pitch apart."""
    return max(_PITCH_PX, _pitch(hosts) / (2 * math.sin(math.pi / count))) if count > 1 else _PITCH_PX


_DOWN = 1j


def line(n: int, device: Device = "router", hosts: int = 1) -> Topology:
    """`n` devices in a row, each with `hosts` hosts.

    Raises:
        TopologyError: n is below 1, or the topology would be too large.
    """
    _sizes(n, 1, hosts)
    builder = _TopologyBuilder(f"Line of {n}", device, has_rings=False)
    names = [builder.device(complex(index * _pitch(hosts))) for index in range(n)]
    for first, second in pairwise(names):
        builder.link(first, second)
    for index, name in enumerate(names):
        builder.hosts(hosts, name, complex(index * _pitch(hosts)), _DOWN)
    return builder.topology()


def ring(n: int, device: Device = "router", hosts: int = 1) -> Topology:
    """`n` devices in a ring, each with `hosts` hosts outside.

    Raises:
        TopologyError: n is below 3, or the topology would be too large.
    """
    _sizes(n, 3, hosts)
    builder = _TopologyBuilder(f"Ring of {n}", device, has_rings=True)
    names = [builder.device(spot * _radius(n, hosts)) for spot in _directions(n)]
    for first, second in zip(names, [*names[1:], names[0]], strict=True):
        builder.link(first, second)
    for name, spot in zip(names, _directions(n), strict=True):
        builder.hosts(hosts, name, spot * _radius(n, hosts), spot)
    return builder.topology()


def star(arms: int, device: Device = "router", hosts: int = 1) -> Topology:
    """A device in the middle and `arms` devices around it, each of these with `hosts` hosts outside.

    Raises:
        TopologyError: there is no arm, or the topology would be too large.
    """
    _sizes(arms, 1, hosts, "arms")
    builder = _TopologyBuilder(f"Star with {arms} arms", device, has_rings=False)
    middle = builder.device(0j)
    names = [builder.device(spot * _radius(arms, hosts)) for spot in _directions(arms)]
    for name in names:
        builder.link(middle, name)
    for name, spot in zip(names, _directions(arms), strict=True):
        builder.hosts(hosts, name, spot * _radius(arms, hosts), spot)
    return builder.topology()


def tree(depth: int, fanout: int, device: Device = "router", hosts: int | None = None) -> Topology:
    """A tree of `depth` levels of devices, each with `fanout` below it.

    Args:
        depth: levels of devices, at least 1.
        fanout: branches of each device, at least 1.
        device: what the devices are.
        hosts: hosts at each device of the lowest level; None for `fanout`, as in Mininet.

    Raises:
        TopologyError: a size is too small, or the topology would be too large.
    """
    _need(depth, 1, "depth")
    _need(fanout, 1, "fanout")
    count = fanout if hosts is None else hosts
    _need(count, 0, "hosts")
    lowest = 1
    total = 1
    for _ in range(depth - 1):
        lowest *= fanout
        total += lowest
        _refuse_giants(total)
    _refuse_giants(total + lowest * count)
    builder = _TopologyBuilder(f"Tree of depth {depth}, fanout {fanout}", device, has_rings=False)
    # Every leaf is as wide as its hosts; each upper node is above the middle of its lower neighbors.
    leaf_px = max(_PITCH_PX, count * _HOST_PX)
    above: list[str] = []
    for level in range(depth):
        size = fanout**level
        width_px = leaf_px * lowest / size
        spots = [complex((index + 0.5) * width_px, level * _PITCH_PX) for index in range(size)]
        names = [builder.device(spot) for spot in spots]
        for index, name in enumerate(names if above else ()):
            builder.link(above[index // fanout], name)
        above = names
    for name, spot in zip(above, spots, strict=True):
        for index in range(count):
            builder.host(spot + complex((index - (count - 1) / 2) * _HOST_PX, _HOST_PX), name)
    return builder.topology()


def grid(rows: int, columns: int, device: Device = "router", hosts: int = 0) -> Topology:
    """Devices on a grid, each linked to its up to four neighbors and with `hosts` hosts.

    Raises:
        TopologyError: there is no row or column, or the topology would be too large.
    """
    _need(rows, 1, "rows")
    _need(columns, 1, "columns")
    _sizes(rows * columns, 1, hosts)
    builder = _TopologyBuilder(f"Grid of {rows} by {columns}", device, has_rings=rows > 1 and columns > 1)
    pitch = _pitch(hosts) + (_reach(hosts) if hosts else 0)
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    names = {cell: builder.device(complex(cell[1], cell[0]) * pitch) for cell in cells}
    for row, column in cells:
        for beside in ((row, column + 1), (row + 1, column)):
            if beside in names:
                builder.link(names[row, column], names[beside])
    for row, column in cells:
        builder.hosts(hosts, names[row, column], complex(column, row) * pitch, cmath.rect(1, math.pi / 4))
    return builder.topology()


def full_mesh(n: int, device: Device = "router", hosts: int = 1) -> Topology:
    """`n` devices, every two linked, each with `hosts` hosts outside.

    Raises:
        TopologyError: n is below 2, or the topology would be too large.
    """
    _sizes(n, 2, hosts)
    _need(MOST_NODES * 2 - n * (n - 1) // 2, 0, "n")
    builder = _TopologyBuilder(f"Full mesh of {n}", device, has_rings=n > 2)
    names = [builder.device(spot * _radius(n, hosts)) for spot in _directions(n)]
    for index, first in enumerate(names):
        for second in names[index + 1 :]:
            builder.link(first, second)
    for name, spot in zip(names, _directions(n), strict=True):
        builder.hosts(hosts, name, spot * _radius(n, hosts), spot)
    return builder.topology()


def dumbbell(
    pairs: int,
    bottleneck: Shape | None = None,
    device: Device = "router",
    congestion_controls: Sequence[str] = (),
) -> Topology:
    """Two devices joined by a bottleneck, `pairs` hosts on each side: the usual topology for congestion control.

    Hosts h1 to hN are on the left, hN+1 to h2N on the right; the left ones send.

    Args:
        pairs: hosts on each side, at least 1.
        bottleneck: the shape of both directions between the devices; None for 10 Mbit/s, 20 ms each way, and a queue of
            one bandwidth-delay product.
        device: what the two in the middle are.
        congestion_controls: a flow for each pair, with these in turn, all at once; empty for no flows.

    Raises:
        TopologyError: there is no pair, or the topology would be too large.
    """
    _need(pairs, 1, "pairs")
    _refuse_giants(2 + 2 * pairs)
    builder = _TopologyBuilder(f"Dumbbell of {pairs} {'pair' if pairs == 1 else 'pairs'}", device, has_rings=False)
    sender_side, receiver_side = builder.device(0j), builder.device(2 * _PITCH_PX + 0j)
    builder.link(sender_side, receiver_side, bottleneck or Shape(rate_mbit=10, delay_ms=20, queue_bdp=1))
    heights = [(index - (pairs - 1) / 2) * _HOST_PX for index in range(pairs)]
    senders = [builder.host(complex(-_PITCH_PX, y), sender_side) for y in heights]
    receivers = [builder.host(complex(3 * _PITCH_PX, y), receiver_side) for y in heights]
    flows = [
        Flow(
            id=f"f{index + 1}",
            source=sender,
            destination=receiver,
            congestion_control=congestion_controls[index % len(congestion_controls)],
        )
        for index, (sender, receiver) in enumerate(zip(senders, receivers, strict=True))
        if congestion_controls
    ]
    return builder.topology(flows)


def fat_tree(k: int, device: Device = "router", hosts: int | None = None) -> Topology:
    """A fat tree of devices with `k` ports (M. Al-Fares and others, SIGCOMM 2008).

    (k/2)**2 core devices, and k pods of k/2 aggregation and k/2 edge devices; the ports that are left at the edge carry
    hosts.

    Args:
        k: ports of each device; even, at least 2.
        device: what the devices are.
        hosts: hosts at each edge device; None for k/2, which uses all ports.

    Raises:
        TopologyError: k is odd or below 2, or the topology would be too large.
    """
    _need(k, 2, "k")
    if k % 2:
        raise TopologyError(f"is {k}, but half of the ports of a switch lead up", field="k", remedy="an even number")
    half = k // 2
    count = half if hosts is None else hosts
    _need(count, 0, "hosts")
    _refuse_giants(5 * half * half + k * half * count)
    builder = _TopologyBuilder(f"Fat tree of {k}-port devices", device, has_rings=k > 2)
    edge_px = max(_PITCH_PX, count * _HOST_PX)
    width_px = k * half * edge_px
    core = [builder.device(complex((n + 0.5) * width_px / half**2, 0)) for n in range(half**2)]
    rows = [[complex((n + 0.5) * edge_px, level * 1.5 * _PITCH_PX) for n in range(k * half)] for level in (1, 2)]
    upper, edge = ([builder.device(spot) for spot in row] for row in rows)
    for index, name in enumerate(upper):
        group = index % half
        for above in core[group * half : (group + 1) * half]:
            builder.link(above, name)
    for index, name in enumerate(edge):
        pod = index // half
        for above in upper[pod * half : (pod + 1) * half]:
            builder.link(above, name)
    for name, spot in zip(edge, rows[1], strict=True):
        for index in range(count):
            builder.host(spot + complex((index - (count - 1) / 2) * _HOST_PX, _HOST_PX), name)
    return builder.topology()
