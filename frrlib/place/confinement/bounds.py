"""The share of the machine that a lab may take: processes, memory, room in its own folders, and what it writes into its
results.

In a namespace the kernel counts a lab's processes by its user namespace (Linux 5.14), whatever ids they take, and its
temporary folders have a size. What it writes into the one folder of the machine's that it may write is looked at again
and again, and what its processes and temporary folders have of the memory, once the machine has little left. A lab
kernel has the memory that it was given, and processes and temporary folders in that. Where the machine has no memory at
all, the kernel ends programs of labs before any other, unless a lab's root has taken that back, and then the largest.
Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import resource
import time

#: Room in a temporary folder of a lab, in MiB, and how many files it may hold.
FOLDER_MIB, FOLDER_FILES = 512, 100_000
#: The limit of a lab's results: captures of all interfaces of a long run fit.
RESULTS_MIB, RESULTS_FILES = 16_384, 50_000
#: Open files of a process.
OPEN_FILES = 65_536
#: The limit of a lab's stored output, in MiB, and the size of its end that is kept beyond that, in bytes.
CONSOLE_MIB, _CONSOLE_KEPT = 32, 65_536
#: The memory of a lab matters once less than this share of the machine's is left, or this much in MiB.
SPARE_SHARE, SPARE_MIB = 0.1, 1024
#: Of how many processes it is asked what they do, where there is a crowd.
_SAMPLE = 40
#: How readily the kernel ends a lab's programs when there is no memory left: before all others.
_OOM_SCORE = 1000
_PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / 2**20
#: How often the results are looked at, in seconds.
_LOOK_S = 2.0


def limit_next_namespace(processes: int) -> None:
    """Have the user namespace that is made next hold no more than so many processes and threads, and no process in it
    write a file that is larger than all results may be."""
    _lower(resource.RLIMIT_NPROC, processes)
    _lower(resource.RLIMIT_FSIZE, RESULTS_MIB << 20)
    _lower(resource.RLIMIT_NOFILE, OPEN_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def be_killed_first() -> None:
    """Have this process, and all that it starts, be ended before others where there is no memory left."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write(str(_OOM_SCORE))


def in_namespace_mib(kernel_mib: int) -> int:
    """The memory limit of a lab in a namespace, in MiB, if a lab kernel for it has `kernel_mib`: with room for the
    buffers of fast flows, which are the machine's in a namespace."""
    return 2 * kernel_mib + 1024


def _lower(kind: int, most: int, usual: int = resource.RLIM_INFINITY) -> None:
    """Set both limits of a kind, the first one no higher than is usual: programs make tables of that size."""
    _, hard = resource.getrlimit(kind)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    soft = most if usual == resource.RLIM_INFINITY else min(usual, most)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(kind, (soft, most))


class ResultsBound:
    """Whether a lab's results, which it writes into a folder of this machine, are still within bounds.

    Args:
        folder: the folder.
    """

    def __init__(self, folder: str) -> None:
        self._folder, self._due_s = folder, 0.0

    def excess(self) -> str:
        """The resource that is exceeded, for people; empty while all is well, or was not looked at again."""
        now_s = time.monotonic()
        if now_s < self._due_s:
            return ""
        began_s = now_s
        files, size_bytes = count_files(self._folder, RESULTS_FILES)
        # A large folder takes its time: most of the time is the lab's.
        self._due_s = time.monotonic() + max(_LOOK_S, 10 * (time.monotonic() - began_s))
        if files > RESULTS_FILES:
            return f"it has made more than {RESULTS_FILES} files in its results"
        if size_bytes > RESULTS_MIB << 20:
            return f"it has written more than {RESULTS_MIB} MiB into its results"
        return ""


