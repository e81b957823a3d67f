"""Problems that follow from another one: for a wrong address of an interface, only the cause is reported.

The consequences are found by trial. The address is corrected, and the problems of the kinds in `FOLLOWS` that are then
gone are its consequences. A problem with another cause remains. If two stations differ and either address may be wrong,
the one whose correction leaves fewer problems is reported. In most topologies the addresses that other nodes use for a
neighbor or a gateway decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_interface
from itertools import islice
from typing import NamedTuple

from frrlib.addressing.domains import Attachment
from frrlib.checks.facts import Facts, Rule, facts_of
from frrlib.checks.subjects import addresses, announcements, bgp_sessions, bgp_settings, flows, gateways, ospf, routing
from frrlib.checks.subjects.addresses import IsolatedStation, isolated_stations
from frrlib.model.base import Address, IpAddress
from frrlib.model.nodes import Host, Router
from frrlib.model.problem import Problem, Severity
from frrlib.model.topology import Topology

CAUSE = "different-networks"
#: Cause to the kinds of its possible consequences.
FOLLOWS: dict[str, frozenset[str]] = {
    CAUSE: frozenset(
        (
            *("overlapping-networks", "far-gateway", "no-gateway", "no-default-route", "duplicate-address"),
            *("no-neighbor", "one-sided", "wrong-source", "distant-neighbor", "unknown-network", "unannounced"),
        )
    )
}
#: The rules that find causes and consequences.
_RULES: tuple[Rule, ...] = tuple(
    rule
    for subject in (addresses, gateways, routing, ospf, bgp_sessions, bgp_settings, flows, announcements)
    for rule in subject.SUBJECT.rules
)
#: Limits on the number of wrong addresses, and on the corrections of each. A topology with more has several mistakes.
_MOST_CAUSES, _MOST_CORRECTIONS = 4, 3
_ORDER = tuple(Severity)


class _Correction(NamedTuple):
    """An address that replaces a wrong one, and the problems that would remain."""

    stranger: IsolatedStation
    address: str
    topology: Topology
    after: tuple[Problem, ...]

    @property
    def badness(self) -> tuple[int, int]:
        """The number of errors and warnings then."""
        severities = Counter(problem.severity for problem in self.after)
        return severities[Severity.ERROR], severities[Severity.WARNING]


def without_consequences(facts: Facts, problems: Iterable[Problem]) -> list[Problem]:
    """The problems of a topology, without the consequences of a wrong address that is itself reported.

    A cause gets the severity of its worst consequence. Several causes are corrected one after the other, so a
    consequence of two of them is gone with the second.
    """
    reported = list(problems)
    if not any(problem.kind == CAUSE for problem in reported):
        return reported
    first = now = _related(facts)
    may_follow = any(problem.kind in FOLLOWS[CAUSE] for problem in first)
    topology = facts.drawn
    for group in islice(_groups(facts), _MOST_CAUSES):
        stated = [item for item in group if _is_stated(facts, item.place)]
        tried = [item for stranger in stated for item in _corrections(facts, topology, stranger, may_follow)]
        if not tried:
            continue
        best = min(tried, key=lambda each: each.badness)
        rivals = [item.stranger for item in tried if item.badness == best.badness]
        cause = _told(best, _gone(now, best.after), [item for item in rivals if item is not best.stranger][:1])
        reported = _in_place([item.problem for item in group], cause, reported)
        topology, now = best.topology, best.after
    hidden = set(_gone(first, now))
    return [item for item in reported if item not in hidden]


def _related(facts: Facts) -> tuple[Problem, ...]:
    return tuple(dict.fromkeys(problem for rule in _RULES for problem in rule(facts)))


def _in_place(replaced: Sequence[Problem], replacement: Problem, problems: Sequence[Problem]) -> list[Problem]:
    """The problems with `replacement` in place of the first of `replaced`; the others of `replaced` are left out."""
    at = next((index for index, problem in enumerate(problems) if problem in replaced), None)
    return [
        replacement if index == at else problem
        for index, problem in enumerate(problems)
        if index == at or problem not in replaced
    ]


def _groups(facts: Facts) -> Iterator[tuple[IsolatedStation, ...]]:
    """Strangers one by one, but the only two stations of a net together, since either may have the wrong address."""
    for strangers in isolated_stations(facts):
        if len(strangers) == 2 and strangers[0].others == 1:
            yield tuple(strangers)
        else:
            yield from ((station,) for station in strangers)


def _gone(problems: Iterable[Problem], remaining: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems that are gone in `remaining`, of the kinds that may follow, and no more than `remaining` has fewer.

    The text of a problem may change with other problems, so its place and the counts decide.
    """
    later = list(remaining)
    kinds = Counter(item.kind for item in problems)
    kinds.subtract(item.kind for item in later)
    places = Counter(map(_place_of, problems))
    places.subtract(map(_place_of, later))
    same = set(later)
    gone = []
    # Problems with the same text afterwards come last: of two at one place, they are the ones that remain.
    for problem in sorted(problems, key=lambda each: each in same):
        place = _place_of(problem)
        if problem.kind in FOLLOWS[CAUSE] and places[place] > 0 and kinds[problem.kind] > 0:
            places[place] -= 1
            kinds[problem.kind] -= 1
            gone.append(problem)
    return tuple(gone)


