"""Causes of missing IS-IS neighbors: settings of the two ends that must agree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from frrlib.diagnosis.explanation import Step, cause
from frrlib.diagnosis.facts import LabFacts
from frrlib.diagnosis.links import address_causes, link_causes, node_causes
from frrlib.diagnosis.wiring import Port, SharedLink

#: Largest link-state packet by default, and the header before it in a frame, in bytes.
_LSP_MTU_BYTES, _LLC_BYTES = 1497, 3
_LEVELS = {"level-1": {1}, "level-2-only": {2}, "level-2": {2}, "level-1-2": {1, 2}}
_NET = re.compile(r"net (?P<area>\S+?)\.(?P<system>(?:[0-9a-f]{4}\.){2}[0-9a-f]{4})\.00", re.IGNORECASE)
_INSTANCE = re.compile(r"ip(?:v6)? router isis (\S+)")


@dataclass(frozen=True)
class IsisSettings:
    """The settings of IS-IS at an interface.

    Attributes:
        tag: the instance that the interface names; empty if it names none.
        is_defined: whether the router has an instance of that name with a NET.
        areas, system: of the NETs.
        levels: the levels at which the interface forms adjacencies.
        network: "broadcast" or "point-to-point".
        key: the password of hellos, with its kind; empty for none.
        is_passive: whether no hellos are sent.
        lsp_mtu_bytes: the largest link-state packet.
    """

    tag: str
    is_defined: bool = False
    areas: frozenset[str] = frozenset()
    system: str = ""
    levels: frozenset[int] = frozenset()
    network: str = "broadcast"
    key: str = ""
    is_passive: bool = False
    lsp_mtu_bytes: int = _LSP_MTU_BYTES


def isis_settings(facts: LabFacts, port: Port) -> IsisSettings:
    """The settings of an interface and its instance in the running configuration."""
    lines = facts.lines(port.node, f"interface {port.interface}")
    tags = [match[1] for match in map(_INSTANCE.fullmatch, lines) if match]
    if not tags:
        return IsisSettings("")
    instance = facts.lines(port.node, f"router isis {tags[0]}")
    nets = [match for match in map(_NET.fullmatch, instance) if match]
    level_text = str(facts.isis_interfaces(port.node).get(port.interface, {}).get("level", ""))
    levels = {int(digit) for digit in re.findall(r"\d", level_text)}
    levels = levels or _levels_of(_value(instance, "is-type", "")) & _levels_of(_value(lines, "isis circuit-type", ""))
    return IsisSettings(
        tags[0],
        bool(nets),
        frozenset(net["area"].lower() for net in nets),
        nets[0]["system"].lower() if nets else "",
        frozenset(levels),
        _value(lines, "isis network", "broadcast"),
        _value(lines, "isis password", ""),
        "isis passive" in lines,
        int(_value(instance, "lsp-mtu", str(_LSP_MTU_BYTES))),
    )


def _value(lines: tuple[str, ...], words: str, default: str) -> str:
    """The rest of the line that begins with these words."""
    return next((line.removeprefix(words).strip() for line in lines if line.startswith(f"{words} ")), default)


def _levels_of(keyword: str) -> set[int]:
    return _LEVELS.get(keyword, {1, 2})


def is_configured(facts: LabFacts, port: Port) -> bool:
    """Whether the configuration of an interface names an instance of IS-IS."""
    return bool(isis_settings(facts, port).tag)


def isis_causes(facts: LabFacts, link: SharedLink) -> Iterator[Step]:
    """The causes that keep the two ends of a link from becoming IS-IS neighbors."""
    stopped = [step for port in link.ends for step in node_causes(facts, port.node, "isisd")]
    if found := stopped or list(link_causes(facts, link)):
        yield from found
        return
    a, b = (isis_settings(facts, port) for port in link.ends)
    pairs = tuple(zip(link.ends, (a, b), strict=True))
    if silent := [step for port, settings in pairs for step in _silence(port, settings)]:
        yield from silent
        return
    if a.system == b.system:
        remedy = f"In vtysh of {link.b.node}: `router isis {b.tag}`, `net` with another system ID."
        yield cause(link.a.node, "", f"{link.a.node} and {link.b.node} have the same system ID {a.system}.", remedy)
    yield from _levels(link, a, b)
    if a.network != b.network:
        sentence = f"The network types differ: {link.a} has {a.network}, {link.b} has {b.network}."
        remedy = "Set `isis network point-to-point` at both interfaces, or at neither."
        yield cause(link.a.node, link.a.interface, sentence, remedy)
    if a.key != b.key:
        yield _password_cause(link, a, b)
    yield from _mtus(facts, link, a, b)
    yield from address_causes(facts, link)
    yield from _twins(facts, link)


def _twins(facts: LabFacts, link: SharedLink) -> Iterator[Step]:
    """Other routers that have the system ID of an end."""
    systems = {router: _systems(facts, router) for router in facts.routers}
    for port in link.ends:
        for router in facts.routers:
            if router not in (link.a.node, link.b.node) and systems[router] & systems[port.node]:
                sentence = f"{port.node} and {router} have the same system ID {min(systems[port.node])}."
                yield cause(port.node, "", sentence, "Set a NET with a system ID of its own in each `router isis`.")


def _systems(facts: LabFacts, router: str) -> set[str]:
    sections = [section for section in facts.sections(router, "router") if section.text.startswith("router isis ")]
    nets = [_NET.fullmatch(line.text) for section in sections for line in section.below]
    return {net["system"].lower() for net in nets if net}


def _silence(port: Port, settings: IsisSettings) -> Iterator[Step]:
    """The reason why an interface sends no hellos."""
    if not settings.tag:
        remedy = f"In vtysh of {port.node}: `interface {port.interface}`, `ip router isis TAG`."
        yield cause(port.node, port.interface, f"IS-IS does not run on {port}.", remedy)
    elif not settings.is_defined:
        sentence = f"{port} runs the IS-IS instance {settings.tag}, but {port.node} has no such instance with a NET."
        remedy = (
            f"In vtysh of {port.node}: `router isis {settings.tag}`, `net NET`; or name its instance at the interface."
        )
        yield cause(port.node, port.interface, sentence, remedy)
    elif settings.is_passive:
        remedy = f"In vtysh of {port.node}: `interface {port.interface}`, `no isis passive`."
        yield cause(port.node, port.interface, f"IS-IS is passive on {port}, so it sends no hellos.", remedy)


def _levels(link: SharedLink, a: IsisSettings, b: IsisSettings) -> Iterator[Step]:
    common = a.levels & b.levels
    if not common:
        sentence = f"The levels differ: {link.a} uses {_level_words(a)}, {link.b} uses {_level_words(b)}."
        remedy = (
            "Set the same level at both ends: `is-type` in `router isis`, and `isis circuit-type` at the interface."
        )
        yield cause(link.a.node, link.a.interface, sentence, remedy)
    elif common == {1} and not a.areas & b.areas:
        sentence = (
            f"The areas differ: {link.a.node} is in {', '.join(sorted(a.areas))}, {link.b.node} in "
            f"{', '.join(sorted(b.areas))}, and level 1 only connects routers of one area."
        )
        remedy = "Set a NET of the same area at both, or level 2, such as `is-type level-1-2`, at both."
        yield cause(link.a.node, link.a.interface, sentence, remedy)


def _level_words(settings: IsisSettings) -> str:
    return f"level {' and '.join(map(str, sorted(settings.levels)))}" if settings.levels else "no level"


def _password_cause(link: SharedLink, a: IsisSettings, b: IsisSettings) -> Step:
    if a.key and b.key:
        sentence = f"The passwords of {link.a} and {link.b} differ."
    else:
        has, lacks = (link.a, link.b) if a.key else (link.b, link.a)
        sentence = f"The authentication differs: {has} has a password, {lacks} has none."
    remedy = "Set one `isis password` at both interfaces, or remove it at both."
    return cause(link.a.node, link.a.interface, sentence, remedy)


def _mtus(facts: LabFacts, link: SharedLink, a: IsisSettings, b: IsisSettings) -> Iterator[Step]:
    mtus = [facts.interface(port.node, port.interface).mtu_bytes for port in link.ends]
    if mtus[0] != mtus[1]:
        sentence = f"The MTUs differ: {link.a} has {mtus[0]} bytes, {link.b} has {mtus[1]} bytes."
        remedy = "Set one MTU at both ends, because hellos are padded to the MTU."
        yield cause(link.a.node, link.a.interface, sentence, remedy)
        return
    for port, settings, mtu in zip(link.ends, (a, b), mtus, strict=True):
        if mtu < settings.lsp_mtu_bytes + _LLC_BYTES:
            sentence = (
                f"The MTU of {port} is too small: it is {mtu} bytes, and link-state packets of {port.node} have up to "
                f"{settings.lsp_mtu_bytes} bytes and a header of {_LLC_BYTES} bytes."
            )
            remedy = (
                f"Raise the MTU, or in vtysh of all routers of the area: `router isis {settings.tag}`, "
                f"`lsp-mtu {mtu - _LLC_BYTES}`."
            )
            yield cause(port.node, port.interface, sentence, remedy)
