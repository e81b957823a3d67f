"""Mininet's own TCLink for `fidelity.py`: the same links made and measured the same way, inside of a lab.

    python3 benchmarks/fidelity_mininet.py CELLS_AS_JSON

Prints a line of JSON for each cell. It is run as root of a lab kernel, never of the machine.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

from mininet.link import TCLink
from mininet.net import Mininet

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from frrlib.agent.probes import ping
from frrlib.agent.probes.trial import Trial

_NEWNET = 0x40000000
_libc = ctypes.CDLL(None)


def _in(pid: int, make: Any, *arguments: Any) -> Any:
    """The result of a function in the network namespace of a process."""
    own_space = os.open("/proc/self/ns/net", os.O_RDONLY)
    other_space = os.open(os.path.join("/proc", str(pid), "ns", "net"), os.O_RDONLY)
    try:
        _libc.setns(other_space, _NEWNET)
        return make(*arguments)
    finally:
        _libc.setns(own_space, _NEWNET)
        os.close(own_space)
        os.close(other_space)


def _receiving(address: str) -> socket.socket:
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.bind((address, 0))
    return receiver


def _sending(address: str, port: int) -> socket.socket:
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.connect((address, port))
    return sender


def measure(cell: dict[str, Any]) -> dict[str, Any]:
    """One link between two hosts: Mininet gives it to both ends alike."""
    network = Mininet(controller=None, cleanup=False)
    a, b = network.addHost("h1", ip="10.0.0.1/24"), network.addHost("h2", ip="10.0.0.2/24")
    parameters = {"bw": cell["rate_mbit"], "max_queue_size": cell["queue_packets"]}
    parameters |= {"delay": f"{cell['delay_ms']}ms"} if cell["delay_ms"] else {}
    parameters |= {"loss": cell["loss_percent"]} if cell["loss_percent"] else {}
    network.addLink(a, b, cls=TCLink, **parameters)
    network.build()
    try:
        opened = _in(a.pid, ping.open_socket, "10.0.0.2")
        wait_s = 2.0 + 2 * cell["delay_ms"] / 1e3
        # As `verify`: where the question for the hardware address is lost, every ping of the first second is late.
        any(ping.ping(opened, "10.0.0.2", 1, 0.05, wait_s).rtt_ms for _ in range(5 if cell["loss_percent"] else 0))
        rtt_ms = ping.ping(opened, "10.0.0.2", 20, 0.05, wait_s).rtt_ms
        receiver = _in(b.pid, _receiving, "10.0.0.2")
        senders = [_in(a.pid, _sending, "10.0.0.2", receiver.getsockname()[1]) for _ in range(cell["senders"])]
        route = _in(a.pid, socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, 0)
        index = _in(a.pid, socket.if_nametoindex, "h1-eth0")
        common = {"route": route.fileno(), "index": index, "under_way_s": cell["under_way_s"], "bucket_frames": 12}

        def ends() -> dict[str, Any]:
            return {"senders": [os.dup(sender.fileno()) for sender in senders], "receiver": os.dup(receiver.fileno())}

        measurement: dict[str, Any] = {"rtt_ms": min(rtt_ms, default=None)}
        count = {**common, **ends(), **cell["count"], "kind": "count", "seconds": 0.0, "queue_bytes": 0}
        measurement["lost"] = Trial(count).count()  # type: ignore[arg-type]
        if not cell["loss_percent"]:
            flood = {**common, **ends(), **cell["flood"], "kind": "flood", "count": 0}
            measurement |= Trial(flood).flood()  # type: ignore[arg-type]
        return measurement
    finally:
        network.stop()


def main() -> None:
    """Measure every cell that the first argument has."""
    for cell in json.loads(sys.argv[1]):
        print(json.dumps(measure(cell)), flush=True)


if __name__ == "__main__":
    main()
