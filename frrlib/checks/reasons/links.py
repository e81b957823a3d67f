"""Reasons for problems of links."""

from __future__ import annotations

from frrlib.checks.reason import Reason

REASONS: dict[str, Reason] = {
    "queue-without-rate": Reason(
        "A queue limit or a queueing discipline is set, but no rate.",
        "A link without a rate accepts packets as fast as they arrive, so no queue forms.",
        "Set a rate, or remove the limit and the discipline.",
    ),
    "bdp-without-delay": Reason(
        "A queue or a buffer is given in bandwidth-delay products, and the delay is 0. The queue of a link uses the "
        "delay of that link, both directions together.",
        "Any multiple of a product of 0 is 0.",
        "Set the delay of the link, or give the limit in packets, bytes or milliseconds.",
    ),
    "below-resolution": Reason(
        "A delay, a jitter or a share of packets is smaller than the kernel's resolution.",
        "tc counts delays in whole microseconds, and netem counts shares in steps of 1 in 2^32. A smaller value "
        "becomes 0. The lab then does not start, since it compares its settings with those that it reads back.",
        "Remove the value, or set at least one step.",
    ),
    "small-queue": Reason(
        "A queue is smaller than one full frame.",
        "With a limit in bytes no full frame would pass. With a limit in milliseconds or products, the lab uses one "
        "full frame instead.",
        "Set a limit of a few frames at least.",
    ),
    "much-jitter": Reason(
        "The jitter is larger than the delay.",
        "A delay cannot be negative, so the distribution is cut off at 0 and its mean differs from the delay in the "
        "topology.",
        "Set a jitter of at most the delay.",
    ),
    "reordering": Reason(
        "The jitter reorders packets.",
        "TCP treats a packet as lost if three later packets arrive first (RFC 5681). Linux waits longer after it has "
        "seen reordering (RACK, RFC 8985), but loss-based congestion control still reduces its window. Jitter in a "
        "real queue keeps the order.",
        "No action is needed if reordering is intended. Otherwise vary the delay over time (`vary l1 delay=sine:...`), "
        "or add cross traffic that fills a queue.",
    ),
    "all-lost": Reason(
        "A direction loses all packets.",
        "No packet arrives, but both ends still have carrier.",
        "Set a lower loss. Take the link down if the ends are to notice the failure.",
    ),
    "short-burst": Reason(
        "The average burst of RED or CHOKe is shorter than the lower threshold.",
        "`tc` refuses it: the average of such a short burst never reaches the threshold.",
        "Set a longer burst, or remove it to use the kernel's default.",
    ),
    "mark-beyond-queue": Reason(
        "The threshold for early drops is above the queue limit, or the limit exceeds the capacity of sfq.",
        "The queue is full before it reaches the threshold, so it behaves like a plain queue.",
        "Set a lower threshold, or a longer queue.",
    ),
    "memory-limit": Reason(
        "The limit of this discipline counts the memory that the kernel uses for packets.",
        "The memory is about two to three times the packet length, so fewer frames fit than the limit suggests.",
        "No action is needed. You can set a limit two to three times as large.",
    ),
    "large-burst": Reason(
        "The bucket of the shaper holds many frames.",
        "After each idle period, a full bucket passes at line rate. Congestion control that measures rates (BBR) takes "
        "this for the rate of the link, and the queue looks shorter than it is.",
        "Leave the burst empty. The default is three frames, or the amount that the link carries in a millisecond if "
        "that is more.",
    ),
    "two-losses": Reason(
        "Independent losses (or their correlation) and a burst loss model are both set.",
        "netem supports one loss model at a time.",
        "Remove one of them.",
    ),
    "reorder-without-delay": Reason(
        "Reordering is set, but no delay.",
        "netem reorders packets by sending some of them ahead of delayed ones.",
        "Set a delay, or remove the reordering.",
    ),
    "no-jitter": Reason(
        "A distribution or correlation of the jitter is set, but no jitter.",
        "The setting has no effect.",
        "Set a jitter, or reset its distribution and correlation to the defaults.",
    ),
    "mtu-mismatch": Reason(
        "The ends of a link have different MTUs.",
        "The side with the smaller MTU silently drops large packets of the other one. Small packets pass: ping works, "
        "and TCP stalls at its first full packet.",
        "Set the same MTU at both ends.",
    ),
    "small-mtu": Reason(
        "An interface with an IPv6 address has an MTU below 1280.",
        "IPv6 needs 1280 bytes (RFC 8200, section 5). The kernel disables IPv6 on such an interface.",
        "Set an MTU of 1280 or more.",
    ),
    "illegal-mac": Reason(
        "A MAC address is a group address or all zeros.",
        "No station can have it.",
        "Leave it empty for an automatic address, or use an even first byte.",
    ),
    "duplicate-mac": Reason(
        "Two interfaces on one net have the same MAC address.",
        "Bridges learn it alternately on two ports, and frames go to the wrong station.",
        "Leave one of them empty for an automatic address.",
    ),
    "own-commands": Reason(
        "A direction has its own tc commands.",
        "The lab runs them unchanged and does not analyze their effect on flows: a queue may be hidden, a limit may "
        "count packets in flight, a bucket may let bursts pass. Therefore the checks give no advice on this direction, "
        "its values cannot vary during a run, and the verdict on a run has no expectation for it.",
        "No action is needed to repeat a published setup. Otherwise set rate, delay and queue in the topology.",
    ),
    "no-full-frame": Reason(
        "A bucket or limit in a direction's tc commands is smaller than a full frame of the link's MTU, or a memory "
        "limit is smaller than the kernel's memory for one full frame.",
        "tbf drops every frame that is longer than its bucket, and so does a queue with a smaller limit. Pings and "
        "ACKs pass, and a flow stalls at its first full packet.",
        "Set at least the size of a full frame: MTU and Ethernet header, as the size table (`stab`) counts them.",
    ),
    "offloads-on": Reason(
        "An end of a link has segmentation and receive offloads on, in a lab with shaped links.",
        "A packet may then have 64 kB. It counts as one packet in the queue limit, is lost as a whole, and makes the "
        "traffic bursty.",
        "Leave offloads to the lab, unless they are the subject of the experiment.",
    ),
    "speedup": Reason(
        "A link has MiniEdit's speedup, and one of its ends is a switch.",
        "As in Mininet, the switch then sends at that rate instead of the rate in the topology, in this direction "
        "only.",
        "Set the rate of that direction instead, which everyone can see, or remove the speedup.",
    ),
    "loss-both-ways": Reason(
        "Both directions of a link lose packets.",
        "A share of `1 - (1 - p)(1 - q)` of the round trips fails. Ping shows this value, about twice the loss in the "
        "topology. TCP tolerates lost ACKs, since later ones carry the same information, so congestion control sees "
        "the loss of one direction.",
        "Set the loss in the direction of the data, unless both are intended.",
    ),
    "slow-frame": Reason(
        "At this rate a full frame takes longer than 200 ms.",
        "The retransmission timer of TCP may expire while the packet is still being sent (200 ms is the minimum of "
        "Linux), so TCP retransmits packets that were not lost.",
        "Set a rate above 0.06 Mbit/s, or take the link down.",
    ),
}
