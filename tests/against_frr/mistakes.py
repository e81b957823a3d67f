"""Mistakes: each changes one thing of a healthy network so that something no longer works."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from frrlib.addressing.addressing import addressed
from frrlib.model.nodes import Router
from frrlib.model.routing import BgpNeighbor
from frrlib.model.topology import Topology
from frrlib.prediction.adjacency import Adjacency, expected_adjacencies
from frrlib.prediction.routes import known_without_bgp
from tests.against_frr import changes
from tests.against_frr.builder import NetworkBuilder
from tests.against_frr.healthy import healthy_network


@dataclass(frozen=True)
class Faulty:
    """A network with one mistake.

    Attributes:
        topology: the network.
        places: nodes and links where the mistake may be reported.
    """

    topology: Topology
    places: frozenset[str]


#: Makes a mistake in a healthy network; None if the network has no place for it.
MakeMistake = Callable[[Random, Topology], Faulty | None]


@dataclass(frozen=True)
class Mistake:
    """A kind of mistake.

    Attributes:
        name: a few words.
        base: the kind of healthy network that it is made in.
        kinds: kinds of problems that name its cause.
        make: see `MakeMistake`.
    """

    name: str
    base: str
    kinds: frozenset[str]
    make: MakeMistake


MISTAKES: dict[str, Mistake] = {}


def mistake(name: str, base: str, kinds: str) -> Callable[[MakeMistake], MakeMistake]:
    """A decorator for the function that makes a mistake; `kinds` are separated by blanks."""

    def register(make: MakeMistake) -> MakeMistake:
        MISTAKES[name] = Mistake(name, base, frozenset(kinds.split()), make)
        return make

    return register


def faulty_network(name: str, seed: int) -> Faulty:
    """A network with a mistake; the first healthy one from the seed on that has a place for it."""
    made = MISTAKES[name]
    for attempt in range(200):
        faulty = made.make(Random(f"{name} {seed}"), healthy_network(seed + 1000 * attempt, made.base))
        if faulty is not None:
            return faulty
    raise LookupError(f"no healthy network has a place for {name!r}")


# --- between two interfaces -------------------------------------------------------------------------------------------


def _adjacency(random: Random, topology: Topology, protocol: str) -> Adjacency | None:
    """An adjacency on a link between two routers only."""
    complete = addressed(topology)
    direct = {
        (end.node, end.interface)
        for link in topology.links
        if not any(topology.node(end.node).kind == "bridge" for end in link.ends)  # type: ignore[union-attr]
        for end in link.ends
    }
    adjacencies = [
        adjacency
        for adjacency in expected_adjacencies(complete, known_without_bgp(complete))
        if adjacency.protocol == protocol and (adjacency.router, adjacency.interface) in direct and not adjacency.vrf
    ]
    return random.choice(adjacencies) if adjacencies else None


def _places(topology: Topology, adjacency: Adjacency) -> frozenset[str]:
    links = {
        link.id
        for link in topology.links
        if (adjacency.router, adjacency.interface) in ((end.node, end.interface) for end in link.ends)
    }
    return frozenset({adjacency.router, adjacency.neighbor, *links})


Change = Callable[[Topology, Adjacency], Topology | None]


def _at_adjacency(protocol: str, change: Change) -> MakeMistake:
    """A mistake at one end of an adjacency."""

    def make(random: Random, topology: Topology) -> Faulty | None:
        adjacency = _adjacency(random, topology, protocol)
        changed = change(topology, adjacency) if adjacency else None
        return Faulty(changed, _places(topology, adjacency)) if changed and adjacency else None

    return make


def _row(protocol: str, **fields: Any) -> Change:
    return lambda topology, at: changes.change_interface(topology, at.router, protocol, at.interface, **fields)


for _base, _protocol in (("ospf", "ospf"), ("ospf6", "ospf6")):
    for _name, _fields in {
        "hello interval": {"hello_s": 7},
        "dead interval": {"dead_s": 33},
        "area": {"area": "77"},
        "passive interface": {"passive": True},
    }.items():
        mistake(f"{_protocol} {_name}", _base, "ospf-mismatch cut-off-area ospf-network no-routes")(
            _at_adjacency(_protocol, _row(_protocol, **_fields))
        )


def _network_type(protocol: str) -> Change:
    def change(topology: Topology, at: Adjacency) -> Topology | None:
        settings = getattr(changes.router_of(topology, at.router), protocol)
        row = settings.at(at.interface).network_type
        is_broadcast = row == "broadcast" or (row == "auto" and not settings.point_to_point)
        other = "point-to-point" if is_broadcast else "broadcast"
        return changes.change_interface(topology, at.router, protocol, at.interface, network_type=other)

    return change


for _protocol in ("ospf", "ospf6"):
    mistake(f"{_protocol} network type", _protocol, "ospf-mismatch")(_at_adjacency(_protocol, _network_type(_protocol)))
mistake("isis network type", "isis", "isis-mismatch")(_at_adjacency("isis", _network_type("isis")))

for _name, _fields in {
    "key at one end": {"key": "other", "key_id": 0},
    "MD5 key at one end": {"key": "other", "key_id": 3},
}.items():
    mistake(f"ospf {_name}", "ospf", "ospf-mismatch")(_at_adjacency("ospf", _row("ospf", **_fields)))
for _name, _fields in {"passive interface": {"passive": True}, "key at one end": {"key": "other"}}.items():
    mistake(f"isis {_name}", "isis", "isis-mismatch")(_at_adjacency("isis", _row("isis", **_fields)))


@mistake("ospf priority 0 at both ends", "ospf", "ospf-mismatch ospf-network")
def priority_zero(random: Random, topology: Topology) -> Faulty | None:
    """Nobody becomes the designated router."""
    adjacency = _adjacency(random, topology, "ospf")
    if adjacency is None:
        return None
    changed = topology
    ends = ((adjacency.router, adjacency.interface), (adjacency.neighbor, adjacency.neighbor_interface))
    for name, interface in ends:
        fields = {"priority": 0, "network_type": "broadcast"}
        changed = changes.change_interface(changed, name, "ospf", interface, **fields)
    return Faulty(changed, _places(topology, adjacency))


def _mtu(topology: Topology, at: Adjacency) -> Topology:
    return changes.change_end(topology, at.router, at.interface, lambda end: {"mtu_bytes": 1400})


def _mask(topology: Topology, at: Adjacency) -> Topology:
    changed = topology
    for name, interface in ((at.router, at.interface), (at.neighbor, at.neighbor_interface)):
        changed = changes.change_interface(changed, name, "ospf", interface, network_type="broadcast")
    return changes.change_address(changed, at.router, at.interface, lambda address: f"{address.ip}/28")


def _other_network(topology: Topology, at: Adjacency) -> Topology | None:
    end = next(end for _, end in topology.ends_at(at.router) if end.interface == at.interface)
    if not any(address.version == 4 for address in end.addresses):
        return None
    return changes.change_address(topology, at.router, at.interface, lambda _: "10.250.0.1/24")


for _protocol, _kinds in (
    ("ospf", "ospf-mismatch different-networks overlapping-networks"),
    ("isis", "isis-mismatch different-networks overlapping-networks"),
):
    mistake(f"{_protocol} MTU", _protocol, _kinds)(_at_adjacency(_protocol, _mtu))
    mistake(f"{_protocol} other network", _protocol, _kinds)(_at_adjacency(_protocol, _other_network))
mistake("ospf mask", "ospf", "ospf-mismatch different-networks overlapping-networks")(_at_adjacency("ospf", _mask))
mistake("ospf6 MTU", "ospf6", "ospf-mismatch")(_at_adjacency("ospf6", _mtu))


def _area_kind(protocol: str) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        """One member of an area takes it for another kind."""
        routers = [
            router
            for router in topology.routers
            if (ospf := getattr(router, protocol)) and ospf.area != "0" and any(topology.ends_at(router.name))
        ]
        if not routers:
            return None
        router = random.choice(routers)
        ospf = getattr(router, protocol)
        present = ospf.kind_of(int(ospf.area)).removeprefix("totally-")
        kind = {"normal": "nssa", "stub": "normal", "nssa": "normal"}[present]
        changed = changes.change_protocol(topology, router.name, protocol, areas=[{"area": ospf.area, "kind": kind}])
        neighbors = {other.name for other in topology.routers if getattr(other, protocol)}
        return Faulty(changed, frozenset(neighbors))

    return make


for _protocol in ("ospf", "ospf6"):
    mistake(f"{_protocol} area kind", _protocol, "ospf-mismatch")(_area_kind(_protocol))


# --- at one router ----------------------------------------------------------------------------------------------------


def _with(topology: Topology, random: Random, protocol: str, least_ends: int = 1) -> Router | None:
    routers = [
        router
        for router in topology.routers
        if getattr(router, protocol) and len(list(topology.ends_at(router.name))) >= least_ends
    ]
    return random.choice(routers) if routers else None


def _without_protocol(protocol: str) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        """A router in the middle does not run the protocol."""
        router = _with(topology, random, protocol, 2)
        if router is None:
            return None
        changed = changes.change_router(topology, router.name, **{protocol: None})
        return Faulty(changed, frozenset({router.name, *(other.name for other in topology.routers)}))

    return make


for _protocol in ("ospf", "isis", "rip"):
    _kinds = (
        f"{_protocol}-alone no-routes no-route unannounced unused-cost no-path cut-off-area foreign-source no-source"
    )
    mistake(f"{_protocol} missing on a router", _protocol, _kinds)(_without_protocol(_protocol))


def _duplicate_id(protocol: str, field: str, value: str) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        """Two neighbors have the same router ID."""
        adjacency = _adjacency(random, topology, protocol)
        if adjacency is None:
            return None
        changed = topology
        for name in (adjacency.router, adjacency.neighbor):
            changed = changes.change_protocol(changed, name, protocol, **{field: value})
        return Faulty(changed, _places(topology, adjacency))

    return make


mistake("ospf duplicate router ID", "ospf", "duplicate-router-id")(_duplicate_id("ospf", "router_id", "9.9.9.9"))
mistake("ospf6 duplicate router ID", "ospf6", "duplicate-router-id")(_duplicate_id("ospf6", "router_id", "9.9.9.9"))
mistake("isis duplicate system ID", "isis", "duplicate-router-id isis-mismatch")(
    _duplicate_id("isis", "system_id", "9999.9999.9999")
)


@mistake("isis level", "isis", "isis-level isis-mismatch isis-alone")
def isis_level(random: Random, topology: Topology) -> Faulty | None:
    """A router speaks only the level that its neighbor does not."""
    adjacency = _adjacency(random, topology, "isis")
    if adjacency is None:
        return None
    neighbor = changes.router_of(topology, adjacency.neighbor).isis
    assert neighbor is not None
    if neighbor.level == "1-2":
        return None
    level = "1" if neighbor.level == "2" else "2"
    changed = changes.change_protocol(topology, adjacency.router, "isis", level=level)
    return Faulty(changed, frozenset(router.name for router in topology.routers))


@mistake("isis area at level 1", "isis", "isis-mismatch isis-level")
def isis_area(random: Random, topology: Topology) -> Faulty | None:
    """Neighbors at level 1 are in different areas."""
    routers = [router for router in topology.routers if router.isis and router.isis.level == "1"]
    if not routers:
        return None
    router = random.choice(routers)
    changed = changes.change_protocol(topology, router.name, "isis", area="49.7777")
    return Faulty(changed, frozenset(other.name for other in topology.routers))


@mistake("isis family", "isis", "isis-mismatch isis-nothing isis-alone")
def isis_family(random: Random, topology: Topology) -> Faulty | None:
    """A router does not route the family that all others route."""
    router = _with(topology, random, "isis")
    assert router is not None and router.isis is not None
    families = {"ipv4": not router.isis.ipv4, "ipv6": not router.isis.ipv6} if router.isis.ipv4 else {"ipv6": False}
    changed = changes.change_protocol(topology, router.name, "isis", **families)
    return Faulty(changed, frozenset(other.name for other in topology.routers))


@mistake("isis LSP larger than the MTU", "isis", "isis-mismatch isis-mtu path-mtu")
def isis_lsp_mtu(random: Random, topology: Topology) -> Faulty | None:
    """Both ends of a link have an MTU below that of link states, 1497 bytes."""
    adjacency = _adjacency(random, topology, "isis")
    if adjacency is None:
        return None
    changed = _mtu(topology, adjacency)
    changed = changes.change_end(
        changed, adjacency.neighbor, adjacency.neighbor_interface, lambda end: {"mtu_bytes": 1400}
    )
    return Faulty(changed, _places(topology, adjacency))


def _rip_row(**fields: Any) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        links = [link for link in topology.links if all(topology.node(end.node).kind == "router" for end in link.ends)]  # type: ignore[union-attr]
        if not links or not topology.routers[0].rip:
            return None
        link = random.choice(links)
        changed = changes.change_interface(topology, link.a.node, "rip", link.a.interface, **fields)
        return Faulty(changed, frozenset({link.id, link.a.node, link.b.node}))

    return make


mistake("rip key at one end", "rip", "rip-mismatch")(_rip_row(key="other", key_id=0))
mistake("rip MD5 key at one end", "rip", "rip-mismatch")(_rip_row(key="other", key_id=5))
mistake("rip passive interface", "rip", "rip-mismatch")(_rip_row(passive=True))


@mistake("duplicate address", "ospf", "duplicate-address different-networks")
def duplicate_address(random: Random, topology: Topology) -> Faulty | None:
    """Both ends of a link have the same address."""
    adjacency = _adjacency(random, topology, "ospf")
    if adjacency is None:
        return None
    ends = topology.ends_at(adjacency.neighbor)
    address = next(a for _, end in ends if end.interface == adjacency.neighbor_interface for a in end.addresses)
    changed = changes.change_address(topology, adjacency.router, adjacency.interface, lambda _: str(address))
    return Faulty(changed, _places(topology, adjacency))


@mistake("duplicate loopback", "ospf", "duplicate-address duplicate-router-id")
def duplicate_loopback(random: Random, topology: Topology) -> Faulty | None:
    """Two routers have the same loopback, and so the same router ID."""
    a, b = random.sample(topology.routers, 2)
    if not a.ospf:
        return None
    changed = changes.change_router(topology, a.name, loopbacks=[str(address) for address in b.loopbacks])
    return Faulty(changed, frozenset({a.name, b.name}))


# --- BGP --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Session:
    router: Router
    settings: BgpNeighbor
    peer: Router

    @property
    def address(self) -> str:
        return str(self.settings.address)

    @property
    def is_external(self) -> bool:
        assert self.router.bgp is not None
        return self.settings.remote_as != self.router.bgp.asn


def _sessions(topology: Topology, *, external: bool | None) -> Iterator[_Session]:
    for router, neighbor, peer in changes.sessions_of(topology):
        session = _Session(router, neighbor, peer)
        if external is None or session.is_external == external:
            yield session


def _at_session(change: Callable[[Topology, _Session], Topology], *, external: bool | None = None) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        sessions = list(_sessions(topology, external=external))
        if not sessions:
            return None
        session = random.choice(sessions)
        return Faulty(change(topology, session), frozenset({session.router.name, session.peer.name}))

    return make


def _session_fields(**fields: Any) -> Callable[[Topology, _Session], Topology]:
    return lambda topology, at: changes.change_session(topology, at.router.name, at.address, fields)


mistake("bgp wrong AS", "bgp", "wrong-as")(_at_session(_session_fields(remote_as=65999)))
mistake("bgp nobody has the address", "bgp", "no-neighbor distant-neighbor one-sided")(
    _at_session(_session_fields(address="10.99.99.99"), external=True)
)
mistake("bgp password at one end", "bgp", "wrong-password")(_at_session(_session_fields(password="other")))
mistake("bgp one-sided session", "bgp", "one-sided")(
    _at_session(lambda topology, at: changes.remove_session(topology, at.router.name, at.address))
)
mistake("bgp update source that is not its own", "bgp", "own-source wrong-source no-update-source one-sided")(
    _at_session(_session_fields(update_source="10.98.98.98"))
)
mistake("bgp no common family", "bgp", "no-common-family")(
    _at_session(_session_fields(families=["ipv6"]), external=True)
)
mistake("bgp undefined route map", "bgp", "no-policy-named no-route-map")(
    _at_session(_session_fields(route_map_in="MISSING"))
)
mistake("bgp undefined prefix list", "bgp", "no-policy-named")(_at_session(_session_fields(prefix_list_out="MISSING")))
mistake("bgp undefined AS path list", "bgp", "no-policy-named")(_at_session(_session_fields(as_path_list_in="MISSING")))
mistake("bgp undefined peer group", "bgp", "no-policy-named mixed-group duplicate-group one-sided no-group")(
    _at_session(_session_fields(peer_group="MISSING"))
)


@mistake("bgp both ends passive", "bgp", "both-passive")
def both_passive(random: Random, topology: Topology) -> Faulty | None:
    """Each end waits for the other to open the session."""
    sessions = list(_sessions(topology, external=True))
    if not sessions:
        return None
    session = random.choice(sessions)
    version = session.settings.address.version
    back = next(
        (
            s
            for s in sessions
            if (s.router, s.peer) == (session.peer, session.router) and s.settings.address.version == version
        ),
        None,
    )
    if back is None:
        return None
    changed = topology
    for each in (session, back):
        changed = changes.change_session(changed, each.router.name, each.address, {"passive": True})
    return Faulty(changed, frozenset({session.router.name, session.peer.name}))


@mistake("bgp network that is not in the table", "bgp", "unknown-network")
def unknown_network(random: Random, topology: Topology) -> Faulty | None:
    """A router announces a prefix that it has no route to."""
    router = _with(topology, random, "bgp")
    assert router is not None and router.bgp is not None
    networks = [*map(str, router.bgp.networks), "192.0.2.0/24"]
    return Faulty(changes.change_protocol(topology, router.name, "bgp", networks=networks), frozenset({router.name}))


@mistake("bgp policy required", "bgp", "no-policy")
def policy_required(random: Random, topology: Topology) -> Faulty | None:
    """A router requires policies (RFC 8212) and has none."""
    sessions = list(_sessions(topology, external=True))
    if not sessions:
        return None
    session = random.choice(sessions)
    changed = changes.change_protocol(topology, session.router.name, "bgp", requires_policy=True)
    return Faulty(changed, frozenset({session.router.name}))


@mistake("bgp duplicate router ID", "bgp", "duplicate-router-id")
def bgp_duplicate_id(random: Random, topology: Topology) -> Faulty | None:
    """Both ends of a session have the same router ID."""
    sessions = list(_sessions(topology, external=None))
    if not sessions:
        return None
    session = random.choice(sessions)
    changed = topology
    for router in (session.router, session.peer):
        changed = changes.change_protocol(changed, router.name, "bgp", router_id="9.9.9.9")
    return Faulty(changed, frozenset({session.router.name, session.peer.name}))


@mistake("bgp next hop unreachable", "bgp", "unreachable-next-hop")
def next_hop(random: Random, topology: Topology) -> Faulty | None:
    """A border router passes external routes on with a next hop that its own AS, without an IGP, does not know."""
    del topology
    builder = NetworkBuilder("Next hop", random)
    outer, border, inner = builder.add_routers(3)
    for net, (a, b) in ((builder.join(outer, border), (outer, border)), (builder.join(border, inner), (border, inner))):
        for router, peer in ((a, b), (b, a)):
            bgp = router.fields.setdefault("bgp", {"asn": 65001 if router is outer else 65002, "neighbors": []})
            bgp["neighbors"].append({"address": net.address(peer, 4), "remote_as": 65001 if peer is outer else 65002})
    outer.fields["bgp"]["networks"] = [builder.loopback(outer, 4)]
    return Faulty(builder.topology(), frozenset({border.name, inner.name}))


@mistake("bgp client is no client", "bgp", "one-sided no-full-mesh foreign-client")
def missing_client(random: Random, topology: Topology) -> Faulty | None:
    """A reflector does not take two of its clients as clients."""
    sessions = [s for s in _sessions(topology, external=False) if s.settings.route_reflector_client]
    if len(sessions) < 2:
        return None
    session = random.choice(sessions)
    others = [other for other in sessions if other.router is session.router and other.peer is not session.peer]
    if not others:
        return None
    changed = topology
    for other in sessions:
        if other.router is session.router and other.peer in (session.peer, others[0].peer):
            changed = changes.change_session(
                changed, other.router.name, other.address, {"route_reflector_client": False}
            )
    return Faulty(changed, frozenset(router.name for router in topology.routers))


def _with_prefix_list(direction: str) -> Callable[[Topology, _Session], Topology]:
    def change(topology: Topology, at: _Session) -> Topology:
        rules = [{"action": "deny", "prefix": "0.0.0.0/0", "longest": 32}]
        changed = changes.change_router(topology, at.router.name, prefix_lists=[{"name": "NONE", "rules": rules}])
        return changes.change_session(changed, at.router.name, at.address, {f"prefix_list_{direction}": "NONE"})

    return change


# --- static routes, links, VRFs ---------------------------------------------------------------------------------------


def _static(change: Callable[[Topology, Router, list[dict[str, Any]]], list[dict[str, Any]]]) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        router = _with(topology, random, "static_routes")
        if router is None:
            return None
        if router.static_routes[0].prefix.version == 6:
            return None
        rows = [row.model_dump(exclude_unset=True) for row in router.static_routes]
        changed = changes.change_router(topology, router.name, static_routes=change(topology, router, rows))
        return Faulty(changed, frozenset({router.name}))

    return make


mistake("static next hop that nobody has", "static", "no-gateway far-gateway no-next-hop")(
    _static(lambda _, router, rows: [{**rows[0], "via": "10.1.0.99"}, *rows[1:]])
)
mistake("static next hop in no network", "static", "far-gateway no-gateway")(
    _static(lambda _, router, rows: [{**rows[0], "via": "203.0.113.1"}, *rows[1:]])
)
mistake("static next hop of its own", "static", "own-gateway")(
    _static(lambda _, router, rows: [{**rows[0], "via": str(router.loopbacks[0].ip)}, *rows[1:]])
)
mistake("static mixed families", "static", "mixed-route")(
    _static(lambda _, router, rows: [{"prefix": "10.77.0.0/16", "via": "fd00:1::1"}, *rows])
)


def _vrf(change: Callable[[dict[str, Any], list[dict[str, Any]]], dict[str, Any]], *, least: int = 1) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        router = next(router for router in topology.routers if router.vrfs)
        rows = [row.model_dump(exclude_unset=True) for row in router.vrfs]
        if len(rows) < least:
            return None
        number = random.randrange(len(rows))
        others = [row for position, row in enumerate(rows) if position != number]
        rows[number] = change(rows[number], others)
        changed = changes.change_router(topology, router.name, vrfs=rows)
        return Faulty(changed, frozenset(other.name for other in topology.routers))

    return make


mistake("vrf table twice", "vrfs", "vrf-table")(_vrf(lambda row, others: {**row, "table": others[0]["table"]}, least=2))
mistake("vrf name twice", "vrfs", "vrf-name")(_vrf(lambda row, others: {**row, "name": others[0]["name"]}, least=2))
mistake("vrf interface that does not exist", "vrfs", "vrf-interface no-interface")(
    _vrf(lambda row, _: {**row, "interfaces": ["r1-eth99"]})
)
mistake("vrf interface twice", "vrfs", "vrf-interface")(
    _vrf(lambda row, others: {**row, "interfaces": [*row["interfaces"], others[0]["interfaces"][0]]}, least=2)
)


@mistake("redistribution through an undefined route map", "redistribution", "no-route-map no-policy-named")
def undefined_map(random: Random, topology: Topology) -> Faulty | None:
    """The border router names a route map that does not exist."""
    router = topology.routers[0]
    protocol = random.choice([name for name in ("ospf", "isis", "rip") if getattr(router, name)])
    rows = [
        {**row.model_dump(exclude_unset=True), "route_map": "MISSING"} for row in getattr(router, protocol).redistribute
    ]
    return Faulty(changes.change_protocol(topology, router.name, protocol, redistribute=rows), frozenset({router.name}))


@mistake("redistribution of a protocol that does not run", "redistribution", "no-source foreign-source")
def nothing_to_redistribute(random: Random, topology: Topology) -> Faulty | None:
    """A router announces routes of BGP, which it does not run."""
    router = topology.routers[0]
    protocol = random.choice([name for name in ("ospf", "isis", "rip") if getattr(router, name)])
    changed = changes.change_protocol(topology, router.name, protocol, redistribute=[{"source": "bgp"}])
    return Faulty(changed, frozenset({router.name}))
