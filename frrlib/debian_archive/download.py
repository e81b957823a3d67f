"""Downloads that continue after an interruption, with a digest of each file."""

from __future__ import annotations

import hashlib
import http.client
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from frrlib.debian_archive.errors import ArchiveError

_BLOCK_BYTES = 1 << 16
_TIMEOUT_S = 30.0
_TRIES = 3
_PAUSE_S = 1.0


class Unreachable(ArchiveError):
    """An archive does not reply, or does not have a file."""


def address(archive: str, path: str) -> str:
    """The address of a file of an archive."""
    return f"{archive.rstrip('/')}/{urllib.parse.quote(path, safe='/+~:')}"


def fetch(url: str, target: Path, sha256: str, size: int) -> None:
    """Fetch a file, unless it is there. A part of it stays after an interruption, and the next call fetches the rest.

    Args:
        url: its address.
        target: its path here.
        sha256: its digest.
        size: bytes.

    Raises:
        Unreachable: it cannot be fetched.
        ArchiveError: it has another content.
        OSError: it cannot be written.
    """
    if target.exists() and _digest(target) == sha256:
        return
    part = target.with_name(f"{target.name}.part")
    for is_last in [False] * (_TRIES - 1) + [True]:
        try:
            _fetch_rest(url, part, size)
            break
        except (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError) as error:
            if is_last or isinstance(error, urllib.error.HTTPError):
                raise Unreachable(f"{url} cannot be fetched: {getattr(error, 'reason', error)}") from error
            time.sleep(_PAUSE_S)
    if part.stat().st_size != size or _digest(part) != sha256:
        part.unlink()
        raise ArchiveError(f"{url} is refused: its content is not that of the signed lists. Run it again.")
    part.replace(target)


def fetch_text(url: str, limit: int) -> bytes:
    """Fetch a small file.

    Args:
        url: its address.
        limit: the maximum number of bytes.

    Raises:
        Unreachable: it cannot be fetched.
        ArchiveError: it is larger.
    """
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as response:
            data: bytes = response.read(limit + 1)
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(f"{url} cannot be fetched: {getattr(error, 'reason', error)}") from error
    if len(data) > limit:
        raise ArchiveError(f"{url} is refused: it is larger than {limit} bytes.")
    return data


def _fetch_rest(url: str, part: Path, size: int) -> None:
    """Fetch the rest of a file. At most one byte more than `size` is written, which shows the difference."""
    present = part.stat().st_size if part.exists() else 0
    if present >= size:
        return
    request = urllib.request.Request(url, headers={"Range": f"bytes={present}-"} if present else {})
    with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as response:
        is_rest = getattr(response, "status", None) == 206
        with part.open("ab" if is_rest else "wb") as file:
            left = size + 1 - (present if is_rest else 0)
            while left > 0:
                data = response.read(min(_BLOCK_BYTES, left))
                if not data:
                    break
                file.write(data)
                left -= len(data)
    if part.stat().st_size < size:
        raise ConnectionError("the connection ended early")


def _digest(path: Path) -> str:
    content = hashlib.sha256()
    with path.open("rb") as file:
        for data in iter(lambda: file.read(1 << 20), b""):
            content.update(data)
    return content.hexdigest()
