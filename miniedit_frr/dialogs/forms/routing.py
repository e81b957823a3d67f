"""Shared parts of the forms of routing protocols: rows of interfaces, names of policies, redistribution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from frrlib.edits.protocol_defaults import initial_settings
from frrlib.model.base import Value
from frrlib.model.links import End
from frrlib.model.nodes import Router
from frrlib.model.routing import Redistribution
from miniedit_frr.dialogs.fields import kinds, spelling
from miniedit_frr.dialogs.fields.fields import Field, Lens
from miniedit_frr.dialogs.fields.lists import RowsKind, TableKind
from miniedit_frr.dialogs.fields.quantities import COUNT
from miniedit_frr.dialogs.forms.shared import FAR_END
from miniedit_frr.dialogs.parts import Part
from miniedit_frr.dialogs.sheets import FormContext, NodeSheet

#: A setting of an interface that may follow that of the router.
AS_ROUTER = kinds.mapped({None: "as the router", True: "yes", False: "no"})


# --- names defined in a router ------------------------------------------------------------------------------------


def router_of(root: Any) -> Router | None:
    """The router of a form's root value; None for another value."""
    node = root.node if isinstance(root, NodeSheet) else None
    return node if isinstance(node, Router) else None


def names_in(lists: str) -> Callable[[FormContext, Any], list[str]]:
    """A function that returns the names in one of a router's lists, such as "route_maps"."""

    def offers(context: FormContext, root: Any) -> list[str]:
        router = router_of(root)
        return [policy_list.name for policy_list in getattr(router, lists)] if router is not None else []

    return offers


ROUTE_MAPS, PREFIX_LISTS = names_in("route_maps"), names_in("prefix_lists")
COMMUNITY_LISTS, AS_PATH_LISTS = names_in("community_lists"), names_in("as_path_lists")


def interface_names(context: FormContext, root: Any) -> list[str]:
    """Names of a router's interfaces on links."""
    return [row.called for row in root.interfaces if row.link] if isinstance(root, NodeSheet) else []


#: The field for the interface of an added row.
INTERFACE = Field(
    "interface", "Interface", kinds.suggestion((), spelling.needed_interface_fault), offers=interface_names
)


def policy_field(path: str, label: str, offers: Callable[[FormContext, Any], list[str]], help: str = "") -> Field:
    """A field for the name of a policy, or none."""
    return Field(path, label, kinds.OPTIONAL_WORD, help, hint="none", offers=offers)


def protocol_switch(
    protocol: str, usual: Callable[..., Any], knowing: bool = False
) -> Callable[[FormContext], kinds.TextKind]:
    """The kind of the switch of a protocol. Its initial settings match those of other routers with the protocol.

    Args:
        protocol: name of the protocol's field of a router.
        usual: makes the default settings.
        knowing: whether `usual` needs the context of the form.
    """

    def kind(context: FormContext) -> kinds.TextKind:
        def begin() -> Any:
            settings = usual(context) if knowing else usual()
            return initial_settings(context.topology, protocol, settings, context.lab_timers)

        return kinds.part(begin)

    return kind


# --- rows of interfaces -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InterfaceSettings:
    """A protocol's settings for an interface, as a row of a form.

    Attributes:
        called: the interface's name.
        far: the other end of its link; empty for the loopback.
        link, side: id of its link, and its side; an empty id for the loopback.
        end: the link's end.
        settings: the protocol's settings; default settings for an unlisted interface.
    """

    called: str
    far: str
    link: str
    side: int
    end: End
    settings: Any


