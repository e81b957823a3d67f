"""Plots of a run during and after it: the view, and its controls.

A frame is drawn after changes, up to ten times per second, and drawing takes no more than a share of the time. Hidden
plots are not drawn.
"""

from __future__ import annotations

import time
import tkinter as tk
from collections.abc import Callable, Sequence
from pathlib import Path
from tkinter import filedialog

import ttkbootstrap as ttk
from matplotlib.backends.backend_tkagg import FigureCanvasTkAgg
from matplotlib.figure import Figure

from frrlib.picture.theme import Theme
from miniedit_frr.live.curves import nice_above
from miniedit_frr.live.quantities import QUANTITIES, USUAL
from miniedit_frr.live.samples import LiveRun
from miniedit_frr.live_plots.export import KINDS, save_picture
from miniedit_frr.live_plots.figure import PlotFigure
from miniedit_frr.live_plots.legend import Legend
from miniedit_frr.live_plots.overlay import Overlay
from miniedit_frr.live_plots.pointer import PlotPointer
from miniedit_frr.widgets.own_events import bind_own_event
from miniedit_frr.widgets.popup import SpacedMenu

#: Minimum time between two frames, and maximum share of the time for drawing.
FRAME_MS, MOST_SHARE = 100, 0.4
#: Time between two checks for changes.
_POLL_MS = 20
#: Spans that can be followed, in seconds; 0 for all.
SPANS = {"10 s": 10.0, "30 s": 30.0, "All": 0.0}
#: Position of the newest samples in the span after its start has moved. It moves rarely, since all scales are redrawn
#: then.
_MOVED_ON = 0.75
_LEAST_S = 0.05
#: Seconds between two updates of the values, slow enough to read them.
_STATUS_S = 0.25


