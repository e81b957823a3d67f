"""A window with changed configurations beside the original ones. Each change can be accepted or dropped."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from tkinter import font

import ttkbootstrap as ttk

from frrlib.conf.changes import ConfigChange
from frrlib.conf.sidebyside import Side, side_by_side
from frrlib.picture.theme import Theme
from miniedit_frr.widgets.aside import put_aside
from miniedit_frr.widgets.screen_scale import scale_of
from miniedit_frr.widgets.traces import on_write

#: Number of visible lines above the first change of a router.
_ABOVE = 4


@dataclass(frozen=True)
class ConfigComparison:
    """The old and new configuration of a router, and a remark (daemons that did not reply); empty for none."""

    old: str
    new: str
    remark: str = ""


class ChangesWindow(ttk.Toplevel):
    """Shows the changes, router by router.

    Attributes:
        on_take: called with the ticked changes by router, when they are accepted.
        on_drop: called when all changes are dropped.
        on_save: called to write all configurations to a folder.
        on_leave: called when the window is closed without a decision.

    Args:
        routers: the configurations of the routers with changes.
        titles: titles of the left and the right side.
        introduction: a sentence at the top.
        may_drop: whether changes can be dropped; otherwise the window can only be closed.
    """

    def __init__(
        self,
        parent: tk.Misc,
        routers: Mapping[str, ConfigComparison],
        theme: Theme,
        *,
        title: str = "Configuration changes",
        titles: tuple[str, str] = ("Drawing", "Running"),
        introduction: str = "",
        may_drop: bool = True,
    ) -> None:
        super().__init__(title=title, master=parent)
        self.withdraw()
        self._theme, self._ui = theme, scale_of(self)
        self.on_take: Callable[[dict[str, list[ConfigChange]]], object] = lambda changes: None
        self.on_drop: Callable[[], object] = lambda: None
        self.on_save: Callable[[], object] = lambda: None
        self.on_leave: Callable[[], object] = lambda: None
        self._routers = routers
        self._sides: dict[str, Side] = {
            name: side_by_side(comparison.old, comparison.new) for name, comparison in routers.items()
        }
        #: Router to a tick for each of its blocks.
        self.ticks = {
            name: [tk.BooleanVar(self, True) for _ in side.blocks] for name, side in self._sides.items()
        }  # fmt: skip
        self.shown = ""
        #: The router and the block that were shown last.
        self._at = (next(iter(routers), ""), -1)
        if introduction:
            ttk.Label(self, text=introduction, padding=(14, 12, 14, 0)).pack(side="top", fill="x")
        self._make_buttons(may_drop)
        middle = ttk.Frame(self, padding=(12, 10, 12, 0))
        middle.pack(fill="both", expand=True)
        self._make_list(middle)
        self._make_sides(middle, titles)
        for name, ticks in self.ticks.items():
            for tick in ticks:
                on_write(tick, self, partial(self._count, name))
            self._count(name)
        self.geometry(f"{round(1120 * self._ui)}x{round(600 * self._ui)}")
        self.minsize(round(720 * self._ui), round(360 * self._ui))
        put_aside(self, parent)
        self.bind("<Escape>", lambda event: self.leave())
        self.protocol("WM_DELETE_WINDOW", self.leave)
        if routers:
            self.list.selection_set(next(iter(routers)))
        self.deiconify()

    # --- the parts ---

    def _make_buttons(self, may_drop: bool) -> None:
        bar = ttk.Frame(self, padding=(12, 10))
        bar.pack(side="bottom", fill="x")
        self.save_button = ttk.Button(
            bar, text="Save As Folder…", bootstyle="secondary-outline", command=lambda: self.on_save()
        )
        self.save_button.pack(side="left")
        for text, step in (("\N{UPWARDS ARROW} Previous", -1), ("\N{DOWNWARDS ARROW} Next", 1)):
            button = ttk.Button(bar, text=text, bootstyle="secondary-outline", command=partial(self.go, step))
            button.pack(side="left", padx=(8 if step < 0 else 4, 0))
        self._summary = ttk.Label(bar, padding=(14, 0))
        self._summary.pack(side="left")
        self.take_button = ttk.Button(bar, text="Take Over", bootstyle="primary", command=self.take)
        self.take_button.pack(side="right")
        if may_drop:
            self.drop_button = ttk.Button(bar, text="Drop", bootstyle="danger-outline", command=self.drop)
            self.drop_button.pack(side="right", padx=(0, 8))
        ttk.Button(bar, text="Close", bootstyle="secondary-outline", command=self.leave).pack(
            side="right", padx=(0, 8)
        )  # fmt: skip

    def _make_list(self, parent: ttk.Frame) -> None:
        frame = ttk.Frame(parent)
        frame.pack(side="left", fill="y", padx=(0, 10))
        self.list = ttk.Treeview(frame, columns=("count",), selectmode="browse", height=8)
        self.list.heading("#0", text="Router", anchor="w")
        self.list.heading("count", text="Ticked", anchor="e")
        self.list.column("#0", width=round(110 * self._ui), stretch=True)
        self.list.column("count", width=round(70 * self._ui), anchor="e", stretch=False)
        for name in self._routers:
            self.list.insert("", "end", iid=name, text=name)
        self.list.pack(fill="y", expand=True)
        self.list.bind("<<TreeviewSelect>>", lambda event: self._selected())
        self.list.bind("<space>", lambda event: self._toggle_all())

    def _make_sides(self, parent: ttk.Frame, titles: tuple[str, str]) -> None:
        frame = ttk.Frame(parent)
        frame.pack(side="left", fill="both", expand=True)
        frame.columnconfigure((0, 2), weight=1, uniform="side")
        frame.rowconfigure(1, weight=1)
        self._remark = ttk.Label(frame, foreground=self._theme.warning)
        for column, title in ((0, titles[0]), (2, titles[1])):
            ttk.Label(frame, text=title, padding=(4, 0, 0, 4)).grid(row=0, column=column, sticky="w")
        self.left, self.gutter, self.right = (self._text(frame, width) for width in (40, 4, 40))
        for column, text in enumerate((self.left, self.gutter, self.right)):
            text.grid(row=1, column=column, sticky="nsew")
        self._bar = ttk.Scrollbar(frame, command=self._scroll)
        self._bar.grid(row=1, column=3, sticky="ns")
        self._remark.grid(row=2, column=0, columnspan=3, sticky="w")

    def _text(self, parent: tk.Misc, width: int) -> tk.Text:
        theme = self._theme
        text = tk.Text(
            parent, width=width, wrap="none", font=font.nametofont("TkFixedFont"), relief="flat", borderwidth=0,
            background=theme.card, foreground=theme.text, padx=8, pady=4, highlightthickness=1, cursor="arrow",
            highlightbackground=theme.edge, highlightcolor=theme.edge, spacing1=1, spacing3=1, takefocus=0,
            inactiveselectbackground=theme.pressed, selectbackground=theme.pressed, selectforeground=theme.text,
        )  # fmt: skip
        text.tag_configure("gone", background=_mix(theme.error, theme.card, 0.18))
        text.tag_configure("came", background=_mix(theme.up, theme.card, 0.20))
        text.tag_configure("none", background=_mix(theme.faint, theme.card, 0.10))
        text.tag_configure("off", foreground=theme.faint)
        text.configure(yscrollcommand=partial(self._scrolled, text))
        for sequence in ("<Button-4>", "<Button-5>", "<MouseWheel>"):
            text.bind(sequence, self._wheel)
        return text

    # --- contents ---

    def show(self, router: str) -> None:
        """Show a router's configurations, scrolled to its first change."""
        self.shown = router
        side = self._sides[router]
        for text in (self.left, self.gutter, self.right):
            text.configure(state="normal")
            text.delete("1.0", "end")
        ticked: set[int] = set()
        for row in side.rows:
            changed = row.block is not None
            left_tag = ("gone" if row.left is not None else "none") if changed else ""
            right_tag = ("came" if row.right is not None else "none") if changed else ""
            block = (f"block{row.block}",) if changed else ()
            self.left.insert("end", f"{row.left or ''}\n", (left_tag, *block))
            self.right.insert("end", f"{row.right or ''}\n", (right_tag, *block))
            if row.block is not None and row.block not in ticked:
                ticked.add(row.block)
                self.gutter.window_create("end", window=self._box(router, row.block))
            self.gutter.insert("end", "\n")
        for text in (self.left, self.gutter, self.right):
            text.configure(state="disabled")
        remark = self._routers[router].remark
        self._remark.configure(text=remark, padding=(0, 6, 0, 0) if remark else 0)
        self._mark(router)
        self.update_idletasks()
        self._at = (router, -1)
        self.go(1)

    def go(self, step: int) -> None:
        """Show the next change (1) or the previous one (-1) of all routers, cyclically."""
        names = list(self._sides)
        router, block = self._at
        block += step
        if not 0 <= block < len(self._sides[router].blocks):
            router = names[(names.index(router) + step) % len(names)]
            block = 0 if step > 0 else len(self._sides[router].blocks) - 1
        if router != self.shown:
            self.list.selection_set(router)
            self.show(router)
        self._at = (router, block)
        rows = self._sides[router].rows
        first = next((number for number, row in enumerate(rows) if row.block == block), 0)
        self._scroll("moveto", str(max(0, first - _ABOVE) / max(1, len(rows))))

    def _box(self, router: str, block: int) -> tk.Widget:
        theme, tick = self._theme, self.ticks[router][block]
        line = font.nametofont("TkFixedFont").metrics("linespace")
        box = TickBox(self.gutter, tick, line, theme)
        box.bind("<Button-4>", self._wheel)
        box.bind("<Button-5>", self._wheel)
        return box

    def _selected(self) -> None:
        selection = self.list.selection()
        if selection and selection[0] != self.shown:
            self.show(selection[0])

    def _toggle_all(self) -> None:
        """Tick all blocks of the visible router, or untick them if all are ticked."""
        ticks = self.ticks[self.shown]
        on = not all(tick.get() for tick in ticks)
        for tick in ticks:
            tick.set(on)

    def _count(self, router: str) -> None:
        ticks = self.ticks[router]
        self.list.set(router, "count", f"{sum(tick.get() for tick in ticks)} of {len(ticks)}")
        total = sum(tick.get() for ticks in self.ticks.values() for tick in ticks)
        every = sum(len(ticks) for ticks in self.ticks.values())
        self._summary.configure(text=f"{total} of {every} {'change' if every == 1 else 'changes'} ticked")
        self.take_button.configure(state="normal" if total else "disabled")
        if router == self.shown:
            self._mark(router)

    def _mark(self, router: str) -> None:
        """Show changes without a tick faintly."""
        for block, tick in enumerate(self.ticks[router]):
            for text in (self.left, self.right):
                color = self._theme.text if tick.get() else self._theme.faint
                # Without a tick, a removed line stays and an added line is not added, so neither side is highlighted.
                background = "" if tick.get() else _mix(self._theme.faint, self._theme.card, 0.10)
                text.tag_configure(f"block{block}", foreground=color, background=background)

    # --- scrolling together ---

    def _scroll(self, *arguments: str) -> None:
        for text in (self.left, self.gutter, self.right):
            text.yview(*arguments)

    def _scrolled(self, text: tk.Text, first: str, last: str) -> None:
        self._bar.set(first, last)
        for side in (self.left, self.gutter, self.right):
            if side is not text and side.yview()[0] != float(first):
                side.yview_moveto(float(first))

    def _wheel(self, event: tk.Event) -> str:
        up = event.num == 4 or event.delta > 0
        self._scroll("scroll", "-3" if up else "3", "units")
        return "break"

    # --- actions ---

    def ticked_changes(self) -> dict[str, list[ConfigChange]]:
        """The ticked changes by router, without routers that have none."""
        ticked = {
            name: [
                change
                for block, tick in zip(side.blocks, self.ticks[name], strict=True)
                if tick.get()
                for change in block
            ]
            for name, side in self._sides.items()
        }
        return {name: changes for name, changes in ticked.items() if changes}

    def take(self) -> None:
        """Accept the ticked changes, and close."""
        changes = self.ticked_changes()
        self.destroy()
        self.on_take(changes)

    def leave(self) -> None:
        """Close without a decision."""
        self.destroy()
        self.on_leave()

    def drop(self) -> None:
        """Drop all changes, and close."""
        self.destroy()
        self.on_drop()


