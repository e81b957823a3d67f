"""The congestion control of a flow, and the setting that determines it.

The setting of the flow comes first: it is set on its socket. Then comes that of the link by which the flow leaves its
host, an attribute of the host's routes. Then comes that of the host, a setting of its kernel. The last is the kernel's
default. A program that sets one before it connects still gets that of the link, since the kernel reads the route when
it connects. iperf3 sets it afterwards.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Literal, NamedTuple

from frrlib.errors import TopologyError
from frrlib.model.base import IpAddress
from frrlib.model.flows import Flow
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from frrlib.prediction.flow_paths import address_of, default_gateways, departure

ControlSource = Literal["flow", "link", "host", "kernel"]


class Control(NamedTuple):
    """A congestion control and the setting that determines it.

    Attributes:
        name: the kernel's name; empty for the default of the kernel.
        by: the kind of the setting's owner.
        where: the flow's ID, "l1 at h1", or the host's name; empty for the kernel.
    """

    name: str
    by: ControlSource
    where: str = ""

    @property
    def chooser(self) -> str:
        """The owner of the setting, for people: "link l1 at h1"."""
        return f"{self.by} {self.where}".rstrip()

    @property
    def text(self) -> str:
        """The congestion control for people: "bbr, by link l1 at h1"."""
        return f"{self.name}, by {self.chooser}" if self.name else "the kernel's own"


def control_of(topology: Topology, flow: Flow) -> Control:
    """The congestion control of a flow.

    Args:
        topology: with names and addresses filled in (`addressing.addressed`).
    """
    if not flow.is_tcp:
        return Control("", "kernel")
    if flow.congestion_control:
        return Control(flow.congestion_control, "flow", flow.id)
    try:
        address = ip_address(address_of(topology, flow.destination))
    except TopologyError:
        address = None
    return default_control(topology, flow.source, address)


def default_control(topology: Topology, source: str, address: IpAddress | None) -> Control:
    """The congestion control of a socket that sets none, from a node to an address; `None` for an unknown address."""
    host = topology.node(source)
    if not isinstance(host, Host):
        return Control("", "kernel")
    if address is not None and any(end.congestion_control for _, end in topology.ends_at(source)):
        departure_end = departure(topology, host, address, default_gateways(topology, host).get(address.version))
        if departure_end is not None and departure_end[1].congestion_control:
            return Control(departure_end[1].congestion_control, "link", f"{departure_end[0].id} at {source}")
    return Control(host.congestion_control, "host", source) if host.congestion_control else Control("", "kernel")


def controls_used(topology: Topology, host: Host) -> frozenset[str]:
    """All congestion controls of a host: its own, those of its links, and those of the flows that it sends."""
    named = {host.congestion_control}
    named |= {end.congestion_control for _, end in topology.ends_at(host.name)}
    named |= {flow.congestion_control for flow in topology.flows if flow.is_tcp and flow.source == host.name}
    return frozenset(named - {""})
