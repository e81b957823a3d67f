"""Opens topologies in any supported format, which the name of the file decides."""

from __future__ import annotations

import os
from pathlib import Path

from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.formats.jsontext import read_bytes
from frrlib.formats.mn import LoadedFile
from frrlib.model.topology import Topology

#: Patterns of the files of other programs that can be opened, for dialogs: the program, and its patterns.
FOREIGN_TYPES = (
    ("containerlab", ("*.yml", "*.yaml")),
    ("CORE", ("*.xml",)),
    ("GNS3", ("*.gns3", "*.gns3project")),
)
#: Patterns of all files that can be opened.
PATTERNS = ("*.mn", *(pattern for _, patterns in FOREIGN_TYPES for pattern in patterns))
#: Programs with files of their own, by the suffixes of these files.
_PROGRAMS = {
    ".yml": "containerlab",
    ".yaml": "containerlab",
    ".xml": "CORE",
    ".imn": "CORE",
    ".gns3": "GNS3",
    ".gns3project": "GNS3",
}


def load(path: str | os.PathLike[str]) -> LoadedFile:
    """Read a topology from a file.

    Raises:
        TopologyError: the file cannot be read, or is not a topology; with the line if it is known.
    """
    return loads(read_bytes(path), Path(path))


def loads(data: bytes, path: Path) -> LoadedFile:
    """Read a topology from the content of a file.

    Args:
        data: the content.
        path: the file; its name decides the format, and a format may read further files in its folder.

    Raises:
        TopologyError: the content is not a topology; with the line if it is known.
    """
    if is_foreign(path):
        return _foreign_loads(data, path)
    return mn.loads(data, path.name)


def _foreign_loads(data: bytes, path: Path) -> LoadedFile:
    """Read a topology from the file of another program, whose reader is loaded at its first use."""
    match path.suffix.lower():
        case ".imn":
            from frrlib.exchange.core_xml.read import refuse_imn

            return refuse_imn(path)
        case ".xml":
            from frrlib.exchange.core_xml import read as core

            return core.loads(data, path)
        case ".gns3" | ".gns3project":
            from frrlib.exchange.gns3 import read as gns3

            return gns3.loads(data, path)
        case _:
            from frrlib.exchange.containerlab import read as containerlab

            return containerlab.loads(data, path)


def mn_text(path: str | os.PathLike[str]) -> str:
    """The text of a topology's file, in the format `.mn` if it has another one.

    Raises:
        TopologyError: the file cannot be read, or is not a topology.
    """
    return mn.dumps(load(path).topology) if is_foreign(path) else mn.read_text(path)


def is_foreign(path: str | os.PathLike[str]) -> bool:
    """Whether a file is of another program, so that it can be opened but a topology is not saved to it."""
    return Path(path).suffix.lower() in _PROGRAMS


def save(topology: Topology, path: str | os.PathLike[str]) -> None:
    """Write a topology to its `.mn` file; a failure leaves the old file unchanged.

    Raises:
        TopologyError: the file is of another program, or the format does not support the topology.
        PlaceError: the file cannot be written.
    """
    refuse_foreign(path)
    mn.save(topology, path)


def refuse_foreign(path: str | os.PathLike[str]) -> None:
    """Raise TopologyError if a file is of another program, which saving a topology would overwrite."""
    if is_foreign(path):
        remedy = "save the topology as a .mn file: miniedit-frr export FILE --to mn -o FILE.mn"
        program = _PROGRAMS[Path(path).suffix.lower()]
        raise TopologyError(f"is a file of {program}, which is not overwritten", node=Path(path).name, remedy=remedy)
