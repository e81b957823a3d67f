"""Routing: what all protocols have in common, OSPF, IS-IS, RIP, and the smaller ones."""

from __future__ import annotations

from frrlib.model.reasons.reason import Reason

REASONS: dict[str, Reason] = {
    "refused-line": Reason(
        "FRR does not take a line of a router's configuration.",
        "It would be missing in the lab, without anybody noticing.",
        "What FRR says; lines of your own are on the router's page frr.conf.",
    ),
    "mixed-route": Reason(
        "A static route mixes IPv4 and IPv6.",
        "FRR refuses it.",
        "A next hop of the prefix's family.",
    ),
    "no-routes": Reason(
        "A router beside another one runs no routing daemon.",
        "It knows its own networks only, so packets for what is behind the other one are dropped.",
        "OSPF, BGP or static routes; a preset of the menu sets it up for all.",
    ),
    "no-interface": Reason(
        "A setting names an interface that the router does not have.",
        "It has no effect, or FRR refuses it.",
        "Name one of the router's interfaces.",
    ),
    "foreign-source": Reason(
        "A protocol is to announce routes of a source that it cannot.",
        "FRR refuses the line.",
        "Another source.",
    ),
    "no-source": Reason(
        "Routes of a protocol are to be announced that does not run here.",
        "There are none to announce.",
        "Run that protocol, or take the source away.",
    ),
    "duplicate-source": Reason("A source is named twice.", "The second one replaces the first.", "Keep one of them."),
    "no-route-map": Reason(
        "A route map is named that there is not.",
        "FRR then announces nothing.",
        "Write it, or name another one.",
    ),
    "no-router-id": Reason(
        "A daemon needs a router id (or system id), and there is no IPv4 address to take it from.",
        "It does not start to speak.",
        "State one, or give the router a loopback address.",
    ),
    "duplicate-router-id": Reason(
        "Two routers have one router id (or system id).",
        "Their link states overwrite each other, and routes come and go.",
        "Leave it empty for an automatic one, or state another one.",
    ),
    "bfd-local": Reason(
        "A BFD session over several hops does not say by which own address, or by one that the router does not have.",
        "FRR refuses it.",
        "An address of the router, such as that of a loopback.",
    ),
    "bfd-nobody": Reason(
        "No other router has the address that BFD is to watch.",
        "The session stays down.",
        "The address of a neighbouring router.",
    ),
    "bfd-far": Reason(
        "BFD is to watch a neighbour that is not on any link of the router.",
        "Packets of single-hop BFD have a TTL of 255 and are refused after a hop (RFC 5881).",
        "Multihop, with a local address.",
    ),
    "bfd-one-sided": Reason(
        "Only one side of a link asks for BFD.",
        "The session stays down; the protocol goes on without it.",
        "BFD on both sides.",
    ),
    "no-group": Reason(
        "A multicast group is none, or a peer group is named that there is not.",
        "FRR refuses it.",
        "A group within 224.0.0.0/4, or a peer group of the router.",
    ),
    "no-rp": Reason(
        "PIM has no rendezvous point.",
        "Only source-specific groups (232.0.0.0/8) work.",
        "The same rendezvous point on all routers.",
    ),
    "unknown-rp": Reason(
        "No router has the rendezvous point's address.",
        "Senders and receivers never meet.",
        "A router's loopback address.",
    ),
    "ldp-address": Reason("LDP's router id is no address of the router.", "Sessions go to it.", "A loopback address."),
    "ldp-loopback": Reason(
        "LDP's router id is the address of a link.",
        "All sessions end when that link goes down.",
        "A loopback address.",
    ),
    "ldp-alone": Reason(
        "LDP runs, and no interior protocol.",
        "Labels are given to routes; there are none.",
        "OSPF or IS-IS as well.",
    ),
    "ldp-timers": Reason(
        "LDP gives neighbours up before it hears of them again.",
        "Sessions flap.",
        "Hold three hellos.",
    ),
    "vrf-name": Reason("A VRF has the name of another one, or of an interface.", "A VRF is a device.", "Another name."),
    "vrf-table": Reason(
        "Two VRFs have one routing table, or one has the kernel's own.",
        "Their routes would mix.",
        "A table of its own, such as 10.",
    ),
    "vrf-interface": Reason(
        "An interface is in two VRFs, or a VRF's OSPF names one that is not in it.",
        "An interface has one routing table.",
        "Take it out of one of them.",
    ),
    "ospf-timers": Reason(
        "The dead interval is not longer than the hello interval.",
        "A neighbour is given up before its next hello.",
        "Four times the hello interval, as is usual.",
    ),
    "illegal-area": Reason(
        "A text is no area.",
        "FRR refuses it.",
        'A number or a dotted quad, such as "0" or "0.0.0.1".',
    ),
    "stub-backbone": Reason(
        "Area 0 is to be a stub or an NSSA.",
        "The backbone carries what other areas say, so it cannot be one.",
        "Make it normal.",
    ),
    "duplicate-area": Reason("An area is described twice.", "The second one replaces the first.", "Keep one of them."),
    "ospf-network": Reason(
        "OSPFv3 is told a network type that FRR's does not have.",
        "FRR refuses it.",
        "Point-to-point or broadcast.",
    ),
    "unused-key": Reason(
        "A key is stated where the protocol has none (OSPFv3, RIPng).",
        "Nobody looks at it: the link is not protected.",
        "Take it away, or use the older version of the protocol.",
    ),
    "long-key": Reason(
        "A plain password of OSPF has more than 8 characters.",
        "The packet has room for 8.",
        "A shorter one, or a key number for MD5.",
    ),
    "ospf-alone": Reason("OSPF has no interface to run on.", "It finds nobody.", "Link the router."),
    "ospf-mismatch": Reason(
        "Two neighbours disagree on what OSPF compares (RFC 2328, section 10.5), on the network's type or on the MTU.",
        "They never become neighbours, or stop in the exchange of their databases.",
        "The same on both sides.",
    ),
    "cut-off-area": Reason(
        "No router of an area is in area 0 as well.",
        "Areas talk to each other over the backbone alone (RFC 2328, section 3.1).",
        "A border router with an interface in both.",
    ),
    "unused-cost": Reason(
        "An interface has a cost for OSPF, and OSPF does not run on the router.",
        "Nothing comes of it.",
        "Take it away, or run OSPF.",
    ),
    "isis-nothing": Reason("IS-IS routes neither IPv4 nor IPv6.", "It has nothing to say.", "One of them, or both."),
    "isis-alone": Reason("IS-IS has no interface to run on.", "It finds nobody.", "Link the router."),
    "isis-level": Reason(
        "An interface is of a level that its router is not.",
        "It forms no adjacency.",
        "A level of the router's.",
    ),
    "isis-mismatch": Reason(
        "Two neighbours disagree on level, area, network type, keys, families or MTU.",
        "They never become neighbours, or packets get lost between them.",
        "What the message says, or the same on both sides.",
    ),
    "rip-timers": Reason(
        "Routes time out before they are told again.",
        "Routes come and go.",
        "Six times the update interval, as is usual.",
    ),
    "rip-alone": Reason("RIP has no interface to run on.", "It finds nobody.", "Link the router."),
    "rip-mismatch": Reason(
        "Two neighbours have different keys, or one forgets before the other one tells.",
        "They hear nothing of each other, or routes come and go.",
        "The same on both sides.",
    ),
    "rip-far": Reason(
        "Two routers with RIP are more than 15 hops apart.",
        "RIP counts to 15; 16 is unreachable (RFC 2453).",
        "OSPF or IS-IS.",
    ),
}
