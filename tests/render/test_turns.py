"""BGP's first connections: one end of each session opens it, after the other one listens."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.model.topology import Topology
from frrlib.render.plan import plan
from frrlib.render.routing.connect_order import MOST_TURNS, Turn, turns
from tests import examples_bgp
from tests.checks.problems import GOOD1, GOOD2, bgp, drawing, link, node, peer

Pair = tuple[int, int]


def joined(pairs: Iterable[Pair], passive: Iterable[Pair] = ()) -> Topology:
    """Routers of an AS each; a pair has 10.A.B.0/24, in which each has its number; `passive`: (who, of whom)."""
    several, waiting = list(pairs), set(passive)
    told: dict[int, list[dict[str, object]]] = {}
    for a, b in several:
        for mine, other in ((a, b), (b, a)):
            session = {"address": f"10.{a}.{b}.{other}", "remote_as": other, "passive": (mine, other) in waiting}
            told.setdefault(mine, []).append(session)
    nodes = [node(f"r{number}", bgp={"asn": number, "neighbors": its}) for number, its in sorted(told.items())]
    lines = [link(n, f"r{a}=10.{a}.{b}.{a}/24", f"r{b}=10.{a}.{b}.{b}/24") for n, (a, b) in enumerate(several, 1)]
    return drawing(nodes, lines)


def callers(found: dict[str, Turn], a: int, b: int) -> set[int]:
    """Which of two neighbours make a connection at first: those that are not kept from it."""
    return {mine for mine, other in ((a, b), (b, a)) if f"10.{a}.{b}.{other}" not in found[f"r{mine}"].callers}


CHAIN = [(number, number + 1) for number in range(1, 9)]
RING = [*CHAIN, (1, 9)]
GRID = [(n, n + 1) for n in range(1, 17) if n % 4] + [(n, n + 4) for n in range(1, 13)]
STAR = [(1, number) for number in range(2, 12)]


@pytest.mark.parametrize("pairs", [CHAIN, RING, GRID, STAR], ids=["chain", "ring", "grid", "star"])
def test_one_end_of_each_session_calls_and_its_bgpd_starts_later(pairs: list[Pair]) -> None:
    found = dict(turns(joined(pairs)))
    for a, b in pairs:
        (calling,) = callers(found, a, b)
        called = a + b - calling
        assert found[f"r{calling}"].number > found[f"r{called}"].number


@pytest.mark.parametrize(("pairs", "most"), [(CHAIN, 2), (RING, 3), (GRID, 2), (STAR, 2)])
def test_few_turns_are_enough(pairs: list[Pair], most: int) -> None:
    assert {each.number for each in turns(joined(pairs)).values()} == set(range(most))


def test_a_large_mesh_has_no_more_turns_than_are_worth_their_time() -> None:
    mesh = [(a, b) for a in range(1, 8) for b in range(a + 1, 8)]
    found = dict(turns(joined(mesh)))
    assert {each.number for each in found.values()} == set(range(MOST_TURNS))
    for a, b in mesh:  # whoever starts together calls each other, as FRR has it
        together = found[f"r{a}"].number == found[f"r{b}"].number
        assert len(callers(found, a, b)) == (2 if together else 1)


def test_passive_routers_listen_first() -> None:
    passive = [(4, 1), (4, 3), (3, 2)]
    found = dict(turns(joined([(1, 4), (3, 4), (2, 3)], passive)))
    for waits, calls in passive:
        assert found[f"r{waits}"].number < found[f"r{calls}"].number


def test_the_plan_has_the_turns() -> None:
    first, second = (each.frr for each in plan(addressed(bgp(GOOD1, GOOD2))).nodes if each.frr)
    assert (first.turn, first.callers) == (0, ("10.9.0.2",))
    assert (second.turn, second.callers) == (1, ())


def test_sessions_with_lines_of_ones_own_begin_as_frr_has_it() -> None:
    topology = bgp(GOOD1, GOOD2, frr_conf="router bgp 1\n neighbor 10.9.0.2 timers connect 30")
    assert turns(addressed(topology)) == {}
    assert turns(addressed(bgp(GOOD1, GOOD2, frr_conf="ip route 10.7.0.0/16 10.9.0.2"))) != {}


def test_sessions_that_do_not_come_up_have_no_order() -> None:
    assert turns(addressed(bgp(GOOD1, {"asn": 2, "neighbors": peer("10.9.0.1", 7)}))) == {}


def test_sessions_over_other_routers_or_without_addresses_have_no_order() -> None:
    assert turns(addressed(examples_bgp.unnumbered())) == {}
    topology = addressed(examples_bgp.reflector())
    loopbacks = {str(each.ip) for router in topology.routers for each in router.loopbacks}
    assert not {address for each in turns(topology).values() for address in each.callers} & loopbacks
