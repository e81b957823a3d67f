"""Opens topologies in any supported format, which the name of the file decides."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.formats.jsontext import read_bytes
from frrlib.formats.mn import LoadedFile
from frrlib.model.problem import REFUSED_LINE
from frrlib.model.topology import Topology


class Format(NamedTuple):
    """The format of another program: its name, patterns of its files for dialogs, and the function that reads one."""

    name: str
    patterns: tuple[str, ...]
    loads: Callable[[bytes, Path], LoadedFile]

    def matches(self, path: Path) -> bool:
        """Whether the name of a file is that of a file of this format."""
        return any(path.match(pattern) for pattern in self.patterns)


def _containerlab(data: bytes, path: Path) -> LoadedFile:
    from frrlib.exchange.containerlab import read

    return read.loads(data, path)


def _kathara(data: bytes, path: Path) -> LoadedFile:
    from frrlib.exchange.kathara import read

    return read.loads(data, path)


def _graphml(data: bytes, path: Path) -> LoadedFile:
    from frrlib.exchange.graphml import read

    return read.loads(data, path)


def _core(data: bytes, path: Path) -> LoadedFile:
    from frrlib.exchange.core_xml import read

    return read.refuse_imn(path) if path.suffix.lower() == ".imn" else read.loads(data, path)


def _gns3(data: bytes, path: Path) -> LoadedFile:
    from frrlib.exchange.gns3 import read

    return read.loads(data, path)


#: The formats of other programs. Their modules are loaded with the first file of the format.
FORMATS = (
    Format("containerlab", ("*.yml", "*.yaml"), _containerlab),
    Format("Kathara", ("lab.conf",), _kathara),
    Format("GraphML", ("*.graphml",), _graphml),
    Format("CORE", ("*.xml", "*.imn"), _core),
    Format("GNS3", ("*.gns3", "*.gns3project"), _gns3),
)
#: Patterns of the files that can be opened, for dialogs.
PATTERNS = ("*.mn", *(pattern for other in FORMATS for pattern in other.patterns))
#: Files by which a folder is the topology of another program.
_IN_FOLDERS = ("lab.conf",)


def load(path: str | os.PathLike[str]) -> LoadedFile:
    """Read a topology from a file, or from the folder of a lab of Kathara.

    Raises:
        TopologyError: the file cannot be read, or is not a topology; with the line if it is known.
    """
    path = file_of(path)
    return loads(read_bytes(path), path)


def loads(data: bytes, path: Path) -> LoadedFile:
    """Read a topology from the content of a file.

    Routers of other programs start without the lines that FRR refuses, as they do there; a lab warns of each.

    Args:
        data: the content.
        path: the file; its name decides the format, and a format may read further files in its folder.

    Raises:
        TopologyError: the content is not a topology; with the line if it is known.
    """
    other = _format(path)
    return mn.loads(data, path.name) if other is None else _with_refused_lines(other.loads(data, path))


def _with_refused_lines(loaded: LoadedFile) -> LoadedFile:
    """The file with a topology that intends lines that FRR refuses, if its routers have lines."""
    topology = loaded.topology
    if not any(router.frr_conf.strip() for router in topology.routers):
        return loaded
    kinds = tuple(dict.fromkeys((*topology.intended_problems, REFUSED_LINE)))
    return replace(loaded, topology=topology.model_copy(update={"intended_problems": kinds}))


def file_of(path: str | os.PathLike[str]) -> Path:
    """The file of a topology: the path itself, or the file by which a folder is one ("lab.conf")."""
    path = Path(path)
    return next((path / name for name in _IN_FOLDERS if path.is_dir() and (path / name).is_file()), path)


def name_of(path: str | os.PathLike[str]) -> str:
    """The name of a topology by its file, for labs and results: that of the folder if all files have the same name."""
    path = file_of(path)
    return path.resolve().parent.name or path.stem if path.name in _IN_FOLDERS else path.stem


def mn_text(path: str | os.PathLike[str]) -> str:
    """The text of a topology's file, in the format `.mn` if it has another one.

    Raises:
        TopologyError: the file cannot be read, or is not a topology.
    """
    return mn.dumps(load(path).topology) if is_foreign(path) else mn.read_text(path)


def is_foreign(path: str | os.PathLike[str]) -> bool:
    """Whether a file is of another program, so that it can be opened but a topology is not saved to it."""
    return _format(file_of(path)) is not None


def _format(path: Path) -> Format | None:
    lower = path.with_name(path.name.lower()) if path.name else path
    return next((other for other in FORMATS if other.matches(lower)), None)


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
    other = _format(file_of(path))
    if other is not None:
        remedy = "save the topology as a .mn file: miniedit-frr export FILE --to mn -o FILE.mn"
        raise TopologyError(f"is a file of {other.name}, which is not overwritten", node=Path(path).name, remedy=remedy)
