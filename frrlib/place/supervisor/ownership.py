"""The loan of the results folder to the ids that a lab has outside. Standard library only."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable

from frrlib.place.plans import LabIds
from frrlib.system import removal

#: First of the ids that no system of users, containers or services hands out (between those of systemd's
#: containers and 2**31); each lab takes a block of its own.
FIRST, BLOCK, BLOCKS = 0x7000_0000, 65536, 4000

#: Maximum depth of folders in results. Deeper ones are removed.
_DEEPEST = 64
#: Mode bits that are dangerous to users other than the owner: the file runs as its owner, or others may change it.
_ARMED = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX | stat.S_IWGRP | stat.S_IWOTH
#: Access control lists. They allow more users than the modes show, and a folder's default list does so for new files.
_LISTS = ("system.posix_acl_access", "system.posix_acl_default")
_CAPABILITIES = "security.capability"
#: A folder of the machine's root. In a user namespace without that id its owner is nobody.
_OF_ROOT = "/proc/sys/kernel"


def lab_ids() -> LabIds | None:
    """The ids that a lab gets. None for a lab that keeps the one id of its user.

    A lab of root gets a block of its own, or those of nobody where this user namespace has few ids. In a user namespace
    with a single id, as in containers of an ordinary user, that id is root in name only: the lab keeps it.

    Raises:
        PermissionError: the single id is this machine's root, as which no lab may run.
    """
    if os.geteuid() != 0:
        return None
    first = FIRST + BLOCK * (os.getpid() % BLOCKS)
    for uid, count in ((first, BLOCK), (65534, 1)):
        if _mapped("uid", uid + count - 1) and _mapped("gid", uid + count - 1):
            return LabIds(uid=uid, gid=uid, count=count)
    if os.stat(_OF_ROOT).st_uid == 0:
        raise PermissionError(errno.EPERM, "this user namespace has no id but that of the machine's root")
    return None


def _mapped(kind: str, number: int) -> bool:
    """Whether this user namespace has a user ("uid") or group ("gid")."""
    with open(f"/proc/self/{kind}_map", encoding="ascii") as file:
        lines = [[int(word) for word in line.split()] for line in file]
    return any(inside <= number < inside + count for inside, _, count in lines)


class Loan:
    """A folder lent to a lab, with its original state."""

    def __init__(self, folder: str, ids: LabIds | None) -> None:
        self.folder, self.ids, self.status = folder, ids, os.stat(folder)
        self.lists = {name: os.getxattr(folder, name) for name in _attributes(folder) if name in _LISTS}

    def restore(self) -> None:
        """Restore the folder's mode and its access control lists. Raises OSError."""
        for name in _attributes(self.folder):
            if name in _LISTS and name not in self.lists:
                os.removexattr(self.folder, name)
        for name, value in self.lists.items():
            os.setxattr(self.folder, name, value)
        os.chmod(self.folder, stat.S_IMODE(self.status.st_mode))


def lend(folder: str, ids: LabIds | None) -> Loan:
    """Lend `folder` to a lab: close it to other users, and give it to the first of `ids` if there are any."""
    loan = Loan(folder, ids)
    if ids:
        owners = range(loan.status.st_uid, loan.status.st_uid + 1)
        _visit_all(folder, lambda name, handle: _give(name, handle, owners, ids.uid, ids.gid))
    with contextlib.suppress(OSError):  # the mode of another user's folder is that user's choice
        os.chmod(folder, 0o700)
    return loan


def take_back(loan: Loan) -> list[str]:
    """Give the content of the folder back to its owner, and disarm it.

    It then has no set-user-id programs, no access control lists, nothing that its group or others may write, and no
    pipes, sockets or links that lead out of it: the remains of a stranger's lab must not be a trap for their reader.
    Others see the folder again only when all of its content is disarmed.

    Returns:
        The files that could not be given back or disarmed, each with the reason.
    """
    folder, status = loan.folder, loan.status
    failures: list[str] = []
    with contextlib.suppress(OSError):  # the lab may have opened it
        os.chmod(folder, stat.S_IRWXU)
    if loan.ids:
        lab = range(loan.ids.uid, loan.ids.uid + loan.ids.count)
        _visit_all(folder, lambda name, handle: _give(name, handle, lab, status.st_uid, status.st_gid), failures)
    real = os.path.realpath(folder)
    _visit_all(folder, lambda name, handle: _disarm(real, name, handle), failures)
    if not failures:
        with contextlib.suppress(OSError):
            loan.restore()
    return failures


