"""The common part of all kinds of traffic."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from frrlib.model.base import KindOfValue

#: The header of the project's own datagrams: number and time.
STAMP_BYTES = 16
#: The room for a datagram over IPv4 in an Ethernet frame of 1514 bytes.
FULL_PAYLOAD_BYTES = 1472

RateMbit = Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)]
SizeBytes = Annotated[int, Field(ge=1, le=2**40)]
PayloadBytes = Annotated[int, Field(ge=STAMP_BYTES, le=65_000)]
IntervalMs = Annotated[float, Field(ge=1, le=3_600_000, allow_inf_nan=False)]
PauseS = Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)]
PhaseS = Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)]
Seed = Annotated[int, Field(ge=0, le=2**31 - 1)]
Line = Annotated[str, Field(max_length=2000, pattern=r"^[^\n\r\x00]*$")]


class TrafficBase(KindOfValue):
    """Settings that all kinds have.

    Class attributes:
        transport: "tcp", "udp", "icmp", or "" for whatever a command does.
        opener: the end that connects: "either" for the flow's `opened_by`; "source" or "destination" ignore it.
        has_streams: whether a flow can have parallel connections.
    """

    transport: ClassVar[Literal["tcp", "udp", "icmp", ""]] = "tcp"
    opener: ClassVar[Literal["either", "source", "destination"]] = "source"
    has_streams: ClassVar[bool] = False

    @property
    def over(self) -> Literal["tcp", "udp", "icmp", ""]:
        """The transport protocol."""
        return type(self).transport

    def sender_settings(self) -> dict[str, Any]:
        """The settings of its sender, by name; random values are already drawn."""
        return {name: getattr(self, name) for name in type(self).model_fields if name != "kind"}

    @property
    def is_greedy(self) -> bool:
        """Whether it uses the full capacity of the path."""
        return False

    @property
    def offered_mbit(self) -> float | None:
        """The sending rate in Mbit/s if it does not depend on the path; None if it does, or is not known."""
        return None
