"""An exercise as one zip file (`.mnx`), for mail and downloads. It is read within limits, into a cache of its own.

A packed exercise comes from a stranger: no entry may lead outside of the folder, and size and number are limited.
"""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import tempfile
import zipfile
import zlib
from pathlib import Path

import platformdirs

from frrlib.exercises.errors import ExerciseError
from frrlib.formats.files import replace_file
from frrlib.safe_text.plain import one_line
from frrlib.system.untrusted_files import read_bytes

SUFFIX = ".mnx"
#: Limits of a packed exercise: of the zip file, of one entry, of all entries together, and their number.
MOST_ZIP_BYTES, MOST_ENTRY_BYTES, MOST_BYTES, MOST_ENTRIES = 10_000_000, 4_000_000, 40_000_000, 500
#: Names of the entries: plain files at most one folder deep, neither hidden nor outside.
_NAME = re.compile(r"([A-Za-z0-9][A-Za-z0-9_. -]{0,99}/)?[A-Za-z0-9][A-Za-z0-9_. -]{0,99}")
#: The date of all entries, so that equal exercises give equal files.
_DATE = (1980, 1, 1, 0, 0, 0)


def pack(folder: Path, path: Path) -> None:
    """Write an exercise's folder into a file. Hidden files, and folders in its folders, are left out.

    Raises:
        ExerciseError: a file cannot be read or is too large.
        PlaceError: the file cannot be written.
    """
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((*folder.glob("*"), *folder.glob("*/*"))):
            name = file.relative_to(folder).as_posix()
            if not file.is_file() or not _NAME.fullmatch(name) or file.suffix == SUFFIX:
                continue
            try:
                content = read_bytes(file, MOST_ENTRY_BYTES)
            except OSError as error:
                raise ExerciseError(str(file), f"cannot be packed: {error.strerror or error}") from None
            archive.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED)
    replace_file(path, data.getvalue())


def unpacked(path: Path, cache: Path | None = None) -> Path:
    """The folder with the content of a packed exercise. It has the name of the file.

    Args:
        path: the file.
        cache: the folder for unpacked exercises; None for the one in the user's cache.

    Raises:
        ExerciseError: it is broken or too large, or has an entry with another name; the message names the first one.
    """
    try:
        data = read_bytes(path, MOST_ZIP_BYTES)
    except OSError as error:
        raise ExerciseError(path.name, f"cannot be read: {error.strerror or error}") from None
    base = (cache or platformdirs.user_cache_path("miniedit-frr") / "exercises") / hashlib.sha256(data).hexdigest()
    folder = base / path.stem
    if folder.is_dir():
        return folder
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = _read_all(archive, path.name)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        raise ExerciseError(path.name, f"is no readable zip file: {one_line(str(error), 200)}") from None
    base.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=".new-", dir=base))
    for name, content in entries.items():
        (temporary / name).parent.mkdir(exist_ok=True)
        (temporary / name).write_bytes(content)
    try:
        temporary.rename(folder)
    except OSError:  # another program has unpacked it meanwhile
        shutil.rmtree(temporary, ignore_errors=True)
    return folder


def _read_all(archive: zipfile.ZipFile, where: str) -> dict[str, bytes]:
    """The content of each entry by its name, within all limits."""
    listed = [info for info in archive.infolist() if not info.is_dir()]
    if len(listed) > MOST_ENTRIES:
        raise ExerciseError(where, f"has more than {MOST_ENTRIES} files")
    entries: dict[str, bytes] = {}
    for info in listed:
        name = info.filename
        if not _NAME.fullmatch(name) or name in entries:
            raise ExerciseError(where, f"has a file that belongs to no exercise: {one_line(name, 100)}")
        with archive.open(info) as entry:  # the sizes in the headers may be wrong
            entries[name] = entry.read(MOST_ENTRY_BYTES + 1)
        if len(entries[name]) > MOST_ENTRY_BYTES or sum(map(len, entries.values())) > MOST_BYTES:
            raise ExerciseError(where, f"is too large at {one_line(name, 100)}")
    return entries
