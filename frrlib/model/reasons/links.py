"""Links."""

from __future__ import annotations

from frrlib.model.reasons.reason import Reason

REASONS: dict[str, Reason] = {
    "queue-without-rate": Reason(
        "A queue's limit or discipline is given, and no rate.",
        "A link without a rate takes packets as fast as they come, so no queue ever forms.",
        "Give a rate, or take the limit and the discipline away.",
    ),
    "bdp-without-delay": Reason(
        "A queue or a buffer counts in bandwidth-delay products, and there is no delay to multiply with. The queue "
        "of a link counts in that link's own delay, of both directions together.",
        "Any number of products of 0 is 0.",
        "Give the link a delay, or the limit in packets, bytes or milliseconds.",
    ),
    "below-resolution": Reason(
        "A delay, a jitter or a share of packets is smaller than the kernel can apply.",
        "tc counts delays in whole microseconds and netem shares in steps of 1 in 2^32. A smaller value becomes 0, and "
        "the lab does not start, since its settings are read back and compared.",
        "Give no value, or at least one step.",
    ),
    "small-queue": Reason(
        "A queue has no room for one full frame.",
        "In bytes nothing full-sized would ever pass; in milliseconds or products one frame is taken instead.",
        "Give it a few frames at least.",
    ),
    "much-jitter": Reason(
        "The delay varies by more than the delay itself.",
        "A packet cannot arrive before it leaves: the distribution is cut off at 0, and its mean is no longer the "
        "delay that is drawn.",
        "At most as much jitter as delay.",
    ),
    "reordering": Reason(
        "Jitter lets packets overtake each other.",
        "TCP takes a packet that is three later ones behind for a lost one (RFC 5681); Linux waits longer when it "
        "has seen reordering (RACK, RFC 8985), yet windows of loss-based congestion control suffer. Jitter in a "
        "real queue keeps the order.",
        "Nothing, if overtaking is meant; otherwise let the delay change over time (`vary l1 delay=sine:...`), or "
        "let cross traffic fill a queue.",
    ),
    "all-lost": Reason(
        "A direction loses everything.",
        "Nothing arrives, and both ends have carrier all the same.",
        "Less loss; or take the link down, where the ends should notice.",
    ),
    "short-burst": Reason(
        "RED or CHOKe is to follow a burst that is shorter than its lower mark.",
        "`tc` refuses it: the average of so short a burst never comes to that mark.",
        "A longer burst, or none, for the kernel's own.",
    ),
    "mark-beyond-queue": Reason(
        "A queue is to drop early at a length that it cannot have, or sfq has not room for the limit.",
        "It is full first, and so is a plain queue.",
        "A lower mark, or a longer queue.",
    ),
    "memory-limit": Reason(
        "The limit of this discipline counts the memory that the kernel spends on packets.",
        "That is some two to three times their length, so fewer frames fit than the number says.",
        "Nothing, or a limit two to three times as large.",
    ),
    "large-burst": Reason(
        "The shaper's bucket holds many frames.",
        "After each idle moment so much passes at line rate. Congestion control that measures rates (BBR) takes "
        "that for the link's rate, and the queue looks shorter than it is.",
        "None stated: three frames, or what the link carries in a millisecond, where that is more.",
    ),
    "two-losses": Reason(
        "Single losses (or their correlation) and losses in bursts are both given.",
        "netem has one kind of loss at a time.",
        "Keep one of them.",
    ),
    "reorder-without-delay": Reason(
        "Packets are to skip the delay, and there is none.",
        "netem reorders by letting some packets go ahead of those that wait.",
        "Give a delay, or no reordering.",
    ),
    "no-jitter": Reason(
        "It is said how the jitter is spread, and there is none.",
        "Nothing comes of it.",
        "Give a jitter, or leave its distribution and correlation as they are unasked.",
    ),
    "mtu-mismatch": Reason(
        "The ends of a link have different MTUs.",
        "Packets that one side may send the other one drops without a word. Small ones pass: ping works, and TCP "
        "stops at its first full packet.",
        "The same MTU at both ends.",
    ),
    "small-mtu": Reason(
        "An interface with an IPv6 address has an MTU below 1280.",
        "IPv6 needs 1280 bytes (RFC 8200, section 5), and the kernel takes it away from such an interface.",
        "An MTU of 1280 or more.",
    ),
    "illegal-mac": Reason(
        "A hardware address is that of a group, or all zero.",
        "No station can have it.",
        "Leave it empty for the kernel's choice, or begin with an even byte.",
    ),
    "duplicate-mac": Reason(
        "Two interfaces on one net have one hardware address.",
        "Bridges learn it now here, now there, and frames go to the wrong one.",
        "Leave one of them empty for the kernel's choice.",
    ),
    "own-commands": Reason(
        "A direction has tc commands of its own.",
        "They are carried out as they are. What they do to a flow nobody here works out: a queue may stand where "
        "nothing sees it, a limit may count what is under way, a bucket may let bursts pass. So no advice is given on "
        "this direction, it cannot be varied while it runs, and a run's verdict expects nothing of it.",
        "Nothing, if a set-up is to be repeated as it was published; otherwise draw rate, delay and queue.",
    ),
    "no-full-frame": Reason(
        "A bucket or a limit in a direction's own tc commands is smaller than a full frame of the link's MTU, or a "
        "limit counts memory and is smaller than what the kernel spends on one full frame.",
        "tbf drops every frame that is longer than its bucket, and so does a queue with a smaller limit. Pings and "
        "ACKs pass, and a flow stops at its first full packet.",
        "A size of a full frame at least: MTU and Ethernet header, as the size table (`stab`) counts them.",
    ),
    "offloads-on": Reason(
        "An end of a link keeps its segmentation and receive offloads in a lab with shaped links.",
        "A packet may then be of 64 kB: it counts as one in a queue's limit, is lost whole, and comes in lumps.",
        "Leave it to the lab, unless offloads are the subject.",
    ),
    "speedup": Reason(
        "A link has MiniEdit's speedup, and a switch at one of its ends.",
        "As in Mininet the switch then sends at that rate in the place of the drawn one, in this direction only.",
        "Draw the rate of that direction, which everybody sees; or take the speedup away.",
    ),
    "loss-both-ways": Reason(
        "Both directions of a link lose packets.",
        "Of round trips `1 - (1 - p)(1 - q)` fail, about twice the number in the drawing, and that is what ping "
        "shows. TCP bears lost ACKs well, since later ones say the same, so the loss that congestion control sees "
        "is that of one direction.",
        "Put the loss where the data go, unless both are meant.",
    ),
    "slow-frame": Reason(
        "At this rate a full frame takes longer than 200 ms.",
        "TCP's timer may run out while the packet is still being sent (200 ms is the least that Linux waits), so "
        "it sends again what was never lost.",
        "A rate above 0.06 Mbit/s, or a link that is down.",
    ),
}
