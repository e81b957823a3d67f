"""The difference of two plans: which nodes and links are new, gone, made anew, or changed while they run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from frrlib.changes.peer_groups import with_members_anew
from frrlib.conf.changes import ConfigChange, as_typed_lines, difference, without_implied_removals
from frrlib.conf.grammar import begins, key_of
from frrlib.wire.changes import LabChange, RouterLines
from frrlib.wire.plan import LinkPlan, NodePlan, Plan

#: The settings of a node that cannot change while its processes run, with their names for people.
_FIXED_NODE: dict[str, str] = {
    "kind": "its kind", "vlans": "its VLANs", "vrfs": "its VRFs", "private_dirs": "its private folders", "cpu":
    "its CPU limits", "stp": "its spanning tree", "start_command": "its start command",
    "external_interfaces": "its external interfaces", "switch": "its OpenFlow settings",
    "controller": "its program", "targets": "its address",
}  # fmt: skip
_SHARED = "Open vSwitch and controllers are only set up when a lab starts"
_EXTERNAL = "interfaces of this machine only move when a lab starts or ends"
#: Lines that take effect only when the daemon forgets its neighbors, and the command for that.
_TAKE_EFFECT = {"ospf router-id": "clear ip ospf process", "ospf6 router-id": "clear ipv6 ospf6 process"}
#: Lines whose removal turns off more than they turned on, and the lines that take back only that.
_TAKEN_BACK_BY = {
    "no ip rip split-horizon poisoned-reverse": "ip rip split-horizon",
    "no ipv6 ripng split-horizon poisoned-reverse": "ipv6 ripng split-horizon",
}
#: Lines of BFD that FRR 8.4 cannot remove, with their defaults.
_DEFAULTS = {
    "no receive-interval": "receive-interval 300", "no transmit-interval": "transmit-interval 300",
    "no detect-multiplier": "detect-multiplier 3", "no echo transmit-interval": "echo transmit-interval 50",
    "no echo receive-interval": "echo receive-interval 50",
}  # fmt: skip
#: Beginnings of the `tc` commands that a removal of the root qdisc takes back.
_ROOT_COMMANDS = ("qdisc replace dev ", "class replace dev ")


@dataclass
class PlanDifference:
    """The nodes and links that differ, by name or id.

    Attributes:
        added, removed, changed_nodes, changed_links: as in `LabChange`, without those that are made anew.
        remade_nodes, remade_links: those that are made anew, with the reason.
        refused: those that a running lab cannot follow, with the reason.
        routers: configuration lines of changed routers.
    """

    added_nodes: list[str] = field(default_factory=list)
    removed_nodes: list[str] = field(default_factory=list)
    changed_nodes: list[str] = field(default_factory=list)
    remade_nodes: dict[str, str] = field(default_factory=dict)
    added_links: list[str] = field(default_factory=list)
    removed_links: list[str] = field(default_factory=list)
    changed_links: list[str] = field(default_factory=list)
    remade_links: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    routers: dict[str, RouterLines] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether the lab stays as it is."""
        parts = (self.added_nodes, self.removed_nodes, self.changed_nodes, self.remade_nodes)
        return not any((*parts, self.added_links, self.removed_links, self.changed_links, self.remade_links))

    def lab_change(self, before: Plan, after: Plan) -> LabChange:
        """The change for the agent."""
        gone = (*self.removed_links, *self.remade_links)
        return LabChange(
            plan=after,
            removed_nodes=(*self.removed_nodes, *self.remade_nodes),
            added_nodes=(*self.added_nodes, *self.remade_nodes),
            changed_nodes=tuple(self.changed_nodes),
            removed_links=gone,
            added_links=(*self.added_links, *self.remade_links),
            changed_links=tuple(self.changed_links),
            links_before={link.id: link for link in before.links if link.id in {*gone, *self.changed_links}},
            routers=self.routers,
        )


