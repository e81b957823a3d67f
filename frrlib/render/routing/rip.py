"""RIP and RIPng as `frr.conf` has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Interface, IPv6Interface

from frrlib.model.routing import Redistribution, Rip, RipInterface, Ripng
from frrlib.render.routing.router_views import RouterPort, RouterView
from frrlib.render.routing.sections import Section, redistribution, section

#: FRR's own update, timeout and garbage timers, which it leaves unsaid.
_TIMERS = (30, 180, 120)


def sections(view: RouterView, rip: Rip) -> Iterator[Section]:
    """The lines of RIP for a router: keys, a section per interface that needs one, then its own."""
    ports = view.ports_in("", 4)
    for port in ports:
        own = rip.at(port.name)
        if own.key and own.key_id:
            key = (f" key {own.key_id}", f"  key-string {own.key}", " exit")
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
    """RIPng does not run on an interface without a link-local address, so a loopback's network is announced by itself.

    It is connected, too; but FRR 10.3 now and then forgets to redistribute what was connected when it started.
    """
    if not any(each.source == "connected" for each in ripng.redistribute):
        addresses = [address for port in ports if port.is_loopback for address in port.addresses]
        yield from (f" route {each.network}" for each in addresses if isinstance(each, IPv6Interface))


def _router(
    rip: Rip | Ripng, ports: tuple[RouterPort, ...], networks: Iterable[str], redistribute: Iterable[Redistribution]
) -> Iterator[str]:
    timers = (rip.update_s, rip.timeout_s, rip.garbage_s)
    yield from () if timers == _TIMERS else (f" timers basic {' '.join(map(str, timers))}",)
    yield from (f" network {network}" for network in networks)
    for port in ports:
        if not port.is_loopback and (rip.at(port.name).passive or port.is_alone):
            yield f" passive-interface {port.name}"
    yield from (f" {redistribution(each)}" for each in redistribute)
    if rip.default_originate:
        yield " default-information originate"


def _networks(port: RouterPort) -> Iterator[str]:
    if not port.is_loopback:
        yield port.name
        return
    yield from (str(each.network) for each in port.addresses if isinstance(each, IPv4Interface))


def _split_horizon(own: RipInterface, say: str) -> Iterator[str]:
    if own.split_horizon == "poison":
        yield f" {say} split-horizon poisoned-reverse"
    elif own.split_horizon == "off":
        yield f" no {say} split-horizon"


def _authentication(own: RipInterface, port: RouterPort) -> Iterator[str]:
    if own.key and own.key_id:
        yield " ip rip authentication mode md5"
        yield f" ip rip authentication key-chain {_chain(port)}"
    elif own.key:
        yield " ip rip authentication mode text"
        yield f" ip rip authentication string {own.key}"


def _chain(port: RouterPort) -> str:
    return f"rip-{port.name}"
