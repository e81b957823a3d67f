"""A figure is enlarged and scrolled. The colors of its pixels state their places, and are read from the screen."""

from __future__ import annotations

import tkinter as tk
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageGrab

from miniedit_frr.runs.figure_window import FigureWindow
from miniedit_frr.runs.list_panel import RunRow
from tests import keyboard
from tests.window.hands_on_window import User

pytestmark = [pytest.mark.gui]

#: Width and height of the picture: a pixel has the red of its column and the green of its row.
_WIDE, _HIGH = 640, 480
_SHIFT = 0x1


@pytest.fixture
def window(user: User, tmp_path: Path) -> FigureWindow:
    """The window of a picture whose colors state the places of its pixels, shown with its own size."""
    columns = Image.linear_gradient("L").transpose(Image.Transpose.ROTATE_90).resize((_WIDE, _HIGH))
    rows = Image.linear_gradient("L").resize((_WIDE, _HIGH))
    Image.merge("RGB", (columns, rows, Image.new("L", (_WIDE, _HIGH), 128))).save(tmp_path / "figure.png")
    user.editor.lab_controller.runs.show_figure(RunRow("today", "Places", "", "", str(tmp_path)))
    user.editor.window.update()
    (shown,) = [child for child in user.editor.window.winfo_children() if isinstance(child, FigureWindow)]
    keyboard.give(shown)
    shown.geometry(f"{_WIDE}x{_HIGH + shown.winfo_height() - shown.view.winfo_height()}")
    user.wait(lambda: (shown.view.winfo_width(), shown.view.winfo_height()) == (_WIDE, _HIGH))
    user.wait(lambda: shown.zoom_text() == "100 %")
    return shown


def color(window: FigureWindow, x: int, y: int) -> tuple[int, int]:
    """Red and green of a point of the picture's area on the screen: the place in the picture, from 0 to 255."""
    window.update()
    left, top = window.view.winfo_rootx() + x, window.view.winfo_rooty() + y
    display = str(window.tk.call("winfo", "screen", ".")).rpartition(".")[0]
    pixel: Any = ImageGrab.grab((left, top, left + 1, top + 1), xdisplay=display).getpixel((0, 0))
    assert pixel[2] == pytest.approx(128, abs=6), "outside of the picture"
    return pixel[0], pixel[1]


def wheel(window: FigureWindow, button: int, times: int, x: int, y: int, state: int = 0) -> None:
    for _ in range(times):
        window.view.canvas.event_generate(f"<Button-{button}>", x=x, y=y, state=state)
        window.update()


def test_the_picture_is_on_the_screen_as_it_is_in_the_file(window: FigureWindow) -> None:
    assert window.zoom_text() == "100 %"
    for x, y in ((0, 0), (200, 100), (_WIDE - 1, _HIGH - 1)):
        assert color(window, x, y) == pytest.approx((x * 255 / _WIDE, y * 255 / _HIGH), abs=4)


def test_the_wheel_zooms_to_the_pointer(window: FigureWindow) -> None:
    at, beside = color(window, 200, 100), color(window, 300, 200)
    wheel(window, 4, 4, 200, 100)
    factor = 1.25**4
    assert window.zoom_text() == f"{100 * factor:.0f} %"
    assert color(window, 200, 100) == pytest.approx(at, abs=4)
    expected = [first + (second - first) / factor for first, second in zip(at, beside, strict=True)]
    assert color(window, 300, 200) == pytest.approx(expected, abs=4)
    wheel(window, 5, 9, 500, 400)
    assert window.zoom_text() == "100 %"
    assert color(window, 200, 100) == pytest.approx(at, abs=4)


