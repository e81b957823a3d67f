"""munet's side of `startup.py`: nodes of its topology, daemons started by commands in each.

    sudo PYTHON benchmarks/startup_munet.py SIDE [--line] [--frr-timers]

Prints JSON as `startup_floor.py` does. PYTHON is one that has munet (PyPI).
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import tempfile
import time
from typing import Any

from munet.native import Munet
from startup_shape import DAEMONS, FOLDERS, Shape, arguments, config, shape, tell, usage, wait_routes


async def _run(net: Shape, folder: str, lab_timers: bool) -> None:
    begun = time.monotonic()
    network = Munet(rundir=folder, isolated=False)
    nodes: dict[str, Any] = {}
    for name in net.names:
        nodes[name] = node = network.add_l3_node(name, {"name": name, "privileged": False})
        for inner in FOLDERS:
            node.tmpfs_mount(inner)
        text = config(net, name, lab_timers=lab_timers)
        node.cmd_raises(f"chmod 777 {' '.join(FOLDERS)}; sysctl -w net.ipv4.ip_forward=1")
        for daemon in ("zebra", "ospfd"):
            node.cmd_raises(f"cat > /etc/frr/{daemon}.conf", stdin=text)
    addresses = {(name, interface): address for name in net.names for interface, _, address in net.interfaces(name)}
    for (a, interface_a, _), (b, interface_b, _) in net.links:
        await network.add_native_link(nodes[a], nodes[b], {"name": interface_a}, {"name": interface_b})
        for name, interface in ((a, interface_a), (b, interface_b)):
            nodes[name].cmd_raises(f"ip addr add {addresses[name, interface]} dev {interface}")
    for name, node in nodes.items():
        node.cmd_raises(f"ip link set lo up; ip addr add {net.loopback(name)} dev lo")
    built = time.monotonic()
    for node in nodes.values():
        for daemon in ("zebra", "ospfd"):
            node.cmd_raises(f"{DAEMONS}/{daemon} -d -f /etc/frr/{daemon}.conf -A 127.0.0.1 -P 0")
    started = time.monotonic()
    wait_routes(net, {name: node.pid for name, node in nodes.items()})
    converged = time.monotonic()
    cpu_s, memory_mib = usage(os.getpid())
    again = time.monotonic()
    await network.async_delete()
    stopped = time.monotonic()
    tell(begun, built, started, converged, stop_s=stopped - again, cpu_s=cpu_s, memory_mib=memory_mib)


def main() -> None:
    """Build, start, wait, stop; print the cost."""
    options = arguments().parse_args()
    logging.disable(logging.CRITICAL)
    folder = tempfile.mkdtemp(prefix="munet-")
    try:
        net = shape(options.side, line=options.line)
        asyncio.run(_run(net, folder, not options.frr_timers))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
