"""Queueing disciplines of a bottleneck, as values: what each can be told, and nothing of how the kernel is told it.

Every parameter is None for the kernel's own default, which differs between kernels and is read back from the one that
runs. How long the queue may grow is not said here but by the limit of the link's shape, the same way for all.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from frrlib.model.base import KindOfValue
from frrlib.model.frames import FrameSizeRules

#: The packet that RED takes as the usual one unless it is told.
USUAL_PACKET_BYTES = 1000

Count = Annotated[int, Field(ge=1, le=2**31 - 1)]
Bytes = Annotated[int, Field(ge=1, le=4_000_000_000)]
Ms = Annotated[float, Field(gt=0, le=60_000, allow_inf_nan=False)]
RateMbit = Annotated[float, Field(gt=0, le=30_000, allow_inf_nan=False)]
#: A share between 0 and 1, neither of them.
Share = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]
Percent = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]


class Discipline(KindOfValue):
    """Settings that all disciplines have.

    Class attributes:
        limit_in: what the kernel counts the queue in: "packets", "bytes", or "memory", the bytes that the kernel
            spends on the packets, some two to three times their length.
        has_own_limit: whether the kernel's own limit is one to be kept where the link's shape states none, since
            something else keeps the queue short.
    """

    limit_in: ClassVar[Literal["packets", "bytes", "memory"]] = "packets"
    has_own_limit: ClassVar[bool] = True


class Pfifo(Discipline):
    """First in, first out, counted in packets."""

    has_own_limit: ClassVar = False
    kind: Literal["pfifo"] = "pfifo"


class Bfifo(Discipline):
    """First in, first out, counted in bytes, so that small packets take little of it."""

    limit_in: ClassVar = "bytes"
    has_own_limit: ClassVar = False
    kind: Literal["bfifo"] = "bfifo"


class Fq(Discipline):
    """A queue for each flow, served in turn, and each sent at the pace that its socket asks for.

    Attributes:
        flow_limit_packets: the longest queue of one flow.
        quantum_bytes, initial_quantum_bytes: what a flow may send in its turn, and in its first one.
        maxrate_mbit: pace that no flow exceeds.
        buckets: size of the table of flows, a power of two.
        pacing: whether sockets' paces are heeded; None for yes.
        low_rate_threshold_mbit: flows paced below this are not batched.
        refill_delay_ms: after how long idle a flow gets its credit anew.
        timer_slack_us: by how much later than asked a packet may leave, so that timers can be shared.
        horizon_ms, horizon_drop: packets stamped further ahead than this are dropped, or (False) leave at the horizon.
        orphan_mask: how many flows packets without a socket are spread over, less one.
        ce_threshold_ms: packets older than this are marked instead of not (needs ECN).
    """

    kind: Literal["fq"] = "fq"
    flow_limit_packets: Count | None = None
    quantum_bytes: Bytes | None = None
    initial_quantum_bytes: Bytes | None = None
    maxrate_mbit: RateMbit | None = None
    buckets: Literal[16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536] | None = None
    pacing: bool | None = None
    low_rate_threshold_mbit: RateMbit | None = None
    refill_delay_ms: Ms | None = None
    timer_slack_us: Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)] | None = None
    horizon_ms: Ms | None = None
    horizon_drop: bool | None = None
    orphan_mask: Count | None = None
    ce_threshold_ms: Ms | None = None


class _Codel(Discipline):
    target_ms: Ms | None = None
    interval_ms: Ms | None = None
    ecn: bool | None = None
    ce_threshold_ms: Ms | None = None

    @model_validator(mode="after")
    def _target_below_interval(self) -> Self:
        target_ms, interval_ms = self.target_ms or 5.0, self.interval_ms or 100.0
        if target_ms >= interval_ms:
            raise ValueError(f"target_ms is {target_ms:g}; it must be below interval_ms, {interval_ms:g}")
        return self


class Codel(_Codel):
    """One queue that drops when packets have waited longer than the target for a whole interval (RFC 8289).

    Attributes:
        target_ms: a queueing delay that is good enough; 5 ms unless given.
        interval_ms: for how long it may be exceeded, about the longest round trip; 100 ms unless given.
        ecn: whether packets are marked rather than dropped where they can be; None for no.
        ce_threshold_ms: a delay from which on every packet is marked at once, as for DCTCP.
    """

    kind: Literal["codel"] = "codel"


class FqCodel(_Codel):
    """A queue for each flow, and CoDel in each of them (RFC 8290).

    Attributes:
        target_ms, interval_ms, ecn, ce_threshold_ms: as in `Codel`; ECN is on unless it is off here.
        flows: number of queues that flows are spread over by a hash.
        quantum_bytes: what a flow may send in its turn.
        memory_limit_bytes: memory of all packets together.
        drop_batch_packets: how many are dropped at once from the longest queue when there is no room.
    """

    kind: Literal["fq_codel"] = "fq_codel"
    flows: Annotated[int, Field(ge=1, le=65_536)] | None = None
    quantum_bytes: Bytes | None = None
    memory_limit_bytes: Bytes | None = None
    drop_batch_packets: Count | None = None


class _Pie(Discipline):
    target_ms: Ms | None = None
    tupdate_ms: Ms | None = None
    alpha: Annotated[int, Field(ge=0, le=32)] | None = None
    beta: Annotated[int, Field(ge=0, le=32)] | None = None
    ecn: bool | None = None
    bytemode: bool | None = None
    dq_rate_estimator: bool | None = None


class Pie(_Pie):
    """One queue that drops with a chance that a controller moves until the delay is at its target (RFC 8033).

    Attributes:
        target_ms: the queueing delay that is aimed at; 15 ms unless given.
        tupdate_ms: how often the chance is computed; 15 ms unless given, rounded to the kernel's ticks.
        alpha, beta: gains of the controller, in sixteenths and in the kernel's own scale: 2 and 20 unless given.
        ecn: whether packets are marked rather than dropped while the chance is below a tenth.
        bytemode: whether large packets have a larger chance.
        dq_rate_estimator: whether the delay is computed from the rate at which the queue empties, instead of measured.
    """

    kind: Literal["pie"] = "pie"


class FqPie(_Pie):
    """A queue for each flow, and PIE in each of them.

    Attributes:
        target_ms, tupdate_ms, alpha, beta, ecn, bytemode, dq_rate_estimator: as in `Pie`.
        flows: number of queues that flows are spread over by a hash.
        quantum_bytes: what a flow may send in its turn.
        memory_limit_bytes: memory of all packets together.
        ecn_prob_percent: up to which chance packets are marked rather than dropped.
    """

    kind: Literal["fq_pie"] = "fq_pie"
    flows: Annotated[int, Field(ge=1, le=65_536)] | None = None
    quantum_bytes: Bytes | None = None
    memory_limit_bytes: Bytes | None = None
    ecn_prob_percent: Annotated[int, Field(ge=0, le=100)] | None = None


class Cake(Discipline):
    """A shaper of its own with a queue for each flow, fair between hosts, and an AQM in each of them.

    Attributes:
        diffserv: by which marks packets are sorted into tins of different urgency.
        isolation: between whom it is fair.
        rtt_ms: the usual round trip, from which the AQM's target and interval follow; 100 unless given.
        nat: whether addresses before translation count.
        wash: whether marks of urgency are taken away on the way out.
        ack_filter: whether ACKs that a later one makes needless are dropped.
        split_gso: whether super-packets are taken apart.
        overhead_bytes: what the link below adds to each packet; negative where the kernel counts too much.
        mpu_bytes: what the smallest packet counts.
        link_layer: whether packets are counted in cells of ATM, or in PTM's code.
    """

    limit_in: ClassVar = "memory"
    kind: Literal["cake"] = "cake"
    diffserv: Literal["besteffort", "diffserv3", "diffserv4", "diffserv8", "precedence"] | None = None
    isolation: (
        Literal["flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate"]
        | None
    ) = None
    rtt_ms: Ms | None = None
    nat: bool | None = None
    wash: bool | None = None
    ack_filter: Literal["no", "yes", "aggressive"] | None = None
    split_gso: bool | None = None
    overhead_bytes: Annotated[int, Field(ge=-64, le=256)] | None = None
    mpu_bytes: Annotated[int, Field(ge=0, le=256)] | None = None
    link_layer: Literal["noatm", "atm", "ptm"] | None = None

    @property
    def accounting(self) -> FrameSizeRules:
        """How it counts frames: with an overhead given it counts from the network header on (`cake_calc_overhead`)."""
        return FrameSizeRules(
            overhead_bytes=self.overhead_bytes or 0,
            replaces_ethernet=self.overhead_bytes is not None,
            mpu_bytes=self.mpu_bytes or 0,
            link_layer="ethernet" if self.link_layer is None or self.link_layer == "noatm" else self.link_layer,
        )


class _Early(Discipline):
    has_own_limit: ClassVar = False
    probability: Share | None = None
    avpkt_bytes: Annotated[int, Field(ge=64, le=65_535)] | None = None
    burst_packets: Count | None = None
    ecn: bool | None = None


class Red(_Early):
    """Drops early with a chance that grows with the average queue between two marks (Floyd and Jacobson, 1993).

    Attributes:
        min_bytes, max_bytes: average queue at which dropping begins, and at which its chance is `probability`; unless
            given a twelfth and a quarter of the limit.
        probability: the chance at `max_bytes`; 0.02 unless given.
        avpkt_bytes: the usual packet, 1000 unless given, by which the average is taken.
        burst_packets: how many packets may come at once before the average follows; unless given
            (2 min + max) / (3 avpkt).
        ecn: whether packets are marked rather than dropped below `max_bytes`.
        harddrop: whether packets are dropped above `max_bytes` although they could be marked.
        adaptive: whether the chance adapts itself so that the average stays half-way between the marks.
        nodrop: with `ecn`: packets that cannot be marked are let pass.
    """

    limit_in: ClassVar = "bytes"
    kind: Literal["red"] = "red"
    min_bytes: Bytes | None = None
    max_bytes: Bytes | None = None
    harddrop: bool | None = None
    adaptive: bool | None = None
    nodrop: bool | None = None

    @model_validator(mode="after")
    def _min_below_max(self) -> Self:
        if self.min_bytes and self.max_bytes and self.min_bytes >= self.max_bytes:
            raise ValueError(f"min_bytes is {self.min_bytes}; it must be below max_bytes, {self.max_bytes}")
        return self


class Sfq(Discipline):
    """Flows are spread over some queues by a hash, which are served in turn (McKenney, 1990).

    Attributes:
        quantum_bytes: what a queue may send in its turn; a full packet unless given.
        perturb_s: how often the hash is changed; 0 is never.
        flows: number of queues.
        divisor: size of the hash, a power of two.
        depth_packets: the longest queue of one flow; 127 unless given.
        headdrop: whether the oldest packet is dropped rather than the newest.
    """

    kind: Literal["sfq"] = "sfq"
    quantum_bytes: Bytes | None = None
    perturb_s: Annotated[int, Field(ge=0, le=3600)] | None = None
    flows: Annotated[int, Field(ge=1, le=65_408)] | None = None
    divisor: Literal[256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536] | None = None
    depth_packets: Annotated[int, Field(ge=1, le=127)] | None = None
    headdrop: bool | None = None


class Choke(_Early):
    """RED, and a packet that meets one of its own flow in the queue goes with it (Pan, Prabhakar, Psounis, 2000).

    Attributes:
        min_packets, max_packets: as `Red.min_bytes` and `Red.max_bytes`, in packets.
        probability, avpkt_bytes, burst_packets, ecn: as in `Red`.
    """

    kind: Literal["choke"] = "choke"
    min_packets: Count | None = None
    max_packets: Count | None = None

    @model_validator(mode="after")
    def _min_below_max(self) -> Self:
        if self.min_packets and self.max_packets and self.min_packets >= self.max_packets:
            raise ValueError(f"min_packets is {self.min_packets}; it must be below max_packets, {self.max_packets}")
        return self


class Sfb(Discipline):
    """Chances of dropping for bins that flows are hashed into, and a small rate for those that do not react.

    Stochastic Fair Blue (Feng, Kandlur, Saha, Shin, 2001).

    Attributes:
        rehash_s: how often the hash is changed.
        db_s: for how long before the change both hashes are learned.
        max_packets: the longest queue of one bin; 25 unless given.
        target_packets: the length of a bin's queue that is aimed at; 20 unless given.
        increment, decrement: steps of a chance up and down, shares.
        penalty_rate_packets_s, penalty_burst_packets: what flows get that do not react.
    """

    has_own_limit: ClassVar = False
    kind: Literal["sfb"] = "sfb"
    rehash_s: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)] | None = None
    db_s: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)] | None = None
    max_packets: Annotated[int, Field(ge=1, le=65_535)] | None = None
    target_packets: Annotated[int, Field(ge=1, le=65_535)] | None = None
    increment: Share | None = None
    decrement: Share | None = None
    penalty_rate_packets_s: Count | None = None
    penalty_burst_packets: Count | None = None


class DualPi2(Discipline):
    """Two queues that share a link: a shallow one for scalable congestion controls, PI2 for all others (RFC 9332).

    Attributes:
        target_ms: queueing delay of the classic queue that is aimed at; 15 unless given.
        tupdate_ms: how often the chance is computed; 16 unless given.
        alpha, beta: gains of the controller in Hz.
        coupling_factor: by how much more often the scalable queue is marked; 2 unless given.
        step_thresh_ms: delay from which on the shallow queue marks every packet; 1 unless given.
        min_qlen_step_packets: so many packets there must be for that; 0 unless given.
        classic_protection_percent: share of the time that the classic queue gets at least; 10 unless given.
        any_ect: whether every flow with ECN goes by the shallow queue, not those of ECT(1) alone.
        drop_on_overload: whether, when the classic chance is at its most, packets that could be marked are dropped too;
            else the queue fills up to its limit.
        drop_early: whether packets are dropped when they come, not when they leave.
        split_gso: whether super-packets are taken apart.
        memory_limit_bytes: memory of all packets together.
    """

    kind: Literal["dualpi2"] = "dualpi2"
    target_ms: Ms | None = None
    tupdate_ms: Ms | None = None
    alpha: Annotated[float, Field(gt=0, le=255, allow_inf_nan=False)] | None = None
    beta: Annotated[float, Field(gt=0, le=255, allow_inf_nan=False)] | None = None
    coupling_factor: Annotated[int, Field(ge=1, le=255)] | None = None
    step_thresh_ms: Ms | None = None
    min_qlen_step_packets: Annotated[int, Field(ge=0, lt=2**31)] | None = None
    classic_protection_percent: Annotated[int, Field(ge=0, le=100)] | None = None
    any_ect: bool | None = None
    drop_on_overload: bool | None = None
    drop_early: bool | None = None
    split_gso: bool | None = None
    memory_limit_bytes: Bytes | None = None


#: All disciplines of a bottleneck.
AnyDiscipline = Pfifo | Bfifo | Fq | FqCodel | Codel | Pie | FqPie | Cake | Red | Sfq | Choke | Sfb | DualPi2
Queue = Annotated[AnyDiscipline, Field(discriminator="kind")]

#: Kind to class, in the order in which they are offered: the plain ones, those that limit delay, those that divide
#: the link between flows, the older ones.
DISCIPLINES: dict[str, type[AnyDiscipline]] = {
    kind.model_fields["kind"].default: kind
    for kind in (Pfifo, Bfifo, FqCodel, Cake, Codel, Pie, FqPie, DualPi2, Fq, Sfq, Red, Choke, Sfb)
}
