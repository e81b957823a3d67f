"""Interfaces of this machine in a lab: lent at its start, given back at its end.

The kernel itself gives a network card back when the lab's namespaces end. It would remove other interfaces (VLANs,
veths, tunnels) with them, so the supervisor moves every interface back before it ends the lab. Standard library only.
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
from frrlib.place.confinement import syscalls as sys_

_SIOCGIFADDR, _SIOCGIFFLAGS = 0x8915, 0x8913
_UP, _LOOPBACK = 0x1, 0x8
_RTM_NEWNSID, _RTM_GETNSID = 88, 90


def check(names: Sequence[str]) -> None:
    """Refuse interfaces that this machine cannot lend.

    Raises:
        PlaceError: there is none of that name, or it has an address or is part of a bridge, a bond or a VLAN, so that
            the machine may be using it.
    """
    names_here = [name for _, name in socket.if_nameindex()]
    used_by = users(_links()) if names else {}
    for name in names:
        if name not in names_here:
            raise PlaceError(f"this machine has no interface {name}", f"choose one of {', '.join(names_here)}")
        if _flags(name) & _LOOPBACK:
            raise PlaceError(f"{name} is this machine's loopback interface", "choose another interface")
        address = _address(name)
        if address:
            problem = f"this machine's {name} has the address {address}: it may be in use, and a lab would cut it off"
            raise PlaceError(problem, f"sudo ip address flush dev {name}, if nothing uses it")
        if name in used_by:
            problem = f"this machine's {used_by[name]} uses {name}, and a lab would cut it off"
            raise PlaceError(problem, f"remove {name} from {used_by[name]} first")


class LentInterfaces:
    """Interfaces of this machine that are lent to a lab.

    The lab may rename them, and give their names to others. So they are identified by properties that the lab cannot
    imitate: their kind, their other end or parent on this machine, and their permanent address.

    Args:
        names: of this machine's interfaces.
        pid: a process in the lab's own network namespace.

    Raises:
        OSError: one could not be moved; none is lent then.
    """

    def __init__(self, names: Sequence[str], pid: int) -> None:
        self._pid = pid
        machine_links = {link["ifname"]: link for link in _links()} if names else {}
        self._originals = {name: _with_index(machine_links.get(name, {}), machine_links) for name in names}
        self._up = [name for name in names if _flags(name) & _UP]
        self._lab_namespace = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        self._machine_namespace = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        for name in names:
            error = _ip("link", "set", "dev", name, "netns", str(pid))
            if error:
                self.give_back()
                raise OSError(errno.EINVAL, f"{name} cannot be moved into the lab: {error}")

    def give_back(self) -> None:
        """Move the interfaces back from any namespace of the lab. Those that are back already stay."""
        for handle in (self._lab_namespace, *self._namespaces()):
            with contextlib.suppress(OSError):
                sys_.setns(handle, sys_.CLONE_NEWNET)
                links = _links()
                our_id = _id_of(self._machine_namespace)  # the kernel assigns it when it is first used
                for name, original in self._originals.items():
                    for link in links:
                        if _is_same(original, link, our_id):
                            self._fetch(name, original, link)
        sys_.setns(self._machine_namespace, sys_.CLONE_NEWNET)
        for name in self._up:
            _ip("link", "set", "dev", name, "up")

    def _fetch(self, name: str, original: Mapping[str, Any], link: Mapping[str, Any]) -> None:
        """Move an interface back from the namespace in which this process is, with its original properties."""
        for altname in set(link.get("altnames", ())) - set(original.get("altnames", ())):
            _ip("link", "property", "del", "dev", link["ifname"], "altname", altname)
        _ip("link", "set", "dev", link["ifname"], "down")
        if link.get("address") != original.get("address") and "address" in original:
            _ip("link", "set", "dev", link["ifname"], "address", original["address"])
        if link.get("mtu") != original.get("mtu") and "mtu" in original:
            _ip("link", "set", "dev", link["ifname"], "mtu", str(original["mtu"]))
        # The path of the machine's namespace is a descriptor that `ip` inherits.
        namespace = f"/proc/self/fd/{self._machine_namespace}"
        _ip("link", "set", "dev", link["ifname"], "netns", namespace, "name", name, handed=self._machine_namespace)

    def _namespaces(self) -> list[int]:
        """Open the network namespaces of the lab: of its nodes, which are threads of its first process, and of all its
        other processes that still run."""
        handles: dict[int, int] = {}
        waiting, visited = [str(self._pid)], set()
        while waiting:
            pid = waiting.pop()
            if pid in visited:
                continue
            visited.add(pid)
            with contextlib.suppress(OSError):
                for thread in os.listdir(f"/proc/{pid}/task"):
                    with contextlib.suppress(OSError):
                        with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                            waiting += file.read().split()
                        handle = os.open(f"/proc/{pid}/task/{thread}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
                        if handles.setdefault(os.fstat(handle).st_ino, handle) != handle:
                            os.close(handle)
        return list(handles.values())


def _with_index(link: Mapping[str, Any], machine_links: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """An interface's description, and the number of its other end or its parent on this machine."""
    peer = machine_links.get(link.get("link", ""), {})
    return {**link, "link_index_here": peer["ifindex"]} if peer else {**link}