def test_keys_and_buttons_zoom(window: FigureWindow) -> None:
    center = color(window, _WIDE // 2, _HIGH // 2)
    keyboard.press(window, "<Key-plus>", "<Key-plus>")
    assert window.zoom_text() == "156 %"
    assert color(window, _WIDE // 2, _HIGH // 2) == pytest.approx(center, abs=4)
    keyboard.press(window, "<Key-minus>")
    assert window.zoom_text() == "125 %"
    keyboard.press(window, "<Key-0>")
    assert window.zoom_text() == "100 %"
    for name, text in (("larger", "125 %"), ("larger", "156 %"), ("smaller", "125 %"), ("fit", "100 %")):
        window.buttons[name].invoke()
        window.update()
        assert window.zoom_text() == text


def test_the_edges_of_an_enlarged_picture_are_reached_by_keys(window: FigureWindow) -> None:
    keyboard.press(window, *["<Key-plus>"] * 5, "<Key-End>")
    room = window.view.canvas.winfo_width(), window.view.canvas.winfo_height()
    assert room[0] < _WIDE and room[1] < _HIGH, "the scroll bars are missing"
    assert color(window, room[0] - 1, room[1] - 1) == pytest.approx((255, 255), abs=4)
    keyboard.press(window, "<Key-Home>")
    assert color(window, 0, 0) == pytest.approx((0, 0), abs=4)
    keyboard.press(window, "<Key-Right>", "<Key-Down>", "<Key-Down>")
    right, down = color(window, 0, 0)
    assert 0 < right < down
    keyboard.press(window, "<Key-0>")
    window.update()
    assert window.view.canvas.winfo_width() == _WIDE, "the scroll bars are still there"


def test_a_drag_moves_the_picture_with_the_pointer(window: FigureWindow) -> None:
    wheel(window, 4, 5, 320, 240)
    canvas, at = window.view.canvas, color(window, 300, 200)
    canvas.event_generate("<ButtonPress-1>", x=300, y=200)
    canvas.event_generate("<B1-Motion>", x=360, y=170, state=0x100)
    canvas.event_generate("<ButtonRelease-1>", x=360, y=170, state=0x100)
    assert color(window, 360, 170) == pytest.approx(at, abs=4)


def test_shift_and_the_wheel_scroll_sideways(window: FigureWindow) -> None:
    wheel(window, 4, 5, 0, 0)
    wheel(window, 5, 1, 100, 100, _SHIFT)
    right, down = color(window, 0, 0)
    assert right > 0 and down <= 2


def test_a_larger_window_shows_a_larger_picture_and_an_enlarged_one_keeps_its_factor(
    user: User, window: FigureWindow
) -> None:
    high = window.winfo_height()
    window.geometry(f"{_WIDE + 200}x{high + 150}")
    user.wait(lambda: window.zoom_text() == f"{100 * (_WIDE + 200) / _WIDE:.0f} %")
    keyboard.press(window, *["<Key-plus>"] * 3)
    enlarged = window.zoom_text()
    window.geometry(f"{_WIDE}x{high}")
    user.wait(lambda: window.view.winfo_width() == _WIDE)
    window.update()
    assert window.zoom_text() == enlarged


def test_the_largest_picture_uses_no_more_memory_than_its_window(window: FigureWindow) -> None:
    """A whole picture at eight times its size would have 20 million pixels."""
    keyboard.press(window, *["<Key-plus>"] * 20)
    assert window.zoom_text() == "800 %"
    canvas = window.view.canvas
    name = str(canvas.itemcget(canvas.find_all()[0], "image"))
    assert int(canvas.tk.call("image", "width", name)) <= _WIDE
    assert int(canvas.tk.call("image", "height", name)) <= _HIGH


def test_the_arrow_keys_of_the_numbers_do_not_scroll_the_picture(user: User, window: FigureWindow) -> None:
    keyboard.press(window, *["<Key-plus>"] * 5, "<Key-Home>")
    text = tk.Text(window)
    text.place(x=200, y=200, width=100, height=50)
    at = color(window, 0, 0)
    keyboard.press(text, "<Key-Down>", "<Key-Right>")
    assert color(window, 0, 0) == at
