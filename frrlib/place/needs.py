"""What a topology asks of the kernel that is to carry it."""

from __future__ import annotations

from frrlib.model import hosting, openflow
from frrlib.model.links import Shape
from frrlib.model.nodes import SWITCHING, Host, Switch
from frrlib.model.topology import Topology
from frrlib.place.base import Abilities
from frrlib.place.choose import INSTALL_OPEN_VSWITCH, Needs

#: Congestion controls that every kernel has built in.
_BUILT_IN = ("reno",)
#: Device types whose module has another name.
_MODULES = {"vlan": "8021q"}


def needs_of(topology: Topology) -> Needs:
    """The qdiscs, congestion controls, device types and all else that a lab of this topology uses.

    Args:
        topology: without errors (`check`).
    """
    shapes = [shape for link in topology.links for _, _, shape in link.directions]
    devices = {"veth"}
    if any(node.kind in SWITCHING for node in topology.nodes):
        devices.add("bridge")
    if any(isinstance(node, Host) and node.vlan_interfaces for node in topology.nodes):
        devices.add("vlan")
    if any(switch.management_address for switch in topology.switches):
        devices.add("tun")
    controls = {flow.congestion_control for flow in topology.flows}
    controls |= {host.congestion_control for host in topology.hosts if host.congestion_control}
    return Needs(
        qdiscs=frozenset(kind for shape in shapes for kind in _qdiscs(shape)),
        congestion_controls=frozenset(controls),
        device_types=frozenset(devices),
        open_vswitch=any(openflow.asks_for_openflow(topology, switch) for switch in topology.switches),
        cpu_limits=any(hosting.cpu_share(host) for host in topology.hosts),
        cpus=max((number + 1 for host in topology.hosts for number in hosting.core_numbers(host.cores)), default=1),
        external_interfaces=tuple(
            name for node in topology.nodes if isinstance(node, Host | Switch) for name in node.external_interfaces
        ),
    )


def plain_bridges(topology: Topology, abilities: Abilities) -> str:
    """What is said where switches that ask for nothing of OpenFlow run as plain bridges; empty where they need not."""
    names = [switch.name for switch in topology.switches]
    if not names or abilities.open_vswitch:
        return ""
    runs = "runs as a plain bridge" if len(names) == 1 else "run as plain bridges"
    return f"Open vSwitch is not installed, so {', '.join(names)} {runs} ({INSTALL_OPEN_VSWITCH})"


def modules_for(needs: Needs) -> tuple[str, ...]:
    """Names of the kernel modules that carry these needs, for a kernel that has them as modules."""
    return (
        "veth",
        "ipv6",
        *(_MODULES.get(name, name) for name in sorted(needs.device_types) if name not in ("veth", "tun")),
        *(f"sch_{kind}" for kind in sorted(needs.qdiscs) if kind not in ("pfifo", "bfifo")),
        *(("act_mirred", "cls_matchall", "sch_ingress") if "netem" in needs.qdiscs else ()),
        *(f"tcp_{name}" for name in sorted(needs.congestion_controls) if name not in _BUILT_IN),
    )


def _qdiscs(shape: Shape) -> tuple[str, ...]:
    queue = () if shape.rate_mbit is None else ("tbf", "bfifo" if shape.queue_packets is None else "pfifo")
    return (*queue, "netem") if shape.needs_cable_room else queue
