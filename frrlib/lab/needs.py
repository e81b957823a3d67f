"""The requirements of a topology to the kernel of its lab."""

from __future__ import annotations

import math
from collections.abc import Iterable

from frrlib.checks.facts import facts_of
from frrlib.model import hosting, openflow
from frrlib.model.nodes import SWITCHING, Host, Router, Switch
from frrlib.model.queues import Discipline
from frrlib.model.topology import Topology
from frrlib.place.base import Abilities
from frrlib.place.choice import INSTALL_OPEN_VSWITCH, Needs
from frrlib.places import PlaceName
from frrlib.prediction.flow_paths import RoutedFlow

#: Congestion controls that every kernel has built in.
_BUILT_IN = ("reno",)
#: Device types whose modules have other names.
_MODULES = {"vlan": ("8021q",), "mpls": ("mpls_router", "mpls_iptunnel", "mpls_gso")}
#: Features that every kernel has without a module of that name.
_WITHOUT_MODULE = ("veth", "tun", "pimreg")
#: Capacity of each place through shaped links, all bottlenecks together, in Mbit/s, on two processors. A lab kernel, a
#: User-Mode Linux, has one processor. `benchmarks/load.py` measures it.
_CARRIED_MBIT: dict[str, float] = {PlaceName.LABKERNEL: 200.0, PlaceName.NAMESPACE: 2000.0, PlaceName.ROOT: 2000.0}
#: First words of custom lines of `frr.conf` that need further kernel features.
_LINES = {"mpls": ("mpls ", "segment-routing"), "pimreg": ("ip pim", "ip igmp"), "vrf": ("vrf ",)}


def needs_of(topology: Topology) -> Needs:
    """The qdiscs, congestion controls, device types and further features that a lab of this topology uses.

    Args:
        topology: without errors (`check`).
    """
    shapes = [shape for link in topology.links for _, _, shape in link.directions]
    delayed = {"netem"} if any(fault.needs_link_namespace for fault in topology.faults) else set()
    devices = {"veth"}
    if any(node.kind in SWITCHING for node in topology.nodes):
        devices.add("bridge")
    if any(isinstance(node, Host) and node.vlan_interfaces for node in topology.nodes):
        devices.add("vlan")
    if any(switch.management_address for switch in topology.switches):
        devices.add("tun")
    devices |= {device for router in topology.routers for device in _routing_devices(router)}
    controls = {flow.congestion_control for flow in topology.flows if flow.is_tcp}
    controls |= {host.congestion_control for host in topology.hosts}
    controls |= {end.congestion_control for link in topology.links for end in link.ends}
    planned = {
        fault.values.queue.kind
        for fault in topology.faults
        if fault.values is not None and isinstance(fault.values.queue, Discipline)
    }
    paced = {"fq"} if any(host.tcp.pacing for host in topology.hosts) else set()
    return Needs(
        qdiscs=frozenset(delayed | paced | planned | {kind for shape in shapes for kind in shape.qdisc_kinds}),
        congestion_controls=frozenset(controls - {""} - set(topology.own_controls)),
        device_types=frozenset(devices),
        open_vswitch=any(openflow.asks_for_openflow(topology, switch) for switch in topology.switches),
        cpu_limits=any(hosting.cpu_share(host) for host in topology.hosts),
        cpus=max((number + 1 for host in topology.hosts for number in hosting.core_numbers(host.cores)), default=1),
        external_interfaces=tuple(
            name for node in topology.nodes if isinstance(node, Host | Switch) for name in node.external_interfaces
        ),
        kernel_modules=tuple(_module(file) for file in topology.kernel_modules),
        kernel_parameters=tuple(map(str, topology.kernel_parameters)),
    )


def _module(file: str) -> str:
    """The name of the module of a C file: "tcp_mine" for "work/tcp_mine.c"."""
    return file.rpartition("/")[2].removesuffix(".c")


def _routing_devices(router: Router) -> set[str]:
    """The kernel features that a router's protocols need beyond interfaces."""
    by_settings = {"vrf": router.vrfs, "mpls": router.ldp or "ldpd" in router.daemons, "pimreg": router.pim}
    lines = [line.strip() for line in router.frr_conf.splitlines()]
    by_lines = {device for device, starts in _LINES.items() if any(line.startswith(starts) for line in lines)}
    return by_lines | {device for device, used in by_settings.items() if used}


def plain_bridges(topology: Topology, abilities: Abilities) -> str:
    """A note that switches without OpenFlow settings run as plain bridges; empty if they need not."""
    names = [switch.name for switch in topology.switches]
    if not names or abilities.open_vswitch:
        return ""
    runs = "runs as a plain bridge" if len(names) == 1 else "run as plain bridges"
    return f"Open vSwitch is not installed, so {', '.join(names)} {runs} ({INSTALL_OPEN_VSWITCH})"


def heavy_load(topology: Topology, place: str) -> str:
    """A note that the flows may exceed the usual capacity of a place at some time; empty if they do not.

    Args:
        place: the name of the place.
    """
    if not topology.flows:
        return ""
    paths, capacity_mbit = facts_of(topology).flow_paths, _CARRIED_MBIT.get(place)
    load = max((_load_mbit(paths, path.flow.start_s) for path in paths), default=0.0)
    if capacity_mbit is None or load <= capacity_mbit:
        return ""
    return (
        f"the bottlenecks of the flows let {load:g} Mbit/s pass at one time, and {place} carries some "
        f"{capacity_mbit:g} through shaped links on a small machine: compare measured with configured rates"
    )


def _load_mbit(paths: Iterable[RoutedFlow], time_s: float) -> float:
    """The sum of all bottlenecks that flows cross at a time, each counted once."""
    rates: dict[tuple[str, str], float] = {}
    for path in paths:
        flow, step = path.flow, path.bottleneck
        ends_s = math.inf if flow.ends_s is None else flow.ends_s
        if step is not None and flow.start_s <= time_s < ends_s:
            rates[step.link.id, step.side] = step.shape.rate_mbit or 0.0
    return sum(rates.values())


def modules_for(needs: Needs) -> tuple[str, ...]:
    """Names of the kernel modules for these needs, for a kernel that has them as modules."""
    return (
        "veth",
        "ipv6",
        *(
            module
            for name in sorted(needs.device_types)
            if name not in _WITHOUT_MODULE
            for module in _MODULES.get(name, (name,))
        ),
        *(f"sch_{kind}" for kind in sorted(needs.qdiscs) if kind not in ("pfifo", "bfifo")),
        *(("act_mirred", "cls_matchall", "sch_ingress") if "netem" in needs.qdiscs else ()),
        *(f"tcp_{name}" for name in sorted(needs.congestion_controls) if name not in _BUILT_IN),
    )
