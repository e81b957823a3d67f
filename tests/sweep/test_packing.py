"""Results folders of hostile labs are packed and unpacked within limits; Python's own zipfile reads them back."""

from __future__ import annotations

import fcntl
import io
import os
import signal
import zipfile
from pathlib import Path

import pytest

from frrlib.sweep.archive import ArchiveLimits, PackingCancelled, pack, unpack


def _sparse(path: Path, size: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(size)


def test_links_and_pipes_are_not_kept_and_ordinary_files_are(tmp_path: Path) -> None:
    folder, packed = tmp_path / "out", tmp_path / "packed.zip"
    (folder / "files/empty").mkdir(parents=True)
    (folder / "files/link").symlink_to("/etc/passwd")
    os.mkfifo(folder / "files/pipe")
    (folder / "run.json").write_text("{}")
    os.utime(folder / "run.json", (0, 0))  # before the first day of zip files
    assert pack(folder, packed) == ()
    assert zipfile.ZipFile(packed).namelist() == ["run.json", "files/", "files/empty/"]
    (tmp_path / "back").mkdir()
    assert unpack(packed.open("rb"), tmp_path / "back") == ()
    assert (tmp_path / "back/run.json").read_text() == "{}" and (tmp_path / "back/files/empty").is_dir()


def test_the_labs_own_files_come_last_so_that_they_cost_no_samples(tmp_path: Path) -> None:
    folder, packed = tmp_path / "out", tmp_path / "packed.zip"
    _sparse(folder / "files/large", 900)
    (folder / "samples").mkdir()
    (folder / "samples/tcp.csv").write_bytes(bytes(200))
    (message,) = pack(folder, packed, bounds=ArchiveLimits(files_bytes=1000))
    assert message == "'files/large': with its 900 bytes the run would have more than 1000"
    assert zipfile.ZipFile(packed).namelist() == ["samples/", "samples/tcp.csv", "files/"]


def test_too_many_files_are_counted_and_the_first_are_named(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for number in range(20):
        (tmp_path / f"out/{number:02}").touch()
    messages = pack(tmp_path / "out", tmp_path / "packed.zip", bounds=ArchiveLimits(entries=10))
    assert messages[0] == "'10': the run has more than 10 files and folders"
    assert len(messages) == 6 and messages[-1] == "and 5 more"


def test_packing_ends_when_the_run_is_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frrlib.sweep.archive._LOOK_S", 0.0)
    _sparse(tmp_path / "out/large", 1 << 32)
    answers = iter([True, True, True])
    with pytest.raises(PackingCancelled):
        pack(tmp_path / "out", tmp_path / "packed.zip", lambda: next(answers, False))
    assert (tmp_path / "packed.zip").stat().st_size < 1 << 20


@pytest.mark.parametrize("bounds", [ArchiveLimits(packed_bytes=1000), ArchiveLimits(until_s=0.0)])
def test_packing_ends_at_its_limits(tmp_path: Path, bounds: ArchiveLimits) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/random").write_bytes(os.urandom(1 << 20))
    (tmp_path / "out/second").write_bytes(b"x")
    first, second = pack(tmp_path / "out", tmp_path / "packed.zip", bounds=bounds)
    assert first.startswith("'random': ") and second.startswith("'second': ")
    assert (tmp_path / "packed.zip").stat().st_size < 1 << 19


def test_a_lease_does_not_make_packing_wait(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/leased").write_text("x")
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    with (tmp_path / "out/leased").open("r+") as leased_file:
        fcntl.fcntl(leased_file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        (message,) = pack(tmp_path / "out", tmp_path / "packed.zip")
        assert message == "'leased': Resource temporarily unavailable"


def test_unpacked_archives_stay_in_their_folder_and_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frrlib.sweep.archive.MOST_BYTES", 1000)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", "a file")
        archive.writestr("a/b", "a file in a file")
        archive.writestr("../../outside", "no")
        archive.writestr("bomb", bytes(10_000))
        archive.writestr("n" * 300, "too long")
    folder = tmp_path / "x/folder"
    folder.mkdir(parents=True)
    messages = unpack(packed, folder)
    assert [line.partition(":")[0] for line in messages] == ["'a/b'", "'bomb'", f"'{'n' * 120}'..."]
    assert sorted(path.name for path in folder.iterdir()) == ["a", "outside"]
    assert unpack(io.BytesIO(b"PK no zip file"), folder) == ("'the zip file': File is not a zip file",)
