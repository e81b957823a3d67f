"""Stands in for apt on machines without it: the packages of a root folder, from the archive of Debian."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from frrlib.debian_archive import keys
from frrlib.debian_archive.archive import ARCHITECTURES, Archive, Suite
from frrlib.debian_archive.errors import ArchiveError
from frrlib.debian_archive.index import Record
from frrlib.missing_packages.errors import SetupError, no_space
from frrlib.missing_packages.packages import Package

#: The variables with the addresses of mirrors, of Debian's archive and of its security updates.
MIRROR, SECURITY_MIRROR = "MINIEDIT_FRR_MIRROR", "MINIEDIT_FRR_SECURITY_MIRROR"
_CODENAME = "trixie"


def suites() -> list[Suite]:
    """The suites of Debian that a root folder is made of.

    Most mirrors have security updates beside the archive, in a folder whose name ends with "-security".

    Raises:
        SetupError: no mirror is chosen.
    """
    mirror = os.environ.get(MIRROR, "").rstrip("/")
    if not mirror:
        raise SetupError(
            f"No mirror of Debian is chosen. Set {MIRROR} to the address of one near you, which ends with /debian; "
            "Debian's web pages list them. Without a network: ./run setup --from BUNDLE"
        )
    security = os.environ.get(SECURITY_MIRROR) or f"{mirror}-security"
    return [Suite(mirror, _CODENAME), Suite(security, f"{_CODENAME}-security")]


class WithoutApt:
    """The archive of Debian, with the methods of `Apt`.

    Args:
        folder: for lists and downloads. An interrupted download continues there.

    Raises:
        SetupError: no mirror is chosen, Debian has no packages for this processor, or its keys are damaged.
    """

    def __init__(self, folder: Path) -> None:
        machine = os.uname().machine
        if machine not in ARCHITECTURES:
            raise SetupError(f"Debian has no packages for processors of the kind {machine}.")
        try:
            self._archive = Archive(folder, suites(), keys.keyrings(), ARCHITECTURES[machine])
        except ArchiveError as error:
            raise SetupError(f"{error}") from error
        self.archives = self._archive.archives
        self._records: dict[tuple[str, str], Record] = {}

    def update(self) -> bool:
        """Fetch the lists of packages, and check their signatures. Returns whether all are up to date.

        Raises:
            SetupError: a list is refused, nothing here checks signatures, or the disk is full.
        """
        try:
            return self._archive.update()
        except (ArchiveError, OSError) as error:
            raise SetupError(no_space(self.archives, str(error)) or f"{error}") from error

    def resolve(self, names: Sequence[str]) -> list[Package]:
        """All packages of a root folder with these, with the digests in the signed lists.

        Raises:
            SetupError: they cannot be used together, or are not in the lists.
        """
        try:
            records = self._archive.resolve(names)
        except ArchiveError as error:
            raise SetupError(f"{error}") from error
        self._records = {(record.name, record.version): record for record in records}
        return [_package(record) for record in records]

    def download(self, names: Sequence[str], packages: Iterable[Package]) -> None:
        """Fetch the files of packages into `archives`, and compare each with the signed lists.

        Args:
            names: unused, as apt needs them.
            packages: packages that `resolve` returned.

        Raises:
            SetupError: a file could not be fetched, or is not as in the lists.
        """
        records = [self._records[package.name, package.version] for package in packages]
        try:
            self._archive.download(records, lambda record: _package(record).file_name, _show_progress(len(records)))
        except (ArchiveError, OSError) as error:
            raise SetupError(no_space(self.archives, str(error)) or f"{error}") from error
        finally:
            if sys.stderr.isatty():
                sys.stderr.write("\n")


def _package(record: Record) -> Package:
    return Package(record.name, record.version, record.architecture, "", record.sha256, record.size)


def _show_progress(count: int) -> Callable[[int], None]:
    """Shows the number of fetched packages in a line, on a terminal."""

    def show(number: int) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r  {number} of {count} packages ")
            sys.stderr.flush()

    return show
