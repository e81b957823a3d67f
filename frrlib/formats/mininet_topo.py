"""Converts Mininet's topologies in Python, for users who have one as a class and run it in their own Python:

    from frrlib.formats import mininet_topo, mn
    mn.save(mininet_topo.topology_of(MyTopo()), "my.mn")

The object's methods describe it; Mininet is not imported here, and no class of the topology's nodes is executed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from frrlib.edits.spring_layout import auto_layout
from frrlib.formats.entry import Notices
from frrlib.formats.mininet_links import MininetLink, Side, link_of, read_link
from frrlib.formats.mininet_nodes import MininetNode, openflow_versions, read_node
from frrlib.formats.mn import LoadedFile
from frrlib.model.nodes import Host, Node
from frrlib.model.topology import Preferences, Topology


class Topo(Protocol):
    """The required methods of an object of Mininet's class `Topo`."""

    def nodes(self, sort: bool = True) -> list[str]: ...
    def isSwitch(self, n: str) -> bool: ...  # noqa: N802
    def nodeInfo(self, name: str) -> Mapping[str, Any]: ...  # noqa: N802
    def links(self, sort: bool = False, withKeys: bool = False, withInfo: bool = False) -> Any: ...  # noqa: N803


class MininetRemark(UserWarning):
    """An option of a Mininet topology has no equivalent here, or another effect."""


def topology_of(topo: Topo) -> Topology:
    """Convert a Mininet topology with its names, addresses, ports and options, and lay it out.

    Python prints a `MininetRemark` for each option that is not kept; `read` returns them instead.

    Raises:
        TopologyError: an option has an invalid value; the error has the node or the link.
    """
    loaded = read(topo)
    for problem in loaded.warnings:
        warnings.warn(str(problem), MininetRemark, stacklevel=2)
    return loaded.topology


def read(topo: Topo) -> LoadedFile:
    """Convert a Mininet topology as `topology_of` does; its warnings are the remarks on options that are not kept.

    A file of the topology keeps the remarks, so that `check` and the window show them, too.

    Raises:
        TopologyError: an option has an invalid value; the error has the node or the link.
    """
    notices = Notices()
    nodes = {
        name: read_node(name, topo.nodeInfo(name), topo.isSwitch(name), notices) for name in topo.nodes(sort=False)
    }
    mininet_links = [
        link_of(f"l{number}", (a, b), info, notices)
        for number, (a, b, info) in enumerate(topo.links(sort=False, withInfo=True), start=1)
    ]
    first = _first_ends(mininet_links)
    links = tuple(read_link(link, nodes, first) for link in mininet_links)
    preferences = Preferences(openflow=openflow_versions(nodes.values()))
    finished = tuple(_finished(node, node.node.name in first) for node in nodes.values())
    topology = auto_layout(Topology(nodes=finished, links=links, preferences=preferences))
    return LoadedFile(topology, notices.all())


def _first_ends(links: Iterable[MininetLink]) -> dict[str, Side]:
    """The end of each node at its lowest port, which has the node's own addresses, as in Mininet."""
    first: dict[str, Side] = {}
    for link in links:
        for side in link.sides:
            known = first.setdefault(side.node, side)
            if known.port is not None and side.port is not None and side.port < known.port:
                first[side.node] = side
    return first


def _finished(node: MininetNode, is_linked: bool) -> Node:
    """A node with its remarks. An address without an interface waits for a link, as in files of MiniEdit."""
    waiting: dict[str, Any] = {}
    if not is_linked and node.mac:
        node.remarks.add("mac", f"is {node.mac}; the node has no link, so no interface has it")
    if not is_linked and node.address is not None:
        if isinstance(node.node, Host):
            node.remarks.warn_unconnected(node.address)
            waiting = {"opts": {"ip": str(node.address)}}
        else:
            node.remarks.add("ip", f"is {node.address}; the node has no link, so no interface has it")
    return node.node.model_copy(update={"foreign": node.remarks.foreign(**waiting)})
