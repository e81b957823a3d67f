"""Menus as a table, the window's memory, icons: all without a window."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.edits.changes import TOOLS as EDITS
from frrlib.picture import icons
from frrlib.picture.labels import Labels
from frrlib.picture.theme import THEMES
from miniedit_frr.tools.place import PlaceTool
from miniedit_frr.tools.pointer import TOOLS
from miniedit_frr.user import window_state as settings
from miniedit_frr.window.menus import MENUS, MenuLine, key_sequences


def test_every_shortcut_has_one_command() -> None:
    items = [item for _, lines in MENUS for item in lines if isinstance(item, MenuLine)]
    bound = [sequence for item in items for shortcut in item.shortcuts for sequence in key_sequences(shortcut)]
    assert len(bound) == len(set(bound))


@pytest.mark.parametrize(
    ("shortcut", "expected"),
    [("Ctrl+Z", "<Control-Key-z>"), ("Ctrl+Shift+Z", "<Control-Shift-Key-Z>"), ("Ctrl++", "<Control-Key-plus>"),
     ("F9", "<F9>"), ("Delete", "<Delete>"), ("Ctrl+1", "<Control-Key-1>")],
)  # fmt: skip
def test_shortcuts_are_converted_to_tk_sequences(shortcut: str, expected: str) -> None:
    assert key_sequences(shortcut)[0] == expected


def test_every_tool_has_a_letter_an_icon_and_an_edit() -> None:
    assert len({tool.key for tool in TOOLS}) == len(TOOLS)
    assert {tool.icon for tool in TOOLS} <= set(icons.NAMES)
    assert {tool.icon for tool in TOOLS if isinstance(tool, PlaceTool)} == set(EDITS)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size_px", [8, 44, 176])
@pytest.mark.parametrize("name", icons.NAMES)
def test_an_icon_fills_its_square_and_has_smooth_edges(name: str, size_px: int, theme: str) -> None:
    picture = icons.image(name, size_px, theme)
    assert picture.size == (size_px, size_px)
    box = picture.getbbox()
    assert box is not None
    assert max(box[2] - box[0], box[3] - box[1]) > 0.6 * size_px
    half_covered = picture.getchannel("A").histogram()[1:255]
    assert sum(half_covered) > 0


def test_window_settings_survive_and_broken_files_give_defaults(tmp_path: Path) -> None:
    path = tmp_path / "below" / "window.json"
    assert settings.load(path) == settings.WindowState()
    stored = settings.WindowState(geometry="800x600+1+2", labels=Labels(addresses=True)).with_recent(tmp_path)
    settings.save(stored, path)
    assert settings.load(path) == stored
    for wrong in ("", "[]", '{"recent": 7}', '{"labels": 3}', "\x00"):
        path.write_text(wrong)
        assert settings.load(path) == settings.WindowState()


def test_recent_files_are_listed_once_with_the_newest_first(tmp_path: Path) -> None:
    stored = settings.WindowState()
    for name in ("a", "b", "a"):
        stored = stored.with_recent(tmp_path / name)
    assert stored.recent == (str(tmp_path / "a"), str(tmp_path / "b"))
