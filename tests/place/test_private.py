"""Files of this machine that a lab may read: none of any home, except for shown folders."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from frrlib.errors import TopologyError
from frrlib.lab.program import copied_folders
from frrlib.model.topology import Topology
from frrlib.place.confinement import bounds, private_files

DRIVER = Path(__file__).parent / "drivers/reading.py"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder that looks like one."""
    folder = tmp_path / "homes" / "me"
    for name in ("labs/one", ".ssh", "snap/browser", "labs/.git"):
        (folder / name).mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.mark.parametrize(
    ("name", "words"),
    [("labs", ""), ("labs/one", ""), (".", "contains the home"), ("..", "contains the home"),
     (".ssh", "keys and profiles"), ("labs/.git", "keys and profiles"),
     ("snap/browser", "keys and profiles"), ("none", "is not a folder")],
)  # fmt: skip
def test_folders_below_a_home_can_be_shown_but_none_with_secrets(home: Path, name: str, words: str) -> None:
    reason = private_files.reason_to_hide(str(home / name))
    assert words in reason
    assert bool(reason) is bool(words)


@pytest.mark.parametrize("path", ["/", "/proc", "/proc/1", "/tmp", "/var", "/dev"])
def test_folders_of_the_system_are_not_shown(path: str) -> None:
    assert private_files.reason_to_hide(path)


def test_a_link_is_judged_by_where_it_leads(home: Path) -> None:
    (home / "labs/keys").symlink_to(home / ".ssh")
    assert "keys and profiles" in private_files.reason_to_hide(str(home / "labs/keys"))


def test_homes_are_hidden_at_any_path_and_system_folders_are_not(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert str(home) in private_files.hidden()
    assert private_files.is_out_of_sight(str(home / "labs"))
    assert not private_files.is_out_of_sight("/usr/share")
    for of_a_service in ("/", "/var", "/usr"):
        monkeypatch.setenv("HOME", of_a_service)
        assert of_a_service not in private_files.hidden()


def test_all_other_files_may_be_read(tmp_path: Path) -> None:
    """Every file that is found by walking is below exactly the parts that are told."""
    parts = private_files.readable([str(tmp_path), "/home"])
    assert not any(private_files.is_below(part, folder) or private_files.is_below(folder, part) for part in parts
                   for folder in (str(tmp_path), "/home", "/proc", "/dev"))  # fmt: skip
    assert any(private_files.is_below("/usr/bin/env", part) for part in parts)
    assert any(private_files.is_below("/etc/passwd", part) for part in parts)


def test_a_copy_has_a_bound(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = Topology(copied_folders=("~/labs",))
    (home / "labs/data").write_bytes(bytes(2 << 20))
    assert copied_folders(drawing, None) == (home / "labs",)
    monkeypatch.setattr(bounds, "FOLDER_MIB", 1)
    with pytest.raises(TopologyError, match="the folder ~/labs is too large for a copy") as raised:
        copied_folders(drawing, None)
    assert raised.value.field == "copied_folders.0"


def _check(outcome: dict[str, Any], place: str) -> None:
    assert outcome["shown"] == "for the lab\n", "the folder that is shown"
    assert outcome["written"] != 0, "it is shown read-only"
    assert outcome["own"] == [], "nothing else of the home"
    words = ["for the lab", "for the lab", "more", "ran", "closed", "deep", "link", "run", "755"]
    assert outcome["copy"].splitlines() == words, "a copy can be changed, and has no pipes"
    assert outcome["not changed"] == "for the lab\n"
    assert outcome["others"] == []
    assert outcome["still there"] == "secret\n"
    if place == "labkernel":  # the lab's root has mounted the machine's files again
        assert outcome["mounted"] == "", outcome["mounted"]
        assert outcome["of the machine"] == Path("/etc/debian_version").read_text(encoding="ascii")
        assert outcome["environment"] == "", "nothing of the user's other programs"


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_an_ordinary_users_lab_reads_nothing_of_the_home(ordinary_user: Any, place: str) -> None:
    done = ordinary_user.run([ordinary_user.python, str(DRIVER), place, str(ordinary_user.home)], timeout=120)
    assert done.returncode == 0, done.stderr
    _check(json.loads(done.stdout), place)


@pytest.mark.lab
@pytest.mark.root
@pytest.mark.parametrize("place", ["root", "labkernel"])
def test_roots_lab_reads_nothing_of_the_home(tmp_path: Path, place: str) -> None:
    import subprocess

    assert os.geteuid() == 0
    done = subprocess.run(
        [sys.executable, str(DRIVER), place, str(tmp_path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    _check(json.loads(done.stdout), place)