def _visit_all(folder: str, act: Callable[[str, int], None], failed: list[str] | None = None) -> None:
    """Call `act` with the name of each entry below `folder`, and of the folder itself, and its parent's descriptor.

    With `failed`, no entry is left out: closed folders are opened, those that are too deep are removed, and failures
    are added to the list.
    """
    _Walk(act, failed).reach(os.path.realpath(folder))


class _Walk:
    """A walk through all entries below a folder, by descriptors."""

    def __init__(self, act: Callable[[str, int], None], failed: list[str] | None) -> None:
        self._act, self._failed = act, failed

    def reach(self, path: str, name: str = "", within: int = -1, depth: int = 0) -> None:
        """Act on the entries of a folder, then on the folder, or on a file.

        Args:
            path: its path, for errors.
            name: its name in the open folder `within`. Empty for the top folder.
        """
        try:
            if depth > _DEEPEST:
                removal.remove_in(within, name)
                return
            if stat.S_ISDIR(os.stat(name or path, dir_fd=within, follow_symlinks=False).st_mode):
                self._go_through(path, self._open(name or path, within), depth)
            if depth:
                self._act(name, within)
        except FileNotFoundError:
            return  # already removed
        except OSError as error:
            if self._failed is not None:
                self._failed.append(f"{path}: {error.strerror}")

    def _go_through(self, path: str, handle: int, depth: int) -> None:
        try:
            for name in os.listdir(handle):
                self.reach(f"{path}/{name}", name, handle, depth + 1)
            if not depth:
                self._act(".", handle)
        finally:
            os.close(handle)

    def _open(self, name: str, within: int) -> int:
        if self._failed is not None:
            return removal.open_folder(name, within)
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=within)


def _give(name: str, handle: int, owners: range, uid: int, gid: int) -> None:
    """Give an entry that belongs to `owners` to uid and gid. Links are given, never followed."""
    if os.stat(name, dir_fd=handle, follow_symlinks=False).st_uid in owners:
        os.chown(name, uid, gid, dir_fd=handle, follow_symlinks=False)


def _disarm(folder: str, name: str, handle: int) -> None:
    """Make one entry below `folder`, a real path, harmless. `take_back` restores `folder` itself (`.`)."""
    status = os.stat(name, dir_fd=handle, follow_symlinks=False)
    if stat.S_ISLNK(status.st_mode):
        if not _stays(folder, name, handle):
            os.unlink(name, dir_fd=handle)
    elif stat.S_ISREG(status.st_mode):
        _close_to_others(name, handle, stat.S_IRUSR | stat.S_IWUSR)
    elif stat.S_ISDIR(status.st_mode):
        if name != ".":
            _close_to_others(name, handle, stat.S_IRWXU)
    else:
        os.unlink(name, dir_fd=handle)  # reading a pipe would block for ever


def _close_to_others(name: str, handle: int, owner: int) -> None:
    """Let only the owner change a file or folder, and give the owner the mode bits `owner`."""
    opened = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=handle)
    try:
        path = f"/proc/self/fd/{opened}"  # os.chmod and the like take no descriptor of this kind
        for attribute in _attributes(path):
            if attribute in _LISTS:
                os.removexattr(path, attribute)
            elif attribute == _CAPABILITIES:
                os.chown(path, -1, -1)  # an owner may not remove them, but they go with any change of owner
        mode = stat.S_IMODE(os.fstat(opened).st_mode)  # after the lists, of which the group's modes are a part
        if mode != (safe := mode & ~_ARMED | owner):
            os.chmod(path, safe)
    finally:
        os.close(opened)


def _attributes(path: str) -> list[str]:
    """The names of a file's extended attributes."""
    try:
        return os.listxattr(path)
    except OSError as error:
        if error.errno == errno.ENOTSUP:  # a file system without any
            return []
        raise


def _stays(folder: str, name: str, handle: int) -> bool:
    """Whether a link leads to a path below `folder`, through all other links, which no process changes any more."""
    try:
        target = os.readlink(name, dir_fd=handle)
        leads_to = os.path.realpath(os.path.join(os.readlink(f"/proc/self/fd/{handle}"), target))
    except OSError:  # too long to be followed
        return False
    return not os.path.isabs(target) and os.path.commonpath([leads_to, folder]) == folder
