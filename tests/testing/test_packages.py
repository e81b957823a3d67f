"""What is said where a package that a lab needs is not there."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from frrlib import lab_program
from frrlib.errors import PlaceError


@pytest.mark.parametrize(
    ("installed", "remedy"), [(True, "--system-site-packages"), (False, "apt-get install mininet")]
)
def test_a_virtual_environment_that_hides_mininet_is_named(
    installed: bool, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "mininet" else found(name))
    monkeypatch.setattr(lab_program, "_DEBIANS", tmp_path)
    if installed:
        (tmp_path / "mininet").mkdir()
    with pytest.raises(PlaceError, match=remedy):
        lab_program.site_folders()
