"""A failed test's report on its lab: what happened meanwhile, configurations, logs, and where all of it
is kept.

Only what belongs to the test: of logs what was written since it began, repeated lines once. The rest is in files.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from frrlib import wire
from frrlib.errors import LabError
from frrlib.lab.lab import Lab

#: How many routers a report shows, and how many lines of each log.
SHOWN_ROUTERS, SHOWN_LOG_LINES = 16, 25
#: How many events a report shows.
SHOWN_EVENTS = 40
#: Time limit in seconds for reading a router's configuration for a report; a frozen router uses all of it.
TELL_TIMEOUT_S = 5.0
_LIBRARY = Path(__file__).parents[1]
#: So many lines of each log are read.
_READ_LINES = 2000
#: Date and time, with which every line of a log begins.
_STAMP = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(\.\d+)? ")
#: Lines of `show running-config` that are not configuration.
_NOISE = re.compile(r"^(Building configuration\.\.\.|Current configuration:|!|end)?$")

Section = tuple[str, str]


class LabHistory:
    """The events of a lab, in words for people."""

    def __init__(self) -> None:
        self._events: deque[tuple[float, str]] = deque(maxlen=1000)

    def record(self, message: wire.Message) -> None:
        """Record an event of the lab; to be used as its listener."""
        if text := _event_text(message):
            self._events.append((time.monotonic(), text))

    def since(self, begin_s: float) -> list[str]:
        """The last events after a time of the monotonic clock, with the seconds since that time."""
        rows = [f"{at_s - begin_s:7.2f} s  {text}" for at_s, text in tuple(self._events) if at_s >= begin_s]
        omitted = len(rows) - SHOWN_EVENTS
        return [f"({omitted} more before)", *rows[omitted:]] if omitted > 0 else rows


def sections(lab: Lab, history: LabHistory, folder: Path, begin_s: float | None) -> list[Section]:
    """Title and text of each part of a report. Complete configurations and logs are also written to files.

    Args:
        lab: a running lab.
        history: what has happened in it.
        folder: for complete configurations and logs; made if missing.
        begin_s: start time of the test, on the monotonic clock; None for all events and logs.
    """
    folder.mkdir(parents=True, exist_ok=True)
    routers = [router.name for router in lab.topology.routers if router.runs_frr]
    ago_s = None if begin_s is None else time.monotonic() - begin_s
    events = [] if begin_s is None else history.since(begin_s)
    parts = [("lab: what happened since the test began", "\n".join(events))] if events else []
    for number, name in enumerate(routers):
        router_sections = _of_router(lab, name, folder, ago_s)
        parts += router_sections if number < SHOWN_ROUTERS else []
    if len(routers) > SHOWN_ROUTERS:
        parts.append(("lab", f"{len(routers) - SHOWN_ROUTERS} routers more are not shown"))
    return [*parts, ("lab: whole configurations and logs", str(folder))] if routers else parts


def _of_router(lab: Lab, name: str, folder: Path, ago_s: float | None) -> list[Section]:
    """A router's running configuration, and its daemons' log lines of the last `ago_s` seconds."""
    configured = _ask(lab, wire.Vtysh(name, ("show running-config",), TELL_TIMEOUT_S), "text")
    (folder / f"{name}.conf").write_text(configured)
    # The time is computed by the lab's own clock.
    since = "" if ago_s is None else _ask(lab, wire.Execute(name, _date_command(ago_s), TELL_TIMEOUT_S), "stdout")
    tail = f"cd /var/log/frr && tail -n {_READ_LINES} -v *.log"
    logged = _ask(lab, wire.Execute(name, ("sh", "-c", tail), TELL_TIMEOUT_S), "stdout")
    (folder / f"{name}.log").write_text(logged)
    lines = [line for line in configured.splitlines() if not _NOISE.match(line)]
    return [
        (f"lab: {name}, running configuration", "\n".join(lines) or "nothing"),
        (f"lab: {name}, logs", "\n".join(recent(logged, since)) or "nothing since the test began"),
    ]


def _date_command(ago_s: float) -> tuple[str, ...]:
    """The command that prints the time `ago_s` seconds ago in the format of FRR's logs."""
    return "date", "-d", f"-{ago_s:.0f} seconds", "+%Y/%m/%d %H:%M:%S"


