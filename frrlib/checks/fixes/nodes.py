"""Fixes of names, links and addresses, and of settings of hosts and switches."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from frrlib.checks.fixes.fix import Fix, Fixer, changed, fix, flows_fix, links_fix, nodes_fix, where
from frrlib.checks.rules.addresses import address_fault, repeated
from frrlib.checks.rules.facts import Facts
from frrlib.edits import changes
from frrlib.edits.new_names import LETTERS, fresh_flow_ids, fresh_link_ids, fresh_names, result_ids
from frrlib.edits.parts import controllers_of, with_controllers
from frrlib.errors import TopologyError
from frrlib.model.base import INTERFACE_NAME_LENGTH
from frrlib.model.flows import Flow
from frrlib.model.labels import label_of
from frrlib.model.links import End, Link
from frrlib.model.names import interface_name_fault, sanitized
from frrlib.model.nodes import Bridge, Controller, Host, Node, Router, Switch
from frrlib.model.problem import Problem
from frrlib.model.topology import Preferences

_USUAL = Preferences()


# --- names and links --------------------------------------------------------------------------------------------------


def _other_name(facts: Facts, problem: Problem) -> Fix | None:
    """Rename all nodes of a name except the first."""
    nodes: list[Node] = []
    seen = False
    after = facts.drawn
    for node in facts.drawn.nodes:
        if node.name == problem.node and seen:
            name = next(fresh_names(after, LETTERS[node.kind]))
            node = node.model_copy(update={"name": name})
            after = after.model_copy(update={"nodes": (*after.nodes, node)})
        seen |= node.name == problem.node
        nodes.append(node)
    return fix(f"rename the second {problem.node}", facts.drawn, nodes=tuple(nodes))


def _legal_name(facts: Facts, problem: Problem) -> Fix | None:
    taken = {node.name for node in facts.drawn.nodes}
    name = sanitized(problem.node, taken, INTERFACE_NAME_LENGTH)
    try:
        after = changes.rename(facts.drawn, problem.node, name)
    except TopologyError:
        return None
    return Fix(f"rename {problem.node!r} to {name}", after)


def _other_link_id(facts: Facts, problem: Problem) -> Fix | None:
    links: list[Link] = []
    fresh = fresh_link_ids(facts.drawn)
    for link in facts.drawn.links:
        is_second = link.id == problem.node and any(each.id == link.id for each in links)
        links.append(link.model_copy(update={"id": next(fresh)}) if is_second else link)
    return fix(f"give the second {problem.node} another ID", facts.drawn, links=tuple(links))


def _other_flow_id(facts: Facts, problem: Problem) -> Fix | None:
    seen, fresh = set[str](), fresh_flow_ids(facts.drawn)

    def change(flow: Flow) -> Flow | None:
        mine = set(result_ids(flow))
        if mine & seen:
            return flow.model_copy(update={"id": next(fresh)})
        seen.update(mine)
        return None

    return flows_fix(f"give the second {problem.node} another ID", facts.drawn, change)


def _own_interfaces(facts: Facts, problem: Problem) -> Fix | None:
    """Use automatic names for those interfaces of a node that have an invalid name."""
    if problem.field != "interface":
        return None
    seen = {problem.node}

    def change(end: End) -> End:
        if end.node != problem.node or not end.interface:
            return end
        is_wrong = bool(interface_name_fault(end.interface)) or end.interface in seen
        seen.add(end.interface)
        return end.model_copy(update={"interface": ""}) if is_wrong else end

    links = tuple(link.model_copy(update={"a": change(link.a), "b": change(link.b)}) for link in facts.drawn.links)
    return fix(f"use automatic interface names at {problem.node}", facts.drawn, links=links)


def _no_link(facts: Facts, problem: Problem) -> Fix | None:
    kept = tuple(link for link in facts.drawn.links if link.id != problem.node)
    return (
        fix(f"delete the link {where(facts, problem)}", facts.drawn, links=kept)
        if len(kept) + 1 == len(facts.drawn.links)
        else None
    )


def _controller_named(facts: Facts, problem: Problem) -> Fix | None:
    """Select the controller in the settings of the switch instead of a link between them."""
    link, dropped = facts.drawn.link(problem.node), _no_link(facts, problem)
    if link is None or dropped is None:
        return None
    names = [end.node for end in link.ends]
    controller = next((name for name in names if isinstance(facts.nodes.get(name), Controller)), "")

    def change(node: Any) -> Node | None:
        if not isinstance(node, Switch) or controller in controllers_of(node):
            return None
        return with_controllers(node, (*controllers_of(node), controller))

    named = nodes_fix("", dropped.topology, names, change)
    label = f"delete the link, and select {controller} in the settings of the switch"
    return Fix(label, named.topology) if named else dropped


def _spanning_tree(facts: Facts, problem: Problem) -> Fix | None:
    link = facts.drawn.link(problem.node)
    bridge = next((end.node for end in link.ends if isinstance(facts.nodes.get(end.node), Bridge)), "") if link else ""

    def change(node: Any) -> Node | None:
        return node.model_copy(update={"stp": True}) if isinstance(node, Bridge) else None

    return nodes_fix(f"enable STP at {bridge}", facts.drawn, [bridge], change)


# --- addresses --------------------------------------------------------------------------------------------------------


def _free_address(facts: Facts, problem: Problem) -> Fix | None:
    """Use automatic addresses instead of those that another station has, or that no station can have."""
    if problem.field not in ("addresses", "loopbacks"):
        return None
    owners = Counter(ip for link in facts.drawn.links for end in link.ends for ip in {a.ip for a in end.addresses})
    owners.update(ip for node in facts.drawn.nodes if isinstance(node, Router) for ip in {a.ip for a in node.loopbacks})

    def kept(addresses: Any) -> Any:
        once = [each for at, each in enumerate(addresses) if each not in repeated(addresses[: at + 1])]
        return tuple(each for each in once if owners[each.ip] < 2 and not address_fault(each)[0])

    def end(value: End) -> End:
        return value.model_copy(update={"addresses": kept(value.addresses)}) if value.node == problem.node else value

    def router(node: Any) -> Node | None:
        return node.model_copy(update={"loopbacks": kept(node.loopbacks)}) if isinstance(node, Router) else None

    label = f"use automatic addresses at {problem.node}"
    if problem.field == "loopbacks":
        return nodes_fix(label, facts.drawn, [problem.node], router)
    links = tuple(link.model_copy(update={"a": end(link.a), "b": end(link.b)}) for link in facts.drawn.links)
    return fix(label, facts.drawn, links=links)


def _own_gateway(facts: Facts, problem: Problem) -> Fix | None:
    if problem.field != "default_route":
        return None
    return _host(facts, problem, "use an automatic default route", default_route=None)


def _one_vlan(facts: Facts, problem: Problem) -> Fix | None:
    def change(node: Any) -> Node | None:
        first = {vlan.vlan_id: vlan for vlan in reversed(node.vlan_interfaces)} if isinstance(node, Host) else {}
        kept = tuple(vlan for vlan in node.vlan_interfaces if first[vlan.vlan_id] is vlan) if first else ()
        return node.model_copy(update={"vlan_interfaces": kept}) if first else None

    return nodes_fix(f"remove the repeated VLANs at {problem.node}", facts.drawn, [problem.node], change)


# --- hosts and switches -----------------------------------------------------------------------------------------------


def _host(facts: Facts, problem: Problem, label: str, **update: Any) -> Fix | None:
    def change(node: Any) -> Node | None:
        return node.model_copy(update=update) if isinstance(node, Host) else None

    return nodes_fix(f"{label} at {problem.node}", facts.drawn, [problem.node], change)


def _field(label: str, **update: Any) -> Fixer:
    """A fixer that sets fields of a host."""
    return lambda facts, problem: _host(facts, problem, label, **update)


def _control(facts: Facts, problem: Problem) -> Fix | None:
    """The name in lowercase and without blanks if that is valid; otherwise the default of the kernel."""
    side = problem.field.partition(".")[0]
    if side not in ("a", "b"):
        node = facts.nodes.get(problem.node)
        name = _control_name(node.congestion_control) if isinstance(node, Host) else ""
        control = name or "the kernel's default congestion control"
        return _host(facts, problem, f"use {control}", congestion_control=name)

    def change(link: Link) -> Link:
        end = getattr(link, side)
        name = _control_name(end.congestion_control) if problem.kind != "congestion-control-place" else ""
        return link.model_copy(update={side: end.model_copy(update={"congestion_control": name})})

    label = f"correct or remove the congestion control at {where(facts, problem)}"
    return links_fix(label, facts.drawn, problem.node, change)


def _control_name(text: str) -> str:
    name = text.strip().lower()
    return name if re.fullmatch(r"[a-z0-9_]{1,15}", name) else ""


def _known_controllers(facts: Facts, problem: Problem) -> Fix | None:
    def change(node: Any) -> Node | None:
        there = (name for name in controllers_of(node) if isinstance(facts.nodes.get(name), Controller))
        return with_controllers(node, there) if isinstance(node, Switch) else None

    return nodes_fix(f"remove the missing controllers at {problem.node}", facts.drawn, [problem.node], change)


def _switch_field(facts: Facts, problem: Problem) -> Fix | None:
    """Reset a field of a switch, or of the preferences, to its default."""
    if problem.field.startswith("preferences."):
        return _preference(facts, problem)

    def change(node: Any) -> Node | None:
        return node.model_copy(update={problem.field: ""}) if isinstance(node, Switch) else None

    label = f"leave {label_of(problem.field)} of {problem.node} empty"
    return nodes_fix(label, facts.drawn, [problem.node], change)


def _preference(facts: Facts, problem: Problem) -> Fix | None:
    there = facts.drawn.preferences
    match problem.field.split("."):
        case [_, name]:
            after = changed(there, **{name: getattr(_USUAL, name)})
        case [_, part, name]:
            usual = getattr(getattr(_USUAL, part), name)
            after = changed(there, **{part: getattr(there, part).model_copy(update={name: usual})})
        case _:
            return None
    label = f"reset {problem.field.removeprefix('preferences.')} in the preferences to its default"
    return fix(label, facts.drawn, preferences=after) if after is not None else None


FIXERS: dict[str, Fixer] = {
    "duplicate-name": _other_name,
    "illegal-name": _legal_name,
    "duplicate-link": _other_link_id,
    "duplicate-flow": _other_flow_id,
    "illegal-interface": _own_interfaces,
    "duplicate-interface": _own_interfaces,
    "loose-link": _no_link,
    "link-to-itself": _no_link,
    "controller-link": _controller_named,
    "switching-loop": _spanning_tree,
    "duplicate-address": _free_address,
    "unusable-address": _free_address,
    "own-gateway": _own_gateway,
    "far-gateway": _own_gateway,
    "no-gateway": _own_gateway,
    "duplicate-vlan": _one_vlan,
    "illegal-ip-base": _preference,
    "illegal-cores": _field("use all CPUs", cores=""),
    "no-cpu": _field("remove the CPU share", cpu_percent=None),
    "cpu-not-limited": _field("use the scheduler cfs", scheduler="cfs"),
    "rt-as-cfs": _field("use the scheduler cfs", scheduler="cfs"),
    "illegal-congestion-control": _control,
    "congestion-control-place": _control,
    "no-controller": _known_controllers,
    "illegal-dpid": _switch_field,
    "duplicate-dpid": _switch_field,
    "illegal-port": _switch_field,
    "duplicate-port": _switch_field,
    "illegal-target": _switch_field,
    "illegal-number": _switch_field,
}
