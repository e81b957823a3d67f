"""The traffic of a flow: bulk data, requests, packets at a rate, speech, pages, film, probes, or a custom command.

A kind has only its own settings. Start, duration and ends are those of the flow. Sizes and rates count the data of the
application, without any header.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from frrlib.model.traffic.base import (
    FULL_PAYLOAD_BYTES,
    STAMP_BYTES,
    IntervalMs,
    PayloadBytes,
    PhaseS,
    RateMbit,
    Seed,
    TrafficBase,
)
from frrlib.model.traffic.waiting_kinds import Command, RequestResponse, Video, WebPage

__all__ = [
    "FULL_PAYLOAD_BYTES",
    "KINDS",
    "STAMP_BYTES",
    "AnyTraffic",
    "Bulk",
    "Command",
    "ConstantRate",
    "OnOff",
    "OneWayDelay",
    "Ping",
    "RequestResponse",
    "Traffic",
    "Video",
    "Voip",
    "WebPage",
]


class Bulk(TrafficBase):
    """As much TCP data as the path carries, for a time or up to an amount.

    Attributes:
        tool: the sending program: "iperf3", "own" (the project's own sender, which supports every setting of a flow and
            any duration), or "auto": iperf3 if it is installed and supports the flow's settings, else our own.
        rate_mbit: maximum pacing rate of the socket; None for no limit.
        notsent_lowat_bytes: unsent data in the socket above which it is not writable; None for the host's setting.
    """

    opener: ClassVar = "either"
    has_streams: ClassVar = True
    kind: Literal["bulk"] = "bulk"
    tool: Literal["auto", "iperf3", "own"] = "auto"
    rate_mbit: RateMbit | None = None
    notsent_lowat_bytes: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None

    @property
    def is_greedy(self) -> bool:
        """Whether it takes all that the path gives."""
        return self.rate_mbit is None


class OnOff(TrafficBase):
    """Bursts with pauses between them.

    Attributes:
        protocol: "tcp" or "udp".
        on_s, off_s: duration of a burst and of a pause, or their means if they vary.
        spread: "constant", or "exponential" for exponentially distributed durations.
        rate_mbit: rate during a burst; None for as much as TCP gets.
        paced_by: "socket": `rate_mbit` is also the maximum pacing rate of the TCP socket. "application": only the times
            of writes limit the rate, so the socket is empty between them and its samples are application-limited.
            UDP is always paced by the application.
        payload_bytes: payload of each UDP datagram.
        seed: seed of the random durations.
    """

    opener: ClassVar = "either"
    kind: Literal["on-off"] = "on-off"
    protocol: Literal["tcp", "udp"] = "tcp"
    on_s: PhaseS = 1.0
    off_s: PhaseS = 1.0
    spread: Literal["constant", "exponential"] = "constant"
    rate_mbit: RateMbit | None = None
    paced_by: Literal["socket", "application"] = "socket"
    payload_bytes: PayloadBytes = 1200
    seed: Seed = 1

    @model_validator(mode="after")
    def _required_rate(self) -> Self:
        if self.paced_by == "application" and self.rate_mbit is None:
            raise ValueError("paced_by application needs rate_mbit, because the application writes at this rate")
        if self.protocol == "udp" and self.rate_mbit is None:
            raise ValueError("udp needs rate_mbit, because it has no congestion control that sets the rate")
        return self

    @property
    def over(self) -> Literal["tcp", "udp", "icmp", ""]:
        """The transport protocol."""
        return self.protocol

    @property
    def is_greedy(self) -> bool:
        """Whether it uses the full capacity of the path during a burst."""
        return self.rate_mbit is None

    @property
    def offered_mbit(self) -> float | None:
        """The sending rate during a burst of UDP, in Mbit/s."""
        return self.rate_mbit if self.protocol == "udp" else None


class ConstantRate(TrafficBase):
    """Datagrams at equal intervals, each with a number and a timestamp.

    Attributes:
        rate_mbit: rate of the payload.
        payload_bytes: payload of each datagram, without the headers of UDP, IP and Ethernet (42 bytes over IPv4).
    """

    transport: ClassVar = "udp"
    kind: Literal["constant-rate"] = "constant-rate"
    rate_mbit: RateMbit = 1.0
    payload_bytes: PayloadBytes = 1200

    @property
    def offered_mbit(self) -> float | None:
        """The sending rate in Mbit/s."""
        return self.rate_mbit


#: Bit rate in kbit/s and frame in ms, by codec.
CODECS: dict[str, tuple[float, float]] = {
    "G.711": (64.0, 10.0),
    "G.729": (8.0, 10.0),
    "G.723.1": (6.3, 30.0),
    "Opus": (24.0, 20.0),
}
#: The RTP header (RFC 3550).
RTP_BYTES = 12


class Voip(TrafficBase):
    """Speech in one direction, as RTP packets at equal intervals. A call is two such flows.

    Attributes:
        codec: G.711 (64 kbit/s), G.729 (8), G.723.1 (6.3) or Opus (24).
        packet_ms: sound in each packet; a multiple of the codec's frame (10 ms; G.723.1: 30 ms; Opus: 20 ms).
        spurts: whether nothing is sent during silence. Durations are exponentially distributed with the means of ITU-T
            P.59: 1.004 s of speech and 1.587 s of silence.
        playout_ms: delay of the receiver's jitter buffer; packets that arrive later count as lost.
        seed: seed of the random durations.
    """

    transport: ClassVar = "udp"
    kind: Literal["voip"] = "voip"
    codec: Literal["G.711", "G.729", "G.723.1", "Opus"] = "G.711"
    packet_ms: Annotated[int, Field(ge=10, le=120)] = 20
    spurts: bool = False
    playout_ms: Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)] = 60.0
    seed: Seed = 1

    @model_validator(mode="after")
    def _whole_frames(self) -> Self:
        frame_ms = CODECS[self.codec][1]
        if self.packet_ms % frame_ms:
            raise ValueError(
                f"packet_ms is {self.packet_ms}; it must be a multiple of the {self.codec} frame of {frame_ms:g} ms"
            )
        return self

    @property
    def payload_bytes(self) -> int:
        """The payload of each packet: the RTP header and the sound."""
        return RTP_BYTES + round(CODECS[self.codec][0] * self.packet_ms / 8)

    def sender_settings(self) -> dict[str, Any]:
        """The settings of the sender, with the payload of each packet."""
        return {**super().sender_settings(), "payload_bytes": self.payload_bytes}

    @property
    def offered_mbit(self) -> float | None:
        """The sending rate during speech, in Mbit/s."""
        return self.payload_bytes * 8e-3 / self.packet_ms


class Ping(TrafficBase):
    """ICMP echoes from the source to the destination and back.

    Attributes:
        interval_ms: time between two requests.
        payload_bytes: payload of each request, without the ICMP header.
    """

    transport: ClassVar = "icmp"
    kind: Literal["ping"] = "ping"
    interval_ms: IntervalMs = 200.0
    payload_bytes: Annotated[int, Field(ge=16, le=65_000)] = 56


class OneWayDelay(TrafficBase):
    """Small datagrams that measure the delay in one direction. All nodes of a lab share one clock.

    Attributes:
        interval_ms: time between two datagrams.
        payload_bytes: payload of each datagram.
    """

    transport: ClassVar = "udp"
    kind: Literal["one-way-delay"] = "one-way-delay"
    interval_ms: IntervalMs = 50.0
    payload_bytes: PayloadBytes = 64


AnyTraffic = Bulk | RequestResponse | OnOff | ConstantRate | Voip | WebPage | Video | Ping | OneWayDelay | Command
Traffic = Annotated[AnyTraffic, Field(discriminator="kind")]

#: Class by kind, in the order in which forms offer them.
KINDS: dict[str, type[AnyTraffic]] = {
    traffic.model_fields["kind"].default: traffic
    for traffic in (Bulk, RequestResponse, OnOff, ConstantRate, Voip, WebPage, Video, Ping, OneWayDelay, Command)
}
