"""Archives from a lab, made by tar or by hand, and the unpacked files."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from frrlib.errors import CommandFailed
from frrlib.place.archives import unpack


def _unpacked(data: bytes, local: Path, most_bytes: int = 1 << 20) -> list[str]:
    """Unpack an archive that comes through a pipe."""
    reading, writing = os.pipe()

    def send() -> None:
        with open(writing, "wb") as pipe:
            try:
                pipe.write(data)
            except BrokenPipeError:
                return

    sender = threading.Thread(target=send)
    sender.start()
    try:
        with open(reading, "rb") as pipe:
            return unpack(pipe, ["tar"], "top", local, most_bytes)
    finally:
        sender.join()


def _archive(*members: tuple[str, bytes, bytes]) -> bytes:
    """An archive of (name, type, content)."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, kind, content in members:
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname = kind, len(content), "/etc/passwd"
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def test_an_archive_of_tar_is_unpacked(tmp_path: Path) -> None:
    (tmp_path / "top/inner").mkdir(parents=True)
    (tmp_path / "top/inner/file").write_bytes(b"x" * 700_000)
    (tmp_path / "top/link").symlink_to("inner/file")
    (tmp_path / "top" / os.fsdecode(b"a\xff")).write_text("odd")
    data = subprocess.run(["tar", "-C", tmp_path, "-cf", "-", "top"], capture_output=True, check=True).stdout
    assert _unpacked(data, tmp_path / "local") == []
    assert sorted(os.listdir(tmp_path / "local")) == [os.fsdecode(b"a\xff"), "inner"]
    assert (tmp_path / "local/inner/file").read_bytes() == b"x" * 700_000


def test_a_file_that_cannot_be_here_costs_only_itself(tmp_path: Path) -> None:
    long = "top/" + "n" * 300
    data = _archive((long, tarfile.REGTYPE, b"x"), ("top/a", tarfile.REGTYPE, b"x"), ("top/a/b", tarfile.REGTYPE, b"x"),
                    ("top/last", tarfile.REGTYPE, b"x"))  # fmt: skip
    assert _unpacked(data, tmp_path) == [long, "top/a/b"]
    assert sorted(os.listdir(tmp_path)) == ["a", "last"]


def _long_header() -> bytes:
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1 << 32
    return info.tobuf() + bytes(1 << 20)


def _holes() -> bytes:
    return _archive(("top/x", tarfile.GNUTYPE_SPARSE, b""))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (lambda: _archive(("top/../../out", tarfile.REGTYPE, b"x")), "has a member"),
        (lambda: _archive(("other", tarfile.REGTYPE, b"x")), "has a member"),
        (lambda: _archive(("top/x", tarfile.REGTYPE, bytes(2 << 20))), "more data than the limit of a copy"),
        (lambda: bytes(4 << 20), "more data than the limit of a copy"),
        (_long_header, "a header of 4294967296 bytes"),
        (_holes, "a file with holes"),
        (lambda: b"no archive" * 1000, "damaged"),
    ],
)
def test_a_hostile_archive_is_refused(data: Callable[[], bytes], reason: str, tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match=reason):
        _unpacked(data(), tmp_path / "local")
    assert not (tmp_path / "out").exists()


def test_links_and_devices_are_left_out(tmp_path: Path) -> None:
    kinds = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE)
    data = _archive(*((f"top/{number}", kind, b"") for number, kind in enumerate(kinds)))
    assert _unpacked(data, tmp_path / "local") == []
    assert not (tmp_path / "local").exists()
