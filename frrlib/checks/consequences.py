"""Problems that follow from another one: for a wrong address of an interface, only the cause is reported.

The consequences are found by trial. The address is corrected. The problems of the kinds in `CONSEQUENCES` that are then
gone are its consequences. A problem with another cause remains. If two stations differ and either address may be wrong,
the one whose correction leaves fewer problems is reported. In most topologies that follows from the addresses that
other nodes use for a neighbor or a gateway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_interface
from itertools import islice
from typing import NamedTuple

from frrlib.checks.facts import Facts, Rule, facts_of
from frrlib.checks.subjects import addresses, announcements, flows, gateways, ospf, ospf_areas, routing, static_routes
from frrlib.checks.subjects.addresses import IsolatedStation, isolated_stations
from frrlib.checks.subjects.bgp import sessions, settings
from frrlib.model.base import Address, IpAddress
from frrlib.model.nodes import Host, Router
from frrlib.model.problem import Problem, Severity
from frrlib.model.topology import Topology

CAUSE = "different-networks"
#: Cause to the kinds of its possible consequences.
CONSEQUENCES: dict[str, frozenset[str]] = {
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
    for subject in (
        addresses,
        gateways,
        static_routes,
        routing,
        ospf,
        ospf_areas,
        sessions,
        settings,
        flows,
        announcements,
    )
    for rule in subject.SUBJECT.rules
)
#: Limits on the number of wrong addresses, and on the corrections of each. A topology with more has several mistakes.
_MOST_CAUSES, _MOST_CORRECTIONS = 4, 3
_ORDER = tuple(Severity)


class _Correction(NamedTuple):
    """An address that replaces a wrong one, and the problems that would remain."""

    station: IsolatedStation
    address: str
    topology: Topology
    remaining: tuple[Problem, ...]

    @property
    def remaining_counts(self) -> tuple[int, int]:
        """The number of remaining errors, and that of warnings."""
        severities = Counter(problem.severity for problem in self.remaining)
        return severities[Severity.ERROR], severities[Severity.WARNING]


def without_consequences(facts: Facts, problems: Iterable[Problem]) -> list[Problem]:
    """The problems of a topology, without the consequences of a wrong address that is itself reported.

    A cause gets the severity of its worst consequence. Several causes are corrected one after the other, so a
    consequence of two of them is gone with the second.
    """
    reported = list(problems)
    if not any(problem.kind == CAUSE for problem in reported):
        return reported
    first = now = _related_problems(facts)
    may_follow = any(problem.kind in CONSEQUENCES[CAUSE] for problem in first)
    topology = facts.topology
    for group in islice(_station_groups(facts), _MOST_CAUSES):
        tried = [item for station in group for item in _corrections(facts, topology, station, may_follow)]
        if not tried:
            continue
        best = min(tried, key=lambda correction: correction.remaining_counts)
        rivals = [item.station for item in tried if item.remaining_counts == best.remaining_counts]
        cause = _cause_with_consequences(
            best, _removed_consequences(now, best.remaining), [item for item in rivals if item is not best.station][:1]
        )
        reported = _with_replacement([item.problem for item in group], cause, reported)
        topology, now = best.topology, best.remaining
    hidden = set(_removed_consequences(first, now))
    return [item for item in reported if item not in hidden]


def _related_problems(facts: Facts) -> tuple[Problem, ...]:
    return tuple(dict.fromkeys(problem for rule in _RULES for problem in rule(facts)))


def _with_replacement(replaced: Sequence[Problem], replacement: Problem, problems: Sequence[Problem]) -> list[Problem]:
    """The problems with `replacement` in place of the first of `replaced`; the others of `replaced` are left out."""
    at = next((index for index, problem in enumerate(problems) if problem in replaced), None)
    return [
        replacement if index == at else problem
        for index, problem in enumerate(problems)
        if index == at or problem not in replaced
    ]


def _station_groups(facts: Facts) -> Iterator[tuple[IsolatedStation, ...]]:
    """Isolated stations one by one, but two that are alone on a net together, since either address may be wrong."""
    for stations in isolated_stations(facts):
        if len(stations) == 2 and stations[0].other_stations == 1:
            yield tuple(stations)
        else:
            yield from ((station,) for station in stations)


def _removed_consequences(problems: Iterable[Problem], remaining: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems that are gone in `remaining`, of the kinds that may follow, and no more than `remaining` has fewer.

    The text of a problem may change with other problems, so its place and the counts decide.
    """
    later = list(remaining)
    kinds = Counter(item.kind for item in problems)
    kinds.subtract(item.kind for item in later)
    places = Counter(map(_place_of, problems))
    places.subtract(map(_place_of, later))
    same = set(later)
    removed = []
    # Problems whose text remains come last. If one of two at a place is gone, it is the other one.
    for problem in sorted(problems, key=lambda problem: problem in same):
        place = _place_of(problem)
        if problem.kind in CONSEQUENCES[CAUSE] and places[place] > 0 and kinds[problem.kind] > 0:
            places[place] -= 1
            kinds[problem.kind] -= 1
            removed.append(problem)
    return tuple(removed)


