"""Where a way that was followed hop by hop runs on the canvas."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from frrlib.model.links import Link
from frrlib.model.nodes import SWITCHING
from frrlib.model.topology import Topology
from miniedit_frr.canvas.scene import Key
from miniedit_frr.session_questions import Hop


def keys_of(topology: Topology, source: str, way: Sequence[Hop]) -> set[Key]:
    """The nodes and links of a way, with the switches that it passes unseen.

    Args:
        topology: with all addresses, so that of parallel links the right one is found.
        source: where the way begins.
        way: its hops; one that did not answer leaves a gap.
    """
    found, here = {Key("node", source)}, source
    for hop in way:
        if not hop.node:
            here = ""
            continue
        found.add(Key("node", hop.node))
        if here:
            found |= _between(topology, here, hop.node, hop.address)
        here = hop.node
    return found


def _between(topology: Topology, here: str, there: str, address: str) -> set[Key]:
    """The shortest chain of links with only switches in between; one that ends at `address` if there is one."""
    chains = [_chain(topology, link, here, there) for link in _last_links(topology, there, address)]
    whole = [chain for chain in chains if chain is not None]
    return min(whole, key=len) if whole else set()


def _last_links(topology: Topology, node: str, address: str) -> list[Link]:
    at_node = list(topology.ends_at(node))
    exact = [link for link, end in at_node if address in {str(each.ip) for each in end.addresses}]
    return exact or [link for link, _ in at_node]


def _chain(topology: Topology, last: Link, here: str, there: str) -> set[Key] | None:
    """The way back from `there` over the link `last` to `here`; None where switches alone do not lead there."""
    other = last.b.node if last.a.node == there else last.a.node
    waiting = deque([(other, {Key("link", last.id)})])
    seen = {there, other}
    while waiting:
        name, chain = waiting.popleft()
        if name == here:
            return chain
        node = topology.node(name)
        if node is None or node.kind not in SWITCHING:
            continue
        for link, _ in topology.ends_at(name):
            beyond = link.b.node if link.a.node == name else link.a.node
            if beyond not in seen:
                seen.add(beyond)
                waiting.append((beyond, chain | {Key("link", link.id), Key("node", name)}))
    return None