def _is_same(original: Mapping[str, Any], link: Mapping[str, Any], our_id: int) -> bool:
    """Whether an interface of the lab is one of this machine's.

    Args:
        original: its description on this machine, as printed by `ip -d -json link`.
        link: one of the lab's.
        our_id: by which number its namespace knows this machine's.
    """
    kind = original.get("linkinfo", {}).get("info_kind", "")
    if link.get("linkinfo", {}).get("info_kind", "") != kind or link.get("link_type") != original.get("link_type"):
        return False
    if "link_index_here" in original:  # its other end or its parent, which is still here
        return bool(link.get("link_index") == original["link_index_here"] and link.get("link_netnsid", -1) == our_id)
    if kind:
        return bool(link["ifname"] == original["ifname"])
    return bool(_permanent(link) == _permanent(original))


def _permanent(link: Mapping[str, Any]) -> str:
    return str(link.get("permaddr", link.get("address", "")))


def _id_of(namespace: int) -> int:
    """The id of another network namespace, given as a descriptor, in that of this process; -1 for none."""
    request = struct.pack("IHHIIB3xHHI", 28, _RTM_GETNSID, 1, 1, 0, 0, 8, 3, namespace)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as line:
        line.send(request)
        answer = line.recv(4096)
    (kind,) = struct.unpack_from("H", answer, 4)
    return int(struct.unpack_from("i", answer, 24)[0]) if kind == _RTM_NEWNSID else -1


def _links() -> list[dict[str, Any]]:
    """This machine's interfaces, as printed by `ip -json`."""
    import json
    import subprocess  # not for the many labs without external interfaces

    result = subprocess.run(["ip", "-d", "-j", "link"], capture_output=True, check=False)
    return list(json.loads(result.stdout or b"[]"))


def users(links: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Interfaces that are part of another one (a bridge, a bond, a VLAN): name to the name of the other one.

    Args:
        links: all interfaces, as printed by `ip -d -json link`.
    """
    masters = {link["ifname"]: link["master"] for link in links if "master" in link}
    for link in links:
        # For a veth this field names its other end, and it is missing if that is in another namespace.
        if "link" in link and link.get("linkinfo", {}).get("info_kind") != "veth":
            masters[link["link"]] = link["ifname"]
    return masters


def _ip(*words: str, handed: int = -1) -> str:
    """Run `ip` and return its error output. Empty if it succeeded."""
    import subprocess  # not for the many labs without external interfaces

    handles = (handed,) if handed >= 0 else ()
    result = subprocess.run(["ip", *words], capture_output=True, text=True, check=False, pass_fds=handles)
    return (result.stderr.strip() or f"status {result.returncode}") if result.returncode else ""


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
