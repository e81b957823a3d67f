"""Finds reasons for a missing adjacency by querying both of its ends, for messages to users."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from frrlib.agent.routing import neighbors
from frrlib.agent.routing.adjacencies import AdjacencyMonitor
from frrlib.wire.events import AdjacencyEvent
from frrlib.wire.requests import ExpectedAdjacency

PROTOCOL_LABELS = {
    "ospf": "OSPF neighbor",
    "ospf6": "OSPFv3 neighbor",
    "isis": "IS-IS neighbor",
    "bgp": "BGP session with",
    "bfd": "BFD session with",
    "pim": "PIM neighbor",
    "ldp": "LDP session with",
}
#: The meaning of a state that lasts, if no better reason is found.
_STATES = {
    "Init": "it receives no hellos from this router",
    "Initializing": "it receives no hellos from this router",
    "2-Way": "no designated router yet",
    "Twoway": "no designated router yet",
    "ExStart": "MTU?",
    "Exchange": "MTU?",
    "ExChange": "MTU?",
    "Connect": "the neighbor does not answer",
    "Active": "the neighbor does not answer",
    "OpenSent": "the neighbor does not answer the OPEN message",
}
#: Protocols whose neighbors may be up although their settings differ.
_LENIENT = ("ospf", "ospf6", "bgp")
#: A key of OSPF in the configuration of an interface.
_OSPF_KEYS = re.compile(r"^ ip ospf (?:authentication-key|message-digest-key) (.+)$", re.MULTILINE)
_NO_KEY = "none"


class Hints:
    """Finds reasons for missing adjacencies.

    Args:
        adjacencies: through which daemons are queried.
        opposite: returns the adjacency that the other end expects with this one, None if it expects none.
        has_route: whether a router has a route to an address.
    """

    def __init__(
        self,
        adjacencies: AdjacencyMonitor,
        opposite: Callable[[ExpectedAdjacency], ExpectedAdjacency | None],
        has_route: Callable[[str, str], bool],
    ) -> None:
        self._adjacencies, self._opposite, self._has_route = adjacencies, opposite, has_route
        self._reasons: dict[str, Callable[[ExpectedAdjacency, ExpectedAdjacency | None], str]] = {
            "ospf": self._ospf,
            "ospf6": self._ospf6,
            "isis": self._isis,
            "bgp": self._bgp,
            "ldp": self._missing_route,
            "bfd": self._bfd,
        }

    def adjacency_reason(self, expected: ExpectedAdjacency, event: AdjacencyEvent | None) -> str:
        """The reason in a few words; empty if none is found. Queries the daemons at both ends."""
        if silent := self._silent_end(expected):
            return silent
        reason = self._reasons.get(expected.protocol)
        return (
            (reason(expected, self._opposite(expected)) if reason else "")
            or self._logged_reason(expected)
            or _state_reason(event)
        )

    def disagreement(self, expected: ExpectedAdjacency) -> str:
        """Why an adjacency that is up may bring no routes: OSPF accepts neighbors with another network type, and BGP
        discards routes of external neighbors without a policy."""
        if expected.protocol not in _LENIENT:
            return ""
        if expected.protocol == "bgp":
            return self._missing_policy(expected)
        # The daemon may just have ended, and the neighbor's state may be outdated.
        return self._silent_end(expected) or self._reasons[expected.protocol](expected, self._opposite(expected))

    def _silent_end(self, expected: ExpectedAdjacency) -> str:
        """The end that does not run the protocol's daemon; empty if both do."""
        for router in (expected.router, expected.neighbor):
            if router in expected.names:
                continue  # an address that no node has
            if not self._adjacencies.runs_protocol(router, expected.protocol):
                return f"{router} runs no {neighbors.DAEMONS[expected.protocol]}"
        return ""

    def _logged_reason(self, expected: ExpectedAdjacency) -> str:
        own_note = self._adjacencies.last_note(
            expected.router, expected.protocol, (expected.interface, *expected.names)
        )
        opposite = self._opposite(expected)
        if own_note or opposite is None:
            return own_note
        opposite_note = self._adjacencies.last_note(
            opposite.router, opposite.protocol, (opposite.interface, *opposite.names)
        )
        return f"{opposite.router} reports: {opposite_note}" if opposite_note else ""

    def _query_json(self, router: str, protocol: str, command: str) -> Any:
        try:
            return json.loads(self._adjacencies.query(router, protocol, command) or "{}")
        except ValueError:
            return {}

    def _configuration(self, router: str, protocol: str) -> str:
        return self._adjacencies.query(router, protocol, "show running-config") or ""

    # --- OSPF ---------------------------------------------------------------------------------------------------------

    def _ospf(self, expected: ExpectedAdjacency, opposite: ExpectedAdjacency | None) -> str:
        if opposite is None:
            return ""
        local, remote = self._ospf_interface(expected), self._ospf_interface(opposite)
        for end, settings in ((expected, local), (opposite, remote)):
            if not settings.get("ifUp", True):
                return f"{end.interface} of {end.router} is down"
            if not settings.get("ospfEnabled", False):
                return f"{end.interface} of {end.router} does not run OSPF"
        passive = [
            end.router for end, settings in ((expected, local), (opposite, remote)) if settings.get("timerPassiveIface")
        ]
        if passive:
            return f"passive at {' and '.join(passive)}"
        if local.get("routerId") and local.get("routerId") == remote.get("routerId"):
            return f"both have the router ID {local['routerId']}"
        return ", ".join(
            [
                *_differences(local, remote, opposite.router, _OSPF_AGREED),
                *self._keys(expected, local, opposite, remote),
            ]
        )

    def _keys(self, expected: ExpectedAdjacency, local: Any, opposite: ExpectedAdjacency, remote: Any) -> Iterator[str]:
        """Differences in authentication. The keys themselves are not reported."""
        local_kind, remote_kind = (_authentication(settings.get("authentication", "")) for settings in (local, remote))
        if local_kind != remote_kind:
            yield f"authentication: {local_kind} here, {remote_kind} at {opposite.router}"
        elif local_kind != _NO_KEY:
            keys = [_OSPF_KEYS.findall(self._lines_of(end, "ospf")) for end in (expected, opposite)]
            if keys[0] != keys[1]:
                yield "the keys differ"

    def _lines_of(self, end: ExpectedAdjacency, protocol: str) -> str:
        """The configuration of an interface in a protocol's daemon."""
        text = self._configuration(end.router, protocol)
        section = re.search(rf"^interface {re.escape(end.interface)}\n((?: .*\n)*)", text, re.MULTILINE)
        return section[1] if section else ""

    def _ospf_interface(self, end: ExpectedAdjacency) -> Any:
        interfaces = self._query_json(end.router, "ospf", "show ip ospf vrf all interface json")
        vrf = interfaces.get(end.vrf or "default", {})
        return vrf.get("interfaces", vrf).get(end.interface, {})

    def _ospf6(self, expected: ExpectedAdjacency, opposite: ExpectedAdjacency | None) -> str:
        if opposite is None:
            return ""
        local, remote = (
            self._query_json(end.router, "ospf6", "show ipv6 ospf6 interface json").get(end.interface, {})
            for end in (expected, opposite)
        )
        for end, settings in ((expected, local), (opposite, remote)):
            if settings.get("status") == "down":
                return f"{end.interface} of {end.router} is down"
            if not settings.get("attachedToArea"):
                return f"{end.interface} of {end.router} does not run OSPFv3"
        return ", ".join(_differences(local, remote, opposite.router, _OSPF6_AGREED))

    # --- IS-IS --------------------------------------------------------------------------------------------------------

    def _isis(self, expected: ExpectedAdjacency, opposite: ExpectedAdjacency | None) -> str:
        if opposite is None:
            return ""
        local, remote = (self._isis_settings(end) for end in (expected, opposite))
        for end, settings in ((expected, local), (opposite, remote)):
            if not settings["spoken"]:
                return f"{end.interface} of {end.router} does not run IS-IS"
        if local["key"] != remote["key"]:
            return "the keys differ"
        names = {"area": "area", "type": "type", "network": "network type"}
        # Only level 1 requires the same area.
        agreed = names if "level-1" in (local["type"], remote["type"]) else {"network": "network type"}
        return ", ".join(_differences(local, remote, opposite.router, agreed))

    def _isis_settings(self, end: ExpectedAdjacency) -> dict[str, Any]:
        text = self._configuration(end.router, "isis")
        lines = self._lines_of(end, "isis")
        matches = {
            "area": re.search(r"^ net (\S+?)(?:\.[0-9a-fA-F]{4}){3}\.00", text, re.MULTILINE),
            "type": re.search(r"^ is-type (\S+)", text, re.MULTILINE),
            "network": re.search(r"^ isis network (\S+)", lines, re.MULTILINE),
            "key": re.search(r"^ isis password (.+)", lines, re.MULTILINE),
        }
        defaults = {"type": "level-1-2", "network": "broadcast"}
        settings = {name: match[1] if match else defaults.get(name, "") for name, match in matches.items()}
        return {**settings, "spoken": "router isis" in lines}

    # --- BGP ----------------------------------------------------------------------------------------------------------

    def _bgp(self, expected: ExpectedAdjacency, opposite: ExpectedAdjacency | None) -> str:
        local = self._peer(expected)
        if not local:
            return f"{expected.router} has no such session"
        if expected.neighbor in expected.names:
            return "no node of the topology has this address"
        if local.get("adminShutDown"):
            return f"it is shut down at {expected.router}"
        if opposite is not None:
            remote = self._peer(opposite)
            if not remote:
                return f"{opposite.router} has no session with {expected.router}"
            if remote.get("adminShutDown"):
                return f"it is shut down at {opposite.router}"
            if local.get("remoteAs") and remote.get("localAs") and local["remoteAs"] != remote["localAs"]:
                return f"AS {local['remoteAs']} expected, {opposite.router} is in AS {remote['localAs']}"
            if remote.get("remoteAs") and local.get("localAs") and remote["remoteAs"] != local["localAs"]:
                return (
                    f"{opposite.router} expects AS {remote['remoteAs']}, {expected.router} is in AS {local['localAs']}"
                )
            if self._password(expected) != self._password(opposite):
                return "the passwords differ"
        else:
            return f"{expected.neighbor} has no session with {expected.router}"
        routed = self._missing_route(expected, opposite)
        if routed:
            return routed
        return str(local.get("lastNotificationReason") or "")

    def _missing_policy(self, expected: ExpectedAdjacency) -> str:
        """The end of a session that has no policy although FRR requires one, which vtysh shows as "(Policy)"."""
        ends = [(expected, "inbound", "it discards all routes from")]
        if (opposite := self._opposite(expected)) is not None:
            ends.append((opposite, "outbound", "it sends no routes to"))
        for end, direction, effect in ends:
            for family in self._peer(end).get("addressFamilyInfo", {}).values():
                if family.get(f"{direction}EbgpRequiresPolicy"):
                    return f"{end.router} has no {direction} policy for this session, so {effect} {end.neighbor}"
        return ""

    def _peer(self, end: ExpectedAdjacency) -> Any:
        sessions = self._query_json(end.router, "bgp", "show bgp vrf all neighbors json").get(end.vrf or "default", {})
        names = (*end.names, end.interface)
        return next((sessions[name] for name in names if name and name in sessions), {})

    def _password(self, end: ExpectedAdjacency) -> str:
        text = self._configuration(end.router, "bgp")
        for name in filter(None, (*end.names, end.interface)):
            match = re.search(rf"^ neighbor {re.escape(name)} password (\S+)", text, re.MULTILINE)
            group = re.search(rf"^ neighbor {re.escape(name)} (?:interface )?peer-group (\S+)", text, re.MULTILINE)
            if match is None and group is not None:
                match = re.search(rf"^ neighbor {re.escape(group[1])} password (\S+)", text, re.MULTILINE)
            if match is not None:
                return match[1]
        return ""

    # --- BFD, and routes to neighbors ---------------------------------------------------------------------------------

    def _bfd(self, expected: ExpectedAdjacency, opposite: ExpectedAdjacency | None) -> str:
        for end in (expected, opposite) if opposite is not None else (expected,):
            sessions = self._query_json(end.router, "bfd", "show bfd peers json") or ()
            own_sessions = [
                session
                for session in sessions
                if session.get("peer") in end.names or session.get("interface") == end.interface
            ]
            if any(session.get("status") == "shutdown" for session in own_sessions):
                return f"it is shut down at {end.router}"
            if not own_sessions:
                return f"{end.router} has no such session"
        return self._missing_route(expected, opposite)

    def _missing_route(self, expected: ExpectedAdjacency, opposite: ExpectedAdjacency | None) -> str:
        if expected.vrf:
            return ""
        for end in (expected, opposite) if opposite is not None else (expected,):
            addresses = [name for name in end.names if re.fullmatch(r"[\d.]+|[0-9a-f:]*:[0-9a-f:.]*", name)]
            if (
                addresses
                and not end.interface
                and not any(self._has_route(end.router, address) for address in addresses)
            ):
                return f"{end.router} has no route to {addresses[0]}"
        return ""


