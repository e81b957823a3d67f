"""The kinds of traffic, and a table of all their parameters, with the texts of the form.

A row of the table is a parameter, named as in the model. Several kinds may share it. It has a default for each kind in
which it is optional.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from frrlib.model.traffic.kinds import CODECS
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.kinds import TextKind
from miniedit_frr.dialogs.fields.quantities import COUNT, RATE_MBIT, SIZE_BYTES, TIME_MS, TIME_S, WHOLE_MS

#: A description of each kind, in a sentence.
SENTENCES = {
    "bulk": "TCP sends as much as the path carries, for a time or until an amount is sent.",
    "request-response": "Requests and responses in turn. Measures the response time.",
    "on-off": "Bursts separated by pauses, over TCP or UDP.",
    "constant-rate": "UDP packets at a constant rate. Measures loss, order, one-way delay and jitter.",
    "voip": "One direction of a call, in RTP packets. Estimates the speech quality. A call is two such flows.",
    "web-page": "A web page with its objects. nginx serves it at the source; curl or wget loads it at the destination.",
    "video": "A video in chunks. The player adapts the quality to the connection.",
    "ping": "ICMP echo requests to the destination and their replies.",
    "one-way-delay": "Small UDP packets that measure the delay in one direction.",
    "command": "A command of your own at the source. Its output can be recorded as measurements.",
}


@dataclass(frozen=True)
class TrafficParameter:
    """A parameter of traffic.

    Attributes:
        name: name in the model.
        label: label in the form.
        kind: the kind of the field.
        help: its meaning.
        usual: its default for each kind of traffic.
        help_by_kind: its meaning for kinds of traffic in which it differs from `help`.
    """

    name: str
    label: str
    kind: TextKind
    help: str
    usual: dict[str, str] = field(default_factory=dict)
    help_by_kind: dict[str, str] = field(default_factory=dict)


def _series(read: Callable[[str], Any], show: Callable[[Any], str]) -> TextKind:
    """A series of numbers in a line."""
    return TextKind(
        lambda text: tuple(read(word) for word in re.split(r"[\s,;]+", text.strip()) if word),
        lambda values: ", ".join(map(show, values)), width=28,
    )  # fmt: skip


_RATE = replace(kinds.quantity(RATE_MBIT, optional=True), width=16)
_RATES = _series(RATE_MBIT.read, RATE_MBIT.show)
_BYTES, _ANY_BYTES = kinds.quantity(SIZE_BYTES), kinds.quantity(SIZE_BYTES, optional=True)
_SIZES = _series(SIZE_BYTES.read, SIZE_BYTES.show)
_COUNT, _ANY_COUNT = kinds.quantity(COUNT), kinds.quantity(COUNT, optional=True)
_MS, _WHOLE_MS, _S = kinds.quantity(TIME_MS), kinds.quantity(WHOLE_MS), kinds.quantity(TIME_S)
_ANY_S = kinds.quantity(TIME_S, optional=True)
_LINE = kinds.words()

PARAMETERS: tuple[TrafficParameter, ...] = (
    TrafficParameter("tool", "Sent by",
                     kinds.choice({"auto": "iperf3 or our own", "iperf3": "iperf3", "own": "our own"}),
                     "iperf3 where it is installed and supports all settings of the flow. Our own sender supports all "
                     "settings."),
    TrafficParameter("protocol", "Over", kinds.choice({"tcp": "TCP", "udp": "UDP"}),
                     "Transport protocol. UDP needs a rate."),
    TrafficParameter("on_s", "Burst", _S, "Duration of a burst; the average if the lengths vary."),
    TrafficParameter("off_s", "Pause", _S, "Time between two bursts; the average if the lengths vary."),
    TrafficParameter("spread", "Lengths", kinds.choice({"constant": "always the same", "exponential": "exponential"}),
                     "Lengths of bursts and pauses: constant, or random with an exponential distribution."),
    TrafficParameter("rate_mbit", "Rate", _RATE, "Rate of the application data, without headers.",
                     {"bulk": "no limit", "on-off": "as fast as TCP allows"},
                     {"bulk": "Maximum pacing rate of the socket.", "on-off": "Rate during a burst."}),
    TrafficParameter("paced_by", "Paced by", kinds.choice({"socket": "the socket", "application": "the application"}),
                     "The socket limits its pacing to the rate, or the application limits the rate by the times of its "
                     "writes. UDP is always paced by the application."),
    TrafficParameter("notsent_lowat_bytes", "Unsent data", _ANY_BYTES,
                     "Maximum unsent data in the socket (TCP_NOTSENT_LOWAT).",
                     {"bulk": "the host's"}),
    TrafficParameter("request_bytes", "Request", _BYTES, "Size of each request."),
    TrafficParameter("response_bytes", "Response", _BYTES, "Size of each response."),
    TrafficParameter("think_ms", "Think time", _MS, "Time between a response and the next request."),
    TrafficParameter("connection", "Connection",
                     kinds.choice({"kept": "one for all requests", "new": "a new one per request"}),
                     "The time to open a new connection counts as part of the response time."),
    TrafficParameter("requests", "Ends after", _ANY_COUNT,
                     "The flow ends after this number of requests, even before its time is over.",
                     {"request-response": "any number"}),
    TrafficParameter("payload_bytes", "Payload", _BYTES, "Payload of each packet, without headers.", {},
                     {"ping": "Payload of each echo request, without the ICMP header."}),
    TrafficParameter("interval_ms", "Every", _MS, "Time between two packets."),
    TrafficParameter("codec", "Codec", kinds.choice({codec: f"{codec} ({rate:g} kbit/s)" for codec, (rate, _) in
                                              CODECS.items()}), "The speech codec and its bit rate."),
    TrafficParameter("packet_ms", "Packet interval", _WHOLE_MS,
                     "Speech per packet, a multiple of the codec's frame: 10 ms, Opus 20 ms, G.723.1 30 ms."),
    TrafficParameter("spurts", "Silence suppression", kinds.flag(),
                     "Speech alternates with silence, during which nothing is sent (ITU-T P.59)."),
    TrafficParameter("playout_ms", "Playout delay", _MS,
                     "The receiver buffers packets for this long. Packets that arrive later count as lost."),
    TrafficParameter("sizes_bytes", "Object sizes", _SIZES, "Sizes of all objects of the page, such as 50 kB, 20 kB.",
                     {"web-page": "random, see below"}),
    TrafficParameter("objects", "Objects", _COUNT, "Number of objects of random size if no sizes are given."),
    TrafficParameter("mean_bytes", "Mean size", _BYTES,
                     "Mean of the random sizes: log-normal, with a standard deviation of 1 (of the logarithm)."),
    TrafficParameter("client", "Client", kinds.choice({"curl": "curl", "wget": "wget"}),
                     "curl reports the load time of each object, wget that of the whole page."),
    TrafficParameter("connections", "Connections", _COUNT, "Maximum number of objects that are loaded in parallel."),
    TrafficParameter("keep_alive", "Keep connections", kinds.flag(),
                     "Reuse each connection for several objects (HTTP keep-alive)."),
    TrafficParameter("loads", "Loads", _ANY_COUNT, "Number of times the page is loaded.", {"web-page": "any number"}),
    TrafficParameter("pause_s", "Between loads", _S, "Time from the end of a load to the start of the next."),
    TrafficParameter("timeout_s", "Load timeout", _ANY_S, "A load that takes longer fails.",
                     {"web-page": "the flow's time"}),
    TrafficParameter("ladder_mbit", "Qualities", _RATES,
                     "Available bit rates in Mbit/s, in ascending order, such as 0.4, 1.5, 6."),
    TrafficParameter("chunk_s", "Chunk", _S, "Duration of the video in one chunk."),
    TrafficParameter("buffer_s", "Buffer", _S, "Maximum duration of video that the player buffers."),
    TrafficParameter("choice", "Quality by", kinds.choice({"throughput": "throughput", "buffer": "buffer"}),
                     "The player selects the quality by the throughput of the last chunks, or by the fill level of its "
                     "buffer."),
    TrafficParameter("command", "Command", _LINE,
                     "A shell command at the source. {address}, {port}, {source} and {duration_s} are replaced.",
                     {"command": "none"}),
    TrafficParameter("server", "Server", _LINE, "A shell command at the destination, started before the command.",
                     {"command": "none"}),
    TrafficParameter("reads", "Output", kinds.choice({"nothing": "is ignored", "pattern": "is matched by a pattern",
                                               "json": "is lines of JSON"}),
              "How the command's output becomes measurements."),
    TrafficParameter("pattern", "Pattern", _LINE,
                     "A regular expression. Its named groups are columns: what, number, size_bytes, duration_ms, "
                     "outcome.",
                     {"command": "none"}),
    TrafficParameter("seed", "Seed", _COUNT,
                     "Seed of the random numbers. The same seed gives the same lengths and sizes."),
)  # fmt: skip
