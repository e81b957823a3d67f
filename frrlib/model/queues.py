"""Queueing disciplines of a bottleneck, as values with their parameters. `render.queues` renders them for `tc`.

A parameter is None for the kernel's default, which differs between kernels and is read back from the running one. The
maximum length of the queue is the limit in the link's shape, for all disciplines. `queue_defaults` has the defaults.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from frrlib.model.base import KindOfValue
from frrlib.model.frames import FrameSizeRules
from frrlib.model.queue_defaults import default

Count = Annotated[int, Field(ge=1, le=2**31 - 1)]
Bytes = Annotated[int, Field(ge=1, le=4_000_000_000)]
Ms = Annotated[float, Field(gt=0, le=60_000, allow_inf_nan=False)]
RateMbit = Annotated[float, Field(gt=0, le=30_000, allow_inf_nan=False)]
#: A share above 0 and below 1.
Share = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]
Percent = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]


class Discipline(KindOfValue):
    """Settings that all disciplines have.

    Class attributes:
        limit_in: the kernel's unit of the queue: "packets", "bytes", or "memory" (the kernel's memory for the packets,
            about two to three times their length).
        has_own_limit: whether the kernel's default limit is kept if the link's shape states none, since the discipline
            keeps the queue short by itself.
    """

    limit_in: ClassVar[Literal["packets", "bytes", "memory"]] = "packets"
    has_own_limit: ClassVar[bool] = True

    def effective(self, parameter: str) -> Any:
        """The value of a parameter as set, or else its default; only for parameters with one (`queue_defaults`)."""
        value = getattr(self, parameter)
        return default(type(self).model_fields["kind"].default, parameter) if value is None else value


class Pfifo(Discipline):
    """First in, first out, counted in packets."""

    has_own_limit: ClassVar = False
    kind: Literal["pfifo"] = "pfifo"


class Bfifo(Discipline):
    """First in, first out, counted in bytes, so that small packets use less of the limit."""

    limit_in: ClassVar = "bytes"
    has_own_limit: ClassVar = False
    kind: Literal["bfifo"] = "bfifo"


class Fq(Discipline):
    """A queue for each flow, served in turn and paced at the rate of its socket.

    Attributes:
        flow_limit_packets: maximum queue of one flow.
        quantum_bytes, initial_quantum_bytes: amount that a flow may send per turn, and in its first turn.
        maxrate_mbit: maximum rate of each flow.
        buckets: size of the table of flows, a power of two.
        pacing: whether the pacing rates of sockets apply; None for yes.
        low_rate_threshold_mbit: flows paced below this rate are not batched.
        refill_delay_ms: idle time after which a flow's credit is refilled.
        timer_slack_us: maximum additional delay of a packet, which lets timers be shared.
        horizon_ms, horizon_drop: packets scheduled further ahead than this are dropped, or (False) sent at the horizon.
        orphan_mask: number of flows for packets without a socket, less one.
        ce_threshold_ms: packets older than this are marked (needs ECN).
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
        target_ms, interval_ms = self.effective("target_ms"), self.effective("interval_ms")
        if target_ms >= interval_ms:
            raise ValueError(f"target_ms is {target_ms:g}; it must be below interval_ms, {interval_ms:g}")
        return self


class Codel(_Codel):
    """One queue that drops when packets have waited longer than the target for a whole interval (RFC 8289).

    Attributes:
        target_ms: acceptable queueing delay; 5 ms by default.
        interval_ms: time for which it may be exceeded, about the longest round trip; 100 ms by default.
        ecn: whether ECN-capable packets are marked instead of dropped; None for no.
        ce_threshold_ms: delay above which every packet is marked at once, as for DCTCP.
    """

    kind: Literal["codel"] = "codel"


