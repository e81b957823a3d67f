"""The start page on an empty canvas: three steps to a running lab, six labs to click, and other ways to begin."""

from __future__ import annotations

import tkinter as tk
import tkinter.ttk as ttk
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from PIL import ImageTk

from frrlib.errors import LabError
from frrlib.formats import mn
from frrlib.picture.theme import Theme
from frrlib.picture.thumbnail import picture
from miniedit_frr.editor.examples import Example
from miniedit_frr.widgets.popup import popup_menu

#: The first, second and third step.
STEPS = (
    ("1  Draw", "Click Host, Switch or FRR router on the left, then click here. Drag from node to node with NetLink."),
    ("2  Run", "Click ▶ Run at the bottom left, or press F5. You do not need root."),
    (
        "3  Look inside",
        "Double-click a node to open its terminal. Two nodes sends pings. Flow draws traffic to measure.",
    ),
)
_WHICH = "LegacySwitch is a plain Ethernet switch. Switch supports OpenFlow. FRR router runs OSPF, BGP and more."
#: Cards in a row, and the width and height of their pictures.
_ACROSS, _WIDE, _HIGH = 3, 210, 76
#: Room above a picture.
_ABOVE = 5


#: The tag of the widgets of a page that has been taken away.
_LATE = "LateStartPage"


@dataclass(frozen=True)
class StartPageActions:
    """Other commands of the page.

    Attributes:
        open: asks for a file.
        insert: asks for a network that a rule makes.
        recent, examples: fill a menu with the files that were open lately, and with all examples; asked when it opens.
    """

    open: Callable[[], object]
    insert: Callable[[], object]
    recent: Callable[[tk.Menu], object]
    examples: Callable[[tk.Menu], object]


def _all_of(widget: tk.Misc) -> Iterator[tk.Misc]:
    yield widget
    for child in widget.winfo_children():
        yield from _all_of(child)


def _pass_on(canvas: tk.Misc, sequence: str, event: tk.Event) -> None:
    """A click that came to another widget comes to the canvas, at the same place on the screen."""
    x, y = event.x_root - canvas.winfo_rootx(), event.y_root - canvas.winfo_rooty()
    canvas.event_generate(f"<{sequence}-{event.num}>", x=x, y=y, state=int(event.state))


