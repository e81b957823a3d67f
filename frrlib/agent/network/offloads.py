"""Segmentation and receive offloads of an interface.

With offloads a "packet" in a queue may have 64 kB, which distorts limits in packets, loss and round-trip times.
"""

from __future__ import annotations

import fcntl
import socket
import struct
from array import array
from collections.abc import Sequence

from frrlib.errors import LabFailed

_SET_CHECKSUMS = 0x17
_SIOCETHTOOL = 0x8946
#: The commands that read and set each offload (linux/ethtool.h).
COMMANDS = {"tso": (0x1E, 0x1F), "gso": (0x23, 0x24), "gro": (0x2B, 0x2C)}
#: Those that a new interface of a veth pair has.
ON_BY_DEFAULT = ("tso", "gso")


def switch_off(node: str, interfaces: list[str]) -> None:
    """Switch all offloads off and read them back, in the calling thread's network namespace.

    Transmit checksums are not changed: veth never computes them, which costs nothing and is the same in all kernels
        (but see `compute_checksums`).

    Args:
        node: for errors.
        interfaces: names of the interfaces.

    Raises:
        LabFailed: an offload stays on or cannot be set.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for interface in interfaces:
            for offload, (read, write) in COMMANDS.items():
                try:
                    _ethtool(any_socket, interface, write, 0)
                    still = _ethtool(any_socket, interface, read, 0)
                except OSError as error:
                    raise LabFailed(f"{node}: {interface}: turning {offload} off: {error.strerror}") from error
                if still:
                    raise LabFailed(f"{node}: {interface}: {offload} stays on")


def switch_on(node: str, interfaces: Sequence[str]) -> None:
    """Switch the offloads on again that `switch_off` has switched off, as a new interface has them.

    Raises:
        LabFailed: one cannot be set.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for interface in interfaces:
            for offload, (_, write) in COMMANDS.items():
                try:
                    _ethtool(any_socket, interface, write, int(offload in ON_BY_DEFAULT))
                except OSError as error:
                    raise LabFailed(f"{node}: {interface}: turning {offload} on: {error.strerror}") from error


def compute_checksums(node: str, interfaces: Sequence[str]) -> None:
    """Have checksums computed before packets leave, in the calling thread's network namespace.

    Two kernels that share a veth pair skip that, and a program that reads the packets would find wrong checksums.

    Args:
        node: for errors.
        interfaces: names of the interfaces.

    Raises:
        LabFailed: the setting fails.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for interface in interfaces:
            try:
                _ethtool(any_socket, interface, _SET_CHECKSUMS, 0)
            except OSError as error:
                raise LabFailed(f"{node}: {interface}: computing checksums: {error.strerror}") from error


def read(interface: str) -> dict[str, bool]:
    """The state of each offload, in the calling thread's network namespace. Raises OSError."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        return {name: bool(_ethtool(any_socket, interface, get, 0)) for name, (get, _) in COMMANDS.items()}


def _ethtool(any_socket: socket.socket, interface: str, command: int, value: int) -> int:
    data = array("I", (command, value))
    address, _ = data.buffer_info()
    fcntl.ioctl(any_socket, _SIOCETHTOOL, struct.pack("16sP16x", interface.encode(), address))
    return data[1]
