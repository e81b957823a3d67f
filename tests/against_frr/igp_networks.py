"""Random healthy networks with interior protocols: OSPF with areas, IS-IS with levels, RIP, static routes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from random import Random
from typing import Any

from frrlib.model.topology import Topology
from tests.against_frr.builder import Net, NetworkBuilder, RouterDraft

AREA_KINDS = ("normal", "stub", "totally-stub", "nssa", "totally-nssa")


def chance(random: Random, share: float) -> bool:
    """True in that share of all calls."""
    return random.random() < share


# --- OSPF -------------------------------------------------------------------------------------------------------------


def ospf(random: Random, *, parallel_share: float = 0.0) -> Topology:
    """OSPFv2, OSPFv3 or both, with a backbone and up to three areas of all kinds behind one or two border routers."""
    return _ospf(random, random.choice(((4,), (4,), (6,), (4, 6))), parallel_share)


def ospf6(random: Random) -> Topology:
    """The same with OSPFv3 only."""
    return _ospf(random, (6,), 0.0)


def _ospf(random: Random, versions: tuple[int, ...], parallel_share: float) -> Topology:
    builder = NetworkBuilder("OSPF with areas", random, versions, parallel_share=parallel_share)
    protocols = [{4: "ospf", 6: "ospf6"}[version] for version in versions]
    backbone = builder.add_routers(random.randint(1, 4))
    area_of_net = dict.fromkeys(builder.connect(backbone), 0)
    areas: dict[int, tuple[list[RouterDraft], str]] = {0: (backbone, "normal")}
    for number in range(1, random.randint(0 if len(backbone) > 1 else 1, 3) + 1):
        borders = random.sample(backbone, min(len(backbone), random.choice((1, 1, 2))))
        members = [*borders, *builder.add_routers(random.randint(1, 3))]
        area_of_net |= dict.fromkeys(builder.connect(members), number)
        kind = random.choice(AREA_KINDS)
        if 6 in versions and len(borders) > 1 and kind != "normal":
            kind = "nssa"  # FRR's OSPFv3 can withdraw the default routes of several border routers of an area
        areas[number] = members, kind
    for protocol in protocols:
        _add_ospf(builder, protocol, areas, area_of_net)
    return builder.topology()


def _add_ospf(
    builder: NetworkBuilder,
    protocol: str,
    areas: dict[int, tuple[list[RouterDraft], str]],
    area_of_net: dict[Net, int],
) -> None:
    """Give all routers OSPF; the settings of a net are the same at all its members."""
    random = builder.random
    rows: dict[str, list[dict[str, Any]]] = {router.name: [] for router in builder.routers}
    for net, area in area_of_net.items():
        settings: dict[str, Any] = {"area": str(area)}
        if chance(random, 0.3):
            settings |= {"hello_s": random.choice((1, 2, 5)), "dead_s": random.choice((20, 40))}
        kinds = ("auto", "broadcast") if net.is_lan else ("auto", "auto", "point-to-point", "broadcast")
        settings["network_type"] = random.choice(kinds)
        if protocol == "ospf" and chance(random, 0.25):
            settings |= {"key": "secret", "key_id": random.choice((0, 1, 7))}
        for router, interface in net.members:
            row = {"interface": interface, **settings}
            if chance(random, 0.2):
                row["priority"] = random.choice((1, 10, 255))
            rows[router.name].append(row)
            if protocol == "ospf" and chance(random, 0.3):
                builder.set_end(router, interface, ospf_cost=random.randint(1, 50))
    for router in builder.routers:
        mine = [number for number, (members, _) in areas.items() if router in members]
        fields: dict[str, Any] = {
            "area": str(mine[0]),
            "interfaces": rows[router.name],
            "areas": [
                {"area": str(number), "kind": areas[number][1]} for number in mine if areas[number][1] != "normal"
            ],
            "lab_timers": chance(random, 0.8),
        }
        if 4 not in builder.versions:
            fields["router_id"] = f"10.255.0.{router.number}"
        if not any(number in mine for number in areas if areas[number][1].endswith("stub")):
            _add_external_routes(builder, router, fields)
        router.fields[protocol] = fields
    _agree_on_point_to_point(builder, protocol)


def _agree_on_point_to_point(builder: NetworkBuilder, protocol: str) -> None:
    """Members of a net with the type "auto" must agree on it, so all routers get one value."""
    value = chance(builder.random, 0.7)
    for router in builder.routers:
        router.fields[protocol]["point_to_point"] = value


def _add_external_routes(builder: NetworkBuilder, router: RouterDraft, fields: dict[str, Any]) -> None:
    """Let a router announce static routes, or a default route if it is in normal areas only."""
    random, version = builder.random, builder.versions[0]
    if "static_routes" not in router.fields and chance(random, 0.2):
        prefix = f"172.16.{router.number}.0/24" if version == 4 else f"fd00:aaaa:{router.number:x}::/64"
        router.fields["static_routes"] = [{"prefix": prefix, "via": random.choice(("blackhole", "reject"))}]
    if "static_routes" in router.fields:
        fields["redistribute"] = [{"source": "static"}]
    if not fields["areas"] and chance(random, 0.1):
        fields["default_originate"] = True


# --- IS-IS ------------------------------------------------------------------------------------------------------------


def isis(random: Random, *, parallel_share: float = 0.0) -> Topology:
    """IS-IS with a backbone of level 2 and up to two areas of level 1, each behind one border router."""
    versions = random.choice(((4,), (6,), (4, 6)))
    builder = NetworkBuilder("IS-IS with levels", random, versions, parallel_share=parallel_share)
    backbone = builder.add_routers(random.randint(1, 4))
    nets = builder.connect(backbone)
    level_of = dict.fromkeys((router.name for router in backbone), "2")
    area_of = {router.name: f"49.{router.number + 100:04d}" for router in backbone}
    least = 0 if len(backbone) > 1 else 1
    for border in random.sample(backbone, min(len(backbone), random.randint(least, 2))):
        members = builder.add_routers(random.randint(1, 3))
        nets += builder.connect([border, *members])
        level_of[border.name] = "1-2"
        for member in members:
            level_of[member.name], area_of[member.name] = "1", area_of[border.name]
    rows: dict[str, list[dict[str, Any]]] = {router.name: [] for router in builder.routers}
    for net in nets:
        settings: dict[str, Any] = {}
        if chance(random, 0.25):
            settings["key"] = "secret"
        settings["network_type"] = (
            "auto" if net.is_lan else random.choice(("auto", "auto", "point-to-point", "broadcast"))
        )
        if chance(random, 0.3):
            settings |= {"hello_s": random.choice((1, 2, 5)), "hello_multiplier": random.choice((3, 10))}
        for router, interface in net.members:
            metric = {"metric": random.randint(1, 60)} if chance(random, 0.3) else {}
            rows[router.name].append({"interface": interface, **settings, **metric})
    point_to_point = chance(random, 0.7)
    for router in builder.routers:
        router.fields["isis"] = {
            "area": area_of[router.name],
            "level": level_of[router.name],
            "interfaces": rows[router.name],
            "ipv4": 4 in builder.versions,
            "ipv6": 6 in builder.versions,
            "point_to_point": point_to_point,
            "lab_timers": chance(random, 0.8),
            "system_id": "" if 4 in builder.versions else f"0000.0000.{router.number:04x}",
        }
    return builder.topology()


# --- RIP --------------------------------------------------------------------------------------------------------------


def rip(random: Random, *, parallel_share: float = 0.0) -> Topology:
    """RIP, RIPng or both, with keys, passive interfaces without neighbors, and static routes."""
    return _rip(random, random.choice(((4,), (6,), (4, 6))), parallel_share)


def ripng(random: Random) -> Topology:
    """The same with RIPng only."""
    return _rip(random, (6,), 0.0)


def _rip(random: Random, versions: tuple[int, ...], parallel_share: float) -> Topology:
    builder = NetworkBuilder("RIP", random, versions, parallel_share=parallel_share)
    nets = builder.connect(builder.add_routers(random.randint(2, 7)))
    for version in versions:
        protocol = {4: "rip", 6: "ripng"}[version]
        rows: dict[str, list[dict[str, Any]]] = {router.name: [] for router in builder.routers}
        for net in nets:
            settings: dict[str, Any] = {"split_horizon": random.choice(("on", "on", "poison"))}
            if version == 4 and chance(random, 0.25):
                settings |= {"key": "secret", "key_id": random.choice((0, 1))}
            for router, interface in net.members:
                rows[router.name].append({"interface": interface, **settings})
        for router in builder.routers:
            fields: dict[str, Any] = {"interfaces": rows[router.name], "update_s": random.choice((5, 10, 30))}
            if version == versions[0] and chance(random, 0.2):
                prefix = f"172.16.{router.number}.0/24" if version == 4 else f"fd00:aaaa:{router.number:x}::/64"
                router.fields["static_routes"] = [{"prefix": prefix, "via": "blackhole"}]
                fields["redistribute"] = [{"source": "static"}]
            router.fields[protocol] = fields
    return builder.topology()


# --- static routes ----------------------------------------------------------------------------------------------------


def static(random: Random) -> Topology:
    """Static routes only: each router has one to the loopback of every other, along a shortest path."""
    builder = NetworkBuilder("Static routes", random, random.choice(((4,), (6,), (4, 6))))
    builder.connect(builder.add_routers(random.randint(2, 6)))
    for router in builder.routers:
        router.fields["static_routes"] = [
            {"prefix": builder.loopback(destination, version), "via": via.address(neighbor, version)}
            for version in builder.versions
            for destination, neighbor, via in first_hops(builder.nets, router)
        ]
    return builder.topology()


def first_hops(nets: Sequence[Net], source: RouterDraft) -> list[tuple[RouterDraft, RouterDraft, Net]]:
    """Each other router with the first router and the first net on a shortest path to it."""
    first: dict[str, tuple[RouterDraft, RouterDraft, Net]] = {}
    queue = deque([source])
    while queue:
        router = queue.popleft()
        for net in nets:
            members = [member for member, _ in net.members]
            if router not in members:
                continue
            for neighbor in members:
                if neighbor is source or neighbor.name in first:
                    continue
                _, hop, by = first.get(router.name, (neighbor, neighbor, net))
                first[neighbor.name] = neighbor, hop, by
                queue.append(neighbor)
    return list(first.values())
