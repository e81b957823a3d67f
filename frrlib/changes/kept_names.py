"""Names of interfaces that a running lab has given, kept in a changed topology."""

from __future__ import annotations

from frrlib.model.links import End
from frrlib.model.topology import Topology


def with_kept_names(running: Topology, wanted: Topology) -> Topology:
    """The wanted topology, in which interfaces without a name have the name that they have in the running lab.

    Otherwise a removed link would rename the interfaces of all later links of its nodes.

    Args:
        running: with all names.
    """
    present = {(link.id, end.node): end.interface for link in running.links for end in link.ends}
    taken = {(end.node, end.interface) for link in wanted.links for end in link.ends if end.interface}

    def kept(link_id: str, end: End, far: End) -> End:
        name = present.get((link_id, end.node), "")
        if end.interface or not name or end.node == far.node or (end.node, name) in taken:
            return end
        taken.add((end.node, name))
        return end.model_copy(update={"interface": name})

    links = tuple(
        link.model_copy(update={"a": kept(link.id, link.a, link.b), "b": kept(link.id, link.b, link.a)})
        for link in wanted.links
    )
    return wanted.model_copy(update={"links": links})
