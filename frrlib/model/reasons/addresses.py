"""Addresses and default routes."""

from __future__ import annotations

from frrlib.model.reasons.reason import Reason

REASONS: dict[str, Reason] = {
    "no-address": Reason(
        "An interface, or the end of a flow, has no address, and no free one was found for it.",
        "Nothing can be sent from it or to it.",
        "State an address in a network that has room, or link the node.",
    ),
    "unusable-address": Reason(
        "The address is a multicast or loopback address, or that of a network or of all its hosts.",
        "No station can have it; the kernel refuses it, or answers go astray.",
        "Take another address of the same network, or leave it empty for an automatic one.",
    ),
    "lonely-address": Reason(
        "The prefix is as long as the address (/32 or /128).",
        "No other station is in such a network, so neighbours on the link are not reached.",
        "Take a shorter prefix, such as /24 or /64.",
    ),
    "duplicate-address": Reason(
        "Two interfaces have one address, or one interface has it twice.",
        "The kernel refuses an address that an interface has already. On one net both answer, and which one is heard "
        "changes from moment to moment. On different nets routers deliver to the nearer one.",
        "Leave one of them empty for an automatic address, or state another one. Tables that never meet (VRFs) may "
        "have equal addresses.",
    ),
    "different-networks": Reason(
        "A station shares no network with any other on its net.",
        "It hears the others' frames and has no route to them. Sessions, gateways and routes that are missing for that "
        "reason are counted and not told one by one; if one of them is an error, so is this.",
        "Take an address of the network that the others are in, such as the one by which others call this station.",
    ),
    "overlapping-networks": Reason(
        "Two nets have networks that overlap.",
        "A router sends to one of them only, whichever has the longer prefix.",
        "Give each net a network of its own.",
    ),
    "no-default-route": Reason(
        "A host with several interfaces, or with a flow to a network that is not its own, has no default route.",
        "It reaches its own networks only.",
        "State the address of a router next to it as its default route.",
    ),
    "own-gateway": Reason(
        "A default route or a static route leads to an address of the node itself.",
        "The kernel refuses it, or packets never leave.",
        "State the address of the next router. A host without a default route gets one by itself.",
    ),
    "far-gateway": Reason(
        "The next hop of a route is in no network of the node, or the node has no link.",
        "The kernel refuses a route by a next hop that it cannot reach directly.",
        "State an address of a neighbouring router, or leave a host's default route empty for an automatic one.",
    ),
    "no-gateway": Reason(
        "No node has the address that a route leads to.",
        "Packets wait for an answer to ARP that never comes, and are dropped.",
        "State the address of a router, or leave a host's default route empty for an automatic one.",
    ),
    "overlapping-interfaces": Reason(
        "Two interfaces of one node are in overlapping networks.",
        "The kernel sends by the first of them, whichever link is meant.",
        "Give each interface a network of its own, or put them into different VRFs.",
    ),
    "loose-vlan": Reason(
        "A host has VLAN sub-interfaces and no interface to carry them.",
        "They cannot be made.",
        "Link the host.",
    ),
    "duplicate-vlan": Reason(
        "A host has one VLAN twice on its first interface.",
        "The second sub-interface cannot be made.",
        "Keep one of them.",
    ),
    "illegal-ip-base": Reason(
        "The preferences' network for automatic addresses cannot be read.",
        "10.0.0.0/8 is taken instead.",
        "Write a network, such as 10.0.0.0/8.",
    ),
}
