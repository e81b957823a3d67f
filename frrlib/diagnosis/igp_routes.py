"""Why a router lacks a route that its neighbor has, by an IGP: it is not advertised, or not passed on."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network

from frrlib.diagnosis import isis, ospf, rip
from frrlib.diagnosis.explanation import Step, cause
from frrlib.diagnosis.facts import LabFacts, Network
from frrlib.diagnosis.links import node_causes
from frrlib.diagnosis.neighbors import PROTOCOLS, link_steps
from frrlib.diagnosis.wiring import SharedLink

_BACKBONE = "0.0.0.0"
_DAEMONS = {"ospf": "ospfd", "ospf6": "ospf6d", "isis": "isisd", "rip": "ripd", "ripng": "ripngd"}
#: The protocols that are explained, by IP version.
PROTOCOLS_OF = {4: ("ospf", "isis", "rip"), 6: ("ospf6", "isis", "ripng")}
#: The command of an interface that enables a protocol, by protocol and IP version; IS-IS' needs its instance.
_ENABLING = {
    ("ospf", 4): "ip ospf area", ("ospf6", 6): "ipv6 ospf6 area", ("isis", 4): "ip router isis",
    ("isis", 6): "ipv6 router isis",
}  # fmt: skip
#: The name of a protocol in zebra's table, where it differs from that in `redistribute`.
_REDISTRIBUTED = {"local": "connected", "kernel": "kernel"}


def igp_steps(facts: LabFacts, link: SharedLink, protocol: str, network: Network) -> list[Step]:
    """The causes that keep a route from passing over a link by a protocol; facts that work without `is_cause`.

    Args:
        link: the router that has the route is at `a`, the router that lacks it at `b`.
        protocol: one of `PROTOCOLS_OF` the network's version.
    """
    router = link.a.node
    if stopped := list(node_causes(facts, router, _DAEMONS[protocol])):
        return stopped
    if not advertises(facts, router, protocol, network):
        return [_not_advertised(facts, router, protocol, network)]
    steps = link_steps(facts, link, protocol)
    if any(step.is_cause for step in steps):
        return steps
    passed: Iterator[Step] = iter(())
    if protocol == "ospf":
        passed = _ospf_passes(facts, link, network)
    elif protocol == "isis":
        passed = _isis_passes(facts, link)
    elif protocol in ("rip", "ripng"):
        passed = rip.passing_causes(facts, link, protocol, network)
    return [*steps, *passed]


def advertises(facts: LabFacts, router: str, protocol: str, network: Network) -> bool:
    """Whether a router has a network in a protocol: learned by it, on an interface where it runs, or redistributed."""
    if any(entry.get("protocol") == protocol for entry in facts.rib(router, network)):
        return True
    if any(_runs_on(facts, router, protocol, name, network) for name in _interfaces_in(facts, router, network)):
        return True
    return bool(_redistribution(facts, router, protocol, network))


def _interfaces_in(facts: LabFacts, router: str, network: Network) -> list[str]:
    """The interfaces of a router whose network this is."""
    return [
        port.name
        for port in facts.interfaces(router).values()
        if any(address.network == network for address in port.addresses)
    ]


def _runs_on(facts: LabFacts, router: str, protocol: str, interface: str, network: Network) -> bool:
    if protocol == "ospf":
        return bool(facts.ospf_interface(router, interface))
    if protocol == "ospf6":
        return bool(facts.ospf6_interface(router, interface))
    if protocol in ("rip", "ripng"):
        return rip.runs_on(facts, router, protocol, interface)
    start = f"{_ENABLING[protocol, network.version]} "
    return any(line.startswith(start) for line in facts.lines(router, f"interface {interface}"))


def _instance_lines(facts: LabFacts, router: str, protocol: str) -> list[str]:
    sections = [s for s in facts.sections(router, "router") if s.text.split()[1] == protocol]
    return [line.text for section in sections for line in section.below]


def _source(facts: LabFacts, router: str, network: Network) -> str:
    """The word in `redistribute` for the protocol of a route."""
    protocol = str(facts.selected(router, network).get("protocol", ""))
    return _REDISTRIBUTED.get(protocol, protocol)


def _redistribution(facts: LabFacts, router: str, protocol: str, network: Network) -> str:
    """The line that redistributes a route into a protocol; empty if there is none."""
    source = _source(facts, router, network)
    starts = [f"redistribute {source}", f"redistribute ipv{network.version} {source}"]
    if network.prefixlen == 0:
        starts = ["default-information originate"]
    lines = _instance_lines(facts, router, protocol)
    return next((line for line in lines if any(f"{line} ".startswith(f"{start} ") for start in starts)), "")


def _not_advertised(facts: LabFacts, router: str, protocol: str, network: Network) -> Step:
    name, source = PROTOCOLS[protocol], _source(facts, router, network)
    interfaces = _interfaces_in(facts, router, network)
    heading = next(
        (s.text for s in facts.sections(router, "router") if s.text.split()[1] == protocol), f"router {protocol}"
    )
    keyword = "redistribute" if protocol != "isis" else f"redistribute ipv{network.version}"
    command = (
        f"`{heading}`, `{keyword} {source}`" if network.prefixlen else f"`{heading}`, `default-information originate`"
    )
    if not interfaces:
        sentence = f"{router} has {network} by {source}, but does not redistribute {source} routes into {name}."
        return cause(router, "", sentence, f"In vtysh of {router}: {command}.")
    place = interfaces[0]
    sentence = f"{router} does not advertise {network} by {name}, because {name} does not run on {place}."
    if protocol in ("rip", "ripng"):
        return cause(router, place, sentence, f"In vtysh of {router}: `{heading}`, `network {place}`; or {command}.")
    start = f"{_ENABLING[protocol, network.version]} {heading.split()[-1] if protocol == 'isis' else 'AREA'}"
    return cause(router, place, sentence, f"In vtysh of {router}: `interface {place}`, `{start}`; or {command}.")


# --- between neighbors ------------------------------------------------------------------------------------------------


def _ospf_passes(facts: LabFacts, link: SharedLink, network: Network) -> Iterator[Step]:
    """The reasons why OSPF neighbors do not pass a route: areas and their filters."""
    router = link.a.node
    area_text = str(facts.ospf_interface(router, link.a.interface).get("area", ""))
    area = area_text.partition(" ")[0]
    areas = {str(known.get("area", "")).partition(" ")[0] for known in facts.ospf_interfaces(router).values()}
    lines = _instance_lines(facts, router, "ospf")
    redistribution = _redistribution(facts, router, "ospf", network)
    kind = facts.ospf_route_type(router, network)
    if len(areas) > 1 and _BACKBONE not in areas:
        sentence = (
            f"{router} connects the areas {' and '.join(sorted(areas))}, but it has no interface in the backbone "
            "area 0, so it passes no routes between them."
        )
        yield cause(router, "", sentence, f"Move an interface of {router} to area 0.")
    elif "[" in area_text and (redistribution or " E" in kind) and not ("NSSA" in area_text and redistribution):
        word, keyword = ("an NSSA", "nssa") if "NSSA" in area_text else ("a stub area", "stub")
        sentence = f"Area {area} is {word}, which accepts no external routes such as {network}."
        remedy = f"Use the default route of the area, or at all its routers: `router ospf`, `no area {area} {keyword}`."
        yield cause(link.b.node, link.b.interface, sentence, remedy)
    for line in lines:
        if reason := _filters(line, area, network):
            remedy = f"In vtysh of {router}: `router ospf`, `no {line}`."
            yield cause(router, "", f"{router} {reason} (`{line}`).", remedy)
    if "route-map" in redistribution:
        sentence = f"The route map in `{redistribution}` of {router} may deny {network}."
        yield cause(router, "", sentence, f"Permit {network} in this route map.")


def _filters(line: str, area: str, network: Network) -> str:
    """The effect of a line of `router ospf` that keeps a network from other areas; empty if it has none."""
    words = line.split()
    if line.endswith("no-summary") and words[0] == "area" and _same_area(words[1], area):
        return f"passes only a default route into area {area}"
    if words[0] != "area" or len(words) < 4:
        return ""
    if words[2] == "range":
        around = ip_network(words[3])
        is_inside = around.overlaps(network) and around.prefixlen <= network.prefixlen
        verb = "hides" if "not-advertise" in words else "summarizes" if around != network else ""
        return f"{verb} {network} in the range {words[3]}" if is_inside and verb else ""
    if words[2] == "filter-list" or words[2] in ("import-list", "export-list"):
        return f"filters routes between areas, and {network} may be among them"
    return ""


def _same_area(a: str, b: str) -> bool:
    def number(text: str) -> str:
        if "." in text:
            return text
        return ".".join(str(int(text) >> shift & 255) for shift in (24, 16, 8, 0))

    return number(a) == number(b)


def _isis_passes(facts: LabFacts, link: SharedLink) -> Iterator[Step]:
    """The reasons why IS-IS neighbors do not pass a route: passwords of link states, metrics, levels."""
    a, b = (isis.isis_settings(facts, port) for port in link.ends)
    lines = [facts.lines(port.node, f"router isis {s.tag}") for port, s in zip(link.ends, (a, b), strict=True)]
    common = a.levels & b.levels
    for word, level in (("domain-password", 2), ("area-password", 1)):
        keys = [next((line for line in known if line.startswith(f"{word} ")), "") for known in lines]
        if level in common and keys[0] != keys[1]:
            sentence = (
                f"The {word} of {link.a.node} and {link.b.node} differ, so they discard each other's link states."
            )
            yield cause(link.a.node, "", sentence, f"Set one `{word}` in `router isis` of all routers, or none.")
    styles = [next((line.split()[1] for line in known if line.startswith("metric-style ")), "wide") for known in lines]
    if styles[0] != styles[1]:
        sentence = (
            f"The metric styles differ: {link.a.node} uses {styles[0]} metrics, {link.b.node} uses {styles[1]} metrics."
        )
        yield cause(link.a.node, "", sentence, "Set one `metric-style` in `router isis` of all routers.")
    if common == {1} and 2 in a.levels | _router_levels(lines[0]):
        sentence = (
            f"{link.b.node} is a neighbor of {link.a.node} only at level 1, which does not learn routes of other areas."
        )
        remedy = (
            f"Use the default route to {link.a.node}, or level 2 between them: `is-type level-1-2` at {link.b.node}."
        )
        yield cause(link.b.node, link.b.interface, sentence, remedy)


def _router_levels(lines: tuple[str, ...]) -> set[int]:
    kind = next((line.split()[1] for line in lines if line.startswith("is-type ")), "level-1-2")
    return {1} if kind == "level-1" else {2} if kind == "level-2-only" else {1, 2}


def configured_ends(facts: LabFacts, link: SharedLink, protocol: str) -> int:
    """The number of ends of a link whose configuration enables a protocol."""
    if protocol in ("rip", "ripng"):
        return sum(rip.runs_on(facts, port.node, protocol, port.interface) for port in link.ends)
    checks = {"ospf": ospf.is_configured, "ospf6": ospf.is_configured6, "isis": isis.is_configured}
    return sum(checks[protocol](facts, port) for port in link.ends)
