"""Pitfalls of congestion control."""

from __future__ import annotations

from frrlib.model.reasons.reason import Reason

REASONS: dict[str, Reason] = {
    "sender-is-bottleneck": Reason(
        "The least rate on a flow's path is at the sender's own interface, or at a bridge behind it with neither a "
        "router nor a delay between.",
        "The kernel counts packets that wait there as the sender's own. TCP small queues then keep most of the "
        "data in the socket, so the queue stays at a few packets whatever congestion control does, and nothing is "
        "lost. The same flow through a router's queue fills it. Packets become the network's own where a router "
        "takes them in, or where they are delayed; cables and bridges within one kernel (and switches that run as "
        "bridges) pass them on as they are.",
        "Put the rate behind a router, or some of the delay between the sender and the queue.",
    ),
    "queue-below-bdp": Reason(
        "A first in, first out queue holds less than the bandwidth-delay product of a flow's whole path (divided "
        "by the root of the number of flows at once).",
        "When the queue overflows, a window that is halved (Reno) no longer fills the path, and the link is idle "
        "until it has grown again; CUBIC, which keeps 70 %, needs 0.43 of the product. Note that `queue_bdp` "
        "counts in the delay of its own link alone.",
        "About one product of the whole path, or less on purpose.",
    ),
    "large-queue": Reason(
        "A first in, first out queue holds more than ten bandwidth-delay products of the path.",
        "Loss-based congestion control fills it and keeps it full: round trips are then ten times as long as the "
        "path (bufferbloat), and everything in the figure is the buffer.",
        "About one product; or codel, fq_codel, cake, pie, which keep it short.",
    ),
    "isolated-flows": Reason(
        "Flows share a bottleneck with a queue for each flow (fq, fq_codel, fq_pie, sfq, cake).",
        "The discipline shares the rate out evenly, whatever the flows do, so nothing is learned about how one "
        "congestion control treats another. fq_codel, fq_pie and cake also keep each queue short (AQM).",
        "pfifo or bfifo where flows are to compete, codel, pie or red where with AQM; nothing where isolation is "
        "meant.",
    ),
    "ack-bottleneck": Reason(
        "The reverse path is too slow for the ACKs of the data.",
        "There is an ACK of 66 bytes for every second full frame, so the return path needs a 46th of the rate. With "
        "less the queue of ACKs is the bottleneck (RFC 3449).",
        "More rate on the return path, or cake's `ack_filter`.",
    ),
    "marks-unasked": Reason(
        "A queue was told to mark packets (ECN), and no flow across it asks for marks.",
        "Packets of senders that do not ask are dropped as ever. A Linux host asks only with its ECN on; unasked "
        "it answers those who do.",
        "Switch ECN on at the senders.",
    ),
    "no-marks": Reason(
        "A sender asks for ECN, and no queue on its path marks.",
        "It gets losses as ever.",
        "A queue that marks at the bottleneck: fq_codel and cake do unasked; codel, pie, fq_pie, red and choke "
        "with `ecn`.",
    ),
    "dctcp-without-marks": Reason(
        "A flow uses DCTCP, and no queue on its path marks.",
        "DCTCP reacts to the share of marked packets. Without any it behaves as Reno.",
        "A queue that marks early, such as red with `ecn` and low marks, or codel with `ce_threshold_ms`.",
    ),
    "no-bottleneck": Reason(
        "No link on a flow's path has a rate.",
        "The flow gets what this machine's processor can do, which is different each time and on each machine.",
        "Give a link on the path a rate.",
    ),
    "no-base-rtt": Reason(
        "No link on a flow's path has a delay.",
        "At rest a round trip takes some tens of microseconds of this machine's time. Windows are then a few "
        "packets, and round trips show queue and scheduling only.",
        "Give a link on the path a delay.",
    ),
    "short-flow": Reason(
        "A flow lasts for fewer than 20 round trips, or less than twice as long as slow start takes.",
        "What is measured is how the flow begins. Its mean rate says little about the congestion control.",
        "A longer flow, unless short flows are the subject.",
    ),
    "short-bbr": Reason(
        "A flow with BBR lasts less than 10 s.",
        "BBR drains its queue every 10 s to see the round trip at rest (PROBE_RTT). A shorter flow never does, and "
        "shows neither the dip nor what comes of it.",
        "A flow of more than 10 s, better 30.",
    ),
    "small-buffer": Reason(
        "A host's socket buffer is smaller than what the path can hold.",
        "The flow is limited by its buffer, not by the network: its window stops growing without any loss. A "
        "buffer holds about half its size in data, since the kernel counts its own cost of each packet.",
        "A buffer of at least two bandwidth-delay products of the path.",
    ),
    "buffer-below-queue": Reason(
        "A host's socket buffer holds the path, but not path and queue.",
        "A single flow never fills the queue, so it sees no loss: a queue of this size then changes nothing.",
        "A buffer for both, or none stated where the kernel's own is larger.",
    ),
    "path-mtu": Reason(
        "A link further on takes smaller packets than the first one.",
        "Full packets are dropped there, and a router says so by ICMP (a switch says nothing). Path MTU discovery "
        "costs the beginning of every connection.",
        "The smaller MTU from the start, or the larger one everywhere.",
    ),
    "fast-course": Reason(
        "A value of a link changes more often than once in a round trip of the flows across.",
        "A sender hears of each change a round trip later, when it is over. What it sees is an average and noise.",
        "A slower course, unless noise is meant.",
    ),
    "pacing-at-queues": Reason(
        "A host is to pace with `fq`, and all its links have a rate from the host on.",
        "The queue of that rate is at the interface already, and stays: there is no interface for `fq` to act on.",
        "fq as the discipline of that queue, or a router between.",
    ),
    "bbr-without-fq": Reason(
        "BBR is used on a host without `fq` at its interfaces.",
        "Since Linux 4.13 TCP then paces by its own timers. Rates come out the same; bursts are a little coarser, "
        "and each socket costs more processor time.",
        "Nothing, or pacing at the host, as is usual on servers.",
    ),
    "saved-metrics": Reason(
        "A host keeps round trip and slow start threshold of ended connections.",
        "The next flow to the same address begins with them, so that runs depend on the order of their flows.",
        "Leave it off, unless that is the subject.",
    ),
}
