"""A row of buttons over a drawing that offers alternatives to an edit that was just made. Nobody has to answer it.

The keyboard stays with the drawing. The digits 1, 2, ... in front of the texts are the keys that press the buttons.
"""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from functools import partial

import ttkbootstrap as ttk

#: The distance of the row from the pointer, in pixels at 100 %: below the picture and the name of a node.
_RIGHT, _DOWN = -40, 62
#: The least distance from the edges of the drawing, in pixels at 100 %.
_MARGIN = 8
#: Classes of widgets that take digits as text.
_TEXT_CLASSES = ("TEntry", "TCombobox", "Text", "TSpinbox")


class ChoiceBar(ttk.Frame):
    """Buttons near the pointer. A press elsewhere in the window, Escape, or a choice removes them.

    A digit presses the button of that number, unless a field for text has the keyboard.

    Attributes:
        buttons: the buttons that are offered now, by their texts.

    Args:
        parent: the widget over which the buttons are shown.
        ui: the factor of sizes on the screen.
    """

    def __init__(self, parent: tk.Misc, ui: float) -> None:
        super().__init__(parent, padding=round(4 * ui), relief="solid", borderwidth=1)
        self._parent, self._ui = parent, ui
        self.buttons: dict[str, ttk.Button] = {}
        top = parent.winfo_toplevel()
        top.bind("<ButtonPress>", self._pressed, add=True)
        top.bind("<Escape>", lambda event: self.close(), add=True)
        top.bind("<Key>", self._key_pressed, add=True)

    @property
    def is_shown(self) -> bool:
        """Whether buttons are offered."""
        return bool(self.buttons)

    def offer(self, choices: Sequence[tuple[str, Callable[[], object]]]) -> None:
        """Show a button for each choice: its text, and the function that carries it out."""
        self.close()
        for number, (text, choose) in enumerate(choices, 1):
            button = ttk.Button(
                self, text=f"{number}  {text}", bootstyle="secondary-outline", takefocus=False,
                command=partial(self._do, choose),
            )  # fmt: skip
            button.pack(side="left", padx=round(2 * self._ui))
            self.buttons[text] = button
        self.update_idletasks()
        parent, margin = self._parent, round(_MARGIN * self._ui)
        x = parent.winfo_pointerx() - parent.winfo_rootx() + round(_RIGHT * self._ui)
        y = parent.winfo_pointery() - parent.winfo_rooty() + round(_DOWN * self._ui)
        x = max(margin, min(x, parent.winfo_width() - self.winfo_reqwidth() - margin))
        y = max(margin, min(y, parent.winfo_height() - self.winfo_reqheight() - margin))
        self.place(x=x, y=y)
        self.lift()

    def close(self) -> None:
        """Remove the buttons."""
        self.place_forget()
        for button in self.buttons.values():
            button.destroy()
        self.buttons = {}

    def _do(self, choose: Callable[[], object]) -> None:
        self.close()
        choose()

    def _pressed(self, event: tk.Event) -> None:
        if self.buttons and not str(event.widget).startswith(f"{self}."):
            self.close()

    def _key_pressed(self, event: tk.Event) -> None:
        is_text = isinstance(event.widget, tk.Misc) and event.widget.winfo_class() in _TEXT_CLASSES
        if self.buttons and not is_text and event.char.isdigit() and 1 <= int(event.char) <= len(self.buttons):
            list(self.buttons.values())[int(event.char) - 1].invoke()
