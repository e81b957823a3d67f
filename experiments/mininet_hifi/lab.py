"""The labs of the Mininet-HiFi experiments: two senders behind a node, and a receiver behind its bottleneck.

    h2 ──┐
         s1 ──[bottleneck]── h1
    h3 ──┘

In the published labs s1 was a switch. Here it is a router, at which packets leave their sender's socket: since Linux
4.19 a packet that passes only bridges still belongs to the socket, so that TCP never fills the queue.
"""

from __future__ import annotations

from frrlib.model.queues import Red
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Shape, TcpTuning, Wait, end
from miniedit_frr.experiments.declaration import Setup

HIFI = (
    "Handigol, Heller, Jeyakumar, Lantz, McKeown: Reproducible Network Experiments Using Container-Based Emulation, "
    "CoNEXT 2012, https://doi.org/10.1145/2413176.2413206; programs and data: "
    "https://github.com/mininet/mininet-tests"
)
#: The limit of sockets, which no window reaches: a full queue has 425 packets.
BUFFER_BYTES = 16_777_216
FRAME_BYTES = 1514
RATE_MBIT, DELAY_MS, SENDERS = 100.0, 0.075, 2
#: The limit of the bottleneck's queue, and DCTCP's threshold K.
QUEUE_PACKETS, THRESHOLD_PACKETS = 425, 20
#: The queue of the bottleneck, at the output of s1 for data.
QUEUE = "bottleneck:s1-h1"


def _tclink(tail: str, marking: bool = False) -> Shape:
    """One end of Mininet's TCLink with 100 Mbit/s in Mininet's tc commands.

    Args:
        tail: the arguments of its netem.
        marking: whether its RED marks packets (`enable_ecn`).
    """
    red = "handle 6: red limit 1000000 min 30000 max 35000 avpkt 1500 burst 20 bandwidth 100mbit probability 1 ecn"
    rate = ("root handle 5: htb default 1", f"class parent 5: classid 5:1 htb rate {RATE_MBIT:g}mbit burst 15k")
    if marking:
        return Shape(qdiscs=(*rate, f"parent 5:1 {red}", f"parent 6:1 handle 10: netem {tail}"))
    return Shape(qdiscs=(*rate, f"parent 5:1 handle 10: netem {tail}"))


def bottleneck(setup: Setup, marking: bool) -> Shape:
    """The output of s1 towards the receiver.

    Args:
        setup: "published" or "right".
        marking: whether it marks packets for DCTCP. Then "right" marks each packet that finds K packets in the
            queue, and accepts packets without ECN, such as ARP.
    """
    if setup == "published":
        return _tclink(f"limit {QUEUE_PACKETS}", marking)
    threshold = THRESHOLD_PACKETS * FRAME_BYTES
    red = Red(
        min_bytes=threshold, max_bytes=threshold + 1, avpkt_bytes=FRAME_BYTES, burst_packets=THRESHOLD_PACKETS,
        probability=0.999, ecn=True, nodrop=True,
    )  # fmt: skip
    return Shape(rate_mbit=RATE_MBIT, queue_packets=QUEUE_PACKETS, queue=red if marking else None)


def star(title: str, setup: Setup, control: str, duration_s: float) -> Topology:
    """The topology of the lab.

    Args:
        title: the title of the topology.
        setup: "published" or "right".
        control: the congestion control of both flows; the bottleneck marks packets for "dctcp".
        duration_s: the duration of both flows, which start at once.
    """
    published = setup == "published"
    net = Network(title, wait=Wait(ping_count=3))
    net.router("s1", at=(320, 200))
    tuning = TcpTuning(buffer_bytes=BUFFER_BYTES)
    net.host("h1", at=(540, 200), tcp=tuning)
    towards_h1 = bottleneck(setup, control == "dctcp")
    from_h1 = towards_h1 if published else Shape()
    net.link(
        end("s1", "10.0.1.254/24"), end("h1", "10.0.1.1/24"), id="bottleneck", a_to_b=towards_h1, b_to_a=from_h1
    )  # fmt: skip
    jittered = _tclink(f"delay {DELAY_MS:g}ms 0.05ms distribution normal limit 1000000")
    forth, reverse = (
        (jittered, jittered) if published else (Shape(rate_mbit=RATE_MBIT, delay_ms=DELAY_MS), Shape(delay_ms=DELAY_MS))
    )
    for number in range(2, SENDERS + 2):
        net.host(f"h{number}", at=(100, 200 + 120 * (2 * number - 5) / 2), tcp=tuning)
        net.link(
            end(f"h{number}", f"10.0.{number}.1/24"), end("s1", f"10.0.{number}.254/24"), id=f"in{number}",
            a_to_b=forth, b_to_a=reverse,
        )  # fmt: skip
        net.flow(f"{control}-{number}", f"h{number}", "h1", congestion_control=control, duration_s=duration_s)
    return net.topology
