"""Faults that the random user found: lost focus, cut texts, menus that stay, and a source that is gone."""

from __future__ import annotations

import gc
import tkinter as tk
import weakref
from tkinter.font import nametofont
from typing import Any

import pytest

from frrlib.edits.changes import delete
from frrlib.picture.scene import Key
from miniedit_frr.dialogs.fields.inputs import OpenInput
from miniedit_frr.dialogs.fields.kinds import TextKind
from miniedit_frr.dialogs.fields.slots import Slot
from miniedit_frr.lab_control.failure_window import FailureWindow
from miniedit_frr.runs.list_panel import RunList
from miniedit_frr.widgets.focus import focused, last_focused
from miniedit_frr.widgets.popup import popup_menu
from miniedit_frr.window import help_menu
from tests import keyboard
from tests.random_user.focus import FocusWatch
from tests.random_user.widget_texts import cut_texts
from tests.window.widgets import of_class

pytestmark = pytest.mark.gui


def test_an_open_menu_is_no_widget_of_the_window(user: Any) -> None:
    """Tk puts a copy of the menu bar into the window. The copy gets the keyboard, and tkinter does not know it."""
    window = user.editor.window
    keyboard.give(user.view)
    assert focused(window) is user.view
    assert last_focused(window) is user.view
    (menu,) = (name for name in window.tk.splitlist(window.tk.call("winfo", "children", ".")) if "#" in str(name))
    window.tk.call("focus", "-force", menu)
    user.wait(lambda: str(window.tk.call("focus")) == menu)
    assert focused(window) is None
    assert last_focused(window) is None
    with pytest.raises(KeyError):
        window.focus_lastfor()


def test_the_button_of_the_find_bar_is_whole_in_a_narrow_window(user: Any) -> None:
    user.editor.window.geometry("600x500")
    user.editor.find_bar.open()
    user.wait(lambda: user.editor.find_bar.winfo_ismapped())
    user.editor.window.update()
    (button,) = of_class(user.editor.find_bar, "TButton")
    assert button.winfo_width() >= button.winfo_reqwidth()


def test_a_source_that_is_gone_is_forgotten(user: Any) -> None:
    for at in ((100, 100), (300, 100), (300, 300)):
        user.put("h", at)
    user.tool("f")
    user.click((100, 100))
    user.document.apply("Delete", delete(user.topology, ["h1"]))
    user.sweep((300, 100), (300, 200), (300, 300))
    assert [(flow.source, flow.destination) for flow in user.topology.flows] == [("h2", "h3")]


def test_a_window_appears_only_after_an_open_menu_is_closed(user: Any) -> None:
    window = user.editor.window
    keyboard.give(user.view)
    menu = popup_menu(window, user.editor.theme)
    menu.add_command(label="Nothing")
    menu.tk_popup(window.winfo_rootx() + 300, window.winfo_rooty() + 300)
    user.wait(lambda: window.tk.call("grab", "current"))
    failure = FailureWindow(window, "The lab failed", "No place.", [], lambda name: None, user.editor.theme)
    window.update()
    assert not failure.winfo_viewable(), "it would take the keyboard from the menu"
    window.tk.call("tk::MenuUnpost", menu)
    user.wait(failure.winfo_viewable)
    user.wait(lambda: focused(window) is not None)


def test_the_next_popup_menu_replaces_the_previous_one(user: Any) -> None:
    window, theme = user.editor.window, user.editor.theme
    first = popup_menu(window, theme)
    below = popup_menu(first, theme)
    beside = popup_menu(first, theme)
    assert below.winfo_exists() and beside.winfo_exists()
    count = len(window.winfo_children())
    second = popup_menu(window, theme)
    assert second.winfo_exists() and not first.winfo_exists() and not below.winfo_exists()
    assert len(window.winfo_children()) == count


def test_a_hint_in_a_narrow_field_shows_that_a_part_is_missing(user: Any) -> None:
    whole = "the kernel's or the host's"
    kind = TextKind(read=str, show=str, widget="open", width=30)
    field = OpenInput(user.editor.window, Slot(kind, lambda: "", lambda text: None, lambda: whole), 1.0)
    field.widget.place(x=0, y=0, width=320)
    field.refresh()
    (hint,) = of_class(field.widget, "Label")
    user.wait(lambda: hint.winfo_width() > 100)
    assert hint.cget("text") == whole
    field.entry.pack_configure(fill="x", expand=True)
    field.widget.place(width=120)
    user.wait(lambda: hint.winfo_width() < 100)
    user.wait(lambda: hint.winfo_reqwidth() <= hint.winfo_width())
    assert str(hint.cget("text")).startswith("the k") and str(hint.cget("text")).endswith("…")


