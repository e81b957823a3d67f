"""A package is unpacked as by dpkg-deb, but never outside of the folder."""

from __future__ import annotations

import io
import os
import stat
import subprocess
import tarfile
from pathlib import Path

import pytest

from frrlib.debian_archive.errors import ArchiveError
from frrlib.debian_archive.unpacking import unpack


def _deb(folder: Path, compression: str) -> Path:
    """A package with files of all kinds, made by dpkg-deb."""
    tree = folder / "tree"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "usr/bin").mkdir(parents=True)
    (tree / "etc/tool empty").mkdir(parents=True)
    (tree / "usr/bin/tool").write_bytes(os.urandom(70_000))
    (tree / "usr/bin/tool").chmod(0o4755)
    os.link(tree / "usr/bin/tool", tree / "usr/bin/same")
    (tree / "usr/bin/link").symlink_to("tool")
    (tree / "etc/absolute").symlink_to("/usr/bin/tool")
    (tree / "etc/tool.conf").write_text("a = 1\n")
    (tree / "etc" / ("long-" * 30)).write_text("long\n")
    control = "Package: tool\nVersion: 1.0\nArchitecture: all\nMaintainer: nobody\nDescription: text\n"
    (tree / "DEBIAN/control").write_text(control)
    path = folder / "tool.deb"
    command = ["dpkg-deb", "--root-owner-group", f"-Z{compression}", "-b", str(tree), str(path)]
    subprocess.run(command, check=True, capture_output=True)
    return path


def _listing(folder: Path) -> dict[str, tuple[int, str, bytes]]:
    """Type and mode, target of a link, and content of each entry of a folder."""
    entries = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        is_link = path.is_symlink()
        content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        entries[str(path.relative_to(folder))] = (status.st_mode, os.readlink(path) if is_link else "", content)
    return entries


@pytest.mark.parametrize("compression", ["xz", "gzip", "none"])
def test_a_package_is_unpacked_as_by_dpkg(tmp_path: Path, compression: str) -> None:
    package = _deb(tmp_path, compression)
    expected, unpacked = tmp_path / "expected", tmp_path / "unpacked"
    subprocess.run(["dpkg-deb", "-x", str(package), str(expected)], check=True)
    unpacked.mkdir()
    unpack(package, unpacked)
    assert _listing(unpacked) == _listing(expected)
    assert (unpacked / "usr/bin/tool").stat().st_ino == (unpacked / "usr/bin/same").stat().st_ino
    names = subprocess.run(["dpkg-deb", "-c", str(package)], check=True, capture_output=True, text=True).stdout
    assert len(names.splitlines()) == len(_listing(unpacked)) + 1  # the folder itself


def _ar(members: dict[str, bytes]) -> bytes:
    data = b"!<arch>\n"
    for name, content in members.items():
        data += f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode() + content
        data += b"\n" * (len(content) % 2)
    return data


def _package(path: Path, *members: tarfile.TarInfo) -> Path:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as data:
        for member in members:
            member.size = 4 if member.isreg() else 0
            data.addfile(member, io.BytesIO(b"evil"))
    path.write_bytes(_ar({"debian-binary": b"2.0\n", "control.tar": b"odd", "data.tar": file.getvalue()}))
    return path


def _entry(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname, entry.mode = kind, target, 0o644
    return entry


def test_links_are_followed_inside_of_the_folder(tmp_path: Path) -> None:
    """`/var/run` is a link to `/run` in Debian: a file below it belongs to the root folder, not to the machine."""
    folder, outside = tmp_path / "root", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    links = [_entry("./var/out", tarfile.SYMTYPE, str(outside)), _entry("./up", tarfile.SYMTYPE, "../../outside")]
    files = [_entry("./var/out/file"), _entry("./up/other"), _entry("/absolute/file")]
    unpack(_package(tmp_path / "a.deb", *links, *files), folder)
    assert list(outside.iterdir()) == []
    assert (folder / str(outside).lstrip("/") / "file").read_bytes() == b"evil"
    assert (folder / "outside/other").read_bytes() == (folder / "absolute/file").read_bytes() == b"evil"


@pytest.mark.parametrize(("content", "message"), [
    (b"no archive", "is malformed: it is no archive"),
    (_ar({"debian-binary": b"2.0\n"}), "is malformed: it has no files"),
    (_ar({"data.tar.xz": b"garbage"}), "is malformed: "),
    (_ar({"data.tar.zst": b""}), "has a compression that is not supported: 'data.tar.zst'"),
])  # fmt: skip
def test_other_files_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    package = tmp_path / "a.deb"
    package.write_bytes(content)
    with pytest.raises(ArchiveError, match=message):
        unpack(package, tmp_path / "root")


def test_paths_that_lead_upwards_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "root"
    folder.mkdir()
    with pytest.raises(ArchiveError, match=r"it contains '\./usr/\.\./\.\./file'"):
        unpack(_package(tmp_path / "a.deb", _entry("./usr/../../file")), folder)
    loops = [_entry("./a", tarfile.SYMTYPE, "b"), _entry("./b", tarfile.SYMTYPE, "a"), _entry("./a/file")]
    with pytest.raises(ArchiveError, match="its links never end"):
        unpack(_package(tmp_path / "b.deb", *loops), folder)
    hard = _entry("./hard", tarfile.LNKTYPE, "../../etc/passwd")
    with pytest.raises(ArchiveError, match="it contains"):
        unpack(_package(tmp_path / "c.deb", hard), folder)
    unpack(_package(tmp_path / "d.deb", _entry("./dev/null", tarfile.CHRTYPE)), folder)
    assert not (folder / "dev/null").exists()
