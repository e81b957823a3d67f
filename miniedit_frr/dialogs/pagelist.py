"""Pages with a list of their titles at the left, for dialogs with too many pages for tabs."""

from __future__ import annotations

import tkinter as tk
from typing import Any, Literal

import ttkbootstrap as ttk
from PIL import Image, ImageDraw, ImageTk

from miniedit_frr.widgets.deferred import DeferredCall

#: The mark before a page's title: none, in use, or wrong.
Mark = Literal["", "on", "wrong"]
_STYLES: dict[Mark, str] = {"": "", "on": "success", "wrong": "danger"}
_PX, _FINE = 12, 4


class PageList(ttk.Frame):
    """A list of pages below headings, and the selected page."""

    def __init__(self, parent: tk.Misc, ui: float) -> None:
        super().__init__(parent)
        self._ui = ui
        self._pages: list[tk.Widget] = []
        self._marks: list[Mark] = []
        self._front = -1
        self.tree = ttk.Treeview(self, show="tree", selectmode="browse", height=8)
        self.tree.column("#0", width=round(140 * ui), minwidth=round(120 * ui))
        self.tree.pack(side="left", fill="y")
        self.tree.tag_configure("heading", font="TkSmallCaptionFont")
        self._dots: dict[Mark, ImageTk.PhotoImage] = {}
        self._paint()
        opening = DeferredCall(self, self._open_all)
        self.tree.bind("<<TreeviewSelect>>", self._on_select)
        self.tree.bind("<<TreeviewOpen>>", lambda event: self._open_all())
        self.tree.bind("<<TreeviewClose>>", lambda event: opening.soon())
        self.tree.bind("<<ThemeChanged>>", lambda event: self._repaint(), add=True)

    # --- methods of a notebook ---

    def add(self, page: tk.Widget, text: str, section: str = "") -> None:
        """Add a page at the end."""
        heading = f"section {section}"
        if not self.tree.exists(heading):
            self.tree.insert("", "end", heading, text=section, open=True, tags=("heading",))
        number = len(self._pages)
        self._pages.append(page)
        self._marks.append("")
        self.tree.insert(heading, "end", str(number), text=f" {text}", image=self._dots[""])
        if number == 0:
            self.select(0)

    def select(self, number: int) -> None:
        """Bring a page to the front."""
        if self.tree.selection() != (str(number),):
            self.tree.selection_set(str(number))
            self.tree.focus(str(number))
            self.tree.see(str(number))
        self._show(number)

    def index(self, which: str = "current") -> int:
        """The number of the front page; for "end", the number of pages."""
        return len(self._pages) if which == "end" else max(0, self._front)

    def tab(self, number: int, option: str = "text") -> str:
        """The title of a page."""
        return str(self.tree.item(str(number), option)).strip()

    # --- further methods ---

    def mark(self, number: int, mark: Mark) -> None:
        """Set the mark before a page's title."""
        if self._marks[number] != mark:
            self._marks[number] = mark
            self.tree.item(str(number), image=self._dots[mark])

    def mark_of(self, number: int) -> Mark:
        """The mark before a page's title."""
        return self._marks[number]

    def _show(self, number: int) -> None:
        if number != self._front:
            if self._front >= 0:
                self._pages[self._front].pack_forget()
            self._front = number
            self._pages[number].pack(side="left", fill="both", expand=True)
            self.event_generate("<<NotebookTabChanged>>")

    def _on_select(self, event: tk.Event) -> None:
        selected = self.tree.selection()
        if selected and selected[0].isdigit():
            self._show(int(selected[0]))
        elif selected:
            # A heading is no page: continue in the direction of the previous step.
            below = self.tree.get_children(selected[0])
            above = self.tree.prev(selected[0])
            came_down = self._front < int(below[0])
            last = self.tree.get_children(above)[-1] if above else below[0]
            self.select(int(below[0] if came_down or not above else last))

    def _open_all(self) -> None:
        for heading in self.tree.get_children():
            self.tree.item(heading, open=True)

    def _paint(self) -> None:
        style: Any = ttk.Style()
        # The list is always open, so it has no signs for folding.
        style.layout(
            "Pages.Treeview.Item",
            [
                (
                    "Treeitem.padding",
                    {
                        "sticky": "nswe",
                        "children": [
                            ("Treeitem.image", {"side": "left", "sticky": ""}),
                            ("Treeitem.text", {"side": "left", "sticky": ""}),
                        ],
                    },
                )
            ],
        )
        style.configure("Pages.Treeview", rowheight=round(23 * self._ui))
        self.tree.configure(style="Pages.Treeview")
        for mark, name in _STYLES.items():
            color = str(getattr(style.colors, name)) if name else ""
            self._dots[mark] = ImageTk.PhotoImage(_dot(round(_PX * self._ui), color), master=self)
        faint = str(style.lookup("secondary.TLabel", "foreground"))
        self.tree.tag_configure("heading", foreground=faint)

    def _repaint(self) -> None:
        self._paint()
        for number, mark in enumerate(self._marks):
            self.tree.item(str(number), image=self._dots[mark])


def _dot(size_px: int, color: str) -> Image.Image:
    """A round mark; without a color, a transparent picture of the same size."""
    fine = size_px * _FINE
    picture = Image.new("RGBA", (fine, fine))
    if color:
        edge = fine // 5
        ImageDraw.Draw(picture).ellipse((edge, edge, fine - edge, fine - edge), fill=color)
    return picture.resize((size_px, size_px), Image.Resampling.LANCZOS)
