"""Virtual time: a lab kernel whose clock jumps over idle time, and whose runs can be repeated exactly.

Nothing that differs from run to run may come from this machine into such a lab: no random number (`kernel_process`
refuses them, and `seed_entropy` gives the lab its own), no date, and no path, since the kernel's random numbers depend
on every word of its command line. So the command line is the same for all labs of one size. The process runs in the
lab's scratch folder, and finds its files from there.

Standard library only; one half runs in the lab.
"""

from __future__ import annotations

import fcntl
import os
import struct
import time

from frrlib.place.confinement import syscalls as sys_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from frrlib.place.base import Program

#: The start of every lab's clock: the first second of the year 2025.
START_NS = 1_735_689_600 * 10**9
CLOSED = (
    "a lab in virtual time cannot be entered: its clock jumps from one event to the next, and stands between requests"
)
OPEN_INSTEAD = "run it in real time for a terminal, a capture or a look by hand"
#: The argument of a kernel with virtual time, and the option of its configuration.
MODE, OPTION = "time-travel=inf-cpu", "CONFIG_UML_TIME_TRAVEL_SUPPORT"
#: The lab kernel's argv[0], independent of its path.
NAME = "linux"
#: The folder of the lab kernel's memory, seen from the lab's scratch folder.
MEMORY = "mem"
_RNDADDENTROPY, _RNDRESEEDCRNG = 0x40085203, 0x5207


def command_line(program: Program, python: str, words: Sequence[str] = ()) -> list[str]:
    """The lab kernel's argv, which is the same in every run. Its working folder is the lab's scratch folder.

    Args:
        program: the lab's first program.
        python: the interpreter.
        words: further arguments for this kernel.
    """
    return [
        NAME,
        "rootfstype=hostfs",
        "root=/dev/root",
        "rw",
        f"mem={program.memory_mib}M",
        "quiet",
        "con=null",
        "con0=null,fd:1",
        "ssl=null",
        f"uml_dir={MEMORY}",
        "umid=lab",
        "devtmpfs.mount=0",
        "cryptomgr.notests",
        "norandmaps",
        MODE,
        f"time-travel-start={START_NS}",
        *words,
        *program.kernel_arguments,
        # Without it Python would read random numbers before the kernel has any, and block.
        "PYTHONHASHSEED=0",
        f"init={python}",
        "--",
        "-s",
        "-S",
        "/proc/self/cwd/boot/init.py",  # in this machine's /proc: the lab has none of its own yet
    ]


def seed_entropy(seed: str) -> None:
    """Give the kernel of the calling process the entropy of its random numbers. It gets no other.

    Args:
        seed: in hexadecimal digits.
    """
    _add_entropy(seed, _RNDADDENTROPY)


def restart_random_numbers(seed: str) -> None:
    """Sleep until the next whole second of the lab's clock, then start its random numbers anew from `seed`.

    Every system call takes a little time and every new file draws a random number. Before this point their number
    depends on this machine: on the depth of folders, the number of files in them, and compiled modules. After it
    neither the clock nor the random numbers do. The clock is also past 0 s then. `ping` treats 0 as a missing reading
    of the clock, and would ignore its interval.
    """
    until_s = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 10**9 + 1
    sys_.sleep_until(until_s)
    _add_entropy(seed, _RNDADDENTROPY, _RNDRESEEDCRNG)


def _add_entropy(seed: str, *requests: int) -> None:
    data = bytes.fromhex(seed)
    device = os.open("/dev/random", os.O_WRONLY | os.O_CLOEXEC)
    try:
        for request in requests:
            fcntl.ioctl(device, request, struct.pack("ii", len(data) * 8, len(data)) + data)
    finally:
        os.close(device)
