"""What is on the screen is what is saved: every command first takes over the text that is being typed."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from frrlib.formats import mn
from miniedit_frr.editor.field_in_use import GOES_ON
from miniedit_frr.files import filing
from miniedit_frr.window.menus import MENUS, Item, sequences
from tests import keyboard
from tests.window.drawings import TWO_ROUTERS
from tests.window.hands_on_dialogs import link, node

pytestmark = pytest.mark.gui

LAB = TWO_ROUTERS
RATE = "a_to_b.rate_mbit"
ITEMS = [item for _, items in MENUS for item in items if isinstance(item, Item)]
#: Keys that an entry has for its own text; Control-Z takes back what was typed there.
OF_ENTRIES = {"cut", "copy", "paste", "delete", "select_all", "undo"}


def type_into(user: Any, text: str, path: str = RATE) -> Any:
    """Type into a field of link l2's panel without leaving it; returns the field."""
    user.view.select({link("l2")})
    user.editor.window.update()
    entry = user.editor.properties.form.inputs[path].focus
    keyboard.press(entry, "<Control-Key-slash>", "<Key-Delete>")
    keyboard.write(entry, text)
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


def test_every_command_and_key_takes_the_field_over_first(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """All lines of the menus, each by its key where it has one that does not belong to the field."""
    for number, item in enumerate(ITEMS, start=10):
        with monkeypatch.context() as patches:
            noted = record(lab, item.command, patches)
            keys = [key for each in item.shortcuts for key in sequences(each)]
            entry = type_into(lab, str(number))
            if keys and item.command not in OF_ENTRIES:
                keyboard.press(entry, keys[0])
            else:
                lab.editor.menus.run(item)
            assert noted == [number], item


def test_every_line_of_a_submenu_takes_the_field_over_first(lab: Any) -> None:
    menus, noted = lab.editor.menus, list[Any]()
    for number, name in enumerate(menus._submenus, start=10):
        menus._submenus = {**menus._submenus, name: lambda: [("Act", lambda: noted.append(rate(lab)))]}
        menu = filled(lab, name)
        type_into(lab, str(number))
        menu.invoke(0)
        assert noted[-1:] == [number], name


def filled(user: Any, name: str) -> Any:
    menu = tk.Menu(user.editor.window, tearoff=False)
    user.editor.menus._fill(menu, name)
    return menu


def test_a_file_has_the_rate_that_the_screen_shows(lab: Any, tmp_path: Path) -> None:
    lab.document.path = tmp_path / "lab.mn"
    keyboard.press(type_into(lab, "33"), "<Control-Key-s>")
    assert mn.load(tmp_path / "lab.mn").topology.links[1].a_to_b.rate_mbit == 33
    assert lab.document.is_saved


def test_a_pick_from_an_editable_list_is_a_change_at_once(lab: Any) -> None:
    lab.view.select({node("h1")})
    lab.editor.window.update()
    form = lab.editor.properties.form
    path = next(path for path, made in form.inputs.items() if form.draft.kind(path).widget == "open")
    box, before = form.inputs[path].focus, lab.edits()
    box.set(form.inputs[path].slot.options[0])
    box.event_generate("<<ComboboxSelected>>")
    assert lab.edits() == before + 1


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


def test_invalid_text_stays_while_another_field_is_taken_over(lab: Any) -> None:
    entry = type_into(lab, "fast")
    type_into(lab, "20", "a_to_b.delay_ms")
    lab.editor.menus.run(next(item for item in ITEMS if item.command == "fit"))
    assert lab.topology.links[1].a_to_b.delay_ms == 20
    assert entry.get() == "fast"
    assert "Is not a number" in lab.editor.properties.form.notes[RATE].cget("text")


def test_the_name_of_another_node_is_refused_beside_the_field(lab: Any) -> None:
    lab.view.select({node("h1")})
    lab.editor.window.update()
    form = lab.editor.properties.form
    entry, before = form.inputs["node.name"].focus, lab.edits()
    keyboard.press(entry, "<Control-Key-slash>", "<Key-Delete>")
    keyboard.write(entry, "r1")
    assert "Is the name of another node" in form.notes["node.name"].cget("text")
    keyboard.press(entry, "<Return>")
    assert (entry.get(), lab.edits()) == ("r1", before)
    keyboard.press(entry, "<Control-Key-slash>", "<Key-Delete>")
    keyboard.write(entry, "h1", "<Return>")
    assert form.notes["node.name"].cget("text") == ""
    assert lab.edits() == before


@pytest.mark.parametrize(("answer", "stays"), [("Back to the Field", True), (None, True), ("Drop the Text", False)])
def test_closing_asks_about_invalid_text(
    lab: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str | None, stays: bool
) -> None:
    lab.document.save(tmp_path / "lab.mn")
    asked: list[str] = []

    def question(text: str, *_: Any, **__: Any) -> str | None:
        asked.append(text)
        return answer

    monkeypatch.setattr(filing.Messagebox, "show_question", question)
    type_into(lab, "fast")
    lab.editor.files.new()
    assert len(asked) == 1
    assert "Rate: is not a number" in asked[0]
    assert bool(lab.topology.nodes) == stays


def test_what_goes_on_with_invalid_text_is_in_the_menus() -> None:
    assert {item.command for item in ITEMS} >= GOES_ON


def test_an_end_from_outside_keeps_the_typed_text(lab: Any) -> None:
    type_into(lab, "33")
    close: Callable[[], None] = lab.editor.close
    close()
    (draft,) = lab.editor._drafts.glob("*.draft")
    kept = mn.loads(draft.read_bytes().partition(b"\n")[2], draft.name).topology
    assert kept.links[1].a_to_b.rate_mbit == 33
