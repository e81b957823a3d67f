"""Causes of missing OSPF neighbors: settings of both ends that must agree (RFC 2328, sections 8.2, 10.5, 10.6)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any

from frrlib.diagnosis.explanation import Step, cause
from frrlib.diagnosis.facts import LabFacts
from frrlib.diagnosis.links import address_causes, link_causes, node_causes
from frrlib.diagnosis.wiring import Port, SharedLink


@dataclass(frozen=True)
class Agreement:
    """A setting that both ends of a link must agree on.

    Attributes:
        key: its key in the daemon's JSON.
        words: its name and verb ("hello intervals differ").
        command: the command that sets it at an interface, with `VALUE`.
        text: the value in the form that people and the command use.
        unit: added to the value for people.
    """

    key: str
    words: str
    command: str
    text: Callable[[Any], str] = str
    unit: str = ""


def _area(value: Any) -> str:
    """The number of an area without its kind: "0.0.0.1 [Stub]"."""
    return str(value).partition(" ")[0]


def _network_type(value: Any) -> str:
    words = {"POINTOPOINT": "point-to-point", "POINTOMULTIPOINT": "point-to-multipoint", "NBMA": "non-broadcast"}
    return words.get(str(value), str(value).lower())


def _seconds(value: Any) -> str:
    return f"{float(value) / 1000:g}"


_NETWORK_TYPE = Agreement("networkType", "network types differ", "ip ospf network VALUE", _network_type)
_AGREEMENTS = (
    Agreement("area", "areas differ", "ip ospf area VALUE", _area),
    Agreement("timerMsecs", "hello intervals differ", "ip ospf hello-interval VALUE", _seconds, " s"),
    Agreement("timerDeadSecs", "dead intervals differ", "ip ospf dead-interval VALUE", str, " s"),
    _NETWORK_TYPE,
)
_AGREEMENTS6 = (
    Agreement("areaId", "areas differ", "ipv6 ospf6 area VALUE"),
    Agreement("instanceId", "instance IDs differ", "ipv6 ospf6 instance-id VALUE"),
    Agreement("timerIntervalsConfigHello", "hello intervals differ", "ipv6 ospf6 hello-interval VALUE", str, " s"),
    Agreement("timerIntervalsConfigDead", "dead intervals differ", "ipv6 ospf6 dead-interval VALUE", str, " s"),
    Agreement("operatingAsType", "network types differ", "ipv6 ospf6 network VALUE", lambda value: str(value).lower()),
)
#: The kinds of areas in `show ip ospf interface json`.
_AREA_KINDS = {"Stub": "a stub area", "NSSA": "an NSSA"}
_NETWORK = re.compile(r"network (\S+/\d+) area \S+")
_KEY = re.compile(r"ip ospf (?:authentication-key|message-digest-key) (.+)")


def is_configured(facts: LabFacts, port: Port) -> bool:
    """Whether the configuration enables OSPF on an interface, which may be down."""
    if any(line.startswith("ip ospf area ") for line in facts.lines(port.node, f"interface {port.interface}")):
        return True
    matches = map(_NETWORK.fullmatch, facts.lines(port.node, "router ospf"))
    networks = [ip_network(match[1]) for match in matches if match]
    addresses = facts.interface(port.node, port.interface).of_version(4)
    return any(address.ip in network for address in addresses for network in networks)


def is_configured6(facts: LabFacts, port: Port) -> bool:
    """As `is_configured`, for OSPFv3."""
    lines = facts.lines(port.node, f"interface {port.interface}")
    return any(line.startswith("ipv6 ospf6 area ") for line in lines)


def ospf_causes(facts: LabFacts, link: SharedLink) -> Iterator[Step]:
    """The causes that keep the two ends of a link from becoming OSPF neighbors, in the order of OSPF's own checks."""
    stopped = [step for port in link.ends for step in node_causes(facts, port.node, "ospfd")]
    if stopped:
        yield from stopped
        return
    if broken := list(link_causes(facts, link)):
        yield from broken
        return
    a, b = (facts.ospf_interface(port.node, port.interface) for port in link.ends)
    is_broadcast = "BROADCAST" in (a.get("networkType"), b.get("networkType"))
    if misfits := list(address_causes(facts, link, same_mask=is_broadcast)):
        yield from misfits
        return
    silent = [_not_running(facts, port) for port, settings in zip(link.ends, (a, b), strict=True) if not settings]
    yield from silent
    if silent:
        return
    for port, settings in zip(link.ends, (a, b), strict=True):
        if settings.get("timerPassiveIface"):
            yield _passive(facts, port)
    if a.get("routerId") == b.get("routerId"):
        yield cause(
            link.a.node, "", f"{link.a.node} and {link.b.node} have the same router ID {a.get('routerId')}.",
            f"In vtysh of {link.b.node}: `router ospf`, another `ospf router-id`; then `clear ip ospf process`.",
        )  # fmt: skip
    yield from differences(link, a, b, _AGREEMENTS[:1])
    yield from _area_kinds(link, a, b)
    yield from _authentication(facts, link, a, b)
    yield from differences(link, a, b, _AGREEMENTS[1:])
    yield from _mtus(facts, link, a, b)
    yield from _priorities(link, a, b)
    for router in facts.routers:
        for port in link.ends:
            if router not in (link.a.node, link.b.node) and facts.ospf_router_id(router) == facts.ospf_router_id(
                port.node
            ):
                sentence = f"{port.node} and {router} have the same router ID {facts.ospf_router_id(router)}."
                yield cause(port.node, "", sentence, "Set a router ID of its own in each `router ospf`.")


