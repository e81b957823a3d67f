"""The start order of bgpds, so that only one end of each BGP session makes the first connection.

Where both do, each may keep another connection than the other: one that is done already stays, and of two that are not
the one that the higher router id made (RFC 4271, 6.8). With a delay between them each end may go by another of these
rules. Both connections are closed then, and FRR waits for seconds before it tries again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from frrlib.model.topology import Topology
from frrlib.prediction.bgp_sessions import SessionEnd, sessions

#: So many turns there are at most: each costs the time in which a bgpd starts. In a mesh of more routers than that some
#: sessions begin as FRR begins them, from both ends.
MOST_TURNS = 4
#: What free lines of `frr.conf` say of BGP; sessions of such a router begin as FRR begins them.
_OWN_WORDS = re.compile(r"\b(bgp|neighbor)\b")


@dataclass(frozen=True)
class Turn:
    """The turn in which a router's bgpd starts.

    Attributes:
        number: 0 for at once, 1 for when those of turn 0 listen, and so on.
        callers: addresses of the other ends that start later and call this one, which does not call them at first.
    """

    number: int = 0
    callers: tuple[str, ...] = ()


def turns(topology: Topology) -> Mapping[str, Turn]:
    """Router to its turn, of those for which there is anything to say.

    Only sessions between addresses of one network count: elsewhere the ends learn at different moments how to reach
    each other, and the last one to learn it has to call.

    Args:
        topology: with names and addresses filled in.
    """
    free = {each.name for each in topology.routers if not _OWN_WORDS.search(each.frr_conf)}
    arranged = [
        each
        for each in sessions(topology, {})
        if each.address is not None and each.direct and {each.router, each.peer} <= free
    ]
    numbers = _numbers(arranged)
    callers: dict[str, list[str]] = {name: [] for name in numbers}
    for each in arranged:
        if numbers[each.router] < numbers[each.peer]:
            callers[each.router].append(str(each.address))
    return {name: Turn(number, tuple(callers[name])) for name, number in numbers.items()}


def _numbers(arranged: Iterable[SessionEnd]) -> dict[str, int]:
    """Turns such that neighbours have different ones, and an end that only waits for a call has an earlier one."""
    around: dict[str, list[SessionEnd]] = {}
    for each in arranged:
        around.setdefault(each.router, []).append(each)
    waiting = {name: sum(each.settings.passive for each in its) for name, its in around.items()}
    found: dict[str, int] = {}
    for name in sorted(around, key=lambda name: -waiting[name]):
        before = [each for each in around[name] if each.peer in found]
        taken = {found[each.peer] for each in before}
        first = max((found[each.peer] + 1 for each in before if each.peer_settings.passive), default=0)
        free = (number for number in range(first, MOST_TURNS - 1) if number not in taken)
        found[name] = next(free, MOST_TURNS - 1)
    return found
