"""Where routing settings name interfaces, so that what follows a renamed or lost one is said once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from frrlib.model.base import Value
from frrlib.model.protocols.own_lines import interfaces_in, with_interfaces_renamed

#: Settings that hold rows with an `interface`, or plain names: field of the settings to whether it holds rows.
_ROWS = {
    "ospf": {"interfaces": True},
    "ospf6": {"interfaces": True},
    "isis": {"interfaces": True},
    "rip": {"interfaces": True},
    "ripng": {"interfaces": True},
    "pim": {"interfaces": True},
    "ldp": {"interfaces": False},
    "bgp": {"unnumbered": True},
    "bfd": {"peers": True},
}
#: Rows of BGP that may say which interface a session speaks from; one that is gone leaves that to the way out.
_SESSIONS = ("neighbors", "unnumbered", "peer_groups")
S = TypeVar("S", bound=Value)


def named(router: Value) -> Iterator[str]:
    """Every name of an interface that a router's settings (or a VRF's), or its own lines, say; some more than once.

    What stands in lines of its own where an interface may be named is told too, also where it is something else.
    """
    for protocol, fields in _ROWS.items():
        settings = getattr(router, protocol, None)
        for field, rows in fields.items() if settings is not None else ():
            for each in getattr(settings, field):
                name = each.interface if rows else each
                if name:
                    yield name
    yield from _sources(router)
    yield from interfaces_in(getattr(router, "frr_conf", ""))
    for route_map in getattr(router, "route_maps", ()):
        yield from (entry.match_interface for entry in route_map.entries if entry.match_interface)
    for vrf in getattr(router, "vrfs", ()):
        yield from vrf.interfaces
        yield from named(vrf)


def _sources(router: Value) -> Iterator[str]:
    """Interfaces that sessions speak from; addresses are told apart by their dots and colons."""
    bgp = getattr(router, "bgp", None)
    for field in _SESSIONS if bgp is not None else ():
        for row in getattr(bgp, field):
            if row.update_source and not set(".:") & set(row.update_source):
                yield row.update_source


def renamed(router: S, names: Mapping[str, str]) -> S:
    """A router (or a VRF) whose settings and own lines name interfaces anew.

    Args:
        router: the router.
        names: interfaces, old name to new; an empty new name for one that is gone, whose settings go with it.
    """
    if not any(names.get(name, name) != name for name in named(router)):
        return router
    changes: dict[str, Any] = {}
    for protocol, fields in _ROWS.items():
        settings = getattr(router, protocol, None)
        if settings is not None:
            update = {field: _renamed(getattr(settings, field), rows, names) for field, rows in fields.items()}
            changes[protocol] = settings.model_copy(update=update)
    if changes.get("bgp") is not None:
        changes["bgp"] = changes["bgp"].model_copy(
            update={field: _with(getattr(changes["bgp"], field), "update_source", names) for field in _SESSIONS}
        )
    if hasattr(router, "route_maps"):
        changes["route_maps"] = tuple(
            each.model_copy(update={"entries": _with(each.entries, "match_interface", names)})
            for each in router.route_maps
        )
    if getattr(router, "frr_conf", ""):
        changes["frr_conf"] = with_interfaces_renamed(router.frr_conf, names)  # type: ignore[attr-defined]
    if hasattr(router, "vrfs"):
        changes["vrfs"] = tuple(
            renamed(vrf, names).model_copy(update={"interfaces": _renamed(vrf.interfaces, False, names)})
            for vrf in router.vrfs
        )
    return router.model_copy(update=changes)


def _with(rows: tuple[Any, ...], field: str, names: Mapping[str, str]) -> tuple[Any, ...]:
    """Rows whose field may name an interface; they stay when it goes."""
    return tuple(
        row.model_copy(update={field: names[name]}) if (name := getattr(row, field)) in names else row for row in rows
    )


def _renamed(each: tuple[Any, ...], rows: bool, names: Mapping[str, str]) -> tuple[Any, ...]:
    if not rows:
        return tuple(new for name in each if (new := names.get(name, name)))
    kept = []
    for row in each:
        new = names.get(row.interface, row.interface) if row.interface else ""
        if new or not row.interface:
            kept.append(row if new == row.interface else row.model_copy(update={"interface": new}))
    return tuple(kept)