class ProcessorBound:
    """Whether a lab in a namespace has so many processes, all of which want the processors, that nobody else gets one.

    Args:
        outer: the process outside of the lab's own namespace of processes, from which all in it are seen.
        most: how many processes a lab may have while as many want a processor; one that sends flows and routes has far
            fewer.
    """

    def __init__(self, outer: int, most: int) -> None:
        self._processes, self._most, self._looks = f"/proc/{outer}/root/proc", most, 0

    def excess(self) -> str:
        """The resource that is exceeded, for people, at the second look that finds it; empty while all is well.

        A look costs little, since in such a crowd this process seldom has its turn.
        """
        with open("/proc/loadavg", encoding="ascii") as file:
            wanting = int(file.read().split()[3].split("/")[0])
        own = self._wanting() if wanting > self._most else 0  # whose they are, is worth a look only then
        self._looks = self._looks + 1 if own > self._most else 0
        if self._looks < 2:
            return ""
        return f"some {own} of its processes wanted the processors at once, of {wanting}: {self._most} are the most"

    def _wanting(self) -> int:
        """About how many of the lab's processes want a processor, as some of them say."""
        pids: list[str] = []
        with contextlib.suppress(OSError):
            pids = [name for name in os.listdir(self._processes) if name.isdigit()]
        some = pids[:: len(pids) // _SAMPLE + 1]
        want = sum(_state(f"{self._processes}/{pid}/stat") == b"R" for pid in some)
        return want * len(pids) // max(len(some), 1)


class ConsoleBound:
    """Keeps what a lab prints from filling the memory that its console is in.

    Args:
        path: the console's file.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def trim(self) -> None:
        """Cut the output down to its end, if it is too long."""
        with contextlib.suppress(OSError):
            if os.stat(self._path).st_size <= CONSOLE_MIB << 20:
                return
            with open(self._path, "rb") as file:
                file.seek(-_CONSOLE_KEPT, os.SEEK_END)
                end = file.read(_CONSOLE_KEPT)
            os.truncate(self._path, 0)
            with open(self._path, "ab") as file:  # as the lab does
                file.write(b"(the lab printed more than is kept)\n" + end)


class MemoryBound:
    """Whether a lab in a namespace has more of the memory than it may, while the machine has little left.

    Args:
        process: the lab's first process.
        most_mib: what it may have at most.
        spare_mib: the machine has little left when it has less.
    """

    def __init__(self, process: int, most_mib: int, spare_mib: float) -> None:
        self._process, self._most_mib, self._spare_mib = process, most_mib, spare_mib

    def excess(self) -> str:
        """The resource that is exceeded, for people; empty while all is well."""
        if available_mib()[0] >= self._spare_mib:
            return ""
        had_mib = sum(map(_anonymous_mib, _processes(self._process))) + _folders_mib(self._process)
        if had_mib <= self._most_mib:
            return ""
        return f"it had {had_mib:,.0f} MiB of memory, of {self._most_mib:,} that it may have, and the machine ran short"


def _state(path: str) -> bytes:
    """The state of a process, as its `stat` says; empty once it has ended."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return file.read().rpartition(b")")[2].split()[0]
    return b""


def spare_mib() -> float:
    """The memory that the machine keeps for itself."""
    return max(SPARE_SHARE * available_mib()[1], SPARE_MIB)


def available_mib() -> tuple[float, float]:
    """The memory that programs can have without swapping, and all memory."""
    found = {}
    with open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            name, value, *_ = line.split()
            found[name] = int(value) / 1024
    return found.get("MemAvailable:", found["MemFree:"]), found["MemTotal:"]


def _processes(first: int) -> set[int]:
    """A lab's first process, those that somebody has entered the lab with, and all below them."""
    found: set[int] = set()
    todo = [first, *_entered(first)]
    while todo:
        process = todo.pop()
        if process in found:
            continue
        found.add(process)
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{thread}/children", encoding="ascii") as file:
                    todo += map(int, file.read().split())
    return found


def _entered(first: int) -> list[int]:
    """The processes that are in the lab, as far as they are in its own namespace of processes."""
    found = []
    with contextlib.suppress(OSError):
        wanted = os.stat(f"/proc/{first}/ns/pid").st_ino
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.stat(f"/proc/{name}/ns/pid").st_ino == wanted:
                    found.append(int(name))
    return found


def _anonymous_mib(process: int) -> float:
    """A process's memory that is in no file."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/statm", encoding="ascii") as file:
        _, resident, shared, *_ = map(int, file.read().split())
        return (resident - shared) * _PAGE_MIB
    return 0.0


def _folders_mib(process: int) -> float:
    """The use of a process's own temporary folders; those of the machine, which it may see, do not count."""
    had_mib, outside = 0.0, _temporary("self")
    for device, place in _temporary(process).items():
        if device not in outside:
            with contextlib.suppress(OSError):
                room = os.statvfs(f"/proc/{process}/root{place}")
                had_mib += (room.f_blocks - room.f_bfree) * room.f_frsize / 2**20
    return had_mib


def _temporary(process: int | str) -> dict[str, str]:
    """The file systems in memory that a process sees, by device, and where the first mount of each is."""
    found: dict[str, str] = {}
    with (
        contextlib.suppress(OSError),
        open(f"/proc/{process}/mountinfo", encoding="utf-8", errors="surrogateescape") as file,
    ):
        for line in file:
            about, _, kind = line.partition(" - ")
            if kind.startswith("tmpfs "):
                found.setdefault(about.split()[2], about.split()[4])
    return found


def count_files(folder: str, most_files: int) -> tuple[int, int]:
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
