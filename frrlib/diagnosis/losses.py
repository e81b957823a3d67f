"""The place where packets get lost, by the kernels' counters: pings are sent and counted at each interface of the path.

Firewalls and reverse path filters drop packets that the routing tables would let pass.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from frrlib.diagnosis.explanation import Step, cause
from frrlib.diagnosis.facts import LabFacts
from frrlib.diagnosis.firewalls import DropRule, drop_rules
from frrlib.diagnosis.forwarding import Direction, reverse_path_cause

#: Number of counted pings. More than `_MOST` at an interface have passed it; fewer than `_FEW` are other packets.
_PINGS, _MOST, _FEW = 20, 18, 8
_INTERVAL_S = "0.02"


@dataclass(frozen=True)
class Checkpoint:
    """A place on the path that counts packets.

    Attributes:
        node: the node.
        interfaces: its interfaces that the packets may use there; several if there are equal paths.
        is_arrival: whether the packets are received there; else they are sent.
        direction: the pings or their replies.
        vrf: the VRF of the interfaces; empty for none.
    """

    node: str
    interfaces: tuple[str, ...]
    is_arrival: bool
    direction: Direction
    vrf: str

    def __str__(self) -> str:
        return f"{' or '.join(self.interfaces)} of {self.node}"


@dataclass(frozen=True)
class _Counters:
    """The counters of a node: packets by interface, its dropping rules, and the drops of its reverse path filter."""

    received: dict[str, int]
    sent: dict[str, int]
    rules: list[DropRule]
    filtered: int


@dataclass(frozen=True)
class _Count:
    """The counters of all nodes before and after the pings."""

    before: dict[str, _Counters]
    after: dict[str, _Counters]

    def at(self, point: Checkpoint) -> int:
        """The number of packets that passed a checkpoint."""
        counters = (self.before[point.node], self.after[point.node])
        old, new = (known.received if point.is_arrival else known.sent for known in counters)
        return sum(new.get(name, 0) - old.get(name, 0) for name in point.interfaces)

    def grown_rules(self, node: str) -> list[DropRule]:
        """The rules of a node that dropped most of the packets."""
        old = {rule.key: rule.packets or 0 for rule in self.before[node].rules}
        return [
            rule
            for rule in self.after[node].rules
            if rule.packets is not None and rule.packets - old.get(rule.key, 0) >= _MOST
        ]


def loss_causes(facts: LabFacts, directions: list[Direction]) -> Iterator[Step]:
    """The cause at the first place where counted pings, or their replies, get lost; nothing if none is certain.

    Args:
        directions: the pings, then their replies if these have a path. No ping was answered before.
    """
    points = [point for direction in directions for point in _checkpoints(facts, direction)]
    count = _count_pings(facts, directions[0], list(dict.fromkeys(point.node for point in points)))
    previous: Checkpoint | None = None
    for point in points:
        packets = count.at(point)
        if packets < _FEW:
            yield _cause_between(facts, count, previous, point)
            return
        if packets < _MOST:
            return
        previous = point
    if previous is not None and len(directions) == 2:
        yield _cause_at_node(facts, count, previous, previous, "input")


def _checkpoints(facts: LabFacts, direction: Direction) -> Iterator[Checkpoint]:
    for stop in direction.path.stops:
        if arrivals := tuple(direction.arrivals(facts, stop.node, stop.vrf)):
            yield Checkpoint(stop.node, arrivals, True, direction, stop.vrf)
        if leaving := tuple(dict.fromkeys(hop.interface for hop in stop.hops if hop.links)):
            yield Checkpoint(stop.node, leaving, False, direction, stop.vrf)


def _count_pings(facts: LabFacts, direction: Direction, nodes: list[str]) -> _Count:
    path, version = direction.path, direction.version
    before = {node: _counters(facts, node, version) for node in nodes}
    options = ["-n", "-q", "-c", str(_PINGS), "-i", _INTERVAL_S, "-W", "1", *(["-I", path.vrf] if path.vrf else [])]
    facts.output(path.source, "ping", *options, path.address)
    return _Count(before, {node: _counters(facts, node, version) for node in nodes})


def _counters(facts: LabFacts, node: str, version: int) -> _Counters:
    entries = [entry for entry in json.loads(facts.output(node, "ip", "-j", "-s", "link") or "[]") if entry]
    counts = {entry["ifname"]: entry.get("stats64", {}) for entry in entries}
    received, sent = (
        {name: int(stats.get(key, {}).get("packets", 0)) for name, stats in counts.items()} for key in ("rx", "tx")
    )
    statistics = parse_netstat(facts.output(node, "cat", "/proc/net/netstat"))
    return _Counters(received, sent, drop_rules(facts, node, version), statistics.get("IPReversePathFilter", 0))


def parse_netstat(text: str) -> dict[str, int]:
    """The counters in /proc/net/netstat by name: each line of names is followed by a line of numbers."""
    rows = [line.split()[1:] for line in text.splitlines()]
    return {
        name: int(value)
        for names, values in zip(rows[::2], rows[1::2], strict=False)
        for name, value in zip(names, values, strict=False)
    }


# --- the cause --------------------------------------------------------------------------------------------------------


def _cause_between(facts: LabFacts, count: _Count, previous: Checkpoint | None, point: Checkpoint) -> Step:
    if previous is None:
        return _cause_at_node(facts, count, point, point, "output")
    if previous.node != point.node:
        sentence = f"The {point.direction.packets} leave {previous}, but do not arrive on {point}."
        remedy = "Look at the link between them: `miniedit-frr link` shows its loss, `miniedit-frr fault` its faults."
        return cause(previous.node, previous.interfaces[0], sentence, remedy)
    hook = "forward" if previous.direction is point.direction else "input"
    return _cause_at_node(facts, count, previous, point, hook)


def _cause_at_node(facts: LabFacts, count: _Count, previous: Checkpoint, point: Checkpoint, hook: str) -> Step:
    """The cause inside a node: its reverse path filter, a rule of its firewall, or an unknown one.

    Args:
        previous: the last place that the packets passed; the same as `point` for the ends of a path.
        hook: the first netfilter hook of the node after `previous`.
    """
    node, packets = point.node, previous.direction.packets
    if count.after[node].filtered - count.before[node].filtered >= _MOST:
        steps = (reverse_path_cause(facts, previous.direction, node, name) for name in previous.interfaces)
        if step := next(filter(None, steps), None):
            return step
    hooks = {hook, "output"} if previous.direction is not point.direction else {hook}
    grown = count.grown_rules(node)
    uncounted = [rule for rule in count.after[node].rules if rule.packets is None]
    ends = (previous.direction.path.sender, previous.direction.path.address)
    possible = [rule for rule in uncounted if any(rule.may_drop(name, *ends) for name in hooks)]
    if grown or len(possible) == 1:
        rule = (grown or possible)[0]
        sentence = f"The firewall of {node} drops the {packets}: {rule.place} has `{rule.text}`."
        return cause(node, "", sentence, f"At {node}: `{rule.removal}`; or accept these packets before it.")
    if possible:
        rules = " or ".join(f"`{rule.text}` in {rule.place}" for rule in possible)
        sentence = f"The firewall of {node} drops the {packets}: {rules}."
        return cause(node, "", sentence, f"Add `counter` to these rules at {node} (`nft list ruleset`), and ask again.")
    verb = {"forward": "forwards", "input": "answers", "output": "sends"}[hook]
    names = " or ".join(previous.interfaces)
    sentence = f"{node} receives the {packets} on {names}, but {verb} none of them."
    if hook == "output":
        sentence = f"{node} sends none of the {packets} on {names}."
    elif point.direction.is_reply and previous is point:
        sentence = f"{node} receives the {packets} on {names}, but drops them."
    remedy = f"Look for filters at {node}: `nft list ruleset`, `iptables -nvL`, `tc filter show`."
    return cause(node, previous.interfaces[0], sentence, remedy)
