"""What a topology asks of the kernel that is to carry it."""

from __future__ import annotations

from frrlib.model.links import Shape
from frrlib.model.nodes import SWITCHING, Host
from frrlib.model.topology import Topology
from frrlib.place.choose import Needs

#: Congestion controls that every kernel has built in.
_BUILT_IN = ("reno",)
#: Device types whose module has another name.
_MODULES = {"vlan": "8021q"}


def needs_of(topology: Topology) -> Needs:
    """The qdiscs, congestion controls and device types that a lab of this topology uses."""
    shapes = [shape for link in topology.links for _, _, shape in link.directions]
    devices = {"veth"}
    if any(node.kind in SWITCHING for node in topology.nodes):
        devices.add("bridge")
    if any(isinstance(node, Host) and node.vlan_interfaces for node in topology.nodes):
        devices.add("vlan")
    controls = {flow.congestion_control for flow in topology.flows}
    controls |= {host.congestion_control for host in topology.hosts if host.congestion_control}
    return Needs(
        qdiscs=frozenset(kind for shape in shapes for kind in _qdiscs(shape)),
        congestion_controls=frozenset(controls),
        device_types=frozenset(devices),
    )


def modules_for(needs: Needs) -> tuple[str, ...]:
    """Names of the kernel modules that carry these needs, for a kernel that has them as modules."""
    return (
        "veth",
        "ipv6",
        *(_MODULES.get(name, name) for name in sorted(needs.device_types) if name != "veth"),
        *(f"sch_{kind}" for kind in sorted(needs.qdiscs) if kind not in ("pfifo", "bfifo")),
        *(("act_mirred", "cls_matchall", "sch_ingress") if "netem" in needs.qdiscs else ()),
        *(f"tcp_{name}" for name in sorted(needs.congestion_controls) if name not in _BUILT_IN),
    )


def _qdiscs(shape: Shape) -> tuple[str, ...]:
    queue = () if shape.rate_mbit is None else ("tbf", "bfifo" if shape.queue_packets is None else "pfifo")
    return (*queue, "netem") if shape.needs_cable_room else queue
