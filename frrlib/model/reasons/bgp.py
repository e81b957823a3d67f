"""BGP and policies."""

from __future__ import annotations

from frrlib.model.reasons.reason import Reason

REASONS: dict[str, Reason] = {
    "duplicate-neighbor": Reason(
        "A session is stated twice.",
        "The second one replaces the first.",
        "Keep one of them.",
    ),
    "no-neighbor": Reason(
        "A router has no session, or one with an address (or an interface) behind which no router is.",
        "The session never comes up.",
        "The address of a router on a common link.",
    ),
    "several-neighbors": Reason(
        "An unnumbered session is on an interface with several routers behind it.",
        "It is for links between two: the neighbour is whoever sends router advertisements.",
        "A session by address to each of them.",
    ),
    "one-sided": Reason(
        "The other router has no session back, or does not speak BGP.",
        "It refuses the connection.",
        "A neighbour there, at an address of this router.",
    ),
    "wrong-as": Reason(
        "The neighbour is in another AS than is stated.",
        'It is refused at once (OPEN message error, "Bad Peer AS"). A lab runs all the same and shows that.',
        "The number that the other router has.",
    ),
    "no-update-source": Reason(
        "A session is to speak from an address or interface that the router does not have.",
        "FRR takes the address of the link, which the neighbour may not know.",
        '"lo", where the router has a loopback address.',
    ),
    "wrong-source": Reason(
        "The router speaks from another address than its neighbour expects.",
        "Each side refuses the other's connection.",
        "An update source, or the other address at the neighbour.",
    ),
    "distant-neighbor": Reason(
        "The neighbour is on no common link, and nothing says how it is reached.",
        "External sessions have a TTL of 1; internal ones need a route to the address.",
        "An address on the link between them; or multihop; or OSPF or a static route, on both.",
    ),
    "wrong-password": Reason(
        "Both ends have different passwords.",
        "The kernel drops all packets of the session (RFC 2385).",
        "The same on both.",
    ),
    "both-passive": Reason("Both ends wait to be called.", "Nobody calls.", "Passive on one side at most."),
    "one-sided-bfd": Reason(
        "Only one end of a session asks for BFD.",
        "BFD's session stays down.",
        "BFD on both ends.",
    ),
    "no-common-family": Reason(
        "The ends carry different address families.",
        "The session comes up and exchanges nothing.",
        "The same families on both.",
    ),
    "confederation": Reason(
        "Members of a confederation do not name it, or each other, or its number is that of a member.",
        "Sessions are refused, or paths look as if they went in a circle.",
        "What the message says.",
    ),
    "unknown-network": Reason(
        "A network is to be announced to which the router has no route of exactly that length.",
        "BGP announces it only while there is one.",
        "A network that is connected, or a static route to it (a blackhole will do).",
    ),
    "no-policy": Reason(
        "Policies are required of external sessions (RFC 8212), and one has none.",
        "It comes up and exchanges nothing.",
        "Policies in and out, or `requires_policy` off.",
    ),
    "duplicate-group": Reason("Two peer groups have one name.", "The second one replaces the first.", "Another name."),
    "foreign-client": Reason(
        "A route reflector has a client in another AS.",
        "FRR refuses it; clients are in the reflector's own AS.",
        "Switch it off for that session.",
    ),
    "inner-private-as": Reason(
        "Private AS numbers are to be taken off paths on an internal session.",
        "FRR refuses it.",
        "Switch it off for that session.",
    ),
    "unnumbered-multihop": Reason(
        "An unnumbered session has a number of hops.",
        "Who is found on a link is one hop away.",
        "No number, or a session by address.",
    ),
    "mixed-group": Reason(
        "A peer group has internal and external sessions.",
        "FRR has groups of one kind.",
        "A group for each kind.",
    ),
    "bgp-timers": Reason(
        "A neighbour is given up before its next keepalive.",
        "The session ends again and again.",
        "Three times the keepalive interval, as is usual.",
    ),
    "own-source": Reason("BGP is to redistribute BGP.", "FRR refuses it.", "Take it away."),
    "illegal-description": Reason(
        "A description is not one line of up to 80 characters.",
        "The rest would be read as further configuration.",
        "A shorter one.",
    ),
    "no-policy-named": Reason(
        "A policy is named that there is not.",
        "FRR then refuses all routes, or takes all, by the kind of policy.",
        "Write it, or name another one.",
    ),
    "duplicate-policy": Reason(
        "Two lists have one name, or two entries of a route map one number.",
        "The second one replaces the first, or is added to it.",
        "Another name or number.",
    ),
    "mixed-prefix-list": Reason(
        "A prefix list mixes IPv4 and IPv6.",
        "FRR has lists of one family.",
        "A list for each.",
    ),
    "empty-policy": Reason(
        "A list or route map has nothing in it.",
        "A route map without entries refuses everything; an empty list is not there for FRR.",
        "Write a rule.",
    ),
    "prefix-range": Reason(
        "A rule's lengths cannot be: shorter than its prefix, longer than an address, or the wrong way round.",
        "FRR refuses it.",
        "prefix length ≤ at least ≤ at most.",
    ),
    "illegal-community": Reason("A text is no community.", "FRR refuses it.", 'Such as "65001:100" or "no-export".'),
    "illegal-expression": Reason("A text is no regular expression.", "FRR refuses it.", 'Such as "_65003_".'),
    "route-map": Reason(
        "An entry of a route map says what FRR does not take, or what comes to nothing.",
        "It is missing in the lab, or has no effect.",
        "What the message says.",
    ),
}
