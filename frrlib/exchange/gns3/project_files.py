"""The files of a GNS3 project, in its folder or in an exported archive. Nothing is unpacked to the disk."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from frrlib.exchange.configurations.folder_reader import FolderReader
from frrlib.exchange.xml_text import CONTROL_CHARACTER
from frrlib.formats.entry import brief
from frrlib.formats.jsontext import InvalidFile

#: The project in an archive.
_PROJECT = "project.gns3"
_MOST_ENTRIES = 20_000
#: Limits of one file, of the project itself, and of all files together.
_MOST_BYTES, _MOST_PROJECT_BYTES, _MOST_TOGETHER_BYTES = 1_000_000, 16 * 2**20, 32_000_000


class InvalidArchive(InvalidFile):
    """An archive is rejected; `remedy` is the action to take."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(reason)
        self.remedy = remedy


class ProjectFiles:
    """Files in the folder of a project.

    Args:
        folder: the folder of the `.gns3` file.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._reader = FolderReader(folder)

    def text(self, name: str) -> str | None:
        """The content of a file; None if the project does not have it.

        Args:
            name: its path in the project, with slashes.

        Raises:
            ValueError: it cannot be read, or leads out of the project; with the reason.
        """
        if not _is_inside(name) or not (self._folder / name).exists():
            return None
        return self._reader.text(self._reader.inside(name))

    def has_folder(self, name: str) -> bool:
        """Whether the project has a folder with a file in it."""
        if not _is_inside(name):
            return False
        try:
            return any((self._folder / name).iterdir())
        except OSError:
            return False


class ArchivedFiles(ProjectFiles):
    """Files in an exported project (`.gns3project`), which is a zip archive.

    Args:
        data: the content of the archive.

    Raises:
        InvalidArchive: it is no archive, is damaged, or has an entry that leads out of it.
    """

    def __init__(self, data: bytes) -> None:
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OverflowError, NotImplementedError, UnicodeError) as problem:
            remedy = "export the project again: File > Export portable project"
            raise InvalidArchive(f"is no archive of GNS3: {problem}", remedy) from None
        names = self._archive.namelist()
        if len(names) > _MOST_ENTRIES:
            raise InvalidArchive(f"has more than {_MOST_ENTRIES} files")
        for name in names:
            if not _is_inside(name):
                remedy = "remove this entry, or export the project again"
                raise InvalidArchive(f"has the entry {brief(name)}, which leads out of the project", remedy)
        self._names = frozenset(names)
        self._bytes = 0

    def project(self) -> bytes:
        """The project itself.

        Raises:
            InvalidArchive: the archive has none, or it cannot be read.
        """
        if _PROJECT not in self._names:
            remedy = "export the project again: File > Export portable project"
            raise InvalidArchive(f"has no {_PROJECT}", remedy)
        try:
            return self._read(_PROJECT, _MOST_PROJECT_BYTES)
        except ValueError as problem:
            remedy = "export the project again with the compression zip"
            raise InvalidArchive(f"has a {_PROJECT} that {problem}", remedy) from None

    def text(self, name: str) -> str | None:
        """The content of a file; None if the archive does not have it. Raises ValueError with the reason."""
        if name not in self._names:
            return None
        data = self._read(name, _MOST_BYTES)
        self._bytes += len(data)
        if self._bytes > _MOST_TOGETHER_BYTES:
            raise ValueError(f"is not read: the files have more than {_MOST_TOGETHER_BYTES // 10**6} MB together")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError("is not text in UTF-8") from None
        if CONTROL_CHARACTER.search(text):
            raise ValueError("has control characters, and is not read")
        return text

    def has_folder(self, name: str) -> bool:
        """Whether the archive has a folder with a file in it."""
        start = f"{name.rstrip('/')}/"
        return any(other.startswith(start) and other != start for other in self._names)

    def _read(self, name: str, most_bytes: int) -> bytes:
        """Unpack one entry, at most up to a limit: a small archive can have entries of many gigabytes."""
        try:
            with self._archive.open(name) as file:
                data = file.read(most_bytes + 1)
        except NotImplementedError:
            raise ValueError("is packed by a method that is not supported here") from None
        except RuntimeError:
            raise ValueError("is encrypted") from None
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError) as problem:
            raise ValueError(f"cannot be unpacked: {problem}") from None
        if len(data) > most_bytes:
            raise ValueError(f"is longer than {most_bytes} bytes")
        return data


def _is_inside(name: str) -> bool:
    """Whether a path stays in the project."""
    path = PurePosixPath(name.replace("\\", "/"))
    drive = len(name) > 1 and name[1] == ":"
    return not path.is_absolute() and ".." not in path.parts and not drive and "\0" not in name
