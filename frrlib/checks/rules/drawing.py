"""Rules on names and on links between nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from frrlib.checks.rules.facts import Facts, Rule
from frrlib.edits.new_names import result_ids
from frrlib.model.base import INTERFACE_NAME_LENGTH
from frrlib.model.labels import link_title
from frrlib.model.names import interface_name_fault, node_name_fault, sanitized
from frrlib.model.nodes import SWITCHING, Controller, Node
from frrlib.model.problem import Problem, error, note, warning


def _repeated(values: Iterable[str]) -> list[tuple[str, int]]:
    return [(value, count) for value, count in Counter(values).items() if count > 1]


def duplicate_names(facts: Facts) -> Iterator[Problem]:
    """Nodes and links have unique names, by which everything else refers to them."""
    topology = facts.drawn
    for name, count in _repeated(node.name for node in topology.nodes):
        yield error("duplicate-name", name, "name", f"{count} nodes have this name", "give each node its own name")
    for name, count in _repeated(link.id for link in topology.links):
        yield error("duplicate-link", name, "id", f"{count} links have this ID", "give each link its own ID")


def duplicate_flows(facts: Facts) -> Iterator[Problem]:
    """Flows have unique IDs, also those that a flow with a count expands to."""
    spelt = [name for flow in facts.drawn.flows for name in result_ids(flow)]
    for name, count in _repeated(spelt):
        yield error("duplicate-flow", name, "id", f"{count} flows have this ID", "give each flow its own ID")


def illegal_names(facts: Facts) -> Iterator[Problem]:
    """Names of nodes are valid for the kernel and for Mininet."""
    for node in facts.drawn.nodes:
        fault = node_name_fault(node.name)
        if fault:
            right = f"use only letters, digits, '_' and '-', such as {sanitized(node.name)}"
            yield error("illegal-name", node.name, "name", fault, right)
        elif node.kind in SWITCHING and len(node.name) > INTERFACE_NAME_LENGTH:
            message = f"has {len(node.name)} characters, but the name of a switch is a device name with up to "
            message += f"{INTERFACE_NAME_LENGTH} characters"
            yield error("illegal-name", node.name, "name", message, "shorten the name; the label may be longer")


def interface_names(facts: Facts) -> Iterator[Problem]:
    """Interface names are valid for the kernel and unique at each node."""
    for name, ends in facts.ends.items():
        for link, end in ends:
            fault = interface_name_fault(end.interface)
            if fault:
                message = f"interface {end.interface!r} of {link_title(facts.drawn, link)} {fault}"
                right = "use 1 to 15 letters, digits, '_', '-' and '.'"
                yield error("illegal-interface", name, "interface", message, right)
            elif end.interface == name and name in facts.nodes and facts.nodes[name].kind in SWITCHING:
                message = f"the interface of {link_title(facts.drawn, link)} has the name of the switch itself"
                yield error("duplicate-interface", name, "interface", message, "choose another name")
        for interface, count in _repeated(end.interface for _, end in ends):
            message = f"{count} interfaces are named {interface}"
            yield error("duplicate-interface", name, "interface", message, "give each interface its own name")


def loose_links(facts: Facts) -> Iterator[Problem]:
    """Both ends of a link are at nodes of the topology."""
    for link in facts.drawn.links:
        for side, end in zip("ab", link.ends, strict=True):
            if end.node not in facts.nodes:
                message, right = f"there is no node {end.node}", f"draw {end.node}, or delete the link"
                yield error("loose-link", link.id, f"{side}.node", message, right)


def impossible_links(facts: Facts) -> Iterator[Problem]:
    """Links join two different nodes, neither of which is a controller."""
    for link in facts.drawn.links:
        if link.a.node == link.b.node:
            yield error("link-to-itself", link.id, "", f"joins {link.a.node} to itself", "link two different nodes")
            continue
        kinds = [facts.nodes[end.node].kind for end in link.ends if end.node in facts.nodes]
        if "controller" not in kinds:
            continue
        controller, other = (link.a.node, link.b.node) if kinds[0] == "controller" else (link.b.node, link.a.node)
        right = "delete the link; controllers are for OpenFlow switches only"
        if "switch" in kinds:
            right = f"delete the link, and select {controller} in the controllers of {other}"
        yield error("controller-link", link.id, "", f"ends at the controller {controller}", right)


def unconnected(facts: Facts) -> Iterator[Problem]:
    """Nodes without any link."""
    for node in facts.nodes.values():
        if not isinstance(node, Controller) and node.name not in facts.ends:
            yield note("unconnected", node.name, "", "has no link")


def switching_loops(facts: Facts) -> Iterator[Problem]:
    """Switches without STP form no ring, in which a broadcast would circulate forever."""
    plain = {name for name, node in facts.nodes.items() if node.kind in SWITCHING and not _speaks_stp(node)}
    group = {name: name for name in plain}

    def top(name: str) -> str:
        while group[name] != name:
            group[name] = name = group[group[name]]
        return name

    for link in facts.drawn.links:
        if not link.up or link.a.node not in plain or link.b.node not in plain or link.a.node == link.b.node:
            continue
        one, other = top(link.a.node), top(link.b.node)
        if one == other:
            message = f"closes a ring of switches between {link.a.node} and {link.b.node}: broadcasts circulate forever"
            right = "enable STP at a bridge of the ring, or use a controller that handles loops"
            yield warning("switching-loop", link.id, "", message, right)
        group[one] = other


def _speaks_stp(node: Node) -> bool:
    return node.kind == "bridge" and node.stp


RULES: tuple[Rule, ...] = (
    duplicate_names,
    duplicate_flows,
    illegal_names,
    interface_names,
    loose_links,
    impossible_links,
    unconnected,
    switching_loops,
)
