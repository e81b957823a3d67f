"""The toolbox: the column of tools at the left of the window."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal

import ttkbootstrap as ttk
from PIL import ImageTk

from frrlib.picture import icons
from frrlib.picture.theme import LIGHT, Theme
from miniedit_frr.tools.base import Tool

#: The opacity of a disabled tool's icon.
_FADED = 0.3
#: The opacity of each pixel there, by its opacity in the whole picture.
_FADED_ALPHAS = [round(alpha * _FADED) for alpha in range(256)]
#: The layouts of a field, from the highest to the lowest: its inner margin in units, the position of the icon above the
#: title ("none": only the icon), and the share of the icon's full size.
_DENSITIES: tuple[tuple[int, Literal["top", "none"], float], ...] = (
    (5, "top", 1.0), (1, "top", 1.0), (5, "none", 1.0), (1, "none", 1.0), (1, "none", 0.8),
    (0, "none", 0.7), (0, "none", 0.6), (0, "none", 0.5),
)  # fmt: skip


class Toolbox(tk.Frame):
    """A column with a field for each tool. The field of the selected tool is highlighted.

    Args:
        rows: tools that share a row of small fields below another tool, by the icon of that tool.
    """

    def __init__(
        self, parent: tk.Misc, tools: Sequence[Tool], choose: Callable[[Tool], None], ui: float,
        rows: Mapping[str, Sequence[Tool]],
    ) -> None:  # fmt: skip
        super().__init__(parent, padx=round(4 * ui), pady=round(4 * ui))
        self._theme, self._selected, self._size_px = LIGHT, tools[0], round(30 * ui)
        self._pictures: dict[str, tuple[ImageTk.PhotoImage, ImageTk.PhotoImage]] = {}
        self.fields: dict[str, tk.Label] = {}
        self._choose, self._ui = choose, ui
        self._off: frozenset[str] = frozenset()
        self._rows: list[tk.Frame] = []
        self._small: set[str] = set()
        self._height_px, self._share = 0, 1.0
        in_rows = [tool for row in rows.values() for tool in row]
        for tool in tools:
            if tool not in in_rows:
                self.add(tool)
        for icon, row in rows.items():
            self.add_row(row, after=icon)
        self.bind("<Configure>", lambda event: self._fit(event.height))

    def _fit(self, height_px: int) -> None:
        """Choose the largest layout in which all tools are visible. Tips show the titles that are left out."""
        if height_px == self._height_px:
            return
        self._height_px = height_px
        for margin, compound, share in _DENSITIES:
            if share != self._share:
                self._share = share
                self.set_theme(self._theme)
            for icon, field in self.fields.items():
                if icon not in self._small:
                    field.configure(pady=round(margin * self._ui), compound=compound)
                else:
                    field.configure(pady=round((6 if compound == "top" else margin) * self._ui))
            if sum(part.winfo_reqheight() + 2 for part in self.pack_slaves()) + 10 * self._ui <= height_px:
                return

    def add(self, tool: Tool, after: str = "") -> None:
        """Add a tool's field below the one with the icon `after`, or below all others."""
        ui = self._ui
        field = tk.Label(
            self, text=tool.title, compound="top", width=round(94 * ui), padx=round(2 * ui), pady=round(5 * ui)
        )
        if after:
            field.pack(fill="x", pady=1, after=self.fields[after])
        else:
            field.pack(fill="x", pady=1)
        self._listen(field, tool)

    def add_row(self, tools: Sequence[Tool], after: str = "") -> None:
        """Add tools as one row of small fields below the one with the icon `after`, or below all others. Tips show
        their titles."""
        ui = self._ui
        row = tk.Frame(self)
        if after:
            row.pack(fill="x", pady=1, after=self.fields[after])
        else:
            row.pack(fill="x", pady=1)
        self._rows.append(row)
        for tool in tools:
            field = tk.Label(row, width=round(94 * ui / len(tools)) - 4, pady=round(6 * ui))
            field.pack(side="left", expand=True)
            self._small.add(tool.icon)
            self._listen(field, tool)

    def _listen(self, field: tk.Label, tool: Tool) -> None:
        field.bind("<Button-1>", lambda event: self._choose(tool))
        field.bind("<Enter>", lambda event: field.configure(background=self._hover(field)))
        field.bind("<Leave>", lambda event: self.show(self._selected))
        ttk.ToolTip(field, text=f"{tool.hint}  ({tool.key.upper()})")
        self.fields[tool.icon] = field

    def switch_off(self, tools: Collection[Tool]) -> None:
        """Disable these tools, and enable all others."""
        self._off = frozenset(tool.icon for tool in tools)
        self.show(self._selected)

    def show(self, tool: Tool) -> None:
        """Highlight the field of this tool."""
        self._selected = tool
        for icon, field in self.fields.items():
            ground = self._theme.pressed if icon == tool.icon else self._theme.base_ground
            is_off = icon in self._off
            field.configure(background=ground, foreground=self._theme.down if is_off else self._theme.text)
            if icon in self._pictures:
                field.configure(image=self._pictures[icon][is_off])

    def _hover(self, field: tk.Label) -> str:
        return self._theme.pressed if field is self.fields[self._selected.icon] else self._theme.hover

    def set_theme(self, theme: Theme) -> None:
        """Show the column in a theme's colors."""
        self._theme = theme
        self.configure(background=theme.base_ground)
        for row in self._rows:
            row.configure(background=theme.base_ground)
        # The fields show the previous pictures until they get the new ones. A picture without a reference disappears.
        previous, self._pictures = self._pictures, {}
        for icon in self.fields:
            size_px = round(self._size_px * self._share * (0.72 if icon in self._small else 1))
            image = icons.image(icon, size_px, theme.name)
            faded = image.copy()
            faded.putalpha(image.getchannel("A").point(_FADED_ALPHAS))
            self._pictures[icon] = ImageTk.PhotoImage(image, master=self), ImageTk.PhotoImage(faded, master=self)
        self.show(self._selected)
        del previous
