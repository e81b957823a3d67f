"""BGP's first connections: one end of each session opens it, after the other one listens."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.model.topology import Topology
from frrlib.render.plan import plan
from frrlib.render.routing.connect_order import MOST_TURNS, Turn, turns
from tests.checks.problems import GOOD1, GOOD2, bgp, build, link, node, peer
from tests.examples import bgp as bgp_examples

Pair = tuple[int, int]


def joined(pairs: Iterable[Pair], passive: Iterable[Pair] = ()) -> Topology:
    """Routers with an AS each. A pair has 10.A.B.0/24, with the routers' numbers as hosts. `passive`: (router,
    neighbor)."""
    links, passive_pairs = list(pairs), set(passive)
    sessions: dict[int, list[dict[str, object]]] = {}
    for a, b in links:
        for router, neighbor in ((a, b), (b, a)):
            session = {
                "address": f"10.{a}.{b}.{neighbor}",
                "remote_as": neighbor,
                "passive": (router, neighbor) in passive_pairs,
            }
            sessions.setdefault(router, []).append(session)
    nodes = [
        node(f"r{number}", bgp={"asn": number, "neighbors": neighbors_of_router})
        for number, neighbors_of_router in sorted(sessions.items())
    ]
    lines = [link(n, f"r{a}=10.{a}.{b}.{a}/24", f"r{b}=10.{a}.{b}.{b}/24") for n, (a, b) in enumerate(links, 1)]
    return build(nodes, lines)


def connecting_ends(order: dict[str, Turn], a: int, b: int) -> set[int]:
    """The ends of a session that may open the first connection."""
    return {
        router for router, neighbor in ((a, b), (b, a)) if f"10.{a}.{b}.{neighbor}" not in order[f"r{router}"].callers
    }


CHAIN = [(number, number + 1) for number in range(1, 9)]
RING = [*CHAIN, (1, 9)]
GRID = [(n, n + 1) for n in range(1, 17) if n % 4] + [(n, n + 4) for n in range(1, 13)]
STAR = [(1, number) for number in range(2, 12)]


@pytest.mark.parametrize("pairs", [CHAIN, RING, GRID, STAR], ids=["chain", "ring", "grid", "star"])
def test_one_end_of_each_session_connects_and_its_bgpd_starts_later(pairs: list[Pair]) -> None:
    order = dict(turns(joined(pairs)))
    for a, b in pairs:
        (connecting,) = connecting_ends(order, a, b)
        accepting = a + b - connecting
        assert order[f"r{connecting}"].number > order[f"r{accepting}"].number


@pytest.mark.parametrize(("pairs", "most"), [(CHAIN, 2), (RING, 3), (GRID, 2), (STAR, 2)])
def test_few_turns_are_enough(pairs: list[Pair], most: int) -> None:
    assert {turn.number for turn in turns(joined(pairs)).values()} == set(range(most))


def test_the_number_of_turns_of_a_large_mesh_is_limited() -> None:
    mesh = [(a, b) for a in range(1, 8) for b in range(a + 1, 8)]
    order = dict(turns(joined(mesh)))
    assert {turn.number for turn in order.values()} == set(range(MOST_TURNS))
    for a, b in mesh:  # routers of the same turn connect to each other, as FRR does by default
        together = order[f"r{a}"].number == order[f"r{b}"].number
        assert len(connecting_ends(order, a, b)) == (2 if together else 1)


def test_passive_routers_listen_first() -> None:
    passive = [(4, 1), (4, 3), (3, 2)]
    order = dict(turns(joined([(1, 4), (3, 4), (2, 3)], passive)))
    for passive_router, active_router in passive:
        assert order[f"r{passive_router}"].number < order[f"r{active_router}"].number


def test_the_plan_has_the_turns() -> None:
    first, second = (node.frr for node in plan(addressed(bgp(GOOD1, GOOD2))).nodes if node.frr)
    assert (first.turn, first.callers) == (0, ("10.9.0.2",))
    assert (second.turn, second.callers) == (1, ())


def test_sessions_with_custom_lines_have_no_order() -> None:
    topology = bgp(GOOD1, GOOD2, frr_conf="router bgp 1\n neighbor 10.9.0.2 timers connect 30")
    assert turns(addressed(topology)) == {}
    assert turns(addressed(bgp(GOOD1, GOOD2, frr_conf="ip route 10.7.0.0/16 10.9.0.2"))) != {}


def test_sessions_that_do_not_come_up_have_no_order() -> None:
    assert turns(addressed(bgp(GOOD1, {"asn": 2, "neighbors": peer("10.9.0.1", 7)}))) == {}


def test_sessions_over_other_routers_or_without_addresses_have_no_order() -> None:
    assert turns(addressed(bgp_examples.unnumbered())) == {}
    topology = addressed(bgp_examples.reflector())
    loopbacks = {str(loopback.ip) for router in topology.routers for loopback in router.loopbacks}
    assert not {address for turn in turns(topology).values() for address in turn.callers} & loopbacks
