"""Packages of a signed archive: their choice, their download, and the refusal of whatever the keys do not vouch for."""

from __future__ import annotations

import hashlib
import http.server
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path

import pytest

from frrlib.debian_archive import keys
from frrlib.debian_archive.archive import Archive, Suite
from frrlib.debian_archive.download import Unreachable, fetch
from frrlib.debian_archive.errors import ArchiveError
from frrlib.debian_archive.signatures import BadSignature, NoVerifier, signed_text
from tests.debian_archive.signed_archive import SignedArchive, Signer, new_signer

pytestmark = pytest.mark.skipif(shutil.which("gpg") is None, reason="no gpg, which signs the archive")


@pytest.fixture(scope="module")
def signer() -> Iterator[Signer]:
    with new_signer() as one:
        yield one


@pytest.fixture
def signed(tmp_path: Path, signer: Signer) -> SignedArchive:
    signed = SignedArchive(tmp_path / "archive", signer)
    signed.add("base", Essential="yes", Pre_Depends="awk", Provides="editor (= 2.0)")
    signed.add("gawk", Provides="awk")
    signed.add("mawk", Priority="required", Provides="awk")
    signed.add("lib", "1.0")
    signed.add("lib", "1.2-1")
    signed.add("tool", Depends="absent | lib (>= 1.1), editor (>= 2.0) | gawk, lib:any", Recommends="gawk")
    signed.add("old", Depends="lib (<< 1.1)")
    signed.add("hostile", Breaks="lib (>= 1.2~)")
    signed.add("either", Depends="hostile | gawk, tool")
    signed.publish()
    return signed


def _archive(tmp_path: Path, signed: SignedArchive) -> Archive:
    return Archive(tmp_path / "cache", [Suite(signed.address, signed.codename)], [signed.signer.keyring], "amd64")


def test_packages_are_chosen_and_fetched(tmp_path: Path, signed: SignedArchive) -> None:
    archive = _archive(tmp_path, signed)
    assert archive.update() and archive.update()
    chosen = archive.resolve(["tool"])
    assert [(record.name, record.version) for record in chosen] == [
        ("base", "1.0"), ("lib", "1.2-1"), ("mawk", "1.0"), ("tool", "1.0")
    ]  # fmt: skip
    numbers: list[int] = []
    archive.download(chosen, lambda record: f"{record.name}.deb", numbers.append)
    assert numbers == [1, 2, 3, 4]
    for record in chosen:
        path = archive.archives / f"{record.name}.deb"
        done = subprocess.run(["dpkg-deb", "-f", str(path), "Package"], check=True, capture_output=True, text=True)
        assert done.stdout == f"{record.name}\n"
        assert hashlib.sha256(path.read_bytes()).hexdigest() == record.sha256
    # An alternative that excludes a chosen package is not taken.
    assert [record.name for record in archive.resolve(["either", "lib"])] == [
        "base",
        "either",
        "gawk",
        "lib",
        "mawk",
        "tool",
    ]


@pytest.mark.parametrize(("names", "message"), [
    (["nothing"], "The lists of packages have no nothing"),
    (["old"], "old needs lib << 1.1, which cannot be chosen"),
    (["hostile", "lib"], "hostile and lib cannot be used together"),
])  # fmt: skip
def test_packages_that_cannot_be_chosen(tmp_path: Path, signed: SignedArchive, names: list[str], message: str) -> None:
    archive = _archive(tmp_path, signed)
    archive.update()
    with pytest.raises(ArchiveError, match=message):
        archive.resolve(names)


def test_changed_files_are_refused(tmp_path: Path, signed: SignedArchive) -> None:
    archive = _archive(tmp_path, signed)
    package = signed.folder / "pool/tool_1.0_all.deb"
    packages = signed.release.parent / "main/binary-amd64/Packages.xz"
    for path, changed in (
        (signed.release, signed.release.read_bytes().replace(b"Codename: trixie", b"Codename: trixiE")),
        (packages, packages.read_bytes()[:-1] + b"!"),
    ):
        original = path.read_bytes()
        path.write_bytes(changed)
        with pytest.raises(ArchiveError, match="is refused"):
            archive.update()
        with pytest.raises(ArchiveError, match="There is no list of the packages of trixie yet"):
            archive.resolve(["tool"])
        path.write_bytes(original)
    assert archive.update()
    chosen = archive.resolve(["tool"])
    original = package.read_bytes()
    package.write_bytes(original[:-1] + bytes([original[-1] ^ 1]))
    with pytest.raises(ArchiveError, match=r"tool_1\.0_all\.deb is refused: its content is not that"):
        archive.download(chosen, lambda record: f"{record.name}.deb", lambda number: None)
    assert not (archive.archives / "tool.deb").exists()
    package.write_bytes(original)
    archive.download(chosen, lambda record: f"{record.name}.deb", lambda number: None)
    # A list that was changed here is refused as well.
    listed = next(archive.lists.glob("*_Packages"))
    listed.write_bytes(listed.read_bytes().replace(b"Size: ", b"Size: 1"))
    with pytest.raises(ArchiveError, match="it is not the signed list"):
        archive.resolve(["tool"])


