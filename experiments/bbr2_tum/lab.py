"""The lab of the TU experiments: a dumbbell with one pair of hosts for each flow.

    h1 ──┐                                    ┌── r1
         s1 ─────────── s2 ──[bottleneck]── s3
    h2 ──┘                                    └── r2

As in the measuring framework of the Technical University of Munich (Jaeger, Scholz, Raumer, Geyer, Carle: Reproducible
Measurements of TCP BBR Congestion Control, Computer Communications 144, 2019): `fq` paces at the senders, one bucket of
a single frame in the middle is the bottleneck, and what a flow's round trip is long is a delay of what its receiver
sends, so that ACKs wait and data do not, and every flow may have a round trip of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from experiments import measures
from experiments.theory import PAYLOAD_SHARE
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Shape, TcpTuning, Wait, end
from frrlib.results.binning import binned_mbit
from frrlib.results.records import Results
from frrlib.results.series import Series

SOURCE = (
    "Aulbach: slides of a talk on BBR and BBRv2, Technical University of Munich, 2020; with the measuring framework of "
    "Jaeger, Scholz, Raumer, Geyer, Carle: Reproducible Measurements of TCP BBR Congestion "
    "Control, Computer Communications 144, 2019, https://doi.org/10.1016/j.comcom.2019.05.011"
)
#: Text for all pages of this family.
UNKNOWN_PARAMETERS = (
    "The slides give few parameters; where they say nothing, those of the framework are taken (10 Mbit/s, `tbf` with a "
    "bucket of one frame, `fq` at the senders, all delay on the reverse path, that of the ACKs)."
)

#: Frames that the bottleneck's bucket holds: the framework's 1600 bytes are one.
BURST_FRAMES = 1
#: More than any window of these experiments needs, a queue of 10 MB included; what a socket may take is not looked at.
BUFFER_BYTES = 64 * 1024 * 1024
#: Neighbours' addresses take a round trip to be found, and pings go out every 0.2 s: of so many the last ones see a
#: path of 1 s as it is.
PINGS = 10
#: The framework's own values, taken where the slides name none: 10 Mbit/s, and of tbf "latency 100ms", of which tc
#: makes rate x latency + burst.
RATE_MBIT = 10.0
BUFFER_100_MS = 125_000 + 1600
#: Throughput and sending rate are means over so many seconds, as published.
BIN_S = 0.2


@dataclass(frozen=True)
class Sender:
    """One flow of the dumbbell, from h_i to r_i.

    Attributes:
        cc: its congestion control.
        rtt_ms: its round trip without queue.
        start_s: when it begins.
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
    """The lab as a drawing.

    Args:
        title: of the drawing.
        senders: the flows, in the order of their hosts; each has the name of its congestion control and a number.
        duration_s: when all of them end, from the start of the first.
        buffer_bytes: the most that waits at the bottleneck, without the frame that is being sent.
        rate_mbit: of the bottleneck.
        loss_percent: of data behind the bottleneck, at random. It begins with the flows: before, half of the frames
            lost would be answers by which hosts find each other.
    """
    net = Network(title, wait=Wait(ping_count=PINGS))
    net.bridge("s1", at=(260, 200))
    net.bridge("s3", at=(620, 200))
    middle = net.bridge if switched else net.router
    middle("s2", at=(420, 200))
    near, far = ((), ()) if switched else (("10.1.255.254/16",), ("10.2.255.254/16",))
    way = Shape(rate_mbit=rate_mbit, queue_bytes=round(buffer_bytes), burst_frames=BURST_FRAMES)
    net.link("s1", end("s2", *near), id="middle")
    net.link(end("s2", *far), "s3", id="bottleneck", a_to_b=way, b_to_a=Shape())
    left, right = ("10.0.1", "10.0.2") if switched else ("10.1.0", "10.2.0")
    tuning = TcpTuning(pacing=True, buffer_bytes=BUFFER_BYTES)
    for number, sender in enumerate(senders, 1):
        y = 200 + 120 * (number - (len(senders) + 1) / 2)
        net.host(f"h{number}", at=(100, y), tcp=tuning)
        net.host(f"r{number}", at=(780, y), tcp=tuning)
        net.link(end(f"h{number}", f"{left}.{number}/16"), "s1", id=f"in{number}")
        back = Shape(delay_ms=sender.rtt_ms)
        net.link(end(f"r{number}", f"{right}.{number}/16"), "s3", id=f"out{number}", a_to_b=back, b_to_a=Shape())
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
    """The amount that a flow had sent over time, in bytes of frames, at the sender's network card.

    The kernel counts data, sent again or not; all but a few frames of these flows are full.
    """
    times, sent = measures.sender_series(results, name, "bytes_sent")
    return times, sent / PAYLOAD_SHARE


def sending_rate(results: Results, name: str, bin_s: float = BIN_S) -> Series:
    """A flow's sending rate, in Mbit/s of frames: as in a capture between the sender and the bottleneck, less ACKs."""
    data = sent_bytes(results, name)
    return binned_mbit(data, 0.0, float(data[0][-1]), bin_s) if data[0].size else measures.EMPTY_SERIES