class TickBox(tk.Canvas):
    """A checkbox as high as a line of text, so that the lines beside it stay aligned."""

    def __init__(self, parent: tk.Misc, tick: tk.BooleanVar, line_px: int, theme: Theme) -> None:
        self._size = max(9, line_px - 3)
        super().__init__(
            parent, width=self._size, height=self._size, highlightthickness=0, borderwidth=0, cursor="hand2",
            background=theme.card, takefocus=1,
        )  # fmt: skip
        self._tick, self._theme = tick, theme
        self._trace = tick.trace_add("write", lambda *_: self._draw())
        self.bind("<Button-1>", lambda event: tick.set(not tick.get()))
        self.bind("<space>", lambda event: tick.set(not tick.get()))
        self.bind("<Destroy>", lambda event: tick.trace_remove("write", self._trace))
        self._draw()

    def _draw(self) -> None:
        size, on = self._size - 1, self._tick.get()
        self.delete("all")
        color = self._theme.accent if on else self._theme.faint
        self.create_rectangle(0, 0, size, size, outline=color, fill=color if on else self._theme.card)
        if on:
            points = [size * 0.22, size * 0.52, size * 0.43, size * 0.74, size * 0.80, size * 0.28]
            self.create_line(points, fill=self._theme.card, width=max(1.5, size / 7), capstyle="round")


def _mix(color: str, background: str, share: float) -> str:
    """A mix of a color and a background; `share` is that of the color."""
    pairs = ((int(color[at : at + 2], 16), int(background[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)
