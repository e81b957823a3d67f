"""Names, interfaces, and the links between nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, fix_with, flows_fix, nodes_fix, place_title
from frrlib.checks.kinds import CheckSubject, error, note, warning
from frrlib.edits.new_names import LETTERS, fresh_flow_ids, fresh_link_ids, fresh_names
from frrlib.edits.parts import controllers_of, with_controllers
from frrlib.errors import TopologyError
from frrlib.model.base import INTERFACE_NAME_LENGTH
from frrlib.model.flows import Flow
from frrlib.model.labels import link_title
from frrlib.model.links import End, Link
from frrlib.model.names import interface_name_fault, node_name_fault, sanitized
from frrlib.model.nodes import SWITCHING, Bridge, Controller, Node, Switch
from frrlib.model.problem import Problem, ProblemSubject

SUBJECT = CheckSubject()
DUPLICATE_NAME = SUBJECT.kind(
    "duplicate-name",
    "Two nodes have the same name.",
    "Links, flows and settings refer to nodes by name. With two nodes of one name the reference is ambiguous.",
    "Give each node its own name. The labels beside the icons may be the same.",
)
DUPLICATE_LINK = SUBJECT.kind(
    "duplicate-link",
    "Two links have the same ID.",
    "Planned faults and results refer to links by ID.",
    "Give each link its own ID.",
)
DUPLICATE_FLOW = SUBJECT.kind(
    "duplicate-flow",
    "Two flows have the same ID. A flow with a count of 3 has the IDs `f.1`, `f.2` and `f.3`.",
    "Results and figures refer to flows by ID.",
    "Give each flow its own ID.",
)
ILLEGAL_NAME = SUBJECT.kind(
    "illegal-name",
    "The name of a node has characters that are not allowed in a host name, or is too long.",
    "The name is used for a namespace, for the host name, and as the beginning of interface names.",
    "Use letters, digits, `_` and `-`. Write any other text into the label. The name of a switch is also a device "
    "name and has up to 15 characters.",
)
ILLEGAL_INTERFACE = SUBJECT.kind(
    "illegal-interface",
    "The kernel does not accept this interface name.",
    "Interface names have 1 to 15 characters and contain neither blanks nor slashes.",
    "Leave the name empty for an automatic one, or shorten it.",
)
DUPLICATE_INTERFACE = SUBJECT.kind(
    "duplicate-interface",
    "One node has two interfaces of the same name, or a setting names an interface twice.",
    "The second one cannot be created. All Open vSwitch switches of a lab share one namespace, so their interface "
    "names must differ too.",
    "Leave one of the names empty for an automatic one.",
)
LOOSE_LINK = SUBJECT.kind(
    "loose-link",
    "An end of a link refers to a node that is not in the topology.",
    "The link cannot be connected.",
    "Draw the node, or delete the link.",
)
LINK_TO_ITSELF = SUBJECT.kind(
    "link-to-itself",
    "Both ends of a link are at the same node.",
    "Packets would return to their sender at once. The lab does not build such links.",
    "Link two different nodes.",
)
CONTROLLER_LINK = SUBJECT.kind(
    "controller-link",
    "A link ends at a controller.",
    "Switches reach their controller through the lab's control network, not through a drawn link.",
    "Select the controller in the settings of the switch, and delete the link.",
)
UNCONNECTED = SUBJECT.kind(
    "unconnected",
    "A node has no link.",
    "It cannot be reached. This may be intended.",
    "Link it, or leave it as it is.",
)
SWITCHING_LOOP = SUBJECT.kind(
    "switching-loop",
    "Switches form a ring, and none of them runs the spanning tree protocol.",
    "A broadcast, such as the first ARP request, circulates forever and uses the full capacity of the links.",
    "Enable STP at a bridge of the ring, take a link down, or leave the ring to a controller that handles loops.",
)


def _repeated(values: Iterable[str]) -> list[tuple[str, int]]:
    return [(value, count) for value, count in Counter(values).items() if count > 1]


@SUBJECT.rule(DUPLICATE_NAME, DUPLICATE_LINK)
def duplicate_names(facts: Facts) -> Iterator[Problem]:
    """Nodes and links have unique names, by which everything else refers to them."""
    topology = facts.topology
    for name, count in _repeated(node.name for node in topology.nodes):
        yield error(DUPLICATE_NAME, name, "name", f"{count} nodes have this name", "give each node its own name")
    for name, count in _repeated(link.id for link in topology.links):
        yield error(
            DUPLICATE_LINK,
            ProblemSubject("link", name),
            "id",
            f"{count} links have this ID",
            "give each link its own ID",
        )


@SUBJECT.rule(DUPLICATE_FLOW)
def duplicate_flows(facts: Facts) -> Iterator[Problem]:
    """Flows have unique IDs, also those that a flow with a count expands to."""
    for flow_id, count in _repeated(name for flow in facts.topology.flows for name in flow.result_ids):
        yield error(
            DUPLICATE_FLOW,
            ProblemSubject("flow", flow_id),
            "id",
            f"{count} flows have this ID",
            "give each flow its own ID",
        )


@SUBJECT.rule(ILLEGAL_NAME)
def illegal_names(facts: Facts) -> Iterator[Problem]:
    """Names of nodes are valid for the kernel and for Mininet."""
    for node in facts.topology.nodes:
        fault = node_name_fault(node.name)
        if fault:
            remedy = f"use only letters, digits, '_' and '-', such as {sanitized(node.name)}"
            yield error(ILLEGAL_NAME, node.name, "name", fault, remedy)
        elif node.kind in SWITCHING and len(node.name) > INTERFACE_NAME_LENGTH:
            message = f"has {len(node.name)} characters, but the name of a switch is a device name with up to "
            message += f"{INTERFACE_NAME_LENGTH} characters"
            yield error(ILLEGAL_NAME, node.name, "name", message, "shorten the name; the label may be longer")


@SUBJECT.rule(DUPLICATE_INTERFACE, ILLEGAL_INTERFACE)
def interface_names(facts: Facts) -> Iterator[Problem]:
    """Interface names are valid for the kernel and unique at each node."""
    for name, ends in facts.ends.items():
        for link, end in ends:
            fault = interface_name_fault(end.interface)
            if fault:
                message = f"interface {end.interface!r} of {link_title(facts.topology, link)} {fault}"
                remedy = "use 1 to 15 letters, digits, '_', '-' and '.'"
                yield error(ILLEGAL_INTERFACE, name, "interface", message, remedy)
            elif end.interface == name and name in facts.nodes and facts.nodes[name].kind in SWITCHING:
                message = f"the interface of {link_title(facts.topology, link)} has the name of the switch itself"
                yield error(DUPLICATE_INTERFACE, name, "interface", message, "choose another name")
        for interface, count in _repeated(end.interface for _, end in ends):
            message = f"{count} interfaces are named {interface}"
            yield error(DUPLICATE_INTERFACE, name, "interface", message, "give each interface its own name")


@SUBJECT.rule(LOOSE_LINK)
def loose_links(facts: Facts) -> Iterator[Problem]:
    """Both ends of a link are at nodes of the topology."""
    for link in facts.topology.links:
        for side, end in zip("ab", link.ends, strict=True):
            if end.node not in facts.nodes:
                message, remedy = f"there is no node {end.node}", f"draw {end.node}, or delete the link"
                yield error(LOOSE_LINK, link, f"{side}.node", message, remedy)


@SUBJECT.rule(CONTROLLER_LINK, LINK_TO_ITSELF)
def impossible_links(facts: Facts) -> Iterator[Problem]:
    """Links join two different nodes, neither of which is a controller."""
    for link in facts.topology.links:
        if link.a.node == link.b.node:
            yield error(LINK_TO_ITSELF, link, "", f"joins {link.a.node} to itself", "link two different nodes")
            continue
        kinds = [facts.nodes[end.node].kind for end in link.ends if end.node in facts.nodes]
        if "controller" not in kinds:
            continue
        controller, linked_node = (link.a.node, link.b.node) if kinds[0] == "controller" else (link.b.node, link.a.node)
        remedy = "delete the link; controllers are for OpenFlow switches only"
        if "switch" in kinds:
            remedy = f"delete the link, and select {controller} in the controllers of {linked_node}"
        yield error(CONTROLLER_LINK, link, "", f"ends at the controller {controller}", remedy)


@SUBJECT.rule(UNCONNECTED)
def unconnected(facts: Facts) -> Iterator[Problem]:
    """Nodes without any link."""
    for node in facts.nodes.values():
        if not isinstance(node, Controller) and node.name not in facts.ends:
            yield note(UNCONNECTED, node.name, "", "has no link")


@SUBJECT.rule(SWITCHING_LOOP)
def switching_loops(facts: Facts) -> Iterator[Problem]:
    """Switches without STP form no ring, in which a broadcast would circulate forever."""
    plain = {name for name, node in facts.nodes.items() if node.kind in SWITCHING and not _speaks_stp(node)}
    group = {name: name for name in plain}

    def top(name: str) -> str:
        while group[name] != name:
            group[name] = name = group[group[name]]
        return name

    for link in facts.topology.links:
        if not link.up or link.a.node not in plain or link.b.node not in plain or link.a.node == link.b.node:
            continue
        root_a, root_b = top(link.a.node), top(link.b.node)
        if root_a == root_b:
            message = f"closes a ring of switches between {link.a.node} and {link.b.node}: broadcasts circulate forever"
            remedy = "enable STP at a bridge of the ring, or use a controller that handles loops"
            yield warning(SWITCHING_LOOP, link, "", message, remedy)
        group[root_a] = root_b


def _speaks_stp(node: Node) -> bool:
    return node.kind == "bridge" and node.stp


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(DUPLICATE_NAME)
def _rename_repeated_nodes(facts: Facts, problem: Problem) -> Fix | None:
    """Rename all nodes of a name except the first."""
    nodes: list[Node] = []
    is_repeated = False
    topology = facts.topology
    for node in facts.topology.nodes:
        if node.name == problem.node and is_repeated:
            name = next(fresh_names(topology, LETTERS[node.kind]))
            node = node.model_copy(update={"name": name})
            topology = topology.model_copy(update={"nodes": (*topology.nodes, node)})
        is_repeated |= node.name == problem.node
        nodes.append(node)
    return fix_with(f"rename the second {problem.node}", facts.topology, nodes=tuple(nodes))


@SUBJECT.fix(ILLEGAL_NAME)
def _use_valid_name(facts: Facts, problem: Problem) -> Fix | None:
    from frrlib.edits import changes  # loads many modules, which a check without fixes does not need

    used_names = {node.name for node in facts.topology.nodes}
    name = sanitized(problem.node, used_names, INTERFACE_NAME_LENGTH)
    try:
        renamed = changes.rename(facts.topology, problem.node, name)
    except TopologyError:
        return None
    return Fix(f"rename {problem.node!r} to {name}", renamed)


@SUBJECT.fix(DUPLICATE_LINK)
def _renumber_repeated_links(facts: Facts, problem: Problem) -> Fix | None:
    links: list[Link] = []
    fresh = fresh_link_ids(facts.topology)
    for link in facts.topology.links:
        is_second = link.id == problem.node and any(earlier.id == link.id for earlier in links)
        links.append(link.model_copy(update={"id": next(fresh)}) if is_second else link)
    return fix_with(f"give the second {problem.node} another ID", facts.topology, links=tuple(links))


@SUBJECT.fix(DUPLICATE_FLOW)
def _rename_repeated_flows(facts: Facts, problem: Problem) -> Fix | None:
    used_ids, fresh = set[str](), fresh_flow_ids(facts.topology)

    def change(flow: Flow) -> Flow | None:
        mine = set(flow.result_ids)
        if mine & used_ids:
            return flow.model_copy(update={"id": next(fresh)})
        used_ids.update(mine)
        return None

    return flows_fix(f"give the second {problem.node} another ID", facts.topology, change)


@SUBJECT.fix(ILLEGAL_INTERFACE, DUPLICATE_INTERFACE)
def _use_automatic_interface_names(facts: Facts, problem: Problem) -> Fix | None:
    """Use automatic names for those interfaces of a node that have an invalid name."""
    if problem.field != "interface":
        return None
    used_names = {problem.node}

    def change(end: End) -> End:
        if end.node != problem.node or not end.interface:
            return end
        is_wrong = bool(interface_name_fault(end.interface)) or end.interface in used_names
        used_names.add(end.interface)
        return end.model_copy(update={"interface": ""}) if is_wrong else end

    links = tuple(link.model_copy(update={"a": change(link.a), "b": change(link.b)}) for link in facts.topology.links)
    return fix_with(f"use automatic interface names at {problem.node}", facts.topology, links=links)


@SUBJECT.fix(LOOSE_LINK, LINK_TO_ITSELF)
def _delete_link(facts: Facts, problem: Problem) -> Fix | None:
    remaining = tuple(link for link in facts.topology.links if link.id != problem.node)
    return (
        fix_with(f"delete the link {place_title(facts, problem)}", facts.topology, links=remaining)
        if len(remaining) + 1 == len(facts.topology.links)
        else None
    )


@SUBJECT.fix(CONTROLLER_LINK)
def _select_controller(facts: Facts, problem: Problem) -> Fix | None:
    """Select the controller in the settings of the switch instead of a link between them."""
    link, dropped = facts.topology.link(problem.node), _delete_link(facts, problem)
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


@SUBJECT.fix(SWITCHING_LOOP)
def _enable_stp(facts: Facts, problem: Problem) -> Fix | None:
    link = facts.topology.link(problem.node)
    bridge = next((end.node for end in link.ends if isinstance(facts.nodes.get(end.node), Bridge)), "") if link else ""

    def change(node: Any) -> Node | None:
        return node.model_copy(update={"stp": True}) if isinstance(node, Bridge) else None

    return nodes_fix(f"enable STP at {bridge}", facts.topology, [bridge], change)
