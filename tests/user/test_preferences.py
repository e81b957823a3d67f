"""The user's preferences: whatever stands in their file, the editor starts, and nothing of the user's is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from miniedit_frr.user.preferences import Preferences, PreferenceStore, load
from miniedit_frr.window.desktop_theme import theme_in_files


def test_without_a_file_the_defaults_are_used_and_no_file_is_written(tmp_path: Path) -> None:
    assert load(tmp_path / "preferences.json") == (Preferences(), ())
    assert list(tmp_path.iterdir()) == []


def test_a_change_is_stored_and_listeners_are_called(tmp_path: Path) -> None:
    path = tmp_path / "below" / "preferences.json"
    store, notifications = PreferenceStore(path), []
    store.listen(lambda old, new: notifications.append((old.theme, new.theme)))
    assert store.change(Preferences(theme="dark", grid_px=25)) == ""
    assert store.change(store.now) == ""
    assert notifications == [("system", "dark")]
    assert load(path) == (Preferences(theme="dark", grid_px=25), ())


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"7", b"\xff\xfe\x00", b"[" * 100_000, b'"theme"'])
def test_a_broken_file_is_renamed_and_reported(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "preferences.json"
    path.write_bytes(content)
    preferences, (error,) = load(path)
    assert preferences == Preferences()
    assert "preferences.json.bad" in error
    assert not path.exists()
    assert path.with_name("preferences.json.bad").read_bytes() == content


def test_a_folder_in_the_place_of_the_file_does_not_stop_the_start(tmp_path: Path) -> None:
    path = tmp_path / "preferences.json"
    (path / "something").mkdir(parents=True)
    preferences, (error,) = load(path)
    assert preferences == Preferences()
    assert "Is a directory" in error


def test_an_invalid_value_is_replaced_by_its_default_and_the_others_are_used(tmp_path: Path) -> None:
    path = tmp_path / "preferences.json"
    path.write_text(json.dumps({"theme": "pink", "grid_px": 4000, "sample_hz": 50, "autosave": [1], "terminal": None}))
    preferences, errors = load(path)
    assert preferences == Preferences(sample_hz=50)
    assert {error.split()[1] for error in errors} == {"theme", "grid_px", "autosave", "terminal"}


def test_keys_of_another_version_survive(tmp_path: Path) -> None:
    path = tmp_path / "preferences.json"
    path.write_text(json.dumps({"theme": "dark", "of 2030": {"a": [1, 2]}}))
    store = PreferenceStore(path)
    assert store.errors == ()
    store.change(Preferences(theme="light"))
    stored = json.loads(path.read_text())
    assert stored["of 2030"] == {"a": [1, 2]}
    assert stored["theme"] == "light"


def test_preferences_that_cannot_be_written_are_used_nevertheless(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = PreferenceStore(tmp_path / "file" / "preferences.json")
    assert store.change(Preferences(theme="dark"))
    assert store.now.theme == "dark"


@pytest.mark.parametrize(
    "wrong",
    [{"grid_px": 4}, {"scaling_percent": 201}, {"sample_hz": 0}, {"congestion_control": "B B R"},
     {"results_folder": "here"}, {"place": "moon"}, {"new": 1}],
)  # fmt: skip
def test_invalid_values_are_rejected(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Preferences.model_validate(wrong)


def test_a_results_folder_may_be_below_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    assert Preferences(results_folder="~/labs").results_root() == Path("/home/somebody/labs")
    assert Preferences().results_root() is None


@pytest.mark.parametrize(
    ("name", "text", "theme"),
    [
        ("gtk-3.0/settings.ini", "[Settings]\ngtk-application-prefer-dark-theme=1\n", "dark"),
        ("gtk-4.0/settings.ini", "[Settings]\ngtk-theme-name=Adwaita-dark\n", "dark"),
        ("gtk-3.0/settings.ini", "[Settings]\ngtk-theme-name=Adwaita\n", ""),
        ("gtk-3.0/settings.ini", "no section at all\n", ""),
        ("kdeglobals", "[Colors:Window]\nBackgroundNormal=42,46,50\n", "dark"),
        ("kdeglobals", "[Colors:Window]\nBackgroundNormal=239,240,241\n", "light"),
    ],
)
def test_the_theme_is_read_from_files_of_the_desktop(tmp_path: Path, name: str, text: str, theme: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)
    assert theme_in_files({"XDG_CONFIG_HOME": str(tmp_path)}) == theme


def test_the_environment_precedes_the_files() -> None:
    assert theme_in_files({"GTK_THEME": "Adwaita:dark", "XDG_CONFIG_HOME": "/nowhere"}) == "dark"
    assert theme_in_files({"GTK_THEME": "Adwaita", "XDG_CONFIG_HOME": "/nowhere"}) == "light"
    assert theme_in_files({"XDG_CONFIG_HOME": "/nowhere"}) == ""