def _place_of(problem: Problem) -> tuple[str, str, str, str]:
    return problem.kind, problem.about, problem.node, problem.field


def _cause_with_consequences(
    best: _Correction, follows: Sequence[Problem], rivals: Sequence[IsolatedStation]
) -> Problem:
    """The cause as it is reported: its place, its remedy, and the number of its consequences."""
    problem = best.station.problem
    message = problem.message
    if follows:
        consequences = "another problem" if len(follows) == 1 else f"{len(follows)} other problems"
        message = f"{message}, which causes {consequences}"
    remedy = f"choose an address of {best.station.nearest.network}, such as {best.address}"
    for rival in rivals:
        remedy += f", or one of {rival.nearest.network} at {rival.place.end.node}"
    worst = min((item.severity for item in (problem, *follows)), key=_ORDER.index)
    return problem.model_copy(update={"severity": worst, "message": message, "remedy": remedy})


# --- corrections ------------------------------------------------------------------------------------------------------


def _corrections(facts: Facts, topology: Topology, station: IsolatedStation, may_follow: bool) -> Iterator[_Correction]:
    """Corrections of one wrong address. Without possible consequences only the first one is made, without a trial."""
    for address in islice(_candidate_addresses(facts, station), _MOST_CORRECTIONS if may_follow else 1):
        corrected = _with_address(topology, station, address)
        tried = _Correction(
            station, str(address), corrected, _related_problems(facts_of(corrected)) if may_follow else ()
        )
        yield tried
        if tried.remaining_counts == (0, 0):
            return


def _candidate_addresses(facts: Facts, station: IsolatedStation) -> Iterator[Address]:
    """Plausible addresses of a station: those that other nodes use and no node has, then one like its own."""
    network, mine = station.nearest.network, station.mine[0]
    called = dict.fromkeys(
        candidate
        for candidate in _referenced_addresses(facts)
        if candidate in network and candidate not in facts.owners
    )
    like_own = network.network_address + int(mine.ip) % network.num_addresses
    free = (candidate for candidate in network.hosts() if candidate not in facts.owners)
    like = () if like_own in facts.owners or like_own in (network[0], network[-1]) else (like_own,)
    yield from (ip_interface((candidate, network.prefixlen)) for candidate in (*called, *(like or islice(free, 1))))


def _referenced_addresses(facts: Facts) -> Iterator[IpAddress]:
    """Addresses by which nodes refer to other nodes: of gateways, next hops and neighbors."""
    for node in facts.nodes.values():
        if isinstance(node, Host) and node.default_route is not None:
            yield node.default_route
        for table in node.tables if isinstance(node, Router) else ():
            yield from (route.via for route in table.static_routes if not isinstance(route.via, str))
            yield from (neighbor.address for neighbor in table.bgp.neighbors) if table.bgp else ()


def _with_address(topology: Topology, station: IsolatedStation, address: Address) -> Topology:
    """The topology with that address at the station's interface, in place of the first wrong one."""
    place, wrong = station.place, station.mine[0]
    link = topology.links[place.index]
    side = "a" if place.side == 0 else "b"
    end = getattr(link, side)
    addresses_ = tuple(address if current == wrong else current for current in end.addresses)
    link = link.model_copy(update={side: end.model_copy(update={"addresses": addresses_})})
    return topology.model_copy(
        update={"links": (*topology.links[: place.index], link, *topology.links[place.index + 1 :])}
    )
