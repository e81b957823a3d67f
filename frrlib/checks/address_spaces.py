"""Address spaces: groups of nets in which an address must be unique. A router joins the nets of one routing table."""

from __future__ import annotations

from frrlib.addressing.domains import Domain
from frrlib.model.nodes import Router


def address_space_numbers(domains: tuple[Domain, ...]) -> list[int]:
    """The number of the address space of each net. Different spaces may use the same addresses.

    If no router has a VRF, all nets are in one space, since separate nets are probably going to be joined.
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
