"""The output of a running cell: a progress bar with the current step, and the curves so far."""

from __future__ import annotations

import contextvars
import html
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from frrlib import wire
from frrlib.model.topology import Topology
from frrlib.plots import figures
from frrlib.results.layout import ResultsError
from frrlib.results.read import open_results
from frrlib.safe_text.plain import plain
from miniedit_frr.notebook.images import image, notebook_shell
from miniedit_frr.terminal.progress import STEPS

#: Seconds between two drawings of the progress, and of the curves, which take half a second of processor time.
_REFRESH_S, _CURVES_S = 0.25, 2.0
#: The share of the bar that is filled when a step begins. Flows fill the rest by their time.
_SHARES = {"place": 0.0, "boot": 0.05, "build": 0.1, "converge": 0.2, "routes": 0.3, "rest": 0.35, "flows": 0.4,
           "figure": 0.95, "stop": 0.97}  # fmt: skip


class CellDisplay:
    """Shows the events of a run in the output of the cell that is executed. Outside of a notebook it prints steps.

    Args:
        topology: the topology, for the duration of its flows.
        folder: the results folder, whose samples are drawn while the run writes them.
        live: whether to show anything.
        curves: whether to draw curves.
    """

    def __init__(self, topology: Topology, folder: Path, *, live: bool, curves: bool) -> None:
        self._folder, self._live, self._curves = folder, live, curves
        self._flows_s = max((flow.start_s + (flow.duration_s or 0.0) for flow in topology.flows), default=0.0)
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._step, self._detail, self._share, self._image = "place", "", 0.0, ""
        self._handle = _display_handle() if live else None
        # a copy of the context tells the thread's output the cell to which it belongs
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._keep_drawing,), name="cell", daemon=True)

    def show(self, message: wire.Message) -> None:
        """Take an event. May be called from any thread."""
        with self._lock:
            match message:
                case wire.StepEvent(name=name, state="start") if name in STEPS:
                    self._step, self._detail = name, ""
                    self._share = max(self._share, _SHARES[name])
                    if self._live and self._handle is None:
                        sys.stdout.write(f"{STEPS[name]}\n")
                case wire.WaitingFor(missing=missing):
                    self._detail = f"missing at {', '.join(sorted(missing))}" if missing else ""
                case wire.FlowEvent(flow=flow, what=what, time_s=time_s):
                    self._detail = f"{time_s:.1f} s: flow {flow} {what}"
                    if self._flows_s:
                        done = min(time_s / self._flows_s, 1.0)
                        self._share = max(self._share, _SHARES["flows"] + 0.55 * done)

    def __enter__(self) -> Self:
        if self._handle is not None:
            self._handle.display(_Html(self._content()))
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._handle is not None:
            self._thread.join()
            # the cell shows the recording, or the error, in its place
            self._handle.update(_Html("" if error is None else self._content()))

    def _keep_drawing(self) -> None:
        assert self._handle is not None
        drawn = self._content()
        waited_s = 0.0
        while not self._ended.wait(_REFRESH_S):
            waited_s += _REFRESH_S
            if self._curves and waited_s >= _CURVES_S and self._step == "flows":
                self._image, waited_s = self._draw_curves(), 0.0
            content = self._content()
            if content != drawn:
                self._handle.update(_Html(content))
                drawn = content

    def _content(self) -> str:
        with self._lock:
            words = html.escape(plain(f"{STEPS[self._step]}{'. ' if self._detail else ''}{self._detail}"))
            bar = f'<progress max="1" value="{self._share:.3f}" style="width: 20em"></progress>'
            return f'<div role="status">{bar} {words}</div>{self._image}'

    def _draw_curves(self) -> str:
        try:
            results = open_results(self._folder)
            return image(figures.make("series", [results])) if results.has_flow_samples else self._image
        except (ResultsError, ValueError):  # too little is written yet
            return self._image


class _Html:
    """Text that a notebook shows as HTML."""

    def __init__(self, text: str) -> None:
        self._text = text

    def _repr_html_(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return ""


def _display_handle() -> Any:
    """A changeable output of the current cell; None outside of a notebook."""
    if notebook_shell() is None:
        return None
    from IPython.display import DisplayHandle

    return DisplayHandle()
