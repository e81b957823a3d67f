"""MiniEdit-FRR's side of `startup.py`: the same OSPF routers as a drawing, started as every lab is.

    python benchmarks/startup_ours.py SIDE [--line] [--frr-timers] [--place namespace]

Prints JSON as `startup_floor.py` does. "built" reaches to the start of the first daemon and includes the check of the
drawing, the place's own start and all that is read back; "daemons" to the answer of the last one.
"""

from __future__ import annotations

import os
import time

from startup_shape import Shape, arguments, shape, tell, usage

from frrlib import wire
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Ospf, end


def drawing(net: Shape, *, lab_timers: bool) -> Topology:
    """The network as a drawing."""
    network = Network("Start")
    for name in net.names:
        ospf = Ospf(hello_s=1, dead_s=4, lab_timers=lab_timers)
        network.router(name, ospf=ospf, loopbacks=(net.loopback(name),))
    addresses = {(name, interface): address for name in net.names for interface, _, address in net.interfaces(name)}
    for (a, interface_a, _), (b, interface_b, _) in net.links:
        network.link(
            end(a, addresses[a, interface_a], interface=interface_a),
            end(b, addresses[b, interface_b], interface=interface_b),
        )
    return network.topology


def main() -> None:
    """Build, start, wait, stop; print the cost."""
    parser = arguments()
    parser.add_argument("--place", default="namespace")
    options = parser.parse_args()
    net = shape(options.side, line=options.line)
    step_times: dict[str, float] = {}

    def listen(message: wire.Message) -> None:
        if isinstance(message, wire.StepEvent) and message.name == "daemons":
            step_times[message.state] = time.monotonic()

    topology = drawing(net, lab_timers=not options.frr_timers)
    begun = time.monotonic()
    lab = Lab(topology, place=options.place, listener=listen)
    lab.start()
    started = time.monotonic()
    lab.wait_routes(180)
    converged = time.monotonic()
    cpu_s, memory_mib = usage(os.getpid())
    lab.stop()
    stopped = time.monotonic()
    tell(begun, step_times["start"], started, converged, stop_s=stopped - converged, cpu_s=cpu_s, memory_mib=memory_mib)


if __name__ == "__main__":
    main()
