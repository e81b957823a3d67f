"""The settings of a host's TCP, except the congestion control."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from frrlib.model.base import Value

#: Congestion controls that negotiate ECN by themselves. The kernel needs them at both ends before the handshake; one
#: that is set later finds no ECN, and behaves like Reno.
NEEDS_ECN = frozenset({"dctcp", "prague"})
#: Memory per data in a socket's buffer: packets cost the kernel about twice their data.
BUFFER_PER_DATA = 2
#: The default limit of the sender's buffer on most machines (the third number of net.ipv4.tcp_wmem).
USUAL_SEND_BUFFER_BYTES = 4 * 1024 * 1024
#: The default limit of the receiver's buffer on most machines (the third number of net.ipv4.tcp_rmem).
USUAL_RECEIVE_BUFFER_BYTES = 6 * 1024 * 1024

Window = Annotated[int, Field(ge=1, le=65_535)]
BufferBytes = Annotated[int, Field(ge=4096, le=2**31 - 1)]
BufferBdp = Annotated[float, Field(gt=0, le=10_000, allow_inf_nan=False)]


class TcpTuning(Value):
    """Settings of a host's TCP; None keeps the kernel's default.

    Attributes:
        pacing: whether `fq` paces packets at the host's interfaces. It does not replace the queue of a direction with a
            rate.
        initial_window_packets: initial congestion window; the kernel's default is 10 (RFC 6928).
        initial_receive_window_packets: initial receive window.
        ecn: whether connections use ECN: "off" never, "on" always, "answer" if the other end requests it, which is the
            kernel's default.
        sack: whether selective acknowledgments are enabled; the kernel's default is yes.
        slow_start_after_idle: whether the congestion window shrinks while the connection is idle; the kernel's default
            is yes.
        notsent_lowat_bytes: unsent data in a socket above which it is not writable; the kernel's default is no limit.
        buffer_bytes: maximum size of each of a socket's buffers, as the kernel counts it. The overhead of the packets
            is about as large as the data.
        buffer_bdp: maximum amount of data in each buffer, in multiples of the largest bandwidth-delay product of the
            host's flows (see `flow_paths.largest_bdp_bytes`). At most one of the two is set.
        saves_metrics: whether the kernel caches RTT and slow start threshold for later connections to the same address.
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