def disagreements(facts: LabFacts, link: SharedLink) -> list[Step]:
    """The causes for which neighbors that are Full exchange no usable routes: different network types."""
    a, b = (facts.ospf_interface(port.node, port.interface) for port in link.ends)
    return list(differences(link, a, b, (_NETWORK_TYPE,))) if a and b else []


def ospf6_causes(facts: LabFacts, link: SharedLink) -> Iterator[Step]:
    """As `ospf_causes`, for OSPFv3."""
    stopped = [step for port in link.ends for step in node_causes(facts, port.node, "ospf6d")]
    if found := stopped or list(link_causes(facts, link)):
        yield from found
        return
    a, b = (facts.ospf6_interface(port.node, port.interface) for port in link.ends)
    silent = [port for port, settings in zip(link.ends, (a, b), strict=True) if not settings]
    for port in silent:
        sentence = f"OSPFv3 does not run on {port}"
        remedy = f"`interface {port.interface}`, `ipv6 ospf6 area AREA`"
        lines = facts.lines(port.node, f"interface {port.interface}")
        if any(line.startswith("ipv6 ospf6 area ") for line in lines):
            sentence, remedy = f"{sentence}, because {port.node} has no `router ospf6`", "`router ospf6`"
        yield cause(port.node, port.interface, f"{sentence}.", f"In vtysh of {port.node}: {remedy}.")
    if silent:
        return
    for port in link.ends:
        if "ipv6 ospf6 passive" in facts.lines(port.node, f"interface {port.interface}"):
            remedy = f"In vtysh of {port.node}: `interface {port.interface}`, `no ipv6 ospf6 passive`."
            yield cause(port.node, port.interface, f"OSPFv3 is passive on {port}, so it sends no hellos.", remedy)
    yield from differences(link, a, b, _AGREEMENTS6)
    if a.get("interfaceMtu") != b.get("interfaceMtu"):
        yield _mtu_cause(link, a.get("interfaceMtu"), b.get("interfaceMtu"))


def differences(
    link: SharedLink, a: Mapping[str, Any], b: Mapping[str, Any], agreements: tuple[Agreement, ...]
) -> Iterator[Step]:
    """A cause for each setting in which the two ends differ."""
    for setting in agreements:
        if setting.key not in a or setting.key not in b:
            continue
        local, remote = setting.text(a[setting.key]), setting.text(b[setting.key])
        if local != remote:
            sentence = f"The {setting.words}: {link.a} has {local}{setting.unit}, {link.b} has {remote}{setting.unit}."
            command = setting.command.replace("VALUE", local)
            yield cause(
                link.a.node, link.a.interface, sentence,
                f"Set one value at both ends, such as in vtysh of {link.b.node}: `interface {link.b.interface}`, "
                f"`{command}`.",
            )  # fmt: skip


def _not_running(facts: LabFacts, port: Port) -> Step:
    instances = [entry.text for entry in facts.config(port.node) if entry.text.split()[:2] == ["router", "ospf"]]
    if instances and not any(entry.text in instances for entry in facts.sections(port.node, "router")):
        table = f"the VRF {facts.vrf(port.node)}" if facts.vrf(port.node) else "the main table"
        sentence = f"{port} is in {table}, where {port.node} runs no OSPF (it has `{'`, `'.join(instances)}`)."
        remedy = f"In vtysh of {port.node}: `router ospf`; or move {port.interface} to the table of the other instance."
        return cause(port.node, port.interface, sentence, remedy)
    if is_configured(facts, port):
        remedy = f"In vtysh of {port.node}: `interface {port.interface}`, `shutdown`, `no shutdown`."
        return cause(
            port.node, port.interface, f"OSPF is configured on {port}, but ospfd does not run it there.", remedy
        )
    remedy = f"In vtysh of {port.node}: `interface {port.interface}`, `ip ospf area AREA`."
    return cause(port.node, port.interface, f"OSPF does not run on {port}.", remedy)


