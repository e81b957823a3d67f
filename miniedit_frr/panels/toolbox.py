"""The tool column at the left."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence

import ttkbootstrap as ttk
from PIL import ImageTk

from miniedit_frr.canvas import icons
from miniedit_frr.style.theme import LIGHT, Theme
from miniedit_frr.tools.base import Tool


class Toolbox(tk.Frame):
    """A field a tool; the chosen one is coloured."""

    def __init__(self, parent: tk.Misc, tools: Sequence[Tool], choose: Callable[[Tool], None], ui: float) -> None:
        super().__init__(parent, padx=round(4 * ui), pady=round(4 * ui))
        self._theme, self._chosen, self._size_px = LIGHT, tools[0], round(30 * ui)
        self._pictures: list[ImageTk.PhotoImage] = []
        self.fields: dict[str, tk.Label] = {}
        for tool in tools:
            field = tk.Label(
                self, text=tool.title, compound="top", width=round(94 * ui), padx=round(2 * ui), pady=round(5 * ui)
            )
            field.pack(fill="x", pady=1)
            field.bind("<Button-1>", lambda event, tool=tool: choose(tool))  # type: ignore[misc]
            field.bind("<Enter>", lambda event, field=field: field.configure(background=self._hover(field)))  # type: ignore[misc]
            field.bind("<Leave>", lambda event: self.show(self._chosen))
            ttk.ToolTip(field, text=f"{tool.hint}  ({tool.key.upper()})")
            self.fields[tool.icon] = field

    def show(self, tool: Tool) -> None:
        """Colour the field of this tool."""
        self._chosen = tool
        for icon, field in self.fields.items():
            ground = self._theme.pressed if icon == tool.icon else self._theme.base_ground
            field.configure(background=ground, foreground=self._theme.text)

    def _hover(self, field: tk.Label) -> str:
        return self._theme.pressed if field is self.fields[self._chosen.icon] else self._theme.hover

    def set_theme(self, theme: Theme) -> None:
        """Show the column in a theme's colours."""
        self._theme = theme
        self.configure(background=theme.base_ground)
        images = [icons.image(icon, self._size_px, theme.name) for icon in self.fields]
        self._pictures = [ImageTk.PhotoImage(image, master=self) for image in images]
        for field, picture in zip(self.fields.values(), self._pictures, strict=True):
            field.configure(image=picture)
        self.show(self._chosen)
