"""The path of packets from here to there: what the kernels' tables say, and what probes that were sent have seen.

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

#: How many ways are told where there are many equal ones.
MOST_WAYS = 8
#: So often is looked where packets go next; only ways with loops, through many VRFs, want more.
_MOST_LOOKS = 10_000
#: With so many ways a traceroute is compared.
_MOST_COMPARED = 256

Family = Literal[0, 4, 6]
#: A node, and in which of its VRFs packets are there.
_Place = tuple[str, str]


@dataclass(frozen=True)
class TracerouteHop:
    """One line of a traceroute.

    Attributes:
        ttl: how many hops away, from 1.
        address: who answered; empty where nobody did.
        node: the node that has this address; empty where it is not in the topology.
        rtt_ms: round trip to it; None where nobody answered.
        said: empty on the way, "reached" at its end, else what is wrong ("no route", "nobody there", "prohibited",
            "loop").
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
        source, destination: from where; to whom, a node or an address.
        address: to which of its addresses.
        vrf: in which of the source's VRFs it begins; empty for none.
        sender: the address that its packets come from; empty where the source has no route.
        stops: what the kernel of each node does with the packets, the source first (see `wire.PathStop`).
        hops: what a traceroute along it has seen; None where none was made.
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

    def ways(self, most: int = MOST_WAYS) -> list[tuple[str, ...]]:
        """The ways as lists of nodes; several are equally good, so many at most. A loop ends where it closes."""
        kept: dict[_Place, list[tuple[str, ...]]] = {}
        looked = 0

        def follow(way: tuple[_Place, ...]) -> tuple[list[tuple[str, ...]], bool]:
            """How it goes on from the end of a way, and whether it comes back to where it has been, or may."""
            nonlocal looked
            place = way[-1]
            if place in kept:
                return kept[place], False
            looked += 1
            beyond, some_end = self._beyond(place)
            found: dict[tuple[str, ...], None] = {(place[0],): None} if some_end else {}
            turns = looked > _MOST_LOOKS
            for each in beyond if not turns else ():
                rests, turned = ([(each[0],)], True) if each in way else follow((*way, each))
                # A node that looks in two of its tables is named once.
                found |= dict.fromkeys(rest if rest[0] == place[0] else (place[0], *rest) for rest in rests)
                turns |= turned or len(found) >= most  # what is not looked at may come back
                if len(found) >= most:
                    break
            listed = [*found][:most]
            if not turns:  # so it goes on alike, whatever the way to here
                kept[place] = listed
            return listed, turns

        return follow(((self.source, self.vrf),))[0]

    @property
    def way_count(self) -> int:
        """The number of all ways, including those that `ways` leaves out."""
        counted: dict[_Place, int] = {}

        def count(place: _Place, before: frozenset[_Place]) -> int:
            if place in before:
                return 1  # a loop closes
            if place not in counted:
                beyond, some_end = self._beyond(place)
                counted[place] = some_end + sum(count(each, before | {place}) for each in beyond)
            return counted[place]

        return count((self.source, self.vrf), frozenset())

    def _beyond(self, place: _Place) -> tuple[list[_Place], bool]:
        """Where packets go next from a place, and whether some or all end there."""
        stop = self._by_place.get(place)
        hops = stop.hops if stop else ()
        beyond = [*dict.fromkeys((hop.node, hop.vrf) for hop in hops if hop.node)]
        return beyond, not beyond or any(not hop.node for hop in hops)

    @property
    def ends(self) -> dict[str, str]:
        """Node to why packets go no farther there, of all nodes where some do not."""
        found = {}
        for stop in self.stops:
            whys = [stop.why, *(hop.why for hop in stop.hops)]
            if why := " and ".join(dict.fromkeys(filter(None, whys))):
                found[stop.node] = why
        return found

    @property
    def loops(self) -> list[tuple[str, ...]]:
        """Loops, each beginning and ending with the node where it closes ("r2", "r1", "r2")."""
        found: dict[frozenset[str], tuple[str, ...]] = {}
        for way in self._closed():
            loop = _names(way[way.index(way[-1]) :])
            found.setdefault(frozenset(loop), loop)
        return [*found.values()]

    def _closed(self) -> list[tuple[_Place, ...]]:
        """Ways that come to where they have been, one for each hop that closes one."""
        found: list[tuple[_Place, ...]] = []
        done: set[_Place] = set()

        def follow(way: tuple[_Place, ...]) -> None:
            for place in self._beyond(way[-1])[0]:
                if place in way:
                    found.append((*way, place))
                elif place not in done:
                    follow((*way, place))
            done.add(way[-1])

        follow(((self.source, self.vrf),))
        return found

    @property
    def owner(self) -> str:
        """The owner of the address, where packets arrive; empty if they do not, several names if several have it."""
        return ", ".join(dict.fromkeys(stop.node for stop in self.stops if stop.is_end))

    @property
    def arrives(self) -> bool:
        """Whether packets arrive at their destination on every way that they may take."""
        owner = self.owner
        return bool(owner) and not self.ends and not self.loops and self.destination in (owner, self.address)

    @property
    def difference(self) -> str:
        """The differences between the traceroute and the tables; empty if they agree, or none was made."""
        return describe_difference(self, self.hops) if self.hops is not None else ""

    def describe(self) -> str:
        """The ways in one line, and their faults."""
        ways, count = [" → ".join(way) for way in self.ways()], self.way_count
        ways += ["…"] if len(ways) < count else []
        many = f" ({count} equal paths)" if count > 1 else ""
        return "; ".join([f"{' | '.join(ways)}{many}", *self.troubles()])

    def troubles(self) -> list[str]:
        """Sentences about what keeps packets from arriving, each with the node's name."""
        found = [f"loop: {' → '.join(loop)}" for loop in self.loops]
        found += [f"{node} {why}" for node, why in self.ends.items()]
        owner = self.owner
        if owner and self.destination not in (owner, self.address):
            found.append(f"packets reach {owner}, which has {self.address}, too")
        return found

    def as_value(self) -> dict[str, Any]:
        """All that is known of it, as a value for JSON."""
        return {
            "source": self.source, "destination": self.destination, "address": self.address, "vrf": self.vrf,
            "sender": self.sender, "arrives": self.arrives, "ways": self.ways(), "way_count": self.way_count,
            "troubles": self.troubles(), "difference": self.difference, "stops": msgspec.to_builtins(self.stops),
            "hops": None if self.hops is None else [asdict(hop) for hop in self.hops],
        }  # fmt: skip

    def __str__(self) -> str:
        return self.describe() + (f"; {self.difference}" if self.difference else "")


