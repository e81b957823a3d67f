"""Reasons for problems of BGP and policies."""

from __future__ import annotations

from frrlib.checks.reason import Reason

REASONS: dict[str, Reason] = {
    "duplicate-neighbor": Reason(
        "A BGP session is configured twice.",
        "The second entry replaces the first.",
        "Remove one of them.",
    ),
    "no-neighbor": Reason(
        "A router has no BGP session, or a session with an address or interface behind which there is no router.",
        "The session is never established.",
        "Enter the address of a router on a common link.",
    ),
    "several-neighbors": Reason(
        "An unnumbered session uses an interface with several routers behind it.",
        "Unnumbered sessions are for links between two routers: the neighbor is the router that sends router "
        "advertisements.",
        "Configure a session by address with each of them.",
    ),
    "one-sided": Reason(
        "The other router has no session with this one, or does not run BGP.",
        "It refuses the connection.",
        "Add a neighbor with an address of this router there.",
    ),
    "wrong-as": Reason(
        "The neighbor is in another AS than the configured one.",
        'The session is refused at once (OPEN message error, "Bad Peer AS"). A lab runs all the same and shows that.',
        "Enter the AS number of the other router.",
    ),
    "no-update-source": Reason(
        "A session uses an address or interface as its update source that the router does not have.",
        "FRR then uses the address of the link, for which the neighbor may have no session.",
        'Use "lo" if the router has a loopback address.',
    ),
    "wrong-source": Reason(
        "The router's source address is not the address that its neighbor expects.",
        "Each side refuses the connection of the other.",
        "Set an update source, or enter the other address at the neighbor.",
    ),
    "distant-neighbor": Reason(
        "The neighbor is on no common link, and no route to it is configured.",
        "External sessions have a TTL of 1. Internal sessions need a route to the address.",
        "Use an address on the link between them. Otherwise set multihop, or run OSPF or add a static route on both.",
    ),
    "wrong-password": Reason(
        "The two ends have different passwords.",
        "The kernel drops all packets of the session (RFC 2385).",
        "Set the same password on both ends.",
    ),
    "both-passive": Reason(
        "Both ends are passive.",
        "Neither of them opens the connection.",
        "Make at most one end passive.",
    ),
    "one-sided-bfd": Reason(
        "BFD is enabled on only one end of a session.",
        "The BFD session stays down.",
        "Enable BFD on both ends.",
    ),
    "no-common-family": Reason(
        "The two ends have no address family in common.",
        "The session is established but exchanges no routes.",
        "Select the same address families on both ends.",
    ),
    "confederation": Reason(
        "Members of a confederation do not list it or each other, or its identifier is the AS number of a member.",
        "Sessions are refused, or paths appear to contain a loop.",
        "Make the change that the message names.",
    ),
    "unknown-network": Reason(
        "BGP announces a network for which the router has no route of exactly that prefix length.",
        "BGP announces it only while such a route exists.",
        "Choose a network that is connected, or add a static route for it (a blackhole route is enough).",
    ),
    "no-policy": Reason(
        "External sessions require policies (RFC 8212), and one of them has none.",
        "The session is established but exchanges no routes.",
        "Add policies in both directions, or turn `requires_policy` off.",
    ),
    "duplicate-group": Reason(
        "Two peer groups have the same name.",
        "The second one replaces the first.",
        "Choose another name.",
    ),
    "foreign-client": Reason(
        "A route reflector has a client in another AS.",
        "FRR refuses it. Clients are in the AS of the reflector.",
        "Turn route reflection off for that session.",
    ),
    "inner-private-as": Reason(
        "Private AS numbers are removed from paths on an internal session.",
        "FRR refuses this setting for internal sessions.",
        "Turn it off for that session.",
    ),
    "unnumbered-multihop": Reason(
        "An unnumbered session has a number of hops.",
        "The neighbor on a link is always one hop away.",
        "Remove the number, or configure the session by address.",
    ),
    "mixed-group": Reason(
        "A peer group has internal and external sessions.",
        "In FRR all sessions of a group are internal, or all are external.",
        "Create one group for each kind.",
    ),
    "bgp-timers": Reason(
        "The hold time is not longer than the keepalive interval.",
        "The session ends again and again, because it expires before the next keepalive.",
        "Use a hold time of three times the keepalive interval, as is usual.",
    ),
    "own-source": Reason(
        "BGP redistributes BGP.",
        "FRR refuses it.",
        "Remove BGP from the redistributed sources.",
    ),
    "illegal-description": Reason(
        "A description is not a single line of up to 80 characters.",
        "FRR would read the rest as further configuration.",
        "Shorten it to one line.",
    ),
    "no-policy-named": Reason(
        "A policy is referenced but not defined.",
        "FRR then rejects all routes or accepts all routes, depending on the kind of policy.",
        "Define it, or refer to another policy.",
    ),
    "duplicate-policy": Reason(
        "Two lists have the same name, or two entries of a route map have the same number.",
        "The second one replaces the first, or is added to it.",
        "Choose another name or number.",
    ),
    "mixed-prefix-list": Reason(
        "A prefix list mixes IPv4 and IPv6.",
        "An FRR prefix list has one address family.",
        "Create one list for each family.",
    ),
    "empty-policy": Reason(
        "A list or route map is empty.",
        "A route map without entries rejects all routes. FRR treats an empty list as undefined.",
        "Add a rule.",
    ),
    "prefix-range": Reason(
        "The prefix lengths of a rule are impossible: shorter than its prefix, longer than an address, or the minimum "
        "exceeds the maximum.",
        "FRR refuses the rule.",
        "Choose lengths with: prefix length ≤ at least ≤ at most.",
    ),
    "illegal-community": Reason(
        "A text is not a valid community.",
        "FRR refuses it.",
        'Enter a community such as "65001:100" or "no-export".',
    ),
    "illegal-expression": Reason(
        "A text is not a valid regular expression.",
        "FRR refuses it.",
        'Enter an expression such as "_65003_".',
    ),
    "route-map": Reason(
        "An entry of a route map has a setting that FRR refuses, or that has no effect.",
        "The setting is missing in the lab, or does nothing.",
        "Make the change that the message names.",
    ),
}
