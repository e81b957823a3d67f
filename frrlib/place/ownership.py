"""Root lends its results folder to the ids that its lab has outside, and takes it back. Standard library only."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

#: First of the ids that no system of users, containers or services hands out (between those of systemd's containers
#: and 2**31); each lab takes a block of its own.
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


@contextlib.contextmanager
def lent(folder: str, ids: Ids) -> Iterator[None]:
    """Give what is in `folder` to the first of `ids` for as long as the lab runs; no `ids`, nothing happens."""
    if not ids:
        yield
        return
    owner = os.stat(folder)
    (uid, uids), (gid, gids) = ids
    _give(folder, range(owner.st_uid, owner.st_uid + 1), uid, gid)
    try:
        yield
    finally:
        _give(folder, range(uid, uid + uids), owner.st_uid, owner.st_gid)


def _give(folder: str, whose: range, uid: int, gid: int) -> None:
    """Give everything in `folder` that belongs to `whose` to uid and gid; links are given, never followed."""
    for _, folders, files, handle in os.fwalk(folder, follow_symlinks=False):
        for name in (".", *folders, *files):
            with contextlib.suppress(FileNotFoundError):
                if os.stat(name, dir_fd=handle, follow_symlinks=False).st_uid in whose:
                    os.chown(name, uid, gid, dir_fd=handle, follow_symlinks=False)
