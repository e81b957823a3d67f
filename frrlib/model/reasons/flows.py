"""Flows and planned faults."""

from __future__ import annotations

from frrlib.model.reasons.reason import Reason

REASONS: dict[str, Reason] = {
    "flow-to-itself": Reason("A flow goes from a node to itself.", "It crosses no link.", "Choose another end."),
    "no-node": Reason(
        "A flow names a node that is not in the drawing.",
        "It cannot be sent.",
        "Draw it, or choose another.",
    ),
    "no-end-system": Reason(
        "A flow begins or ends at a switch or a controller.",
        "These have no address of their own in the drawing's networks.",
        "Choose a host or a router.",
    ),
    "fraction": Reason(
        "A flow lasts for a fraction of a second.",
        "iperf3 sends for whole seconds: it would cut the fraction off without a word.",
        "Whole seconds, or a size in bytes.",
    ),
    "no-path": Reason(
        "No cable leads from a flow's source to its destination.",
        "It would fail after a timeout. Hosts forward nothing.",
        "Link both through switches or routers.",
    ),
    "unannounced": Reason(
        "A flow's end is in a network to which a router on the path will have no route.",
        "Nothing that is drawn could bring it one: no protocol announces that network as far as there, and no static "
        "or default route leads on. All routes that are expected will be there, and the flow fails all the same. Both "
        "ends are looked at, since answers have to come back.",
        "Announce the network where it is connected, such as among the networks of BGP.",
    ),
    "path-down": Reason(
        "Every path of a flow has a link that is down when the lab starts.",
        "The flow fails, unless a planned fault brings the link up in time.",
        "Let a link start with carrier.",
    ),
    "many-flows": Reason(
        "There are more flows than ports for them.",
        "Each has a TCP port of its own from 40001 on.",
        "Fewer flows.",
    ),
    "tool-cannot": Reason(
        "A flow is to be sent by iperf3, and asks for what iperf3 is not told here.",
        "Parallel streams, a class of service, marks, a pace or a connection from the other end would be passed over.",
        "Have it sent by our own sender, or leave the choice between it and iperf3 to the program.",
    ),
    "no-command": Reason(
        "A flow is a command, and there is none.",
        "Nothing would be sent.",
        "A line for a shell at the source, such as one that pings {address}.",
    ),
    "above-rate": Reason(
        "A flow sends more than a link on its path carries, and no congestion control slows it down.",
        "The queue is full as long as it lasts; what does not fit is lost, of other flows as well.",
        "A lower rate, unless an overload is what is looked at.",
    ),
    "one-way-bottleneck": Reason(
        "Greedy flows go both ways, and only one direction of the slow link has a rate.",
        "Only one direction has a queue. A test of latency under load wants both full, since ACKs wait as well.",
        "A rate in both directions.",
    ),
    "brief-bursts": Reason(
        "Bursts of a greedy flow are hardly longer than slow start.",
        "Each is over before it fills the link, so they tell of slow start and not of congestion control.",
        "Longer bursts, or a rate.",
    ),
    "dscp-unheeded": Reason(
        "A flow has a class of service, and no queue on its path looks at classes.",
        "Its packets wait with all others.",
        "A discipline that looks at it, such as cake with diffserv4, at the bottleneck.",
    ),
    "fragments": Reason(
        "Datagrams of a flow are larger than a frame.",
        "The kernel cuts each into several, and the loss of one loses all: loss and delay look worse than the link.",
        "At most 1472 bytes of payload.",
    ),
    "no-effect": Reason(
        "A flow has a setting that means nothing to what it sends.",
        "It is passed over.",
        "Leave it out.",
    ),
    "no-target": Reason(
        "A planned fault names what is not there, or what it cannot be done to.",
        "It would fail in the middle of a run.",
        "Name a node, link, interface or daemon of the drawing.",
    ),
    "late": Reason(
        "A planned fault comes when all flows are over.",
        "The run has ended by then: it never happens.",
        "An earlier time, or a longer flow.",
    ),
    "own-values": Reason(
        "A planned fault changes a value of a link that has tc commands of its own there.",
        "Rate, delay and queue of that direction are whatever its commands make of them; none of them is drawn, so "
        "none can be set to something else.",
        "Draw the direction's rate, delay and queue, or leave the fault out.",
    ),
    "outlasts": Reason(
        "A planned fault goes on beyond the last flow.",
        "The run ends before it is mended, so nothing is seen of that.",
        "A shorter fault, or a longer flow.",
    ),
    "no-flows": Reason(
        "Faults are planned, and no flows.",
        "Their times count from the start of the flows.",
        "Plan a flow.",
    ),
    "no-fault": Reason(
        "The lab cannot make one of the planned faults as it is told.",
        "It would fail in the middle of a run.",
        "What the message says.",
    ),
}
