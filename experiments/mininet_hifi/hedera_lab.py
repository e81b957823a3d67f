"""The labs of HIFI-HEDERA: a fat tree of FRR routers with 16 hosts, and one router that never blocks.

Links have 10 Mbit/s and a queue of 50 packets in each direction. Names: hosts h1 to h16, edge routers e1 to e8,
aggregation routers a1 to a8, core routers c1 to c4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from frrlib.model.routing import Ospf, StaticRoute
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Shape, Wait, end
from miniedit_frr.experiments.mininet_hifi.fat_tree import HOSTS, PODS, Core, Pair, first_fit

#: How flows find their path. "full": one router with all hosts. "tree": OSPF costs leave one path between two hosts.
#: "hashed": equal costs, and the routers of each level have a hash of their own. "polarized": equal costs, and all
#: routers have the same hash. "placed": each flow has its path, chosen by global first fit.
Routing = Literal["full", "tree", "hashed", "polarized", "placed"]

RATE_MBIT, QUEUE_PACKETS = 10.0, 50
_SHAPE = Shape(rate_mbit=RATE_MBIT, queue_packets=QUEUE_PACKETS)
_HALF = PODS // 2
#: The cost of links beside the tree.
_FAR = 1000
#: The kernel's default hash is that of the socket, which all routers of one kernel share. Edge routers hash addresses,
#: protocol and ports instead; aggregation routers hash addresses only, so that their choice is independent.
_EDGE_HASH = "sysctl -qw net.ipv4.fib_multipath_hash_fields=55 net.ipv4.fib_multipath_hash_policy=3"
_AGGREGATION_HASH = "sysctl -qw net.ipv4.fib_multipath_hash_policy=0"


def host_name(host: int) -> str:
    """The name of a host by its number from 0."""
    return f"h{host + 1}"


def host_address(host: int) -> str:
    """The address of a host by its number from 0."""
    return f"10.{host // 4}.{host % 4}.2"


def delivery(routing: Routing, host: int) -> str:
    """The name of the direction in which a host receives (see `frrlib.render.plan.direction_name`)."""
    return f"host{host + 1}:{'s1' if routing == 'full' else f'e{host // 2 + 1}'}-{host_name(host)}"


def lab(title: str, routing: Routing, pairs: Sequence[Pair], duration_s: float) -> Topology:
    """The topology of a lab.

    Args:
        title: the title of the topology.
        routing: see `Routing`.
        pairs: the ends of the flows, which start at once.
        duration_s: the duration of all flows.
    """
    net = Network(title, wait=Wait(ping_count=0))
    if routing == "full":
        net.router("s1", at=(760, 200))
    else:
        _add_routers(net, routing, _routes(pairs) if routing == "placed" else {})
    for host in range(HOSTS):
        above = "s1" if routing == "full" else f"e{host // 2 + 1}"
        net.host(host_name(host), at=(80 + 90 * host, 640 if routing != "full" else 420))
        network = f"10.{host // 4}.{host % 4}"
        net.link(
            end(host_name(host), f"{network}.2/24"), end(above, f"{network}.1/24"), id=f"host{host + 1}", both=_SHAPE
        )  # fmt: skip
    for number, pair in enumerate(pairs, 1):
        net.flow(
            f"f{number}", host_name(pair.source), host_name(pair.destination), congestion_control="cubic",
            duration_s=duration_s,
        )  # fmt: skip
    return net.topology


def _add_routers(net: Network, routing: Routing, routes: Mapping[str, tuple[StaticRoute, ...]]) -> None:
    """Add the three levels of routers and the links between them."""
    ospf = Ospf(reference_mbit=1000)
    has_hashes = routing in ("hashed", "placed")
    for core in range(PODS):
        net.router(f"c{core + 1}", at=(215 + 360 * core, 80), ospf=ospf)
    for number in range(PODS * _HALF):
        for letter, y, command in (("a", 280, _AGGREGATION_HASH), ("e", 480, _EDGE_HASH)):
            name = f"{letter}{number + 1}"
            net.router(
                name, at=(125 + 180 * number, y), ospf=ospf, static_routes=routes.get(name, ()),
                start_command=command if has_hashes else "",
            )  # fmt: skip
    for number in range(PODS * _HALF):
        pod, half = divmod(number, _HALF)
        for other in range(_HALF):
            edge, core = pod * _HALF + other, half * _HALF + other
            _link(net, f"a{number + 1}", f"e{edge + 1}", _pod_network(number, edge), routing == "tree" and half > 0)
            _link(net, f"c{core + 1}", f"a{number + 1}", _core_network(core, pod), routing == "tree" and core > 0)


def _link(net: Network, upper: str, lower: str, network: str, is_far: bool) -> None:
    """Add a link between two routers; the upper one has the first address."""
    cost = _FAR if is_far else 10
    net.link(
        end(upper, f"{network}.1/30", ospf_cost=cost), end(lower, f"{network}.2/30", ospf_cost=cost),
        id=f"{upper}-{lower}", both=_SHAPE,
    )  # fmt: skip


def _pod_network(aggregation: int, edge: int) -> str:
    return f"172.16.{aggregation * 8 + edge}"


def _core_network(core: int, pod: int) -> str:
    return f"172.17.{core * PODS + pod}"


def _routes(pairs: Sequence[Pair]) -> dict[str, tuple[StaticRoute, ...]]:
    """The static routes by router that place each flow: towards its destination, up to the core router."""
    routes: dict[str, tuple[StaticRoute, ...]] = {}
    for pair, core in zip(pairs, first_fit(pairs), strict=True):
        if core is not None and pair.levels:
            for router, via in _climb(pair, core):
                route = StaticRoute(prefix=f"{host_address(pair.destination)}/32", via=via)  # type: ignore[arg-type]
                routes[router] = (*routes.get(router, ()), route)
    return routes


def _climb(pair: Pair, core: Core) -> list[tuple[str, str]]:
    """The routers on the way up, each with the address of the next one."""
    pod, edge = pair.source // 4, pair.source // 2
    aggregation = pod * _HALF + core // _HALF
    steps = [(f"e{edge + 1}", f"{_pod_network(aggregation, edge)}.1")]
    if pair.levels == 2:
        steps.append((f"a{aggregation + 1}", f"{_core_network(core, pod)}.1"))
    return steps
