"""Random changes of a small network, by name. Each returns a topology that `check` accepts, or refuses."""

from __future__ import annotations

import random
from collections.abc import Callable
from ipaddress import ip_address, ip_interface
from typing import Any, TypeAlias

from frrlib.checks.check import check
from frrlib.errors import TopologyError
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Bridge, Host, Node, Router, VlanInterface
from frrlib.model.problem import Severity
from frrlib.model.queues import Cake, Codel, Fq, FqCodel, FqPie, Pie, Queue, Red, Sfq
from frrlib.model.routing import (
    Bgp,
    BgpNeighbor,
    Isis,
    Ospf,
    Ospf6,
    OspfArea,
    OspfInterface,
    Redistribution,
    Rip,
    StaticRoute,
)
from frrlib.model.topology import Topology
from frrlib.network.network import Network

#: Disciplines that every lab has, and those that only lab kernels have on every machine.
_QUEUES: dict[str, tuple[Queue, ...]] = {
    "namespace": (),
    "labkernel": (FqCodel(target_ms=3), FqCodel(), Codel(), Pie(), FqPie(), Fq(), Cake(rtt_ms=50), Red(), Sfq()),
}
_OWN_LINES = (
    "",
    "ip prefix-list p seq 5 permit 10.0.0.0/8\n",
    "interface lo\n description changed\nexit\n",
    "router ospf\n timers throttle spf 0 50 500\nexit\n",
)
#: Networks do not grow beyond this.
MOST_ROUTERS, MOST_NODES = 6, 12


class Chance(random.Random):
    """A source of chance that knows the place of the lab and numbers what is new."""

    def __init__(self, seed: int, place: str) -> None:
        super().__init__(seed)
        self.place = place
        self.count = 10

    def number(self) -> int:
        """A number that no other part has."""
        self.count += 1
        return self.count

    def shape(self) -> Shape:
        """The values of one direction of a link."""
        values: dict[str, Any] = {"rate_mbit": self.choice([None, 5, 10, 50, 100])}
        if self.place == "labkernel":
            values["delay_ms"] = self.choice([0, 0, 2, 7.5])
            values["loss_percent"] = self.choice([0, 0, 1])
        queue = self.choice([None, *_QUEUES[self.place]])
        if values["rate_mbit"] is not None:
            values["shaper"] = self.choice(["tbf", "htb"])
            if queue is None:
                values |= self.choice([{}, {"queue_packets": 33}, {"queue_bytes": 60_000}, {"queue_ms": 20}])
        return Shape(**values, queue=queue)


#: A change; it may refuse with a TopologyError.
RandomChange: TypeAlias = Callable[[Topology, Chance], Topology]


def first_network() -> Topology:
    """Two hosts and a bridge at a ring of three OSPF routers."""
    net = Network("ring")
    for name in ("r1", "r2", "r3"):
        net.router(name, ospf=_ospf())
    for name in ("h1", "h2"):
        net.host(name)
    net.bridge("s1")
    for a, b in (("h1", "s1"), ("s1", "r1"), ("h2", "r2"), ("r1", "r2"), ("r2", "r3"), ("r3", "r1")):
        net.link(a, b)
    return net.topology


def change_at_random(topology: Topology, chance: Chance) -> tuple[str, Topology]:
    """One change that applies and leaves no error. Returns its name and the topology."""
    while True:
        name = chance.choice(sorted(CHANGES))
        try:
            changed = CHANGES[name](topology, chance)
        except (TopologyError, ValueError):
            continue
        if changed != topology and not any(problem.severity is Severity.ERROR for problem in check(changed)):
            return name, changed


# --- parts ----------------------------------------------------------------------------------------------------------


def _ospf() -> Ospf:
    return Ospf(hello_s=1, dead_s=3)


def _routers(topology: Topology) -> list[Router]:
    return [node for node in topology.nodes if isinstance(node, Router)]


def _one_of(values: list[Any] | tuple[Any, ...], chance: Chance) -> Any:
    if not values:
        raise TopologyError("there is none")
    return chance.choice(list(values))


def _with_node(topology: Topology, node: Node, **fields: Any) -> Topology:
    nodes = tuple(other.model_copy(update=fields) if other is node else other for other in topology.nodes)
    return topology.model_copy(update={"nodes": nodes})


def _with_link(topology: Topology, link: Link, **fields: Any) -> Topology:
    links = tuple(other.model_copy(update=fields) if other is link else other for other in topology.links)
    return topology.model_copy(update={"links": links})


