"""The source of automatic addresses: networks derived from names, so that other nodes do not change them.

| what                | IPv4 network or address | IPv6              | example                        |
| ------------------- | ----------------------- | ----------------- | ------------------------------ |
| link `lN`           | 10.0.N.0/24             | fd00:0:0:N::/64   | l3 is 10.0.3.0/24              |
| net of switch `sN`  | 10.100.N.0/24           | fd00:0:1:N::/64   | s1 is 10.100.1.0/24            |
| any other name      | 10.200.0.0 and up       | fd00:0:2:X::/64   | chosen by a hash of the name   |
| router `rN`         | .N                      | ::N               | r2 on l3 is 10.0.3.2           |
| host `hN`           | .100+N                  | ::100+N           | h1 on l3 is 10.0.3.101         |
| any other node      | .200 and up             | by hash           |                                |
| loopback of `rN`    | 10.255.0.N/32           | fd00:0:ff::N/128  | r2 is 10.255.0.2               |

If a stated network covers one of these, the corresponding network in 172.16.0.0/12 and then in 192.168.0.0/16 is used
(for IPv6: fd00:1::/32, fd00:2::/32, ...). Numbers in IPv6 addresses read as decimal: link l12 is fd00:0:0:12::/64.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, collapse_addresses

from frrlib.model.names import digest, numbered

#: Attempts by hash before the first free place is used.
_HASHES = 8
_LAST_IN_SLOT = 99


@dataclass(frozen=True)
class _Pool:
    """A block of IPv4 addresses, cut into slots of /24; ranges count slots from the block's start."""

    start: int
    links: range
    switches: range
    other_names: range
    loopbacks: range

    def slot(self, number: int) -> IPv4Network:
        return IPv4Network((self.start + number * 256, 24))


_POOLS = (
    _Pool(10 << 24, range(25600), range(25600, 51200), range(51200, 64000), range(65280, 65536)),
    _Pool((172 << 24) + (16 << 16), range(1536), range(1536, 3072), range(3072, 3840), range(3840, 4096)),
    _Pool((192 << 24) + (168 << 16), range(100), range(100, 200), range(200, 250), range(254, 256)),
)
_POOLS6 = range(8)


class NetworkSet:
    """A set of networks that finds overlaps quickly."""

    def __init__(self, networks: Iterable[IPv4Network | IPv6Network]) -> None:
        listed = list(networks)
        self._ranges = {
            4: _ranges(network for network in listed if isinstance(network, IPv4Network)),
            6: _ranges(network for network in listed if isinstance(network, IPv6Network)),
        }

    def overlaps(self, network: IPv4Network | IPv6Network) -> bool:
        """Whether any network of the set shares an address with this one."""
        firsts, lasts = self._ranges[network.version]
        position = bisect_right(firsts, int(network.broadcast_address)) - 1
        return position >= 0 and lasts[position] >= int(network.network_address)


def _ranges(networks: Iterable[IPv4Network] | Iterable[IPv6Network]) -> tuple[list[int], list[int]]:
    """First and last addresses of the ranges that the networks cover, in order and without overlaps."""
    merged: list[IPv4Network | IPv6Network] = list(collapse_addresses(networks))  # type: ignore[type-var, arg-type]
    return (
        [int(network.network_address) for network in merged],
        [int(network.broadcast_address) for network in merged],
    )


def _number(name: str, letter: str) -> int | None:
    parts = numbered(name)
    return parts[1] if parts and parts[0] == letter else None


def subnets4(anchor: str, switched: bool) -> Iterator[IPv4Network]:
    """IPv4 networks for a broadcast domain, the preferred one first.

    Args:
        anchor: name of the domain's first switch, or ID of its only link.
        switched: whether the anchor is a switch.
    """
    number = _number(anchor, "s" if switched else "l")
    if number is not None:
        for pool in _POOLS:
            slots = pool.switches if switched else pool.links
            if number < len(slots):
                yield pool.slot(slots[number])
    for pool in _POOLS:
        for attempt in range(_HASHES):
            yield pool.slot(pool.other_names[digest("net", anchor, switched, attempt) % len(pool.other_names)])
    for pool in _POOLS:
        yield from map(pool.slot, pool.other_names)


