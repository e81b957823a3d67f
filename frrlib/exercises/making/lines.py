"""The configuration lines in which two topologies differ, as checks, with the better checks that cover each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from frrlib.conf.text import ConfigEntry, parse
from frrlib.exercises.checks import Configuration, Neighbor, PathCheck, Route
from frrlib.exercises.making.candidate import LINES, Candidate, identifier
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.render.frr import frr_conf

#: Begins of lines that every lab has, so that its routers react at once and their logs say more.
_OF_EVERY_LAB = (
    "log", "bgp log-neighbor-changes", "timers throttle", "timers lsa", "coalesce-time", "no bgp default ipv4-unicast",
)  # fmt: skip
#: A line with the headings of its sections.
_Line = tuple[tuple[str, ...], str]
#: Words of lines that decide among paths.
_PREFERENCES = ("cost", "metric", "local-preference", "preference", "prepend", "weight", "med", "distance")
_PROTOCOLS = ("ospf6", "ospf", "isis", "bgp", "rip", "ripng", "pim", "bfd")
_LONGEST = 255


def line_candidates(start: Topology, solution: Topology, behavior: Sequence[Candidate]) -> Iterator[Candidate]:
    """The lines of FRR's configuration that only the solution has, or only the start, as checks.

    Args:
        start, solution: with names and addresses filled in.
        behavior: the checks of the network's behavior.
    """
    for router in solution.routers:
        router_at_start = start.node(router.name)
        earlier = _lines_of(start, router_at_start) if isinstance(router_at_start, Router) else {}
        later = _lines_of(solution, router)
        changes = [(line, True) for line in later if line not in earlier]
        changes += [(line, False) for line in earlier if line not in later]
        for number, ((section, line), present) in enumerate(changes, 1):
            has = "has" if present else "does not have"
            where = f" in {section[-1]}" if section else ""
            check = Configuration(
                kind="configuration", id=identifier(router.name, "line", str(number)), node=router.name,
                section=section, line=line, present=present,
                title=f"{router.name} {has} the line {line}{where}"[:_LONGEST],
                message=f"The configuration of {router.name} {'lacks this line' if present else 'still has it'}.",
            )  # fmt: skip
            better = _better(solution, router.name, (section, line), behavior)
            yield Candidate(check, LINES, is_proposed=False, is_certain=False, better=better)


def _lines_of(topology: Topology, router: Router) -> dict[_Line, None]:
    """The lines of a router's configuration in their order. A section without lines counts as a line itself."""
    text = frr_conf(topology, router) if router.runs_frr else ""
    return dict.fromkeys(_lines_below(parse(text), ()))


def _lines_below(entries: Iterable[ConfigEntry], section: tuple[str, ...]) -> Iterator[_Line]:
    for entry in entries:
        if not entry.text or len(entry.text) > _LONGEST:
            continue
        below = [*_lines_below(entry.below, (*section, entry.text))] if entry.kind else []
        if below or not entry.text.startswith(_OF_EVERY_LAB):
            yield from below or [(section, entry.text)]


def _better(topology: Topology, node: str, line: _Line, behavior: Sequence[Candidate]) -> tuple[str, ...]:
    """The ids of the checks of the network's behavior that depend on a line of a router."""
    section, text = line
    words = " ".join((*section, text)).split()
    checks = [candidate.check for candidate in behavior if candidate.is_proposed]
    paths = [check.id for check in checks if isinstance(check, PathCheck) and node in check.path]
    if paths and any(word in _PREFERENCES for word in words):
        return tuple(paths)
    prefixes = {word if word != "0.0.0.0/0" else "default" for word in text.split() if "/" in word}
    routes = [check for check in checks if isinstance(check, Route) and check.prefix in prefixes]
    if text.startswith(("ip route", "ipv6 route")):
        hops = {"", *text.split()}
        return tuple(check.id for check in routes if check.node == node and check.next_hop in hops)
    if routes:
        return tuple(check.id for check in routes)
    protocol = next((name for name in _PROTOCOLS if name in words), "")
    neighbors = [
        check for check in checks if isinstance(check, Neighbor) and check.protocol == protocol and node in check.nodes
    ]
    near = _nodes_named(topology, node, line)
    near_neighbors = [check.id for check in neighbors if near.intersection(check.nodes)]
    if near_neighbors or neighbors:
        return tuple(near_neighbors or [check.id for check in neighbors])
    return tuple(check.id for check in checks if isinstance(check, Route) and protocol and check.protocol == protocol)


def _nodes_named(topology: Topology, node: str, line: _Line) -> set[str]:
    """The nodes at the other end of a line's interface, or with an address of the line, without the router itself."""
    section, text = line
    words = {word for part in (*section, text) for word in part.split()}
    named = {link.other(node).node for link, end in topology.ends_at(node) if end.interface in words}
    ends = [end for link in topology.links for end in link.ends]
    named |= {end.node for end in ends if any(str(address.ip) in words for address in end.addresses)}
    named |= {r.name for r in topology.routers if any(str(address.ip) in words for address in r.loopbacks)}
    return named - {node}
