"""The program that probes a place: it runs as a lab, tries all features that labs may need, and reports those that
work.

Standard library only, and everything by netlink and sockets: a process a question would take seconds in a
lab kernel.
"""

from __future__ import annotations

import _socket
import fcntl
import os
import struct

QDISCS = (
    "netem", "tbf", "htb", "fq", "fq_codel", "codel", "cake", "red", "pie", "fq_pie", "sfq", "prio",
    "drr", "hfsc", "qfq", "pfifo", "bfifo", "pfifo_fast", "ingress", "clsact", "choke", "gred", "sfb",
    "hhf", "etf", "mqprio", "dualpi2",
)  # fmt: skip
DEVICE_TYPES = (
    "veth", "bridge", "dummy", "ifb", "vlan", "vrf", "vxlan", "macvlan", "ipvlan", "bond", "gre",
    "gretap", "ipip", "sit", "ip6gre", "wireguard", "team", "geneve",
)  # fmt: skip
CONTROLS = (
    "reno", "cubic", "bbr", "vegas", "westwood", "htcp", "hybla", "illinois", "bic", "scalable", "yeah",
    "veno", "lp", "nv", "dctcp", "cdg", "highspeed", "bbr2", "bbr3",
)  # fmt: skip
#: The kernel lists further congestion controls here, such as a researcher's own, unless they are modules.
AVAILABLE = "/proc/sys/net/ipv4/tcp_available_congestion_control"
DEFAULT = "/proc/sys/net/ipv4/tcp_congestion_control"
#: Programs that Open vSwitch needs.
OPEN_VSWITCH = ("/usr/sbin/ovs-vswitchd", "/usr/sbin/ovsdb-server", "/usr/bin/ovs-vsctl")

#: Loaded at the start of the probe's lab kernel. The kernel loads other modules on demand.
MODULES = ("veth", "dummy", "mpls_router")

_NEW_LINK, _DEL_LINK, _NEW_QDISC = 16, 17, 36
_REQUEST, _ACK, _CREATE, _EXCLUSIVE = 0x1, 0x4, 0x400, 0x200
_TCP_CONGESTION = 13
_ROOT, _INGRESS = 0xFFFFFFFF, 0xFFFFFFF1
_ENOENT, _EEXIST = 2, 17


def main() -> int:
    """Write the features that work on the wire, as one line of JSON."""
    answer: dict[str, list[str] | int] = {
        "device_types": device_types(),
        "qdiscs": qdiscs(),
        "congestion_controls": controls(),
        "default_congestion_controls": default_controls(),
        "open_vswitch": open_vswitch(),
        "cpu_limits": cpu_limits(),
        "cpus": len(os.sched_getaffinity(0)),
    }
    wire = int(os.environ["LAB_WIRE"].removeprefix("fd:"))
    os.write(wire, (_json(answer) + "\n").encode())
    os.read(wire, 1)  # until the outside has read it and closes
    return 0


def _json(answer: dict[str, list[str] | int]) -> str:
    parts = []
    for key, value in answer.items():
        text = ("true" if value else "false") if isinstance(value, bool) else str(value).replace("'", '"')
        parts.append(f'"{key}": {text}')
    return "{" + ", ".join(parts) + "}"


def _attribute(kind: int, data: bytes) -> bytes:
    return struct.pack("HH", len(data) + 4, kind) + data + bytes(-len(data) % 4)


def _ask(kind: int, flags: int, body: bytes) -> int:
    """Send one rtnetlink request; return the error number of its answer, 0 for success."""
    line = _socket.socket(_socket.AF_NETLINK, _socket.SOCK_RAW, 0)
    try:
        line.send(struct.pack("IHHII", 16 + len(body), kind, _REQUEST | _ACK | flags, 1, 0) + body)
        answer = line.recv(65536)
    finally:
        line.close()
    return -int(struct.unpack_from("i", answer, 16)[0])


def _add_link(name: str, kind: str, data: bytes = b"", lower: int = 0) -> int:
    info = _attribute(1, kind.encode() + b"\0") + (_attribute(2, data) if data else b"")
    body = struct.pack("BxHiII", 0, 0, 0, 0, 0) + _attribute(3, name.encode() + b"\0")
    if lower:
        body += _attribute(5, struct.pack("I", lower))
    return _ask(_NEW_LINK, _CREATE | _EXCLUSIVE, body + _attribute(18, info))


