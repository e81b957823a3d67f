"""Routing tables of BGP: the default table of each router and those of its VRFs, with their interfaces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from frrlib.checks.facts import Facts
from frrlib.model.base import Address, IpAddress
from frrlib.model.links import End
from frrlib.model.nodes import Router
from frrlib.model.routing import Bgp, Vrf


@dataclass(frozen=True)
class BgpTable:
    """A routing table of a router.

    Attributes:
        router: the router.
        holder: the owner of its settings: the router, or one of its VRFs.
        ends: the link ends that belong to it.
    """

    router: Router
    holder: Router | Vrf
    ends: list[End]

    @property
    def name(self) -> str:
        """Name of the router."""
        return self.router.name

    @property
    def bgp(self) -> Bgp | None:
        """The settings of BGP in this table."""
        return self.holder.bgp

    @property
    def links(self) -> list[Address]:
        """Addresses of its interfaces, without loopbacks."""
        return [address for end in self.ends for address in end.addresses]

    @property
    def addresses(self) -> list[Address]:
        """Addresses of its interfaces and loopbacks."""
        loopbacks = self.router.loopbacks if isinstance(self.holder, Router) else ()
        return [*loopbacks, *self.links]

    @property
    def interfaces(self) -> list[str]:
        """Names of its interfaces."""
        return [end.interface for end in self.ends]

    def field(self, name: str) -> str:
        """The field of a setting of BGP, dotted."""
        return f"bgp.{name}" if isinstance(self.holder, Router) else "vrfs"


def tables(facts: Facts) -> Iterator[BgpTable]:
    """The tables of all routers, each router's default one first."""
    for router in facts.routers():
        yield from tables_of(facts, router)


def tables_of(facts: Facts, router: Router) -> Iterator[BgpTable]:
    """The tables of a router."""
    ends = [end for _, end in facts.ends.get(router.name, ())]
    yield BgpTable(router, router, [end for end in ends if not router.vrf_of(end.interface)])
    for vrf in router.vrfs:
        yield BgpTable(router, vrf, [end for end in ends if end.interface in vrf.interfaces])


def table_of(facts: Facts, address: IpAddress) -> BgpTable | None:
    """The table that has an address."""
    router = facts.router_of(address)
    router_tables = tables_of(facts, router) if router is not None else ()
    return next(
        (table for table in router_tables if any(own_address.ip == address for own_address in table.addresses)), None
    )
