"""The path of packets from a node to an address: by the kernels' tables, and by the probes of a traceroute.

path = lab.path("h1", "h2")
print(path)
assert path.arrives and not path.difference
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from ipaddress import ip_address
from typing import Any, Literal

import msgspec

from frrlib import wire
from frrlib.addressing.known_names import addresses_of
from frrlib.errors import TopologyError
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.wire.replies import REACHED, PathHop, PathStop

#: Maximum number of equal branches that are listed.
MOST_BRANCHES = 8
#: Limit for steps from a place to the next; only paths with loops, through many VRFs, need more.
_MOST_STEPS = 10_000
#: Maximum number of branches that a traceroute is compared with.
_MOST_COMPARED = 256

Family = Literal[0, 4, 6]
#: A node, and the VRF of the node in which packets are.
_Place = tuple[str, str]


@dataclass(frozen=True)
class TracerouteHop:
    """One line of a traceroute.

    Attributes:
        ttl: number of hops from the source, from 1.
        address: the source of the answer; empty if there was no answer.
        node: the node that has this address; empty if it is not in the topology.
        rtt_ms: round trip to it; None if there was no answer.
        said: empty before the end of the path, "reached" at its end, else the reported error ("no route", "nobody
            there", "prohibited", "loop").
    """

    ttl: int
    address: str = ""
    node: str = ""
    rtt_ms: float | None = None
    said: str = ""


@dataclass(frozen=True)
class LabPath:
    """A path as the kernels have it now.

    Attributes:
        source: the node at its start.
        destination: a node or an address.
        address: the address of the destination.
        vrf: the VRF of the source in which it begins; empty for none.
        sender: the source address of its packets; empty if the source has no route.
        stops: the decision of each node's kernel about the packets, the source first (see `wire.PathStop`).
        hops: the result of a traceroute along it; None if there was no traceroute.
    """

    source: str
    destination: str
    address: str
    vrf: str = ""
    sender: str = ""
    stops: tuple[PathStop, ...] = ()
    hops: tuple[TracerouteHop, ...] | None = None
    _by_place: Mapping[_Place, PathStop] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_place", {(stop.node, stop.vrf): stop for stop in self.stops})

    @property
    def nodes(self) -> list[str]:
        """All nodes on the path, nearest first."""
        return [*dict.fromkeys(stop.node for stop in self.stops)]

    def branches(self, most: int = MOST_BRANCHES) -> list[tuple[str, ...]]:
        """The branches as lists of nodes, up to `most`; there are several if next hops are equal. A loop ends where
        it closes."""
        known_branches: dict[_Place, list[tuple[str, ...]]] = {}
        steps = 0

        def follow(walk: tuple[_Place, ...]) -> tuple[list[tuple[str, ...]], bool]:
            """The continuations from the end of a walk, and whether one returns to a place of the walk, or may."""
            nonlocal steps
            place = walk[-1]
            if place in known_branches:
                return known_branches[place], False
            steps += 1
            next_places, some_end = self._beyond(place)
            branches: dict[tuple[str, ...], None] = {(place[0],): None} if some_end else {}
            may_loop = steps > _MOST_STEPS
            for next_place in next_places if not may_loop else ():
                continuations, closes = (
                    ([(next_place[0],)], True) if next_place in walk else follow((*walk, next_place))
                )
                # A node that uses two of its tables is named once.
                branches |= dict.fromkeys(tail if tail[0] == place[0] else (place[0], *tail) for tail in continuations)
                may_loop |= closes or len(branches) >= most  # the branches that are left out may return
                if len(branches) >= most:
                    break
            listed = [*branches][:most]
            if not may_loop:  # then the continuations do not depend on the walk to this place
                known_branches[place] = listed
            return listed, may_loop

        return follow(((self.source, self.vrf),))[0]

    @property
    def branch_count(self) -> int:
        """The number of all branches, including those that `ways` leaves out."""
        counted: dict[_Place, int] = {}

        def count(place: _Place, passed: frozenset[_Place]) -> int:
            if place in passed:
                return 1  # a loop closes
            if place not in counted:
                next_places, some_end = self._beyond(place)
                counted[place] = some_end + sum(count(next_place, passed | {place}) for next_place in next_places)
            return counted[place]

        return count((self.source, self.vrf), frozenset())

    def _beyond(self, place: _Place) -> tuple[list[_Place], bool]:
        """The next places of packets from a place, and whether some or all packets end there."""
        stop = self._by_place.get(place)
        hops = stop.hops if stop else ()
        next_places = [*dict.fromkeys((hop.node, hop.vrf) for hop in hops if hop.node)]
        return next_places, not next_places or any(not hop.node for hop in hops)

    @property
    def ends(self) -> dict[str, str]:
        """For each node at which some packets end: the reason."""
        reasons = {}
        for stop in self.stops:
            whys = [stop.reason, *(hop.reason for hop in stop.hops)]
            if text := " and ".join(dict.fromkeys(filter(None, whys))):
                reasons[stop.node] = text
        return reasons

    @property
    def loops(self) -> list[tuple[str, ...]]:
        """Loops, each beginning and ending with the node where it closes ("r2", "r1", "r2")."""
        loops: dict[frozenset[str], tuple[str, ...]] = {}
        for walk in self._closed():
            loop = _names(walk[walk.index(walk[-1]) :])
            loops.setdefault(frozenset(loop), loop)
        return [*loops.values()]

    def _closed(self) -> list[tuple[_Place, ...]]:
        """Walks that return to one of their places, one for each hop that closes a loop."""
        closed: list[tuple[_Place, ...]] = []
        finished: set[_Place] = set()

        def follow(walk: tuple[_Place, ...]) -> None:
            for place in self._beyond(walk[-1])[0]:
                if place in walk:
                    closed.append((*walk, place))
                elif place not in finished:
                    follow((*walk, place))
            finished.add(walk[-1])

        follow(((self.source, self.vrf),))
        return closed

    @property
    def owner(self) -> str:
        """The owner of the address, where packets arrive; empty if they do not, several names if several have it."""
        return ", ".join(dict.fromkeys(stop.node for stop in self.stops if stop.is_end))

    @property
    def arrives(self) -> bool:
        """Whether packets arrive at their destination on every branch."""
        owner = self.owner
        return bool(owner) and not self.ends and not self.loops and self.destination in (owner, self.address)

    @property
    def difference(self) -> str:
        """The differences between the traceroute and the tables; empty if they agree, or none was made."""
        return describe_difference(self, self.hops) if self.hops is not None else ""

    def describe(self) -> str:
        """The branches in one line, and their troubles."""
        texts, count = [" → ".join(names) for names in self.branches()], self.branch_count
        texts += ["…"] if len(texts) < count else []
        suffix = f" ({count} equal paths)" if count > 1 else ""
        return "; ".join([f"{' | '.join(texts)}{suffix}", *self.troubles()])

    def troubles(self) -> list[str]:
        """Sentences about the causes that keep packets from arriving, each with the node's name."""
        troubles = [f"loop: {' → '.join(loop)}" for loop in self.loops]
        troubles += [f"{node} {reason}" for node, reason in self.ends.items()]
        owner = self.owner
        if owner and self.destination not in (owner, self.address):
            troubles.append(f"packets reach {owner}, which also has the address {self.address}")
        return troubles

    def as_value(self) -> dict[str, Any]:
        """The whole path as a value for JSON."""
        return {
            "source": self.source, "destination": self.destination, "address": self.address, "vrf": self.vrf,
            "sender": self.sender, "arrives": self.arrives, "ways": self.branches(), "way_count": self.branch_count,
            "troubles": self.troubles(), "difference": self.difference, "stops": msgspec.to_builtins(self.stops),
            "hops": None if self.hops is None else [asdict(hop) for hop in self.hops],
        }  # fmt: skip

    def __str__(self) -> str:
        return self.describe() + (f"; {self.difference}" if self.difference else "")


def _names(places: Sequence[_Place]) -> tuple[str, ...]:
    """The nodes of a walk; one that uses two of its tables is named once."""
    return tuple(name for index, (name, _) in enumerate(places) if not index or places[index - 1][0] != name)


def describe_difference(path: LabPath, hops: Sequence[TracerouteHop]) -> str:
    """The differences between a traceroute and a path; empty if it agrees with one of the path's branches."""
    last = hops[-1] if hops else TracerouteHop(0)
    reached = last.said == REACHED
    branches = path.branches(_MOST_COMPARED)
    arriving = [branch for branch in branches if branch[-1] in path.owner.split(", ")]
    if reached:
        fits = (path.source,) in arriving or any(
            len(branch) == len(hops) + 1 and _passes(branch, hops) for branch in arriving
        )
    else:
        fits = any(_passes(branch, hops) for branch in branches if branch not in arriving)
    if fits:
        return ""
    if not any(hop.address for hop in hops) and not last.said:
        return "traceroute received no reply"
    names = [path.source, *(hop.node or "?" for hop in (hops if reached else _answered(hops)))]
    ending = (
        "" if reached else f", {last.node or path.source} replied: {last.said}" if last.said else ", and no farther"
    )
    return f"traceroute went {' → '.join(names)}{ending}"


def _answered(hops: Sequence[TracerouteHop]) -> Sequence[TracerouteHop]:
    """The hops up to the last that answered; a last one that repeatedly says "no farther" appears once."""
    answered = hops[: max((index + 1 for index, hop in enumerate(hops) if hop.address), default=0)]
    return (
        answered[:-1]
        if len(answered) > 1 and answered[-1].said and answered[-1].node == answered[-2].node
        else answered
    )


def _passes(branch: Sequence[str], hops: Sequence[TracerouteHop]) -> bool:
    """Whether the nodes that answered are those of a branch; nodes of a final loop may answer repeatedly."""
    loop = branch[branch.index(branch[-1]) + 1 :] if branch.count(branch[-1]) > 1 else ()
    for index, hop in enumerate(_answered(hops), 1):
        if not hop.node and not hop.address:
            continue
        if index >= len(branch) and not loop:
            return False
        if hop.node != (branch[index] if index < len(branch) else loop[(index - len(branch)) % len(loop)]):
            return False
    return True


def is_asymmetric(forward: LabPath, reverse: LabPath) -> bool:
    """Whether the path forward and the path back use different links."""
    return _links(forward) != _links(reverse)


def _links(lab_path: LabPath) -> set[str]:
    return {link for stop in lab_path.stops for hop in stop.hops for link in hop.links}


# --- requests ---------------------------------------------------------------------------------------------------------


def address_to(topology: Topology, destination: str, family: Family = 0, vrf: str = "") -> str:
    """An address of a node, or the destination itself if that is an address.

    Args:
        family: 4 or 6; 0 prefers IPv4.
        vrf: the VRF in which packets begin; addresses of the same VRF come first.

    Raises:
        TopologyError: there is no such node, or it has no such address.
    """
    try:
        return str(ip_address(destination))
    except ValueError:
        pass
    addresses = addresses_of(topology, destination, vrf)
    matching = [address for address in addresses if not family or ip_address(address).version == family]
    if not matching:
        kind = f"IPv{family} " if family else ""
        raise TopologyError(f"has no {kind}address", node=destination, remedy="set an address at one of its interfaces")
    return matching[0]


def path_request(topology: Topology, source: str, destination: str, family: Family, vrf: str) -> wire.FollowPath:
    """The request to the agent. Raises TopologyError if a name is wrong, or the destination has no address."""
    node = topology.node(source)
    if node is None:
        raise TopologyError("is not in the topology", node=source)
    vrfs = [vrf_config.name for vrf_config in node.vrfs] if isinstance(node, Router) else []
    if vrf and vrf not in vrfs:
        raise TopologyError(f"has no VRF {vrf}", node=source, remedy=f"it has {', '.join(vrfs) or 'none'}")
    return wire.FollowPath(source, address_to(topology, destination, family, vrf), vrf)


def reverse_path_request(topology: Topology, path: LabPath) -> wire.FollowPath:
    """The request for the path of the replies: from where packets arrive, or the destination, to the sender."""
    end = next((stop for stop in path.stops if stop.is_end), PathStop(path.destination))
    sender = path.sender or address_to(topology, path.source, 6 if ":" in path.address else 4, path.vrf)
    if topology.node(end.node) is None:
        raise TopologyError("is not in the topology", node=end.node)
    return wire.FollowPath(end.node, sender, end.vrf)


def path_of(command: wire.FollowPath, destination: str, result: wire.PathReply) -> LabPath:
    """A path from the result of `wire.FollowPath`."""
    return LabPath(command.source, destination, command.address, command.vrf, result["from"], tuple(result["stops"]))


def hops_of(path: LabPath, result: wire.TraceReply) -> tuple[TracerouteHop, ...]:
    """The hops from the result of `wire.Trace`. If several nodes have an address, a node on the path is chosen."""
    on_path = set(path.nodes)
    hops = []
    for reported in result["hops"]:
        nodes = sorted(reported["nodes"], key=lambda node: node not in on_path)
        hops.append(
            TracerouteHop(
                reported["ttl"], reported["address"], nodes[0] if nodes else "", reported["rtt_ms"], reported["said"]
            )
        )
    return tuple(hops)


__all__ = [
    "REACHED",
    "Family",
    "LabPath",
    "PathHop",
    "PathStop",
    "TracerouteHop",
    "address_to",
    "addresses_of",
    "describe_difference",
    "is_asymmetric",
]
