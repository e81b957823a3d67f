"""Files of daemons that may be missing."""

from __future__ import annotations

#: The end of a log that errors contain.
_LOG_END_BYTES = 4000


def bytes_of(path: str) -> bytes:
    """The content of a file; empty if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def end_of(path: str) -> str:
    """The end of a log, as text."""
    return bytes_of(path)[-_LOG_END_BYTES:].decode(errors="replace").strip()
