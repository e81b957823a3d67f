"""A frame as large as its content, up to a limit above which it scrolls."""

from __future__ import annotations

import tkinter as tk

import ttkbootstrap as ttk

_WHEEL_PX = 40


class Scroller(ttk.Frame):
    """A scrolling frame. Widgets in `inner` scroll with the wheel and the bar, and follow the focus.

    Args:
        parent: its parent.
        highest: the height above which it scrolls, in pixels.
        padding: around `inner`.
    """

    def __init__(self, parent: tk.Misc, highest: int, padding: tuple[int, int] = (0, 0)) -> None:
        super().__init__(parent)
        self._highest = highest
        self._canvas = tk.Canvas(self, highlightthickness=0, borderwidth=0)
        self._bar = ttk.Scrollbar(self, command=self._canvas.yview)
        self._across = ttk.Scrollbar(self, orient="horizontal", command=self._canvas.xview)
        self._canvas.configure(yscrollcommand=self._bar.set, xscrollcommand=self._across.set)
        self._canvas.grid(row=0, column=0, sticky="nsew")
        self.rowconfigure(0, weight=1)
        self.columnconfigure(0, weight=1)
        self.inner = ttk.Frame(self._canvas, padding=padding)
        self._item = self._canvas.create_window(0, 0, window=self.inner, anchor="nw")
        self.inner.bind("<Configure>", lambda event: self.fit())
        self.grid_propagate(False)
        self.bind("<Configure>", lambda event: self.fit())
        self._canvas.bind("<<ThemeChanged>>", lambda event: self._paint())
        self._paint()

    def _paint(self) -> None:
        self._canvas.configure(background=str(ttk.Style().lookup("TFrame", "background")))

    def fit(self) -> None:
        """Set the size and the scroll bars: as wide as the room, and as high as the content, up to the limit.

        The bars depend on the size of this frame, and the requested size does not depend on the visible bars.
        Otherwise a bar that takes room from the content could appear and disappear forever.
        """
        wide, high = self.inner.winfo_reqwidth(), self.inner.winfo_reqheight()
        bar_px = self._bar.winfo_reqwidth(), self._across.winfo_reqheight()
        requested = wide + (bar_px[0] if high > self._highest else 0), min(high, self._highest)
        self.configure(width=requested[0], height=requested[1])
        is_laid_out = self.winfo_ismapped() and self.winfo_width() > 1 and self.winfo_height() > 1
        outer = (self.winfo_width(), self.winfo_height()) if is_laid_out else requested
        # The width is too small only on a narrow screen with large texts.
        is_across = wide > outer[0] - (bar_px[0] if high > outer[1] else 0)
        is_down = high > outer[1] - (bar_px[1] if is_across else 0)
        _show(self._bar, is_down, row=0, column=1, sticky="ns")
        _show(self._across, is_across, row=1, column=0, sticky="ew")
        room = outer[0] - (bar_px[0] if is_down else 0), outer[1] - (bar_px[1] if is_across else 0)
        size = max(wide, room[0]), max(high, room[1])
        self._canvas.itemconfigure(self._item, width=size[0], height=size[1])
        self._canvas.configure(scrollregion=(0, 0, wide, size[1]))

    @property
    def _scrolls(self) -> bool:
        return self.inner.winfo_reqheight() > self._canvas.winfo_height()

    def wheel(self, up: int) -> None:
        """Scroll by a turn of the wheel."""
        if self._scrolls:
            top = self._canvas.canvasy(0) - up * _WHEEL_PX
            self._canvas.yview_moveto(max(0.0, top) / self.inner.winfo_height())

    def see(self, widget: tk.Misc) -> None:
        """Scroll until a widget in `inner` is visible."""
        if not str(widget).startswith(f"{self.inner}."):
            return
        self._see_across(widget)
        if not self._scrolls:
            return
        top = widget.winfo_rooty() - self.inner.winfo_rooty()
        bottom, high = top + widget.winfo_height(), self.inner.winfo_height()
        first, visible_height = self._canvas.canvasy(0), self._canvas.winfo_height()
        if top < first:
            self._canvas.yview_moveto(top / high)
        elif bottom > first + visible_height:
            self._canvas.yview_moveto((bottom - visible_height) / high)

    def _see_across(self, widget: tk.Misc) -> None:
        wide, visible_width = self.inner.winfo_width(), self._canvas.winfo_width()
        if wide > visible_width:
            left_edge = widget.winfo_rootx() - self.inner.winfo_rootx()
            right_edge, first = left_edge + widget.winfo_width(), self._canvas.canvasx(0)
            if left_edge < first or right_edge > first + visible_width:
                self._canvas.xview_moveto(max(0, min(left_edge, right_edge - visible_width)) / wide)


def _show(bar: ttk.Scrollbar, is_shown: bool, row: int, column: int, sticky: str) -> None:
    if not is_shown:
        bar.grid_remove()
    elif not bar.winfo_manager():
        bar.grid(row=row, column=column, sticky=sticky)
