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
from miniedit_frr.dialogs.fields.lists import Rows, Table
from miniedit_frr.dialogs.fields.quantities import COUNT
from miniedit_frr.dialogs.parts import Part
from miniedit_frr.dialogs.sheets import Sheet, Surroundings

#: A setting of an interface that can also follow the router's.
AS_ROUTER = kinds.mapped({None: "as the router", True: "yes", False: "no"})


# --- names that a router knows ------------------------------------------------------------------------------------


def router_of(whole: Any) -> Router | None:
    """The router that a form, or the form of a row in it, is about."""
    node = whole.node if isinstance(whole, Sheet) else None
    return node if isinstance(node, Router) else None


def named(lists: str) -> Callable[[Surroundings, Any], list[str]]:
    """The function that offers the names in one of a router's lists: "route_maps"."""

    def offers(around: Surroundings, whole: Any) -> list[str]:
        router = router_of(whole)
        return [each.name for each in getattr(router, lists)] if router is not None else []

    return offers


ROUTE_MAPS, PREFIX_LISTS = named("route_maps"), named("prefix_lists")
COMMUNITY_LISTS, AS_PATH_LISTS = named("community_lists"), named("as_path_lists")


def interface_names(around: Surroundings, whole: Any) -> list[str]:
    """Names of a router's interfaces on links."""
    return [row.called for row in whole.interfaces if row.link] if isinstance(whole, Sheet) else []


#: The interface that a row is about, where rows are added.
INTERFACE = Field(
    "interface", "Interface", kinds.suggestion((), spelling.needed_interface_fault), offers=interface_names
)


def policy(path: str, label: str, offers: Callable[[Surroundings, Any], list[str]], help: str = "") -> Field:
    """The name of a policy, or none."""
    return Field(path, label, kinds.OPTIONAL_WORD, help, hint="none", offers=offers)


def begins(protocol: str, usual: Callable[..., Any], knowing: bool = False) -> Callable[[Surroundings], kinds.Kind]:
    """The switch of a protocol; switching it on makes settings that work beside the routers that run it.

    Args:
        protocol: name of its field of a router.
        usual: makes the default settings.
        knowing: whether that needs to know the drawing.
    """

    def kind(around: Surroundings) -> kinds.Kind:
        def begin() -> Any:
            settings = usual(around) if knowing else usual()
            return initial_settings(around.topology, protocol, settings, around.lab_timers)

        return kinds.part(begin)

    return kind


