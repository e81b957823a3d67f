"""Kernel sources from packages, fetched by apt itself from a repository in a folder."""

from __future__ import annotations

import fcntl
import hashlib
import http.server
import subprocess
import threading
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


class _Server(http.server.ThreadingHTTPServer):
    """Serves a folder. The first answer with a package ends after half of it.

    Attributes:
        ranges: the ranges of packages that were requested, such as "bytes=700-"; empty for the whole package.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.folder = folder
        self.ranges: list[str] = []


class _Answer(http.server.BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        file = self.server.folder / Path(self.path).name
        if not file.is_file():
            self.send_error(404)
            return
        data, requested = file.read_bytes(), self.headers.get("Range", "")
        begin = int(requested.removeprefix("bytes=").rstrip("-") or 0)
        self.send_response(206 if requested else 200)
        self.send_header("Content-Length", str(len(data) - begin))
        self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        if requested:
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        self.end_headers()
        end = len(data)
        if file.suffix == ".deb":
            end = len(data) // 2 if not self.server.ranges else end
            self.server.ranges.append(requested)
        self.wfile.write(data[begin:end])
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_an_interrupted_fetch_is_resumed(
    lists: PackageLists, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = _Server(tmp_path / "repository")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    remote = PackageLists([f"deb [trusted=yes] {url} ./"], tmp_path / "remote")
    (tmp_path / "apt.conf").write_text('Acquire::Retries "0";\n')
    monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))
    remote.update(lambda *_: None)
    with pytest.raises(PlaceError, match="Failed to fetch"):
        remote.fetch("6.9", lambda *_: None)
    assert remote.fetch("6.9", lambda *_: None).read_text() == "the source of 6.9"
    server.shutdown()
    half = (server.folder / "linux-source-6.9_6.9.1_all.deb").stat().st_size // 2
    assert server.ranges == ["", f"bytes={half}-"]
    assert [path.name for path in cache.iterdir()] == ["linux-source-6.9.tar.xz"]


def test_a_package_without_a_signature_is_refused(lists: PackageLists, cache: Path, tmp_path: Path) -> None:
    unsigned = PackageLists([f"deb [allow-insecure=yes] file:{tmp_path / 'repository'} ./"], tmp_path / "unsigned")
    unsigned.update(lambda *_: None)
    with pytest.raises(PlaceError, match="could not be authenticated"):
        unsigned.fetch("6.9", lambda *_: None)
    assert not list(cache.glob("*.xz"))


def test_only_one_process_fetches_a_version(lists: PackageLists, cache: Path) -> None:
    part = cache / "linux-source-6.9.part"
    part.mkdir(parents=True)
    with (part / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(PlaceError, match=r"another process fetches linux-source-6\.9"):
            lists.fetch("6.9", lambda *_: None)


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
    with pytest.raises(PlaceError, match=r"apt-helper download-file fails: .*Hash Sum mismatch"):
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
