"""The change of a running lab, written out for the agent."""

from __future__ import annotations

import msgspec

from frrlib.wire.plan import LinkPlan, Plan, WireStruct


class RouterLines(WireStruct, frozen=True):
    """Lines of configuration for a router whose daemons keep running.

    Attributes:
        lines: lines that make the change, in the order in which vtysh gets them. Each has one form or several, of which
            FRR accepts at least one: it refuses some removals with the value ("no maximum-paths 4"), and some without.
        undo: lines that take it back.
        commands: commands after either, by which lines take effect.
    """

    lines: tuple[tuple[str, ...], ...] = ()
    undo: tuple[tuple[str, ...], ...] = ()
    commands: tuple[str, ...] = ()


class LabChange(WireStruct, frozen=True):
    """A change of a running lab.

    A node or link that is both removed and added is made anew. All other nodes and links keep running.

    Attributes:
        plan: the plan of the lab after the change.
        removed_nodes, added_nodes, changed_nodes: names of nodes. Changed ones keep their processes.
        removed_links, added_links, changed_links: ids of links. Changed ones keep their interfaces.
        links_before: the present plans of the removed and changed links, with the values that were set meanwhile.
        routers: lines for changed routers, by name.
        revision: number of changes that the lab has had before, as far as the program knows.
    """

    plan: Plan
    removed_nodes: tuple[str, ...] = ()
    added_nodes: tuple[str, ...] = ()
    changed_nodes: tuple[str, ...] = ()
    removed_links: tuple[str, ...] = ()
    added_links: tuple[str, ...] = ()
    changed_links: tuple[str, ...] = ()
    links_before: dict[str, LinkPlan] = msgspec.field(default_factory=dict)
    routers: dict[str, RouterLines] = msgspec.field(default_factory=dict)
    revision: int = 0
