"""The lab of the CF experiments: a sender, a router and a receiver, with published and with correct links.

    h1 ──(1 Gbit/s)── s0 ──[bottleneck]── h2

In the published lab s0 was a switch. Since Linux 4.19 a packet that passes only bridges still belongs to its sender's
socket, so that TCP never fills the queue. The published kernel, 4.10, did not do so. Here s0 is a router, at which
packets leave their socket.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from frrlib.model.topology import Topology
from frrlib.network.network import Network, Shape, TcpTuning, Wait, end
from miniedit_frr.experiments.declaration import Setup

SOURCE = (
    "castroflavio: bbr-replication, CS244 replication of Cardwell, Cheng, Gunn, Yeganeh, Jacobson: BBR: "
    "Congestion-Based Congestion Control, Communications of the ACM 60(2), 2017; "
    "https://github.com/castroflavio/bbr-replication"
)
#: Larger than any window of these experiments.
_BUFFER_BYTES = 16_777_216


def tclink(rate_mbit: float, delay_ms: float, packets: int) -> Shape:
    """One end of Mininet's TCLink with a rate, a delay and a queue, in Mininet's tc commands."""
    return Shape(
        qdiscs=(
            "root handle 5: htb default 1",
            f"class parent 5: classid 5:1 htb rate {rate_mbit:g}mbit burst 15k",
            f"parent 5:1 handle 10: netem delay {delay_ms:g}ms limit {packets}",
        )
    )


def topology(
    title: str,
    setup: Setup,
    controls: Sequence[str],
    *,
    rate_mbit: float,
    delay_ms: float,
    packets: int,
    duration_s: float,
    stagger_s: float = 0.0,
) -> Topology:
    """The topology of the lab.

    Args:
        title: the title of the topology.
        setup: "published" or "right".
        controls: the congestion control of each flow.
        rate_mbit: the rate of the bottleneck.
        delay_ms: the one-way delay of the bottleneck. The RTT without queue is twice as long.
        packets: the limit of the queue.
        duration_s: the end of all flows.
        stagger_s: the time between the starts of consecutive flows.
    """
    published = setup == "published"
    tuning: dict[str, Any] = {"tcp": TcpTuning(buffer_bytes=_BUFFER_BYTES, pacing=not published)}
    net = Network(title, wait=Wait(ping_count=3))
    net.host("h1", at=(100, 200), **tuning)
    net.router("s0", at=(320, 200))
    net.host("h2", at=(540, 200), **tuning)
    h1, near, far, h2 = (
        end("h1", "10.0.1.1/24"),
        end("s0", "10.0.1.254/24"),
        end("s0", "10.0.2.254/24"),
        end("h2", "10.0.2.2/24"),
    )
    if published:
        net.link(h1, near, id="access", both=Shape(qdiscs=("root fq pacing maxrate 1000mbit",)))
        net.link(far, h2, id="bottleneck", both=tclink(rate_mbit, delay_ms, packets))
    else:
        forth = Shape(rate_mbit=rate_mbit, delay_ms=delay_ms, queue_packets=packets)
        net.link(h1, near, id="access")
        net.link(far, h2, id="bottleneck", a_to_b=forth, b_to_a=Shape(delay_ms=delay_ms))
    for number, control in enumerate(controls, 1):
        start_s = stagger_s * (number - 1)
        name = f"{control}-{number}" if len(controls) > 1 else control
        net.flow(name, "h1", "h2", congestion_control=control, start_s=start_s, duration_s=duration_s - start_s)
    return net.topology


#: The queue of the bottleneck, at the output of s0 for data.
QUEUE = "bottleneck:s0-h2"
