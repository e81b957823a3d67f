"""Which nets may hear of each other's addresses: a router joins those that use one of its routing tables."""

from __future__ import annotations

from frrlib.model.domains import Domain
from frrlib.model.nodes import Router


def worlds(domains: tuple[Domain, ...]) -> list[int]:
    """For each net the number of its world. Addresses may be the same in different worlds.

    Where no router has a VRF all is one world: nets that nothing joins yet are meant to be joined.
    """
    numbers = list(range(len(domains)))
    seen: dict[tuple[str, str], int] = {}
    separate = False
    for index, domain in enumerate(domains):
        for place in domain.ends:
            if not isinstance(place.node, Router):
                continue
            table = place.node.vrf_of(place.end.interface)
            separate |= bool(table)
            first = numbers[seen.setdefault((place.node.name, table), index)]
            mine = numbers[index]
            numbers = [first if number == mine else number for number in numbers]
    return numbers if separate else [0] * len(domains)
