"""Why an adjacency does not come up, as far as asking both ends tells: for people who wait for it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from frrlib.agent.routing import neighbors
from frrlib.agent.routing.adjacencies import Adjacencies
from frrlib.wire.events import AdjacencyEvent
from frrlib.wire.requests import ExpectedAdjacency

NAMES = {
    "ospf": "OSPF neighbour",
    "ospf6": "OSPFv3 neighbour",
    "isis": "IS-IS neighbour",
    "bgp": "BGP session with",
    "bfd": "BFD session with",
    "pim": "PIM neighbour",
    "ldp": "LDP session with",
}
#: What a state means that lasts, where nothing better is known.
_STATES = {
    "Init": "it does not hear this router",
    "Initializing": "it does not hear this router",
    "2-Way": "no designated router yet",
    "Twoway": "no designated router yet",
    "ExStart": "MTU?",
    "Exchange": "MTU?",
    "ExChange": "MTU?",
    "Connect": "the neighbour does not answer",
    "Active": "the neighbour does not answer",
    "OpenSent": "the neighbour does not answer the opening",
}
#: Protocols whose neighbours may be up although they do not agree.
_LENIENT = ("ospf", "ospf6")
#: A key of OSPF in the lines of an interface.
_OSPF_KEYS = re.compile(r"^ ip ospf (?:authentication-key|message-digest-key) (.+)$", re.MULTILINE)
_NO_KEY = "none"


class Hints:
    """Finds out why adjacencies are missing.

    Args:
        adjacencies: by which daemons are asked.
        opposite: gives what the other end expects of this one, None where it expects nothing.
        has_route: whether a router has a route to an address.
    """

    def __init__(
        self,
        adjacencies: Adjacencies,
        opposite: Callable[[ExpectedAdjacency], ExpectedAdjacency | None],
        has_route: Callable[[str, str], bool],
    ) -> None:
        self._adjacencies, self._opposite, self._has_route = adjacencies, opposite, has_route
        self._reasons: dict[str, Callable[[ExpectedAdjacency, ExpectedAdjacency | None], str]] = {
            "ospf": self._ospf,
            "ospf6": self._ospf6,
            "isis": self._isis,
            "bgp": self._bgp,
            "ldp": self._routed,
            "bfd": self._bfd,
        }

    def why(self, wanted: ExpectedAdjacency, found: AdjacencyEvent | None) -> str:
        """The reason in a few words; empty where none is known. Asks the daemons at both ends."""
        if silent := self._silent(wanted):
            return silent
        reason = self._reasons.get(wanted.protocol)
        return (reason(wanted, self._opposite(wanted)) if reason else "") or self._logged(wanted) or _by_state(found)

    def disagreement(self, wanted: ExpectedAdjacency) -> str:
        """Why an adjacency that is up may bring no routes: OSPF takes neighbours whose kind of network differs."""
        if wanted.protocol not in _LENIENT:
            return ""
        # A daemon that has just died: the neighbour's state may be the one of before.
        return self._silent(wanted) or self._reasons[wanted.protocol](wanted, self._opposite(wanted))

    def _silent(self, wanted: ExpectedAdjacency) -> str:
        """Which end has nobody to speak the protocol; empty for neither."""
        for router in (wanted.router, wanted.neighbor):
            if not self._adjacencies.speaks(router, wanted.protocol):
                return f"{router} runs no {neighbors.DAEMONS[wanted.protocol]}"
        return ""

    def _logged(self, wanted: ExpectedAdjacency) -> str:
        own = self._adjacencies.note(wanted.router, wanted.protocol, (wanted.interface, *wanted.names))
        back = self._opposite(wanted)
        if own or back is None:
            return own
        theirs = self._adjacencies.note(back.router, back.protocol, (back.interface, *back.names))
        return f"{back.router} says: {theirs}" if theirs else ""

    def _asked(self, router: str, protocol: str, command: str) -> Any:
        try:
            return json.loads(self._adjacencies.question(router, protocol, command) or "{}")
        except ValueError:
            return {}

    def _configuration(self, router: str, protocol: str) -> str:
        return self._adjacencies.question(router, protocol, "show running-config") or ""

    # --- OSPF ---------------------------------------------------------------------------------------------------------

    def _ospf(self, wanted: ExpectedAdjacency, back: ExpectedAdjacency | None) -> str:
        if back is None:
            return ""
        here, there = self._ospf_interface(wanted), self._ospf_interface(back)
        for end, said in ((wanted, here), (back, there)):
            if not said.get("ifUp", True):
                return f"{end.interface} of {end.router} is down"
            if not said.get("ospfEnabled", False):
                return f"{end.interface} of {end.router} does not speak OSPF"
        passive = [end.router for end, said in ((wanted, here), (back, there)) if said.get("timerPassiveIface")]
        if passive:
            return f"passive at {' and '.join(passive)}"
        if here.get("routerId") and here.get("routerId") == there.get("routerId"):
            return f"both have the router id {here['routerId']}"
        return ", ".join([*_different(here, there, back.router, _OSPF_AGREED), *self._keys(wanted, here, back, there)])

    def _keys(self, wanted: ExpectedAdjacency, here: Any, back: ExpectedAdjacency, there: Any) -> Iterator[str]:
        """How authentication differs; keys themselves are not told."""
        mine, theirs = (_authentication(each.get("authentication", "")) for each in (here, there))
        if mine != theirs:
            yield f"authentication: {mine} here, {theirs} at {back.router}"
        elif mine != _NO_KEY:
            keys = [_OSPF_KEYS.findall(self._lines_of(end, "ospf")) for end in (wanted, back)]
            if keys[0] != keys[1]:
                yield "the keys differ"

    def _lines_of(self, end: ExpectedAdjacency, protocol: str) -> str:
        """The configuration lines of a protocol's daemon for an interface."""
        text = self._configuration(end.router, protocol)
        section = re.search(rf"^interface {re.escape(end.interface)}\n((?: .*\n)*)", text, re.MULTILINE)
        return section[1] if section else ""

    def _ospf_interface(self, end: ExpectedAdjacency) -> Any:
        said = self._asked(end.router, "ospf", "show ip ospf vrf all interface json")
        vrf = said.get(end.vrf or "default", {})
        return vrf.get("interfaces", vrf).get(end.interface, {})

    def _ospf6(self, wanted: ExpectedAdjacency, back: ExpectedAdjacency | None) -> str:
        if back is None:
            return ""
        here, there = (
            self._asked(end.router, "ospf6", "show ipv6 ospf6 interface json").get(end.interface, {})
            for end in (wanted, back)
        )
        for end, said in ((wanted, here), (back, there)):
            if said.get("status") == "down":
                return f"{end.interface} of {end.router} is down"
            if not said.get("attachedToArea"):
                return f"{end.interface} of {end.router} does not speak OSPFv3"
        return ", ".join(_different(here, there, back.router, _OSPF6_AGREED))

    # --- IS-IS --------------------------------------------------------------------------------------------------------

    def _isis(self, wanted: ExpectedAdjacency, back: ExpectedAdjacency | None) -> str:
        if back is None:
            return ""
        here, there = (self._isis_settings(end) for end in (wanted, back))
        for end, said in ((wanted, here), (back, there)):
            if not said["spoken"]:
                return f"{end.interface} of {end.router} does not speak IS-IS"
        if here["key"] != there["key"]:
            return "the keys differ"
        names = {"area": "area", "type": "type", "network": "network type"}
        # Only level 1 keeps to its area.
        agreed = names if "level-1" in (here["type"], there["type"]) else {"network": "network type"}
        return ", ".join(_different(here, there, back.router, agreed))

    def _isis_settings(self, end: ExpectedAdjacency) -> dict[str, Any]:
        text = self._configuration(end.router, "isis")
        lines = self._lines_of(end, "isis")
        found = {
            "area": re.search(r"^ net (\S+?)(?:\.[0-9a-fA-F]{4}){3}\.00", text, re.MULTILINE),
            "type": re.search(r"^ is-type (\S+)", text, re.MULTILINE),
            "network": re.search(r"^ isis network (\S+)", lines, re.MULTILINE),
            "key": re.search(r"^ isis password (.+)", lines, re.MULTILINE),
        }
        defaults = {"type": "level-1-2", "network": "broadcast"}
        settings = {name: match[1] if match else defaults.get(name, "") for name, match in found.items()}
        return {**settings, "spoken": "router isis" in lines}

    # --- BGP ----------------------------------------------------------------------------------------------------------

    def _bgp(self, wanted: ExpectedAdjacency, back: ExpectedAdjacency | None) -> str:
        here = self._peer(wanted)
        if not here:
            return f"{wanted.router} has no such session"
        if here.get("adminShutDown"):
            return f"{wanted.router} keeps it shut down"
        if back is not None:
            there = self._peer(back)
            if not there:
                return f"{back.router} has no session with {wanted.router}"
            if there.get("adminShutDown"):
                return f"{back.router} keeps it shut down"
            if here.get("remoteAs") and there.get("localAs") and here["remoteAs"] != there["localAs"]:
                return f"AS {here['remoteAs']} expected, {back.router} is in AS {there['localAs']}"
            if there.get("remoteAs") and here.get("localAs") and there["remoteAs"] != here["localAs"]:
                return f"{back.router} expects AS {there['remoteAs']}, {wanted.router} is in AS {here['localAs']}"
            if self._password(wanted) != self._password(back):
                return "the passwords differ"
        routed = self._routed(wanted, back)
        if routed:
            return routed
        return str(here.get("lastNotificationReason") or "")

    def _peer(self, end: ExpectedAdjacency) -> Any:
        said = self._asked(end.router, "bgp", "show bgp vrf all neighbors json").get(end.vrf or "default", {})
        names = (*end.names, end.interface)
        return next((said[name] for name in names if name and name in said), {})

    def _password(self, end: ExpectedAdjacency) -> str:
        text = self._configuration(end.router, "bgp")
        for name in filter(None, (*end.names, end.interface)):
            found = re.search(rf"^ neighbor {re.escape(name)} password (\S+)", text, re.MULTILINE)
            group = re.search(rf"^ neighbor {re.escape(name)} (?:interface )?peer-group (\S+)", text, re.MULTILINE)
            if found is None and group is not None:
                found = re.search(rf"^ neighbor {re.escape(group[1])} password (\S+)", text, re.MULTILINE)
            if found is not None:
                return found[1]
        return ""

    # --- BFD, and what needs a route ----------------------------------------------------------------------------------

    def _bfd(self, wanted: ExpectedAdjacency, back: ExpectedAdjacency | None) -> str:
        for end in (wanted, back) if back is not None else (wanted,):
            several = self._asked(end.router, "bfd", "show bfd peers json") or ()
            own = [each for each in several if each.get("peer") in end.names or each.get("interface") == end.interface]
            if any(each.get("status") == "shutdown" for each in own):
                return f"{end.router} keeps it shut down"
            if not own:
                return f"{end.router} has no such session"
        return self._routed(wanted, back)

    def _routed(self, wanted: ExpectedAdjacency, back: ExpectedAdjacency | None) -> str:
        if wanted.vrf:
            return ""
        for end in (wanted, back) if back is not None else (wanted,):
            addresses = [name for name in end.names if re.fullmatch(r"[\d.]+|[0-9a-f:]*:[0-9a-f:.]*", name)]
            if addresses and not end.interface and not any(self._has_route(end.router, each) for each in addresses):
                return f"{end.router} has no route to {addresses[0]}"
        return ""


