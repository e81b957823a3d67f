"""Files that are written in one piece: a reader finds the old content or the new, never a part of either.

This module is for files of this program. For a user's own file, `formats.files` also keeps owner and mode, and writes
the content to the disk before the file is replaced.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Give the block an empty file beside `path` to write, and replace `path` by it afterwards.

    Several processes may do so at once; the last one determines the content. If the block raises an exception, `path`
    is unchanged and the new file is removed.

    Raises:
        OSError: the folder cannot be written.
    """
    beside = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.new")
    os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666))
    try:
        yield beside
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def replace(path: Path, content: str | bytes) -> None:
    """Write a file in one piece: text as UTF-8, with unchanged line ends. Raises OSError."""
    with replaced(path) as beside:
        beside.write_bytes(content.encode() if isinstance(content, str) else content)
