"""The icon of the window, for desktops that show one."""

from __future__ import annotations

import tkinter as tk

from PIL import ImageTk

from frrlib.picture import icons

_SIZES_PX = (128, 64, 32, 16)


def set_icon(window: tk.Tk) -> None:
    """Give a window, and all windows that it opens, the editor's icon in the sizes that desktops use."""
    pictures = [ImageTk.PhotoImage(icons.image("router", size, "light"), master=window) for size in _SIZES_PX]
    window.iconphoto(True, *(str(picture) for picture in pictures))
    # Tk refers to images by name only, so a reference must keep them alive.
    window.emblem = pictures  # type: ignore[attr-defined]
