"""Mistakes of BGP's routes: announcements, next hops, and policies that drop a route that a flow needs."""

from __future__ import annotations

from random import Random
from typing import Any

from frrlib.addressing.resolved import resolved
from frrlib.model.topology import Topology
from frrlib.prediction.routes import expected_routes
from tests.against_frr import changes
from tests.against_frr.builder import NetworkBuilder
from tests.against_frr.mistakes.choices import (
    HOST_NETWORKS,
    network_of,
    router_with,
    sessions,
    with_hosts,
)
from tests.against_frr.mistakes.registry import Faulty, MakeMistake, mistake


@mistake("bgp network that is not in the table", "bgp", "unknown-network", "bgp.networks")
def unknown_network(random: Random, topology: Topology) -> Faulty | None:
    """A router announces a prefix that it has no route to."""
    router = router_with(topology, random, "bgp")
    assert router is not None
    assert router.bgp is not None
    networks = [*map(str, router.bgp.networks), "192.0.2.0/24"]
    return Faulty(changes.change_protocol(topology, router.name, "bgp", networks=networks), frozenset({router.name}))


@mistake("bgp redistribution of BGP", "bgp", "own-source", "bgp.redistribute")
def own_source(random: Random, topology: Topology) -> Faulty | None:
    """A router redistributes BGP into BGP."""
    router = router_with(topology, random, "bgp")
    assert router is not None
    changed = changes.change_protocol(topology, router.name, "bgp", redistribute=[{"source": "bgp"}])
    return Faulty(changed, frozenset({router.name}))


@mistake("bgp next hop unreachable", "bgp", "unreachable-next-hop", "bgp.neighbors")
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


@mistake("bgp maximum of prefixes", "bgp", "maximum-prefixes", "bgp.neighbors")
def maximum_prefixes(random: Random, topology: Topology) -> Faulty | None:
    """A session allows fewer prefixes than the neighbor announces."""
    found = [session for session in sessions(topology, external=True) if session.settings.address.version == 4]
    if not found:
        return None
    session = random.choice(found)
    link = next(a for _, end in topology.ends_at(session.peer.name) for a in end.addresses if a.version == 4)
    networks = [str(session.peer.loopbacks[0].network), str(link.network), "172.17.0.0/16"]
    static = [{"prefix": "172.17.0.0/16", "via": "blackhole"}]
    changed = changes.change_router(topology, session.peer.name, static_routes=static)
    changed = changes.change_protocol(changed, session.peer.name, "bgp", networks=networks)
    changed = changes.change_session(changed, session.router.name, session.address, {"maximum_prefixes": 1})
    return Faulty(changed, frozenset({session.router.name}))


# --- policies ---------------------------------------------------------------------------------------------------------

_HERE, _THERE = map(str, HOST_NETWORKS)
#: Policies of a router, by the field of the session that names them.
_ONLY_OTHERS = {"prefix_lists": [{"name": "L", "rules": [{"prefix": "10.255.0.0/16", "at_most": 32}]}]}
_DENY_WITHOUT_PERMIT = {"prefix_lists": [{"name": "L", "rules": [{"action": "deny", "prefix": "192.0.2.0/24"}]}]}
_SHORTER = {"prefix_lists": [{"name": "L", "rules": [{"prefix": "10.192.0.0/10"}]}]}
_OTHER_AS = {"as_path_lists": [{"name": "L", "rules": [{"expression": "^64999_"}]}]}
_MAP = {**_ONLY_OTHERS, "route_maps": [{"name": "L", "entries": [{"sequence": 10, "match_prefix_list": "L"}]}]}
_DENYING_MAP = {"route_maps": [{"name": "L", "entries": [{"sequence": 10, "action": "deny"}, {"sequence": 20}]}]}


def _filtered(field: str, policies: dict[str, Any]) -> MakeMistake:
    """A policy at one end of a session drops the route to a host; `field` of the session names it."""

    def make(random: Random, topology: Topology) -> Faulty | None:
        found = [session for session in sessions(topology, external=True) if session.settings.address.version == 4]
        if not found:
            return None
        session = random.choice(found)
        healthy = with_hosts(topology, session.router.name, session.peer.name)
        changed = changes.change_router(healthy, session.router.name, **policies)
        changed = changes.change_session(changed, session.router.name, session.address, {field: "L"})
        name, needed = (session.router.name, 1) if field.endswith("in") else (session.peer.name, 0)
        if HOST_NETWORKS[needed] in expected_routes(resolved(changed)).get(name, ()):
            return None  # the route has another way
        return Faulty(changed, frozenset({session.router.name}))

    return make


