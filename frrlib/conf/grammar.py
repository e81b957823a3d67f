"""Which lines of a configuration open a section, how a section ends, and which of its lines replace an older one.

Patterns are words: `*` is any one word that belongs to what the line is about, `#` the same but a number, `=` any one
word that is the value, `...` at the end the rest of the line (also none), which is value as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

#: Of each kind of section (the empty one is the whole text): lines that open a section below it, and its kind.
_OPENERS: dict[str, tuple[tuple[str, str], ...]] = {
    "": (
        ("interface *", "interface"),
        ("interface * vrf *", "interface"),
        ("router bgp ...", "bgp"),
        ("router * ...", "router"),
        ("route-map * permit #", "route-map"),
        ("route-map * deny #", "route-map"),
        ("vrf *", "vrf"),
        ("key chain *", "key chain"),
        ("line vty", "line"),
        ("bfd", "bfd"),
        ("mpls ldp", "ldp"),
        ("l2vpn * type vpls", "l2vpn"),
        ("pseudowire *", "pseudowire"),
        ("nexthop-group *", "nexthop-group"),
        ("pbr-map * seq #", "pbr-map"),
        ("segment-routing", "segment-routing"),
        ("rpki", "rpki"),
        ("rpki vrf *", "rpki"),
    ),
    "interface": (("link-params", "link-params"),),
    "bgp": (
        ("address-family * ...", "address-family"),
        ("segment-routing srv6", "plain"),
        ("vnc defaults", "vnc"),
        ("vnc nve-group *", "vnc"),
        ("vnc l2-group *", "vnc"),
        ("vrf-policy *", "vrf-policy"),
    ),
    "router": (("address-family * ...", "address-family"), ("flex-algo #", "plain"), ("segment-routing srv6", "plain")),
    "address-family": (("vni #", "vni"),),
    "key chain": (("key #", "key"),),
    "bfd": (("profile *", "plain"), ("peer * ...", "plain")),
    "ldp": (("address-family *", "ldp address-family"),),
    "ldp address-family": (("interface *", "plain"),),
    "l2vpn": (("member pseudowire *", "plain"),),
    "segment-routing": (("traffic-eng", "traffic-eng"), ("srv6", "srv6")),
    "traffic-eng": (("segment-list *", "plain"), ("policy color # endpoint *", "policy"), ("pcep", "pcep")),
    "policy": (("candidate-path preference # name * dynamic", "plain"),),
    "pcep": (("pce-config *", "plain"), ("pce *", "plain"), ("pcc", "plain")),
    "srv6": (("locators", "locators"), ("encapsulation", "plain")),
    "locators": (("locator *", "plain"),),
}
#: What ends a section of a kind; all others end with `exit`.
_CLOSERS = {
    "address-family": "exit-address-family",
    "ldp address-family": "exit-address-family",
    "vrf": "exit-vrf",
    "vni": "exit-vni",
    "vnc": "exit-vnc",
    "vrf-policy": "exit-vrf-policy",
    "link-params": "exit-link-params",
}
#: Sections that exist whether or not somebody says anything below them: they cannot be taken away by `no`. FRR 10
#: tells of each VRF of the kernel, FRR 8 of those only below which something stands.
ALWAYS_THERE = frozenset(
    {"interface", "vrf", "address-family", "ldp address-family", "line", "traffic-eng", "locators"}
)
#: First words of lines that stand in no section, so that one of them ends a section that nobody closed.
_OUTSIDE = (
    "access-list", "agentx", "allow-external-route-update", "banner", "bgp as-path", "bgp community-list",
    "bgp extcommunity-list", "bgp large-community-list", "bgp route-map", "debug", "domainname", "dump", "enable",
    "fpm", "frr", "hostname", "ip access-list", "ip as-path", "ip community-list", "ip extcommunity-list",
    "ip forwarding", "ip import-table", "ip large-community-list", "ip mroute", "ip msdp", "ip multicast",
    "ip multicast-routing", "ip nht", "ip pim", "ip prefix-list", "ip protocol", "ip route", "ip router-id",
    "ip ssmpingd", "ip table", "ipv6 access-list", "ipv6 forwarding", "ipv6 import-table", "ipv6 nht", "ipv6 pim",
    "ipv6 prefix-list", "ipv6 protocol", "ipv6 route", "ipv6 router-id", "log", "mpls label", "mpls lsp", "password",
    "route-map optimization", "service", "username", "zebra",
)  # fmt: skip
#: The same words may stand within these kinds of sections.
_INSIDE = {
    "vrf": ("ip route", "ipv6 route", "ip nht", "ipv6 nht", "ip protocol", "ipv6 protocol", "ip router-id",
            "ipv6 router-id", "ip pim", "ipv6 pim", "ip msdp", "ip ssmpingd", "ip import-table"),
    "interface": ("ip pim", "ipv6 pim", "ip mroute", "ip multicast"),
    "line": ("access-list", "ipv6 access-list"),
    "link-params": ("enable",),
}  # fmt: skip

#: Lines of which there is one for each `*`: the later one takes the place of the earlier one. What is listed nowhere
#: may stand several times with different values.
_SINGLE = (
    # what stands in no section
    "hostname =", "domainname =", "frr defaults =", "frr version =", "password ...", "enable password ...",
    "log file ...", "log syslog ...", "log stdout ...", "log facility =", "ip router-id =", "ipv6 router-id =",
    "router-id =", "banner motd ...", "exec-timeout ...", "zebra dplane limit =",
    "ip prefix-list * seq # ...", "ipv6 prefix-list * seq # ...", "access-list * seq # ...",
    "ipv6 access-list * seq # ...", "bgp as-path access-list * seq # ...", "bgp community-list * * seq # ...",
    "bgp large-community-list * * seq # ...", "bgp extcommunity-list * * seq # ...",
    "ip prefix-list * description ...", "ipv6 prefix-list * description ...",
    "ip pim rp = *", "ip pim spt-switchover ...", "ip pim join-prune-interval =", "ip pim keep-alive-timer =",
    # interfaces
    "description ...", "bandwidth =",
    "ip ospf cost =", "ip ospf area =", "ip ospf hello-interval =", "ip ospf dead-interval =",
    "ip ospf dead-interval minimal hello-multiplier =", "ip ospf priority =", "ip ospf network ...",
    "ip ospf retransmit-interval =", "ip ospf transmit-delay =", "ip ospf authentication-key =",
    "ip ospf authentication ...", "ip ospf message-digest-key # ...", "ip ospf bfd profile =",
    "ipv6 ospf6 cost =", "ipv6 ospf6 area =", "ipv6 ospf6 hello-interval =", "ipv6 ospf6 dead-interval =",
    "ipv6 ospf6 priority =", "ipv6 ospf6 network =", "ipv6 ospf6 instance-id =", "ipv6 ospf6 retransmit-interval =",
    "ipv6 ospf6 transmit-delay =", "ipv6 ospf6 bfd profile =",
    "ip router isis =", "ipv6 router isis =", "isis circuit-type =", "isis network =", "isis metric level-1 =",
    "isis metric level-2 =", "isis metric =", "isis hello-interval level-1 =", "isis hello-interval level-2 =",
    "isis hello-interval =", "isis hello-multiplier level-1 =", "isis hello-multiplier level-2 =",
    "isis hello-multiplier =", "isis priority level-1 =", "isis priority level-2 =", "isis priority =",
    "isis password * ...", "isis bfd profile =",
    "ip rip send version ...", "ip rip receive version ...", "ip rip authentication mode ...",
    "ip rip authentication string ...", "ip rip authentication key-chain =",
    "ip pim drpriority =", "ip pim hello ...", "ip igmp version =", "ip igmp query-interval =",
    # protocols
    "ospf router-id =", "ospf6 router-id =", "auto-cost reference-bandwidth =", "timers throttle spf ...",
    "timers throttle lsa all =", "timers lsa min-arrival =", "timers basic ...", "timers bgp ...",
    "area * range * ...", "area * stub ...", "area * nssa ...", "area * authentication ...", "area * default-cost =",
    "maximum-paths ibgp ...", "maximum-paths =", "distance =", "default-metric =",
    "default-information originate ipv4 * ...", "default-information originate ipv6 * ...",
    "default-information originate ...",
    "bgp router-id =", "bgp cluster-id =", "bgp confederation identifier =", "bgp listen range * ...",
    "bgp listen limit =", "bgp default local-preference =", "bgp graceful-restart restart-time =",
    "coalesce-time =", "update-delay ...", "version =",
    "network * ...", "aggregate-address * ...",
    "redistribute ipv4 * * ...", "redistribute ipv6 * * ...", "redistribute * # ...", "redistribute * ...",
    "neighbor * remote-as =", "neighbor * description ...", "neighbor * update-source =", "neighbor * password ...",
    "neighbor * ebgp-multihop ...", "neighbor * ttl-security hops =", "neighbor * local-as ...", "neighbor * weight =",
    "neighbor * timers connect =", "neighbor * timers = =", "neighbor * advertisement-interval =",
    "neighbor * maximum-prefix ...", "neighbor * maximum-prefix-out =", "neighbor * allowas-in ...",
    "neighbor * default-originate ...", "neighbor * bfd profile =",
    "neighbor * route-map = in", "neighbor * route-map = out", "neighbor * prefix-list = in",
    "neighbor * prefix-list = out", "neighbor * filter-list = in", "neighbor * filter-list = out",
    "neighbor * distribute-list = in", "neighbor * distribute-list = out", "neighbor * unsuppress-map =",
    "is-type =", "metric-style =", "lsp-gen-interval ...", "spf-interval ...", "lsp-mtu =", "domain-password ...",
    "area-password ...", "spf-delay-ietf ...",
    # route maps
    "match ip address prefix-list =", "match ipv6 address prefix-list =", "match ip address =", "match community ...",
    "match large-community ...", "match as-path =", "match interface =", "match metric =", "match tag =",
    "match peer =", "match source-protocol =", "match origin =", "match local-preference =",
    "set local-preference =", "set metric =", "set weight =", "set tag =", "set community ...",
    "set large-community ...", "set comm-list = delete", "set as-path prepend ...", "set ip next-hop =",
    "set ipv6 next-hop global =", "set origin =", "set src =", "call =", "on-match ...", "continue ...",
    # BFD, LDP, key chains
    "detect-multiplier =", "receive-interval =", "transmit-interval =", "minimum-ttl =", "profile =",
    "discovery transport-address =", "discovery hello interval =", "discovery hello holdtime =",
    "key-string =", "cryptographic-algorithm =",
)  # fmt: skip

#: What is so unless a configuration says `no`: such a `no` stands for itself and takes nothing away.
_ON_BY_DEFAULT = (
    "bgp default ipv4-unicast", "bgp default show-hostname", "bgp default show-nexthop-hostname",
    "bgp ebgp-requires-policy", "bgp network import-check", "bgp suppress-duplicates", "bgp fast-external-failover",
    "bgp client-to-client reflection", "bgp enforce-first-as",
    "bgp hard-administrative-reset", "bgp graceful-restart notification", "neighbor * activate",
    "neighbor * send-community ...", "neighbor * capability ...", "ip forwarding", "ipv6 forwarding", "link-detect",
    "multicast", "auto-summary", "ip rip split-horizon", "ipv6 ripng split-horizon", "ip split-horizon eigrp *",
    "isis hello padding", "isis three-way-handshake", "passive-interface *", "ip ospf passive", "shutdown",
    "zebra nexthop kernel enable", "service integrated-vtysh-config", "ipv6 nd suppress-ra", "bgp reject-as-sets",
    "allow-ecmp ...", "echo-mode",
)  # fmt: skip


def opens(kind: str, words: list[str]) -> str | None:
    """The kind of section that a line opens below a section of `kind`; None if it opens none."""
    return next((opened for pattern, opened in _OPENERS.get(kind, ()) if _key_by(pattern, words) is not None), None)


def closer(kind: str) -> str:
    """The line that ends a section of this kind."""
    return _CLOSERS.get(kind, "exit")


def stands_outside(kind: str, words: list[str]) -> bool:
    """Whether a line that is found in a section of `kind` stands in none, since it is known to stand in none."""
    bare = " ".join(words[1:] if words[0] == "no" else words)
    return begins(bare, _OUTSIDE) and not begins(bare, _INSIDE.get(kind, ()))


def key_of(line: str) -> str | None:
    """The subject of a line that may occur only once ("ip ospf cost"); None for a line that may occur several times."""
    return _key_among(_SINGLE, line)


def on_by_default(line: str) -> bool:
    """Whether the line (without `no`) is in force in FRR unless it is told `no`."""
    return _key_among(_ON_BY_DEFAULT, line) is not None


def section_key(kind: str, heading: str) -> str:
    """The key by which two headings are one section: FRR's short forms, and a route map's entry whatever it does."""
    words = heading.split()
    if kind == "route-map":
        return " ".join(word for word in words if word not in ("permit", "deny"))
    if kind == "address-family" and len(words) == 2:
        words += ["unicast"]
    if kind in ("bgp", "router") and words[-2:] == ["vrf", "default"]:
        words = words[:-2]
    return " ".join(words)


def no(line: str) -> str:
    """The line that undoes a line."""
    return line[3:] if line.startswith("no ") else f"no {line}"


def begins(line: str, starts: Iterable[str]) -> bool:
    """Whether a line begins with the words of any of these."""
    padded = f"{line} "
    return any(padded.startswith(f"{start} ") for start in starts)


@lru_cache(maxsize=4096)
def _key_among(patterns: tuple[str, ...], line: str) -> str | None:
    words = line.split()
    return next((key for pattern in patterns if (key := _key_by(pattern, words)) is not None), None)


def _key_by(pattern: str, words: list[str]) -> str | None:
    """The words of a line that are not its value; None where the line is not of this pattern."""
    wanted = pattern.split()
    rest = wanted[-1] == "..."
    wanted = wanted[:-1] if rest else wanted
    if len(words) < len(wanted) or (len(words) > len(wanted) and not rest):
        return None
    key = []
    for want, word in zip(wanted, words, strict=False):
        if want == "=":
            key.append("=")
        elif want == "*" or (want == "#" and word.isdigit()) or want == word:
            key.append(word)
        else:
            return None
    return " ".join(key) + (" ..." if rest else "")
