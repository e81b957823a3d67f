"""Mistakes of OSPF's areas: kinds, the backbone, virtual links, and external routes."""

from __future__ import annotations

from random import Random
from typing import Any

from frrlib.addressing.addressing import addressed
from frrlib.model.topology import Topology
from frrlib.prediction.routes import expected_routes
from tests.against_frr import changes
from tests.against_frr.mistakes.choices import adjacency_of, network_of, router_with
from tests.against_frr.mistakes.registry import Faulty, MakeMistake, mistake


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


def _at_ospf_router(protocol: str, **fields: Any) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        router = router_with(topology, random, protocol)
        if router is None:
            return None
        changed = changes.change_protocol(topology, router.name, protocol, **fields)
        return Faulty(changed, frozenset({router.name}))

    return make


for _protocol in ("ospf", "ospf6"):
    mistake(f"{_protocol} area kind", _protocol, "ospf-mismatch", f"{_protocol}.areas")(_area_kind(_protocol))
    mistake(f"{_protocol} stub backbone", _protocol, "stub-backbone", f"{_protocol}.areas")(
        _at_ospf_router(_protocol, areas=[{"area": "0", "kind": "stub"}])
    )
    mistake(f"{_protocol} area that is none", _protocol, "illegal-area", f"{_protocol}.area")(
        _at_ospf_router(_protocol, area="backbone")
    )
mistake("ospf area twice", "ospf", "duplicate-area", "ospf.areas")(
    _at_ospf_router("ospf", areas=[{"area": "5", "kind": "normal"}, {"area": "0.0.0.5", "kind": "normal"}])
)


def _split_backbone(protocol: str) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        """The only link between two parts of the backbone is put into another area, at both ends."""
        adjacency = adjacency_of(random, topology, protocol)
        if adjacency is None:
            return None
        changed = topology
        ends = ((adjacency.router, adjacency.interface), (adjacency.neighbor, adjacency.neighbor_interface))
        for name, interface in ends:
            if getattr(changes.router_of(topology, name), protocol).area_of(interface) != "0":
                return None
            changed = changes.change_interface(changed, name, protocol, interface, area="55")
        if expected_routes(addressed(changed)) == expected_routes(addressed(topology)):
            return None  # the backbone has another path
        return Faulty(changed, frozenset(router.name for router in topology.routers))

    return make


for _protocol in ("ospf", "ospf6"):
    mistake(f"{_protocol} split backbone", _protocol, "split-backbone", f"{_protocol}.area")(_split_backbone(_protocol))


def _external_in_stub(fields: dict[str, Any]) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        """A router inside of a stub area announces external routes."""
        routers = [
            router.name
            for router in topology.routers
            if router.ospf and router.ospf.area != "0" and router.ospf.kind_of(int(router.ospf.area)).endswith("stub")
        ]
        if not routers:
            return None
        name = random.choice(routers)
        static = [{"prefix": "172.17.0.0/16", "via": "blackhole"}]
        changed = changes.change_router(topology, name, static_routes=static)
        return Faulty(changes.change_protocol(changed, name, "ospf", **fields), frozenset({name}))

    return make


mistake("ospf external routes in a stub area", "ospf", "stub-external", "ospf.redistribute")(
    _external_in_stub({"redistribute": [{"source": "static"}]})
)
mistake("ospf default route in a stub area", "ospf", "stub-external", "ospf.default_originate")(
    _external_in_stub({"default_originate": True})
)


def _chain(random: Random, lines: dict[str, str]) -> Topology:
    """Area 2 behind area 1 behind area 0. A virtual link between r2 and r3 over area 1 would join area 2."""
    inside = [
        {"area": "0"},
        {"area": "1", "interfaces": [{"interface": "r2-eth0", "area": "0"}]},
        {"area": "2", "interfaces": [{"interface": "r3-eth0", "area": "1"}]},
        {"area": "2"},
    ]
    hello_s = random.choice((1, 2, 5))
    nodes = {
        f"r{n}": {
            "loopbacks": [f"10.255.0.{n}/32"],
            "ospf": {**ospf, "hello_s": hello_s, "dead_s": 4 * hello_s},
            "frr_conf": lines.get(f"r{n}", ""),
        }
        for n, ospf in enumerate(inside, 1)
    }
    links = [(f"r{n} 10.{n}.0.1/24", f"r{n + 1} 10.{n}.0.2/24") for n in (1, 2, 3)]
    return network_of("Areas in a line", nodes, links)


def _virtual(area: str, remote_id: str) -> str:
    return f"router ospf\n area {area} virtual-link {remote_id}\n"


def _in_chain(lines: dict[str, str], *places: str) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        del topology
        return Faulty(_chain(random, lines), frozenset(places))

    return make


mistake("ospf area away from the backbone", "ospf", "cut-off-area", "ospf.area")(_in_chain({}, "r3"))
_LINKS = {"r2": _virtual("1", "10.255.0.3"), "r3": _virtual("1", "10.255.0.2")}
for _name, _changed, _places in (
    ("over the wrong area", {"r2": _virtual("2", "10.255.0.3"), "r3": _virtual("2", "10.255.0.2")}, ("r2",)),
    ("over another area at one end", {"r3": _virtual("2", "10.255.0.2")}, ("r2", "r3")),
    ("over the backbone", {"r2": _virtual("0", "10.255.0.3"), "r3": _virtual("0", "10.255.0.2")}, ("r2", "r3")),
    ("at one end", {"r3": ""}, ("r2",)),
    ("to an ID that nobody has", {"r2": _virtual("1", "10.255.0.33")}, ("r2",)),
    ("to a router that is further away", {"r2": _virtual("1", "10.255.0.4")}, ("r2",)),
):
    mistake(f"ospf virtual link {_name}", "ospf", "virtual-link", "frr_conf")(
        _in_chain({**_LINKS, **_changed}, *_places)
    )
