"""Steps of a run as they happen: a live display on a terminal, plain lines elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from frrlib import wire
from frrlib.run.messages import virtual_words
from frrlib.safe_text.plain import plain

#: The steps of a run in their order, and what they are called while they run.
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
#: How many lines tell what is still missing while a network converges.
_MISSING_LINES = 8
#: How often they are printed where lines stay.
_STILL_S = 5.0
#: The least time between printed changes of a value that varies.
_CHANGES_S = 1.0
_MARKS = {"done": ("✓", "green"), "failed": ("✗", "red")}


class RunProgress:
    """Shows a run's events; give `take` to the run as its listener.

    Args:
        console: where to; a live display is drawn where it is a terminal.
        flows_s: how long the flows take by the drawing, for the bar; 0 for unknown.
    """

    def __init__(self, console: Console, flows_s: float = 0.0) -> None:
        self._console, self._flows_s = console, flows_s
        self._lock = threading.Lock()
        self._states: dict[str, tuple[str, float, str]] = {}
        self._detail = ""
        #: In virtual time, what the lab's clock showed when the step that runs began, and shows now.
        self._clock_s: tuple[float, float] | None = None
        #: The items still missing while a network converges, by router.
        self._missing: dict[str, tuple[str, ...]] = {}
        self._missing_told_s = 0.0
        #: When an event of each target was printed last.
        self._changed_s: dict[str, float] = {}
        self._live = Live(console=console, get_renderable=self._render, refresh_per_second=8, transient=False)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._console.is_terminal:
            self._live.stop()

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
                if state != "failed" or "\n" in text:  # who interrupts sees what was waited for until then
                    self._missing = {}
                return f"{STEPS[name]}: {text}" if state != "start" else ""
            case wire.StepEvent(name=name, state=state, text=text):
                self._detail = f"{name} {text or state}"
                return ""
            case wire.WaitingFor(missing=missing):
                self._missing = missing
                return self._still_missing(time.monotonic())
            case wire.ClockEvent(time_s=now_s):
                self._clock_s = (self._clock_s[0] if self._clock_s else now_s, now_s)
            case wire.FlowEvent(flow=flow, what=what, time_s=at_s, text=text):
                self._detail = f"{at_s:.1f} s: flow {flow} {what} {text}".rstrip()
                return self._detail
            case wire.DaemonExit(router=router, daemon=daemon, status=status):
                return f"{router}: {daemon} ended with status {status}"
            case wire.FaultEvent(fault=fault, target=target, text=text):
                self._detail = f"fault: {fault} {target}".rstrip() + (f": {text}" if text else "")
                now, told_s = time.monotonic(), self._changed_s.get(target, 0.0)
                if fault == "link-values" and now - told_s < _CHANGES_S:
                    return ""
                self._changed_s[target] = now
                return self._detail
        return ""

    def _still_missing(self, now: float) -> str:
        """Lines for output that is never redrawn: not before a while, and not with every change."""
        begun_s = self._states.get("converge", ("", now, ""))[1]
        if not self._missing or now - max(begun_s, self._missing_told_s) < _STILL_S:
            return ""
        self._missing_told_s = now
        return "\n".join([f"still missing after {now - begun_s:.0f} s:", *missing_lines(self._missing)])

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


def missing_lines(missing: Mapping[str, Sequence[str]], most: int = _MISSING_LINES) -> list[str]:
    """Items still missing, a line each, so many at most: "r3: OSPF neighbour r2 on r3-eth0 is in ExStart (MTU?)"."""
    lines = [f"{router}: {each}" for router, several in missing.items() for each in several]
    return lines if len(lines) <= most else [*lines[: most - 1], f"and {len(lines) - most + 1} more"]