def _ask(lab: Lab, command: wire.TypedCommand[Any], key: str) -> str:
    try:
        return str(lab.ask(command, 2 * TELL_TIMEOUT_S)[key]).strip()
    except LabError as error:
        return f"not known: {error}"


def recent(logged: str, since: str) -> list[str]:
    """The last lines of every log in the output of `tail -v`, without repetitions.

    Args:
        logged: logs, each under a line "==> ospfd.log <==".
        since: date and time as FRR writes them ("2024/05/17 10:00:00"); lines before are left out. Empty for all.
    """
    result: list[str] = []
    for title, lines in _logs(logged):
        recent_lines = folded(line for line in lines if not _STAMP.match(line) or line >= since)
        if recent_lines:
            omitted = len(recent_lines) - SHOWN_LOG_LINES
            result += [f"{title}:", *([f"  ({omitted} lines before)"] if omitted > 0 else [])]
            result += [f"  {line}" for line in recent_lines[-SHOWN_LOG_LINES:]]
    return result


def folded(lines: Iterable[str]) -> list[str]:
    """Lines of a log. Consecutive lines that differ only by their time become the first one and a count."""
    result: list[str] = []
    last, repeated = None, 0
    for line in lines:
        words = _STAMP.sub("", line, count=1)
        if words == last:
            repeated += 1
            continue
        result += _and_again(repeated)
        result.append(line)
        last, repeated = words, 0
    return [*result, *_and_again(repeated)]


def _and_again(times: int) -> list[str]:
    return [f"  and {times} times again"] if times else []


def _logs(logged: str) -> list[tuple[str, list[str]]]:
    logs: list[tuple[str, list[str]]] = []
    for line in logged.splitlines():
        if header := re.fullmatch(r"==> (?:.*/)?(\S+)\.log <==", line):
            logs.append((header[1], []))
        elif line.strip():
            if not logs:
                logs.append(("lab", []))
            logs[-1][1].append(line)
    return logs


def _event_text(message: wire.Message) -> str:
    match message:
        case wire.FaultEvent(fault=fault, target=target, text=text):
            return f"{target}: {fault}" + (f" ({text})" if text else "")
        case wire.DaemonExit(router=router, daemon=daemon, status=status):
            return f"{router}: {daemon} ended with " + (f"signal {-status}" if status < 0 else f"status {status}")
        case wire.AdjacencyEvent(router=router, protocol=protocol, neighbor=neighbor, state=state, interface=interface):
            return f"{router}: {protocol} neighbor {neighbor}{f' on {interface}' if interface else ''}: {state}"
        case wire.RoutingNote(router=router, protocol=protocol, what=what, text=text) if what != "spf":
            return f"{router}: {protocol}: {text}"
    return ""


# --- tracebacks -------------------------------------------------------------------------------------------------------


def shorten(error: BaseException, root: Path) -> None:
    """Shorten the traceback of an error, so that it ends in the test and not deep in this library.

    Args:
        error: the error to change.
        root: the folder of the tests and their helpers; a virtual environment in it does not count.
    """
    entries: list[TracebackType] = []
    entry = error.__traceback__
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    test_entries = [
        traceback_entry
        for traceback_entry in entries
        if _is_a_tests(Path(traceback_entry.tb_frame.f_code.co_filename), root)
    ]
    if test_entries:
        test_entries[-1].tb_next = None


def _is_a_tests(file: Path, root: Path) -> bool:
    return file.is_relative_to(root) and not file.is_relative_to(_LIBRARY) and "site-packages" not in file.parts


def combine_listeners(listeners: Sequence[Callable[[wire.Message], Any]]) -> Callable[[wire.Message], None]:
    """A listener that calls several listeners."""

    def call_all(message: wire.Message) -> None:
        for listener in listeners:
            listener(message)

    return call_all
