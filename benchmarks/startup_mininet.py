"""Plain Mininet's side of `startup.py`: routers as a node class that starts its daemons by commands.

    sudo /usr/bin/python3 benchmarks/startup_mininet.py SIDE [--line] [--frr-timers]

Prints JSON as `startup_floor.py` does.
"""

from __future__ import annotations

import os
import time
from typing import Any

from mininet.net import Mininet
from mininet.node import Node
from startup_shape import DAEMONS, FOLDERS, Shape, arguments, config, shape, tell, usage, wait_routes


class Router(Node):
    """A router as scripts for Mininet write it."""

    def config(self, **params: Any) -> dict[str, Any]:
        """Forwarding, addresses and configuration."""
        done: dict[str, Any] = super().config(**params)
        net: Shape = params["shape"]
        self.cmd("sysctl -w net.ipv4.ip_forward=1")
        self.cmd("ip link set lo up; ip addr add", net.loopback(self.name), "dev lo")
        for interface, _, address in net.interfaces(self.name):
            self.cmd(
                f"ip addr flush dev {interface}; ip addr add {address} dev {interface}; ip link set {interface} up"
            )
        text = config(net, self.name, lab_timers=params["lab_timers"])
        for daemon in ("zebra", "ospfd"):
            self.cmd(f"chmod 777 {' '.join(FOLDERS)}; cat > /etc/frr/{daemon}.conf <<'END'\n{text}END")
        return done

    def start_frr(self) -> None:
        """Both daemons, one after the other."""
        for daemon in ("zebra", "ospfd"):
            self.cmd(f"{DAEMONS}/{daemon} -d -f /etc/frr/{daemon}.conf -A 127.0.0.1 -P 0")

    def stop_frr(self) -> None:
        """Both daemons, by their pid files."""
        self.cmd("kill -9 $(cat /run/frr/zebra.pid /run/frr/ospfd.pid)")


def main() -> None:
    """Build, start, wait, stop; print the cost."""
    options = arguments().parse_args()
    net = shape(options.side, line=options.line)
    begun = time.monotonic()
    network = Mininet(controller=None, cleanup=False)
    for name in net.names:
        network.addHost(
            name, cls=Router, ip=None, privateDirs=list(FOLDERS), shape=net, lab_timers=not options.frr_timers
        )
    for (a, interface_a, _), (b, interface_b, _) in net.links:
        network.addLink(network[a], network[b], intfName1=interface_a, intfName2=interface_b)
    network.build()
    built = time.monotonic()
    for name in net.names:
        network[name].start_frr()
    started = time.monotonic()
    wait_routes(net, {name: network[name].pid for name in net.names})
    converged = time.monotonic()
    daemons = [_pid(network[name].pid, daemon) for name in net.names for daemon in ("zebra", "ospfd")]
    used = [usage(pid) for pid in (os.getpid(), *daemons)]
    cpu_s, memory_mib = (sum(column) for column in zip(*used, strict=True))
    again = time.monotonic()
    for name in net.names:
        network[name].stop_frr()
    network.stop()
    stopped = time.monotonic()
    tell(begun, built, started, converged, stop_s=stopped - again, cpu_s=cpu_s, memory_mib=memory_mib)


def _pid(node: int, daemon: str) -> int:
    with open(os.path.join("/proc", str(node), "root", "run", "frr", f"{daemon}.pid")) as file:
        return int(file.read())


if __name__ == "__main__":
    main()
