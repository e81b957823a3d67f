"""Submissions: one zip file with a student's work, written by the student and read by the teacher.

A submission comes from a stranger. It is read within limits, only entries with known names are read, and nothing is
unpacked to the disk.
"""

from __future__ import annotations

import errno
import io
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from frrlib.errors import TopologyError
from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.work import CHAPTERS, CONFIGURATIONS, STATE, TOPOLOGY, Work, WorkState, read_state
from frrlib.formats import mn
from frrlib.formats.files import replace_file
from frrlib.model.topology import Topology
from frrlib.safe_text.plain import one_line
from frrlib.system.untrusted_files import open_file

#: Limits of a submission: of the zip file, of one entry, of all entries together, and their number.
MOST_ZIP_BYTES, MOST_ENTRY_BYTES, MOST_BYTES, MOST_ENTRIES = 5_000_000, 2_000_000, 10_000_000, 500
#: Names of the entries that a submission may have.
_KNOWN = re.compile(
    rf"{re.escape(STATE)}|{re.escape(TOPOLOGY)}|{CHAPTERS}/[a-z0-9][a-z0-9-]{{0,39}}\.mn"
    rf"|{CONFIGURATIONS}/[A-Za-z0-9][A-Za-z0-9_-]{{0,63}}(\.end)?\.conf"
)
#: The date of all entries, so that equal works give equal files.
_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Submission:
    """The work of a student, as handed in.

    Attributes:
        file: name of the zip file.
        state: the state of the work.
        topology: the topology at the end.
        chapters: the topology at the end of each chapter that was passed or restored, by id.
        configurations: configuration of a router by file name.
    """

    file: str
    state: WorkState
    topology: Topology
    chapters: Mapping[str, Topology] = field(default_factory=dict)
    configurations: Mapping[str, str] = field(default_factory=dict)


def hand_in(work: Work, path: Path) -> Work:
    """Write the work into a zip file. Returns the work with this in its log.

    Raises:
        PlaceError: the file cannot be written.
        ExerciseError: a file of the work is missing or too large.
    """
    handed_in = work.saved(work.state.logged(f"handed in as {path.name}"))
    state = handed_in.state.model_copy(update={"exercise_folder": ""})
    entries = {STATE: (state.model_dump_json(indent=1) + "\n").encode()}
    files = [work.topology_file]
    for folder in (CHAPTERS, CONFIGURATIONS):
        files += sorted((work.folder / folder).glob("*.*"))
    for file in files:
        name = file.relative_to(work.folder).as_posix()
        if _KNOWN.fullmatch(name):
            entries[name] = _content(file)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED)
    replace_file(path, data.getvalue())
    return handed_in


def read_submission(path: Path) -> Submission:
    """Read a submission.

    Raises:
        ExerciseError: it is broken, too large or has unknown entries; the message names the first problem.
    """
    entries = _entries(path)
    for name in (STATE, TOPOLOGY):
        if name not in entries:
            raise ExerciseError(path.name, f"has no {name}")
    chapters, configurations = {}, {}
    for name, data in entries.items():
        folder, _, file = name.rpartition("/")
        if folder == CHAPTERS:
            chapters[file.removesuffix(".mn")] = _topology(data, name)
        elif folder == CONFIGURATIONS:
            configurations[file] = data.decode("utf-8", "replace")
    state = read_state(entries[STATE], STATE)
    return Submission(path.name, state, _topology(entries[TOPOLOGY], TOPOLOGY), chapters, configurations)


def _entries(path: Path) -> dict[str, bytes]:
    """The content of each entry by its name, within all limits."""
    try:
        with open_file(path, follow=False) as file:
            data = file.read(MOST_ZIP_BYTES + 1)
    except OSError as error:
        reason = "it is a link" if error.errno == errno.ELOOP else error.strerror or str(error)
        raise ExerciseError(path.name, f"cannot be read: {reason}") from None
    if len(data) > MOST_ZIP_BYTES:
        raise ExerciseError(path.name, f"is larger than {MOST_ZIP_BYTES // 10**6} MB")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _read_all(archive, path.name)
    # The reader raises RuntimeError for encrypted entries, NotImplementedError for unknown kinds of compression, and
    # ValueError or UnicodeDecodeError for names and sizes that are impossible.
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        raise ExerciseError(path.name, f"is no readable zip file: {one_line(str(error), 200)}") from None


def _read_all(archive: zipfile.ZipFile, where: str) -> dict[str, bytes]:
    listed = [info for info in archive.infolist() if not info.is_dir()]
    if len(listed) > MOST_ENTRIES:
        raise ExerciseError(where, f"has more than {MOST_ENTRIES} files")
    entries: dict[str, bytes] = {}
    total_bytes = 0
    for info in listed:
        name = one_line(info.filename, 100)
        if not _KNOWN.fullmatch(info.filename):
            raise ExerciseError(where, f"has a file that belongs to no work: {name}")
        if info.filename in entries:
            raise ExerciseError(where, f"has two files {name}")
        with archive.open(info) as entry:  # the sizes in the headers may be wrong
            content = entry.read(MOST_ENTRY_BYTES + 1)
        total_bytes += len(content)
        if len(content) > MOST_ENTRY_BYTES or total_bytes > MOST_BYTES:
            raise ExerciseError(where, f"is too large at {name}")
        entries[info.filename] = content
    return entries


def _topology(data: bytes, name: str) -> Topology:
    try:
        return mn.loads(data, name).topology
    except TopologyError as error:
        raise ExerciseError("", one_line(str(error), 500)) from None


def _content(file: Path) -> bytes:
    try:
        with open_file(file, follow=False) as opened:
            data = opened.read(MOST_ENTRY_BYTES + 1)
    except OSError as error:
        raise ExerciseError(str(file), f"cannot be handed in: {error.strerror or error}") from None
    if len(data) > MOST_ENTRY_BYTES:
        raise ExerciseError(str(file), "is too large to be handed in")
    return data