def _added(topology: Topology, nodes: tuple[Node, ...], links: tuple[Link, ...]) -> Topology:
    if len(topology.nodes) + len(nodes) > MOST_NODES:
        raise TopologyError("is big enough")
    return topology.model_copy(update={"nodes": (*topology.nodes, *nodes), "links": (*topology.links, *links)})


def _new_link(a: str, b: str, chance: Chance) -> Link:
    return Link(id=f"l{chance.number()}", a=End(node=a), b=End(node=b), a_to_b=chance.shape(), b_to_a=chance.shape())


def _routed_link(topology: Topology, chance: Chance) -> tuple[Link, list[Router]]:
    """A link between two routers, and the routers."""
    routers = {router.name: router for router in _routers(topology)}
    link = _one_of([link for link in topology.links if all(end.node in routers for end in link.ends)], chance)
    return link, [routers[end.node] for end in link.ends]


# --- nodes and links ------------------------------------------------------------------------------------------------


def _add_host(topology: Topology, chance: Chance) -> Topology:
    host = Host(name=f"h{chance.number()}", congestion_control=chance.choice(["", "reno"]))
    neighbor = _one_of([node for node in topology.nodes if isinstance(node, Router | Bridge)], chance)
    return _added(topology, (host,), (_new_link(host.name, neighbor.name, chance),))


def _add_bridge(topology: Topology, chance: Chance) -> Topology:
    bridge = Bridge(name=f"s{chance.number()}", stp=chance.random() < 0.3)
    names = [router.name for router in chance.sample(_routers(topology), 2)]
    return _added(topology, (bridge,), tuple(_new_link(name, bridge.name, chance) for name in names))


def _add_router(topology: Topology, chance: Chance) -> Topology:
    if len(_routers(topology)) >= MOST_ROUTERS:
        raise TopologyError("is big enough")
    router = Router(name=f"r{chance.number()}", ospf=_ospf())
    names = [neighbor.name for neighbor in chance.sample(_routers(topology), 2)]
    return _added(topology, (router,), tuple(_new_link(router.name, name, chance) for name in names))


def _add_link(topology: Topology, chance: Chance) -> Topology:
    a, b = chance.sample(_routers(topology), 2)
    return _added(topology, (), (_new_link(a.name, b.name, chance),))


def _remove_link(topology: Topology, chance: Chance) -> Topology:
    link = _one_of(topology.links, chance)
    return topology.model_copy(update={"links": tuple(other for other in topology.links if other is not link)})


def _remove_node(topology: Topology, chance: Chance) -> Topology:
    if len(topology.nodes) <= 4:
        raise TopologyError("is small enough")
    node = _one_of(topology.nodes, chance)
    links = tuple(link for link in topology.links if node.name not in {end.node for end in link.ends})
    nodes = tuple(other for other in topology.nodes if other is not node)
    flows = tuple(flow for flow in topology.flows if node.name not in (flow.source, flow.destination))
    return topology.model_copy(update={"nodes": nodes, "links": links, "flows": flows})


def _reshape_link(topology: Topology, chance: Chance) -> Topology:
    return _with_link(topology, _one_of(topology.links, chance), a_to_b=chance.shape(), b_to_a=chance.shape())


def _turn_link(topology: Topology, chance: Chance) -> Topology:
    link = _one_of(topology.links, chance)
    return _with_link(topology, link, up=not link.up)


def _set_mtu(topology: Topology, chance: Chance) -> Topology:
    link, mtu_bytes = _one_of(topology.links, chance), chance.choice([None, 1400, 1480])
    ends = {side: getattr(link, side).model_copy(update={"mtu_bytes": mtu_bytes}) for side in "ab"}
    return _with_link(topology, link, **ends)


def _readdress_link(topology: Topology, chance: Chance) -> Topology:
    link, _ = _routed_link(topology, chance)
    number, both = chance.number(), chance.random() < 0.5
    ends = {
        side: getattr(link, side).model_copy(update={"addresses": tuple(map(ip_interface, (
            f"172.20.{number}.{host}/24", *([f"2001:db8:{number}::{host}/64"] if both else ()),
        )))})
        for side, host in (("a", 1), ("b", 2))
    }  # fmt: skip
    return _with_link(topology, link, **ends)


def _set_cost(topology: Topology, chance: Chance) -> Topology:
    link = _one_of(topology.links, chance)
    return _with_link(topology, link, a=link.a.model_copy(update={"ospf_cost": chance.choice([None, 5, 77])}))


# --- hosts ----------------------------------------------------------------------------------------------------------


