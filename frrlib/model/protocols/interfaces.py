"""Interface names in routing settings: they are listed, and renamed or removed with their interface."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from frrlib.model.base import Value
from frrlib.model.protocols.own_lines import interfaces_in, with_interfaces_renamed

#: Fields of settings that name interfaces: True for rows with an `interface`, False for plain names.
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
#: Rows of BGP whose update source may be an interface. They keep the name of a removed interface.
_SESSIONS = ("neighbors", "unnumbered", "peer_groups")
S = TypeVar("S", bound=Value)


def interface_names(router: Value) -> Iterator[str]:
    """Every interface name in the settings of a router or a VRF and in its custom lines; some occur more than once.

    Words of custom lines at positions of interface names are included, even if they are something else.
    """
    for protocol, fields in _ROWS.items():
        settings = getattr(router, protocol, None)
        for field, rows in fields.items() if settings is not None else ():
            for row in getattr(settings, field):
                name = row.interface if rows else row
                if name:
                    yield name
    yield from _sources(router)
    yield from interfaces_in(getattr(router, "frr_conf", ""))
    for route_map in getattr(router, "route_maps", ()):
        yield from (entry.match_interface for entry in route_map.entries if entry.match_interface)
    for vrf in getattr(router, "vrfs", ()):
        yield from vrf.interfaces
        yield from interface_names(vrf)


def _sources(router: Value) -> Iterator[str]:
    """Interfaces that are update sources of sessions; addresses differ by their dots and colons."""
    bgp = getattr(router, "bgp", None)
    for field in _SESSIONS if bgp is not None else ():
        for row in getattr(bgp, field):
            if row.update_source and not set(".:") & set(row.update_source):
                yield row.update_source


def rename_interfaces(router: S, names: Mapping[str, str]) -> S:
    """A router or a VRF with renamed interfaces in its settings and custom lines.

    Args:
        router: the router or VRF.
        names: new interface names by old ones; empty for a removed interface, whose settings are removed, too.
    """
    if not any(names.get(name, name) != name for name in interface_names(router)):
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
            route_map.model_copy(update={"entries": _with(route_map.entries, "match_interface", names)})
            for route_map in router.route_maps
        )
    if getattr(router, "frr_conf", ""):
        changes["frr_conf"] = with_interfaces_renamed(router.frr_conf, names)  # type: ignore[attr-defined]
    if hasattr(router, "vrfs"):
        changes["vrfs"] = tuple(
            rename_interfaces(vrf, names).model_copy(update={"interfaces": _renamed(vrf.interfaces, False, names)})
            for vrf in router.vrfs
        )
    return router.model_copy(update=changes)


def _with(rows: tuple[Any, ...], field: str, names: Mapping[str, str]) -> tuple[Any, ...]:
    """Rows with renamed interfaces in a field; rows of removed interfaces stay."""
    return tuple(
        row.model_copy(update={field: names[name]}) if (name := getattr(row, field)) in names else row for row in rows
    )


def _renamed(entries: tuple[Any, ...], rows: bool, names: Mapping[str, str]) -> tuple[Any, ...]:
    if not rows:
        return tuple(new for name in entries if (new := names.get(name, name)))
    remaining = []
    for row in entries:
        new = names.get(row.interface, row.interface) if row.interface else ""
        if new or not row.interface:
            remaining.append(row if new == row.interface else row.model_copy(update={"interface": new}))
    return tuple(remaining)
