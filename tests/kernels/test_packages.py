"""Kernel sources from packages, fetched by apt itself from a repository in a folder."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from frrlib.errors import PlaceError
from frrlib.kernels import build, packages
from frrlib.kernels.packages import PackageLists

CONTROL = (
    "Package: linux-source-{version}\nVersion: {version}.1\nArchitecture: all\nMaintainer: nobody\nDescription: x\n"
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "miniedit-frr" / "sources"


def _package(folder: Path, version: str) -> Path:
    """A package of a kernel source, whose archive is a text."""
    content = folder / version
    archive = content / "usr" / "src" / f"linux-source-{version}.tar.xz"
    archive.parent.mkdir(parents=True)
    archive.write_text(f"the source of {version}")
    (content / "DEBIAN").mkdir()
    (content / "DEBIAN" / "control").write_text(CONTROL.format(version=version))
    file = folder / f"linux-source-{version}_{version}.1_all.deb"
    subprocess.run(["dpkg-deb", "-b", content, file], check=True, capture_output=True)
    return file


@pytest.fixture
def lists(tmp_path: Path) -> PackageLists:
    """The lists of a repository with two versions."""
    folder = tmp_path / "repository"
    folder.mkdir()
    entries = []
    for version in ("6.9", "6.12"):
        file = _package(folder, version)
        data = file.read_bytes()
        entries.append(
            f"{CONTROL.format(version=version)}Filename: ./{file.name}\nSize: {len(data)}\n"
            f"SHA256: {hashlib.sha256(data).hexdigest()}\n"
        )
    (folder / "Packages").write_text("\n".join(entries))
    return PackageLists([f"deb [trusted=yes] file:{folder} ./"], tmp_path / "lists")


def test_a_version_is_fetched_from_its_package(lists: PackageLists, cache: Path) -> None:
    progress: list[tuple[str, float]] = []
    lists.update(lambda step, share: progress.append((step, share)))
    assert lists.versions() == ["6.12", "6.9"]
    archive = lists.fetch("6.9", lambda step, share: progress.append((step, share)))
    assert archive == cache / "linux-source-6.9.tar.xz" and archive.read_text() == "the source of 6.9"
    assert ("lists", 1.0) in progress and progress[-1] == ("fetch", 1.0)
    assert not list(cache.glob(".*"))


def test_a_version_is_chosen_from_all_lists(lists: PackageLists, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "_all_lists", lambda version: [lists])
    assert packages.fetch(packages.NEWEST, lambda *_: None).name == "linux-source-6.12.tar.xz"
    with pytest.raises(PlaceError, match=r"no sources of Linux 7\.0") as caught:
        packages.fetch("7.0", lambda *_: None)
    assert caught.value.remedy == "choose one of 6.12, 6.9, or newest"
    # A version in the cache needs no lists.
    monkeypatch.setattr(packages, "_all_lists", lambda version: pytest.fail("lists were read"))
    assert packages.fetch("6.12", lambda *_: None) == cache / "linux-source-6.12.tar.xz"


@pytest.mark.parametrize("version", ["", "six", "6", "6.", "../6.1", "6.1;x", "-6.1"])
def test_other_texts_are_no_versions(version: str) -> None:
    with pytest.raises(PlaceError, match="is no version of Linux"):
        packages.fetch(version, lambda *_: None)


def test_a_damaged_package_is_refused(lists: PackageLists, tmp_path: Path) -> None:
    lists.update(lambda *_: None)
    with next((tmp_path / "repository").glob("*6.9*.deb")).open("r+b") as file:
        file.seek(200)
        file.write(b"changed")
    with pytest.raises(PlaceError, match=r"apt-get linux-source-6\.9 fails: "):
        lists.fetch("6.9", lambda *_: None)


def test_without_a_repository_the_file_to_bring_is_named(tmp_path: Path) -> None:
    lists = PackageLists([f"deb [trusted=yes] file:{tmp_path}/none ./"], tmp_path / "lists")
    with pytest.raises(PlaceError) as caught:
        lists.update(lambda *_: None)
    assert "miniedit-frr kernel build FILE.deb" in caught.value.remedy


def test_a_package_that_was_brought_is_a_source(tmp_path: Path, cache: Path) -> None:
    assert build.find_source(_package(tmp_path, "6.9")) == cache / "linux-source-6.9.tar.xz"
    (tmp_path / "other.deb").write_text("no package")
    with pytest.raises(PlaceError, match="is no package of a kernel source"):
        build.find_source(tmp_path / "other.deb")
