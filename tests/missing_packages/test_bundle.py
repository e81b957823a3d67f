"""Bundles: only packages that the distribution's keys vouch for are read, and nothing outside of the folder is written.

`tests/data/bundle` has a keyring, a Release file that its key has signed, and the list of one package that this names.
"""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from frrlib.missing_packages import bundle, machine
from frrlib.missing_packages.errors import SetupError
from frrlib.missing_packages.layer import Layer
from frrlib.missing_packages.packages import Package

DATA = Path(__file__).parents[1] / "data" / "bundle"
RELEASE, PACKAGES = "lists/archive_dists_stable_InRelease", "lists/archive_dists_stable_main_binary-amd64_Packages"
DEB = b"!<arch>\ndebian-binary of no program\n"
TOOL = Package("tool", "1:1.0-1", "amd64", "", "a332745f30287429ed35c48cac6f5de668bc1cf0daa2a6f79d4cd0021dc614ff", 36)
ARCHIVE = "archives/tool_1%3a1.0-1_amd64.deb"

Members = dict[str, bytes]


@pytest.fixture(autouse=True)
def keyrings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "keyrings"
    folder.mkdir()
    (folder / "test-archive-keyring.gpg").write_bytes((DATA / "keyring.gpg").read_bytes())
    monkeypatch.setattr(bundle, "_KEYRINGS", folder)
    return folder


def _manifest(**values: Any) -> bytes:
    row = {"name": TOOL.name, "version": TOOL.version, "architecture": TOOL.architecture, "replaced": "",
           "sha256": TOOL.sha256, "size": TOOL.size}  # fmt: skip
    fields = {"distribution": machine.distribution(), "wanted": ["tool"], "packages": [row]}
    return json.dumps({**fields, **values}).encode()


def _members() -> Members:
    lists = {RELEASE: (DATA / "InRelease").read_bytes(), PACKAGES: (DATA / "Packages").read_bytes()}
    return {"manifest.json": _manifest(), **lists, ARCHIVE: DEB}


