"""Where held labs are found: a private folder of the user's, in it a folder for each lab.

A lab's folder has a lock that its holder keeps as long as it lives, a card that says what the lab is, and a socket at
which the holder listens. A folder without a kept lock was left by a killed holder; the next program to look removes it.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import platformdirs

from frrlib.errors import LabFailed, PlaceError
from frrlib.system import atomic_files, removal

LOCK, CARD, SOCKET = "lock", "card.json", "socket"
#: Names of folders that do not belong to a lab yet, or no longer, begin with these.
_NEW, _GONE = ".new-", ".gone-"
_YOUNG_S = 5.0
_LONGEST = 40


class NodeCard(msgspec.Struct, frozen=True):
    """A node: `kind` is "host", "router", "switch" ..., `frr` whether it has a vtysh."""

    name: str
    kind: str
    frr: bool = False


class Card(msgspec.Struct, frozen=True):
    """The facts about a held lab.

    Attributes:
        name: by which the user calls it.
        state: "starting" or "running".
        file: the drawing's file, an absolute path; empty where it has none.
        title: the drawing's title.
        place, reason: where it runs, and why there.
        since_s: when it was started, in seconds since 1970.
        holder: process id of its holder.
        kept: whether it goes on when the program that started it ends.
        nodes: its nodes, in the drawing's order.
        topology: the drawing, as the JSON text of its value, with all addresses.
        failed_commands: node to what its start command said, of those that failed.
        warnings: what it goes on without, a sentence each that begins with a node's name.
        links_down: ids of the links that somebody took down since the start.
    """

    name: str
    state: str = "starting"
    file: str = ""
    title: str = ""
    place: str = ""
    reason: str = ""
    since_s: float = 0.0
    holder: int = 0
    kept: bool = False
    nodes: tuple[NodeCard, ...] = ()
    topology: str = ""
    failed_commands: dict[str, str] = {}
    warnings: tuple[str, ...] = ()
    links_down: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reservation:
    """A new lab's folder and the descriptor of its lock, which the holder is to keep open."""

    folder: Path
    lock: int


def home() -> Path:
    """The folder with this user's labs, made if missing.

    Raises:
        PlaceError: it is not this user's alone.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # without a login session it is another folder, which is all right
            path = Path(platformdirs.user_runtime_dir("miniedit-frr", appauthor=False))
        for folder in (path.parent, path):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid not in (0, os.getuid()):
                raise PermissionError(f"{folder} belongs to another user")
        path.chmod(0o700)
    except OSError as error:
        problem = f"there is no private folder for running labs: {error}"
        raise PlaceError(problem, "set XDG_RUNTIME_DIR to your own folder with mode 0700") from None
    return path


def reserve(wish: str) -> Reservation:
    """Make the folder of a new lab, named `wish` as far as that can be a name, with a number if it is taken.

    Raises:
        PlaceError: the folder of labs takes no further one: it is full, or 999 labs have that name.
    """
    base = home()
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", wish).strip("-._")[:_LONGEST] or "lab"
    try:
        folder, lock = _locked_folder(base)
        write_card(folder, Card(plain))
    except OSError as error:
        raise PlaceError(f"{base} cannot store another lab: {error}") from None
    remove_stale(base)
    for name in (plain, *(f"{plain}-{number}" for number in range(2, 1000))):
        with suppress(OSError):  # a folder with something in it is not replaced
            folder.rename(base / name)
            write_card(base / name, Card(name, since_s=time.time()))
            return Reservation(base / name, lock)
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)
    raise PlaceError(f"{base} cannot store another lab")


def _locked_folder(base: Path) -> tuple[Path, int]:
    """A folder that no lab has yet, with its lock kept."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_NEW, dir=base))
        lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (folder / LOCK).exists():
            return folder, lock
        os.close(lock)  # a program that looked before the lock was kept took the folder for a dead lab's


def write_card(folder: Path, card: Card) -> None:
    """Put a lab's card where `labs` finds it."""
    atomic_files.replace(folder / CARD, msgspec.json.encode(card))


def labs() -> list[Card]:
    """The held labs of this user, the oldest first."""
    base = home()
    remove_stale(base)
    cards = []
    for folder in base.iterdir():
        if not folder.name.startswith("."):
            with suppress(OSError, msgspec.MsgspecError):  # it ended just now
                cards.append(msgspec.json.decode((folder / CARD).read_bytes(), type=Card))
    return sorted(cards, key=lambda card: (card.since_s, card.name))


def find(name: str = "") -> Card:
    """The lab of that name, or the only one there is.

    Raises:
        LabFailed: there is none, or a name is needed.
    """
    running = labs()
    names = ", ".join(card.name for card in running)
    if name:
        for card in running:
            if card.name == name:
                return card
        raise LabFailed(f"no lab {name} is running" + (f"; choose one of {names}" if names else ""))
    if len(running) != 1:
        raise LabFailed(
            f"several labs are running; choose one of {names}"
            if running
            else "no lab is running; `miniedit-frr start FILE` starts one"
        )
    return running[0]


def refuse_unfinished(card: Card) -> None:
    """Raise LabFailed for a lab that is still being built."""
    if card.state != "running":
        raise LabFailed(f"the lab {card.name} is still starting")


def folder_of(name: str) -> Path:
    """The folder in which the lab of that name has its files."""
    return home() / name


def remove(folder: Path, lock: int) -> None:
    """Remove a lab's folder, whose `lock` the caller keeps. The name is free at once; who takes it next is spared."""
    lock_status = os.fstat(lock)
    removed = folder.with_name(f"{_GONE}{lock_status.st_ino}")
    with suppress(OSError):
        # With the lock kept nobody else removes it, and only then can a new lab take its name.
        if os.path.samestat(lock_status, (folder / LOCK).lstat()):
            folder.rename(removed)
    removal.remove(removed)


def remove_stale(base: Path) -> None:
    """Remove the folders whose holder is dead."""
    for folder in base.iterdir():
        if folder.is_dir() and not folder.is_symlink():
            with suppress(OSError):
                _remove_if_stale(folder)


def _remove_if_stale(folder: Path) -> None:
    path = folder / LOCK
    try:
        lock = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:  # half made, or half removed
        if time.time() - folder.lstat().st_mtime > _YOUNG_S:
            shutil.rmtree(folder, ignore_errors=True)
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove(folder, lock)
    except BlockingIOError:
        return
    finally:
        os.close(lock)


@contextmanager
def address(folder: Path) -> Iterator[str]:
    """The address of a lab's socket; short enough for a socket however long the folder's path is."""
    handle = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{handle}/{SOCKET}"
    finally:
        os.close(handle)


def summary(card: Card) -> dict[str, Any]:
    """A card for programs: what `miniedit-frr labs --json` prints of a lab."""
    return {
        "name": card.name,
        "state": card.state,
        "kept": card.kept,
        "file": card.file,
        "title": card.title,
        "place": card.place,
        "since_s": card.since_s,
        "holder": card.holder,
        "nodes": {node.name: node.kind for node in card.nodes},
    }
