"""The checks of an exercise that act on the lab: measurements of its flows, and reactions to faults."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from frrlib.exercises.check_base import CheckBase, Stage, Text
from frrlib.model.base import Short

#: Measured quantities of a flow, of a queue, and of all flows together; the unit is in the name.
OF_FLOWS = (
    "goodput_mbit", "rtt_ms", "queueing_ms", "ping_ms", "share_percent", "resent_percent", "lost_percent",
    "completion_s",
)  # fmt: skip
OF_QUEUES = ("queue_delay_ms", "dropped_percent", "marked_percent", "used_percent")
OF_ALL = ("total_goodput_mbit", "jain_index")
#: Quantities that are sampled, of which a statistic is compared.
SAMPLED = ("rtt_ms", "queueing_ms", "ping_ms", "queue_delay_ms")

Quantity = Literal[
    "goodput_mbit", "rtt_ms", "queueing_ms", "ping_ms", "share_percent", "resent_percent", "lost_percent",
    "completion_s", "queue_delay_ms", "dropped_percent", "marked_percent", "used_percent",
    "total_goodput_mbit", "jain_index",
]  # fmt: skip
Statistic = Literal["mean", "p5", "p25", "p50", "p75", "p95", "p99"]


class Measurement(CheckBase):
    """A measured number of the topology's flows is in a range. All such checks of a chapter share one measurement.

    Attributes:
        quantity: the number.
        flow: id of the flow in the results ("f1", or "f1.2" of several equal ones), for a number of a flow.
        queue: link of the queue and the node that sends into it ("l1 r1"), for a number of a queue; empty for the
            bottleneck.
        statistic: of the samples of an RTT or a delay.
        at_least, at_most: bounds of the number, both allowed themselves; empty for no bound.
    """

    kind: Literal["measurement"]
    quantity: Quantity
    flow: Short = ""
    queue: Short = ""
    statistic: Statistic = "p50"
    at_least: Short = ""
    at_most: Short = ""

    @model_validator(mode="after")
    def _fitting_fields(self) -> Self:
        if bool(self.flow) != (self.quantity in OF_FLOWS):
            needs = "needs a flow" if self.quantity in OF_FLOWS else "is of no single flow"
            raise ValueError(f"{self.quantity} {needs}")
        if self.queue and self.quantity not in OF_QUEUES:
            raise ValueError(f"{self.quantity} is of no queue")
        if self.queue and len(self.queue.split()) != 2:
            raise ValueError("a queue is a link and the node that sends, as in 'l1 r1'")
        if not (self.at_least or self.at_most):
            raise ValueError("at_least or at_most is missing")
        return self

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(self.queue.split()[1:])

    @property
    def flows(self) -> tuple[str, ...]:
        """The flows that the topology must have; empty for any."""
        return (self.flow,) if self.flow else ()

    @property
    def stage(self) -> Stage:
        return Stage.FLOWS

    def refuse_invalid(self) -> None:
        bounds = [float(bound) for bound in (self.at_least, self.at_most) if bound]
        if bounds != sorted(bounds):
            raise ValueError(f"at_least is {self.at_least}, which is more than at_most, {self.at_most}")


class Winner(CheckBase):
    """One flow has a larger goodput than each other flow, while all of them send.

    Attributes:
        flow: id of the flow in the results.
        by_percent: the least lead over the second flow, as a share of the second flow's goodput.
    """

    kind: Literal["winner"]
    flow: Text
    by_percent: Annotated[float, Field(ge=0, le=10_000)] = 0.0

    @property
    def flows(self) -> tuple[str, ...]:
        """The flows that the topology must have."""
        return (self.flow,)

    @property
    def stage(self) -> Stage:
        return Stage.FLOWS


class FlowControl(CheckBase):
    """The kernel used one of some congestion controls for a flow.

    Attributes:
        flow: id of the flow in the results.
        one_of: the kernel's names of the congestion controls.
    """

    kind: Literal["congestion-control"]
    flow: Text
    one_of: Annotated[tuple[Text, ...], Field(min_length=1)]

    @property
    def flows(self) -> tuple[str, ...]:
        """The flows that the topology must have."""
        return (self.flow,)

    @property
    def stage(self) -> Stage:
        return Stage.FLOWS


class AfterFault(CheckBase):
    """Packets reach a destination within `within_s` after a fault. The fault is cleared afterwards.

    Attributes:
        fault: the fault in the words of `miniedit-frr fault` ("link-down l1").
        source: the node that sends.
        destination: the node that receives.
        path: the nodes of the new path, from the source to the destination; empty for any path.
    """

    kind: Literal["after-fault"]
    fault: Text
    source: Text
    destination: Text
    path: tuple[Text, ...] = ()

    @model_validator(mode="after")
    def _path_of_the_packets(self) -> Self:
        if self.path and (len(self.path) < 2 or (self.path[0], self.path[-1]) != (self.source, self.destination)):
            raise ValueError("the path does not lead from the source to the destination")
        return self

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.source, *self.path, self.destination)))

    @property
    def stage(self) -> Stage:
        return Stage.FAULT
