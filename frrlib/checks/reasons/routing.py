"""Reasons for problems of routing: settings of all protocols, then OSPF, IS-IS, RIP, BFD, PIM, LDP and VRFs."""

from __future__ import annotations

from frrlib.checks.reason import Reason

REASONS: dict[str, Reason] = {
    "refused-line": Reason(
        "FRR refuses a line of a router's configuration.",
        "The line would silently be missing in the lab.",
        "Correct the line as the message of FRR says. Your own lines are on the router's page frr.conf.",
    ),
    "mixed-route": Reason(
        "A static route mixes IPv4 and IPv6.",
        "FRR refuses it.",
        "Use a next hop of the same address family as the prefix.",
    ),
    "no-routes": Reason(
        "A router with an adjacent router runs no routing daemon.",
        "It has routes only to its own networks, so it drops packets for networks behind the other router.",
        "Configure OSPF, BGP or static routes. A preset in the menu configures all routers.",
    ),
    "no-interface": Reason(
        "A setting names an interface that the router does not have.",
        "The setting has no effect, or FRR refuses it.",
        "Choose one of the router's interfaces.",
    ),
    "foreign-source": Reason(
        "A protocol redistributes routes of a source that it does not support.",
        "FRR refuses the line.",
        "Choose another source.",
    ),
    "no-source": Reason(
        "A protocol redistributes routes of a protocol that does not run on this router.",
        "The source has no routes.",
        "Run that protocol, or remove the source.",
    ),
    "duplicate-source": Reason(
        "A source is listed twice.",
        "The second entry replaces the first.",
        "Remove one of them.",
    ),
    "no-route-map": Reason(
        "A route map is referenced but not defined.",
        "FRR then announces no routes.",
        "Define it, or refer to another route map.",
    ),
    "no-router-id": Reason(
        "A daemon needs a router ID (or system ID), and the router has no IPv4 address from which to derive it.",
        "The daemon does not start the protocol.",
        "Set an ID, or give the router a loopback address.",
    ),
    "duplicate-router-id": Reason(
        "Two routers have the same router ID (or system ID).",
        "They overwrite each other's link states, and routes flap.",
        "Leave the field empty for an automatic ID, or set another one.",
    ),
    "bfd-local": Reason(
        "A multihop BFD session has no local address, or one that the router does not have.",
        "FRR refuses it.",
        "Set an address of the router, such as that of a loopback.",
    ),
    "bfd-nobody": Reason(
        "No other router has the address of the BFD peer.",
        "The session stays down.",
        "Enter the address of a neighboring router.",
    ),
    "bfd-far": Reason(
        "The BFD peer is on none of the router's links.",
        "Packets of single-hop BFD have a TTL of 255 and are rejected after one hop (RFC 5881).",
        "Use multihop, with a local address.",
    ),
    "bfd-one-sided": Reason(
        "BFD is enabled on only one side of a link.",
        "The BFD session stays down. The protocol continues without it.",
        "Enable BFD on both sides.",
    ),
    "no-group": Reason(
        "A multicast group is not a multicast address, or a peer group is referenced but not defined.",
        "FRR refuses it.",
        "Use a group within 224.0.0.0/4, or a peer group of the router.",
    ),
    "no-rp": Reason(
        "PIM has no rendezvous point.",
        "Only source-specific groups (232.0.0.0/8) work.",
        "Set the same rendezvous point on all routers.",
    ),
    "unknown-rp": Reason(
        "No router has the address of the rendezvous point.",
        "Multicast traffic of the senders does not reach the receivers.",
        "Use the loopback address of a router.",
    ),
    "ldp-address": Reason(
        "The router ID of LDP is not an address of the router.",
        "Other routers connect to it to establish sessions.",
        "Use a loopback address.",
    ),
    "ldp-loopback": Reason(
        "The router ID of LDP is the address of a link.",
        "All sessions end when that link goes down.",
        "Use a loopback address.",
    ),
    "ldp-alone": Reason(
        "LDP runs without an interior routing protocol.",
        "LDP assigns labels to routes, and the router has none.",
        "Run OSPF or IS-IS as well.",
    ),
    "ldp-timers": Reason(
        "The hold time of LDP is not longer than its hello interval.",
        "Sessions flap, because neighbors expire before the next hello.",
        "Set a hold time of three hello intervals.",
    ),
    "vrf-name": Reason(
        "A VRF has the name of another VRF or of an interface.",
        "A VRF is a network device, so its name must be unique.",
        "Choose another name.",
    ),
    "vrf-table": Reason(
        "Two VRFs have the same routing table, or one uses a table of the kernel.",
        "Their routes would be mixed.",
        "Give the VRF its own table, such as 10.",
    ),
    "vrf-interface": Reason(
        "An interface is in two VRFs, or the OSPF of a VRF lists an interface that is not in the VRF.",
        "An interface has one routing table.",
        "Remove it from one of them.",
    ),
    "ospf-timers": Reason(
        "The dead interval is not longer than the hello interval.",
        "A neighbor expires before its next hello.",
        "Use a dead interval of four hello intervals, as is usual.",
    ),
    "illegal-area": Reason(
        "A text is not a valid area.",
        "FRR refuses it.",
        'Enter a number or a dotted quad, such as "0" or "0.0.0.1".',
    ),
    "stub-backbone": Reason(
        "Area 0 is configured as a stub area or an NSSA.",
        "The backbone carries the routes of the other areas, so it cannot be a stub area or an NSSA.",
        "Make it a normal area.",
    ),
    "duplicate-area": Reason(
        "An area is configured twice.",
        "The second entry replaces the first.",
        "Remove one of them.",
    ),
    "ospf-network": Reason(
        "OSPFv3 is configured with a network type that FRR's OSPFv3 does not support.",
        "FRR refuses it.",
        "Choose point-to-point or broadcast.",
    ),
    "unused-key": Reason(
        "A key is set for a protocol without keys (OSPFv3, RIPng).",
        "The key is ignored: the link is not protected.",
        "Remove it, or use the older version of the protocol.",
    ),
    "long-key": Reason(
        "A plain password of OSPF has more than 8 characters.",
        "The packet has room for 8 characters.",
        "Choose a shorter one, or set a key number for MD5.",
    ),
    "ospf-alone": Reason(
        "OSPF has no interface to run on.",
        "It has no neighbors.",
        "Link the router.",
    ),
    "ospf-mismatch": Reason(
        "Two neighbors differ in a value that OSPF compares (RFC 2328, section 10.5), in the network type or in the "
        "MTU.",
        "They form no adjacency, or their database exchange does not finish.",
        "Set the same value on both sides.",
    ),
    "cut-off-area": Reason(
        "No router of an area is also in area 0.",
        "Areas exchange routes only through the backbone (RFC 2328, section 3.1).",
        "Add an area border router with interfaces in both areas.",
    ),
    "unused-cost": Reason(
        "An interface has an OSPF cost, but the router does not run OSPF.",
        "The cost has no effect.",
        "Remove it, or run OSPF.",
    ),
    "isis-nothing": Reason(
        "IS-IS routes neither IPv4 nor IPv6.",
        "It announces no networks.",
        "Enable one of them, or both.",
    ),
    "isis-alone": Reason(
        "IS-IS has no interface to run on.",
        "It has no neighbors.",
        "Link the router.",
    ),
    "isis-level": Reason(
        "The level of an interface is not a level of its router.",
        "The interface forms no adjacency.",
        "Choose a level of the router.",
    ),
    "isis-mismatch": Reason(
        "Two neighbors differ in level, area, network type, keys, address families or MTU.",
        "They form no adjacency, or packets between them are lost.",
        "Set the same value on both sides, or make the change that the message names.",
    ),
    "rip-timers": Reason(
        "The timeout of routes is not longer than the update interval.",
        "Routes flap, because they expire before the next update.",
        "Use a timeout of six update intervals, as is usual.",
    ),
    "rip-alone": Reason(
        "RIP has no interface to run on.",
        "It has no neighbors.",
        "Link the router.",
    ),
    "rip-mismatch": Reason(
        "Two neighbors have different keys, or routes expire on one before the other one sends its next update.",
        "They ignore each other's updates, or routes flap.",
        "Set the same values on both sides.",
    ),
    "rip-far": Reason(
        "Two routers with RIP are more than 15 hops apart.",
        "RIP counts to 15. A metric of 16 means unreachable (RFC 2453).",
        "Use OSPF or IS-IS.",
    ),
}
