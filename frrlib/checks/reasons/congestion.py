"""Reasons for problems of congestion control experiments."""

from __future__ import annotations

from frrlib.checks.reason import Reason

REASONS: dict[str, Reason] = {
    "sender-is-bottleneck": Reason(
        "The lowest rate on the path of a flow is at the sender's own interface, or at a bridge that is separated from "
        "the sender by neither a router nor a delay.",
        "The kernel accounts packets in that queue to the sender's socket. TCP small queues then keep most of the data "
        "in the socket, so the queue stays at a few packets with any congestion control, and no packet is lost. The "
        "same flow fills the queue of a router. Packets are no longer accounted to the sender once a router receives "
        "them, or once they are delayed. Links and bridges within one kernel (and switches that run as bridges) do not "
        "change the accounting.",
        "Move the rate behind a router, or move some of the delay between the sender and the queue.",
    ),
    "queue-below-bdp": Reason(
        "A FIFO queue is smaller than the bandwidth-delay product of a flow's whole path (divided by the square root "
        "of the number of simultaneous flows).",
        "When the queue overflows, a window that is halved (Reno) no longer fills the path, and the link is idle until "
        "the window has grown again. CUBIC, which keeps 70 % of the window, needs 0.43 of the product. Note that "
        "`queue_bdp` uses only the delay of its own link.",
        "Set about one product of the whole path, or keep a smaller queue on purpose.",
    ),
    "large-queue": Reason(
        "A FIFO queue is larger than ten bandwidth-delay products of the path.",
        "Loss-based congestion control fills it and keeps it full. Round trips are then ten times as long as the path "
        "(bufferbloat), and the figures show mainly the buffer.",
        "Set about one product, or use codel, fq_codel, cake or pie, which keep the queue short.",
    ),
    "isolated-flows": Reason(
        "Flows share a bottleneck that has a separate queue for each flow (fq, fq_codel, fq_pie, sfq, cake).",
        "The discipline divides the rate evenly among the flows, so the results do not show how one congestion control "
        "affects another. fq_codel, fq_pie and cake also keep each queue short (AQM).",
        "Use pfifo or bfifo if flows are to compete, or codel, pie or red for competition with AQM. Keep the "
        "discipline if isolation is intended.",
    ),
    "ack-bottleneck": Reason(
        "The reverse path is too slow for the ACKs of the data.",
        "TCP sends one ACK of 66 bytes for every second full frame, so the return path needs 1/46 of the rate. With "
        "less, the queue of ACKs is the bottleneck (RFC 3449).",
        "Raise the rate of the return path, or use `ack_filter` of cake.",
    ),
    "marks-unasked": Reason(
        "A queue marks packets (ECN), but no flow through it uses ECN.",
        "Packets of senders without ECN are dropped as usual. A Linux host requests ECN only if it is on. By default "
        "it only accepts requests from others.",
        "Turn ECN on at the senders.",
    ),
    "no-marks": Reason(
        "A sender uses ECN, and no queue on its path marks packets.",
        "Its packets are dropped as usual instead.",
        "Use a queue that marks at the bottleneck: fq_codel and cake mark by default; codel, pie, fq_pie, red and "
        "choke mark with `ecn`.",
    ),
    "dctcp-without-marks": Reason(
        "A flow uses DCTCP, and no queue on its path marks packets.",
        "DCTCP reacts to the share of marked packets. Without marks it behaves like Reno.",
        "Use a queue that marks early, such as red with `ecn` and low thresholds, or codel with `ce_threshold_ms`.",
    ),
    "no-bottleneck": Reason(
        "No link on the path of a flow has a rate.",
        "The speed of this machine's processor limits the flow. It differs between runs and between machines.",
        "Set the rate of a link on the path.",
    ),
    "no-base-rtt": Reason(
        "No link on the path of a flow has a delay.",
        "The base RTT is then some tens of microseconds of this machine's time. Windows are a few packets, and the "
        "measured RTT shows only queueing and scheduling.",
        "Set the delay of a link on the path.",
    ),
    "short-flow": Reason(
        "A flow is shorter than 20 round trips, or shorter than twice the duration of slow start.",
        "The results show how the flow starts. Its mean rate says little about the congestion control.",
        "Use a longer flow, unless short flows are the subject.",
    ),
    "short-bbr": Reason(
        "A flow with BBR is shorter than 10 s.",
        "BBR drains its queue every 10 s to measure the minimum RTT (PROBE_RTT). A shorter flow never does, so the "
        "results show neither the dip nor its consequences.",
        "Use a flow of more than 10 s, preferably 30 s.",
    ),
    "small-buffer": Reason(
        "The socket buffer of a host is smaller than the capacity of the path.",
        "The buffer limits the flow instead of the network: the window stops growing without any loss. A buffer holds "
        "about half its size in data, since the kernel also counts its overhead for each packet.",
        "Set a buffer of at least two bandwidth-delay products of the path.",
    ),
    "buffer-below-queue": Reason(
        "The socket buffer of a host is large enough for the path, but not for the path and the queue.",
        "A single flow never fills the queue and sees no loss, so the size of the queue has no effect.",
        "Set a buffer for both, or leave it empty if the kernel's default is larger.",
    ),
    "path-mtu": Reason(
        "A link further along the path has a smaller MTU than the first one.",
        "Full packets are dropped there. A router reports this by ICMP, a switch does not. Path MTU discovery delays "
        "the start of every connection.",
        "Set the smaller MTU on the first link, or the larger one on all links.",
    ),
    "fast-course": Reason(
        "A value of a link changes more than once in a round trip of the flows through it.",
        "A sender notices each change one round trip later, when the next change has already happened. It observes an "
        "average and noise.",
        "Use a slower variation, unless noise is intended.",
    ),
    "pacing-at-queues": Reason(
        "A host uses pacing with `fq`, and all its links have a rate in the direction away from the host.",
        "Each interface already has the queue of that rate, so the host has no interface on which `fq` can be set.",
        "Use fq as the discipline of that queue, or put a router between.",
    ),
    "bbr-without-fq": Reason(
        "BBR is used on a host without `fq` on its interfaces.",
        "Since Linux 4.13, TCP then paces with its own timers. The rates are the same. Bursts are slightly coarser, "
        "and each socket uses more processor time.",
        "No action is needed. You can turn on fq pacing at the host, as is usual on servers.",
    ),
    "saved-metrics": Reason(
        "A host keeps the RTT and the slow start threshold of ended connections.",
        "The next flow to the same address starts with these values, so the results of a run depend on the order of "
        "its flows.",
        "Turn it off, unless it is the subject of the experiment.",
    ),
}
