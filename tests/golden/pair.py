"""Shared parts of the golden drawings of one protocol: two routers that run it, and their surroundings."""

from __future__ import annotations

from frrlib.model.topology import Topology
from frrlib.network.network import Network, end

BOTH = ("10.255.0.{}/32", "fd00:255::{}/128")


def pair(title: str, r1: dict[str, object], r2: dict[str, object]) -> Topology:
    """h1 - r1 - r2, and a switch that joins r1, r2 and r3, which speaks nothing."""
    net = Network(title)
    net.host("h1", at=(80, 200))
    net.router("r1", at=(240, 200), loopbacks=tuple(address.format(1) for address in BOTH), **r1)
    net.router("r2", at=(480, 200), loopbacks=tuple(address.format(2) for address in BOTH), **r2)
    net.router("r3", at=(360, 340))
    net.bridge("b1", at=(360, 260))
    net.link(end("h1", "10.1.0.2/24", "fd00:1::2/64"), end("r1", "10.1.0.1/24", "fd00:1::1/64"))
    net.link(
        end("r1", "10.12.0.1/24", "fd00:12::1/64", ospf_cost=7), end("r2", "10.12.0.2/24", "fd00:12::2/64", ospf_cost=7)
    )
    net.link(end("r1", "10.123.0.1/24", "fd00:123::1/64"), "b1")
    net.link(end("r2", "10.123.0.2/24", "fd00:123::2/64"), "b1")
    net.link(end("r3", "10.123.0.3/24", "fd00:123::3/64"), "b1")
    return net.topology


def alike(title: str, **settings: object) -> Topology:
    """The same with equal settings on r1 and r2."""
    return pair(title, settings, settings)
