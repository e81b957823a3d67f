"""The settings of a host's TCP, except the congestion control."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from frrlib.model.base import Value

#: A socket's buffer counts the packets' cost to the kernel, about twice their data.
BUFFER_PER_DATA = 2
#: The default limit of the sender's buffer on most machines (the third number of net.ipv4.tcp_wmem).
USUAL_SEND_BUFFER_BYTES = 4 * 1024 * 1024
#: The default limit of the receiver's buffer on most machines (the third number of net.ipv4.tcp_rmem).
USUAL_RECEIVE_BUFFER_BYTES = 6 * 1024 * 1024

Window = Annotated[int, Field(ge=1, le=65_535)]
BufferBytes = Annotated[int, Field(ge=4096, le=2**31 - 1)]
BufferBdp = Annotated[float, Field(gt=0, le=10_000, allow_inf_nan=False)]


class TcpTuning(Value):
    """Settings of a host's TCP; None is what the kernel does unasked.

    Attributes:
        pacing: whether `fq` spaces out packets at the host's interfaces. Where a direction has a rate the queue of that
            direction is at the interface already, and stays.
        initial_window_packets: how much a connection sends before the first ACK; the kernel's own is 10 (RFC 6928).
        initial_receive_window_packets: how much a connection lets the other end send at first.
        ecn: whether connections ask for marks in place of losses: "off" never, "on" always, "answer" where the other
            end asks, which is the kernel's own.
        sack: whether ACKs tell what arrived behind a gap; the kernel's own is yes.
        slow_start_after_idle: whether the window shrinks while nothing is sent; the kernel's own is yes.
        notsent_lowat_bytes: how much may wait in a socket that is not sent yet before the program is told to stop;
            the kernel's own is no limit.
        buffer_bytes: the most that a socket's buffers grow to, either of them, as the kernel counts: with its own
            cost of each packet, about as much again as the data.
        buffer_bdp: the same as data in multiples of the bandwidth-delay product of the host's flows, the largest one
            (see `flow_paths.largest_bdp_bytes`). At most one of the two is given.
        saves_metrics: whether a connection's RTT and slow start threshold are kept for the next to the same address.
            Then runs of one lab depend on each other.
    """

    pacing: bool = False
    initial_window_packets: Window | None = None
    initial_receive_window_packets: Window | None = None
    ecn: Literal["off", "on", "answer"] | None = None
    sack: bool | None = None
    slow_start_after_idle: bool | None = None
    notsent_lowat_bytes: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    buffer_bytes: BufferBytes | None = None
    buffer_bdp: BufferBdp | None = None
    saves_metrics: bool = False

    @model_validator(mode="after")
    def _one_size(self) -> Self:
        if self.buffer_bytes is not None and self.buffer_bdp is not None:
            raise ValueError("buffer_bytes and buffer_bdp are both set; remove one of them")
        return self