def plan_difference(before: Plan, after: Plan) -> PlanDifference:
    """The difference of two plans."""
    result = PlanDifference()
    _compare_links(result, before, after)
    _compare_nodes(result, before, after)
    _refuse(result, before, after)
    return result


def _compare_links(result: PlanDifference, before: Plan, after: Plan) -> None:
    old_links, new_links = ({link.id: link for link in plan.links} for plan in (before, after))
    result.removed_links = [name for name in old_links if name not in new_links]
    for name, new in new_links.items():
        old = old_links.get(name)
        if old is None:
            result.added_links.append(name)
        elif old != new:
            if reason := _link_reason(old, new):
                result.remade_links[name] = reason
            else:
                result.changed_links.append(name)


def _link_reason(old: LinkPlan, new: LinkPlan) -> str:
    """The reason why a link must be made anew; empty if its interfaces stay."""
    ends = ((old.a, new.a), (old.b, new.b))
    if any((a.node, a.name) != (b.node, b.name) for a, b in ends):
        return "its ends change"
    if any(a.mtu_bytes != b.mtu_bytes for a, b in ends):
        return "its MTU changes"
    if any(a.mac != b.mac for a, b in ends):
        return "a hardware address changes"
    if bool(old.cable_tc_to_a or old.cable_tc_to_b) != bool(new.cable_tc_to_a or new.cable_tc_to_b):
        return "only a link with delay or loss passes the link namespace"
    if old.checksums != new.checksums:
        return "its checksums are computed in another way"
    own = any(not line.startswith(_ROOT_COMMANDS) for a, b in ends if a.tc != b.tc for line in a.tc)
    return "it had tc commands of its own" if own else ""


def _compare_nodes(result: PlanDifference, before: Plan, after: Plan) -> None:
    old_nodes, new_nodes = ({node.name: node for node in plan.nodes} for plan in (before, after))
    result.removed_nodes = [name for name in old_nodes if name not in new_nodes]
    result.added_nodes = [name for name in new_nodes if name not in old_nodes]
    common = [name for name in new_nodes if name in old_nodes]
    while True:  # a node that is made anew has new links, which may concern further nodes
        at_links = _nodes_at(before, (*result.removed_links, *result.remade_links))
        at_links |= _nodes_at(after, (*result.added_links, *result.remade_links))
        gone = _names_of_ends(before, (*result.removed_links, *result.remade_links))
        reasons = {
            name: _node_reason(old_nodes[name], new_nodes[name], gone, at_link=name in at_links) for name in common
        }
        further = {name: reason for name, reason in reasons.items() if reason and name not in result.remade_nodes}
        for name, reason in further.items():
            _remake(result, name, reason, before, after)
        if not further:
            break
    for name in common:
        old, new = old_nodes[name], new_nodes[name]
        if old != new and name not in result.remade_nodes:
            result.changed_nodes.append(name)
            if old.frr is not None and new.frr is not None and old.frr.files != new.frr.files:
                result.routers[name] = router_lines(old.frr.files.get("frr.conf", ""), new.frr.files["frr.conf"])


def _node_reason(old: NodePlan, new: NodePlan, gone: set[str], *, at_link: bool) -> str:
    """The reason why a node must be made anew; empty if its processes keep running.

    Args:
        old, new: its plans.
        gone: names of interfaces that disappear.
        at_link: whether one of its links appears, disappears or is made anew.
    """
    changed = [words for key, words in _FIXED_NODE.items() if getattr(old, key) != getattr(new, key)]
    if changed:
        return f"{' and '.join(changed)} {'change' if len(changed) > 1 or changed[0].endswith('s') else 'changes'}"
    if (old.frr is None) != (new.frr is None):
        return "FRR starts on it" if old.frr is None else "FRR ends on it"
    if at_link and (new.vlans or new.vrfs):
        return "it has VLANs or VRFs, and its links change"
    left = {key for key in old.sysctls.keys() - new.sysctls.keys() if not gone & set(key.split("/"))}
    if left:
        return f"the kernel's own value of {', '.join(sorted(left))} returns"
    old_networks, new_networks = ([route for route in node.routes if route.interface] for node in (old, new))
    return "the TCP settings of its networks change" if old_networks != new_networks else ""


