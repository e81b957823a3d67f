"""Names and cables."""

from __future__ import annotations

from frrlib.model.reasons.reason import Reason

REASONS: dict[str, Reason] = {
    "duplicate-name": Reason(
        "Two nodes have one name.",
        "Links, flows and settings name nodes; with two of one name nobody can say which one is meant.",
        "Give each a name of its own. The label beside an icon may be the same.",
    ),
    "duplicate-link": Reason(
        "Two links have one id.",
        "Planned faults and results name links by their ids.",
        "Give each an id of its own.",
    ),
    "duplicate-flow": Reason(
        "Two flows have one id. A flow with a count of 3 has the ids `f.1`, `f.2` and `f.3`.",
        "Results and figures name flows by their ids.",
        "Give each an id of its own.",
    ),
    "illegal-name": Reason(
        "A node's name has letters that no host name has, or is too long.",
        "The name becomes a namespace, a host name, and the beginning of interface names.",
        "Take letters, digits, `_` and `-`; write anything else into the label. The name of a switch is that of a "
        "device and has up to 15 characters.",
    ),
    "illegal-interface": Reason(
        "The kernel takes no interface of that name.",
        "Interface names have 1 to 15 characters, and neither blanks nor slashes.",
        "Leave the name empty for an automatic one, or shorten it.",
    ),
    "duplicate-interface": Reason(
        "One node has two interfaces of one name, or names one twice.",
        "The second one cannot be made. All Open vSwitch switches of a lab share one namespace, so theirs must "
        "differ, too.",
        "Leave one of the names empty for an automatic one.",
    ),
    "loose-link": Reason(
        "An end of a link names a node that is not in the drawing.",
        "There is nothing to put the cable into.",
        "Draw the node, or delete the link.",
    ),
    "link-to-itself": Reason(
        "Both ends of a link are at one node.",
        "A packet that leaves there comes back at once; the lab does not build such cables.",
        "Link two nodes.",
    ),
    "controller-link": Reason(
        "A cable leads to a controller.",
        "A controller is reached over the lab's own network, not over a drawn cable.",
        "Name the controller at the switch, and delete the cable.",
    ),
    "unconnected": Reason("A node has no link.", "Nothing reaches it. That may be meant.", "Link it, or leave it."),
    "switching-loop": Reason(
        "Switches form a ring, and none of them speaks the spanning tree protocol.",
        "A broadcast, such as the first ARP request, goes round for ever and takes all of the links' capacity.",
        "Switch STP on at a bridge of the ring, take a link down, or leave the ring to a controller that can "
        "handle it.",
    ),
}
