"""The sessions and adjacencies of a running lab that a change ends or interrupts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from ipaddress import ip_address

from frrlib.changes.plan_difference import PlanDifference
from frrlib.conf.changes import ConfigChange, difference
from frrlib.model.links import End, Link
from frrlib.model.topology import Topology
from frrlib.prediction.adjacency import Adjacency, expected_adjacencies
from frrlib.prediction.routes import known_without_bgp
from frrlib.wire.plan import Plan

#: A change by its subject ("node", "link" or "configuration") and its name.
Cause = tuple[str, str]

_PROTOCOLS = {
    "ospf": "OSPF", "ospf6": "OSPFv3", "isis": "IS-IS", "bgp": "BGP", "bfd": "BFD", "pim": "PIM", "ldp": "LDP",
}  # fmt: skip
_DAEMONS = {
    "ospf": "ospfd", "ospf6": "ospf6d", "isis": "isisd", "bgp": "bgpd", "bfd": "bfdd", "pim": "pimd", "ldp": "ldpd",
}  # fmt: skip
#: The lines that open the configuration of a process.
_HEADINGS = {
    "ospf": "router ospf", "ospf6": "router ospf6", "isis": "router isis", "bgp": "router bgp", "bfd": "bfd",
    "pim": "router pim", "ldp": "mpls ldp",
}  # fmt: skip
#: Protocols whose hellos come from the first IPv4 address of an interface.
_FROM_IPV4_ADDRESS = ("ospf", "pim", "ldp")
#: Lines at an interface by which FRR starts a protocol anew there.
_AT_INTERFACE = {
    "ospf": re.compile(r"ip ospf (\S+ )?(area|network)\b"),
    "ospf6": re.compile(r"ipv6 ospf6 (area|network)\b"),
    "isis": re.compile(r"isis (network|circuit-type)\b"),
}
#: Lines of a whole process by which FRR ends all its sessions.
_OF_PROCESS = {
    "ospf": re.compile(r"ospf router-id\b|area \S+ (stub|nssa)\b"),
    "ospf6": re.compile(r"ospf6 router-id\b|area \S+ (stub|nssa)\b"),
    "isis": re.compile(r"is-type\b"),
    "bgp": re.compile(r"bgp (router-id|confederation)\b"),
    "ldp": re.compile(r"router-id\b|discovery transport-address\b"),
}
#: Settings of a BGP neighbor or a peer group by which FRR ends its session.
_OF_NEIGHBOR = re.compile(
    r"neighbor (?P<name>\S+) (interface\b.*|remote-as|peer-group|update-source|ebgp-multihop|password|ttl-security"
    r"|local-as|passive|shutdown|activate|route-reflector-client|disable-connected-check|capability|local-role)\b"
)
_PEER_GROUP = re.compile(r"^\s*neighbor (\S+) (?:interface )?(?:v6only )?peer-group (\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class _Session:
    """An adjacency or session, seen from both ends.

    Attributes:
        protocol: as in `Adjacency`.
        routers: the names of both routers, sorted.
        links: IDs of the links at both ends; empty for a session between loopbacks.
        names: names by which the routers list each other, and the interfaces of unnumbered sessions. They do not
            distinguish sessions.
    """

    protocol: str
    routers: tuple[str, ...]
    links: frozenset[str]
    names: tuple[str, ...] = ()

    @property
    def key(self) -> _Session:
        """The session without its names."""
        return replace(self, names=())

    def __str__(self) -> str:
        return f"{_PROTOCOLS[self.protocol]} between {' and '.join(self.routers)}"


def interruptions(
    before: Topology, after: Topology, plans: tuple[Plan, Plan], plan_difference: PlanDifference
) -> dict[Cause, tuple[str, ...]]:
    """The sessions that each change ends or interrupts, in words.

    Only sessions that a lab of the topology before expects are considered. A session that only loses its route, such as
    one between loopbacks, is listed if no route is left.

    Args:
        before, after: resolved topologies.
        plans: their plans.
        plan_difference: of these plans.
    """
    present, later = _sessions(before), _sessions(after)
    search = _CauseSearch(before, after, plans, plan_difference)
    found: dict[Cause, list[str]] = {}
    for key, session in present.items():
        cause = search.cause(session)
        if cause is None and key not in later:
            cause = search.change_at(session)
        if cause is not None:
            words = "is interrupted" if key in later else "ends"
            found.setdefault(cause, []).append(f"{session} {words}")
    return {cause: tuple(dict.fromkeys(texts)) for cause, texts in found.items()}


def _sessions(topology: Topology) -> dict[_Session, _Session]:
    """All expected sessions by key."""
    needs_routes = any(router.bgp or router.ldp for router in topology.routers)
    known = known_without_bgp(topology) if needs_routes else {}
    result: dict[_Session, _Session] = {}
    for adjacency in expected_adjacencies(topology, known):
        session = _session_of(topology, adjacency)
        names = result[session.key].names if session.key in result else ()
        result[session.key] = replace(session, names=(*names, *session.names))
    return result


def _session_of(topology: Topology, adjacency: Adjacency) -> _Session:
    ends = topology.ends_at(adjacency.router), topology.ends_at(adjacency.neighbor)
    if adjacency.interface:
        interfaces = adjacency.interface, adjacency.neighbor_interface
        links = {
            link.id
            for name, ends_of_router in zip(interfaces, ends, strict=True)
            for link, end in ends_of_router
            if end.interface == name
        }
    else:
        links = _links_to(adjacency.names, ends[0], ends[1])
    routers = tuple(sorted((adjacency.router, adjacency.neighbor)))
    names = (*adjacency.names, adjacency.interface) if adjacency.interface else adjacency.names
    return _Session(adjacency.protocol, routers, frozenset(links), names)


def _links_to(
    addresses: Iterable[str], own_ends: Iterable[tuple[Link, End]], far_ends: Iterable[tuple[Link, End]]
) -> set[str]:
    """The links at both ends of a session with one of these addresses in a network of the router; else none."""
    peers = {ip_address(address) for address in addresses}
    towards_peer = {
        link.id for link, end in own_ends for peer in peers if any(peer in a.network for a in end.addresses)
    }
    at_peer = {link.id for link, end in far_ends if any(address.ip in peers for address in end.addresses)}
    return towards_peer | at_peer if towards_peer and at_peer else set()


class _CauseSearch:
    """Finds the change that interrupts a session. The arguments are those of `interruptions`."""

    def __init__(
        self, before: Topology, after: Topology, plans: tuple[Plan, Plan], plan_difference: PlanDifference
    ) -> None:
        self._before, self._after, self._difference = before, after, plan_difference
        nodes = [{node.name: node for node in plan.nodes} for plan in plans]
        self._texts: dict[str, tuple[str, str]] = {}
        self._lines: dict[str, list[ConfigChange]] = {}
        self._ended: dict[str, set[str]] = {}
        for name in plan_difference.changed_nodes:
            old, new = nodes[0][name].frr, nodes[1][name].frr
            if old is not None and new is not None:
                texts = old.files.get("frr.conf", ""), new.files.get("frr.conf", "")
                self._texts[name] = texts
                self._lines[name] = difference(*texts)
                self._ended[name] = set(old.daemons) - set(new.daemons)

    def cause(self, session: _Session) -> Cause | None:
        """The change that interrupts the session, whether it returns afterwards or not."""
        difference = self._difference
        for name in session.routers:
            if name in difference.removed_nodes or name in difference.remade_nodes:
                return "node", name
        for link in sorted(session.links):
            gone = link in difference.removed_links or link in difference.remade_links
            if gone or (link in difference.changed_links and self._is_link_lost(link, session)):
                return "link", link
        for name in session.routers:
            if self._is_reset(name, session):
                return "configuration", name
        return None

    def change_at(self, session: _Session) -> Cause | None:
        """The change after which a session is not expected any more."""
        difference = self._difference
        for name in session.routers:
            if self._lines.get(name):
                return "configuration", name
        links = [*difference.removed_links, *difference.remade_links, *difference.changed_links]
        if links:
            return "link", next((link for link in links if link in session.links), links[0])
        configured = [name for name, lines in self._lines.items() if lines]
        names = [*difference.removed_nodes, *difference.remade_nodes]
        return ("node", names[0]) if names else ("configuration", configured[0]) if configured else None

    def _is_link_lost(self, link_id: str, session: _Session) -> bool:
        """Whether a changed link loses its carrier or the addresses of the session."""
        old, new = self._before.link(link_id), self._after.link(link_id)
        assert old is not None and new is not None
        if old.up and not new.up:
            return True
        for old_end, new_end in zip(old.ends, new.ends, strict=True):
            gone = [address for address in old_end.addresses if address not in new_end.addresses]
            first = next((address for address in old_end.addresses if address.version == 4), None)
            if session.protocol in _FROM_IPV4_ADDRESS and first in gone:
                return True
            if any(str(address.ip) in session.names for address in gone):
                return True
        return False

    def _is_reset(self, name: str, session: _Session) -> bool:
        """Whether a router's other configuration ends the session."""
        protocol = session.protocol
        if _DAEMONS[protocol] in self._ended.get(name, ()):
            return True
        return any(self._resets(name, change, session) for change in self._lines.get(name, ()))

    def _resets(self, name: str, change: ConfigChange, session: _Session) -> bool:
        line, within = change.line.removeprefix("no "), change.within[:1]
        protocol = session.protocol
        if within == ("interface",):
            at = change.section[0].split()[1]
            pattern = _AT_INTERFACE.get(protocol)
            return bool(pattern and pattern.match(line)) and at in self._interfaces(name, session)
        heading = f"{_HEADINGS[protocol]} "
        if not within:  # the whole process disappears
            return change.kind == "removed" and f"{line} ".startswith(heading)
        if not f"{change.section[0]} ".startswith(heading):
            return False
        if protocol == "bgp" and (match := _OF_NEIGHBOR.match(line)):
            return match["name"] in {*session.names, *self._groups_of(name, session.names)}
        if protocol == "bgp" and line.startswith("bgp cluster-id "):
            return self._is_internal(session)
        if protocol == "isis" and line.startswith("net "):
            return _system_id(line) not in {
                _system_id(other.line) for other in self._lines[name] if other.kind != change.kind
            }
        pattern = _OF_PROCESS.get(protocol)
        return bool(pattern and pattern.match(line))

    def _is_internal(self, session: _Session) -> bool:
        processes = [router.bgp for router in self._before.routers if router.name in session.routers]
        return len({bgp.asn for bgp in processes if bgp is not None}) == 1

    def _interfaces(self, name: str, session: _Session) -> set[str]:
        return {end.interface for link, end in self._before.ends_at(name) if link.id in session.links}

    def _groups_of(self, name: str, neighbors: Iterable[str]) -> set[str]:
        """The peer groups of a router's neighbors, before or after the change."""
        members = (member for text in self._texts[name] for member in _PEER_GROUP.findall(text))
        return {group for neighbor, group in members if neighbor in neighbors}


def _system_id(line: str) -> str:
    """The system ID in a line of IS-IS with an address: "net 49.0001.0100.0000.0001.00"."""
    return ".".join(line.split()[-1].split(".")[-4:-1]) if line.startswith("net ") else ""