def test_the_list_of_keys_scrolls_on_a_low_screen(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    window = user.editor.window
    monkeypatch.setattr(tk.Misc, "winfo_screenheight", lambda widget: 500)
    help_menu.show_keys(window)
    (sheet,) = [child for child in window.winfo_children() if isinstance(child, tk.Toplevel)]
    user.wait(sheet.winfo_viewable)
    window.update()
    assert sheet.winfo_height() <= 500
    assert list(cut_texts(window)) == []
    (last,) = [label for label in of_class(sheet, "TLabel") if "All runs" in str(label.cget("text"))]
    (close,) = of_class(sheet, "TButton")
    assert last.winfo_rooty() + last.winfo_height() > close.winfo_rooty()
    for _ in range(4):
        keyboard.press(sheet, "<Key-Next>")
    user.wait(lambda: last.winfo_rooty() + last.winfo_height() <= close.winfo_rooty())


def test_the_field_of_the_find_bar_is_usable_in_the_narrowest_window(user: Any) -> None:
    window, bar = user.editor.window, user.editor.find_bar
    window.geometry("560x500")
    user.wait(lambda: window.winfo_width() == 560)
    bar.open()
    user.wait(bar.winfo_ismapped)
    (field,), (button,) = of_class(bar, "TEntry"), of_class(bar, "TButton")
    user.wait(lambda: field.winfo_width() >= 50)
    assert button.winfo_width() >= button.winfo_reqwidth()
    window.geometry("1000x500")
    user.wait(lambda: field.winfo_width() >= 200 and button.cget("text") == "Close")
    assert [label.cget("text") for label in of_class(bar, "TLabel") if label.winfo_viewable()] == ["", "Find"]


def test_the_hint_below_the_runs_shows_that_a_part_is_missing(user: Any) -> None:
    runs = RunList(user.editor.window, 1.0)
    runs.place(x=0, y=0, width=320, height=200)
    runs.show(())
    (label,) = [label for label in of_class(runs, "TLabel") if str(label.cget("text")).startswith("No runs")]
    user.wait(lambda: str(label.cget("text")).endswith("…"))
    font = nametofont("TkDefaultFont")
    assert font.measure(str(label.cget("text"))) <= label.winfo_width()
    runs.place(width=900)
    user.wait(lambda: str(label.cget("text")).endswith("click Run Flows."))


@pytest.mark.parametrize("height_px", [380, 420, 456])
def test_all_tools_are_whole_in_a_low_window(user: Any, height_px: int) -> None:
    window, toolbox = user.editor.window, user.editor.toolbox
    window.geometry(f"840x{height_px}")
    user.wait(lambda: window.winfo_height() == height_px)
    window.update()
    fields = [*toolbox.pack_slaves()]
    assert len(fields) > 8
    assert [field.winfo_height() for field in fields] == [field.winfo_reqheight() for field in fields]
    assert max(field.winfo_y() + field.winfo_height() for field in fields) <= toolbox.winfo_height()


@pytest.mark.parametrize("at", [(0.99, 0.5), (0.5, 0.99), (0.99, 0.99)])
def test_the_field_of_a_note_at_the_edge_is_in_sight(user: Any, at: tuple[float, float]) -> None:
    view = user.view
    user.tool("n")
    user.click(view.to_world(at[0] * view.winfo_width(), at[1] * view.winfo_height()))
    user.editor.window.update()
    field = user.editor.canvas_commands.writing.field
    assert field.winfo_x() >= 0 and field.winfo_x() + field.winfo_width() <= view.winfo_width()
    assert field.winfo_y() >= 0 and field.winfo_y() + field.winfo_height() <= view.winfo_height()
    user.write("at the edge", "<Control-Return>")
    (note,) = user.topology.annotations
    assert note.text == "at the edge"


def test_a_list_without_names_says_so(user: Any) -> None:
    """The text was shown only after the drawing had lost its last controller, so the list took the focus unseen."""
    user.put("s", (100, 100))
    user.editor.dialogs.open_key(Key("node", "s1"))
    (dialog,) = [child for child in user.editor.window.winfo_children() if isinstance(child, tk.Toplevel)]
    user.wait(dialog.winfo_viewable)
    label = next(label for label in of_class(dialog, "TLabel") if label.cget("text") == "The drawing contains none.")
    user.wait(label.winfo_viewable)
    keyboard.give(label.master)
    assert list(FocusWatch(user.editor).violations()) == []


def test_a_field_that_is_destroyed_is_freed(user: Any) -> None:
    """Its variable had a trace, which Tk kept together with the field."""
    kind = TextKind(read=str, show=str, widget="open", width=30)
    field = OpenInput(user.editor.window, Slot(kind, lambda: "", lambda text: None), 1.0)
    field.widget.place(x=0, y=0)
    field.refresh()
    user.editor.window.update()
    variable, reference = str(field.variable), weakref.ref(field)
    assert user.editor.window.tk.call("trace", "info", "variable", variable)
    field.widget.destroy()
    user.editor.window.update()
    del field
    gc.collect()
    assert reference() is None
    assert not user.editor.window.tk.call("trace", "info", "variable", variable)
