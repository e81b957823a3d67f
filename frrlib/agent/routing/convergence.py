"""Waiting until a network has converged: all adjacencies up, all routes there, and nothing changing any more.

It listens, and asks daemons only for what is still missing: while many of them converge, every question would cost them
time that they need.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable

from frrlib import wire
from frrlib.agent.network import rtnetlink
from frrlib.agent.routing.adjacencies import Adjacencies
from frrlib.agent.routing.hints import NAMES, Hints, sentence
from frrlib.agent.routing.neighbors import SESSIONS
from frrlib.agent.routing.routes import RouteMonitor
from frrlib.errors import LabFailed

#: How long news gather before all is looked at again; the longer the more routers.
_LOOK_AGAIN_S = 0.01
#: From when on daemons are asked: those that log their neighbours, and those that do not.
_ASK_AFTER_S, _ASK_SILENT_AFTER_S = 1.0, 0.2
_SILENT = ("bfd", "ldp")
#: How often a daemon is asked for what is missing, at first and at last, and how many a second in all.
_ASK_FIRST_S, _ASK_LAST_S, _ASKED_A_SECOND = 0.2, 1.0, 40
#: When and how often reasons are looked for, and how many at once.
_WHY_AFTER_S, _WHY_AGAIN_S, _WHY_AT_ONCE = 1.0, 2.0, 6
#: How many neighbours that are up are looked at when the time is over.
_WHY_AT_LAST = 64
#: How often somebody is told what is missing, the more seldom the more routers.
_TELL_S, _TELL_ROUTERS = 0.25, 16
#: So many prefixes and sentences of a router are told in full.
_PREFIXES, _SENTENCES = 3, 6

_Asked = tuple[str, str]


class Convergence:
    """One wait.

    Args:
        request: what is expected.
        adjacencies, routes: what is known.
        news: the condition by which both tell that something changed.
        tell: hears what is missing.
        since_s: when that began of which the result tells the seconds, on the monotonic clock; None for now.
    """

    def __init__(
        self,
        request: wire.WaitConverged,
        adjacencies: Adjacencies,
        routes: RouteMonitor,
        news: threading.Condition,
        tell: Callable[[wire.WaitingFor], None],
        since_s: float | None = None,
    ) -> None:
        self._request, self._adjacencies, self._routes, self._news = request, adjacencies, routes, news
        self._tell = tell
        self._wanted_routes = [
            (each, {rtnetlink.network(prefix) for prefix in each.prefixes}) for each in request.routes
        ]
        back = {(each.router, each.neighbor, each.protocol, each.vrf): each for each in request.adjacencies}
        self._hints = Hints(adjacencies, lambda e: back.get((e.neighbor, e.router, e.protocol, e.vrf)), self._has_route)
        self._start_s = time.monotonic()
        self._since_s = self._start_s if since_s is None else since_s
        self._absent: dict[wire.ExpectedAdjacency, wire.AdjacencyEvent | None] = {}
        self._lacking: dict[int, set[str]] = {}
        self._looked_s: dict[str, float] = {}
        self._looked = (0.0, 0.0)
        self._looked_at = -1
        self._up_s: dict[str, float] = {}
        self._routed_s: dict[str, float] = {}
        #: When a daemon is asked next, and how long after that again.
        self._due: dict[_Asked, tuple[float, float]] = {}
        self._why: dict[wire.ExpectedAdjacency, str] = {}
        #: What was found of neighbours that are up and bring no routes; empty for nothing.
        self._disagreeing: dict[wire.ExpectedAdjacency, str] = {}
        self._told: dict[str, tuple[str, ...]] = {}
        self._tell_next_s = self._start_s + _TELL_S
        self._why_next_s = self._start_s + _WHY_AFTER_S

    def wait(self) -> dict[str, object]:
        """Wait. Returns the result of `wire.WaitConverged`. Raises LabFailed when the time is over."""
        self._refuse_unknown()
        deadline_s = self._start_s + self._request.timeout_s
        while True:
            with self._news:
                self._look()
                self._looked = self._changes()
            last_s = max(self._looked)
            now = time.monotonic()
            complete = not self._absent and not any(self._lacking.values())
            if complete and now >= self._at_rest_s(last_s):
                self._say({})
                return self._result(last_s)
            if now >= deadline_s:
                why = self._failure(complete)
                self._say(self.missing())
                raise LabFailed(why)
            if not complete:
                self._ask(now)
            self._tell_missing(now)
            self._pause(min(self._next_s(now, complete, last_s), deadline_s) - time.monotonic())

    # --- looking ------------------------------------------------------------------------------------------------------

    def _refuse_unknown(self) -> None:
        named = {each.router for each in self._request.adjacencies} | {each.router for each in self._request.routes}
        unknown = sorted(name for name in named if not self._routes.watches(name))
        if unknown:
            raise LabFailed(
                f"{', '.join(unknown)}: does not run FRR in this lab, but routes or adjacencies are expected of it"
            )

    def _look(self) -> None:
        """Look for routes that are missing now; tables that have not changed since the last look are skipped."""
        if self._adjacencies.changes != self._looked_at:
            self._looked_at = self._adjacencies.changes
            self._look_for_neighbours()
        for number, (each, prefixes) in enumerate(self._wanted_routes):
            changed_s = self._routes.changed_s[each.router]
            if number in self._lacking and self._looked_s.get(each.router, -1.0) >= changed_s:
                continue
            before = self._lacking.get(number)
            self._lacking[number] = prefixes - self._routes.prefixes(each.router, each.table)
            if not self._lacking[number] and (before is None or before):
                self._routed_s[each.router] = max(self._routed_s.get(each.router, self._since_s), changed_s)
        self._looked_s = dict(self._routes.changed_s)

    def _look_for_neighbours(self) -> None:
        events: dict[tuple[str, str, str], list[wire.AdjacencyEvent]] = {}
        for event in self._adjacencies.known():
            events.setdefault((event.router, event.protocol, event.vrf), []).append(event)
        self._absent = {}
        up_s: dict[str, float] = {each.router: self._since_s for each in self._request.adjacencies}
        for wanted in self._request.adjacencies:
            candidates = events.get((wanted.router, wanted.protocol, wanted.vrf), ())
            found = [event for event in candidates if matches(wanted, event)]
            best = max(found, key=lambda event: event.up, default=None)
            if best is None or not best.up or (wanted.both and not _both(found)):
                self._absent[wanted] = best
            else:
                up_s[wanted.router] = max(up_s[wanted.router], best.time_s)
        lacking = {each.router for each in self._absent}
        self._up_s = {router: at_s for router, at_s in up_s.items() if router not in lacking}

    def _has_route(self, router: str, address: str) -> bool:
        import ipaddress  # only where something is wrong: loading is dear in a lab kernel

        wanted = ipaddress.ip_address(address)
        return any(wanted in ipaddress.ip_network(prefix) for prefix in self._routes.prefixes(router))

    # --- asking -------------------------------------------------------------------------------------------------------

    def _ask(self, now: float) -> None:
        missing = {(each.router, each.protocol) for each in self._absent}
        self._due = {key: due for key, due in self._due.items() if key in missing}
        for key in sorted(missing):
            after_s = _ASK_SILENT_AFTER_S if key[1] in _SILENT else _ASK_AFTER_S
            self._due.setdefault(key, (max(now, self._start_s + after_s), _ASK_FIRST_S))
        ready = sorted((at_s, key) for key, (at_s, _) in self._due.items() if at_s <= now)
        for _, key in ready[: max(1, _ASKED_A_SECOND // 10)]:
            self._adjacencies.ask(*key)
            pause_s = self._due[key][1]
            many_s = len(self._due) / _ASKED_A_SECOND
            self._due[key] = (time.monotonic() + max(pause_s, many_s), min(pause_s * 1.5, _ASK_LAST_S))
        if now >= self._why_next_s:
            self._find_reasons(tuple(self._absent.items()))
            if not self._absent:
                self._find_disagreements(_WHY_AT_ONCE)
            self._why_next_s = time.monotonic() + _WHY_AGAIN_S

    def _find_reasons(self, absent: Iterable[tuple[wire.ExpectedAdjacency, wire.AdjacencyEvent | None]]) -> None:
        """Look for reasons, of those first that have none yet."""
        self._why = {each: why for each, why in self._why.items() if each in self._absent}
        for wanted, found in sorted(absent, key=lambda pair: pair[0] in self._why)[:_WHY_AT_ONCE]:
            self._why[wanted] = self._hints.why(wanted, found)

    def _find_disagreements(self, most: int) -> None:
        """Look, where all neighbours are up and routes are missing, for some that do not agree all the same."""
        lacking = {each.router for number, (each, _) in enumerate(self._wanted_routes) if self._lacking.get(number)}
        asked = [each for each in self._request.adjacencies if each.router in lacking and each not in self._disagreeing]
        for wanted in asked[:most]:
            self._disagreeing[wanted] = self._hints.disagreement(wanted)

    def _next_s(self, now: float, complete: bool, last_s: float) -> float:
        if complete:
            return max(self._at_rest_s(last_s), now + 0.001)
        due = [at_s for at_s, _ in self._due.values()]
        return max(min([*due, self._why_next_s, self._tell_next_s]), now + 0.02)

    def _pause(self, longest_s: float) -> None:
        with self._news:
            if self._looked == self._changes():
                self._news.wait(max(0.0, longest_s))
        time.sleep(_LOOK_AGAIN_S * max(1.0, len(self._routes.changed_s) / _TELL_ROUTERS))

    def _at_rest_s(self, last_s: float) -> float:
        """When nothing will have changed for long enough. Quiet time before does not count: the caller may just have
        done something that is not noticed yet."""
        return max(last_s, self._start_s) + self._request.stable_s

    def _changes(self) -> tuple[float, float]:
        """When an adjacency and a table last changed."""
        return self._adjacencies.changed_s, max(self._routes.changed_s.values(), default=0.0)

    # --- telling ------------------------------------------------------------------------------------------------------

    def missing(self) -> dict[str, tuple[str, ...]]:
        """Router to sentences on what it misses."""
        said: dict[str, list[str]] = {}
        for wanted, found in self._absent.items():
            said.setdefault(wanted.router, []).append(sentence(wanted, found, self._why.get(wanted, "")))
        for wanted, why in self._disagreeing.items():
            if why and wanted not in self._absent:
                said.setdefault(wanted.router, []).append(
                    f"{NAMES[wanted.protocol]} {wanted.neighbor} on {wanted.interface} is up, but: {why}"
                )
        for number, (each, _) in enumerate(self._wanted_routes):
            if prefixes := self._lacking.get(number):
                table = f" in VRF {each.vrf}" if each.vrf else ""
                said.setdefault(each.router, []).append(f"no route to {_listed(prefixes)}{table}")
        return {
            router: (*lines[:_SENTENCES], *([f"and {len(lines) - _SENTENCES} more"] if len(lines) > _SENTENCES else []))
            for router, lines in sorted(said.items())
        }

    def _tell_missing(self, now: float) -> None:
        if now >= self._tell_next_s:
            self._say(self.missing())
            self._tell_next_s = now + _TELL_S * max(1.0, len(self._routes.changed_s) / _TELL_ROUTERS)

    def _say(self, missing: dict[str, tuple[str, ...]]) -> None:
        if missing != self._told:
            self._told = missing
            self._tell(wire.WaitingFor(missing, round(time.monotonic(), 6)))

    def _failure(self, complete: bool) -> str:
        timeout = f"{self._request.timeout_s:g} s"
        if complete:
            return f"not converged after {timeout}: all is there, but it kept changing"
        for key in sorted({(each.router, each.protocol) for each in self._absent}):
            self._adjacencies.ask(*key)
        with self._news:
            self._look()
        for wanted, found in self._absent.items():
            if not self._why.get(wanted):
                self._why[wanted] = self._hints.why(wanted, found)
        if not self._absent:
            self._find_disagreements(_WHY_AT_LAST)
        lines = [f"{router}: {each}" for router, said in self.missing().items() for each in said]
        return "\n".join([f"not converged after {timeout}:", *lines])

    def _result(self, last_s: float) -> dict[str, object]:
        def seconds(at_s: float) -> float:
            return round(max(0.0, at_s - self._since_s), 6)

        return {
            "converged_s": seconds(last_s),
            "adjacencies": {router: seconds(at_s) for router, at_s in self._up_s.items()},
            "routes": {router: seconds(at_s) for router, at_s in self._routed_s.items()},
        }


def matches(wanted: wire.ExpectedAdjacency, event: wire.AdjacencyEvent) -> bool:
    """Whether a neighbour that a daemon tells of is the expected one (router, protocol and VRF are the same)."""
    if wanted.interface and event.interface and wanted.interface != event.interface:
        return False
    words = event.address.split()
    named = any(name in words for name in wanted.names)
    if wanted.protocol in SESSIONS:
        local = any(word.startswith("fe80:") for word in words)
        return named or (event.neighbor == wanted.neighbor and (not wanted.names or (local and bool(wanted.interface))))
    return named or event.neighbor == wanted.neighbor


def _both(found: Iterable[wire.AdjacencyEvent]) -> bool:
    """Whether all of these are up together: IS-IS has an adjacency at each level."""
    several = list(found)
    return all(event.up for event in several) and (
        len(several) > 1 or any("levels 1 and 2" in event.detail for event in several)
    )


def _listed(prefixes: set[str]) -> str:
    ordered = sorted(prefixes)
    more = len(ordered) - _PREFIXES
    return ", ".join(ordered[:_PREFIXES]) + (f" and {more} more" if more > 0 else "")
