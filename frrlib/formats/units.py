"""MiniEdit's free-text values: times as `tc` reads them, addresses as Mininet reads them."""

from __future__ import annotations

import re
from ipaddress import IPv4Interface, IPv6Interface, ip_address, ip_interface
from typing import Any

from frrlib.formats.entry import Unreadable, brief, text
from frrlib.model.base import Address, IpAddress

#: Prefix length that Mininet gives to an address without one.
MININET_PREFIX = 8
_LONGEST_DELAY_MS = 60_000
_TIME = re.compile(r"([0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?|\.[0-9]+(?:e[+-]?[0-9]+)?)\s*([a-z]*)")
_UNITS_MS = {
    "s": 1e3, "sec": 1e3, "secs": 1e3,
    "ms": 1.0, "msec": 1.0, "msecs": 1.0,
    "us": 1e-3, "usec": 1e-3, "usecs": 1e-3, "": 1e-3,
    "ns": 1e-6, "nsec": 1e-6, "nsecs": 1e-6,
}  # fmt: skip


def milliseconds(value: Any) -> tuple[float, bool]:
    """A time as `tc` reads it, in ms, and whether it has a unit; without one it counts microseconds. Empty is 0."""
    word = text(value).strip().lower()
    if not word:
        return 0.0, True
    match = _TIME.fullmatch(word)
    if not match or match[2] not in _UNITS_MS:
        raise Unreadable(f"{brief(value)} is not a time such as 20ms")
    factor = _UNITS_MS[match[2]]
    # Division keeps 5 us at 0.005 ms, which a factor of 1e-3 does not for all numbers.
    found = float(match[1]) * factor if factor >= 1 else float(match[1]) / round(1 / factor)
    if found > _LONGEST_DELAY_MS:
        raise Unreadable(f"{brief(value)} is more than a minute")
    return found, bool(match[2]) or not found


def time_text(milliseconds_: float) -> str:
    """A time as MiniEdit and `tc` take it: 20.0 is "20ms"."""
    whole = milliseconds_ == int(milliseconds_)
    return f"{int(milliseconds_) if whole else repr(milliseconds_)}ms"


def interface_address(value: Any) -> tuple[Address | None, bool]:
    """An address with its prefix length, and whether that was stated; without one it is Mininet's /8, IPv6 /64.

    Empty text is None.
    """
    word = text(value).strip()
    if not word:
        return None, True
    try:
        if "/" in word:
            return ip_interface(word), True
        address = ip_address(word)
    except ValueError:
        raise Unreadable(f"{brief(value)} is not an address such as 10.0.0.1/24") from None
    if address.version == 4:
        return IPv4Interface((address, MININET_PREFIX)), False
    return IPv6Interface((address, 64)), False


def gateway(value: Any) -> IpAddress | None:
    """The address of a default route, with or without "via"; empty text is None."""
    word = text(value).strip().removeprefix("via ").strip()
    if not word:
        return None
    try:
        return ip_address(word)
    except ValueError:
        raise Unreadable(f"{brief(value)} is not an address such as 10.0.0.1") from None
