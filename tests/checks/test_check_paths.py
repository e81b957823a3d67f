"""Rules on the ways of routes and packets: areas, virtual links, static routes, policies, and paths back."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.checks.check import Severity, check
from frrlib.model.topology import Topology
from tests.checks.problems import W, bgp, build, complaints, link, node, peer, titles, with_flow


def line(*routers: dict[str, Any], **fields: Any) -> Topology:
    """Routers r1, r2, ... in a line, with a network 10.N.0.0/24 from each to the next one, where it has the address 2.
    The loopback of rN is 10.255.0.N."""
    nodes = [node(f"r{n}", **{"loopbacks": [f"10.255.0.{n}/32"], **router}) for n, router in enumerate(routers, 1)]
    links = [link(n, f"r{n}=10.{n}.0.1/24", f"r{n + 1}=10.{n}.0.2/24") for n in range(1, len(routers))]
    return build(nodes, links, **fields)


def route(prefix: str, via: str, **fields: Any) -> dict[str, Any]:
    return {"prefix": prefix, "via": via, **fields}


def static(*routes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"static_routes": list(routes), **fields}


def areas(left: str, right: str, **fields: Any) -> dict[str, Any]:
    """OSPF of a router in the middle of a line, with the areas of its two interfaces."""
    return {"area": left, **fields, "left": left, "right": right}


def ospf_line(*routers: dict[str, Any], **conf: str) -> Topology:
    """A line of OSPF routers with the areas to the left and to the right of each; `conf`: custom lines by router."""
    settings = []
    for n, router in enumerate(routers, 1):
        left, right = router.pop("left"), router.pop("right")
        rows = [{"interface": f"r{n}-eth{int(n > 1)}", "area": right}]
        rows += [{"interface": f"r{n}-eth0", "area": left}] if n > 1 else []
        rows = rows if n < len(routers) else rows[1:]
        settings.append({"ospf": {**router, "interfaces": rows}, "frr_conf": conf.get(f"r{n}", "")})
    return line(*settings)


def virtual(area: int | str, router: int) -> str:
    return f"router ospf\n area {area} virtual-link 10.255.0.{router}\n"


def chain(**conf: str) -> Topology:
    """Areas 0, 1 and 2 in a line: area 2 needs a virtual link between r2 and r3."""
    return ospf_line(areas("0", "0"), areas("0", "1"), areas("1", "2"), areas("2", "2"), **conf)


def split(**conf: str) -> Topology:
    """Two parts of the backbone with area 1 between them."""
    return ospf_line(areas("0", "0"), areas("0", "1"), areas("1", "0"), areas("0", "0"), **conf)


def stub(kind: str, **fields: Any) -> Topology:
    ospf = {"area": "1", "areas": [{"area": "1", "kind": kind}]}
    return line({"ospf": ospf}, {"ospf": {**ospf, **fields}, **static(route("10.77.0.0/16", "blackhole"))})


def overloaded(*extra: dict[str, Any]) -> Topology:
    nodes = [node(f"r{n}", isis={"overload": n == 2}) for n in (1, 2, 3)]
    return build(nodes, [link(1, "r1", "r2"), link(2, "r2", "r3"), *extra])


def pim_line(*points: str) -> Topology:
    return line(*({"pim": {"rendezvous_points": [{"address": point}]}} for point in points))


def ring(command: str, closed: bool = True) -> Topology:
    nodes = [node("r1", ospf={}, start_command=command), *(node(f"r{n}", ospf={}) for n in (2, 3))]
    links = [link(1, "r1", "r2"), link(2, "r1", "r3"), *([link(3, "r2", "r3")] if closed else [])]
    return build(nodes, links)


STRICT = "sysctl -w net.ipv4.conf.all.rp_filter=1"


def speaker(neighbor: str, remote_as: int, own_as: int, network: str, **session: Any) -> dict[str, Any]:
    return {"asn": own_as, "neighbors": [{**peer(neighbor, remote_as)[0], **session}], "networks": [network]}


def two_systems(left: dict[str, Any], right: dict[str, Any], **r1_fields: Any) -> Topology:
    """r1 and r2 in two AS, each with a host, and a flow between the hosts. `left`, `right`: fields of the sessions."""
    return with_flow(
        bgp(
            speaker("10.9.0.2", 2, 1, "10.1.0.0/24", **left),
            speaker("10.9.0.1", 1, 2, "10.2.0.0/24", **right),
            **r1_fields,
        )
    )


DENY = [{"name": "L", "rules": [{"action": "deny", "prefix": "10.2.0.0/24"}, {"prefix": "0.0.0.0/0", "at_most": 32}]}]
PERMIT = [{"name": "L", "rules": [{"prefix": "10.0.0.0/8", "at_most": 24}]}]
MAP = [{"name": "M", "entries": [{"sequence": 10, "match_prefix_list": "L"}]}]
OTHER = [{"name": "L", "rules": [{"prefix": "10.7.0.0/16"}]}]


def sites(first_as: int, second_as: int, **session: Any) -> Topology:
    """Two sites of a customer at both sides of the provider r2, and a flow between them."""
    middle = {"asn": 9, "neighbors": [*peer("10.91.0.1", first_as), *peer("10.92.0.1", second_as)]}
    nodes = [
        "h1", node("r1", bgp=speaker("10.91.0.2", 9, first_as, "10.1.0.0/24", **session)), node("r2", bgp=middle),
        node("r3", bgp=speaker("10.92.0.2", 9, second_as, "10.2.0.0/24", **session)), "h2",
    ]  # fmt: skip
    links = [
        link(1, "h1=10.1.0.9/24", "r1=10.1.0.1/24"), link(2, "r1=10.91.0.1/24", "r2=10.91.0.2/24"),
        link(3, "r2=10.92.0.2/24", "r3=10.92.0.1/24"), link(4, "r3=10.2.0.1/24", "h2=10.2.0.9/24"),
    ]  # fmt: skip
    return with_flow(build(nodes, links))


def three_networks(maximum: int) -> Topology:
    """r1 announces three networks to r2, whose session allows some."""
    networks = ["10.1.0.0/24", "10.9.0.0/24", "10.255.0.1/32"]
    left = {**speaker("10.9.0.2", 2, 1, "10.1.0.0/24"), "networks": networks}
    right = speaker("10.9.0.1", 1, 2, "10.2.0.0/24", maximum_prefixes=maximum)
    return bgp(left, right, loopbacks=["10.255.0.1/32"])


def hosts(default_route: str) -> Topology:
    nodes = [node("h1", default_route=default_route), "h2", "r3"]
    return build(
        [*nodes, "s1"], [link(n, f"{name}=10.0.0.{n}/24", "s1") for n, name in enumerate(("h1", "h2", "r3"), 1)]
    )


FAR = "10.255.0.3/32"
#: r1 sends packets for r3 to r2, which has no route to r3.
FORGOTTEN = line(static(route(FAR, "10.1.0.2")), static(route("10.255.0.1/32", "10.1.0.1")), {})
#: r2 sends packets for r3 back to r1.
LOOP = line(static(route(FAR, "10.1.0.2")), static(route(FAR, "10.1.0.1")), static(route("10.1.0.0/24", "10.2.0.1")))
#: r2 sends packets for r3 to r1, which has no route to r3.
BACKWARDS = line(static(route("10.2.0.0/24", "10.1.0.2")), static(route(FAR, "10.1.0.1")), {})

CASES: list[tuple[str, Severity, str, str, Topology]] = [
    # areas
    ("cut-off-area", W, "r3", "ospf.area", chain()),
    ("cut-off-area", W, "r4", "ospf.area",
     ospf_line(areas("1", "1"), areas("1", "0"), areas("0", "2"), areas("2", "1"), areas("1", "1"))),
    ("split-backbone", W, "r1", "ospf.area", split()),
    ("virtual-link", W, "r2", "frr_conf", chain(r2=virtual(2, 3), r3=virtual(2, 2))),
    ("virtual-link", W, "r2", "frr_conf", chain(r2=virtual(1, 3))),
    ("virtual-link", W, "r2", "frr_conf", chain(r2=virtual(1, 9))),
    ("virtual-link", W, "r3", "frr_conf", chain(r2=virtual(0, 3), r3=virtual(0, 2))),
    ("stub-external", W, "r2", "ospf.redistribute", stub("stub", redistribute=[{"source": "static"}])),
    ("stub-external", W, "r2", "ospf.default_originate", stub("totally-stub", default_originate=True)),
    # interior protocols
    ("ospf-mismatch", W, "r2", "addresses",
     build([node("r1", ospf={}), node("r2", ospf={})], [link(1, "r1=10.0.0.1/24", "r2=fd00::2/64")])),
    ("isis-mismatch", W, "r2", "addresses",
     build([node("r1", isis={}), node("r2", isis={})],
           [link(1, "r1=10.0.0.1/24=fd00::1/64", "r2=fd00::2/64")])),
    ("rip-mismatch", W, "r1", "addresses",
     build([node("r1", rip={}), node("r2", rip={})], [link(1, "r1=fd00::1/64", "r2=10.0.0.2/24")])),
    ("isis-overload", W, "r2", "isis.overload", overloaded()),
    ("different-rp", W, "r3", "pim.rendezvous_points", pim_line("10.255.0.1", "10.255.0.1", "10.255.0.2")),
    # static routes
    ("dead-end", W, "r2", "static_routes", FORGOTTEN),
    ("dead-end", W, "r2", "static_routes", BACKWARDS),
    ("route-loop", W, "r2", "static_routes", LOOP),
    ("no-gateway", W, "h1", "default_route", hosts("10.0.0.2")),
    ("no-gateway", W, "r1", "static_routes",
     build([node("r1", **static(route("10.9.0.0/16", "10.0.0.2"))), "h1"],
           [link(1, "r1=10.0.0.1/24", "h1=10.0.0.2/24")])),
    ("rp-filter-command", W, "r1", "start_command", ring(STRICT)),
    ("rp-filter-command", W, "r1", "start_command", ring("echo 1 > /proc/sys/net/ipv4/conf/all/rp_filter")),
    # BGP
    ("filtered-route", W, "r1", "bgp.neighbors", two_systems({"prefix_list_in": "L"}, {}, prefix_lists=DENY)),
    ("filtered-route", W, "r1", "bgp.neighbors",
     two_systems({"route_map_in": "M"}, {}, prefix_lists=OTHER, route_maps=MAP)),
    ("filtered-route", W, "r1", "bgp.neighbors", two_systems({"prefix_list_out": "L"}, {}, prefix_lists=OTHER)),
    ("own-as-in-path", W, "r1", "bgp.asn", sites(1, 1)),
    ("maximum-prefixes", W, "r2", "bgp.neighbors", three_networks(1)),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "severity", "name", "field", "topology"), CASES, ids=lambda value: str(value)[:20])
def test_problem_is_found_with_severity_and_place(
    kind: str, severity: Severity, name: str, field: str, topology: Topology
) -> None:
    assert (kind, severity, name, field) in titles(check(topology))


GOOD = [
    chain(r2=virtual(1, 3), r3=virtual(1, 2)),
    split(r2=virtual("0.0.0.1", 3), r3=virtual(1, 2)),
    ospf_line(areas("1", "1"), areas("1", "0"), areas("0", "1"), areas("1", "1")),  # an area may be in two parts
    stub("nssa", redistribute=[{"source": "static"}]),
    stub("normal", default_originate=True),
    overloaded(link(3, "r1", "r3")),
    pim_line("10.255.0.1", "10.255.0.1"),
    line(
        static(route(FAR, "10.1.0.2")),
        static(route(FAR, "10.2.0.2"), route("0.0.0.0/0", "10.1.0.1")),
        static(route("10.1.0.0/24", "10.2.0.1"), route("10.255.0.1/32", "10.2.0.1")),
    ),
    hosts("10.0.0.3"),
    ring(STRICT, closed=False),
    ring(STRICT.replace("=1", "=2")),
    three_networks(3),
]


@pytest.mark.parametrize("topology", GOOD)
def test_valid_topologies_have_no_problems(topology: Topology) -> None:
    assert complaints(topology) == []


@pytest.mark.parametrize(
    "topology",
    [
        two_systems({"prefix_list_in": "L", "prefix_list_out": "L"}, {}, prefix_lists=PERMIT),
        two_systems({"route_map_in": "M"}, {}, prefix_lists=PERMIT, route_maps=MAP),
        two_systems({"prefix_list_in": "L"}, {}, prefix_lists=DENY, **static(route("0.0.0.0/0", "10.9.0.2"))),
        sites(1, 2),
        sites(1, 1, allow_as_in=1),
    ],
)
def test_routes_that_arrive_are_not_reported(topology: Topology) -> None:
    assert not {"filtered-route", "own-as-in-path", "unannounced"} & {problem.kind for problem in check(topology)}


def test_the_message_names_the_policy_the_route_and_the_flow() -> None:
    problems = check(two_systems({"prefix_list_in": "L"}, {}, prefix_lists=DENY))
    (message,) = (problem.message for problem in problems if problem.kind == "filtered-route")
    assert message == "10.9.0.2: the prefix list in, L, rejects the route to 10.2.0.9, so r1 has none for f"


def test_a_loop_is_reported_at_the_router_whose_next_hop_is_further_away() -> None:
    assert [(p.node, p.field) for p in check(LOOP) if p.kind == "route-loop"] == [("r2", "static_routes")]
    circle = line(static(route("10.99.0.0/16", "10.1.0.2")), static(route("10.99.0.0/16", "10.1.0.1")))
    assert [p.node for p in check(circle) if p.kind == "route-loop"] == ["r1", "r2"]  # nobody has this network
