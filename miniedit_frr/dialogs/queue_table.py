"""The purpose of each queueing discipline, and a table of their parameters, in the words of a form.

A row of the table is a parameter by its name in the model, which some disciplines share. The kernel's default stands
there for each discipline, since they differ in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import get_args

from frrlib.model.queues import Cake, Discipline, Fq, Sfq
from miniedit_frr.dialogs import kinds
from miniedit_frr.dialogs.kinds import Kind
from miniedit_frr.dialogs.quantities import (
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

#: The purpose of each discipline, in a sentence; None is the plain queue.
SENTENCES: dict[str | None, str] = {
    None: "First in, first out; full means dropped. Counted as its limit is.",
    "pfifo": "First in, first out, counted in packets.",
    "bfifo": "First in, first out, counted in bytes: small packets take little of it.",
    "fq_codel": "A queue for each flow, and CoDel in each of them (RFC 8290).",
    "cake": "Shaper, a queue for each flow, fair between hosts, and CoDel's kin in each: all in one.",
    "codel": "Drops once packets have waited longer than a target for a whole interval (RFC 8289).",
    "pie": "Drops with a chance that a controller moves until the delay is at its target (RFC 8033).",
    "fq_pie": "A queue for each flow, and PIE in each of them.",
    "dualpi2": "A shallow queue for L4S beside one for all others; they share the link (RFC 9332).",
    "fq": "A queue for each flow, served in turn; sockets' own paces are kept.",
    "sfq": "Flows are spread over queues by a hash, which are served in turn.",
    "red": "Drops early, with a chance that grows with the average queue between two marks.",
    "choke": "RED; and a packet that meets one of its own flow in the queue goes with it.",
    "sfb": "A chance of dropping for each bin of flows; those that do not react get a small rate.",
}
#: The kernel's default limit in packets, for disciplines with a limit of their own; None where it follows from other
#: things.
OWN_LIMITS: dict[str, int | None] = {
    "fq_codel": 10_240, "codel": 1000, "pie": 1000, "fq_pie": 10_240, "fq": 10_000, "sfq": 127, "dualpi2": 10_000,
    "cake": None,
}  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """A parameter of disciplines.

    Attributes:
        name: in the model.
        label: what it is called.
        kind: how it is written.
        help: what it means.
        usual: discipline to the kernel's default; empty where that follows from the limit.
        own: discipline to its meaning there, where that differs.
    """

    name: str
    label: str
    kind: Kind
    help: str
    usual: dict[str, str]
    own: dict[str, str] = field(default_factory=dict)


_MS, _S, _WHOLE_S = (kinds.quantity(each, optional=True) for each in (TIME_MS, TIME_S, WHOLE_S))
_US, _COUNT, _NUMBER = (kinds.quantity(each, optional=True) for each in (TIME_US, COUNT, NUMBER))
_PACKETS, _BYTES, _RATE = (kinds.quantity(each, optional=True) for each in (PACKETS, SIZE_BYTES, RATE_MBIT))
_PERCENT = kinds.quantity(WHOLE_PERCENT, optional=True)
_OWN = "kernel's own"
_ON_OFF = kinds.mapped({None: _OWN, True: "on", False: "off"})
_MEMORY = str(32 << 20)


def _one_of(discipline: type[Discipline], name: str) -> Kind:
    """One of the words or numbers that the model allows for a parameter."""
    annotation = discipline.model_fields[name].annotation
    literal = next(each for each in get_args(annotation) if each is not type(None))
    return kinds.mapped({None: _OWN, **{each: str(each) for each in get_args(literal)}})


PARAMETERS: tuple[Parameter, ...] = (
    Parameter("target_ms", "Target", _MS, "A queueing delay that is good enough.",
              {"codel": "5", "fq_codel": "5", "pie": "15", "fq_pie": "15", "dualpi2": "15"},
              {"dualpi2": "Queueing delay that the classic queue aims at."}),
    Parameter("interval_ms", "Interval", _MS, "How long the target may be exceeded: about the longest round trip.",
              {"codel": "100", "fq_codel": "100"}),
    Parameter("step_thresh_ms", "Step", _MS, "Delay from which on the shallow queue marks every packet.",
              {"dualpi2": "1"}),
    Parameter("tupdate_ms", "Update", _MS, "How often the chance is computed; rounded to the kernel's ticks.",
              {"pie": "15", "fq_pie": "15", "dualpi2": "16"}, {"dualpi2": "How often the chance is computed."}),
    Parameter("alpha", "Alpha", _NUMBER, "Gain on the distance to the target, 0 to 32, in the kernel's scale.",
              {"pie": "2", "fq_pie": "2", "dualpi2": "0.16"}, {"dualpi2": "Gain on the distance, in Hz."}),
    Parameter("beta", "Beta", _NUMBER, "Gain on the change of the delay, 0 to 32, in the kernel's scale.",
              {"pie": "20", "fq_pie": "20", "dualpi2": "3.2"}, {"dualpi2": "Gain on the change of the delay, in Hz."}),
    Parameter("coupling_factor", "Coupling", _COUNT, "How much more often scalable flows are marked.",
              {"dualpi2": "2"}),
    Parameter("classic_protection_percent", "Classic share", _PERCENT, "Of the time: the classic queue's at least.",
              {"dualpi2": "10"}),
    Parameter("min_qlen_step_packets", "Step from", _PACKETS, "Packets that there must be for the step to mark.",
              {"dualpi2": "0"}),
    Parameter("any_ect", "All ECN", _ON_OFF, "Every flow with ECN goes by the shallow queue, not only L4S.",
              {"dualpi2": "off"}),
    Parameter("drop_on_overload", "On overload", _ON_OFF, "Drop even what could be marked; else fill up to the limit.",
              {"dualpi2": "on"}),
    Parameter("drop_early", "Drop early", _ON_OFF, "Drop packets when they come, not when they leave.",
              {"dualpi2": "off"}),
    Parameter("rtt_ms", "Round trip", _MS, "The usual one; target and interval of its AQM follow.", {"cake": "100"}),
    Parameter("diffserv", "Tins", _one_of(Cake, "diffserv"), "By which marks packets are sorted by urgency.",
              {"cake": "diffserv3"}),
    Parameter("isolation", "Fair between", _one_of(Cake, "isolation"), "Flows, hosts, or both.",
              {"cake": "triple-isolate"}),
    Parameter("min_bytes", "Lower mark", _BYTES, "Average queue at which dropping begins.", {"red": ""}),
    Parameter("max_bytes", "Upper mark", _BYTES, "Average queue at which the chance is the one below.", {"red": ""}),
    Parameter("min_packets", "Lower mark", _PACKETS, "Average queue at which dropping begins.", {"choke": ""}),
    Parameter("max_packets", "Upper mark", _PACKETS, "Average queue at which the chance is the one below.",
              {"choke": "", "sfb": "25"}, {"sfb": "The longest queue of one bin of flows."}),
    Parameter("probability", "Chance", _NUMBER, "Of a drop at the upper mark, 0 to 1.", {"red": "", "choke": ""}),
    Parameter("avpkt_bytes", "Average packet", _BYTES, "Its size, by which the average is taken.",
              {"red": "", "choke": ""}),
    Parameter("burst_packets", "Average burst", _PACKETS, "Packets that may come at once before the average follows.",
              {"red": "", "choke": ""}),
    Parameter("target_packets", "Target", _PACKETS, "Length of a bin's queue that is aimed at.", {"sfb": "20"}),
    Parameter("increment", "Step up", _NUMBER, "Of a bin's chance, 0 to 1, when its queue is full.", {"sfb": "0.0005"}),
    Parameter("decrement", "Step down", _NUMBER, "Of a bin's chance, 0 to 1, when its queue is empty.",
              {"sfb": "0.00005"}),
    Parameter("penalty_rate_packets_s", "Penalty rate", _COUNT, "Packets a second for flows that do not react.",
              {"sfb": "10"}),
    Parameter("penalty_burst_packets", "Penalty burst", _PACKETS, "That such flows may send at once.", {"sfb": "20"}),
    Parameter("rehash_s", "Rehash", _S, "How often the hash is changed.", {"sfb": "600"}),
    Parameter("db_s", "Double", _S, "How long before that both hashes are learned.", {"sfb": "60"}),
    Parameter("ecn", "ECN", _ON_OFF, "Mark rather than drop where packets can be marked.",
              {"codel": "off", "fq_codel": "on", "pie": "off", "fq_pie": "off", "red": "off", "choke": "off"}),
    Parameter("ce_threshold_ms", "Mark from", _MS, "Delay from which on every packet is marked, as for DCTCP.",
              {"codel": "never", "fq_codel": "never", "fq": "never"}),
    Parameter("ecn_prob_percent", "Mark up to", _PERCENT, "Chance up to which packets are marked, not dropped.",
              {"fq_pie": "10"}),
    Parameter("bytemode", "By size", _ON_OFF, "Whether large packets have a larger chance.",
              {"pie": "off", "fq_pie": "off"}),
    Parameter("dq_rate_estimator", "Estimate rate", _ON_OFF, "Compute the delay from the rate, not from time stamps.",
              {"pie": "off", "fq_pie": "off"}),
    Parameter("harddrop", "Hard drop", _ON_OFF, "Above the upper mark drop even what could be marked.", {"red": "off"}),
    Parameter("adaptive", "Adaptive", _ON_OFF, "The chance keeps the average half-way between the marks.",
              {"red": "off"}),
    Parameter("nodrop", "No drop", _ON_OFF, "With ECN: let pass what cannot be marked.", {"red": "off"}),
    Parameter("flows", "Queues", _COUNT, "That flows are spread over by a hash.",
              {"fq_codel": "1024", "fq_pie": "1024", "sfq": "128"}),
    Parameter("flow_limit_packets", "Flow limit", _PACKETS, "The longest queue of one flow.", {"fq": "100"}),
    Parameter("depth_packets", "Depth", _PACKETS, "The longest queue of one flow.", {"sfq": "127"}),
    Parameter("quantum_bytes", "Quantum", _BYTES, "What a flow may send in its turn.",
              {"fq_codel": "1514", "fq_pie": "1514", "fq": "3028", "sfq": "1514"}),
    Parameter("initial_quantum_bytes", "First quantum", _BYTES, "What a new flow may send at once.", {"fq": "15140"}),
    Parameter("memory_limit_bytes", "Memory", _BYTES, "Of all packets together.",
              {"fq_codel": _MEMORY, "fq_pie": _MEMORY, "dualpi2": ""}),
    Parameter("drop_batch_packets", "Drop batch", _PACKETS, "Dropped at once from the longest queue when it is full.",
              {"fq_codel": "64"}),
    Parameter("maxrate_mbit", "Flow rate", _RATE, "Pace that no flow exceeds.", {"fq": "unlimited"}),
    Parameter("pacing", "Pacing", _ON_OFF, "Whether sockets' paces are kept.", {"fq": "on"}),
    Parameter("low_rate_threshold_mbit", "Low rate", _RATE, "Flows paced below this are not batched.", {"fq": "0.55"}),
    Parameter("refill_delay_ms", "Refill", _MS, "Idle time after which a flow gets its credit anew.", {"fq": "40"}),
    Parameter("timer_slack_us", "Timer slack", _US, "How late a packet may leave, so that timers are shared.",
              {"fq": "10"}),
    Parameter("horizon_ms", "Horizon", _MS, "The furthest time ahead that a packet may be stamped with.",
              {"fq": "10000"}),
    Parameter("horizon_drop", "Beyond", kinds.mapped({None: _OWN, True: "drop", False: "send at it"}),
              "What becomes of packets stamped beyond the horizon.", {"fq": "drop"}),
    Parameter("buckets", "Buckets", _one_of(Fq, "buckets"), "Size of the table of flows.", {"fq": "1024"}),
    Parameter("orphan_mask", "Orphans", _COUNT, "Flows for packets without a socket, less one.", {"fq": "1023"}),
    Parameter("divisor", "Hash size", _one_of(Sfq, "divisor"), "Size of the table that flows are hashed into.",
              {"sfq": "1024"}),
    Parameter("perturb_s", "Perturb", _WHOLE_S, "How often the hash is changed; 0 is never.", {"sfq": "0"}),
    Parameter("headdrop", "Head drop", _ON_OFF, "Drop the oldest packet rather than the newest.", {"sfq": "off"}),
    Parameter("nat", "NAT", _ON_OFF, "Whether addresses before translation count.", {"cake": "off"}),
    Parameter("wash", "Wash", _ON_OFF, "Take marks of urgency away on the way out.", {"cake": "off"}),
    Parameter("ack_filter", "ACK filter", _one_of(Cake, "ack_filter"), "Drop ACKs that a later one makes needless.",
              {"cake": "no"}),
    Parameter("split_gso", "Split", _ON_OFF, "Take super-packets apart.", {"cake": "on", "dualpi2": "on"}),
    Parameter("overhead_bytes", "Overhead", _BYTES, "What the link below adds to each packet; may be negative.",
              {"cake": "0"}),
    Parameter("mpu_bytes", "Least packet", _BYTES, "What the smallest packet counts.", {"cake": "0"}),
    Parameter("link_layer", "Cells", _one_of(Cake, "link_layer"), "Count in cells of ATM, or in PTM's code.",
              {"cake": "noatm"}),
)  # fmt: skip
