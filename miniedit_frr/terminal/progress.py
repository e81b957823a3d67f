"""The progress of a run: a live display on a terminal, plain lines elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence

from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from frrlib import wire
from frrlib.run.messages import virtual_words
from frrlib.safe_text.plain import plain
from miniedit_frr.terminal.live_display import LiveDisplay

#: The steps of a run in their order, with their descriptions.
STEPS = {
    "place": "choose a place",
    "boot": "start the place",
    "build": "build nodes, links and daemons",
    "converge": "wait until the network has converged",
    "routes": "wait for all routes",
    "rest": "ping the idle path",
    "flows": "send the flows",
    "figure": "draw the figure",
    "stop": "end the lab",
}
#: The maximum number of lines about missing adjacencies and routes while a network converges.
_MOST_MISSING_LINES = 8
#: The time between two printings of these lines if the output is not a terminal.
_MISSING_INTERVAL_S = 5.0
#: The minimum time between printed changes of a varying value.
_CHANGE_INTERVAL_S = 1.0
_MARKS = {"done": ("✓", "green"), "failed": ("✗", "red")}


class RunProgress(LiveDisplay):
    """Shows a run's events; give `show` to the run as its listener.

    Args:
        console: the console for the output; if it is a terminal, a live display is drawn.
        flows_s: the planned duration of all flows, for the progress bar; 0 if unknown.
    """

    def __init__(self, console: Console, flows_s: float = 0.0) -> None:
        super().__init__(console, refresh_per_second=8)
        self._flows_s = flows_s
        self._lock = threading.Lock()
        self._states: dict[str, tuple[str, float, str]] = {}
        self._detail = ""
        #: In virtual time, the lab's clock at the start of the current step, and now.
        self._clock_s: tuple[float, float] | None = None
        #: Missing adjacencies and routes while a network converges, by router.
        self._missing: dict[str, tuple[str, ...]] = {}
        self._missing_printed_s = 0.0
        #: The time of the last printed event of each target.
        self._change_printed_s: dict[str, float] = {}

    def show(self, message: wire.Message) -> None:
        """Show one event. May be called from any thread."""
        with self._lock:
            line = self._take(message)
        if line and not self._console.is_terminal:
            self._console.print(plain(line), highlight=False, soft_wrap=True, markup=False)

    def _take(self, message: wire.Message) -> str:
        match message:
            case wire.StepEvent(name=name, state=state, text=text) if name in STEPS and state in ("start", *_MARKS):
                self._detail = ""
                self._clock_s = (self._clock_s[1], self._clock_s[1]) if self._clock_s else None
                self._states[name] = (state, time.monotonic(), plain(text))
                # The lines stay after an interruption, unless the failure's text has them.
                if state != "failed" or "\n" in text:
                    self._missing = {}
                return f"{STEPS[name]}: {text}" if state != "start" else ""
            case wire.StepEvent(name=name, state=state, text=text):
                self._detail = f"{name} {text or state}"
                return ""
            case wire.WaitingFor(missing=missing):
                self._missing = missing
                return self._missing_text(time.monotonic())
            case wire.ClockEvent(time_s=now_s):
                self._clock_s = (self._clock_s[0] if self._clock_s else now_s, now_s)
            case wire.FlowEvent(flow=flow, what=what, time_s=at_s, text=text):
                self._detail = f"{at_s:.1f} s: flow {flow} {what} {text}".rstrip()
                return self._detail
            case wire.DaemonExit(router=router, daemon=daemon, status=status):
                return f"{router}: {daemon} ended with status {status}"
            case wire.FaultEvent(fault=fault, target=target, text=text):
                self._detail = f"fault: {fault} {target}".rstrip() + (f": {text}" if text else "")
                now, printed_s = time.monotonic(), self._change_printed_s.get(target, 0.0)
                if fault == "link-values" and now - printed_s < _CHANGE_INTERVAL_S:
                    return ""
                self._change_printed_s[target] = now
                return self._detail
        return ""

    def _missing_text(self, now: float) -> str:
        """Lines about missing adjacencies and routes, or "" if the interval between two printings is not over."""
        start_s = self._states.get("converge", ("", now, ""))[1]
        if not self._missing or now - max(start_s, self._missing_printed_s) < _MISSING_INTERVAL_S:
            return ""
        self._missing_printed_s = now
        return "\n".join([f"still missing after {now - start_s:.0f} s:", *missing_lines(self._missing)])

    def _render(self) -> RenderableType:
        table = Table.grid(padding=(0, 1))
        with self._lock:
            states, detail, missing = dict(self._states), self._detail, self._missing
            virtual_s = self._clock_s[1] - self._clock_s[0] if self._clock_s else None
        for name, (state, since, text) in states.items():
            if state == "start":
                spent_s = time.monotonic() - since
                table.add_row(
                    Spinner("dots"), STEPS[name], self._running(name, spent_s, virtual_s), Text(detail, style="dim")
                )
            else:
                mark, style = _MARKS[state]
                table.add_row(
                    Text(mark, style=style), STEPS[name], Text(text, style=style if state == "failed" else "")
                )
        lines = [Text(f"  {line}", style="dim", overflow="ellipsis", no_wrap=True) for line in missing_lines(missing)]
        return Group(table, *lines)

    def _running(self, name: str, spent_s: float, virtual_s: float | None) -> RenderableType:
        passed_s = spent_s if virtual_s is None else virtual_s
        words = Text(f"{spent_s:.1f} s" if virtual_s is None else virtual_words(virtual_s, spent_s, 0.0))
        if name != "flows" or not self._flows_s:
            return words
        bar = ProgressBar(total=self._flows_s, completed=min(passed_s, self._flows_s), width=30)
        if virtual_s is None:
            return bar
        line = Table.grid(padding=(0, 1))
        line.add_row(bar, virtual_words(virtual_s, spent_s, self._flows_s))
        return line


def missing_lines(missing: Mapping[str, Sequence[str]], most: int = _MOST_MISSING_LINES) -> list[str]:
    """Up to `most` lines about missing parts, such as "r3: OSPF neighbor r2 on r3-eth0 is in ExStart (MTU?)"."""
    lines = [f"{router}: {missing_part}" for router, missing_parts in missing.items() for missing_part in missing_parts]
    return lines if len(lines) <= most else [*lines[: most - 1], f"and {len(lines) - most + 1} more"]