#: The text of a value that a daemon reports under a key, if it differs from the value itself.
_WRITTEN: dict[str, Callable[[Any], str]] = {
    "timerMsecs": lambda ms: f"{ms / 1000:g} s",
    "timerDeadSecs": lambda seconds: f"{seconds} s",
    "timerIntervalsConfigHello": lambda seconds: f"{seconds} s",
    "timerIntervalsConfigDead": lambda seconds: f"{seconds} s",
}
#: The settings that both ends of a link must agree on, by the daemon's key for each.
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


def _differences(local: Any, remote: Any, remote_router: str, agreed: dict[str, str]) -> Iterator[str]:
    for key, name in agreed.items():
        if key in local and key in remote and local[key] != remote[key]:
            written = _WRITTEN.get(key, str)
            yield f"{name} {written(local[key])} here, {written(remote[key])} at {remote_router}"


def _authentication(keyword: str) -> str:
    """The usual name for a kind of authentication in `show ip ospf interface json`."""
    words = re.findall(r"[A-Z][a-z]+", keyword.removeprefix("authentication"))
    return " ".join(words).lower() or _NO_KEY


def _state_reason(event: AdjacencyEvent | None) -> str:
    if event is None:
        return ""
    return _STATES.get(event.state.partition("/")[0], "")


def describe_missing(expected: ExpectedAdjacency, event: AdjacencyEvent | None, reason: str) -> str:
    """The missing condition in an engineer's words: "OSPF neighbor r2 on r3-eth0 is in ExStart (MTU?)"."""
    place = f" on {expected.interface}" if expected.interface else ""
    if expected.protocol in neighbors.SESSIONS and expected.names and not expected.interface:
        place = f" ({expected.names[0]})"
    place += f" in VRF {expected.vrf}" if expected.vrf else ""
    state = "is missing" if event is None else f"is in {event.state}"
    return f"{PROTOCOL_LABELS[expected.protocol]} {expected.neighbor}{place} {state}" + (
        f" ({reason})" if reason else ""
    )
