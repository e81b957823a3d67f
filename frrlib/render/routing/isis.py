"""IS-IS in `frr.conf`. Metrics are wide (RFC 5305), which is FRR's default and needs no line."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address

from frrlib.model.protocols.at_interface import bfd_at, network_type_at
from frrlib.model.protocols.common import VERSION_OF
from frrlib.model.routing import Isis
from frrlib.render.routing import bfd
from frrlib.render.routing.router_views import RouterPort, RouterView
from frrlib.render.routing.sections import WHY_LAB_TIMERS, Section, redistribution, section

#: Name of the one instance; it is not sent.
TAG = "lab"
_LEVELS = {"1": "level-1", "2": "level-2-only", "1-2": "level-1-2"}
#: FRR's defaults, which need no lines.
_HELLO_S, _HELLO_MULTIPLIER = 3, 10
_TIMERS = (
    f" {WHY_LAB_TIMERS}",
    " lsp-timers gen-interval 1 refresh-interval 900 max-lifetime 1200",
    " spf-delay-ietf init-delay 10 short-delay 50 long-delay 500 holddown 1000 time-to-learn 200",
)


def sections(view: RouterView, isis: Isis) -> Iterator[Section]:
    """The lines of IS-IS for a router: a section for each interface that runs it, then the router's section."""
    for port in view.ports:
        if lines := list(_interface(view, isis, port)):
            yield section(f"interface {port.name}", lines)
    yield section(f"router isis {TAG}", _router(view, isis))


def net(view: RouterView, isis: Isis) -> str:
    """The network entity title: area, system id, and 00 for the router itself."""
    return f"{isis.area}.{isis.system_id or system_id(view.router_id(None))}.00"


def system_id(router_id: IPv4Address | None) -> str:
    """The customary system ID for a router ID: 10.255.0.1 gives 0102.5500.0001."""
    digits = "".join(f"{octet:03d}" for octet in (router_id or IPv4Address(0)).packed)
    return f"{digits[:4]}.{digits[4:8]}.{digits[8:]}"


def levels(level: str) -> tuple[str, ...]:
    """The single levels of a router or an interface, as FRR names them."""
    return tuple(f"level-{number}" for number in level.split("-"))


def _router(view: RouterView, isis: Isis) -> Iterator[str]:
    # The timers come first, since the entity title starts timers with the values set so far.
    yield from _TIMERS if isis.lab_timers else ()
    yield f" net {net(view, isis)}"
    if isis.level != "1-2":
        yield f" is-type {_LEVELS[isis.level]}"
    yield from [f" lsp-mtu {isis.lsp_mtu_bytes}"] if isis.lsp_mtu_bytes else []
    yield " log-adjacency-changes"
    if isis.key:
        yield from (f" area-password md5 {isis.key}",) if "level-1" in levels(isis.level) else ()
        yield from (f" domain-password md5 {isis.key}",) if "level-2" in levels(isis.level) else ()
    if isis.overload:
        yield " set-overload-bit"
    for version, family in _families(isis):
        for level in levels(isis.level):
            for source in isis.redistribute:
                if VERSION_OF.get(source.source, version) == version:
                    yield f" {redistribution(source, f'{family} ', f' {level}')}"
            if isis.default_originate:
                yield f" default-information originate {family} {level} always"


def _families(isis: Isis) -> Iterator[tuple[int, str]]:
    if isis.ipv4:
        yield 4, "ipv4"
    if isis.ipv6:
        yield 6, "ipv6"


def _interface(view: RouterView, isis: Isis, port: RouterPort) -> Iterator[str]:
    spoken = [version for version, _ in _families(isis) if port.has(version)]
    if port.vrf or not spoken:
        return
    settings = isis.at(port.name)
    yield from (f" {'ip' if version == 4 else 'ipv6'} router isis {TAG}" for version in spoken)
    if settings.level:
        yield f" isis circuit-type {_LEVELS[settings.level]}"
    if settings.metric:
        yield f" isis metric {settings.metric}"
    if settings.passive or port.is_alone:
        yield " isis passive"
        return
    if network_type_at(isis, port.name, alone=port.joins_two) == "point-to-point":
        yield " isis network point-to-point"
    if (hello_s := settings.hello_s or isis.hello_s) != _HELLO_S:
        yield f" isis hello-interval {hello_s}"
    if (multiplier := settings.hello_multiplier or isis.hello_multiplier) != _HELLO_MULTIPLIER:
        yield f" isis hello-multiplier {multiplier}"
    if isis.lab_timers:
        yield " isis csnp-interval 1"
        yield " isis psnp-interval 1"
    if settings.key:
        yield f" isis password md5 {settings.key}"
    if bfd_at(isis, port.name):
        yield from bfd.bfd_lines(view.router, "isis bfd")
