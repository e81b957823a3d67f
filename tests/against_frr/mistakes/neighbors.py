"""Mistakes at one of two neighbors: timers, areas, keys, and levels."""

from __future__ import annotations

from random import Random

from frrlib.model.topology import Topology
from frrlib.prediction.adjacency import Adjacency
from tests.against_frr import changes
from tests.against_frr.mistakes.choices import Change, adjacency_of, at_adjacency, places_of, routers_link, row
from tests.against_frr.mistakes.registry import Faulty, MakeMistake, mistake

for _protocol in ("ospf", "ospf6"):
    for _name, _settings, _kinds, _field in (
        ("hello interval", {"hello_s": 7}, "ospf-mismatch", "hello_s"),
        ("dead interval", {"dead_s": 33}, "ospf-mismatch", "dead_s"),
        ("dead interval not longer than the hello interval", {"hello_s": 9, "dead_s": 9}, "ospf-timers", "interfaces"),
        ("area", {"area": "77"}, "ospf-mismatch", "area"),
        ("passive interface", {"passive": True}, "ospf-mismatch", "interfaces"),
    ):
        mistake(f"{_protocol} {_name}", _protocol, _kinds, f"{_protocol}.{_field} {_protocol}.interfaces")(
            at_adjacency(_protocol, row(_protocol, **_settings))
        )


def _network_type(protocol: str) -> Change:
    def change(topology: Topology, at: Adjacency) -> Topology | None:
        settings = getattr(changes.router_of(topology, at.router), protocol)
        network_type = settings.at(at.interface).network_type
        is_broadcast = network_type == "broadcast" or (network_type == "auto" and not settings.point_to_point)
        other = "point-to-point" if is_broadcast else "broadcast"
        return changes.change_interface(topology, at.router, protocol, at.interface, network_type=other)

    return change


for _protocol in ("ospf", "ospf6", "isis"):
    _kind = "isis-mismatch" if _protocol == "isis" else "ospf-mismatch"
    _fields = f"{_protocol}.interfaces {_protocol}.point_to_point"
    mistake(f"{_protocol} network type", _protocol, _kind, _fields)(at_adjacency(_protocol, _network_type(_protocol)))

for _name, _row in {
    "ospf key at one end": {"key": "other", "key_id": 0},
    "ospf MD5 key at one end": {"key": "other", "key_id": 3},
}.items():
    mistake(_name, "ospf", "ospf-mismatch", "ospf.interfaces")(at_adjacency("ospf", row("ospf", **_row)))
mistake("ospf password that is too long", "ospf", "long-key", "ospf.interfaces")(
    at_adjacency("ospf", row("ospf", key="123456789", key_id=0))
)
mistake("ospf BFD at one end", "ospf", "bfd-one-sided", "ospf.bfd")(at_adjacency("ospf", row("ospf", bfd=True)))
mistake("ospf6 key", "ospf6", "unused-key", "ospf6.interfaces")(at_adjacency("ospf6", row("ospf6", key="secret")))
mistake("ospf6 network type that it does not support", "ospf6", "ospf-network", "ospf6.interfaces")(
    at_adjacency("ospf6", row("ospf6", network_type="point-to-multipoint"))
)
mistake("isis passive interface", "isis", "isis-mismatch", "isis.interfaces")(
    at_adjacency("isis", row("isis", passive=True))
)
mistake("isis key at one end", "isis", "isis-mismatch", "isis.interfaces")(
    at_adjacency("isis", row("isis", key="other"))
)
mistake("isis key of link states", "isis", "isis-mismatch", "isis.key")(
    at_adjacency("isis", lambda topology, at: changes.change_protocol(topology, at.router, "isis", key="other"))
)


def _interface_level(topology: Topology, at: Adjacency) -> Topology | None:
    """An interface of a level that the router does not have."""
    isis = changes.router_of(topology, at.router).isis
    assert isis is not None
    if isis.level == "1-2":
        return None
    level = "1" if isis.level == "2" else "2"
    return changes.change_interface(topology, at.router, "isis", at.interface, level=level)


mistake("isis level of an interface", "isis", "isis-level", "isis.interfaces")(at_adjacency("isis", _interface_level))


@mistake("ospf priority 0 at both ends", "ospf", "ospf-mismatch", "ospf.interfaces")
def priority_zero(random: Random, topology: Topology) -> Faulty | None:
    """Nobody becomes the designated router."""
    adjacency = adjacency_of(random, topology, "ospf")
    if adjacency is None:
        return None
    changed = topology
    ends = ((adjacency.router, adjacency.interface), (adjacency.neighbor, adjacency.neighbor_interface))
    for name, interface in ends:
        fields = {"priority": 0, "network_type": "broadcast"}
        changed = changes.change_interface(changed, name, "ospf", interface, **fields)
    return Faulty(changed, places_of(topology, adjacency))


def _duplicate_id(protocol: str, field: str, value: str) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        """Two neighbors have the same router ID."""
        adjacency = adjacency_of(random, topology, protocol)
        if adjacency is None:
            return None
        changed = topology
        for name in (adjacency.router, adjacency.neighbor):
            changed = changes.change_protocol(changed, name, protocol, **{field: value})
        return Faulty(changed, places_of(topology, adjacency))

    return make


for _protocol in ("ospf", "ospf6"):
    mistake(f"{_protocol} duplicate router ID", _protocol, "duplicate-router-id", f"{_protocol}.router_id")(
        _duplicate_id(_protocol, "router_id", "9.9.9.9")
    )
mistake("isis duplicate system ID", "isis", "duplicate-router-id", "isis.system_id")(
    _duplicate_id("isis", "system_id", "9999.9999.9999")
)

# --- RIP --------------------------------------------------------------------------------------------------------------


def _rip_row(**fields: object) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        link = routers_link(random, topology)
        if link is None or not topology.routers[0].rip:
            return None
        changed = changes.change_interface(topology, link.a.node, "rip", link.a.interface, **fields)
        return Faulty(changed, frozenset({link.id, link.a.node, link.b.node}))

    return make


def _rip_timers(**fields: int) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        link = routers_link(random, topology)
        if link is None or not topology.routers[0].rip:
            return None
        changed = changes.change_protocol(topology, link.a.node, "rip", **fields)
        return Faulty(changed, frozenset(router.name for router in topology.routers))

    return make


mistake("rip key at one end", "rip", "rip-mismatch", "rip.interfaces")(_rip_row(key="other", key_id=0))
mistake("rip MD5 key at one end", "rip", "rip-mismatch", "rip.interfaces")(_rip_row(key="other", key_id=5))
mistake("rip passive interface", "rip", "rip-mismatch", "rip.interfaces")(_rip_row(passive=True))
mistake("rip timeout shorter than the update interval", "rip", "rip-timers", "rip.timeout_s")(
    _rip_timers(update_s=30, timeout_s=20)
)
mistake("rip updates rarer than the timeout of the neighbor", "rip", "rip-mismatch", "rip.timeout_s")(
    _rip_timers(update_s=200, timeout_s=1200)
)