def _passive(facts: LabFacts, port: Port) -> Step:
    lines = facts.lines(port.node, "router ospf")
    command = f"`interface {port.interface}`, `no ip ospf passive`"
    if "passive-interface default" in lines:
        command = (
            f"`interface {port.interface}`, `no ip ospf passive`, or `router ospf`, `no passive-interface default`"
        )
    elif f"passive-interface {port.interface}" in lines:
        command = f"`router ospf`, `no passive-interface {port.interface}`"
    sentence = f"OSPF is passive on {port}, so it sends no hellos."
    return cause(port.node, port.interface, sentence, f"In vtysh of {port.node}: {command}.")


def _area_kinds(link: SharedLink, a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Step]:
    """Different kinds of one area; hellos of a stub area and of other areas have different options."""
    if _area(a.get("area")) != _area(b.get("area")):
        return
    kinds = [_area_kind(settings) for settings in (a, b)]
    if kinds[0] != kinds[1]:
        area = _area(a.get("area"))
        sentence = f"The types of area {area} differ: it is {kinds[0]} at {link.a.node}, {kinds[1]} at {link.b.node}."
        remedy = (
            f"In `router ospf` of both routers, set the same type: `area {area} stub`, `area {area} nssa`, or neither."
        )
        yield cause(link.a.node, link.a.interface, sentence, remedy)


def _area_kind(settings: Mapping[str, Any]) -> str:
    match = re.search(r"\[(\w+)", str(settings.get("area", "")))
    return _AREA_KINDS.get(match[1], match[1]) if match else "a normal area"


def _authentication(facts: LabFacts, link: SharedLink, a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Step]:
    """Differences in authentication. The keys themselves are not repeated."""
    kinds = [_authentication_kind(facts, port, settings) for port, settings in zip(link.ends, (a, b), strict=True)]
    if kinds[0] != kinds[1]:
        sentence = f"The authentication differs: {link.a} uses {kinds[0]}, {link.b} uses {kinds[1]}."
        remedy = "Set `ip ospf authentication` with the same type and key at both interfaces, or remove it at both."
        yield cause(link.a.node, link.a.interface, sentence, remedy)
        return
    if kinds[0] == "none":
        return
    keys = [_keys(facts, port) for port in link.ends]
    if keys[0] != keys[1]:
        ids = [{key.partition(" md5 ")[0] for key in known if " md5 " in key} for known in keys]
        what = "IDs of the authentication keys" if ids[0] != ids[1] else "authentication keys"
        command = "message-digest-key ID md5 KEY" if kinds[0] == "MD5" else "authentication-key KEY"
        sentence = f"The {what} of {link.a} and {link.b} differ."
        yield cause(link.a.node, link.a.interface, sentence, f"Set one key at both interfaces: `ip ospf {command}`.")


def _authentication_kind(facts: LabFacts, port: Port, settings: Mapping[str, Any]) -> str:
    """The authentication in force: that of the interface, else that of its area."""
    keyword = settings.get("authentication", "")
    if not keyword and "ip ospf authentication null" not in facts.lines(port.node, f"interface {port.interface}"):
        keyword = facts.ospf_area(port.node, _area(settings.get("area"))).get("authentication", "")
    words = {"authenticationMessageDigest": "MD5", "authenticationSimplePassword": "a plain password"}
    return words.get(keyword, "none")


def _keys(facts: LabFacts, port: Port) -> set[str]:
    matches = map(_KEY.fullmatch, facts.lines(port.node, f"interface {port.interface}"))
    return {match[1] for match in matches if match}


def _mtus(facts: LabFacts, link: SharedLink, a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Step]:
    """Different MTUs, unless the end with the smaller one ignores that."""
    mtus = (a.get("mtuBytes", 0), b.get("mtuBytes", 0))
    smaller = link.a if mtus[0] < mtus[1] else link.b
    lines = facts.lines(smaller.node, f"interface {smaller.interface}")
    if mtus[0] != mtus[1] and not any(line.startswith("ip ospf mtu-ignore") for line in lines):
        yield _mtu_cause(link, *mtus)


def _mtu_cause(link: SharedLink, a: Any, b: Any) -> Step:
    sentence = f"The MTUs differ: {link.a} has {a} bytes, {link.b} has {b} bytes."
    larger = link.a if int(a or 0) > int(b or 0) else link.b
    mtu = min(int(a or 0), int(b or 0))
    remedy = f"Set one MTU at both ends: `ip link set {larger.interface} mtu {mtu}` at {larger.node}."
    return cause(link.a.node, link.a.interface, sentence, remedy)


def _priorities(link: SharedLink, a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Step]:
    if a.get("networkType") == b.get("networkType") == "BROADCAST" and a.get("priority") == b.get("priority") == 0:
        sentence = f"{link.a} and {link.b} both have priority 0, so neither becomes the designated router."
        remedy = f"In vtysh of {link.a.node}: `interface {link.a.interface}`, `ip ospf priority 1`."
        yield cause(link.a.node, link.a.interface, sentence, remedy)