for _name, _field, _policies in (
    ("prefix list without the prefix", "prefix_list_in", _ONLY_OTHERS),
    ("prefix list with a deny and no permit", "prefix_list_in", _DENY_WITHOUT_PERMIT),
    ("prefix list for a shorter prefix only", "prefix_list_out", _SHORTER),
    ("AS path list for another AS", "as_path_list_in", _OTHER_AS),
    ("route map without the prefix", "route_map_out", _MAP),
    ("route map that begins with a deny", "route_map_in", _DENYING_MAP),
):
    mistake(f"bgp {_name}", "bgp", "filtered-route", "bgp.neighbors")(_filtered(_field, _policies))


@mistake("bgp network of a host that is not announced", "bgp", "unannounced", "bgp.networks")
def not_announced(random: Random, topology: Topology) -> Faulty | None:
    """The router of a host does not announce the host's network to the other AS."""
    found = list(sessions(topology, external=True))
    if not found:
        return None
    session = random.choice(found)
    healthy = with_hosts(topology, session.router.name, session.peer.name)
    assert session.peer.bgp is not None
    networks = [*session.peer.bgp.networks]
    return Faulty(
        changes.change_protocol(healthy, session.peer.name, "bgp", networks=networks), frozenset({session.peer.name})
    )


@mistake("bgp two sites with one AS number", "bgp", "own-as-in-path", "bgp.asn")
def one_as_number(random: Random, topology: Topology) -> Faulty | None:
    """The first and the last AS of a chain have the same number."""
    del topology
    count = random.randint(3, 5)
    systems = [65001, *(65000 + n for n in range(2, count)), 65001]
    nodes: dict[str, dict[str, Any]] = {}
    for n, asn in enumerate(systems, 1):
        neighbors = [{"address": f"10.{n}.0.2", "remote_as": systems[n]}] if n < count else []
        neighbors += [{"address": f"10.{n - 1}.0.1", "remote_as": systems[n - 2]}] if n > 1 else []
        nodes[f"r{n}"] = {"bgp": {"asn": asn, "neighbors": neighbors}}
    links = [(f"r{n} 10.{n}.0.1/24", f"r{n + 1} 10.{n}.0.2/24") for n in range(1, count)]
    chain = network_of("Sites", nodes, links)
    return Faulty(with_hosts(chain, "r1", f"r{count}"), frozenset({"r1", f"r{count}"}))


def _wrong_policy(fields: dict[str, Any]) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        """A router has a policy with a value that FRR refuses or replaces."""
        router = router_with(topology, random, "bgp")
        assert router is not None
        return Faulty(changes.change_router(topology, router.name, **fields), frozenset({router.name}))

    return make


_RULE = {"prefix": "10.0.0.0/8", "at_least": 24, "at_most": 16}
_FAMILIES = [{"prefix": "10.0.0.0/8"}, {"prefix": "fd00::/8"}]
_ENTRY = {"sequence": 10}
for _name, _kind, _field, _value in (
    ("prefix list of impossible lengths", "prefix-range", "prefix_lists", {"rules": [_RULE]}),
    ("prefix list of two families", "mixed-prefix-list", "prefix_lists", {"rules": _FAMILIES}),
    ("prefix list without rules", "empty-policy", "prefix_lists", {"rules": []}),
    ("route map with a number twice", "duplicate-policy", "route_maps", {"entries": [_ENTRY, _ENTRY]}),
    ("community that is none", "illegal-community", "community_lists", {"rules": [{"value": "65001-100"}]}),
    ("AS path that is no expression", "illegal-expression", "as_path_lists", {"rules": [{"expression": "(65001"}]}),
):
    mistake(f"bgp {_name}", "bgp", _kind, _field)(_wrong_policy({_field: [{"name": "L", **_value}]}))
mistake("bgp route map that denies and sets", "bgp", "route-map", "route_maps")(
    _wrong_policy({"route_maps": [{"name": "L", "entries": [{"sequence": 5, "action": "deny", "set_metric": 7}]}]})
)
