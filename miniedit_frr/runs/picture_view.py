"""A picture that fits its frame, and that can be enlarged and scrolled.

Only the visible part is scaled, so a large picture costs no more time and memory than its frame.
"""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from typing import NamedTuple

import ttkbootstrap as ttk
from PIL import Image, ImageTk

from miniedit_frr.widgets.deferred import DeferredCall

#: The ratio of one step of the wheel or of a key.
ZOOM_STEP = 1.25
#: The largest number of pixels of the screen for a pixel of the picture, at a scaling of 1.
_LARGEST = 8.0
#: The distance of one arrow key or of one step of the wheel with Shift, at a scaling of 1.
_SCROLL_PX = 60
#: The part of the frame by which the page keys scroll.
_PAGE = 0.9
#: A distance beyond the end of every picture.
_FAR_PX = 1e9


class ViewLayout(NamedTuple):
    """The sizes of a view, in pixels of the screen.

    Attributes:
        factor: pixels of the screen for a pixel of the picture.
        size: width and height of the whole picture.
        room: width and height of the visible area, without scroll bars.
    """

    factor: float
    size: tuple[int, int]
    room: tuple[int, int]

    @property
    def margins(self) -> tuple[int, int]:
        """The empty area at the left of a picture that is smaller than the visible area, and above it."""
        return tuple(max(0, (room - size) // 2) for room, size in zip(self.room, self.size, strict=True))  # type: ignore[return-value]


class PictureView(ttk.Frame):
    """The picture and its scroll bars. At first the whole picture is visible, and follows the size of the frame.

    Attributes:
        canvas: shows the visible part.
        on_zoom: called with the factor after each change of it.

    Args:
        size: the requested width and height in pixels.
    """

    def __init__(self, parent: tk.Misc, image: Image.Image, size: tuple[int, int], ui: float) -> None:
        super().__init__(parent, width=size[0], height=size[1])
        self._image, self._ui = image, ui
        self.on_zoom: Callable[[float], object] = lambda factor: None
        #: The factor that the user has chosen; None for the one at which the whole picture is visible.
        self._chosen: float | None = None
        #: The upper left corner of the visible area, in pixels of the enlarged picture.
        self._left = self._top = 0.0
        self._grabbed: tuple[float, float] | None = None
        self._shown: tuple[object, ...] = ()
        self._picture: ImageTk.PhotoImage | None = None
        self.canvas = tk.Canvas(self, highlightthickness=0, borderwidth=0, width=1, height=1)
        self._item = self.canvas.create_image(0, 0, anchor="nw")
        self._down = ttk.Scrollbar(self, command=self._scroll_down)
        self._across = ttk.Scrollbar(self, orient="horizontal", command=self._scroll_across)
        self.canvas.grid(row=0, column=0, sticky="nsew")
        self.rowconfigure(0, weight=1)
        self.columnconfigure(0, weight=1)
        self.grid_propagate(False)  # a scroll bar that appears must not enlarge the window
        self._drawing = DeferredCall(self, self._draw)
        self.bind("<Configure>", lambda event: self._drawing.soon())
        self._bind_pointer()
        self.canvas.bind("<<ThemeChanged>>", lambda event: self._paint())
        self._paint()

    def _paint(self) -> None:
        """Give the area around the picture the color of the window."""
        self.canvas.configure(background=str(ttk.Style().lookup("TFrame", "background")))

    def _bind_pointer(self) -> None:
        canvas, by = self.canvas, _SCROLL_PX * self._ui
        for number, up in ((4, 1), (5, -1)):
            canvas.bind(f"<Button-{number}>", lambda event, up=up: self._zoom_at(event, up))  # type: ignore[misc]
            canvas.bind(f"<Shift-Button-{number}>", lambda event, up=up: self.scroll(-up * by, 0))  # type: ignore[misc]
        canvas.bind("<MouseWheel>", lambda event: self._zoom_at(event, 1 if event.delta > 0 else -1))
        canvas.bind("<Shift-MouseWheel>", lambda event: self.scroll(-by if event.delta > 0 else by, 0))
        for button in (1, 2):
            canvas.bind(f"<ButtonPress-{button}>", self._grab)
            canvas.bind(f"<B{button}-Motion>", self._drag)
        canvas.bind("<Double-Button-1>", lambda event: self.fit())

    def bind_keys(self, window: tk.Misc) -> None:
        """Let the keys of a window zoom and scroll. Keys that scroll are left to a text that has the keyboard."""
        zoom_keys = {
            self.zoom_in: ("<Key-plus>", "<Key-equal>", "<KP_Add>"),
            self.zoom_out: ("<Key-minus>", "<KP_Subtract>"),
            self.fit: ("<Key-0>", "<KP_0>"),
        }
        for action, keys in zoom_keys.items():
            for key in keys:
                window.bind(key, lambda event, action=action: action())  # type: ignore[misc]
        step, page = _SCROLL_PX * self._ui, _PAGE
        moves: dict[str, Callable[[int, int], tuple[float, float]]] = {
            "<Left>": lambda wide, high: (-step, 0), "<Right>": lambda wide, high: (step, 0),
            "<Up>": lambda wide, high: (0, -step), "<Down>": lambda wide, high: (0, step),
            "<Prior>": lambda wide, high: (0, -page * high), "<Next>": lambda wide, high: (0, page * high),
            "<Home>": lambda wide, high: (-_FAR_PX, -_FAR_PX), "<End>": lambda wide, high: (_FAR_PX, _FAR_PX),
        }  # fmt: skip
        for key, move in moves.items():
            window.bind(key, lambda event, move=move: self._scroll_by_key(event, move))  # type: ignore[misc]

    def _scroll_by_key(self, event: tk.Event, move: Callable[[int, int], tuple[float, float]]) -> None:
        if not isinstance(event.widget, tk.Text):
            self.scroll(*move(*self.layout().room))

    # --- zoom ---

    def zoom_in(self) -> None:
        """Enlarge the picture by a step. The center of the visible part stays in place."""
        self.zoom_by(ZOOM_STEP)

    def zoom_out(self) -> None:
        """Reduce the picture by a step, down to the size at which all of it is visible."""
        self.zoom_by(1 / ZOOM_STEP)

    def fit(self) -> None:
        """Show the whole picture again."""
        self._chosen = None
        self._drawing.soon()

    def zoom_by(self, ratio: float, x: float | None = None, y: float | None = None) -> None:
        """Enlarge or reduce the picture.

        Args:
            ratio: of the new factor to the present one.
            x, y: the point of the canvas whose pixel of the picture stays in place; by default the center.
        """
        before = self.layout()
        at = [room / 2 if given is None else given for room, given in zip(before.room, (x, y), strict=True)]
        point = [
            (first + position - margin) / before.factor
            for first, position, margin in zip((self._left, self._top), at, before.margins, strict=True)
        ]
        largest = max(_LARGEST * self._ui, self._fitting_factor())
        self._chosen = min(before.factor * ratio, largest)
        after = self.layout()
        self._left, self._top = (
            place * after.factor - position + margin
            for place, position, margin in zip(point, at, after.margins, strict=True)
        )
        self._keep_inside(after)
        self._drawing.soon()

    def _zoom_at(self, event: tk.Event, up: int) -> None:
        self.zoom_by(ZOOM_STEP**up, event.x, event.y)

    # --- scrolling ---

    def scroll(self, right_px: float, down_px: float) -> None:
        """Move the visible area, up to the edges of the picture."""
        self._left, self._top = self._left + right_px, self._top + down_px
        self._keep_inside(self.layout())
        self._drawing.soon()

    def _scroll_down(self, command: str, amount: str, unit: str = "") -> None:
        layout = self.layout()
        self.scroll(0, self._distance(self._top, layout.size[1], layout.room[1], command, amount, unit))

    def _scroll_across(self, command: str, amount: str, unit: str = "") -> None:
        layout = self.layout()
        self.scroll(self._distance(self._left, layout.size[0], layout.room[0], command, amount, unit), 0)

    def _distance(self, first: float, size: int, room: int, command: str, amount: str, unit: str) -> float:
        """The distance that a scroll bar requests, in the words of Tk."""
        if command == "moveto":
            return float(amount) * size - first
        return float(amount) * (_PAGE * room if unit.startswith("page") else _SCROLL_PX * self._ui)

    def _grab(self, event: tk.Event) -> None:
        self._grabbed = self._left + event.x, self._top + event.y

    def _drag(self, event: tk.Event) -> None:
        if self._grabbed is not None:
            self.scroll(self._grabbed[0] - event.x - self._left, self._grabbed[1] - event.y - self._top)

    def _keep_inside(self, layout: ViewLayout) -> None:
        self._left = min(max(0.0, self._left), max(0.0, layout.size[0] - layout.room[0]))
        self._top = min(max(0.0, self._top), max(0.0, layout.size[1] - layout.room[1]))

    # --- the visible part ---

    def _fitting_factor(self) -> float:
        """The factor at which the whole picture is visible."""
        return min(max(1, self.winfo_width()) / self._image.width, max(1, self.winfo_height()) / self._image.height)

    def layout(self) -> ViewLayout:
        """The present sizes. They depend on the size of the frame only, because a scroll bar that takes room from the
        picture could otherwise appear and disappear forever."""
        wide, high = max(1, self.winfo_width()), max(1, self.winfo_height())
        fitting = self._fitting_factor()
        if self._chosen is None or self._chosen <= fitting:
            size = min(wide, round(self._image.width * fitting)), min(high, round(self._image.height * fitting))
            return ViewLayout(fitting, (max(1, size[0]), max(1, size[1])), (wide, high))
        size = round(self._image.width * self._chosen), round(self._image.height * self._chosen)
        bar_px = self._down.winfo_reqwidth(), self._across.winfo_reqheight()
        is_across = size[0] > wide - (bar_px[0] if size[1] > high else 0)
        is_down = size[1] > high - (bar_px[1] if is_across else 0)
        room = wide - (bar_px[0] if is_down else 0), high - (bar_px[1] if is_across else 0)
        return ViewLayout(self._chosen, (max(1, size[0]), max(1, size[1])), (max(1, room[0]), max(1, room[1])))

    def _draw(self) -> None:
        if self.winfo_width() <= 1 or self.winfo_height() <= 1:
            return
        layout = self.layout()
        if self._chosen is not None and self._chosen < self._fitting_factor():
            self._chosen = None  # follow the frame again
        self._keep_inside(layout)
        shown = layout, round(self._left), round(self._top)
        if shown == self._shown:
            return
        self._shown = shown
        visible = min(layout.size[0], layout.room[0]), min(layout.size[1], layout.room[1])
        ends = (
            (shown[1] + visible[0]) * self._image.width / layout.size[0],
            (shown[2] + visible[1]) * self._image.height / layout.size[1],
        )
        box = (
            shown[1] * self._image.width / layout.size[0],
            shown[2] * self._image.height / layout.size[1],
            min(float(self._image.width), ends[0]),
            min(float(self._image.height), ends[1]),
        )
        method = Image.Resampling.LANCZOS if layout.factor < 1 else Image.Resampling.BICUBIC
        self._picture = ImageTk.PhotoImage(self._image.resize(visible, method, box=box), master=self)
        self.canvas.itemconfigure(self._item, image=self._picture)
        self.canvas.coords(self._item, *layout.margins)
        self._show_bars(layout)
        self.on_zoom(layout.factor)

    def _show_bars(self, layout: ViewLayout) -> None:
        is_cut = [size > room for size, room in zip(layout.size, layout.room, strict=True)]
        self.canvas.configure(cursor="fleur" if any(is_cut) else "")
        for bar, first, size, room, is_shown, place in (
            (self._across, self._left, layout.size[0], layout.room[0], is_cut[0], (1, 0, "ew")),
            (self._down, self._top, layout.size[1], layout.room[1], is_cut[1], (0, 1, "ns")),
        ):
            bar.set(first / size, min(1.0, (first + room) / size))
            if not is_shown:
                bar.grid_remove()
            elif not bar.winfo_manager():
                bar.grid(row=place[0], column=place[1], sticky=place[2])
