"""When link-state daemons computed shortest paths: from ospfd's log each time, and by asking the others.

A daemon is asked after routes have come or gone, and ospfd is then told to log every later run: a setting of its
terminals, which no configuration shows.
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
from frrlib.agent.routing.adjacencies import Adjacencies

#: The burst of changes is over when there was none for so long; then the routers are asked one after the other.
_QUIET_S, _BETWEEN_S = 0.5, 0.01
#: Which daemon's routes the kernel shows under which name; OSPFv3's have that of OSPF.
_PROTOCOLS = {"ospf": ("ospf", "ospf6"), "ospf6": ("ospf6",), "isis": ("isis",)}
_QUESTIONS = {"ospf": "show ip ospf json", "ospf6": "show ipv6 ospf6 json", "isis": "show isis summary json"}
#: The command that makes a daemon log its runs.
_LOG_THEM = {"ospf": "debug ospf event"}
#: Two accounts of the same run differ by less.
_SAME_S = 0.05


class _Run(NamedTuple):
    ago_s: float
    duration_s: float
    text: str


class SpfWatch:
    """Tells of runs of the shortest path computation.

    Args:
        adjacencies: by which daemons are asked, and which reads their logs.
        tell: hears a `wire.RoutingNote` for each run that was not told before.
    """

    def __init__(self, adjacencies: Adjacencies, tell: Callable[[wire.RoutingNote], None]) -> None:
        self._adjacencies, self._tell = adjacencies, tell
        #: When the first route of a burst changed.
        self._changed: dict[tuple[str, str], float] = {}
        self._last: dict[tuple[str, str], float] = {}
        #: The run of which a log has told, but not yet its reason: when it began and how long it took.
        self._logged: dict[tuple[str, str], tuple[float, float]] = {}
        self._heard_s = 0.0
        self._news = threading.Event()
        self._closed = False
        adjacencies.on_spf = self._log_says
        threading.Thread(target=self._ask_on, name="spf", daemon=True).start()

    def heard(self, events: Sequence[wire.RouteEvent]) -> None:
        """Routes have changed: many at once while a network converges, so that waking for each would cost too much."""
        changed = {
            (event.router, protocol): event.time_s
            for event in reversed(events)
            for protocol in _PROTOCOLS.get(event.protocol, ())
        }
        if not changed:
            return
        for key, at_s in changed.items():
            self._changed.setdefault(key, at_s)
        self._heard_s = time.monotonic()
        self._news.set()

    def close(self) -> None:
        """Tell no more."""
        self._closed = True
        self._news.set()

    def _ask_on(self) -> None:
        while not self._closed:
            self._news.wait()
            self._news.clear()
            while not self._closed and (left_s := self._heard_s + _QUIET_S - time.monotonic()) > 0:
                time.sleep(left_s)
            for router, protocol in tuple(self._changed):
                first_s = self._changed.pop((router, protocol), 0.0)
                if self._closed or not self._adjacencies.speaks(router, protocol):
                    continue
                self._note(router, protocol, first_s)
                time.sleep(_BETWEEN_S)

    def _note(self, router: str, protocol: str, first_s: float) -> None:
        answer = self._adjacencies.question(router, protocol, _QUESTIONS[protocol])
        now = time.monotonic()
        if protocol in _LOG_THEM:  # every time: it may have started anew
            self._adjacencies.question(router, protocol, _LOG_THEM[protocol])
        run = last_run(protocol, answer or "")
        if run is None:
            return
        at_s = now - run.ago_s
        if protocol == "isis" and abs(at_s - first_s) <= 1.0:
            at_s = first_s  # isisd tells whole seconds, and routes follow within milliseconds
        if at_s - self._last.get((router, protocol), -1.0) > _SAME_S:
            self._say(router, protocol, at_s, run.duration_s, run.text)

    def _log_says(
        self, router: str, protocol: str, told: log_events.Computed | log_events.Because, time_s: float
    ) -> None:
        """A daemon has logged a run that is over, or, some lines later, its reason."""
        if isinstance(told, log_events.Computed):
            self._logged[router, protocol] = time_s - told.duration_s, told.duration_s
        elif (run := self._logged.pop((router, protocol), None)) is not None:
            text = "shortest paths" + (f" ({told.reason})" if told.reason else "")
            self._say(router, protocol, *run, text)

    def _say(self, router: str, protocol: str, at_s: float, duration_s: float, text: str) -> None:
        self._last[router, protocol] = at_s
        if not self._closed:
            self._tell(wire.RoutingNote(router, protocol, "spf", text, round(at_s, 6), duration_s))


def last_run(protocol: str, answer: str) -> _Run | None:
    """The last run in a daemon's answer; None where it tells of none."""
    try:
        said = json.loads(answer)
    except ValueError:
        return None
    return {"ospf": _ospf, "ospf6": _ospf6, "isis": _isis}[protocol](said)


def _ospf(said: Any) -> _Run | None:
    if "spfLastExecutedMsecs" not in said:
        return None
    areas = [int(area.get("spfExecutedCounter", 0)) for area in said.get("areas", {}).values()]
    duration_s = float(said.get("spfLastDurationMsecs", 0)) / 1000
    return _Run(float(said["spfLastExecutedMsecs"]) / 1000, duration_s, f"shortest paths, run {sum(areas)}")


def _ospf6(said: Any) -> _Run | None:
    area = next((area for area in said.get("areas", {}).values() if "spfLastExecutedSecs" in area), None)
    if area is None:
        return None
    ago_s = int(area["spfLastExecutedSecs"]) + int(area.get("spfLastExecutedMicroSecs", 0)) / 1e6
    # Named milliseconds, and counted in microseconds.
    duration_s = float(said.get("spfLastDurationSecs", 0)) + float(said.get("spfLastDurationMsecs", 0)) / 1e6
    reason = said.get("spfLastExecutedReason", "")
    return _Run(ago_s, duration_s, "shortest paths" + (f" ({reason})" if reason else ""))


def _isis(said: Any) -> _Run | None:
    # Seconds are all that isisd tells; of several levels the last run counts.
    for vrf in said.get("vrfs", [said]):
        levels = [
            level for area in vrf.get("areas", []) for level in area.get("levels", []) if "last-run-count" in level
        ]
        if levels:
            last = min(levels, key=lambda level: _clock_s(level.get("last-run-elapsed", "")))
            text = f"shortest paths at level {last.get('id', '?')}, run {last['last-run-count']}"
            return _Run(_clock_s(last["last-run-elapsed"]), float(last.get("last-run-duration-usec", 0)) / 1e6, text)
    return None


def _clock_s(text: str) -> float:
    """ "00:01:10" in seconds; a large number for anything else."""
    found = re.fullmatch(r"(\d+):(\d\d):(\d\d)", text)
    return int(found[1]) * 3600 + int(found[2]) * 60 + int(found[3]) if found else 1e9