def _names(way: Sequence[_Place]) -> tuple[str, ...]:
    """The nodes of a way; one that looks in two of its tables is named once."""
    return tuple(name for index, (name, _) in enumerate(way) if not index or way[index - 1][0] != name)


def describe_difference(path: LabPath, hops: Sequence[TracerouteHop]) -> str:
    """The differences between a traceroute and a path; empty if it agrees with one of the path's branches."""
    last = hops[-1] if hops else TracerouteHop(0)
    reached = last.said == REACHED
    ways = path.ways(_MOST_COMPARED)
    arriving = [way for way in ways if way[-1] in path.owner.split(", ")]
    if reached:
        fits = (path.source,) in arriving or any(len(way) == len(hops) + 1 and _passes(way, hops) for way in arriving)
    else:
        fits = any(_passes(way, hops) for way in ways if way not in arriving)
    if fits:
        return ""
    if not any(hop.address for hop in hops) and not last.said:
        return "traceroute got no answer"
    seen = [path.source, *(hop.node or "?" for hop in (hops if reached else _answered(hops)))]
    told = (
        "" if reached else f", where {last.node or path.source} says: {last.said}" if last.said else ", and no farther"
    )
    return f"traceroute went {' → '.join(seen)}{told}"


def _answered(hops: Sequence[TracerouteHop]) -> Sequence[TracerouteHop]:
    """The hops up to the last that answered; a last one that repeatedly says "no farther" appears once."""
    heard = hops[: max((index + 1 for index, hop in enumerate(hops) if hop.address), default=0)]
    return heard[:-1] if len(heard) > 1 and heard[-1].said and heard[-1].node == heard[-2].node else heard


