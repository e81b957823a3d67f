"""Reasons for problems of addresses and default routes."""

from __future__ import annotations

from frrlib.checks.reason import Reason

REASONS: dict[str, Reason] = {
    "no-address": Reason(
        "An interface, or the end of a flow, has no address, and automatic addressing found no free one.",
        "It can neither send nor receive.",
        "Enter an address in a network that has free addresses, or link the node.",
    ),
    "unusable-address": Reason(
        "The address is a multicast address, a loopback address, a network address or a broadcast address.",
        "No station can have it. The kernel refuses it, or replies are lost.",
        "Choose another address of the same network, or leave the field empty for an automatic address.",
    ),
    "lonely-address": Reason(
        "The prefix is as long as the address (/32 or /128).",
        "The network contains no other station, so neighbors on the link cannot be reached.",
        "Use a shorter prefix, such as /24 or /64.",
    ),
    "duplicate-address": Reason(
        "Two interfaces have the same address, or one interface has it twice.",
        "The kernel refuses an address that the interface already has. On one net both stations answer ARP, and the "
        "station that receives the packets changes from moment to moment. On different nets, routers deliver to the "
        "nearer station.",
        "Leave one of them empty for an automatic address, or enter another one. Routing tables that are never "
        "connected (VRFs) may use the same addresses.",
    ),
    "different-networks": Reason(
        "A station shares no network with any other station on its net.",
        "It receives the frames of the others and has no route to them. Problems with sessions, gateways and routes "
        "that follow from this are counted and not listed one by one. If one of them is an error, this is an error "
        "too.",
        "Choose an address in the network of the others, such as the address by which other nodes refer to this "
        "station.",
    ),
    "overlapping-networks": Reason(
        "Two nets have networks that overlap.",
        "A router sends to only one of them: the one with the longer prefix.",
        "Give each net its own network.",
    ),
    "no-default-route": Reason(
        "A host has no default route, although it has several interfaces or a flow to a network that is not its own.",
        "It reaches only its own networks.",
        "Enter the address of an adjacent router as its default route.",
    ),
    "own-gateway": Reason(
        "A default route or a static route points to an address of the node itself.",
        "The kernel refuses it, or packets never leave the node.",
        "Enter the address of the next router. A host without a default route gets one automatically.",
    ),
    "far-gateway": Reason(
        "The next hop of a route is in no network of the node, or the node has no link.",
        "The kernel refuses a route with a next hop that it cannot reach directly.",
        "Enter an address of a neighboring router, or leave a host's default route empty for an automatic one.",
    ),
    "no-gateway": Reason(
        "No node has the address that a route points to.",
        "Packets wait for an ARP reply that never arrives, and are dropped.",
        "Enter the address of a router, or leave a host's default route empty for an automatic one.",
    ),
    "overlapping-interfaces": Reason(
        "Two interfaces of one node are in overlapping networks.",
        "The kernel sends all packets for these networks through the first of the two interfaces.",
        "Give each interface its own network, or put them into different VRFs.",
    ),
    "loose-vlan": Reason(
        "A host has VLAN sub-interfaces but no interface to carry them.",
        "They cannot be created.",
        "Link the host.",
    ),
    "duplicate-vlan": Reason(
        "A host has the same VLAN twice on its first interface.",
        "The second sub-interface cannot be created.",
        "Remove one of them.",
    ),
    "illegal-ip-base": Reason(
        "The network for automatic addresses in the preferences is not valid.",
        "10.0.0.0/8 is used instead.",
        "Enter a network, such as 10.0.0.0/8.",
    ),
}
