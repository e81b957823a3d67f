"""A scrolling frame settles at every size of its content, with exactly the bars that it needs."""

from __future__ import annotations

import tkinter as tk
from functools import partial
from typing import Any

import pytest
import ttkbootstrap as ttk

from miniedit_frr.dialogs.scroller import Scroller
from tests.waiting import wait_for
from tests.window.widgets import of_class, scroll_bar

pytestmark = pytest.mark.gui

HIGHEST_PX, WIDE_PX = 300, 240
#: A layout that settles measures itself a few times; the limit only ends one that never does.
MOST_FITS = 100


def _has_height(scroller: Scroller, height_px: int) -> bool:
    scroller.update()
    return bool(scroller.winfo_height() == height_px)


def _has_bar_across(scroller: Scroller) -> bool:
    scroller.update()
    return bool(scroll_bar(scroller, "horizontal").winfo_ismapped())


def test_the_size_settles_for_any_height_of_the_content(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fits = [0]
    fit = Scroller.fit

    def count_fit(scroller: Scroller) -> None:
        fits[0] += 1
        if fits[0] < MOST_FITS:
            fit(scroller)

    monkeypatch.setattr(Scroller, "fit", count_fit)
    window = tk.Toplevel(user.editor.window)
    scroller = Scroller(window, HIGHEST_PX)
    scroller.pack(fill="both", expand=True)
    content = ttk.Frame(scroller.inner, width=WIDE_PX)
    content.pack()
    for height_px in range(HIGHEST_PX - 20, HIGHEST_PX + 21):
        fits[0] = 0
        content.configure(height=height_px)
        expected_px = min(height_px, HIGHEST_PX)
        window.update_idletasks()
        scroller.fit()  # as a dialog does when its content has grown
        wait_for(partial(_has_height, scroller, expected_px), f"a height of {expected_px}")
        assert fits[0] < MOST_FITS, height_px
        assert scroll_bar(scroller, "vertical").winfo_ismapped() == (height_px > HIGHEST_PX)
        assert not scroll_bar(scroller, "horizontal").winfo_ismapped()
        assert of_class(scroller, "Canvas")[0].winfo_width() == WIDE_PX
    window.geometry(f"{WIDE_PX - 40}x{HIGHEST_PX}")
    wait_for(partial(_has_bar_across, scroller), "a bar across")
    assert scroll_bar(scroller, "vertical").winfo_ismapped()
    window.destroy()
