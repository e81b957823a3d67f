"""RIP and RIPng in `frr.conf`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Interface, IPv6Interface

from frrlib.model.routing import Redistribution, Rip, RipInterface, Ripng
from frrlib.render.routing.router_views import RouterPort, RouterView
from frrlib.render.routing.sections import Section, redistribution, section

#: FRR's default update, timeout and garbage timers, which need no line.
_TIMERS = (30, 180, 120)


def sections(view: RouterView, rip: Rip) -> Iterator[Section]:
    """The lines of RIP for a router: keys, a section for each interface with settings, then the router's section."""
    ports = view.ports_in("", 4)
    for port in ports:
        settings = rip.at(port.name)
        if settings.key and settings.key_id:
            key = (f" key {settings.key_id}", f"  key-string {settings.key}", " exit")
            yield section(f"key chain {_chain(port)}", key)
    for port in ports:
        if lines := (*_split_horizon(rip.at(port.name), "ip rip"), *_authentication(rip.at(port.name), port)):
            yield section(f"interface {port.name}", lines)
    networks = [network for port in ports for network in _networks(port)]
    yield section("router rip", (" version 2", *_router(rip, ports, networks, rip.redistribute)))


def sections6(view: RouterView, ripng: Ripng) -> Iterator[Section]:
    """The same for RIPng."""
    ports = view.ports_in("", 6)
    for port in ports:
        if lines := tuple(_split_horizon(ripng.at(port.name), "ipv6 ripng")):
            yield section(f"interface {port.name}", lines)
    networks = [port.name for port in ports if not port.is_loopback]
    yield section("router ripng", (*_router(ripng, ports, networks, ripng.redistribute), *_loopbacks6(ports, ripng)))


def _loopbacks6(ports: tuple[RouterPort, ...], ripng: Ripng) -> Iterator[str]:
    """The lines that announce networks of loopbacks, since RIPng does not run without a link-local address.

    Redistribution of connected routes is not reliable: FRR 10.3 sometimes omits routes connected before its start.
    """
    if not any(item.source == "connected" for item in ripng.redistribute):
        addresses = [address for port in ports if port.is_loopback for address in port.addresses]
        yield from (f" route {item.network}" for item in addresses if isinstance(item, IPv6Interface))


def _router(
    rip: Rip | Ripng, ports: tuple[RouterPort, ...], networks: Iterable[str], redistribute: Iterable[Redistribution]
) -> Iterator[str]:
    timers = (rip.update_s, rip.timeout_s, rip.garbage_s)
    yield from () if timers == _TIMERS else (f" timers basic {' '.join(map(str, timers))}",)
    yield from (f" network {network}" for network in networks)
    for port in ports:
        if not port.is_loopback and (rip.at(port.name).passive or port.is_alone):
            yield f" passive-interface {port.name}"
    yield from (f" {redistribution(source)}" for source in redistribute)
    if rip.default_originate:
        yield " default-information originate"


def _networks(port: RouterPort) -> Iterator[str]:
    if not port.is_loopback:
        yield port.name
        return
    yield from (str(address.network) for address in port.addresses if isinstance(address, IPv4Interface))


def _split_horizon(settings: RipInterface, command: str) -> Iterator[str]:
    if settings.split_horizon == "poison":
        yield f" {command} split-horizon poisoned-reverse"
    elif settings.split_horizon == "off":
        yield f" no {command} split-horizon"


def _authentication(settings: RipInterface, port: RouterPort) -> Iterator[str]:
    if settings.key and settings.key_id:
        yield " ip rip authentication mode md5"
        yield f" ip rip authentication key-chain {_chain(port)}"
    elif settings.key:
        yield " ip rip authentication mode text"
        yield f" ip rip authentication string {settings.key}"


def _chain(port: RouterPort) -> str:
    return f"rip-{port.name}"
