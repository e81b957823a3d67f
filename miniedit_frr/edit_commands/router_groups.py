"""Groups as ASes: asks which routers form an autonomous system, and for the routing inside and between them."""

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

_CRITERIA = {
    "shapes": "rectangles and ellipses on the drawing", "colors": "colors of the routers",
    "selection": "the selection, and the rest", "areas": "OSPF areas", "typed": "as listed below",
}  # fmt: skip
_IGPS = {"ospf": "OSPF", "isis": "IS-IS"}
_IBGP_SESSIONS = {"mesh": "full mesh of sessions", "reflector": "through a route reflector",
           "reflectors": "through two route reflectors"}  # fmt: skip
_REFLECTORS = {"mesh": 0, "reflector": 1, "reflectors": 2}


@dataclass(frozen=True)
class RouterGroup:
    """The routers of an AS. `asn` is only shown."""

    names: tuple[str, ...]
    asn: str = ""


@dataclass(frozen=True)
class GroupSettings:
    """The settings of the dialog.

    Attributes:
        criterion: the criterion for groups: a key of `_CRITERIA`.
        first_asn: number of the first AS; the others count up.
        igp: the IGP inside each AS.
        ibgp: the sessions of iBGP: a key of `_IBGP_SESSIONS`.
        aggregates: whether each AS announces one prefix for all of its own, if possible.
        groups: the routers of each AS.
    """

    criterion: str = "shapes"
    first_asn: int = 65_001
    igp: Literal["ospf", "isis"] = "ospf"
    ibgp: str = "mesh"
    aggregates: bool = False
    groups: tuple[RouterGroup, ...] = ()


def with_groups(topology: Topology, settings: GroupSettings) -> Topology:
    """The topology with the settings applied.

    Raises:
        TopologyError: see `groups_as_systems`.
    """
    return groups_as_systems(
        topology, [group.names for group in settings.groups], first_asn=settings.first_asn, igp=settings.igp,
        reflectors=_REFLECTORS[settings.ibgp], aggregates=settings.aggregates,
    )  # fmt: skip


def _tabs() -> tuple[Tab, ...]:
    names = kinds.TextKind(lambda text: tuple(text.replace(",", " ").split()), lambda value: " ".join(value))
    table = TableKind(
        (Field("asn", "AS", kinds.FIXED), Field("names", "Routers", names)), RouterGroup,
        lambda context, value, rows: ("", ""), "group",
        empty="No groups. Draw rectangles around routers, or choose another way to form groups.", weights=(1, 6),
    )  # fmt: skip
    return (
        Tab("Groups as ASes", (
            Field("criterion", "Groups by", kinds.choice(_CRITERIA),
                  "How routers are grouped. The groups can be changed below."),
            Field("groups", "Groups", table, "Routers outside all groups keep their settings."),
            Field("first_asn", "First AS number", kinds.ASN,
                  "Number of the first group; the others count up. 64512 to 65534 are private."),
            Field("igp", "Within an AS", kinds.choice(_IGPS),
                  "The IGP that computes the paths between routers of an AS."),
            Field("ibgp", "iBGP sessions", kinds.choice(_IBGP_SESSIONS),
                  "Internal BGP sessions between loopbacks, which carry the BGP routes."),
            Field("aggregates", "Announce one prefix", kinds.flag(),
                  "One prefix in place of all longer ones of the AS, if no other AS uses any of it."),
        ), about="Each group of routers becomes an AS: with an IGP and iBGP inside, and eBGP on each link between two "
                 "groups."),
    )  # fmt: skip


def ask_groups(
    parent: tk.Misc,
    document: Document,
    selected: set[str],
    ui: float,
    with_timers: Callable[[Topology, Topology], Topology],
) -> FormDialog:
    """Open the dialog.

    Args:
        parent: the window over which it opens.
        document: the document that gets the edit.
        selected: the names of the selected nodes.
        ui: scaling of the screen.
        with_timers: sets the timers of new routing, given the topologies before and after the edit.
    """

    def find_groups(criterion: str) -> list[list[str]]:
        topology = document.topology
        finders = {"shapes": by_shapes, "colors": by_colors, "areas": by_areas}
        return (
            by_selection(topology, selected)
            if criterion == "selection"
            else finders[criterion](topology)
            if criterion in finders
            else []
        )

    criterion = next(
        (criterion for criterion in ("shapes", "selection", "colors", "areas") if len(find_groups(criterion)) > 1),
        "shapes",
    )
    groups = tuple(RouterGroup(tuple(names)) for names in find_groups(criterion))
    start = _numbered(GroupSettings(criterion=criterion, groups=groups))

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
            changed = with_timers(document.topology, with_groups(document.topology, values[0]))
        except TopologyError as error:
            return str(error)
        refusal = document.refusal(changed)
        if not refusal:
            document.apply(f"{len(values[0].groups)} groups as ASes", changed)
        return refusal

    # The initial settings are valid, so OK accepts them unchanged.
    dialog = FormDialog(parent, "Groups as ASes", _tabs(), (replace(start, groups=()),), ui, apply, refuse=refuse)
    _fill_groups(dialog, start, find_groups)
    return dialog


def _numbered(settings: GroupSettings) -> GroupSettings:
    groups = tuple(replace(group, asn=str(settings.first_asn + n)) for n, group in enumerate(settings.groups))
    return replace(settings, groups=groups)


def _fill_groups(dialog: FormDialog, start: GroupSettings, find_groups: Callable[[str], list[list[str]]]) -> None:
    """Fill in the groups by the selected criterion, and number them."""
    draft, current = dialog.draft, [start.criterion]
    rows = tuple((group.asn, " ".join(group.names)) for group in start.groups)

    def update() -> None:
        criterion = draft.values[0].criterion
        if criterion != current[0]:
            current[0] = criterion
            if criterion != "typed":
                draft.set("groups", tuple(("", " ".join(names)) for names in find_groups(criterion)))
        content = draft.content("groups")
        first_asn = draft.values[0].first_asn
        numbered = tuple((str(first_asn + n), row[1]) for n, row in enumerate(content or ()))
        if numbered != content:
            draft.set("groups", numbered)

    draft.listeners.append(update)
    draft.set("groups", rows)