# --- rows of interfaces -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """A protocol's settings for an interface, as a row of a form.

    Attributes:
        called: the interface's name.
        far: what is at its other end; empty for the loopback.
        link, side: its link's end; an empty id for the loopback.
        end: what the link says of it.
        settings: what the protocol says of it; a value that says nothing where it is not listed.
    """

    called: str
    far: str
    link: str
    side: int
    end: End
    settings: Any


@dataclass(frozen=True)
class _AtInterfaces:
    """Reads and writes a protocol's settings for all interfaces.

    Attributes:
        protocol: name of the protocol's field of a router.
        of: class of its rows.
        loopback: whether the loopback has a row.
    """

    protocol: str
    of: type[Value]
    loopback: bool

    def get(self, sheet: Sheet) -> tuple[Told, ...]:
        """A row for each interface in the default table."""
        router = router_of(sheet)
        settings = getattr(router, self.protocol, None)
        said = {each.interface: each for each in settings.interfaces} if settings is not None else {}
        elsewhere = {name for vrf in router.vrfs for name in vrf.interfaces} if router is not None else set()
        return tuple(
            Told(row.called, row.far, row.link, row.side, row.end,
                 said.get(row.called) or self.of(interface=row.called))  # type: ignore[call-arg]
            for row in sheet.interfaces
            if (row.link or self.loopback) and row.called not in elsewhere
        )  # fmt: skip

    def put(self, sheet: Sheet, rows: Sequence[Told]) -> Sheet:
        """The sheet with the rows' settings. Listed names that are no interface, or have no settings, stay where they
        are.
        """
        ends = {(row.link, row.side): row.end for row in rows if row.link}
        interfaces = tuple(
            row.model_copy(update={"end": ends.get((row.link, row.side), row.end)}) for row in sheet.interfaces
        )
        settings = getattr(sheet.node, self.protocol, None)
        if settings is None:
            return sheet
        said = {row.called: row.settings for row in rows}
        listed = [said.pop(each.interface, each) for each in settings.interfaces]
        listed += [each for name, each in said.items() if each != self.of(interface=name)]  # type: ignore[call-arg]
        node = sheet.node.model_copy(
            update={self.protocol: settings.model_copy(update={"interfaces": tuple(listed)})}
        )  # fmt: skip
        return Sheet(node=node, interfaces=interfaces)


CALLED = Field("called", "Interface", kinds.FIXED)
FAR = Field("far", "To", kinds.FIXED)
COST = Field("end.ospf_cost", "Cost", replace(kinds.quantity(COUNT, optional=True), width=7), hint="by rate")


def at_interfaces(
    protocol: str,
    of: type[Value],
    columns: tuple[Field, ...],
    more: tuple[Part, ...],
    help: str,
    loopback: bool = False,
    weights: tuple[int, ...] = (),
) -> Field:
    """The rows of all interfaces of a router: a protocol's settings for each.

    Args:
        protocol: name of the protocol's field of a router.
        of: class of its rows.
        columns: fields of a row in the table; paths begin at the row ("settings.area").
        more: the other fields.
        help: what is said above.
        loopback: whether the loopback has a row.
        weights: how all columns share the room.
    """  # fmt: skip
    rows = _AtInterfaces(protocol, of, loopback)
    lens = Lens(rows.get, rows.put, ("interfaces", f"node.{protocol}.interfaces"))
    table = Rows(
        (CALLED, FAR, *columns), more, what="interface", called=lambda row: str(row.called), weights=weights,
        empty="This node has no links yet.", closed=lambda row, path: path == COST.path and not row.link,
    )  # fmt: skip
    return Field(f"{protocol}_interfaces", "Interfaces", table, help, single=True, lens=lens)


def list_of_interfaces(path: str, of: type[Value], fields: tuple[Field, ...], more: tuple[Part, ...]) -> Field:
    """The same for a protocol in a VRF: rows are added for the interfaces that differ."""

    def new(around: Surroundings, whole: Any, rows: tuple[Any, ...]) -> dict[str, kinds.Content]:
        return {"interface": ""}

    table = Rows(
        (INTERFACE, *fields), more, of(interface="?"), new, "interface", lambda row: str(row.interface),  # type: ignore[call-arg]
        "All interfaces use the settings above.",
    )  # fmt: skip
    return Field(path, "Interfaces", table, "Interfaces of the VRF whose settings differ from those above.")


# --- routes of other sources --------------------------------------------------------------------------------------

_SOURCES = {
    "connected": "connected networks", "static": "static routes", "kernel": "the kernel's routes", "ospf": "OSPF",
    "ospf6": "OSPFv3", "isis": "IS-IS", "rip": "RIP", "ripng": "RIPng", "bgp": "BGP",
}  # fmt: skip


def redistribution(path: str, protocol: str) -> Field:
    """The routes of other sources that a protocol announces.

    Args:
        path: of the list.
        protocol: its own name, which is no source.
    """
    sources = {value: called for value, called in _SOURCES.items() if value != protocol}

    def new(around: Surroundings, value: Any, rows: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
        used = {row[0] for row in rows}
        return (next((called for called in sources.values() if called not in used), "static routes"), "", "")

    columns = (
        Field("source", "Routes from", kinds.choice(sources)),
        Field("metric", "Metric", replace(kinds.quantity(COUNT, optional=True), width=10), hint="default"),
        policy("route_map", "Route map", ROUTE_MAPS),
    )
    table = Table(columns, Redistribution, new, "source", empty="No routes are redistributed.",
                  weights=(3, 2, 4))  # fmt: skip
    return Field(
        path,
        "Redistribution",
        table,
        "Routes from other sources that this protocol announces. A route map can filter and change them.",
    )
