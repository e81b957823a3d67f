"""Faults of a lab as values: injected into a running lab at once, or planned together with its flows."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, model_validator

from frrlib.model.base import Milliseconds, Percent, Seconds, Value
from frrlib.model.courses import MOST_STEPS, Course
from frrlib.model.links import QUEUE_LIMITS, OneQueueLimit, QueueBdp, QueueBytes, QueueMs, QueuePackets, Shape
from frrlib.model.queues import Queue

#: The kinds of fault; events of the lab have the same names.
FaultKind = Literal[
    "link-down", "link-up", "link-values", "loss", "interface-down", "interface-up", "flap", "daemon-killed",
    "daemon-stopped", "daemon-continued", "daemon-restarted", "frozen", "thawed", "power-cycled", "partition", "healed",
    "varied",
]  # fmt: skip
KINDS: tuple[FaultKind, ...] = get_args(FaultKind)
#: The kind of object that a target names, by kind of fault.
OF_LINKS = frozenset(("link-down", "link-up", "link-values", "loss", "varied"))
OF_INTERFACES = frozenset(("interface-down", "interface-up", "flap"))
OF_DAEMONS = frozenset(("daemon-killed", "daemon-stopped", "daemon-continued", "daemon-restarted"))
OF_NODES = frozenset(("frozen", "thawed", "power-cycled"))
#: Faults that can end by themselves, and the fault that ends each.
ENDED_BY = {
    "link-down": "link-up", "loss": "loss-over", "interface-down": "interface-up", "daemon-stopped": "daemon-continued",
    "frozen": "thawed", "power-cycled": "power-on", "partition": "healed",
}  # fmt: skip
#: Faults that may have a duration.
LASTING = frozenset(ENDED_BY) | {"varied"}
#: Faults that end another one.
CLEARING = frozenset(ENDED_BY.values()) | {"daemon-restarted"}
#: The new queueing discipline that stands for none of its own: first in, first out.
FIFO: Literal["fifo"] = "fifo"


class LinkValues(OneQueueLimit):
    """New values for a link's shape; None leaves a value as it is.

    Attributes:
        rate_mbit: as in `Shape`; 0 removes the limit.
        delay_ms, jitter_ms, loss_percent: as in `Shape`.
        queue_packets, queue_bytes, queue_ms, queue_bdp: as in `Shape`; at most one, which replaces the old limit.
        queue: the new queueing discipline with all its parameters; "fifo" for first in, first out. Packets that wait
            in a replaced queue are lost.
    """

    rate_mbit: Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)] | None = None
    delay_ms: Annotated[Milliseconds, Field(le=60_000)] | None = None
    jitter_ms: Annotated[Milliseconds, Field(le=60_000)] | None = None
    loss_percent: Percent | None = None
    queue_packets: QueuePackets | None = None
    queue_bytes: QueueBytes | None = None
    queue_ms: QueueMs | None = None
    queue_bdp: QueueBdp | None = None
    queue: Queue | Literal["fifo"] | None = None

    @property
    def given(self) -> dict[str, Any]:
        """The values that change, by name."""
        return {name: value for name, value in dict(self).items() if value is not None}

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers among the values that change, by name."""
        return {name: value for name, value in self.given.items() if name != "queue"}

    def changed(self, shape: Shape) -> Shape:
        """A copy of the shape with these values."""
        update = dict(shape)
        for name, value in self.given.items():
            if name in QUEUE_LIMITS:
                update |= dict.fromkeys(QUEUE_LIMITS)
            update[name] = None if value == FIFO else value
        if not update["rate_mbit"]:
            update |= dict.fromkeys(("rate_mbit", *QUEUE_LIMITS))
        return Shape(**update)


class Fault(Value):
    """A fault, or the end of one.

    Attributes:
        kind: the kind of fault.
        target: a link's id ("l1"), a node ("r1"), a router's daemon ("r1:bgpd"), a node's interface ("r1:r1-eth0") or
            for a partition the nodes of one side ("r1,r2"); empty for "healed", which clears all partitions.
        time_s: time of the fault, from the start of the flows; ignored for a fault that is injected at once.
        duration_s: the fault is cleared after this time; None for never. A router that is power-cycled is off for
            this time, 1 s if it is None.
        towards: for "loss", "link-values" and "varied": the node at the end of the affected direction; empty for both
            directions.
        loss_percent: for "loss": share of lost packets; at 100 the link is dead but keeps its carrier.
        values: for "link-values": the new values.
        course: for "varied": the values during `duration_s`; afterwards the value of the topology is restored.
        times, period_s: for "flap": how often the interface goes down and up again, and the time of one cycle.
    """

    kind: FaultKind
    target: Annotated[str, Field(max_length=2000)] = ""
    time_s: Seconds = 0.0
    duration_s: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)] | None = None
    towards: Annotated[str, Field(max_length=64)] = ""
    loss_percent: Percent = 100.0
    values: LinkValues | None = None
    course: Course | None = None
    times: Annotated[int, Field(ge=1, le=10_000)] = 1
    period_s: Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)] = 1.0

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.kind == "link-values" and not (self.values and self.values.given):
            raise ValueError("has no value to change, such as rate=5 or delay=10ms")
        if self.kind == "healed" and self.target:
            raise ValueError("has no target: it clears every partition")
        if self.kind == "varied":
            self._check_course()
        if self.duration_s is not None and self.kind not in LASTING:
            raise ValueError(f"{self.kind} has no duration")
        return self

    def _check_course(self) -> None:
        if self.course is None or self.duration_s is None:
            raise ValueError("needs a course and a duration, such as rate=square:5:20:4s 30s")
        if (count := self.course.count(self.duration_s)) > MOST_STEPS:
            raise ValueError(f"has {count} changes, more than the limit of {MOST_STEPS}; use longer steps")

    @property
    def changes(self) -> tuple[Fault, ...]:
        """The single changes of a varied value, except the last, which restores the value of the topology."""
        if self.course is None or self.duration_s is None:
            return ()
        return tuple(
            Fault(
                kind="link-values", target=self.target, towards=self.towards, time_s=round(self.time_s + after_s, 6),
                values=LinkValues.model_validate({self.course.value: value}),
            )
            for after_s, value in self.course.steps(self.duration_s)
        )  # fmt: skip

    @property
    def node(self) -> str:
        """The node in the target; empty if it names none, or several."""
        if self.kind in OF_NODES:
            return self.target
        return self.target.partition(":")[0] if self.kind in OF_INTERFACES | OF_DAEMONS else ""

    @property
    def part(self) -> str:
        """The daemon or interface in the target; empty if it names none."""
        return self.target.partition(":")[2] if self.kind in OF_INTERFACES | OF_DAEMONS else ""

    @property
    def side(self) -> tuple[str, ...]:
        """The nodes of one side of a partition."""
        return tuple(filter(None, self.target.split(","))) if self.kind == "partition" else ()

    @property
    def needs_link_namespace(self) -> bool:
        """Whether the fault needs a link that passes through the link namespace (see `wire.plan.LinkPlan`)."""
        if self.kind == "loss":
            return 0 < self.loss_percent < 100
        if self.course is not None:
            return self.course.value != "rate_mbit"
        values = self.values
        return values is not None and bool(values.delay_ms or values.jitter_ms or values.loss_percent)

    @property
    def ends_s(self) -> float:
        """The time at which the fault ends by itself; its start if it does not."""
        lasts_s = self.times * self.period_s if self.kind == "flap" else self.duration_s or 0.0
        return self.time_s + lasts_s
