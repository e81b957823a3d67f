"""The share of the machine that a lab may take: processes, memory, temporary folders, and the size of its results.

In a namespace the kernel counts a lab's processes by its user namespace (Linux 5.14), whatever ids they take, and its
temporary folders have a size. The supervisor measures the results folder at intervals. It measures the memory of the
lab's processes and temporary folders once the machine is short of memory. A lab kernel has a fixed memory, which holds
its processes and temporary folders. If the machine runs out of memory, the kernel kills programs of labs before any
other. If a lab's root has reset that, the kernel kills the largest program. Standard library only.
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
#: Number of processes whose state is read to estimate how many want a processor.
_SAMPLE = 40
#: The kernel's score for a lab's programs when the machine runs out of memory: it kills them before all others.
_OOM_SCORE = 1000
_PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / 2**20
#: Seconds between two measurements of the results folder.
_LOOK_S = 2.0


def limit_next_namespace(processes: int) -> None:
    """Limit the user namespace that is made next to this number of processes and threads, and the files that its
    processes write to the maximum size of all results."""
    _lower(resource.RLIMIT_NPROC, processes)
    _lower(resource.RLIMIT_FSIZE, RESULTS_MIB << 20)
    _lower(resource.RLIMIT_NOFILE, OPEN_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def be_killed_first() -> None:
    """Have the kernel kill this process, and all that it starts, before others when the machine runs out of memory."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write(str(_OOM_SCORE))


def in_namespace_mib(kernel_mib: int) -> int:
    """The memory limit of a lab in a namespace, in MiB, if a lab kernel for it has `kernel_mib`.

    It has room for the buffers of fast flows, which the machine's kernel holds for a namespace.
    """
    return 2 * kernel_mib + 1024


def _lower(kind: int, most: int, usual: int = resource.RLIM_INFINITY) -> None:
    """Set the soft and the hard limit of a kind. The soft one is at most `usual`: programs make tables of that size."""
    _, hard = resource.getrlimit(kind)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    soft = most if usual == resource.RLIM_INFINITY else min(usual, most)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(kind, (soft, most))


class ResultsBound:
    """The bound of a lab's results, which it writes into a folder of this machine.

    Args:
        folder: the folder.
    """

    def __init__(self, folder: str) -> None:
        self._folder, self._due_s = folder, 0.0

    def excess(self) -> str:
        """The resource that is exceeded, for people. Empty if none is, or if no measurement is due."""
        now_s = time.monotonic()
        if now_s < self._due_s:
            return ""
        began_s = now_s
        files, size_bytes = count_files(self._folder, RESULTS_FILES)
        # Measuring a large folder takes long. The lab gets most of the time in between.
        self._due_s = time.monotonic() + max(_LOOK_S, 10 * (time.monotonic() - began_s))
        if files > RESULTS_FILES:
            return f"its results have more than {RESULTS_FILES} files"
        if size_bytes > RESULTS_MIB << 20:
            return f"its results are larger than {RESULTS_MIB} MiB"
        return ""


