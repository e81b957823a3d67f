"""Files that are written in one piece: a reader finds the old content or the new, never a part of either.

For what this program keeps. A person's own file (`formats.files`) keeps its owner and mode, too, and is safe on the
disk before it counts.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Within the block: an empty file beside `path`, for the caller to write; afterwards it replaces `path`.

    Several may do so at once; the last one counts. Where the block raises, `path` is as it was, with nothing beside it.

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
    """Write a file in one piece; text as UTF-8, its line ends as they are. Raises OSError."""
    with replaced(path) as beside:
        beside.write_bytes(content.encode() if isinstance(content, str) else content)
