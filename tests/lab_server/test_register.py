"""The register of detached labs, without labs."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
from pathlib import Path

import pytest

from frrlib.errors import PlaceError
from frrlib.lab_server import register
from tests.conftest import OrdinaryUser


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "runtime"
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


def test_it_is_private_and_the_mask_of_new_files_stays(runtime: Path) -> None:
    mask = os.umask(0o022)
    try:
        home = register.register_folder()
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(mask)
    assert [stat.S_IMODE(folder_path.stat().st_mode) for folder_path in (home, runtime)] == [0o700, 0o700]


def test_a_user_namespace_without_root_has_a_register(ordinary_user: OrdinaryUser) -> None:
    """`./run` starts the program in one if packages are missing. Root, who owns the folders above, is nobody there."""
    code = "from frrlib.lab_server import register; print(register.register_folder())"
    alone = ["unshare", "--user", "--map-current-user"]
    if ordinary_user.run([*alone, "true"]).returncode != 0:
        pytest.skip("an ordinary user cannot make a user namespace here")
    of_login = ordinary_user.home / "run"
    of_login.mkdir(mode=0o700)
    user = ordinary_user.as_daemon()
    fallback = user.home / "tmp" / f"runtime-{user.uid}"
    for variables, folder in (({}, fallback), ({"XDG_RUNTIME_DIR": str(of_login)}, of_login)):
        printed = user.run([*alone, user.python, "-c", code], env=variables)
        assert printed.stdout.strip() == f"{folder}/miniedit-frr", printed.stderr


def test_somebody_elses_link_is_refused(runtime: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    runtime.mkdir(mode=0o700)
    (runtime / "miniedit-frr").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PlaceError, match="XDG_RUNTIME_DIR"):
        register.register_folder()


def test_a_folder_that_was_taken_for_a_dead_labs_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    lock_file, calls = fcntl.flock, []

    def late(handle: int, operation: int) -> None:
        """The first time somebody has looked, and removed the folder, before its lock was kept."""
        calls.append(handle)
        if len(calls) == 1:
            for folder in register.register_folder().glob(".new-*"):
                shutil.rmtree(folder)
        lock_file(handle, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    reserved = register.reserve("mine")
    os.close(reserved.lock)
    assert reserved.folder.name == "mine"
    assert (reserved.folder / register.CARD).exists()


def test_a_lab_that_removes_its_folder_late_spares_the_next_one_of_its_name() -> None:
    ended = register.reserve("mine")
    register.remove(ended.folder, ended.lock)
    assert list(register.register_folder().iterdir()) == []
    begun = register.reserve("mine")
    assert begun.folder == ended.folder
    register.remove(ended.folder, ended.lock)
    assert {folder_path.name for folder_path in begun.folder.iterdir()} == {register.CARD, register.LOCK}
    for folder_path in (ended, begun):
        os.close(folder_path.lock)
