"""Joins multicast groups and sends to them, run in a node as a program of its own; standard library only.

python3 multicast.py GROUP INTERFACE                join until the end
python3 multicast.py --send=SECONDS GROUP INTERFACE send that often
"""

from __future__ import annotations

import argparse
import fcntl
import ipaddress
import socket
import struct
import sys
import time

_PORT = 1000
_TTL = 16
_SIOCGIFADDR = 0x8915


def opened(group: str, interface: str) -> tuple[socket.socket, bytes]:
    """A socket for a group, and what asks for membership on an interface."""
    index = socket.if_nametoindex(interface)
    address = ipaddress.ip_address(group)
    if address.version == 6:
        made = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, index)
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, _TTL)
        return made, address.packed + struct.pack("@I", index)
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    request = fcntl.ioctl(made.fileno(), _SIOCGIFADDR, struct.pack("256s", interface.encode()[:15]))
    member = address.packed + request[20:24] + struct.pack("@i", index)
    made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, member)
    made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, _TTL)
    return made, member


def main() -> int:
    """Join or send as the command line says, until the process is ended."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--send", type=float, default=0.0)
    parser.add_argument("group")
    parser.add_argument("interface")
    given = parser.parse_args()
    made, member = opened(given.group, given.interface)
    if not given.send:
        v6 = made.family == socket.AF_INET6
        level, option = (
            (socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP) if v6 else (socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP)
        )
        made.setsockopt(level, option, member)
        while True:
            time.sleep(3600)
    while True:
        made.sendto(b"topotest", (given.group, _PORT))
        time.sleep(given.send)


if __name__ == "__main__":
    sys.exit(main())
