"""The libraries that are loaded before others, and machines that cannot make them."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.errors import PlaceError
from frrlib.kernels import libraries


def test_those_for_daemons_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = libraries.for_daemons()
    assert list(made) == list(libraries.DAEMONS)
    assert all(path.read_bytes().startswith(b"\x7fELF") for path in made.values())
    monkeypatch.setenv("PATH", str(tmp_path))  # nothing can be compiled any more, and nothing has to be
    assert libraries.for_daemons() == made


def test_without_a_compiler_there_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert libraries.for_daemons() == {}
    with pytest.raises(PlaceError) as told:
        libraries.library("clock")
    assert "kernel/clock.c" in told.value.missing and told.value.remedy == "apt-get install gcc"


def test_what_a_compiler_refuses_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(libraries.material, "read", lambda _name: "int one(void { return 1; }\n")
    with pytest.raises(PlaceError, match=r"kernel/clock\.c does not compile with .*error"):
        libraries.library("clock")
