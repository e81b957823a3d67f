"""Reads text files of one folder, within limits.

Only files inside the folder are read. A path or a link that leads outside would copy the user's own files into the
topology of another person.
"""

from __future__ import annotations

from pathlib import Path

from frrlib.system.untrusted_files import read_bytes

_MOST_BYTES, _MOST_TOGETHER_BYTES = 1_000_000, 32_000_000


class FolderReader:
    """Reads files of one folder, within limits.

    Args:
        folder: the folder of the topology; None if it is unknown, so that nothing is read.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder.resolve() if folder is not None else None
        self._bytes = 0

    def inside(self, written: str) -> Path:
        """The file or folder of a path in the topology.

        Raises:
            ValueError: the path leads outside of the folder, or does not exist; with the reason.
        """
        if self._folder is None:
            raise ValueError("is not read, since the folder of the topology is not known")
        try:
            target = (self._folder / written).resolve()
            outside = Path(written).is_absolute() or written.startswith("~") or not target.is_relative_to(self._folder)
            if outside:
                raise ValueError("is outside of the folder of the topology, and is not read; copy it into the folder")
            if not target.exists():
                raise ValueError("does not exist beside the topology")
        except (OSError, RuntimeError) as problem:
            raise ValueError(f"cannot be read: {getattr(problem, 'strerror', None) or problem}") from None
        return target

    def text(self, path: Path) -> str:
        """The content of a file. Raises ValueError with the reason."""
        assert self._folder is not None
        try:
            if not path.resolve().is_relative_to(self._folder):
                raise ValueError("is a link to a file outside of the folder of the topology, and is not read")
            data = read_bytes(path, _MOST_BYTES)
            text = data.decode("utf-8")
        except (OSError, RuntimeError) as problem:  # a loop of links is a RuntimeError
            raise ValueError(f"cannot be read: {getattr(problem, 'strerror', None) or problem}") from None
        except UnicodeDecodeError:
            raise ValueError("is not text in UTF-8") from None
        self._bytes += len(data)
        if self._bytes > _MOST_TOGETHER_BYTES:
            raise ValueError(f"is not read: the files have more than {_MOST_TOGETHER_BYTES // 10**6} MB together")
        if any(not letter.isprintable() and letter not in "\r\n\t\f" for letter in text):
            raise ValueError("has control characters, and is not read")
        return text
