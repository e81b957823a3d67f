"""Flows, and what a run waits for before it starts them."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from frrlib.model.base import NodeName, Seconds, Value


class Flow(Value):
    """TCP data from one node to another.

    Attributes:
        id: unique among the flows; it names the flow in results and figures.
        source, destination: names of hosts or routers; data goes from source to destination.
        congestion_control: the kernel's name ("cubic", "bbr", "reno").
        start_s: when it starts, from the start of all flows.
        duration_s: how long it sends; None where `size_bytes` ends it.
        size_bytes: how much it sends; None where `duration_s` ends it.
        count: so many equal ones, side by side; their ids get a suffix (".1", ".2").
    """

    id: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\s,\"/]+$")]
    source: NodeName
    destination: NodeName
    congestion_control: Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,15}$")] = "cubic"
    start_s: Seconds = 0.0
    duration_s: Annotated[float, Field(gt=0, le=86_400)] | None = 10.0
    size_bytes: Annotated[int, Field(gt=0)] | None = None
    count: Annotated[int, Field(ge=1, le=1000)] = 1

    @model_validator(mode="after")
    def _one_end(self) -> Self:
        if (self.duration_s is None) == (self.size_bytes is None):
            raise ValueError("give either duration_s or size_bytes")
        return self


class Wait(Value):
    """What a run waits for after the daemons have started.

    Attributes:
        routes: whether every router must have a route to every prefix that its protocols should bring it.
        timeout_s: how long; a run that waits longer has failed.
        ping_count: pings between the ends of each flow before it, to know the path at rest; 0 for none.
    """

    routes: bool = True
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    ping_count: Annotated[int, Field(ge=0, le=1000)] = 3
