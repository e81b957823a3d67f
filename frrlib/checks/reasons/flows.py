"""Reasons for problems of flows and planned faults."""

from __future__ import annotations

from frrlib.checks.reason import Reason

REASONS: dict[str, Reason] = {
    "flow-to-itself": Reason(
        "Source and destination of a flow are the same node.",
        "The flow crosses no link.",
        "Choose another source or destination.",
    ),
    "no-node": Reason(
        "A flow refers to a node that is not in the topology.",
        "The flow cannot be sent.",
        "Draw the node, or choose another one.",
    ),
    "no-end-system": Reason(
        "A flow starts or ends at a switch or a controller.",
        "Switches and controllers have no address in the networks of the topology.",
        "Choose a host or a router.",
    ),
    "fraction": Reason(
        "The duration of a flow is not a whole number of seconds.",
        "iperf3 sends for whole seconds. It would drop the fraction without a message.",
        "Enter whole seconds, or a size in bytes.",
    ),
    "no-path": Reason(
        "No path of links leads from the source of a flow to its destination.",
        "The flow would fail after a timeout. Hosts do not forward packets.",
        "Connect both through switches or routers.",
    ),
    "unannounced": Reason(
        "One end of a flow is in a network for which a router on the path will have no route.",
        "No protocol in the topology announces this network to that router, and it has no matching static or default "
        "route. The lab gets all routes that it expects, and the flow fails nevertheless. Both ends of a flow are "
        "checked, since replies need a route too.",
        "Announce the network where it is connected, for example in the list of BGP networks.",
    ),
    "path-down": Reason(
        "Every path of a flow has a link that is down when the lab starts.",
        "The flow fails, unless a planned fault brings the link up in time.",
        "Set a link of the path up at the start.",
    ),
    "many-flows": Reason(
        "The topology has more flows than available ports.",
        "Each flow has its own TCP port, starting from 40001.",
        "Reduce the number of flows.",
    ),
    "tool-cannot": Reason(
        "A flow uses iperf3 and has settings that iperf3 does not support here.",
        "Parallel streams, DSCP, ECN, pacing and connections opened by the destination would be ignored.",
        "Use the built-in sender, or leave the choice between it and iperf3 to the program.",
    ),
    "no-command": Reason(
        "A flow of the kind command has an empty command.",
        "Nothing would be sent.",
        "Enter a shell command for the source, for example one that pings {address}.",
    ),
    "above-rate": Reason(
        "A flow without congestion control sends more than a link on its path can carry.",
        "The queue is full as long as the flow lasts. The excess is lost, and so are packets of other flows.",
        "Lower the rate, unless the overload is intended.",
    ),
    "one-way-bottleneck": Reason(
        "Greedy flows run in both directions, and only one direction of the slow link has a rate.",
        "Only that direction has a queue. A test of latency under load needs both queues full, since ACKs wait as "
        "well.",
        "Set a rate in both directions.",
    ),
    "brief-bursts": Reason(
        "The bursts of a greedy flow are hardly longer than slow start.",
        "Each burst ends before it fills the link, so the results show slow start and not congestion avoidance.",
        "Use longer bursts, or set a rate.",
    ),
    "dscp-unheeded": Reason(
        "A flow has a DSCP, and no queue on its path uses it.",
        "Its packets are queued like all others.",
        "Use a queueing discipline with service classes at the bottleneck, such as cake with diffserv4.",
    ),
    "fragments": Reason(
        "The datagrams of a flow are larger than a frame.",
        "The kernel fragments each datagram, and the loss of one fragment loses the whole datagram. Measured loss and "
        "delay are then worse than those of the link.",
        "Use at most 1472 bytes of payload.",
    ),
    "no-effect": Reason(
        "A flow has a setting that does not apply to its kind of traffic.",
        "The setting is ignored.",
        "Remove it.",
    ),
    "no-target": Reason(
        "The target of a planned fault does not exist, or the fault does not apply to it.",
        "The fault would fail in the middle of a run.",
        "Choose a node, link, interface or daemon of the topology.",
    ),
    "late": Reason(
        "A planned fault starts after the end of all flows.",
        "The run has ended by then, so the fault never happens.",
        "Choose an earlier time, or a longer flow.",
    ),
    "own-values": Reason(
        "A planned fault changes a value of a link direction that has its own tc commands.",
        "The tc commands define rate, delay and queue of that direction. The topology has no values that could be "
        "changed.",
        "Set rate, delay and queue of the direction in the topology, or remove the fault.",
    ),
    "outlasts": Reason(
        "A planned fault lasts longer than the last flow.",
        "The run ends before the fault is cleared, so the results do not show the recovery.",
        "Choose a shorter fault, or a longer flow.",
    ),
    "no-flows": Reason(
        "The topology has planned faults and no flows.",
        "The times of faults count from the start of the flows.",
        "Plan a flow.",
    ),
    "no-fault": Reason(
        "The lab cannot apply one of the planned faults as it is configured.",
        "The fault would fail in the middle of a run.",
        "Make the change that the message names.",
    ),
}
