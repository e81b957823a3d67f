"""Expected routes of IGPs, compared with tables made by hand. Real labs confirm them in tests/lab."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any

import networkx as nx
import pytest

from frrlib.model.routing import (
    Isis,
    Ospf,
    Ospf6,
    OspfArea,
    OspfInterface,
    Redistribution,
    Rip,
    RipInterface,
    Ripng,
    StaticRoute,
    Vrf,
)
from frrlib.model.topology import Topology
from frrlib.prediction.routes import TableRoutes, expected_routes, expected_tables
from tests.prediction.routers import areas, line, router, star, static


def table(topology: Topology, name: str, version: int = 4) -> set[str]:
    """The expected prefixes of a router."""
    return {str(prefix) for prefix in expected_routes(topology).get(name, ()) if prefix.version == version}


BACKBONE = {"10.9.1.0/24", "10.255.0.1/32", "10.255.0.2/32"}
FIRST = {"10.9.2.0/23", "10.255.0.3/32"}  # area 1 from outside: its range, and the prefix outside of the range
SECOND = {"10.9.3.0/24", "10.255.0.4/32"}
BEHIND_R2 = {"10.9.4.0/24", "10.255.0.5/32", "10.9.5.0/24", "10.255.0.6/32", "10.9.6.0/24", "10.255.0.7/32"}
EXTERNAL = {"10.77.0.0/16", "10.88.0.0/16", "0.0.0.0/0"}


def test_areas_of_every_kind() -> None:
    tables = {name: table(star(), name) for name in ("r1", "r2", "r3", "r4", "r5", "r6", "r7")}
    loopbacks = {name: {f"10.255.0.{name[1]}/32"} for name in tables}
    assert tables["r2"] == (BACKBONE | FIRST | SECOND | BEHIND_R2 | EXTERNAL) - loopbacks["r2"] - {
        "10.9.1.0/24", "10.9.4.0/24", "10.9.5.0/24", "10.9.6.0/24",
        "10.88.0.0/16",  # r6's next hop is r2 itself
    }  # fmt: skip
    assert tables["r3"] == (BACKBONE | SECOND | BEHIND_R2 | {"0.0.0.0/0"}) - loopbacks["r3"]
    assert tables["r4"] == {"0.0.0.0/0"}  # a totally stub area receives no other route
    # ospfd announces a default route to every NSSA
    nssa = BACKBONE | FIRST | SECOND | BEHIND_R2 | {"10.77.0.0/16", "0.0.0.0/0"}
    assert tables["r5"] == nssa - loopbacks["r5"] - {"10.9.4.0/24"}
    # whether r6 gets 10.77.0.0/16 depends on when r2 translates it, so that is not expected
    inside = BACKBONE | FIRST | SECOND | BEHIND_R2 | {"10.88.0.0/16"}
    assert tables["r6"] == inside - loopbacks["r6"] - {"10.9.5.0/24"}
    assert tables["r7"] == {"0.0.0.0/0"}
    assert {"10.255.0.3/32", *SECOND, *BEHIND_R2} - tables["r1"] <= {"10.9.3.0/24"}


def test_border_routers_without_neighbors_in_the_backbone_ignore_the_default_route_of_a_stub_area() -> None:
    """As in FRR 8.4 with two routers that have a stub link, and only their loopbacks in the backbone."""
    stub = OspfArea(area="1", kind="stub")
    ends = [areas({f"r{number}-1": "1"}).model_copy(update={"areas": (stub,)}) for number in (1, 2)]
    topology = line(router(1, ospf=ends[0]), router(2, ospf=ends[1]))
    assert table(topology, "r1") == {"10.255.0.2/32"}
    assert table(topology, "r2") == {"10.255.0.1/32"}


def test_an_area_without_backbone_is_isolated() -> None:
    middle = areas({"r2-1": "1", "r2-2": "2"}, area="1")
    topology = line(router(1, ospf=Ospf(area="1")), router(2, ospf=middle), router(3, ospf=Ospf(area="2")))
    assert table(topology, "r1") == {"10.9.2.0/24", "10.255.0.2/32"} - {"10.9.2.0/24"}
    assert table(topology, "r3") == set()


@pytest.mark.parametrize("protocol", ["ospf6", "isis", "ripng"])
def test_ipv6_prefixes_reach_all_routers(protocol: str) -> None:
    spoken: Any = {"ospf6": Ospf6(), "isis": Isis(), "ripng": Ripng()}[protocol]
    topology = line(*(router(n, **{protocol: spoken}) for n in (1, 2, 3, 4)))
    assert table(topology, "r1", 6) == {"fd09:2::/64", "fd09:3::/64", "fd00::2/128", "fd00::3/128", "fd00::4/128"}
    assert bool(table(topology, "r1")) == (protocol == "isis")


def test_isis_gives_level_1_a_default_route_to_a_router_of_level_2() -> None:
    levels = [("49.0001", "1"), ("49.0001", "1-2"), ("49.0002", "2")]
    topology = line(*(router(n, isis=Isis(area=a, level=level)) for n, (a, level) in enumerate(levels, 1)))  # type: ignore[arg-type]
    assert table(topology, "r1") == {"10.9.2.0/24", "10.255.0.2/32", "0.0.0.0/0"}
    assert table(topology, "r2") == {"10.255.0.1/32", "10.255.0.3/32"}
    assert table(topology, "r3") == {"10.9.1.0/24", "10.255.0.2/32"}
    only4 = line(router(1, isis=Isis(ipv6=False)), router(2, isis=Isis(ipv6=False)))
    assert (table(only4, "r1"), table(only4, "r1", 6)) == ({"10.255.0.2/32"}, set())


def test_isis_has_no_path_through_a_router_with_the_overload_bit() -> None:
    topology = line(*(router(n, isis=Isis(overload=n == 2)) for n in (1, 2, 3, 4)))
    assert table(topology, "r1") == {"10.9.2.0/24", "10.255.0.2/32"}
    assert table(topology, "r2") == {"10.9.3.0/24", "10.255.0.1/32", "10.255.0.3/32", "10.255.0.4/32"}
    assert table(topology, "r3") == {"10.9.1.0/24", "10.255.0.2/32", "10.255.0.4/32"}


def test_rip_reaches_fifteen_routers() -> None:
    topology = line(*(router(n, rip=Rip()) for n in range(1, 19)))
    far = nx.single_source_shortest_path_length(nx.path_graph(range(1, 19)), 1, cutoff=14)
    assert {prefix for prefix in table(topology, "r1") if prefix.startswith("10.255")} == {
        f"10.255.0.{n}/32" for n in far if n != 1
    }


def test_rip_with_passive_interfaces_and_different_keys() -> None:
    passive = Rip(interfaces=(RipInterface(interface="r2-1", passive=True),))
    topology = line(router(1, rip=Rip()), router(2, rip=passive))
    assert (table(topology, "r1"), table(topology, "r2")) == (set(), {"10.255.0.1/32"})
    keyed = Rip(interfaces=(RipInterface(interface="r2-1", key="secret"),))
    assert expected_routes(line(router(1, rip=Rip()), router(2, rip=keyed))) == {}


def test_ripng_loopbacks_depend_on_a_policy() -> None:
    picky = Ripng(redistribute=(Redistribution(source="connected", route_map="SOME"),))
    topology = line(router(1, ripng=Ripng()), router(2, ripng=picky))
    assert (table(topology, "r1", 6), table(topology, "r2", 6)) == (set(), {"fd00::1/128"})


def test_static_routes_need_a_route_to_their_next_hop() -> None:
    near, unreachable = static("10.77.0.0/16", "10.9.1.2"), static("10.78.0.0/16", "10.50.0.1")
    recursive = static("10.79.0.0/16", "10.77.0.9")
    topology = line(router(1, static_routes=(near, unreachable, recursive)), router(2))
    assert table(topology, "r1") == {"10.77.0.0/16", "10.79.0.0/16"}
    assert table(line(router(1, static_routes=(near,)), router(2), up=False), "r1") == set()


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("ip route 10.77.0.0/16 10.9.1.2\nipv6 route 2001:db8::/32 blackhole\n", {"10.77.0.0/16", "2001:db8::/32"}),
        ("ip route 10.77.0.0/16 10.9.1.2 250\nip route 10.78.0.0/16 r1-1\n", set()),
        ("ip route 10.77.0.0/16 10.50.0.1\n", set()),
        ("ip route 10.77.0.0/16 10.9.1.2\nno ip route 10.77.0.0/16 10.9.1.2\n", set()),
        ("vrf red\n ip route 10.77.0.0/16 10.9.1.2\nexit-vrf\n", set()),
    ],
)
def test_plain_static_routes_of_custom_lines_are_expected_too(lines: str, expected: set[str]) -> None:
    topology = line(router(1, frr_conf=lines), router(2))
    assert table(topology, "r1") | table(topology, "r1", 6) == expected


def test_a_blackhole_route_needs_no_next_hop_and_is_redistributed() -> None:
    redistributing = Ospf(redistribute=(Redistribution(source="static"),))
    nowhere = StaticRoute(prefix=ip_network("10.77.0.0/16"), via="blackhole")
    topology = line(router(1, ospf=redistributing, static_routes=(nowhere,)), router(2, ospf=Ospf()))
    assert "10.77.0.0/16" in table(topology, "r1")
    assert "10.77.0.0/16" in table(topology, "r2")


def test_redistribution_between_protocols() -> None:
    both = {
        "rip": Rip(redistribute=(Redistribution(source="ospf"),)),
        "ospf": Ospf(
            redistribute=(Redistribution(source="rip"),),
            interfaces=(OspfInterface(interface="r2-1", passive=True),),
        ),
    }
    topology = line(router(1, rip=Rip()), router(2, **both), router(3, ospf=Ospf()), router(4, ospf=Ospf()))
    assert table(topology, "r1") == {"10.9.2.0/24", "10.9.3.0/24", *(f"10.255.0.{n}/32" for n in (2, 3, 4))}
    assert table(topology, "r4") == {"10.9.1.0/24", "10.9.2.0/24", *(f"10.255.0.{n}/32" for n in (1, 2, 3))}


def test_routes_that_depend_on_a_policy_are_not_expected() -> None:
    redistribute = (Redistribution(source="static", route_map="SOME"),)
    r1 = router(1, ospf=Ospf(redistribute=redistribute), static_routes=(static("10.77.0.0/16", "10.9.1.99"),))
    assert table(line(r1, router(2, ospf=Ospf())), "r2") == {"10.255.0.1/32"}


def test_vrfs_have_their_own_tables() -> None:
    red = Vrf(
        name="red", table=1001, interfaces=("r1-1",), ospf=Ospf(), static_routes=(static("10.77.0.0/16", "10.9.1.2"),)
    )
    topology = line(router(1, vrfs=(red,)), router(2, ospf=Ospf()))
    prefixes = tuple(map(ip_network, ("10.77.0.0/16", "10.255.0.2/32")))
    assert expected_tables(topology) == (TableRoutes("r1", prefixes, "red", 1001),)
    assert expected_routes(topology) == {}  # r1's loopback is in its default table, which has no protocol
