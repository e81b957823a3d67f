"""`WindowFit`: a drawing stays fitted while its window grows, until the user zooms."""

from __future__ import annotations

import tkinter as tk

import pytest

from frrlib.picture.geometry import Box
from miniedit_frr.app.window_fit import WindowFit
from miniedit_frr.canvas.viewport import Viewport
from tests.waiting import wait_for

pytestmark = pytest.mark.gui

#: A drawing that is as wide as it is high, so the height of the canvas decides the zoom.
_BOX = Box(0.0, 0.0, 1000.0, 1000.0)


class _Drawing(Viewport):
    def bounds(self) -> Box:
        return _BOX


def test_a_drawing_stays_fitted_until_the_user_zooms(display: str) -> None:
    window = tk.Tk()
    try:
        window.geometry("800x500")
        view = _Drawing(window, ui=1.0)
        panel = tk.Frame(window, height=150)
        view.pack(fill="both", expand=True)
        moved = list[str]()
        WindowFit(view, lambda: moved.append("moved"))

        def resize(width: int, height: int) -> None:
            window.geometry(f"{width}x{height}")
            wait_for(lambda: view.winfo_height() == height, "the new size", window.update)
            window.update()

        wait_for(lambda: view.is_fitted, "the first fit", window.update)
        assert view.factor == pytest.approx(0.5)
        resize(900, 800)
        assert moved == ["moved"] * 2
        assert view.factor == pytest.approx(0.8)
        panel.pack(side="bottom", fill="x", before=view)
        wait_for(lambda: view.winfo_height() == 650, "the panel", window.update)
        assert view.factor == pytest.approx(0.8)
        panel.pack_forget()
        view.zoom_to(1.2)
        resize(850, 600)
        assert view.factor == pytest.approx(1.2)
    finally:
        window.destroy()
