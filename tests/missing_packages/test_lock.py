"""One process at a time changes the cache, also if one is killed while apt runs for it."""

from __future__ import annotations

import fcntl
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from frrlib.missing_packages.errors import SetupError
from frrlib.missing_packages.namespace import check_permitted
from tests.waiting import wait_for

#: Stands in for apt-get: it runs until somebody makes the file `end`.
_APT_GET = """#!/bin/sh
cd "$(dirname "$0")"
touch started
while [ ! -e end ]; do sleep 0.05; done
"""
_ENTER = "import sys; from frrlib.missing_packages.command import main; sys.exit(main(sys.argv[1:]))"


def _is_locked(path: Path) -> bool:
    with path.open("w", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_apt_keeps_the_lock_of_a_process_that_is_killed(tmp_path: Path) -> None:
    try:
        check_permitted()
    except SetupError as error:
        pytest.skip(str(error))
    programs, cache = tmp_path / "bin", tmp_path / "cache"
    programs.mkdir()
    (programs / "apt-get").write_text(_APT_GET, encoding="ascii")
    (programs / "apt-get").chmod(0o755)
    command = [sys.executable, "-c", _ENTER, "enter", str(cache), "no-such-package-1", "--", "true"]
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "PYTHONPATH": str(Path.cwd())}
    lock = cache / "system/lock"
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for((programs / "started").exists, "apt-get to start")
        finally:
            process.send_signal(signal.SIGKILL)
    # Two programs of apt in one folder would spoil each other's downloads.
    assert _is_locked(lock)
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as second:
        assert second.stderr
        assert second.stderr.readline() == f"Another process changes {cache / 'system'}. This one waits for its end.\n"
        (programs / "end").touch()
    wait_for(lambda: not _is_locked(lock), "the lock to be free")