def _tune_host(topology: Topology, chance: Chance) -> Topology:
    host = _one_of([node for node in topology.nodes if isinstance(node, Host)], chance)
    fields: dict[str, Any] = chance.choice([
        {"congestion_control": chance.choice(["", "reno", "cubic"])},
        {"tcp": host.tcp.model_copy(update={"ecn": chance.choice(["on", "off"])})},
        {"start_command": chance.choice(["", "echo changed >/tmp/changed"])},
    ])  # fmt: skip
    return _with_node(topology, host, **fields)


def _set_vlan(topology: Topology, chance: Chance) -> Topology:
    host = _one_of([node for node in topology.nodes if isinstance(node, Host)], chance)
    number = chance.number()
    vlan = VlanInterface(address=ip_interface(f"172.21.{number}.1/24"), vlan_id=number)
    return _with_node(topology, host, vlan_interfaces=() if host.vlan_interfaces else (vlan,))


def _set_flows(topology: Topology, chance: Chance) -> Topology:
    hosts = [node.name for node in topology.nodes if isinstance(node, Host)]
    if topology.flows or len(hosts) < 2:
        return topology.model_copy(update={"flows": ()})
    source, destination = chance.sample(hosts, 2)
    flow = Flow(id=f"f{chance.number()}", source=source, destination=destination)
    return topology.model_copy(update={"flows": (flow,)})


# --- routing --------------------------------------------------------------------------------------------------------


def _set_ospf(topology: Topology, chance: Chance) -> Topology:
    redistribution = (Redistribution(source="static"), Redistribution(source="connected"))
    ospf = chance.choice([None, _ospf(), _ospf().model_copy(update={"redistribute": redistribution})])
    return _with_node(topology, _one_of(_routers(topology), chance), ospf=ospf)


def _set_protocol(topology: Topology, chance: Chance) -> Topology:
    """Start or stop another protocol on two neighbors."""
    field, value = chance.choice([("isis", Isis()), ("rip", Rip(update_s=5)), ("ospf6", Ospf6())])
    _, routers = _routed_link(topology, chance)
    present = all(getattr(router, field) is not None for router in routers)
    for router in routers:
        topology = _with_node(topology, router, **{field: None if present else value})
    return topology


def _set_session(topology: Topology, chance: Chance) -> Topology:
    """Start a BGP session between two neighbors on a link with addresses of its own; or end all sessions of one."""
    link, routers = _routed_link(topology, chance)
    if any(router.bgp for router in routers):
        for router in routers:
            topology = _with_node(topology, router, bgp=None)
        return topology
    number = chance.number()
    sides = (("a", 1), ("b", 2))
    ends = {
        side: getattr(link, side).model_copy(update={"addresses": (ip_interface(f"172.22.{number}.{host}/24"),)})
        for side, host in sides
    }
    topology = _with_link(topology, link, **ends)
    for router, (_, host) in zip(routers, sides, strict=True):
        neighbor = BgpNeighbor(address=ip_address(f"172.22.{number}.{3 - host}"), remote_as=65_003 - host)
        bgp = Bgp(asn=65_000 + host, neighbors=(neighbor,), redistribute=(Redistribution(source="connected"),))
        topology = _with_node(topology, router, bgp=bgp)
    return topology


def _set_area(topology: Topology, chance: Chance) -> Topology:
    """Move a link between two OSPF routers to an area of its own, of any kind, or back to the backbone."""
    link, routers = _routed_link(topology, chance)
    area, kind = (
        chance.choice(["0", "1", "2"]),
        chance.choice(["normal", "stub", "totally-stub", "nssa", "totally-nssa"]),
    )
    areas = () if area == "0" else (OspfArea(area=area, kind=kind),)
    return _with_ospf_at(topology, link, routers, {"area": "" if area == "0" else area}, areas)


def _set_ospf_at_link(topology: Topology, chance: Chance) -> Topology:
    """Change a setting of OSPF at both ends of a link."""
    link, routers = _routed_link(topology, chance)
    settings: dict[str, Any] = chance.choice([
        {"network_type": chance.choice(["auto", "broadcast", "point-to-multipoint"])},
        {"key": chance.choice(["", "secret", "another"]), "key_id": chance.choice([0, 1])},
        {"priority": chance.choice([None, 1, 9])},
        {"hello_s": chance.choice([None, 2])},
        {"mtu_ignore": chance.random() < 0.5},
    ])  # fmt: skip
    return _with_ospf_at(topology, link, routers, settings)


