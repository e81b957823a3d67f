"""The walls around labs on this machine; docs/security.md says what each is for.

Most walls stand on every kernel that runs labs. This module has those that need a newer kernel, or one with other
options, and says what each protects.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from frrlib.place.confinement import control_group
from frrlib.place.confinement import syscalls as sys_
from frrlib.places import PlaceName

_FILTERS = Path("/proc/sys/kernel/seccomp/actions_avail")
_FILE_SYSTEMS = Path("/proc/filesystems")


@dataclass(frozen=True)
class Wall:
    """A wall that not every kernel can make.

    Attributes:
        keeps: the protection, a sentence for people.
        needs: its requirement ("Linux 6.12").
        stands: whether this machine meets it.
    """

    keeps: str
    needs: str
    stands: bool


def walls(place: str) -> tuple[Wall, ...]:
    """The walls of a place: "namespace", "root" or "labkernel"."""
    if place == PlaceName.LABKERNEL:
        abi = sys_.landlock_abi()
        return (
            Wall("a lab writes nothing outside of its results", "Landlock (Linux 5.13)", abi >= 1),
            Wall("a lab empties no file that it may read", "Linux 6.2", abi >= 3),
            Wall("code in a lab kernel sends no signal to the user's other programs",
                 "Linux 6.12, or filters of system calls that ask (Linux 5.5)", abi >= 6 or _filters_ask()),
        )  # fmt: skip
    overlays = _version() >= (5, 11) and _has_overlays()
    return (
        Wall("a lab reaches no socket or pipe in folders that it sees", "overlays (Linux 5.11)", overlays),
        Wall("a lab reaches no key of the user's and makes no set-user-id program", "filters of system calls (seccomp)",
             _FILTERS.exists()),
        Wall("a lab has no more processes than it may", "Linux 5.14", _version() >= (5, 14)),
        Wall("a lab has no more memory than it may", "a control group that this user may divide: "
             "systemd-run --user --scope miniedit-frr ...", bool(control_group.available_folder("lab"))),
    )  # fmt: skip


def missing(place: str) -> tuple[Wall, ...]:
    """The walls of a place that do not stand here; for "auto", those of both places that it chooses from."""
    places = (PlaceName.NAMESPACE, PlaceName.LABKERNEL) if place == PlaceName.AUTO else (place,)
    return tuple(wall for name in places for wall in walls(name) if not wall.stands)


def _filters_ask() -> bool:
    """Whether a filter can ask another process about a call, which may let the call continue."""
    return "user_notif" in _text(_FILTERS).split() and _version() >= (5, 5)


def _has_overlays() -> bool:
    """Whether the kernel has overlays, or can load their module."""
    module = Path(f"/lib/modules/{os.uname().release}/kernel/fs/overlayfs")
    return "overlay" in _text(_FILE_SYSTEMS).split() or module.is_dir()


def _version() -> tuple[int, int]:
    numbers = re.match(r"(\d+)\.(\d+)", os.uname().release)
    return (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
