"""Facts about a lab that are read at once, without starting a program."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import Any

#: Packages in Debian's database, and the names under which their versions are reported.
_PACKAGES = {
    "frr": "frr",
    "iperf3": "iperf3",
    "iproute2": "tc",
    "mininet": "mininet",
    "openvswitch-switch": "openvswitch",
}
#: Databases of packages, the first one that has a package first: of those that were fetched into a user's cache
#: (`frrlib.missing_packages`), and of the machine.
DATABASES = ("/usr/share/miniedit-frr-layer/status", "/var/lib/dpkg/status")


def read_facts() -> dict[str, Any]:
    """Facts for `Ready`: kernel release, clock, place, Python, congestion controls, seconds since boot, and the
    least, default and largest size of the buffers of TCP sockets."""
    return {
        "kernel": os.uname().release,
        "python": sys.version.split()[0],
        "place": os.environ.get("LAB_PLACE", ""),
        "monotonic": time.monotonic(),
        "boot_s": _first_number("/proc/uptime"),
        "cpus": os.cpu_count() or 1,
        "congestion_controls": _words("/proc/sys/net/ipv4/tcp_available_congestion_control"),
        **{name: _words(f"/proc/sys/net/ipv4/{name}") for name in ("tcp_rmem", "tcp_wmem")},
    }


def versions() -> dict[str, str]:
    """Versions of the programs that a lab uses, by name, from the package databases; unknown ones are left out.

    Reading the databases is much faster than starting every program.
    """
    database = b""
    for path in DATABASES:
        with contextlib.suppress(OSError), open(path, "rb") as file:
            database += b"\n" + file.read()
    by_name: dict[str, str] = {}
    for package, name in _PACKAGES.items():
        _, is_installed, entry = database.partition(f"\nPackage: {package}\n".encode())
        _, has_version, version = entry.partition(b"\nVersion: ")
        if is_installed and has_version:
            by_name[name] = version.partition(b"\n")[0].decode()
    return by_name


def _words(path: str) -> list[str]:
    try:
        with open(path, encoding="ascii") as file:
            return file.read().split()
    except OSError:
        return []


def _first_number(path: str) -> float:
    words = _words(path)
    return float(words[0]) if words else 0.0
