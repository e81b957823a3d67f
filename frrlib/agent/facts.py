"""Facts about a lab that can be read at once, without starting anything."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

#: Packages of Debian's database to the names under which their versions are told.
_PACKAGES = {
    "frr": "frr",
    "iperf3": "iperf3",
    "iproute2": "tc",
    "mininet": "mininet",
    "openvswitch-switch": "openvswitch",
}
_DATABASE = "/var/lib/dpkg/status"


def quick() -> dict[str, Any]:
    """Facts for `Ready`: kernel release, clock, place, Python, congestion controls, seconds since boot,
    and how large the buffers of TCP sockets are at least, usually and at most."""
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
    """Versions of the programs that a lab uses, by name, as the package database has them; unknown ones are left out.

    Reading the database is quicker by far than starting every program.
    """
    try:
        with open(_DATABASE, "rb") as file:
            database = b"\n" + file.read()
    except OSError:
        return {}
    found: dict[str, str] = {}
    for package, name in _PACKAGES.items():
        _, there, entry = database.partition(f"\nPackage: {package}\n".encode())
        _, told, version = entry.partition(b"\nVersion: ")
        if there and told:
            found[name] = version.partition(b"\n")[0].decode()
    return found


def _words(path: str) -> list[str]:
    try:
        with open(path, encoding="ascii") as file:
            return file.read().split()
    except OSError:
        return []


def _first_number(path: str) -> float:
    words = _words(path)
    return float(words[0]) if words else 0.0
