"""One observation for each kind of check: whether it holds in a running lab now, and what was seen."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_interface, ip_network
from typing import Any, Protocol

from frrlib import wire
from frrlib.conf.text import ConfigEntry, parse
from frrlib.errors import LabError
from frrlib.exercises import checks, units
from frrlib.lab.lab import NodeHandle
from frrlib.lab.path import LabPath
from frrlib.lab.requests import PingOutcome
from frrlib.model.faults import Fault
from frrlib.model.topology import Topology

#: Names of route origins in the kernel that have other names or only numbers there.
_ORIGINS = {"kernel": "connected", "196": "static", "186": "bgp", "187": "isis", "188": "ospf", "189": "rip"}
#: The longest text about a seen value.
_LONGEST_SEEN = 300


class ObservedLab(Protocol):
    """The requests to a running lab that checks make; `Lab` has them."""

    topology: Topology

    def __getitem__(self, node: str) -> NodeHandle: ...
    def now_s(self) -> float:
        """The lab's clock, in seconds."""

    def ping(self, source: str, destination: str, count: int = 3) -> PingOutcome:
        """As `frrlib.lab.requests.ping`."""

    def path(self, source: str, destination: str, *, trace: bool = True) -> LabPath:
        """As `frrlib.lab.requests.path`."""

    def path_back(self, path: LabPath, *, trace: bool = True) -> LabPath:
        """As `frrlib.lab.requests.path_back`."""

    def adjacencies(self, *routers: str) -> list[wire.AdjacencyEvent]:
        """As `frrlib.lab.requests.adjacencies`."""

    def fault(self, fault: Fault) -> None:
        """As `frrlib.lab.faults.fault`."""

    def clear_faults(self) -> tuple[Fault, ...]:
        """As `frrlib.lab.faults.clear_faults`."""

    def ask(self, command: wire.TypedCommand[wire.Reply], timeout_s: float = 60.0) -> wire.Reply:
        """As `Lab.ask`."""


@dataclass(frozen=True)
class Observation:
    """The state of a check at one moment.

    Attributes:
        holds: whether it holds.
        seen: what was seen, as a sentence without a full stop.
        is_missing: whether it fails because a route or a neighbor is not there at all.
    """

    holds: bool
    seen: str
    is_missing: bool = False


def observe(lab: ObservedLab, check: checks.Check) -> Observation:
    """The state of a check that needs a lab. An error of the lab counts as an observation, so this raises nothing."""
    missing = [node for node in check.nodes if lab.topology.node(node) is None]
    if missing:
        return Observation(False, f"the topology has no node {missing[0]}")
    try:
        observation = _OBSERVERS[type(check)](lab, check)
    except (LabError, ValueError) as error:  # ValueError: a reply is not the JSON that it should be
        return Observation(False, str(error)[:_LONGEST_SEEN])
    return replace(observation, seen=observation.seen[:_LONGEST_SEEN])


def judge_answer(check: checks.Answer, typed: str) -> Observation:
    """The state of a typed answer; empty for none."""
    if not typed.strip():
        return Observation(False, "there is no answer yet")
    try:
        number = float(check.expected)
    except ValueError:
        wrong = units.wrong_word(typed, (check.expected, *check.others))
    else:
        wrong = units.wrong_number(typed, number, check.unit, check.tolerance_percent)
    return Observation(not wrong, wrong or f"the answer is {typed[: units.MOST_CHARACTERS]!r}")


def _ping(lab: ObservedLab, check: checks.Ping) -> Observation:
    outcome = lab.ping(check.source, check.destination, count=2)
    received, sent = outcome["received"], outcome["sent"]
    seen = f"{check.source} received {received} of {sent} replies from {outcome['address']}"
    return Observation(received == (sent if check.reachable else 0), seen)


def _path(lab: ObservedLab, check: checks.PathCheck) -> Observation:
    path = lab.path(check.path[0], check.address or check.path[-1], trace=False)
    if not (path.arrives and path.branches() == [check.path]):
        return Observation(False, f"the path is {path.describe()}")
    if check.both_ways:
        return_path = lab.path_back(path, trace=False)
        if not (return_path.arrives and return_path.branches() == [check.path[::-1]]):
            return Observation(False, f"the return path is {return_path.describe()}")
    return Observation(True, f"the path is {path.describe()}")


