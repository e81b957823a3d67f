"""The names of curves in their colors, each with a switch, wrapped into lines."""

from __future__ import annotations

import math
import tkinter as tk
from collections.abc import Callable

import ttkbootstrap as ttk
from PIL import Image, ImageDraw, ImageTk

from frrlib.picture.theme import Theme
from frrlib.results.flow_names import named_flow
from frrlib.results.palette import CurveStyle
from miniedit_frr.live.quantities import TOTAL
from miniedit_frr.live.samples import LiveRun
from miniedit_frr.live_plots.looks import PlotColors
from miniedit_frr.widgets.deferred import DeferredCall

_MOST_LINES = 3
_SWATCH = (24, 12)
_OVER = 4


class Legend(tk.Text):
    """The switches of all flows, queues and processors of a run.

    Args:
        hidden: the subjects that are not shown ("flow:f1"); changed in place.
        on_change: called when a switch has changed.

    Attributes:
        switches: each subject's check button.
    """

    def __init__(self, parent: tk.Misc, ui: float, hidden: set[str], on_change: Callable[[], object]) -> None:
        super().__init__(
            parent, height=1, width=20, borderwidth=0, highlightthickness=0, wrap="char", cursor="arrow",
            takefocus=False, state="disabled", padx=round(6 * ui), pady=0,
        )  # fmt: skip
        self._ui, self._hidden, self._on_change = ui, hidden, on_change
        self.switches: dict[str, ttk.Checkbutton] = {}
        self._shown: tuple[object, ...] = ()
        self._images: list[ImageTk.PhotoImage] = []
        self._fitting = DeferredCall(self, self._fit)
        self.bind("<Configure>", lambda event: self._fitting.soon(), add=True)

    def show(self, run: LiveRun, theme: Theme, has_queues: bool, has_cpu: bool) -> None:
        """Show a switch for every subject with a curve."""
        colors = PlotColors(run, theme)
        entries = [("flow", name, _flow_title(run, name)) for name in run.flows]
        entries += [("run", TOTAL, TOTAL)] if len(run.flows) > 1 else []
        entries += [("queue", name, name) for name in run.busy_queues()] if has_queues else []
        entries += [("cpu", name, name) for name in run.cpu] if has_cpu else []
        looks = [colors.look(of, name) for of, name, _ in entries]
        state = (*entries, *looks, theme.name)
        if state == self._shown:
            return
        self._shown = state
        self.configure(background=str(ttk.Style().lookup("TFrame", "background")), state="normal")
        self.delete("1.0", "end")
        for child in self.winfo_children():
            child.destroy()
        self._images, self.switches = [], {}
        for (of, name, title), look in zip(entries, looks, strict=True):
            self._add(f"{of}:{name}", title, look)
        self.configure(state="disabled")
        self._fitting.soon()

    def _add(self, subject: str, title: str, look: CurveStyle) -> None:
        image = ImageTk.PhotoImage(swatch(look, self._ui), master=self)
        self._images.append(image)
        variable = tk.BooleanVar(self, subject not in self._hidden)
        switch = ttk.Checkbutton(
            self, text=title, image=image, compound="left", variable=variable,
            command=lambda: self._switch(subject, variable),
        )  # fmt: skip
        for sequence, lines in (("<Button-4>", -1), ("<Button-5>", 1)):
            switch.bind(sequence, lambda event, lines=lines: self.yview_scroll(lines, "units"))  # type: ignore[misc]
        switch.variable = variable  # type: ignore[attr-defined]  # else it is collected
        self.switches[subject] = switch
        self.window_create("end", window=switch, padx=round(5 * self._ui), pady=1)

    def _switch(self, subject: str, variable: tk.BooleanVar) -> None:
        (self._hidden.discard if variable.get() else self._hidden.add)(subject)
        self._on_change()

    def _fit(self) -> None:
        """Fit the height to the number of lines, up to a limit."""
        if not self.winfo_exists() or not self.switches or self.winfo_width() < 50:
            return
        line_px = max(switch.winfo_reqheight() + 2 for switch in self.switches.values())
        counted = self.count("1.0", "end", "displaylines")
        lines = counted[0] if isinstance(counted, tuple) else counted or 1
        high = min(max(1, int(lines)), _MOST_LINES) * line_px
        letter_px = int(self.tk.call("font", "metrics", self.cget("font"), "-linespace"))
        if int(self.cget("height")) != (rows := math.ceil(high / letter_px)):
            self.configure(height=rows)


def _flow_title(run: LiveRun, name: str) -> str:
    control = run.flows[name].look_of
    return name if control == "bulk" else named_flow(name, control)


def swatch(look: CurveStyle, ui: float) -> Image.Image:
    """A short piece of a curve."""
    wide, high = round(_SWATCH[0] * ui), round(_SWATCH[1] * ui)
    picture = Image.new("RGBA", (wide * _OVER, high * _OVER), (0, 0, 0, 0))
    pen = ImageDraw.Draw(picture)
    y, weight, end = high * _OVER / 2, round(2.2 * ui * _OVER), (wide - 4 * ui) * _OVER
    dashes = [length * 3 * ui * _OVER for length in look.line_style[1]] if isinstance(look.line_style, tuple) else [end]
    x, index = 0.0, 0
    while x < end:
        if index % 2 == 0:
            pen.line((x, y, min(x + dashes[index % len(dashes)], end), y), fill=look.colour, width=weight)
        x += dashes[index % len(dashes)]
        index += 1
    return picture.resize((wide, high), Image.Resampling.LANCZOS)
