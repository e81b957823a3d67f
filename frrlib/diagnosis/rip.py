"""Causes of missing RIP and RIPng neighbors, and of routes that they do not pass on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_network

from frrlib.diagnosis.explanation import Step, cause
from frrlib.diagnosis.facts import LabFacts, Network
from frrlib.diagnosis.links import address_causes, link_causes, node_causes
from frrlib.diagnosis.wiring import Port, SharedLink

#: The name, the daemon and the IP version of each protocol.
_NAMES = {"rip": "RIP", "ripng": "RIPng"}
_DAEMONS = {"rip": "ripd", "ripng": "ripngd"}
_IP_VERSIONS = {"rip": 4, "ripng": 6}
#: The largest metric of a reachable network (RFC 2453, 3.5).
_LARGEST_METRIC = 15
#: The versions of RIP in commands, and those of FRR's defaults.
_VERSIONS = {"1": {1}, "2": {2}, "1 2": {1, 2}, "2 1": {1, 2}, "none": set[int]()}
_SENT, _RECEIVED = "2", "1 2"


@dataclass(frozen=True)
class RipSettings:
    """The settings of RIP at an interface.

    Attributes:
        is_passive: whether no updates are sent.
        sent, received: versions of RIP.
        mode: the kind of authentication: "none", "text" or "md5".
        keys: the passwords.
    """

    is_passive: bool
    sent: frozenset[int]
    received: frozenset[int]
    mode: str
    keys: frozenset[str]


def runs_on(facts: LabFacts, router: str, protocol: str, interface: str) -> bool:
    """Whether the configuration enables a protocol ("rip", "ripng") at an interface, by its name or by a network that
    contains one of its addresses."""
    addresses = facts.interface(router, interface).of_version(_IP_VERSIONS[protocol])
    for value in _values(facts.lines(router, f"router {protocol}"), "network"):
        if value == interface or (
            "/" in value and any(address.ip in ip_network(value, False) for address in addresses)
        ):
            return True
    return False


def _values(lines: tuple[str, ...], words: str) -> list[str]:
    """The rests of all lines that begin with these words."""
    return [line.removeprefix(words).strip() for line in lines if line.startswith(f"{words} ")]


def _settings(facts: LabFacts, port: Port, protocol: str) -> RipSettings:
    process, lines = facts.lines(port.node, f"router {protocol}"), facts.lines(port.node, f"interface {port.interface}")
    named = f"passive-interface {port.interface}"
    is_passive = named in process or ("passive-interface default" in process and f"no {named}" not in process)
    version = next(iter(_values(process, "version")), "")
    sent = next(iter(_values(lines, "ip rip send version")), version or _SENT)
    received = next(iter(_values(lines, "ip rip receive version")), version or _RECEIVED)
    keys = [*_values(lines, "ip rip authentication string")]
    for chain in _values(lines, "ip rip authentication key-chain"):
        keys += _key_strings(facts, port.node, chain)
    return RipSettings(
        is_passive,
        frozenset(_VERSIONS.get(sent, {1, 2})),
        frozenset(_VERSIONS.get(received, {1, 2})),
        next(iter(_values(lines, "ip rip authentication mode")), "none").split()[0],
        frozenset(keys),
    )


def _key_strings(facts: LabFacts, router: str, chain: str) -> Iterator[str]:
    """The passwords of a key chain."""
    for section in facts.sections(router, "key chain"):
        if section.text == f"key chain {chain}":
            for key in section.below:
                yield from _values(tuple(line.text for line in key.below), "key-string")


# --- neighbors --------------------------------------------------------------------------------------------------------


def rip_causes(facts: LabFacts, link: SharedLink) -> Iterator[Step]:
    """The causes that keep the two ends of a link from receiving each other's updates of RIP."""
    return _causes(facts, link, "rip")


def disagreements(facts: LabFacts, link: SharedLink) -> list[Step]:
    """The causes for which an end discards the updates of its neighbor, although it lists their sender."""
    a, b = (_settings(facts, port, "rip") for port in link.ends)
    return [*_versions(link, a, b), *_authentication(link, a, b)]


def ripng_causes(facts: LabFacts, link: SharedLink) -> Iterator[Step]:
    """The same for RIPng."""
    return _causes(facts, link, "ripng")


