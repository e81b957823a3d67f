"""Which folders the question before a run takes: all that people can type."""

from __future__ import annotations

from pathlib import Path

import pytest

from miniedit_frr.panels.run_dialog import fault


def test_new_and_empty_folders_are_right(tmp_path: Path) -> None:
    assert fault(str(tmp_path)) == fault(str(tmp_path / "new" / "below")) == ""


def test_what_is_there_already_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert fault(str(tmp_path)) == "This folder is not empty."
    assert fault(str(tmp_path / "file")) == "This is a file."
    assert fault("") == "A folder is needed."


@pytest.mark.parametrize("text", ["~nobody-at-all/x", "/tmp/" + 300 * "x"])
def test_what_is_no_path_is_no_defect(text: str) -> None:
    assert fault(text).startswith("This cannot be a folder")
