"""Problems that come of another one: of a wrong address of an interface its cause is told, and what follows is not.

What follows is found by trying: the address is put right, and of the kinds in `FOLLOWS` whatever is gone then came of
it. So a problem with a cause of its own stays. Where two stations differ and either address may be the wrong one, that
one is told whose correction leaves fewer problems; what others call a neighbour or a gateway decides in most drawings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_interface
from itertools import islice
from typing import NamedTuple

from frrlib.model.base import Address, IpAddress
from frrlib.model.domains import Attachment
from frrlib.model.nodes import Host, Router
from frrlib.model.problem import Problem, Severity
from frrlib.model.rules import addresses, bgp, flows, ospf, routing, ways
from frrlib.model.rules.addresses import Stranger, strangers_of
from frrlib.model.rules.facts import Facts, Rule, facts_of
from frrlib.model.topology import Topology

CAUSE = "different-networks"
#: Cause to the kinds of what may come of it.
FOLLOWS: dict[str, frozenset[str]] = {
    CAUSE: frozenset(
        (
            *("overlapping-networks", "far-gateway", "no-gateway", "no-default-route", "duplicate-address"),
            *("no-neighbor", "one-sided", "wrong-source", "distant-neighbor", "unknown-network", "unannounced"),
        )
    )
}
#: The rules that find causes and what follows.
_RULES: tuple[Rule, ...] = (
    *addresses.RULES,
    *routing.RULES,
    *ospf.RULES,
    *bgp.RULES,
    *flows.RULES,
    *ways.RULES,
)
#: So many wrong addresses are tried, and so many corrections of each: a drawing with more has not one mistake.
_MOST_CAUSES, _MOST_CORRECTIONS = 4, 3
_ORDER = tuple(Severity)


class _Correction(NamedTuple):
    """An address in the place of a wrong one, and what would be wrong then."""

    stranger: Stranger
    address: str
    topology: Topology
    after: tuple[Problem, ...]

    @property
    def badness(self) -> tuple[int, int]:
        """The number of errors and warnings then."""
        severities = Counter(problem.severity for problem in self.after)
        return severities[Severity.ERROR], severities[Severity.WARNING]


def folded(facts: Facts, found: Iterable[Problem]) -> list[Problem]:
    """The problems of a drawing, without those that come of a wrong address which is told itself.

    A cause is as bad as the worst that comes of it. Several are put right one after the other: what comes of two of
    them is gone with the second.
    """
    shown = list(found)
    if not any(problem.kind == CAUSE for problem in shown):
        return shown
    first = now = _related(facts)
    may_follow = any(problem.kind in FOLLOWS[CAUSE] for problem in first)
    topology = facts.drawn
    for group in islice(_groups(facts), _MOST_CAUSES):
        stated = [each for each in group if _is_stated(facts, each.place)]
        tried = [each for stranger in stated for each in _corrections(facts, topology, stranger, may_follow)]
        if not tried:
            continue
        best = min(tried, key=lambda each: each.badness)
        rivals = [each.stranger for each in tried if each.badness == best.badness]
        told = _told(best, _gone(now, best.after), [each for each in rivals if each is not best.stranger][:1])
        shown = _in_place([each.problem for each in group], told, shown)
        topology, now = best.topology, best.after
    hidden = set(_gone(first, now))
    return [each for each in shown if each not in hidden]


def _related(facts: Facts) -> tuple[Problem, ...]:
    return tuple(dict.fromkeys(problem for rule in _RULES for problem in rule(facts)))


def _in_place(said: Sequence[Problem], told: Problem, shown: Sequence[Problem]) -> list[Problem]:
    """`told` in the place of the first of the problems that say the same; the others are left out."""
    at = next((index for index, each in enumerate(shown) if each in said), None)
    return [told if index == at else each for index, each in enumerate(shown) if index == at or each not in said]


def _groups(facts: Facts) -> Iterator[tuple[Stranger, ...]]:
    """Strangers, one by one; the two of a net where nobody else is together, for either may be the one."""
    for strangers in strangers_of(facts):
        if len(strangers) == 2 and strangers[0].others == 1:
            yield tuple(strangers)
        else:
            yield from ((each,) for each in strangers)


def _gone(before: Iterable[Problem], after: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems that are gone in `after`, of the kinds that may follow; no more of a kind than `after` has fewer.

    A problem may word its mention of others differently, so its place and the counts decide.
    """
    later = list(after)
    kinds = Counter(each.kind for each in before)
    kinds.subtract(each.kind for each in later)
    places = Counter(map(_place_of, before))
    places.subtract(map(_place_of, later))
    same = set(later)
    found = []
    # Those that read the same afterwards last: of two at one place they are the ones that stay.
    for problem in sorted(before, key=lambda each: each in same):
        place = _place_of(problem)
        if problem.kind in FOLLOWS[CAUSE] and places[place] > 0 and kinds[problem.kind] > 0:
            places[place] -= 1
            kinds[problem.kind] -= 1
            found.append(problem)
    return tuple(found)


