"""The library loaded before a lab kernel that traces its processes: `kernel/xstate.c`, which tells how and why.

The machine's kernel sets a process's floating-point registers all at once or not at all. With AMX (Intel's Xeons since
2023) these are 11008 bytes; Linux before 6.13 gives 2696, is refused, and ends its first process: such a kernel cannot
do without. All others that trace are faster with it, since it sets no registers that are set already.
"""

from __future__ import annotations

import re
from pathlib import Path

from frrlib.errors import PlaceError
from frrlib.kernels import libraries

#: The first Linux whose User-Mode Linux asks how large the registers are.
KNOWS_SIZES = (6, 13)
_SOURCE = "xstate"
_CPUINFO = Path("/proc/cpuinfo")


def has_large_registers(cpuinfo: str) -> bool:
    """Whether the processors that a text of /proc/cpuinfo tells of have registers that 2696 bytes do not hold."""
    flags = re.search(r"^flags\s*:(.*)$", cpuinfo, re.MULTILINE)
    return flags is not None and "amx_tile" in flags[1].split()


def needs_help(release: str) -> bool:
    """Whether a lab kernel of this release ("6.1.176") cannot run on this machine's processor by itself."""
    numbers = re.match(r"(\d+)\.(\d+)", release)
    old = numbers is not None and (int(numbers[1]), int(numbers[2])) < KNOWS_SIZES
    return old and has_large_registers(_CPUINFO.read_text(encoding="utf-8"))


def preload(release: str, *, traces: bool) -> str:
    """The library to load before a lab kernel of this release; empty for none.

    Args:
        release: as `uname -r` says it in the lab.
        traces: whether it makes its processes' system calls by tracing them.

    Raises:
        PlaceError: this one cannot do without, and the library cannot be made.
    """
    if needs_help(release):
        return str(library())
    if not traces:
        return ""
    try:
        return str(library())
    except PlaceError:  # slower, and no worse
        return ""


def library() -> Path:
    """The library, compiled into the user's cache where it is not there yet.

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