def _causes(facts: LabFacts, link: SharedLink, protocol: str) -> Iterator[Step]:
    stopped = [step for port in link.ends for step in node_causes(facts, port.node, _DAEMONS[protocol])]
    if below := stopped or list(link_causes(facts, link)):
        yield from below
        return
    a, b = (_settings(facts, port, protocol) for port in link.ends)
    pairs = tuple(zip(link.ends, (a, b), strict=True))
    if silent := [step for port, settings in pairs for step in _silence(facts, port, settings, protocol)]:
        yield from silent
        return
    if protocol == "rip":
        yield from _versions(link, a, b)
        yield from _authentication(link, a, b)
        yield from address_causes(facts, link)


def _silence(facts: LabFacts, port: Port, settings: RipSettings, protocol: str) -> Iterator[Step]:
    """The reason why an interface sends no updates."""
    name, heading = _NAMES[protocol], f"In vtysh of {port.node}: `router {protocol}`"
    if not runs_on(facts, port.node, protocol, port.interface):
        remedy = f"{heading}, `network {port.interface}`."
        yield cause(port.node, port.interface, f"{name} does not run on {port}.", remedy)
    elif settings.is_passive:
        remedy = f"{heading}, `no passive-interface {port.interface}`."
        yield cause(port.node, port.interface, f"{name} is passive on {port}, so it sends no updates.", remedy)


def _versions(link: SharedLink, a: RipSettings, b: RipSettings) -> Iterator[Step]:
    for sender, receiver, sent, received in (
        (link.a, link.b, a.sent, b.received),
        (link.b, link.a, b.sent, a.received),
    ):
        if not sent & received:
            sentence = (
                f"The versions differ: {sender} sends {_version_words(sent)}, and {receiver} accepts "
                f"{_version_words(received)}."
            )
            remedy = "Set the same `version` in `router rip` of both, or `ip rip receive version 1 2` at the interface."
            yield cause(sender.node, sender.interface, sentence, remedy)


def _version_words(versions: frozenset[int]) -> str:
    return f"RIP version {' and '.join(map(str, sorted(versions)))}" if versions else "no version"


def _authentication(link: SharedLink, a: RipSettings, b: RipSettings) -> Iterator[Step]:
    if a.mode != b.mode:
        sentence = f"The authentication differs: {link.a} uses {_mode_words(a)}, {link.b} uses {_mode_words(b)}."
        remedy = "Set the same `ip rip authentication mode` and password at both interfaces, or none."
        yield cause(link.a.node, link.a.interface, sentence, remedy)
    elif a.mode != "none" and not a.keys & b.keys and a.keys != b.keys:
        sentence = f"The passwords of {link.a} and {link.b} differ."
        remedy = "Set one `ip rip authentication string` at both interfaces."
        yield cause(link.a.node, link.a.interface, sentence, remedy)


def _mode_words(settings: RipSettings) -> str:
    return {"none": "none", "text": "a plain password", "md5": "MD5"}.get(settings.mode, settings.mode)


# --- routes -----------------------------------------------------------------------------------------------------------


def passing_causes(facts: LabFacts, link: SharedLink, protocol: str, network: Network) -> Iterator[Step]:
    """The reasons why neighbors do not pass a route: its metric, and filters.

    Args:
        link: the router that has the route is at `a`, the router that lacks it at `b`.
    """
    name, holder, other = _NAMES[protocol], link.a.node, link.b.node
    metrics = [int(entry.get("metric", 0)) for entry in facts.rib(holder, network) if entry.get("protocol") == protocol]
    if metrics and min(metrics) >= _LARGEST_METRIC:
        sentence = (
            f"{network} is {min(metrics)} hops away at {holder}, and {name} has no routes of more than "
            f"{_LARGEST_METRIC} hops."
        )
        yield cause(other, link.b.interface, sentence, f"Shorten the path, or run OSPF or IS-IS instead of {name}.")
    for port, direction in ((link.a, "out"), (link.b, "in")):
        for line in facts.lines(port.node, f"router {protocol}"):
            words = line.split()
            at_port = len(words) < 5 or words[-1] in (direction, port.interface)
            if words[0] in ("distribute-list", "ipv6") and direction in words and at_port:
                sentence = f"{port.node} filters {name} routes, and {network} may be among them (`{line}`)."
                remedy = f"In vtysh of {port.node}: `router {protocol}`, `no {line}`; or permit {network} in the list."
                yield cause(port.node, port.interface, sentence, remedy)
