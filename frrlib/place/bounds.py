"""How much of the machine a lab may take: processes, room in its own folders, and what it writes into its results.

In a namespace the kernel counts a lab's processes by its user namespace (Linux 5.14), whatever ids they take, and its
temporary folders have a size. What it writes into the one folder of the machine's that it may write is looked at again
and again. A lab kernel has the memory that it was given, and processes and temporary folders in that. Standard library
only.
"""

from __future__ import annotations

import contextlib
import os
import resource
import time

#: Room in a temporary folder of a lab, in MiB, and how many files it may hold.
FOLDER_MIB, FOLDER_FILES = 512, 100_000
#: What a lab may write into its results: captures of all interfaces of a long run fit.
RESULTS_MIB, RESULTS_FILES = 16_384, 50_000
#: Open files of a process.
OPEN_FILES = 65_536
#: How often the results are looked at, in seconds.
_LOOK_S = 2.0


def hold(processes: int) -> None:
    """Have the user namespace that is made next hold no more than so many processes and threads, and no process in it
    write a file that is larger than all results may be."""
    _lower(resource.RLIMIT_NPROC, processes)
    _lower(resource.RLIMIT_FSIZE, RESULTS_MIB << 20)
    _lower(resource.RLIMIT_NOFILE, OPEN_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def _lower(kind: int, most: int, usual: int = resource.RLIM_INFINITY) -> None:
    """Set both limits of a kind, the first one no higher than is usual: programs make tables of that size."""
    _, hard = resource.getrlimit(kind)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    soft = most if usual == resource.RLIM_INFINITY else min(usual, most)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(kind, (soft, most))


class Results:
    """Whether what a lab writes into its folder of this machine is still within bounds.

    Args:
        folder: the folder.
    """

    def __init__(self, folder: str) -> None:
        self._folder, self._due_s = folder, 0.0

    def excess(self) -> str:
        """What there is too much of, for people; empty while all is well, or was not looked at again."""
        now_s = time.monotonic()
        if now_s < self._due_s:
            return ""
        began_s = now_s
        files, size_bytes = amount(self._folder, RESULTS_FILES)
        # A large folder takes its time: most of the time is the lab's.
        self._due_s = time.monotonic() + max(_LOOK_S, 10 * (time.monotonic() - began_s))
        if files > RESULTS_FILES:
            return f"it has made more than {RESULTS_FILES} files in its results"
        if size_bytes > RESULTS_MIB << 20:
            return f"it has written more than {RESULTS_MIB} MiB into its results"
        return ""


def amount(folder: str, most_files: int) -> tuple[int, int]:
    """How many files and folders are below a folder, and how many bytes of the disk they take; not looked further than
    one more than `most_files`."""
    files = size_bytes = 0
    folders = [folder]
    while folders:
        try:
            entries = os.scandir(folders.pop())
        except OSError:
            continue  # a folder that is closed to its owner is opened when the lab has ended
        with entries:
            for entry in entries:
                files += 1
                if files > most_files:
                    return files, size_bytes
                with contextlib.suppress(OSError):
                    size_bytes += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
    return files, size_bytes
