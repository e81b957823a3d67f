"""The archive of a distribution: its signed lists in a folder of this user, and the files of its packages."""

from __future__ import annotations

import hashlib
import lzma
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from frrlib.debian_archive import release
from frrlib.debian_archive.download import Unreachable, address, fetch, fetch_text
from frrlib.debian_archive.errors import ArchiveError
from frrlib.debian_archive.index import Index, Record
from frrlib.debian_archive.resolver import resolve
from frrlib.debian_archive.signatures import signed_text

#: Debian's names of processors, by those of the kernel.
ARCHITECTURES = {
    "x86_64": "amd64", "aarch64": "arm64", "armv7l": "armhf", "i686": "i386", "ppc64le": "ppc64el", "s390x": "s390x",
    "riscv64": "riscv64",
}  # fmt: skip
#: The maximum size of a Release file, in bytes. Debian's have 0.2 MB.
_RELEASE_LIMIT = 4_000_000


class Suite(NamedTuple):
    """A suite of an archive.

    Attributes:
        archive: the address of the archive, such as `http://mirror.example/debian`.
        codename: the suite's name, such as `trixie`.
    """

    archive: str
    codename: str


class Archive:
    """Suites of a distribution.

    Args:
        folder: for lists and packages. An interrupted download continues there.
        suites: the suites.
        keyrings: files with the keys of the distribution, one of which must have signed each Release file.
        architecture: Debian's name of the processor, such as `amd64`.
    """

    def __init__(self, folder: Path, suites: Sequence[Suite], keyrings: Sequence[Path], architecture: str) -> None:
        self.lists, self.archives = folder / "state/lists", folder / "archives"
        self._suites, self._keyrings, self._architecture = suites, keyrings, architecture
        for path in (self.lists, self.archives):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def update(self) -> bool:
        """Fetch the lists of packages that changed. Returns whether all are up to date; the earlier ones stay if not.

        Raises:
            ArchiveError: a list is refused.
        """
        try:
            for suite in self._suites:
                self._update(suite)
        except Unreachable:
            return False
        return True

    def resolve(self, wanted: Sequence[str]) -> list[Record]:
        """All packages of a system with the wanted ones.

        Raises:
            ArchiveError: there are no lists yet, they are refused, or a package cannot be chosen.
        """
        index = Index()
        for suite in self._suites:
            release_file, packages_file = self._files(suite)
            if not release_file.exists() or not packages_file.exists():
                raise ArchiveError(f"There is no list of the packages of {suite.codename} yet.")
            sha256, _ = self._listed(self._read(release_file), suite, "")
            data = packages_file.read_bytes()
            if hashlib.sha256(data).hexdigest() != sha256:
                raise ArchiveError(f"{packages_file} is refused: it is not the signed list. Delete it and run again.")
            index.add(data.decode("utf-8", errors="replace"), suite.archive)
        return resolve(index, wanted)

    def download(
        self, records: Sequence[Record], file_name: Callable[[Record], str], show: Callable[[int], None]
    ) -> None:
        """Fetch the files of packages into `archives`.

        Args:
            records: the packages.
            file_name: returns the name of a package's file there.
            show: gets the number of packages that are there, after each of them.

        Raises:
            ArchiveError: a file cannot be fetched, or is not as in the lists.
        """
        for number, record in enumerate(records, 1):
            target = self.archives / file_name(record)
            fetch(address(record.archive, record.path), target, record.sha256, record.size)
            show(number)

    def _update(self, suite: Suite) -> None:
        release_file, packages_file = self._files(suite)
        fetched = release_file.with_name(f"{release_file.name}.new")
        fetched.write_bytes(fetch_text(address(suite.archive, f"dists/{suite.codename}/InRelease"), _RELEASE_LIMIT))
        new = self._read(fetched)
        new.check(suite.codename)
        if release_file.exists() and self._read(release_file).date_s > new.date_s:
            raise ArchiveError(f"{suite.archive} has an older {suite.codename} than before. Choose another mirror.")
        sha256, size = self._listed(new, suite, "")
        if not packages_file.exists() or hashlib.sha256(packages_file.read_bytes()).hexdigest() != sha256:
            self._fetch_list(suite, new, packages_file, sha256, size)
        fetched.replace(release_file)

    def _fetch_list(self, suite: Suite, new: release.Release, target: Path, sha256: str, size: int) -> None:
        packed_sha256, packed_size = self._listed(new, suite, ".xz")
        path = self._list_path(".xz")
        if new.has_digest_names:
            path = f"{path.rpartition('/')[0]}/by-hash/SHA256/{packed_sha256}"
        packed = target.with_name(f"{target.name}.xz")
        fetch(address(suite.archive, f"dists/{suite.codename}/{path}"), packed, packed_sha256, packed_size)
        with lzma.open(packed) as file:
            data = file.read(size + 1)
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ArchiveError(f"The list of the packages of {suite.codename} is refused: it is not the signed one.")
        unfinished = target.with_name(f"{target.name}.new")
        unfinished.write_bytes(data)
        unfinished.replace(target)
        packed.unlink()

    def _read(self, release_file: Path) -> release.Release:
        return release.parse(signed_text(release_file, self._keyrings))

    def _list_path(self, ending: str) -> str:
        return f"main/binary-{self._architecture}/Packages{ending}"

    def _listed(self, content: release.Release, suite: Suite, ending: str) -> tuple[str, int]:
        try:
            return content.files[self._list_path(ending)]
        except KeyError:
            raise ArchiveError(f"{suite.codename} has no packages for {self._architecture}.") from None

    def _files(self, suite: Suite) -> tuple[Path, Path]:
        """The Release file and the list of packages of a suite, named as apt names them."""
        start = f"{suite.archive.partition('://')[2].strip('/')}/dists/{suite.codename}/".replace("/", "_")
        packages = f"{start}{self._list_path('')}".replace("/", "_")
        return self.lists / f"{start}InRelease", self.lists / packages
