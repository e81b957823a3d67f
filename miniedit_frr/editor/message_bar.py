"""A line beside the canvas with a message and buttons: above it about the file, below it about the running lab."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from typing import Literal

import ttkbootstrap as ttk

from miniedit_frr.dialogs.fields.slots import severity_color

#: The text of a button, and its command.
Answer = tuple[str, Callable[[], object]]


class MessageBar(ttk.Frame):
    """A message with a button per answer. It stays until a button is pressed, and does not block the window.

    Args:
        parent: the parent widget.
        canvas: the canvas, which gives it the room.
        ui: scaling of the screen.
        side: its side of the canvas. Below the canvas it does not move the drawing when it appears.

    Attributes:
        message: the label with the message.
        buttons: the visible buttons, by their texts.
    """

    def __init__(self, parent: tk.Misc, canvas: tk.Widget, ui: float, side: Literal["top", "bottom"] = "top") -> None:
        super().__init__(parent)
        line = ttk.Frame(self, padding=(round(10 * ui), round(6 * ui)))
        line.pack(side=side, fill="x")
        ttk.Separator(self).pack(side=side, fill="x")
        self._line, self._canvas = line, canvas
        self._side, self._gap = side, round(6 * ui)
        # The height stays while there are no buttons.
        button = ttk.Button(line)
        ttk.Frame(line, width=1, height=button.winfo_reqheight()).pack(side="left")
        button.destroy()
        self.message = ttk.Label(line, anchor="w", justify="left")
        self.buttons: dict[str, ttk.Button] = {}
        self.message.bind("<Configure>", lambda event: self._wrap(event.width))

    def show(self, message: str, answers: Sequence[Answer]) -> None:
        """Show a message and its buttons, the default one first. They replace the previous ones."""
        # The message is packed last, so that the buttons stay visible in a narrow window.
        self.message.pack_forget()
        for button in self.buttons.values():
            button.destroy()
        self.buttons = {}
        for index, (text, command) in reversed(list(enumerate(answers))):
            style = "primary" if index == 0 else "secondary-outline"
            button = ttk.Button(self._line, text=text, command=command, bootstyle=style)
            button.pack(side="right", padx=(self._gap, 0))
            self.buttons[text] = button
        self.message.configure(text=f"▲ {message}", foreground=severity_color("warning"))
        self.message.pack(side="left", fill="x", expand=True)
        if not self.winfo_manager():
            self.pack(side=self._side, fill="x", before=self._canvas)

    def hide(self) -> None:
        """Hide the message."""
        self.pack_forget()

    @property
    def is_shown(self) -> bool:
        """Whether a message is visible."""
        return bool(self.winfo_manager())

    def _wrap(self, width_px: int) -> None:
        if width_px > 1:
            self.message.configure(wraplength=width_px)
