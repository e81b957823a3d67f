"""The purpose of each qdisc, and a table of all parameters of qdiscs, with the texts of the form.

A row of the table is a parameter, named as in the model. Several qdiscs may share it, with different defaults
(`frrlib.model.queue_defaults`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import get_args

from frrlib.model.frames import FULL_FRAME_BYTES
from frrlib.model.queue_defaults import default, has_default
from frrlib.model.queues import DISCIPLINES, Cake, Discipline, Fq, Sfq
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.kinds import TextKind
from miniedit_frr.dialogs.fields.quantities import (
    COUNT,
    NUMBER,
    PACKETS,
    RATE_MBIT,
    SIZE_BYTES,
    TIME_MS,
    TIME_S,
    TIME_US,
    WHOLE_PERCENT,
    WHOLE_S,
)

#: The purpose of each qdisc, in a sentence; None is the plain queue.
SENTENCES: dict[str | None, str] = {
    None: "First in, first out. Packets that find the queue full are dropped. The limit counts packets or bytes, as "
    "given.",
    "pfifo": "First in, first out. The limit counts packets.",
    "bfifo": "First in, first out. The limit counts bytes, so small packets use little of it.",
    "fq_codel": "One queue per flow, each controlled by CoDel (RFC 8290).",
    "cake": "Rate shaper with one queue per flow, each controlled by a variant of CoDel; shares the rate fairly "
    "between hosts.",
    "codel": "Drops packets when the queueing delay stays above a target for a whole interval (RFC 8289).",
    "pie": "Drops packets at random. A controller adjusts the probability to keep the queueing delay at a target (RFC "
    "8033).",
    "fq_pie": "One queue per flow, each controlled by PIE.",
    "dualpi2": "A low-latency queue for L4S flows and a classic queue for all others, coupled to share the link (RFC "
    "9332).",
    "fq": "One queue per flow, served in turn. Packets leave at the pace that their socket sets.",
    "sfq": "A hash spreads flows over several queues, which are served in turn.",
    "red": "Drops packets at random. The probability grows with the average queue length between two thresholds.",
    "choke": "RED; in addition, a packet is dropped together with a random queued packet if both belong to the same "
    "flow.",
    "sfb": "A drop probability per bin of flows. Flows that do not slow down are limited to a penalty rate.",
}


@dataclass(frozen=True)
class QueueParameter:
    """A parameter of qdiscs.

    Attributes:
        name: name in the model.
        label: label in the form.
        kind: the kind of the field.
        help: its meaning.
        help_by_kind: its meaning for qdiscs in which it differs from `help`.
        disabled: the default's text if the default is None.
    """

    name: str
    label: str
    kind: TextKind
    help: str
    help_by_kind: dict[str, str] = field(default_factory=dict)
    disabled: str = ""

    def is_of(self, qdisc: str) -> bool:
        """Whether a kind of qdisc has this parameter."""
        return self.name in DISCIPLINES[qdisc].model_fields

    def default_text(self, qdisc: str, frame_bytes: int = FULL_FRAME_BYTES) -> str:
        """The default at a kind of qdisc; empty if it follows from the limit of the queue."""
        if not has_default(qdisc, self.name):
            return ""
        value = default(qdisc, self.name, frame_bytes)
        if value is None:
            return self.disabled
        # A form shows a small number in the exponential notation of Python; a hint is easier to read without.
        return f"{Decimal(self.kind.show(value)):f}" if isinstance(value, float) else self.kind.show(value)


_MS, _S, _WHOLE_S = (kinds.quantity(measure, optional=True) for measure in (TIME_MS, TIME_S, WHOLE_S))
_US, _COUNT, _NUMBER = (kinds.quantity(measure, optional=True) for measure in (TIME_US, COUNT, NUMBER))
_PACKETS, _BYTES, _RATE = (kinds.quantity(measure, optional=True) for measure in (PACKETS, SIZE_BYTES, RATE_MBIT))
_PERCENT = kinds.quantity(WHOLE_PERCENT, optional=True)
_OWN = "default"
_ON_OFF = kinds.mapped({None: _OWN, True: "on", False: "off"})


def _one_of(discipline: type[Discipline], name: str) -> TextKind:
    """A choice of the values that the model allows for a parameter."""
    annotation = discipline.model_fields[name].annotation
    literal = next(value for value in get_args(annotation) if value is not type(None))
    return kinds.mapped({None: _OWN, **{value: str(value) for value in get_args(literal)}})


PARAMETERS: tuple[QueueParameter, ...] = (
    QueueParameter("target_ms", "Target", _MS, "Acceptable queueing delay.",
                   {"dualpi2": "Target queueing delay of the classic queue."}),
    QueueParameter("interval_ms", "Interval", _MS,
                   "Time that the delay may exceed the target. Use the longest round-trip time."),
    QueueParameter("step_thresh_ms", "Step", _MS,
                   "Packets with a longer queueing delay are marked in the low-latency queue (step_thresh)."),
    QueueParameter("tupdate_ms", "Update", _MS,
                   "Time between two updates of the drop probability (tupdate); rounded to the kernel's clock ticks.",
                   {"dualpi2": "Time between two updates of the drop probability (tupdate)."}),
    QueueParameter("alpha", "Alpha", _NUMBER, "Controller gain for the distance to the target, 0 to 32 in tc's units.",
                   {"dualpi2": "Controller gain for the distance to the target, in Hz."}),
    QueueParameter("beta", "Beta", _NUMBER, "Controller gain for the change of the delay, 0 to 32 in tc's units.",
                   {"dualpi2": "Controller gain for the change of the delay, in Hz."}),
    QueueParameter("coupling_factor", "Coupling", _COUNT,
                   "Marking probability of L4S packets relative to classic packets (coupling_factor)."),
    QueueParameter("classic_protection_percent", "Classic share", _PERCENT,
                   "Minimum share of the link for the classic queue, in percent (classic_protection)."),
    QueueParameter("min_qlen_step_packets", "Step from", _PACKETS,
                   "Minimum queue length at which the step threshold marks packets (min_qlen_step)."),
    QueueParameter("any_ect", "All ECN", _ON_OFF,
                   "All ECN-capable packets use the low-latency queue (any_ect), not only those marked as L4S."),
    QueueParameter("drop_on_overload", "On overload", _ON_OFF,
                   "On: drop also ECN-capable packets under overload. Off: let the queue grow to its limit."),
    QueueParameter("drop_early", "Drop early", _ON_OFF,
                   "Drop packets on arrival (drop_enqueue) instead of on departure."),
    QueueParameter("rtt_ms", "Round-trip time", _MS,
                   "Expected round-trip time (rtt). Target and interval of the AQM follow from it."),
    QueueParameter("diffserv", "Tins", _one_of(Cake, "diffserv"),
                   "Packets are sorted by DSCP into this set of priority tins (diffserv)."),
    QueueParameter("isolation", "Fair between", _one_of(Cake, "isolation"),
                   "The link is shared fairly between flows, hosts, or both."),
    QueueParameter("min_bytes", "Lower threshold", _BYTES, "Average queue length at which drops begin (min)."),
    QueueParameter("max_bytes", "Upper threshold", _BYTES,
                   "Average queue length at which the drop probability reaches its maximum (max)."),
    QueueParameter("min_packets", "Lower threshold",
                   _PACKETS, "Average queue length at which drops begin (min)."),
    QueueParameter("max_packets", "Upper threshold", _PACKETS,
                   "Average queue length at which the drop probability reaches its maximum (max).",
                   {"sfb": "Maximum queue length of one bin of flows (max)."}),
    QueueParameter("probability", "Drop probability", _NUMBER,
                   "Drop probability at the upper threshold, between 0 and 1 (probability)."),
    QueueParameter("avpkt_bytes", "Average packet", _BYTES,
                   "Size of an average packet, used to compute the average queue length (avpkt)."),
    QueueParameter("burst_packets", "Average burst", _PACKETS,
                   "Number of packets that may arrive at once before the average reacts (burst)."),
    QueueParameter("target_packets", "Target", _PACKETS, "Target queue length of one bin of flows (target)."),
    QueueParameter("increment", "Step up", _NUMBER,
                   "Added to the drop probability of a bin when its queue is full, between 0 and 1 (increment)."),
    QueueParameter("decrement", "Step down", _NUMBER,
                   "Subtracted from the drop probability of a bin when its queue is empty, between 0 and 1 "
                   "(decrement)."),
    QueueParameter("penalty_rate_packets_s", "Penalty rate", _COUNT,
                   "Packets per second for flows that do not slow down (penalty_rate)."),
    QueueParameter("penalty_burst_packets", "Penalty burst", _PACKETS,
                   "Packets that such flows may send at once (penalty_burst)."),
    QueueParameter("rehash_s", "Rehash", _S, "Time between two changes of the hash function."),
    QueueParameter("db_s", "Warm-up", _S,
                   "Time before a change in which the old and the new hash are both filled (db)."),
    QueueParameter("ecn", "ECN", _ON_OFF, "Mark ECN-capable packets instead of dropping them."),
    QueueParameter("ce_threshold_ms", "Mark above", _MS,
                   "All ECN-capable packets with a longer queueing delay are marked, as for DCTCP (ce_threshold).",
                   disabled="never"),
    QueueParameter("ecn_prob_percent", "Mark up to", _PERCENT,
                   "Above this drop probability, packets are dropped instead of marked (ecn_prob)."),
    QueueParameter("bytemode", "By size", _ON_OFF, "Larger packets have a higher drop probability (bytemode)."),
    QueueParameter("dq_rate_estimator", "Estimate rate", _ON_OFF,
                   "Compute the delay from the departure rate instead of timestamps (dq_rate_estimator)."),
    QueueParameter("harddrop", "Hard drop", _ON_OFF,
                   "Above the upper threshold, drop also ECN-capable packets (harddrop)."),
    QueueParameter("adaptive", "Adaptive", _ON_OFF,
                   "Adjust the drop probability to keep the average halfway between the thresholds (adaptive)."),
    QueueParameter("nodrop", "No drop", _ON_OFF, "With ECN: do not drop packets that cannot be marked (nodrop)."),
    QueueParameter("flows", "Queues", _COUNT, "Number of queues that flows are hashed into (flows)."),
    QueueParameter("flow_limit_packets", "Flow limit", _PACKETS, "Maximum queue length of one flow (flow_limit)."),
    QueueParameter("depth_packets", "Depth", _PACKETS, "Maximum queue length of one flow."),
    QueueParameter("quantum_bytes", "Quantum", _BYTES, "Bytes that a flow may send per turn."),
    QueueParameter("initial_quantum_bytes", "First quantum", _BYTES,
                   "Bytes that a new flow may send at once (initial_quantum)."),
    QueueParameter("memory_limit_bytes", "Memory", _BYTES, "Maximum memory of all queued packets (memory_limit)."),
    QueueParameter("drop_batch_packets", "Drop batch", _PACKETS,
                   "Maximum number of packets dropped at once from the longest queue when the limit is reached "
                   "(drop_batch)."),
    QueueParameter("maxrate_mbit", "Flow rate", _RATE, "Maximum rate of each flow (maxrate).", disabled="unlimited"),
    QueueParameter("pacing", "Pacing", _ON_OFF, "Respect the pacing rate that sockets set."),
    QueueParameter("low_rate_threshold_mbit", "Low rate", _RATE,
                   "Flows paced below this rate leave packet by packet, not in bursts (low_rate_threshold)."),
    QueueParameter("refill_delay_ms", "Refill", _MS,
                   "A flow that was idle for this long gets a new quantum (refill_delay)."),
    QueueParameter("timer_slack_us", "Timer slack", _US,
                   "Packets may leave this much later than planned, to save timers (timer_slack)."),
    QueueParameter("horizon_ms", "Horizon", _MS, "Maximum time ahead for which a packet may be scheduled."),
    QueueParameter("horizon_drop", "Beyond horizon",
                   kinds.mapped({None: _OWN, True: "drop", False: "send at the horizon"}),
                   "Treatment of packets scheduled beyond the horizon (horizon_drop or horizon_cap)."),
    QueueParameter("buckets", "Buckets", _one_of(Fq, "buckets"), "Size of the hash table of flows."),
    QueueParameter("orphan_mask", "Orphan mask", _COUNT,
                   "Hash mask for packets without a socket: they use this number of flows plus one (orphan_mask)."),
    QueueParameter("divisor", "Hash size", _one_of(Sfq, "divisor"),
                   "Size of the hash table that maps flows to queues (divisor)."),
    QueueParameter("perturb_s", "Perturb", _WHOLE_S, "Time between two changes of the hash function. 0: never."),
    QueueParameter("headdrop", "Head drop", _ON_OFF, "Drop the oldest packet instead of the newest (headdrop)."),
    QueueParameter("nat", "NAT", _ON_OFF, "Use the addresses before network address translation."),
    QueueParameter("wash", "Wash", _ON_OFF, "Clear the DSCP of packets that leave."),
    QueueParameter("ack_filter", "ACK filter", _one_of(Cake, "ack_filter"),
                   "Drop ACKs that a later ACK in the queue makes redundant (ack-filter)."),
    QueueParameter("split_gso", "Split GSO", _ON_OFF, "Split large GSO packets into frames (split-gso)."),
    QueueParameter("overhead_bytes", "Overhead", _BYTES,
                   "Bytes that the lower link layer adds to each packet, -64 to 256."),
    QueueParameter("mpu_bytes", "Minimum size", _BYTES, "Smaller packets are counted with this size (mpu)."),
    QueueParameter("link_layer", "Link layer", _one_of(Cake, "link_layer"),
                   "Count packets in ATM cells (atm) or in the PTM line code (ptm)."),
)  # fmt: skip