class ProcessorBound:
    """The bound of a lab's processes in a namespace that want a processor. Beyond it no other program gets a turn.

    Args:
        outer: the process outside of the lab's own process namespace. Its `/proc` shows all processes of the lab.
        most: maximum number of processes that want a processor. A lab with flows and routing has far fewer.
    """

    def __init__(self, outer: int, most: int) -> None:
        self._processes, self._most, self._looks = f"/proc/{outer}/root/proc", most, 0

    def excess(self) -> str:
        """The resource that is exceeded, for people, once two reviews in a row have found it. Empty if none is.

        A review costs little: among that many processes the supervisor seldom has its turn.
        """
        with open("/proc/loadavg", encoding="ascii") as file:
            wanting = int(file.read().split()[3].split("/")[0])
        lab_wanting = self._wanting() if wanting > self._most else 0  # counting those of the lab takes longer
        self._looks = self._looks + 1 if lab_wanting > self._most else 0
        if self._looks < 2:
            return ""
        return (
            f"about {lab_wanting} of its processes used a processor at once (all programs: {wanting}); "
            f"the maximum is {self._most}"
        )

    def _wanting(self) -> int:
        """Estimate how many of the lab's processes want a processor, from the states of some of them."""
        pids: list[str] = []
        with contextlib.suppress(OSError):
            pids = [name for name in os.listdir(self._processes) if name.isdigit()]
        sample = pids[:: len(pids) // _SAMPLE + 1]
        want = sum(_state(f"{self._processes}/{pid}/stat") == b"R" for pid in sample)
        return want * len(pids) // max(len(sample), 1)


class ConsoleBound:
    """The bound of a lab's output, whose file is in memory.

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
            with open(self._path, "ab") as file:  # the lab appends to it, too
                file.write(b"(earlier output was removed, because it was too long)\n" + end)


class MemoryBound:
    """The bound of a lab's memory in a namespace. It is enforced only while the machine is short of memory.

    Args:
        process: the lab's first process.
        most_mib: maximum memory of the lab.
        spare_mib: the machine is short of memory when it has less than this available.
    """

    def __init__(self, process: int, most_mib: int, spare_mib: float) -> None:
        self._process, self._most_mib, self._spare_mib = process, most_mib, spare_mib

    def excess(self) -> str:
        """The resource that is exceeded, for people. Empty if none is."""
        if available_mib()[0] >= self._spare_mib:
            return ""
        had_mib = sum(map(_anonymous_mib, _processes(self._process))) + _folders_mib(self._process)
        if had_mib <= self._most_mib:
            return ""
        return f"it used {had_mib:,.0f} MiB of memory (maximum: {self._most_mib:,}), and the machine ran short of it"


def _state(path: str) -> bytes:
    """The state of a process, read from its `stat`. Empty once it has ended."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return file.read().rpartition(b")")[2].split()[0]
    return b""


def spare_mib() -> float:
    """The memory that the machine keeps for itself."""
    return max(SPARE_SHARE * available_mib()[1], SPARE_MIB)


def available_mib() -> tuple[float, float]:
    """The memory that programs can get without swapping, and the machine's whole memory, in MiB."""
    values = {}
    with open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            name, value, *_ = line.split()
            values[name] = int(value) / 1024
    return values.get("MemAvailable:", values["MemFree:"]), values["MemTotal:"]


def kills_for_memory(statistics: str = "/proc/vmstat") -> int:
    """Number of processes that the machine's kernel has killed since its boot because memory ran out."""
    with contextlib.suppress(OSError), open(statistics, encoding="ascii") as file:
        return next((int(line.split()[1]) for line in file if line.startswith("oom_kill ")), 0)
    return 0


def _processes(first: int) -> set[int]:
    """A lab's first process, the processes that entered the lab from outside, and all their descendants."""
    processes: set[int] = set()
    todo = [first, *_entered(first)]
    while todo:
        process = todo.pop()
        if process in processes:
            continue
        processes.add(process)
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{thread}/children", encoding="ascii") as file:
                    todo += map(int, file.read().split())
    return processes


def _entered(first: int) -> list[int]:
    """The processes that are in the lab's own process namespace."""
    processes = []
    with contextlib.suppress(OSError):
        namespace = os.stat(f"/proc/{first}/ns/pid").st_ino
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.stat(f"/proc/{name}/ns/pid").st_ino == namespace:
                    processes.append(int(name))
    return processes


def _anonymous_mib(process: int) -> float:
    """A process's memory that belongs to no file, in MiB."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/statm", encoding="ascii") as file:
        _, resident, shared, *_ = map(int, file.read().split())
        return (resident - shared) * _PAGE_MIB
    return 0.0


def _folders_mib(process: int) -> float:
    """The size of a process's own temporary folders, in MiB. Those of the machine do not count."""
    had_mib, outside = 0.0, _temporary("self")
    for device, place in _temporary(process).items():
        if device not in outside:
            with contextlib.suppress(OSError):
                room = os.statvfs(f"/proc/{process}/root{place}")
                had_mib += (room.f_blocks - room.f_bfree) * room.f_frsize / 2**20
    return had_mib


def _temporary(process: int | str) -> dict[str, str]:
    """The file systems in memory that a process sees: device to the path of its first mount."""
    mounts: dict[str, str] = {}
    with (
        contextlib.suppress(OSError),
        open(f"/proc/{process}/mountinfo", encoding="utf-8", errors="surrogateescape") as file,
    ):
        for line in file:
            mount, _, kind = line.partition(" - ")
            if kind.startswith("tmpfs "):
                mounts.setdefault(mount.split()[2], mount.split()[4])
    return mounts


def count_files(folder: str, most_files: int) -> tuple[int, int]:
    """Count the files and folders below a folder, and the bytes that they take on disk. Stop beyond `most_files`."""
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
