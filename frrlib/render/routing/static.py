"""Static routes in `frr.conf`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from frrlib.model.nodes import Router
from frrlib.model.routing import StaticRoute
from frrlib.render.routing.sections import Section, section, top


def sections(router: Router) -> Iterator[Section]:
    """The routes of the default table, then those of each VRF."""
    yield top(*_lines(router.static_routes))
    for vrf in router.vrfs:
        if vrf.static_routes:
            yield section(f"vrf {vrf.name}", (f" {line}" for line in _lines(vrf.static_routes)))


def _lines(routes: Iterable[StaticRoute]) -> Iterator[str]:
    for route in routes:
        distance = f" {route.distance}" if route.distance else ""
        yield f"{'ip' if route.prefix.version == 4 else 'ipv6'} route {route.prefix} {route.via}{distance}"
