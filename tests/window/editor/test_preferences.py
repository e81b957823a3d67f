"""The dialog of the user's preferences: most changes take effect at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from frrlib.edits import arrange
from miniedit_frr.document.document import Document
from miniedit_frr.user.preferences import Preferences, load
from miniedit_frr.window import preferences

pytestmark = pytest.mark.gui


def path_of(user: Any) -> Path:
    path: Path = user.editor.preferences.store.path
    return path


def open_preferences(user: Any) -> Any:
    user.press_key("<Control-Key-comma>")
    dialog = user.editor.preferences.dialog
    assert dialog is not None
    return dialog


def test_every_preference_has_its_field(user: Any) -> None:
    assert set(open_preferences(user).draft.fields) == set(Preferences.model_fields)


def test_the_theme_changes_at_once_and_is_kept(user: Any) -> None:
    light = user.view.cget("background")
    dialog = open_preferences(user)
    dialog.draft.set("theme", "dark")
    dialog.apply_button.invoke()
    assert user.view.cget("background") != light
    assert load(path_of(user))[0].theme == "dark"
    user.press_key("<F9>")
    assert user.view.cget("background") == light
    assert dialog.draft.content("theme") == "light"
    dialog.cancel_button.invoke()
    assert user.editor.preferences.dialog is None


def test_an_invalid_value_is_reported_and_changes_nothing(user: Any) -> None:
    dialog = open_preferences(user)
    for path, text in (("grid_px", "1000"), ("sample_hz", "often"), ("results_folder", "here")):
        dialog.draft.set(path, text)
        assert dialog.draft.fault(path)
        assert dialog.ok_button.instate(["disabled"])
    dialog.cancel_button.invoke()
    assert not path_of(user).exists()
    assert user.editor.preferences.now == Preferences()


def test_autosave_is_switched_off_and_on(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from miniedit_frr.files import autosave

    monkeypatch.setattr(autosave, "PAUSE_S", 0.02)
    drafts = lambda: list(user.editor.drafts_folder.glob("*.draft"))  # noqa: E731
    user.tool("h")
    user.click((200, 200))
    user.wait(drafts)
    user.editor.preferences.change(autosave=False)
    user.wait(lambda: not drafts())  # a draft that is being written is deleted when it is complete
    user.editor.preferences.change(autosave=True)
    user.wait(drafts)


def test_the_window_follows_the_theme_of_the_desktop(
    display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from frrlib.picture.theme import DARK
    from miniedit_frr.app.app import Editor

    monkeypatch.setattr(preferences, "theme_in_files", lambda: "light")
    monkeypatch.setattr(preferences, "query_desktop_theme", lambda: "dark")
    editor = Editor(Document(), tmp_path / "window.json")
    try:
        for _ in range(2000):
            editor.window.update()
            if editor.theme is DARK:
                break
        assert editor.view.cget("background") == DARK.canvas
    finally:
        editor.close()


@pytest.mark.parametrize(("percent", "ui"), [(100, 1.0), (150, 1.5), (200, 2.0)])
def test_texts_and_icons_have_the_preferred_scaling(display: str, tmp_path: Path, percent: int, ui: float) -> None:
    import tkinter as tk
    from tkinter import font, ttk

    from miniedit_frr.app.app import Editor

    (tmp_path / "preferences.json").write_text(json.dumps({"scaling_percent": percent}))
    probe = tk.Tk()
    usual = probe.tk.call("tk", "scaling")
    probe.destroy()
    editor = Editor(Document(), tmp_path / "window.json")
    try:
        editor.window.update()
        assert editor.ui == ui
        size = font.nametofont("TkDefaultFont", editor.window).metrics("linespace")
        assert size == pytest.approx(17 * ui, rel=0.2)
        assert int(ttk.Style(editor.window).lookup("Treeview", "rowheight")) == 24 * ui
    finally:
        editor.window.tk.call("tk", "scaling", usual)  # it belongs to the connection, which the next window has too
        editor.close()


def test_a_broken_preferences_file_is_reported_in_the_log(display: str, tmp_path: Path) -> None:
    from miniedit_frr.app.app import Editor

    (tmp_path / "preferences.json").write_text("{ broken")
    (tmp_path / "window.json").write_text('{"geometry": "everywhere", "recent": 7, "labels": [1]}')
    editor = Editor(Document(), tmp_path / "window.json")
    try:
        editor.window.update()
        assert "preferences.json.bad" in editor.log.text.get("1.0", "end")
    finally:
        editor.close()


def test_the_grid_and_new_flows_follow_the_preferences(user: Any) -> None:
    assert user.view.snap_grid.pitch == Preferences().grid_px
    user.editor.preferences.change(grid_px=35, congestion_control="bbr")
    assert user.view.snap_grid.pitch == 35
    assert user.editor.dialogs.congestion_control() == "bbr"
    user.tool("h")
    user.click((201, 203))
    user.press_key("<Control-Key-a>")
    user.editor.edits.arrange("Snap", arrange.snap, user.editor.preferences.now.grid_px)
    assert (user.at("h1")[0] % 35, user.at("h1")[1] % 35) == (0, 0)
