"""Reasons for problems of names and links."""

from __future__ import annotations

from frrlib.checks.reason import Reason

REASONS: dict[str, Reason] = {
    "duplicate-name": Reason(
        "Two nodes have the same name.",
        "Links, flows and settings refer to nodes by name. With two nodes of one name the reference is ambiguous.",
        "Give each node its own name. The labels beside the icons may be the same.",
    ),
    "duplicate-link": Reason(
        "Two links have the same ID.",
        "Planned faults and results refer to links by ID.",
        "Give each link its own ID.",
    ),
    "duplicate-flow": Reason(
        "Two flows have the same ID. A flow with a count of 3 has the IDs `f.1`, `f.2` and `f.3`.",
        "Results and figures refer to flows by ID.",
        "Give each flow its own ID.",
    ),
    "illegal-name": Reason(
        "The name of a node has characters that are not allowed in a host name, or is too long.",
        "The name is used for a namespace, for the host name, and as the beginning of interface names.",
        "Use letters, digits, `_` and `-`. Write any other text into the label. The name of a switch is also a device "
        "name and has up to 15 characters.",
    ),
    "illegal-interface": Reason(
        "The kernel does not accept this interface name.",
        "Interface names have 1 to 15 characters and contain neither blanks nor slashes.",
        "Leave the name empty for an automatic one, or shorten it.",
    ),
    "duplicate-interface": Reason(
        "One node has two interfaces of the same name, or a setting names an interface twice.",
        "The second one cannot be created. All Open vSwitch switches of a lab share one namespace, so their interface "
        "names must differ too.",
        "Leave one of the names empty for an automatic one.",
    ),
    "loose-link": Reason(
        "An end of a link refers to a node that is not in the topology.",
        "The link cannot be connected.",
        "Draw the node, or delete the link.",
    ),
    "link-to-itself": Reason(
        "Both ends of a link are at the same node.",
        "Packets would return to their sender at once. The lab does not build such links.",
        "Link two different nodes.",
    ),
    "controller-link": Reason(
        "A link ends at a controller.",
        "Switches reach their controller through the lab's control network, not through a drawn link.",
        "Select the controller in the settings of the switch, and delete the link.",
    ),
    "unconnected": Reason(
        "A node has no link.",
        "It cannot be reached. This may be intended.",
        "Link it, or leave it as it is.",
    ),
    "switching-loop": Reason(
        "Switches form a ring, and none of them runs the spanning tree protocol.",
        "A broadcast, such as the first ARP request, circulates forever and uses the full capacity of the links.",
        "Enable STP at a bridge of the ring, take a link down, or leave the ring to a controller that handles loops.",
    ),
}
