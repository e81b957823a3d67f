"""The effective settings of a host: its cores as numbers, its share of the CPU, the folders that outlive a lab."""

from __future__ import annotations

import re

from frrlib.model.nodes import Host, PrivateDirectory

#: More CPUs than any kernel has.
_MOST_CPUS = 8192


def core_numbers(text: str) -> tuple[int, ...]:
    """The CPUs of a list such as "0,2-3", in order, each once; empty for none. Raises ValueError for any other text."""
    cores: set[int] = set()
    for part in text.replace(" ", "").split(",") if text.strip() else ():
        match = re.fullmatch(r"([0-9]{1,4})(?:-([0-9]{1,4}))?", part)
        if match is None:
            raise ValueError(f"{part!r} is not a CPU number")
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last < _MOST_CPUS:
            raise ValueError(f"{part!r} is not a range of CPUs")
        cores.update(range(first, last + 1))
    return tuple(sorted(cores))


def cpu_share(host: Host) -> float:
    """The limit of a host's CPU time in percent of all CPUs; 0 for no limit.

    As in MiniEdit, the scheduler "host" sets no limit. The scheduler "rt" is treated as "cfs", since kernels no longer
    divide real-time scheduling among groups.
    """
    return (host.cpu_percent or 0.0) if host.scheduler != "host" else 0.0


def persistent_folder(host: str, directory: PrivateDirectory) -> str:
    """The path of a persistent private folder, relative to the lab's persistent folders; empty for a temporary one.

    "%(name)s" in it stands for the host's name, as in Mininet. The path cannot lead outside: ".." is removed.
    """
    text = directory.persistent.replace("%(name)s", host)
    return "/".join(part for part in text.split("/") if part not in ("", ".", ".."))