def _place_of(problem: Problem) -> tuple[str, str, str]:
    return problem.kind, problem.node, problem.field


def _told(best: _Correction, follows: Sequence[Problem], rivals: Sequence[Stranger]) -> Problem:
    """The cause as it is told: where, what would be right, and how much comes of it."""
    problem = best.stranger.problem
    why = problem.why
    if follows:
        more = "another problem comes" if len(follows) == 1 else f"{len(follows)} other problems come"
        why = f"{why}; {more} of it"
    right = f"an address of {best.stranger.nearest.network}, such as {best.address}"
    for other in rivals:
        right += f"; or at {other.place.end.node} one of {other.nearest.network}"
    worst = min((each.severity for each in (problem, *follows)), key=_ORDER.index)
    return problem.model_copy(update={"severity": worst, "why": why, "right": right})


# --- what would be right ----------------------------------------------------------------------------------------------


def _is_stated(facts: Facts, place: Attachment) -> bool:
    """Whether somebody typed the addresses of an interface."""
    drawn = facts.drawn.links[place.index]
    return bool((drawn.a if place.side == 0 else drawn.b).addresses)


def _corrections(facts: Facts, topology: Topology, stranger: Stranger, may_follow: bool) -> Iterator[_Correction]:
    """Corrections of one wrong address; where nothing can follow the first will do, and nothing is tried."""
    for address in islice(_candidates(facts, stranger), _MOST_CORRECTIONS if may_follow else 1):
        after = _with_address(topology, stranger, address)
        tried = _Correction(stranger, str(address), after, _related(facts_of(after)) if may_follow else ())
        yield tried
        if tried.badness == (0, 0):
            return


def _candidates(facts: Facts, stranger: Stranger) -> Iterator[Address]:
    """Addresses that a station could have had: those that others call and nobody has, then one like its own."""
    network, mine = stranger.nearest.network, stranger.mine[0]
    called = dict.fromkeys(each for each in _called(facts) if each in network and each not in facts.owners)
    own = network.network_address + int(mine.ip) % network.num_addresses
    free = (each for each in network.hosts() if each not in facts.owners)
    like = () if own in facts.owners or own in (network[0], network[-1]) else (own,)
    yield from (ip_interface((each, network.prefixlen)) for each in (*called, *(like or islice(free, 1))))


def _called(facts: Facts) -> Iterator[IpAddress]:
    """Addresses that the drawing gives as somebody else's: of gateways, next hops and neighbours."""
    for node in facts.nodes.values():
        if isinstance(node, Host) and node.default_route is not None:
            yield node.default_route
        for table in node.tables if isinstance(node, Router) else ():
            yield from (route.via for route in table.static_routes if not isinstance(route.via, str))
            yield from (each.address for each in table.bgp.neighbors) if table.bgp else ()


def _with_address(topology: Topology, stranger: Stranger, address: Address) -> Topology:
    """The drawing with that address at the stranger's interface, in the place of the first wrong one."""
    place, wrong = stranger.place, stranger.mine[0]
    link = topology.links[place.index]
    side = "a" if place.side == 0 else "b"
    end = getattr(link, side)
    addresses_ = tuple(address if each == wrong else each for each in end.addresses)
    link = link.model_copy(update={side: end.model_copy(update={"addresses": addresses_})})
    return topology.model_copy(
        update={"links": (*topology.links[: place.index], link, *topology.links[place.index + 1 :])}
    )