class FqCodel(_Codel):
    """A queue for each flow, and CoDel in each of them (RFC 8290).

    Attributes:
        target_ms, interval_ms, ecn, ce_threshold_ms: as in `Codel`; ECN is on by default.
        flows: number of queues; a hash assigns flows to them.
        quantum_bytes: amount that a queue may send per turn.
        memory_limit_bytes: maximum memory of all packets.
        drop_batch_packets: number of packets dropped at once from the longest queue when the limit is reached.
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
    """One queue that drops with a probability; a controller adapts it to keep the delay at its target (RFC 8033).

    Attributes:
        target_ms: target of the queueing delay; 15 ms by default.
        tupdate_ms: update interval of the probability; 15 ms by default, rounded to the kernel's ticks.
        alpha, beta: gains of the controller, in sixteenths and in the kernel's own scale: 2 and 20 by default.
        ecn: whether packets are marked instead of dropped while the probability is below a tenth.
        bytemode: whether the probability grows with the size of a packet.
        dq_rate_estimator: whether the delay is computed from the departure rate instead of measured.
    """

    kind: Literal["pie"] = "pie"


class FqPie(_Pie):
    """A queue for each flow, and PIE in each of them.

    Attributes:
        target_ms, tupdate_ms, alpha, beta, ecn, bytemode, dq_rate_estimator: as in `Pie`.
        flows: number of queues; a hash assigns flows to them.
        quantum_bytes: amount that a queue may send per turn.
        memory_limit_bytes: maximum memory of all packets.
        ecn_prob_percent: probability up to which packets are marked instead of dropped.
    """

    kind: Literal["fq_pie"] = "fq_pie"
    flows: Annotated[int, Field(ge=1, le=65_536)] | None = None
    quantum_bytes: Bytes | None = None
    memory_limit_bytes: Bytes | None = None
    ecn_prob_percent: Annotated[int, Field(ge=0, le=100)] | None = None


class Cake(Discipline):
    """A shaper with a queue for each flow, fairness between hosts, and an AQM in each queue.

    Attributes:
        diffserv: scheme by which DSCPs are sorted into priority tins.
        isolation: the entities between which it is fair.
        rtt_ms: typical round-trip time, which sets the AQM's target and interval; 100 by default.
        nat: whether addresses before NAT are used.
        wash: whether DSCPs are cleared on output.
        ack_filter: whether ACKs made redundant by a later one are dropped.
        split_gso: whether GSO packets are split.
        overhead_bytes: overhead of the link layer per packet; negative to correct the kernel's count.
        mpu_bytes: minimum counted size of a packet.
        link_layer: whether packets are counted in ATM cells, or with PTM's code.
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
    def aqm_target_ms(self) -> float:
        """The target of the queueing delay: a twentieth of the round-trip time."""
        return float(self.effective("rtt_ms")) / 20

    @property
    def accounting(self) -> FrameSizeRules:
        """Its frame sizes; with a stated overhead it counts from the network header on (`cake_calc_overhead`)."""
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
    """Drops early, with a probability that grows with the average queue between two thresholds (Floyd, Jacobson, 1993).

    Attributes:
        min_bytes, max_bytes: average queue at which dropping begins, and at which its probability is `probability`; by
            default a twelfth and a quarter of the limit.
        probability: the probability at `max_bytes`; 0.02 by default.
        avpkt_bytes: average packet, which scales the averaging; 1000 by default.
        burst_packets: burst that the average does not follow; (2 min + max) / (3 avpkt) by default.
        ecn: whether packets are marked instead of dropped below `max_bytes`.
        harddrop: whether ECN-capable packets are dropped above `max_bytes`, too.
        adaptive: whether the probability adapts to keep the average half-way between the thresholds.
        nodrop: with `ecn`: whether packets that cannot be marked are accepted.
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
    """Queues served in turn; a hash assigns flows to them (McKenney, 1990).

    Attributes:
        quantum_bytes: amount that a queue may send per turn; a full packet by default.
        perturb_s: time between two changes of the hash; 0 for never.
        flows: number of queues.
        divisor: size of the hash, a power of two.
        depth_packets: maximum queue of one flow; 127 by default.
        headdrop: whether the oldest packet is dropped instead of the newest.
    """

    kind: Literal["sfq"] = "sfq"
    quantum_bytes: Bytes | None = None
    perturb_s: Annotated[int, Field(ge=0, le=3600)] | None = None
    flows: Annotated[int, Field(ge=1, le=65_408)] | None = None
    divisor: Literal[256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536] | None = None
    depth_packets: Annotated[int, Field(ge=1, le=127)] | None = None
    headdrop: bool | None = None

    @property
    def capacity_packets(self) -> int:
        """The number of packets that all its queues have room for."""
        return int(self.effective("depth_packets") * self.effective("flows"))


class Choke(_Early):
    """RED that also drops a packet together with one of its flow in the queue (Pan, Prabhakar, Psounis, 2000).

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
    """Drop probabilities per bin of flows, and a low rate for unresponsive flows.

    Stochastic Fair Blue (Feng, Kandlur, Saha, Shin, 2001).

    Attributes:
        rehash_s: time between two changes of the hash.
        db_s: warm-up time before the change, in which both hashes are used.
        max_packets: maximum queue of one bin; 25 by default.
        target_packets: target of a bin's queue; 20 by default.
        increment, decrement: steps of a probability up and down, as shares.
        penalty_rate_packets_s, penalty_burst_packets: rate and burst of unresponsive flows.
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
        target_ms: target of the classic queue's delay; 15 by default.
        tupdate_ms: update interval of the probability; 16 by default.
        alpha, beta: gains of the controller in Hz.
        coupling_factor: ratio of the scalable queue's marking probability to the classic one's; 2 by default.
        step_thresh_ms: delay above which the shallow queue marks every packet; 1 by default.
        min_qlen_step_packets: minimum queue for that, in packets; 0 by default.
        classic_protection_percent: minimum share of the classic queue; 10 by default.
        any_ect: whether every ECN-capable flow uses the shallow queue, instead of those with ECT(1) only.
        drop_on_overload: whether ECN-capable packets are dropped, too, at the maximum of the classic probability;
            otherwise the queue grows to its limit.
        drop_early: whether packets are dropped on arrival instead of on departure.
        split_gso: whether GSO packets are split.
        memory_limit_bytes: maximum memory of all packets.
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

#: Class by kind, in the order in which forms offer them: plain ones, those that limit delay, those that share the link
#: among flows, older ones.
DISCIPLINES: dict[str, type[AnyDiscipline]] = {
    kind.model_fields["kind"].default: kind
    for kind in (Pfifo, Bfifo, FqCodel, Cake, Codel, Pie, FqPie, DualPi2, Fq, Sfq, Red, Choke, Sfb)
}
