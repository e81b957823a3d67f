"""Messages about a missing package that a lab needs."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from frrlib.errors import PlaceError
from frrlib.lab import program


@pytest.mark.parametrize(
    ("installed", "remedy"), [(True, "--system-site-packages"), (False, "apt-get install mininet")]
)
def test_a_virtual_environment_that_hides_mininet_is_named(
    installed: bool, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "mininet" else found(name))
    monkeypatch.setattr(program, "_DEBIANS", tmp_path)
    if installed:
        (tmp_path / "mininet").mkdir()
    with pytest.raises(PlaceError, match=remedy):
        program.site_folders()


def test_a_copy_of_the_code_is_used_only_if_it_is_this_users_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of the copy can be computed by everybody, and a lab executes what is in it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    compiled = program._is_compiled
    monkeypatch.setattr(program, "_is_compiled", lambda library: library != program._HERE and compiled(library))
    copy = program.code_folder()
    assert copy.parent == tmp_path / "miniedit-frr" and program.code_folder() == copy
    copy.parent.chmod(0o777)
    assert program.code_folder() == copy and copy.parent.stat().st_mode & 0o022 == 0
    for spoil in (lambda: copy.chmod(0o775), lambda: copy.chmod(0o757), lambda: _link(copy)):
        spoil()
        assert program.code_folder() == program.CODE
        copy.chmod(0o755)


def _link(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to("elsewhere")
