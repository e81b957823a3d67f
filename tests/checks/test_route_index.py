"""The search for static routes that overlap with a prefix finds what a comparison with each of them finds."""

from __future__ import annotations

import random
from ipaddress import IPv4Network, IPv6Network

from frrlib.checks.subjects.static_routes import RouteIndex
from frrlib.model.routing import StaticRoute


def random_network(numbers: random.Random) -> IPv4Network | IPv6Network:
    """A network that contains others of this function, or is in them, often enough."""
    if numbers.random() < 0.3:
        address = numbers.getrandbits(6) << 122 | numbers.getrandbits(3) << 60
        return IPv6Network((address, numbers.choice([0, 3, 6, 64, 68, 128])), strict=False)
    address = numbers.getrandbits(4) << 28 | numbers.getrandbits(3)
    return IPv4Network((address, numbers.choice([0, 1, 4, 8, 24, 30, 31, 32])), strict=False)


def test_overlapping_routes_equal_those_of_a_comparison_with_each() -> None:
    numbers = random.Random(1)
    match_count = 0
    for _ in range(100):
        routes = [StaticRoute(prefix=random_network(numbers), via="blackhole") for _ in range(numbers.randrange(20))]
        index = RouteIndex(routes)
        for _ in range(10):
            prefix = random_network(numbers)
            expected = [
                route for route in routes if route.prefix.version == prefix.version and prefix.overlaps(route.prefix)
            ]
            overlapping = index.overlapping(prefix)
            assert sorted(map(str, overlapping)) == sorted(map(str, expected))
            match_count += len(overlapping)
    assert match_count > 1000
