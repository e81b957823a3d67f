"""Mistakes of interior protocols at one router: identities, levels, and protocols that do not run."""

from __future__ import annotations

from random import Random
from typing import Any

from frrlib.model.topology import Topology
from tests.against_frr import changes
from tests.against_frr.mistakes.choices import adjacency_of, network_of, router_with
from tests.against_frr.mistakes.registry import Faulty, MakeMistake, mistake


def _without_protocol(protocol: str) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        """A router in the middle does not run the protocol."""
        router = router_with(topology, random, protocol, 2)
        if router is None:
            return None
        changed = changes.change_router(topology, router.name, **{protocol: None})
        return Faulty(changed, frozenset({router.name, *(other.name for other in topology.routers)}))

    return make


for _protocol in ("ospf", "isis", "rip"):
    mistake(f"{_protocol} missing on a router", _protocol, "no-routes cut-off-area", "- ospf.area")(
        _without_protocol(_protocol)
    )


def _nowhere(protocol: str) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        """The settings of an interface that does not exist."""
        router = router_with(topology, random, protocol)
        if router is None:
            return None
        changed = changes.change_interface(topology, router.name, protocol, f"{router.name}-eth77", passive=True)
        return Faulty(changed, frozenset({router.name}))

    return make


for _protocol in ("ospf", "isis", "rip"):
    mistake(f"{_protocol} interface that does not exist", _protocol, "no-interface", f"{_protocol}.interfaces")(
        _nowhere(_protocol)
    )

# --- IS-IS ------------------------------------------------------------------------------------------------------------


@mistake("isis level", "isis", "isis-mismatch", "isis.level")
def isis_level(random: Random, topology: Topology) -> Faulty | None:
    """A router speaks only the level that its neighbor does not."""
    adjacency = adjacency_of(random, topology, "isis")
    if adjacency is None:
        return None
    neighbor = changes.router_of(topology, adjacency.neighbor).isis
    assert neighbor is not None
    if neighbor.level == "1-2":
        return None
    level = "1" if neighbor.level == "2" else "2"
    changed = changes.change_protocol(topology, adjacency.router, "isis", level=level)
    return Faulty(changed, frozenset(router.name for router in topology.routers))


@mistake("isis area at level 1", "isis", "isis-mismatch", "isis.area")
def isis_area(random: Random, topology: Topology) -> Faulty | None:
    """Neighbors at level 1 are in different areas."""
    routers = [router for router in topology.routers if router.isis and router.isis.level == "1"]
    if not routers:
        return None
    router = random.choice(routers)
    changed = changes.change_protocol(topology, router.name, "isis", area="49.7777")
    return Faulty(changed, frozenset(other.name for other in topology.routers))


@mistake("isis family", "isis", "isis-mismatch isis-nothing isis-alone", "isis isis.ipv4 isis.ipv6")
def isis_family(random: Random, topology: Topology) -> Faulty | None:
    """A router does not route the family that all others route."""
    router = router_with(topology, random, "isis")
    assert router is not None
    assert router.isis is not None
    families = {"ipv4": not router.isis.ipv4, "ipv6": not router.isis.ipv6} if router.isis.ipv4 else {"ipv6": False}
    changed = changes.change_protocol(topology, router.name, "isis", **families)
    return Faulty(changed, frozenset(other.name for other in topology.routers))


@mistake("isis overload bit on the only path", "isis", "isis-overload", "isis.overload")
def isis_overload(random: Random, topology: Topology) -> Faulty | None:
    """The border router of an area of level 1 has the overload bit."""
    routers = [router.name for router in topology.routers if router.isis and router.isis.level == "1-2"]
    backbone = [router.name for router in topology.routers if router.isis and router.isis.level == "2"]
    if not routers or not backbone:
        return None
    name = random.choice(routers)
    return Faulty(changes.change_protocol(topology, name, "isis", overload=True), frozenset({name}))


# --- RIP, PIM, LDP and BFD --------------------------------------------------------------------------------------------


