"""Saving stores what the screen shows: every command first applies the text that is being typed."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ttkbootstrap as ttk

from frrlib.formats import mn
from miniedit_frr.document.document import Document
from miniedit_frr.editor.pending_text import ALLOWED_WITH_INVALID_TEXT
from miniedit_frr.files import file_menu
from miniedit_frr.window.menus import MENUS, MenuLine, key_sequences
from tests import keyboard
from tests.window.hands_on_dialogs import link, node
from tests.window.hands_on_window import User, editor_on
from tests.window.topologies import TWO_ROUTERS

pytestmark = pytest.mark.gui

LAB = TWO_ROUTERS
RATE = "a_to_b.rate_mbit"
ITEMS = [item for _, items in MENUS for item in items if isinstance(item, MenuLine)]
#: Commands whose keys an entry handles itself; Control-Z reverts its text.
OF_ENTRIES = {"cut", "copy", "paste", "delete", "select_all", "undo"}


@pytest.fixture(scope="module")
def _one_user(display: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[User]:
    with editor_on(Document(), tmp_path_factory.mktemp("window")) as editor:
        yield User(editor)


@pytest.fixture
def lab(_one_user: User) -> User:
    """A user of a window with LAB. All tests of this module share the window."""
    editor = _one_user.editor
    editor.canvas_commands.leave_writing()
    editor.properties.drop_faulty()
    editor.document.new()
    editor.document.apply("Draw", LAB)
    editor.log.text.configure(state="normal")
    editor.log.text.delete("1.0", "end")
    _one_user.tool("v")
    return _one_user


def type_into(user: Any, text: str, path: str = RATE) -> Any:
    """Type into a field of link l2's panel without leaving it; returns the field."""
    user.view.select({link("l2")})
    user.editor.window.update()
    entry = user.editor.properties.form.inputs[path].focus
    keyboard.press(entry, "<Control-Key-slash>", "<Key-Delete>")
    keyboard.write(entry, text)
    return entry


def put_into(user: Any, text: str) -> Any:
    """Have a text in the rate's field and the keyboard there, without a key for every letter; returns the field."""
    user.view.select({link("l2")})
    entry = user.editor.properties.form.inputs[RATE].focus
    keyboard.give(entry)
    entry.delete(0, "end")
    entry.insert(0, text)
    return entry


def rate(user: Any) -> Any:
    return user.topology.links[1].a_to_b.rate_mbit


