"""Files beside a file of containerlab that its nodes mount: FRR's configurations and lists of daemons."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from frrlib.exchange.configurations.folder_reader import FolderReader
from frrlib.exchange.configurations.frr_files import CONFIGURED, WITHOUT_SETTINGS, FrrFiles
from frrlib.exchange.containerlab.definitions import LINUX, Definition
from frrlib.exchange.containerlab.yaml_text import YamlValue
from frrlib.formats.entry import path_text

_ETC_FRR = "/etc/frr"


class FileReader(FolderReader):
    """Reads files of the folder of a topology of containerlab, within limits.

    Args:
        folder: the folder of the topology; None if it is unknown, so that nothing is read.
        stem: the name of the lab, for the folder that containerlab creates for it.
    """

    def __init__(self, folder: Path | None, stem: str) -> None:
        super().__init__(folder)
        self._stem = stem

    def path(self, written: str, node: str) -> Path:
        """The file or folder of a path in the topology.

        Raises:
            ValueError: the path leads outside of the folder, or does not exist; with the reason.
        """
        for variable, value in (("__clabNodeName__", node), ("__clabDir__", f"clab-{self._stem}"),
                                ("__clabNodeDir__", f"clab-{self._stem}/{node}")):  # fmt: skip
            written = written.replace(variable, value)
        return self.inside(written)


def frr_files(definition: Definition, reader: FileReader) -> FrrFiles:
    """The configuration of a node from the files that it mounts in `/etc/frr`."""
    files = FrrFiles()
    texts: dict[str, str] = {}
    for bind in definition.items("binds"):
        place = place_of_bind(definition, bind)
        source, _, target = bind.text().strip().partition(":")
        target = target.split(":")[0].rstrip("/")
        if target != _ETC_FRR and not target.startswith(f"{_ETC_FRR}/"):
            continue
        files.used.add(place)
        try:
            for name, path in _parts(reader.path(source, definition.name), target):
                _read(name, reader.text(path), files, texts, (place, bind))
        except (ValueError, OSError) as problem:
            files.remarks.append((place, bind.line, f"{source} {problem}"))
    if definition.kind in LINUX:  # of other kinds it is a configuration of another system
        _read_startup_config(definition, reader, files, texts)
    files.take_texts(texts)
    return files


def place_of_bind(definition: Definition, bind: YamlValue) -> str:
    """The place of a bind in the file: "binds[0]" in the node's own entry, else the full path."""
    is_own = bind.path[: len(definition.path)] == definition.path
    return path_text(bind.path[len(definition.path) :] if is_own else bind.path)


def _read_startup_config(definition: Definition, reader: FileReader, files: FrrFiles, texts: dict[str, str]) -> None:
    value = definition.values.get("startup-config")
    if value is None or "frr.conf" in texts:
        return
    written = value.text()
    try:
        texts["frr.conf"] = f"{written}\n" if "\n" in written else reader.text(reader.path(written, definition.name))
    except ValueError as problem:
        files.remarks.append(("startup-config", value.line, f"{written} {problem}"))


def _parts(path: Path, target: str) -> Iterator[tuple[str, Path]]:
    """The names in `/etc/frr` and the files of a bind, which may be a folder."""
    if not path.is_dir():
        yield target.removeprefix(f"{_ETC_FRR}/") if target != _ETC_FRR else path.name, path
    elif target == _ETC_FRR:
        for name in ("daemons", *CONFIGURED):
            if (path / name).is_file():
                yield name, path / name


def _read(name: str, text: str, files: FrrFiles, texts: dict[str, str], source: tuple[str, YamlValue]) -> None:
    if name == "daemons":
        files.take_daemons(text)
    elif name in CONFIGURED:
        texts[name] = text
    elif name not in WITHOUT_SETTINGS:
        files.remarks.append((source[0], source[1].line, f"{name} is no file of FRR that is read here"))