def _remake(result: PlanDifference, name: str, reason: str, before: Plan, after: Plan) -> None:
    """Have a node made anew, with its links."""
    result.remade_nodes[name] = reason
    for link in after.links:
        if name in (link.a.node, link.b.node) and link.id in {old.id for old in before.links}:
            result.remade_links.setdefault(link.id, f"{name} is made anew")
            result.changed_links = [other for other in result.changed_links if other != link.id]


def _refuse(result: PlanDifference, before: Plan, after: Plan) -> None:
    touched = [*result.added_nodes, *result.removed_nodes, *result.remade_nodes]
    for plan in (before, after):
        for node in plan.nodes:
            if node.name in touched and (shared(node) or node.external_interfaces):
                result.refused[node.name] = _SHARED if shared(node) else _EXTERNAL
        names = {node.name for node in plan.nodes if shared(node)}
        moved = {*result.added_links, *result.removed_links, *result.remade_links}
        for link in plan.links:
            if link.id in moved and names & {link.a.node, link.b.node}:
                result.refused[link.id] = _SHARED
    result.refused |= {
        name: _SHARED for name in result.changed_nodes for node in after.nodes if node.name == name and shared(node)
    }


def shared(node: NodePlan) -> bool:
    """Whether a node is a part of Open vSwitch or a controller, which share the lab's own namespace."""
    return node.switch is not None or node.kind == "controller"


def _nodes_at(plan: Plan, links: Iterable[str]) -> set[str]:
    ids = set(links)
    return {end.node for link in plan.links if link.id in ids for end in (link.a, link.b)}


def _names_of_ends(plan: Plan, links: Iterable[str]) -> set[str]:
    ids = set(links)
    return {end.name for link in plan.links if link.id in ids for end in (link.a, link.b)}


def router_lines(before: str, after: str) -> RouterLines:
    """The lines that turn one configuration into another, and back."""
    lines, reversed_lines = difference(before, after), difference(after, before)
    return RouterLines(
        _typed(with_members_anew(without_implied_removals(lines, after), before, after)),
        _typed(with_members_anew(without_implied_removals(reversed_lines, before), after, before)),
        commands_for(lines),
    )


def commands_for(changes: Iterable[ConfigChange]) -> tuple[str, ...]:
    """The commands without which changed lines have no effect."""
    lines = [change.line for change in changes]
    return tuple(command for start, command in _TAKE_EFFECT.items() if any(line.startswith(start) for line in lines))


def _typed(changes: Iterable[ConfigChange]) -> tuple[tuple[str, ...], ...]:
    """The lines to type, each in its forms."""
    lines = as_typed_lines(changes).splitlines()
    return tuple(_forms(line) for line in lines if line.strip() not in ("", "!"))


def _forms(line: str) -> tuple[str, ...]:
    """A line; a removal also without its last words, down to the words that say what it is about, and the default."""
    words = line.split()
    indent = line[: len(line) - len(line.lstrip())]
    if restored := _TAKEN_BACK_BY.get(" ".join(words)):
        return (indent + restored,)
    key = key_of(" ".join(words[1:])) if words[0] == "no" else None
    if key is None:
        return (line,)
    least = 1 + next((number for number, word in enumerate(key.split()) if word in ("=", "...")), len(words))
    shorter = [" ".join(words[:number]) for number in range(len(words), min(least, len(words)) - 1, -1)]
    default = next((text for start, text in _DEFAULTS.items() if begins(" ".join(words), (start,))), "")
    return tuple(indent + form for form in (*shorter, default) if form)
