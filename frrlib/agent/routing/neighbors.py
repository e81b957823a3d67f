"""The neighbours of routing daemons: the command that asks for them, and the meaning of the answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from frrlib.agent.routing import rip_events

#: Which daemon speaks a protocol.
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
#: Protocols whose neighbours are sessions with an address: several may join the same two routers.
SESSIONS = ("bgp", "bfd", "ldp")
#: The command that asks each daemon for its neighbours.
COMMANDS = {
    "ospf": "show ip ospf vrf all neighbor json",
    "ospf6": "show ipv6 ospf6 neighbor json",
    "isis": "show isis neighbor json",
    "rip": "show ip rip status",
    "ripng": "show ipv6 ripng",
    "bgp": "show bgp vrf all summary json",
    "bfd": "show bfd peers json",
    "pim": "show ip pim vrf all neighbor json",
    "ldp": "show mpls ldp neighbor json",
}
#: The state in which a neighbour is as it should be.
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
_LEVELS = {1: "level 1", 2: "level 2", 3: "levels 1 and 2"}


class Neighbor(NamedTuple):
    """A neighbour as its daemon tells it.

    Attributes:
        name: what the daemon calls it, what tells it from others: router id, address, interface or host name.
        interface: empty where the session has none.
        address: of the neighbour; empty where the daemon does not tell it.
        state: in the daemon's words.
        up: whether that is as good as it gets.
        detail: timers and roles, for people.
        vrf: empty for the default one.
    """

    name: str
    interface: str
    address: str
    state: str
    up: bool
    detail: str = ""
    vrf: str = ""


def parse(protocol: str, answer: str) -> list[Neighbor]:
    """The neighbours in a daemon's answer to its question; none where it is not what was asked for, as of a daemon
    without any."""
    if protocol in _HEARD:  # these two know no JSON
        return [
            Neighbor(
                each.address, each.interface, each.address, each.state, each.state == rip_events.HEARD, each.detail
            )
            for each in _HEARD[protocol](answer)
        ]
    try:
        said = json.loads(answer)
    except ValueError:
        return []
    return list(_PARSERS[protocol](said)) if said else []


def _ospf(said: Any) -> Iterator[Neighbor]:
    for vrf, part in said.items():
        found = [(rid, each) for rid, several in part.get("neighbors", {}).items() for each in several]
        # Routers of a LAN that are not its designated ones stay in 2-Way among themselves; so it is while they elect.
        elected = {_interface(each) for _, each in found if _ospf_state(each) in ("Full/DR", "Full/Backup")}
        for router_id, each in found:
            state, interface = _ospf_state(each), _interface(each)
            up = state.startswith("Full") or (state == "2-Way/DROther" and interface in elected)
            due_s = float(each.get("routerDeadIntervalTimerDueMsec", each.get("deadTimeMsecs", 0))) / 1000
            detail = f"dead in {due_s:.1f} s" + (f", up for {each['upTime']}" if each.get("upTime") else "")
            address = f"{each.get('ifaceAddress', each.get('address', ''))} {router_id}"
            yield Neighbor(router_id, interface, address, state.removesuffix("/-"), up, detail, _vrf(vrf))


def _ospf_state(each: Any) -> str:
    return str(each.get("nbrState", each.get("state", "")))


def _interface(each: Any) -> str:
    return str(each.get("ifaceName", "")).partition(":")[0]


def _ospf6(said: Any) -> Iterator[Neighbor]:
    found = said.get("neighbors", [])
    elected = {each.get("interfaceName") for each in found if each.get("ifState") == "DR" and each["state"] == "Full"}
    for each in found:
        state, interface, name = each["state"], each["interfaceName"], each["neighborId"]
        role = each.get("interfaceState", "")
        up = state == "Full" or (state == "Twoway" and role == "DROther" and interface in elected)
        detail = f"dead in {each.get('deadTime', '?')}, for {each.get('duration', '?')}"
        yield Neighbor(name, interface, name, state, up, detail)


def _isis(said: Any) -> Iterator[Neighbor]:
    for area in said.get("areas", []):
        for each in area.get("circuits", []):
            if "adj" in each:
                level, expires = _LEVELS.get(each.get("level"), ""), each.get("expires-in", "?")
                interface = each.get("interface", "")
                yield Neighbor(
                    # At both levels there are two adjacencies on a LAN, and one that is both on a link of two.
                    f"{each['adj']} {level}".strip(),
                    interface.get("name", "") if isinstance(interface, dict) else str(interface),
                    str(each["adj"]),
                    str(each.get("state", "")),
                    each.get("state") == "Up",
                    f"{level}, expires in {expires}",
                )


def _bgp(said: Any) -> Iterator[Neighbor]:
    for vrf, families in said.items():
        told: dict[str, Neighbor] = {}
        for family, part in families.items() if isinstance(families, dict) else ():
            for name, each in part.get("peers", {}).items() if isinstance(part, dict) else ():
                state, by_interface = str(each.get("state", "")), each.get("idType") == "interface"
                detail = f"AS {each.get('remoteAs')}, {each.get('peerUptime', 'never')}, {family}"
                detail += f": {each.get('pfxRcd', 0)} received, {each.get('pfxSnt', 0)} sent"
                detail = f"{told[name].detail}; {detail}" if name in told else detail
                interface, address = (name, "") if by_interface else ("", name)
                told[name] = Neighbor(name, interface, address, state, state == "Established", detail, _vrf(vrf))
        yield from told.values()


def _bfd(said: Any) -> Iterator[Neighbor]:
    for each in said:
        state = str(each.get("status", ""))
        detail = f"transmit {each.get('transmit-interval', '?')} ms, receive {each.get('receive-interval', '?')} ms"
        detail += f", multiplier {each.get('detect-multiplier', '?')}"
        if state != "up" and each.get("diagnostic", "ok") != "ok":
            detail += f": {each['diagnostic']}"
        peer = str(each.get("peer", ""))
        name = f"{peer} multihop" if each.get("multihop") else peer
        yield Neighbor(name, str(each.get("interface", "")), peer, state, state == "up", detail, _vrf(each.get("vrf")))


def _pim(said: Any) -> Iterator[Neighbor]:
    for vrf, interfaces in said.items():
        # Of the default VRF alone, interfaces stand at the top.
        own = any(isinstance(each, dict) and "neighbor" in each for each in interfaces.values())
        for interface, several in ({vrf: interfaces} if own else interfaces).items():
            for address, each in several.items():
                detail = f"held for {each.get('holdTime', '?')}, up for {each.get('upTime', '?')}"
                yield Neighbor(address, interface, address, "up", True, detail, "" if own else _vrf(vrf))


def _ldp(said: Any) -> Iterator[Neighbor]:
    for each in said.get("neighbors", []):
        state, name = str(each.get("state", "")).lower(), str(each.get("neighborId", ""))
        address = f"{each.get('transportAddress', '')} {name}".strip()
        yield Neighbor(name, "", address, state, state == "operational", f"up for {each.get('upTime', '?')}")


def _vrf(name: object) -> str:
    return "" if name in ("default", None) else str(name)


_HEARD = {"rip": rip_events.rip, "ripng": rip_events.ripng}
_PARSERS: dict[str, Callable[[Any], Iterator[Neighbor]]] = {
    "ospf": _ospf,
    "ospf6": _ospf6,
    "isis": _isis,
    "bgp": _bgp,
    "bfd": _bfd,
    "pim": _pim,
    "ldp": _ldp,
}