def _place_of(problem: Problem) -> tuple[str, str, str]:
    return problem.kind, problem.node, problem.field


def _told(best: _Correction, follows: Sequence[Problem], rivals: Sequence[IsolatedStation]) -> Problem:
    """The cause as it is reported: its place, its remedy, and the number of its consequences."""
    problem = best.stranger.problem
    message = problem.why
    if follows:
        consequences = "another problem" if len(follows) == 1 else f"{len(follows)} other problems"
        message = f"{message}, which causes {consequences}"
    remedy = f"choose an address of {best.stranger.nearest.network}, such as {best.address}"
    for rival in rivals:
        remedy += f", or one of {rival.nearest.network} at {rival.place.end.node}"
    worst = min((item.severity for item in (problem, *follows)), key=_ORDER.index)
    return problem.model_copy(update={"severity": worst, "why": message, "right": remedy})


# --- corrections ------------------------------------------------------------------------------------------------------


def _is_stated(facts: Facts, place: Attachment) -> bool:
    """Whether the addresses of an interface are set in the topology."""
    link = facts.drawn.links[place.index]
    return bool((link.a if place.side == 0 else link.b).addresses)


def _corrections(
    facts: Facts, topology: Topology, stranger: IsolatedStation, may_follow: bool
) -> Iterator[_Correction]:
    """Corrections of one wrong address. Without possible consequences only the first one is made, without a trial."""
    for address in islice(_candidates(facts, stranger), _MOST_CORRECTIONS if may_follow else 1):
        corrected = _with_address(topology, stranger, address)
        tried = _Correction(stranger, str(address), corrected, _related(facts_of(corrected)) if may_follow else ())
        yield tried
        if tried.badness == (0, 0):
            return


def _candidates(facts: Facts, stranger: IsolatedStation) -> Iterator[Address]:
    """Plausible addresses of a station: those that other nodes use and no node has, then one like its own."""
    network, mine = stranger.nearest.network, stranger.mine[0]
    called = dict.fromkeys(
        candidate for candidate in _called(facts) if candidate in network and candidate not in facts.owners
    )
    like_own = network.network_address + int(mine.ip) % network.num_addresses
    free = (candidate for candidate in network.hosts() if candidate not in facts.owners)
    like = () if like_own in facts.owners or like_own in (network[0], network[-1]) else (like_own,)
    yield from (ip_interface((candidate, network.prefixlen)) for candidate in (*called, *(like or islice(free, 1))))


def _called(facts: Facts) -> Iterator[IpAddress]:
    """Addresses by which nodes refer to other nodes: of gateways, next hops and neighbors."""
    for node in facts.nodes.values():
        if isinstance(node, Host) and node.default_route is not None:
            yield node.default_route
        for table in node.tables if isinstance(node, Router) else ():
            yield from (route.via for route in table.static_routes if not isinstance(route.via, str))
            yield from (neighbor.address for neighbor in table.bgp.neighbors) if table.bgp else ()


def _with_address(topology: Topology, stranger: IsolatedStation, address: Address) -> Topology:
    """The topology with that address at the stranger's interface, in place of the first wrong one."""
    place, wrong = stranger.place, stranger.mine[0]
    link = topology.links[place.index]
    side = "a" if place.side == 0 else "b"
    end = getattr(link, side)
    addresses_ = tuple(address if current == wrong else current for current in end.addresses)
    link = link.model_copy(update={side: end.model_copy(update={"addresses": addresses_})})
    return topology.model_copy(
        update={"links": (*topology.links[: place.index], link, *topology.links[place.index + 1 :])}
    )
