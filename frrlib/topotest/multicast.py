"""Joins multicast groups and sends to them. This program runs in a node; standard library only.

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


def open_socket(group: str, interface: str) -> tuple[socket.socket, bytes]:
    """A socket for a group, and the membership request for an interface."""
    index = socket.if_nametoindex(interface)
    address = ipaddress.ip_address(group)
    if address.version == 6:
        group_socket = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        group_socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, index)
        group_socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, _TTL)
        return group_socket, address.packed + struct.pack("@I", index)
    group_socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    request = fcntl.ioctl(group_socket.fileno(), _SIOCGIFADDR, struct.pack("256s", interface.encode()[:15]))
    member = address.packed + request[20:24] + struct.pack("@i", index)
    group_socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, member)
    group_socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, _TTL)
    return group_socket, member


def main() -> int:
    """Join or send, by the command line, until the process is ended."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--send", type=float, default=0.0)
    parser.add_argument("group")
    parser.add_argument("interface")
    options = parser.parse_args()
    group_socket, member = open_socket(options.group, options.interface)
    if not options.send:
        v6 = group_socket.family == socket.AF_INET6
        level, option = (
            (socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP) if v6 else (socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP)
        )
        group_socket.setsockopt(level, option, member)
        while True:
            time.sleep(3600)
    while True:
        group_socket.sendto(b"topotest", (options.group, _PORT))
        time.sleep(options.send)


if __name__ == "__main__":
    sys.exit(main())