def _index(name: str) -> int:
    try:
        return _socket.if_nametoindex(name)
    except OSError:
        return 0


def _delete_link(name: str) -> None:
    if _index(name):
        _ask(_DEL_LINK, 0, struct.pack("BxHiII", 0, 0, _index(name), 0, 0))


_NEEDS_LOWER = ("vlan", "macvlan", "ipvlan")
#: Required attributes of link types: the number of a VLAN or VXLAN, the table of a VRF, the remote end of Geneve.
_DATA = {
    "vlan": _attribute(1, struct.pack("H2x", 7)[:2]),
    "vxlan": _attribute(1, struct.pack("I", 7)) + _attribute(15, struct.pack(">H", 4789)),
    "vrf": _attribute(1, struct.pack("I", 77)),
    "geneve": _attribute(1, struct.pack("I", 7)) + _attribute(2, bytes([10, 0, 0, 1])),
}


def device_types() -> list[str]:
    """The types of link that can be made, "tun" if its device can be opened, "mpls" if labels can be routed, and
    "pimreg", the device of multicast routing."""
    _add_link("lower0", "dummy") and _add_link("lower0", "veth")
    types = []
    for kind in DEVICE_TYPES:
        lower = _index("lower0") if kind in _NEEDS_LOWER else 0
        # Tunnels without ends exist already as soon as their module is there.
        if _add_link("probe0", kind, _DATA.get(kind, b""), lower) in (0, _EEXIST):
            types.append(kind)
        _delete_link("probe0")
    if _tun():
        types.append("tun")
    if os.path.exists("/proc/sys/net/mpls"):
        types.append("mpls")
    if os.path.exists("/proc/net/ip_mr_vif"):
        types.append("pimreg")
    return types


def _tun() -> bool:
    try:
        handle = os.open("/dev/net/tun", os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.ioctl(handle, 0x400454CA, struct.pack("16sH22x", b"probe1", 0x1001))
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def qdiscs() -> list[str]:
    """The kinds of queueing discipline that the kernel has: it accepts them, or refuses only their options."""
    _add_link("probe0", "dummy") and _add_link("probe0", "veth")
    index = _index("probe0")
    kinds = []
    for kind in QDISCS:
        parent = {"ingress": _INGRESS, "clsact": _INGRESS}.get(kind, _ROOT)
        body = struct.pack("BxHiIII", 0, 0, index, 0, parent, 0) + _attribute(1, kind.encode() + b"\0")
        if _ask(_NEW_QDISC, _CREATE | 0x100, body) != _ENOENT:
            kinds.append(kind)
    _delete_link("probe0")
    return kinds


def controls() -> list[str]:
    """The congestion controls that a TCP socket can choose."""
    with open(AVAILABLE, encoding="ascii") as file:
        names = dict.fromkeys((*CONTROLS, *file.read().split()))
    available = []
    for name in names:
        line = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM, 0)
        try:
            line.setsockopt(_socket.IPPROTO_TCP, _TCP_CONGESTION, name.encode())
            available.append(name)
        except OSError:
            pass
        line.close()
    return available


def default_controls() -> list[str]:
    """The congestion controls that a node can use by default. Namespaces may not choose all that a socket may."""
    names = []
    with open(DEFAULT, encoding="ascii") as file:
        before = file.read().strip()
    for name in controls():
        try:
            _set(DEFAULT, name)
            names.append(name)
        except OSError:
            pass
    _set(DEFAULT, before)
    return names


def open_vswitch() -> bool:
    """Whether Open vSwitch's programs are installed. Its datapath in user space needs no kernel support."""
    return all(os.path.exists(path) for path in OPEN_VSWITCH)


def cpu_limits() -> bool:
    """Whether a control group can be made that limits threads to a share of the CPUs."""
    group = "/sys/fs/cgroup/probe"
    try:
        _set("/sys/fs/cgroup/cgroup.subtree_control", "+cpu")
        os.mkdir(group)
    except OSError:
        return False
    try:
        _set(f"{group}/cgroup.type", "threaded")
        _set(f"{group}/cpu.max", "50000 100000")
    except OSError:
        return False
    finally:
        os.rmdir(group)
    return True


def _set(path: str, value: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(value)
