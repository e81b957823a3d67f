"""The start page on an empty canvas: three steps to a running lab, six examples, and buttons for more."""

from __future__ import annotations

import tkinter as tk
import tkinter.ttk as ttk
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from PIL import Image, ImageTk

from frrlib.errors import LabError
from frrlib.exchange import opening
from frrlib.picture.theme import THEMES, Theme
from frrlib.picture.thumbnail import picture
from miniedit_frr.editor.examples import Example
from miniedit_frr.widgets.deferred import DeferredCall
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
_DEVICES_TEXT = "LegacySwitch is a plain Ethernet switch. Switch supports OpenFlow. FRR router runs OSPF, BGP and more."
#: Cards in a row, and the width and height of their pictures.
_COLUMNS, _WIDTH, _HEIGHT = 3, 210, 76
#: Padding above a picture.
_PADDING = 5


#: The bind tag of the widgets of a removed page.
_REMOVED_TAG = "LateStartPage"


@dataclass(frozen=True)
class StartPageActions:
    """The commands of the buttons on the page.

    Attributes:
        open: asks for a file, and opens it.
        insert: asks for a generated network.
        recent, examples: fill a menu with the recent files, and with all examples. They are called when the menu opens.
    """

    open: Callable[[], object]
    insert: Callable[[], object]
    recent: Callable[[tk.Menu], object]
    examples: Callable[[tk.Menu], object]


def _with_descendants(widget: tk.Misc) -> Iterator[tk.Misc]:
    yield widget
    for child in widget.winfo_children():
        yield from _with_descendants(child)


def _pass_on(canvas: tk.Misc, sequence: str, event: tk.Event) -> None:
    """Send a click on another widget to the canvas, at the same place on the screen."""
    x, y = event.x_root - canvas.winfo_rootx(), event.y_root - canvas.winfo_rooty()
    canvas.event_generate(f"<{sequence}-{event.num}>", x=x, y=y, state=int(event.state))