def _passes(way: Sequence[str], hops: Sequence[TracerouteHop]) -> bool:
    """Whether those who answered are those on a way; where it ends in a loop, as often as they like."""
    loop = way[way.index(way[-1]) + 1 :] if way.count(way[-1]) > 1 else ()
    for index, hop in enumerate(_answered(hops), 1):
        if not hop.node and not hop.address:
            continue
        if index >= len(way) and not loop:
            return False
        if hop.node != (way[index] if index < len(way) else loop[(index - len(way)) % len(loop)]):
            return False
    return True


def is_asymmetric(there: LabPath, back: LabPath) -> bool:
    """Whether packets may pass links back that none passes there, or the other way round."""
    return _links(there) != _links(back)


def _links(path: LabPath) -> set[str]:
    return {link for stop in path.stops for hop in stop.hops for link in hop.links}


# --- what is asked ----------------------------------------------------------------------------------------------------


def address_to(topology: Topology, destination: str, family: Family = 0, vrf: str = "") -> str:
    """An address of a node, or the destination itself where it is one.

    Args:
        family: 4 or 6; 0 for whichever it has, IPv4 rather.
        vrf: the VRF that packets begin in; addresses of the same VRF come first.

    Raises:
        TopologyError: there is no such node, or it has none.
    """
    try:
        return str(ip_address(destination))
    except ValueError:
        pass
    found = addresses_of(topology, destination, vrf)
    wanted = [address for address in found if not family or ip_address(address).version == family]
    if not wanted:
        kind = f"IPv{family} " if family else ""
        raise TopologyError(f"has no {kind}address", node=destination, right="set an address at one of its interfaces")
    return wanted[0]


def path_request(topology: Topology, source: str, destination: str, family: Family, vrf: str) -> wire.FollowPath:
    """The request to the agent. Raises TopologyError if a name is wrong, or the destination has no address."""
    node = topology.node(source)
    if node is None:
        raise TopologyError("is not in the topology", node=source)
    vrfs = [each.name for each in node.vrfs] if isinstance(node, Router) else []
    if vrf and vrf not in vrfs:
        raise TopologyError(f"has no VRF {vrf}", node=source, right=f"it has {', '.join(vrfs) or 'none'}")
    return wire.FollowPath(source, address_to(topology, destination, family, vrf), vrf)


def reverse_path_request(topology: Topology, path: LabPath) -> wire.FollowPath:
    """The request for the answers' path: from where packets arrive, else from the destination, to their sender."""
    end = next((stop for stop in path.stops if stop.is_end), PathStop(path.destination))
    sender = path.sender or address_to(topology, path.source, 6 if ":" in path.address else 4, path.vrf)
    if topology.node(end.node) is None:
        raise TopologyError("is not in the topology", node=end.node)
    return wire.FollowPath(end.node, sender, end.vrf)


def path_of(asked: wire.FollowPath, destination: str, result: wire.PathReply) -> LabPath:
    """A path from the result of `wire.FollowPath`."""
    return LabPath(asked.source, destination, asked.address, asked.vrf, result["from"], tuple(result["stops"]))


def hops_of(path: LabPath, result: wire.TraceReply) -> tuple[TracerouteHop, ...]:
    """The hops from the result of `wire.Trace`. Of several nodes with an address, one that is on the path is meant."""
    on_path = set(path.nodes)
    found = []
    for each in result["hops"]:
        nodes = sorted(each["nodes"], key=lambda node: node not in on_path)
        found.append(
            TracerouteHop(each["ttl"], each["address"], nodes[0] if nodes else "", each["rtt_ms"], each["said"])
        )
    return tuple(found)


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
