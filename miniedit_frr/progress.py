"""Steps of a run as they happen: a live display on a terminal, plain lines elsewhere."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from frrlib import wire

#: The steps of a run in their order, and what they are called while they run.
STEPS = {
    "place": "choose a place",
    "boot": "start the place",
    "build": "build nodes, links and daemons",
    "routes": "wait for all routes",
    "rest": "ping the path at rest",
    "flows": "send the flows",
    "figure": "draw the figure",
    "stop": "end the lab",
}
_MARKS = {"done": ("✓", "green"), "failed": ("✗", "red")}


class Progress:
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

    def take(self, message: wire.Message) -> None:
        """Show one event. May be called from any thread."""
        with self._lock:
            line = self._take(message)
        if line and not self._console.is_terminal:
            self._console.print(line, highlight=False, soft_wrap=True)

    def _take(self, message: wire.Message) -> str:
        match message:
            case wire.Step(name=name, state=state, text=text) if name in STEPS:
                self._detail = ""
                self._states[name] = (state, time.monotonic(), text)
                return f"{STEPS[name]}: {text}" if state != "start" else ""
            case wire.Step(name=name, state=state, text=text):
                self._detail = f"{name} {text or state}"
                return ""
            case wire.FlowEvent(flow=flow, what=what, time_s=at_s, text=text):
                self._detail = f"{at_s:.1f} s: flow {flow} {what} {text}".rstrip()
                return self._detail
            case wire.DaemonDied(router=router, daemon=daemon, status=status):
                return f"{router}: {daemon} ended with status {status}"
        return ""

    def _render(self) -> RenderableType:
        table = Table.grid(padding=(0, 1))
        with self._lock:
            states, detail = dict(self._states), self._detail
        for name, (state, since, text) in states.items():
            if state == "start":
                spent_s = time.monotonic() - since
                table.add_row(Spinner("dots"), STEPS[name], self._running(name, spent_s), Text(detail, style="dim"))
            else:
                mark, style = _MARKS[state]
                table.add_row(
                    Text(mark, style=style), STEPS[name], Text(text, style=style if state == "failed" else "")
                )
        return Group(table)

    def _running(self, name: str, spent_s: float) -> RenderableType:
        if name == "flows" and self._flows_s:
            return ProgressBar(total=self._flows_s, completed=min(spent_s, self._flows_s), width=30)
        return Text(f"{spent_s:.1f} s")
