"""Flows, and what a run waits for before it starts them."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from frrlib.model.base import NodeName, Seconds, Value
from frrlib.model.names import CONGESTION_CONTROL
from frrlib.model.traffic.kinds import Bulk, Traffic


class Flow(Value):
    """Traffic from one node to another.

    Attributes:
        id: unique among the flows; it names the flow in results and figures.
        source, destination: names of hosts or routers; data goes from source to destination.
        congestion_control: of TCP, the kernel's name ("cubic", "bbr", "reno"); empty for what the link by which it
            leaves, the host or the kernel says (see `congestion.control_of`). It has no parameters: the kernel gives
            sockets none, and those of a module are the same for all flows.
        start_s: when it starts, from the start of all flows.
        duration_s: how long it sends; None where `size_bytes` ends it.
        size_bytes: how much it sends, for bulk data; None where `duration_s` ends it.
        count: so many equal ones; their ids get a suffix (".1", ".2").
        stagger_s: each of them starts so much after the one before.
        streams: parallel connections of one flow of bulk data, which count as one.
        opened_by: who connects. Data goes the same way in any case.
        dscp: class of its packets (RFC 2474), as from the source, so from both ends of a connection; None for the
            host's own, which is 0.
        ecn: whether it asks for marks in place of losses (TCP at connecting, RFC 3168; UDP sends ECT(0)); None for
            what the host does.
        colour: in the drawing and in figures, as in "#3366cc"; empty for one that is chosen.
        traffic: what it sends.
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
    def kind(self) -> str:
        """The kind of its traffic ("bulk")."""
        return self.traffic.kind

    @property
    def is_tcp(self) -> bool:
        """Whether connections of TCP carry it, as far as that is known."""
        return self.traffic.over == "tcp"

    @property
    def initiator(self) -> str:
        """The node that connects, or sends first."""
        opener = type(self.traffic).opener
        by = self.opened_by if opener == "either" and self.is_tcp else opener
        return self.destination if by == "destination" else self.source

    @property
    def with_iperf3(self) -> bool:
        """Whether iperf3 may send it: it is told to, or is not told what only the project's own sender does."""
        if not isinstance(self.traffic, Bulk) or self.traffic.tool == "own":
            return False
        return self.traffic.tool == "iperf3" or not self.needs_own_sender

    @property
    def needs_own_sender(self) -> tuple[str, ...]:
        """The fields by which it asks for more than iperf3 can do."""
        bulk = self.traffic if isinstance(self.traffic, Bulk) else Bulk()
        asked = {
            "streams": self.streams > 1,
            "opened_by": self.opened_by != "source",
            "dscp": self.dscp is not None,
            "ecn": self.ecn is not None,
            "traffic.rate_mbit": bulk.rate_mbit is not None,
            "traffic.notsent_lowat_bytes": bulk.notsent_lowat_bytes is not None,
        }
        return tuple(field for field, is_asked in asked.items() if is_asked)

    @property
    def last_start_s(self) -> float:
        """The start of the last of `count`."""
        return self.start_s + (self.count - 1) * self.stagger_s

    @property
    def ends_s(self) -> float | None:
        """The end of the last of them; None if it is not planned."""
        return None if self.duration_s is None else self.last_start_s + self.duration_s


class Wait(Value):
    """The condition that a run waits for after the daemons have started.

    Attributes:
        routes: whether the network must have converged: every adjacency that the drawing must bring is up, every router
            has a route to every prefix that its protocols should bring it, and nothing changes any more.
        stable_s: for how long nothing may have changed.
        timeout_s: how long; a run that waits longer has failed.
        ping_count: pings between the ends of each flow before it, to know the path at rest; 0 for none.
    """

    routes: bool = True
    stable_s: Annotated[float, Field(ge=0, le=60)] = 0.5
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    ping_count: Annotated[int, Field(ge=0, le=1000)] = 3