class StartPage(tk.Frame):
    """Shown over the canvas as long as the drawing is empty.

    Args:
        listed: what has a card.
        pick: called with the example whose card was clicked.
        doors: what the buttons below the cards do.

    Attributes:
        cards: the labs that are shown.
        doors: the buttons below them.
    """

    def __init__(
        self, parent: tk.Misc, listed: Sequence[Example], pick: Callable[[Example], None], doors: StartPageActions,
        ui: float, theme: Theme,
    ) -> None:  # fmt: skip
        super().__init__(parent, background=theme.canvas)
        self._pick, self._ui, self._theme = pick, ui, theme
        self._images: list[ImageTk.PhotoImage] = []
        #: Parts hidden first where the canvas is low.
        self._pictures: list[tk.Label] = []
        self.cards: list[tk.Frame] = []
        self._label(self, "Draw a network", 18, theme.text, bold=True).pack(pady=(0, round(6 * ui)))
        self._row_of_steps()
        self._label(self, _WHICH, 9, theme.faint).pack(pady=(0, round(10 * ui)))
        if listed:
            self._label(self, "… or start with an example", 12, theme.text).pack(pady=(0, round(4 * ui)))
            shelf = tk.Frame(self, background=theme.canvas)
            shelf.pack()
            shelf.columnconfigure(tuple(range(_ACROSS)), uniform="cards")
            for example in listed:
                self._card(shelf, example)
        self._row_of_doors(doors)
        self.update_idletasks()
        self._whole_px = self.winfo_reqheight()
        # As high as the canvas; bindings of the canvas itself would outlive this page.
        self._ruler = tk.Frame(parent, background=theme.canvas)
        self._ruler.place(x=-2, y=0, width=1, relheight=1)
        self._ruler.bind("<Configure>", lambda event: self._fit(event.height))

    def leave(self) -> None:
        """Take the page away; clicks on it that are still on their way reach what it covered.

        The display sends a click to what is under the pointer. A key that takes the page away may be handled only after
        a quick hand has clicked where the page was, and what is sent to a widget that is destroyed gets lost.
        """
        for widget in _all_of(self):
            widget.bindtags((_LATE,))
        for sequence in ("ButtonPress", "ButtonRelease"):
            self.bind_class(_LATE, f"<{sequence}>", partial(_pass_on, self.master, sequence))
        self.place_forget()
        self.winfo_pointerxy()  # when the display answers, all that it sent to the page has come
        self.after_idle(self.destroy)

    def destroy(self) -> None:
        """End the page at once."""
        self._ruler.destroy()
        super().destroy()

    def _fit(self, height_px: int) -> None:
        """Leave the pictures out where the whole page would not fit with them."""
        for shown in self._pictures:
            if height_px < self._whole_px:
                shown.pack_forget()
            elif not shown.winfo_manager():
                shown.pack(padx=8, pady=(_ABOVE, 0), before=shown.master.winfo_children()[1])

    def _row_of_steps(self) -> None:
        row, ui = tk.Frame(self, background=self._theme.canvas), self._ui
        row.pack(pady=(0, round(6 * ui)))
        for column, (title, text) in enumerate(STEPS):
            self._label(row, title, 11, self._theme.text, bold=True).grid(row=0, column=column, sticky="w", padx=10)
            told = self._label(row, text, 10, self._theme.faint)
            told.configure(wraplength=round((_WIDE + 20) * ui), justify="left")
            told.grid(row=1, column=column, sticky="nw", padx=10)

    def _row_of_doors(self, doors: StartPageActions) -> None:
        row = tk.Frame(self, background=self._theme.canvas)
        row.pack(pady=(round(10 * self._ui), 0))
        parts: list[tk.Widget] = [ttk.Button(row, text="Open…", command=doors.open)]
        parts.append(self._menu(row, "Recent ", doors.recent))
        parts.append(ttk.Button(row, text="Insert Topology…", command=doors.insert))
        parts.append(self._menu(row, "All examples ", doors.examples))
        for part in parts:
            part.pack(side="left", padx=4)
        self.buttons = tuple(parts)

    def _menu(self, parent: tk.Misc, title: str, fill: Callable[[tk.Menu], object]) -> ttk.Menubutton:
        button = ttk.Menubutton(parent, text=title)
        menu = popup_menu(button, self._theme)
        menu.configure(postcommand=lambda: fill(menu))
        button.configure(menu=menu)
        return button

    def _label(self, parent: tk.Misc, text: str, size: int, colour: str, bold: bool = False) -> tk.Label:
        font = ("TkDefaultFont", -round(size * 1.25 * self._ui), "bold" if bold else "normal")
        ground = str(parent.cget("background"))
        return tk.Label(parent, text=text, font=font, foreground=colour, background=ground, justify="center")

    def _card(self, shelf: tk.Frame, example: Example) -> None:
        theme, ui = self._theme, self._ui
        try:
            topology = mn.load(example.path).topology
        except LabError:
            return
        card = tk.Frame(
            shelf, background=theme.card, highlightthickness=max(1, round(ui)), highlightbackground=theme.edge,
            cursor="hand2", takefocus=True,
        )  # fmt: skip
        card.configure(highlightcolor=theme.accent)
        image = ImageTk.PhotoImage(picture(topology, round(_WIDE * ui), round(_HIGH * ui), theme), master=self)
        self._images.append(image)
        self._pictures.append(tk.Label(card, image=image, background=theme.card, borderwidth=0))
        parts: list[tk.Widget] = [self._pictures[-1]]
        parts.append(self._label(card, example.title, 11, theme.text, bold=True))
        about = self._label(card, example.about, 9, theme.faint)
        about.configure(wraplength=round((_WIDE + 4) * ui))
        parts.append(about)
        for part, pady in zip(parts, ((_ABOVE, 0), (0, 0), (0, 5)), strict=True):
            part.pack(padx=8, pady=pady)
        for widget in (card, *parts):
            widget.bind("<ButtonRelease-1>", lambda event: self._pick(example))
            widget.bind("<Enter>", lambda event: card.configure(highlightbackground=theme.accent))
            widget.bind("<Leave>", lambda event: card.configure(highlightbackground=theme.edge))
        card.bind("<Return>", lambda event: self._pick(example))
        row, column = divmod(len(self.cards), _ACROSS)
        card.grid(row=row, column=column, padx=8, pady=5, sticky="nsew")
        self.cards.append(card)