class PlotPanel(ttk.Frame):
    """Plots of one run.

    Args:
        keys: the first quantities.
        is_docked: whether it has little space: all controls in one line, panels side by side.
        say: shows a message to the user.

    Attributes:
        ui: pixels per unit.
        plots, overlay, legend, hands: its parts.
        run: the run that is shown.
        span: the name of the span that is followed.
        zoomed: the visible span if it is not the one that is followed; else None.
        paused_s: the time at which the plots are paused while measuring continues; None if they are not.
        quantities: the keys of the visible quantities.
        on_keys: called with the keys when others were selected.
        frame_ms: minimum time between two frames.
        spent_s: processor time of all drawing.
    """

    def __init__(
        self, parent: tk.Misc, ui: float, theme: Theme, keys: Sequence[str] = USUAL, *, is_docked: bool = False,
        say: Callable[[str], object] = lambda text: None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.ui, self._theme, self._say, self._is_docked = ui, theme, say, is_docked
        self.run, self.quantities = LiveRun(), tuple(keys)
        self.span = "All"
        self.zoomed: tuple[float, float] | None = None
        self.paused_s: float | None = None
        self.on_keys: Callable[[tuple[str, ...]], object] = lambda keys: None
        self.frame_ms, self.spent_s, self._due_s = FRAME_MS, 0.0, 0.0
        self._results: ttk.Button | None = None
        self._timer, self._is_dirty, self._status_s = "", True, 0.0
        self._shown: tuple[float, ...] = ()
        self._begin_s, self._end_s = 0.0, 0.0
        self.bar = ttk.Frame(self, padding=(round(8 * ui), round(3 * ui)))
        self.bar.pack(fill="x")
        figure = Figure(dpi=96)  # which the toolkit multiplies by the scaling of the screen
        self._canvas = FigureCanvasTkAgg(figure, self)
        self.widget: tk.Canvas = self._canvas.get_tk_widget()
        self.widget.configure(
            width=round((640 if is_docked else 900) * ui), height=round((130 if is_docked else 640) * ui),
            highlightthickness=0, takefocus=True, background=theme.canvas,
        )  # fmt: skip
        self.plots = PlotFigure(figure, ui, theme)
        self.overlay = Overlay(self.widget, self.plots, ui)
        self.legend = Legend(self.bar if is_docked else self, ui, self.plots.hidden, self.again)
        self._build()
        if is_docked:
            self.legend.pack(in_=self.bar, side="left", fill="x", expand=True)
        else:
            self.legend.pack(fill="x")
        self.widget.pack(fill="both", expand=True)
        self.hands = PlotPointer(self)
        self.plots.choose(self.quantities)
        self.set_theme(theme)
        bind_own_event(self, "<Destroy>", self._cancel_timer)
        self._timer = self.after(_POLL_MS, self._tick)

    def _build(self) -> None:
        bar, gap = self.bar, round(3 * self.ui)
        self.pause_button = ttk.Button(bar, command=self.pause, bootstyle="secondary-outline", padding=(8, 1))
        self.pause_button.pack(side="left", padx=(0, 2 * gap))
        ttk.ToolTip(self.pause_button, text="Freeze the plots; measuring continues  (Space)")
        self._span_choice = tk.StringVar(self, self.span)
        for name in SPANS:
            button = ttk.Radiobutton(
                bar, text=name, value=name, variable=self._span_choice, bootstyle="secondary-outline-toolbutton",
                command=lambda name=name: self.follow(name), padding=(8, 1),
            )  # fmt: skip
            button.pack(side="left", padx=(0, gap))
        self.choice = ttk.Menubutton(bar, text="Quantities", bootstyle="secondary-outline", padding=(8, 1))
        self.choice.pack(side="left", padx=gap)
        menu = SpacedMenu(self.choice)
        self._chosen = {quantity.key: tk.BooleanVar(self, quantity.key in self.quantities) for quantity in QUANTITIES}
        for quantity in QUANTITIES:
            unit = f" ({quantity.unit})" if quantity.unit else ""
            menu.add_checkbutton(
                label=f"{quantity.title}{unit}", variable=self._chosen[quantity.key], command=self._choose
            )
        self.choice["menu"] = menu
        self.save_button = ttk.Button(
            bar, text="Save Picture…", command=self.save, bootstyle="secondary-outline", padding=(8, 1)
        )
        if not self._is_docked:
            self.save_button.pack(side="left", padx=gap)
        self.said = ttk.Label(bar, padding=(8, 0))
        self.said.pack(side="right")
        self._show_status()

    def add_button(self, text: str, command: Callable[[], object]) -> ttk.Button:
        """Add a button to the bar."""
        button = ttk.Button(self.bar, text=text, command=command, bootstyle="secondary-outline", padding=(8, 1))
        button.pack(side="left", padx=round(3 * self.ui), before=self.legend if self._is_docked else self.said)
        return button

    def offer_results(self, open_results: Callable[[], object]) -> None:
        """The run has ended: offer its results."""
        if self._results is None:
            self._results = self.add_button("Open Results", open_results)
        self._results.configure(command=open_results)

    # --- contents ---

    def show(self, run: LiveRun) -> None:
        """Show another run from its start."""
        self.run = run
        self.zoomed, self.paused_s, self._begin_s, self._end_s = None, None, 0.0, 0.0
        if self._results is not None and not run.is_over:
            self._results.destroy()
            self._results = None
        self.again()
        self._show_status()

    def replace(self, run: LiveRun) -> None:
        """Show the same run in full detail, with the same view."""
        self.run = run
        self.again()
        self._show_status()

    def again(self) -> None:
        """Draw at the next opportunity, even without changes."""
        self._is_dirty = True

    def choose(self, keys: Sequence[str]) -> None:
        """Show these quantities."""
        self.quantities = tuple(quantity.key for quantity in QUANTITIES if quantity.key in keys) or self.quantities
        for key, variable in self._chosen.items():
            variable.set(key in self.quantities)
        self.plots.choose(self.quantities)
        self.again()

    def _choose(self) -> None:
        self.choose([key for key, variable in self._chosen.items() if variable.get()])
        self.on_keys(self.quantities)

    def set_theme(self, theme: Theme) -> None:
        """Show the plots in a theme's colors."""
        self._theme = theme
        self.widget.configure(background=theme.canvas)
        self.plots.set_theme(theme)
        self.again()

    def follow(self, span: str) -> None:
        """Follow the newest samples of a span: one of `SPANS`."""
        self.span, self.zoomed = span, None
        self._span_choice.set(span)
        self._begin_s = 0.0
        self.again()

    def pause(self) -> None:
        """Pause, or resume with the samples measured meanwhile."""
        if self.run.is_over and self.paused_s is None:
            return
        self.paused_s = self.run.newest_s if self.paused_s is None else None
        self.again()
        self._show_status()

    def zoom(self, from_s: float, to_s: float) -> None:
        """Show a fixed span of time."""
        if to_s - from_s >= _LEAST_S:
            self.zoomed = (from_s, to_s)
            self._span_choice.set("")
            self.again()
            self._show_status()

    def unzoom(self) -> None:
        """Follow the newest samples again."""
        self.follow(self.span)

    def save(self) -> None:
        """Ask for a file, and write a picture of the view."""
        file = filedialog.asksaveasfilename(
            parent=self, title="Save the plots", defaultextension=".png", filetypes=KINDS,
            initialfile=f"{self.run.title or 'plots'}.png",
        )  # fmt: skip
        if file:
            self.save_into(Path(file))

    def save_into(self, path: Path) -> None:
        """Write a picture of the view."""
        try:
            save_picture(path, self.run, self.quantities, self.plots.hidden, self.plots.view)
        except (OSError, ValueError) as error:
            self._say(f"The picture could not be saved: {error}")
        else:
            self._say(f"The plots were saved to {path}.")

    # --- frames ---

    def _tick(self) -> None:
        now_s = time.monotonic()
        if now_s >= self._due_s and self.winfo_viewable():
            # Processor time is used, since on a busy machine the same frame takes longer but costs no more.
            used_s = time.thread_time()
            if self.refresh():
                used_s = time.thread_time() - used_s
                self.spent_s += used_s
                self._due_s = now_s + max(self.frame_ms / 1000, used_s / MOST_SHARE)
        self._timer = self.after(_POLL_MS, self._tick)

    def refresh(self) -> bool:
        """Draw a frame if there are visible changes; returns whether there were."""
        from_s, to_s = self.visible_span()
        is_frozen = self.paused_s is not None or (self.zoomed is not None and to_s + 1.0 < self.run.newest_s)
        state: tuple[float, ...] = (-1 if is_frozen else self.run.revision, from_s, to_s, self.widget.winfo_width())
        if state == self._shown and not self._is_dirty:
            return False
        self._shown, self._is_dirty = state, False
        self.legend.show(
            self.run,
            self._theme,
            any(k.startswith(("queue", "drops", "marks")) for k in self.quantities),
            "cpu" in self.quantities,
        )
        self.plots.show(self.run, from_s, to_s)
        now_s = time.monotonic()
        is_due = now_s - self._status_s > _STATUS_S
        if not self.hands.is_dragging and (is_due or self.overlay.time_s is not None):
            self.overlay.show(self.run)
        if is_due:
            self._status_s = now_s
            self._show_status()
        return True

    def visible_span(self) -> tuple[float, float]:
        """The visible span of the run, in seconds."""
        if self.zoomed is not None:
            return self.zoomed
        newest_s = self.run.newest_s if self.paused_s is None else self.paused_s
        span_s = SPANS[self.span]
        if not span_s:
            return self._all(newest_s)
        if self.run.is_over:
            return max(0.0, newest_s - span_s), max(newest_s, span_s)
        if not self._begin_s <= newest_s <= self._begin_s + span_s:
            self._begin_s = max(0.0, round(newest_s - _MOVED_ON * span_s, 1))
        return self._begin_s, self._begin_s + span_s

    def _all(self, newest_s: float) -> tuple[float, float]:
        if self.run.is_over:
            self._end_s = newest_s * 1.01 or 1.0
        elif newest_s > self._end_s or not self._end_s:
            planned_s = self.run.planned_end_s() * 1.03
            self._end_s = planned_s if newest_s <= planned_s else nice_above(newest_s * 1.2)
        return 0.0, max(self._end_s, 1.0)

    @property
    def latest_s(self) -> float:
        """The end of the data that exists or will exist."""
        return max(self._end_s, self.run.newest_s, self.run.planned_end_s()) * 1.05

    def _show_status(self) -> None:
        run, is_paused = self.run, self.paused_s is not None
        self.pause_button.configure(
            text="▶ Resume" if is_paused else "❚❚ Pause",
            state="disabled" if run.is_over and not is_paused else "normal",
        )
        if is_paused:
            text = f"paused at {self.paused_s:.1f} s; measured until {run.newest_s:.1f} s"
        elif self.zoomed is not None:
            text = (
                "zoomed; press Esc to show everything"
                if run.is_over
                else f"zoomed; measured until {run.newest_s:.1f} s"
            )
        else:
            text = f"{run.newest_s:.1f} s" if run.newest_s else "no samples yet"
        self.said.configure(text=text)

    def resized(self) -> None:
        """Adapt to a new size of the figure."""
        if self.winfo_exists():
            self.plots.lay_out()
            self.again()

    def _cancel_timer(self) -> None:
        if self._timer:
            self.after_cancel(self._timer)
            self._timer = ""