def _route(lab: ObservedLab, check: checks.Route) -> Observation:
    routes = _kernel_routes(lab, check.node, check.prefix)
    if not routes:
        return Observation(not check.present, f"{check.node} has no route to {check.prefix}", check.present)
    hops = [hop for route in routes for hop in (route.get("nexthops") or [route])]
    gateways = [hop.get("gateway") or hop.get("via", {}).get("host", "") for hop in hops]
    origins = {_ORIGINS.get(str(route.get("protocol")), str(route.get("protocol"))) for route in routes}
    next_hops = ", ".join(filter(None, gateways)) or "none"
    seen = f"{check.node} has a route to {check.prefix} by {', '.join(sorted(origins))}, next hop {next_hops}"
    if not check.present or (check.next_hop and check.next_hop not in gateways):
        return Observation(False, seen)
    if check.protocol and check.protocol not in origins:
        return Observation(False, seen)
    return _best_path(lab, check) if check.has_attributes else Observation(True, seen)


def _kernel_routes(lab: ObservedLab, node: str, prefix: str) -> list[dict[str, Any]]:
    """The routes to a prefix in the kernel's main table of a node."""
    version = 4 if prefix == "default" else ip_network(prefix).version
    output = lab[node].run("ip", "-json", f"-{version}", "route", "show", "exact", prefix)
    routes = json.loads(output) if output.strip() else []
    return [route for route in routes if isinstance(route, dict)]


def _best_path(lab: ObservedLab, check: checks.Route) -> Observation:
    """The attributes of BGP's best path to a prefix."""
    version = ip_network(check.prefix).version
    reply = lab[check.node].vtysh(f"show bgp ipv{version} unicast {check.prefix}", json=True)
    best = [path for path in reply.get("paths", []) if path.get("bestpath", {}).get("overall")]
    if not best:
        return Observation(False, f"BGP on {check.node} has no best path to {check.prefix}")
    attributes = {
        "AS path": (best[0].get("aspath", {}).get("string", ""), check.as_path),
        "local preference": (str(best[0].get("locPrf", best[0].get("localpref", ""))), check.local_preference or None),
        "metric": (str(best[0].get("metric", best[0].get("med", ""))), check.metric or None),
    }
    compared = {name: pair for name, pair in attributes.items() if pair[1] is not None}
    values = ", ".join(f"{name} {actual or 'empty'}" for name, (actual, _) in compared.items())
    holds = all(str(actual).split() == str(expected).split() for actual, expected in compared.values())
    return Observation(holds, f"BGP on {check.node} has {check.prefix} with {values}")


def _neighbor(lab: ObservedLab, check: checks.Neighbor) -> Observation:
    events = [
        event
        for event in lab.adjacencies(check.node)
        if event.protocol == check.protocol and event.neighbor == check.neighbor
    ]
    name = f"{check.protocol.upper()} neighbor {check.neighbor}"
    if not events:
        return Observation(not check.up, f"{check.node} has no {name}", check.up)
    up = any(event.up for event in events)
    states = ", ".join(dict.fromkeys(event.state for event in events))
    return Observation(up == check.up, f"{check.node}: {name} is in state {states}", check.up and not up)


def _configuration(lab: ObservedLab, check: checks.Configuration) -> Observation:
    entries: tuple[ConfigEntry, ...] = parse(lab[check.node].running_config().now)
    where = check.node
    for heading in check.section:
        section = next((entry for entry in entries if entry.text == " ".join(heading.split())), None)
        if section is None:
            return Observation(not check.present, f"{where} has no section {heading!r}")
        entries, where = section.below, f"{where}, {heading}"
    is_there = " ".join(check.line.split()) in (entry.text for entry in entries)
    return Observation(is_there == check.present, f"{where}: the line is {'there' if is_there else 'missing'}")


def _interface_address(lab: ObservedLab, check: checks.InterfaceAddress) -> Observation:
    expected = ip_interface(check.address)
    links = [(link, end) for link, end in lab.topology.ends_at(check.node)]
    if check.towards:
        links = [(link, end) for link, end in links if check.towards in (link.a.node, link.b.node)]
    interfaces = {end.interface for _, end in links}
    output = json.loads(lab[check.node].run("ip", "-json", "address", "show") or "[]")
    addresses = [
        f"{address.get('local')}/{address.get('prefixlen')}"
        for interface in output
        if interface.get("ifname") in interfaces
        for address in interface.get("addr_info", [])
        if address.get("scope") != "link"
    ]
    where = f"{check.node}{f' towards {check.towards}' if check.towards else ''}"
    return Observation(str(expected) in addresses, f"{where} has {', '.join(addresses) or 'no address'}")


_OBSERVERS: Mapping[type[checks.CheckBase], Callable[[Any, Any], Observation]] = {
    checks.Ping: _ping,
    checks.PathCheck: _path,
    checks.Route: _route,
    checks.Neighbor: _neighbor,
    checks.Configuration: _configuration,
    checks.InterfaceAddress: _interface_address,
}