class StartPage(tk.Frame):
    """A page over the canvas while the drawing is empty.

    Args:
        examples: the examples with a card.
        open_example: called with the example whose card was clicked.
        actions: the commands of the buttons below the cards.

    Attributes:
        cards: the cards of the examples.
        buttons: the buttons below them.
    """

    def __init__(
        self, parent: tk.Misc, examples: Sequence[Example], open_example: Callable[[Example], None],
        actions: StartPageActions, ui: float, theme: Theme,
    ) -> None:  # fmt: skip
        super().__init__(parent, background=theme.canvas)
        self._open_example, self._ui, self._theme = open_example, ui, theme
        self._images: list[ImageTk.PhotoImage] = []
        #: They are hidden if the canvas is too low for the whole page.
        self._pictures: list[tk.Label] = []
        self.cards: list[tk.Frame] = []
        self._label(self, "Draw a network", 18, theme.text, bold=True).pack(pady=(0, round(6 * ui)))
        self._add_steps()
        self._label(self, _DEVICES_TEXT, 9, theme.faint).pack(pady=(0, round(10 * ui)))
        if examples:
            self._label(self, "… or start with an example", 12, theme.text).pack(pady=(0, round(4 * ui)))
            frame = tk.Frame(self, background=theme.canvas)
            frame.pack()
            frame.columnconfigure(tuple(range(_COLUMNS)), uniform="cards")
            for example in examples:
                self._add_card(frame, example)
        self._add_buttons(actions)
        self.update_idletasks()
        self._full_height_px = self.winfo_reqheight()
        # A widget as high as the canvas, since bindings of the canvas itself would outlive this page.
        self._height_probe = tk.Frame(parent, background=theme.canvas)
        self._height_probe.place(x=-2, y=0, width=1, relheight=1)
        self._height_probe.bind("<Configure>", lambda event: self._fit(event.height))

    def leave(self) -> None:
        """Remove the page. Clicks on it that were not handled yet are sent to the canvas.

        The display sends a click to the widget under the pointer. A key that removes the page may be handled only after
        the user has clicked where the page was, and events for destroyed widgets are lost.
        """
        for widget in _with_descendants(self):
            widget.bindtags((_REMOVED_TAG,))
        for sequence in ("ButtonPress", "ButtonRelease"):
            self.bind_class(_REMOVED_TAG, f"<{sequence}>", partial(_pass_on, self.master, sequence))
        self.place_forget()
        self.winfo_pointerxy()  # the display replies after all events that it has sent to the page
        DeferredCall(self, self.destroy).soon()

    def destroy(self) -> None:
        """Destroy the page at once."""
        self._height_probe.destroy()
        super().destroy()

    def _fit(self, height_px: int) -> None:
        """Hide the pictures if the page does not fit with them."""
        for label in self._pictures:
            if height_px < self._full_height_px:
                label.pack_forget()
            elif not label.winfo_manager():
                label.pack(padx=8, pady=(_PADDING, 0), before=label.master.winfo_children()[1])

    def _add_steps(self) -> None:
        row, ui = tk.Frame(self, background=self._theme.canvas), self._ui
        row.pack(pady=(0, round(6 * ui)))
        for column, (title, text) in enumerate(STEPS):
            self._label(row, title, 11, self._theme.text, bold=True).grid(row=0, column=column, sticky="w", padx=10)
            label = self._label(row, text, 10, self._theme.faint)
            label.configure(wraplength=round((_WIDTH + 20) * ui), justify="left")
            label.grid(row=1, column=column, sticky="nw", padx=10)

    def _add_buttons(self, actions: StartPageActions) -> None:
        row = tk.Frame(self, background=self._theme.canvas)
        row.pack(pady=(round(10 * self._ui), 0))
        buttons: list[tk.Widget] = [ttk.Button(row, text="Open…", command=actions.open)]
        buttons.append(self._menu_button(row, "Recent ", actions.recent))
        buttons.append(ttk.Button(row, text="Insert Topology…", command=actions.insert))
        buttons.append(self._menu_button(row, "All examples ", actions.examples))
        for button in buttons:
            button.pack(side="left", padx=4)
        self.buttons = tuple(buttons)

    def _menu_button(self, parent: tk.Misc, title: str, fill: Callable[[tk.Menu], object]) -> ttk.Menubutton:
        button = ttk.Menubutton(parent, text=title)
        menu = popup_menu(button, self._theme)
        menu.configure(postcommand=lambda: fill(menu))
        button.configure(menu=menu)
        return button

    def _label(self, parent: tk.Misc, text: str, size: int, color: str, bold: bool = False) -> tk.Label:
        font = ("TkDefaultFont", -round(size * 1.25 * self._ui), "bold" if bold else "normal")
        background = str(parent.cget("background"))
        return tk.Label(parent, text=text, font=font, foreground=color, background=background, justify="center")

    def _add_card(self, frame: tk.Frame, example: Example) -> None:
        theme, ui = self._theme, self._ui
        try:
            thumbnail = _thumbnail(
                example.path, example.path.stat().st_mtime_ns, round(_WIDTH * ui), round(_HEIGHT * ui), theme.name
            )
        except (LabError, OSError):
            return
        card = tk.Frame(
            frame, background=theme.card, highlightthickness=max(1, round(ui)), highlightbackground=theme.edge,
            cursor="hand2", takefocus=True,
        )  # fmt: skip
        card.configure(highlightcolor=theme.accent)
        image = ImageTk.PhotoImage(thumbnail, master=self)
        self._images.append(image)
        self._pictures.append(tk.Label(card, image=image, background=theme.card, borderwidth=0))
        labels: list[tk.Widget] = [self._pictures[-1]]
        labels.append(self._label(card, example.title, 11, theme.text, bold=True))
        about = self._label(card, example.about, 9, theme.faint)
        about.configure(wraplength=round((_WIDTH + 4) * ui))
        labels.append(about)
        for label, pady in zip(labels, ((_PADDING, 0), (0, 0), (0, 5)), strict=True):
            label.pack(padx=8, pady=pady)
        for widget in (card, *labels):
            widget.bind("<ButtonRelease-1>", lambda event: self._open_example(example))
            widget.bind("<Enter>", lambda event: card.configure(highlightbackground=theme.accent))
            widget.bind("<Leave>", lambda event: card.configure(highlightbackground=theme.edge))
        card.bind("<Return>", lambda event: self._open_example(example))
        row, column = divmod(len(self.cards), _COLUMNS)
        card.grid(row=row, column=column, padx=8, pady=5, sticky="nsew")
        self.cards.append(card)


@lru_cache(maxsize=32)
def _thumbnail(path: Path, modified_ns: int, width_px: int, height_px: int, theme: str) -> Image.Image:
    """The picture of a topology. The page returns with each new topology, so pictures are kept.

    Args:
        modified_ns: the time of the file's last change, so that a changed file is drawn again.

    Raises:
        TopologyError: the file is not a topology.
    """
    return picture(opening.load(path).topology, width_px, height_px, THEMES[theme])
