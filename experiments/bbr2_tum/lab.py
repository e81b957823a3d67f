"""The lab of the TU experiments: a dumbbell with one pair of hosts for each flow.

    h1 ──┐                                    ┌── r1
         s1 ─────────── s2 ──[bottleneck]── s3
    h2 ──┘                                    └── r2

As in the measuring framework of the Technical University of Munich (Jaeger, Scholz, Raumer, Geyer, Carle: Reproducible
Measurements of TCP BBR Congestion Control, Computer Communications 144, 2019): `fq` paces at the senders, and a bucket
of a single frame in the middle is the bottleneck. The RTT of each flow is a delay at its receiver, so it delays ACKs
and not data, and can differ from flow to flow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from frrlib.model.topology import Topology
from frrlib.network.network import Network, Shape, TcpTuning, Wait, end
from frrlib.results.binning import binned_mbit
from frrlib.results.records import Results
from frrlib.results.series import Series
from miniedit_frr.experiments import measures
from miniedit_frr.experiments.theory import PAYLOAD_SHARE

SOURCE = (
    "Aulbach: slides of a talk on BBR and BBRv2, Technical University of Munich, 2020; with the measuring framework of "
    "Jaeger, Scholz, Raumer, Geyer, Carle: Reproducible Measurements of TCP BBR Congestion "
    "Control, Computer Communications 144, 2019, https://doi.org/10.1016/j.comcom.2019.05.011"
)
#: Text in all pages of this family: the source of parameters that the slides do not give.
DEFAULTS = (
    "The slides give few parameters; where they say nothing, those of the framework are taken (10 Mbit/s, `tbf` with a "
    "bucket of one frame, `fq` at the senders, all delay on the reverse path, that of the ACKs)."
)

#: The size of the bottleneck's bucket in frames: the framework's 1600 bytes are one frame.
BURST_FRAMES = 1
#: Larger than any window of these experiments, including a queue of 10 MB, so that socket buffers limit no flow.
BUFFER_BYTES = 64 * 1024 * 1024
#: Finding the addresses of neighbors takes a round trip, and a ping is sent every 0.2 s. The last of this number of
#: pings measure the RTT of a path of 1 s.
PINGS = 10
#: Values of the framework for parameters that the slides do not give: 10 Mbit/s, and tbf's "latency 100ms", which tc
#: converts into rate x latency + burst.
RATE_MBIT = 10.0
BUFFER_100_MS = 125_000 + 1600
#: Published throughput and sending rates are means over this time.
BIN_S = 0.2


@dataclass(frozen=True)
class Sender:
    """One flow of the dumbbell, from h_i to r_i.

    Attributes:
        cc: its congestion control.
        rtt_ms: its RTT without queue.
        start_s: its start time.
    """

    cc: str
    rtt_ms: float
    start_s: float = 0.0


def dumbbell(
    title: str,
    senders: Sequence[Sender],
    duration_s: float,
    buffer_bytes: float,
    *,
    rate_mbit: float = RATE_MBIT,
    loss_percent: float = 0.0,
    switched: bool = False,
) -> Topology:
    """The topology of the lab.

    Args:
        title: the title of the topology.
        senders: the flows, in the order of their hosts. The name of a flow is its congestion control and a number.
        duration_s: the end of all flows, from the start of the first.
        buffer_bytes: the limit of the bottleneck's queue, without the frame in transmission.
        rate_mbit: the rate of the bottleneck.
        loss_percent: the random loss of data behind the bottleneck. It begins with the flows, since it would otherwise
            drop the ARP replies by which hosts find each other.
        switched: whether the node in the middle is a switch rather than a router.
    """
    net = Network(title, wait=Wait(ping_count=PINGS))
    net.bridge("s1", at=(260, 200))
    net.bridge("s3", at=(620, 200))
    add_middle_node = net.bridge if switched else net.router
    add_middle_node("s2", at=(420, 200))
    sender_side, receiver_side = ((), ()) if switched else (("10.1.255.254/16",), ("10.2.255.254/16",))
    bottleneck = Shape(rate_mbit=rate_mbit, queue_bytes=round(buffer_bytes), burst_frames=BURST_FRAMES)
    net.link("s1", end("s2", *sender_side), id="middle")
    net.link(end("s2", *receiver_side), "s3", id="bottleneck", a_to_b=bottleneck, b_to_a=Shape())
    sender_network, receiver_network = ("10.0.1", "10.0.2") if switched else ("10.1.0", "10.2.0")
    tuning = TcpTuning(pacing=True, buffer_bytes=BUFFER_BYTES)
    for number, sender in enumerate(senders, 1):
        y = 200 + 120 * (number - (len(senders) + 1) / 2)
        net.host(f"h{number}", at=(100, y), tcp=tuning)
        net.host(f"r{number}", at=(780, y), tcp=tuning)
        net.link(end(f"h{number}", f"{sender_network}.{number}/16"), "s1", id=f"in{number}")
        delayed = Shape(delay_ms=sender.rtt_ms)
        net.link(
            end(f"r{number}", f"{receiver_network}.{number}/16"),
            "s3",
            id=f"out{number}",
            a_to_b=delayed,
            b_to_a=Shape(),
        )
        net.flow(
            f"{sender.cc}-{number}",
            f"h{number}",
            f"r{number}",
            congestion_control=sender.cc,
            start_s=sender.start_s,
            duration_s=duration_s - sender.start_s,
        )
    if loss_percent:
        net.fault(0.0, "loss", "bottleneck", towards="s3", loss_percent=loss_percent)
    return net.topology


def bdp_bytes(rate_mbit: float, rtt_ms: float) -> float:
    """The bandwidth-delay product."""
    return rate_mbit * 125.0 * rtt_ms


def sent_bytes(results: Results, name: str) -> Series:
    """The bytes of frames that a flow has sent over time, at the sender's network card.

    The kernel counts payload, including retransmissions. Nearly all frames of these flows are full.
    """
    times, sent = measures.sender_series(results, name, "bytes_sent")
    return times, sent / PAYLOAD_SHARE


def sending_rate(results: Results, name: str, bin_s: float = BIN_S) -> Series:
    """A flow's sending rate in Mbit/s of frames, as in a capture between sender and bottleneck, without ACKs."""
    data = sent_bytes(results, name)
    return binned_mbit(data, 0.0, float(data[0][-1]), bin_s) if data[0].size else measures.EMPTY_SERIES
