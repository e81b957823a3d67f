"""The difference of two topologies as changes in words, in the order in which a running lab makes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from frrlib.changes.interruptions import interruptions
from frrlib.changes.link_words import end_text, link_changes
from frrlib.changes.plan_difference import PlanDifference, commands_for
from frrlib.conf.changes import ConfigChange, difference
from frrlib.model.nodes import Node, Router
from frrlib.model.topology import Topology
from frrlib.wire.plan import NodePlan, Plan

Action = Literal["add", "remove", "remake", "change"]
#: Signs of actions in lists.
SIGNS: dict[Action, str] = {"add": "+", "remove": "-", "remake": "±", "change": "~"}
#: Parts of a topology that a lab is started with, with the words for them.
_FIXED_PARTS = {
    "shown_folders": "the shown folders", "copied_folders": "the copied folders",
    "kernel_modules": "the kernel modules", "kernel_parameters": "the kernel parameters",
}  # fmt: skip
#: Parts that only later runs of flows use.
_LATER_PARTS = {"flows": "flows", "faults": "planned faults"}
_STOP = "stop the lab and run it again"


@dataclass(frozen=True)
class Change:
    """One change.

    Attributes:
        action: "add", "remove", "remake" (made anew: its processes start again) or "change".
        subject: "node", "link", "configuration", "topology", "flows" or "faults".
        name: of the node or the ID of the link; empty for the topology.
        text: the change in words.
        lines: lines of configuration that appear ("+ ...") or disappear ("- ...").
        refusal: the reason why a running lab cannot follow; empty if it can.
        interruptions: the routing sessions that the change ends, or interrupts until routing has converged again:
            "OSPF between r1 and r2 is interrupted".
    """

    action: Action
    subject: str
    name: str
    text: str
    lines: tuple[str, ...] = ()
    refusal: str = ""
    interruptions: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.text}: cannot be followed, because {self.refusal}" if self.refusal else self.text

    def as_dict(self) -> dict[str, Any]:
        """The change for programs."""
        return {**asdict(self), "lines": list(self.lines), "interruptions": list(self.interruptions)}


def changes(
    before: Topology, after: Topology, plans: tuple[Plan, Plan], plan_difference: PlanDifference
) -> tuple[Change, ...]:
    """All changes from one topology to another.

    Args:
        before, after: resolved topologies.
        plans: their plans.
        plan_difference: of these plans.
    """
    all_changes = tuple(_changes(before, after, plans, plan_difference))
    if plan_difference.is_empty or any(change.refusal for change in all_changes):
        return all_changes
    causes = interruptions(before, after, plans, plan_difference)
    return tuple(replace(change, interruptions=causes.pop((change.subject, change.name), ())) for change in all_changes)


def _changes(
    before: Topology, after: Topology, plans: tuple[Plan, Plan], difference: PlanDifference
) -> Iterator[Change]:
    refused = difference.refused
    for field, words in _FIXED_PARTS.items():
        if getattr(before, field) != getattr(after, field):
            yield Change("change", "topology", "", f"{words} change", refusal=f"they are set up at the start; {_STOP}")
    for link in difference.removed_links:
        yield Change("remove", "link", link, f"remove {link_text(before, link)}", refusal=_refusal(refused, link))
    for name, reason in difference.remade_nodes.items():
        text = f"make {node_text(after, name)} anew, with its processes and links, because {reason}"
        yield Change("remake", "node", name, text, refusal=_refusal(refused, name))
    for link, reason in difference.remade_links.items():
        text = f"make {link_text(after, link)} anew, because {reason}"
        yield Change("remake", "link", link, text, refusal=_refusal(refused, link))
    for name in difference.added_nodes:
        yield Change("add", "node", name, f"add {node_text(after, name)}", refusal=_refusal(refused, name))
    for link in difference.added_links:
        yield Change("add", "link", link, f"add {link_text(after, link)}", refusal=_refusal(refused, link))
    for link in difference.changed_links:
        for text in link_changes(before, after, plans, link):
            yield Change("change", "link", link, text, refusal=_refusal(refused, link))
    for name in difference.changed_nodes:
        yield from _node_changes(name, plans, _refusal(refused, name))
    for name in difference.removed_nodes:
        yield Change("remove", "node", name, f"remove {node_text(before, name)}", refusal=_refusal(refused, name))
    for field, words in _LATER_PARTS.items():
        if getattr(before, field) != getattr(after, field):
            yield Change("change", field, "", f"other {words}, for the next run of flows")


def _refusal(refused: dict[str, str], name: str) -> str:
    return f"{refused[name]}; {_STOP}" if name in refused else ""


def node_text(topology: Topology, name: str) -> str:
    """A node in words: "router r6 (ospfd, bgpd)"."""
    node = topology.node(name)
    assert node is not None
    return f"{node.kind} {name}{_protocols(node)}"


def _protocols(node: Node) -> str:
    if not isinstance(node, Router):
        return ""
    names = [
        name for name in ("ospf", "ospf6", "isis", "rip", "ripng", "bgp", "bfd", "pim", "ldp") if getattr(node, name)
    ]
    return f" ({', '.join(names)})" if names else ""


def link_text(topology: Topology, link_id: str) -> str:
    """A link in words: "link l1 (r1-eth0 10.0.1.1/24 to h1-eth0 10.0.1.2/24)"."""
    link = topology.link(link_id)
    assert link is not None
    return f"link {link_id} ({end_text(link.a)} to {end_text(link.b)})"


def _node_changes(name: str, plans: tuple[Plan, Plan], refusal: str) -> Iterator[Change]:
    old, new = (next(node for node in plan.nodes if node.name == name) for plan in plans)
    for text in _setting_changes(old, new):
        yield Change("change", "node", name, f"{new.kind} {name}: {text}", refusal=refusal)
    if old.frr is None or new.frr is None or old.frr == new.frr:
        return
    for daemon in new.frr.daemons:
        if daemon not in old.frr.daemons:
            yield Change("add", "configuration", name, f"router {name}: start {daemon}", refusal=refusal)
    lines = difference(old.frr.files.get("frr.conf", ""), new.frr.files.get("frr.conf", ""))
    if lines:
        number = f"{len(lines)} {'line' if len(lines) == 1 else 'lines'}"
        text = f"router {name}: change {number} of its configuration"
        if commands := commands_for(lines):
            text += f", which needs `{'`, `'.join(commands)}` and ends adjacencies"
        yield Change("change", "configuration", name, text, tuple(map(_line_text, lines)), refusal)
    for daemon in old.frr.daemons:
        if daemon not in new.frr.daemons:
            yield Change("remove", "configuration", name, f"router {name}: end {daemon}", refusal=refusal)


def _line_text(change: ConfigChange) -> str:
    return f"{'+' if change.kind == 'added' else '-'} {' > '.join((*change.section, change.line))}"


def _setting_changes(old: NodePlan, new: NodePlan) -> Iterator[str]:
    yield from _replaced("loopback", old.loopbacks, new.loopbacks)
    for key in dict.fromkeys([*old.sysctls, *new.sysctls]):
        before, after = old.sysctls.get(key, "the kernel's value"), new.sysctls.get(key, "the kernel's value")
        if before != after:
            yield f"{key} {after} instead of {before}"
    yield from _replaced("route", [_route(old, n) for n in range(len(old.routes))],
                         [_route(new, n) for n in range(len(new.routes))])  # fmt: skip
    if old.stop_command != new.stop_command:
        yield "another stop command"


def _route(plan: NodePlan, number: int) -> str:
    route = plan.routes[number]
    return f"{route.prefix} {f'via {route.via}' if route.via else f'dev {route.interface}'}"


def _replaced(name: str, old: Any, new: Any) -> Iterator[str]:
    """The change of a list of texts in words, if there is any."""
    gone, added = [value for value in old if value not in new], [value for value in new if value not in old]
    if gone and added:
        yield f"{name} {', '.join(added)} instead of {', '.join(gone)}"
    elif added:
        yield f"add {name} {', '.join(added)}"
    elif gone:
        yield f"remove {name} {', '.join(gone)}"
