"""Waits until a network has converged: all adjacencies are up, all routes exist, and nothing changes any more.

It follows events, and queries daemons only about missing items: while many daemons converge, every query costs them
time that they need.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable

from frrlib import wire
from frrlib.agent.network import rtnetlink
from frrlib.agent.routing.adjacencies import AdjacencyMonitor
from frrlib.agent.routing.configured import ConfiguredState
from frrlib.agent.routing.hints import PROTOCOL_LABELS, Hints, describe_missing
from frrlib.agent.routing.neighbors import SESSIONS
from frrlib.agent.routing.routes import RouteMonitor, gather_s, list_prefixes
from frrlib.errors import LabFailed

#: When queries begin: of daemons that log their neighbors, and of those that do not.
_ASK_AFTER_S, _ASK_SILENT_AFTER_S = 1.0, 0.2
_SILENT = ("bfd", "ldp")
#: Time between queries about one missing item, at first and at the longest, and the number of all queries per second.
_ASK_FIRST_S, _ASK_LAST_S, _QUERIES_PER_S = 0.2, 1.0, 40
#: When and how often reasons are searched, and how many at once.
_REASONS_AFTER_S, _REASONS_EVERY_S, _REASONS_AT_ONCE = 1.0, 2.0, 6
#: The number of established neighbors that are examined when the time is over.
_REASONS_AT_LAST = 64
#: How often missing items are reported; less often with more routers.
_REPORT_S, _REPORT_ROUTERS = 0.25, 16
#: The number of prefixes and sentences of a router that are reported in full.
_PREFIXES, _SENTENCES = 3, 6
#: Lines of an error about missing items, and missing items whose reasons are searched for it.
_LINES = 100

_DaemonKey = tuple[str, str]


class ConvergenceWait:
    """One wait.

    Args:
        request: the expected state.
        adjacencies, routes: the known state.
        news: the condition by which both announce a change.
        report_missing: called with missing items.
        since_s: the time from which the result counts seconds, on the monotonic clock; None for now.
    """

    def __init__(
        self,
        request: wire.WaitConverged,
        adjacencies: AdjacencyMonitor,
        routes: RouteMonitor,
        news: threading.Condition,
        report_missing: Callable[[wire.WaitingFor], None],
        since_s: float | None = None,
    ) -> None:
        self._request, self._adjacencies, self._routes, self._news = request, adjacencies, routes, news
        self._report_missing = report_missing
        normalized = rtnetlink.networks(prefix for expected in request.routes for prefix in expected.prefixes)
        self._expected_routes = [
            (expected, {normalized[prefix] for prefix in expected.prefixes}) for expected in request.routes
        ]
        self._configured = ConfiguredState(request, adjacencies)
        #: The expected adjacencies: those of the request, and those that FRR reports as configured.
        self._expected = request.adjacencies
        #: Router to prefixes of `network` lines without a route.
        self._unannounced: dict[str, tuple[str, ...]] = {}
        self._hints = Hints(adjacencies, self._opposite, self._has_route)
        self._start_s = time.monotonic()
        self._since_s = self._start_s if since_s is None else since_s
        self._absent: dict[wire.ExpectedAdjacency, wire.AdjacencyEvent | None] = {}
        self._missing_prefixes: dict[int, set[str]] = {}
        self._checked_s: dict[str, float] = {}
        self._checked_changes = (0.0, 0.0)
        self._checked_count = -1
        self._up_s: dict[str, float] = {}
        self._routed_s: dict[str, float] = {}
        #: When a daemon is queried next, and the pause after that.
        self._due: dict[_DaemonKey, tuple[float, float]] = {}
        self._reasons: dict[wire.ExpectedAdjacency, str] = {}
        #: Disagreements of neighbors that are up and bring no routes; empty if there is none.
        self._disagreements: dict[wire.ExpectedAdjacency, str] = {}
        self._reported: dict[str, tuple[str, ...]] = {}
        self._next_report_s = self._start_s + _REPORT_S
        self._next_reasons_s = self._start_s + _REASONS_AFTER_S

    def _opposite(self, expected: wire.ExpectedAdjacency) -> wire.ExpectedAdjacency | None:
        """The adjacency as its other end expects it; None if that end expects none."""
        opposite = next((other for other in self._expected if expected.is_opposite(other)), None)
        if opposite is None and expected.protocol == "bgp":
            opposite = self._configured.session_from(expected.neighbor, expected.router)
        return opposite

    def wait(self) -> dict[str, object]:
        """Wait and return the result of `wire.WaitConverged`. Raises LabFailed when the time is over."""
        self._refuse_unknown()
        self._read_configured()
        deadline_s = self._start_s + self._request.timeout_s
        while True:
            with self._news:
                self._update_missing()
                self._checked_changes = self._changes()
            last_s = max(self._checked_changes)
            now = time.monotonic()
            complete = not self._absent and not any(self._missing_prefixes.values())
            if complete and now >= self._at_rest_s(last_s):
                self._read_configured()
                self._unannounced = self._configured.unannounced()
                complete = not self._absent and not self._unannounced
                if complete:
                    self._report({})
                    return self._result(last_s)
                now = time.monotonic()
            if now >= deadline_s:
                failure = self._failure(complete)
                self._report(self.missing())
                raise LabFailed(failure)
            if not complete:
                self._ask(now)
            self._report_periodically(now)
            self._pause(min(self._next_s(now, complete, last_s), deadline_s) - time.monotonic())

    # --- checks -------------------------------------------------------------------------------------------------------

    def _read_configured(self) -> None:
        """Add what FRR reports as configured to the expected adjacencies."""
        if not self._request.configured and not self._request.possible:
            return
        requested = self._request.adjacencies
        reported = [
            adjacency
            for adjacency in self._configured.adjacencies()
            if not any(_is_same(adjacency, expected) for expected in requested)
        ]
        self._expected = (*requested, *reported)
        self._checked_count = -1
        with self._news:
            self._update_missing()

    def _refuse_unknown(self) -> None:
        named = {expected.router for expected in self._expected} | {
            expected.router for expected in self._request.routes
        }
        unknown = sorted(name for name in named if not self._routes.watches(name))
        if unknown:
            raise LabFailed(
                f"{', '.join(unknown)}: does not run FRR in this lab, so its routes and adjacencies cannot be awaited"
            )

    def _update_missing(self) -> None:
        """Find the routes that are missing now. Tables that have not changed since the last check are skipped."""
        if self._adjacencies.changes != self._checked_count:
            self._checked_count = self._adjacencies.changes
            self._update_absent()
        for number, (expected, prefixes) in enumerate(self._expected_routes):
            changed_s = self._routes.changed_s[expected.router]
            if number in self._missing_prefixes and self._checked_s.get(expected.router, -1.0) >= changed_s:
                continue
            previous = self._missing_prefixes.get(number)
            self._missing_prefixes[number] = prefixes - self._routes.prefixes(expected.router, expected.table)
            if not self._missing_prefixes[number] and (previous is None or previous):
                self._routed_s[expected.router] = max(self._routed_s.get(expected.router, self._since_s), changed_s)
        self._checked_s = dict(self._routes.changed_s)

    def _update_absent(self) -> None:
        events: dict[tuple[str, str, str], list[wire.AdjacencyEvent]] = {}
        for event in self._adjacencies.neighbors():
            events.setdefault((event.router, event.protocol, event.vrf), []).append(event)
        self._absent = {}
        up_s: dict[str, float] = {adjacency.router: self._since_s for adjacency in self._expected}
        for expected in self._expected:
            candidates = events.get((expected.router, expected.protocol, expected.vrf), ())
            matching = [event for event in candidates if matches(expected, event)]
            best = max(matching, key=lambda event: event.up, default=None)
            if best is None or not best.up or (expected.both and not _all_levels_up(matching)):
                self._absent[expected] = best
            else:
                up_s[expected.router] = max(up_s[expected.router], best.time_s)
        missing_routers = {adjacency.router for adjacency in self._absent}
        self._up_s = {router: at_s for router, at_s in up_s.items() if router not in missing_routers}

    def _has_route(self, router: str, address: str) -> bool:
        import ipaddress  # loading takes long in a lab kernel, and is needed only after a failure

        destination = ipaddress.ip_address(address)
        return any(destination in ipaddress.ip_network(prefix) for prefix in self._routes.prefixes(router))

    # --- queries ------------------------------------------------------------------------------------------------------

    def _ask(self, now: float) -> None:
        missing = {(adjacency.router, adjacency.protocol) for adjacency in self._absent}
        self._due = {key: due for key, due in self._due.items() if key in missing}
        for key in sorted(missing):
            after_s = _ASK_SILENT_AFTER_S if key[1] in _SILENT else _ASK_AFTER_S
            self._due.setdefault(key, (max(now, self._start_s + after_s), _ASK_FIRST_S))
        ready = sorted((at_s, key) for key, (at_s, _) in self._due.items() if at_s <= now)
        for _, key in ready[: max(1, _QUERIES_PER_S // 10)]:
            self._adjacencies.ask(*key)
            pause_s = self._due[key][1]
            many_s = len(self._due) / _QUERIES_PER_S
            self._due[key] = (time.monotonic() + max(pause_s, many_s), min(pause_s * 1.5, _ASK_LAST_S))
        if now >= self._next_reasons_s:
            self._find_reasons(tuple(self._absent.items()))
            if not self._absent:
                self._find_disagreements(_REASONS_AT_ONCE)
            self._next_reasons_s = time.monotonic() + _REASONS_EVERY_S

    def _find_reasons(self, absent: Iterable[tuple[wire.ExpectedAdjacency, wire.AdjacencyEvent | None]]) -> None:
        """Find reasons, first for adjacencies that have none yet."""
        self._reasons = {adjacency: reason for adjacency, reason in self._reasons.items() if adjacency in self._absent}
        for expected, event in sorted(absent, key=lambda pair: pair[0] in self._reasons)[:_REASONS_AT_ONCE]:
            self._reasons[expected] = self._hints.adjacency_reason(expected, event)

    def _find_disagreements(self, most: int) -> None:
        """Find settings that differ between neighbors, when all neighbors are up and routes are missing."""
        missing_routers = {
            expected.router
            for number, (expected, _) in enumerate(self._expected_routes)
            if self._missing_prefixes.get(number)
        }
        candidates = [
            expected
            for expected in self._expected
            if expected.router in missing_routers and expected not in self._disagreements
        ]
        for adjacency in candidates[:most]:
            self._disagreements[adjacency] = self._hints.disagreement(adjacency)

    def _next_s(self, now: float, complete: bool, last_s: float) -> float:
        if complete:
            return max(self._at_rest_s(last_s), now + 0.001)
        due = [at_s for at_s, _ in self._due.values()]
        return max(min([*due, self._next_reasons_s, self._next_report_s]), now + 0.02)

    def _pause(self, longest_s: float) -> None:
        with self._news:
            if self._checked_changes == self._changes():
                self._news.wait(max(0.0, longest_s))
        time.sleep(gather_s(len(self._routes.changed_s)))

    def _at_rest_s(self, last_s: float) -> float:
        """The time at which the state will have been stable for long enough. Quiet time before the call does not
        count: the caller may just have made a change that is not noticed yet."""
        return max(last_s, self._start_s) + self._request.stable_s

    def _changes(self) -> tuple[float, float]:
        """When an adjacency and a table last changed."""
        return self._adjacencies.changed_s, max(self._routes.changed_s.values(), default=0.0)

    # --- reports ------------------------------------------------------------------------------------------------------

    def missing(self) -> dict[str, tuple[str, ...]]:
        """Descriptions of missing items, by router."""
        sentences: dict[str, list[str]] = {}
        for expected, event in self._absent.items():
            sentences.setdefault(expected.router, []).append(
                describe_missing(expected, event, self._reasons.get(expected, ""))
            )
        for expected, reason in self._disagreements.items():
            if reason and expected not in self._absent:
                name = f"{PROTOCOL_LABELS[expected.protocol]} {expected.neighbor}"
                name += f" on {expected.interface}" if expected.interface else ""
                sentences.setdefault(expected.router, []).append(f"{name} is up, but: {reason}")
        for router, unannounced in self._unannounced.items():
            sentences.setdefault(router, []).append(
                f"BGP does not announce network {', '.join(unannounced)}: the router has no route to it"
            )
        for number, (route, _) in enumerate(self._expected_routes):
            if prefixes := self._missing_prefixes.get(number):
                table = f" in VRF {route.vrf}" if route.vrf else ""
                sentences.setdefault(route.router, []).append(
                    f"no route to {list_prefixes(prefixes, _PREFIXES)}{table}"
                )
        return {
            router: (*lines[:_SENTENCES], *([f"and {len(lines) - _SENTENCES} more"] if len(lines) > _SENTENCES else []))
            for router, lines in sorted(sentences.items())
        }

    def _report_periodically(self, now: float) -> None:
        if now >= self._next_report_s:
            self._report(self.missing())
            self._next_report_s = now + _REPORT_S * max(1.0, len(self._routes.changed_s) / _REPORT_ROUTERS)

    def _report(self, missing: dict[str, tuple[str, ...]]) -> None:
        if missing != self._reported:
            self._reported = missing
            self._report_missing(wire.WaitingFor(missing, round(time.monotonic(), 6)))

    def _failure(self, complete: bool) -> str:
        timeout = f"{self._request.timeout_s:g} s"
        if not complete:
            self._unannounced = self._configured.unannounced()
        if complete:
            return f"not converged after {timeout}: all expected routes and adjacencies exist, but they kept changing"
        for key in sorted({(item.router, item.protocol) for item in self._absent}):
            self._adjacencies.ask(*key)
        with self._news:
            self._update_missing()
        for expected, event in list(self._absent.items())[:_LINES]:
            if not self._reasons.get(expected):
                self._reasons[expected] = self._hints.adjacency_reason(expected, event)
        if not self._absent:
            self._find_disagreements(_REASONS_AT_LAST)
        lines = [f"{router}: {item}" for router, sentences in self.missing().items() for item in sentences]
        more = len(lines) - _LINES
        return "\n".join(
            [f"not converged after {timeout}:", *lines[:_LINES], *([f"and {more} more lines"] if more > 0 else [])]
        )

    def _result(self, last_s: float) -> dict[str, object]:
        def seconds(at_s: float) -> float:
            return round(max(0.0, at_s - self._since_s), 6)

        return {
            "converged_s": seconds(last_s),
            "adjacencies": {router: seconds(at_s) for router, at_s in self._up_s.items()},
            "routes": {router: seconds(at_s) for router, at_s in self._routed_s.items()},
        }


def matches(expected: wire.ExpectedAdjacency, event: wire.AdjacencyEvent) -> bool:
    """Whether a neighbor of a daemon is the expected one. Router, protocol and VRF are compared by the caller."""
    if expected.interface and event.interface and expected.interface != event.interface:
        return False
    words = event.address.split()
    named = any(name in words for name in expected.names)
    if expected.protocol in SESSIONS:
        local = any(word.startswith("fe80:") for word in words)
        return named or (
            event.neighbor == expected.neighbor and (not expected.names or (local and bool(expected.interface)))
        )
    return named or event.neighbor == expected.neighbor


def _is_same(reported: wire.ExpectedAdjacency, expected: wire.ExpectedAdjacency) -> bool:
    """Whether an adjacency that FRR reports as configured is one of the request."""
    if (reported.router, reported.protocol, reported.vrf) != (expected.router, expected.protocol, expected.vrf):
        return False
    if reported.protocol != "bgp":
        return (reported.neighbor, reported.interface) == (expected.neighbor, expected.interface)
    if reported.names and expected.names:
        return bool(set(reported.names) & set(expected.names))
    return bool(reported.interface) and reported.interface == expected.interface


def _all_levels_up(events: Iterable[wire.AdjacencyEvent]) -> bool:
    """Whether all of these are up together: IS-IS has an adjacency at each level."""
    adjacencies = list(events)
    return all(event.up for event in adjacencies) and (
        len(adjacencies) > 1 or any("levels 1 and 2" in event.detail for event in adjacencies)
    )
