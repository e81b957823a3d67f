"""The lab of the CT experiments: four senders and four receivers in two subnets, with a router between them.

churro1 ──┐                              ┌── tarta1
   ...    west ─── router ─[bottleneck]─ east   ...
churro4 ──┘                              └── tarta4
"""

from __future__ import annotations

from frrlib.model.topology import Topology
from frrlib.network.network import Network, Shape, TcpTuning, Wait, end
from miniedit_frr.experiments.declaration import Setup

SOURCE = (
    "churro-tarta: a blog post on the convergence of several BBR flows, on eight Raspberry Pi computers and a "
    "router; its target is figure 8 of Cardwell, Cheng, Gunn, Yeganeh, Jacobson: BBR: Congestion-Based Congestion "
    "Control, Communications of the ACM 60(2), 2017"
)
RATE_MBIT = 80.0
FLOWS, STAGGER_S = 4, 2.0
#: The queue of the bottleneck, at the output of the router for data.
QUEUE = "bottleneck:router-east"
_BUFFER_BYTES = 16_777_216

DELAY = "root handle 1: netem delay 10ms"


def netem_and_tbf(burst: str = "buffer 1mbit", options: str = "") -> Shape:
    """netem as the root with tbf as its child: first the delay, then the rate.

    Args:
        burst: the bucket in the syntax of tc.
        options: further options of tbf.
    """
    return Shape(qdiscs=(DELAY, f"parent 1:1 handle 10: tbf rate 80mbit {burst} limit 1000mbit {options}".rstrip()))


def topology(
    title: str, setup: Setup, bottleneck: Shape, duration_s: float, flows: int = FLOWS, stagger_s: float = STAGGER_S
) -> Topology:
    """The topology of the lab.

    Args:
        title: the title of the topology.
        setup: "published" or "right".
        bottleneck: the shape of the router's interface towards the receivers.
        duration_s: the duration of each flow.
        flows: the number of flows.
        stagger_s: the time between the starts of consecutive flows.
    """
    published = setup == "published"
    # As on the published machines, offloads stay on, so that packets at the router have several frames.
    keep = True if published else None
    tuning = TcpTuning(buffer_bytes=_BUFFER_BYTES, pacing=not published)
    net = Network(title, wait=Wait(ping_count=3))
    net.router("router", at=(420, 200))
    for bridge, x in (("west", 260), ("east", 580)):
        net.bridge(bridge, at=(x, 200))
    net.link(end("west", offloads=keep), end("router", "10.0.1.254/24", offloads=keep), id="uplink")
    net.link(
        end("router", "10.0.2.254/24", offloads=keep), end("east", offloads=keep), id="bottleneck", a_to_b=bottleneck,
        b_to_a=Shape(),
    )  # fmt: skip
    for number in range(1, flows + 1):
        y = 200 + 110 * (number - (flows + 1) / 2)
        net.host(f"churro{number}", at=(100, y), tcp=tuning, default_route="10.0.1.254")
        net.host(f"tarta{number}", at=(740, y), tcp=tuning, default_route="10.0.2.254")
        net.link(end(f"churro{number}", f"10.0.1.{number}/24", offloads=keep), end("west", offloads=keep))
        net.link(end(f"tarta{number}", f"10.0.2.{number}/24", offloads=keep), end("east", offloads=keep))
        net.flow(
            f"bbr-{number}", f"churro{number}", f"tarta{number}", congestion_control="bbr",
            start_s=stagger_s * (number - 1), duration_s=duration_s,
        )  # fmt: skip
    return net.topology
