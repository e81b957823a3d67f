"""The neighbors of routing daemons: the command that lists them, and the parsers of its output."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from frrlib.agent.routing import rip_events

#: The daemon of each protocol.
DAEMONS = {
    "ospf": "ospfd",
    "ospf6": "ospf6d",
    "isis": "isisd",
    "rip": "ripd",
    "ripng": "ripngd",
    "bgp": "bgpd",
    "bfd": "bfdd",
    "pim": "pimd",
    "ldp": "ldpd",
}
PROTOCOLS = {daemon: protocol for protocol, daemon in DAEMONS.items()}
#: Protocols whose neighbors are sessions with an address: two routers may have several.
SESSIONS = ("bgp", "bfd", "ldp")
#: The command that lists a daemon's neighbors.
COMMANDS = {
    "ospf": "show ip ospf vrf all neighbor json",
    "ospf6": "show ipv6 ospf6 neighbor json",
    "isis": "show isis neighbor",
    "rip": "show ip rip status",
    "ripng": "show ipv6 ripng",
    "bgp": "show bgp vrf all summary json",
    "bfd": "show bfd peers json",
    "pim": "show ip pim vrf all neighbor json",
    "ldp": "show mpls ldp neighbor json",
}
#: The state of a fully established neighbor.
UP = {
    "ospf": "Full",
    "ospf6": "Full",
    "isis": "Up",
    "rip": rip_events.HEARD,
    "ripng": rip_events.HEARD,
    "bgp": "Established",
    "bfd": "up",
    "pim": "up",
    "ldp": "operational",
}
#: A row of `show isis neighbor`. Columns are padded, so a long name or an expired time is followed by no blank.
_ISIS_ROW = re.compile(
    r" (?P<name>\S{1,20}) *(?P<interface>\S+?) *(?P<level>[123]) +(?P<state>Up|Down|Initializing|Unknown) +"
    r"(?P<expires>\d+|-|Expiring) *[0-9a-f.]+\s*$"
)
_LEVELS = {1: "level 1", 2: "level 2", 3: "levels 1 and 2"}


class Neighbor(NamedTuple):
    """A neighbor in the output of its daemon.

    Attributes:
        name: the daemon's identifier for it: router id, address, interface or host name.
        interface: empty if the session has none.
        address: of the neighbor; empty if the daemon does not show it.
        state: in the daemon's words.
        up: whether the state is the best that can be reached.
        detail: timers and roles, for people.
        vrf: empty for the default VRF.
    """

    name: str
    interface: str
    address: str
    state: str
    up: bool
    detail: str = ""
    vrf: str = ""


def parse(protocol: str, answer: str) -> list[Neighbor]:
    """The neighbors in a daemon's output. An empty list for any other output, such as that of a daemon without
    neighbors."""
    if protocol in _RIP_PARSERS:  # these daemons have no JSON
        return [
            Neighbor(
                entry.address,
                entry.interface,
                entry.address,
                entry.state,
                entry.state == rip_events.HEARD,
                entry.detail,
            )
            for entry in _RIP_PARSERS[protocol](answer)
        ]
    if protocol == "isis":
        return list(_isis(answer))
    try:
        reply = json.loads(answer)
    except ValueError:
        return []
    return list(_PARSERS[protocol](reply)) if reply else []


def _ospf(reply: Any) -> Iterator[Neighbor]:
    for vrf, part in reply.items():
        entries = [(rid, entry) for rid, group in part.get("neighbors", {}).items() for entry in group]
        # Routers of a LAN other than its designated ones stay in 2-Way among themselves, as they do during the
        # election.
        elected = {_interface(entry) for _, entry in entries if _ospf_state(entry) in ("Full/DR", "Full/Backup")}
        for router_id, entry in entries:
            state, interface = _ospf_state(entry), _interface(entry)
            up = state.startswith("Full") or (state == "2-Way/DROther" and interface in elected)
            due_s = float(entry.get("routerDeadIntervalTimerDueMsec", entry.get("deadTimeMsecs", 0))) / 1000
            detail = f"dead in {due_s:.1f} s" + (f", up for {entry['upTime']}" if entry.get("upTime") else "")
            address = f"{entry.get('ifaceAddress', entry.get('address', ''))} {router_id}"
            yield Neighbor(router_id, interface, address, state.removesuffix("/-"), up, detail, _vrf(vrf))


def _ospf_state(entry: Any) -> str:
    return str(entry.get("nbrState", entry.get("state", "")))


def _interface(entry: Any) -> str:
    return str(entry.get("ifaceName", "")).partition(":")[0]


def _ospf6(reply: Any) -> Iterator[Neighbor]:
    entries = reply.get("neighbors", [])
    elected = {
        entry.get("interfaceName") for entry in entries if entry.get("ifState") == "DR" and entry["state"] == "Full"
    }
    for entry in entries:
        state, interface, name = entry["state"], entry["interfaceName"], entry["neighborId"]
        role = entry.get("interfaceState", "")
        up = state == "Full" or (state == "Twoway" and role == "DROther" and interface in elected)
        detail = f"dead in {entry.get('deadTime', '?')}, for {entry.get('duration', '?')}"
        yield Neighbor(name, interface, name, state, up, detail)


def _isis(answer: str) -> Iterator[Neighbor]:
    """The rows of `show isis neighbor`. Its JSON has only one neighbor for each interface, also on a LAN of several."""
    for row in map(_ISIS_ROW.match, answer.splitlines()):
        if row is None:
            continue
        name, level = row["name"], _LEVELS.get(int(row["level"]), "")
        expires = "expiring" if row["expires"] == "Expiring" else f"expires in {row['expires']} s"
        # With both levels a LAN has two adjacencies, and a point-to-point link has one for both.
        yield Neighbor(
            f"{name} {level}".strip(), row["interface"], name, row["state"], row["state"] == "Up", f"{level}, {expires}"
        )


def _bgp(reply: Any) -> Iterator[Neighbor]:
    for vrf, families in reply.items():
        by_name: dict[str, Neighbor] = {}
        for family, part in families.items() if isinstance(families, dict) else ():
            for name, entry in part.get("peers", {}).items() if isinstance(part, dict) else ():
                state, by_interface = str(entry.get("state", "")), entry.get("idType") == "interface"
                detail = f"AS {entry.get('remoteAs')}, {entry.get('peerUptime', 'never')}, {family}"
                detail += f": {entry.get('pfxRcd', 0)} received, {entry.get('pfxSnt', 0)} sent"
                detail = f"{by_name[name].detail}; {detail}" if name in by_name else detail
                interface, address = (name, "") if by_interface else ("", name)
                by_name[name] = Neighbor(name, interface, address, state, state == "Established", detail, _vrf(vrf))
        yield from by_name.values()


def _bfd(reply: Any) -> Iterator[Neighbor]:
    for entry in reply:
        state = str(entry.get("status", ""))
        detail = f"transmit {entry.get('transmit-interval', '?')} ms, receive {entry.get('receive-interval', '?')} ms"
        detail += f", multiplier {entry.get('detect-multiplier', '?')}"
        if state != "up" and entry.get("diagnostic", "ok") != "ok":
            detail += f": {entry['diagnostic']}"
        peer = str(entry.get("peer", ""))
        name = f"{peer} multihop" if entry.get("multihop") else peer
        yield Neighbor(
            name, str(entry.get("interface", "")), peer, state, state == "up", detail, _vrf(entry.get("vrf"))
        )


def _pim(reply: Any) -> Iterator[Neighbor]:
    for vrf, interfaces in reply.items():
        # For the default VRF alone, interfaces are at the top level.
        is_default = any(isinstance(entry, dict) and "neighbor" in entry for entry in interfaces.values())
        for interface, neighbors in ({vrf: interfaces} if is_default else interfaces).items():
            for address, entry in neighbors.items():
                detail = f"held for {entry.get('holdTime', '?')}, up for {entry.get('upTime', '?')}"
                yield Neighbor(address, interface, address, "up", True, detail, "" if is_default else _vrf(vrf))


def _ldp(reply: Any) -> Iterator[Neighbor]:
    for entry in reply.get("neighbors", []):
        state, name = str(entry.get("state", "")).lower(), str(entry.get("neighborId", ""))
        address = f"{entry.get('transportAddress', '')} {name}".strip()
        yield Neighbor(name, "", address, state, state == "operational", f"up for {entry.get('upTime', '?')}")


def _vrf(name: object) -> str:
    return "" if name in ("default", None) else str(name)


_RIP_PARSERS = {"rip": rip_events.rip, "ripng": rip_events.ripng}
_PARSERS: dict[str, Callable[[Any], Iterator[Neighbor]]] = {
    "ospf": _ospf,
    "ospf6": _ospf6,
    "bgp": _bgp,
    "bfd": _bfd,
    "pim": _pim,
    "ldp": _ldp,
}