@mistake("rip 16 hops apart", "rip", "rip-far", "rip")
def rip_far(random: Random, topology: Topology) -> Faulty | None:
    """A line of more routers than the largest metric of RIP."""
    del topology
    count = random.randint(17, 20)
    nodes = {f"r{n}": {"rip": {}} for n in range(1, count + 1)}
    links = [(f"r{n} 10.{n}.0.1/24", f"r{n + 1} 10.{n}.0.2/24") for n in range(1, count)]
    return Faulty(network_of("Line", nodes, links), frozenset({"r1", f"r{count}"}))


def _pim(choose: Any) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        """All routers run PIM with one rendezvous point, except for one router."""
        routers = [router for router in topology.routers if router.ospf]
        if len(routers) < 3 or not routers[0].ospf or not any(a.version == 4 for a in routers[0].loopbacks):
            return None
        wrong = random.choice(routers)
        changed = topology
        for router in routers:
            points = choose(routers) if router is wrong else [{"address": str(routers[0].loopbacks[0].ip)}]
            changed = changes.change_router(changed, router.name, pim={"rendezvous_points": points})
        return Faulty(changed, frozenset({wrong.name}))

    return make


mistake("pim other rendezvous point", "ospf", "different-rp", "pim.rendezvous_points")(
    _pim(lambda routers: [{"address": str(routers[1].loopbacks[0].ip)}])
)
mistake("pim rendezvous point that nobody is", "ospf", "unknown-rp", "pim.rendezvous_points")(
    _pim(lambda _: [{"address": "10.99.99.99"}])
)
mistake("pim without a rendezvous point", "ospf", "no-rp", "pim.rendezvous_points")(_pim(lambda _: []))


def _ldp(fields: dict[str, Any]) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        router = router_with(topology, random, "ospf")
        if router is None:
            return None
        changed = changes.change_router(topology, router.name, ldp=fields)
        return Faulty(changed, frozenset({router.name}))

    return make


mistake("ldp router ID of nobody", "ospf", "ldp-address", "ldp.router_id")(_ldp({"router_id": "10.99.99.99"}))
mistake("ldp hold time shorter than the hello interval", "ospf", "ldp-timers", "ldp.hold_s")(
    _ldp({"router_id": "10.255.0.1", "hello_s": 20, "hold_s": 10})
)


@mistake("bfd peer that nobody is", "static", "bfd-nobody", "bfd.peers")
def bfd_nobody(random: Random, topology: Topology) -> Faulty | None:
    """A router monitors an address that no router has."""
    router = random.choice(topology.routers)
    changed = changes.change_router(topology, router.name, bfd={"peers": [{"address": "10.99.99.99"}]})
    return Faulty(changed, frozenset({router.name}))


@mistake("bfd peer at one end", "static", "bfd-one-sided", "bfd.peers")
def bfd_one_sided(random: Random, topology: Topology) -> Faulty | None:
    """A router monitors a neighbor that has no BFD."""
    link = random.choice(topology.links)
    if topology.node(link.b.node) not in topology.routers:
        return None
    peer = {"address": str(link.b.addresses[0].ip)}
    changed = changes.change_router(topology, link.a.node, bfd={"peers": [peer]})
    return Faulty(changed, frozenset({link.a.node}))


@mistake("rp_filter strict on a ring", "ospf", "rp-filter-command", "start_command")
def strict_reverse_path(random: Random, topology: Topology) -> Faulty | None:
    """The costs of a ring differ in its directions, and a router drops the packets of the other path."""
    del topology
    count = random.randint(3, 6)
    nodes: dict[str, dict[str, Any]] = {f"r{n}": {"ospf": {}} for n in range(1, count + 1)}
    name = f"r{random.randint(1, count)}"
    nodes[name]["start_command"] = "sysctl -w net.ipv4.conf.all.rp_filter=1"
    links = [(f"r{n} 10.{n}.0.1/24", f"r{n % count + 1} 10.{n}.0.2/24") for n in range(1, count + 1)]
    changed = network_of("Ring", nodes, links)
    costs = {link.id: link.a.model_copy(update={"ospf_cost": random.randint(20, 50)}) for link in changed.links}
    changed_links = tuple(link.model_copy(update={"a": costs[link.id]}) for link in changed.links)
    return Faulty(changed.model_copy(update={"links": changed_links}), frozenset({name}))
