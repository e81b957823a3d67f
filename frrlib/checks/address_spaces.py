"""Groups of nets that share an address space: a router joins the nets that use the same one of its routing tables."""

from __future__ import annotations

from frrlib.addressing.domains import Domain
from frrlib.model.nodes import Router


def address_space_numbers(domains: tuple[Domain, ...]) -> list[int]:
    """The number of the world of each net. Different worlds may use the same addresses.

    If no router has a VRF, all nets are in one world, since nets that are not yet joined are going to be.
    """
    numbers = list(range(len(domains)))
    first_nets: dict[tuple[str, str], int] = {}
    separate = False
    for index, domain in enumerate(domains):
        for place in domain.ends:
            if not isinstance(place.node, Router):
                continue
            table = place.node.vrf_of(place.end.interface)
            separate |= bool(table)
            first = numbers[first_nets.setdefault((place.node.name, table), index)]
            mine = numbers[index]
            numbers = [first if number == mine else number for number in numbers]
    return numbers if separate else [0] * len(domains)
