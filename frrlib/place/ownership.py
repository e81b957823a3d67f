"""Root lends its results folder to the ids that its lab has outside, and takes it back. Standard library
only."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable

#: First of the ids that no system of users, containers or services hands out (between those of systemd's
#: containers and 2**31); each lab takes a block of its own.
FIRST, BLOCK, BLOCKS = 0x7000_0000, 65536, 4000

#: First id outside and their number, for users and for groups.
Ids = list[list[int]]


def spare_ids() -> Ids:
    """Ids for a lab that root starts: a block of its own, or nobody where this machine's own ids are few."""
    first = FIRST + BLOCK * (os.getpid() % BLOCKS)
    if _mapped(first + BLOCK - 1):
        return [[first, BLOCK], [first, BLOCK]]
    return [[65534, 1], [65534, 1]]


def _mapped(uid: int) -> bool:
    with open("/proc/self/uid_map", encoding="ascii") as file:
        lines = [[int(word) for word in line.split()] for line in file]
    return any(inside <= uid < inside + count for inside, _, count in lines)


class Loan:
    """What a folder was before a lab got it."""

    def __init__(self, folder: str, ids: Ids) -> None:
        self.folder, self.ids, self.before = folder, ids, os.stat(folder)


def lend(folder: str, ids: Ids) -> Loan:
    """Let a lab have `folder`: closed to other users, and given to the first of `ids` if there are any."""
    loan = Loan(folder, ids)
    if ids:
        (uid, _), (gid, _) = ids
        mine = range(loan.before.st_uid, loan.before.st_uid + 1)
        _each(folder, lambda name, handle: _give(name, handle, mine, uid, gid))
    with contextlib.suppress(OSError):  # a folder of another user's is as closed as that user wants it
        os.chmod(folder, 0o700)
    return loan


def take_back(loan: Loan) -> None:
    """Let what is in the folder belong to its owner again.

    It has neither set-user-id bits nor links that lead out of it then: what a stranger's lab leaves behind
    must not be a trap for who opens it.
    """
    folder, before = loan.folder, loan.before
    if loan.ids:
        (uid, uids), _ = loan.ids
        lab = range(uid, uid + uids)
        _each(folder, lambda name, handle: _give(name, handle, lab, before.st_uid, before.st_gid))
    _each(folder, lambda name, handle: _disarm(folder, name, handle))
    with contextlib.suppress(OSError):
        os.chmod(folder, stat.S_IMODE(before.st_mode))


def _each(folder: str, act: Callable[[str, int], None]) -> None:
    """Call `act` with the name of everything in `folder`, itself included, and its folder's descriptor."""
    for _, folders, files, handle in os.fwalk(folder, follow_symlinks=False):
        for name in (".", *folders, *files):
            with contextlib.suppress(OSError):
                act(name, handle)


def _give(name: str, handle: int, whose: range, uid: int, gid: int) -> None:
    """Give what belongs to `whose` to uid and gid; links are given, never followed."""
    if os.stat(name, dir_fd=handle, follow_symlinks=False).st_uid in whose:
        os.chown(name, uid, gid, dir_fd=handle, follow_symlinks=False)


def _disarm(folder: str, name: str, handle: int) -> None:
    about = os.stat(name, dir_fd=handle, follow_symlinks=False)
    if stat.S_ISLNK(about.st_mode):
        target = os.readlink(name, dir_fd=handle)
        here = os.readlink(f"/proc/self/fd/{handle}")
        leads_to = os.path.normpath(os.path.join(here, target))
        if os.path.isabs(target) or os.path.commonpath([leads_to, os.path.realpath(folder)]) != os.path.realpath(
            folder
        ):
            os.unlink(name, dir_fd=handle)
    elif not stat.S_ISDIR(about.st_mode) and about.st_mode & (stat.S_ISUID | stat.S_ISGID):
        plain = stat.S_IMODE(about.st_mode) & ~(stat.S_ISUID | stat.S_ISGID)
        opened = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=handle)
        try:
            os.chmod(f"/proc/self/fd/{opened}", plain)
        finally:
            os.close(opened)
