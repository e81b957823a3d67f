"""Rules on names and on links between nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from frrlib.model.base import INTERFACE_NAME_LENGTH
from frrlib.model.edits.naming import spelt_ids
from frrlib.model.labels import link_title
from frrlib.model.names import interface_name_fault, node_name_fault, sanitised
from frrlib.model.nodes import SWITCHING, Controller, Node
from frrlib.model.problem import Problem, error, note, warning
from frrlib.model.rules.facts import Facts, Rule


def _repeated(values: Iterable[str]) -> list[tuple[str, int]]:
    return [(value, count) for value, count in Counter(values).items() if count > 1]


def duplicate_names(facts: Facts) -> Iterator[Problem]:
    """Nodes, links and flows are known by name: two of one name cannot be told apart."""
    topology = facts.drawn
    for name, count in _repeated(node.name for node in topology.nodes):
        yield error("duplicate-name", name, "name", f"is the name of {count} nodes", "give each a name of its own")
    for name, count in _repeated(link.id for link in topology.links):
        yield error("duplicate-link", name, "id", f"is the ID of {count} links", "give each an ID of its own")


def duplicate_flows(facts: Facts) -> Iterator[Problem]:
    """The names of flows, those of equal ones spelt out."""
    spelt = [name for flow in facts.drawn.flows for name in spelt_ids(flow)]
    for name, count in _repeated(spelt):
        yield error("duplicate-flow", name, "id", f"is the ID of {count} flows", "give each an ID of its own")


def illegal_names(facts: Facts) -> Iterator[Problem]:
    """Names that the kernel or Mininet cannot take."""
    for node in facts.drawn.nodes:
        fault = node_name_fault(node.name)
        if fault:
            right = f"letters, digits, '_' and '-' only, such as {sanitised(node.name)}"
            yield error("illegal-name", node.name, "name", fault, right)
        elif node.kind in SWITCHING and len(node.name) > INTERFACE_NAME_LENGTH:
            why = (
                f"has {len(node.name)} characters, and a switch is a device: its name has up to {INTERFACE_NAME_LENGTH}"
            )
            yield error("illegal-name", node.name, "name", why, "a shorter name; the label may be longer")


def interface_names(facts: Facts) -> Iterator[Problem]:
    """Interface names that the kernel cannot take, or that a node has twice."""
    for name, ends in facts.ends.items():
        for link, end in ends:
            fault = interface_name_fault(end.interface)
            if fault:
                why = f"interface {end.interface!r} of {link_title(facts.drawn, link)} {fault}"
                yield error("illegal-interface", name, "interface", why, "1 to 15 letters, digits, '_', '-' and '.'")
            elif end.interface == name and name in facts.nodes and facts.nodes[name].kind in SWITCHING:
                why = f"interface of {link_title(facts.drawn, link)} has the name of the switch itself"
                yield error("duplicate-interface", name, "interface", why, "another name")
        for interface, count in _repeated(end.interface for _, end in ends):
            why = f"has {count} interfaces called {interface}"
            yield error("duplicate-interface", name, "interface", why, "give each a name of its own")


def loose_links(facts: Facts) -> Iterator[Problem]:
    """Links to nodes that do not exist."""
    for link in facts.drawn.links:
        for side, end in zip("ab", link.ends, strict=True):
            if end.node not in facts.nodes:
                yield error(
                    "loose-link",
                    link.id,
                    f"{side}.node",
                    f"there is no node {end.node}",
                    f"draw {end.node}, or delete the link",
                )


def impossible_links(facts: Facts) -> Iterator[Problem]:
    """Links between what cannot be linked."""
    for link in facts.drawn.links:
        if link.a.node == link.b.node:
            yield error("link-to-itself", link.id, "", f"joins {link.a.node} to itself", "link two nodes")
            continue
        kinds = [facts.nodes[end.node].kind for end in link.ends if end.node in facts.nodes]
        if "controller" not in kinds:
            continue
        controller, other = (link.a.node, link.b.node) if kinds[0] == "controller" else (link.b.node, link.a.node)
        right = "use a controller for OpenFlow switches only"
        if "switch" in kinds:
            right = f"name {controller} among the controllers of {other}; no cable joins them"
        yield error("controller-link", link.id, "", f"is a cable to the controller {controller}", right)


def unconnected(facts: Facts) -> Iterator[Problem]:
    """Nodes without any link."""
    for node in facts.nodes.values():
        if not isinstance(node, Controller) and node.name not in facts.ends:
            yield note("unconnected", node.name, "", "has no link")


def switching_loops(facts: Facts) -> Iterator[Problem]:
    """Rings of switches: a broadcast goes round in them for ever, unless someone blocks a link."""
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
            why = f"closes a ring of switches between {link.a.node} and {link.b.node}: broadcasts circulate for ever"
            right = "switch the spanning tree protocol on at a bridge of the ring, or leave it to a controller that can"
            yield warning("switching-loop", link.id, "", why, right)
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
