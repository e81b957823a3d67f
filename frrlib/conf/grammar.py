"""The grammar of a configuration: lines that open a section or end it, and lines that replace an older one.

Patterns are words. `*` is any one word of the line's subject, and `#` is a number in the subject. `=` is any one word
of the value. `...` at the end is the rest of the line, which belongs to the value and may be empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

#: By kind of section (the empty one is the whole text): the lines that open a section below it, and that one's kind.
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
#: The line that ends a section, by its kind; all others end with `exit`.
_CLOSERS = {
    "address-family": "exit-address-family",
    "ldp address-family": "exit-address-family",
    "vrf": "exit-vrf",
    "vni": "exit-vni",
    "vnc": "exit-vnc",
    "vrf-policy": "exit-vrf-policy",
    "link-params": "exit-link-params",
}
#: Sections that exist even without lines; `no` cannot remove them. FRR 10 prints every VRF of the kernel, FRR 8 only
#: those that have lines.
ALWAYS_THERE = frozenset(
    {"interface", "vrf", "address-family", "ldp address-family", "line", "traffic-eng", "locators"}
)
#: First words of lines outside of sections. Such a line ends a section that has not been closed.
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
#: These kinds of sections may contain some of the same words.
_INSIDE = {
    "vrf": ("ip route", "ipv6 route", "ip nht", "ipv6 nht", "ip protocol", "ipv6 protocol", "ip router-id",
            "ipv6 router-id", "ip pim", "ipv6 pim", "ip msdp", "ip ssmpingd", "ip import-table"),
    "interface": ("ip pim", "ipv6 pim", "ip mroute", "ip multicast"),
    "line": ("access-list", "ipv6 access-list"),
    "link-params": ("enable",),
}  # fmt: skip
#: Lines that these kinds of sections do not contain although they contain others with the same first words.
_NOT_INSIDE = {
    "interface": (
        *(f"{family} pim {word}" for family in ("ip", "ipv6") for word in (
            "ecmp", "join-prune-interval", "keep-alive-timer", "packets", "register-accept-list",
            "register-suppress-time", "rp", "send-v6-secondary", "spt-switchover", "ssm prefix-list",
        )),
        "ip igmp watermark-warn", "ipv6 mld watermark-warn",
    ),
}  # fmt: skip

#: Lines that occur once for each `*`: the later line replaces the earlier one. Lines that are not listed may occur
#: several times with different values.
_SINGLE = (
    # outside of sections
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

#: FRR's defaults. `no` in front of such a line is a setting of its own and removes no other line.
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

#: By kind of section: single lines that do not replace an earlier one in FRR 8.4. It rejects the later line, ignores
#: it, or keeps options of the earlier one, unless that is removed before.
_NOT_REPLACED = {
    "interface": ("ip ospf area =", "ipv6 ospf6 area ="),
    "router": ("area * range * ...", "area * nssa ..."),
    "address-family": ("redistribute * ...",),
    "route-map": ("set ip next-hop =",),
}
#: Lines whose removal with all of their words removes only the options.
_REMOVED_WITHOUT_OPTIONS = ("area * stub ...", "area * nssa ...")

#: By the first words of lines at an interface: the lines that start their protocol there. With the last of these, FRR
#: removes all such lines.
_MAKERS = {"isis": ("ip router isis", "ipv6 router isis")}


def opens(kind: str, words: list[str]) -> str | None:
    """The kind of section that a line opens below a section of `kind`; None if it opens none."""
    return next((opened for pattern, opened in _OPENERS.get(kind, ()) if _key_by(pattern, words) is not None), None)


def closer(kind: str) -> str:
    """The line that ends a section of this kind."""
    return _CLOSERS.get(kind, "exit")


def stands_outside(kind: str, words: list[str]) -> bool:
    """Whether a line read in a section of `kind` belongs outside of all sections."""
    bare = " ".join(words[1:] if words[0] == "no" else words)
    if begins(bare, _NOT_INSIDE.get(kind, ())):
        return True
    return begins(bare, _OUTSIDE) and not begins(bare, _INSIDE.get(kind, ()))


def key_of(line: str) -> str | None:
    """The subject of a line that may occur only once ("ip ospf cost"); None for a line that may occur several times."""
    return _key_among(_SINGLE, line)


def on_by_default(line: str) -> bool:
    """Whether FRR applies the line (without `no`) by default."""
    return _key_among(_ON_BY_DEFAULT, line) is not None


def replaces(kind: str, old: str, new: str) -> bool:
    """Whether FRR replaces a line by a new one of the same key in a section of this kind.

    Otherwise the old one must be removed first.
    """
    return _key_among(_NOT_REPLACED.get(kind, ()), old) is None or f"{new} ".startswith(f"{old} ")


def makers(line: str) -> tuple[str, ...]:
    """Beginnings of the lines without which an interface cannot have this line; empty if it can have it anyhow."""
    return next((starts for start, starts in _MAKERS.items() if begins(line, (start,))), ())


def section_key(kind: str, heading: str) -> str:
    """A key that is equal for headings of the same section.

    It resolves FRR's short forms, and ignores whether an entry of a route map permits or denies.
    """
    words = heading.split()
    if kind == "route-map":
        return " ".join(word for word in words if word not in ("permit", "deny"))
    if kind == "address-family" and len(words) == 2:
        words += ["unicast"]
    if kind in ("bgp", "router") and words[-2:] == ["vrf", "default"]:
        words = words[:-2]
    return " ".join(words)


def no(line: str) -> str:
    """The line that negates a line."""
    return line[3:] if line.startswith("no ") else f"no {line}"


def removal(line: str) -> str:
    """The line that removes a whole line with all that it has set."""
    key = _key_among(_REMOVED_WITHOUT_OPTIONS, line)
    return no(line if key is None else key.removesuffix(" ..."))


def begins(line: str, starts: Iterable[str]) -> bool:
    """Whether a line begins with the words of any of these starts."""
    padded = f"{line} "
    return any(padded.startswith(f"{start} ") for start in starts)


@lru_cache(maxsize=4096)
def _key_among(patterns: tuple[str, ...], line: str) -> str | None:
    words = line.split()
    return next((key for pattern in patterns if (key := _key_by(pattern, words)) is not None), None)


def _key_by(pattern: str, words: list[str]) -> str | None:
    """The subject of a line, which is the line without its value; None if the line does not match the pattern."""
    pattern_words = pattern.split()
    has_tail = pattern_words[-1] == "..."
    pattern_words = pattern_words[:-1] if has_tail else pattern_words
    if len(words) < len(pattern_words) or (len(words) > len(pattern_words) and not has_tail):
        return None
    key = []
    for expected, word in zip(pattern_words, words, strict=False):
        if expected == "=":
            key.append("=")
        elif expected == "*" or (expected == "#" and word.isdigit()) or expected == word:
            key.append(word)
        else:
            return None
    return " ".join(key) + (" ..." if has_tail else "")
