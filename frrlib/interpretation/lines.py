"""Lines that are read as settings: what all kinds of sections share."""

from __future__ import annotations

import re
from typing import Any, TypeVar

from frrlib.model.base import Value

V = TypeVar("V", bound=Value)
#: Lines that change neither sessions nor routes.
HARMLESS = re.compile(
    r"(no )?(hostname|log|debug|service|banner|agentx|frr (version|defaults)|password|enable password|domainname"
    r"|description|log-adjacency-changes|bgp log-neighbor-changes|zebra nexthop|ip forwarding|ipv6 forwarding)\b"
    r"|no (shutdown|bgp network import-check|auto-summary|synchronization)$"
)


class UnknownLine(Exception):
    """No setting corresponds to a line."""


def updated(value: V, **fields: Any) -> V:
    """A copy of a value with some fields changed, validated. Raises ValueError (pydantic's error is one)."""
    return type(value).model_validate({**{name: getattr(value, name) for name in type(value).model_fields}, **fields})