def test_other_keys_suites_and_times_are_refused(tmp_path: Path, signed: SignedArchive) -> None:
    with new_signer() as other:
        foreign = Archive(tmp_path / "foreign", [Suite(signed.address, "trixie")], [other.keyring], "amd64")
        with pytest.raises(BadSignature, match="none of the expected keys has signed it"):
            foreign.update()
        # Debian signs with several keys. A further signature by an unknown key does no harm.
        both = [signed.signer.keyring, other.keyring]
        assert "Codename: trixie" in signed_text(signed.release, both)
    archive = _archive(tmp_path, signed)
    assert archive.update()
    signed.publish(Date=formatdate(1e9, usegmt=True))
    with pytest.raises(ArchiveError, match="has an older trixie than before"):
        archive.update()
    signed.publish(Valid_Until=formatdate(1e9, usegmt=True))
    with pytest.raises(ArchiveError, match=r"is too old\. Check the clock"):
        archive.update()
    signed.publish(Codename="sid")
    with pytest.raises(ArchiveError, match="is of sid, not of trixie"):
        archive.update()
    signed.publish("arm64")
    with pytest.raises(ArchiveError, match="has no packages for amd64"):
        archive.update()
    signed.release.unlink()
    assert not archive.update()  # without a network, the earlier lists stay
    assert archive.resolve(["tool"])


@pytest.mark.parametrize("verifier", ["gpgv", "sqv", "gpg"])
def test_each_verifier_tells_signed_from_changed(
    tmp_path: Path, signed: SignedArchive, monkeypatch: pytest.MonkeyPatch, verifier: str
) -> None:
    program = shutil.which(verifier)
    if program is None or (verifier == "sqv" and not _checks_cleartext()):
        pytest.skip(f"no {verifier} that can check a Release file")
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    with pytest.raises(NoVerifier, match="Install one of gpgv, sqv, gpg"):
        signed_text(signed.release, [signed.signer.keyring])
    (programs / verifier).symlink_to(program)
    assert "Codename: trixie\n" in signed_text(signed.release, [signed.signer.keyring])
    changed = tmp_path / "InRelease"
    changed.write_bytes(signed.release.read_bytes().replace(b"Origin: Test", b"Origin: Mine"))
    with pytest.raises(BadSignature):
        signed_text(changed, [signed.signer.keyring])
    text = signed.release.read_text()
    changed.write_text(text.partition("\n\n")[2].partition("-----BEGIN PGP SIGNATURE")[0])  # not signed at all
    with pytest.raises(BadSignature):
        signed_text(changed, [signed.signer.keyring])
    for outside in (f"Origin: Mine\n{text}", f"{text}{text}"):  # text that this signature does not cover
        changed.write_text(outside)
        with pytest.raises(BadSignature, match="it is not one signed message"):
            signed_text(changed, [signed.signer.keyring])


def _checks_cleartext() -> bool:
    return "--cleartext" in subprocess.run(["sqv", "--help"], capture_output=True, text=True, check=True).stdout


class _Server(http.server.ThreadingHTTPServer):
    """Serves one file. The first reply ends early; each later one begins at the requested byte.

    Attributes:
        requested: the first byte of each request.
    """

    def __init__(self, data: bytes) -> None:
        self.data, self.requested = data, list[int]()
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/file"


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, _Server)
        start = int(self.headers.get("Range", "bytes=0-")[6:-1])
        server.requested.append(start)
        self.send_response(206 if "Range" in self.headers else 200)
        self.send_header("Content-Length", str(len(server.data) - start))
        self.end_headers()
        self.wfile.write(server.data[start : 100_000 if len(server.requested) == 1 else None])

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_downloads_continue_where_they_ended(tmp_path: Path) -> None:
    data = bytes(range(256)) * 1000
    digest = hashlib.sha256(data).hexdigest()
    with _Server(data) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            target = tmp_path / "file"
            fetch(server.address, target, digest, len(data))
            assert target.read_bytes() == data and server.requested == [0, 100_000]
            fetch(server.address, target, digest, len(data))  # it is there
            assert len(server.requested) == 2
            # A part of another file is thrown away, and so is a file that is longer than the list says.
            (tmp_path / "other.part").write_bytes(b"other")
            for length in (len(data), len(data) - 1):
                with pytest.raises(ArchiveError, match="is refused"):
                    fetch(server.address, tmp_path / "other", digest, length)
                assert not list(tmp_path.glob("other*"))
            fetch(server.address, tmp_path / "other", digest, len(data))
        finally:
            server.shutdown()
            thread.join()
    with pytest.raises(Unreachable, match="cannot be fetched"):
        fetch((tmp_path / "nothing").as_uri(), tmp_path / "third", digest, len(data))


def test_the_keys_are_those_of_debian(tmp_path: Path) -> None:
    """GnuPG shows the fingerprints that Debian publishes, and a machine with Debian's package has the same files."""
    for key, path in zip(keys.KEYS, keys.keyrings(), strict=True):
        command = ["gpg", "--homedir", str(tmp_path), "--batch", "-q", "--show-keys", str(path)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert re.findall(r"^ +([0-9A-F]{40})$", output, re.MULTILINE) == [key.fingerprint]
        installed = Path("/usr/share/keyrings", key.file)
        assert not installed.exists() or installed.read_bytes() == path.read_bytes()
        shutil.copy(path, tmp_path)
    changed = tmp_path / keys.KEYS[0].file
    changed.write_bytes(changed.read_bytes()[:-1])
    with pytest.raises(ArchiveError, match=f"is not the key {keys.KEYS[0].fingerprint} of Debian"):
        keys.keyrings(tmp_path)