#: How what a daemon tells under a key is written, where that is not the value itself.
_WRITTEN: dict[str, Callable[[Any], str]] = {
    "timerMsecs": lambda ms: f"{ms / 1000:g} s",
    "timerDeadSecs": lambda seconds: f"{seconds} s",
    "timerIntervalsConfigHello": lambda seconds: f"{seconds} s",
    "timerIntervalsConfigDead": lambda seconds: f"{seconds} s",
}
#: What both ends of a link must have alike, by the key that a daemon tells it under.
_OSPF_AGREED = {
    "area": "area",
    "timerMsecs": "hello interval",
    "timerDeadSecs": "dead interval",
    "networkType": "network type",
    "mtuBytes": "MTU",
}
_OSPF6_AGREED = {
    "areaId": "area",
    "instanceId": "instance",
    "timerIntervalsConfigHello": "hello interval",
    "timerIntervalsConfigDead": "dead interval",
    "operatingAsType": "network type",
    "interfaceMtu": "MTU",
}


def _different(here: Any, there: Any, other: str, agreed: dict[str, str]) -> Iterator[str]:
    for key, name in agreed.items():
        if key in here and key in there and here[key] != there[key]:
            written = _WRITTEN.get(key, str)
            yield f"{name} {written(here[key])} here, {written(there[key])} at {other}"


def _authentication(told: str) -> str:
    """The usual name for a kind of authentication in `show ip ospf interface json`."""
    words = re.findall(r"[A-Z][a-z]+", told.removeprefix("authentication"))
    return " ".join(words).lower() or _NO_KEY


def _by_state(found: AdjacencyEvent | None) -> str:
    if found is None:
        return ""
    return _STATES.get(found.state.partition("/")[0], "")


def sentence(wanted: ExpectedAdjacency, found: AdjacencyEvent | None, why: str) -> str:
    """The missing condition, as an engineer says it: "OSPF neighbour r2 on r3-eth0 is in ExStart (MTU?)"."""
    where = f" on {wanted.interface}" if wanted.interface else ""
    if wanted.protocol in neighbors.SESSIONS and wanted.names and not wanted.interface:
        where = f" ({wanted.names[0]})"
    where += f" in VRF {wanted.vrf}" if wanted.vrf else ""
    state = "is not there" if found is None else f"is in {found.state}"
    return f"{NAMES[wanted.protocol]} {wanted.neighbor}{where} {state}" + (f" ({why})" if why else "")
