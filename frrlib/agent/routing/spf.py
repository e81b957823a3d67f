"""Computations of shortest paths: from ospfd's log, and from queries of the other daemons.

A daemon is queried after routes have changed. ospfd is then configured to log every later run, by a terminal setting
that appears in no configuration.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from frrlib import wire
from frrlib.agent.routing import log_events
from frrlib.agent.routing.adjacencies import AdjacencyMonitor

#: A burst of changes is over after this quiet time; then the routers are queried with this pause in between.
_QUIET_S, _BETWEEN_S = 0.5, 0.01
#: The daemons behind each protocol of kernel routes. Routes of OSPFv3 are marked as those of OSPF.
_PROTOCOLS = {"ospf": ("ospf", "ospf6"), "ospf6": ("ospf6",), "isis": ("isis",)}
_COMMANDS = {"ospf": "show ip ospf json", "ospf6": "show ipv6 ospf6 json", "isis": "show isis summary json"}
#: The command that makes a daemon log its runs.
_LOG_COMMANDS = {"ospf": "debug ospf event"}
#: Two reports of the same run differ by less.
_SAME_S = 0.05


class _Run(NamedTuple):
    """The last run of a daemon, in its own output."""

    ago_s: float
    duration_s: float
    text: str


class SpfWatch:
    """Reports runs of the shortest path computation.

    Args:
        adjacencies: through which daemons are queried, and which reads their logs.
        report: called with a `wire.RoutingNote` for each new run.
    """

    def __init__(self, adjacencies: AdjacencyMonitor, report: Callable[[wire.RoutingNote], None]) -> None:
        self._adjacencies, self._report = adjacencies, report
        #: When the first route of a burst changed.
        self._changed: dict[tuple[str, str], float] = {}
        self._last: dict[tuple[str, str], float] = {}
        #: A logged run whose reason is not yet logged: its start and its duration.
        self._logged: dict[tuple[str, str], tuple[float, float]] = {}
        self._last_change_s = 0.0
        self._news = threading.Event()
        self._closed = False
        adjacencies.on_spf = self._handle_log
        threading.Thread(target=self._query_loop, name="spf", daemon=True).start()

    def handle_route_events(self, events: Sequence[wire.RouteEvent]) -> None:
        """Handle changed routes. They come in batches, since one wake-up per route would cost too much during
        convergence."""
        changed = {
            (event.router, protocol): event.time_s
            for event in reversed(events)
            for protocol in _PROTOCOLS.get(event.protocol, ())
        }
        if not changed:
            return
        for key, at_s in changed.items():
            self._changed.setdefault(key, at_s)
        self._last_change_s = time.monotonic()
        self._news.set()

    def close(self) -> None:
        """Report nothing more."""
        self._closed = True
        self._news.set()

    def _query_loop(self) -> None:
        while not self._closed:
            self._news.wait()
            self._news.clear()
            while not self._closed and (left_s := self._last_change_s + _QUIET_S - time.monotonic()) > 0:
                time.sleep(left_s)
            for router, protocol in tuple(self._changed):
                first_s = self._changed.pop((router, protocol), 0.0)
                if self._closed or not self._adjacencies.runs_protocol(router, protocol):
                    continue
                self._query_run(router, protocol, first_s)
                time.sleep(_BETWEEN_S)

    def _query_run(self, router: str, protocol: str, first_s: float) -> None:
        answer = self._adjacencies.query(router, protocol, _COMMANDS[protocol])
        now = time.monotonic()
        if protocol in _LOG_COMMANDS:  # every time, since the daemon may have restarted
            self._adjacencies.query(router, protocol, _LOG_COMMANDS[protocol])
        run = last_run(protocol, answer or "")
        if run is None:
            return
        at_s = now - run.ago_s
        if protocol == "isis" and abs(at_s - first_s) <= 1.0:
            at_s = first_s  # isisd reports whole seconds, and routes follow within milliseconds
        if at_s - self._last.get((router, protocol), -1.0) > _SAME_S:
            self._report_run(router, protocol, at_s, run.duration_s, run.text)

    def _handle_log(
        self, router: str, protocol: str, event: log_events.SpfRun | log_events.SpfReason, time_s: float
    ) -> None:
        """Handle the log line of a completed run, or that of its reason, which follows some lines later."""
        if isinstance(event, log_events.SpfRun):
            self._logged[router, protocol] = time_s - event.duration_s, event.duration_s
        elif (run := self._logged.pop((router, protocol), None)) is not None:
            text = "shortest paths" + (f" ({event.reason})" if event.reason else "")
            self._report_run(router, protocol, *run, text)

    def _report_run(self, router: str, protocol: str, at_s: float, duration_s: float, text: str) -> None:
        self._last[router, protocol] = at_s
        if not self._closed:
            self._report(wire.RoutingNote(router, protocol, "spf", text, round(at_s, 6), duration_s))


def last_run(protocol: str, output: str) -> _Run | None:
    """The last run in a daemon's output; None if it shows none."""
    try:
        summary = json.loads(output)
    except ValueError:
        return None
    return {"ospf": _ospf, "ospf6": _ospf6, "isis": _isis}[protocol](summary)


def _ospf(summary: Any) -> _Run | None:
    if "spfLastExecutedMsecs" not in summary:
        return None
    areas = [int(area.get("spfExecutedCounter", 0)) for area in summary.get("areas", {}).values()]
    duration_s = float(summary.get("spfLastDurationMsecs", 0)) / 1000
    return _Run(float(summary["spfLastExecutedMsecs"]) / 1000, duration_s, f"shortest paths, run {sum(areas)}")


def _ospf6(summary: Any) -> _Run | None:
    area = next((area for area in summary.get("areas", {}).values() if "spfLastExecutedSecs" in area), None)
    if area is None:
        return None
    ago_s = int(area["spfLastExecutedSecs"]) + int(area.get("spfLastExecutedMicroSecs", 0)) / 1e6
    # The field is named milliseconds, but its unit is microseconds.
    duration_s = float(summary.get("spfLastDurationSecs", 0)) + float(summary.get("spfLastDurationMsecs", 0)) / 1e6
    reason = summary.get("spfLastExecutedReason", "")
    return _Run(ago_s, duration_s, "shortest paths" + (f" ({reason})" if reason else ""))


def _isis(summary: Any) -> _Run | None:
    # isisd reports whole seconds. The last run of all levels is used.
    for vrf in summary.get("vrfs", [summary]):
        levels = [
            level for area in vrf.get("areas", []) for level in area.get("levels", []) if "last-run-count" in level
        ]
        if levels:
            last = min(levels, key=lambda level: _clock_s(level.get("last-run-elapsed", "")))
            text = f"shortest paths at level {last.get('id', '?')}, run {last['last-run-count']}"
            return _Run(_clock_s(last["last-run-elapsed"]), float(last.get("last-run-duration-usec", 0)) / 1e6, text)
    return None


def _clock_s(text: str) -> float:
    """ "00:01:10" in seconds; a large number for any other text."""
    match = re.fullmatch(r"(\d+):(\d\d):(\d\d)", text)
    return int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3]) if match else 1e9
