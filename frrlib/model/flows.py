"""Flows, and the condition that a run waits for before it starts them."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from frrlib.model.base import NodeName, Seconds, Value
from frrlib.model.names import CONGESTION_CONTROL
from frrlib.model.tcp import NEEDS_ECN
from frrlib.model.traffic.kinds import Bulk, Traffic


class Flow(Value):
    """Traffic from one node to another.

    Attributes:
        id: unique among the flows; it names the flow in results and figures.
        source, destination: names of hosts or routers; data goes from source to destination.
        congestion_control: the kernel's name of TCP's congestion control ("cubic", "bbr", "reno"); empty for that of
            the outgoing link, the host or the kernel (see `congestion.control_of`). It has no parameters: the kernel
            has none per socket, and those of a module apply to all flows.
        start_s: start time, from the start of all flows.
        duration_s: duration; None if `size_bytes` ends the flow.
        size_bytes: amount of bulk data; None if `duration_s` ends the flow.
        count: number of equal flows; their IDs get a suffix (".1", ".2").
        stagger_s: time between the starts of two of them.
        streams: parallel connections of a flow of bulk data; results count them as one flow.
        opened_by: the end that opens the connection. It does not change the direction of the data.
        dscp: DSCP of its packets (RFC 2474), from both ends of a connection; None for the host's own, which is 0.
        ecn: whether it uses ECN (TCP negotiates it, RFC 3168; UDP sends ECT(0)); None for the host's setting.
        colour: color on the canvas and in figures, as in "#3366cc"; empty for an automatic one.
        traffic: the kind of traffic, with its settings.
    """

    id: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\s\x00-\x1f\x7f,\"/]+$")]
    source: NodeName
    destination: NodeName
    congestion_control: Annotated[str, Field(pattern=f"^({CONGESTION_CONTROL})?$")] = "cubic"
    start_s: Seconds = 0.0
    duration_s: Annotated[float, Field(gt=0, le=86_400)] | None = 10.0
    size_bytes: Annotated[int, Field(gt=0)] | None = None
    count: Annotated[int, Field(ge=1, le=1000)] = 1
    stagger_s: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)] = 0.0
    streams: Annotated[int, Field(ge=1, le=128)] = 1
    opened_by: Literal["source", "destination"] = "source"
    dscp: Annotated[int, Field(ge=0, le=63)] | None = None
    ecn: bool | None = None
    colour: Annotated[str, Field(pattern=r"^(#[0-9a-fA-F]{6})?$")] = ""
    traffic: Traffic = Bulk()

    @model_validator(mode="after")
    def _one_end(self) -> Self:
        if (self.duration_s is None) == (self.size_bytes is None):
            raise ValueError("set either duration_s or size_bytes")
        if self.size_bytes is not None and not isinstance(self.traffic, Bulk):
            raise ValueError(f"size_bytes applies only to bulk data; set duration_s for {self.traffic.kind}")
        return self

    @property
    def result_ids(self) -> tuple[str, ...]:
        """Its IDs in the results: its own, or one for each of `count` equal flows."""
        if self.count == 1:
            return (self.id,)
        return tuple(f"{self.id}.{number}" for number in range(1, self.count + 1))

    @property
    def kind(self) -> str:
        """The kind of its traffic ("bulk")."""
        return self.traffic.kind

    @property
    def is_tcp(self) -> bool:
        """Whether TCP connections carry it; False if that is not known."""
        return self.traffic.over == "tcp"

    @property
    def initiator(self) -> str:
        """The node that opens the connection, or sends first."""
        opener = type(self.traffic).opener
        by = self.opened_by if opener == "either" and self.is_tcp else opener
        return self.destination if by == "destination" else self.source

    @property
    def with_iperf3(self) -> bool:
        """Whether iperf3 may send it: it is chosen, or no setting needs the project's own sender."""
        if not isinstance(self.traffic, Bulk) or self.traffic.tool == "own":
            return False
        return self.traffic.tool == "iperf3" or not self.needs_own_sender

    @property
    def needs_own_sender(self) -> tuple[str, ...]:
        """The fields whose values iperf3 does not support. It sets the congestion control only after the handshake."""
        bulk = self.traffic if isinstance(self.traffic, Bulk) else Bulk()
        is_set = {
            "streams": self.streams > 1,
            "congestion_control": self.congestion_control in NEEDS_ECN,
            "opened_by": self.opened_by != "source",
            "dscp": self.dscp is not None,
            "ecn": self.ecn is not None,
            "traffic.rate_mbit": bulk.rate_mbit is not None,
            "traffic.notsent_lowat_bytes": bulk.notsent_lowat_bytes is not None,
        }
        return tuple(field for field, is_needed in is_set.items() if is_needed)

    @property
    def last_start_s(self) -> float:
        """The start of the last of `count` flows."""
        return self.start_s + (self.count - 1) * self.stagger_s

    @property
    def ends_s(self) -> float | None:
        """The end of the last of `count` flows; None if it is not planned."""
        return None if self.duration_s is None else self.last_start_s + self.duration_s


class Wait(Value):
    """The condition that a run waits for after the daemons have started.

    Attributes:
        routes: whether the network must have converged: every expected adjacency is up, every router has all expected
            routes, and nothing changes any more.
        stable_s: time without changes.
        timeout_s: maximum waiting time; a run that exceeds it fails.
        ping_count: pings between the ends of each flow before the flows, which measure the idle path; 0 for none.
    """

    routes: bool = True
    stable_s: Annotated[float, Field(ge=0, le=60)] = 0.5
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    ping_count: Annotated[int, Field(ge=0, le=1000)] = 3
