"""The widget with the keyboard is visible and differs from one without it: by pixels of the screen, in both themes."""

from __future__ import annotations

import tkinter as tk

import pytest
import ttkbootstrap as ttk
from PIL import Image, ImageChops, ImageGrab

from frrlib.picture.scene import Key
from miniedit_frr.widgets.styles import apply_styles
from tests import keyboard
from tests.window.hands_on_window import User
from tests.window.topologies import TWO_ROUTERS

pytestmark = [pytest.mark.gui, pytest.mark.timeout(120)]
LAB = TWO_ROUTERS
#: The minimum difference of a pixel in brightness, and the minimum number of pixels that have it.
_BRIGHTER, _PIXELS = 30, 20


def _picture(widget: tk.Misc, size: tuple[int, int]) -> Image.Image:
    widget.update()
    x, y = widget.winfo_rootx(), widget.winfo_rooty()
    box = x, y, x + size[0], y + size[1]
    return ImageGrab.grab(box, xdisplay=str(widget.winfo_screen())).convert("L")


def _changed(widget: tk.Misc, other: tk.Misc) -> int:
    """The number of pixels of a widget that change when it gets the keyboard from another one."""
    size = widget.winfo_width(), widget.winfo_height()
    keyboard.give(other)
    before = _picture(widget, size)
    keyboard.give(widget)
    return sum(ImageChops.difference(before, _picture(widget, size)).histogram()[_BRIGHTER:])


def test_every_class_shows_its_focus(user: User) -> None:
    editor = user.editor
    page = ttk.Toplevel(master=editor.window)
    page.geometry("400x420+0+0")
    other = ttk.Entry(page)
    tree, tabs = ttk.Treeview(page, height=2, show="tree"), ttk.Notebook(page)
    tabs.add(ttk.Frame(tabs, width=60, height=20), text="tab")
    widgets: list[tk.Misc] = [
        tree, tabs, ttk.Button(page, text="Button"), ttk.Checkbutton(page, text="Box"), ttk.Entry(page),
        ttk.Checkbutton(page, text="Stays", bootstyle="primary-outline-toolbutton"), tk.Text(page, height=2, width=9),
        tk.Canvas(page, height=30, width=60, highlightthickness=0, takefocus=True),
        ttk.Radiobutton(page, text="One", bootstyle="secondary-outline-toolbutton"),
    ]  # fmt: skip
    for widget in (other, *widgets):
        widget.pack(pady=2)
    for name in ("light", "dark"):
        editor.preferences.store.change(editor.preferences.now.model_copy(update={"theme": name}))
        apply_styles(editor.window, editor.theme, editor.ui)
        counts = {f"{widget.winfo_class()} {number}": _changed(widget, other) for number, widget in enumerate(widgets)}
        assert min(counts.values()) >= _PIXELS, (name, counts)
    # An arrow in a list without a current line goes to its first line.
    for text in ("one", "two"):
        tree.insert("", "end", text, text=text)
    keyboard.press(tree, "<Key-Down>")
    assert tree.selection() == ("one",)
    keyboard.press(tree, "<Key-Down>")
    assert tree.selection() == ("two",)
    page.destroy()


def test_fields_scroll_into_sight_and_the_ring_follows(lab: User) -> None:
    view, panel = lab.view, lab.editor.properties
    lab.editor.window.geometry("1100x480")
    lab.wait(lambda: lab.editor.window.winfo_height() == 480)
    view.select({Key("node", "r1")})
    lab.editor.window.update()
    keyboard.give(view)
    assert view.winfo_containing(view.winfo_rootx() + 1, view.winfo_rooty() + 1) is not view  # the ring
    shown = [slot.focus for slot in panel.form.inputs.values() if slot.focus.winfo_ismapped()]
    for widget in (shown[-1], shown[0], shown[-1]):
        keyboard.give(widget)
        middle = widget.winfo_rootx() + 9, widget.winfo_rooty() + widget.winfo_height() // 2
        assert view.winfo_containing(*middle) is widget
    assert view.winfo_containing(view.winfo_rootx() + 1, view.winfo_rooty() + 1) is view
