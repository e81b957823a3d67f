"""PIM sparse mode with IGMP, and LDP, in `frr.conf`."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.model.routing import Ldp, Pim
from frrlib.render.routing.router_views import RouterPort, RouterView
from frrlib.render.routing.sections import Section, section, top

#: FRR's default timers, which need no lines.
_PIM_HELLO_S, _LDP_HELLO_S, _LDP_HOLD_S = 30, 5, 15


def pim(view: RouterView, settings: Pim) -> Iterator[Section]:
    """The lines of PIM and IGMP for a router."""
    yield top(*(f"ip pim rp {point.address} {point.groups}" for point in settings.rendezvous_points))
    for port in view.ports_in("", 4):
        yield section(f"interface {port.name}", _pim_interface(settings, port))


def _pim_interface(settings: Pim, port: RouterPort) -> Iterator[str]:
    row = settings.at(port.name)
    if row.igmp if row.igmp is not None else port.has_hosts:
        yield " ip igmp"
        yield from (f" ip igmp join {group}" for group in row.joins)
    if row.pim:
        yield " ip pim"
        yield from (f" ip pim hello {settings.hello_s}",) if settings.hello_s != _PIM_HELLO_S else ()
        yield from (f" ip pim drpriority {row.priority}",) if row.priority else ()


def ldp(view: RouterView, settings: Ldp) -> Iterator[Section]:
    """The lines of LDP for a router."""
    identity = view.router_id(settings.router_id)
    lines = [f" router-id {identity}"] if identity else []
    lines += [f" discovery hello holdtime {settings.hold_s}"] if settings.hold_s != _LDP_HOLD_S else []
    lines += [f" discovery hello interval {settings.hello_s}"] if settings.hello_s != _LDP_HELLO_S else []
    lines += [" address-family ipv4"]
    lines += [f"  discovery transport-address {identity}"] if identity else []
    for port in view.ports_in("", 4):
        if port.name in settings.interfaces if settings.interfaces else not port.is_loopback and not port.is_alone:
            lines += [f"  interface {port.name}", "  exit"]
    yield section("mpls ldp", [*lines, " exit-address-family"])