def _write(path: Path, members: Members, *others: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w") as file:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            file.addfile(member, io.BytesIO(data))
        for member in others:
            file.addfile(member)
    return path


def test_a_layer_is_written_and_read(tmp_path: Path) -> None:
    apt_folder = tmp_path / "apt"
    for name, data in _members().items():
        path = apt_folder / name.replace("lists/", "state/lists/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (apt_folder / "state/lists/lock").touch()
    layer = Layer(tmp_path / "layer", machine.distribution(), ("tool",), (TOOL,))
    path = tmp_path / "class.bundle"
    bundle.write(path, layer, apt_folder)
    assert bundle.read(path, tmp_path / "read") == (["tool"], [TOOL])
    assert (tmp_path / "read" / ARCHIVE).read_bytes() == DEB
    with tarfile.open(path) as file:
        assert set(file.getnames()) == set(_members())
    # An error leaves the earlier file as it was, and nothing beside it.
    (apt_folder / ARCHIVE).write_bytes(DEB + b"!")
    before = path.read_bytes()
    with pytest.raises(SetupError, match="its content is not that of the signed lists"):
        bundle.write(path, layer, apt_folder)
    assert path.read_bytes() == before
    assert {file.name for file in tmp_path.iterdir()} == {"keyrings", "apt", "class.bundle", "read"}
    with pytest.raises(SetupError, match="cannot be written: No such file or directory"):
        bundle.write(tmp_path / "nowhere" / "class.bundle", layer, apt_folder)


def test_a_bundle_has_only_lists_of_the_distribution_that_name_its_packages(tmp_path: Path) -> None:
    """An archive with another key, which many machines have, does not make the bundle useless."""
    apt_folder, path = tmp_path / "apt", tmp_path / "class.bundle"
    members = _members()
    others = {
        "lists/other_dists_stable_InRelease": members[RELEASE].replace(b"stable", b"stAble"),
        "lists/other_dists_stable_main_binary-amd64_Packages": members[PACKAGES].replace(b"Size: 36", b"Size: 37"),
        "lists/updates_dists_stable_InRelease": members[RELEASE],  # signed, but its lists are not here
    }
    for name, data in {**members, **others}.items():
        file = apt_folder / name.replace("lists/", "state/lists/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    layer = Layer(tmp_path / "layer", machine.distribution(), ("tool",), (TOOL,))
    bundle.write(path, layer, apt_folder)
    with tarfile.open(path) as archive:
        names = archive.getnames()
    assert {name for name in names if name.startswith("lists/other")} == set()
    assert bundle.read(path, tmp_path / "read") == (["tool"], [TOOL])
    # Lists that are newer than the layer do not name its packages: such a bundle would be refused later.
    older = TOOL._replace(version="1:0.9-1")
    with pytest.raises(SetupError, match=r"has tool\. Fetch them again by `./run setup --update`"):
        bundle.write(path, layer._replace(packages=(older,)), apt_folder)


def _checks_cleartext() -> bool:
    """Whether this machine has a sqv that checks the Release files of archives."""
    return (
        shutil.which("sqv") is not None
        and "--cleartext" in subprocess.run(["sqv", "--help"], capture_output=True, text=True, check=True).stdout
    )


@pytest.mark.skipif(not _checks_cleartext(), reason="no sqv with --cleartext, as in Debian 13")
def test_sqv_checks_signatures_where_gpgv_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "sqv").symlink_to(str(shutil.which("sqv")))
    monkeypatch.setenv("PATH", str(programs))
    members = _members()
    assert bundle.read(_write(tmp_path / "b", members), tmp_path / "read") == (["tool"], [TOOL])
    changed = {**members, RELEASE: members[RELEASE].replace(b"stable", b"stAble")}
    with pytest.raises(SetupError, match="no key of this machine's distribution signed it"):
        bundle.read(_write(tmp_path / "changed", changed), tmp_path / "read2")
    (programs / "sqv").unlink()
    with pytest.raises(SetupError, match=r"checks its signatures\. No program here .* Install one of gpgv, sqv, gpg"):
        bundle.read(tmp_path / "b", tmp_path / "read3")


@pytest.mark.parametrize(("name", "change", "message"), [
    (ARCHIVE, lambda data: data.replace(b"no", b"my"), "tool_1%3a1.0-1_amd64.deb in it is not that of the signed"),
    (PACKAGES, lambda data: data.replace(b"Size: 36", b"Size: 37"), "no signed list in it has tool 1:1.0-1"),
    (RELEASE, lambda data: data.replace(b"stable", b"stAble"), "no key of this machine's distribution signed it"),
    ("manifest.json", lambda data: data.replace(b"1:1.0-1", b"1:1.1-1"), "no signed list in it has tool 1:1.1-1"),
    ("manifest.json", lambda data: data.replace(b'"size": 36', b'"size": 37'), "no signed list in it has tool"),
    ("manifest.json", lambda data: _manifest(distribution="plan9-vax"), "is for plan9-vax; this machine is "),
    ("manifest.json", lambda data: data[:-1], "is no bundle: "),
    ("manifest.json", lambda data: _manifest(packages=[{"name": "tool"}]), "is no bundle: "),
    ("manifest.json", lambda data: b"{}", "is no bundle: "),
])  # fmt: skip
def test_changed_bundles_are_refused(tmp_path: Path, name: str, change: Callable[[bytes], bytes], message: str) -> None:
    members = _members()
    changed = change(members[name])
    assert changed != members[name]
    path = _write(tmp_path / "b", {**members, name: changed})
    with pytest.raises(SetupError, match=message):
        bundle.read(path, tmp_path / "read")


def test_a_bundle_needs_the_signature_of_this_distribution(tmp_path: Path, keyrings: Path) -> None:
    members = _members()
    del members[RELEASE]
    with pytest.raises(SetupError, match="no signed list in it has tool"):
        bundle.read(_write(tmp_path / "unsigned", members), tmp_path / "read")
    (keyrings / "test-archive-keyring.gpg").unlink()
    with pytest.raises(SetupError, match="no key of this machine's distribution signed it"):
        bundle.read(_write(tmp_path / "foreign", _members()), tmp_path / "read2")


def _link(name: str, kind: bytes, target: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


@pytest.mark.parametrize("member", [
    tarfile.TarInfo("../outside"), tarfile.TarInfo("archives/../../outside"), tarfile.TarInfo("/tmp/outside"),
    tarfile.TarInfo("archives/.hidden"), tarfile.TarInfo("other/file"),
    _link("archives/a", tarfile.SYMTYPE, "/etc/passwd"), _link("archives/a", tarfile.LNKTYPE, "/etc/passwd"),
    _link("archives/a", tarfile.FIFOTYPE, ""), _link("lists", tarfile.SYMTYPE, "/tmp"),
], ids=lambda member: f"{member.name}-{member.type.decode()}")  # fmt: skip
def test_other_members_are_refused(tmp_path: Path, member: tarfile.TarInfo) -> None:
    folder = tmp_path / "inner" / "read"
    path = _write(tmp_path / "b", _members(), member)
    with pytest.raises(SetupError, match="is refused: it contains "):
        bundle.read(path, folder)
    assert not (tmp_path / "inner" / "outside").exists() and not (tmp_path / "outside").exists()


@pytest.mark.parametrize("data", [b"", b"no archive", b"\x1f\x8b" + bytes(600)])
def test_other_files_are_no_bundles(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "b"
    path.write_bytes(data)
    with pytest.raises(SetupError, match="is no bundle: "):
        bundle.read(path, tmp_path / "read")
    with pytest.raises(SetupError, match="nothing cannot be unpacked: No such file or directory"):
        bundle.read(tmp_path / "nothing", tmp_path / "read")
    _write(path, _members())
    path.write_bytes(path.read_bytes()[:1800])  # the rest was lost
    with pytest.raises(SetupError, match="is no bundle: "):
        bundle.read(path, tmp_path / "read2")
