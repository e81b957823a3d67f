"""The register of detached labs: a private folder of the user, with a folder for each lab.

A lab's folder has a lock, which its lab server holds while it runs, a card that describes the lab, and the socket of
the lab server. If no process holds the lock, the lab server was killed, and the next program that lists labs removes
the folder.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from frrlib.errors import LabFailed, PlaceError
from frrlib.system import atomic_files, removal

LOCK, CARD, SOCKET = "lock", "card.json", "socket"
#: Names of folders that do not belong to a lab yet, or no longer, begin with these.
_NEW, _GONE = ".new-", ".gone-"
_YOUNG_S = 5.0
_LONGEST = 40


class NodeCard(msgspec.Struct, frozen=True):
    """A node. `kind` is "host", "router", "switch" ...; `frr` is whether it has a vtysh, `sealed` whether users get no
    shell in it."""

    name: str
    kind: str
    frr: bool = False
    sealed: bool = False


class Card(msgspec.Struct, frozen=True):
    """The facts about a detached lab.

    Attributes:
        name: the user's name for it.
        state: "starting" or "running".
        file: absolute path of the topology's file. Empty if it has none.
        title: title of the topology.
        place, reason: its place, and the reason for this choice.
        since_s: time of its start, in seconds since 1970.
        holder: pid of its lab server.
        kept: whether it continues when the program that started it ends.
        nodes: its nodes, in the topology's order.
        topology: the topology with all addresses, as JSON text.
        failed_commands: nodes whose start command failed, with its output.
        warnings: sentences about missing parts, each of which begins with a node's name.
        links_down: ids of the links that were taken down since the start.
        revision: number of times that the running lab has got another topology.
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
    revision: int = 0


@dataclass(frozen=True)
class Reservation:
    """The folder of a new lab, and the descriptor of its lock, which the lab server inherits."""

    folder: Path
    lock: int


def register_folder() -> Path:
    """The folder with this user's labs, made if missing.

    Raises:
        PlaceError: it belongs to another user, or cannot be made.
    """
    try:
        path = _runtime_folder() / "miniedit-frr"
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


def _runtime_folder() -> Path:
    """The folder for running programs of this user.

    platformdirs refuses it in a user namespace without root, because root owns the folders above.
    """
    if named := os.environ.get("XDG_RUNTIME_DIR"):
        return Path(named)
    of_login = Path(f"/run/user/{os.getuid()}")
    return of_login if of_login.is_dir() else Path(tempfile.gettempdir()) / f"runtime-{os.getuid()}"


def reserve(preferred_name: str) -> Reservation:
    """Make the folder of a new lab.

    Args:
        preferred_name: the lab's name if it is free. Otherwise a number is added. Forbidden characters are replaced.

    Raises:
        PlaceError: the disk is full, or 999 labs have that name.
    """
    base = register_folder()
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", preferred_name).strip("-._")[:_LONGEST] or "lab"
    try:
        folder, lock = _locked_folder(base)
        write_card(folder, Card(plain))
    except OSError as error:
        raise PlaceError(f"{base} cannot store another lab: {error}") from None
    remove_stale(base)
    for name in (plain, *(f"{plain}-{number}" for number in range(2, 1000))):
        with suppress(OSError):  # rename does not replace a folder that is not empty
            folder.rename(base / name)
            write_card(base / name, Card(name, since_s=time.time()))
            return Reservation(base / name, lock)
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)
    raise PlaceError(f"{base} cannot store another lab")


def _locked_folder(base: Path) -> tuple[Path, int]:
    """Make a folder without a lab's name, and lock it."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_NEW, dir=base))
        lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (folder / LOCK).exists():
            return folder, lock
        os.close(lock)  # another program removed the folder before it was locked


def write_card(folder: Path, card: Card) -> None:
    """Write a lab's card into its folder."""
    atomic_files.replace(folder / CARD, msgspec.json.encode(card))


def labs() -> list[Card]:
    """The detached labs of this user, the oldest first."""
    base = register_folder()
    remove_stale(base)
    cards = []
    for folder in base.iterdir():
        if not folder.name.startswith("."):
            with suppress(OSError, msgspec.MsgspecError):  # it has just ended
                cards.append(msgspec.json.decode((folder / CARD).read_bytes(), type=Card))
    return sorted(cards, key=lambda card: (card.since_s, card.name))


def find(name: str = "") -> Card:
    """The lab of that name, or the only one that runs.

    Raises:
        LabFailed: no such lab runs, or several run and the name is empty.
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
    """Raise LabFailed if a lab is still starting."""
    if card.state != "running":
        raise LabFailed(f"the lab {card.name} is still starting")


def folder_of(name: str) -> Path:
    """The folder of the lab of that name."""
    return register_folder() / name


def remove(folder: Path, lock: int) -> None:
    """Remove a lab's folder, whose `lock` the caller holds. The name is free at once, and its next owner is not
    affected."""
    lock_status = os.fstat(lock)
    removed = folder.with_name(f"{_GONE}{lock_status.st_ino}")
    with suppress(OSError):
        # No other process removes the folder while the lock is held, and a new lab gets the name only after that.
        if os.path.samestat(lock_status, (folder / LOCK).lstat()):
            folder.rename(removed)
    removal.remove(removed)


def remove_stale(base: Path) -> None:
    """Remove the folders whose lab server has ended."""
    for folder in base.iterdir():
        if folder.is_dir() and not folder.is_symlink():
            with suppress(OSError):
                _remove_if_stale(folder)


def _remove_if_stale(folder: Path) -> None:
    path = folder / LOCK
    try:
        lock = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:  # it is being made, or was removed in part
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
    """The address of a lab's socket, which is short enough even if the folder's path is long."""
    handle = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{handle}/{SOCKET}"
    finally:
        os.close(handle)


def summary(card: Card) -> dict[str, Any]:
    """A card for programs: the fields that `miniedit-frr labs --json` prints for a lab."""
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