@dataclass(frozen=True)
class _InterfaceRows:
    """Reads and writes a protocol's settings for all interfaces.

    Attributes:
        protocol: name of the protocol's field of a router.
        of: class of the settings.
        loopback: whether the loopback has a row.
    """

    protocol: str
    of: type[Value]
    loopback: bool

    def get(self, sheet: NodeSheet) -> tuple[InterfaceSettings, ...]:
        """A row for each interface in the default routing table."""
        router = router_of(sheet)
        settings = getattr(router, self.protocol, None)
        settings_by_name = (
            {interface.interface: interface for interface in settings.interfaces} if settings is not None else {}
        )
        elsewhere = {name for vrf in router.vrfs for name in vrf.interfaces} if router is not None else set()
        return tuple(
            InterfaceSettings(row.called, row.far, row.link, row.side, row.end,
                              settings_by_name.get(row.called) or self.of(interface=row.called))  # type: ignore[call-arg]
            for row in sheet.interfaces
            if (row.link or self.loopback) and row.called not in elsewhere
        )  # fmt: skip

    def put(self, sheet: NodeSheet, rows: Sequence[InterfaceSettings]) -> NodeSheet:
        """The sheet with the settings of the rows.

        Listed names without an interface or without settings stay at their positions.
        """
        ends = {(row.link, row.side): row.end for row in rows if row.link}
        interfaces = tuple(
            row.model_copy(update={"end": ends.get((row.link, row.side), row.end)}) for row in sheet.interfaces
        )
        settings = getattr(sheet.node, self.protocol, None)
        if settings is None:
            return sheet
        settings_by_name = {row.called: row.settings for row in rows}
        listed = [settings_by_name.pop(interface.interface, interface) for interface in settings.interfaces]
        listed += [interface for name, interface in settings_by_name.items() if interface != self.of(interface=name)]  # type: ignore[call-arg]
        node = sheet.node.model_copy(
            update={self.protocol: settings.model_copy(update={"interfaces": tuple(listed)})}
        )  # fmt: skip
        return NodeSheet(node=node, interfaces=interfaces)


_INTERFACE_NAME = Field("called", "Interface", kinds.FIXED)
COST = Field("end.ospf_cost", "Cost", replace(kinds.quantity(COUNT, optional=True), width=7), hint="by rate")


def interface_settings(
    protocol: str,
    of: type[Value],
    columns: tuple[Field, ...],
    details: tuple[Part, ...],
    help: str,
    loopback: bool = False,
    weights: tuple[int, ...] = (),
) -> Field:
    """A field with a row for each interface of a router, with the settings of a protocol.

    Args:
        protocol: name of the protocol's field of a router.
        of: class of the settings.
        columns: fields of a row in the table; paths are relative to the row ("settings.area").
        details: the other fields.
        help: the text above the table.
        loopback: whether the loopback has a row.
        weights: weights of all column widths.
    """  # fmt: skip
    rows = _InterfaceRows(protocol, of, loopback)
    lens = Lens(rows.get, rows.put, ("interfaces", f"node.{protocol}.interfaces"))
    table = RowsKind(
        (_INTERFACE_NAME, FAR_END, *columns), details, row_name="interface", called=lambda row: str(row.called),
        weights=weights, empty="This node has no links yet.",
        has_no_cell=lambda row, path: path == COST.path and not row.link,
    )  # fmt: skip
    return Field(f"{protocol}_interfaces", "Interfaces", table, help, single=True, lens=lens)


def interface_list(path: str, of: type[Value], fields: tuple[Field, ...], details: tuple[Part, ...]) -> Field:
    """The same for a protocol in a VRF. The user adds rows for interfaces with other settings."""

    def new(context: FormContext, root: Any, rows: tuple[Any, ...]) -> dict[str, kinds.Content]:
        return {"interface": ""}

    table = RowsKind(
        (INTERFACE, *fields), details, of(interface="?"), new, "interface", lambda row: str(row.interface),  # type: ignore[call-arg]
        "All interfaces use the settings above.",
    )  # fmt: skip
    return Field(path, "Interfaces", table, "Interfaces of the VRF whose settings differ from those above.")


# --- redistribution -----------------------------------------------------------------------------------------------

_SOURCES = {
    "connected": "connected networks", "static": "static routes", "kernel": "the kernel's routes", "ospf": "OSPF",
    "ospf6": "OSPFv3", "isis": "IS-IS", "rip": "RIP", "ripng": "RIPng", "bgp": "BGP",
}  # fmt: skip


def redistribution(path: str, protocol: str) -> Field:
    """A field for the other sources whose routes a protocol announces.

    Args:
        path: path of the list.
        protocol: the protocol itself, which is not a source.
    """
    sources = {value: label for value, label in _SOURCES.items() if value != protocol}

    def new(context: FormContext, value: Any, rows: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
        used = {row[0] for row in rows}
        return (next((label for label in sources.values() if label not in used), "static routes"), "", "")

    columns = (
        Field("source", "Routes from", kinds.choice(sources)),
        Field("metric", "Metric", replace(kinds.quantity(COUNT, optional=True), width=10), hint="default"),
        policy_field("route_map", "Route map", ROUTE_MAPS),
    )
    table = TableKind(columns, Redistribution, new, "source", empty="No routes are redistributed.",
                      weights=(3, 2, 4))  # fmt: skip
    return Field(
        path,
        "Redistribution",
        table,
        "Routes from other sources that this protocol announces. A route map can filter and change them.",
    )
