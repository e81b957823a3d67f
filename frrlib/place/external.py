"""Interfaces of this machine in a lab: lent at its start, given back at its end.

The kernel itself gives a network card back when the lab's namespaces end. What is not a card (a VLAN, a veth, a tunnel)
it would remove with them, so the lab's keeper fetches every interface before it ends the lab. Standard library only.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import socket
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from frrlib.errors import PlaceError
from frrlib.place import syscalls as sys_

_SIOCGIFADDR, _SIOCGIFFLAGS = 0x8915, 0x8913
_UP, _LOOPBACK = 0x1, 0x8


def check(names: Sequence[str]) -> None:
    """Refuse interfaces that this machine cannot lend.

    Raises:
        PlaceError: there is none of that name, or it has an address or is part of a bridge, a bond or a VLAN, so that
            the machine may be using it.
    """
    there = [name for _, name in socket.if_nameindex()]
    used_by = users(_links()) if names else {}
    for name in names:
        if name not in there:
            raise PlaceError(f"this machine has no interface {name}", f"take one of {', '.join(there)}")
        if _flags(name) & _LOOPBACK:
            raise PlaceError(f"{name} is this machine's loopback interface", "take another one")
        address = _address(name)
        if address:
            why = f"this machine's {name} has the address {address}: it may be in use, and a lab would cut it off"
            raise PlaceError(why, f"sudo ip address flush dev {name}, if nothing uses it")
        if name in used_by:
            why = f"this machine's {used_by[name]} uses {name}, and a lab would cut it off"
            raise PlaceError(why, f"take {name} out of {used_by[name]} first")


class Lent:
    """Interfaces that a lab has.

    Args:
        names: of this machine's interfaces.
        pid: a process in the lab's own network namespace.

    Raises:
        OSError: one could not be moved; none is lent then.
    """

    def __init__(self, names: Sequence[str], pid: int) -> None:
        self._names, self._pid = names, pid
        self._up = [name for name in names if _flags(name) & _UP]
        self._lab = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        self._here = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        for name in names:
            said = _ip("link", "set", "dev", name, "netns", str(pid))
            if said:
                self.give_back()
                raise OSError(errno.EINVAL, f"{name} cannot be moved into the lab: {said}")

    def give_back(self) -> None:
        """Fetch them from wherever they are in the lab; what is here already stays here."""
        for handle in (self._lab, *self._nodes()):
            with contextlib.suppress(OSError):
                sys_.setns(handle, sys_.CLONE_NEWNET)
                for name in self._names:
                    if _is_here(name):
                        # The other namespace is named by a descriptor that `ip` inherits.
                        _ip("link", "set", "dev", name, "netns", f"/proc/self/fd/{self._here}", handed=self._here)
        sys_.setns(self._here, sys_.CLONE_NEWNET)
        for name in self._up:
            _ip("link", "set", "dev", name, "up")

    def _nodes(self) -> list[int]:
        """The namespaces of the lab's nodes, which are threads of its first process, as far as it still runs."""
        found: dict[int, int] = {}
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{self._pid}/task"):
                with contextlib.suppress(OSError):
                    handle = os.open(f"/proc/{self._pid}/task/{thread}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
                    if found.setdefault(os.fstat(handle).st_ino, handle) != handle:
                        os.close(handle)
        return list(found.values())


def _links() -> list[dict[str, Any]]:
    """This machine's interfaces, as `ip -json` tells them."""
    import json
    import subprocess  # not for the many labs without external interfaces

    done = subprocess.run(["ip", "-d", "-j", "link"], capture_output=True, check=False)
    return list(json.loads(done.stdout or b"[]"))


def users(links: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Interfaces that another one is made of (a bridge, a bond, a VLAN), each with that one's name.

    Args:
        links: all interfaces, as `ip -d -json link` tells them.
    """
    found = {link["ifname"]: link["master"] for link in links if "master" in link}
    for link in links:
        # Of a veth this is its other end, and of one whose other end is elsewhere there is no name.
        if "link" in link and link.get("linkinfo", {}).get("info_kind") != "veth":
            found[link["link"]] = link["ifname"]
    return found


def _is_here(name: str) -> bool:
    try:
        return socket.if_nametoindex(name) > 0
    except OSError:
        return False


def _ip(*words: str, handed: int = -1) -> str:
    """Run `ip` and return what it complained of; empty if all went well."""
    import subprocess  # not for the many labs without external interfaces

    handles = (handed,) if handed >= 0 else ()
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False, pass_fds=handles)
    return (done.stderr.strip() or f"status {done.returncode}") if done.returncode else ""


def _ask(name: str, command: int) -> bytes:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        return fcntl.ioctl(any_socket, command, struct.pack("16s24x", name.encode()))


def _flags(name: str) -> int:
    return int(struct.unpack_from("=H", _ask(name, _SIOCGIFFLAGS), 16)[0])


def _address(name: str) -> str:
    """The first IPv4 address of an interface, else the first global IPv6 one; empty if it has neither."""
    with contextlib.suppress(OSError):
        return socket.inet_ntoa(_ask(name, _SIOCGIFADDR)[20:24])
    with contextlib.suppress(OSError), open("/proc/self/net/if_inet6", encoding="ascii") as file:
        for raw, _, _, scope, _, interface in map(str.split, file):
            if interface == name and scope == "00":
                return socket.inet_ntop(socket.AF_INET6, bytes.fromhex(raw))
    return ""
