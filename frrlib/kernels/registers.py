"""The library that is loaded before a lab kernel that traces its processes: `kernel/xstate.c`, which has the details.

The machine's kernel sets all floating-point registers of a process at once. With AMX (Intel's Xeons since 2023) these
are 11008 bytes. A lab kernel before Linux 6.13 passes 2696 bytes, gets an error, and kills its first process, so it
needs the library. All other lab kernels that trace are faster with it, since it skips registers that are unchanged.
"""

from __future__ import annotations

import re
from pathlib import Path

from frrlib.errors import PlaceError
from frrlib.kernels import libraries

#: The first Linux whose User-Mode Linux reads the size of the registers.
KNOWS_SIZES = (6, 13)
_SOURCE = "xstate"
_CPUINFO = Path("/proc/cpuinfo")


def has_large_registers(cpuinfo: str) -> bool:
    """Whether the processors of a text of /proc/cpuinfo have registers larger than 2696 bytes."""
    flags = re.search(r"^flags\s*:(.*)$", cpuinfo, re.MULTILINE)
    return flags is not None and "amx_tile" in flags[1].split()


def needs_help(release: str) -> bool:
    """Whether a lab kernel of this release ("6.1.176") needs the library on this machine's processor."""
    numbers = re.match(r"(\d+)\.(\d+)", release)
    old = numbers is not None and (int(numbers[1]), int(numbers[2])) < KNOWS_SIZES
    return old and has_large_registers(_CPUINFO.read_text(encoding="utf-8"))


def preload(release: str, *, traces: bool) -> str:
    """The library to load before a lab kernel of this release. Empty for none.

    Args:
        release: output of `uname -r` in the lab.
        traces: whether the lab kernel traces its processes to make their system calls.

    Raises:
        PlaceError: the lab kernel needs the library, which cannot be compiled.
    """
    if needs_help(release):
        return str(library())
    if not traces:
        return ""
    try:
        return str(library())
    except PlaceError:  # the lab is only slower without it
        return ""


def library() -> Path:
    """The library, compiled into the user's cache if it is missing there.

    Raises:
        PlaceError: there is no compiler, or the cache cannot be written.
    """
    if not libraries.has_compiler():
        raise PlaceError(
            f"this processor has AMX, whose registers a lab kernel before Linux {KNOWS_SIZES[0]}.{KNOWS_SIZES[1]} does "
            "not know; a small library helps, but no C compiler is installed to build it",
            "apt-get install gcc",
        )
    return libraries.library(_SOURCE)
