"""The start order of bgpds, so that only one end of each BGP session opens the first connection.

If both ends open one, they may keep different connections: an established one stays, and of two others the one opened
by the higher router ID stays (RFC 4271, 6.8). With a delay between the ends, each may apply another of these rules.
Then both connections are closed, and FRR waits for seconds before it retries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from frrlib.model.topology import Topology
from frrlib.prediction.bgp.sessions import SessionEnd, sessions

#: Maximum number of turns; each costs the start time of a bgpd. In a larger mesh some sessions are opened from both
#: ends, as FRR does by default.
MOST_TURNS = 4
#: Words of custom lines of `frr.conf` that configure BGP; sessions of such a router are opened as FRR does by default.
_BGP_WORDS = re.compile(r"\b(bgp|neighbor)\b")


@dataclass(frozen=True)
class Turn:
    """The turn in which a router's bgpd starts.

    Attributes:
        number: 0 to start at once, 1 to start when the bgpds of turn 0 listen, and so on.
        callers: addresses of neighbors that start later and open the session; this router does not open it at first.
    """

    number: int = 0
    callers: tuple[str, ...] = ()


def turns(topology: Topology) -> Mapping[str, Turn]:
    """The turn of each router with a session that has an order.

    Only sessions between addresses of one network are ordered. Other ends learn at different times how to reach each
    other, and the last one to learn it has to open the session.

    Args:
        topology: with names and addresses filled in.
    """
    free = {router.name for router in topology.routers if not _BGP_WORDS.search(router.frr_conf)}
    arranged = [
        session
        for session in sessions(topology, {})
        if session.address is not None and session.direct and {session.router, session.peer} <= free
    ]
    numbers = _numbers(arranged)
    callers: dict[str, list[str]] = {name: [] for name in numbers}
    for session in arranged:
        if numbers[session.router] < numbers[session.peer]:
            callers[session.router].append(str(session.address))
    return {name: Turn(number, tuple(callers[name])) for name, number in numbers.items()}


def _numbers(arranged: Iterable[SessionEnd]) -> dict[str, int]:
    """Turns such that neighbors have different ones, and a passive end starts before its neighbor."""
    sessions_of: dict[str, list[SessionEnd]] = {}
    for session in arranged:
        sessions_of.setdefault(session.router, []).append(session)
    waiting = {
        name: sum(session.settings.passive for session in own_sessions) for name, own_sessions in sessions_of.items()
    }
    turn_of: dict[str, int] = {}
    for name in sorted(sessions_of, key=lambda name: -waiting[name]):
        earlier = [session for session in sessions_of[name] if session.peer in turn_of]
        used = {turn_of[session.peer] for session in earlier}
        first = max((turn_of[session.peer] + 1 for session in earlier if session.peer_settings.passive), default=0)
        free = (number for number in range(first, MOST_TURNS - 1) if number not in used)
        turn_of[name] = next(free, MOST_TURNS - 1)
    return turn_of
