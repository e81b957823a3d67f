"""The kinds of traffic, and a table of their parameters, in the words of a form.

A row of the table is a parameter by its name in the model, which some kinds share. The default stands there for each
kind that may leave it open.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from frrlib.model.traffic import CODECS
from miniedit_frr.dialogs import kinds
from miniedit_frr.dialogs.kinds import Kind
from miniedit_frr.dialogs.quantities import COUNT, RATE_MBIT, SIZE_BYTES, TIME_MS, TIME_S, WHOLE_MS

#: Each kind, in a sentence.
SENTENCES = {
    "bulk": "As much data over TCP as the path takes, for a time or until so much is sent.",
    "request-response": "A question and its answer, again and again: how long does each take?",
    "on-off": "Bursts with pauses between them, over TCP or UDP.",
    "constant-rate": "Datagrams of UDP at even distances: loss, order, one-way delay and jitter.",
    "voip": "Speech one way, in packets of RTP; a call is two such flows. How good is it to listen to?",
    "web-page": "A page with its objects: nginx at the source, curl or wget at the destination loads it.",
    "video": "A film in chunks, each in the quality that the connection seems to carry.",
    "ping": "Echoes of ICMP to the destination and back.",
    "one-way-delay": "Small datagrams that tell how long the path takes in one direction.",
    "command": "A command at the source; what it says may become measurements.",
}


@dataclass(frozen=True)
class Parameter:
    """A parameter of traffic.

    Attributes:
        name: in the model.
        label: what it is called.
        kind: how it is written.
        help: what it means.
        usual: kind of traffic to its default.
        own: kind of traffic to its meaning there, where that differs.
    """

    name: str
    label: str
    kind: Kind
    help: str
    usual: dict[str, str] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)


def _series(read: Callable[[str], Any], show: Callable[[Any], str]) -> Kind:
    """Several numbers in a line."""
    return Kind(
        lambda text: tuple(read(each) for each in re.split(r"[\s,;]+", text.strip()) if each),
        lambda values: ", ".join(show(each) for each in values), width=28,
    )  # fmt: skip


_RATE = replace(kinds.quantity(RATE_MBIT, optional=True), width=16)
_RATES = _series(RATE_MBIT.read, RATE_MBIT.show)
_BYTES, _ANY_BYTES = kinds.quantity(SIZE_BYTES), kinds.quantity(SIZE_BYTES, optional=True)
_SIZES = _series(SIZE_BYTES.read, SIZE_BYTES.show)
_COUNT, _ANY_COUNT = kinds.quantity(COUNT), kinds.quantity(COUNT, optional=True)
_MS, _WHOLE_MS, _S = kinds.quantity(TIME_MS), kinds.quantity(WHOLE_MS), kinds.quantity(TIME_S)
_ANY_S = kinds.quantity(TIME_S, optional=True)
_LINE = kinds.words()

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("tool", "Sent by", kinds.choice({"auto": "iperf3 or our own", "iperf3": "iperf3", "own": "our own"}),
              "By iperf3 where it can do all that is asked and is installed; our own sender takes every setting."),
    Parameter("protocol", "Over", kinds.choice({"tcp": "TCP", "udp": "UDP"}), "UDP needs a rate."),
    Parameter("on_s", "Burst", _S, "How long one lasts; on average where that varies."),
    Parameter("off_s", "Pause", _S, "Between two bursts; on average where that varies."),
    Parameter("spread", "Lengths", kinds.choice({"constant": "always the same", "exponential": "exponential"}),
              "Of bursts and pauses: the same each time, or drawn from an exponential distribution."),
    Parameter("rate_mbit", "Rate", _RATE, "Of what the application sends, without headers.",
              {"bulk": "no limit", "on-off": "all that TCP gets"},
              {"bulk": "A pace that its socket does not exceed.", "on-off": "Within a burst."}),
    Parameter("notsent_lowat_bytes", "Unsent at most", _ANY_BYTES, "What may wait in the socket.",
              {"bulk": "the host's"}),
    Parameter("request_bytes", "Question", _BYTES, "Size of each."),
    Parameter("response_bytes", "Answer", _BYTES, "Size of each."),
    Parameter("think_ms", "Thinks for", _MS, "Pause between an answer and the next question."),
    Parameter("connection", "Connection", kinds.choice({"kept": "the same for all", "new": "a new one each"}),
              "Opening a new one counts as part of the answer's time."),
    Parameter("requests", "Ends after", _ANY_COUNT, "So many questions, even before its time is over.",
              {"request-response": "any number"}),
    Parameter("payload_bytes", "Payload", _BYTES, "Of each packet, without headers.", {},
              {"ping": "Of each echo, behind the header of ICMP."}),
    Parameter("interval_ms", "Every", _MS, "From one to the next."),
    Parameter("codec", "Codec", kinds.choice({codec: f"{codec} ({rate:g} kbit/s)" for codec, (rate, _) in
                                              CODECS.items()}), "What turns sound into bits."),
    Parameter("packet_ms", "Sound per packet", _WHOLE_MS, "A multiple of its frame: 10 ms, Opus 20, G.723.1 30."),
    Parameter("spurts", "Silent at times", kinds.flag(), "Speech and silence in turn, with the means of ITU-T P.59."),
    Parameter("playout_ms", "Playout delay", _MS, "How long packets wait, so that late ones are in time."),
    Parameter("sizes_bytes", "Objects' sizes", _SIZES, "Of all objects of the page, as in 50 kB, 20 kB.",
              {"web-page": "drawn, see below"}),
    Parameter("objects", "Objects", _COUNT, "How many are drawn where no sizes are given."),
    Parameter("mean_bytes", "Mean size", _BYTES, "Of those; log-normal, with a standard deviation of 1."),
    Parameter("client", "Client", kinds.choice({"curl": "curl", "wget": "wget"}),
              "With curl the time of each object is told, with wget that of the page."),
    Parameter("connections", "Connections", _COUNT, "Objects that are in flight at one time."),
    Parameter("keep_alive", "Keep connections", kinds.flag(), "Whether one carries an object after the other."),
    Parameter("loads", "Loads", _ANY_COUNT, "How often the page is loaded.", {"web-page": "any number"}),
    Parameter("pause_s", "Between loads", _S, "From the end of one to the start of the next."),
    Parameter("timeout_s", "Given up after", _ANY_S, "A load that takes longer has failed.",
              {"web-page": "the flow's time"}),
    Parameter("ladder_mbit", "Qualities", _RATES, "In Mbit/s, the least first, as in 0.4, 1.5, 6."),
    Parameter("chunk_s", "Chunk", _S, "How much film is in one."),
    Parameter("buffer_s", "Buffer", _S, "How much film the viewer keeps at most."),
    Parameter("choice", "Quality by", kinds.choice({"throughput": "throughput", "buffer": "buffer"}),
              "How fast the last chunks came, or how full the buffer is."),
    Parameter("command", "Command", _LINE, "For a shell at the source. {address}, {port}, {source}, {duration_s} are "
              "filled in.", {"command": "none yet"}),
    Parameter("server", "Server", _LINE, "A command at the destination, started before.", {"command": "none"}),
    Parameter("reads", "What it says", kinds.choice({"nothing": "is not read", "pattern": "by a pattern",
                                                     "json": "lines of JSON"}), "What of its output is kept."),
    Parameter("pattern", "Pattern", _LINE, "A regular expression; its named groups are columns: what, number, "
              "size_bytes, duration_ms, outcome.", {"command": "none"}),
    Parameter("seed", "Seed", _COUNT, "Of what is left to chance: the same seed, the same lengths and sizes."),
)  # fmt: skip
