"""The libraries that are loaded before others, and machines that cannot compile them."""

from __future__ import annotations

import ctypes
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from frrlib.errors import PlaceError
from frrlib.kernels import libraries
from frrlib.place.labkernel import remedy_for_hang

#: Polls a connection that the other end has reset, and prints how often the process slept: first polling for no event,
#: as bgpd's reader does in this case, and then for input.
POLL_AFTER_RESET = """
import ctypes, resource, socket, struct
libc = ctypes.CDLL(None)
listener = socket.create_server(("127.0.0.1", 0))
ours = socket.create_connection(listener.getsockname())
theirs, _ = listener.accept()
theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
theirs.close()
for events in (0, 1):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
    for _ in range(50):
        polled = ctypes.create_string_buffer(struct.pack("ihh", ours.fileno(), events, 0))
        assert libc.ppoll(polled, ctypes.c_ulong(1), None, None) == 1
        assert struct.unpack("ihh", polled.raw[:8])[2] & 0x18, "neither POLLERR nor POLLHUP"
    print(resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - before)
"""


def test_the_libraries_for_daemons_are_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    compiled = libraries.for_daemons()
    assert list(compiled) == list(libraries.DAEMONS)
    assert all(path.read_bytes().startswith(b"\x7fELF") for path in compiled.values())
    monkeypatch.setenv("PATH", str(tmp_path))  # a compiler is neither found nor needed any more
    assert libraries.for_daemons() == compiled


def _flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _link(path: Path) -> None:
    path.rename(path.with_name("elsewhere.so"))
    path.symlink_to("elsewhere.so")


_DAMAGES: dict[str, Callable[[Path], object]] = {
    "a bit is flipped": _flip_a_bit,
    "it is cut off": _cut_off,
    "it is empty": lambda path: path.write_bytes(b""),
    "others may write it": lambda path: path.chmod(0o775),
    "it is another user's": lambda path: os.chown(path, 12345, 12345),
    "it is a link": _link,
    "it is a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
}


@pytest.mark.parametrize("damage", _DAMAGES)
def test_a_damaged_or_foreign_file_is_compiled_again(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() != 0 and "another" in damage:
        pytest.skip("only root gives files away")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = libraries.library("clock")
    sound = path.read_bytes()
    _DAMAGES[damage](path)
    assert libraries.library("clock") == path
    status = path.lstat()
    assert stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) == 0o755
    assert path.read_bytes() == sound
    assert ctypes.CDLL(str(path)) is not None  # the appended data does not prevent loading


def test_the_folder_of_libraries_is_writable_only_by_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = libraries.library("clock").parent
    folder.chmod(0o777)
    libraries.library("clock")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


@pytest.mark.root
def test_another_users_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    os.chown(libraries.library("clock").parent, 12345, 12345)
    with pytest.raises(PlaceError, match="belongs to another user"):
        libraries.library("clock")


def test_a_poll_sleeps_if_it_has_no_requested_event() -> None:
    """In virtual time a thread that polls without sleeping keeps all others from running."""
    preload = {**os.environ, "LD_PRELOAD": str(libraries.for_daemons(virtual_time=True)["polls"])}
    argv = [sys.executable, "-I", "-S", "-c", POLL_AFTER_RESET]
    done = subprocess.run(argv, env=preload, capture_output=True, text=True, check=True)
    slept_unasked, slept_asked = map(int, done.stdout.split())
    assert slept_unasked >= 50
    assert slept_asked < 10


def test_the_remedy_for_a_daemon_that_polls_is_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert remedy_for_hang("/usr/lib/frr/bgpd -u frr") == ""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "apt-get install gcc" in remedy_for_hang("/usr/lib/frr/bgpd -u frr")
    assert remedy_for_hang("python3 loop.py") == ""


def test_without_a_compiler_no_library_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert libraries.for_daemons() == {}
    with pytest.raises(PlaceError) as error:
        libraries.library("clock")
    assert "kernel/clock.c" in error.value.missing and error.value.remedy == "apt-get install gcc"


def test_an_error_of_the_compiler_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(libraries.material, "read", lambda _name: "int one(void { return 1; }\n")
    with pytest.raises(PlaceError, match=r"kernel/clock\.c does not compile with .*error"):
        libraries.library("clock")
