"""Random BGP settings: if the checks find no problem of a router, bgpd accepts every line."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from frrlib.addressing.addressing import addressed
from frrlib.checks.check import check
from frrlib.model.topology import Topology
from frrlib.network.network import Network, end
from frrlib.render import frr
from tests.render.daemons import refusals

#: Problems between two routers, which a single daemon cannot find.
BETWEEN = {"one-sided", "wrong-source", "no-common-family", "both-passive", "distant-neighbor", "wrong-password"}
SEEDS = range(150)
POLICIES: dict[str, Any] = {
    "prefix_lists": (
        {"name": "P", "rules": ({"prefix": "10.0.0.0/8", "at_least": 8, "at_most": 32},)},
        {"name": "Q", "rules": ({"prefix": "fd00::/8", "at_most": 128},)},
    ),
    "as_path_lists": ({"name": "A", "rules": ({"expression": "^65001_"},)},),
    "route_maps": (
        {"name": "M", "entries": ({"sequence": 1, "match_prefix_list": "P"},)},
        {"name": "N", "entries": ({"sequence": 5, "set_origin": "incomplete"},)},
    ),
}
#: Fields of a session: their possible values, and the share of sessions that have any of these.
SESSION: dict[str, tuple[tuple[Any, ...], float]] = {
    "families": ((("ipv4",), ("ipv6",), ("ipv4", "ipv6")), 0.3),
    "update_source": (("lo",), 0.2),
    "multihop": ((2, 255), 0.15),
    "keepalive_s": ((3,), 0.2),
    "hold_s": ((9,), 0.2),
    "passive": ((True,), 0.1),
    "shutdown": ((True,), 0.1),
    "bfd": ((True,), 0.2),
    "route_reflector_client": ((True,), 0.15),
    "next_hop_self": ((True,), 0.2),
    "next_hop_self_force": ((True,), 0.2),
    "default_originate": ((True,), 0.2),
    "allow_as_in": ((3,), 0.2),
    "remove_private_as": ((True,), 0.15),
    "weight": ((0, 65_535), 0.2),
    "maximum_prefixes": ((5,), 0.2),
    "soft_reconfiguration": ((True,), 0.2),
    **{f"route_map_{direction}": (("M", "N"), 0.2) for direction in ("in", "out")},
    **{f"prefix_list_{direction}": (("P", "Q"), 0.2) for direction in ("in", "out")},
    **{f"as_path_list_{direction}": (("A",), 0.2) for direction in ("in", "out")},
}
ROUTER: dict[str, tuple[tuple[Any, ...], float]] = {
    "requires_policy": ((True,), 0.3),
    "advertisement_s": ((0, 600), 0.3),
    "cluster_id": (("9.9.9.9",), 0.3),
    "maximum_paths": ((1, 256), 0.3),
    "maximum_paths_internal": ((1, 256), 0.3),
    "multipath_relax": ((True,), 0.3),
    "local_preference": ((0, 4_294_967_295), 0.3),
    "always_compare_med": ((True,), 0.3),
    "coalesce_ms": ((600_000,), 0.3),
    "connect_retry_s": ((65_535,), 0.3),
    "aggregates": (({"prefix": "10.0.0.0/8", "summary_only": True}, {"prefix": "fd00::/16", "as_set": True}), 0.3),
    "redistribute": (({"source": "connected", "metric": 0}, {"source": "kernel", "route_map": "M"}), 0.3),
}


def random_fields(chance: random.Random, fields: dict[str, tuple[tuple[Any, ...], float]]) -> dict[str, Any]:
    return {name: chance.choice(values) for name, (values, often) in fields.items() if chance.random() < often}


def speaker(chance: random.Random, number: int, asn: int, peer_asn: int, confederation: int | None) -> dict[str, Any]:
    """Settings of router `number` of two: sessions of all kinds with the other router, with and without groups."""
    sides = ("internal", "external", peer_asn)
    groups = [
        {"name": name, **random_fields(chance, {**SESSION, "remote_as": (sides, 0.5)})}
        for name in ("g1", "g2")
        if chance.random() < 0.5
    ]

    def session(**fields: Any) -> dict[str, Any]:
        group = {"peer_group": (tuple(address["name"] for address in groups), 0.6)} if groups else {}
        return {**fields, **random_fields(chance, {**SESSION, **group})}

    addresses = (f"10.12.0.{3 - number}", f"fd00:12::{3 - number}", f"10.255.0.{3 - number}")
    router = random_fields(chance, ROUTER)
    for name in ("aggregates", "redistribute"):
        router[name] = (router[name],) if name in router else ()
    return {
        "asn": asn,
        "neighbors": [session(address=address, remote_as=peer_asn) for address in addresses if chance.random() < 0.6],
        "unnumbered": [
            session(interface=f"r{number}-eth0", remote_as=chance.choice(sides))
            for _ in range(int(chance.random() < 0.4))
        ],
        "peer_groups": groups,
        "confederation_id": confederation,
        "confederation_members": [peer_asn] if confederation and peer_asn != asn else [],
        **router,
    }


def random_topology(seed: int) -> Topology:
    chance = random.Random(seed)
    systems = (65_001, chance.choice((65_001, 65_002, 65_002)))
    confederation = chance.choice((None, None, None, 65_000))
    net = Network("BGP by chance")
    for number, (asn, peer) in enumerate((systems, systems[::-1]), start=1):
        loopbacks = (f"10.255.0.{number}/32", f"fd00:255::{number}/128")
        bgp = speaker(chance, number, asn, peer, confederation)
        net.router(f"r{number}", loopbacks=loopbacks, ospf={}, bgp=bgp, **POLICIES)
    net.link(end("r1", "10.12.0.1/24", "fd00:12::1/64"), end("r2", "10.12.0.2/24", "fd00:12::2/64"))
    return net.topology


def is_valid(topology: Topology) -> bool:
    """Whether the checks find no problem in the settings of each router alone."""
    return not any(problem.severity == "error" and problem.kind not in BETWEEN for problem in check(topology))


def test_bgpd_accepts_settings_that_the_checks_accept(tmp_path: Path, groups: Path) -> None:
    # The seeds are not parameters: each process that collects the tests would check all topologies.
    topologies = {seed: random_topology(seed) for seed in SEEDS}
    valid = {seed: topology for seed, topology in topologies.items() if is_valid(topology)}
    assert len(SEEDS) / 6 < len(valid) < len(SEEDS)
    for seed, topology in valid.items():
        full = addressed(topology)
        for router in full.routers:
            part = frr.per_daemon(frr.frr_conf(full, router), frr.daemons(router))["bgpd.conf"]
            file = tmp_path / f"{seed}-{router.name}.conf"
            file.write_text(part)
            assert refusals("bgpd", file, groups) == [], f"seed {seed}\n{part}"
