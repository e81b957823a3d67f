"""The files of a device: its scripts, its configurations of FRR or Quagga, and others, which a lab does not use.

A file that exists and cannot be read ends the reading of the lab with an error, since the lab would lack its content.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from frrlib.exchange.configurations.folder_reader import FolderReader
from frrlib.exchange.configurations.frr_files import CONFIGURED, WITHOUT_SETTINGS, FrrFiles
from frrlib.exchange.kathara.lab_conf import InvalidLab

#: Folders of a device with configurations, the newest first: of FRR, of Quagga, and of Zebra in Quagga's packages.
_FOLDERS = ("etc/frr", "etc/quagga", "etc/zebra")
#: Files without settings of a router.
_WITHOUT_SETTINGS = (*WITHOUT_SETTINGS, "debian.conf", "daemons.conf", "Zebra.conf")
_ENDINGS = (".sample", ".orig", ".bak", "~", ".pid", ".log")
#: Limits of a device's folder, for the remark on its other files.
_MOST_FILES, _DEEPEST, _MOST_NAMED = 500, 12, 6
#: Quagga exchanges routes without policies, and announces networks that it has no route to. FRR has to be told to.
_AS_IN_QUAGGA = " no bgp ebgp-requires-policy\n no bgp network import-check\n"
_DEBUG = re.compile(r"^[ \t]*debug .*\n?", re.MULTILINE)
#: The words of Quagga in files for FRR, which FRR refuses.
_DEBUG_OF_QUAGGA = re.compile(r"^[ \t]*debug bgp(?: (?:events|filters|fsm))?[ \t]*(?:\n|\Z)", re.MULTILINE)
_BGP = re.compile(r"^router bgp .*\n?", re.MULTILINE)


class LabFolder:
    """The folder of a lab, read within limits.

    Args:
        folder: the folder with `lab.conf`.
    """

    def __init__(self, folder: Path) -> None:
        self._top, self._reader = folder, FolderReader(folder)

    def text(self, name: str) -> str | None:
        """The content of a file; None if it does not exist. Raises InvalidLab if it cannot be read."""
        path = self._top / name
        if not os.path.lexists(path):
            return None
        try:
            return self._reader.text(self._reader.inside(name))
        except ValueError as problem:
            raise InvalidLab(str(problem), self._line_of_control_character(path), _remedy(problem), name) from None
        except OSError as problem:
            raise InvalidLab(f"cannot be read: {problem.strerror}", 0, "make it a text file", name) from None

    def _line_of_control_character(self, path: Path) -> int:
        """The line of the first control character of a file in the folder that the reader refuses; 0 if unknown."""
        try:
            if not path.resolve().is_relative_to(self._top.resolve()) or not path.is_file():
                return 0
            with open(path, "rb") as file:
                data = file.read(1_000_000)
        except (OSError, RuntimeError):  # a loop of links is a RuntimeError
            return 0
        match = re.search(rb"[\x00-\x08\x0b\x0e-\x1f\x7f]", data)
        return data.count(b"\n", 0, match.start()) + 1 if match else 0

    def frr_files(self, device: str) -> FrrFiles:
        """The configuration of a device. Raises InvalidLab if a file of it cannot be read."""
        files = FrrFiles()
        for folder in _FOLDERS:
            base = f"{device}/{folder}"
            texts = {}
            for name in ("daemons", *CONFIGURED):
                text = self.text(f"{base}/{name}")
                if text is None:
                    continue
                files.used.add(f"{base}/{name}")
                if name == "daemons":
                    files.take_daemons(text)
                else:
                    texts[name] = text
            if texts or files.has_daemons:
                self._take(files, texts, folder, device)
                break
        return files

    def _take(self, files: FrrFiles, texts: dict[str, str], folder: str, device: str) -> None:
        if "frr.conf" in texts:
            for name in [name for name in texts if name != "frr.conf"]:
                del texts[name]
                files.remarks.append((f"{device}/{folder}/{name}", 1, "is left out, since FRR reads frr.conf instead"))
        is_quagga = folder != "etc/frr"
        debug = _DEBUG if is_quagga else _DEBUG_OF_QUAGGA
        self._note_debug_lines(files, texts, f"{device}/{folder}", debug)
        texts = {name: debug.sub("", text) for name, text in texts.items()}
        if is_quagga:
            texts = {name: _BGP.sub(lambda match: match[0].rstrip("\n") + "\n" + _AS_IN_QUAGGA, text)
                     for name, text in texts.items()}  # fmt: skip
            if any(_BGP.search(text) for text in texts.values()):
                reason = "read as of FRR, with two defaults of Quagga: policies and routes to networks are not required"
                files.remarks.append((f"{device}/{folder}/bgpd.conf", 1, reason))
        files.take_texts(texts)

    @staticmethod
    def _note_debug_lines(files: FrrFiles, texts: dict[str, str], folder: str, debug: re.Pattern[str]) -> None:
        """Remark on lines that FRR has other words for, and that change no routes."""
        for name, text in texts.items():
            if match := debug.search(text):
                line = text.count("\n", 0, match.start()) + 1
                files.remarks.append((f"{folder}/{name} debug", line, "debug lines of Quagga are left out"))

    def other_files(self, device: str, used: set[str]) -> list[str]:
        """Files of a device that a lab does not use; at most a few hundred."""
        known = {f"{device}/{folder}/{name}" for folder in _FOLDERS for name in _WITHOUT_SETTINGS}
        return [
            name
            for name in self._walk(device, 0)
            if name not in used and name not in known and not name.endswith(_ENDINGS)
        ][:_MOST_FILES]

    def _walk(self, folder: str, depth: int) -> Iterator[str]:
        """The files below a folder, without following links."""
        path = self._top / folder
        if depth > _DEEPEST or path.is_symlink() or not path.is_dir():
            return
        try:
            with os.scandir(path) as entries:
                names = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for _, entry in zip(
                    range(_MOST_FILES), entries, strict=False))  # fmt: skip
        except OSError:
            return
        for name, is_folder in names:
            if is_folder:
                yield from self._walk(f"{folder}/{name}", depth + 1)
            else:
                yield f"{folder}/{name}"


def files_in_words(names: list[str], device: str) -> str:
    """A few names of files of a device, and the number of others."""
    first_names = [name.removeprefix(f"{device}/") for name in names[:_MOST_NAMED]]
    more = len(names) - len(first_names)
    return ", ".join(first_names) + (f" and {more} more" if more else "")


def _remedy(problem: ValueError) -> str:
    text = str(problem)
    if "control characters" in text or "UTF-8" in text:
        return "it must be a text file"
    return "" if "copy it" in text else "make it a text file of up to 1 MB in the folder of the lab"
