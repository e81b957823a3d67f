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
#: How long a router may take to tell its configuration for a report; one that is frozen takes it all.
TELL_TIMEOUT_S = 5.0
_LIBRARY = Path(__file__).parents[1]
#: So many lines of each log are read.
_READ_LINES = 2000
#: Date and time, with which every line of a log begins.
_STAMP = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(\.\d+)? ")
#: What a running configuration says beside the configuration.
_NOISE = re.compile(r"^(Building configuration\.\.\.|Current configuration:|!|end)?$")

Section = tuple[str, str]


class LabHistory:
    """The events of a lab, in words for people; `hear` listens to it."""

    def __init__(self) -> None:
        self._told: deque[tuple[float, str]] = deque(maxlen=1000)

    def record(self, message: wire.Message) -> None:
        """Take an event of the lab."""
        if text := _told(message):
            self._told.append((time.monotonic(), text))

    def since(self, begin_s: float) -> list[str]:
        """The events after a moment of the monotonic clock, with the seconds from there; the last part of them."""
        rows = [f"{at_s - begin_s:7.2f} s  {text}" for at_s, text in tuple(self._told) if at_s >= begin_s]
        more = len(rows) - SHOWN_EVENTS
        return [f"({more} more before)", *rows[more:]] if more > 0 else rows


def sections(lab: Lab, story: LabHistory, folder: Path, begin_s: float | None) -> list[Section]:
    """Title and text of each part of a report. The whole of it is written into files as well.

    Args:
        lab: it runs.
        story: what has happened in it.
        folder: where to write whole configurations and logs; made if missing.
        begin_s: when the test began, on the monotonic clock; None for all that there is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    routers = [router.name for router in lab.topology.routers if router.runs_frr]
    ago_s = None if begin_s is None else time.monotonic() - begin_s
    happened = [] if begin_s is None else story.since(begin_s)
    found = [("lab: what happened since the test began", "\n".join(happened))] if happened else []
    for number, name in enumerate(routers):
        told = _of_router(lab, name, folder, ago_s)
        found += told if number < SHOWN_ROUTERS else []
    if len(routers) > SHOWN_ROUTERS:
        found.append(("lab", f"{len(routers) - SHOWN_ROUTERS} routers more are not shown"))
    return [*found, ("lab: whole configurations and logs", str(folder))] if routers else found


def _of_router(lab: Lab, name: str, folder: Path, ago_s: float | None) -> list[Section]:
    """A router's running configuration, and its daemons' log lines of the last `ago_s` seconds."""
    configured = _asked(lab, wire.Vtysh(name, ("show running-config",), TELL_TIMEOUT_S), "text")
    (folder / f"{name}.conf").write_text(configured)
    # The lab's own clock says what was so long ago.
    since = "" if ago_s is None else _asked(lab, wire.Execute(name, _moment(ago_s), TELL_TIMEOUT_S), "stdout")
    tail = f"cd /var/log/frr && tail -n {_READ_LINES} -v *.log"
    logged = _asked(lab, wire.Execute(name, ("sh", "-c", tail), TELL_TIMEOUT_S), "stdout")
    (folder / f"{name}.log").write_text(logged)
    lines = [line for line in configured.splitlines() if not _NOISE.match(line)]
    return [
        (f"lab: {name}, running configuration", "\n".join(lines) or "nothing"),
        (f"lab: {name}, logs", "\n".join(recent(logged, since)) or "nothing since the test began"),
    ]


def _moment(ago_s: float) -> tuple[str, ...]:
    """The command that writes a moment so long ago as FRR's logs have it."""
    return "date", "-d", f"-{ago_s:.0f} seconds", "+%Y/%m/%d %H:%M:%S"


def _asked(lab: Lab, command: wire.TypedCommand[Any], key: str) -> str:
    try:
        return str(lab.ask(command, 2 * TELL_TIMEOUT_S)[key]).strip()
    except LabError as error:
        return f"not known: {error}"


def recent(logged: str, since: str) -> list[str]:
    """The last lines of every log in what `tail -v` printed, what is repeated told once.

    Args:
        logged: logs, each under a line "==> ospfd.log <==".
        since: date and time as FRR writes them ("2024/05/17 10:00:00"); lines before are left out. Empty for all.
    """
    shown: list[str] = []
    for title, lines in _logs(logged):
        kept = folded(line for line in lines if not _STAMP.match(line) or line >= since)
        if kept:
            more = len(kept) - SHOWN_LOG_LINES
            shown += [f"{title}:", *([f"  ({more} lines before)"] if more > 0 else [])]
            shown += [f"  {line}" for line in kept[-SHOWN_LOG_LINES:]]
    return shown


def folded(lines: Iterable[str]) -> list[str]:
    """Lines of a log; of those that follow each other and differ by their time alone only the first and the count."""
    kept: list[str] = []
    last, repeated = None, 0
    for line in lines:
        words = _STAMP.sub("", line, count=1)
        if words == last:
            repeated += 1
            continue
        kept += _and_again(repeated)
        kept.append(line)
        last, repeated = words, 0
    return [*kept, *_and_again(repeated)]


def _and_again(times: int) -> list[str]:
    return [f"  and {times} times again"] if times else []


def _logs(logged: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in logged.splitlines():
        if header := re.fullmatch(r"==> (?:.*/)?(\S+)\.log <==", line):
            found.append((header[1], []))
        elif line.strip():
            if not found:
                found.append(("lab", []))
            found[-1][1].append(line)
    return found


def _told(message: wire.Message) -> str:
    match message:
        case wire.FaultEvent(fault=fault, target=target, text=text):
            return f"{target}: {fault}" + (f" ({text})" if text else "")
        case wire.DaemonExit(router=router, daemon=daemon, status=status):
            return f"{router}: {daemon} ended with " + (f"signal {-status}" if status < 0 else f"status {status}")
        case wire.AdjacencyEvent(router=router, protocol=protocol, neighbor=neighbor, state=state, interface=interface):
            return f"{router}: {protocol} neighbour {neighbor}{f' on {interface}' if interface else ''}: {state}"
        case wire.RoutingNote(router=router, protocol=protocol, what=what, text=text) if what != "spf":
            return f"{router}: {protocol}: {text}"
    return ""


# --- tracebacks -------------------------------------------------------------------------------------------------------


def shorten(error: BaseException, root: Path) -> None:
    """Let the traceback of an error end in the test, where it was called for, and not deep in this library.

    Args:
        error: whose traceback is changed.
        root: the folder of the tests and of what they use; a virtual environment in it does not count.
    """
    entries: list[TracebackType] = []
    entry = error.__traceback__
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    theirs = [each for each in entries if _is_a_tests(Path(each.tb_frame.f_code.co_filename), root)]
    if theirs:
        theirs[-1].tb_next = None


def _is_a_tests(file: Path, root: Path) -> bool:
    return file.is_relative_to(root) and not file.is_relative_to(_LIBRARY) and "site-packages" not in file.parts


def combine_listeners(listeners: Sequence[Callable[[wire.Message], Any]]) -> Callable[[wire.Message], None]:
    """One listener for several."""

    def hear(message: wire.Message) -> None:
        for each in listeners:
            each(message)

    return hear
