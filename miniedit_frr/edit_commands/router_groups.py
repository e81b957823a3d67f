"""Groups as ASes: asks which routers form an autonomous system, and how routing works inside and between them."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from frrlib.edits.router_groups import by_areas, by_colors, by_selection, by_shapes
from frrlib.edits.routing_presets import groups_as_systems
from frrlib.errors import TopologyError
from frrlib.model.topology import Topology
from miniedit_frr.dialogs.dialog import FormDialog
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.lists import TableKind
from miniedit_frr.dialogs.parts import Tab
from miniedit_frr.document.document import Document

_HOW = {
    "shapes": "rectangles and ellipses on the drawing", "colours": "colors of the routers",
    "selection": "the selection, and the rest", "areas": "OSPF areas", "typed": "as listed below",
}  # fmt: skip
_IGPS = {"ospf": "OSPF", "isis": "IS-IS"}
_INSIDE = {"mesh": "full mesh of sessions", "reflector": "through a route reflector",
           "reflectors": "through two route reflectors"}  # fmt: skip
_REFLECTORS = {"mesh": 0, "reflector": 1, "reflectors": 2}


@dataclass(frozen=True)
class RouterGroup:
    """The routers of an AS. `asn` is only shown."""

    names: tuple[str, ...]
    asn: str = ""


@dataclass(frozen=True)
class GroupSettings:
    """The answers.

    Attributes:
        how: what makes the groups: a key of the table of ways.
        first_asn: number of the first AS; the others count on.
        igp: what runs within them.
        inside: how routes of BGP go about within them.
        aggregates: whether they announce one prefix for all of theirs where that can be.
        groups: the routers of each AS.
    """

    how: str = "shapes"
    first_asn: int = 65_001
    igp: Literal["ospf", "isis"] = "ospf"
    inside: str = "mesh"
    aggregates: bool = False
    groups: tuple[RouterGroup, ...] = ()


def with_groups(topology: Topology, asked: GroupSettings) -> Topology:
    """The drawing with the answers applied.

    Raises:
        TopologyError: it cannot be done; see `groups_as_systems`.
    """
    return groups_as_systems(
        topology, [group.names for group in asked.groups], first_asn=asked.first_asn, igp=asked.igp,
        reflectors=_REFLECTORS[asked.inside], aggregates=asked.aggregates,
    )  # fmt: skip


def _tabs() -> tuple[Tab, ...]:
    names = kinds.TextKind(lambda text: tuple(text.replace(",", " ").split()), lambda value: " ".join(value))
    table = TableKind(
        (Field("asn", "AS", kinds.FIXED), Field("names", "Routers", names)), RouterGroup,
        lambda around, value, rows: ("", ""), "group",
        empty="No groups. Draw rectangles around routers, or choose another way to form groups.", weights=(1, 6),
    )  # fmt: skip
    return (
        Tab("Groups as ASes", (
            Field("how", "Groups by", kinds.choice(_HOW), "How routers are grouped. The groups can be changed below."),
            Field("groups", "Groups", table, "Routers outside all groups keep their settings."),
            Field("first_asn", "First AS number", kinds.ASN,
                  "Number of the first group; the others count up. 64512 to 65534 are private."),
            Field("igp", "Within an AS", kinds.choice(_IGPS),
                  "The IGP that computes the paths between routers of an AS."),
            Field("inside", "iBGP sessions", kinds.choice(_INSIDE),
                  "Internal BGP sessions between loopbacks, which carry the BGP routes."),
            Field("aggregates", "Announce one prefix", kinds.flag(),
                  "One prefix in place of all longer ones of the AS, if no other AS uses any of it."),
        ), about="Each group of routers becomes an AS: with an IGP and iBGP inside, and eBGP on each link between two "
                 "groups."),
    )  # fmt: skip


def ask_groups(
    parent: tk.Misc, document: Document, selected: set[str], ui: float, timed: Callable[[Topology, Topology], Topology]
) -> FormDialog:
    """Open the dialog.

    Args:
        parent: the window that it belongs to.
        document: the drawing.
        selected: names of the selected nodes.
        ui: scaling of the screen.
        timed: gives what is new in a drawing its timers.
    """

    def found(how: str) -> list[list[str]]:
        topology = document.topology
        ways = {"shapes": by_shapes, "colours": by_colors, "areas": by_areas}
        return by_selection(topology, selected) if how == "selection" else ways[how](topology) if how in ways else []

    how = next((each for each in ("shapes", "selection", "colours", "areas") if len(found(each)) > 1), "shapes")
    groups = tuple(RouterGroup(tuple(names)) for names in found(how))
    start = _numbered(GroupSettings(how=how, groups=groups))

    def refuse(values: tuple[GroupSettings, ...]) -> tuple[str, str] | None:
        if not values[0].groups:
            return "groups", "There are no groups. Draw rectangles around routers first."
        try:
            with_groups(document.topology, values[0])
        except TopologyError as error:
            return "groups", str(error)
        return None

    def apply(values: tuple[GroupSettings, ...]) -> str:
        try:
            after = timed(document.topology, with_groups(document.topology, values[0]))
        except TopologyError as error:
            return str(error)
        refused = document.refusal(after)
        if not refused:
            document.apply(f"{len(values[0].groups)} groups as ASes", after)
        return refused

    # The proposal is already an answer, so OK takes it as it is.
    dialog = FormDialog(parent, "Groups as ASes", _tabs(), (replace(start, groups=()),), ui, apply, refuse=refuse)
    _follow(dialog, start, found)
    return dialog


def _numbered(asked: GroupSettings) -> GroupSettings:
    groups = tuple(replace(group, asn=str(asked.first_asn + n)) for n, group in enumerate(asked.groups))
    return replace(asked, groups=groups)


def _follow(dialog: FormDialog, start: GroupSettings, found: Callable[[str], list[list[str]]]) -> None:
    """Fill in the groups of the chosen way, and number them."""
    draft, now = dialog.draft, [start.how]
    rows = tuple((group.asn, " ".join(group.names)) for group in start.groups)

    def changed() -> None:
        how = draft.values[0].how
        if how != now[0]:
            now[0] = how
            if how != "typed":
                draft.set("groups", tuple(("", " ".join(names)) for names in found(how)))
        content = draft.content("groups")
        first = draft.values[0].first_asn
        numbered = tuple((str(first + n), row[1]) for n, row in enumerate(content or ()))
        if numbered != content:
            draft.set("groups", numbered)

    draft.listeners.append(changed)
    draft.set("groups", rows)
