"""The window's own icon, where desktops show one."""

from __future__ import annotations

import tkinter as tk

from PIL import ImageTk

from frrlib.picture import icons

_SIZES_PX = (128, 64, 32, 16)


def set_icon(window: tk.Tk) -> None:
    """Give a window, and all that it opens, the editor's icon in the sizes that desktops ask for."""
    pictures = [ImageTk.PhotoImage(icons.image("router", size, "light"), master=window) for size in _SIZES_PX]
    window.iconphoto(True, *(str(each) for each in pictures))
    # Tk knows images by name only: they live as long as somebody holds them.
    window.emblem = pictures  # type: ignore[attr-defined]
