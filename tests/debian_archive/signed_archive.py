"""A small archive of Debian packages in a folder, made and signed by Debian's and GnuPG's own programs."""

from __future__ import annotations

import hashlib
import lzma
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from pathlib import Path


class Signer:
    """A new key in a folder of its own."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._run("--quick-generate-key", "Test <test@example.org>", "ed25519", "sign", "never")
        self.keyring = home / "keyring.gpg"
        self.keyring.write_bytes(self._run("--export"))

    def sign(self, text: str) -> bytes:
        """The text with a signature, as in `InRelease`."""
        return self._run("--clearsign", text=text)

    def _run(self, *arguments: str, text: str = "") -> bytes:
        command = ["gpg", "--homedir", str(self._home), "--batch", "-q", "--passphrase", "", *arguments]
        return subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout


@contextmanager
def new_signer() -> Iterator[Signer]:
    """A key whose agent ends with it. The path of the agent's socket has to be short."""
    home = Path(tempfile.mkdtemp(prefix="gpg-", dir="/tmp"))
    try:
        yield Signer(home)
    finally:
        subprocess.run(["gpgconf", "--kill", "all"], env={**os.environ, "GNUPGHOME": str(home)}, check=False)
        shutil.rmtree(home)


class SignedArchive:
    """An archive of packages that are small or empty.

    Args:
        folder: the folder of the archive.
        signer: signs its Release files.
        codename: the name of its suite.
    """

    def __init__(self, folder: Path, signer: Signer, codename: str = "trixie") -> None:
        self.folder, self.signer, self.codename = folder, signer, codename
        self._paragraphs: list[str] = []
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def address(self) -> str:
        """Its address."""
        return self.folder.as_uri()

    @property
    def release(self) -> Path:
        """Its signed Release file."""
        return self.folder / f"dists/{self.codename}/InRelease"

    def add(self, name: str, version: str = "1.0", tree: Path | None = None, **fields: str) -> Path:
        """Add a package with the files of a folder. Returns its file.

        Args:
            name: of the package.
            version: of the package.
            tree: the folder; None for a package without files.
            fields: such as `Depends="other"`, with `_` for `-`.
        """
        tree = tree or self.folder / f"{name}-{version}-tree"
        control = {"Package": name, "Version": version, "Architecture": "all", "Maintainer": "nobody"}
        control |= {key.replace("_", "-"): value for key, value in fields.items()} | {"Description": "text"}
        paragraph = "".join(f"{key}: {value}\n" for key, value in control.items())
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(paragraph, encoding="ascii")
        path = f"pool/{name}_{version.replace(':', '%3a')}_all.deb".replace("%3a", "")
        target = self.folder / path
        target.parent.mkdir(exist_ok=True)
        command = ["dpkg-deb", "--root-owner-group", "-Zxz", "-b", str(tree), str(target)]
        subprocess.run(command, check=True, capture_output=True)
        digest = hashlib.sha256(target.read_bytes()).hexdigest()
        self._paragraphs.append(f"{paragraph}Filename: {path}\nSize: {target.stat().st_size}\nSHA256: {digest}\n")
        return target

    def publish(self, architecture: str = "amd64", **fields: str) -> None:
        """Write and sign the lists of packages.

        Args:
            architecture: Debian's name of the processor.
            fields: further fields of the Release file.
        """
        data = "\n".join(self._paragraphs).encode()
        lists = {"": data, ".xz": lzma.compress(data)}
        folder = self.release.parent / f"main/binary-{architecture}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = []
        for ending, content in lists.items():
            (folder / f"Packages{ending}").write_bytes(content)
            digest = hashlib.sha256(content).hexdigest()
            lines.append(f" {digest} {len(content):8} main/binary-{architecture}/Packages{ending}\n")
        head = {"Origin": "Test", "Codename": self.codename, "Date": formatdate(usegmt=True), **fields}
        text = "".join(f"{key.replace('_', '-')}: {value}\n" for key, value in head.items())
        self.release.write_bytes(self.signer.sign(f"{text}SHA256:\n{''.join(lines)}"))
