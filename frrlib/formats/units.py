"""MiniEdit's free-text values: times in the syntax of `tc`, addresses in that of Mininet."""

from __future__ import annotations

import re
from ipaddress import IPv4Interface, IPv6Interface, ip_address, ip_interface
from typing import Any

from frrlib.formats.entry import Unreadable, brief, text
from frrlib.model.base import Address, IpAddress

#: Mininet's default prefix length.
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
    """A time in the syntax of `tc`, in ms, and whether it has a unit; the default unit is microseconds. Empty is 0."""
    word = text(value).strip().lower()
    if not word:
        return 0.0, True
    match = _TIME.fullmatch(word)
    if not match or match[2] not in _UNITS_MS:
        raise Unreadable(f"{brief(value)} is not a time such as 20ms")
    factor = _UNITS_MS[match[2]]
    # Division converts 5 us to 0.005 ms exactly, which multiplication by 1e-3 does not for all numbers.
    result = float(match[1]) * factor if factor >= 1 else float(match[1]) / round(1 / factor)
    if result > _LONGEST_DELAY_MS:
        raise Unreadable(f"{brief(value)} is more than a minute")
    return result, bool(match[2]) or not result


def time_text(milliseconds_: float) -> str:
    """A time in the syntax of MiniEdit and `tc`: 20.0 is "20ms"."""
    is_whole = milliseconds_ == int(milliseconds_)
    return f"{int(milliseconds_) if is_whole else repr(milliseconds_)}ms"


def interface_address(value: Any) -> tuple[Address | None, bool]:
    """An address with its prefix length, and whether that was stated; the default is Mininet's /8, for IPv6 /64.

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