def _with_ospf_at(
    topology: Topology, link: Link, routers: list[Router], settings: dict[str, Any], areas: tuple[OspfArea, ...] = ()
) -> Topology:
    """The topology with these settings of OSPF at both ends of a link, and further areas at both routers.

    Interfaces without a name get one, by which the settings refer to them.
    """
    if len({router.name for router in routers}) < 2 or any(router.ospf is None for router in routers):
        raise TopologyError("OSPF does not run at both ends")
    names = [end.interface or f"{end.node}-{link.id}" for end in link.ends]
    sides = {
        side: getattr(link, side).model_copy(update={"interface": name}) for side, name in zip("ab", names, strict=True)
    }
    topology = _with_link(topology, link, **sides)
    for router, name in zip(routers, names, strict=True):
        assert router.ospf is not None
        entry = next((entry for entry in router.ospf.interfaces if entry.interface == name), None)
        entry = (entry or OspfInterface(interface=name)).model_copy(update=settings)
        entries = (*(other for other in router.ospf.interfaces if other.interface != name), entry)
        other_areas = tuple(old for old in router.ospf.areas if old.area not in {new.area for new in areas})
        ospf = router.ospf.model_copy(update={"interfaces": entries, "areas": (*other_areas, *areas)})
        topology = _with_node(topology, router, ospf=ospf)
    return topology


def _set_redistribution(topology: Topology, chance: Chance) -> Topology:
    """Change the metric of redistributed routes of all protocols of a router that have them."""
    router = _one_of(_routers(topology), chance)
    redistribution = Redistribution(source=chance.choice(["static", "connected"]), metric=chance.choice([None, 7, 8]))
    fields = {
        field: settings.model_copy(update={"redistribute": (redistribution,)})
        for field in ("ospf", "ospf6", "isis", "rip", "bgp")
        if (settings := getattr(router, field)) is not None and (field != "isis" or redistribution.source == "static")
    }
    return _with_node(topology, router, **fields)


def _tune_session(topology: Topology, chance: Chance) -> Topology:
    """Change settings of all BGP sessions of a router; without any, start one."""
    speakers = [router for router in _routers(topology) if router.bgp]
    if not speakers:
        return _set_session(topology, chance)
    router = chance.choice(speakers)
    settings: dict[str, Any] = chance.choice([
        {"description": chance.choice(["", "a", "b"])},
        {"keepalive_s": chance.choice([3, 4]), "hold_s": chance.choice([9, 12])},
        {"weight": chance.choice([None, 7]), "allow_as_in": chance.choice([None, 1, 2])},
        {"next_hop_self": chance.random() < 0.5, "soft_reconfiguration": chance.random() < 0.5},
        {"maximum_prefixes": chance.choice([None, 500, 600])},
        {"families": chance.choice([(), ("ipv4", "ipv6")])},
        {"passive": chance.random() < 0.5},
    ])  # fmt: skip
    neighbors = tuple(neighbor.model_copy(update=settings) for neighbor in router.bgp.neighbors)
    return _with_node(topology, router, bgp=router.bgp.model_copy(update={"neighbors": neighbors}))


def _set_static_routes(topology: Topology, chance: Chance) -> Topology:
    router = _one_of(_routers(topology), chance)
    route = StaticRoute(prefix=f"192.0.{chance.number()}.0/24", via="blackhole")
    return _with_node(topology, router, static_routes=chance.choice([(), (*router.static_routes, route)]))


def _set_loopback(topology: Topology, chance: Chance) -> Topology:
    router = _one_of(_routers(topology), chance)
    return _with_node(topology, router, loopbacks=(ip_interface(f"10.255.9.{chance.number()}/32"),))


def _set_own_lines(topology: Topology, chance: Chance) -> Topology:
    return _with_node(topology, _one_of(_routers(topology), chance), frr_conf=chance.choice(_OWN_LINES))


CHANGES: dict[str, RandomChange] = {
    "add host": _add_host,
    "add bridge": _add_bridge,
    "add router": _add_router,
    "add link": _add_link,
    "remove link": _remove_link,
    "remove node": _remove_node,
    "reshape link": _reshape_link,
    "turn link": _turn_link,
    "set MTU": _set_mtu,
    "readdress link": _readdress_link,
    "set cost": _set_cost,
    "tune host": _tune_host,
    "set VLAN": _set_vlan,
    "set flows": _set_flows,
    "set OSPF": _set_ospf,
    "set protocol": _set_protocol,
    "set BGP session": _set_session,
    "set area": _set_area,
    "set OSPF at link": _set_ospf_at_link,
    "set redistribution": _set_redistribution,
    "tune session": _tune_session,
    "set static routes": _set_static_routes,
    "set loopback": _set_loopback,
    "set own lines": _set_own_lines,
}
