"""Files beside a file of containerlab that its nodes mount: FRR's configurations and lists of daemons.

Only files inside the folder of the topology are read. A path that leads outside would copy the user's own files into
the topology of another person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from frrlib.conf.text import joined
from frrlib.exchange.containerlab.definitions import Definition
from frrlib.exchange.containerlab.yaml_text import YamlValue
from frrlib.formats.entry import path_text
from frrlib.model.protocols.common import Daemon
from frrlib.system.untrusted_files import read_bytes

_ETC_FRR = "/etc/frr"
_DAEMONS = get_args(Daemon)
#: Daemons that FRR starts without a line in the file `daemons`.
_ALWAYS = ("zebra", "staticd")
#: Files with lines of a configuration.
_CONFIGURED = ("frr.conf", *(f"{name}.conf" for name in _DAEMONS))
#: Files of FRR that contain no settings of a router.
_WITHOUT_SETTINGS = ("vtysh.conf", "support_bundle_commands.conf")
_MOST_BYTES, _MOST_TOGETHER_BYTES = 1_000_000, 32_000_000
_ENABLED = re.compile(r"\s*(\w+)\s*=\s*\"?(yes|y|1|true)\"?\s*(#.*)?", re.IGNORECASE)


@dataclass
class FrrFiles:
    """The configuration of one router.

    Attributes:
        text: its lines of all files.
        daemons: daemons that its file `daemons` starts.
        has_daemons: whether it has such a file.
        used: places of the entries of `binds` that were read.
        remarks: places that were not read, with the line and the reason.
    """

    text: str = ""
    daemons: tuple[Daemon, ...] = ()
    has_daemons: bool = False
    used: set[str] = field(default_factory=set)
    remarks: list[tuple[str, int, str]] = field(default_factory=list)


class FileReader:
    """Reads files of one folder, within limits.

    Args:
        folder: the folder of the topology; None if it is unknown, so that nothing is read.
        stem: the name of the lab, for the folder that containerlab creates for it.
    """

    def __init__(self, folder: Path | None, stem: str) -> None:
        self._folder = folder.resolve() if folder is not None else None
        self._stem, self._bytes = stem, 0

    def path(self, written: str, node: str) -> Path:
        """The file or folder of a path in the topology.

        Raises:
            ValueError: the path leads outside of the folder, or does not exist; with the reason.
        """
        if self._folder is None:
            raise ValueError("is not read, since the folder of the topology is not known")
        for variable, value in (("__clabNodeName__", node), ("__clabDir__", f"clab-{self._stem}"),
                                ("__clabNodeDir__", f"clab-{self._stem}/{node}")):  # fmt: skip
            written = written.replace(variable, value)
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
        if not path.resolve().is_relative_to(self._folder):
            raise ValueError("is a link to a file outside of the folder of the topology, and is not read")
        try:
            data = read_bytes(path, _MOST_BYTES)
            text = data.decode("utf-8")
        except OSError as problem:
            raise ValueError(f"cannot be read: {problem.strerror}") from None
        except UnicodeDecodeError:
            raise ValueError("is not text in UTF-8") from None
        self._bytes += len(data)
        if self._bytes > _MOST_TOGETHER_BYTES:
            raise ValueError(f"is not read: the files have more than {_MOST_TOGETHER_BYTES // 10**6} MB together")
        if any(not letter.isprintable() and letter not in "\r\n\t\f" for letter in text):
            raise ValueError("has control characters, and is not read")
        return text


def frr_files(definition: Definition, reader: FileReader) -> FrrFiles:
    """The configuration of a node from the files that it mounts in `/etc/frr`."""
    files = FrrFiles()
    texts: dict[str, str] = {}
    for bind in definition.items("binds"):
        place = f"binds{path_text(bind.path[-1:])}"
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
    _read_startup_config(definition, reader, files, texts)
    ordered = [texts[name] for name in _CONFIGURED if name in texts]
    files.text = joined(ordered) if len(ordered) > 1 else "".join(ordered)
    return files


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
        for name in ("daemons", *_CONFIGURED):
            if (path / name).is_file():
                yield name, path / name


def _read(name: str, text: str, files: FrrFiles, texts: dict[str, str], source: tuple[str, YamlValue]) -> None:
    if name == "daemons":
        enabled = {match[1] for line in text.splitlines() if (match := _ENABLED.fullmatch(line))}
        files.daemons = tuple(daemon for daemon in _DAEMONS if daemon in enabled and daemon not in _ALWAYS)
        files.has_daemons = True
    elif name in _CONFIGURED:
        texts[name] = text
    elif name not in _WITHOUT_SETTINGS:
        files.remarks.append((source[0], source[1].line, f"{name} is no file of FRR that is read here"))
