"""The floor for `startup.py`: the same OSPF routers started by a bare script, with nothing checked, kept or told.

    sudo python benchmarks/startup_floor.py SIDE [--line] [--frr-timers]

One process makes all namespaces (a child each, which becomes nothing else), all links by netlink in one go, and starts
the daemons side by side; the kernel's own tables are read until every router has every prefix. Prints JSON: seconds of
each phase, CPU seconds of all processes, and their memory.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time

from startup_shape import DAEMONS, FOLDERS, Shape, arguments, config, shape, tell, usage, wait_routes

from frrlib.agent.network import rtnetlink
from frrlib.agent.network.netlink import Netlink

_NEWNS, _NEWNET = 0x00020000, 0x40000000
_MS_REC, _MS_PRIVATE = 16384, 1 << 18
_libc = ctypes.CDLL(None, use_errno=True)


class Router:
    """A child process in namespaces of its own, which obeys bytes on a pipe."""

    def __init__(self, name: str, net: Shape, text: str) -> None:
        self.name = name
        steps, self.ask = os.pipe()
        self.told, tell = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                _be(name, net, text, steps, tell)
            finally:
                os._exit(1)
        os.close(steps)
        os.close(tell)

    def wait(self) -> None:
        """Wait until the child has done its task."""
        if os.read(self.told, 1) != b".":
            raise SystemExit(f"{self.name} failed")

    def send(self) -> None:
        """Go on to the next step."""
        os.write(self.ask, b".")


def _be(name: str, net: Shape, text: str, steps: int, tell: int) -> None:
    _libc.unshare(_NEWNS | _NEWNET)
    _libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)
    for folder in FOLDERS:
        os.makedirs(folder, exist_ok=True)
        _libc.mount(b"tmpfs", folder.encode(), b"tmpfs", 0, b"mode=777")
    for daemon in ("zebra", "ospfd"):
        with open(f"/etc/frr/{daemon}.conf", "w") as file:
            file.write(text)
    with open("/proc/sys/net/ipv4/ip_forward", "w") as file:
        file.write("1")
    os.write(tell, b".")
    os.read(steps, 1)  # the links are there
    line = Netlink(name)
    requests = [rtnetlink.set_up(1, "lo", True), rtnetlink.add_address(1, "lo", net.loopback(name))]
    for interface, index, address in net.interfaces(name):
        requests += [rtnetlink.add_address(index, interface, address), rtnetlink.set_up(index, interface, True)]
    line.apply(requests)
    os.write(tell, b".")
    os.read(steps, 1)  # start the daemons
    for daemon in ("zebra", "ospfd"):
        argv = [f"{DAEMONS}/{daemon}", "-f", f"/etc/frr/{daemon}.conf", "-A", "127.0.0.1", "-P", "0"]
        argv += ["-u", "root", "-g", "root"] if os.environ.get("FLOOR_ROOT") else []
        os.posix_spawn(argv[0], argv, os.environ)
        while daemon == "zebra" and not os.path.exists("/run/frr/zserv.api"):
            time.sleep(0.002)
    os.write(tell, b".")
    os.read(steps, 1)


def main() -> None:
    """Build, start, wait, stop; print the cost."""
    options = arguments().parse_args()
    net = shape(options.side, line=options.line)
    begun = time.monotonic()
    routers = {name: Router(name, net, config(net, name, lab_timers=not options.frr_timers)) for name in net.names}
    for router in routers.values():
        router.wait()
    spaces = {name: os.open(f"/proc/{router.pid}/ns/net", os.O_RDONLY) for name, router in routers.items()}
    maker = Netlink("")
    maker.apply(
        [
            rtnetlink.veth(
                *(rtnetlink.VethEnd(interface, index, 0, "", spaces[name]) for name, interface, index in ends)
            )
            for ends in net.links
        ]
    )
    for router in routers.values():
        router.send()
    for router in routers.values():
        router.wait()
    built = time.monotonic()
    for router in routers.values():
        router.send()
    for router in routers.values():
        router.wait()
    started = time.monotonic()
    wait_routes(net, {name: router.pid for name, router in routers.items()})
    converged = time.monotonic()
    cpu_s, memory_mib = usage(os.getpid())
    _stop([router.pid for router in routers.values()])
    stopped = time.monotonic()
    tell(begun, built, started, converged, stop_s=stopped - converged, cpu_s=cpu_s, memory_mib=memory_mib)


def _stop(parents: list[int]) -> None:
    """End all children and their daemons, by pid."""
    children = []
    for parent in parents:
        with open(f"/proc/{parent}/task/{parent}/children") as file:
            children += [int(word) for word in file.read().split()]
    for pid in [*children, *parents]:
        os.kill(pid, signal.SIGKILL)
    for parent in parents:
        os.waitpid(parent, 0)


if __name__ == "__main__":
    main()