def record(user: Any, command: str, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let a command only note the rate that it would act on; it can always be done."""
    noted: list[Any] = []
    menus = user.editor.menus
    monkeypatch.setitem(menus._commands, command, lambda: noted.append(rate(user)))
    monkeypatch.setattr(menus, "_can", lambda item: True)
    return noted


def test_every_command_and_key_applies_the_typed_text_first(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """All lines of the menus, each by its key where it has one that does not belong to the field."""
    for number, item in enumerate(ITEMS, start=10):
        with monkeypatch.context() as patches:
            noted = record(lab, item.command, patches)
            keys = [key for shortcut in item.shortcuts for key in key_sequences(shortcut)]
            entry = put_into(lab, str(number))
            if keys and item.command not in OF_ENTRIES:
                keyboard.press(entry, keys[0])
            else:
                lab.editor.menus.run(item)
            assert noted == [number], item


def test_every_line_of_a_submenu_applies_the_typed_text_first(lab: Any) -> None:
    menus, noted = lab.editor.menus, list[Any]()
    for number, name in enumerate(menus._submenus, start=10):
        menus._submenus = {**menus._submenus, name: lambda: [("Act", lambda: noted.append(rate(lab)))]}
        menu = filled(lab, name)
        put_into(lab, str(number))
        menu.invoke(0)
        assert noted[-1:] == [number], name


def filled(user: Any, name: str) -> Any:
    menu = tk.Menu(user.editor.window, tearoff=False)
    user.editor.menus._fill(menu, name)
    return menu


def test_saving_stores_the_typed_rate(lab: Any, tmp_path: Path) -> None:
    lab.document.path = tmp_path / "lab.mn"
    keyboard.press(type_into(lab, "33"), "<Control-Key-s>")
    assert mn.load(tmp_path / "lab.mn").topology.links[1].a_to_b.rate_mbit == 33
    assert lab.document.is_saved


def test_choosing_from_an_editable_list_applies_at_once(lab: Any) -> None:
    lab.view.select({node("h1")})
    lab.editor.window.update()
    form = lab.editor.properties.form
    path = next(path for path, field in form.inputs.items() if form.draft.kind(path).widget == "open")
    box, edit_count = form.inputs[path].focus, lab.edits()
    box.set(form.inputs[path].slot.options[0])
    box.event_generate("<<ComboboxSelected>>")
    assert lab.edits() == edit_count + 1


def test_invalid_text_is_not_saved_silently(lab: Any, tmp_path: Path) -> None:
    """Saving refuses with the reason, and the keyboard and the text stay in the field."""
    lab.document.path = tmp_path / "lab.mn"
    entry = type_into(lab, "fast")
    keyboard.press(entry, "<Control-Key-s>")
    assert not (tmp_path / "lab.mn").exists()
    assert "Rate: is not a number; expected one such as" in lab.editor.log.text.get("1.0", "end")
    assert keyboard.holder(entry) == str(entry)
    assert entry.get() == "fast"
    keyboard.press(entry, "<Escape>", "<Control-Key-s>")
    assert (tmp_path / "lab.mn").exists()


def test_invalid_text_stays_when_another_field_is_applied(lab: Any) -> None:
    entry = type_into(lab, "fast")
    type_into(lab, "20", "a_to_b.delay_ms")
    lab.editor.menus.run(next(item for item in ITEMS if item.command == "fit"))
    assert lab.topology.links[1].a_to_b.delay_ms == 20
    assert entry.get() == "fast"
    assert "Is not a number" in lab.editor.properties.form.notes[RATE].cget("text")


def test_the_panel_rejects_the_name_of_another_node(lab: Any) -> None:
    lab.view.select({node("h1")})
    lab.editor.window.update()
    form = lab.editor.properties.form
    entry, edit_count = form.inputs["node.name"].focus, lab.edits()
    keyboard.press(entry, "<Control-Key-slash>", "<Key-Delete>")
    keyboard.write(entry, "r1")
    assert "Is the name of another node" in form.notes["node.name"].cget("text")
    keyboard.press(entry, "<Return>")
    assert (entry.get(), lab.edits()) == ("r1", edit_count)
    keyboard.press(entry, "<Control-Key-slash>", "<Key-Delete>")
    keyboard.write(entry, "h1", "<Return>")
    assert form.notes["node.name"].cget("text") == ""
    assert lab.edits() == edit_count


@pytest.mark.parametrize(("answer", "stays"), [("Back to the Field", True), (None, True), ("Drop the Text", False)])
def test_closing_asks_about_invalid_text(
    lab: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str | None, stays: bool
) -> None:
    lab.document.save(tmp_path / "lab.mn")
    questions: list[str] = []

    def question(text: str, *_: Any, **__: Any) -> str | None:
        questions.append(text)
        return answer

    monkeypatch.setattr(file_menu.Messagebox, "show_question", question)
    type_into(lab, "fast")
    lab.editor.files.new()
    assert len(questions) == 1
    assert "Rate: is not a number" in questions[0]
    assert bool(lab.topology.nodes) == stays


def test_commands_allowed_with_invalid_text_are_in_the_menus() -> None:
    assert {item.command for item in ITEMS} >= ALLOWED_WITH_INVALID_TEXT


# --- all other ways in: presses and keys at widgets -----------------------------------------------------------------


def press_at(widget: tk.Misc, at: tuple[int, int] = (5, 5), button: int = 1) -> None:
    """Press and let go a button of the pointer at a widget, with the toolkit's own events."""
    for event in (f"<ButtonPress-{button}>", f"<ButtonRelease-{button}>"):
        widget.event_generate(event, x=at[0], y=at[1])
        widget.update()


def all_below(widget: tk.Misc) -> list[tk.Misc]:
    return [widget, *(below for child in widget.winfo_children() for below in all_below(child))]


def buttons_of(user: Any) -> list[ttk.Button]:
    """All buttons that can be pressed in the window now, besides those of the form and those that go on."""
    editor, stop = user.editor, user.editor.lab_controller.mode.buttons.stop
    free = tuple(map(str, (editor.properties, editor.status, stop)))
    buttons = [widget for widget in all_below(editor.window) if isinstance(widget, ttk.Button)]
    buttons = [button for button in buttons if button.winfo_viewable() and button.instate(["!disabled"])]
    return [button for button in buttons if not str(button).startswith(free)]


def test_every_button_of_the_window_applies_the_typed_text_first(lab: Any) -> None:
    editor = lab.editor
    editor.panes.toggle("scenario")
    editor.window.update()
    buttons = buttons_of(lab)
    assert {button.cget("text") for button in buttons} >= {"▶ Run", "Add…"}
    for number, button in enumerate(buttons, start=10):
        noted: list[Any] = []
        button.configure(command=lambda noted=noted: noted.append(rate(lab)))
        entry = put_into(lab, str(number))
        press_at(button)
        assert noted == [number], button
        put_into(lab, "fast")
        press_at(button)
        assert noted == [number], "the command does not act while the text is invalid"
        assert keyboard.holder(entry) == str(entry)
        keyboard.press(entry, "<Escape>")
    assert "Rate: is not a number" in editor.log.text.get("1.0", "end")


def test_the_edit_button_applies_valid_text_and_works_with_invalid_text(
    lab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted: list[Any] = []
    monkeypatch.setattr(lab.editor.properties, "on_edit", lambda: noted.append(rate(lab)))
    entry = type_into(lab, "33")
    press_at(lab.editor.properties.edit)
    keyboard.write(entry, "fast")
    press_at(lab.editor.properties.edit)
    assert noted == [33, 33]
    assert "fast" in entry.get()


def test_stop_works_with_invalid_text(lab: Any) -> None:
    noted: list[str] = []
    stop = lab.editor.lab_controller.mode.buttons.stop
    stop.configure(state="normal", command=lambda: noted.append("stop"))
    type_into(lab, "fast")
    press_at(stop)
    assert noted == ["stop"]


@pytest.mark.parametrize("button", [1, 3])
def test_a_press_on_the_canvas_applies_the_typed_text_first(
    lab: Any, monkeypatch: pytest.MonkeyPatch, button: int
) -> None:
    """A click, the start of a drag, and the press that opens a context menu."""
    noted: list[Any] = []
    monkeypatch.setattr(lab.editor.tool_controller, "on_press", lambda: noted.append(rate(lab)))
    monkeypatch.setattr(lab.editor.tool_controller, "on_context", [])
    where = tuple(map(round, lab.view.to_widget(lab.at("h1"))))
    entry = type_into(lab, "33")
    press_at(lab.view, where, button)
    assert noted == [33]
    assert lab.selected() == {"h1"}
    entry = type_into(lab, "fast")
    press_at(lab.view, where, button)
    assert noted == [33]
    assert {key.kind for key in lab.view.selection} == {"link"}
    assert (entry.get(), keyboard.holder(entry)) == ("fast", str(entry))
    keyboard.press(entry, "<Escape>")
    assert entry.get() == "33"
    press_at(lab.view, where, button)
    assert lab.selected() == {"h1"}


def test_a_drag_applies_the_typed_text_and_is_blocked_by_invalid_text(lab: Any) -> None:
    type_into(lab, "33")
    (x, y), edits = lab.at("h1"), lab.edits()
    lab.sweep((x, y), (x + 40, y + 40), (x + 60, y + 60))
    assert (rate(lab), lab.edits()) == (33, edits + 2)
    moved = lab.at("h1")
    assert moved != (x, y)
    type_into(lab, "fast")
    lab.sweep(moved, (moved[0] + 40, moved[1]), (moved[0] + 60, moved[1]))
    assert lab.at("h1") == moved


def test_invalid_text_blocks_the_selection_of_search_hits(lab: Any) -> None:
    lab.editor.find_bar.open()
    entry = type_into(lab, "fast")
    lab.editor.find_bar.words.set("h1")
    assert {key.kind for key in lab.view.selection} == {"link"}
    keyboard.press(entry, "<Escape>")
    lab.editor.find_bar.words.set("r1")
    assert lab.selected() == {"r1"}
    lab.editor.find_bar.close()


def test_invalid_text_blocks_letters_and_arrows_on_the_canvas(lab: Any) -> None:
    """The canvas gets the focus by Tab, for example."""
    entry, topology = type_into(lab, "fast"), lab.topology
    for key in ("<Key-r>", "<Key-Right>", "<Key-Delete>"):
        keyboard.press(lab.view, key)
        assert (lab.topology, lab.editor.tool_controller.tool.icon) == (topology, "select"), key
        assert keyboard.holder(entry) == str(entry)


def test_tools_and_lists_apply_the_typed_text_first(lab: Any) -> None:
    editor = lab.editor
    editor.problems.tree.bind("<Button-1>", lambda event: noted.append(rate(lab)))
    editor.toolbox.fields["router"].bind("<Button-1>", lambda event: noted.append(rate(lab)))
    for number, widget in enumerate((editor.toolbox.fields["router"], editor.problems.tree), start=20):
        noted: list[Any] = []
        type_into(lab, str(number))
        press_at(widget)
        type_into(lab, "fast")
        press_at(widget)
        assert noted == [number], widget
        lab.press_key("<Escape>", editor.properties.form.inputs[RATE].focus)


def test_an_invalid_name_on_the_canvas_blocks_commands_until_escape(lab: Any, tmp_path: Path) -> None:
    lab.document.path = tmp_path / "lab.mn"
    lab.view.select({node("h1")})
    lab.press_key("<F2>")
    field = lab.editor.canvas_commands.writing.field
    keyboard.press(field, "<Control-Key-slash>", "<Key-Delete>")
    keyboard.write(field, "r1", "<Return>")
    assert field.winfo_exists()
    keyboard.press(field, "<Control-Key-s>")
    press_at(lab.view, (5, 5))
    assert field.winfo_exists() and field.get() == "r1"
    assert not (tmp_path / "lab.mn").exists()
    assert "'r1' is the name of another node" in lab.editor.log.text.get("1.0", "end")
    keyboard.press(field, "<Escape>", "<Control-Key-s>")
    assert {host.name for host in mn.load(tmp_path / "lab.mn").topology.nodes} >= {"h1", "r1"}


def test_invalid_text_blocks_flows_and_sweeps(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their dialogs are windows of their own, in which the text may be forgotten."""
    running, log = lab.editor.lab_controller, lab.editor.log.text
    monkeypatch.setattr(type(running.lab), "can_send", property(lambda self: True))
    type_into(lab, "fast")
    running.send_into(tmp := Path("nowhere"), 10.0)
    running.sweeps.start(None)
    assert not tmp.exists()
    assert "The flows can be sent then" in log.get("1.0", "end")
    assert "The sweep can start then" in log.get("1.0", "end")
