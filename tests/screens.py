"""Screens of one's own: an X server that nobody else has, and a window manager that gives new windows the keyboard.

On somebody's real screen tests would fight for the keyboard with the user, and with each other.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import wait_for

#: The programs that a screen needs.
PROGRAMS = ("Xvfb", "jwm")
#: The time after which a program that was to end is killed.
_PATIENCE_S = 10
#: Windows as bare as without a window manager, so that they are where they are put; it says when it is there.
_MANAGER = """<?xml version="1.0"?>
<JWM>
    <Group><Name>.*</Name><Option>noborder</Option><Option>notitle</Option></Group>
    <FocusModel>click</FocusModel>
    <StartupCommand>touch {ready}</StartupCommand>
</JWM>
"""


def missing() -> str:
    """A program that a screen needs and this machine lacks; empty where it has all."""
    return next((name for name in PROGRAMS if not shutil.which(name)), "")


@contextmanager
def screen(width: int, height: int) -> Iterator[str]:
    """A new screen of so many pixels; its display's name, such as ":1"."""
    readable, writable = os.pipe()
    argv = ["Xvfb", "-displayfd", str(writable), "-screen", "0", f"{width}x{height}x24", "-dpi", "96"]
    # Without repeated keys: on a busy machine a key may seem to be held down for long.
    argv += ["-r", "-nolisten", "tcp"]
    with (
        tempfile.TemporaryDirectory(prefix="frr-screen-") as folder,
        _ended(subprocess.Popen(argv, pass_fds=[writable], stderr=subprocess.DEVNULL)),
    ):
        os.close(writable)
        with os.fdopen(readable) as output:
            number = output.readline().strip()
        assert number, "Xvfb did not start"
        settings, ready = Path(folder, "jwm.xml"), Path(folder, "ready")
        settings.write_text(_MANAGER.format(ready=shlex.quote(str(ready))))
        env = {**os.environ, "DISPLAY": f":{number}"}
        argv = ["jwm", "-f", str(settings)]
        with _ended(subprocess.Popen(argv, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)):
            wait_for(ready.exists, "the window manager")
            yield f":{number}"


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:  # an X server that was about to sleep has missed the signal
            process.kill()
            process.wait()