def subnets6(anchor: str, switched: bool) -> Iterator[IPv6Network]:
    """IPv6 networks for a broadcast domain, the preferred one first; arguments as in `subnets4`."""
    number = _number(anchor, "s" if switched else "l")
    for pool in _POOLS6:
        if number is not None and number <= 9999:
            yield _network6(pool, 1 if switched else 0, as_decimal(number))
    for pool in _POOLS6:
        for attempt in range(_HASHES):
            yield _network6(pool, 2, digest("net", anchor, switched, attempt) & 0xFFFF)


def _network6(pool: int, part: int, slot: int) -> IPv6Network:
    return IPv6Network(((0xFD00 << 112) + (pool << 96) + (part << 80) + (slot << 64), 64))


def as_decimal(number: int) -> int:
    """The number whose hexadecimal digits are the decimal digits of `number`, for readable addresses."""
    return int(str(number), 16)


def loopbacks4(router: str) -> Iterator[IPv4Address]:
    """IPv4 addresses for a router's loopback, the preferred one first."""
    number = _number(router, "r")
    for pool in _POOLS:
        size = len(pool.loopbacks) * 256
        start = pool.start + pool.loopbacks[0] * 256
        half = size // 2
        if number is not None and 0 < number < half:
            yield IPv4Address(start + number)
    for pool in _POOLS:
        half = len(pool.loopbacks) * 128
        for attempt in range(_HASHES * 4):
            offset = half + digest("loopback", router, attempt) % half
            yield IPv4Address(pool.start + pool.loopbacks[0] * 256 + offset)


def loopbacks6(router: str) -> Iterator[IPv6Address]:
    """IPv6 addresses for a router's loopback, the preferred one first."""
    number = _number(router, "r")
    for pool in _POOLS6:
        start = (0xFD00 << 112) + (pool << 96) + (0xFF << 80)
        if number is not None and 0 < number <= 9999:
            yield IPv6Address(start + as_decimal(number))
        for attempt in range(_HASHES):
            yield IPv6Address(start + (1 << 32) + digest("loopback", router, attempt))


def place_of(name: str) -> int | None:
    """The last number of a node's preferred address: N for router `rN`, 100 + N for host `hN`; else None."""
    for letter, base in (("r", 0), ("h", 100)):
        number = _number(name, letter)
        if number is not None and 1 <= number <= _LAST_IN_SLOT:
            return base + number
    return None


def addresses_in(network: IPv4Network | IPv6Network, node: str, key: str) -> Iterator[IPv4Address | IPv6Address]:
    """Addresses of a network for a node's interface: the preferred one, then some by hash, then all in order.

    Args:
        network: the network; its network and broadcast addresses are skipped if it has them.
        node: the node's name.
        key: a text that differs between interfaces of the node.
    """
    start, size = int(network.network_address), network.num_addresses
    first, last = (0, size - 1) if size <= 2 else (1, size - 2)
    make = IPv4Address if network.version == 4 else IPv6Address
    place = place_of(node)
    if place is not None and network.version == 6:
        place = as_decimal(place)
    if place is not None and first <= place <= last:
        yield make(start + place)
    for attempt in range(_HASHES):
        number = digest("address", node, key, attempt)
        if size < 256:
            offset = first + number % (last - first + 1)
        elif network.version == 4:
            offset = 200 + number % 55
        else:
            offset = 0x1000 + number % min(1 << 32, size - 0x1001) if size > 0x2000 else first + number % last
        yield make(start + offset)
    for offset in range(first, last + 1):
        yield make(start + offset)
